"""The one number: as published, bounded, moved by each count in one direction, the same in any order."""

from __future__ import annotations

import doctest
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn import confidence as module
from qlearn.confidence import Evidence, band, confidence, confidence_terms, is_weighed, parse_evidence

TODAY = date(2026, 11, 30)
COUNTS = ("seen", "sessions", "kept", "confirmed", "corrected", "contradicted")

counts = st.one_of(st.integers(0, 20), st.integers(0, 999_999_999))
evidences = st.builds(
    Evidence, counts, counts, counts, counts, counts, counts, st.none() | st.dates(max_value=date(2200, 1, 1))
)
stated = st.none() | st.floats(0, 1)
days = st.dates(min_value=date(1990, 1, 1), max_value=date(2100, 1, 1))


@given(st.floats(0, 1), days)
def test_without_evidence_it_is_what_was_stated(value: float, today: date) -> None:
    assert confidence(value, None, today) == value
    assert confidence(None, None, today) == 1.0


def test_each_count_is_a_term_of_its_own() -> None:
    evidence = Evidence(seen=5, kept=2, confirmed=3, corrected=4, contradicted=6, last=date(2026, 9, 1))
    counted = [("kept", 2), ("confirmed", 3), ("corrected", 4), ("contradicted", 6)]
    counted.append(("30-day periods since last", 3))
    stated_terms = confidence_terms(0.4, evidence, TODAY)
    assert [term[:2] for term in stated_terms] == [("start, as stated", 1), ("seen", 5), *counted]
    terms = confidence_terms(None, evidence, TODAY)
    assert [term[:2] for term in terms] == [("start, by times seen", 5), *counted]


@pytest.mark.parametrize(
    ("value", "weighed"), [(None, False), (0.29, False), (0.3, True), (0.5, True), (0.9, True), (0.91, False)]
)
def test_what_happens_moves_what_is_between_the_bounds_or_has_evidence(
    value: float | None, weighed: bool
) -> None:
    assert is_weighed(value, None) is weighed
    assert is_weighed(value, Evidence(seen=1))


@given(stated, evidences, days)
def test_with_evidence_it_stays_between_its_bounds(
    value: float | None, evidence: Evidence, today: date
) -> None:
    assert 0.3 <= confidence(value, evidence, today) <= 0.9


@given(stated, evidences, days, st.sampled_from(("seen", "kept", "confirmed")), st.integers(0, 9))
def test_what_speaks_for_it_never_lowers_it(
    value: float | None, evidence: Evidence, today: date, count: str, more: int
) -> None:
    raised = evidence._replace(**{count: getattr(evidence, count) + more})
    assert confidence(value, raised, today) >= confidence(value, evidence, today)


@given(stated, evidences, days, st.sampled_from(("corrected", "contradicted")), st.integers(0, 9))
def test_what_speaks_against_it_never_raises_it(
    value: float | None, evidence: Evidence, today: date, count: str, more: int
) -> None:
    raised = evidence._replace(**{count: getattr(evidence, count) + more})
    assert confidence(value, raised, today) <= confidence(value, evidence, today)


@given(stated, evidences, days, st.integers(0, 400))
def test_time_never_raises_it(value: float | None, evidence: Evidence, today: date, later: int) -> None:
    assert confidence(value, evidence, today + timedelta(later)) <= confidence(value, evidence, today)


@given(st.floats(0, 1), st.floats(0, 1), evidences, days)
def test_the_more_is_stated_the_more_it_is(a: float, b: float, evidence: Evidence, today: date) -> None:
    low, high = sorted((a, b))
    assert confidence(low, evidence, today) <= confidence(high, evidence, today)


@given(stated, evidences, days, st.integers(0, 999))
def test_sessions_do_not_count_twice(
    value: float | None, evidence: Evidence, today: date, sessions: int
) -> None:
    assert confidence(value, evidence._replace(sessions=sessions), today) == confidence(
        value, evidence, today
    )


@given(evidences, st.randoms(use_true_random=False))
def test_evidence_reads_the_same_in_any_order(evidence: Evidence, random: object) -> None:
    parts = str(evidence).split(", ")
    random.shuffle(parts)  # type: ignore[attr-defined] # Hypothesis names its Random no better
    assert parse_evidence(", ".join(parts)) == evidence
    assert parse_evidence(" ,  ".join(part.upper().replace(" ", "\t ") for part in parts)) == evidence


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("seen 5", Evidence(seen=5)),
        ("last 2026-11-30", Evidence(last=TODAY)),
        (
            "seen 5, sessions 3, kept 2, confirmed 1, corrected 1, contradicted 0, last 2026-11-30",
            Evidence(5, 3, 2, 1, 1, 0, TODAY),
        ),
        ("", None),
        ("seen", None),
        ("seen five", None),
        ("seen -1", None),
        ("seen 1234567890", None),
        ("seen ٥", None),
        ("seen 5;", None),
        ("seen 5,", None),
        ("last 2026-02-31", None),
        ("last week", None),
        ("liked 5", None),
    ],
)
def test_evidence_is_read_whole_or_not_at_all(value: str, expected: Evidence | None) -> None:
    assert parse_evidence(value) == expected


@pytest.mark.parametrize(
    ("value", "evidence", "expected"),
    [
        (None, Evidence(), 0.3),
        (None, Evidence(seen=2), 0.3),
        (None, Evidence(seen=3), 0.5),
        (None, Evidence(seen=5), 0.5),
        (None, Evidence(seen=6), 0.7),
        (None, Evidence(seen=10), 0.7),
        (None, Evidence(seen=11), 0.85),
        (None, Evidence(seen=999), 0.85),
        (None, Evidence(seen=3, kept=2, confirmed=1), 0.65),
        (None, Evidence(seen=6, corrected=1), 0.45),
        (None, Evidence(seen=6, contradicted=1), 0.6),
        (None, Evidence(seen=6, corrected=3), 0.3),
        (None, Evidence(seen=11, kept=9), 0.9),
        (0.5, Evidence(), 0.5),
        (0.5, Evidence(seen=1), 0.6),
        (0.5, Evidence(seen=3), 0.8),
        (0.3, Evidence(seen=5), 0.7),
        (0.3, Evidence(seen=5, kept=1, confirmed=1, corrected=1, contradicted=1), 0.45),
        (0.0, Evidence(), 0.3),
        (1.0, Evidence(), 0.9),
        (0.6, Evidence(last=TODAY), 0.6),
        (0.6, Evidence(last=TODAY - timedelta(29)), 0.6),
        (0.6, Evidence(last=TODAY - timedelta(30)), 0.55),
        (0.6, Evidence(last=TODAY - timedelta(95)), 0.45),
        (0.6, Evidence(last=TODAY + timedelta(400)), 0.6),
    ],
)
def test_it_is_the_published_sum(value: float | None, evidence: Evidence, expected: float) -> None:
    assert confidence(value, evidence, TODAY) == expected


@given(stated, evidences, days)
def test_its_terms_explain_it(value: float | None, evidence: Evidence, today: date) -> None:
    terms = confidence_terms(value, evidence, today)
    total = sum(term.amount for term in terms)
    assert confidence(value, evidence, today) == pytest.approx(min(max(total, 0.3), 0.9), abs=1e-6)
    assert terms[0].name.startswith("start")
    for term in terms[1:]:
        if term.name in COUNTS:
            assert term.times == getattr(evidence, term.name)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (0.3, "tentative"),
        (0.49, "tentative"),
        (0.5, "moderate"),
        (0.7, "strong"),
        (0.89, "strong"),
        (0.9, "near certain"),
    ],
)
def test_bands_have_names(value: float, name: str) -> None:
    assert band(value) == name


def test_examples_in_the_documentation_hold() -> None:
    assert doctest.testmod(module).failed == 0
