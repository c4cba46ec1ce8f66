"""What holds for every reader of other tools' files, whatever the text."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.interchange import foreign
from qlearn.learning import parse_learnings
from qlearn.registry import add_entry
from tests.interchange.documents import documents, listed
from tests.interchange.law import unaccounted

if TYPE_CHECKING:
    from qlearn.interchange import Reading

MARKDOWN = {
    "lessons": "tasks/lessons.md",
    "self_improving": ".learnings/LEARNINGS.md",
    "claude_memory": "memory/feedback_x.md",
    "jules": ".jules/bolt.md",
    "decisions": "docs/adr/0003-use-rest.md",
    "openwolf": ".wolf/cerebrum.md",
    "solutions": "docs/solutions/ui-bugs/x.md",
}
FRONTS = """

---
name: x y
description: When: so
type: feedback
---

---
title: T
severity: high
---

---
status: accepted
date: 2026-01-01
tags: [a, b]
odd: {a: 1}
---

---
---

---
open: x
"""
FRONT = st.sampled_from(["", *(front.strip("\n") + "\n" for front in FRONTS.split("\n\n"))])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-20, 20)
    | st.sampled_from(["a", "2026-01-01", "high", "x\ny", "", "é"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)
NAMES = st.sampled_from(
    listed(
        "id;key;type;insight;confidence;ts;date;tags;files;fix;error_message;file;root_cause;last_seen;title"
        ";source;resolved;status;severity;learning;context;a:b"
    )
)
RECORDS = st.dictionaries(NAMES, VALUES, max_size=8)


def read(name: str, path: str, text: str) -> tuple[dict[str, str], Reading]:
    files = {path: text}
    reading: Reading = import_module(f"qlearn.interchange.{name}").read(files)
    return files, reading


def assert_read_back(reading: Reading) -> None:
    for draft in reading.drafts:
        added = add_entry("", 1, draft.title, draft.fields, resolved=draft.resolved)
        (entry,) = parse_learnings(added.text)
        assert (entry.title, entry.resolved) == (draft.title, draft.resolved)
        assert dict(entry.fields) == {label.lower(): value for label, value in draft.fields.items()}


@pytest.mark.parametrize("name", MARKDOWN)
@given(front=FRONT, text=documents())
def test_every_line_of_markdown_ends_in_a_draft_or_is_passed_over(name: str, front: str, text: str) -> None:
    files, reading = read(name, MARKDOWN[name], front + text)
    assert unaccounted(files, reading) == []


@pytest.mark.parametrize("name", MARKDOWN)
@given(front=FRONT, text=documents())
def test_every_draft_from_markdown_is_read_back_as_it_was_made(name: str, front: str, text: str) -> None:
    assert_read_back(read(name, MARKDOWN[name], front + text)[1])


@given(st.lists(RECORDS.map(json.dumps) | st.sampled_from(["", "x", "[]", "\u200b"]), max_size=5))
def test_every_json_line_ends_in_a_draft_or_is_passed_over(lines: list[str]) -> None:
    _, reading = read("jsonl", "learnings.jsonl", "\n".join(lines))
    assert_read_back(reading)
    held = [*(draft.lineno for draft in reading.drafts), *(each.problem.lineno for each in reading.passed)]
    assert sorted(held) == [number for number, line in enumerate(lines, 1) if line.strip()]


@given(st.lists(RECORDS | VALUES, max_size=4), st.sampled_from([None, 1]))
def test_every_bug_ends_in_a_draft_or_is_passed_over(bugs: list[object], indent: int | None) -> None:
    text = json.dumps({"version": 1, "bugs": bugs}, indent=indent)
    _, reading = read("openwolf", ".wolf/buglog.json", text)
    assert_read_back(reading)
    without = [each for each in reading.passed if each.problem.message.startswith("bug without")]
    assert len(reading.drafts) + len(without) == len(bugs)


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    for name, path in [*MARKDOWN.items(), ("jsonl", "x.jsonl"), ("openwolf", "buglog.json")]:
        reader = import_module(f"qlearn.interchange.{name}")
        assert reader.recognises(path, text) in (0, 1, 2)
        files, reading = read(name, path, text)
        assert unaccounted(files, reading) == []


def test_an_entry_says_where_it_comes_from() -> None:
    draft = foreign.make("x", "docs/a b.md", (3, 4), "T", {"Context": "CI"}, old_id="ADR-7")
    assert draft.fields["Source"] == "import:x"
    assert draft.fields["Was"] == "ADR-7"
    assert draft.fields["Context"] == "CI (from docs/a b.md)"
    assert foreign.origin(draft.fields["Context"]) == ("docs/a b.md", "")
    assert foreign.without_origin(draft.fields["Context"]) == "CI"


def test_an_old_id_is_never_taken_for_a_number_of_the_registry() -> None:
    draft = foreign.make("x", "a.md", (1, 1), "T", {}, old_id="L012")
    assert "Was" not in draft.fields
    assert foreign.origin(draft.fields["Context"]) == ("a.md", "L012")


def test_what_nobody_can_see_is_shown() -> None:
    draft = foreign.make("x", "a\u202e.md", (1, 1), "a\u200bb\x1b[2J", {"Learning": "c\x07\r\nd\re"})
    assert draft.title == "a<U+200B>b<U+001B>[2J"
    assert draft.fields["Learning"] == "c<U+0007>\nd\ne"
    assert draft.fields["Context"] == "(from a<U+202E>.md)"


def test_a_title_that_is_too_long_becomes_part_of_the_lesson() -> None:
    long = "Never do this. " + "word " * 60
    draft = foreign.make("x", "a.md", (1, 1), long, {"Learning": "Because."})
    assert draft.title == "Never do this"
    assert draft.fields["Learning"] == f"{long.strip()}\n\nBecause."


def test_a_mark_of_being_resolved_becomes_the_state() -> None:
    draft = foreign.make("x", "a.md", (1, 1), "[RESOLVED] T [RESOLVED]", {})
    assert (draft.title, draft.resolved) == ("T", True)


def test_names_that_mean_something_here_are_marked_as_old() -> None:
    values = {
        "source": "x",
        "Area": "api",
        "tags": ["a", "b"],
        "a:b": 1,
        "date": "soon",
        "none": None,
        "on": True,
    }
    assert foreign.fields_of(values) == {
        "Old source": "x",
        "Domain": "api",
        "Keywords": "a, b",
        "a b": "1",
        "Old date": "soon",
        "on": "yes",
    }
