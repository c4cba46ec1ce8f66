"""A registry in numbers."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from .decay import score_terms
from .learning import CATEGORIES, SEVERITIES, TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .learning import Learning

WEEKS = 12
_AGES = (("under a week", 7), ("under a month", 30), ("under 3 months", 90), ("under a year", 365))
AGES = (*(name for name, _ in _AGES), "older", "no date")


class Week(NamedTuple):
    """A week, by the day of its Monday, and how many learnings were added in it."""

    monday: date
    added: int


class Summary(NamedTuple):
    """How many learnings there are. All but `resolved` and `weeks` counts those that are not resolved."""

    active: int
    resolved: int
    types: dict[str, int]
    severities: dict[str, int]
    categories: dict[str, int]
    ages: dict[str, int]
    weeks: tuple[Week, ...]


def summarise(learnings: Iterable[Learning], now: datetime, *, archived: Iterable[Learning] = ()) -> Summary:
    """Count learnings by type, severity, category and age, and those added in each of the last 12 weeks.

    Args:
        now: An aware time; its UTC week is the last one.
        archived: Learnings that were pruned, which count as added, too.
    """
    learnings = tuple(learnings)
    active = [learning for learning in learnings if not learning.resolved]
    return Summary(
        len(active),
        len(learnings) - len(active),
        _counted(TYPES, (learning.type for learning in active)),
        _counted(SEVERITIES, (learning.severity for learning in active)),
        _counted(CATEGORIES, (learning.category for learning in active)),
        _counted(AGES, (age_name(each, now) for each in active)),
        _weeks((*learnings, *archived), now.astimezone(UTC).date()),
    )


def _counted(names: Iterable[str], values: Iterable[str | None]) -> dict[str, int]:
    counts = dict.fromkeys(names, 0)
    for value in values:
        if value is not None:
            counts[value] += 1
    return counts


def age_name(learning: Learning, now: datetime) -> str:
    """Name the age that counts for the score: one of `AGES`."""
    if learning.date is None and learning.reinforced is None:
        return "no date"
    days = score_terms(learning, now).age_days
    return next((name for name, most in _AGES if days < most), "older")


def _weeks(learnings: Iterable[Learning], today: date) -> tuple[Week, ...]:
    last = today - timedelta(days=today.weekday())
    counts = {last - timedelta(weeks=back): 0 for back in range(WEEKS - 1, -1, -1)}
    for learning in learnings:
        if (day := learning.date) and (monday := day - timedelta(days=day.weekday())) in counts:
            counts[monday] += 1
    return tuple(Week(monday, added) for monday, added in counts.items())
