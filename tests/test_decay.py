"""Severity and age become a score, and scores an order."""

from __future__ import annotations

import doctest
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn import decay
from qlearn.decay import day_start, decay_score, rank, score_terms, top_learnings
from qlearn.learning import Learning, parse_learnings

from .strategies import NOW, plain_texts, registries

MIDNIGHT = datetime(2026, 11, 30, tzinfo=UTC)
severities = st.sampled_from(("critical", "important", "info"))
moments = st.integers(0, 2_000_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
near_days = st.dates(date(2000, 1, 1), date(2080, 1, 1))


def entry(*body: str, heading: str = "L001: x") -> Learning:
    (found,) = parse_learnings("\n".join([f"### {heading}", *body, ""]))
    return found


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (["- **Severity**: critical", "- **Date**: 2026-11-30"], 3),
        (["- **Severity**: important", "- **Date**: 2026-11-30"], 2),
        (["- **Severity**: info", "- **Date**: 2026-11-30"], 1),
        (["- **Severity**: critical", "- **Date**: 2026-10-31"], 1.5),
        (["- **Severity**: critical", "- **Date**: 2026-10-01"], 0.75),
        (["- **Severity**: critical", "- **Date**: 2026-10-01", "- **Reinforced**: 2026-10-31"], 1.5),
        (["- **Severity**: critical", "- **Date**: 2026-10-31", "- **Reinforced**: 2026-10-01"], 1.5),
        (["- **Severity**: critical", "- **Reinforced**: 2026-10-31"], 1.5),
        (["- **Severity**: critical", "- **Date**: 2026-02-31", "- **Reinforced**: 2026-10-31"], 1.5),
        (["- **Severity**: critical"], 1.5),
        (["- **Severity**: critical", "- **Date**: 2026-02-31"], 1.5),
        (["- **Severity**: critical", "- **Date**: 2062-08-01"], 3),
        (["- **Severity**: critical", "- **Date**: 2026-11-30", "- **Confidence**: 0.5"], 1.5),
        (["- **Severity**: critical", "- **Date**: 2026-11-30", "- **Confidence**: 1.5"], 3),
        (["- **Severity**: critical", "- **Date**: 2026-11-30", "- **Confidence**: 0"], 0),
        (["- **Severity**: critical", "- **Date**: 2026-11-30", "- **Evidence**: seen 3"], 1.5),
        (["- **Severity**: critical", "- **Date**: 2026-11-30", "- **Evidence**: often"], 3),
        (
            ["- **Severity**: critical", "- **Date**: 2026-11-30", "- **Evidence**: seen 3, last 2026-10-31"],
            1.35,
        ),
        ([], 0.5),
    ],
)
def test_the_score_is_the_published_rule(body: list[str], expected: float) -> None:
    assert decay_score(entry(*body), MIDNIGHT) == pytest.approx(expected, abs=1e-12)


def test_age_is_a_real_number_of_days() -> None:
    new = entry("- **Severity**: critical", "- **Date**: 2026-11-29")
    noon = datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert decay_score(new, noon) == pytest.approx(3 * 0.5 ** (1.5 / 30), abs=1e-12)
    assert score_terms(new, noon).age_days == pytest.approx(1.5, abs=1e-9)


def test_seconds_and_their_parts_count() -> None:
    new = entry("- **Date**: 2026-11-30")
    moment = datetime(2026, 11, 30, 1, 2, 3, 500_000, tzinfo=UTC)
    assert score_terms(new, moment).age_days == pytest.approx(3723.5 / 86400, abs=1e-9)


def test_a_day_is_a_day_of_utc(in_honolulu: None) -> None:
    new = entry("- **Severity**: info", "- **Date**: 2026-11-30")
    late = datetime(2026, 11, 30, 23, 30, tzinfo=timezone(timedelta(hours=-5)))  # 04:30 of the next day
    assert score_terms(new, late).age_days == pytest.approx(28.5 / 24, abs=1e-9)
    assert day_start(late) == datetime(2026, 12, 1, tzinfo=UTC)
    assert day_start(MIDNIGHT) == MIDNIGHT == day_start(NOW)


def test_an_entry_of_no_confidence_is_not_ranked() -> None:
    assert rank([entry("- **Confidence**: 0"), entry("- **Confidence**: 0.1")], NOW)[1:] == ()


def test_the_best_comes_first() -> None:
    low, done, high, middle = (
        entry(f"- **Severity**: {severity}", heading=heading)
        for severity, heading in (
            ("info", "L001: x"),
            ("critical", "L002: [RESOLVED] x"),
            ("critical", "L003: x"),
            ("important", "L004: x"),
        )
    )
    assert [each.learning for each in rank([low, done, high, middle], NOW)] == [high, middle, low]
    assert [each.learning for each in rank([low, done, high, middle], NOW, 1)] == [high]


def test_a_resolved_entry_scores_0_and_is_not_ranked() -> None:
    done = entry("- **Severity**: critical", "- **Date**: 2026-11-30", heading="L001: [RESOLVED] x")
    assert decay_score(done, NOW) == 0
    assert rank([done], NOW) == ()
    assert score_terms(done, NOW).weight == 3


@given(severities, near_days, moments)
def test_a_score_lies_between_0_and_its_weight_and_terms_explain_it(
    severity: str, day: date, now: datetime
) -> None:
    learning = entry(f"- **Severity**: {severity}", f"- **Date**: {day}", "- **Confidence**: 0.5")
    terms = score_terms(learning, now)
    assert 0 < terms.score <= terms.weight
    assert terms.score == terms.weight * terms.decay * terms.confidence == decay_score(learning, now)
    assert terms.age_days == pytest.approx(
        max((now - datetime(day.year, day.month, day.day, tzinfo=UTC)) / timedelta(1), 0), abs=1e-6
    )


@given(severities, near_days, moments, st.timedeltas(timedelta(0), timedelta(3000)))
def test_a_score_never_rises_with_time(severity: str, day: date, now: datetime, later: timedelta) -> None:
    learning = entry(f"- **Severity**: {severity}", f"- **Date**: {day}")
    assert decay_score(learning, now + later) <= decay_score(learning, now)


@given(near_days, near_days, moments)
def test_being_met_again_never_lowers_a_score(day: date, again: date, now: datetime) -> None:
    before = entry(f"- **Date**: {day}")
    after = entry(f"- **Date**: {day}", f"- **Reinforced**: {again}")
    assert decay_score(after, now) >= decay_score(before, now)


@given(st.one_of(registries(), plain_texts()), st.none() | st.integers(0, 4))
def test_the_rank_is_by_score_and_ties_keep_their_order(text: str, n: int | None) -> None:
    entries = parse_learnings(text)
    scored = [(decay_score(each, NOW), each) for each in entries]
    expected = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
    assert [(each.score, each.learning) for each in rank(entries, NOW, n)] == expected[:n]
    if n is not None:
        assert top_learnings(text, n, now=NOW) == rank(entries, NOW, n)


def test_the_first_five_are_wanted_unless_told_otherwise() -> None:
    text = "".join(f"### L{number}: x\n" for number in range(1, 9))
    assert [each.learning.number for each in top_learnings(text, now=NOW)] == [1, 2, 3, 4, 5]
    assert top_learnings(text, 0, now=NOW) == ()


@pytest.mark.parametrize("n", ["5", 5.0, None, True])
def test_a_number_of_entries_that_is_no_int_is_a_clear_error(n: object) -> None:
    with pytest.raises(TypeError, match="it must be an int"):
        top_learnings("", n, now=NOW)  # type: ignore[arg-type] # that is the point


def test_a_number_of_entries_below_0_is_a_clear_error() -> None:
    with pytest.raises(ValueError, match="must not be below 0"):
        top_learnings("", -1, now=NOW)


@pytest.mark.parametrize("half_life", [0, -1, float("nan")])
def test_a_half_life_that_is_none_is_a_clear_error(half_life: float) -> None:
    with pytest.raises(ValueError, match="must be above 0 days"):
        decay_score(entry(), NOW, half_life=half_life)


def test_another_half_life_counts() -> None:
    old = entry("- **Severity**: info", "- **Date**: 2026-11-20")
    assert decay_score(old, MIDNIGHT, half_life=10) == pytest.approx(0.5)
    assert decay_score(old, MIDNIGHT, half_life=1) == pytest.approx(0.5**10)


def test_a_time_without_a_zone_is_a_clear_error() -> None:
    naive = datetime(2026, 11, 30)  # noqa: DTZ001 - that is the point
    for call in (
        lambda: decay_score(entry(), naive),
        lambda: rank([entry()], naive),
        lambda: top_learnings("", now=naive),
    ):
        with pytest.raises(ValueError, match=r"^now has no time zone; pass an aware datetime$"):
            call()


def test_examples_in_the_documentation_hold() -> None:
    assert doctest.testmod(decay).failed == 0
