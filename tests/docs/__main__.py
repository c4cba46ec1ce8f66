"""Write anew what the docs show: outputs, docs/cli.md and the pictures."""

from . import PAGES, ROOT, name_of
from .examples import renewed
from .pictures import pictures
from .reference import PAGE, reference


def main() -> None:
    """Write what has changed, and name it."""
    _write(PAGE, reference())
    for page in PAGES:
        name = name_of(page)
        if name != PAGE:
            _write(name, renewed(page.read_text(encoding="utf-8")))
    for name, drawn in pictures().items():
        _write(name, drawn)


def _write(name: str, text: str) -> None:
    path = ROOT / name
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
        print(f"wrote {name}")


if __name__ == "__main__":
    main()
