from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.errors import RegistryError
from qlearn.learning import parse_learnings
from qlearn.merge import Memory, Merged, merge, merge_memories, unmerged
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
    for ending in ("\r\n", "\r"):
        ended = merge(base, ours.replace("\n", ending), theirs)
        assert ended.text == merged.replace("\n", ending)
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
    renumbered = "### L002: one\n- **Was**: L001\n"
    for sides in ((renumbered, BASE), (BASE, renumbered), (renumbered, renumbered)):
        assert merge(BASE, *sides) == Merged(renumbered, ())


def test_merging_what_is_merged_changes_nothing() -> None:
    merged = merge(BASE, OURS, THEIRS).text
    for side in (OURS, THEIRS):
        assert merge(BASE, merged, side).text == merged
        assert merge(side, merged, side).text == merged


def test_it_does_not_matter_which_side_ends_its_lines_how() -> None:
    assert merge("", "### L001: a\n", "### L001: a\r") == merge("", "### L001: a\r", "### L001: a\n")


def test_texts_of_mixed_line_endings_keep_theirs() -> None:
    base = "# T\r\n\n### L001: x\n"
    assert merge(base, base + "\nTail\n", "Head\r\n" + base).text == "Head\r\n" + base + "\nTail\n"
    unified = "# T\r\n\r\n### L001: x\r\n"
    assert merge(base, unified, base + "\nTail\n").text == unified + "\nTail\n"


def test_texts_without_line_endings_merge() -> None:
    assert merge("a", "b", "c").text == "<<<<<<< one side\nb\n=======\nc\n>>>>>>> the other"


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
    merged = merge("", ours, theirs, archive="### L003: z\n")
    assert [entry.id for entry in parse_learnings(merged.text)] == ["L001", "L002", "L004"]


def test_new_numbers_are_given_by_date_whatever_the_numbers_were() -> None:
    entry = "### L00{}: {}\n- **Date**: 2026-01-0{}\n\n"
    ours = entry.format(1, "z", 3) + entry.format(2, "a", 1)
    theirs = entry.format(1, "y", 1) + entry.format(2, "b", 4)
    merged = merge("", ours, theirs)
    read = sorted((each.number, each.title) for each in parse_learnings(merged.text))
    assert read == [(1, "y"), (2, "a"), (3, "z"), (4, "b")]
    assert merged.notes == ("L002 is L004 now: 'b'", "L001 is L003 now: 'z'")


def test_all_numbers_that_an_entry_lost_are_told() -> None:
    entry = "### L00{}: {}\n- **Date**: 2026-01-{}\n- **Learning**: {}\n- **Was**: L009\n\n"
    ours = entry.format(2, "b", "02", "b") + entry.format(3, "e", "01", "e")
    theirs = entry.format(2, "c", "01", "c") + entry.format(3, "b", "02", "b")
    merged = merge("", ours, theirs)
    assert merged.notes == ("L002 and L003 is L010 now: 'b'",)
    assert [entry.was for entry in parse_learnings(merged.text) if entry.number == 10] == ["L002, L003, L009"]


def test_an_entry_of_the_base_keeps_its_number_whatever_is_new() -> None:
    base = "### L001: z\n- **Date**: 2026-02-01\n- **Learning**: z\n"
    read = parse_learnings(merge(base, base + "- **Used**: 1\n", NEW_A).text)
    assert sorted((entry.id, entry.title) for entry in read) == [("L001", "z"), ("L002", "a")]


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


def test_an_archive_gives_no_number_that_the_registry_has() -> None:
    registry = "### L005: r\n"
    _, archive = merge_memories(Memory(registry, ""), Memory(registry, NEW_A), Memory(registry, NEW_B))
    assert [entry.id for entry in parse_learnings(archive.text)] == ["L001", "L006"]


@pytest.mark.parametrize("other", ["a", "c"])
def test_an_entry_that_was_renumbered_and_pruned_is_not_mixed_with_the_one_that_has_its_number(
    other: str,
) -> None:
    entry = "### L00{}: {}\n- **Date**: 2026-01-01\n{}\n---\n"
    base, now, theirs = (
        entry.format(1, "b", ""),
        entry.format(1, other, ""),
        entry.format(1, "b", "- **Used**: 1\n"),
    )
    archive = entry.format(2, "b", "- **Was**: L001\n- **Pruned**: 2026-02-01\n")
    merged = parse_learnings(merge(base, now, theirs, archive=archive).text)
    assert {entry.title: entry.used for entry in merged} == {other: 0, "b": 1}


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
    entries = "### L001: a\n- **Learning**: a\n{0}\n---\n\n### L002: b\n- **Learning**: b\n{0}"
    ours, theirs = (
        entries.format(f"- **{label}**: x\n- **Pruned**: 2026-01-01\n") for label in ("One", "Two")
    )
    _, archive = merge_memories(Memory(entries.format(""), ""), Memory("", ours), Memory("", theirs))
    read = parse_learnings(archive.text)
    assert [(each.id, each.field("One"), each.field("Two")) for each in read] == [
        ("L001", "x", "x"),
        ("L002", "x", "x"),
    ]


def test_what_one_side_moved_to_the_archive_and_the_other_took_out_is_there() -> None:
    entry = "### L001: a\n- **Learning**: a\n"
    _, archive = merge_memories(Memory(entry, ""), Memory("", entry), Memory("", "### L002: b\n"))
    assert (archive.text, archive.notes) == ("### L001: a\n- **Learning**: a\n\n### L002: b\n", ())


def test_no_number_is_left() -> None:
    with pytest.raises(RegistryError, match="no next number"):
        merge("### L999999999: last\n", NEW_A, NEW_B)
    assert "### L999999999: b\n" in merge("### L999999998: gone\n", NEW_A, NEW_B).text


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
    longer = merge(base, ours, theirs, marker_size=8).text
    assert longer == f"<<<<<<<< one side\n{ours}========\n{theirs}>>>>>>>> the other\n"


def test_a_comment_that_one_side_of_a_conflict_opens_is_closed_behind_it() -> None:
    ours, theirs = "### L001: a\n\n<!-- open\n", "### L001: a\n\ny\n\n### L002: b\n"
    merged = merge("### L001: a\n\nx\n", ours, theirs)
    clash = "<<<<<<< one side\n<!-- open\n=======\ny\n>>>>>>> the other\n"
    assert merged.text == f"### L001: a\n\n{clash}-->\n\n---\n\n### L002: b\n"


@pytest.mark.parametrize("line", ["Y", "y"])  # one sorts before the fence, one behind it
def test_a_conflict_one_side_of_which_hides_an_entry_is_one_of_the_whole_texts(line: str) -> None:
    ours, theirs = f"### L001: a\n\n{line}\n\n### L002: b\n", "### L001: a\n\n```\nopen\n"
    merged = merge("### L001: a\n\nx\n", ours, theirs)
    assert merged.conflicts == ("what one side wrote hides entries of the other; both whole texts are there",)


def test_every_conflict_is_told() -> None:
    text = "{0}\n\n### L001: {0}\n\n### L002: {0}\n"
    assert merge(*(text.format(word) for word in "abc")).conflicts == (
        "L001: both sides changed its title",
        "L002: both sides changed its title",
        "both sides changed a text outside of entries: 'b' or 'c'",
    )


@pytest.mark.parametrize("line", ["X\n", "\xa0\n"])
def test_what_one_side_wrote_behind_a_rule_stays_there_though_the_other_took_it_away(line: str) -> None:
    base = "### L001: x\n\n---\n"
    assert merge(base, base + line, "### L001: x\n").text == base + line


def test_an_entry_that_hides_the_next_one_is_closed_though_its_title_is_in_conflict() -> None:
    base = "### L001: a\n"
    merged = merge(base, "### L001: b\n\n```\nopen\n", "### L001: c\n\n### L002: d\n")
    clash = "<<<<<<< one side\n### L001: b\n=======\n### L001: c\n>>>>>>> the other\n"
    assert merged.text == clash + "\n```\nopen\n```\n\n---\n\n### L002: d\n"
    assert merged.conflicts == ("L001: both sides changed its title",)


def test_an_entry_that_nothing_can_end_is_in_conflict_with_the_next_one() -> None:
    base, deep = "### L001: a\n", "### L001: a\n\n" + "- " * 20 + "x\n"
    merged = merge(base, deep, "### L001: a\n\n### L002: b\n")
    assert merged.conflicts == ("what one side wrote hides entries of the other; both whole texts are there",)


@pytest.mark.parametrize(
    ("rules", "merged"),
    [
        (("\n---\n", "", "\n---\n"), ""),
        (("", "", "\n---\n"), "\n---\n"),
        (("", "---\n", "\n***\n"), "\n***\n"),
        (("\n---\n", "\n***\n", "\n---\n"), "\n***\n"),
    ],
)
def test_the_rule_that_ends_an_entry_merges_by_itself(rules: tuple[str, str, str], merged: str) -> None:
    base, one, other = (
        f"### L001: {title}\n{rule}" for title, rule in zip(("a", "a", "b"), rules, strict=True)
    )
    assert merge(base, one, other).text == f"### L001: b\n{merged}"
    swapped = merge(base.replace("a", "b"), other, one.replace("a", "c"))
    assert swapped.text == f"### L001: c\n{merged}"


def test_of_two_changes_of_the_blank_lines_before_an_entry_the_longer_stands() -> None:
    text = "Text\n{}### L001: a\n"
    blanks = ("\n", " \n", "\n\n\n")
    assert merge(*(text.format(blank) for blank in blanks)).text == text.format("\n\n\n")


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("b" * 40 + "\n", "c" * 41 + "\n", f"'{'b' * 40}' or '{'c' * 39}…'"),
        ("\n  b  \nd\n", "c\n", "'b' or 'c'"),
        ("", "c\n", "nothing or 'c'"),
    ],
)
def test_a_conflict_outside_of_entries_is_told_by_its_first_lines(one: str, other: str, told: str) -> None:
    behind = "\n### L001: x\n"
    merged = merge("a\n" + behind, one + behind, other + behind)
    assert merged.conflicts == (f"both sides changed a text outside of entries: {told}",)


def test_whole_texts_stand_between_markers_each_with_its_line_ending() -> None:
    why = "they can't be read"
    assert unmerged("b", "a\r", why) == (
        "<<<<<<< one side\na\r=======\nb\n>>>>>>> the other\n",
        (why,),
        (),
    )
    assert unmerged("b\n", "", why).text == "<<<<<<< one side\n=======\nb\n>>>>>>> the other\n"


def test_old_conflict_markers_are_a_conflict() -> None:
    old = "<<<<<<< x\n### L001: a\n=======\n>>>>>>> y\n"
    merged = merge("", old, old)
    assert merged.text == old
    assert merged.conflicts == ("line 1 is a conflict marker from before; resolve it first",)


def test_markers_are_as_long_as_asked_for() -> None:
    text = merge("### L001: a\n", "### L001: b\n", "### L001: c\n", marker_size=9).text
    assert text == "<<<<<<<<< one side\n### L001: b\n=========\n### L001: c\n>>>>>>>>> the other\n"
    one, two, three = (Memory(f"### L001: {title}\n", f"### L002: {title}\n") for title in "abc")
    registry, archive = merge_memories(one, two, three, marker_size=9)
    assert registry.text == text
    assert archive.text == text.replace("L001", "L002")


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
