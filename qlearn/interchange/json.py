"""Learnings as JSON: an array of objects, each with the entry's parsed values and its Markdown."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from qlearn.errors import Problem
from qlearn.interchange import Draft, Passed, Reading
from qlearn.interchange.markdown import draft as markdown_draft
from qlearn.interchange.markdown import piece
from qlearn.learning import FIELDS, Learning, labelled, parse_learnings
from qlearn.text import hidden

if TYPE_CHECKING:
    from collections.abc import Mapping

_ID = re.compile(r"L([0-9]{1,9})\Z")
_UNUSUAL = re.compile(r"[^ -~\n]")
_NO_FIELDS = ("id", "title", "resolved", "score", "terms", "fields", "markdown")
_LABELS = {label.lower(): label for label in FIELDS}


def recognises(path: str, text: str) -> int:
    """How surely a file holds learnings: 2 for objects with a lesson, 1 for such with only a title."""
    drafts = read({path: text}).drafts if path.endswith(".json") else ()
    return 2 if any("Learning" in draft.fields for draft in drafts) else int(bool(drafts))


def read(files: Mapping[str, str]) -> Reading:
    """Read arrays of objects as `write` makes them; values that stand alone are read, too.

    An object's Markdown counts where it says what the object's fields say; where somebody has changed the
    fields, they count.
    """
    drafts: list[Draft] = []
    passed: list[Passed] = []
    for path, text in files.items():
        try:
            records = json.loads(text.removeprefix("\ufeff"))
        except RecursionError:
            passed.append(Passed(path, Problem(1, "nested too deep; nothing was read")))
            continue
        except ValueError as error:  # a number of 5,000 digits is one without a line
            lineno = getattr(error, "lineno", 1)
            passed.append(Passed(path, Problem(lineno, f"no JSON: {error}; nothing was read")))
            continue
        if not isinstance(records, list):
            passed.append(Passed(path, Problem(1, "no array of learnings; nothing was read")))
            continue
        for number, record in enumerate(records, 1):
            if isinstance(record, dict) and (found := _draft(record, path)):
                drafts.append(found)
            else:
                problem = Problem(1, f"element {number} has neither a title nor a lesson; it was passed over")
                passed.append(Passed(path, problem))
    return Reading(tuple(drafts), tuple(passed))


def write(text: str, entries: tuple[Learning, ...]) -> Mapping[str, str]:
    """Write all that these entries of *text* say, parsed and raw."""
    records = [
        {**record(entry), "fields": labelled(text, entry), "markdown": piece(text, entry)}
        for entry in entries
    ]
    return {"learnings.json": dumps(records) + "\n"}


def record(entry: Learning) -> dict[str, object]:
    """The parsed values of an entry, None where it has none."""
    evidence = entry.evidence
    counts = {**evidence._asdict(), "last": _day(evidence.last)} if evidence else None
    return {
        "id": entry.id,
        "title": entry.title,
        "type": entry.type,
        "severity": entry.severity,
        "resolved": entry.resolved,
        "date": _day(entry.date),
        "reinforced": _day(entry.reinforced),
        "learning": entry.learning,
        "context": entry.context,
        "keywords": entry.keywords,
        "category": entry.category,
        "confidence": entry.confidence,
        "used": entry.used,
        "example": entry.example,
        "trigger": entry.trigger,
        "domain": entry.domain,
        "scope": entry.scope,
        "evidence": counts,
        "source": entry.source,
        "key": entry.key,
        "files": entry.files,
        "supersedes": entry.supersedes,
        "was": entry.was,
    }


def dumps(value: object) -> str:
    r"""Write JSON for people and programs: two spaces a level, and any script as it is.

    What a terminal would obey or not show is escaped (`\u001b`, `\u200b`), which loses nothing.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2)
    unseen = {text[mark.start] for mark in hidden(text)}

    def escaped(found: re.Match[str]) -> str:
        char = found[0]
        if char.isprintable() and char not in unseen:
            return char
        return f"\\u{ord(char):04x}" if char <= "\uffff" else json.dumps(char)[1:-1]

    return _UNUSUAL.sub(escaped, text)


def _day(value: object) -> str | None:
    return None if value is None else str(value)


def _draft(record: Mapping[str, object], path: str) -> Draft | None:
    fields = _fields(record)
    title = record.get("title")
    found = Draft(title if isinstance(title, str) else "", fields, record.get("resolved") is True, path=path)
    markdown = record.get("markdown")
    if isinstance(markdown, str) and len(entries := parse_learnings(markdown)) == 1:
        stands = markdown_draft(entries[0], markdown, path)
        same = stands.title, stands.resolved, stands.fields
        if same == (found.title, found.resolved, found.fields) and entries[0].id == record.get("id"):
            return stands
    identity = record.get("id")
    number = _ID.match(identity) if isinstance(identity, str) else None
    return found._replace(number=int(number[1]) if number else 0) if found.title or fields else None


def _fields(record: Mapping[str, object]) -> dict[str, str]:
    """The raw fields; of an object without them, all values that may stand for fields."""
    raw = record.get("fields")
    if isinstance(raw, dict):
        return {
            str(label): value if isinstance(value, str) else _written(value) for label, value in raw.items()
        }
    named = {name: _written(value) for name, value in record.items() if name not in _NO_FIELDS}
    return {_LABELS.get(name, name): value for name, value in named.items() if value}


def _written(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(part) for part in value)
    if isinstance(value, dict):  # evidence
        return ", ".join(f"{name} {part}" for name, part in value.items() if part is not None)
    return str(value) if value and isinstance(value, (str, int, float)) else ""
