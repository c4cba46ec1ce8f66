"""Bugs that readers of Markdown have, each as a change of qlearn's source: what the properties must catch."""

from __future__ import annotations

from typing import NamedTuple


class Bug(NamedTuple):
    """A module, a piece of its source that stands there once, and what the bug makes of it."""

    module: str
    right: str
    wrong: str


BUGS = {
    "a shorter fence closes": Bug("blocks", r"{{{len(marks)},}}", r"{{3,}}"),
    "a fence of backticks may name its language with one": Bug("blocks", r"(`{3,})[^`]*\Z", r"(`{3,})"),
    "a fence is closed by an indented one": Bug(
        "blocks", "if not self._is_code(line) and closing.match(", "if closing.match("
    ),
    "a fence in an item does not end with the item": Bug(
        "blocks",
        """
                if self.column[line] < self.indent:
                    return line
                if not self._is_code""",
        """
                if not self._is_code""",
    ),
    "a comment ends at a blank line": Bug("blocks", r'"<!--", r"-->"', r'"<!--", r"-->|\A\Z"'),
    "any tag interrupts a paragraph": Bug("blocks", '"",\n        False,', '"",\n        True,'),
    "the names of tags know no upper case": Bug("blocks", r"</?(?ai:{'|'", r"</?(?:{'|'"),
    "a lazy line can be an underline": Bug("blocks", "self.column[line] >= self.indent\n", "True\n"),
    "an underline may be indented by four": Bug(
        "blocks", "if self.column[line] - self.indent <= 3:", "if True:"
    ),
    "a tab is one column wide": Bug("blocks", "column += 4 - column % 4 if", "column += 1 if"),
    "any number starts a list in a paragraph": Bug("blocks", "(not digits or int(digits) == 1) and ", ""),
    "an empty item interrupts a paragraph": Bug(
        "blocks", 'content[marker.end() - marker.start() :].strip(" \\t")', "content"
    ),
    "containers are followed one level too far": Bug("blocks", "depth >= MAX_NESTING", "depth > MAX_NESTING"),
    "code in an item starts one column late": Bug(
        "blocks", "offset - behind > 4 else", "offset - behind > 5 else"
    ),
    "a line of a quote need not be marked after a fence": Bug(
        "blocks", "            self.column[line] = -1\n", "            self.column[line] = 0\n"
    ),
    "a heading has up to seven hashes": Bug("blocks", "(#{1,6})", "(#{1,7})"),
    "a rule has two marks": Bug("blocks", r"(?:\1[ \t]*){2,}", r"(?:\1[ \t]*){1,}"),
    "a line ends at U+2028": Bug(
        "blocks", r"([^\r\n]*)(\r\n?|\n|\Z)", r"([^\r\n\u2028]*)(\r\n?|\n|\u2028|\Z)"
    ),
    "a lone CR ends no line": Bug(
        "blocks", r"([^\r\n]*)(\r\n?|\n|\Z)", r"((?:[^\r\n]|\r(?!\n))*)(\r\n|\n|\Z)"
    ),
    "a definition's title may be followed by text": Bug(
        "linkref", "if title_end and source.at_line_end(title_end):", "if title_end:"
    ),
    "hashes without a space close a heading": Bug("lines", r"(?:\A|[ \t])#+\Z", r"#+\Z"),
    "a heading of level 4 ends an entry": Bug("document", r"(?=\#{1,3}\ |\Z)", r"(?=\#{1,6}\ |\Z)"),
    "a section ends where its plain part does": Bug("document", r"    (?=\#{1,3}\ |\Z)", ""),
    "a heading ahead ends any block": Bug("document", "if not scanned.open or end == size:", "if True:"),
    "a BOM is text": Bug("document", "pos = 1 if text.startswith(BOM) else 0", "pos = 0"),
    "the last of two fields counts": Bug(
        "document",
        "self._values.setdefault(label.lower(), _value(value, 2))",
        "self._values[label.lower()] = _value(value, 2)",
    ),
}
