"""The store of session learning: a YAML file of learnings for each category, and `_stats.yaml`.

    category: errors
    last_updated: 2026-11-30
    learnings:
      - id: err-001
        created: 2026-11-02
        keywords: [import, circular]
        summary: Circular imports cause 'module not found' errors
        insight: |
          ...
        example: |
          ...
        confidence: 0.8
        times_used: 3

Both ways are lossless. A key becomes the field that means the same, or a field under its own name; a field
becomes the key that means the same, or one of its own name. What a field can't hold (a day with a time, a
confidence of 7) stands in the entry's field `Original`, and counts until the field is edited. So does, the
other way, what a key can't hold: under `qlearn`, beside the number of an entry that was written here.

    - id: err-007
      ...
      qlearn: L007                     or {id: L007, fields: {Keywords: 'a,b', Confidence: '0.8'}}

An export onto files that are there changes what changed in them; all else keeps its bytes and comments.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from qlearn.errors import DraftError, Problem
from qlearn.interchange import Draft, Passed, Reading
from qlearn.interchange.foreign import origin, read_each, remark, skipped
from qlearn.interchange.keeping import same
from qlearn.interchange.session_record import (
    CATEGORY_OF,
    Record,
    day_of,
    draft_of,
    id_of,
    is_foreign,
    new_id,
    oddities,
    own_number,
    own_record,
    restored,
    sayings,
    with_unknown,
)  # fmt: skip
from qlearn.interchange.yamledit import Item, revise, sequence, without
from qlearn.interchange.yamltext import block, load
from qlearn.learning import CATEGORIES, Learning
from qlearn.lines import BOM, line_ending, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

STATS = "_stats.yaml"
LONGEST = 2_000_000
"""In characters: a larger file is not read, since that would take minutes."""

_FILE = re.compile(rf"(?P<folder>(?:\A|.*/))(?P<category>{'|'.join(CATEGORIES)})\.ya?ml\Z")
_LIST = re.compile(r"^\s*['\"]?learnings['\"]?\s*:", re.MULTILINE)
_LINE = re.compile(r"line ([0-9]+): ")


def recognises(path: str, text: str) -> int:
    """How surely a file is of such a store: 2 by its name and its list of learnings."""
    return 2 if _FILE.match(path) and _LIST.search(text) else 0


def belongs(path: str, paths: Iterable[str]) -> bool:
    """Whether a file stands beside those of such a store and is one by its name, whatever it holds."""
    found = _FILE.match(path)
    return bool(found and any((other := _FILE.match(each)) and other[1] == found[1] for each in paths))


# Reading ------------------------------------------------------------------------------------------


def read(files: Mapping[str, str]) -> Reading:
    """Read the files of a store. One that is no YAML, or has no list of learnings, is named as broken.

    Entries of a registry come first, by their numbers, then what was never one, as it stands there.
    """
    reading = read_each(files, _read)
    last = max((draft.number for draft in reading.drafts), default=0) + 1
    return reading._replace(drafts=tuple(sorted(reading.drafts, key=lambda draft: draft.number or last)))


def _read(path: str, text: str) -> Reading:
    text = text.removeprefix(BOM)
    lines = split_lines(text)
    found = _FILE.match(path)
    if not found:
        is_stats = path.endswith(STATS)
        reason = "statistics, which an export writes anew" if is_stats else "no file of this store"
        return Reading((), (skipped(path, 1, reason, lines),))
    if len(text) > LONGEST:
        return Reading((), _unread(path, 1, f"larger than {LONGEST:,} characters", lines))
    try:
        items = sequence(text, "learnings")
    except ValueError as error:
        place, message = _LINE.match(str(error)), _LINE.sub("", str(error))
        lineno = int(place[1]) if place else 1
        return Reading((), _unread(path, lineno, f"no YAML: {message}", lines), (path,))
    if items is None:
        return Reading((), _unread(path, 1, "no list of learnings", lines), (path,))
    drafts: list[Draft] = []
    passed = _frame(path, lines, items)
    ids: dict[str, int] = {}
    for item in items:
        lineno = item.start + 1
        try:
            draft = draft_of(path, (lineno, item.end), found["category"], item.value)
        except DraftError as error:
            passed.append(skipped(path, lineno, str(error), lines[item.start : item.end]))
            continue
        drafts.append(draft)
        name = repr(id_of(item.value))
        first = ids.setdefault(name, lineno)
        if first != lineno and name != "None":
            passed.append(remark(path, lineno, f"the id {name} stands on line {first} already"))
        twice = (f"the key {key} stands there twice; the last one counts" for key in item.repeated)
        passed += (remark(path, lineno, reason) for reason in (*twice, *oddities(draft, item.value)))
    return Reading(tuple(drafts), tuple(sorted(passed, key=lambda each: each.problem.lineno)))


def _unread(path: str, lineno: int, reason: str, lines: Sequence[str]) -> tuple[Passed, ...]:
    problem = Problem(lineno, f"{reason}; nothing was read")
    return Passed(path, problem), skipped(path, 1, "whole file", lines)


def _frame(path: str, lines: Sequence[str], items: Sequence[Item]) -> list[Passed]:
    """What stands outside of the learnings: the keys of the file, and comments."""
    inside = {number for item in items for number in range(item.start, item.end)}
    return [
        skipped(path, number + 1, "comment" if line.lstrip().startswith("#") else "frame of the file", [line])
        for number, line in enumerate(lines)
        if number not in inside and line.strip()
    ]


# Writing ------------------------------------------------------------------------------------------


class Written(NamedTuple):
    """The files of a store by their names, and what became of what was there.

    `lost` names the files whose old text could not be kept in the new one; `counts` tells for each file how
    many learnings are new, and how many say something else now.
    """

    files: dict[str, str]
    lost: tuple[str, ...]
    counts: dict[str, tuple[int, int]]


def write(text: str, entries: Sequence[Learning]) -> dict[str, str]:
    """Write entries of *text* as the files of a store: one for each category, and the statistics."""
    return write_onto({}, text, entries).files


def write_onto(
    existing: Mapping[str, str],
    text: str,
    entries: Sequence[Learning],
    *,
    folder: str = "",
    stats: Mapping[str, object] | None = None,
    today: str = "",
) -> Written:
    """Write entries of *text* into the files of a store, which may be there already.

    Other keys, comments, and the learnings that are none of the entries or did not change, are kept. A
    learning whose entry is of another category now moves into that one's file.

    Args:
        existing: The files as they are, by their names.
        folder: Where they lie, as an import tells it: what was imported from there is known by its id alone.
            Anything else is known by its id, or its number here, and the same summary or the same insight.
        stats: Figures for `_stats.yaml`, beside the numbers of learnings.
        today: What `last_updated` becomes where the learnings of a file that was there changed. In a new file
            it is the latest day that they name.

    Raises:
        DraftError: A file is larger than what is read.
    """
    old = {category: _opened(existing, category) for category in CATEGORIES}
    homes = [entry.category or CATEGORY_OF[entry.type] for entry in entries]
    foreign = {
        index: restored(entry, homes[index]) for index, entry in enumerate(entries) if is_foreign(entry)
    }
    there = _matches(old, entries, homes, foreign, folder)
    records = _all_records(text, entries, homes, foreign, old, there)
    files: dict[str, str] = {}
    lost: list[str] = []
    counts: dict[str, tuple[int, int]] = {}
    for category, file in old.items():
        matched = {number: index for (home, number), index in there.items() if home == category}
        gone = [number for number, index in matched.items() if homes[index] != category]
        kept = [number for number in range(len(file.items)) if number not in gone]
        learnings = [
            with_unknown(records[matched[number]], file.items[number])
            if number in matched
            else file.items[number]
            for number in kept
        ]
        differ = sum(not same(new, file.items[number]) for new, number in zip(learnings, kept, strict=True))
        here = {index for index, home in enumerate(homes) if home == category}
        new = sorted(here - {*matched.values()})
        learnings += [records[index] for index in new]
        counts[file.name] = len(new), differ
        files[file.name], is_kept = _written(category, file, gone, learnings, today)
        lost += [] if is_kept else [file.name]
    by_category = {category: homes.count(category) for category in CATEGORIES}
    figures = {"total_learnings": len(entries), "by_category": by_category, **(stats or {})}
    files[STATS], is_kept = _with_figures(existing.get(STATS, ""), figures)
    return Written(files, tuple(lost) if is_kept else (*lost, STATS), counts)


class _Old(NamedTuple):
    """A file that is there: its text without its mark, its keys, and the items of its list.

    `is_read` is whether it is such a file, or empty.
    """

    name: str
    mark: str = ""
    text: str = ""
    keys: Mapping[Any, Any] = MappingProxyType({})
    items: tuple[Any, ...] = ()
    is_read: bool = True


def _opened(existing: Mapping[str, str], category: str) -> _Old:
    name = next((name for name in (f"{category}.yaml", f"{category}.yml") if name in existing), "")
    whole = existing.get(name, "")
    if len(whole) > LONGEST:
        raise DraftError(f"{name}: larger than {LONGEST:,} characters; nothing was written")
    text = whole.removeprefix(BOM)
    old = _Old(name or f"{category}.yaml", whole[: len(whole) - len(text)], text)
    try:
        keys = load(text)
        items = sequence(text, "learnings") if keys else ()
    except ValueError:
        return old._replace(is_read=False)
    if keys is None:
        return old
    if not isinstance(keys, dict) or items is None:
        return old._replace(is_read=False)
    return old._replace(keys=keys, items=tuple(item.value for item in items))


def _written(
    category: str, old: _Old, gone: Sequence[int], learnings: Sequence[Any], today: str
) -> tuple[str, bool]:
    """A file with these learnings and what is in the old one besides, and whether all of that is kept."""
    if old.keys and same(learnings, list(old.items)):
        return old.mark + old.text, True
    whole = {
        **(old.keys or {"category": category, "last_updated": _latest(learnings)}),
        "learnings": learnings,
    }
    if "last_updated" in old.keys:
        whole["last_updated"] = today or _latest(learnings)
    text = without(old.text, "learnings", gone) if gone else old.text
    revised = revise(text, whole) if text and old.is_read else None
    is_kept = revised is not None or not old.text.strip()
    if revised is None:
        revised = block(whole).replace("\n", line_ending(old.text) if old.text else "\n")
    return old.mark + revised, is_kept


def _matches(
    old: Mapping[str, _Old],
    entries: Sequence[Learning],
    homes: Sequence[str],
    foreign: Mapping[int, Record],
    folder: str,
) -> dict[tuple[str, int], int]:
    """Which learnings that are there, by category and number, are which entries, by index; each is one."""
    by_name: dict[object, list[int]] = {}
    for index, entry in enumerate(entries):
        name = repr(id_of(foreign[index])) if index in foreign else entry.number
        by_name.setdefault(name, []).append(index)

    def sureness(index: int, category: str, item: Any) -> int:
        """How surely a learning of a file is the entry of the same name, 3 to 0."""
        entry, is_home = entries[index], homes[index] == category
        if index not in foreign:
            return (3 if is_home else 2) if _agree((entry.title, entry.learning), sayings(item)) else 0
        agrees = _agree(sayings(foreign[index]), sayings(item))
        name = old[category].name
        if origin(entry.context or "")[0] == (f"{folder}/{name}" if folder else name):
            return 3 if agrees else 2 if id_of(item) is not None else 0
        return 1 if agrees and is_home else 0

    def alike(index: int, item: Any) -> int:
        """How many of summary and insight are the same to the letter: one id may stand for several."""
        entry = entries[index]
        mine = sayings(foreign[index]) if index in foreign else (entry.title, entry.learning)
        return sum(one == other for one, other in zip(mine, sayings(item), strict=False))

    candidates = sorted(
        (-sureness(index, category, item), -alike(index, item), place, category, number, index)
        for place, (category, file) in enumerate(old.items())
        for number, item in enumerate(file.items)
        for index in by_name.get(own_number(item) or repr(id_of(item)), ())
    )
    found: dict[tuple[str, int], int] = {}
    placed: set[int] = set()
    for sure, _, _, category, number, index in candidates:
        if sure and index not in placed and (category, number) not in found:
            found[category, number] = index
            placed.add(index)
    return found


def _all_records(
    text: str,
    entries: Sequence[Learning],
    homes: Sequence[str],
    foreign: Mapping[int, Record],
    old: Mapping[str, _Old],
    there: Mapping[tuple[str, int], int],
) -> list[Record]:
    """The entries as learnings. One that was written here before keeps its id, a new one gets a free one."""
    taken = {str(id_of(each)) for file in old.values() for each in file.items}
    taken.update(str(id_of(record)) for record in foreign.values())
    known = {
        index: id_of(old[category].items[number])
        for (category, number), index in there.items()
        if category == homes[index]
    }
    records: list[Record] = []
    for index, entry in enumerate(entries):
        if index in foreign:
            records.append(foreign[index])
            continue
        name = known.get(index)
        if not isinstance(name, str):
            name = new_id(homes[index], entry.number, taken)
        taken.add(name)
        records.append(own_record(text, entry, homes[index], name))
    return records


def _agree(first: Sequence[object], second: Sequence[object]) -> bool:
    """Whether two learnings have the same summary or the same insight."""
    return any(
        isinstance(one, str) and isinstance(other, str) and one.split() == other.split() != []
        for one, other in zip(first, second, strict=False)
    )


def _with_figures(text: str, figures: Mapping[str, object]) -> tuple[str, bool]:
    """The statistics with these figures, and whether all else of what was there is kept."""
    try:
        old = load(text) if len(text) <= LONGEST else None
        revised = revise(text, {**old, **figures}) if isinstance(old, dict) else None
    except ValueError:
        revised = None
    return revised or block(dict(figures)), revised is not None or not text.strip()


def _latest(records: Sequence[Any]) -> str | None:
    days = [record.get(key) for record in records if isinstance(record, dict) for key in _DAYS]
    return max((day for each in days if (day := day_of(each))), default=None)


_DAYS = ("created", "reinforced")
