"""Where lines end, and what is no part of them: the smallest facts about a Markdown text."""

from __future__ import annotations

import re

BOM = "\ufeff"
TRIM = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""What CommonMark readers take off the ends of a heading."""

_CLOSING_HASHES = r"(?:\A|[ \t])#+\Z"
_ENDING = r"\r\n?|\n"


def heading_text(content: str) -> str:
    """Take the closing hashes and the white space off what follows a heading's marker."""
    content = content.rstrip(" \t")
    return (re.sub(_CLOSING_HASHES, "", content) if content.endswith("#") else content).strip(TRIM)


def line_ending(text: str) -> str:
    """Tell which line ending most lines of *text* have; LF where none has any."""
    crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}
    return max(counts, key=lambda ending: counts[ending])


def split_lines(text: str) -> list[str]:
    """Split where CommonMark ends a line: at LF, CRLF and a lone CR, and nowhere else."""
    return re.split(_ENDING, text)


def count_lines(text: str, start: int, end: int) -> int:
    """Count the line endings between two offsets; *start* is at the start of a line."""
    return sum(text.count(mark, start, end) * sign for mark, sign in (("\n", 1), ("\r", 1), ("\r\n", -1)))
