"""The score of an entry over time, drawn as a small curve, and what it means in words."""

from __future__ import annotations

import datetime as dt
import math
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from qlearn.decay import HALF_LIFE_DAYS, score_terms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qlearn.learning import Learning

FADED = 0.1
"""What scores below is moved to the archive by `prune`, unless it is told otherwise."""

PAST, FUTURE = 90, 90
"""The days before and after today that a curve shows, one unit of the drawing each."""

HEIGHT, FLOOR, UNIT = 56, 52, 16  # the score 3 is 48 above the floor


class Course(NamedTuple):
    """What the score of an entry has been and will be, with the confidence of today throughout.

    It is *peak* on the day *since* and halves every 30 days; where the entry was *reinforced* then, it began
    with the same peak on the day *recorded*. `since` is None for an entry without a date, which counts as 30
    days old for good. `score` is the one of *today*, 0 for what is resolved.
    """

    today: dt.date
    score: float
    peak: float
    since: dt.date | None
    recorded: dt.date | None
    reinforced: bool
    resolved: bool


def course(learning: Learning, now: dt.datetime) -> Course:
    """Work out the course of an entry's score; a day in the future counts as today."""
    terms = score_terms(learning, now)
    today = now.astimezone(dt.UTC).date()
    recorded, again = learning.date, learning.reinforced
    since = max((min(day, today) for day in (recorded, again) if day), default=None)
    reinforced = since is not None and since == again and since != recorded
    peak = terms.weight * terms.confidence
    return Course(today, terms.score, peak, since, recorded, reinforced, learning.resolved)


def curve(found: Course) -> str:
    """Draw the score from 90 days ago to 90 days ahead as SVG, with its meaning as the drawing's title.

    A dot is where the entry was reinforced, a ring where the score is half of what it began with, the
    upright line is today.
    """
    return (
        f'<svg class="curve" viewBox="0 0 {PAST + FUTURE} {HEIGHT}" role="img">'
        f"<title>{escape(meaning(found))}</title>"
        f'<path class="now" d="M{PAST} 2V{FLOOR}M0 {FLOOR}H{PAST + FUTURE}"/>{"".join(_drawn(found))}</svg>'
    )


def meaning(found: Course) -> str:
    """Say what the score comes from, and when it will have faded.

    >>> day = dt.date(2026, 10, 31)
    >>> meaning(Course(dt.date(2026, 11, 30), 1.0, 2.0, day, day, reinforced=False, resolved=False))
    'Score 1.00: it was 2.00 on 2026-10-31 and halves every 30 days, to below 0.10 on 2027-03-10.'
    """
    if found.resolved:
        return "Resolved, so its score is 0."
    if found.since is None:
        return f"Score {found.score:.2f}: without a date it counts as 30 days old for good."
    again = "when reinforced " if found.reinforced else ""
    said = f"Score {found.score:.2f}: it was {found.peak:.2f} {again}on {found.since}"
    said += f" and halves every {HALF_LIFE_DAYS:.0f} days"
    if found.peak <= FADED:
        return f"{said}."
    days = math.floor(HALF_LIFE_DAYS * math.log2(found.peak / FADED)) + 1
    return f"{said}, to below {FADED:.2f} on {found.since + dt.timedelta(days)}."


def _drawn(found: Course) -> Iterator[str]:
    if found.resolved:
        yield f'<path class="past" d="M0 {FLOOR}H{PAST}"/>'
        return
    if found.since is None:
        level = _number(_height(found.score))
        yield f'<path class="past" d="M0 {level}H{PAST}"/><path class="next" d="M{PAST} {level}h{FUTURE}"/>'
        return
    peak, begun = found.peak, (found.since - found.today).days
    line = _decay(peak, begun, begun, 0)
    if found.reinforced and found.recorded:
        recorded = (found.recorded - found.today).days
        before = _decay(peak, recorded, recorded, begun)
        line = f"{before}L{line[1:]}" if before else line
    start = line[1:].split(" ", 1)[0]
    yield f'<path class="area" d="{line}V{FLOOR}H{start}Z"/><path class="past" d="{line}"/>'
    yield f'<path class="next" d="{_decay(peak, begun, 0, FUTURE)}"/>'
    if found.reinforced and begun >= -PAST:
        yield f'<circle class="again" cx="{begun + PAST}" cy="{_number(_height(peak))}" r="2.2"/>'
    half = begun + HALF_LIFE_DAYS
    if half >= -PAST:
        yield f'<circle class="half" cx="{_number(half + PAST)}" cy="{_number(_height(peak / 2))}" r="2"/>'


def _decay(peak: float, begun: int, start: float, end: float) -> str:
    """The path of `peak * 0.5 ** ((day - begun) / 30)` between two days; "" where that is not shown.

    A cubic with the curve's own slopes at both ends, a half-life long at most, is closer than a pixel to it.
    """
    start = max(start, -PAST)
    if start > end:
        return ""
    slope = math.log(2) / HALF_LIFE_DAYS * UNIT
    points = []
    day = start
    while True:
        score = peak * 0.5 ** ((day - begun) / HALF_LIFE_DAYS)
        points.append((day + PAST, _height(score), slope * score))
        if day >= end:
            break
        day = min(day + HALF_LIFE_DAYS, end)
    path = [f"M{_number(points[0][0])} {_number(points[0][1])}"]
    for (x0, y0, rise0), (x1, y1, rise1) in pairwise(points):
        third = (x1 - x0) / 3
        control = (x0 + third, y0 + rise0 * third, x1 - third, y1 - rise1 * third, x1, y1)
        path.append("C" + " ".join(map(_number, control)))
    return "".join(path)


def _height(score: float) -> float:
    return FLOOR - UNIT * score


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
