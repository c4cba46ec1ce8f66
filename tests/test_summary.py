from __future__ import annotations

import datetime as dt

from qlearn.learning import parse_learnings
from qlearn.summary import WEEKS, summarise

NOW = dt.datetime(2026, 12, 6, 23, 0, tzinfo=dt.UTC)  # a Sunday


def entry(number: int, fields: str) -> str:
    return f"### L{number:03d}: Title\n{fields}\n"


def test_active_learnings_are_counted_by_what_they_say() -> None:
    summary = summarise(
        parse_learnings(
            entry(
                1,
                "- **Type**: gotcha\n- **Severity**: critical\n- **Category**: tools\n- **Date**: 2026-12-06",
            )
            + entry(2, "- **Date**: 2026-01-01\n- **Reinforced**: 2026-11-20")
            + "### L003: [RESOLVED] Title\n- **Type**: gotcha\n"
            + entry(4, "- **Date**: 2020-01-01")
        ),
        NOW,
    )
    assert (summary.active, summary.resolved) == (3, 1)
    assert summary.types == {"mistake": 2, "convention": 0, "gotcha": 1, "decision": 0}
    assert summary.severities == {"critical": 1, "important": 0, "info": 2}
    assert summary.categories == {"errors": 0, "workflows": 0, "tools": 1, "architecture": 0, "debugging": 0}
    assert summary.ages == {
        "under a week": 1,
        "under a month": 1,
        "under 3 months": 0,
        "under a year": 0,
        "older": 1,
        "no date": 0,
    }


def test_weeks_start_on_monday_and_count_resolved_and_pruned_learnings() -> None:
    entries = parse_learnings(
        entry(1, "- **Date**: 2026-12-06")
        + entry(2, "- **Date**: 2026-11-30")
        + "### L003: [RESOLVED] Title\n- **Date**: 2026-11-29\n"
        + entry(4, "- **Date**: 2026-09-13")
        + entry(5, "")
        + entry(6, "- **Date**: 2030-01-01")
    )
    archived = parse_learnings(entry(7, "- **Date**: 2026-09-14"))
    weeks = summarise(entries, NOW, archived=archived).weeks
    assert len(weeks) == WEEKS
    assert [week for week in weeks if week.added] == [
        (dt.date(2026, 9, 14), 1),
        (dt.date(2026, 11, 23), 1),
        (dt.date(2026, 11, 30), 2),
    ]


def test_the_week_is_that_of_utc() -> None:
    east = NOW.astimezone(dt.timezone(dt.timedelta(hours=5)))
    assert summarise((), east) == summarise((), NOW)
