"""Instinct files: one trigger and one action each, with what speaks for it.

    ---
    id: prefer-functional-style
    trigger: "when writing new functions"
    confidence: 0.7
    domain: "code-style"
    source: "session-observation"
    scope: project
    ---

    # Prefer functional style

    ## Action
    Use functions where a class would have one method.

    ## Evidence
    - Five functions were asked for where classes had been written

The id is the Key, the heading the title, the action the lesson. What a field of a learning can't hold, such
as the evidence, which is prose here, stands in a field "Old ..."; other keys stand under their own names.

Both ways are lossless. How a file is written, where it is not written as above, stands in the entry's field
`Original`; what an entry says and an instinct has no place for, in its key `qlearn`. An instinct with that
key is read as the entry it was, without a word on where it comes from.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from qlearn.errors import DraftError, Problem
from qlearn.interchange import Draft, Passed, Reading
from qlearn.interchange.foreign import make, origin, read_each, remark, shown, skipped
from qlearn.interchange.frontmatter import mapping
from qlearn.interchange.instinct_text import (
    Part,
    Piece,
    joined,
    key_lines,
    lookalikes,
    parts,
    pieces,
    raw_value,
)
from qlearn.interchange.keeping import LABELS, ORIGINAL, decode, encode, is_label
from qlearn.interchange.yamltext import flow, load
from qlearn.learning import Learning, parse_confidence, parse_day
from qlearn.lines import BOM, split_lines
from qlearn.proposal import slug
from qlearn.registry import clean_value, ordered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

NAME = "instincts"
SOURCE = f"import:{NAME}"
OWN = "qlearn"
"""The key of what an instinct has no other place for."""

SUFFIXES = (".md", ".markdown", ".yaml", ".yml")
NOTHING = "# No instincts\n"
"""The file of an export of no learnings."""

Front = dict[str, Any]

# Keys that mean what a field means, in the order in which they are written.
_KNOWN = {
    "id": "Key",
    "trigger": "Trigger",
    "confidence": "Confidence",
    "domain": "Domain",
    "source": "Source",
    "scope": "Scope",
    "created": "Date",
}
_QUOTED = ("trigger", "domain", "source", "project_id", "project_name", "source_repo", "imported_from")
_NUMBER, _TITLE, _RESOLVED = "+id", "+title", "+resolved"
_TYPE = "convention"
_TIME = re.compile(r"(?:[T ][0-9]{2}:.*)?\Z")
_PARTS = re.compile(r"learning\Z|old evidence\Z|notes(?: [0-9]+)?\Z")
_RESERVED = re.compile(rf"old |{OWN}\Z|{ORIGINAL.lower()}\Z|notes(?: [0-9]+)?\Z")
_LAYOUT = re.compile(r"(?:\A|/)(?P<path>(?:projects/[^/]+/)?instincts/(?:personal|inherited|pending)/.+)\Z")
_TELLS = re.compile(r"^(?:id|trigger|confidence)[ \t]*:", re.MULTILINE)
_LOCAL = re.compile(r"\A(?:/|~[/\\]|[A-Za-z]:[\\/]|\\\\|file:)")
_CREDENTIALS = re.compile(r"\A[A-Za-z][\w+.-]*://[^/@\s]+@")
_ADDRESSES = ("remote", "project_root", "project_remote", "root")


def recognises(path: str, text: str) -> int:
    """How surely a file holds instincts: 2 for an id with a trigger or a confidence, 1 for some of that."""
    if not path.lower().endswith(SUFFIXES) or not _TELLS.search(text.replace("\r", "\n")):
        return 0
    fronts = [{lines.key for lines in key_lines(piece.front)} for piece in pieces(text)]
    if any("id" in keys and {"trigger", "confidence"} & keys for keys in fronts):
        return 2
    return int(bool(fronts))


# Reading ------------------------------------------------------------------------------------------


def read(files: Mapping[str, str]) -> Reading:
    """Read files of instincts. Those of a folder `pending` become drafts that wait for a yes."""
    return read_each(files, _read)


def _read(path: str, text: str) -> Reading:
    found = pieces(text)
    lines = split_lines(text.removeprefix(BOM))
    first = found[0].lineno - 1 if found else len(lines)
    passed: list[Passed] = []
    if any(line.strip() for line in lines[:first]):
        reason = "text before the first instinct" if found else "no instinct: no front matter with an id"
        passed.append(skipped(path, 1, reason, lines[:first]))
    ids: dict[str, int] = {}
    drafts = []
    for piece in found:
        public, hidden = without_private(piece)
        try:
            draft = _draft(path, public)
        except DraftError as error:  # what no registry can hold
            problem = Problem(piece.lineno, f"{error}; it was not read")
            passed.append(Passed(path, problem, piece.text))
            continue
        drafts.append(draft)
        passed += (remark(path, piece.lineno, message) for message in hidden)
        passed += _remarks(path, piece, draft, ids)
        ids.setdefault(draft.old_id, piece.lineno)
    return Reading(tuple(drafts), tuple(passed))


def _remarks(path: str, piece: Piece, draft: Draft, ids: Mapping[str, int]) -> Iterator[Passed]:
    """What may not be as its author meant it."""
    if not draft.old_id:
        yield remark(path, piece.lineno, "an instinct without an id")
    elif draft.old_id in ids:
        yield remark(path, piece.lineno, f"the id {draft.old_id} stands on line {ids[draft.old_id]} already")
    for key in ("confidence", "scope", "created"):
        value = _values(piece.front).get(key)
        if value is not None and not _text(key, value, piece.front):
            written = shown(raw_value(piece.front, key) or str(value))[:60]
            yield remark(path, piece.lineno, f"{key} {written} is {_WRONG[key]}; it was kept and not used")
    for lineno in lookalikes(piece):
        yield remark(path, lineno, "front matter that can't be read; it was taken for text of the one before")


_WRONG = {
    "confidence": "no number of 0-1",
    "scope": "neither project nor global",
    "created": "no day",
}


def without_private(piece: Piece) -> tuple[Piece, tuple[str, ...]]:
    """Take out of front matter what is about one machine or gives access, and say what was left out.

    That is: absolute paths, addresses with credentials, and the keys that hold a project's root and remote.
    """
    values, lines = _values(piece.front), piece.front.split("\n")
    said: list[str] = []
    for each in reversed(key_lines(piece.front)):
        value = values.get(each.key)
        if each.key in _KNOWN or each.key == OWN or not (each.key in _ADDRESSES or _is_private(value)):
            continue
        del lines[each.start : each.end]
        said.insert(0, f"{each.key} is about one machine or gives access; it was left out")
    return (piece._replace(front="\n".join(lines)) if said else piece), tuple(said)


def _is_private(value: object) -> bool:
    if isinstance(value, (list, dict)):
        return any(map(_is_private, value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and bool(_LOCAL.match(value) or _CREDENTIALS.match(value))


def _values(front: str) -> Front:
    return mapping(front.split("\n"))[0]


def _draft(path: str, piece: Piece) -> Draft:
    """The draft of an instinct, with how it is written where that is unusual."""
    draft, body = _made(path, piece)
    written = _how(path, piece, draft, body)
    return draft._replace(fields={**draft.fields, ORIGINAL: flow(written)}) if written else draft


def _made(path: str, piece: Piece) -> tuple[Draft, tuple[Part, ...]]:
    """The draft of an instinct as far as its fields hold it, and the parts of its body."""
    values, body = _values(piece.front), parts(piece.body)
    folder = path.split("/")[-2] if "/" in path else ""
    waits, exact = folder == "pending", isinstance(values.get(OWN), dict)
    fields = {"Type": _TYPE} if not exact else {}
    for key, value in values.items():
        label, text = _field(key, value, piece.front)
        keeps = exact or (folder == "personal" and text == "session-observation")
        if label == "Source" and not keeps:
            label = _own_label(key)
        if label == "Date" and waits and not exact:  # the day on which it was proposed counts there
            label = key
        fields.setdefault(label, text)
    said = {part.name: part.text for part in body if part.name}
    title = said.pop("title", "")
    fields |= {_label(name): text for name, text in said.items()}
    name = fields.get("Key", "")
    if not (title or fields.get("Learning")):
        title = fields.get("Trigger", "") or name
    draft = make(NAME, path, (piece.lineno, piece.last), title, fields)
    kept = dict(draft.fields)
    kept.pop("Was", None)
    if exact:
        kept = {**kept, "Source": fields.get("Source", ""), "Context": ""}
        return _overridden(draft, kept, values[OWN])._replace(waits=waits), body
    if fields.get("Source"):
        kept["Source"] = fields["Source"]
    return draft._replace(fields=kept, old_id=kept.get("Key", ""), waits=waits), body


def _overridden(draft: Draft, fields: Mapping[str, str], own: Mapping[Any, Any]) -> Draft:
    """A draft with what its key `qlearn` says of its number, its title, its state and its fields."""
    changed = {label.lower(): (label, text) for label, text in fields.items()}
    for key, value in own.items():
        if isinstance(key, str) and not key.startswith("+"):
            changed[key.lower()] = (LABELS.get(key.lower(), key), value if isinstance(value, str) else "")
    title = own.get(_TITLE, draft.title)
    number = re.fullmatch(r"L([0-9]{1,9})", str(own.get(_NUMBER, "")), re.ASCII)
    return draft._replace(
        number=int(number[1]) if number else 0,
        old_id=number[0] if number else fields.get("Key", ""),
        title=title if isinstance(title, str) else draft.title,
        resolved=own.get(_RESOLVED, draft.resolved) is True,
        fields={label: text for label, text in changed.values() if text},
    )


def _field(key: str, value: object, front: str) -> tuple[str, str]:
    """The field that holds a key's value; the text is "" where none does."""
    label, text = _own_label(key), ""
    if key in _KNOWN and (known := _text(key, value, front)):
        label, text = _KNOWN[key], known
    elif is_label(label.lower() if key in LABELS else key) and not _RESERVED.match(key):
        text = encode(value)
    return label, clean_value(label, shown(text)) if text else ""


def _own_label(key: str) -> str:
    """The label of a value that is no field's of that name."""
    return f"Old {key}" if key in LABELS else key


def _label(name: str) -> str:
    return name[:1].upper() + name[1:]


def _text(key: str, value: object, front: str) -> str:
    """What a known key says, as the text of a field; "" where the field can't hold it."""
    if key == "confidence":
        return _decimal(value, raw_value(front, key))
    if key == "id" and isinstance(value, (int, float)):
        return raw_value(front, key)
    if not isinstance(value, str):
        return ""
    if key == "scope":
        return value if value in ("project", "global") else ""
    if key == "created":
        return value[:10] if parse_day(value[:10]) and _TIME.match(value, 10) else ""
    return value


def _decimal(value: object, written: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return ""
    text = value if isinstance(value, str) else written
    return next((each for each in (text, repr(value)) if parse_confidence(each) is not None), "")


def _how(path: str, piece: Piece, draft: Draft, body: Sequence[Part]) -> dict[str, Any]:
    """How an instinct is written, where it differs from how its draft would be."""
    entry = _as_entry(draft)
    usual = _as_piece(entry, path, {})
    if (usual.front, usual.body) != (piece.front, piece.body):
        usual = _rendered(entry, _Way({}), path)[0]
    layout = [""]  # text, the name of a part, text, and so on
    for part in body:
        if part.name and _part(draft, part.name) == part.text:
            layout += [part.name, ""]
        else:
            layout[-1] += part.text
    return {
        name: value
        for name, value, is_usual in (
            ("before", piece.before, not piece.before),
            ("newline", piece.newline, piece.newline == "\n"),
            ("marks", list(piece.marks), piece.marks == usual.marks),
            ("front", piece.front.split("\n"), piece.front == usual.front),
            ("body", layout, piece.body == usual.body),
            ("tail", piece.tail, piece.tail is None),
        )
        if not is_usual
    }


def _part(draft: Draft, name: str) -> str:
    return draft.title if name == "title" else draft.fields.get(_label(name), "")


def _as_entry(draft: Draft) -> Learning:
    fields = {label.lower(): value for label, value in draft.fields.items()}
    return Learning(draft.number, draft.title, draft.resolved, fields, 0, 0, 0)


# Writing ------------------------------------------------------------------------------------------


def write(text: str, entries: Sequence[Learning]) -> Mapping[str, str]:  # noqa: ARG001 - the common form
    """Write entries as instincts of one file, without what `without_private` takes out."""
    return {"instincts.md": joined([_to_share(entry) for entry in entries]) or NOTHING}


def by_file(entries: Sequence[Learning]) -> dict[str, list[Learning]]:
    """The files of a folder, and whose instincts each holds: one's own, or that it was imported from.

    What waited there has been accepted since, so it is personal.
    """
    files: dict[str, list[Learning]] = {}
    for entry in entries:
        path = _path(entry) or _new_path(_id(entry), files)
        files.setdefault(path, []).append(entry)
    return files


def onto(text: str, entries: Sequence[Learning]) -> str:
    """Write entries over a file: those that changed, and new ones behind what is there; the rest stays.

    An instinct is an entry's by its id; of several with one id, in their order.
    """
    new: dict[str, list[Piece]] = {}
    for piece in map(_to_share, entries):
        new.setdefault(_id_in(piece), []).append(piece)
    found: list[Piece] = []
    for old in pieces(text):
        same = new.get(_id_in(old), [])
        piece = same.pop(0) if same else old
        if piece.text == without_private(old)[0].text:
            piece = old
        found.append(piece._replace(before=old.before, tail=old.tail, newline=old.newline))
    for piece in (piece for same in new.values() for piece in same):
        found.append(piece._replace(newline=found[0].newline) if found else piece)
    return joined(found)


def _id_in(piece: Piece) -> str:
    return _text("id", _values(piece.front).get("id"), piece.front)


def _to_share(entry: Learning) -> Piece:
    return without_private(as_piece(entry))[0]


def as_piece(entry: Learning) -> Piece:
    """Write an entry as an instinct that reads as that entry: as it was written, if it was imported."""
    return _as_piece(entry, origin(entry.context or "")[0], _original(entry))


class _Way(NamedTuple):
    """A way to write an instinct.

    `how` is that of the original; `as_it_was` leaves its front matter untouched. `exact` is with the key
    `qlearn`; `quoted` shows texts as quotations, so that no line of them can be taken for a heading or for
    the start of an instinct.
    """

    how: Mapping[str, Any]
    as_it_was: bool = False
    exact: bool = False
    quoted: bool = False


def _as_piece(entry: Learning, path: str, how: Mapping[str, Any]) -> Piece:
    """Write an entry in the first way in which it reads as that entry, the plainest first."""
    ways = [_Way(how, as_it_was=True), _Way(how), _Way(how, exact=True)] if how else []
    ways += [_Way({}), _Way({}, exact=True)]
    for way in ways:
        piece, own = _rendered(entry, way, path)
        # What other programs see of an instinct is not another lesson than what qlearn reads.
        apart = own.get("learning") is not None or (_TITLE in own and bool(how))
        found = () if apart else pieces(joined([piece]))
        if len(found) == 1 and _says(_made(path, found[0])[0]) == _says(entry):
            return piece
    return _rendered(entry, _Way({}, exact=True, quoted=True), path)[0]


def _rendered(entry: Learning, way: _Way, path: str) -> tuple[Piece, dict[str, Any]]:
    """Write an entry in a way, whether or not it reads as that entry; and what its key `qlearn` says."""
    how = way.how
    slots = {
        "title": entry.title,
        **{name: text for name, text in _says(entry)[2].items() if _PARTS.match(name)},
    }
    if way.quoted:
        slots |= {name: _quotation(text) for name, text in slots.items() if name != "title"}
    layout, front, marks = how.get("body"), "\n".join(how.get("front", ())), how.get("marks", ("---", "---"))
    if not (way.as_it_was and front):
        front = _front(front, _wanted(entry, exact=way.exact))
    piece = Piece(
        how.get("before", ""),
        (marks[0], marks[1]),
        front,
        _usual_body(slots) if layout is None else _filled(layout, slots),
        how.get("tail"),
        how.get("newline", "\n"),
    )
    if not way.exact:
        return piece, {}
    read = _made(path, piece._replace(front=f"{front}\n{OWN}: {{}}"))[0]
    own: dict[str, Any] = {_NUMBER: entry.id} if entry.number else {}
    if read.title != entry.title:
        own[_TITLE] = entry.title
    if read.resolved != entry.resolved:
        own[_RESOLVED] = entry.resolved
    before, wanted = _says(read)[2], _says(entry)[2]
    own |= {label: wanted[label] for label in ordered(sorted(wanted)) if before.get(label) != wanted[label]}
    own |= {label: None for label in sorted(before) if label not in wanted}
    return piece._replace(front=f"{front}\n{OWN}: {flow(own)}"), own


def _says(entry: Draft | Learning) -> tuple[str, bool, dict[str, str]]:
    """What an entry says, but for how its instinct was written; a field without a value says nothing."""
    fields = {label.lower(): text for label, text in entry.fields.items() if text}
    fields.pop(ORIGINAL.lower(), None)
    return entry.title, entry.resolved, fields


def _wanted(entry: Learning, *, exact: bool) -> dict[str, tuple[str, bool]]:
    """The keys of an entry's front matter: each one's text, and whether that stands for another value."""
    found: dict[str, tuple[str, bool]] = {}
    for key, label in _KNOWN.items():
        text = entry.field(label)
        if text and (key != "source" or exact or text != SOURCE):
            found[key] = text, False
    if exact:
        found.setdefault("id", (_id(entry), False))
    for label, text in entry.fields.items():
        key = label.removeprefix("old ")
        own = key in LABELS if key != label else label not in LABELS and label != ORIGINAL.lower()
        if text and own and not _PARTS.match(label) and len(found) < _MOST_KEYS:
            found.setdefault(key, (text, True))
    order = [*_KNOWN, *(sorted(found) if exact else found)]
    return {key: found[key] for key in sorted(found, key=order.index)}


_MOST_KEYS = 100


def _front(front: str, wanted: Mapping[str, tuple[str, bool]]) -> str:
    """Front matter with these values: lines whose value is the same stay, and so does what is no field."""
    values, lines = _values(front) if front else {}, front.split("\n") if front else []
    there = key_lines(front) if front else ()
    for each in reversed(there):
        text = _field(each.key, values.get(each.key), front)[1]
        if each.key == OWN or (text and each.key not in wanted):
            lines[each.start : each.end] = []
        elif text and text != wanted[each.key][0]:
            lines[each.start : each.end] = [_line(each.key, *wanted[each.key])]
    keys = {each.key for each in there}
    return "\n".join([*lines, *(_line(key, *wanted[key]) for key in wanted if key not in keys)])


def _line(key: str, text: str, stands_for_a_value: bool) -> str:
    """A key with its value on one line."""
    value = decode(text) if stands_for_a_value else text
    if key == "confidence" and value == text and parse_confidence(text) is not None:
        return f"{key}: {text}"
    if key in _QUOTED and isinstance(value, str):
        quoted = json.dumps(value, ensure_ascii=False)
        try:
            if load(quoted) == value:
                return f"{key}: {quoted}"
        except ValueError:
            pass
    return f"{key}: {flow(value)}"


def _usual_body(slots: Mapping[str, str]) -> str:
    """The title, the action, the evidence and the notes, as far as there are any."""
    said = [f"\n# {slots['title']}\n"]
    for name, heading in (("learning", "## Action"), ("old evidence", "## Evidence")):
        if name in slots:
            said.append(f"\n{heading}\n{slots[name]}\n")
    said += (f"\n{text}\n" for name, text in slots.items() if name.startswith("notes"))
    return "".join(said)[:-1]


def _filled(layout: Sequence[str], slots: Mapping[str, str]) -> str:
    return "".join(slots.get(part, "") if index % 2 else part for index, part in enumerate(layout))


def _quotation(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in split_lines(text))


def _original(entry: Learning) -> dict[str, Any]:
    """How the instinct of an entry was written, where that is known and usual in kind."""
    try:
        said = load(entry.field(ORIGINAL) or "")
    except ValueError:
        return {}
    if not isinstance(said, dict):
        return {}
    return {name: value for name, value in said.items() if (check := _KINDS.get(name)) and check(value)}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_lines(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_marks(value: object) -> bool:
    return _is_lines(value) and len(cast("list[str]", value)) == 2


def _is_layout(value: object) -> bool:
    return _is_lines(value) and len(cast("list[str]", value)) % 2 == 1


_KINDS: dict[object, Callable[[object], bool]] = {
    "before": _is_text,
    "newline": ("\n", "\r\n", "\r").__contains__,
    "marks": _is_marks,
    "front": _is_lines,
    "body": _is_layout,
    "tail": _is_text,
}


def _id(entry: Learning) -> str:
    return entry.key or slug(entry.title) or slug(entry.learning) or "instinct"


def _path(entry: Learning) -> str:
    """The file that an entry was imported from, in the layout of an export; "" where there is none.

    A registry can name any file: none comes out of the layout, so that no export writes what a client obeys.
    """
    path = origin(entry.context or "")[0]
    if not path.lower().endswith(SUFFIXES) or entry.source not in (SOURCE, "session-observation"):
        return ""
    found = _LAYOUT.search(path)
    if not found:
        path = f"instincts/inherited/{path.replace('/', '-')}"
    else:
        path = found["path"].replace("instincts/pending/", "instincts/personal/")
    return path if all(map(_NAME.match, path.split("/"))) else ""


# What is a plain name on every system.
_NAME = re.compile(r"[^.\x00-\x1f\x7f<>:\"\\|?*/][^\x00-\x1f\x7f<>:\"\\|?*/]{0,119}\Z")


def _new_path(name: str, taken: Mapping[str, object]) -> str:
    stem = (
        "".join(char if char.isalnum() or char in "-_." else "-" for char in name)[:80].strip(".")
        or "instinct"
    )
    path, number = f"instincts/personal/{stem}.md", 2
    while path.lower() in {each.lower() for each in taken}:
        path, number = f"instincts/personal/{stem}-{number}.md", number + 1
    return path
