"""The scanner against its judge, markdown-it-py: on hostile texts, on the specification, on cases by hand."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.blocks import MAX_NESTING, scan
from qlearn.lines import BOM
from qlearn.proof import Line, judged, seen

from .spec_examples import OWN_EXAMPLES, examples_of_the_specification
from .strategies import ENDINGS, hostile_texts, registries

if TYPE_CHECKING:
    from collections.abc import Callable

PROBE = "### L999: probe"


def agree(text: str) -> None:
    assert seen(text) == judged(text)


def probe_is_found(text: str) -> bool:
    return any(line.kind == "heading" and line.text == "L999: probe" for line in judged(text))


@given(hostile_texts())
def test_finds_what_the_judge_finds_in_any_text(text: str) -> None:
    agree(text.removeprefix(BOM))


@given(registries())
def test_finds_what_the_judge_finds_in_any_registry(text: str) -> None:
    agree(text.removeprefix(BOM))


@given(st.text(alphabet="#-*_=>`~<!/a1.)([]:'\" \t\r\n\\", max_size=40))
def test_finds_what_the_judge_finds_in_any_soup_of_marks(text: str) -> None:
    agree(text)


def check_the_end(text: str) -> None:
    """Whether a heading that follows would be swallowed, and what would prevent it."""
    if not text.endswith(ENDINGS):
        text = text.rstrip(" \t")  # a last line of white space alone is none yet, but will be a blank one
    end = text[-1:] if text.endswith(ENDINGS) else "\n"
    base = text if text.endswith(ENDINGS) or not text else text + end
    found = scan(text)
    assert found.open is not probe_is_found(base + PROBE)
    if found.closer is not None:
        assert found.open
        assert probe_is_found(base + found.closer + end + PROBE)


@given(hostile_texts())
def test_knows_whether_a_heading_that_follows_would_be_swallowed_and_how_to_prevent_it(text: str) -> None:
    check_the_end(text.removeprefix(BOM))


@given(hostile_texts(), hostile_texts(4))
def test_a_part_is_read_as_a_document_of_its_own(text: str, before: str) -> None:
    start, end = len(before), len(before) + len(text)
    there = scan(before + text + before, start, end)
    here = scan(text)
    assert there.open == here.open
    assert there.closer == here.closer
    assert [(block.kind, block.start - start, block.end - start) for block in there.blocks] == [
        (block.kind, block.start, block.end) for block in here.blocks
    ]


@pytest.mark.parametrize("ending", ENDINGS, ids=("LF", "CRLF", "CR"))
def test_finds_what_the_judge_finds_in_examples_of_every_block(ending: str) -> None:
    assert len(OWN_EXAMPLES) >= 150
    for example in OWN_EXAMPLES:
        agree(example.replace("\n", ending))


def test_finds_what_the_judge_finds_in_the_examples_of_the_specification(
    request: pytest.FixtureRequest,
) -> None:
    examples = examples_of_the_specification(request)
    assert len(examples) > 600
    for example in examples:
        agree(example)
        # In the company of others, an example must neither hide what follows nor be changed by it.
        agree(f"### L001: before\n- **Type**: gotcha\n\n{example}\n\n### L002: after\n")
        agree(
            "".join(
                f"- {line}" if not at else f"  {line}" for at, line in enumerate(example.splitlines(True))
            )
        )


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("### a\n", [("heading", 3, 0, 6, "a")]),
        ("a\nb\n---\nc", [("setext", 2, 0, 8, "a\nb")]),
        ("a\n===\n", [("setext", 1, 0, 6, "a")]),
        ("***\r\n", [("break", 0, 0, 5, "")]),
        ("- a\n\n  b\n\n\nc", [("item", 2, 0, 9, "")]),
        ("  *   a\n- b", [("item", 6, 0, 8, ""), ("item", 2, 8, 11, "")]),
        ("1. a\n   - b\n", []),
        ("> # a\n", []),
        ("\n \n", []),
        ("", []),
    ],
)
def test_says_where_a_block_stands(text: str, blocks: list[tuple[str, int, int, int, str]]) -> None:
    assert list(scan(text).blocks) == blocks


@pytest.mark.parametrize(
    ("text", "opened", "closer"),
    [
        ("", False, None),
        ("prose", False, None),
        ("- item\n  ```", False, None),
        ("> ```", False, None),
        ("```", True, "```"),
        ("~~~~~ sh\n~~~", True, "~~~~~"),
        ("<script>", True, "</pre>"),
        ("<!--", True, "-->"),
        ("<?", True, "?>"),
        ("<!x", True, ">"),
        ("<![CDATA[", True, "]]>"),
        ("<div>", True, ""),
        ("<a>", True, ""),
        ("<div>\n\n", False, None),
        ("- " * MAX_NESTING + "x", True, None),
        ("> " * MAX_NESTING + "x", False, None),
    ],
)
def test_tells_what_is_open_at_the_end(text: str, opened: bool, closer: str | None) -> None:
    found = scan(text)
    assert (found.open, found.closer) == (opened, closer)


@pytest.mark.parametrize("mark", ["> ", "- ", "1. ", ">"])
@pytest.mark.parametrize("depth", [9, 10, 11, 19, 20, 21, 40])
def test_looks_no_deeper_than_the_judge(mark: str, depth: int) -> None:
    for rest in ("x", "```", "<!--", "### L001: x"):
        agree(f"{mark * depth}{rest}\n\n### L002: x\n{mark * depth}y\n### L003: x")


def test_a_judge_that_reads_otherwise_would_be_noticed() -> None:
    assert judged("# a\n\n- b\n\n---\n\nc\n=\n") == [
        Line("heading", 1, 0, 1, "a"),
        Line("item", 0, 2, 3),
        Line("break", 0, 4, 5),
        Line("setext", 1, 6, 8, "c"),
    ]


LONG = 20_000

# Each repeats what made parsers take quadratic time somewhere.
LONG_TEXTS: dict[str, Callable[[int], str]] = {
    "spaces in a title": lambda n: "### L001: a" + " " * n + "b\n",
    "closing hashes": lambda n: "### L001: a " + "#" * n + " b\n",
    "fences": lambda n: "```\n" * n,
    "fences of falling length": lambda n: "".join("`" * (3 + (n - at) % 50) + "\n" for at in range(n)),
    "open comments": lambda n: "<!--\n" * n,
    "open tags": lambda n: "<a b='" * n + "\n",
    "attributes": lambda n: "<a" + " b" * n + "\n",
    "brackets": lambda n: "[" * n + "\n",
    "definitions": lambda n: "[a]: b\n" * n,
    "definitions without an end": lambda n: "[a]: b '\n" * n,
    "labels without an end": lambda n: "[a\n" * n,
    "items": lambda n: "- a\n" * n,
    "lazy lines": lambda n: "> a\n" + "b\n" * n,
    "quotes apart": lambda n: "> a\n\n" * n,
    "quotes that seem to go on": lambda n: "> # a\nb\n" * n,
    "quotes of code that seem to go on": lambda n: "> ```\nb\n" * n,
    "quotes in quotes that seem to go on": lambda n: "> > > ---\n> b\n" * n,
    "empty quotes that seem to go on": lambda n: ">\nb\n" * n,
    "definitions in quotes": lambda n: "> [a]: b\nc\n" * n,
    "nested items": lambda n: "".join("  " * (at % 8) + "- a\n" for at in range(n)),
    "rules that are none": lambda n: "- " * n + "x\n",
    "underlines": lambda n: "a\n" + "=" * n + " x\n",
    "tabs": lambda n: "\t" * n + "a\n",
    "backslashes": lambda n: "[" + "\\" * n + "]: a\n",
    "parentheses": lambda n: "[a]: " + "(" * n + "\n",
}


@pytest.mark.parametrize("name", LONG_TEXTS)
def test_the_work_grows_with_the_length_and_not_with_its_square(name: str) -> None:
    make = LONG_TEXTS[name]
    assert steps(make(8 * 400)) <= 10 * max(steps(make(400)), 100)
    scan(make(LONG))  # what counts no lines of Python, such as a regular expression, has to end, too


def steps(text: str) -> int:
    """How many lines of Python it takes to read a text."""
    count = 0

    def trace(frame: object, event: str, arg: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type] # a tracer may return itself
    try:
        scan(text)
    finally:
        sys.settrace(before)
    return count
