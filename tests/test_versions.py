from __future__ import annotations

import pytest

from qlearn.learning import parse_learnings
from qlearn.versions import are_kin, are_one, cut, match, split


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "Head\n\n### L001: a\n- **Type**: gotcha\n\n---\n\n### L002: b\n\n\nFoot",
        "### L001: a\n***\n\n\n",
        "### L001: a\n\n\n \t\n- - -",
        "### L001:\r\n\r\n---\r\n\r\ntext\r\r### L002: b\r",
        "### L001: a\n```\n---\n",
        "### L001: a   \n\n---\n",
    ],
)
def test_the_parts_of_a_text_are_the_text(text: str) -> None:
    tokens, entries = cut(text)
    whole = ""
    for token in tokens:
        entry = entries[token] if isinstance(token, int) else None
        whole += entry.lead + entry.body + entry.rule if entry else str(token)
    assert whole == text


def test_an_entry_is_cut_into_lead_body_and_rule() -> None:
    _, [entry, last] = cut("Head\n\n\n### L001: a\n- **Type**: gotcha\n\n---\n\n### L002: b\n\n")
    assert entry[1:] == ("\n\n", "### L001: a\n- **Type**: gotcha\n", "\n---\n")
    assert last[1:] == ("\n", "### L002: b\n", "")


def test_a_line_takes_along_the_blank_lines_before_it() -> None:
    assert split("a\n\n \nb\n\n") == ["a\n", "\n \nb\n", "\n"]


def test_a_version_under_another_number_can_be_found_under_all_that_it_had() -> None:
    _, [entry] = cut("### **L001**: L001 and more\n* **Was:** L003, once\n")
    assert entry.named(7, {1, 3}) == "### **L007**: L001 and more\n* **Was:** L003, once, L001\n"
    assert entry.named(1, {3}) == entry.body
    assert entry.nameless == "### **L**: L001 and more\n"


def _matched(old: str, new: str) -> dict[int, int]:
    return match(parse_learnings(old), parse_learnings(new))


def test_an_equal_number_makes_two_entries_one() -> None:
    assert _matched("### L001: a\n", "### L001: b\n") == {0: 0}
    assert _matched("### L001: a\n", "### L002: a\n") == {}


def test_a_number_that_was_given_twice_does_not() -> None:
    old = "### L001: a\n- **Date**: 2026-01-01\n"
    assert _matched(old, "### L001: b\n- **Date**: 2026-01-02\n") == {}
    assert _matched(old, "### L001: a\n- **Date**: 2026-01-02\n") == {0: 0}


def test_was_makes_an_entry_the_one_that_says_the_same() -> None:
    new = "### L001: b\n\n### L002: a\n- **Was**: L001\n"
    assert _matched("### L001: a\n", new) == {0: 1}
    assert _matched(new, "### L001: a\n") == {1: 0}
    assert _matched("### L001: c\n", new) == {0: 0}


def test_of_equal_numbers_those_that_differ_least_are_one() -> None:
    old = "### L001: a\n\n### L001: b\n"
    assert _matched(old, "### L001: b\n\n### L001: a, changed\n") == {1: 0, 0: 1}
    assert _matched(old, "### L001: b\n") == {1: 0}


def test_among_very_many_equal_numbers_the_first_is_the_first() -> None:
    many = parse_learnings("".join(f"### L001: a{number}\n" for number in range(100)))
    assert match(many, many[1:]) == {at: at for at in range(99)}


def test_entries_are_kin_by_what_they_teach() -> None:
    [one, two, three] = parse_learnings(
        "### L001: a\n- **Learning**: x\n\n### L002: b\n- **Learning**: x\n\n### L003:\n- **Context**: x\n"
    )
    assert are_kin(one, two)
    assert not are_kin(one, three)
    assert not are_kin(three, three)


def test_new_entries_are_one_if_they_differ_in_counts_alone() -> None:
    [one, two, three] = parse_learnings(
        "### L001: a\n- **Used**: 1\n\n### L002: [RESOLVED] a\n\n### L003: a\n- **Context**: x\n"
    )
    assert are_one(one, two)
    assert not are_one(two, three)
