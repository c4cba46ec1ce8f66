"""From several projects to all: the mean, the wordings, the link back."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from qlearn.errors import DraftError
from qlearn.learning import parse_learnings
from qlearn.promotion import Candidate, Copy, candidates, copies_of, linked, promote

NOW = dt.datetime(2026, 11, 30, 9, tzinfo=dt.UTC)
ENTRY = (
    "### L007: Quote paths\n- **Type**: convention\n- **Date**: 2026-01-01\n- **Learning**: {}\n"
    "- **Key**: {}\n- **Confidence**: {}\n"
)


def copies(
    project: str, confidence: str, lesson: str = "Quote every path.", key: str = "quote-paths"
) -> tuple[Copy, ...]:
    return copies_of(project, f"name of {project}", ENTRY.format(lesson, key, confidence), NOW.date())


def test_the_mean_is_decimal() -> None:
    (candidate,) = candidates([*copies("a", "0.7"), *copies("b", "0.8"), *copies("c", "0.9")])
    assert candidate.mean == Decimal("0.80")
    assert candidate.ready
    assert [copy.project for copy in candidate.copies] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("one", "other", "ready"), [("0.8", "0.8", True), ("0.79", "0.8", True), ("0.79", "0.79", False)]
)
def test_the_mean_is_rounded_to_two_places(one: str, other: str, ready: bool) -> None:
    (candidate,) = candidates([*copies("a", one), *copies("b", other)])
    assert candidate.ready is ready


def test_one_project_is_not_enough_however_often_it_says_so() -> None:
    assert candidates([*copies("a", "0.9"), *copies("a", "0.8")]) == ()
    with pytest.raises(DraftError, match="one project only"):
        promote("", Candidate("k", copies("a", "0.9"), Decimal("0.9")), now=NOW)


def test_the_surer_copy_of_a_project_counts() -> None:
    (candidate,) = candidates([*copies("a", "0.5"), *copies("a", "0.9"), *copies("b", "0.9")])
    assert candidate.mean == Decimal("0.90")


def test_what_holds_everywhere_already_is_left_out() -> None:
    everywhere = parse_learnings("### L001: x\n- **Key**: quote-paths\n")
    assert candidates([*copies("a", "0.9"), *copies("b", "0.9")], everywhere) == ()


def test_resolved_entries_and_those_without_a_key_do_not_count() -> None:
    assert copies_of("a", "n", "### L001: [RESOLVED] x\n- **Key**: k\n\n### L002: y\n", NOW.date()) == ()


def test_wordings_that_differ_are_shown_surest_first() -> None:
    (candidate,) = candidates(
        [*copies("a", "0.8", "Quote paths."), *copies("b", "0.9"), *copies("c", "0.7", "quote  EVERY path.")]
    )
    assert candidate.wordings == ("Quote every path.", "Quote paths.")


def test_promoting_writes_one_entry_with_its_origin() -> None:
    (candidate,) = candidates([*copies("aaaaaaaaaaaa", "0.9"), *copies("b", "0.8")])
    promoted = promote("", candidate, now=NOW, archive="### L004: gone\n")
    (entry,) = parse_learnings(promoted.text)
    assert (promoted.id, entry.id, entry.title, entry.type) == ("L005", "L005", "Quote paths", "convention")
    assert (entry.scope, entry.source, entry.key) == ("global", "promoted:aaaaaaaaaaaa", "quote-paths")
    assert (entry.confidence, entry.evidence, entry.date) == (0.85, None, NOW.date())


def test_promoting_keeps_labels_as_they_are_written() -> None:
    more = ENTRY.format("Quote.", "quote-paths", "0.9") + "- **x-team**: blue\n- **Key**: other\n"
    (candidate,) = candidates([*copies("a", "0.8"), *copies_of("b", "b", more, NOW.date())])
    promoted = promote("", candidate, now=NOW)
    assert "- **x-team**: blue\n" in promoted.text
    assert promoted.text.count("- **Key**") == 1


def test_somebody_may_choose_the_words() -> None:
    (candidate,) = candidates([*copies("a", "0.9"), *copies("b", "0.8", "Quote.")])
    promoted = promote("", candidate, now=NOW, wording="Quote.")
    assert parse_learnings(promoted.text)[0].learning == "Quote."


def test_a_copy_points_to_what_it_became() -> None:
    text = ENTRY.format("Quote.", "quote-paths", "0.9")
    once = linked(text, parse_learnings(text)[0], "L005")
    assert parse_learnings(once)[0].field("Promoted") == "global L005"
    assert linked(once, parse_learnings(once)[0], "L005") == once
