"""A learning of a store of session learning, as an entry of a registry and back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from qlearn.errors import DraftError
from qlearn.gate import ALLOWED
from qlearn.interchange import Draft
from qlearn.interchange.foreign import make, origin, shown, without_origin
from qlearn.interchange.keeping import LABELS, ORIGINAL, decode, encode, is_label, same
from qlearn.interchange.yamltext import flow, load
from qlearn.learning import SEVERITIES, TYPES, Learning, labelled, parse_confidence, parse_day
from qlearn.registry import clean_label

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

NAME = "session-learning"

Record = dict[Any, Any]
"""A learning of the store."""

_TYPE_OF = {
    "errors": "mistake", "workflows": "convention", "tools": "gotcha", "architecture": "decision",
    "debugging": "gotcha",
}  # fmt: skip
CATEGORY_OF = {"mistake": "errors", "convention": "workflows", "gotcha": "tools", "decision": "architecture"}
_PREFIX = {"errors": "err", "workflows": "wf", "tools": "tool", "architecture": "arch", "debugging": "dbg"}
_OWN = "qlearn"
_ENDS, _WITHOUT = "+ends", "+without"
"""In `Original`: how texts end, where it is not with a line end; the keys that a learning did not have."""

_NUMBER = re.compile(r"L([0-9]{1,9})", re.ASCII)


# As an entry ------------------------------------------------------------------------------------


def draft_of(path: str, lines: tuple[int, int], category: str, record: Any) -> Draft:
    """The draft of a learning, with what its fields can't hold.

    Raises:
        DraftError: It says nothing, or no entry could hold it.
    """
    if not any(isinstance(each, str) and each.strip() for each in sayings(record)):
        raise DraftError("neither a summary nor an insight")
    if number := own_number(record):
        return _own_draft(path, lines, category, record, number)
    draft = _made(path, lines, category, record)
    back = _record(_as_entry(draft), category)
    original: Record = {}
    ends: dict[str, str] = {}
    for key, value in record.items():
        if key in back and same(back[key], value):
            continue
        if (end := _end(back.get(key), value)) is not None:
            ends[key] = end
        else:
            original[key] = value
    if ends:
        original[_ENDS] = ends
    if without := [key for key in back if key not in record]:
        original[_WITHOUT] = without
    return draft._replace(fields={**draft.fields, ORIGINAL: flow(original)}) if original else draft


def oddities(draft: Draft, record: Record) -> Iterator[str]:
    """Say which values of the original's keys mean nothing."""
    for key, (label, _) in _READERS.items():
        if record.get(key) and label not in draft.fields:
            yield f"{key}: {flow(record[key])[:60]} has no meaning here; it is kept as it is"


def id_of(record: Any) -> Any:
    return record.get("id") if isinstance(record, dict) else None


def sayings(record: Any) -> tuple[Any, ...]:
    return (record.get("summary"), record.get("insight")) if isinstance(record, dict) else ()


def own_number(record: Any) -> int:
    """The number of the entry that a learning was made of; 0 if it was made of none."""
    own = record.get(_OWN) if isinstance(record, dict) else None
    name = own.get("id") if isinstance(own, dict) else own
    found = _NUMBER.fullmatch(name) if isinstance(name, str) else None
    return int(found[1]) if found else 0


def _own_draft(path: str, lines: tuple[int, int], category: str, record: Record, number: int) -> Draft:
    """The draft of a learning that was an entry of a registry: the same entry."""
    fields = {"Type": _TYPE_OF[category], **_fields(record, own=True)}
    if category != CATEGORY_OF.get(fields["Type"]):
        fields["Category"] = category
    name, title = (value if isinstance(value := record.get(key), str) else "" for key in ("id", "summary"))
    first, last = lines
    draft = Draft(
        title, fields, record.get("resolved") is True, number, path=path, lineno=first, last=last, old_id=name
    )
    own = record[_OWN]
    raw = own.get("fields") if isinstance(own, dict) else None
    means = _record(_as_entry(draft), category)
    for label, value in raw.items() if isinstance(raw, dict) else ():
        changed = {key: each for key, each in draft.fields.items() if key.lower() != str(label).lower()}
        if isinstance(value, str):
            changed[str(label)] = value
        candidate = draft._replace(fields=changed)
        if same(_record(_as_entry(candidate), category), means):
            draft = candidate
    return draft


def _end(ours: object, value: object) -> str | None:
    """How a text ends that is else the same as ours, which ends with a line end; None if it is another."""
    if not isinstance(ours, str) or not isinstance(value, str) or not ours.endswith("\n"):
        return None
    end = value.removeprefix(ours[:-1])
    return end if value.startswith(ours[:-1]) and not end.strip() else None


def _made(path: str, lines: tuple[int, int], category: str, record: Record) -> Draft:
    """The draft of a learning, as far as its fields hold it."""
    fields = {"Type": _TYPE_OF[category], "Category": category, **_fields(record, own=False)}
    summary, old_id = (
        value if isinstance(value := record.get(key), str) else "" for key in ("summary", "id")
    )
    if old_id != " ".join(shown(old_id).split()):
        old_id = ""
    return make(NAME, path, lines, summary, fields, resolved=record.get("resolved") is True, old_id=old_id)


def _fields(record: Record, *, own: bool) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in record.items():
        label, text = _field(key, value, own=own) if isinstance(key, str) else ("", "")
        if text:
            found[label] = text
    return found


def _field(key: str, value: object, *, own: bool) -> tuple[str, str]:
    """The field that holds a key's value; two "" if none does.

    Args:
        own: The value comes from a field of a registry, where labels may be written in any case, and where no
            value is wrong.
    """
    if reader := _READERS.get(key):
        label, text = reader[0], reader[1](value)
        return label, str(value) if own and not text and isinstance(value, str) else text
    if key in _SPECIAL or (key in _APART and not own):
        return "", ""
    if label := LABELS.get(key, ""):
        good = isinstance(value, str) and (own or _CHECKS.get(key, bool)(value))
        return label, str(value) if good else ""
    if own:
        return (key, encode(value)) if _can_be_label(key) else ("", "")
    return (key, encode(value)) if is_label(key) else ("", "")


def _can_be_label(key: str) -> bool:
    try:
        return clean_label(key) == key
    except DraftError:
        return False


def _text(value: object) -> str:
    return value.removesuffix("\n") if isinstance(value, str) else ""


def _fence(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        return ""
    if _NAMED_FENCE.match(value):
        return value.removesuffix("\n")
    longest = max((len(run) for run in re.findall(r"`+", value)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{value if value.endswith(chr(10)) else value + chr(10)}{fence}"


def _list(value: object) -> str:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    return value if isinstance(value, str) and "\n" not in value else ""


def _decimal(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return ""
    number = parse_confidence(str(value))
    return (
        "" if number is None else f"{number:.2f}" if float(f"{number:.2f}") == number else str(value).strip()
    )


def _count(value: object) -> str:
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    text = "" if isinstance(value, bool) else str(number)
    return text if re.fullmatch(r"0|[1-9][0-9]{0,8}", text, re.ASCII) else ""


def day_of(value: object) -> str:
    day = value[:10] if isinstance(value, str) and value[10:11] in ("", "T", " ") else ""
    return day if parse_day(day) else ""


# A block of code that says its language, and nothing else.
_NAMED_FENCE = re.compile(r"(`{3,})[^`\s][^`\n]*\n(?:(?!\1).*\n)*\1\n?\Z")
# Keys that mean what a field means, and how their values are written there.
_READERS: dict[str, tuple[str, Callable[[object], str]]] = {
    "created": ("Date", day_of),
    "keywords": ("Keywords", _list),
    "insight": ("Learning", _text),
    "example": ("Example", _fence),
    "confidence": ("Confidence", _decimal),
    "times_used": ("Used", _count),
}
# Keys that no field of their own name holds, and those that only an entry may say of itself.
_SPECIAL = frozenset(("id", "summary", "resolved", "learning", "date", "used", _OWN))
_APART = frozenset(("category", "source", "was", ORIGINAL.lower(), *(label.lower() for label in ALLOWED)))
_CHECKS: dict[str, Callable[[str], object]] = {
    "type": TYPES.__contains__,
    "severity": SEVERITIES.__contains__,
    "scope": ("project", "global").__contains__,
    "reinforced": parse_day,
    "pruned": parse_day,
}


def _as_entry(draft: Draft) -> Learning:
    fields = {label.lower(): value for label, value in draft.fields.items()}
    return Learning(0, draft.title, draft.resolved, fields, 0, 0, 0)


# As a learning ----------------------------------------------------------------------------------


def new_id(category: str, number: int, taken: Collection[str]) -> str:
    """What an entry of that number is called in the store: err-007, or one of the same end that is free."""
    while (name := f"{_PREFIX[category]}-{number:03d}") in taken:
        number += 1000
    return name


def own_record(text: str, entry: Learning, category: str, name: str) -> Record:
    """An entry of *text* that comes from no such store as a learning, with what its keys can't hold."""
    names = {label.lower(): label for label in labelled(text, entry)}
    record: Record = {"id": name, **_record(entry, category, names), _OWN: entry.id}
    back = _as_entry(_own_draft("", (1, 1), category, record, entry.number)).fields
    raw = {
        names.get(label, LABELS.get(label, label)): entry.fields.get(label)
        for label in {**entry.fields, **back}
        if entry.fields.get(label) != back.get(label)
    }
    return {**record, _OWN: {"id": entry.id, "fields": raw}} if raw else record


def with_unknown(record: Record, there: Record) -> Record:
    """A learning with those keys of the one in its place that mean nothing here."""
    unknown = {key: value for key, value in there.items() if key not in _KNOWN}
    return {**unknown, **record}


def restored(entry: Learning, category: str) -> Record:
    """An entry as a learning, with each original value that, put in its place, still becomes this entry."""
    plain, original = _record(entry, category), _original(entry)

    def means_the_same(candidate: Record) -> bool:
        return same(_record(_as_entry(_made("-", (1, 1), category, candidate)), category), plain)

    changes: list[tuple[Any, Any]] = [(key, value) for key, value in original.items() if key not in _MARKS]
    ends, gone = original.get(_ENDS), original.get(_WITHOUT)
    for key, end in ends.items() if isinstance(ends, dict) else ():
        if isinstance(plain.get(key), str):
            changes.append((key, plain[key].removesuffix("\n") + str(end)))
    changes += [(key, _GONE) for key in (gone if isinstance(gone, list) else ()) if isinstance(key, str)]
    restored = _changed(plain, changes)
    if means_the_same(restored):
        return restored
    restored = plain
    for change in changes:
        if means_the_same(candidate := _changed(restored, [change])):
            restored = candidate
    return restored


_MARKS = (_ENDS, _WITHOUT)
_GONE = object()


def _changed(record: Record, changes: Sequence[tuple[Any, Any]]) -> Record:
    result = {**record, **dict(changes)}
    return {key: value for key, value in result.items() if value is not _GONE}


def _original(entry: Learning) -> Record:
    try:
        value = load(entry.field(ORIGINAL) or "")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def is_foreign(entry: Learning) -> bool:
    return entry.source == f"import:{NAME}"


def _old_id(entry: Learning) -> str:
    """What the entry is called in the store, "" where it does not come from there."""
    return (origin(entry.context or "")[1] or entry.was or "") if is_foreign(entry) else ""


def _record(entry: Learning, category: str, names: Mapping[str, str] | None = None) -> Record:
    """An entry as a learning of a category, as far as its keys say it.

    Args:
        names: Labels as they are written, by themselves in lower case.
    """
    fields = entry.fields
    record: Record = {}
    name = _old_id(entry)
    if name:
        record["id"] = name
    if "date" in fields:
        record["created"] = fields["date"]
    if "keywords" in fields:
        record["keywords"] = list(entry.keywords) or fields["keywords"]
    record["summary"] = entry.title
    record["insight"] = f"{entry.learning}\n"
    if "example" in fields:
        named = _NAMED_FENCE.match(fields["example"])
        record["example"] = f"{fields['example'] if named else entry.example}\n"
    if "confidence" in fields:
        record["confidence"] = fields["confidence"] if entry.confidence is None else entry.confidence
    if "used" in fields:
        record["times_used"] = entry.used if _count(fields["used"]) else fields["used"]
    foreign = is_foreign(entry)
    for label, value in fields.items():
        if label in _WRITTEN or (label == "type" and value == _TYPE_OF[category]):
            continue
        if foreign and (label == "source" or (label == "was" and name)):
            continue
        value = without_origin(value) if label == "context" and foreign else value
        if value:
            key = label if label in LABELS else (names or {}).get(label, label)
            record[key] = value if label in LABELS else decode(value)
    if entry.resolved:
        record["resolved"] = True
    return record


_WRITTEN = frozenset((*_SPECIAL, *_READERS, "category", ORIGINAL.lower()))
_KNOWN = frozenset((*_SPECIAL, *_READERS, *LABELS))
