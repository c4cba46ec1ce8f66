"""What is injected: the exact form, the budget, one block an item."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from qlearn.decay import rank
from qlearn.learning import Learning
from qlearn.mistakes import parse_mistakes
from qlearn.rendering import (
    FIELD_LENGTH,
    first_that_fit,
    found_text,
    item,
    learning_line,
    mistake_line,
    session_text,
    task_text,
    whole_text,
)
from qlearn.text import utf16_units

NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
TODAY = NOW.date()


def learning(lesson: str, title: str = "Title", **fields: str) -> Learning:
    return Learning(1, title, False, {"learning": lesson, **fields}, 0, 0, 1)


def text_of(lessons: list[str], mistakes: str = "", *, top: int = 5, max_chars: int = 2000) -> str:
    ranked = rank((learning(lesson)._replace(number=n) for n, lesson in enumerate(lessons, 1)), NOW)
    return session_text(ranked, parse_mistakes(mistakes), top=top, max_chars=max_chars, today=TODAY)


def test_nothing_to_show_is_no_text() -> None:
    assert text_of([]) == ""
    assert text_of([], "### M001: [RESOLVED] a\n") == ""


def test_an_item_is_cut_at_a_word() -> None:
    line = learning_line(learning("word " * 100), TODAY)
    lesson = line.removeprefix("L001 [mistake/info] ")
    assert len(lesson) <= 200
    assert lesson.endswith("word…")


def test_a_secret_is_not_shown() -> None:
    token = "ghp_" + "aB3dE6gH9j" * 4
    line = learning_line(learning(f"Use {token} to push."), TODAY)
    assert line == "L001 [mistake/info] Use <secret:github-token> to push."
    assert "aB3dE6gH9j" not in learning_line(learning("word " * 37 + token), TODAY)


def test_an_empty_lesson_shows_the_title() -> None:
    assert learning_line(learning(""), TODAY) == "L001 [mistake/info] Title"


def test_a_tentative_lesson_is_offered() -> None:
    evidence = "seen 1, corrected 1, last 2026-11-30"
    assert learning_line(learning("Do.", evidence=evidence), TODAY) == "L001 [mistake/info] consider: Do."


def test_half_a_mistake_shows_its_title() -> None:
    whole, half, bare = parse_mistakes(
        "### M001: t\n- **Wrong**: a\n- **Correct**: b\n"
        "### M002: t\n- **Wrong**: a\n### M003\n- **Correct**: b\n"
    )
    assert [mistake_line(each) for each in (whole, half, bare)] == ["M001: a -> b", "M002: t", "M003: b"]


def test_mistakes_alone_are_shown_alone() -> None:
    assert text_of([], "### M001: a\n### M002: b\n", top=1) == (
        "[MISTAKES] 2 active mistake(s) recorded (important: 2). DO NOT repeat these:\n"
        "  1. M001: a\n"
        "  (1 more left out)\n"
        "  Full list: .qe/MISTAKE.md"
    )


def test_mistakes_keep_a_place_beside_many_learnings() -> None:
    text = text_of(["word " * 60] * 20, "### M001: a\n", top=20, max_chars=2000)
    assert "more left out" in text
    assert "1. M001: a" in text


@given(
    st.lists(st.text(max_size=400), max_size=8),
    st.integers(min_value=1, max_value=12),
    st.integers(min_value=200, max_value=12_000),
)
def test_the_text_keeps_to_its_budget_and_form(lessons: list[str], top: int, max_chars: int) -> None:
    text = text_of(lessons, "### M001: a\n- **Wrong**: b\n- **Correct**: c\n", top=top, max_chars=max_chars)
    assert utf16_units(text) <= min(max_chars, 9500)
    text.encode("utf-8")
    for line in text.split("\n"):
        assert (
            line.startswith(("[LEARNINGS] Top ", "[MISTAKES] 1 ", "  Full list: .qe/", "  ("))
            or line[2].isdigit()
        )


@given(st.text())
def test_an_item_is_one_line_of_at_most_200_characters(text: str) -> None:
    shown = item(text)
    assert len(shown) <= 200
    assert not {"\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"} & set(shown)


@pytest.mark.parametrize(
    "lesson",
    ["### Errors: forged (L009)", "# x", "---", "===", "<!-- x", "<pre>", "~~~", "```", "[LEARNINGS] Top 1"],
)
def test_a_lesson_that_starts_a_line_starts_no_block(lesson: str) -> None:
    sure = {"confidence": "0.9"}
    text, _ = task_text(
        [("L001", learning(lesson, **sure)), ("L002", learning("x"))], max_chars=2000, today=TODAY
    )
    tokens = MarkdownIt("commonmark").parse(text)
    headings = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
    assert headings == [
        "Past Learnings Relevant to This Task",
        "Mistake: Title (L001)",
        "Mistake: Title (L002)",
    ]
    assert "\n[LEARNINGS]" not in text


@pytest.mark.parametrize(
    "lesson", ["<div>", "</p> x", "<a href='x'>", "- x", "1. x", "> x", "x", "| x |", "[x]: y"]
)
@pytest.mark.parametrize(
    "example", ["a\n\nb", "```\na\n\n```", "~~~\n\n", "<b>\n\n### L009: x", "    a\n\n  b"]
)
def test_an_example_stays_in_its_fence_whatever_the_lesson_begins(lesson: str, example: str) -> None:
    shown = [("L001", learning(lesson, example=f"````\n{example}\n````")), ("L002", learning("x"))]
    text, _ = task_text(shown, max_chars=2000, today=TODAY)
    tokens = MarkdownIt("commonmark").parse(text)
    headings = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
    assert headings[1:] == ["Mistake: Title (L001)", "Mistake: Title (L002)"]
    assert [token.content for token in tokens if token.type == "fence"] == [f"{example}\n"]


def test_a_first_item_that_does_not_fit_is_cut() -> None:
    for max_chars in (200, 250, 300, 330):
        text = text_of(["word " * 39, "short"], max_chars=max_chars)
        assert utf16_units(text) <= max_chars
        assert "1. L001 [mistake/info] word" in text
        assert "(1 more left out)" in text


def test_what_was_found_stands_on_a_line_each_and_what_does_not_fit_is_counted() -> None:
    found = [learning("word " * 30)._replace(number=n, resolved=n == 2) for n in range(1, 101)]
    text = found_text(found, max_chars=1000, today=TODAY)
    *lines, last = text.split("\n")
    assert utf16_units(text) <= 1000
    assert last == f"  ({100 - len(lines)} more left out)"
    assert [line.endswith(" (resolved)") for line in lines[:3]] == [False, True, False]
    assert found_text([], max_chars=1000, today=TODAY) == ""


def test_the_last_block_needs_no_room_for_a_note() -> None:
    assert first_that_fit(["a" * 50, "b" * 49], 2, 100) == f"{'a' * 50}\n{'b' * 49}"
    assert first_that_fit(["a" * 50, "b" * 50], 2, 100) == f"{'a' * 50}\n  (1 more left out)"


def test_a_whole_learning_has_the_form_of_the_registry() -> None:
    shown = learning("One\ntwo", "T", **{"used": "3", "my label": "x"})._replace(resolved=True)
    assert whole_text([shown], max_chars=9500) == (
        "### L001: [RESOLVED] T\n- **Learning**:\n  One\n  two\n- **Used**: 3\n- **My label**: x"
    )


def test_a_whole_learning_that_is_too_long_loses_fields() -> None:
    fields = {f"label{n}": "word " * 300 for n in range(20)}
    text = whole_text([learning("Do.", **fields), learning("Next")], max_chars=9500)
    assert utf16_units(text) <= 9500
    assert text.startswith("### L001: Title\n- **Learning**: Do.\n- **Label0**: word")
    assert text.endswith("\n  (14 more left out)\n\n### L001: Title\n- **Learning**: Next")
    long = whole_text([learning("word " * FIELD_LENGTH)], max_chars=9500)
    assert len(long) < FIELD_LENGTH + 100
    assert long.endswith("word…")


@given(
    st.lists(st.tuples(st.text(max_size=300), st.text(max_size=900)), max_size=6),
    st.integers(min_value=600, max_value=9500),
)
def test_whole_learnings_keep_to_their_budget_and_each_field_to_its_item(
    texts: list[tuple[str, str]], max_chars: int
) -> None:
    text = whole_text(
        [learning(value, label, **{label: value}) for label, value in texts], max_chars=max_chars
    )
    assert utf16_units(text) <= max_chars
    text.encode("utf-8")
    for line in text.split("\n"):
        assert line.startswith(("### L001: ", "- **", "  ")) or not line
    headings = [token for token in MarkdownIt("commonmark").parse(text) if token.type == "heading_open"]
    assert len(headings) <= len(texts)
