"""Two changed versions of one entry become one, field by field."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from .confidence import Evidence, parse_evidence
from .document import items
from .learning import FIELDS, parse_day, parse_learnings
from .lines import line_ending
from .registry import former_numbers, reopen, resolve, set_field
from .versions import COUNTERS, NUMBERS, split
from .weave import Clash, weave

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    T = TypeVar("T")

_COUNT = re.compile(r"[0-9]{1,9}\Z")
_LARGEST_COUNT = 999_999_999
_PLACE = {label.lower(): place for place, label in enumerate(FIELDS)}


class Reconciled(NamedTuple):
    """The text of an entry, in parts, and what of it is in conflict: "title", a field's label, "text"."""

    parts: tuple[str | Clash, ...]
    conflicts: tuple[str, ...] = ()


class _Key(NamedTuple):
    """A label in lower case, and how many of that label stand above in the entry."""

    label: str
    nth: int


class _Field(NamedTuple):
    """A bullet as it stands, and its value."""

    raw: str
    value: str


class _Body(NamedTuple):
    """An entry taken apart: the line of its heading, what stands below it, and the fields by their keys."""

    heading: str
    tokens: list[str | _Key]
    fields: dict[_Key, _Field]


def reconcile(base: str | None, one: str, other: str) -> Reconciled:
    """Merge two bodies of an entry that carry the same number; *base* is None if both sides added it.

    Where the merged fields would not read as meant, the bodies as wholes are in conflict.
    """
    if one == other or other == base:
        return Reconciled((one,))
    if one == base:
        return Reconciled((other,))
    old, left, right = _take_apart(base or ""), _take_apart(one), _take_apart(other)
    headings = _merge_headings(old.heading, left.heading, right.heading)
    fields = {}
    for key in left.fields | right.fields:
        pair = _merge_fields(
            key.label, old.fields.get(key), left.fields.get(key), right.fields.get(key), is_new=base is None
        )
        if pair != (None, None):
            fields[key] = pair
    before, ours, theirs = (
        [token for token in body.tokens if isinstance(token, str) or token in fields]
        for body in (old, left, right)
    )
    woven = weave(before, ours, theirs, rank=_place)
    parts = [_part(*headings)]
    labels = ["title"]
    for token in woven:
        if isinstance(token, _Key):
            parts.append(_part(*(field.raw if field else "" for field in fields[token])))
            labels.append(token.label.capitalize())
        else:
            parts.append(token)
            labels.append("text")
    for pick in (0, 1):
        meant: dict[str, str] = {}
        for token in woven:
            if isinstance(token, _Key) and (field := fields[token][pick]):
                meant.setdefault(token.label, field.value)
        if not _reads(picked(parts, pick), headings[pick], meant):
            return Reconciled((Clash(one, other),), ("text",))
    conflicts = (label for part, label in zip(parts, labels, strict=True) if isinstance(part, Clash))
    return Reconciled(tuple(parts), tuple(conflicts))


def picked(parts: Iterable[str | Clash], pick: int) -> str:
    """The text where every clash is decided for one side: 0 or 1."""
    return "".join(part if isinstance(part, str) else part[pick] for part in parts)


def _part(one: str, other: str) -> str | Clash:
    return one if one == other else Clash(one, other)


def _reads(body: str, heading: str, fields: dict[str, str]) -> bool:
    """Whether a body is one entry with just that heading and those fields."""
    read, meant = parse_learnings(body), parse_learnings(heading)
    return (
        len(read) == len(meant) == 1
        and (read[0].start, read[0].end) == (0, len(body))
        and read[0][:3] == meant[0][:3]
        and dict(read[0].fields) == fields
    )


def _take_apart(body: str) -> _Body:
    heading, *_ = split(body) or [""]
    tokens: list[str | _Key] = []
    fields: dict[_Key, _Field] = {}
    met: Counter[str] = Counter()
    at = len(heading)
    for item in items(body):
        label = item.label.lower()
        key = _Key(label, met[label])
        met[label] += 1
        fields[key] = _Field(body[item.start : item.end], item.value)
        tokens += [*split(body[at : item.start]), key]
        at = item.end
    tokens += split(body[at:])
    return _Body(heading, tokens, fields)


def _place(key: _Key) -> object:
    """Where a field stands among others: as `FIELDS` has them, then what is none of them."""
    return _PLACE.get(key.label, len(FIELDS)), key


def decide(base: T, one: T, other: T) -> tuple[T, T]:
    """What each side says in the end: the same, unless both changed it differently."""
    if one == other or other == base:
        return one, one
    if one == base:
        return other, other
    return one, other


def _merge_headings(base: str, one: str, other: str) -> tuple[str, str]:
    """Merge the title and `[RESOLVED]` each by itself."""
    lines = decide(base, one, other)
    if lines[0] == lines[1]:
        return lines
    old, (left,), (right,) = (parse_learnings(line) for line in (base, one, other))
    if old:
        titles = decide(old[0].title, left.title, right.title)
        resolved, _ = decide(old[0].resolved, left.resolved, right.resolved)
    else:
        titles = left.title, right.title
        resolved = left.resolved or right.resolved
    if titles[0] != titles[1]:
        return one, other
    titled = [(line, side) for line, side in ((one, left), (other, right)) if side.title == titles[0]]
    for line, side in titled:
        if side.resolved == resolved:
            return line, line
    line, side = titled[0]
    line = resolve(line, side.id) if resolved else reopen(line, side.id)
    return line, line


# Fields -------------------------------------------------------------------------------------------


def _with_value(raw: str, label: str, value: str) -> str:
    """A field's bytes with another value; it is edited below a heading, as in an entry."""
    newline = line_ending(raw)
    heading = f"### L001{newline}"
    return set_field(heading + raw, label, value, newline).removeprefix(heading)


def _merge_fields(
    label: str, base: _Field | None, one: _Field | None, other: _Field | None, *, is_new: bool
) -> tuple[_Field | None, _Field | None]:
    """Decide what each side says in the end; None where it has no such field."""
    pair = decide(base, one, other)
    if pair[0] == pair[1]:
        return pair
    values = decide(*(field.value if field else None for field in (base, one, other)))
    if values[0] == values[1]:  # one of them is only written otherwise
        field = one if (one.value if one else None) == values[0] else other
        return field, field
    if label not in COUNTERS:
        return pair
    if one is None or other is None:
        return one or other, one or other
    combine = _COMBINE[label]
    value = combine(None if is_new else base.value if base else "", one.value, other.value)
    if value is None:
        return pair
    for field in (one, other):
        if field.value == value:
            return field, field
    field = _Field(_with_value(one.raw, label, value), value)
    return field, field


def _later(_base: str | None, one: str, other: str) -> str | None:
    return max(one, other) if parse_day(one) and parse_day(other) else None


def _earlier(_base: str | None, one: str, other: str) -> str | None:
    return min(one, other) if parse_day(one) and parse_day(other) else None


def _all_names(_base: str | None, one: str, other: str) -> str | None:
    if not (NUMBERS.match(one) and NUMBERS.match(other)):
        return None
    return ", ".join(f"L{number:03d}" for number in sorted({*former_numbers(one), *former_numbers(other)}))


def _sum_of_changes(base: str | None, one: str, other: str) -> str | None:
    if not all(map(_COUNT.match, (base or "0", one, other))):
        return None
    return str(_add(None if base is None else int(base or 0), int(one), int(other)))


def _add(base: int | None, one: int, other: int) -> int:
    """Without a base nobody knows what is counted on both sides, so the larger count stands for both."""
    changed = max(one, other) if base is None else one + other - base
    return min(max(changed, 0), _LARGEST_COUNT)


def _joint_evidence(base: str | None, one: str, other: str) -> str | None:
    left, right = parse_evidence(one), parse_evidence(other)
    old = parse_evidence(base) if base else Evidence()
    if left is None or right is None or old is None:
        return None
    counts = {
        name: _add(None if base is None else getattr(old, name), getattr(left, name), getattr(right, name))
        for name in Evidence._fields
        if name != "last"
    }
    last = max((day for day in (left.last, right.last) if day), default=None)
    return str(Evidence(**counts, last=last))


_COMBINE: dict[str, Callable[[str | None, str, str], str | None]] = {
    "reinforced": _later,
    "pruned": _earlier,
    "was": _all_names,
    "used": _sum_of_changes,
    "evidence": _joint_evidence,
}
