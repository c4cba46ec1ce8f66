"""How sure an entry is: one number, computed from what stands in the entry and nothing else."""

from __future__ import annotations

import re
from datetime import date

from .record import NamedTuple

LOW, HIGH = 0.3, 0.9
_COUNTS = ("seen", "sessions", "kept", "confirmed", "corrected", "contradicted")
_PART = r"(seen|sessions|kept|confirmed|corrected|contradicted)\s+([0-9]{1,9})\Z"
_LAST = r"last\s+([0-9]{4}-[0-9]{2}-[0-9]{2})\Z"


class Evidence(NamedTuple):
    """What has happened to a learning since it was stated, as counts; a session adds at most one to each.

    `kept` counts uses that were not corrected, `confirmed` sightings in another source, `last` the day of
    the newest of them.
    """

    seen: int = 0
    sessions: int = 0
    kept: int = 0
    confirmed: int = 0
    corrected: int = 0
    contradicted: int = 0
    last: date | None = None

    def __str__(self) -> str:
        counts = ", ".join(f"{name} {getattr(self, name)}" for name in _COUNTS)
        return f"{counts}, last {self.last.isoformat()}" if self.last else counts


def parse_evidence(value: str) -> Evidence | None:
    """Read `seen 5, sessions 3, ..., last 2026-11-30`, in any order; None where a part is none of these."""
    counts: dict[str, int] = {}
    last = None
    for part in value.split(","):
        part = part.strip().lower()
        if found := re.match(_PART, part):
            counts[found[1]] = int(found[2])
        elif found := re.match(_LAST, part):
            try:
                last = date.fromisoformat(found[1])
            except ValueError:
                return None
        else:
            return None
    return Evidence(**counts, last=last)


class Term(NamedTuple):
    """One summand of a confidence: what it counts, and what that adds."""

    name: str
    times: int
    amount: float


def confidence_terms(stated: float | None, evidence: Evidence, today: date) -> tuple[Term, ...]:
    """Explain `confidence`: the summands before they are clamped, the start first."""
    seen = evidence.seen
    if stated is None:
        start = 0.85 if seen >= 11 else 0.7 if seen >= 6 else 0.5 if seen >= 3 else 0.3
        terms = [Term("start, by times seen", seen, start)]
    else:
        terms = [Term("start, as stated", 1, stated)]
        terms.append(Term("seen", seen, 0.1 * min(seen, 3) + 0.05 * max(seen - 3, 0)))
    idle = max((today - evidence.last).days // 30, 0) if evidence.last else 0
    terms += [
        Term("kept", evidence.kept, 0.05 * evidence.kept),
        Term("confirmed", evidence.confirmed, 0.05 * evidence.confirmed),
        Term("corrected", evidence.corrected, -0.25 * evidence.corrected),
        Term("contradicted", evidence.contradicted, -0.1 * evidence.contradicted),
        Term("30-day periods since last", idle, -0.05 * idle),
    ]
    return tuple(terms)


def confidence(stated: float | None, evidence: Evidence | None, today: date) -> float:
    """Weigh what was stated and what was seen since.

    Without evidence it is the stated number as it is, and 1 where none is stated. With evidence::

        start = stated, else by seen: 1-2 0.3, 3-5 0.5, 6-10 0.7, 11 and more 0.85
        c = start + (where stated: 0.1 for each of the first 3 seen, 0.05 for each further one)
                  + 0.05 kept + 0.05 confirmed - 0.25 corrected - 0.1 contradicted
                  - 0.05 for each whole 30-day period from last to today

    clamped to 0.3-0.9. The sum is rounded to 9 places, so that its order does not show.

    Args:
        stated: 0-1, or None.
        today: The UTC day.

    Source: docs/format.md, "Confidence".
    """
    if evidence is None:
        return 1.0 if stated is None else stated
    total = sum(term.amount for term in confidence_terms(stated, evidence, today))
    return min(max(round(total, 9), LOW), HIGH)


def is_weighed(stated: float | None, evidence: Evidence | None) -> bool:
    """Tell whether what happens moves the confidence of an entry.

    It does where the entry has evidence, or states 0.3-0.9, as an instinct does: its evidence starts with the
    first thing that happens. Another entry is as sure as it states, and stays so.
    """
    return evidence is not None or (stated is not None and LOW <= stated <= HIGH)


def band(value: float) -> str:
    """Name a confidence: tentative (below 0.5), moderate, strong (0.7 and more), near certain (0.9)."""
    return (
        "near certain"
        if value >= 0.9
        else "strong"
        if value >= 0.7
        else "moderate"
        if value >= 0.5
        else "tentative"
    )
