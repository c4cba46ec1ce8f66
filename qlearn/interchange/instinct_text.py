"""Files of instincts as text: where each one starts, and the parts of its body. Nothing is lost.

An instinct is front matter between two lines of three dashes, and Markdown up to the next instinct or the end
of the file. A line of dashes starts one only where front matter with a key of instincts follows, outside of
code fences and comments; any other is a rule of the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from qlearn.blocks import scan
from qlearn.interchange.outline import masked
from qlearn.lines import BOM

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MOST_LINES = 200
"""Of front matter."""

_TELLING = ("id", "trigger", "confidence")
_KEY = re.compile(r"(?P<key>[A-Za-z_][\w .-]{0,60}?)[ \t]*:(?:[ \t]+(?P<value>.*))?\Z")
_FENCE = re.compile(r"[ \t]*(?:[-*+>][ \t]+)?(?P<mark>`{3,}(?=[^`]*\Z)|~{3,})")
_FENCE_END = re.compile(r"[ \t>]*(?P<mark>`{3,}|~{3,})[ \t\r]*\Z")


class Piece(NamedTuple):
    """One instinct as it stands in its file, with line ends of LF.

    `before` is the file's text before its first instinct, "" for all others. `marks` are the two lines of
    dashes, `front` the lines between them, `body` what follows without the blank end, which is `tail`; that
    is None where it is the usual one. `newline` is what ends each line of the file; LF where they differ, and
    then each keeps what it has.
    """

    before: str
    marks: tuple[str, str]
    front: str
    body: str
    tail: str | None = None
    newline: str = "\n"
    lineno: int = 1
    last: int = 1

    @property
    def text(self) -> str:
        """The instinct alone, without its tail."""
        first, second = self.marks
        return f"{first}\n{self.front}\n{second}\n{self.body}"


class Part(NamedTuple):
    """A part of a body: what it is, "" for what stands between the parts that mean something."""

    name: str
    text: str


class KeyLines(NamedTuple):
    """The lines of a key in front matter, half open from 0."""

    key: str
    start: int
    end: int


# Files --------------------------------------------------------------------------------------------


def pieces(text: str) -> tuple[Piece, ...]:
    """Take a file apart; `joined` makes it of its pieces again."""
    text, newline = _unified(text)
    bom = BOM if text.startswith(BOM) else ""
    lines = text[len(bom) :].split("\n")
    starts = list(_starts(lines))
    found = []
    for index, (first, close) in enumerate(starts):
        end = starts[index + 1][0] if index + 1 < len(starts) else len(lines)
        rest = "\n".join(lines[close + 1 : end] + ([""] if close + 1 < end < len(lines) else []))
        body = rest.rstrip(" \t\r\n")
        before = "\n".join([*lines[:first], ""]) if not index and first else ""
        front = "\n".join(lines[first + 1 : close])
        tail: str | None = rest[len(body) :] if close + 1 < len(lines) else NO_LINE
        if tail == _usual_tail(last=end == len(lines)):
            tail = None
        last = close + 1 + body.count("\n") + bool(body)
        marks = lines[first], lines[close]
        found.append(
            Piece(bom + before if not index else "", marks, front, body, tail, newline, first + 1, last)
        )
    return tuple(found)


NO_LINE = "+none"
"""The tail of an instinct that ends with its second mark, behind which no line ends."""


def joined(found: Sequence[Piece]) -> str:
    """Put instincts into one file: a blank line between them, and a line end behind the last.

    A piece with a tail of its own keeps it, where that leaves the next one a line of its own.
    """
    newlines = {piece.newline for piece in found}
    text = found[0].before if found else ""
    for piece in found:
        last = piece is found[-1]
        tail = piece.tail
        if tail is None or not (last or (piece.text + tail).endswith("\n")):
            tail = _usual_tail(last=last)
        text += piece.text
        text = text[:-1] if tail == NO_LINE else text + tail
    return text.replace("\n", newlines.pop()) if len(newlines) == 1 else text


def _usual_tail(*, last: bool) -> str:
    return "\n" if last else "\n\n"


def lookalikes(piece: Piece) -> tuple[int, ...]:
    """The numbers of lines in a body that seem to start an instinct whose front matter can't be read."""
    lines = piece.body.split("\n")
    first = piece.lineno + piece.front.count("\n") + 3
    hidden = masked(lines)
    starts = (number for number, line in enumerate(lines[:-1]) if _is_mark(line) and not hidden[number])
    return tuple(first + number for number in starts if re.match(r"id[ \t]*:", lines[number + 1]))


def _unified(text: str) -> tuple[str, str]:
    """A text with line ends of LF, and what they were; as it is where they differ."""
    for newline in ("\r\n", "\r"):
        plain = text.replace(newline, "\n")
        if "\r" in text and "\r" not in plain and plain.replace("\n", newline) == text:
            return plain, newline
    return text, "\n"


def _starts(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The lines of both marks of each instinct."""
    ends = _last_ends(lines)
    number, fence = 0, ""
    while number < len(lines):
        line = lines[number]
        if fence:
            if _closes(line, fence):
                fence = ""
        elif close := _front_end(lines, number):
            yield number, close
            number = close
        else:
            opened = _opened(line)
            # One that nothing closes hides no instinct: it ends with its own.
            if opened and any(size >= len(opened) and at > number for size, at in ends[opened[0]].items()):
                fence = opened
        number += 1


def _front_end(lines: Sequence[str], start: int) -> int:
    """The line that closes the front matter opened on a line; 0 where none is opened there."""
    if not _is_mark(lines[start]):
        return 0
    telling = False
    for number in range(start + 1, min(len(lines), start + 1 + MOST_LINES)):
        line = lines[number].rstrip()
        if _is_mark(line):
            return number if telling else 0
        if found := _KEY.match(line):
            telling = telling or found["key"] in _TELLING
        elif line.strip() and not line.startswith("#") and line[0] not in " \t-":
            return 0
    return 0


def _is_mark(line: str) -> bool:
    return line.rstrip() == "---"


def _opened(line: str) -> str:
    """The mark of the fence or comment that a line opens, "" if it opens none."""
    if found := _FENCE.match(line):
        return found["mark"]
    return "<!--" if "<!--" in line and "-->" not in line.partition("<!--")[2] else ""


def _closes(line: str, fence: str) -> bool:
    if fence == "<!--":
        return "-->" in line
    found = _FENCE_END.match(line)
    return bool(found and found["mark"].startswith(fence))


def _last_ends(lines: Sequence[str]) -> Mapping[str, Mapping[int, int]]:
    """The last line that closes a fence or comment, by its first character and its length."""
    found: dict[str, dict[int, int]] = {"`": {}, "~": {}, "<": {}}
    for number, line in enumerate(lines):
        if fence := _FENCE_END.match(line):
            found[fence["mark"][0]][len(fence["mark"])] = number
        if "-->" in line:
            found["<"][len("<!--")] = number
    return found


# Front matter -------------------------------------------------------------------------------------


def key_lines(front: str) -> tuple[KeyLines, ...]:
    """The keys of front matter with their lines: a key's value may go on below it."""
    lines = front.split("\n")
    found: list[KeyLines] = []
    for number, line in enumerate(lines):
        if key := _KEY.match(line.rstrip()):
            found.append(KeyLines(key["key"], number, number + 1))
        elif found and line.strip() and line[0] in " \t-" and found[-1].end == number:
            found[-1] = found[-1]._replace(end=number + 1)
    return tuple(found)


def raw_value(front: str, key: str) -> str:
    """What stands behind a key, without a comment; "" where it has no value on its line."""
    found = ""
    for line in front.split("\n"):
        if (match := _KEY.match(line.rstrip())) and match["key"] == key:
            found = re.sub(r"(?:\A|[ \t])#.*\Z", "", match["value"] or "").strip()
    return found


# Bodies -------------------------------------------------------------------------------------------


def parts(body: str) -> tuple[Part, ...]:
    """Take a body apart into "title", "learning", "old evidence", "notes", "notes 2" and what joins them.

    The title is the first heading, if it is of level 1; the lesson the text under `## Action`, or else the
    first text that is left; the evidence that under `## Evidence`. Headings count as CommonMark has them,
    underlined ones aside. Notes are all the rest.
    """
    headings = [block for block in scan(body).blocks if block.kind == "heading"]
    spans: list[tuple[int, int, str]] = []
    frame: list[tuple[int, int]] = []
    at = 0
    if headings and headings[0].level == 1 and (text := headings[0].text):
        start = body.index(text, headings[0].start)
        spans.append((start, start + len(text), "title"))
        frame.append((headings[0].start, headings[0].end))
        at = 1
    while at < len(headings):
        heading = headings[at]
        name = _SECTIONS.get(heading.text.casefold(), "")
        at += 1
        if not name or heading.level == 1 or name in [span[2] for span in spans]:
            continue
        while at < len(headings) and headings[at].level > heading.level:
            at += 1
        end = headings[at].start if at < len(headings) else len(body)
        frame.append((heading.start, heading.end))
        if span := _trimmed(body, heading.end, end):
            spans.append((*span, name))
            frame.append((heading.end, end))
    notes = [span for span in _gaps(body, frame) if span]
    names = [f"notes {number}" if number > 1 else "notes" for number in range(1, len(notes) + 1)]
    if notes and "learning" not in [span[2] for span in spans]:
        names = ["learning", *names[:-1]]
    spans += [(*span, name) for span, name in zip(notes, names, strict=True)]
    found, pos = [], 0
    for start, end, name in sorted(spans):
        found += [Part("", body[pos:start]), Part(name, body[start:end])]
        pos = end
    return (*found, Part("", body[pos:]))


_SECTIONS = {"action": "learning", "evidence": "old evidence"}


def _trimmed(body: str, start: int, end: int) -> tuple[int, int] | None:
    """A span without the blank lines at its ends; None where nothing is left."""
    text = body[start:end]
    if not text.strip():
        return None
    lead = re.match(r"(?:[ \t]*(?:\r\n?|\n))*", text)
    assert lead is not None  # matches the empty text, too
    return start + lead.end(), start + len(text.rstrip())


def _gaps(body: str, frame: list[tuple[int, int]]) -> Iterator[tuple[int, int] | None]:
    """What is in none of these spans, trimmed."""
    pos = 0
    for start, end in [*sorted(frame), (len(body), len(body))]:
        yield _trimmed(body, pos, start)
        pos = end
