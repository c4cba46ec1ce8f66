"""The file of proposals, `.qe/proposals.md`: entries that nobody has accepted yet, under P-numbers.

It has the registry's grammar and a few fields of its own: Detector, Events (the ids of the observations a
proposal rests on) and Rejected. What is rejected stays in the file, unseen, so that it is not proposed again.
"""

from __future__ import annotations

from .document import parse
from .learning import Learning, learnings
from .record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import datetime as dt

LETTER = "P"
LIFETIME_DAYS = 30
LAST_DAYS = 7
"""Days before it expires in which a proposal is pointed out."""


class Pending(NamedTuple):
    """A proposal as it stands in the file."""

    entry: Learning

    @property
    def id(self) -> str:
        """`P` and at least three digits."""
        return f"{LETTER}{self.entry.number:03d}"

    @property
    def rejected(self) -> bool:
        """Whether somebody has said no."""
        return "rejected" in self.entry.fields

    @property
    def detector(self) -> str:
        """What found it: the name of a detector, or "" for a person or an agent."""
        return self.entry.fields.get("detector", "")

    @property
    def events(self) -> tuple[str, ...]:
        """The ids of the observations it rests on."""
        return tuple(filter(None, (part.strip() for part in self.entry.fields.get("events", "").split(","))))

    def days_left(self, today: dt.date) -> int:
        """Days until it expires, 30 after it was made; below 0 when it has. One without a date never does."""
        day = self.entry.date
        return LIFETIME_DAYS if day is None else LIFETIME_DAYS - (today - day).days


def parse_proposals(text: str) -> tuple[Pending, ...]:
    """Read all proposals of the file, the rejected and the expired ones, too."""
    return tuple(Pending(entry) for entry in learnings(parse(text), LETTER))


def waiting(text: str, today: dt.date) -> tuple[Pending, ...]:
    """Read the proposals that somebody may still decide on, in document order."""
    return tuple(each for each in parse_proposals(text) if not each.rejected and each.days_left(today) >= 0)
