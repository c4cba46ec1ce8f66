"""A Markdown file as a tree of headings with the blocks under each, by line numbers.

Foreign files hold what a registry does not: tables, quotes, paragraphs of labels. Which lines belong to
which block is asked of markdown-it-py; the text is always the file's own.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from qlearn.interchange.frontmatter import front_matter
from qlearn.lines import BOM, heading_text, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_KINDS = {
    "paragraph_open": "text",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "fence",
    "code_block": "code",
    "blockquote_open": "quote",
    "hr": "break",
}
_FENCE = re.compile(r"[ \t]*(?:[-*+>][ \t]+)?(`{3,}|~{3,})")
_SENTENCE = re.compile(r"\n|\A[ \t]*(?:[-*+]|\*\*|__)|[:：.!?。！？][*_]*\Z")


class Block(NamedTuple):
    """Some lines, half open from 0, and what they are.

    `kind` is "heading", "text", "list", "table", "fence", "code", "quote", "comment", "html" or "break";
    `items` are the lines of each item of a list.
    """

    kind: str
    start: int
    end: int
    items: tuple[tuple[int, int], ...] = ()
    level: int = 0
    title: str = ""


class Section(NamedTuple):
    """A heading, the blocks before the next heading, and the sections below it.

    The first line of all is `start`, the line behind all is `end`, the line behind the heading `body`.
    Level 0 is the file.
    """

    level: int
    title: str
    start: int
    body: int
    end: int
    blocks: tuple[Block, ...]
    children: tuple[Section, ...]


class Outline(NamedTuple):
    """The lines of a file, without their ends and the BOM, and the tree of its sections."""

    lines: tuple[str, ...]
    root: Section


def outline(text: str) -> Outline:
    """Read a Markdown text. The root starts behind the front matter.

    A paragraph that is a sentence is one even above a line of dashes, which CommonMark takes for the
    underline of a heading.
    """
    lines = tuple(split_lines(text.removeprefix(BOM)))
    start = front_matter(lines).lines
    blocks = tuple(_blocks(lines, start))
    root, _ = _section(Block("heading", start, start), blocks, 0, len(lines))
    return Outline(lines, root)


def masked(lines: Sequence[str]) -> list[bool]:
    """Tell for each line whether it is inside a code fence or an HTML comment, the marks included."""
    inside: list[bool] = []
    fence, comment = "", False
    for line in lines:
        found = _FENCE.match(line)
        if fence:
            inside.append(True)
            if found and found[1].startswith(fence) and not line[found.end() :].strip("`~ \t"):
                fence = ""
        elif comment:
            inside.append(True)
            comment = "-->" not in line
        elif found and (found[1][0] == "~" or "`" not in line[found.end() :]):
            inside.append(True)
            fence = found[1]
        elif "<!--" in line and "-->" not in line.partition("<!--")[2]:
            inside.append(True)
            comment = True
        else:
            inside.append(False)
    return inside


def cells(row: str) -> list[str]:
    r"""Split a row of a table at its bars; `\|` is a bar in a cell, `<br>` a line end."""
    row = row.strip()
    row = row.removeprefix("|")
    if row.endswith("|") and not row.endswith("\\|"):
        row = row[:-1]
    raw = re.split(r"(?<!\\)\|", row)
    return [re.sub(r"[ \t]*<br[ \t]*/?>[ \t]*", "\n", cell.replace("\\|", "|")).strip() for cell in raw]


def without_marker(lines: Sequence[str]) -> list[str]:
    """Take the marker of a list item, and the indent that goes with it, off its lines."""
    found = re.match(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|\Z)", lines[0])
    width = found.end() if found else 0
    rest = [line[min(width, len(line) - len(line.lstrip(" \t"))) :] for line in lines[1:]]
    return [lines[0][width:], *rest]


def _blocks(lines: tuple[str, ...], start: int) -> Iterator[Block]:
    body = ["" if number < start else line.replace("\0", "\ufffd") for number, line in enumerate(lines)]
    at = start
    tokens = _parser().parse("\n".join(body))
    for index, token in enumerate(tokens):
        if token.level or not token.map:
            continue
        first, end = token.map
        yield from _left_over(lines, at, first)
        while end > first + 1 and not lines[end - 1].strip():
            end -= 1
        at = end
        yield from _block(token, tokens, index, first, end)
    yield from _left_over(lines, at, len(lines))


def _block(token: Token, tokens: list[Token], index: int, first: int, end: int) -> Iterator[Block]:
    if token.type == "heading_open":
        content = tokens[index + 1].content
        if token.markup in "-=" and _SENTENCE.search(content):
            yield Block("text", first, end - 1)
            yield Block("break", end - 1, end)
        else:
            yield Block("heading", first, end, (), int(token.tag[1]), heading_text(content))
    elif token.type == "html_block":
        comment = token.content.lstrip().startswith("<!--") and token.content.rstrip().endswith("-->")
        yield Block("comment" if comment else "html", first, end)
    elif token.type.endswith("list_open"):
        starts = [
            each.map[0]
            for each in _inside(tokens, index)
            if each.type == "list_item_open" and each.level == 1 and each.map
        ]
        ends = [*starts[1:], end]
        yield Block("list", first, end, tuple(zip(starts, ends, strict=True)))
    else:
        yield Block(_KINDS[token.type], first, end)


def _inside(tokens: list[Token], index: int) -> Iterator[Token]:
    for token in tokens[index + 1 :]:
        if token.level == 0:
            return
        yield token


def _left_over(lines: tuple[str, ...], start: int, end: int) -> Iterator[Block]:
    """Lines that markdown-it-py has no token for: link definitions."""
    found = [number for number in range(start, end) if lines[number].strip()]
    if found:
        yield Block("text", found[0], found[-1] + 1)


def _section(heading: Block, blocks: tuple[Block, ...], at: int, after: int) -> tuple[Section, int]:
    """The section that *heading* opens, whose blocks start at the index *at*, and the index behind them."""
    own: list[Block] = []
    while at < len(blocks) and blocks[at].kind != "heading":
        own.append(blocks[at])
        at += 1
    children: list[Section] = []
    while at < len(blocks) and blocks[at].level > heading.level:
        child, at = _section(blocks[at], blocks, at + 1, after)
        children.append(child)
    end = blocks[at].start if at < len(blocks) else after
    found = Section(
        heading.level, heading.title, heading.start, heading.end, end, tuple(own), tuple(children)
    )
    return found, at


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])
