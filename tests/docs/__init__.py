"""What the docs show, collected, checked against the program, run, and written anew.

`python3 scripts/docs` renews the outputs of examples, docs/cli.md and the pictures.
"""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("skills/*/*.md")])
"""Every page of the repository that people or agents read."""


def name_of(page: Path) -> str:
    """A page by its path in the repository."""
    return page.relative_to(ROOT).as_posix()
