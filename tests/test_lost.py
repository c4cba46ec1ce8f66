from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from qlearn.learning import parse_learnings
from qlearn.lost import compare_parents
from qlearn.merge import Memory, merge_memories

from . import histories
from .merge_rules import mark_of, memory

BASE = "### L001: a\n- **Learning**: a\n- **Context**: x\n"


def entry(number: int, title: str, more: str = "") -> str:
    return f"### L{number:03d}: {title}\n- **Date**: 2026-01-01\n- **Learning**: {title}\n{more}"


def said(merged: str, *parents: str, base: str | None = BASE, archive: str = "") -> list[str]:
    memories = [Memory(parent, "") for parent in parents]
    problems = compare_parents(Memory(merged, archive), memories, None if base is None else Memory(base, ""))
    return [problem.message for problem in problems]


def test_a_lost_entry_is_named_though_every_number_stands_for_one() -> None:
    ours, theirs = BASE + entry(2, "b"), BASE + entry(2, "c")
    problems = compare_parents(Memory(ours, ""), [Memory(ours, ""), Memory(theirs, "")], Memory(BASE, ""))
    assert problems == ((4, "L002 'c' of parent 2 is neither in the merge nor in its archive", "error"),)
    assert said(ours, ours, theirs, base=None) == [problems[0].message]


def test_an_entry_may_have_another_number_if_was_names_the_old_one() -> None:
    ours, theirs = BASE + entry(2, "b"), BASE + entry(2, "c")
    assert said(ours + entry(3, "c", "- **Was**: L002\n"), ours, theirs) == []
    assert said(ours + entry(3, "c"), ours, theirs) == [
        "L002 'c' of parent 2 is not found in the merge as L002: Was is missing"
    ]


def test_an_archived_entry_is_not_lost() -> None:
    assert said("", BASE, BASE, archive=BASE + "- **Pruned**: 2026-01-01\n") == []


def test_an_entry_that_one_parent_took_out_may_be_gone() -> None:
    assert said("", BASE, "") == []
    assert said("", BASE.replace(": x", ": y"), "") == [
        "L001 'a' of parent 1 is neither in the merge nor in its archive"
    ]
    assert said("", BASE, BASE) == ["L001 'a' of parent 1 is neither in the merge nor in its archive"]


def test_a_change_that_one_parent_made_must_be_there() -> None:
    ours, theirs = BASE.replace(": x", ": y"), BASE.replace("L001: a", "L001: b")
    both = ours.replace("L001: a", "L001: b")
    assert said(both, ours, theirs) == []
    assert said(ours, ours, theirs) == ["L001 'b' of parent 2 lost its Title in the merge"]
    assert said(theirs, ours, theirs) == ["L001 'a' of parent 1 lost its Context in the merge"]
    assert said(ours, ours, theirs, base=None) == []


def test_of_a_change_that_both_made_either_will_do() -> None:
    ours, theirs = BASE.replace(": x", ": y"), BASE.replace(": x", ": z")
    assert (
        said(ours, ours, theirs)
        == said(theirs, ours, theirs)
        == said(BASE.replace(": x", ": yz"), ours, theirs)
        == []
    )


def test_what_one_parent_counted_must_be_there() -> None:
    ours = BASE.replace("L001: a", "L001: [RESOLVED] a") + "- **Used**: 2\n"
    assert said(ours, ours, BASE) == []
    assert said(BASE, ours, BASE) == ["L001 'a' of parent 1 lost its State and Used in the merge"]
    assert said(BASE + "- **Used**: 7\n", BASE + "- **Used**: 2\n", BASE + "- **Used**: 5\n") == []


def test_of_a_new_entry_everything_but_counts_must_be_there() -> None:
    ours, theirs = BASE + entry(2, "b", "- **Used**: 2\n"), BASE + entry(2, "c")
    mixed = BASE + entry(2, "b").replace("Learning**: b", "Learning**: c")
    assert said(mixed, ours, theirs) == [
        "L002 'b' of parent 1 lost its Learning in the merge",
        "L002 'c' of parent 2 lost its Title in the merge",
    ]
    assert said(mixed, ours, theirs, base=None) == []
    assert said(BASE + entry(2, "b"), ours, BASE) == []


def test_what_a_parent_took_out_may_not_be_back() -> None:
    both = BASE + entry(2, "b")
    assert said(both, BASE, both, base=both) == ["L002 'b' is back, which parent 1 took out"]
    assert said(both + "\nmore\n", BASE, both + "\nmore\n", base=both) == []


def test_how_its_lines_end_is_no_change_of_what_a_parent_took_out() -> None:
    both = BASE + entry(2, "b").rstrip("-\n")
    longer = both + "\n\n" + entry(3, "c")
    merged = longer.replace("\n", "\r\n")
    assert said(merged, BASE, longer, base=both) == ["L002 'b' is back, which parent 1 took out"]


def test_an_entry_may_not_stand_there_twice() -> None:
    twice = BASE + "\n" + BASE.replace(": x", ": y")
    assert said(twice, BASE, BASE.replace(": x", ": y")) == ["L001 'a' stands there twice, first as L001"]
    assert said(twice, twice, BASE) == []
    new = entry(2, "b")
    again = new + entry(3, "b", "- **Was**: L002\n")
    assert said(again, new, new, base="") == ["L003 'b' stands there twice, first as L002"]


def test_a_number_may_have_no_more_entries_than_the_parents_gave_it() -> None:
    split = "### L001: b\n\n" + BASE.replace("L001", "L002") + "- **Was**: L001\n"
    assert said(split, BASE, BASE) == ["L002 'a' stands there twice, first as L001"]
    assert said(split, split, BASE) == []


def test_another_entry_under_the_number_is_no_version() -> None:
    now = entry(1, "c")
    lost = "of parent 1 is neither in the merge nor in its archive"
    assert said(now, entry(1, "b"), entry(1, "b"), base=entry(1, "b")) == [f"L001 'b' {lost}"]


@given(st.integers(0, 2**64))
def test_a_merge_loses_nothing_and_one_without_an_entry_does(seed: int) -> None:
    random = Random(seed)
    base = histories.base(random)
    old, *parents = map(memory, (base, *(histories.edited(base, name, random) for name in "ab")))
    merged = merge_memories(old, *parents)
    now = Memory(*(each.text for each in merged))
    if any(each.conflicts for each in merged):
        return
    assert compare_parents(now, parents, old) == ()
    known = {mark_of(each) for text in old for each in parse_learnings(text)}
    for each in parse_learnings(now.registry):
        if mark_of(each) not in known:
            without = now.registry[: each.start] + now.registry[each.end :]
            assert compare_parents(now._replace(registry=without), parents, old) != ()
