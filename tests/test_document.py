"""Texts as sections: nothing lost, the quick way equal to the whole scan, values as they were meant."""

from __future__ import annotations

import doctest
from itertools import zip_longest

import pytest
from hypothesis import given

from qlearn import document, lines
from qlearn.blocks import Scan, scan
from qlearn.document import Section, items, parse
from qlearn.lines import BOM, count_lines, heading_text, line_ending, split_lines

from .strategies import hostile_texts, plain_texts, registries


def sections_by_scan(text: str) -> list[Section]:
    """The sections as the whole scan has them, without any of the shortcuts of `parse`."""
    first = len(BOM) if text.startswith(BOM) else 0
    blocks = [block for block in scan(text, first).blocks if block.kind != "item" and block.level <= 3]
    found = []
    for block, after in zip_longest(blocks, blocks[1:]):
        if block.kind == "break":
            continue
        end = len(text) if after is None else after.end if after.kind == "break" else after.start
        fields: dict[str, str] = {}
        for item in items(text, block.start, end):
            fields.setdefault(item.label.lower(), item.value)
        lineno = count_lines(text, 0, block.start) + 1
        atx = block.kind == "heading"
        found.append(Section(block.level, block.text, block.start, end, lineno, fields, atx))
    return found


def check_against_the_whole_scan(text: str) -> None:
    read = parse(text)
    whole = scan(text, len(BOM) if text.startswith(BOM) else 0)
    assert list(read.sections) == sections_by_scan(text)
    assert (read.open, read.closer) == (whole.open, whole.closer)


@given(hostile_texts())
def test_a_text_comes_back_as_it_was(text: str) -> None:
    assert parse(text).text == text


@given(plain_texts())
def test_the_quick_way_reads_plain_texts_as_the_whole_scan_does(text: str) -> None:
    check_against_the_whole_scan(text)


@given(hostile_texts())
def test_the_quick_way_reads_any_text_as_the_whole_scan_does(text: str) -> None:
    check_against_the_whole_scan(text)


@given(registries())
def test_the_quick_way_reads_registries_as_the_whole_scan_does(text: str) -> None:
    check_against_the_whole_scan(text)


@given(registries())
def test_sections_stand_in_order_and_overlap_nowhere(text: str) -> None:
    at = 0
    for section in parse(text).sections:
        assert at <= section.start < section.end <= len(text)
        assert text[: section.start].endswith(("\n", "\r", BOM)) or not section.start
        at = section.end


@given(registries())
def test_a_section_by_itself_reads_as_it_does_in_its_place(text: str) -> None:
    for section in parse(text).sections:
        alone = parse(text[section.start : section.end]).sections
        assert [(each.level, each.title, each.fields) for each in alone] == [
            (section.level, section.title, section.fields)
        ]


@pytest.mark.parametrize("step", ["  - ", "  * ", "  > ", "  1. "])
@pytest.mark.parametrize("depth", range(7, 20))
def test_lists_nested_deeper_than_readers_look_hide_what_follows_in_both_ways(step: str, depth: int) -> None:
    mark = step.strip() + " "
    in_one_line = "  " + mark * depth + "x\n"
    line_by_line = "".join("  " + " " * len(mark) * at + mark + "x\n" for at in range(depth))
    by_tabs = "".join("  " + "\t" * (at // 2) + "  " * (at % 2) + mark + "x\n" for at in range(depth))
    for body in (in_one_line, line_by_line, by_tabs, line_by_line + in_one_line):
        check_against_the_whole_scan(f"### L001: x\n- **Learning**: y\n{body}\n---\n\n### L002: z\n")


def fields(body: str) -> dict[str, str]:
    return dict(parse(f"### L001: x\n{body}").sections[0].fields)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("- **Type**: gotcha", {"type": "gotcha"}),
        ("* **Type:** gotcha", {"type": "gotcha"}),
        ("+ **TYPE** : gotcha", {"type": "gotcha"}),
        ("   - **Type**：gotcha", {"type": "gotcha"}),
        ("- **Type：** gotcha", {"type": "gotcha"}),
        ("-\t**Type**:\tgotcha\t", {"type": "gotcha"}),
        ("- **Two words**: x", {"two words": "x"}),
        ("- **Type**:", {"type": ""}),
        ("- **Learning**:\n- **Context**: x", {"learning": "", "context": "x"}),
        ("- **Learning**:\n\n- **Context**: x", {"learning": "", "context": "x"}),
        ("- **Type**: a\n- **type**: b", {"type": "a"}),
        ("- **Learning**: a\n  b\nlazy\n- **Type**: c", {"learning": "a\nb\nlazy", "type": "c"}),
        ("- **Learning**: a\n\n  b\n\n\n- **Type**: c", {"learning": "a\n\nb", "type": "c"}),
        ("-   **Learning**: a\n    b\n      c", {"learning": "a\nb\n  c"}),
        ("- **Learning**: a\n\tb", {"learning": "a\n  b"}),
        ("- **Learning**: a\n  - **Type**: nested", {"learning": "a\n- **Type**: nested"}),
        (
            "- **Example**:\n  ```\n  - **Type**: in a fence\n  ```",
            {"example": "```\n- **Type**: in a fence\n```"},
        ),
        ("```\n- **Type**: in a fence\n```", {}),
        ("<!--\n- **Type**: in a comment\n-->", {}),
        ("> - **Type**: quoted", {}),
        ("1. **Type**: counted", {}),
        ("- Type: not bold", {}),
        ("- **Type** not a label", {}),
        ("- **Type**", {}),
        ("- ****: x", {}),
        ("- ** Type**: not bold, by the space", {}),
        ("- **Type **: not bold, by the space", {}),
        ("-     **Type**: code", {}),
        ("- \t **Type**: a", {"type": "a"}),
        ("-\t\t**Type**: code", {}),
        ("    - **Type**: code", {}),
        ("\t- **Type**: code", {}),
        ("text\n- **Type**: a", {"type": "a"}),
        ("- **Learning**: a\\\n  b\\", {"learning": "a\\\nb\\"}),
        ("- **Learning**: a  \n  b  ", {"learning": "a  \nb"}),
        ("- **Learning**: a\n  \u2028b", {"learning": "a\n\u2028b"}),
        ("- **Learning**: a\n\n---\n- **Type**: outside", {"learning": "a"}),
        ("- **Learning**: a\n\nprose\n---\n- **Type**: of another section", {"learning": "a"}),
        ("#### Notes\n- **Type**: a", {"type": "a"}),
        ("- **Learning**: Mac OS X", {"learning": "Mac OS X"}),
        ("- **Learning**: X\n  X", {"learning": "X\nX"}),
        ("- **Learning**: X \t\n\n  \n", {"learning": "X"}),
        ("- **Learning**: \xa0a\xa0", {"learning": "\xa0a\xa0"}),
        ("- **Learning**: a\xa0\n\n", {"learning": "a\xa0"}),
        ("- **Learning**: \xa0a\n  b\xa0", {"learning": "\xa0a\nb\xa0"}),
        ("- **Learning**: a\n  \xa0\n  b", {"learning": "a\n\xa0\nb"}),
        ("- **Learning**: a\n    \n  b", {"learning": "a\n\nb"}),
        ("- **Learning**: a\n  X\n   b", {"learning": "a\nX\n b"}),
        ("- **Learning**: a\nX\n b", {"learning": "a\nX\nb"}),
        ("- **Learning**:\n\n      code\n  b", {"learning": "    code\nb"}),
        ("-   **Learning**: a\n \tb\n   \tc", {"learning": "a\nb\nc"}),
        (" -     **Learning**: code", {}),
        ("-\t**Learning**: a\n  \tb\n\tc\n\t d", {"learning": "a\nb\nc\n d"}),
        ("- **Learning**: a\n  \tb", {"learning": "a\n\tb"}),
        ("   -   **Learning**: a\n    \tb", {"learning": "a\n b"}),
    ],
)
def test_a_field_is_a_bullet_of_the_section_with_a_bold_label(body: str, expected: dict[str, str]) -> None:
    assert fields(body) == expected
    assert fields(body.replace("\n", "\r\n")) == expected
    assert dict(parse(f"### L001: x\r{body}".replace("\n", "\r")).sections[0].fields) == expected


def shape(text: str) -> list[tuple[int, str, str]]:
    return [(each.level, each.title, text[each.start : each.end]) for each in parse(text).sections]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("prose\n", []),
        ("# a\nx\n## b\ny", [(1, "a", "# a\nx\n"), (2, "b", "## b\ny")]),
        ("### a\nx\n\n---\n\nfooter\n### b\n", [(3, "a", "### a\nx\n\n---\n"), (3, "b", "### b\n")]),
        ("### a\n\nprose\n---\nx", [(3, "a", "### a\n\n"), (2, "prose", "prose\n---\nx")]),
        ("### a\n#### b\nx", [(3, "a", "### a\n#### b\nx")]),
        ("### a\n- x\n***\ny", [(3, "a", "### a\n- x\n***\n")]),
        ("### a\n```\n### b\n---\n```\nx", [(3, "a", "### a\n```\n### b\n---\n```\nx")]),
        ("\ufeff### a\nx", [(3, "a", "### a\nx")]),
        ("### a\r\n- x\r\n\r\n---\r\ny", [(3, "a", "### a\r\n- x\r\n\r\n---\r\n")]),
        ("### a\r---\r### b\r", [(3, "a", "### a\r---\r"), (3, "b", "### b\r")]),
        ("# a\n\n> b\n\n---\n\n### c\n", [(1, "a", "# a\n\n> b\n\n---\n"), (3, "c", "### c\n")]),
        ("# a ##\n### c\n", [(1, "a", "# a ##\n"), (3, "c", "### c\n")]),
        ("> a\n\n### b\n", [(3, "b", "### b\n")]),
    ],
)
def test_a_section_ends_at_the_next_heading_or_with_a_break(
    text: str, expected: list[tuple[int, str, str]]
) -> None:
    assert shape(text) == expected


USUAL = """\
# Learnings #

> Ranked.
> Managed by hand.

---

### L001: x
- **Type**: gotcha
- **Learning**: y
   - z

---

### L002: X

- **Context**: w
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", BOM])
@pytest.mark.parametrize("title", ["# Learnings #\n\n", ""])
def test_a_registry_of_the_usual_shape_is_read_without_a_scan(
    title: str, bom: str, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("it was scanned")

    monkeypatch.setattr(document, "scan", refuse)
    text = bom + USUAL.replace("# Learnings #\n\n", title).replace("\n", ending)
    ends = [text.index("---") + 3 + len(ending), text.rindex("---") + 3 + len(ending), len(text)]
    lineno = 6 + 2 * bool(title)
    first = Section(
        3, "L001: x", text.index("### L001"), ends[1], lineno, {"type": "gotcha", "learning": "y\n - z"}
    )
    second = Section(3, "L002: X", text.index("### L002"), ends[2], lineno + 7, {"context": "w"})
    above = [Section(1, "Learnings", len(bom), ends[0], 1, {})] if title else []
    assert parse(text) == (text, (*above, first, second), False, None)


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pieces of text that are scanned."""
    pieces = []
    real = document.scan

    def noting(text: str, start: int, end: int) -> Scan:
        pieces.append(text[start:end])
        return real(text, start, end)

    monkeypatch.setattr(document, "scan", noting)
    return pieces


def test_a_section_of_another_shape_does_not_make_its_neighbours_be_scanned(scanned: list[str]) -> None:
    odd = "### L002: y\ntext\n"
    assert len(parse(USUAL + odd + USUAL.partition("---\n\n")[2]).sections) == 6
    assert scanned == [odd]


def test_what_a_long_block_swallows_is_scanned_a_few_times_at_most(scanned: list[str]) -> None:
    text = "```\n" + "### L001: x\n" * 1000
    assert parse(text) == (text, (), True, "```")
    assert len("".join(scanned)) < 4 * len(text)


def test_a_field_of_a_plain_section_is_found_though_no_other_was_asked_for() -> None:
    (section,) = parse("### L001: x\n- **Type**: gotcha\n- **Learning**: context\n").sections
    assert section.fields["type"] == "gotcha"
    for label in ("context", "keywords"):
        (section,) = parse("### L001: x\n- **Type**: gotcha\n- **Learning**: context\n").sections
        with pytest.raises(KeyError, match=label):
            section.fields[label]


def test_a_field_belongs_to_its_own_section_alone() -> None:
    text = "### L001: x\n- **Type**: gotcha\n\n### L002: y\n- **Context**: z\n"
    assert [dict(each.fields) for each in parse(text).sections] == [{"type": "gotcha"}, {"context": "z"}]


def test_fields_of_a_plain_section_are_a_mapping() -> None:
    (section,) = parse("### L001: x\n- **Type**: gotcha\n- **Learning**: y\n").sections
    assert len(section.fields) == 2
    assert list(section.fields) == ["type", "learning"]
    assert repr(section.fields) == "{'type': 'gotcha', 'learning': 'y'}"
    assert section.fields.get("context") is None
    assert section.fields == {"type": "gotcha", "learning": "y"}


def test_an_item_says_where_it_stands() -> None:
    text = "### x\n\n  *  **Type:** a\n     b\n\n- plain\n"
    (item,) = items(text)
    assert (item.label, item.value, item.column, item.head) == ("Type", "a\nb", 5, "  *  **Type:**")
    assert [each.label for each in items("- **A**: b\n- **C**: d\n")] == ["A", "C"]
    assert text[item.start : item.end] == "  *  **Type:** a\n     b\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", "\n"), ("a", "\n"), ("a\r\nb\r\nc\n", "\r\n"), ("a\rb\r\nc\r", "\r"), ("a\nb\r\nc\n", "\n")],
)
def test_the_line_ending_of_a_text_is_that_of_most_lines(text: str, expected: str) -> None:
    assert line_ending(text) == expected


def test_lines_end_where_commonmark_ends_them() -> None:
    assert split_lines("a\nb\r\nc\rd\u2028e\x0bf\x85g") == ["a", "b", "c", "d\u2028e\x0bf\x85g"]
    assert count_lines("a\nb\r\nc\rd\u2028e", 0, 10) == 3


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a", "a"),
        (" a ## ", "a"),
        ("a#", "a#"),
        ("#", ""),
        ("a \\#", "a \\#"),
        ("a # b", "a # b"),
        ("\xa0a\x0b", "a"),
    ],
)
def test_the_text_of_a_heading_is_without_its_closing_hashes(content: str, expected: str) -> None:
    assert heading_text(content) == expected


def test_examples_in_the_documentation_hold() -> None:
    for module in (document, lines):
        assert doctest.testmod(module).failed == 0
