"""A Markdown text as sections, each with its labelled bullets. Knows Markdown, not lessons.

A section starts at a heading of level 1-3 and runs to the next one, or to and with the first thematic
break, or to the end. What a section does not cover (the text before the first, the text between a
break and the next heading) is nobody's: an edit of a section never touches it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .lines import BOM, count_lines, heading_text, split_lines
from .record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .blocks import Block, Scan

# A section of the plain shape: headings and bullets at the margin, labels that start in upper case,
# whatever stands under a bullet indented by two or more. Such a section can be read without following
# containers, since all of the indented lines are inside the bullet's item and no other line can be.
_PLAIN = r"""
    \#\#\#\ (?P<title>[^\s\#](?:[^\r\n]*[^\s\#])?)NL
    (?:[ \t]*+NL)*+
    (?P<body>(?:-\ \*\*[A-Z][a-z]++(?:\ [A-Za-z]++)*+\*\*:[^\r\n]*+NL(?:(?:\ \ DEEP[^\r\n]*+)?NL)*+)*+)
    (?P<rule>---NL)?+
    (?:[ \t]*+NL)*+
    (?=\#{1,3}\ |\Z)
"""
# Not at the start of a line that may open so many containers that no reader looks into them.
_DEEP = r"(?![\ \t>+*0-9.)-]{14}|[\ >+*0-9.)-]*\t[\ >+*0-9.)-]*\t)"
_PLAIN_FIELD = r"- \*\*([A-Za-z ]+)\*\*:[ \t]*+([^\r\n]*+(?:NL(?:  [^\r\n]*+)?+)*+)"
# What usually stands before the first entry: a title, block quotes that a blank line ends, a break.
_PREAMBLE = r"""
    (?:\#\ (?P<title>[^\r\n]*+)NL)?+
    (?:[ \t]*+NL)*+
    (?:(?:>[^\r\n]*+NL)++(?:[ \t]*+NL)++)*+
    (?P<rule>---NL)?+
    (?:[ \t]*+NL)*+
    (?=\#\#\#\ )
"""
_HEADING_AHEAD = r"[\r\n](?=#{1,3}(?:[ \t\r\n]|\Z))"
_LABEL = (
    r"(?P<head> *[-+*][ \t]+\*\*(?P<label>[^\s*:：](?:[^*:：\r\n]*[^\s*:：])?)"
    r"(?:\*\*[ \t]*[:：]|[:：]\*\*))[ \t]*"
)


class _Patterns(NamedTuple):
    """The patterns of the usual shape, for one kind of line ending."""

    section: re.Pattern[str]
    field: re.Pattern[str]
    preamble: str


_patterns: dict[str, _Patterns] = {}


class Fields(Mapping[str, str]):
    """The labelled bullets of a plain section: labels in lower case to values, read on first use.

    Of a label that stands twice the first counts. Most sections are only ranked, and for that their
    fields need not be taken apart; so it is kept where in the text they stand.
    """

    __slots__ = ("_pattern", "_values", "end", "start", "text")

    def __init__(self, text: str, start: int, end: int, pattern: re.Pattern[str]) -> None:
        self.text = text
        self.start = start
        self.end = end
        self._pattern = pattern
        self._values: dict[str, str] | None = None

    def _read(self) -> dict[str, str]:
        if self._values is None:
            self._values = {}
            for label, value in self._pattern.findall(self.text, self.start, self.end):
                self._values.setdefault(label.lower(), _value(value, 2))
        return self._values

    def __getitem__(self, label: str) -> str:
        # Most labels that are asked for are not there, which shows without taking the fields apart.
        if self._values is None and label not in self.text[self.start : self.end].lower():
            raise KeyError(label)
        return self._read()[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return repr(self._read())


class Item(NamedTuple):
    """A bullet at document level that starts with a bold label and a colon.

    `head` is the item up to its value, `value` the rest, continuation lines dedented and joined by newlines.
    `start` and `end` are offsets of whole lines in the text; `column` is where the item's content starts.
    """

    label: str
    value: str
    start: int
    end: int
    column: int
    head: str


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
    fields: Mapping[str, str]
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
    patterns = _patterns_for("\r\n" if crlf else "\n")
    match, field = patterns.section.match, patterns.field
    lines = count_lines if crlf else _count_newlines
    sections: list[Section] = []
    size, lineno, counted, opened, closer = len(text), 1, pos, False, None
    if text.startswith(("# ", ">"), pos) and (
        found := re.compile(patterns.preamble, re.VERBOSE).match(text, pos)
    ):
        title, rule = found.groups()
        if title is not None:
            end = found.end("rule") if rule else found.end()
            sections.append(Section(1, heading_text(title), pos, end, 1, {}))
        pos = found.end()
    while pos < size:
        lineno += lines(text, counted, pos)
        counted = pos
        if found := match(text, pos):
            end = found.end()
            fields = Fields(text, found.start(2), found.end(2), field)
            section_end = found.end(3) if found[3] else end
            sections.append(Section(3, found[1], pos, section_end, lineno, fields))
            pos = end
            continue
        end, stride = pos, 1
        search = re.compile(_HEADING_AHEAD).search
        while True:  # up to a heading that no open block swallows
            for _ in range(stride):
                ahead = search(text, end)
                end = ahead.end() if ahead else size
            scanned = scan(text, pos, end)
            if not scanned.open or end == size:
                break
            stride *= 2
        opened, closer = scanned.open, scanned.closer
        sections.extend(_sections(text, pos, end, lineno, scanned.blocks))
        pos = end
    return Document(text, tuple(sections), opened, closer)


def scan(text: str, start: int, end: int | None) -> Scan:
    """`blocks.scan`, loaded on first use: a registry of the usual shape is read without it."""
    from .blocks import scan as scan_blocks

    return scan_blocks(text, start, end)


def items(text: str, start: int = 0, end: int | None = None) -> tuple[Item, ...]:
    """Find the labelled bullets of the section between two offsets, in document order."""
    blocks = scan(text, start, end).blocks
    return tuple(item for block in blocks if block.kind == "item" and (item := _item(text, block)))


def _count_newlines(text: str, start: int, end: int) -> int:
    return text.count("\n", start, end)


def _patterns_for(newline: str) -> _Patterns:
    if newline not in _patterns:
        escaped = newline.replace("\r", r"\r").replace("\n", r"\n")
        plain = _PLAIN.replace("DEEP", _DEEP)
        section, field, preamble = (each.replace("NL", escaped) for each in (plain, _PLAIN_FIELD, _PREAMBLE))
        _patterns[newline] = _Patterns(re.compile(section, re.VERBOSE), re.compile(field), preamble)
    return _patterns[newline]


def _sections(text: str, start: int, end: int, lineno: int, blocks: tuple[Block, ...]) -> list[Section]:
    """Group the blocks between two offsets, the first of which is on line *lineno*."""
    found: list[Section] = []
    current: Block | None = None
    fields: dict[str, str] = {}
    counted = start

    def close(at: int) -> None:
        nonlocal counted, lineno
        if current is not None:
            lineno += count_lines(text, counted, current.start)
            counted = current.start
            atx = current.kind == "heading"
            found.append(Section(current.level, current.text, current.start, at, lineno, fields, atx))

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
    raw = text[block.start : block.end]
    found = re.match(_LABEL, raw)
    if found is None or len(raw[: found.start("label") - 2].expandtabs(4)) > block.level:  # indented code
        return None
    value = _value(raw[found.end() :], block.level)
    return Item(found["label"], value, block.start, block.end, block.level, found["head"])


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
