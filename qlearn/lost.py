"""What a merge has lost, told by comparing it with its parents.

That every number in a merged file stands for one entry proves nothing: a lost entry leaves it so.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .errors import Problem
from .learning import Learning, parse_learnings
from .versions import COUNTERS, are_kin, content, cut, match, names

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from .merge import Memory
    from .versions import Version

# Of more entries under one number, only the first are compared with those behind them: it bounds the time.
_MOST = 64
_LOST = "is neither in the merge nor in its archive"


def compare_parents(
    merged: Memory, parents: Sequence[Memory], base: Memory | None = None
) -> tuple[Problem, ...]:
    """Name the entries of the parents that a merge has lost.

    An entry is there if the registry or the archive has one that can be found by its number and has its
    title, lesson, example, trigger or key. One that stood in *base* may be gone if a parent took it out and
    no other changed it. With *base*, also what is said of an entry has to be there, as far as one parent
    alone said it; and what a parent took out may not be back. No entry may stand there twice.

    Returns:
        Problems with the line of the entry in its parent, or, if it should not be there, in the merge.
    """
    now = _entries(merged)
    by_name: dict[int, list[Learning]] = {}
    for entry in now:
        for name in names(entry):
            by_name.setdefault(name, []).append(entry)
    contents = {content(entry) for entry in now}
    old = _entries(base) if base else ()
    texts = [_entries(parent) for parent in parents]
    fates = [match(old, text) for text in texts]
    found: dict[Hashable, Problem] = {}
    for nth, text in enumerate(texts):
        origins = {at: origin for origin, at in fates[nth].items()}
        for at, entry in enumerate(text):
            family = [entry]
            others: list[Learning | None] = []
            if at in origins:
                others = [_version(text, fate, origins[at]) for text, fate in zip(texts, fates, strict=True)]
                del others[nth]
                family += [old[origins[at]], *filter(None, others)]
            versions = [
                each for each in by_name.get(entry.number, ()) if any(are_kin(each, one) for one in family)
            ]
            if at in origins:
                wrong = _wrong_with_old(entry, old[origins[at]], others, versions)
            else:
                wrong = _wrong_with_new(entry, versions, is_sure=base is not None)
            if wrong == _LOST and content(entry) in contents:
                wrong = f"is not found in the merge as {entry.id}: Was is missing"
            if wrong:
                message = f"{entry.id} {entry.title!r} of parent {nth + 1} {wrong}"
                found.setdefault(content(entry), Problem(entry.lineno, message))
    more = [*_twice(merged, parents)]
    if base:
        more += [*_too_many(merged, parents, base), *_back(merged, parents, base)]
    return (*found.values(), *sorted(set(more)))


def _version(text: Sequence[Learning], fate: Mapping[int, int], origin: int) -> Learning | None:
    return text[fate[origin]] if origin in fate else None


def _entries(memory: Memory) -> tuple[Learning, ...]:
    return (*parse_learnings(memory.registry), *parse_learnings(memory.archive))


def _wrong_with_new(entry: Learning, versions: Sequence[Learning], *, is_sure: bool) -> str:
    """Tell what is wrong with what became of an entry that its parent added; "" if nothing is."""
    if not versions:
        return _LOST
    said = {label: value for label, value in _said(entry).items() if label not in (*COUNTERS, "state")}
    return _without(said, versions) if is_sure else ""


def _wrong_with_old(
    entry: Learning, old: Learning, others: Sequence[Learning | None], versions: Sequence[Learning]
) -> str:
    """Tell what is wrong with what became of an entry that stood in the base; "" if nothing is."""
    before, mine = _said(old), _said(entry)
    if not versions:
        return "" if None in others and mine == before else _LOST
    rivals = [_said(other) for other in others if other]
    changed = {
        label: mine.get(label, "")
        for label in sorted(before.keys() | mine.keys())
        if mine.get(label) != before.get(label)
        and all(rival.get(label) in (before.get(label), mine.get(label)) for rival in rivals)
    }
    return _without(changed, versions)


def _without(said: Mapping[str, str], versions: Iterable[Learning]) -> str:
    after = [_said(version) for version in versions]
    lost = [label for label, value in said.items() if value not in {each.get(label, "") for each in after}]
    return f"lost its {' and '.join(label.capitalize() for label in lost)} in the merge" if lost else ""


def _said(entry: Learning) -> dict[str, str]:
    fields = {label: value for label, value in entry.fields.items() if label not in ("was", "pruned")}
    return {"title": entry.title, "state": "resolved" * entry.resolved, **fields}


def _back(merged: Memory, parents: Sequence[Memory], base: Memory) -> Iterable[Problem]:
    """Name the entries that a parent took out of the registry, and that no other parent changed."""
    old, now, *texts = (cut(memory.registry)[1] for memory in (base, merged, *parents))
    origins = [version.learning for version in old]
    fates = [match(origins, [version.learning for version in text]) for text in texts]
    for origin, at in match(origins, [version.learning for version in now]).items():
        takers = [nth for nth, fate in enumerate(fates, 1) if origin not in fate]
        left = [text[fate[origin]] for text, fate in zip(texts, fates, strict=True) if origin in fate]
        if takers and all(_text(version) == _text(old[origin]) for version in left):
            entry = now[at].learning
            yield Problem(
                entry.lineno, f"{entry.id} {entry.title!r} is back, which parent {takers[0]} took out"
            )


def _text(version: Version) -> str:
    """Its body, whatever ends its lines: that of the last entry ends in none where the file does."""
    return version.body.replace("\r\n", "\n").rstrip("\n")


def _twice(merged: Memory, parents: Sequence[Memory]) -> Iterable[Problem]:
    """Name the entries of which a merged registry has two versions, and no parent has."""
    known = {titles for parent in parents for titles, _ in _pairs(parse_learnings(parent.registry))}
    for titles, problem in _pairs(parse_learnings(merged.registry)):
        if titles not in known:
            yield problem


def _pairs(entries: Sequence[Learning]) -> Iterable[tuple[tuple[str, str], Problem]]:
    """Entries that share a number and are kin: the titles of both, and what to say of the second."""
    by_name: dict[int, list[Learning]] = {}
    for entry in entries:
        earlier = (each for name in names(entry) for each in by_name.get(name, ())[:_MOST])
        if first := next((each for each in earlier if are_kin(entry, each)), None):
            yield (first.title, entry.title), _second(entry, first)
        for name in names(entry):
            by_name.setdefault(name, []).append(entry)


def _too_many(merged: Memory, parents: Sequence[Memory], base: Memory) -> Iterable[Problem]:
    """Name the entries with a number that more entries have now than the base had and parents added."""
    old, now, *texts = (
        Counter(name for entry in parse_learnings(memory.registry) for name in set(names(entry)))
        for memory in (base, merged, *parents)
    )
    first: dict[int, Learning] = {}
    for entry in parse_learnings(merged.registry):
        for name in names(entry):
            if name in first and now[name] > old[name] + sum(
                max(text[name] - old[name], 0) for text in texts
            ):
                yield _second(entry, first[name])
            first.setdefault(name, entry)


def _second(entry: Learning, first: Learning) -> Problem:
    return Problem(entry.lineno, f"{entry.id} {entry.title!r} stands there twice, first as {first.id}")
