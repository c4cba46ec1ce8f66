"""What holds in several projects: found by its Key, weighed, and made to hold everywhere."""

from __future__ import annotations

import datetime as dt
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, NamedTuple

from .confidence import confidence
from .document import parse
from .errors import DraftError
from .learning import Learning, labelled, learnings
from .registry import add_entry, amend, next_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

THRESHOLD = Decimal("0.80")
LEAST_PROJECTS = 2
_CENT = Decimal("0.01")
_NOT_CARRIED = (
    "date",
    "learning",
    "scope",
    "source",
    "key",
    "reinforced",
    "evidence",
    "confidence",
    "files",
    "was",
    "supersedes",
    "used",
    "promoted",
)


class Copy(NamedTuple):
    """A learning as one project words it, and how sure it is there, as a decimal of two places."""

    project: str
    name: str
    learning: Learning
    confidence: Decimal
    fields: Mapping[str, str]
    """Those of the learning, under their labels as written."""


class Candidate(NamedTuple):
    """One Key in several projects: its copies, surest first, and the mean of their confidences."""

    key: str
    copies: tuple[Copy, ...]
    mean: Decimal

    @property
    def ready(self) -> bool:
        """Whether it may be promoted: two projects and more, and a mean of 0.80 and more."""
        return len({copy.project for copy in self.copies}) >= LEAST_PROJECTS and self.mean >= THRESHOLD

    @property
    def wordings(self) -> tuple[str, ...]:
        """The texts that differ, but for case and white space, the surest first."""
        distinct = {
            " ".join(copy.learning.learning.casefold().split()): copy for copy in reversed(self.copies)
        }
        return tuple(copy.learning.learning for copy in self.copies if copy in distinct.values())


class Promoted(NamedTuple):
    """The new text of the global registry, and the id there."""

    text: str
    id: str


def copies_of(project: str, name: str, text: str, today: dt.date) -> tuple[Copy, ...]:
    """Read the learnings of a project's registry that have a Key, and are not resolved."""
    return tuple(
        Copy(
            project,
            name,
            entry,
            _cents(confidence(entry.confidence, entry.evidence, today)),
            labelled(text, entry),
        )
        for entry in learnings(parse(text))
        if entry.key and not entry.resolved
    )


def candidates(copies: Iterable[Copy], everywhere: Iterable[Learning] = ()) -> tuple[Candidate, ...]:
    """Group copies by Key, leaving out what holds everywhere already; the best first.

    The mean is taken over projects, in decimal, rounded to two places: 0.7, 0.8 and 0.9 make 0.80. Of two
    copies in one project the surer counts.
    """
    known = {entry.key for entry in everywhere if not entry.resolved}
    by_key: dict[str, dict[str, Copy]] = {}
    for copy in copies:
        key = copy.learning.key
        if key and key not in known:
            best = by_key.setdefault(key, {})
            if copy.project not in best or best[copy.project].confidence < copy.confidence:
                best[copy.project] = copy
    found = []
    for key, best in by_key.items():
        if len(best) >= LEAST_PROJECTS:
            ordered = tuple(sorted(best.values(), key=lambda copy: (-copy.confidence, copy.project)))
            found.append(
                Candidate(key, ordered, _cents(sum(copy.confidence for copy in ordered) / len(ordered)))
            )
    return tuple(sorted(found, key=lambda each: (-each.mean, each.key)))


def promote(
    everywhere: str, candidate: Candidate, *, now: dt.datetime, archive: str = "", wording: str | None = None
) -> Promoted:
    """Add a candidate to the registry of what holds everywhere, in the words of its surest copy.

    It starts with the mean as its stated confidence and without evidence: what the projects saw stays theirs.

    Args:
        wording: The lesson to write instead, as somebody chose it.

    Raises:
        DraftError: It is in fewer than two projects.
        RegistryError: As `registry.add_learning`.
    """
    if len(candidate.copies) < LEAST_PROJECTS:
        raise DraftError(f"'{candidate.key}' is in one project only; a promotion needs two")
    best = candidate.copies[0]
    fields = {label: value for label, value in best.fields.items() if label.lower() not in _NOT_CARRIED}
    fields |= {
        "Date": now.astimezone(dt.UTC).date().isoformat(),
        "Learning": wording or best.learning.learning,
        "Confidence": str(candidate.mean),
        "Scope": "global",
        "Source": f"promoted:{best.project}",
        "Key": candidate.key,
    }
    number = next_number(learnings(parse(everywhere)), learnings(parse(archive)))
    added = add_entry(everywhere, number, best.learning.title, fields)
    return Promoted(added.text, added.id)


def linked(text: str, entry: Learning, promoted: str) -> str:
    """Let a project's copy say what it became, so that both are known to be one. Twice is once."""
    return amend(text, entry.id, fields={"Promoted": f"global {promoted}"})


def _cents(value: float | Decimal) -> Decimal:
    exact = value if isinstance(value, Decimal) else Decimal(repr(round(value, 9)))
    return exact.quantize(_CENT, ROUND_HALF_UP)
