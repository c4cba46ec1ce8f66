"""Drafts of other tools' files on their way into a registry."""

from __future__ import annotations

import time

import pytest

from qlearn.errors import RegistryError
from qlearn.interchange import Draft, foreign
from qlearn.interchange.intake import TakenIn, take_in
from qlearn.learning import parse_learnings


def draft(title: str, lesson: str = "", *, old_id: str = "", path: str = "a.md", aside: str = "") -> Draft:
    fields = {"Learning": lesson, "Type": "convention"}
    return foreign.make("lessons", path, (1, 2), title, fields, old_id=old_id, aside=aside)


def verdicts(taken: TakenIn) -> list[tuple[str, str]]:
    return [(outcome.verdict, outcome.id) for outcome in taken.outcomes]


def test_importing_twice_adds_nothing() -> None:
    drafts = [draft("One", "Pin it.", old_id="001"), draft("Two", "Quote it.")]
    taken = take_in("", drafts)
    assert verdicts(taken) == [("added", "L001"), ("added", "L002")]
    again = take_in(taken.text, drafts)
    assert verdicts(again) == [("known", "L001"), ("known", "L002")]
    assert again.text == taken.text


def test_an_entry_that_was_edited_since_is_known_by_where_it_came_from() -> None:
    taken = take_in("", [draft("One", "Pin it.", old_id="001")])
    edited = taken.text.replace("Pin it.", "Pin it, always.").replace("### L001: One", "### L001: First")
    again = take_in(edited, [draft("One", "Pin it.", old_id="001")])
    assert again.text == edited
    assert [(o.verdict, o.id, o.reason) for o in again.outcomes] == [
        ("changed", "L001", "title, Learning changed since it was imported")
    ]


def test_one_id_in_two_files_is_two_entries() -> None:
    drafts = [draft("One", "Pin it.", old_id="001"), draft("Two", "Quote it.", old_id="001", path="b.md")]
    assert verdicts(take_in("", drafts)) == [("added", "L001"), ("added", "L002")]


def test_an_id_like_one_of_this_registry_is_no_number_of_it() -> None:
    drafts = [draft("One", "Pin it.", old_id="L090")]
    taken = take_in("", drafts)
    assert verdicts(taken) == [("added", "L001")]
    assert verdicts(take_in(taken.text, drafts)) == [("known", "L001")]
    assert take_in(taken.text, [draft("New", "Sort it.")]).outcomes[0].id == "L002"


def test_the_same_lesson_in_two_files_comes_in_once() -> None:
    taken = take_in("", [draft("One", "Pin it."), draft("Uno", "pin  IT.", path="b.md")])
    assert [(o.verdict, o.id, o.reason) for o in taken.outcomes] == [
        ("added", "L001", ""),
        ("known", "L001", "is in this import already"),
    ]


def test_what_was_pruned_does_not_come_back() -> None:
    drafts = [draft("One", "Pin it.", old_id="001"), draft("Two", "Quote it.")]
    archive = take_in("", drafts).text.replace("Pin it.", "Pin it, always.")
    assert [(o.verdict, o.reason) for o in take_in("", drafts, archive=archive).outcomes] == [
        ("known", "was imported and pruned"),
        ("known", "was pruned and stands in the archive"),
    ]


def test_a_lesson_in_other_words_is_shown_beside_the_new_one() -> None:
    text = take_in("", [draft("Pin the lockfile", "Always pin the lockfile before a release.")]).text
    taken = take_in(text, [draft("Lockfile", "Pin the lockfile before each release.")])
    assert taken.outcomes[0].verdict == "added"
    assert taken.outcomes[0].reason == "similar to L001: Pin the lockfile"


def test_what_is_left_aside_waits_until_it_is_asked_for() -> None:
    drafts = [draft("One", "Pin it.", aside="auto-detected")]
    taken = take_in("", drafts)
    assert [(o.verdict, o.reason) for o in taken.outcomes] == [("left out", "auto-detected")]
    assert taken.text == ""
    assert verdicts(take_in("", drafts, everything=True)) == [("added", "L001")]


def test_an_update_changes_one_entry_and_keeps_its_neighbours() -> None:
    drafts = [draft(str(number), f"Lesson {number}.", old_id=f"id-{number}") for number in range(3)]
    text = take_in("", drafts).text.replace("\n", "\r\n")
    text = text.replace("Lesson 1.\r\n", "Lesson 1.\r\n- **Reinforced**: 2026-01-01\r\n")
    newer = draft("1", "Lesson one.", old_id="id-1")._replace(resolved=True)
    taken = take_in(text, [newer], update=True)
    assert [(o.verdict, o.id) for o in taken.outcomes] == [("updated", "L002")]
    old, new = parse_learnings(text), parse_learnings(taken.text)
    assert (new[1].resolved, new[1].learning, str(new[1].reinforced)) == (True, "Lesson one.", "2026-01-01")
    assert taken.text[: new[1].start] == text[: old[1].start]
    assert taken.text[new[1].end :] == text[old[1].end :]
    assert take_in(taken.text, [newer], update=True).text == taken.text


def test_an_update_that_may_not_come_in_is_refused() -> None:
    text = take_in("", [draft("One", "Pin it.", old_id="001")]).text
    taken = take_in(text, [draft("One", f"Use ghp_{'a1B2' * 9}.", old_id="001")], update=True)
    assert taken.text == text
    assert [(o.verdict, o.id) for o in taken.outcomes] == [("refused", "L001")]


def test_one_draft_that_does_not_read_back_hides_no_other() -> None:
    odd = Draft("Odd", {}, number=9, markdown="### L009: Odd\n\n<!-- open\n")
    good = Draft("Good", {"Learning": "x"})
    taken = take_in(
        "", [good, odd._replace(title="Not what stands there"), good._replace(title="G", fields={})]
    )
    assert [outcome.verdict for outcome in taken.outcomes] == ["added", "refused", "added"]
    assert [entry.title for entry in parse_learnings(taken.text)] == ["Good", "G"]


def test_a_registry_that_can_not_be_added_to_is_an_error_and_no_refusal() -> None:
    with pytest.raises(RegistryError, match="nested too deep"):
        take_in("- " * 30 + "x\n", [draft("One", "Pin it.")])


def test_a_thousand_drafts_are_proven_at_once() -> None:
    drafts = [draft(f"Title {number}", f"Lesson number {number}, and why.") for number in range(1000)]
    start = time.process_time()
    once = take_in("", drafts[:250])
    quarter = time.process_time() - start
    start = time.process_time()
    taken = take_in("", drafts)
    whole = time.process_time() - start
    assert len(once.outcomes) == 250
    assert {outcome.verdict for outcome in taken.outcomes} == {"added"}
    assert whole < quarter * 4 * 3
