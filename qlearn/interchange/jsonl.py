"""Learnings as JSON lines, one object each with `key`, `type`, `insight` and `confidence` (1-10).

The file is appended to: of lines with one key, the last counts.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from qlearn.errors import Problem
from qlearn.interchange import Draft, Passed, Reading, labels
from qlearn.interchange.foreign import fields_of, make, own_fields, read_each, skipped
from qlearn.interchange.frontmatter import plain
from qlearn.lines import BOM, split_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "jsonl"

_LESSONS = ("insight", "learning", "lesson", "rule", "text", "content")
_TITLES = ("title", "summary")
_TIMES = ("ts", "timestamp", "date")
_TYPES = {
    "architecture": "decision",
    "tool": "gotcha",
    "investigation": "gotcha",
    "operational": "convention",
}


def recognises(path: str, text: str) -> int:
    """How surely a file is one of JSON lines with lessons: 2 where one has an `insight`, else 1."""
    if not path.lower().endswith(".jsonl"):
        return 0
    records = [record for line in split_lines(text.removeprefix(BOM))[:20] if (record := _object(line))]
    if any("insight" in record for record in records):
        return 2
    return int(any(_lesson(record) for record in records))


def read(files: Mapping[str, str]) -> Reading:
    """Read files of lines, each by itself."""
    return read_each(files, _read)


def _read(path: str, text: str) -> Reading:
    drafts: list[Draft] = []
    passed: list[Passed] = []
    lines = split_lines(text.removeprefix(BOM))
    records = {
        number: record for number, line in enumerate(lines, 1) if (record := _object(line)) is not None
    }
    latest = {key: number for number, record in records.items() if (key := _key(record)) and _lesson(record)}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        record = records.get(number)
        if record is None:
            problem = Problem(number, "no JSON object; the line was passed over")
            passed.append(Passed(path, problem, line))
        elif not _lesson(record):
            passed.append(skipped(path, number, "no lesson in it", [line]))
        elif (last := latest.get(_key(record), number)) != number:
            passed.append(skipped(path, number, f"replaced by line {last}", [line]))
        else:
            drafts.append(_draft(path, number, record))
    return Reading(tuple(drafts), tuple(passed))


def _draft(path: str, number: int, record: Mapping[str, Any]) -> Draft:
    name, key, kind = _lesson(record), _key(record), plain(record.get("type"))
    confidence = record.get("confidence")
    title = next((each for each in _TITLES if each != name and record.get(each)), "")
    moment = next((each for each in _TIMES if labels.day_of(plain(record.get(each)))), "")
    used = {name, title, moment, "type", "key", "resolved"}
    rest = {label: value for label, value in record.items() if label not in used}
    if isinstance(confidence, int) and 0 <= confidence <= 10:
        rest["confidence"] = f"{confidence}/10"
    fields = fields_of(rest) | {
        "Type": labels.type_of(kind) or _TYPES.get(labels.fold(kind), "convention"),
        "Date": labels.day_of(plain(record.get(moment))),
        "Learning": record[name],
        "Key": key,
    }
    if kind and not labels.type_of(kind):
        fields |= own_fields({"type": kind})
    resolved = record.get("resolved") is True or bool(labels.is_over(plain(record.get("status"))))
    return make(NAME, path, (number, number), plain(record.get(title)), fields, resolved=resolved, old_id=key)


def _object(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _key(record: Mapping[str, Any]) -> str:
    return " ".join(plain(record.get("key") or record.get("id") or "").split())


def _lesson(record: Mapping[str, Any]) -> str:
    """The name of the member that holds the lesson, "" where none does."""
    for name in (*_LESSONS, *_TITLES):
        value = record.get(name)
        if isinstance(value, str) and value.strip():
            return name
    return ""
