"""Finding learnings by their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .learning import parse_learnings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .learning import Learning


def fold(text: str) -> str:
    r"""Reduce a text to what counts when it is compared: no case, no white space but single spaces.

    Composed and decomposed letters are one (NFC), as file names of macOS bring them.

    >>> fold("  Pin the\n  LOCKFILE ")
    'pin the lockfile'
    """
    if not text.isascii():
        from unicodedata import normalize

        text = normalize("NFC", text)
    return " ".join(text.casefold().split())


def search(entries: Iterable[Learning], query: str) -> tuple[Learning, ...]:
    """Find the entries that hold *query* in their title, lesson, context, type or keywords.

    Case and the kind and amount of white space do not count; an empty query finds every entry.
    """
    wanted = fold(query)
    return tuple(entry for entry in entries if any(wanted in fold(part) for part in _parts(entry)))


def find_same(text: str, lesson: str, entries: Iterable[Learning] | None = None) -> Learning | None:
    """Find the first entry of a registry with the same lesson, but for case and white space.

    Args:
        entries: Those of *text*, where the caller has read them.
    """
    wanted = fold(lesson)
    words = sorted(set(wanted.split()), key=len, reverse=True)
    if text.isascii():
        folded = text.lower()
        if not all(word in folded for word in words):
            return None
    for entry in parse_learnings(text) if entries is None else entries:
        raw = text[entry.start : entry.end].casefold()
        # An entry without all of the words need not be taken apart.
        if (all(word in raw for word in words) or not raw.isascii()) and fold(entry.learning) == wanted:
            return entry
    return None


def _parts(entry: Learning) -> tuple[str, ...]:
    return (entry.title, entry.learning, entry.context or "", entry.type, ", ".join(entry.keywords))
