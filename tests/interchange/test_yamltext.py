"""YAML of plain data, and values in the fields of an entry: nothing changes on the way."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.interchange.keeping import decode, encode, is_label, same
from qlearn.interchange.yamltext import block, flow, load

ODD_TEXTS = [
    *("a: b", "# x", "- a", "'x'", "5", "null", "2026-01-01", "a\nb\n", " x", "x ", "\u2028", "no", "L012"),
    *("x\n\n\ny", "(from x)", "CI (from a.md)\n", "```\nx\n```", "err-001", "high", "x\n   \ny\n", "a, b"),
    *("[RESOLVED] x", "\u200b", "\x1b[1m", "---", "### L001: x", "- **Type**: gotcha\n", "x" * 210, "\ud800"),
]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=10) | st.sampled_from(ODD_TEXTS)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**6) | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | st.integers(0, 5), inner, max_size=2),
    max_leaves=4,
)


@given(VALUES)
def test_yaml_gives_back_what_was_written(value: object) -> None:
    assert same(load(block(value)), value)
    assert same(load(flow(value)), value)
    assert "\n" not in flow(value)


@given(VALUES, TEXTS)
def test_values_and_the_texts_of_fields_are_one_to_one(value: object, text: str) -> None:
    assert same(decode(encode(value)), value)
    assert encode(decode(text)) == text


@pytest.mark.parametrize(
    "text", ["a", "a: b", "5", "'5'", "''5''", "null", "[1, 2]", "[1,2]", "~", "- a\n- b"]
)
def test_a_text_means_what_is_written_as_that_text(text: str) -> None:
    assert encode(decode(text)) == text


def test_truths_are_no_numbers_and_numbers_are_equal_by_value() -> None:
    assert same({"a": [1, "x"]}, {"a": [1.0, "x"]})
    assert same(float("nan"), float("nan"))
    assert not same(True, 1)
    assert not same([1], [1, 2])
    assert not same({"a": 1}, {"b": 1})
    assert not same("1", 1)


def test_labels_are_lower_case_and_of_one_line() -> None:
    assert is_label("owner")
    assert not any(map(is_label, ("Owner", "a: b", "", "x*", "a\u200b", " a")))


@pytest.mark.parametrize("day", ["2026-11-30", "2026-11-30T10:00:00Z", "!!timestamp 2026-11-30"])
def test_days_are_texts(day: str) -> None:
    assert load(f"a: {day}") == {"a": day.removeprefix("!!timestamp ")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [\n", "line 2: expected the node content, but found '<stream end>'"),
        ("a:\n\t- b\n", "line 2: found character '\\t' that cannot start any token"),
        ("a: 1\n--- \nb: 2\n", "line 2: but found another document"),
        ("a: 1\r\nb: \x00\r\n", "line 2: the character U+0000"),
        ("a: !!python/object/apply:os.system ['true']\n", "line 1: could not determine a constructor for"),
        ("a: !!binary aGk=\n", "line 1: could not determine a constructor for"),
        ("a: &x [*x]\n", "its references unfold to too much"),
        ("a: *b\n", "line 1: found undefined alias"),
        ("a: " + "[" * 5000, "nested too deep"),
        ("a: " + "9" * 5000, "Exceeds the limit"),
        ("a: !!bool maybe\n", "a value that its tag does not fit"),
        ("a: !!int ''\n", "a value that its tag does not fit"),
        ("{[a]: b}\n", "line 1: found unhashable key"),
    ],
)
def test_what_is_no_plain_data_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=rf"\A{re.escape(message)}"):
        load(text)


@pytest.mark.parametrize("one", ["[{}]", "{{x: 1, <<: [{}]}}", "[[{}]]"])
def test_references_that_unfold_without_end_are_refused_before_they_do(one: str) -> None:
    bomb = "- &a {x: x}\n"
    for older, newer in zip("abcdefghijklmnop", "bcdefghijklmnopq", strict=True):
        bomb += f"- &{newer} {one.format(', '.join([f'*{older}'] * 9))}\n"
    started = time.perf_counter()
    with pytest.raises(ValueError, match="unfold to too much"):
        load(bomb)
    assert time.perf_counter() - started < 5


def test_references_that_people_write_are_followed() -> None:
    assert load("a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}\n") == {
        "a": {"b": 1},
        "c": {"b": 1},
        "d": {"b": 1, "e": 2},
    }
