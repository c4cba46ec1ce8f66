"""Learnings out and in again, in each format."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn import interchange
from qlearn.errors import NotFoundError, RegistryError
from qlearn.interchange import Draft
from qlearn.interchange.intake import take_in
from qlearn.interchange.json import dumps
from qlearn.learning import Learning, parse_learnings
from qlearn.problems import check
from qlearn.registry import add_learning
from tests.hostile import HIDDEN, smuggled

NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
OWN = ("md", "json")

# Pieces of registries that are easily lost or mistaken for others.
TITLES = st.sampled_from(
    [
        "Pin it",
        "[RESOLVED] Old",
        "Old [RESOLVED]",
        "C# #",
        "한글 ✅",
        "a: b",
        "",
        "`[RESOLVED]` in code",
        "*x*",
        "\u2028",
    ]
)
LINES = st.sampled_from(
    [
        "- **Type**: gotcha", "- **Severity**: high", "* **Date:** 2026-02-31", "- **Learning**:",
        "- **Learning**: x", "  more", "", "  - nested", "  ```sh", "  ### L009: no entry", "  ```", "```",
        "> - **Type**: quoted", "- **My Field**: kept", "- **my field**: twice", "prose", "<!-- hidden",
        "-->", "<div>", "    code", "- plain", "- **Context**: a\tb", "1. one", "#### deeper", "***",
        "- **Used**: 3", "- **Evidence**: seen 2, last 2026-11-30", "+ **Keywords**：a，b", "=======",
        "\u200b", "- **Example**:", "- **\u202e**: x",
    ]
)  # fmt: skip


@st.composite
def registries(draw: st.DrawFn) -> str:
    """A registry without doubled numbers."""
    numbers = draw(st.lists(st.integers(1, 9999), unique=True, max_size=4))
    pieces = ["# Registry\n\n---\n\n"]
    for number in numbers:
        lines = draw(st.lists(LINES, max_size=7))
        pieces.append("\n".join([f"### L{number:03d}: {draw(TITLES)}", *lines, "", ""]))
        pieces.append(draw(st.sampled_from(["---\n\n", "", "## Section\n\n", "\n"])))
    return draw(st.sampled_from(["", "\ufeff"])) + "".join(pieces).replace(
        "\n", draw(st.sampled_from(["\n", "\r\n", "\r"]))
    )


def said(entries: tuple[Learning, ...]) -> list[tuple[object, ...]]:
    """All that entries say, and not where they stand."""
    return [(entry.number, entry.title, entry.resolved, dict(entry.fields)) for entry in entries]


@pytest.mark.parametrize("name", OWN)
@given(text=registries())
def test_what_is_exported_and_imported_is_the_same_registry(name: str, text: str) -> None:
    entries = parse_learnings(text)
    if len({entry.number for entry in entries}) < len(entries):
        return  # a heading in a fence that another line opened
    reading = interchange.reader(name).read(interchange.writer(name).write(text, entries))
    taken = take_in("", reading.drafts, as_is=True)
    assert said(parse_learnings(taken.text)) == said(entries)
    assert {outcome.verdict for outcome in taken.outcomes} <= {"added"}
    assert take_in(taken.text, reading.drafts, as_is=True).text == taken.text


@pytest.mark.parametrize("name", OWN)
@given(text=registries(), other=registries())
def test_an_import_keeps_what_is_there_and_accounts_for_every_entry(name: str, text: str, other: str) -> None:
    files = interchange.writer(name).write(other, parse_learnings(other))
    drafts = interchange.reader(name).read(files).drafts
    taken = take_in(text, drafts)
    assert taken.text.startswith(text.rstrip("\r\n"))
    before, after = parse_learnings(text), parse_learnings(taken.text)
    assert said(after[: len(before)]) == said(before)
    assert [outcome.draft for outcome in taken.outcomes] == list(drafts)
    added = [outcome for outcome in taken.outcomes if outcome.verdict == "added"]
    assert [outcome.id for outcome in added] == [entry.id for entry in after[len(before) :]]
    new = {entry.number for entry in after[len(before) :]}
    assert len(new) == len(added)
    assert not new & {entry.number for entry in before}


def test_a_number_that_is_taken_or_was_used_once_is_not_used_again() -> None:
    text = "### L001: One\n\n### L002: Two\n- **Was**: L007\n"
    archive = "### L005: Five\n"
    other = "### L001: Uno\n\n### L005: Cinco\n\n### L007: Siete\n\n### L020: Veinte\n\n### L000: Cero\n"
    drafts = interchange.reader("md").read({"other.md": other}).drafts
    taken = take_in(text, drafts, archive=archive)
    assert [(outcome.id, outcome.reason) for outcome in taken.outcomes] == [
        ("L021", "L001 is taken"),
        ("L022", "L005 is taken"),
        ("L023", "L007 is taken"),
        ("L020", ""),
        ("L024", ""),
    ]
    assert [entry.title for entry in parse_learnings(taken.text)][2:] == [
        "Uno",
        "Cinco",
        "Siete",
        "Veinte",
        "Cero",
    ]


@pytest.mark.parametrize("name", OWN)
def test_a_number_that_leaves_no_room_is_not_kept(name: str) -> None:
    text = (
        "### L999999999: Last\n- **Was**: M001\n\n"
        "### L099999999: Kept\n- **Was**: L999999998\n\n"
        "### L100000000: Over\n"
    )
    files = interchange.writer(name).write(text, parse_learnings(text))
    drafts = interchange.reader(name).read(files).drafts
    taken = take_in("### L001: One\n", drafts)
    assert [(outcome.id, outcome.reason) for outcome in taken.outcomes] == [
        ("L100000000", "L999999999 would leave no room for others"),
        ("L99999999", ""),
        ("L100000001", "L100000000 would leave no room for others"),
    ]
    assert [entry.was for entry in parse_learnings(taken.text)[1:]] == [
        "M001, L999999999",
        "L999999998",
        "L100000000",
    ]
    assert take_in(taken.text, drafts).text == taken.text
    assert add_learning(taken.text, title="Next", now=NOW).id == "L100000002"


def test_a_mistake_can_not_set_what_only_its_reader_says() -> None:
    text = """\
### M007: Deploy
- **Wrong**: on Friday
- **Correct**: on Monday
- **Learning**: obey me
- **Type**: decision
- **Was**: L001
- **Source**: user
- **Evidence**: seen 99
- **Secret**: allowed
- **Old type**: older
- **Keywords**: release
"""
    (draft,) = interchange.reader("mistake").read({"MISTAKE.md": text}).drafts
    assert draft.fields | {"Date": "", "Context": ""} == {
        "Type": "mistake",
        "Severity": "important",
        "Date": "",
        "Learning": "on Friday -> on Monday",
        "Context": "",
        "Source": "import:mistake",
        "Was": "M007",
        "Keywords": "release",
        "Old Learning": "obey me",
        "Old Type": "decision",
        "Old Was": "L001",
        "Old Source": "user",
        "Old Evidence": "seen 99",
        "Old Secret": "allowed",
        "Old Old type": "older",
    }
    assert [outcome.verdict for outcome in take_in("", (draft,)).outcomes] == ["added"]


def test_a_lesson_that_is_known_is_not_added_again() -> None:
    archive = "### L002: Gone\n- **Learning**: Never force-push.\n"
    drafts = (
        Draft("Other title", {"Learning": "pin  THE lockfile"}),
        Draft("Another", {"learning": "never force-push."}),
        Draft("New", {}),
    )
    taken = take_in("### L001: Pin\n- **Learning**: Pin the lockfile\n", drafts, archive=archive)
    assert [(outcome.verdict, outcome.id, outcome.reason) for outcome in taken.outcomes] == [
        ("known", "L001", "stands there already"),
        ("known", "L002", "was pruned and stands in the archive"),
        ("added", "L003", ""),
    ]


def test_a_draft_that_can_not_be_read_back_is_refused_and_the_others_are_taken() -> None:
    drafts = (Draft("Bad\ntitle", {}), Draft("Bad label", {"a: b": "x"}), Draft("", {}), Draft("Good", {}))
    taken = take_in("", drafts)
    assert [outcome.verdict for outcome in taken.outcomes] == ["refused", "refused", "refused", "added"]
    assert all(outcome.reason for outcome in taken.outcomes[:3])
    assert [entry.title for entry in parse_learnings(taken.text)] == ["Good"]


def test_nothing_is_taken_into_a_registry_with_conflicts() -> None:
    with pytest.raises(RegistryError, match="line 1"):
        take_in("<<<<<<< ours\n=======\n>>>>>>> theirs\n", (Draft("x", {}),))


def test_a_document_says_what_was_passed_over() -> None:
    text = "### Without an id\n\n### L001: With one\n"
    reading = interchange.reader("md").read({"a.md": text})
    assert [draft.title for draft in reading.drafts] == ["With one"]
    assert [(passed.path, passed.problem) for passed in reading.passed] == [("a.md", check(text)[0])]


def test_json_that_somebody_edited_counts_as_edited() -> None:
    text = "### L007: Pin\n- **Type**: gotcha\n- **Learning**: Old\n"
    records = json.loads(interchange.writer("json").write(text, parse_learnings(text))["learnings.json"])
    records[0]["fields"]["Learning"] = "New\nlines"
    (draft,) = interchange.reader("json").read({"x.json": json.dumps(records)}).drafts
    assert draft == Draft("Pin", {"Type": "gotcha", "Learning": "New\nlines"}, number=7, path="x.json")


def test_json_made_by_hand_is_read() -> None:
    records = [
        {
            "title": "Pin",
            "learning": "Pin it",
            "keywords": ["pip", "uv"],
            "confidence": 0.5,
            "evidence": {"seen": 2, "last": None},
            "symptom": "drift",
            "resolved": True,
            "used": 0,
            "context": None,
        }
    ]
    (draft,) = interchange.reader("json").read({"x.json": json.dumps(records)}).drafts
    assert draft.resolved
    assert draft.fields == {
        "Learning": "Pin it",
        "Keywords": "pip, uv",
        "Confidence": "0.5",
        "Evidence": "seen 2",
        "symptom": "drift",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[\n{",
            "no JSON: Expecting property name enclosed in double quotes: line 2 column 2 (char 3); nothing",
        ),
        ("[" * 100_000, "nested too deep; nothing was read"),
        ('{"id": "L001"}', "no array of learnings; nothing was read"),
        ("[1]", "element 1 has neither a title nor a lesson; it was passed over"),
        ("[{}]", "element 1 has neither a title nor a lesson; it was passed over"),
        ("9" * 5000, "no JSON: Exceeds the limit (4300 digits) for integer string conversion"),
    ],
)
def test_bad_json_is_reported(text: str, message: str) -> None:
    reading = interchange.reader("json").read({"x.json": text})
    assert reading.drafts == ()
    assert reading.passed[0].problem.message.startswith(message)


@given(st.text() | st.text(HIDDEN))
def test_json_loses_nothing_and_holds_nothing_that_hides_or_acts(text: str) -> None:
    written = dumps([text])
    assert json.loads(written) == [text]
    assert all(char.isprintable() or char == "\n" for char in written)
    assert smuggled(written) == []


def test_mistakes_become_learnings() -> None:
    text = """\
### M002: [RESOLVED] Deploy
- **Date**: 2026-11-01
- **Wrong**: on Friday
- **Correct**: on Monday
- **Context**: release
- **Severity**: minor
- **Seen by**: Kim

### M003: Only a title
"""
    drafts = interchange.reader("mistake").read({"MISTAKE.md": text}).drafts
    taken = take_in("", drafts)
    first, second = parse_learnings(taken.text)
    assert (first.title, first.resolved, first.learning) == ("Deploy", True, "on Friday -> on Monday")
    assert (first.type, first.severity, str(first.date), first.context) == (
        "mistake",
        "info",
        "2026-11-01",
        "release",
    )
    assert (first.source, first.was, first.field("Seen by")) == ("import:mistake", "M002", "Kim")
    assert (second.learning, second.severity, second.date) == ("Only a title", "important", None)
    assert take_in(taken.text, drafts).text == taken.text


def test_a_mistake_of_several_lines_is_kept_whole() -> None:
    text = "### M001: x\n- **Wrong**: a\n  b\n- **Correct**: c\n"
    (draft,) = interchange.reader("mistake").read({"MISTAKE.md": text}).drafts
    assert draft.fields["Learning"] == "a\nb\n-> c"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("notes.md", "### L001: x\n", ("md", 2)),
        ("deep/MISTAKE.md", "### M001: x\n", ("mistake", 2)),
        ("MISTAKE.md", "No mistakes yet.\n", ("lessons", 2)),
        ("x.json", '[{"title": "x", "learning": "y"}]', ("json", 2)),
        ("x.json", '[{"title": "x"}]', ("json", 1)),
        ("package.json", '{"name": "x"}', ("", 0)),
        ("notes.txt", "### L001: x\n", ("", 0)),
        ("notes.md", "# Notes\n", ("", 0)),
        ("notes.md", "## 2026-01-01: x\ny\n", ("lessons", 1)),
        ("tasks/lessons.md", "", ("lessons", 2)),
        (".learnings/ERRORS.md", "", ("self-improving", 2)),
        (".jules/bolt.md", "", ("jules", 2)),
        (".Jules/palette.md", "", ("jules", 2)),
        (".wolf/cerebrum.md", "", ("openwolf", 2)),
        (".wolf/buglog.json", '{"bugs": []}', ("openwolf", 2)),
        (".squad/decisions.md", "", ("decisions", 2)),
        ("docs/adr/0001-x.md", "", ("decisions", 2)),
        ("docs/adr/notes.md", "# Notes\n", ("", 0)),
        ("docs/solutions/ui/x.md", "", ("solutions", 2)),
        ("memory/MEMORY.md", "", ("claude-memory", 1)),
        ("memory/a.md", "---\nname: a\ntype: feedback\n---\nx\n", ("claude-memory", 2)),
        ("learnings.jsonl", '{"key": "a", "insight": "b"}', ("jsonl", 2)),
        ("events.jsonl", '{"event": "a"}', ("", 0)),
    ],
)
def test_a_format_is_recognised(path: str, text: str, expected: tuple[str, int]) -> None:
    assert interchange.recognise(path, text) == expected


def test_files_are_sorted_by_their_formats() -> None:
    files = {"notes.md": "## 2026-01-01: x\ny\n", ".jules/bolt.md": "", "LESSONS.md": "", "x.py": ""}
    assert interchange.sort(files) == {
        "jules": {".jules/bolt.md": ""},
        "lessons": {"notes.md": files["notes.md"], "LESSONS.md": ""},
    }
    assert interchange.sort(files, least=2) == {
        "jules": {".jules/bolt.md": ""},
        "lessons": {"LESSONS.md": ""},
    }


def test_an_unknown_format_is_refused_by_name() -> None:
    with pytest.raises(NotFoundError, match="no format 'xml'; there are md, json, mistake, "):
        interchange.reader("xml")
    with pytest.raises(NotFoundError, match="no format 'mistake'; there are md, json"):
        interchange.writer("mistake")


def test_every_format_has_what_it_is_listed_for() -> None:
    for name in interchange.READABLE:
        assert callable(interchange.reader(name).read)
        assert callable(interchange.reader(name).recognises)
    for name in interchange.WRITABLE:
        assert callable(interchange.writer(name).write)
