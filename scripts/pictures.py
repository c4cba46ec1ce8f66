"""Draw the pictures of the README and the docs, from this checkout's own registry."""

from __future__ import annotations

import datetime as dt
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType

from qlearn import paths, project
from qlearn.cli import show, standing
from qlearn.decay import day_start, rank
from qlearn.learning import parse_learnings

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
WIDTH = 92


def main() -> None:
    """Draw `qlearn review`, `qlearn review --explain` and `qlearn status` as SVG."""
    now = day_start(dt.datetime.now(dt.UTC))
    ranked = rank(parse_learnings((ROOT / project.LEARNINGS).read_text(encoding="utf-8")), now, 5)
    _draw("review", [show.ranking(ranked, now)])
    _draw("review --explain", show.explanation(ranked, now))
    found = standing.look(project.find(str(ROOT), {}), paths.find(os.environ), os.environ, now.date())
    _draw("status", standing.draw(found._replace(paths={})))


def _draw(command: str, parts: Sequence[RenderableType]) -> None:
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(
            record=True, width=WIDTH, file=nowhere, force_terminal=True, color_system="truecolor"
        )
        for part in parts:
            console.print(part)
        PICTURES.mkdir(parents=True, exist_ok=True)
        name = command.replace(" --", "-").replace(" ", "-")
        picture = console.export_svg(title=f"qlearn {command}", unique_id=name)
        # Without the web font, which a picture in a README can't load.
        picture = re.sub(r"@font-face \{.*?\}\n?", "", picture, flags=re.DOTALL)
        (PICTURES / f"{name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
