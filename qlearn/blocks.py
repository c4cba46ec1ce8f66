"""The block structure of CommonMark at document level: headings, thematic breaks, bullet items.

`scan` answers as markdown-it-py does (`MarkdownIt("commonmark")`), for any text; that parser is the
judge in the tests and is not imported here, since the hooks run with the standard library alone.
Containers are followed to their end, because only that tells which headings lie outside of them.
"""

from __future__ import annotations

import re

from .lines import TRIM, heading_text
from .record import NamedTuple

# Containers deeper than this are not looked into; everything up to the end of the innermost one that
# has an end is swallowed (the limit of markdown-it-py's "commonmark" preset).
MAX_NESTING = 20

_LINE = re.compile(r"([ \t]*)([^\r\n]*)(\r\n?|\n|\Z)")
_MARKER = re.compile(r"(?:([-+*])|([0-9]{1,9})([.)]))(?=[ \t]|\Z)")
_BREAK = re.compile(r"([-*_])[ \t]*(?:\1[ \t]*){2,}\Z")
_ATX = re.compile(r"(#{1,6})(?:[ \t]+(.*))?\Z", re.DOTALL)
_UNDERLINE = re.compile(r"(=+|-+)[ \t]*\Z")
_FENCE = re.compile(r"(`{3,})[^`]*\Z|(~{3,})", re.DOTALL)

_ATTRIBUTE = r"(?:\s+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:\s*=\s*(?:[^\"'=<>`\x00-\x20]+|'[^']*'|\"[^\"]*\"))?)"
_BLOCK_TAGS = (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog"
    " dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header"
    " hr html iframe legend li link main menu menuitem nav noframes ol optgroup option p param search"
    " section summary table tbody td tfoot th thead title tr track ul"
)
# How an HTML block starts, how it ends, what closes it where it is left open (blank line: ""), and
# whether it may interrupt a paragraph. Case-folding of tag names is ASCII only.
_HTML = (
    (r"<(?ai:script|pre|style|textarea)(?=\s|>|\Z)", r"</(?ai:script|pre|style|textarea)>", "</pre>", True),
    (r"<!--", r"-->", "-->", True),
    (r"<\?", r"\?>", "?>", True),
    (r"<![A-Za-z]", r">", ">", True),
    (r"<!\[CDATA\[", r"\]\]>", "]]>", True),
    (rf"</?(?ai:{'|'.join(_BLOCK_TAGS.split())})(?=\s|/?>|\Z)", r"\A\Z", "", True),
    (
        rf"(?:<[A-Za-z][A-Za-z0-9\-]*{_ATTRIBUTE}*\s*/?>|</[A-Za-z][A-Za-z0-9\-]*\s*>)\s*\Z",
        r"\A\Z",
        "",
        False,
    ),
)
_html_rules: list[tuple[re.Pattern[str], re.Pattern[str], str, bool]] = []


class Block(NamedTuple):
    """A block that stands at document level.

    `kind` is "heading" (an ATX heading, `level` 1-6), "setext" (`level` 1-2), "break" or "item" (of a
    bullet list; `level` is the column where its content starts). `start` and `end` are offsets of whole
    lines, half open; an item runs to its last line that is not blank. `text` is a heading's content.
    """

    kind: str
    level: int
    start: int
    end: int
    text: str


class Scan(NamedTuple):
    """The blocks of a text, and whether one that stands at document level was still open at its end.

    Open means that a heading which followed would be swallowed. `closer` is the line that would end the
    block: a fence, the end of an HTML block, or "" (a blank line); None if no line can.
    """

    blocks: tuple[Block, ...]
    open: bool
    closer: str | None


def scan(text: str, start: int = 0, end: int | None = None) -> Scan:
    """Find the document-level blocks of *text* between two offsets, taken as a document of its own.

    Source: CommonMark 0.31, in the reading of markdown-it-py.
    """
    scanner = _Scanner(text, start, len(text) if end is None else end)
    scanner.document()
    return Scan(tuple(scanner.blocks), scanner.open, scanner.closer)


def _html_rule(line: str) -> tuple[re.Pattern[str], re.Pattern[str], str, bool] | None:
    if not _html_rules:  # compiled on first use: most registries hold no HTML
        _html_rules.extend((re.compile(a), re.compile(b), closer, hard) for a, b, closer, hard in _HTML)
    return next((rule for rule in _html_rules if rule[0].match(line)), None)


def _columns(space: str, column: int) -> int:
    """The column after *space*, which starts at *column*; tabs stop at every fourth."""
    for char in space:
        column += 4 - column % 4 if char == "\t" else 1
    return column


class _Quote:
    """A block quote while it is read, as far as it was taken."""

    __slots__ = ("blank", "end", "ended", "indent", "item_indent", "outer", "saved", "start")

    def __init__(self, outer: _Quote | None, start: int, indent: int, item_indent: int) -> None:
        self.outer = outer
        self.start = start
        self.end = start  # the line behind those taken
        self.ended = False  # whether no more can be taken
        self.blank = False  # whether the last line taken holds nothing but the mark
        self.indent = indent  # of the containers around it
        self.item_indent = item_indent
        self.saved: list[tuple[int, int, int]] = []  # what the lines are to those


class _Scanner:
    """One pass over the lines of a text.

    Lines are known by number. What a line is to the blocks inside a container (where its content
    begins, how far that is indented) is rewritten while the container is read, and put back after.
    """

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self.open = False
        self.closer: str | None = None
        self.line_start: list[int] = []  # offset of the line
        self.first: list[int] = []  # offset of its first character that is no space or tab
        self.stop: list[int] = []  # offset of its line ending
        self.line_end: list[int] = []  # offset behind its line ending
        self.column: list[int] = []  # indent of `first` in the innermost quote; -1 in a lazy line
        self.tab_base: list[int] = []  # what tab stops of the rest of the line count from
        pos = start
        while pos < end:
            found = _LINE.match(text, pos, end)
            assert found is not None
            space, rest, newline = found.groups()
            if not rest and not newline:
                break  # a last line of white space alone is no line
            self.line_start.append(pos)
            self.first.append(pos + len(space))
            self.stop.append(found.end(2))
            self.column.append(_columns(space, 0) if space else 0)
            self.tab_base.append(0)
            pos = found.end()
            self.line_end.append(pos)
        self.count = len(self.first)
        self.line_start.append(end)
        self.first.append(end)
        self.stop.append(end)
        self.column.append(0)
        self.tab_base.append(0)
        self.indent = 0  # of the innermost item's content: what stands left of it is outside
        self.item_indent = -1  # of the container of the innermost item
        self.depth = 0
        self.limit = self.count  # no block of the innermost quote reads on from here
        self.quote = _Quote(None, 0, self.indent, self.item_indent)  # the innermost one
        self.quote.end, self.quote.ended = self.count, True  # the document, which is none

    def document(self) -> None:
        self._blocks(0)

    def _content(self, line: int) -> str:
        return self.text[self.first[line] : self.stop[line]]

    def _is_blank(self, line: int) -> bool:
        return self.first[line] >= self.stop[line]

    def _is_code(self, line: int) -> bool:
        return self.column[line] - self.indent >= 4

    def _has(self, line: int) -> bool:
        """Whether the innermost quote, or the document, goes on to that line."""
        while line >= self.quote.end:
            if not self._take(self.quote):
                return False
        return True

    def _blocks(self, line: int) -> int:
        """Read the blocks of one container; return the line behind the last of them."""
        while self._has(line):
            if self._is_blank(line):
                line += 1
                continue
            if self.column[line] < self.indent:
                return line
            if self.depth >= MAX_NESTING:
                self.open = self.open or self.quote.outer is None
                while self._take(self.quote):
                    pass
                return self.quote.end
            line = self._block(line)
        while line < self.limit and self._is_blank(line):
            line += 1
        return line

    def _block(self, line: int) -> int:
        if self._is_code(line):
            return self._code(line)
        content = self._content(line)
        lead = content[0]
        if lead in "`~" and (fence := _FENCE.match(content)):
            return self._fence(line, fence[1] or fence[2])
        if lead == ">":
            return self._quote(line)
        if lead in "-*_" and _BREAK.match(content):
            self._add("break", 0, line, line + 1)
            return line + 1
        if (marker := self._marker(line)) is not None:
            return self._list(line, marker)
        if lead == "[" and (after := self._reference(line)):
            return after
        if lead == "<" and (rule := _html_rule(content)):
            return self._html(line, rule[1], rule[2])
        if lead == "#" and (heading := _ATX.match(content)):
            self._add("heading", len(heading[1]), line, line + 1, heading_text(heading[2] or ""))
            return line + 1
        return self._paragraph(line)

    def _add(self, kind: str, level: int, line: int, after: int, text: str = "") -> None:
        if self.depth == 0:
            self.blocks.append(Block(kind, level, self.line_start[line], self.line_end[after - 1], text))

    def _code(self, line: int) -> int:
        after = line = line + 1
        while self._has(line) and (self._is_blank(line) or self._is_code(line)):
            line += 1
            if not self._is_blank(line - 1):
                after = line
        return after

    def _fence(self, line: int, marks: str) -> int:
        closing = re.compile(rf"{re.escape(marks[0])}{{{len(marks)},}}[ \t]*\Z")
        line += 1
        while self._has(line):
            if not self._is_blank(line):
                if self.column[line] < self.indent:
                    return line
                if not self._is_code(line) and closing.match(self.text, self.first[line], self.stop[line]):
                    return line + 1
            line += 1
        if self.depth == 0:
            self.open, self.closer = True, marks
        return line

    def _html(self, line: int, closing: re.Pattern[str], closer: str) -> int:
        if closing.search(self._content(line)):
            return line + 1
        line += 1
        while self._has(line):
            blank = self._is_blank(line)
            if self.column[line] < self.indent and not (blank and closer):
                return line
            if closing.search(self._content(line)):
                return line if blank else line + 1
            line += 1
        if self.depth == 0:
            self.open, self.closer = True, closer
        return line

    def _interrupts(self, line: int, inside: str) -> bool:
        """Whether a block that starts at *line* ends the open "paragraph", "reference", "quote" or "list"."""
        if self._is_code(line):
            return False
        content = self._content(line)
        if not content:
            return False
        lead = content[0]
        if lead == ">":
            return True
        if lead in "`~":
            return _FENCE.match(content) is not None
        if lead in "-*_" and _BREAK.match(content):
            return True
        if inside == "list":
            return False
        if lead == "#":
            return _ATX.match(content) is not None
        if lead == "<":
            rule = _html_rule(content)
            return rule is not None and rule[3]
        marker = self._marker(line)
        if marker is None:
            return False
        if inside != "paragraph" or self.column[line] < self.indent:
            return True
        # Only an item that is not empty, and counts from 1, interrupts a paragraph.
        digits = marker[2]
        return (not digits or int(digits) == 1) and bool(
            content[marker.end() - marker.start() :].strip(" \t")
        )

    def _marker(self, line: int) -> re.Match[str] | None:
        """The marker of a list item that starts at *line*."""
        column = self.column[line]
        if self.item_indent >= 0 and column - self.item_indent >= 4 and column < self.indent:
            return None
        return _MARKER.match(self.text, self.first[line], self.stop[line])

    def _list(self, line: int, marker: re.Match[str]) -> int:
        kind = marker[1] or marker[3]
        self.depth += 2
        while True:
            after, column = self._item(line, marker)
            if not marker[2] and self.depth == 2:
                last = after
                while last > line + 1 and self._is_blank(last - 1):
                    last -= 1
                self.blocks.append(Block("item", column, self.line_start[line], self.line_end[last - 1], ""))
            line = after
            if not self._has(line) or self.column[line] < self.indent or self._is_code(line):
                break
            if self._interrupts(line, "list"):
                break
            following = _MARKER.match(self.text, self.first[line], self.stop[line])
            if (
                following is None
                or (following[1] or following[3]) != kind
                or bool(following[2]) != bool(marker[2])
            ):
                break
            marker = following
        self.depth -= 2
        return line

    def _item(self, line: int, marker: re.Match[str]) -> tuple[int, int]:
        """Read one item; return the line behind it and the column of its content."""
        first, column = self.first[line], self.column[line]
        content, stop = marker.end(), self.stop[line]
        behind = column + len(marker[0])
        while content < stop and self.text[content] in " \t":
            content += 1
        offset = behind
        for char in self.text[marker.end() : content]:
            offset += 4 - (offset + self.tab_base[line]) % 4 if char == "\t" else 1
        width = 1 if content >= stop or offset - behind > 4 else offset - behind
        outer, outer_item = self.indent, self.item_indent
        self.item_indent, self.indent = outer, behind + width
        self.first[line], self.column[line] = content, offset
        goes_on = self._has(line + 1)
        if content >= stop and self._is_blank(line + 1):
            after = line + 1 + goes_on
        else:
            after = self._blocks(line)
        self.first[line], self.column[line] = first, column
        self.indent, self.item_indent = outer, outer_item
        return after, behind + width

    def _quote(self, line: int) -> int:
        outer, limit, indent, depth = self.quote, self.limit, self.indent, self.depth
        self.quote = quote = _Quote(outer, line, indent, self.item_indent)
        self._take(quote)
        self.indent, self.depth = 0, depth + 1
        after = self._blocks(line)
        self.limit, self.indent, self.depth = limit, indent, depth
        self.quote = outer
        for number, values in enumerate(quote.saved, line):
            self.first[number], self.column[number], self.tab_base[number] = values
        return after

    def _take(self, quote: _Quote) -> bool:
        """Take one more line into a quote, if it goes on.

        A line at a time, when a block in it asks for the line: a quote that takes all that might belong to it
        and then ends early would be taken again and again.
        """
        line, outer = quote.end, quote.outer
        if (
            quote.ended
            or outer is None
            or (line >= outer.end and not self._take(outer))
            or self._is_blank(line)
        ):
            quote.ended = True
            return False
        quoted = self.text[self.first[line]] == ">" and (
            line == quote.start or self.column[line] >= quote.indent
        )
        if not quoted and quote.blank:
            quote.ended = True
            return False
        quote.saved.append((self.first[line], self.column[line], self.tab_base[line]))
        if quoted:
            quote.blank = self._unquote(line)
        elif self._ends_quote(line, quote):
            self.limit = line
            self.column[line] -= quote.indent
            quote.ended = True
            return False
        else:
            self.column[line] = -1
        quote.end += 1
        return True

    def _ends_quote(self, line: int, quote: _Quote) -> bool:
        indents = self.indent, self.item_indent
        self.indent, self.item_indent = quote.indent, quote.item_indent
        ends = self._interrupts(line, "quote")
        self.indent, self.item_indent = indents
        return ends

    def _unquote(self, line: int) -> bool:
        """Step over the `>` of a line, with one column of white space; True if nothing follows."""
        pos, stop = self.first[line] + 1, self.stop[line]
        column, base = self.column[line], self.tab_base[line]
        start = offset = column + 1
        split_tab = False
        spaced = pos < stop and self.text[pos] in " \t"
        if spaced:
            if self.text[pos] == " " or (base + offset) % 4 == 3:
                pos += 1
                start += 1
                offset += 1
            else:
                split_tab = True
        while pos < stop and self.text[pos] in " \t":
            offset += 4 - (offset + base + split_tab) % 4 if self.text[pos] == "\t" else 1
            pos += 1
        self.tab_base[line] = column + 1 + spaced
        self.column[line] = offset - start
        self.first[line] = pos
        return pos >= stop

    def _paragraph(self, line: int) -> int:
        start = line
        line += 1
        while self._has(line) and not self._is_blank(line):
            if self.column[line] - self.indent <= 3:
                content = self._content(line)
                if (
                    self.column[line] >= self.indent
                    and content[0] in "=-"
                    and (mark := _UNDERLINE.match(content))
                ):
                    title = self.text[self.first[start] : self.stop[line - 1]].strip(TRIM)
                    self._add("setext", 1 if mark[1][0] == "=" else 2, start, line + 1, title)
                    return line + 1
                if self.column[line] >= 0 and self._interrupts(line, "paragraph"):
                    break
            line += 1
        return line

    def _reference(self, line: int) -> int:
        """The line behind the link reference definition that starts at *line*, or 0 if there is none."""
        from .linkref import definition_lines

        after = line + 1

        def following() -> str | None:
            nonlocal after
            self._has(after)
            if after >= self.limit or self._is_blank(after):
                return None
            if not self._is_code(after) and self.column[after] >= 0 and self._interrupts(after, "reference"):
                return None
            after += 1
            return self._content(after - 1)

        taken = definition_lines(self._content(line), following)
        return line + taken if taken else 0
