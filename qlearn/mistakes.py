"""The legacy registry `.qe/MISTAKE.md`, which is read and never written."""

from __future__ import annotations

import re

from .document import parse
from .learning import parse_day, plain_word
from .record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import datetime as dt

SEVERITIES = ("critical", "important", "minor")

_ID = r"(\[RESOLVED\][ \t]+)?M([0-9]{1,9})([ \t]*\[RESOLVED\])?[ \t]*(?:[:：]|\Z)"
_MARK = r"\A\[RESOLVED\](?:[ \t]+|\Z)|(?:\A|[ \t]+)\[RESOLVED\]\Z"


class Mistake(NamedTuple):
    """An entry of the legacy registry: what was done wrong, and what is right.

    `severity` is one of `SEVERITIES`; important where none of them is given. `lineno` counts from 1.
    """

    number: int
    title: str
    resolved: bool
    wrong: str
    correct: str
    context: str | None
    date: dt.date | None
    severity: str
    lineno: int

    @property
    def id(self) -> str:
        """The canonical id: `M` and at least three digits."""
        return f"M{self.number:03d}"


def parse_mistakes(text: str) -> tuple[Mistake, ...]:
    """Read the legacy registry: level-3 headings `M001: title` and their bullets, in document order.

    Never raises. A file that says in prose that there are none gives an empty tuple.
    """
    found = []
    for section in parse(text).sections:
        heading = re.match(_ID, section.title) if section.level == 3 and section.atx else None
        if heading is None:
            continue
        title = section.title[heading.end() :].strip()
        bare = re.sub(_MARK, "", title).strip()
        fields = section.fields
        severity = plain_word(fields.get("severity", ""))
        found.append(
            Mistake(
                int(heading[2]),
                bare,
                bool(heading[1] or heading[3] or bare != title),
                fields.get("wrong", ""),
                fields.get("correct", ""),
                fields.get("context"),
                parse_day(fields.get("date", "")),
                severity if severity in SEVERITIES else "important",
                section.lineno,
            )
        )
    return tuple(found)
