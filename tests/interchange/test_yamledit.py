"""Edits of YAML that people keep: what did not change keeps its bytes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.interchange.keeping import same
from qlearn.interchange.yamledit import revise, sequence, without
from qlearn.interchange.yamltext import block, load
from tests.interchange.test_yamltext import VALUES

STORE = """\
# Kept by hand.
name:   errors      # of the store
list:
  # The first one.
  - id: a           # never changes

    text: |         # as it came
      One.

      # No comment.
    count: 3  # times

  - id: b
    text: >-
      Two
      lines.
    more: {x: 1}
    count: 0
# The end.
"""


TEXT = "|         # as it came\n      One.\n\n      # No comment."


def changed(edit: dict[str, Any], number: int | None = None) -> str | None:
    """The store with other values of some keys, of the whole or of an item; None takes a key out."""
    whole = load(STORE)
    part = whole if number is None else whole["list"][number]
    part.update(edit)
    for key in [key for key, value in edit.items() if value is None]:
        del part[key]
    result = revise(STORE, whole)
    assert result is None or load(result) == whole
    return result


def test_what_is_the_same_stays_the_same() -> None:
    assert revise(STORE, load(STORE)) == STORE


@pytest.mark.parametrize(
    ("number", "edit", "before", "after"),
    [
        (0, {"count": 4}, "count: 3  # times", "count: 4  # times"),
        (0, {"id": "c"}, "id: a           # never", "id: c           # never"),
        (None, {"name": "tools"}, "name:   errors      # of", "name:   tools      # of"),
        (0, {"text": "One"}, TEXT, "One         # as it came"),
        (0, {"text": "A\nB\n"}, "      One.\n\n      # No comment.", "      A\n      B"),
        (0, {"count": "a\nb\n"}, "count: 3  # times", "count: |  # times\n      a\n      b"),
        (0, {"count": "a\nb"}, "count: 3  # times", "count: |-  # times\n      a\n      b"),
        (0, {"count": ["a\nb"]}, "count: 3  # times", "count:  # times\n      - |-\n        a\n        b"),
        (0, {"new": [1, 2]}, "count: 3  # times", "count: 3  # times\n    new: [1, 2]"),
        (1, {"new": "x"}, "    count: 0\n", "    count: 0\n    new: x\n"),
        (1, {"text": "Two"}, ">-\n      Two\n      lines.", "Two"),
        (1, {"more": {"x": 2}}, "more: {x: 1}", "more:\n      x: 2"),
        (1, {"more": None}, "    more: {x: 1}\n", ""),
        (1, {"count": None, "new": 1}, "    count: 0\n", "    new: 1\n"),
        (None, {"new": {"a": [1]}}, "    count: 0\n", "    count: 0\nnew:\n  a: [1]\n"),
    ],
)  # fmt: skip
def test_an_edit_leaves_the_rest(number: int | None, edit: dict[str, Any], before: str, after: str) -> None:
    assert before in STORE
    assert changed(edit, number) == STORE.replace(before, after)


def test_new_items_follow_the_last_one_as_the_others_do() -> None:
    whole = load(STORE)
    whole["list"] += [{"id": "c", "text": "x\ny\n"}, "plain"]
    assert revise(STORE, whole) == STORE.replace(
        "    count: 0\n", "    count: 0\n\n  - id: c\n    text: |\n      x\n      y\n\n  - plain\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("list: []  # none yet\nx: 1\n", "list:  # none yet\n  - a: 1\nx: 1\n"),
        ("list:   \nx: 1\n", "list:\n  - a: 1   \nx: 1\n"),
        ("list:", "list:\n  - a: 1\n"),
        ("list: [1]", "list:\n  - 1\n  - a: 1\n"),
        ("list:\n- 1", "list:\n- 1\n- a: 1\n"),
        ("list:\n-   b: 1", "list:\n-   b: 1\n- a: 1\n"),
        ("x: 1 # y", "x: 1 # y\nlist:\n  - a: 1\n"),
        ("---\nlist: [] \n...\n", "---\nlist: \n  - a: 1\n...\n"),
    ],
)
def test_a_list_takes_its_first_item(before: str, after: str) -> None:
    old = load(before)
    result = revise(before, {**old, "list": [*(old.get("list") or []), {"a": 1}]})
    assert result is not None
    assert [line.rstrip() for line in result.split("\n")] == [line.rstrip() for line in after.split("\n")]


def test_items_are_changed_in_place_however_they_are_written() -> None:
    assert revise("l:\n-   a: 1\n    b: 2\n-\n  a: 3\n", {"l": [{"a": 1, "b": 5}, {"a": 4}]}) == (
        "l:\n-   a: 1\n    b: 5\n-\n  a: 4\n"
    )
    assert revise("l:\n- {a: 1}\n- - 2\n- x\n", {"l": [{"a": 2}, [3], "x\ny\n"]}) == (
        "l:\n- a: 2\n- - 3\n- |\n  x\n  y\n"
    )
    assert revise("l:\n-   {a: 1}\n", {"l": [{"a": 2, "b": 3}]}) == "l:\n-   a: 2\n    b: 3\n"


def test_line_ends_are_those_of_the_text() -> None:
    text = STORE.replace("\n", "\r\n")
    whole = load(STORE)
    whole["list"][0] = {**whole["list"][0], "text": "A\nB\n", "new": 1}
    del whole["list"][1]["more"]
    assert revise(text, whole) == (revise(STORE, whole) or "").replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {"a": 1}),
        ("a: 1", [1]),
        ("- 1", [2]),
        ("[1]", [1, 2]),
        ("a: &x [1]\nb: *x\n", {"a": [1, 2], "b": [1]}),
        ("a: &x {c: 1}\nb: *x\n", {"a": {"c": 1}, "b": {"c": 2}}),
        ("a: [1, # one\n  2]\n", {"a": [1, 3]}),
        ("a: 1\na: 2\n", {"a": 3}),
        ("l:\n- a: 1\n  a: 2\n", {"l": [{"a": 3}]}),
        ("a: 1 # one\nb: 2", {"b": 2}),
        ("a: 1\nb: 2\n", {"c": 2}),
        ("a:\n- 1\n- 2 # two\n", {"a": [1]}),
        ("a: 1\n", {"a": 1, "x" * 200: 2}),
        ("a: !!str | # why\n  b\n", {"a": "c"}),
    ],
)
def test_nothing_is_lost_on_the_way(text: str, value: object) -> None:
    result = revise(text, value)
    assert result is None or (same(load(result), value) and result.count("#") == text.count("#"))


def test_a_key_of_many_lines_goes_with_all_of_them() -> None:
    assert revise("a: 1\nb: |\n  x\n  y\nc: 2\n", {"a": 1, "c": 2}) == "a: 1\nc: 2\n"
    assert revise("a: 1\r\nb: 2\r\n", {"a": 1}) == "a: 1\r\n"


def test_a_whole_item_is_written_anew_where_its_parts_can_not_be() -> None:
    assert (
        revise("l:\n- a: 1\n  a: 1\n- {b: 1}\n", {"l": [{"a": 1}, {"b": 2}]})
        == "l:\n- a: 1\n  a: 1\n- b: 2\n"
    )
    assert revise("l:\n- a: &x 1\n  b: *x\n", {"l": [{"a": 2, "b": 1}]}) == "l:\n- a: 2\n  b: 1\n"


def test_items_have_their_lines() -> None:
    assert [(item.start, item.end) for item in sequence(STORE, "list") or ()] == [(4, 11), (12, 18)]
    assert sequence("list:\n", "list") == []
    assert sequence("list: 1\n", "list") is None
    assert sequence("a: 1\n", "list") is None
    assert sequence("", "list") is None
    twice = sequence("list:\n- a: 1\n  a: 2\n  b: {c: 1, c: 2}\n- x\n", "list") or []
    assert [item.repeated for item in twice] == [("a", "c"), ()]
    with pytest.raises(ValueError, match="the key list stands there twice"):
        sequence("list: [1]\nlist: [2]\n", "list")
    merged = sequence("a: &a\n  list:\n  - 1\n<<: *a\n", "list") or []
    assert [(item.start, item.end) for item in merged] == [(2, 3)]
    same_ = sequence("list:\n- &a x: 1\n- - 2\n  - *a\n- y: *a\n", "list") or []
    assert [(item.start, item.end) for item in same_] == [(1, 2), (2, 4), (4, 5)]


def test_items_can_be_taken_out() -> None:
    assert without("list:\n- a: 1\n- b: 1\n- c\n", "list", [0, 2]) == "list:\n- b: 1\n"
    assert without("list:\n- a: 1 # x\n- b: 1\n", "list", [0]) is None
    assert without("list: [1, 2]\n", "list", [0]) is None
    assert without("list:\n- 1\n- 2", "list", [1]) == "list:\n- 1\n"


ITEMS = st.lists(st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3), max_size=4)


@given(ITEMS, ITEMS, st.sampled_from(["\n", "\r\n"]))
def test_any_edit_reads_as_meant(old: list[Any], new: list[Any], newline: str) -> None:
    text = re.sub(r"(?m)^(  - )", r"\n  # note\n\1", block({"x": 1, "list": old})).replace("\n", newline)
    if not same(load(text), {"x": 1, "list": old}):
        return
    value = {"x": 2, "list": new + old[len(new) :]}
    result = revise(text, value)
    if result is None:
        assert "#" in block(old)
        return
    assert same(load(result), value)
    assert result.count("# note") == text.count("# note")
    for item, after in zip(sequence(text, "list") or (), new + old[len(new) :], strict=False):
        if same(item.value, after):
            lines = text.split(newline)[item.start : item.end]
            assert newline.join(lines).rstrip() in result
