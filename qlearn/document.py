"""A Markdown text as sections, each with its labelled bullets. Knows Markdown, not lessons.

A section starts at a heading of level 1-3 and runs to the next one, or to and with the first thematic
break, or to the end. What a section does not cover (the text before the first, the text between a
break and the next heading) is nobody's: an edit of a section never touches it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .blocks import TRIM, Block, scan

BOM = "\ufeff"

# A section of the plain shape: headings and bullets at the margin, whatever stands under a bullet
# indented by two or more. Such a section can be read without following containers, since all of the
# indented lines are inside the bullet's item and no other line can be.
_PLAIN = r"""
    \#\#\#\ (?P<title>[^\r\n]*+)NL
    (?:[ \t]*+NL)*+
    (?P<body>(?:-\ \*\*[A-Za-z]+(?:\ [A-Za-z]+)*+\*\*:[^\r\n]*+NL(?:(?:\ \ [^\r\n]*+)?NL)*+)*+)
    (?P<rule>---NL)?+
    (?:[ \t]*+NL)*+
    (?=\#{1,3}\ |\Z)
"""
_PLAIN_FIELD = r"- \*\*([A-Za-z ]+)\*\*:[ \t]*+([^\r\n]*+(?:NL(?:  [^\r\n]*+)?+)*+)"
_PATTERNS: dict[str, tuple[re.Pattern[str], re.Pattern[str]]] = {}
_HEADING_AHEAD = re.compile(r"[\r\n](?=#{1,3}(?:[ \t\r\n]|\Z))")
_CLOSING_HASHES = re.compile(r"(?:\A|[ \t])#+\Z")
_LABEL = re.compile(
    r"[-+*][ \t]+\*\*([^\s*:：](?:[^*:：\r\n]*[^\s*:：])?)(?:\*\*[ \t]*[:：]|[:：]\*\*)[ \t]*"
)
_LINES = re.compile(r"\r\n?|\n")


class Item(NamedTuple):
    """A bullet at document level that starts with a bold label and a colon.

    `value` is the whole item without its label, continuation lines dedented and joined by newlines.
    `start` and `end` are offsets of whole lines in the text; `column` is where the item's content starts.
    """

    label: str
    value: str
    start: int
    end: int
    column: int


class Section(NamedTuple):
    """A heading of level 1-3 and what belongs to it.

    `title` is the heading's content. `fields` maps the labels, in lower case, to the values of the first
    item of that label. Offsets are in characters and half open; `lineno` counts from 1. `atx` is False for
    a heading that is made by an underline.
    """

    level: int
    title: str
    start: int
    end: int
    lineno: int
    fields: dict[str, str]
    atx: bool = True


class Document(NamedTuple):
    """A text and its sections. `closer` ends the block left open at the end of the text, if `open`."""

    text: str
    sections: tuple[Section, ...]
    open: bool
    closer: str | None


def parse(text: str) -> Document:
    """Read a text, losslessly: `parse(text).text == text`.

    Time is linear in the length of the text; a section of the usual shape (docs/format.md) costs two
    regular expression matches.

    Source: CommonMark 0.31 block structure; a BOM at the start is skipped.
    """
    pos = 1 if text.startswith(BOM) else 0
    crlf = "\r" in text
    plain, field = _patterns("\r\n" if crlf else "\n")
    lines = count_lines if crlf else _count_newlines
    sections: list[Section] = []
    size, lineno, counted, opened, closer = len(text), 1, 0, False, None
    while pos < size:
        lineno += lines(text, counted, pos)
        counted = pos
        if found := plain.match(text, pos):
            title, body, rule = found.groups()
            pairs = field.findall(body)
            fields = {label.lower(): _value(value, 2) for label, value in pairs}
            if len(fields) < len(pairs):
                fields = {label.lower(): _value(value, 2) for label, value in reversed(pairs)}
            end = found.end("rule") if rule else found.end()
            sections.append(Section(3, heading_text(title), pos, end, lineno, fields))
            pos = found.end()
            continue
        end, stride = pos, 1
        while True:  # up to a heading that no open block swallows
            for _ in range(stride):
                ahead = _HEADING_AHEAD.search(text, end)
                end = ahead.end() if ahead else size
            scanned = scan(text, pos, end)
            if not scanned.open or end == size:
                break
            stride *= 2
        opened, closer = scanned.open, scanned.closer
        sections.extend(_sections(text, pos, end, lineno, scanned.blocks))
        pos = end
    return Document(text, tuple(sections), opened, closer)


def items(text: str, start: int, end: int) -> tuple[Item, ...]:
    """Find the labelled bullets of the section between two offsets, in document order."""
    blocks = scan(text, start, end).blocks
    return tuple(item for block in blocks if block.kind == "item" and (item := _item(text, block)))


def heading_text(content: str) -> str:
    """Take the closing hashes and the white space off what follows a heading's marker."""
    content = content.rstrip(" \t")
    return (_CLOSING_HASHES.sub("", content) if content.endswith("#") else content).strip(TRIM)


def line_ending(text: str) -> str:
    """Tell which line ending most lines of *text* have; LF where none has any."""
    crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}
    return max(counts, key=lambda ending: counts[ending])


def split_lines(text: str) -> list[str]:
    """Split where CommonMark ends a line: at LF, CRLF and a lone CR, and nowhere else."""
    return _LINES.split(text)


def count_lines(text: str, start: int, end: int) -> int:
    """Count the line endings between two offsets; *start* is at the start of a line."""
    return sum(text.count(mark, start, end) * sign for mark, sign in (("\n", 1), ("\r", 1), ("\r\n", -1)))


def _count_newlines(text: str, start: int, end: int) -> int:
    return text.count("\n", start, end)


def _patterns(newline: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    if newline not in _PATTERNS:
        escaped = newline.replace("\r", r"\r").replace("\n", r"\n")
        _PATTERNS[newline] = (
            re.compile(_PLAIN.replace("NL", escaped), re.VERBOSE),
            re.compile(_PLAIN_FIELD.replace("NL", escaped)),
        )
    return _PATTERNS[newline]


def _sections(text: str, start: int, end: int, lineno: int, blocks: tuple[Block, ...]) -> list[Section]:
    """Group the blocks between two offsets, the first of which is on line *lineno*."""
    found: list[Section] = []
    current: Block | None = None
    fields: dict[str, str] = {}

    def close(at: int) -> None:
        if current is not None:
            line = lineno + count_lines(text, start, current.start)
            atx = current.kind == "heading"
            found.append(Section(current.level, current.text, current.start, at, line, fields, atx))

    for block in blocks:
        if block.kind == "item":
            if current is not None and (item := _item(text, block)):
                fields.setdefault(item.label.lower(), item.value)
        elif block.kind == "break":
            close(block.end)
            current = None
        elif block.level <= 3:
            close(block.start)
            current, fields = block, {}
    close(end)
    return found


def _item(text: str, block: Block) -> Item | None:
    first = text[block.start : block.end].lstrip(" ")
    label = _LABEL.match(first)
    if label is None:
        return None
    return Item(label[1], _value(first[label.end() :], block.level), block.start, block.end, block.level)


def _value(raw: str, column: int) -> str:
    """The text of an item: up to *column* columns of white space are taken off all lines but the first."""
    if "\n" not in raw and "\r" not in raw:
        return raw.rstrip(" \t")
    first, *rest = split_lines(raw)
    if not any(rest):
        return first.rstrip(" \t")
    return "\n".join([first, *(_dedent(line, column) for line in rest)]).strip("\n").rstrip(" \t\n")


def _dedent(line: str, column: int) -> str:
    reached = taken = 0
    while taken < len(line) and reached < column and line[taken] in " \t":
        reached += 4 - reached % 4 if line[taken] == "\t" else 1
        taken += 1
    return " " * (reached - column) + line[taken:] if line[taken:].strip(" \t") else ""
