"""The store of session learning, in and out without a loss."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from qlearn.errors import DraftError, RegistryError
from qlearn.gate import admit
from qlearn.interchange import session_learning as store
from qlearn.interchange import session_record as record
from qlearn.interchange.intake import take_in
from qlearn.interchange.keeping import same
from qlearn.interchange.session_learning import read, write, write_onto
from qlearn.interchange.yamledit import sequence
from qlearn.interchange.yamltext import block, load
from qlearn.learning import CATEGORIES, FIELDS, Learning, parse_learnings
from qlearn.problems import check
from qlearn.registry import add_entry, amend
from tests.interchange.law import unaccounted
from tests.interchange.test_yamltext import TEXTS, VALUES

ERRORS = """\
# Kept by hand.
category: errors
last_updated: 2026-11-30
version: 2   # of the store

learnings:
  # The first one.
  - id: err-001
    created: 2026-11-02
    keywords: [import, circular]
    summary: Circular imports cause 'module not found' errors
    insight: |
      When module A imports from B while B imports A, a name is missing.

      Move the shared part out.
    example: |
      ```python
      from a import b
      ```
    confidence: 0.8
    times_used: 3
    owner: kim

  # The second one.
  - id: err-002
    created: "2026-11-03T10:00:00"
    keywords: ["a, b", c]
    summary: "Retry: once"
    insight: Retry once.
    confidence: 7
    times_used: 0
    notes: {seen: [1, 2], by: null}
"""
KEYS = st.sampled_from(
    [
        *record._READERS,
        *record._APART,
        *record._CHECKS,
        *record._MARKS,
        "owner",
        "context",
        "trigger",
        "files",
        "Key",
    ]
)
RECORDS = st.dictionaries(KEYS | TEXTS | st.integers(0, 3), VALUES, max_size=8)
USUAL = st.fixed_dictionaries(
    {"summary": TEXTS, "insight": TEXTS},
    optional={
        "id": TEXTS,
        "created": st.sampled_from(["2026-01-01", "2026-1-1", None]),
        "keywords": st.lists(TEXTS, max_size=3),
        "example": TEXTS,
        "confidence": st.floats(0, 1) | st.sampled_from([1, 0, True, 1.5]),
        "times_used": st.integers(0, 9),
    },
)


def back(text: str, name: str = "errors") -> list[Any]:
    """What a file's learnings are after they went through a registry."""
    reading = read({f"{name}.yaml": text})
    taken = take_in("", reading.drafts)
    return list(load(write(taken.text, parse_learnings(taken.text))[f"{name}.yaml"])["learnings"])


@example(
    [
        {"summary": "", "insight": "00"},
        {"summary": "0", "insight": "00"},
        {"summary": "0", "insight": ""},
    ],
    "\n",
    "",
)
@given(
    st.lists(RECORDS | USUAL, max_size=3), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\ufeff"])
)
def test_what_is_imported_and_exported_is_the_same_store(records: list[Any], newline: str, mark: str) -> None:
    text = mark + block({"category": "errors", "learnings": records}).replace("\n", newline)
    reading = read({"errors.yaml": text})
    taken = take_in("", reading.drafts)
    assert {outcome.verdict for outcome in taken.outcomes} <= {"added", "known"}
    files = write(taken.text, parse_learnings(taken.text))
    written = load(files["errors.yaml"])["learnings"]
    added = [outcome.draft.lineno for outcome in taken.outcomes if outcome.verdict == "added"]
    items = sequence(text.removeprefix("\ufeff"), "learnings") or ()
    values = [item.value for item in items if item.start + 1 in added]
    assert same(written, values)
    again = take_in(taken.text, reading.drafts, update=True)
    assert {outcome.verdict for outcome in again.outcomes} <= {"known"}
    assert again.text == taken.text
    onto = write_onto({"errors.yaml": text}, taken.text, parse_learnings(taken.text), today="2027-01-01")
    assert onto.files["errors.yaml"] == text
    assert onto.lost == ()


ENTRIES = st.lists(
    st.tuples(
        TEXTS,
        st.dictionaries(
            st.sampled_from([*FIELDS, "Odd", "summary", "insight", "id", "qlearn"]), TEXTS, max_size=6
        ),
        st.booleans(),
    ),
    max_size=4,
)


def registry(entries: list[tuple[str, dict[str, str], bool]]) -> str:
    """A registry with those of some entries that it can hold."""
    text = ""
    for number, (title, fields, resolved) in enumerate(entries, 3):
        try:
            admit({"title": title, **fields})
            text = add_entry(text, number, title, fields, resolved=resolved).text
        except (DraftError, RegistryError):
            continue
    return text


@given(ENTRIES)
def test_what_is_exported_and_imported_is_the_same_registry(drafts: list[Any]) -> None:
    text = registry(drafts)
    entries = parse_learnings(text)
    files = write(text, entries)
    again = take_in("", read(files).drafts)
    assert {said(entry) for entry in parse_learnings(again.text)} == {said(entry) for entry in entries}
    twice = take_in(text, read(files).drafts, update=True)
    assert twice.text == text
    assert {outcome.verdict for outcome in twice.outcomes} <= {"known"}
    assert write_onto(files, text, entries, today="2027-01-01").files == files


def said(entry: Learning) -> tuple[object, ...]:
    return entry.number, entry.title, entry.resolved, tuple(sorted(entry.fields.items()))


def test_a_learning_becomes_an_entry() -> None:
    first, second = read({"learnings/errors.yaml": ERRORS}).drafts
    assert (first.title, first.old_id, first.lineno, first.last) == (
        "Circular imports cause 'module not found' errors",
        "err-001",
        8,
        22,
    )
    assert first.fields == {
        "Type": "mistake",
        "Category": "errors",
        "Date": "2026-11-02",
        "Keywords": "import, circular",
        "Learning": (
            "When module A imports from B while B imports A, a name is missing.\n\nMove the shared part out."
        ),
        "Example": "```python\nfrom a import b\n```",
        "Confidence": "0.80",
        "Used": "3",
        "owner": "kim",
        "Context": "(from learnings/errors.yaml)",
        "Source": "import:session-learning",
        "Was": "err-001",
    }
    assert second.fields["Original"] == (
        '{created: "2026-11-03T10:00:00", keywords: ["a, b", c], confidence: 7, +ends: {insight: \'\'}}'
    ).replace('"2026-11-03T10:00:00"', "'2026-11-03T10:00:00'").replace('"a, b"', "'a, b'")
    assert second.fields["notes"] == "{seen: [1, 2], by: null}"
    assert second.fields["Date"] == "2026-11-03"


def test_types_follow_the_categories() -> None:
    files = {f"{name}.yaml": f"learnings:\n- summary: In {name}\n" for name in CATEGORIES}
    assert [(draft.fields["Category"], draft.fields["Type"]) for draft in read(files).drafts] == [
        ("errors", "mistake"),
        ("workflows", "convention"),
        ("tools", "gotcha"),
        ("architecture", "decision"),
        ("debugging", "gotcha"),
    ]


def test_every_line_is_accounted_for() -> None:
    files = {"errors.yaml": ERRORS, "_stats.yaml": "total: 1\n", "other.yaml": "a: 1\n"}
    reading = read(files)
    assert [(each.path, each.problem.lineno, each.problem.message) for each in reading.passed][:4] == [
        ("errors.yaml", 1, "comment"),
        ("errors.yaml", 2, "frame of the file"),
        ("errors.yaml", 3, "frame of the file"),
        ("errors.yaml", 4, "frame of the file"),
    ]
    keys = {
        "id",
        "created",
        "keywords",
        "summary",
        "insight",
        "example",
        "times",
        "used",
        "confidence",
        "10",
        "00",
    }
    for path, number, what in unaccounted(files, reading):
        assert what.startswith("lost {"), (path, number, what)
        lost = set(what[len("lost {") : what.index("}")].replace("'", "").split(", "))
        assert lost <= keys, (path, number, what)


def test_an_export_onto_the_files_changes_what_changed_and_keeps_the_rest() -> None:
    taken = take_in("", read({"errors.yaml": ERRORS}).drafts)
    files = write_onto({"errors.yaml": ERRORS}, taken.text, parse_learnings(taken.text)).files
    assert files["errors.yaml"] == ERRORS
    text = amend(taken.text, "L002", fields={"Learning": "Retry twice.", "Confidence": "0.6"})
    files = write_onto({"errors.yaml": ERRORS}, text, parse_learnings(text), today="2027-01-01").files
    assert files["errors.yaml"] == (
        ERRORS.replace("insight: Retry once.", "insight: Retry twice.")
        .replace("confidence: 7", "confidence: 0.6")
        .replace("last_updated: 2026-11-30", "last_updated: 2027-01-01")
    )


def test_other_learnings_in_the_files_are_kept_and_new_ones_come_behind_them() -> None:
    crlf = "\ufeff" + ERRORS.replace("\n", "\r\n")
    text = "### L007: New one\n- **Type**: mistake\n- **Date**: 2026-12-01\n- **Learning**: Say so.\n"
    files = write_onto({"errors.yaml": crlf}, text, parse_learnings(text)).files
    written = files["errors.yaml"]
    assert written.startswith("\ufeff# Kept by hand.\r\n")
    assert written.replace("\r\n", "").count("\n") == 0
    records = load(written.removeprefix("\ufeff"))
    assert records["last_updated"] == "2026-12-01"
    assert records["version"] == 2
    assert [record["id"] for record in records["learnings"]] == ["err-001", "err-002", "err-007"]
    assert records["learnings"][2] == {
        "id": "err-007",
        "created": "2026-12-01",
        "summary": "New one",
        "insight": "Say so.\n",
        "qlearn": "L007",
    }


def test_a_broken_file_hides_no_other() -> None:
    files = {
        "errors.yaml": "learnings: [\n",
        "tools.yaml": "category: tools\n",
        "debugging.yaml": "just text\n",
        "workflows.yaml": "learnings:\n- summary: Good\n- just text\n- {id: x}\n",
        "architecture.yaml": "\ufeff",
    }
    reading = read(files)
    assert [draft.title for draft in reading.drafts] == ["Good"]
    assert reading.broken == ("errors.yaml", "tools.yaml", "debugging.yaml")
    said = [(each.path, each.problem.message.split(";")[0], each.text) for each in reading.passed]
    assert said[:6] == [
        ("errors.yaml", "no YAML: expected the node content, but found '<stream end>'", ""),
        ("errors.yaml", "whole file", "learnings: [\n"),
        ("tools.yaml", "no list of learnings", ""),
        ("tools.yaml", "whole file", "category: tools\n"),
        ("debugging.yaml", "no list of learnings", ""),
        ("debugging.yaml", "whole file", "just text\n"),
    ]
    assert reading.passed[0].problem.lineno == 2
    assert [each[1] for each in said if each[0] == "workflows.yaml"] == [
        "frame of the file",
        "neither a summary nor an insight",
        "neither a summary nor an insight",
    ]


def test_an_id_that_stands_twice_is_named_and_both_learnings_are_kept() -> None:
    text = "learnings:\n- {id: a, summary: One}\n- {id: a, summary: Two}\n"
    reading = read({"tools.yaml": text})
    assert [draft.title for draft in reading.drafts] == ["One", "Two"]
    assert [each.problem.message for each in reading.passed if not each.text] == [
        "the id 'a' stands on line 2 already"
    ]
    assert back(text, "tools") == [{"id": "a", "summary": "One"}, {"id": "a", "summary": "Two"}]


def test_references_that_unfold_without_end_are_refused() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    for one, other in zip("abcdef", "bcdefg", strict=True):
        bomb += f"{other}: &{other} [{', '.join([f'*{one}'] * 10)}]\n"
    reading = read({"errors.yaml": bomb + "learnings:\n- {summary: x, y: *g}\n"})
    assert reading.broken == ("errors.yaml",)
    assert "unfold to too much" in reading.passed[0].problem.message


def test_no_object_is_made_of_a_file() -> None:
    reading = read({"errors.yaml": "learnings:\n- !!python/object/apply:os.system ['true']\n"})
    assert reading.broken == ("errors.yaml",)


def test_an_edited_field_counts_more_than_the_original() -> None:
    text = take_in("", read({"errors.yaml": ERRORS}).drafts).text
    text = amend(text, "L002", title="Retry", fields={"Date": "2026-11-04", "Confidence": "0.70"})
    record = load(write(text, parse_learnings(text))["errors.yaml"])["learnings"][1]
    assert (record["summary"], record["created"], record["confidence"]) == ("Retry", "2026-11-04", 0.7)
    assert record["keywords"] == ["a, b", "c"]
    assert record["insight"] == "Retry once."


def test_an_export_has_a_file_for_each_category_and_statistics() -> None:
    text = "### L001: x\n- **Type**: decision\n\n### L002: y\n- **Type**: gotcha\n- **Category**: debugging\n"
    files = write_onto({}, text, parse_learnings(text), stats={"injections": 3}).files
    assert list(files) == [*(f"{name}.yaml" for name in CATEGORIES), "_stats.yaml"]
    assert load(files["_stats.yaml"]) == {
        "total_learnings": 2,
        "by_category": {"errors": 0, "workflows": 0, "tools": 0, "architecture": 1, "debugging": 1},
        "injections": 3,
    }
    assert load(files["debugging.yaml"]) == {
        "category": "debugging",
        "last_updated": None,
        "learnings": [
            {
                "id": "dbg-002",
                "summary": "y",
                "insight": "y\n",
                "qlearn": {"id": "L002", "fields": {"Learning": None}},
            }
        ],
    }


def test_a_new_id_is_none_that_is_taken() -> None:
    text = (
        "### L001: x\n- **Type**: mistake\n\n### L002: y\n- **Category**: errors\n"
        "- **Source**: import:session-learning\n- **Was**: err-001\n"
    )
    records = load(write(text, parse_learnings(text))["errors.yaml"])["learnings"]
    assert [record["id"] for record in records] == ["err-1001", "err-001"]


def test_what_an_import_wrote_has_no_flaw() -> None:
    text = take_in("", read({"errors.yaml": ERRORS}).drafts).text
    assert check(text, now=dt.datetime(2026, 12, 1, tzinfo=dt.UTC)) == ()


STORED = {f"{name}.yaml" for name in CATEGORIES}


def stored(text: str, files: dict[str, str], folder: str = "") -> dict[str, list[Any]]:
    """The learnings of each file that is there after an export onto it."""
    written = write_onto(files, text, parse_learnings(text), folder=folder)
    return {
        name: load(written.files[name].removeprefix("\ufeff"))["learnings"]
        for name in files
        if name in STORED
    }


def test_a_copy_in_another_file_stays_where_it_is() -> None:
    copy = "learnings:\n- {id: e, summary: One, insight: 1x}\n- {id: e, summary: Two, insight: 2x}\n"
    files = {"errors.yaml": copy, "debugging.yaml": copy}
    text = take_in("", read(files).drafts).text
    assert write_onto(files, text, parse_learnings(text)).files.items() >= files.items()


def test_another_learning_of_the_same_id_is_not_written_over() -> None:
    text = take_in(
        "", read({"s/tools.yaml": "learnings:\n- {id: t, summary: One, insight: a}\n"}).drafts
    ).text
    other = "learnings:\n- {id: t, summary: Other, insight: b}\n"
    assert [each["summary"] for each in stored(text, {"tools.yaml": other}, "x")["tools.yaml"]] == [
        "Other",
        "One",
    ]
    assert [each["summary"] for each in stored(text, {"tools.yaml": other}, "s")["tools.yaml"]] == ["One"]
    other = "learnings:\n- {id: t, summary: One, insight: b}\n"
    assert [each["insight"] for each in stored(text, {"tools.yaml": other}, "x")["tools.yaml"]] == ["a"]


def test_two_projects_can_share_a_store() -> None:
    one = add_entry("", 1, "One", {"Type": "mistake", "Learning": "First."}).text
    two = add_entry("", 1, "Two", {"Type": "mistake", "Learning": "Second."}).text
    files = write(one, parse_learnings(one))
    assert [(each["id"], each["summary"]) for each in stored(two, files)["errors.yaml"]] == [
        ("err-001", "One"),
        ("err-1001", "Two"),
    ]


def test_a_learning_moves_with_its_category() -> None:
    text = take_in("", read({"errors.yaml": ERRORS}).drafts).text
    text = add_entry(text, 3, "Own", {"Type": "mistake", "Learning": "Mine."}).text
    files = write_onto({"errors.yaml": ERRORS}, text, parse_learnings(text)).files
    text = amend(amend(text, "L002", fields={"Category": "tools"}), "L003", fields={"Type": "gotcha"})
    written = write_onto(files, text, parse_learnings(text))
    assert written.lost == ()
    assert written.files["errors.yaml"].startswith("# Kept by hand.\ncategory: errors\n")
    assert [each["id"] for each in load(written.files["errors.yaml"])["learnings"]] == ["err-001"]
    assert [each["id"] for each in load(written.files["tools.yaml"])["learnings"]] == ["err-002", "tool-003"]


def test_unknown_keys_that_came_later_are_kept() -> None:
    text = add_entry("", 1, "One", {"Type": "mistake", "Learning": "First.", "Used": "2"}).text
    files = {
        "errors.yaml": write(text, parse_learnings(text))["errors.yaml"] + "    owner: kim  # since May\n"
    }
    text = amend(text, "L001", fields={"Used": "3"})
    changed = write_onto(files, text, parse_learnings(text)).files["errors.yaml"]
    assert changed == files["errors.yaml"].replace("times_used: 2", "times_used: 3")


def test_what_can_not_be_kept_is_named() -> None:
    text = add_entry("", 1, "One", {"Type": "mistake", "Learning": "First."}).text
    files = {
        "errors.yaml": "learnings: [{a: 1}, # note\n  2]\n",
        "tools.yaml": "just text\n",
        "debugging.yaml": "a: [\n",
        "workflows.yml": "# mine\n",
        "architecture.yaml": " \n",
        "_stats.yaml": "- 1\n",
    }
    written = write_onto(files, text, parse_learnings(text))
    assert sorted(written.lost) == [
        "_stats.yaml",
        "debugging.yaml",
        "errors.yaml",
        "tools.yaml",
        "workflows.yml",
    ]
    assert written.counts["errors.yaml"] == (1, 0)
    assert [each.get("id") for each in load(written.files["errors.yaml"])["learnings"] if each != 2] == [
        None,
        "err-001",
    ]
    assert "workflows.yaml" not in written.files


def test_figures_come_into_the_statistics_that_are_there() -> None:
    files = {"_stats.yaml": "# mine\nextra: 1\nshown: 0  # times\n"}
    written = write_onto(files, "", (), stats={"shown": 4})
    assert written.files["_stats.yaml"].startswith(
        "# mine\nextra: 1\nshown: 4  # times\ntotal_learnings: 0\n"
    )
    assert write_onto({"_stats.yaml": "a: [\n"}, "", ()).lost == ("_stats.yaml",)


def test_a_file_that_is_too_large_is_neither_read_nor_written() -> None:
    large = "learnings:\n" + "# much\n" * 300_000
    reading = read({"errors.yaml": large})
    assert (reading.drafts, reading.broken) == ((), ())
    assert reading.passed[0].problem.message == "larger than 2,000,000 characters; nothing was read"
    with pytest.raises(DraftError, match=r"errors.yaml: larger than 2,000,000 characters"):
        write_onto({"errors.yaml": large}, "", ())


def test_files_of_a_store_are_known_by_their_names_and_their_list() -> None:
    assert store.recognises("a/errors.yaml", "learnings: []") == 2
    assert store.recognises("errors.yml", 'category: x\n"learnings":\n') == 2
    assert store.recognises("errors.yaml", "a: 1") == 0
    assert store.recognises("a/my-errors.yaml", "learnings: []") == 0
    assert store.belongs("a/tools.yaml", ["a/errors.yaml"])
    assert not store.belongs("b/tools.yaml", ["a/errors.yaml"])
    assert not store.belongs("a/other.yaml", ["a/errors.yaml"])


def test_what_no_entry_can_hold_is_passed_over() -> None:
    deep = "".join(f"{' ' * depth * 2}- x\n" for depth in range(300))
    reading = read({"errors.yaml": block({"learnings": [{"summary": "x", "insight": deep}]})})
    assert reading.drafts == ()
    assert "nests lists deeper" in reading.passed[1].problem.message


def test_an_original_that_somebody_damaged_does_no_harm() -> None:
    text = take_in("", read({"errors.yaml": ERRORS}).drafts).text
    for odd in ("[1", "5", "{+ends: 5, +without: 6}", "{+ends: {confidence: x}, +without: [[1]]}"):
        changed = amend(text, "L002", fields={"Original": odd})
        assert load(write(changed, parse_learnings(changed))["errors.yaml"])["learnings"][1]["insight"] == (
            "Retry once.\n"
        )


def test_a_learning_of_an_entry_may_be_edited_by_hand() -> None:
    text = add_entry("", 7, "One", {"Type": "mistake", "Learning": "First.", "Keywords": "a,b"}).text
    file = write(text, parse_learnings(text))["errors.yaml"]
    (draft,) = read({"errors.yaml": file.replace("[a, b]", "[a, c]").replace("id: err-007", "id: 7")}).drafts
    assert (draft.number, draft.old_id, draft.fields["Keywords"]) == (7, "", "a, c")
    (draft,) = read({"errors.yaml": file.replace("summary:", "'a: b*': x\n    summary:")}).drafts
    assert draft.fields == {"Type": "mistake", "Learning": "First.", "Keywords": "a,b"}
    (draft,) = read({"tools.yaml": file.replace("fields:", "files:")}).drafts
    assert draft.fields == {"Type": "gotcha", "Learning": "First.", "Keywords": "a, b"}
