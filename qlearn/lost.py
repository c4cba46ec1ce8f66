"""What a merge has lost, told by comparing it with its parents.

That every number in a merged file stands for one entry proves nothing: a lost entry leaves it so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import Problem
from .learning import Learning, parse_learnings
from .registry import used_numbers
from .versions import COUNTERS, are_kin, content, match

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from .merge import Memory


def compare_parents(
    merged: Memory, parents: Sequence[Memory], base: Memory | None = None
) -> tuple[Problem, ...]:
    """Name the entries of the parents that a merge has lost.

    An entry is there if the registry or the archive says the same, and is found by the entry's number. One
    that stood in *base* may be gone if a parent took it out and no other changed it, and may be changed;
    but where one parent alone changed a field, that is what it has to say. Without *base*, an entry is also
    there if one with its number and its title, lesson, example, trigger or key is.

    Returns:
        Problems, each with the line of the entry in its parent, of which the first is 1.
    """
    now = _entries(merged)
    known: dict[Hashable, frozenset[int]] = {}
    for entry in now:
        known[content(entry)] = known.get(content(entry), frozenset()) | used_numbers((entry,))
    texts = [_entries(parent) for parent in parents]
    old = _entries(base) if base else ()
    fates = [match(old, text) for text in texts]
    kept = match(old, now)
    found: dict[Hashable, Problem] = {}
    for nth, (text, fate) in enumerate(zip(texts, fates, strict=True)):
        origins = {at: origin for origin, at in fate.items()}
        versions = match(text, now)
        for at, entry in enumerate(text):
            if content(entry) in known:
                numbers = known[content(entry)]
                wrong = (
                    ""
                    if entry.number in numbers
                    else f"is not found in the merge as {entry.id}: Was is missing"
                )
            elif base is None:
                wrong = "" if at in versions and are_kin(entry, now[versions[at]]) else _LOST
            elif at not in origins:
                wrong = _LOST
            else:
                origin = origins[at]
                others = [
                    texts[other][fates[other][origin]] if origin in fates[other] else None
                    for other in range(len(texts))
                    if other != nth
                ]
                wrong = _fate(old[origin], entry, others, now[kept[origin]] if origin in kept else None)
            if wrong:
                message = f"{entry.id} {entry.title!r} of parent {nth + 1} {wrong}"
                found.setdefault(content(entry), Problem(entry.lineno, message))
    return tuple(found.values())


_LOST = "is neither in the merge nor in its archive"


def _entries(memory: Memory) -> tuple[Learning, ...]:
    return (*parse_learnings(memory.registry), *parse_learnings(memory.archive))


def _fate(old: Learning, entry: Learning, others: Sequence[Learning | None], now: Learning | None) -> str:
    """Tell what is wrong with what became of an entry of the base; "" if nothing is."""
    if now is None:
        is_taken_out = None in others and content(entry) == content(old)
        return "" if is_taken_out else _LOST
    before, mine, after = _said(old), _said(entry), _said(now)
    rivals = [_said(other) for other in others if other]
    lost = [
        label
        for label in sorted(before.keys() | mine.keys())
        if mine.get(label) not in (before.get(label), after.get(label))
        and all(rival.get(label) in (before.get(label), mine.get(label)) for rival in rivals)
    ]
    return f"lost its {' and '.join(label.capitalize() for label in lost)} in the merge" if lost else ""


def _said(entry: Learning) -> Mapping[str, str]:
    fields = {label: value for label, value in entry.fields.items() if label not in COUNTERS}
    return {"title": entry.title, **fields}
