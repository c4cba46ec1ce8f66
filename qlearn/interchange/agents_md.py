"""A block in AGENTS.md and its likes, for clients that read such a file and have no hooks.

The block stands between two comments and is written anew as a whole; every byte outside of it stays.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from qlearn.decay import rank
from qlearn.errors import Problem, RegistryError
from qlearn.lines import BOM, count_lines, line_ending
from qlearn.rendering import learning_line
from qlearn.text import unexpanded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from qlearn.interchange import Frame
    from qlearn.learning import Learning

FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
"""What clients read at the start of a session, in the root of a project."""

BEGIN = "<!-- qlearn:begin, written by `qlearn export --format agents-md`; edit .qe/learnings.md instead -->"
END = "<!-- qlearn:end -->"

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
# At the end of a text: an empty line, and the line end before it.
_EMPTY_LINE = re.compile(r"(?:\r\n|\n|\r(?!\n))(?P<own>\r\n|[\r\n])\Z")


class _Mark(NamedTuple):
    """One of the comments, with the end of its line."""

    start: int
    end: int
    is_end: bool


class Span(NamedTuple):
    """Where the block stands, from its first comment to the end of the line of its last one."""

    start: int
    end: int


def write(entries: Iterable[Learning], frame: Frame) -> Mapping[str, str]:
    """Write the block for a file of nothing else."""
    return {"AGENTS.md": with_block("", block(entries, frame))}


def block(entries: Iterable[Learning], frame: Frame) -> str:
    """Write what ranks highest, one line each, as hooks inject it; the same for as long as the order is."""
    ranked = rank(entries, frame.now, frame.top)
    said = (learning_line(each.learning, frame.now.date()) for each in ranked)
    lines = ["- " + unexpanded(line) for line in said] or ["Nothing has been learned yet."]
    text = ["## Learnings of this project", "", "The best of `.qe/learnings.md`, by relevance. Apply these:"]
    return "\n".join([BEGIN, *text, "", *lines, "", END])


def find_block(text: str) -> Span | None:
    """Find the block; comments in a code block or a quotation are none.

    Raises:
        RegistryError: One of the comments stands alone, or there are several blocks.
    """
    marks = _marks(text)
    if not marks:
        return None
    if [mark.is_end for mark in marks] != [False, True]:
        lineno = count_lines(text, 0, marks[0].start) + 1
        raise RegistryError(
            f"line {lineno}: not one block between qlearn:begin and qlearn:end; mend it by hand"
        )
    return Span(marks[0].start, marks[1].end)


def with_block(text: str, new: str) -> str:
    """Put the block in the place of the old one, else at the end; `without_block` takes it out again.

    Raises:
        RegistryError: As `find_block`; or the text leaves a code block or a comment open at its end.
    """
    newline = "\r" if text.endswith("\r") else line_ending(text)  # a lone CR and an LF would become one
    new = new.replace("\n", newline)
    span = find_block(text)
    if span is not None:
        old = text[span.start : span.end]
        return text[: span.start] + new + old[len(old.rstrip("\r\n")) :] + text[span.end :]
    if not text.strip(BOM):
        after = f"{text}{new}{newline}"
    elif text.endswith(("\n", "\r")):
        after = f"{text}{newline}{new}{newline}"
    else:
        after = f"{text}{newline}{newline}{new}"
    if [mark.is_end for mark in _marks(after)] != [False, True]:
        raise RegistryError("a code block or a comment is left open at its end; close it first")
    return after


def without_block(text: str) -> str:
    """Take the block out, with the empty line before it that came with it, if that still parts nothing.

    Raises:
        RegistryError: As `find_block`.
    """
    span = find_block(text)
    if span is None:
        return text
    before, after = text[: span.start], text[span.end :]
    is_closed = text[: span.end].endswith(("\n", "\r"))
    empty_line = _EMPTY_LINE.search(before)
    if empty_line is None or after.strip(" \t")[:1] not in ("", "\r", "\n"):
        return before + after
    return before[: empty_line.start("own" if is_closed else 0)] + after


def stale(text: str, new: str, path: str) -> Problem | None:
    """Tell that the block in a file is not what would be written now; None where it is, or there is none.

    Raises:
        RegistryError: As `find_block`.
    """
    span = find_block(text)
    if span is None or with_block(text, new) == text:
        return None
    lineno = count_lines(text, 0, span.start) + 1
    cure = f"`qlearn export --format agents-md --into {path}` renews it"
    return Problem(lineno, f"the block of learnings is out of date; {cure}", "warning")


def _marks(text: str) -> list[_Mark]:
    if "qlearn:" not in text:
        return []
    from markdown_it import MarkdownIt  # which only a file with a block has to pay for

    start = len(BOM) if text.startswith(BOM) else 0
    edges = [start, *(line.end() for line in _LINE.finditer(text, start))]
    marks = []
    for token in MarkdownIt("commonmark").parse(text[start:]):
        if token.type == "html_block" and token.level == 0 and token.map:
            said = token.content.strip()
            if said.startswith("<!-- qlearn:begin") or said == END:
                first, last = token.map
                marks.append(_Mark(edges[first], edges[last], said == END))
    return marks
