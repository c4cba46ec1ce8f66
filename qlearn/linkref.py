"""Link reference definitions: how many lines of a paragraph's start are none of its text.

Rare in a registry, so this module is imported only where a line starts with a bracket.
"""

from __future__ import annotations

import re

from .record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_ESCAPE_OR_ENTITY = re.compile(
    r"\\([!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~])|&(#?[a-z0-9]{1,32});", re.IGNORECASE
)
_REFUSED_SCHEME = re.compile(r"(?:vbscript|javascript|file|data):(?!(?<=data:)image/(?:gif|png|jpeg|webp);)")


def definition_lines(first: str, following: Callable[[], str | None]) -> int:
    """Count the lines of the definition `[label]: destination 'title'` that starts with *first*.

    Args:
        first: The line, from its bracket.
        following: Called for the next line of the same paragraph; None when there is none.

    Returns:
        0 if there is no definition. Destinations that markdown-it-py refuses to link to
        (`javascript:` and the like) make none.
    """
    source = _Source(first, following)
    label_end = _label_end(source)
    if not label_end or source.at(label_end + 1) != ":" or not source.text[1:label_end].strip():
        return 0
    start = source.skip_space(label_end + 2)
    end = _destination_end(source.text, start)
    if end <= start:
        return 0
    destination = source.text[start:end]
    if destination.startswith("<"):
        destination = destination[1:-1]
    if _REFUSED_SCHEME.match(_unescape(destination).strip().lower()):
        return 0

    lines = source.lines
    title_start = source.skip_space(end)
    if title_start > end:
        title_end = _title_end(source, title_start)
        if title_end and source.at_line_end(title_end):
            return source.lines
        if title_end == title_start + 2:  # an empty title is not given up for what follows it
            return 0
    return lines if source.at_line_end(end) else 0


class _Source:
    """The text of a paragraph as far as it was asked for, and how many lines that is."""

    def __init__(self, first: str, following: Callable[[], str | None]) -> None:
        self.text = first + "\n"
        self.lines = 1
        self._following = following

    def at(self, pos: int) -> str:
        return self.text[pos : pos + 1]

    def more(self) -> bool:
        line = self._following()
        if line is None:
            return False
        self.text += line + "\n"
        self.lines += 1
        return True

    def skip_space(self, pos: int) -> int:
        while (char := self.at(pos)) and char in " \t\n":
            if char == "\n":
                self.more()
            pos += 1
        return pos

    def at_line_end(self, pos: int) -> bool:
        while (char := self.at(pos)) and char in " \t":
            pos += 1
        return char in ("", "\n")


def _label_end(source: _Source) -> int:
    pos = 1
    while char := source.at(pos):
        if char == "[":
            return 0
        if char == "]":
            return pos
        if char == "\\":
            pos += 1
            char = source.at(pos)
        if char == "\n":
            source.more()
        pos += 1
    return 0


def _destination_end(text: str, pos: int) -> int:
    """The offset behind a destination, -1 if it is none."""
    bracketed = text.startswith("<", pos)
    nesting = 0
    pos += bracketed
    while pos < len(text):
        char = text[pos]
        if char == "\\" and pos + 1 < len(text) and (bracketed or text[pos + 1] != " "):
            pos += 2
            continue
        if bracketed:
            if char == ">":
                return pos + 1
            if char in "<\n":
                return -1
        elif char <= " " or char in "\x7f\\":
            break
        elif char == "(":
            nesting += 1
            if nesting > 32:
                return -1
        elif char == ")":
            if not nesting:
                break
            nesting -= 1
        pos += 1
    return -1 if bracketed or nesting else pos


def _title_end(source: _Source, start: int) -> int:
    """The offset behind a title, 0 if it is none; reads on over line ends."""
    closing = {'"': '"', "'": "'", "(": ")"}.get(source.at(start))
    if closing is None:
        return 0
    pos = start + 1
    while True:
        if pos >= len(source.text) and not source.more():
            return 0
        char = source.text[pos]
        if char == closing:
            return pos + 1
        if char == "(" and closing == ")":
            return 0
        pos += 2 if char == "\\" and pos + 1 < len(source.text) else 1


def _unescape(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        if found[1]:
            return found[1]
        from html import unescape

        return unescape(found[0])

    return _ESCAPE_OR_ENTITY.sub(plain, text)
