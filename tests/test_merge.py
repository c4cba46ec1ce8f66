from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.errors import RegistryError
from qlearn.learning import parse_learnings
from qlearn.merge import Memory, merge, merge_memories
from qlearn.registry import conflict_line, mentions

from . import histories
from .growth import grows_linearly
from .merge_rules import Case, judge, judge_order, judge_steps


def _cases() -> list[tuple[str, ...]]:
    """Read titles and texts, each text between two lines that are a dot."""
    parts = (Path(__file__).parent / "data" / "merges.md").read_text("utf-8").split("\n.\n")
    titles = [part.strip().rpartition("\n")[2] for part in parts[:-1:5]]
    texts = [part + "\n" for part in parts]
    return [(title, *texts[at * 5 + 1 : at * 5 + 5]) for at, title in enumerate(titles)]


CASES = _cases()
BY_TITLE = pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)


@BY_TITLE
def test_a_case_merges_as_it_is_written_down(base: str, ours: str, theirs: str, merged: str) -> None:
    assert merge(base, ours, theirs).text == merged
    assert merge(base, theirs, ours).text == merged


@BY_TITLE
def test_a_case_is_in_conflict_where_there_are_markers(
    base: str, ours: str, theirs: str, merged: str
) -> None:
    assert bool(merge(base, ours, theirs).conflicts) == ("<<<<<<<" in merged)


@BY_TITLE
def test_a_case_merges_alike_in_another_form(base: str, ours: str, theirs: str, merged: str) -> None:
    ended = merge(base, ours.replace("\n", "\r\n"), theirs)
    assert ended.text == merged.replace("\n", "\r\n")
    marked = merge("\ufeff" + base, "\ufeff" + ours, "\ufeff" + theirs)
    assert marked.text == "\ufeff" + merged
    cut = merge(base, ours.removesuffix("\n"), theirs)
    assert cut.text == merged.removesuffix("\n")


# Properties ---------------------------------------------------------------------------------------


@given(st.integers(0, 2**64))
def test_a_merge_is_what_the_rules_say(seed: int) -> None:
    random = Random(seed)
    base = histories.base(random)
    case = Case(base, histories.edited(base, "a", random), histories.edited(base, "b", random))
    assert not list(judge(case, merge_memories))


@given(st.integers(0, 2**64))
def test_three_sides_merge_alike_in_any_order(seed: int) -> None:
    random = Random(seed)
    base = histories.base(random)
    first, second, third = (histories.edited(base, name, random) for name in "abc")
    assert not list(judge_order(base, (first, second, third), merge_memories))


@given(st.integers(0, 2**64))
def test_merging_in_steps_is_merging_at_once(seed: int) -> None:
    random = Random(seed)
    base = histories.base(random)
    one, other = (histories.edited(base, name, random) for name in "ab")
    later = histories.advanced(other, "c", random)
    assert not list(judge_steps(base, one, other, later, merge_memories))


@given(st.integers(0, 2**64))
def test_a_history_is_read_as_it_means(seed: int) -> None:
    # What the properties compare with must itself be right.
    random = Random(seed)
    side = histories.edited(histories.base(random), "a", random)
    read = [
        (entry.number, entry.title, entry.resolved, len(entry.fields))
        for entry in parse_learnings(side.registry())
    ]
    lessons = side.lessons().values()
    assert read == [(each.number, each.title, each.resolved, len(each.fields)) for each in lessons]


BASE, OURS, THEIRS = ("# A\n\n### L001: one\n", "# B\n\n### L001: one\n", "# A\n\n### L001: two\n")


def test_what_one_side_left_alone_is_the_other_side() -> None:
    assert merge(BASE, OURS, BASE).text == OURS
    assert merge(BASE, BASE, OURS).text == OURS
    assert merge(BASE, OURS, OURS).text == OURS
    assert merge("", OURS, OURS).text == OURS


def test_merging_what_is_merged_changes_nothing() -> None:
    merged = merge(BASE, OURS, THEIRS).text
    for side in (OURS, THEIRS):
        assert merge(BASE, merged, side).text == merged
        assert merge(side, merged, side).text == merged


def test_it_does_not_matter_which_side_ends_its_lines_how() -> None:
    assert merge("", "### L001: a\n", "### L001: a\r") == merge("", "### L001: a\r", "### L001: a\n")


# Numbers ------------------------------------------------------------------------------------------

NEW_A = "### L001: a\n- **Date**: 2026-01-01\n- **Learning**: a\n"
NEW_B = "### L001: b\n- **Date**: 2026-01-02\n- **Learning**: b\n"


def test_a_reference_finds_both_entries_that_had_the_number() -> None:
    merged = merge("", NEW_A, NEW_B)
    assert [entry.title for entry in mentions(parse_learnings(merged.text), "L001")] == ["a", "b"]
    assert merged.notes == ("L001 is L002 now: 'b'",)


def test_of_two_new_numbers_the_one_that_is_free_is_taken() -> None:
    moved = "### L00{}: b\n- **Date**: 2026-01-02\n- **Learning**: b\n- **Was**: L001\n"
    ours = NEW_A + "\n" + moved.format(2)
    theirs = NEW_A + "\n### L002: c\n- **Date**: 2026-01-01\n\n" + moved.format(3)
    read = [(entry.id, entry.title, entry.was) for entry in parse_learnings(merge("", ours, theirs).text)]
    assert read == [("L001", "a", None), ("L002", "c", None), ("L003", "b", "L001, L002")]


def test_a_new_number_is_above_all_that_were_ever_used() -> None:
    base = "### L007: gone\n"
    archive = "### L003: old\n- **Was**: L009\n"
    assert "### L010: b\n" in merge(base, NEW_A, NEW_B, archive=archive).text
    assert "### L012: b\n" in merge(base, NEW_A, NEW_B, elsewhere=("### L011: x\n",)).text


def test_a_new_entry_gives_way_to_an_archived_one() -> None:
    archive = "### L001: pruned meanwhile\n"
    assert merge("", NEW_A, "", archive=archive).text == NEW_A.replace("L001", "L002") + "- **Was**: L001\n"


def test_a_new_entry_does_not_give_way_to_itself() -> None:
    assert merge("", NEW_A, "", archive=NEW_A).text == NEW_A


def test_an_old_entry_does_not_give_way_to_an_archived_one() -> None:
    changed = NEW_A.replace("a\n", "more\n")
    assert merge(NEW_A, changed, NEW_A, archive="### L001: pruned\n").text == changed


def test_a_registry_and_its_archive_share_one_set_of_numbers() -> None:
    base = Memory("", "")
    ours = Memory("### L002: b\n- **Learning**: b\n", "### L001: a\n- **Learning**: a\n")
    theirs = Memory("### L001: c\n- **Learning**: c\n", "### L002: d\n- **Learning**: d\n")
    registry, archive = merge_memories(base, ours, theirs)
    entries = parse_learnings(registry.text + archive.text)
    assert sorted(entry.number for entry in entries) == [1, 2, 3, 4]
    assert sorted(entry.title for entry in entries) == ["a", "b", "c", "d"]


def test_an_entry_that_was_renumbered_and_pruned_is_not_mixed_with_the_one_that_has_its_number() -> None:
    entry = "### L00{}: {}\n- **Date**: 2026-01-01\n{}\n---\n"
    base, now, theirs = (
        entry.format(1, "b", ""),
        entry.format(1, "a", ""),
        entry.format(1, "b", "- **Used**: 1\n"),
    )
    archive = entry.format(2, "b", "- **Was**: L001\n- **Pruned**: 2026-02-01\n")
    merged = parse_learnings(merge(base, now, theirs, archive=archive).text)
    assert {entry.title: entry.used for entry in merged} == {"a": 0, "b": 1}


def test_an_entry_that_was_renumbered_stays_though_the_other_side_pruned_it() -> None:
    entry = "### L00{}: a\n- **Learning**: a\n{}\n---\n"
    renumbered = entry.format(2, "- **Was**: L001\n")
    merged = merge(entry.format(1, ""), "", renumbered)
    assert merged.text == renumbered
    assert merged.notes == ("L002 stays: one side took it out, the other changed it",)


def test_an_older_version_in_the_archive_takes_nothing_from_a_newer_one() -> None:
    entry = "### L001: a\n- **Learning**: a\n{}\n---\n"
    newer, older, pruned = (
        entry.format(more) for more in ("- **Note**: x\n", "", "- **Note**: x\n- **Pruned**: 2026-01-01\n")
    )
    base, ours, theirs = Memory(newer, ""), Memory(newer, older), Memory("", pruned)
    registry, archive = merge_memories(base, ours, theirs)
    assert registry.text == ""
    assert [each.field("Note") for each in parse_learnings(archive.text)] == [None, "x"]


def test_what_both_sides_moved_to_the_archive_is_one_entry_there() -> None:
    entry = "### L001: a\n- **Learning**: a\n{}\n---\n"
    ours, theirs = (entry.format(f"- **{label}**: x\n- **Pruned**: 2026-01-01\n") for label in ("One", "Two"))
    _, archive = merge_memories(Memory(entry.format(""), ""), Memory("", ours), Memory("", theirs))
    [merged] = parse_learnings(archive.text)
    assert (merged.field("One"), merged.field("Two")) == ("x", "x")


def test_no_number_is_left() -> None:
    with pytest.raises(RegistryError, match="no next number"):
        merge("### L999999999: last\n", NEW_A, NEW_B)


def test_two_entries_that_share_a_number_in_a_text_are_left_so() -> None:
    twice = "### L001: a\n\n### L001: b\n"
    assert merge(twice, twice + "\nTail\n", "Head\n\n" + twice).text == "Head\n\n" + twice + "\nTail\n"
    added = NEW_A + "\n" + NEW_B
    assert merge("", added, "Head\n").text.count("### L001") == 2


# Any text -----------------------------------------------------------------------------------------

# With a word each, by which it is known again. They open and close what blocks can be made of.
SHAPES = (
    "### L001: {}", "### L002: {}", "### [RESOLVED] L003: {}", "### {}", "# {}", "- **Learning**: {}",
    "* **Type:** {}", "  {}", "    {}", "> {}", "- {}", "1. {}", "``` {}", "```", "~~~", "<!-- {}", "-->",
    "<div> {}", "<script>", "</script>", "---", "{}\n---", "===", "", "[{}]: /url", "\t{}", "<<<<<<< {}",
    "=======", ">>>>>>> {}", "|||||||", "{}\u2028{}", "\x00{}\x85",
)  # fmt: skip


@st.composite
def hostile_texts(draw: st.DrawFn) -> str:
    shapes = st.tuples(st.sampled_from(SHAPES), st.integers(0, 40), st.sampled_from("\n\n\n\r"))
    lines = [shape.replace("{}", f"w{word}") + end for shape, word, end in draw(st.lists(shapes, max_size=9))]
    return "".join(lines)


@given(st.lists(hostile_texts(), min_size=3, max_size=3), st.randoms(use_true_random=False))
def test_nothing_is_lost_whatever_the_texts_are(texts: list[str], random: Random) -> None:
    base, *changes = texts
    sides = []
    for change in changes:  # a side is the base with a change in some place
        start, end = sorted((random.randint(0, len(base)), random.randint(0, len(base))))
        sides.append(base[:start] + change + base[end:])
    merged = merge(base, *sides)
    assert merged == merge(base, *sides[::-1])
    old, ours, theirs, now = (set(re.findall(r"w[0-9]+", text)) for text in (base, *sides, merged.text))
    assert (ours | theirs) - old <= now
    assert now <= ours | theirs


def test_an_entry_that_one_side_comments_out_and_the_other_changes_stays() -> None:
    base = "### L001: a\n\n### L002: b\n"
    commented = "<!--\n" + base + "-->\n"
    merged = merge(base, commented, base.replace("b", "changed"))
    assert merged.text == "\n### L002: changed\n\n---\n" + commented
    assert merged.notes == ("L002 stays: one side took it out, the other changed it",)


def test_texts_that_hide_entries_from_each_other_are_in_conflict_as_wholes() -> None:
    base, ours, theirs = "# T\nx\n", "# T\n<!--\nx\n", "# T\nx\n\n### L002: b\n"
    merged = merge(base, ours, theirs)
    assert merged.conflicts == ("what one side wrote hides entries of the other; both whole texts are there",)
    assert merged.text == f"<<<<<<< one side\n{ours}=======\n{theirs}>>>>>>> the other\n"


def test_old_conflict_markers_are_a_conflict() -> None:
    old = "<<<<<<< x\n### L001: a\n=======\n>>>>>>> y\n"
    merged = merge("", old, old)
    assert merged.text == old
    assert merged.conflicts == ("line 1 is a conflict marker from before; resolve it first",)


def test_markers_are_as_long_as_asked_for() -> None:
    text = merge("### L001: a\n", "### L001: b\n", "### L001: c\n", marker_size=9).text
    assert text == "<<<<<<<<< one side\n### L001: b\n=========\n### L001: c\n>>>>>>>>> the other\n"


def test_markers_are_those_that_writers_refuse() -> None:
    assert conflict_line(merge("### L001: a\n", "### L001: b\n", "### L001: c\n").text) == 1


@pytest.mark.parametrize(
    "unit",
    [
        "### L001: a\n",
        "### L001: a\n```\n",
        "a\n",
        "\n",
        "### L001: a\n- **Was**: L001, L002\n",
        "- **X**: y\n",
        "> ",
    ],
)
def test_any_text_merges_in_linear_time(unit: str) -> None:
    def work(text: str) -> object:
        return merge(text, text + "a\n" + text[: len(text) // 2], "### L001: b\n" + text)

    assert grows_linearly(work, unit, 4_000)
