from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.usage import (
    Event,
    LearningUsage,
    Week,
    format_event,
    growth,
    parse_ledger,
    summarise,
)

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def at(minutes: int) -> datetime:
    return NOON + timedelta(minutes=minutes)


def shown(minutes: int, session: str, *ids: str, source: str = "UserPromptSubmit") -> Event:
    return Event(at(minutes), "injected", session, ids, source)


def test_no_events_are_no_figures() -> None:
    usage = summarise(())
    assert usage[:-1] == (0,) * 8
    assert usage.learnings == ()
    assert usage.injection_rate is None
    assert usage.use_rate is None


def test_the_injection_rate_is_the_share_of_sessions_that_saw_something_for_their_task() -> None:
    events = (
        Event(at(0), "session", "a"),
        shown(1, "a", "L001", source="SessionStart"),
        Event(at(0), "session", "b"),
        shown(2, "b", "L001"),
        Event(at(0), "session", "c"),
        shown(3, "d", "L002", source="PostToolUseFailure"),
        shown(4, "d", "L003"),
    )
    usage = summarise(events)
    assert (usage.sessions, usage.sessions_reached, usage.injection_rate) == (4, 2, 0.5)
    assert usage.shown == 4


def test_an_injection_of_nothing_reaches_nobody() -> None:
    assert summarise([shown(1, "a")]).injection_rate == 0


def test_the_use_rate_is_the_share_of_what_was_shown_that_was_then_used_or_helpful() -> None:
    events = (
        shown(1, "a", "L001", "L002", "L003", "L004"),
        Event(at(2), "used", "a", ("L001",)),
        Event(at(3), "feedback", "a", ("L002",), value="helpful"),
        Event(at(3), "feedback", "a", ("L003",), value="harmful"),
    )
    usage = summarise(events)
    assert (usage.shown, usage.used, usage.use_rate) == (4, 2, 0.5)
    assert (usage.helpful, usage.harmful) == (1, 1)


def test_a_use_before_the_learning_was_shown_does_not_count() -> None:
    assert summarise([Event(at(0), "used", "a", ("L001",)), shown(1, "a", "L001")]).used == 0


def test_a_use_of_what_was_never_shown_does_not_count_but_its_feedback_stands() -> None:
    usage = summarise([Event(at(0), "feedback", "", ("L009",), value="helpful")])
    assert (usage.shown, usage.used, usage.helpful) == (0, 0, 1)
    assert usage.learnings == (LearningUsage("L009", 0, 0, 1, 0, 0),)


def test_a_mark_without_a_session_belongs_to_the_latest_that_saw_the_learning() -> None:
    events = [shown(1, "a", "L001"), shown(2, "b", "L001"), shown(9, "c", "L001")]
    mark = Event(at(5), "used", "", ("L001",))
    in_b = Event(at(6), "used", "b", ("L001",))
    assert summarise([*events, mark]).used == 1
    assert summarise([*events, mark, in_b]).used == 1
    assert summarise([*events, mark, in_b._replace(session="a")]).used == 2


def test_a_learning_counts_once_a_session() -> None:
    events = [shown(1, "a", "L001"), shown(2, "a", "L001")]
    marks = [Event(at(n), "used", "a", ("L001",)) for n in (3, 4)]
    assert summarise([*events, *marks])[2:4] == (1, 1)


def test_a_lesson_that_was_shown_and_whose_error_came_back_recurred() -> None:
    events = [shown(1, "a", "L001"), Event(at(2), "recurred", "a", ("L001", "L002"))]
    usage = summarise(events)
    assert usage.recurred == 1
    assert usage.learnings == (LearningUsage("L001", 1, 0, 0, 0, 1),)


def test_each_proposal_counts_and_what_was_skipped_does_not() -> None:
    events = [
        Event(at(1), "extracted", "a", ("P001", "P002")),
        Event(at(2), "extracted", "a", ("P002",)),
        Event(at(2), "skipped", "b", value="too short"),
    ]
    usage = summarise(events)
    assert (usage.extracted, usage.sessions) == (2, 2)


def test_an_unknown_kind_is_kept_and_counts_nothing_but_its_session() -> None:
    event = Event(at(1), "telepathy", "a", ("L001",), value="helpful")
    assert parse_ledger(format_event(event)).events == (event,)
    assert summarise([event])[:-1] == (1, 0, 0, 0, 0, 0, 0, 0)


def test_what_happened_before_is_left_out() -> None:
    events = [shown(1, "a", "L001"), shown(5, "b", "L001"), Event(at(6), "used", "a", ("L001",))]
    usage = summarise(events, since=at(5))
    assert (usage.sessions, usage.shown, usage.used) == (2, 1, 1)


TEXTS = st.text(max_size=6)
EVENTS = st.builds(
    Event,
    at=st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)).map(  # noqa: DTZ001 - made aware here
        lambda naive: naive.replace(microsecond=0, tzinfo=UTC)
    ),
    kind=st.sampled_from(["session", "injected", "used", "feedback", "recurred", "extracted", "other"]),
    session=st.sampled_from(["", "a", "b"]) | TEXTS,
    learnings=st.lists(st.sampled_from(["L001", "L002"]) | TEXTS, max_size=3).map(tuple),
    source=st.sampled_from(["", "SessionStart", "UserPromptSubmit"]),
    value=st.sampled_from(["", "helpful", "harmful"]),
)


@given(st.lists(EVENTS, max_size=12), st.randoms(use_true_random=False), st.integers(-14, 14))
def test_neither_order_nor_repetition_nor_time_zone_changes_a_figure(
    events: list[Event], random: object, hours: int
) -> None:
    moved = [event._replace(at=event.at.astimezone(timezone(timedelta(hours=hours)))) for event in events]
    shuffled = sorted([*moved, *events], key=lambda _: random.random())  # type: ignore[attr-defined]
    assert summarise(shuffled) == summarise(events)


@given(st.lists(EVENTS, max_size=12))
def test_rates_are_shares(events: list[Event]) -> None:
    usage = summarise(events)
    assert all(rate is None or 0 <= rate <= 1 for rate in (usage.injection_rate, usage.use_rate))
    assert usage.recurred <= usage.shown
    assert sum(each.used for each in usage.learnings) == usage.used


@given(st.lists(EVENTS, max_size=8))
def test_what_is_written_is_read_back(events: list[Event]) -> None:
    data = b"\n".join(map(format_event, events))
    assert parse_ledger(data) == (tuple(events), 0)


def test_a_line_is_plain_ascii_without_empty_fields() -> None:
    event = Event(NOON, "feedback", "\ud800\n", ("L001",), value="é")
    line = format_event(event)
    assert line == (
        b'{"v":1,"at":"2026-11-30T12:00:00Z","event":"feedback","session":"\\ud800\\n","learnings":["L001"],'
        b'"value":"\\u00e9"}'
    )
    assert parse_ledger(line).events == (event,)


def test_long_texts_are_cut() -> None:
    [event] = parse_ledger(format_event(Event(NOON, "used", "s" * 9999, ("l" * 9999,)))).events
    assert (event.session, event.learnings) == ("s" * 200, ("l" * 200,))


GOOD = format_event(Event(NOON, "used", "a", ("L001",)))


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"\xff",
        b"[]",
        b"7",
        b'"at"',
        b"null",
        GOOD[:-9],
        b"\0" * 40,
        b"[" * 90_000,
        b'{"at": ' + b"9" * 9999 + b"}",
        b'{"event": "used"}',
        b'{"at": "2026-11-30T12:00:00Z"}',
        b'{"at": "2026-11-30T12:00:00", "event": "used"}',
        b'{"at": "2026-02-31T12:00:00Z", "event": "used"}',
        b'{"at": "0001-01-01T00:00:00+14:00", "event": "used"}',
        b'{"at": 1790000000, "event": "used"}',
        b'{"at": "2026-11-30T12:00:00Z", "event": ""}',
        b'{"at": "2026-11-30T12:00:00Z", "event": ["used"]}',
        b'{"at": "2026-11-30T12:00:00Z", "event": "used", "learnings": "L001"}',
        b'{"at": "2026-11-30T12:00:00Z", "event": "used", "learnings": [1]}',
        b'{"at": "2026-11-30T12:00:00Z", "event": "used", "session": null}',
        b"<<<<<<< HEAD",
    ],
    ids=lambda line: line[:40],
)
def test_a_broken_line_is_counted_and_hides_no_other(line: bytes) -> None:
    ledger = parse_ledger(GOOD + b"\n" + line + b"\n\n" + GOOD + b"\n")
    assert ledger.broken == 1
    assert len(ledger.events) == 2


@given(st.binary())
def test_any_bytes_are_a_ledger(data: bytes) -> None:
    ledger = parse_ledger(data)
    assert len(ledger.events) + ledger.broken <= data.count(b"\n") + 1


def test_a_time_in_another_zone_is_the_same_time() -> None:
    [event] = parse_ledger(b'{"at": "2026-11-30T13:00:00+01:00", "event": "used"}').events
    assert event.at == NOON
    assert event.at.tzinfo is UTC


def test_growth_counts_weeks_from_monday_to_sunday() -> None:
    wednesday = date(2026, 12, 2)
    days = [date(2026, 11, 30), date(2026, 12, 2), date(2026, 11, 29), date(2026, 11, 23), date(2026, 11, 22)]
    assert growth(days, wednesday, weeks=3) == (
        Week(date(2026, 11, 16), 1),
        Week(date(2026, 11, 23), 2),
        Week(date(2026, 11, 30), 2),
    )


@pytest.mark.parametrize("today", [date(2026, 11, 30), date(2026, 12, 6)])
def test_a_day_to_come_counts_as_today_and_no_day_not_at_all(today: date) -> None:
    days = [date(9999, 12, 31), None, date(1, 1, 1), date(2026, 11, 29)]
    assert growth(days, today, weeks=1) == (Week(date(2026, 11, 30), 1),)


def test_figures_are_the_same_in_any_time_zone_and_locale() -> None:
    program = """
from datetime import date
from qlearn.usage import growth, parse_ledger, summarise
lines = b'''{"at": "2026-11-30T23:30:00Z", "event": "injected", "session": "a", "learnings": ["L001"]}
{"at": "2026-12-01T00:30:00+00:00", "event": "used", "session": "a", "learnings": ["L001"]}'''
ledger = parse_ledger(lines)
print(ledger, summarise(ledger.events), growth([date(2026, 11, 29)], date(2026, 12, 2)))
"""
    places = (("UTC", "C"), ("Pacific/Kiritimati", "tr_TR.UTF-8"), ("America/Los_Angeles", "ja_JP"))
    environments = [{"TZ": zone, "LC_ALL": locale} for zone, locale in places]
    command = (sys.executable, "-c", program)
    answers = [subprocess.run(command, env=each, capture_output=True, check=True) for each in environments]
    assert len({answer.stdout for answer in answers}) == 1
