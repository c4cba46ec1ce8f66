"""Edits of a registry, each a pure function from text to new text.

An edit changes the span of its entry and nothing else, is read back by markdown-it-py before it is
returned (`qlearn.proof`), and gives equal text where there is nothing to change.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from .blocks import scan
from .decay import decay_score
from .document import Document, items, parse
from .errors import DraftError, NotFoundError, RegistryError
from .learning import (
    CATEGORIES,
    FIELDS,
    RESOLVED,
    SEVERITIES,
    TYPES,
    Learning,
    learnings,
    parse_confidence,
    parse_heading,
)
from .lines import BOM, line_ending, split_lines
from .proof import prove
from .record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

HEADER = """\
# Learning Registry

> Cross-session learnings (mistakes, conventions, gotchas, decisions).
> Ranked by time-decayed relevance and injected top-N at session start.
> Managed by /Qlearn. Do not hand-edit ids.

---
"""
ARCHIVE_HEADER = """\
# Learning Archive

> Learnings that were pruned from the registry, whole. Nothing here is injected.

---
"""
LARGEST_NUMBER = 999_999_999
TITLE_LENGTH = 72

_CONFLICT = re.compile(r"(?:\A|(?<=[\r\n]))(?:<{7}|>{7}|\|{7})(?=[ \r\n]|\Z)")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_WAS_NUMBER = re.compile(r"\bL([0-9]{1,9})\b", re.ASCII)
_ID = re.compile(r"[Ll]?([0-9]{1,9})\Z")
_FENCE_LINE = re.compile(r"(?:`{3,}|~{3,})[^`\n]*(?:\n|\Z)")
_LABEL_STYLE = re.compile(r"([ \t]*[-+*] )\*\*[^*]+?([:：]?)\*\*([:：]?)")
_CLOSED_BY_HASHES = re.compile(r"(?:\A|[ \t])#+\Z")


class Added(NamedTuple):
    """The id of the new entry, the new text, and what had to be closed in the old one ("" if nothing)."""

    id: str
    text: str
    closed: str = ""


class Pruned(NamedTuple):
    """The new registry and archive, and the entries that moved and that stayed."""

    text: str
    archive: str
    removed: tuple[Learning, ...]
    kept: tuple[Learning, ...]


# Reading for an edit ------------------------------------------------------------------------------


def conflict_line(text: str) -> int | None:
    """The number of the first line that is a git conflict marker, None where there is none."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text and "|||||||" not in text:
        return None
    found = _CONFLICT.search(text)
    return len(split_lines(text[: found.start()])) if found else None


def refuse_conflict(text: str, what: str = "the registry") -> None:
    """Raise `RegistryError` where a text holds git conflict markers, since no edit of it is safe."""
    if (lineno := conflict_line(text)) is not None:
        raise RegistryError(f"{what} has a git conflict marker on line {lineno}; resolve the conflict first")


def parse_id(name: str) -> int:
    """Read the number of an id as people type it: `L012`, `l12` or `12`.

    Raises:
        NotFoundError: *name* is no id.
    """
    found = _ID.match(name.strip())
    if found is None:
        raise NotFoundError(f"'{name}' is no id; write L and a number, such as L012")
    return int(found[1])


def find(entries: Iterable[Learning], name: str) -> Learning:
    """Find the one entry with that id.

    Raises:
        NotFoundError: There is none; the nearest id is offered.
        RegistryError: There are two, so that an edit could hit the wrong one.
    """
    entries = tuple(entries)
    number = parse_id(name)
    found = [entry for entry in entries if entry.number == number]
    if not found:
        nearest = _nearest(name, entries)
        raise NotFoundError(f"No learning '{name}'." + (f" Did you mean {nearest}?" if nearest else ""))
    if len(found) > 1:
        lines = " and ".join(str(entry.lineno) for entry in found)
        raise RegistryError(f"{found[0].id} stands on lines {lines}; `qlearn fix` gives one a new number")
    return found[0]


def mentions(entries: Iterable[Learning], name: str) -> tuple[Learning, ...]:
    """Find every entry that is or once was called by that id: a reference never points silently to one."""
    number = parse_id(name)
    return tuple(entry for entry in entries if number in (entry.number, *former_numbers(entry.was)))


def former_numbers(was: str | None) -> tuple[int, ...]:
    """Read the numbers that a Was names."""
    return tuple(int(number) for number in _WAS_NUMBER.findall(was)) if was else ()


def used_numbers(*documents: Iterable[Learning]) -> frozenset[int]:
    """Every number that an entry has or, by its Was, once had."""
    return frozenset(
        number
        for entries in documents
        for entry in entries
        for number in (entry.number, *former_numbers(entry.was))
    )


def next_number(*documents: Iterable[Learning]) -> int:
    """One above the largest number ever used: by any entry given (registry and archive) or any Was.

    Raises:
        RegistryError: No number of nine digits is left.
    """
    number = max(used_numbers(*documents), default=0) + 1
    if number > LARGEST_NUMBER:
        raise RegistryError(
            f"L{LARGEST_NUMBER} is in use, so there is no next number; give that entry a smaller one"
        )
    return number


# Adding -------------------------------------------------------------------------------------------


def add_learning(
    text: str,
    *,
    title: str = "",
    learning: str = "",
    type: str = "mistake",  # noqa: A002 - the field's name
    severity: str = "important",
    context: str = "",
    now: datetime,
    archive: str = "",
    keywords: Iterable[str] = (),
    category: str = "",
    confidence: float | str | None = None,
    example: str = "",
    more: Mapping[str, str] | None = None,
) -> Added:
    """Append a learning under the next free number.

    Args:
        title: One line; made from the lesson's first words where it is empty.
        learning: The lesson, which may run over several lines; the title where it is empty.
        now: An aware time; the UTC day of it is written.
        archive: The archive's text, so that no number in it is used again.
        example: Put into a fence, if it is not fenced already.
        more: Any other fields by their labels ("Trigger", "Files", "Was", ...).

    Returns:
        The id and the new text. A missing or empty registry starts with the usual header; a fence or
        HTML block that the last entry leaves open is closed first, and `closed` names what was written.

    Raises:
        DraftError: An unknown type, severity or category, a title of two lines, control characters, a
            confidence out of 0-1, nothing to say.
        RegistryError: The text holds conflict markers, or the entry would not read back as meant.

    Source: docs/format.md, "Writing".
    """
    if now.tzinfo is None:
        raise ValueError("now has no time zone; pass an aware datetime")
    fields = {
        "Type": _one_of("type", type, TYPES),
        "Severity": _one_of("severity", severity, SEVERITIES),
        "Date": now.astimezone(UTC).date().isoformat(),
        "Learning": learning,
        "Context": context,
        "Keywords": ", ".join(keywords),
        "Category": _one_of("category", category, CATEGORIES) if category else "",
        "Confidence": _confidence(confidence),
        "Example": fenced(example),
        **(more or {}),
    }
    document = parse(text)
    entries = learnings(document)
    number = next_number(entries, learnings(parse(archive)))
    return add_entry(text, number, title, fields, document=document)


def add_entry(
    text: str,
    number: int,
    title: str,
    fields: Mapping[str, str],
    *,
    resolved: bool = False,
    letter: str = "L",
    header: str = HEADER,
    document: Document | None = None,
) -> Added:
    """Append an entry of any number and fields, as `add_learning` and the importers need it.

    Fields with an empty value are left out. *document* saves the parsing where the caller has it.

    Raises:
        DraftError, RegistryError: As `add_learning`.
    """
    refuse_conflict(text)
    lesson = clean_value("learning", fields.get("Learning", ""))
    title = clean_title(title) or _title_from(lesson)
    if not title:
        raise DraftError("there is nothing to add; give a lesson or a title")
    newline = line_ending(text) if text else "\n"
    values = {label: cleaned for label, value in fields.items() if (cleaned := clean_value(label, value))}
    values["Learning"] = lesson or title
    entry = Learning(
        number, title, resolved, {label.lower(): value for label, value in values.items()}, 0, 0, 0
    )
    lines = [heading_line(number, title, resolved, letter)]
    lines += [line for label in ordered(values) for line in field_lines(f"- **{label}**:", values[label], 2)]
    written, closed, start = _append(text, newline.join([*lines, "", "---", ""]), newline, header, document)
    before = [old for old in learnings(document or parse(text), letter) if old.start >= start]
    prove(written[start:], (*before, entry), letter)
    return Added(f"{letter}{number:03d}", written, closed)


def append_pieces(text: str, pieces: Iterable[tuple[str, Learning]], *, header: str = HEADER) -> str:
    """Append whole entries as they were written elsewhere, each with the learning it has to read as.

    What a piece leaves open is closed, and `---` ends it; its bytes are kept, line ends included.

    Raises:
        RegistryError: The text holds conflict markers, or a piece would not read back as meant.
    """
    refuse_conflict(text)
    pieces = tuple(pieces)
    if not pieces:
        return text
    newline = line_ending(text or pieces[0][0])
    joined = newline.join(_closed(piece) for piece, _ in pieces)
    whole, _, start = _append(text, joined, newline, header, None)
    before = [old for old in learnings(parse(text)) if old.start >= start]
    prove(whole[start:], (*before, *(entry for _, entry in pieces)))
    return whole


def heading_line(number: int, title: str, resolved: bool, letter: str = "L") -> str:
    """Write the heading of an entry."""
    line = f"### {letter}{number:03d}: {RESOLVED + ' ' if resolved else ''}{title}".rstrip()
    return line + " #" if _CLOSED_BY_HASHES.search(title) else line


def field_lines(prefix: str, value: str, column: int) -> list[str]:
    """Write a field: a fence starts on a line of its own, further lines are indented to *column*."""
    lines = value.split("\n")
    if _FENCE_LINE.match(value):
        lines = ["", *lines]
    first, *rest = lines
    return [f"{prefix} {first}".rstrip(" "), *(" " * column + line if line else "" for line in rest)]


def ordered(labels: Iterable[str]) -> list[str]:
    """Put labels into the order in which they are written; unknown ones last, as they come."""
    position = {label.lower(): index for index, label in enumerate(FIELDS)}
    return sorted(labels, key=lambda label: position.get(label.lower(), len(FIELDS)))


def fenced(example: str) -> str:
    """Put text into a code fence that is longer than any in it; fenced text stays as it is."""
    example = example.strip("\n")
    if not example.strip() or _FENCE_LINE.match(example):
        return example
    longest = max((len(run) for run in re.findall(r"`+", example)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{example}\n{fence}"


def clean_title(title: str) -> str:
    """Check a title and take the white space off its ends.

    Raises:
        DraftError: It has two lines, control characters, or a `[RESOLVED]` at an end.
    """
    title = title.strip()
    if "\n" in title or "\r" in title:
        raise DraftError("a title is one line; put the rest into the lesson")
    _refuse_controls("title", title)
    heading = parse_heading(f"L001: {title}")
    if heading is None or heading.resolved or heading.title != title:
        raise DraftError(f"a title can't start or end with {RESOLVED}; use `qlearn resolve`")
    return title


def clean_value(label: str, value: str) -> str:
    """Bring a field's value into the form in which it is read back: line ends LF, blank lines empty.

    Raises:
        DraftError: It has control characters.
    """
    value = value.strip(" \t") if "\n" not in value and "\r" not in value else _unified(value)
    _refuse_controls(label.lower(), value)
    return value


# Editing ------------------------------------------------------------------------------------------


def amend(text: str, name: str, *, title: str | None = None, fields: Mapping[str, str | None]) -> str:
    """Change the title or some fields of an entry; a field set to None is taken out.

    A field that is new stands after those that are written before it; one that exists keeps its place
    and its bullet. Everything else keeps its bytes.

    Raises:
        NotFoundError, RegistryError, DraftError: As `find` and `add_learning`.
    """
    refuse_conflict(text)
    entry = find(learnings(parse(text)), name)
    piece = text[entry.start : entry.end]
    intended = dict(entry.fields)
    new_title = entry.title
    for label, value in fields.items():
        cleaned = None if value is None else _checked(label, value)
        piece = set_field(piece, label, cleaned, line_ending(text))
        if cleaned is None:
            intended.pop(label.lower(), None)
        else:
            intended[label.lower()] = cleaned
    if title is not None and clean_title(title) != entry.title:
        new_title = clean_title(title)
        if not new_title:
            raise DraftError("a title can't be empty")
        line, rest = _heading_and_rest(piece)
        newline = line[len(line.rstrip("\r\n")) :]
        piece = heading_line(entry.number, new_title, entry.resolved) + newline + rest
    return replace_entry(text, entry, piece, entry._replace(title=new_title, fields=intended))


def reinforce(text: str, name: str, *, now: datetime) -> str:
    """Record that a learning was met again: its relevance starts anew from the UTC day of *now*."""
    return amend(text, name, fields={"Reinforced": now.astimezone(UTC).date().isoformat()})


def resolve(text: str, name: str) -> str:
    """Mark an entry as resolved: it scores 0 and is no longer injected. Twice is once."""
    refuse_conflict(text)
    entry = find(learnings(parse(text)), name)
    if entry.resolved:
        return text
    line, rest = _heading_and_rest(text[entry.start : entry.end])
    bare = line.rstrip("\r\n")
    colon = re.search(r"L[0-9]{1,9}[*_]*[ \t]*[:：]", bare)
    at_end = re.search(r"(?:[ \t]+#+)?[ \t]*\Z", bare)
    candidates = (
        [f"{bare[: colon.end()]} {RESOLVED} {bare[colon.end() :].lstrip()}".rstrip()] if colon else []
    )
    if at_end:
        candidates.append(f"{bare[: at_end.start()]} {RESOLVED}{bare[at_end.start() :]}")
    return _first_that_reads(text, entry, candidates, line, rest, resolved=True)


def reopen(text: str, name: str) -> str:
    """Take the mark of a resolved entry off. Twice is once."""
    refuse_conflict(text)
    entry = find(learnings(parse(text)), name)
    if not entry.resolved:
        return text
    line, rest = _heading_and_rest(text[entry.start : entry.end])
    bare = line.rstrip("\r\n")
    marks = [found.span() for found in re.finditer(r"[ \t]*\[RESOLVED\]", bare)]
    candidates = [bare[:start] + bare[end:] for start, end in marks]
    if len(marks) > 1:
        candidates.append(bare[: marks[0][0]] + bare[marks[0][1] : marks[-1][0]] + bare[marks[-1][1] :])
    return _first_that_reads(text, entry, candidates, line, rest, resolved=False)


def prune_learnings(text: str, *, now: datetime, threshold: float = 0.1, archive: str = "") -> Pruned:
    """Move the entries that are resolved or score below *threshold* to the archive, whole.

    What is pruned is an entry, not an id: of two `L002`, the resolved one alone. Each gets the field
    `Pruned` with the UTC day of *now*. An entry that the archive holds already is not added again.

    Raises:
        ValueError: *threshold* is below 0 or no number.
        RegistryError: Either text holds conflict markers.
    """
    if not threshold >= 0:
        raise ValueError(f"threshold is {threshold}; it must be 0 or more")
    refuse_conflict(text)
    refuse_conflict(archive, "the archive")
    entries = learnings(parse(text))
    removed = tuple(entry for entry in entries if entry.resolved or decay_score(entry, now) < threshold)
    gone = {entry.start for entry in removed}
    kept = tuple(entry for entry in entries if entry.start not in gone)
    day = now.astimezone(UTC).date()
    held = {_content(entry) for entry in learnings(parse(archive))}
    moved = (_dated(text, entry, day) for entry in removed if _content(entry) not in held)
    archive = append_pieces(archive, moved, header=ARCHIVE_HEADER)
    return Pruned(cut_entries(text, removed), archive, removed, kept)


def cut_entries(text: str, entries: Iterable[Learning]) -> str:
    """Take entries out of their text, each with the blank lines behind it; in document order."""
    pieces, at = [], 0
    for entry in entries:
        pieces.append(text[at : entry.start])
        at = _end_with_blank_lines(text, entry.end)
    return "".join([*pieces, text[at:]])


# The pieces of an edit ----------------------------------------------------------------------------


def _append(
    text: str, entry: str, newline: str, header: str, document: Document | None
) -> tuple[str, str, int]:
    """Put an entry behind a text.

    Returns the whole, the line that had to be closed, and where the last section of the old text starts.
    """
    if not text.removeprefix(BOM).strip():
        whole = text[: text.startswith(BOM)] + header.replace("\n", newline) + newline + entry
        return whole, "", 0
    document = document or parse(text)
    start = document.sections[-1].start if document.sections else 0
    closed = ""
    base = text if text.endswith(("\n", "\r")) else text + newline
    if document.open:
        if document.closer is None:
            raise RegistryError("the registry ends in containers nested too deep to add an entry behind them")
        closed = document.closer
        base += closed + newline
    last = scan(base, start + (start == 0 and base.startswith(BOM))).blocks[-1:]
    ruled = bool(last) and last[0].kind == "break" and not base[last[0].end :].strip(" \t\r\n")
    if not base.endswith((newline * 2, "\n\n", "\r\r")):
        base += newline
    return base + ("" if ruled else f"---{newline}{newline}") + entry, closed, start


def _dated(text: str, entry: Learning, day: date) -> tuple[str, Learning]:
    """An entry as it stands in the archive, and what it reads as there."""
    piece = text[entry.start : entry.end]
    piece = set_field(piece, "Pruned", day.isoformat(), line_ending(piece))
    return piece, entry._replace(fields={**entry.fields, "pruned": day.isoformat()})


def _closed(piece: str) -> str:
    newline = line_ending(piece)
    piece = piece.rstrip(" \t\r\n") + newline
    opened = scan(piece)
    if opened.open and opened.closer is not None:
        piece += opened.closer + newline
    if not opened.blocks or opened.blocks[-1].kind != "break":
        piece += f"{newline}---{newline}"
    return piece


def replace_entry(text: str, entry: Learning, piece: str, intended: Learning, letter: str = "L") -> str:
    """Put *piece* in place of an entry, once it is proven to read as intended, in its surroundings."""
    whole = text[: entry.start] + piece + text[entry.end :]
    if whole == text:
        return text
    sections = parse(text).sections
    start = max((section.start for section in sections if section.start < entry.start), default=0)
    before = learnings(parse(text[start : entry.start]), letter)
    prove(whole[start : entry.start + len(piece)], (*before, intended), letter)
    return whole


def _first_that_reads(
    text: str, entry: Learning, candidates: list[str], line: str, rest: str, *, resolved: bool
) -> str:
    newline = line[len(line.rstrip("\r\n")) :]
    for candidate in candidates:
        read = learnings(parse(candidate + "\n"))
        if len(read) == 1 and (read[0].number, read[0].title, read[0].resolved) == (
            entry.number,
            entry.title,
            resolved,
        ):
            return replace_entry(text, entry, candidate + newline + rest, entry._replace(resolved=resolved))
    raise RegistryError(f"the heading of {entry.id} on line {entry.lineno} can't be marked; edit it by hand")


def set_field(piece: str, label: str, value: str | None, newline: str) -> str:
    """Set, insert or take out one field of the entry that *piece* is."""
    found = items(piece, 0, len(piece))
    same = next((item for item in found if item.label.lower() == label.lower()), None)
    if same is not None:
        if value is None:
            return piece[: same.start] + piece[same.end :]
        if same.value == value:
            return piece
        raw = piece[same.start : same.end]
        prefix = re.match(r"[ \t]*[-+*][ \t]+\*\*[^*]+\*\*(?:[ \t]*[:：])?", raw)
        assert prefix is not None  # it is an item with a label
        ending = raw[len(raw.rstrip("\r\n")) :] and newline
        lines = field_lines(prefix[0], value, same.column)
        return piece[: same.start] + newline.join(lines) + ending + piece[same.end :]
    if value is None:
        return piece
    order = ordered([*(item.label for item in found), label])
    earlier = {name.lower() for name in order[: [name.lower() for name in order].index(label.lower())]}
    before = [item for item in found if item.label.lower() in earlier]
    at = before[-1].end if before else len(_heading_and_rest(piece)[0])
    lines = field_lines(_prefix_like(piece, before[-1].start if before else None, label), value, 2)
    lead = "" if piece[:at].endswith(("\n", "\r")) else newline
    following = re.match(r"[^\r\n]*", piece[at:])
    starts = {block.start for block in scan(piece).blocks}
    tail = newline if following and following[0].strip(" \t") and at not in starts else ""
    return piece[:at] + lead + newline.join(lines) + newline + tail + piece[at:]


def _prefix_like(piece: str, start: int | None, label: str) -> str:
    """The bullet and label of a new field, in the style of the one before it."""
    style = None if start is None else _LABEL_STYLE.match(piece, start)
    return f"{style[1]}**{label}{style[2]}**{style[3]}" if style else f"- **{label}**:"


def _heading_and_rest(piece: str) -> tuple[str, str]:
    found = re.match(r"[^\r\n]*(?:\r\n?|\n)?", piece)
    end = found.end() if found else 0
    return piece[:end], piece[end:]


def _end_with_blank_lines(text: str, end: int) -> int:
    found = re.compile(r"(?:[ \t]*(?:\r\n?|\n))*").match(text, end)
    return found.end() if found else end


def _content(entry: Learning) -> tuple[int, str, frozenset[tuple[str, str]]]:
    """What makes an archived entry the same as another."""
    return entry.number, entry.title, frozenset((k, v) for k, v in entry.fields.items() if k != "pruned")


def _checked(label: str, value: str) -> str:
    lowered = label.lower()
    if lowered == "type":
        return _one_of("type", value, TYPES)
    if lowered == "severity":
        return _one_of("severity", value, SEVERITIES)
    if lowered == "category":
        return _one_of("category", value, CATEGORIES)
    if lowered == "confidence":
        return _confidence(value)
    if lowered == "example":
        value = fenced(value)
    return clean_value(label, value)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    word = value.strip().lower()
    if word not in allowed:
        raise DraftError(f"'{value}' is no {name}; write one of {', '.join(allowed)}")
    return word


def _confidence(value: float | str | None) -> str:
    if value is None or value == "":
        return ""
    written = f"{value:.2f}" if isinstance(value, (int, float)) else value.strip()
    if parse_confidence(written) is None:
        raise DraftError(f"'{value}' is no confidence; write a number of 0.00-1.00")
    return written


def _refuse_controls(what: str, value: str) -> None:
    if found := _CONTROL.search(value):
        raise DraftError(f"the {what} holds the control character U+{ord(found[0]):04X}; take it out")


def _unified(value: str) -> str:
    lines = [line if line.strip(" \t") else "" for line in split_lines(value)]
    return "\n".join(lines).strip("\n").strip(" \t\n")


def _title_from(lesson: str) -> str:
    """The first words of a lesson: up to the end of its first sentence or line, at most 72 characters."""
    first = lesson.split("\n", 1)[0].strip()
    sentence = re.match(r".+?[.!?。！？](?=\s|\Z)", first)
    title = (sentence[0] if sentence else first).rstrip(".。").strip("#*_` \t")
    if len(title) > TITLE_LENGTH:
        title = title[: TITLE_LENGTH - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
    return title.removeprefix(RESOLVED).removesuffix(RESOLVED).strip()


def _nearest(name: str, entries: tuple[Learning, ...]) -> str | None:
    from difflib import get_close_matches

    close = get_close_matches(f"L{parse_id(name):03d}", [entry.id for entry in entries], n=1, cutoff=0.5)
    return close[0] if close else None
