"""Regular expressions written as lists: one alternative a line."""

from __future__ import annotations

import re


def any_of(*texts: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """A pattern that finds any line of the texts, each a regular expression; blank lines are passed over."""
    return re.compile("|".join(_lines(texts)), flags)


def any_word(latin: str, other: str = "") -> re.Pattern[str]:
    """A pattern that finds any line of *latin* as whole words, or of *other*, for scripts without spaces."""
    words = "|".join(_lines([latin]))
    return re.compile("|".join([rf"(?<!\w)(?:{words})(?!\w)", *_lines([other])]), re.IGNORECASE)


def _lines(texts: tuple[str, ...] | list[str]) -> list[str]:
    return [line.strip() for text in texts for line in text.splitlines() if line.strip()]
