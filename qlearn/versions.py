"""The versions of an entry in several texts: by number, by Was, and by what they say.

A number alone is not enough: a merge may have given an entry another one, and its old number to another
entry, while a branch goes on with the old ones.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .learning import Learning, parse_learnings
from .lines import line_ending
from .registry import former_numbers, set_field

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

# Fields that count or date what happened to an entry, and say nothing of what it teaches.
COUNTERS = frozenset({"reinforced", "used", "evidence", "was", "pruned"})

# What two versions of an entry have in common, and two entries have not.
_TELLING = ("learning", "example", "trigger", "key")
# Where more pairs than this share a number, the first is taken for the first and so on: it bounds the time.
_MOST_PAIRS = 4096

_LINE = re.compile(r"(?:[ \t]*+(?:\r\n?+|\n))*+(?:[^\r\n]++(?:\r\n?+|\n)?+)?+")
_REST_OF_LINE = re.compile(r"[ \t]*(?:\r\n?|\n|\Z)")
_BREAK = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}\Z")
_ID = re.compile(r"L[0-9]{1,9}")
NUMBERS = re.compile(r"L[0-9]{1,9}(?:[ \t]*,[ \t]*L[0-9]{1,9})*\Z")
"""A Was that holds ids and nothing else."""

_BLANK = " \t\r\n"


class Version(NamedTuple):
    """An entry of one text: the blank lines before it, heading and fields, and the break that ends it."""

    learning: Learning
    lead: str
    body: str
    rule: str

    @property
    def number(self) -> int:
        """The number it has in its text."""
        return self.learning.number

    @property
    def nameless(self) -> str:
        """What it says without its number and Was."""
        body = _ID.sub("L", self.body, count=1)
        return set_field(body, "Was", None, "\n") if "was" in self.learning.fields else body

    def named(self, number: int, former: set[int]) -> str:
        """Its body under *number*; Was gets those *former* numbers that it lacks, and loses *number*."""
        body = self.body
        if self.number != number:
            body = _ID.sub(f"L{number:03d}", body, count=1)
        was = self.learning.fields.get("was") or ""
        known = former_numbers(was)
        if former.issubset(known) and (number not in known or self.number == number):
            return body
        if was and not NUMBERS.match(was):  # somebody said more there
            value = ", ".join([was, *_ids(former.difference(known))])
        else:
            value = ", ".join(_ids({*known, *former} - {number}))
        return set_field(body, "Was", value or None, line_ending(body))


def _ids(numbers: Iterable[int]) -> list[str]:
    return [f"L{number:03d}" for number in sorted(numbers)]


def cut(text: str) -> tuple[list[str | int], list[Version]]:
    """Cut a text into lines and entries; in place of an entry stands its index."""
    tokens: list[str | int] = []
    entries: list[Version] = []
    at = 0
    for learning in parse_learnings(text):
        lines = split(text[at : learning.start])
        lead = lines.pop() if lines and not lines[-1].strip(_BLANK) else ""
        tokens += lines
        tokens.append(len(entries))
        body, rule = _body_and_rule(text[learning.start : learning.end])
        entries.append(Version(learning, lead, body, rule))
        at = learning.start + len(body) + len(rule)
    tokens += split(text[at:])
    return tokens, entries


def split(text: str) -> list[str]:
    """Split into lines, each with its line ending and the blank lines before it.

    Blank lines are alike, so by themselves they would be taken for one another.
    """
    return _LINE.findall(text)[:-1]


def _body_and_rule(piece: str) -> tuple[str, str]:
    """Take off the break that ends an entry, with the blank lines before it; those alone don't end it."""
    if piece.endswith("\n\n---\n") and piece[-7] not in _BLANK:
        return piece[:-5], piece[-5:]
    core = piece.rstrip(_BLANK)
    last = max(core.rfind("\n"), core.rfind("\r")) + 1
    ruled = _BREAK.match(core, last) is not None
    if ruled:
        core = core[:last].rstrip(_BLANK)
    rest = _REST_OF_LINE.match(piece, len(core))
    end = rest.end() if rest else len(core)
    return piece[:end], piece[end:] if ruled else ""


def names(entry: Learning) -> tuple[int, ...]:
    """The number of an entry, and those that it once had."""
    return (entry.number, *former_numbers(entry.fields.get("was")))


def content(entry: Learning) -> Hashable:
    """What an entry says, whatever its number, its state and its counts."""
    said = frozenset(field for field in entry.fields.items() if field[0] not in COUNTERS)
    return entry.title, said


def are_kin(entry: Learning, other: Learning) -> bool:
    """Whether two entries share their title, lesson, example, trigger or key."""
    if entry.title and entry.title == other.title:
        return True
    return any((value := entry.fields.get(label)) and value == other.fields.get(label) for label in _TELLING)


def may_be_one(old: Learning, new: Learning) -> bool:
    """Whether an entry may have become another one, with which it shares a number, in a later text.

    An equal number is enough, unless neither the date nor anything that they teach is the same: then the
    number was given twice. Where the number changed they have to be kin.
    """
    if old.number == new.number and old.fields.get("date") == new.fields.get("date"):
        return True
    return are_kin(old, new)


def are_one(new: Learning, other: Learning) -> bool:
    """Whether two entries, neither of which is the older one, are one: they say the same."""
    return content(new) == content(other)


def match(
    old: Sequence[Learning],
    new: Sequence[Learning],
    is_one: Callable[[Learning, Learning], bool] = may_be_one,
) -> dict[int, int]:
    """Map indexes of *old* to those of the same entries in *new*.

    Only entries with a number in common are compared. Of several that may be the same, those that differ
    least are; then those with the same number, then the first.
    """
    by_number: dict[int, tuple[list[int], list[int]]] = {}
    for side, entries in enumerate((old, new)):
        for index, entry in enumerate(entries):
            for number in names(entry):
                by_number.setdefault(number, ([], []))[side].append(index)
    claims = []
    for olds, news in by_number.values():
        pairs: Iterable[tuple[int, int]] = zip(olds, news, strict=False)
        if 1 < len(olds) * len(news) <= _MOST_PAIRS:
            pairs = ((i, j) for i in olds for j in news)
        for i, j in pairs:
            one, other = old[i], new[j]
            if is_one(one, other):
                claims.append((_differences(one, other), one.number != other.number, i, j))
    found: dict[int, int] = {}
    taken = set()
    for _, _, i, j in sorted(claims):
        if i not in found and j not in taken:
            found[i] = j
            taken.add(j)
    return found


def _differences(one: Learning, other: Learning) -> int:
    fields = one.fields.items() ^ other.fields.items()
    return (one.title != other.title) + sum(label != "was" for label, _ in fields)
