"""Severity and age become a score, and scores an order."""

from __future__ import annotations

import datetime as dt

from .confidence import confidence, parse_evidence
from .learning import (
    Learning,
    parse_confidence,
    parse_day,
    parse_learnings,
    read_severity,
    score_fields,
)
from .record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

WEIGHTS = {"critical": 3, "important": 2, "info": 1}
HALF_LIFE_DAYS = 30.0
UNDATED_AGE_DAYS = 30.0
_DAY_SECONDS = 86_400


class Ranked(NamedTuple):
    """A learning and its score: 0 for a resolved one, else above 0 and at most 3."""

    learning: Learning
    score: float


class ScoreTerms(NamedTuple):
    """The factors of a score: weight, age in days (also as a factor), confidence, and their product."""

    weight: int
    age_days: float
    decay: float
    confidence: float
    score: float


def score_terms(learning: Learning, now: dt.datetime, *, half_life: float = HALF_LIFE_DAYS) -> ScoreTerms:
    """Explain `decay_score`: its factors and their product."""
    if not half_life > 0:
        raise ValueError(f"half_life is {half_life}; it must be above 0 days")
    terms = _terms(score_fields(learning), _moment(now), half_life)
    return terms._replace(score=0.0) if learning.resolved else terms


def decay_score(learning: Learning, now: dt.datetime, *, half_life: float = HALF_LIFE_DAYS) -> float:
    """Score a learning by its severity, its age and its confidence.

        score = weight * 0.5 ** (age / half_life) * confidence

    Args:
        now: An aware time. Age is counted in days from 00:00 UTC of the later of date and reinforced; a
            day in the future has age 0, an entry with no valid date 30.
        half_life: In days, above 0.

    Returns:
        0 for a resolved learning, else 0-3 (0 only where the stated confidence is 0).

    Raises:
        ValueError: *half_life* is not above 0, or *now* has no time zone.

    Source: the decay rule of Qlearn (docs/format.md).
    """
    return score_terms(learning, now, half_life=half_life).score


def rank(learnings: Iterable[Learning], now: dt.datetime, n: int | None = None) -> tuple[Ranked, ...]:
    """Order the learnings that score above 0, best first; ties keep their order. *n* None means all."""
    moment = _moment(now)
    known: dict[tuple[str, ...], float] = {}
    candidates, scores = [], []
    for learning in learnings:
        if learning.resolved:
            continue
        fields = score_fields(learning)
        score = known.get(fields)
        if score is None:
            score = known[fields] = _terms(fields, moment, HALF_LIFE_DAYS).score
        if score > 0:
            candidates.append(learning)
            scores.append(score)
    order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    return tuple(Ranked(candidates[at], scores[at]) for at in order[:n])


def top_learnings(text: str, n: int = 5, *, now: dt.datetime) -> tuple[Ranked, ...]:
    """Read a registry and rank it: the *n* entries that matter most at *now*.

    Raises:
        TypeError: *n* is no int.
        ValueError: *n* is below 0, or *now* has no time zone.
    """
    if isinstance(n, bool) or not isinstance(n, int):
        raise TypeError(f"n is {n!r}; it must be an int")
    if n < 0:
        raise ValueError(f"n is {n}; it must not be below 0")
    return rank(parse_learnings(text), now, n)


def day_start(now: dt.datetime) -> dt.datetime:
    """00:00 UTC of the day: the instant as of which hooks and commands rank, so that a day has one order."""
    return dt.datetime.combine(now.astimezone(dt.UTC).date(), dt.time(), dt.UTC)


class _Moment(NamedTuple):
    """A time as days, with its fraction, and as the UTC day."""

    days: float
    today: dt.date


def _moment(now: dt.datetime) -> _Moment:
    if now.tzinfo is None:
        raise ValueError("now has no time zone; pass an aware datetime")
    now = now.astimezone(dt.UTC)
    seconds = now.hour * 3600 + now.minute * 60 + now.second + now.microsecond / 1e6
    return _Moment(now.toordinal() + seconds / _DAY_SECONDS, now.date())


def _terms(fields: tuple[str, ...], moment: _Moment, half_life: float) -> ScoreTerms:
    severity, date, reinforced, stated, evidence = fields
    weight = WEIGHTS[read_severity(severity)]
    days = [day.toordinal() for day in (parse_day(date), parse_day(reinforced)) if day is not None]
    age = max(moment.days - max(days), 0.0) if days else UNDATED_AGE_DAYS
    decay = 0.5 ** (age / half_life)
    sure = 1.0
    if stated or evidence:
        sure = confidence(parse_confidence(stated), parse_evidence(evidence), moment.today)
    return ScoreTerms(weight, age, decay, sure, weight * decay * sure)
