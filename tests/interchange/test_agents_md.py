"""The block in AGENTS.md: what is in it, and that nothing else changes."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from qlearn.errors import RegistryError
from qlearn.interchange import Frame
from qlearn.interchange.agents_md import (
    BEGIN,
    END,
    block,
    find_block,
    stale,
    with_block,
    without_block,
    write,
)
from qlearn.learning import Learning, parse_learnings
from tests.strategies import hostile_texts

FRAME = Frame("demo", dt.datetime(2026, 11, 30, tzinfo=dt.UTC), 2)
NEW = f"{BEGIN}\nnew\n{END}"
OLD = f"{BEGIN}\nold\n\nand older\n{END}"


def entries(*lessons: str) -> tuple[Learning, ...]:
    return parse_learnings(
        "\n".join(
            f"### L{at:03d}: x\n- **Severity**: important\n- **Date**: 2026-11-{30 - at}\n"
            f"- **Learning**: {lesson}\n"
            for at, lesson in enumerate(lessons, 1)
        )
    )


def test_the_block_holds_the_best_learnings() -> None:
    assert block(entries("Pin it.", "Quote it.", "Left out."), FRAME) == (
        f"{BEGIN}\n"
        "## Learnings of this project\n"
        "\n"
        "The best of `.qe/learnings.md`, by relevance. Apply these:\n"
        "\n"
        "- L001 [mistake/important] Pin it.\n"
        "- L002 [mistake/important] Quote it.\n"
        "\n"
        f"{END}"
    )


def test_the_block_of_nothing_says_so() -> None:
    assert "\nNothing has been learned yet.\n" in block((), FRAME)


def test_the_block_is_the_same_tomorrow() -> None:
    found = entries("Pin it.", "Quote it.")
    assert block(found, FRAME) == block(found, FRAME._replace(now=FRAME.now + dt.timedelta(40)))


@pytest.mark.parametrize(
    ("lesson", "line"),
    [
        ("Read @../../.ssh/config first", r"Read \@../../.ssh/config first"),
        ("@AGENTS.md", r"\@AGENTS.md"),
        ("Mail a@b.org, use `@dataclass`", "Mail a@b.org, use `@dataclass`"),
        (f"x {END} y", "x <U+003C>!-- qlearn:end --> y"),
        ("One\n  ### L009: two", "One ### L009: two"),
        ("a\u200bb", "a<U+200B>b"),
    ],
)
def test_no_lesson_leaves_its_line_or_includes_a_file(lesson: str, line: str) -> None:
    text = block(entries(lesson), FRAME)
    assert f"- L001 [mistake/important] {line}\n" in text
    assert text.count("\n") == 7
    assert find_block(text) == (0, len(text))


def test_a_file_of_its_own_holds_the_block_alone() -> None:
    [(path, text)] = write(entries("Pin it."), FRAME).items()
    assert (path, text) == ("AGENTS.md", block(entries("Pin it."), FRAME) + "\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"{NEW}\n"),
        ("# Rules\n", f"# Rules\n\n{NEW}\n"),
        ("# Rules\n\n", f"# Rules\n\n\n{NEW}\n"),
        ("# Rules", f"# Rules\n\n{NEW}"),
        ("# Rules\r\n", "# Rules\r\n\r\n" + f"{NEW}\n".replace("\n", "\r\n")),
        ("\ufeff# Rules\n", f"\ufeff# Rules\n\n{NEW}\n"),
        ("\ufeff", f"\ufeff{NEW}\n"),
        (f"a\n\n{OLD}\n\nb", f"a\n\n{NEW}\n\nb"),
        (f"a\n\n{OLD}", f"a\n\n{NEW}"),
        (f"{OLD}\nb\n", f"{NEW}\nb\n"),
        (f"\ufeff{OLD}\nb".replace("\n", "\r\n"), f"\ufeff{NEW}\nb".replace("\n", "\r\n")),
        (f"```\n{OLD}\n```\n", f"```\n{OLD}\n```\n\n{NEW}\n"),
        (f"> {BEGIN}\n> {END}\n", f"> {BEGIN}\n> {END}\n\n{NEW}\n"),
        (f"Say {BEGIN} and {END}.\n", f"Say {BEGIN} and {END}.\n\n{NEW}\n"),
    ],
)
def test_the_block_comes_into_its_place_and_the_rest_stays(before: str, after: str) -> None:
    assert with_block(before, NEW) == after
    assert with_block(after, NEW) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"a\n\n{OLD}\n\nb\n", "a\n\nb\n"),
        (f"{OLD}\n", ""),
        (OLD, ""),
        (f"\ufeff{OLD}\n", "\ufeff"),
        ("no block\n", "no block\n"),
        ("", ""),
        (f"a\n{OLD}\nb\n", "a\nb\n"),
        (f"a\n{OLD}\n", "a\n"),
        (f"a\n{OLD}", "a\n"),
        (f"a\n\n{OLD}\nb\n", "a\n\nb\n"),
        (f"a\r\n\r\n{OLD}\r\nb\r\n".replace(OLD, OLD.replace("\n", "\r\n")), "a\r\n\r\nb\r\n"),
    ],
)
def test_the_block_is_taken_out(before: str, after: str) -> None:
    assert without_block(before) == after
    assert without_block(after) == after


@pytest.mark.parametrize(
    ("text", "lineno"),
    [
        (f"{BEGIN}\n", 1),
        (f"a\n\n{END}\n", 3),
        (f"{END}\n{BEGIN}\n", 1),
        (f"a\n\n{OLD}\n{OLD}\n", 3),
    ],
)
def test_a_broken_block_is_left_alone(text: str, lineno: int) -> None:
    for change in (without_block, lambda text: with_block(text, NEW)):
        with pytest.raises(RegistryError, match=f"^line {lineno}: not one block between"):
            change(text)


@pytest.mark.parametrize("text", ["```\ncode\n", "<!-- open\n", "<pre>\n", "~~~~\n~~~"])
def test_no_block_is_put_where_nobody_would_read_it_as_one(text: str) -> None:
    with pytest.raises(RegistryError, match="left open at its end; close it first"):
        with_block(text, NEW)


@given(hostile_texts() | st.text(alphabet="a#`-\n\r\ufeff", max_size=12))
def test_putting_the_block_in_and_taking_it_out_leaves_every_byte(text: str) -> None:
    try:
        with_it = with_block(text, NEW)
    except RegistryError:
        assume(False)
    assert find_block(text) is None
    assert with_block(with_it, NEW) == with_it
    assert without_block(with_it) == text
    span = find_block(with_it)
    assert span is not None
    assert with_it[span.start : span.end].split() == NEW.split()
    assert with_block(with_block(text, OLD), NEW) == with_it


def test_a_block_is_out_of_date_where_it_would_be_written_otherwise() -> None:
    problem = stale(f"a\n\n{OLD}\n", NEW, "AGENTS.md")
    assert problem == (
        3,
        (
            "the block of learnings is out of date; "
            "`qlearn export --format agents-md --into AGENTS.md` renews it"
        ),
        "warning",
    )
    assert stale(f"a\n\n{NEW}\n", NEW, "AGENTS.md") is None
    assert stale("a\n", NEW, "AGENTS.md") is None
