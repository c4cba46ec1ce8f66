from __future__ import annotations

import pytest

from qlearn.reconcile import Reconciled, picked, reconcile
from qlearn.weave import Clash


def field(label: str, *values: str | None) -> Reconciled:
    """Reconcile three versions of an entry with one field; None where a version has it not."""
    base, one, other = (
        "### L001: a\n" + ("" if value is None else f"- **{label}**: {value}\n") for value in values
    )
    merged = reconcile(base, one, other)
    if not merged.conflicts:
        assert picked(reconcile(base, other, one).parts, 0) == picked(merged.parts, 0)
    return merged


def value(label: str, *values: str | None) -> str:
    """The one value that comes out."""
    merged = field(label, *values)
    assert not merged.conflicts
    return picked(merged.parts, 0).partition("**: ")[2].removesuffix("\n")


def test_of_days_of_reinforcement_the_later_one_is_taken() -> None:
    assert value("Reinforced", "2026-01-01", "2026-01-02", "2026-01-03") == "2026-01-03"
    assert value("Reinforced", None, "2026-01-02", "2026-01-03") == "2026-01-03"
    assert value("Reinforced", "2026-01-01", None, "2026-01-03") == "2026-01-03"
    assert field("Reinforced", None, "soon", "2026-01-03").conflicts == ("Reinforced",)


def test_of_days_of_pruning_the_earlier_one_is_taken() -> None:
    assert value("Pruned", None, "2026-01-02", "2026-01-03") == "2026-01-02"
    assert field("Pruned", None, "soon", "2026-01-03").conflicts == ("Pruned",)


def test_changes_of_a_count_add_up() -> None:
    assert value("Used", "2", "3", "7") == "8"
    assert value("Used", "5", "3", "4") == "2"
    assert value("Used", "5", "1", "0") == "0"
    assert value("Used", None, "1", "2") == "3"
    assert value("Used", "2", "3", "3") == "3"
    assert value("Used", "0", "999999999", "999999998") == "999999999"
    assert field("Used", "2", "3", "often").conflicts == ("Used",)


def test_changes_of_evidence_add_up() -> None:
    assert value("Evidence", "seen 1", "seen 2, last 2026-01-02", "seen 4, kept 1, last 2026-01-01") == (
        "seen 5, sessions 0, kept 1, confirmed 0, corrected 0, contradicted 0, last 2026-01-02"
    )
    assert value("Evidence", None, "seen 2", "seen 1").startswith("seen 3,")
    assert field("Evidence", "seen 1", "seen 2", "often").conflicts == ("Evidence",)
    assert field("Evidence", "often", "seen 2", "seen 1").conflicts == ("Evidence",)


def test_every_number_that_a_was_names_is_kept() -> None:
    assert value("Was", None, "L002", "L003, L002") == "L002, L003"
    assert value("Was", "L002", "L002, L004", "L002, L003") == "L002, L003, L004"
    assert field("Was", None, "L002", "L003 of the fork").conflicts == ("Was",)


def test_a_text_that_both_changed_is_in_conflict() -> None:
    [_, clash] = field("Context", "a", "b", "c").parts
    assert clash == Clash("- **Context**: b\n", "- **Context**: c\n")
    [_, clash] = field("Context", "a", None, "c").parts
    assert clash == Clash("", "- **Context**: c\n")
    assert field("Context", "a", None, "c").conflicts == ("Context",)


def test_a_value_that_is_only_written_otherwise_is_no_change() -> None:
    old = "### L001: a\n- **Type**: gotcha\n"
    starred = "### L001: a\n* **Type:**   gotcha\n"
    changed = "### L001: a\n- **Type**: mistake\n"
    assert picked(reconcile(old, starred, changed).parts, 0) == changed
    assert picked(reconcile(old, changed, starred).parts, 0) == changed
    assert reconcile(old, starred, starred.replace("* ", "+ ")).conflicts == ()


@pytest.mark.parametrize(
    ("base", "one", "other", "merged"),
    [
        ("a", "[RESOLVED] a", "b", "[RESOLVED] b"),
        ("a", "a [RESOLVED]", "[RESOLVED] a", "a [RESOLVED]"),
        ("[RESOLVED] a", "a", "[RESOLVED] b", "b"),
        ("a", "a ##", "b", "b"),
    ],
)
def test_a_title_and_its_state_merge_each_by_itself(base: str, one: str, other: str, merged: str) -> None:
    lines = [f"### L001: {title}\n" for title in (base, one, other)]
    assert reconcile(lines[0], lines[1], lines[2]).parts == (f"### L001: {merged}\n",)


def test_two_titles_are_in_conflict() -> None:
    merged = reconcile("### L001: a\n", "### L001: b\n", "### L001: [RESOLVED] c\n")
    assert merged == ((Clash("### L001: b\n", "### L001: [RESOLVED] c\n"),), ("title",))


def test_what_both_added_alike_is_resolved_if_one_is() -> None:
    one, other = "### L001: a\n- **Used**: 2\n", "### L001: [RESOLVED] a\n- **Used**: 3\n"
    assert picked(reconcile(None, one, other).parts, 0) == other
    assert picked(reconcile(None, other, one).parts, 0) == other
    evidence = "### L001: a\n- **Evidence**: seen {}\n"
    assert "seen 3," in picked(reconcile(None, evidence.format(2), evidence.format("3, kept 1")).parts, 0)


def test_text_below_the_fields_merges_by_lines() -> None:
    old = "### L001: a\n- **Type**: gotcha\n\n> one\n> two\n> three\n"
    one, other = old.replace("one", "1"), old.replace("three", "3")
    assert picked(reconcile(old, one, other).parts, 0) == old.replace("one", "1").replace("three", "3")
    assert reconcile(old, one, old.replace("one", "I")).conflicts == ("text",)


def test_a_label_that_stands_twice_merges_one_by_one() -> None:
    old = "### L001: a\n- **X**: 1\n- **X**: 2\n"
    one, other = old.replace("1", "one"), old.replace("2", "two")
    assert picked(reconcile(old, one.replace("L00one", "L001"), other).parts, 0) == (
        "### L001: a\n- **X**: one\n- **X**: two\n"
    )


def test_bodies_that_would_not_read_as_meant_together_are_in_conflict_as_wholes() -> None:
    old = "### L001: a\n- **X**: 1\n\n- **Y**: 1\n"
    one = "### L001: a\n- **X**: 1\n\n```\n- **Y**: 1\n"
    other = "### L001: a\n- **X**: 1\n\n- **Y**: 2\n"
    merged = reconcile(old, one, other)
    assert merged.conflicts
