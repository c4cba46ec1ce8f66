"""What a merge has to be: the rules of docs/format.md once more, apart from qlearn, and the properties.

Everything here is told from histories, which know what their texts mean.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from qlearn.learning import Learning, parse_learnings
from qlearn.merge import Memory, Merged
from qlearn.versions import names

from .histories import BOM, Lesson, Side

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    MergeMemories = Callable[[Memory, Memory, Memory], tuple[Merged, Merged]]

Versions = tuple[Lesson | None, Lesson | None, Lesson | None]

_LESSON = re.compile(r"\bk[a-z][0-9]+\b")
_MARK = re.compile(r"\bk?[a-z][0-9]+\b")
_HEADING = re.compile(r"### L[0-9]{3,9}: (?:\[RESOLVED\] )?")
_MADE = re.compile(r"- \*\*(?:Was|Used|Evidence)\*\*: |<{7} |={7}$|>{7} ")
_CONFLICT = re.compile(r"L([0-9]{3,9}): both sides changed its (.+)")
_OUTSIDE = "both sides changed a text outside of entries"


def memory(side: Side) -> Memory:
    return Memory(side.registry(), side.archived())


def decided(text: str, pick: int) -> str:
    """The text as a person leaves it who takes the same half of every conflict."""
    if "<<<<<<< " not in text:
        return text
    lines, half = [], -1
    for line in text.splitlines(keepends=True):
        if line.startswith("<<<<<<< "):
            half = 0
        elif line.startswith("=======") and half == 0:
            half = 1
        elif line.startswith(">>>>>>> "):
            half = -1
        elif half in (-1, pick):
            lines.append(line)
    return "".join(lines)


# What has to come out -----------------------------------------------------------------------------


class Meant(NamedTuple):
    """What a merge has to make of a lesson: the titles and values that it may have, what is in conflict."""

    titles: set[str]
    resolved: bool
    fields: dict[str, set[str]]
    conflicts: frozenset[str]


def meant(base: Lesson | None, one: Lesson | None, other: Lesson | None) -> Meant:
    """Merge the versions of a lesson that stays."""
    one, other = one or other, other or one
    assert one is not None
    assert other is not None
    if one is other:
        base = one
    fields = {}
    conflicts = set()
    for label in {label for lesson in (one, other) for label, _ in lesson.fields}:
        values = base.field(label) if base else "", one.field(label), other.field(label)
        settled = _three(*values)
        if len(settled) > 1:
            settled = _combined(label, *values)
        fields[label.lower()] = {" ".join(value.split()) for value in settled}
        if len(settled) > 1:
            conflicts.add(label)
    old = base or one._replace(title="", loose="")
    titles = _three(old.title, one.title, other.title)
    if len(titles) > 1:
        conflicts.add("title")
    if len(_three(old.loose, one.loose, other.loose)) > 1:
        conflicts.add("text")
    resolved = one.resolved if other.resolved == old.resolved else other.resolved
    return Meant(titles, resolved, fields, frozenset(conflicts))


def _three(base: str, one: str, other: str) -> set[str]:
    if one in (other, base):
        return {other}
    return {one} if other == base else {one, other}


def _combined(label: str, base: str, one: str, other: str) -> set[str]:
    if label in ("Used", "Evidence", "Reinforced", "Pruned") and not (one and other):
        return {one or other}
    if label == "Reinforced":
        return {max(one, other)}
    if label == "Pruned":
        return {min(one, other)}
    if label == "Used":
        return {str(int(one) + int(other) - int(base or 0))}
    if label == "Evidence":
        return {_joint(base, one, other)}
    return {one, other}


def _joint(base: str, one: str, other: str) -> str:
    counts = []
    for name in ("seen", "sessions", "kept"):
        found = (re.search(rf"{name} (\d+)", value) for value in (base, one, other))
        old, left, right = (int(each[1]) if each else 0 for each in found)
        counts.append(f"{name} {left + right - old}")
    last = max(one[-10:], other[-10:])
    return f"{', '.join(counts)}, confirmed 0, corrected 0, contradicted 0, last {last}"


class Case(NamedTuple):
    """A base and two sides."""

    base: Side
    one: Side
    other: Side


class Wanted(NamedTuple):
    """By their marks, the lessons that a merge has to keep, and the numbers by which they went."""

    registry: dict[str, Versions]
    archive: dict[str, Versions]
    numbers: dict[str, set[int]]


def wanted(case: Case) -> Wanted:
    lessons = [side.lessons() for side in case]
    archived = [{lesson.mark: lesson for lesson in side.archive} for side in case]
    numbers: dict[str, set[int]] = {}
    for each in (*lessons, *archived):
        for mark, lesson in each.items():
            numbers.setdefault(mark, set()).add(lesson.number)
    registry = {mark: versions for mark, versions in _versions(lessons).items() if _stays(*versions)}
    archive = {
        mark: (base or lessons[0].get(mark), one, other)  # both sides may have moved it there
        for mark, (base, one, other) in _versions(archived).items()
    }
    return Wanted(registry, archive, numbers)


def _versions(sides: list[dict[str, Lesson]]) -> dict[str, Versions]:
    base, one, other = sides
    return {mark: (base.get(mark), one.get(mark), other.get(mark)) for mark in base | one | other}


def _stays(base: Lesson | None, one: Lesson | None, other: Lesson | None) -> bool:
    if base is None or (one and other):
        return True
    left = one or other
    return left is not None and left._replace(ruled=base.ruled) != base


# Whether it does ----------------------------------------------------------------------------------


def judge(case: Case, merge: MergeMemories) -> Iterator[str]:
    """Merge two sides and yield what is wrong with the result, a line each."""
    old, ours, theirs = (memory(side) for side in case)
    merged = merge(old, ours, theirs)
    yield from flaws(case, merged)
    want = wanted(case)
    for lessons, found in zip((want.registry, want.archive), merged, strict=True):
        yield from _judge_conflicts(lessons, found)
    if merge(old, theirs, ours) != merged:
        yield "it matters which side merges"
    for sides in ((ours, ours), (ours, old), (old, ours)):
        if tuple(each.text for each in merge(old, *sides)) != ours:
            yield "what nobody else changed is not as it was"
    if not any(each.conflicts for each in merged) and not _counts(want):
        again = Memory(merged[0].text, merged[1].text)
        if not _says_the_same(merge(old, again, max(ours, theirs)), merged):
            yield "merging again changes something"


def flaws(case: Case, merged: tuple[Merged, Merged]) -> Iterator[str]:
    """Yield what is lost, mixed, back or made up in a merged registry and archive, a line each."""
    want = wanted(case)
    for lessons, found in zip((want.registry, want.archive), merged, strict=True):
        yield from _judge_lessons(lessons, found)
    yield from _judge_numbers(want.numbers, merged)
    yield from _judge_lines([memory(side) for side in case], merged)
    yield from _judge_untouched(want, merged)


def _says_the_same(again: Iterable[Merged], merged: Iterable[Merged]) -> bool:
    """Whether two merges hold the same entries and lines, in whatever order.

    A line that both sides moved, or wrote at different places, is in conflict or stands twice when they
    are merged from the same base once more.
    """
    for second, first in zip(again, merged, strict=True):
        if second.conflicts:
            return all(text.startswith(_OUTSIDE) for text in second.conflicts)
        now, before = _said(second.text), _said(first.text)
        if now[0] != before[0] or now[1].keys() != before[1].keys():
            return False
    return True


def _said(text: str) -> tuple[list[tuple[Any, Any]], Counter[str]]:
    text = text.replace("confirmed 0, corrected 0, contradicted 0, ", "")  # as good as not said
    entries = sorted((entry[:3], sorted(entry.fields.items())) for entry in _entries(text))
    return entries, Counter(line for line in text.replace("\r", "\n").split("\n") if line)


@lru_cache(maxsize=8)
def _entries(text: str) -> tuple[Learning, ...]:
    return parse_learnings(text)


def mark_of(entry: Learning) -> str:
    found = _LESSON.search(entry.title) or _LESSON.search(entry.learning)
    return found[0] if found else ""


def _counts(want: Wanted) -> bool:
    """Whether both sides counted: then merging again would count once more."""
    values = (
        [version.field(label) if version else "" for version in versions]
        for versions in (*want.registry.values(), *want.archive.values())
        for label in ("Used", "Evidence")
    )
    return any(one != base != other for base, one, other in values)


def _judge_lessons(lessons: Mapping[str, Versions], merged: Merged) -> Iterator[str]:
    """Compare what a merged text says with what it has to say."""
    want = {mark: meant(*versions) for mark, versions in lessons.items()}
    for pick in range(1 + bool(merged.conflicts)):
        found = [(mark_of(entry), entry) for entry in _entries(decided(merged.text, pick))]
        counts = Counter(mark for mark, _ in found)
        for mark in sorted(counts.keys() | want.keys()):
            if counts[mark] != (mark in want):
                yield f"{mark or 'an unknown entry'} stands {counts[mark]} times"
        for mark, entry in found:
            if mark in want:
                yield from _judge_entry(mark, entry, want[mark])


def _judge_conflicts(lessons: Mapping[str, Versions], merged: Merged) -> Iterator[str]:
    """Compare what is said to be in conflict with what is."""
    said = set()
    marks = {entry.number: mark_of(entry) for entry in _entries(decided(merged.text, 0))}
    for text in merged.conflicts:
        if about := _CONFLICT.match(text):
            said.add((marks.get(int(about[1]), ""), about[2]))
        elif not text.startswith(_OUTSIDE):
            yield f"no entry is in conflict: {text}"
    if said != {(mark, label) for mark, each in lessons.items() for label in meant(*each).conflicts}:
        yield f"the conflicts are {said}"


def _judge_entry(mark: str, entry: Learning, want: Meant) -> Iterator[str]:
    if entry.title not in want.titles:
        yield f"the title of {mark} is {entry.title!r}"
    if entry.resolved != want.resolved and len(want.titles) == 1:
        yield f"{mark} is resolved: {entry.resolved}"
    for label in (entry.fields.keys() | want.fields.keys()) - {"was"}:
        value = " ".join(entry.fields.get(label, "").split())
        if value not in want.fields.get(label, {""}):
            yield f"{label} of {mark} is {value!r}"


def _judge_numbers(before: Mapping[str, set[int]], merged: Iterable[Merged]) -> Iterator[str]:
    """No number stands for two lessons, none is given again, and each lesson is found by all it had."""
    found: dict[str, set[int]] = {}
    holder: dict[int, str] = {}
    largest = max((number for numbers in before.values() for number in numbers), default=0)
    for each in merged:
        for entry in _entries(decided(each.text, 0)):
            mark = mark_of(entry)
            found.setdefault(mark, set()).update(names(entry))
            if holder.setdefault(entry.number, mark) != mark:
                yield f"{entry.id} is {mark} and {holder[entry.number]}"
            if entry.number not in before.get(mark, set()) and entry.number <= largest:
                yield f"{entry.id} was given again, to {mark}"
    for mark, numbers in before.items():
        if not numbers <= found.get(mark, set()):
            yield f"{mark} isn't found by {numbers - found.get(mark, set())}"


def _judge_lines(memories: list[Memory], merged: Iterable[Merged]) -> Iterator[str]:
    """Every line comes from a text, and everything that a side wrote is still there."""
    texts = ["".join(part.replace("\r\n", "\n") + "\n" for part in each) for each in memories]
    text = "".join(part.text.replace("\r\n", "\n") + "\n" for part in merged)
    known = {_HEADING.sub("", line.lstrip(BOM)) for each in texts for line in each.split("\n")}
    for line in text.split("\n"):
        if _HEADING.sub("", line.lstrip(BOM)) not in known and not _MADE.match(line):
            yield f"nobody wrote {line!r}"
    old, ours, theirs, now = (set(_MARK.findall(each)) for each in (*texts, text))
    if lost := (ours | theirs) - old - now:
        yield f"{', '.join(sorted(lost))} is lost"
    if lost := (old & ours & theirs) - now:
        yield f"{', '.join(sorted(lost))} is lost though nobody took it out"
    if back := now - ours - theirs:
        yield f"{', '.join(sorted(back))} is back"


def _judge_untouched(want: Wanted, merged: tuple[Merged, Merged]) -> Iterator[str]:
    """What nobody changed keeps its bytes."""
    text = merged[0].text.replace("\r\n", "\n") + "\n"
    for mark, versions in want.registry.items():
        body, *others = {version.body() if version else "" for version in versions}
        if not others and body not in text:
            yield f"{mark} was changed by nobody, but the merge"


def judge_order(base: Side, sides: tuple[Side, Side, Side], merge: MergeMemories) -> Iterator[str]:
    """Merge three sides two by two in another order; yield what differs but for numbers and order.

    Left out is what two sides archived in different versions and the third one kept with a change: its
    archive may hold an older version than the base, so that both are kept unless those two are merged first.
    """
    if _is_archived_twice_and_kept(base, sides):
        return
    old, first, second, third = map(memory, (base, *sides))
    results = []
    for one, two, last in ((first, second, third), (second, third, first), (first, third, second)):
        if (pair := _merged(merge, old, one, two)) and (whole := _merged(merge, old, pair, last)):
            results.append(_numberless(whole))
    if any(result != results[0] for result in results):
        yield "it matters which two are merged first"


def _is_archived_twice_and_kept(base: Side, sides: tuple[Side, Side, Side]) -> bool:
    archived = [{lesson.mark: lesson for lesson in side.archive} for side in sides]
    kept = [side.lessons() for side in sides]
    return any(
        len({each[mark] for each in archived if mark in each}) > 1 and any(mark in each for each in kept)
        for mark in base.lessons()
    )


def judge_steps(base: Side, one: Side, other: Side, later: Side, merge: MergeMemories) -> Iterator[str]:
    """Merge a side, and then what the other has become since; at once, the result has to be the same.

    The first merge may have given numbers anew that the other goes on using. What is taken back since would
    rightly make a difference, if both sides had done it.
    """
    old, ours, theirs, now = map(memory, (base, one, other, later))
    if (first := _merged(merge, old, ours, theirs)) and (at_once := _merged(merge, old, ours, now)):
        registry, archive = merge(theirs, first, now)
        if all(text.startswith(_OUTSIDE) for text in (*registry.conflicts, *archive.conflicts)):
            second = Memory(registry.text, archive.text)
            if not registry.conflicts and _numberless(second) != _numberless(at_once):
                yield "it matters whether one merges twice"
        else:
            yield f"merging twice is a conflict: {registry.conflicts}, {archive.conflicts}"


def _merged(merge: MergeMemories, *memories: Memory) -> Memory | None:
    registry, archive = merge(*memories)
    return None if registry.conflicts or archive.conflicts else Memory(registry.text, archive.text)


def _numberless(merged: Memory) -> list[tuple[list[tuple[Any, Any]], set[str]]]:
    """Entries without numbers, and the lines between them.

    Where breaks stand depends on the order; and a line that both sides moved to other places is in both.
    """
    parts = []
    for text in merged:
        entries, lines = _said(text.removeprefix(BOM))
        kept = [(entry[1:], [field for field in fields if field[0] != "was"]) for entry, fields in entries]
        parts.append((sorted(kept), {line for line in lines if not line.startswith(("###", "-"))}))
    return parts
