"""Before and after, as Markdown: the files in tests/cases.

A case is a line that says what it shows, the call, `.`, the text before, `.`, the text after, `.`. What must
stay the same comes first in each file. A text that ends in the sign ␃ has no final newline.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "cases"


class Case(NamedTuple):
    """One call and what it makes of a text."""

    title: str
    call: str
    before: str
    after: str


def read_cases(name: str) -> list[Case]:
    """Read the cases of one file, in order."""
    parts = [""]
    for line in (FOLDER / name).read_text("utf-8").splitlines(keepends=True):
        if line == ".\n":
            parts.append("")
        else:
            parts[-1] += line
    if parts.pop().strip() or len(parts) % 3:
        raise ValueError(f"{name}: a case is not complete")
    cases = []
    for head, before, after in zip(*[iter(parts)] * 3, strict=True):
        title, call = head.strip().split("\n")
        cases.append(Case(title, call, before.replace("␃\n", ""), after.replace("␃\n", "")))
    return cases
