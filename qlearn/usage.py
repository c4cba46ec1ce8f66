"""What became of the learnings that were shown, from the events of a ledger.

An event is one line of JSON. The figures depend on the set of events alone: not on their order, so that
ledgers can be joined, and not on where or when they are computed.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, date, datetime, timedelta

from qlearn.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

FOR_A_TASK = ("UserPromptSubmit", "PostToolUseFailure")
"""The hooks that show what fits the task; a session's start shows what ranks first."""

_HELPFUL = ("feedback", "helpful")
_LONGEST_TEXT = 200


class Event(NamedTuple):
    """Something that happened to learnings, or with them.

    `kind` is one of
        session    began
        injected   its `learnings` were shown, by the hook `source`
        used       somebody, or an observation, found that they were followed
        feedback   `value` is "helpful" or "harmful"
        recurred   shown, and the error they speak of came back
        extracted  the proposals `learnings` were made; `value` may say from what
        skipped    nothing was proposed; `value` says why
    and kinds to come, which are kept and not counted.
    """

    at: datetime
    kind: str
    session: str = ""
    learnings: tuple[str, ...] = ()
    source: str = ""
    value: str = ""


class Ledger(NamedTuple):
    """What could be read, in the order of the file, and how many lines could not."""

    events: tuple[Event, ...]
    broken: int


class LearningUsage(NamedTuple):
    """What became of one learning, counted in sessions, feedback in events."""

    id: str
    shown: int
    used: int
    helpful: int
    harmful: int
    recurred: int


class Usage(NamedTuple):
    """What became of all of them."""

    sessions: int
    sessions_reached: int
    """Sessions in which at least one learning was shown that fits the task."""
    shown: int
    """Pairs of a session and a learning that it saw."""
    used: int
    """Those of them that were then marked as used or helpful."""
    helpful: int
    harmful: int
    recurred: int
    """Those of them whose error came back."""
    extracted: int
    """Proposals made."""
    learnings: tuple[LearningUsage, ...]
    """Ordered by id."""

    @property
    def injection_rate(self) -> float | None:
        """The share of sessions reached; None before the first."""
        return self.sessions_reached / self.sessions if self.sessions else None

    @property
    def use_rate(self) -> float | None:
        """The share of what was shown that was used; None before the first."""
        return self.used / self.shown if self.shown else None


class Week(NamedTuple):
    """A week from its Monday on, and the learnings added in it."""

    start: date
    added: int


def format_event(event: Event) -> bytes:
    """Write an event as a line of JSON, without its newline; texts are cut at 200 characters.

    >>> format_event(Event(datetime(2026, 11, 30, 12, tzinfo=UTC), "used", learnings=("L007",)))
    b'{"v":1,"at":"2026-11-30T12:00:00Z","event":"used","learnings":["L007"]}'
    """
    at = event.at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    record = {
        "v": 1,
        "at": at,
        "event": event.kind,
        "session": event.session[:_LONGEST_TEXT],
        "learnings": [learning[:_LONGEST_TEXT] for learning in event.learnings],
        "source": event.source[:_LONGEST_TEXT],
        "value": event.value[:_LONGEST_TEXT],
    }
    return json.dumps({key: value for key, value in record.items() if value}, separators=(",", ":")).encode()


def parse_ledger(data: bytes) -> Ledger:
    """Read the lines of a ledger; one that is torn, or of another shape, is counted and skipped."""
    lines = [line for line in data.split(b"\n") if line.strip()]
    events = tuple(event for line in lines if (event := _parse_event(line)))
    return Ledger(events, len(lines) - len(events))


def summarise(events: Iterable[Event], *, since: datetime | None = None) -> Usage:
    """Count what became of the learnings shown.

    An event that stands twice counts once. A mark (used, helpful, recurred) belongs to its session if that
    was shown the learning before; else, as a mark by hand names no session, to the latest one that was; else
    it says nothing about what was shown.

    Args:
        since: Leave out what happened before.
    """
    counted = sorted({event for event in events if since is None or event.at >= since})
    first_shown: dict[str, dict[str, datetime]] = {}
    reached: set[str] = set()
    for event in counted:
        if event.kind == "injected":
            for learning in event.learnings:
                first_shown.setdefault(learning, {}).setdefault(event.session, event.at)
            if event.learnings and event.source in FOR_A_TASK:
                reached.add(event.session)

    used: set[tuple[str, str]] = set()
    recurred: set[tuple[str, str]] = set()
    feedback: Counter[tuple[str, str]] = Counter()
    for event in counted:
        is_use = event.kind == "used" or (event.kind, event.value) == _HELPFUL
        for learning in event.learnings:
            if event.kind == "feedback":
                feedback[learning, event.value] += 1
            if is_use or event.kind == "recurred":
                session = _session_shown(first_shown.get(learning, {}), event)
                if session is not None:
                    (used if is_use else recurred).add((learning, session))

    times_used = Counter(learning for learning, _ in used)
    times_recurred = Counter(learning for learning, _ in recurred)
    learnings = tuple(
        LearningUsage(
            id=learning,
            shown=len(first_shown.get(learning, ())),
            used=times_used[learning],
            helpful=feedback[learning, "helpful"],
            harmful=feedback[learning, "harmful"],
            recurred=times_recurred[learning],
        )
        for learning in sorted({*first_shown, *(learning for learning, _ in feedback)})
    )
    proposals = {
        (each.session, name) for each in counted if each.kind == "extracted" for name in each.learnings
    }
    return Usage(
        sessions=len({event.session for event in counted} - {""}),
        sessions_reached=len(reached - {""}),
        shown=sum(each.shown for each in learnings),
        used=len(used),
        helpful=sum(each.helpful for each in learnings),
        harmful=sum(each.harmful for each in learnings),
        recurred=len(recurred),
        extracted=len(proposals),
        learnings=learnings,
    )


def growth(days: Iterable[date | None], today: date, *, weeks: int = 12) -> tuple[Week, ...]:
    """Count the learnings added in each of the last weeks, this one included, the oldest first.

    A day in the future counts as today, a learning without a date not at all.
    """
    this_week = today - timedelta(days=today.weekday())
    added = [0] * weeks
    for day in days:
        if day:
            age = (this_week - min(day, today)).days
            # Monday to Sunday of this week have an age of 0 to -6 days.
            index = (age + 6) // 7
            if index < weeks:
                added[index] += 1
    return tuple(Week(this_week - timedelta(weeks=age), added[age]) for age in reversed(range(weeks)))


def _parse_event(line: bytes) -> Event | None:
    try:
        record = json.loads(line.decode())
        at = datetime.fromisoformat(record["at"])
        learnings = record.get("learnings", [])
        texts = [record["event"], *(record.get(key, "") for key in ("session", "source", "value"))]
        if not (at.tzinfo and isinstance(learnings, list) and texts[0]):
            return None
        if not all(isinstance(text, str) for text in (*texts, *learnings)):
            return None
        kind, session, source, value = texts
        return Event(at.astimezone(UTC), kind, session, tuple(learnings), source, value)
    # A number of 5,000 digits is a ValueError, the year 1 in an eastern zone overflows.
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None


def _session_shown(first_shown: dict[str, datetime], mark: Event) -> str | None:
    """Name the session that a mark of a learning belongs to, from when each was first shown it."""
    if mark.session in first_shown and first_shown[mark.session] <= mark.at:
        return mark.session
    before = [(at, session) for session, at in first_shown.items() if at <= mark.at]
    return max(before)[1] if before else None
