"""Edits: what they change, what they leave, what is read back, and what they refuse."""

from __future__ import annotations

import doctest
from datetime import date, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from qlearn import registry
from qlearn.decay import decay_score
from qlearn.document import parse
from qlearn.errors import DraftError, NotFoundError, RegistryError
from qlearn.learning import Learning, learnings, parse_learnings
from qlearn.lines import BOM
from qlearn.proof import judged, meaning, seen
from qlearn.registry import (
    HEADER,
    add_entry,
    add_learning,
    amend,
    append_pieces,
    clean_value,
    conflict_line,
    entry_piece,
    fenced,
    find,
    heading_line,
    mentions,
    next_number,
    parse_id,
    prune_learnings,
    reinforce,
    reopen,
    replace_entry,
    resolve,
    set_field,
)

from .cases import FOLDER, Case, read_cases
from .strategies import (
    ENDINGS,
    NOW,
    REFUSED,
    REFUSED_TITLES,
    hostile_texts,
    more_fields,
    registries,
    titles,
    values,
)

if TYPE_CHECKING:
    from collections.abc import Callable

CASES = [(path.stem, case) for path in sorted(FOLDER.glob("*.md")) for case in read_cases(path.name)]
NAMES = {
    "NOW": NOW, "add_learning": add_learning, "amend": amend, "prune_learnings": prune_learnings,
    "reinforce": reinforce, "reopen": reopen, "resolve": resolve,
}  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS, ids=("LF", "CRLF", "CR"))
@pytest.mark.parametrize("bom", ["", BOM], ids=("", "BOM"))
@pytest.mark.parametrize(
    "case", [case for _, case in CASES], ids=[f"{name}: {case.title}" for name, case in CASES]
)
def test_case(case: Case, bom: str, ending: str) -> None:
    before, after = (text.replace("\n", ending) for text in (case.before, case.after))
    if case.call.endswith(".archive"):
        bom = ""  # of the registry: the archive is another file
    if not before:
        ending, after = "\n", case.after  # an empty file has no line ending of its own
    assert eval(case.call, {**NAMES, "text": bom + before}) == bom + after


def test_every_edit_has_a_case_in_which_nothing_changes_first() -> None:
    for path in FOLDER.glob("*.md"):
        first = read_cases(path.name)[0]
        assert first.after.startswith(first.before)


# The laws of docs/format.md, on hostile texts -----------------------------------------------------


def meanings(text: str) -> list[tuple[object, ...]]:
    return [meaning(section) for section in parse(text).sections]


def check_span(before: str, after: str, entry: Learning) -> None:
    """Nothing outside the entry's span changed, and the other sections read as they did."""
    assert after.startswith(before[: entry.start])
    assert after.endswith(before[entry.end :])
    here = [section.start for section in parse(before).sections].index(entry.start)
    old, new = meanings(before), meanings(after)
    del old[here], new[here]
    assert new == old
    assert seen(after.removeprefix(BOM)) == judged(after.removeprefix(BOM))


def can_end(text: str) -> bool:
    """Whether a line can end what is open at the end; none can where it is nested too deep."""
    document = parse(text)
    return not document.open or document.closer is not None


def editable(text: str) -> list[Learning]:
    assume(conflict_line(text) is None and can_end(text))
    entries = parse_learnings(text)
    numbers = [entry.number for entry in entries]
    return [entry for entry in entries if numbers.count(entry.number) == 1]


@given(registries(), st.sampled_from((resolve, reopen)))
def test_a_change_of_state_changes_the_heading_alone(text: str, change: Callable[[str, str], str]) -> None:
    for entry in editable(text):
        after = change(text, entry.id)
        assert change(after, entry.id) == after
        check_span(text, after, entry)
        new = find(parse_learnings(after), entry.id)
        assert (new.title, new.fields) == (entry.title, entry.fields)
        assert new.resolved is (change is resolve)
        assert after is text or entry.resolved is not new.resolved


@given(
    registries(),
    titles() | st.none(),
    st.dictionaries(
        st.sampled_from(("Learning", "Context", "Note", "Example", "Was")), values() | st.none(), max_size=3
    ),
)
def test_an_amendment_changes_its_fields_alone_and_reads_back(
    text: str, title: str | None, fields: dict[str, str | None]
) -> None:
    assume(title is None or title.strip())
    assume(fits(*fields.values()))
    for entry in editable(text):
        try:
            after = amend(text, entry.id, title=title, fields=fields)
        except RegistryError:
            assert is_hemmed_in(text, entry)
            continue
        check_span(text, after, entry)
        assert amend(after, entry.id, title=title, fields=fields) == after
        new = find(parse_learnings(after), entry.id)
        wanted = dict(entry.fields)
        for label, value in fields.items():
            wanted.pop(label.lower(), None)
            if value is not None:
                wanted[label.lower()] = clean_value(label, fenced(value) if label == "Example" else value)
        assert new.fields == wanted
        assert new.title == (entry.title if title is None else title.strip())
        assert new.resolved is entry.resolved


def is_hemmed_in(text: str, entry: Learning) -> bool:
    """Whether indented text right behind an entry would be drawn into any field at its end, or is open."""
    tail = text[entry.end :] + "\n" if entry.end < len(text) else ""
    indented = tail[:1] in (" ", "\t")
    return indented or text[entry.start : entry.end].count("```") % 2 == 1 or parse(text).open


@given(registries())
def test_being_met_again_is_a_field_and_nothing_else(text: str) -> None:
    for entry in editable(text):
        try:
            after = reinforce(text, entry.id, now=NOW)
        except RegistryError:
            assert is_hemmed_in(text, entry) or (entry.field("Reinforced") and entry.reinforced is None)
            continue
        check_span(text, after, entry)
        assert reinforce(after, entry.id, now=NOW) == after
        new = find(parse_learnings(after), entry.id)
        assert new.reinforced == date(2026, 11, 30)
        assert {**new.fields, "reinforced": ""} == {**entry.fields, "reinforced": ""}


@given(st.one_of(registries(), hostile_texts()), titles(), values(), more_fields())
def test_what_is_added_is_read_back_and_the_file_before_it_stays(
    text: str, title: str, lesson: str, more: dict[str, str]
) -> None:
    assume(conflict_line(text) is None and "L999999999" not in text)
    document = parse(text)
    assume(can_end(text) and fits(lesson, *more.values()) and title.strip())
    added = add_learning(text, title=title, learning=lesson, more=more, now=NOW)
    *old, new = parse_learnings(added.text)
    if text.removeprefix(BOM).strip():
        assert added.text.startswith(text)
        assert added.closed == (document.closer or "")
    assert [entry[:4] for entry in old] == [entry[:4] for entry in parse_learnings(text)]
    assert new.id == added.id
    assert new.number == max((entry.number for entry in old), default=0) + 1 or any(
        entry.was for entry in old
    )
    assert (new.title, new.resolved) == (title.strip(), False)
    wanted = {
        label.lower(): cleaned for label, value in more.items() if (cleaned := clean_value(label, value))
    }
    wanted |= {"type": "mistake", "severity": "important", "date": "2026-11-30"}
    assert new.fields == {**wanted, "learning": clean_value("Learning", lesson) or title.strip()}
    plain = added.text.removeprefix(BOM)
    assert seen(plain) == judged(plain)
    assert not parse(added.text).open


@given(values())
def test_a_title_is_made_from_any_lesson(lesson: str) -> None:
    assume(lesson.strip() and fits(lesson))
    (new,) = parse_learnings(add_learning("", learning=lesson, now=NOW).text)
    assert not new.resolved
    assert len(new.title) <= registry.TITLE_LENGTH
    assert new.learning == clean_value("Learning", lesson)


@given(values())
def test_cleaning_twice_is_cleaning_once(value: str) -> None:
    assume(fits(value))
    once = clean_value("Learning", value)
    assert clean_value("Learning", once) == once
    assert fenced(fenced(value)) == fenced(value)


@given(registries(), st.sampled_from((0, 0.1, 0.5, 9)))
def test_pruning_moves_entries_and_loses_nothing(text: str, threshold: float) -> None:
    assume(conflict_line(text) is None and can_end(text))
    entries = parse_learnings(text)
    try:
        pruned = prune_learnings(text, now=NOW, threshold=threshold)
    except RegistryError:
        assume(any(is_hemmed_in(text, entry) for entry in entries))
        return
    going = [entry for entry in entries if entry.resolved or decay_score(entry, NOW) < threshold]
    assert list(pruned.removed) == going
    assert list(pruned.kept) == [entry for entry in entries if entry not in going]
    gone = {entry.start for entry in going}
    assert meanings(pruned.text) == [meaning(each) for each in parse(text).sections if each.start not in gone]
    assert going or pruned.text is text
    archived = parse_learnings(pruned.archive)
    assert sorted(map(without_day, archived)) == sorted(map(without_day, going))
    assert all(each.field("Pruned") == "2026-11-30" for each in archived)
    assert words(outside(pruned.text)) == words(outside(text))
    again = prune_learnings(pruned.text, now=NOW, threshold=threshold, archive=pruned.archive)
    assert (again.text, again.archive) == (pruned.text, pruned.archive)
    repeated = prune_learnings(text, now=NOW, threshold=threshold, archive=pruned.archive)
    assert repeated.archive == pruned.archive


def without_day(entry: Learning) -> str:
    return repr(
        (entry[:3], sorted((label, value) for label, value in entry.fields.items() if label != "pruned"))
    )


def fits(*values: str | None) -> bool:
    """Whether none of the values nests deeper than readers look."""
    try:
        return all(value is None or clean_value("Learning", value) is not None for value in values)
    except DraftError:
        return False


def outside(text: str) -> str:
    """What no section covers."""
    at, found = 0, ""
    for section in parse(text).sections:
        found += text[at : section.start] + "\n"
        at = section.end
    return found + text[at:]


def words(text: str) -> list[str]:
    return text.removeprefix(BOM).split()


@given(registries())
def test_editing_leaves_what_was_there_in_its_line_endings(text: str) -> None:
    assume(conflict_line(text) is None and "L999999999" not in text)
    assume(can_end(text))
    crlf = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
    assume("\n" in crlf)
    added = add_learning(crlf, title="x", learning="y\nz", now=NOW).text
    assert added.count("\n") == added.count("\r") == added.count("\r\n")


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize("title", REFUSED_TITLES)
def test_a_title_that_would_forge_something_is_refused(title: str) -> None:
    with pytest.raises(DraftError):
        add_learning("", title=title, learning="x", now=NOW)
    with pytest.raises(DraftError):
        amend("### L001: x\n", "L001", title=title)


@pytest.mark.parametrize("value", REFUSED)
def test_control_characters_are_refused(value: str) -> None:
    with pytest.raises(DraftError, match="control character"):
        add_learning("", learning=value, now=NOW)
    with pytest.raises(DraftError, match="control character"):
        amend("### L001: x\n", "L001", fields={"Context": value})


@pytest.mark.parametrize(
    "value", ["x\n" + "- " * 9 + "y", "x\n" + "1. " * 30 + "y", "x\n\n   " + "- " * 9 + "y"]
)
def test_lists_that_would_hide_the_rest_of_the_file_are_refused(value: str) -> None:
    with pytest.raises(
        DraftError, match="the learning nests lists deeper than Markdown readers look; flatten it"
    ):
        add_learning("", title="x", learning=value, now=NOW)
    assert add_learning("", title="x", learning="- " * 8 + "x\n" + "> " * 30 + "y", now=NOW).id == "L001"


@pytest.mark.parametrize(
    "label", ["", " ", "a:b", "a：b", "a*b", "*", "a\n### L009: x", "a\rb", "a\u2028b", "\0"]
)
def test_a_label_that_would_not_be_read_back_is_refused(label: str) -> None:
    with pytest.raises(DraftError, match="no label"):
        add_learning("", learning="x", more={label: "y"}, now=NOW)
    with pytest.raises(DraftError, match="no label"):
        amend("### L001: x\n", "L001", fields={label: "y"})


@pytest.mark.parametrize(
    ("draft", "message"),
    [
        ({"type": "warning"}, "'warning' is no type; write one of mistake, convention, gotcha, decision"),
        ({"severity": "high"}, "'high' is no severity; write one of critical, important, info"),
        ({"category": "cooking"}, "'cooking' is no category; write one of errors"),
        ({"confidence": 1.5}, "'1.5' is no confidence; write a number of 0.00-1.00"),
        ({"confidence": "much"}, "'much' is no confidence"),
        ({"confidence": float("nan")}, "'nan' is no confidence"),
        ({"learning": "", "title": " "}, "there is nothing to add; give a lesson or a title"),
        ({"title": "a\nb"}, "a title is one line; put the rest into the lesson"),
        ({"title": "[RESOLVED] a"}, r"a title can't start or end with \[RESOLVED\]; use `qlearn resolve`"),
        ({"more": {"Date": "2026-02-31"}}, "'2026-02-31' is no date; write YYYY-MM-DD"),
        ({"more": {"Severity": "high"}}, "'high' is no severity"),
        ({"learning": "a\0"}, r"the learning holds the control character U\+0000; take it out"),
        ({"title": "a\x1b"}, r"the title holds the control character U\+001B; take it out"),
    ],
)
def test_a_bad_draft_is_a_clear_error(draft: dict[str, object], message: str) -> None:
    with pytest.raises(DraftError, match=f"^{message}"):
        add_learning("", **{"learning": "x", **draft}, now=NOW)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"Type": "warning"}, "no type"),
        ({"severity": "high"}, "no severity"),
        ({"Category": "cooking"}, "no category"),
        ({"Confidence": "2"}, "no confidence"),
        ({"Date": "today"}, "no date"),
        ({"reinforced": "2026-13-01"}, "no date"),
        ({"Pruned": "in May"}, "no date"),
    ],
)
def test_a_bad_amendment_is_a_clear_error(fields: dict[str, str], message: str) -> None:
    with pytest.raises(DraftError, match=message):
        amend("### L001: x\n", "L001", fields=fields)


def test_what_stands_where_a_day_should_is_not_overwritten() -> None:
    text = "### L001: x\n- **Reinforced**: yesterday,\n  I think\n"
    with pytest.raises(
        RegistryError, match="line 1: Reinforced of L001 holds 'yesterday, I think', which would be"
    ):
        reinforce(text, "L001", now=NOW)
    assert reinforce(text.replace("yesterday,\n  I think", ""), "L001", now=NOW).endswith(": 2026-11-30\n")


@pytest.mark.parametrize(("value", "shown"), [("y" * 40, "y" * 40), ("y" * 41, "y" * 39 + "…")])
def test_a_long_value_that_is_not_overwritten_is_shown_in_40_characters(value: str, shown: str) -> None:
    message = (
        f"line 1: Reinforced of L001 holds '{shown}', which would be lost;"
        " write a plain value and put the rest elsewhere"
    )
    with pytest.raises(RegistryError, match=f"^{message}$"):
        reinforce(f"### L001: x\n- **Reinforced**: {value}\n", "L001", now=NOW)


def test_a_title_can_not_be_emptied() -> None:
    with pytest.raises(DraftError, match=r"^a title can't be empty$"):
        amend("### L001: x\n", "L001", title=" ")


def test_a_time_without_a_zone_is_a_clear_error() -> None:
    with pytest.raises(ValueError, match=r"^now has no time zone; pass an aware datetime$"):
        add_learning("", learning="x", now=datetime(2026, 11, 30))  # noqa: DTZ001 - that is the point


@pytest.mark.parametrize("threshold", [-1, float("nan")])
def test_a_threshold_that_is_none_is_a_clear_error(threshold: float) -> None:
    with pytest.raises(ValueError, match="must be 0 or more"):
        prune_learnings("", now=NOW, threshold=threshold)


EDITS: dict[str, Callable[[str], object]] = {
    "add": lambda text: add_learning(text, learning="x", now=NOW),
    "amend": lambda text: amend(text, "L001", fields={}),
    "reinforce": lambda text: reinforce(text, "L001", now=NOW),
    "resolve": lambda text: resolve(text, "L001"),
    "reopen": lambda text: reopen(text, "L001"),
    "prune": lambda text: prune_learnings(text, now=NOW),
    "prune into": lambda text: prune_learnings("", now=NOW, archive=text),
}


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize("mark", ["<<<<<<< ours", ">>>>>>> theirs", "||||||| base", "<<<<<<<", ">>>>>>>\r"])
def test_a_file_with_conflict_markers_is_not_written(name: str, mark: str) -> None:
    what = "the archive" if name == "prune into" else "the registry"
    with pytest.raises(
        RegistryError, match=f"^{what} has a git conflict marker on line 3; resolve the conflict first$"
    ):
        EDITS[name](f"### L001: x\r\n\r\n{mark}\n")


def test_an_entry_with_conflict_markers_is_not_put_into_a_file() -> None:
    (entry,) = parse_learnings("### L001: x\n")
    piece = "### L001: x\n\n<<<<<<< ours\n"
    with pytest.raises(RegistryError, match=r"^L001 has a git conflict marker on line 3"):
        append_pieces("", [(piece, entry)])
    with pytest.raises(RegistryError, match=r"^L001 has a git conflict marker on line 3"):
        replace_entry("### L001: x\n", entry, piece, entry)


@pytest.mark.parametrize(
    "line", ["  <<<<<<< ours", "<<<<<<<x", "<<<<<< ours", "=======", "a <<<<<<< b", "<<<<<<<< x", ""]
)
def test_what_is_no_conflict_marker_is_none(line: str) -> None:
    assert conflict_line(f"a\n{line}\nb") is None


@pytest.mark.parametrize("name", ["amend", "reinforce", "resolve", "reopen"])
def test_an_entry_that_is_not_there_is_a_clear_error(name: str) -> None:
    with pytest.raises(NotFoundError, match=r"^No learning 'L001'. Did you mean L010\?$"):
        EDITS[name]("### L010: x\n### L345: y\n")
    with pytest.raises(
        NotFoundError, match=r"^No learning 'L001'; `qlearn list --all` shows those there are$"
    ):
        EDITS[name]("### no id\n")


@pytest.mark.parametrize("name", ["amend", "reinforce", "resolve", "reopen"])
def test_an_id_that_stands_twice_is_a_clear_error(name: str) -> None:
    with pytest.raises(
        RegistryError, match="L001 stands on lines 1 and 3; `qlearn fix` gives one a new number"
    ):
        EDITS[name]("### L001: x\n\n### L1: y\n")


@pytest.mark.parametrize("name", ["", "L", "L1234567890", "X12", "1.5", "L-1", "L１２", "L1 2"])
def test_what_is_no_id_is_a_clear_error(name: str) -> None:
    with pytest.raises(NotFoundError, match="is no id; write L and a number, such as L012"):
        parse_id(name)


@pytest.mark.parametrize("name", ["L012", "l012", "12", " L12 ", "000012"])
def test_an_id_is_read_as_people_type_it(name: str) -> None:
    assert parse_id(name) == 12


def test_a_text_that_ends_too_deep_to_be_ended_is_not_added_to() -> None:
    with pytest.raises(
        RegistryError, match=r"^the registry ends in containers nested too deep to add an entry"
    ):
        add_learning("- " * 20 + "x\n", learning="x", now=NOW)


def test_an_edit_that_would_not_read_back_is_not_made() -> None:
    # The code would become part of any field in front of it, and what is behind it belongs to the tag.
    text = "### L001: x\n\n      code\n\n<div>\ny\n"
    with pytest.raises(RegistryError, match="would not read back as meant, so nothing was written"):
        amend(text, "L001", fields={"Context": "z"})


def test_a_heading_that_can_not_be_marked_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "RESOLVED", "[DONE]")
    with pytest.raises(RegistryError, match="the heading of L001 on line 1 can't be marked; edit it by hand"):
        resolve("### L001: x\n", "L001")


# Numbers and references ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "archive", "expected"),
    [
        ("", "", 1),
        ("### L003: x\n### L001: y\n", "", 4),
        ("### L003: x\n", "### L007: y\n", 8),
        ("### L003: x\n- **Was**: L041, L005\n", "", 42),
        ("### L003: x\n- **Was**: L99999999\n", "", 100_000_000),
        ("### L003: x\n- **Was**: L100000000\n", "", 4),
        ("### L003: x\n", "### L001: y\n- **Was**: L009\n", 10),
        ("### L000: x\n", "", 1),
        ("### L003: see L099\n- **Learning**: L098\n- **Supersedes**: L097\n", "", 4),
        (
            "### 2026-07-03 Deploy 12 of 40\n### L9007199254740993: x\n### L12345678901234567890123: x\n",
            "",
            1,
        ),
        ("### L003: x\n- **Was**: XL041 and 055\n", "", 4),
        ("> ### L009: quoted\n<!--\n### L010: x\n-->\n", "", 1),
    ],
)
def test_the_next_number_is_one_above_the_largest_ever_used(text: str, archive: str, expected: int) -> None:
    assert next_number(parse_learnings(text), parse_learnings(archive)) == expected
    assert add_learning(text, learning="x", archive=archive, now=NOW).id == f"L{expected:03d}"


def test_the_last_number_has_no_next() -> None:
    with pytest.raises(RegistryError, match="L999999999 is in use, so there is no next number"):
        add_learning("### L999999999: x\n", learning="x", now=NOW)
    assert add_learning("### L999999998: x\n", learning="x", now=NOW).id == "L999999999"


def test_an_id_is_mentioned_by_the_entry_that_was_called_so() -> None:
    entries = parse_learnings("### L001: x\n### L002: y\n- **Was**: L001, L7\n### L003: z\n- **Was**: L012\n")
    assert [entry.id for entry in mentions(entries, "L1")] == ["L001", "L002"]
    assert [entry.id for entry in mentions(entries, "L007")] == ["L002"]
    assert mentions(entries, "L999") == ()


def test_a_key_and_an_id_of_another_tools_file_are_found() -> None:
    first = "### L001: a\n- **Was**: M002, LRN-20261104-001\n- **Key**: use-uv\n---\n"
    text = first + "### L002: b\n- **Was**: M0021,M0022\n---\n### L003: c\n- **Key**:\n"
    entries = parse_learnings(text)
    assert [entry.id for entry in mentions(entries, "M0022")] == ["L002"]
    for name in ("M002", "LRN-20261104-001", "use-uv"):
        assert [entry.id for entry in mentions(entries, name)] == ["L001"]
    for name in ("M00", "", " ", ",", "XXXX"):
        with pytest.raises(NotFoundError, match=f"'{name}' is no id"):
            mentions(entries, name)


# Adding, beyond the cases -------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "\n\n", " \r\n", "\ufeff", "\ufeff\n"])
def test_a_file_with_nothing_in_it_starts_with_the_header(text: str) -> None:
    added = add_learning(text, title="x", learning="y", now=NOW)
    newline = "\r\n" if "\r" in text else "\n"
    bom = text[: text.startswith(BOM)]
    assert added.text.startswith(bom + HEADER.replace("\n", newline) + newline + "### L001: x" + newline)
    assert added.closed == ""


@pytest.mark.parametrize("text", ["---\n", "\ufeff---\n", "### L009: x\n---\n \n", "### L009: x\n---\n  \n"])
def test_a_rule_at_the_end_is_not_doubled(text: str) -> None:
    added = add_entry(text, 1, "x", {}).text
    blank = "" if text.endswith(" \n") else "\n"
    assert added == f"{text}{blank}### L001: x\n- **Learning**: x\n\n---\n"


@pytest.mark.parametrize(
    "text", ["---\n\xa0\n", "---\nX\n", "### L009: Mac OS X\n", "### L009: Mac OS X  \n"]
)
def test_an_entry_is_parted_by_a_rule_from_any_text_before_it(text: str) -> None:
    assert add_entry(text, 1, "x", {}).text == f"{text}\n---\n\n### L001: x\n- **Learning**: x\n\n---\n"


@pytest.mark.parametrize("text", ["<div>\nx\r", "x\r", "```\nx\r", "### L001: x\n\n- a\nb\r"])
def test_a_lone_carriage_return_at_the_end_is_not_made_half_of_another_line_ending(text: str) -> None:
    text = "a\nb\n\n" + text
    added = add_learning(text, title="x", learning="y", now=NOW).text
    assert added.startswith(text)
    assert not added.startswith(text + "\n")
    assert seen(added)[: len(seen(text))] == seen(text)


@pytest.mark.parametrize(
    ("lesson", "title"),
    [
        ("Pin the lockfile.", "Pin the lockfile"),
        ("Pin it. Always.", "Pin it"),
        ("用中文。第二句。", "用中文"),
        ("Use v1.2 only", "Use v1.2 only"),
        ("**Never** push", "**Never** push"),
        ("`make` first\nthen test", "`make` first"),
        ("### A heading\ntext", "A heading"),
        ("- > 1. nested marks", "nested marks"),
        ("```sh\nmake test\n```", "make test"),
        ("---\n\nAfter a rule", "After a rule"),
        ("[RESOLVED] [RESOLVED] done [RESOLVED]", "done"),
        ("***", ""),
        ("word " * 30, "word " * 13 + "word…"),
        ("x" * 100, "x" * 71 + "…"),
        ("Really? Yes", "Really?"),
        ("Run it on Mac OS X.", "Run it on Mac OS X"),
        ("x" * 72 + ".", "x" * 72),
        ("word " * 13 + "wor, word", "word " * 13 + "wor…"),
        ("word " * 13 + "OSX word", "word " * 13 + "OSX…"),
        ("word " * 12 + "Part\xa0Eleven of it", "word " * 11 + "word…"),
    ],
)
def test_a_title_is_the_first_sentence_of_the_lesson(lesson: str, title: str) -> None:
    (new,) = parse_learnings(add_learning("", learning=lesson, now=NOW).text)
    assert new.title == title
    assert new.learning == lesson.strip()


def test_the_lesson_is_the_title_where_there_is_none() -> None:
    (new,) = parse_learnings(add_learning("", title="Pin it", now=NOW).text)
    assert (new.title, new.learning) == ("Pin it", "Pin it")


@pytest.mark.parametrize(
    ("confidence", "written"), [(0.5, "0.50"), (1, "1.00"), ("0.755", "0.755"), ("", None), (None, None)]
)
def test_a_confidence_is_written_with_two_places_or_as_it_was(
    confidence: float | str | None, written: str | None
) -> None:
    (new,) = parse_learnings(add_learning("", learning="x", confidence=confidence, now=NOW).text)
    assert new.field("Confidence") == written


def test_labels_are_written_in_their_usual_spelling_and_once() -> None:
    added = add_learning(
        "", learning="x", more={" TRIGGER ": "a", "severity": "info", "my own": "b"}, now=NOW
    ).text
    assert "- **Trigger**: a\n" in added
    assert added.count("everity**") == 1
    assert "- **Severity**: info\n" in added
    assert "- **my own**: b\n" in added


def test_the_day_that_is_written_is_one_of_utc(in_honolulu: None) -> None:
    late = datetime.fromisoformat("2026-11-30T23:30:00-05:00")
    assert "- **Date**: 2026-12-01\n" in add_learning("", learning="x", now=late).text
    assert "- **Reinforced**: 2026-12-01\n" in reinforce("### L001: x\n", "L001", now=late)
    assert "- **Pruned**: 2026-12-01\n" in prune_learnings("### L001: [RESOLVED] x\n", now=late).archive


def test_an_entry_may_be_added_as_it_is_in_another_file() -> None:
    with pytest.raises(DraftError, match=r"^there is nothing to add; give a lesson or a title$"):
        add_entry("", 7, "", {})
    fields = {"Type": "pattern", "Date": "long ago", "Odd": "kept", "Context": ""}
    added = add_entry("", 7, "x", fields, resolved=True)
    (new,) = parse_learnings(added.text)
    assert (new.id, new.title, new.resolved) == ("L007", "x", True)
    assert new.fields == {"type": "pattern", "date": "long ago", "learning": "x", "odd": "kept"}


def test_an_entry_is_written_in_one_form_and_read_as_a_learning() -> None:
    written = "### L007: x\n- **Learning**: x\n\n---\n"
    assert entry_piece(7, "x", {}) == (written, Learning(7, "x", False, {"learning": "x"}, 0, 0, 0))
    assert heading_line(7, "", False) == "### L007:"
    assert heading_line(7, "", True) == "### L007: [RESOLVED]"


def test_entries_of_another_letter_are_edited_by_the_same_rules() -> None:
    first = add_entry("", 1, "x", {}, letter="P", header="# Proposals\n").text
    assert first == "# Proposals\n\n### P001: x\n- **Learning**: x\n\n---\n"
    second = add_entry(first, 2, "y", {"Type": "gotcha"}, letter="P").text
    assert second == first + "\n### P002: y\n- **Type**: gotcha\n- **Learning**: y\n\n---\n"
    entry, other = learnings(parse(second), "P")
    edited = replace_entry(second, entry, "### P001: z\n", entry._replace(title="z", fields={}), "P")
    assert edited == "# Proposals\n\n### P001: z\n" + second[entry.end :]
    assert learnings(parse(edited), "P")[1][:4] == other[:4]


def test_pieces_keep_their_line_endings_and_give_them_to_an_empty_file() -> None:
    pieces = [("### L001: x\r\n", learned("### L001: x")), ("### L002: y", learned("### L002: y"))]
    written = append_pieces("", pieces[:1], header="# Mine\n")
    assert written == "# Mine\r\n\r\n### L001: x\r\n\r\n---\r\n"
    assert append_pieces(written, pieces[1:]) == f"{written}\r\n### L002: y\n\n---\n"
    assert append_pieces("", pieces, header="# Mine\n") == f"{written}\r\n### L002: y\n\n---\n"
    assert append_pieces("text\n", pieces[:1]) == "text\n\n---\n\n### L001: x\r\n\r\n---\r\n"


def learned(text: str) -> Learning:
    (entry,) = parse_learnings(text)
    return entry


def test_a_field_of_an_entry_alone_is_set_without_regard_to_what_follows() -> None:
    assert set_field("### L001: x\n", "Context", "y", "\n") == "### L001: x\n- **Context**: y\n"


@pytest.mark.parametrize(
    ("value", "cleaned"),
    [
        ("Mac OS X\nX", "Mac OS X\nX"),
        ("X", "X"),
        ("a\n \t\nX\n \nb", "a\n\nX\n\nb"),
        ("\xa0a\n\xa0\nb\xa0", "\xa0a\n\xa0\nb\xa0"),
        (" \n\t\n  a\n  b \n \n", "a\n  b"),
        ("\n\n\ta\r\rb\r\n", "a\n\nb"),
    ],
)
def test_blanks_round_a_value_are_taken_off_and_nothing_else(value: str, cleaned: str) -> None:
    assert clean_value("Learning", value) == cleaned
    assert find(parse_learnings(add_entry("", 1, "x", {"Learning": value}).text), "L001").learning == cleaned


@pytest.mark.parametrize(
    ("example", "written"),
    [
        ("\n  X = 1\n", "```\n  X = 1\n```"),
        ("X", "```\nX\n```"),
        ("a `b` ```` c", "`````\na `b` ```` c\n`````"),
        ("```\nX\n```", "```\nX\n```"),
        ("", ""),
        (" \n", " "),
    ],
)
def test_an_example_is_fenced_as_it_stands(example: str, written: str) -> None:
    assert fenced(example) == written


# Pruning, beyond the cases ------------------------------------------------------------------------


def test_a_pruned_entry_that_the_archive_holds_is_not_added_again() -> None:
    text = "### L001: [RESOLVED] x\n- **Learning**: y\n"
    first = prune_learnings(text, now=NOW)
    second = prune_learnings(text, now=NOW, archive=first.archive)
    assert second.archive == first.archive
    other = prune_learnings(text.replace("y", "z"), now=NOW, archive=first.archive)
    assert len(parse_learnings(other.archive)) == 2


def test_an_entry_that_was_pruned_before_gets_the_new_day() -> None:
    text = "### L001: [RESOLVED] x\n- **Pruned**: 2020-01-01\n"
    assert parse_learnings(prune_learnings(text, now=NOW).archive)[0].field("Pruned") == "2026-11-30"


def test_the_archive_keeps_the_entry_in_its_bytes() -> None:
    piece = "### L001: [RESOLVED] x\r\n* **Type:** gotcha\r\n+ **Odd**:  kept  \r\n\r\n  more\r\n"
    archive = prune_learnings(piece, now=NOW, archive="# Mine\n").archive
    assert archive.startswith("# Mine\n\n---\n\n### L001: [RESOLVED] x\r\n* **Type:** gotcha\r\n")
    assert "* **Pruned:** 2026-11-30\r\n+ **Odd**:  kept  \r\n\r\n  more\r\n" in archive


@pytest.mark.parametrize("end", ["Mac OS X", "\xa0"])
def test_blanks_alone_are_taken_off_the_end_of_an_archived_entry(end: str) -> None:
    piece = f"### L001: [RESOLVED] x\n- **Pruned**: 2026-11-30\n- {end}"
    archive = prune_learnings(f"{piece} \t\n\n", now=NOW, archive="# Mine\n").archive
    assert archive == f"# Mine\n\n---\n\n{piece}\n\n---\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("### L001: x\n### L002: [RESOLVED] y", "### L001: x\n"),
        ("### L001: [RESOLVED] x\n---\nfooter\n### L002: y\n", "footer\n### L002: y\n"),
        ("### L001: x\n### L002: [RESOLVED] y\n---\n### L003: z\n", "### L001: x\n\n### L003: z\n"),
        (
            "### L001: a\n### L002: [RESOLVED] b\n### L003: c\n\n### L004: [RESOLVED] d\n### L005: e\n",
            "### L001: a\n\n### L003: c\n\n### L005: e\n",
        ),
        ("text\n \t\n### L001: [RESOLVED] x\n---\n\n===", "text\n \t\n==="),
        ("\ufeff### L001: [RESOLVED] x\n### L002: y", "\ufeff### L002: y"),
        ("text\n### L001: [RESOLVED] x\n---\n### L002: [RESOLVED] y\n---\n\ntext", "text\n\ntext"),
        (
            "### L001: [RESOLVED] x\n---\n\nfooter\n### L002: [RESOLVED] y\n---\n\nfooter 2\n",
            "footer\n\nfooter 2\n",
        ),
        (
            "### L009: z\n### L001: [RESOLVED] x\n### L002: [RESOLVED] y\n\n---\nfooter",
            "### L009: z\n\n---\nfooter",
        ),
        (
            "### L009: z\n### L001: [RESOLVED] x\n---\nfooter\n### L002: [RESOLVED] y\n---\nfooter",
            "### L009: z\n\n---\nfooter\n\nfooter",
        ),
        ("### L009: z\n\n### L001: [RESOLVED] x\n```\nopen", "### L009: z\n\n"),
        ("### L001: [RESOLVED] x\n---\n```\nopen", "```\nopen"),
        ("\ufeff### L001: [RESOLVED] x\n---\n```\nopen", "\ufeff```\nopen"),
    ],
)
def test_what_is_left_stays_what_it_was(text: str, expected: str) -> None:
    assert prune_learnings(text, now=NOW, threshold=0).text == expected


def test_pruning_that_would_change_what_is_kept_is_not_done() -> None:
    # Without the entry between them, the indented lines would belong to the kept entry's lesson.
    text = "### L001: x\n- **Learning**: y\n\n### L002: [RESOLVED] z\n\n  w\n  ===\n"
    with pytest.raises(RegistryError, match="would not read back as meant"):
        prune_learnings(text, now=NOW, threshold=0)


def test_examples_in_the_documentation_hold() -> None:
    assert doctest.testmod(registry).failed == 0


@pytest.mark.parametrize(
    "heading",
    [
        *("L001：全角", "L001:x", "L001：全角 #", "L001: x", "L001:", "L001", "**L001**：x"),
        *("L001: Mac OS X", "L001:Mac OS X", "L001: x \t", "L001:\tx", "L001：C#", "L001:\u3000x"),
    ],
)
def test_what_was_resolved_is_reopened_byte_for_byte(heading: str) -> None:
    text = f"### {heading}\n- **Learning**: x\n"
    resolved = resolve(text, "L001")
    assert parse_learnings(resolved)[0].resolved
    assert reopen(resolved, "L001") == text


@pytest.mark.parametrize(
    ("heading", "marked"),
    [
        ("L001:\tx", "L001: [RESOLVED]\tx"),
        ("L001:", "L001: [RESOLVED]"),
        ("L001：C#", "L001：C# [RESOLVED]"),
        ("L001：a X#", "L001：a X# [RESOLVED]"),
        ("L001：x\t#", "L001：x [RESOLVED]\t#"),
        ("**L001:X**", "**L001: [RESOLVED] X**"),
        ("L001: Mac OS X", "L001: [RESOLVED] Mac OS X"),
    ],
)
def test_a_mark_stands_where_it_can_be_taken_off_again(heading: str, marked: str) -> None:
    assert resolve(f"### {heading}", "L001") == f"### {marked}"


@pytest.mark.parametrize(
    ("heading", "left"),
    [
        ("L001: Mac OS X [RESOLVED]", "L001: Mac OS X"),
        ("L001: x [RESOLVED] \t", "L001: x \t"),
        ("L001:\u3000[RESOLVED] x", "L001:\u3000 x"),
        ("L001: [RESOLVED] Mac OS X", "L001: Mac OS X"),
    ],
)
def test_a_mark_is_taken_off_with_the_blanks_before_it(heading: str, left: str) -> None:
    assert reopen(f"### {heading}", "L001") == f"### {left}"


@pytest.mark.parametrize(
    "behind", ["", "\n---\n", "\n#### More\nof it\n\n---\n", "\n#### More\nof it\n", "\n---\n\nfooter\n"]
)
def test_a_field_stands_behind_text_that_would_become_part_of_it(behind: str) -> None:
    text, at = f"### L001: x\n      code\n\ntext\n{behind}", behind.partition("\n---")[0]
    expected = f"### L001: x\n      code\n\ntext\n{at}- **Context**: y\n{behind.removeprefix(at)}"
    assert amend(text, "L001", fields={"Context": "y"}) == expected


def test_an_entry_is_edited_below_headings_that_are_no_sections() -> None:
    assert resolve("#### Notes\n\n### L001: x\n", "L001") == "#### Notes\n\n### L001: [RESOLVED] x\n"


@pytest.mark.parametrize("last", ["```\nopen\n", "```\nopen", "<div>\nopen\r", "<!-- open"])
def test_an_entry_is_edited_though_the_one_behind_it_is_open(last: str) -> None:
    text = f"### L001: x\n\n### L002: y\n{last}"
    assert resolve(text, "L001") == f"### L001: [RESOLVED] x\n\n### L002: y\n{last}"
    assert resolve(text, "L002") == f"### L001: x\n\n### L002: [RESOLVED] y\n{last}"
