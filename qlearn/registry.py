"""Edits of a registry, each a pure function from text to new text.

An edit changes the span of its entry and nothing else, is read back by markdown-it-py before it is
returned (`qlearn.proof`), and gives equal text where there is nothing to change.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from datetime import UTC, date, datetime

from .blocks import scan
from .decay import decay_score
from .document import Document, Item, items, parse
from .errors import DraftError, NotFoundError, RegistryError
from .learning import (
    CATEGORIES,
    FIELDS,
    RESOLVED,
    SEVERITIES,
    TYPES,
    Heading,
    Learning,
    learnings,
    parse_confidence,
    parse_day,
    parse_heading,
)
from .lines import BOM, line_ending, split_lines
from .proof import meaning, prove
from .record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .document import Section

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
LARGEST_CLAIMED = 99_999_999
"""The largest number that an import keeps, or a Was reserves: no file can use up those that are left."""
TITLE_LENGTH = 72

_CONFLICT = re.compile(r"(?:\A|(?<=[\r\n]))(?:<{7}|>{7}|\|{7})(?=[ \r\n]|\Z)")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_WAS_NUMBER = re.compile(r"\bL([0-9]{1,9})\b", re.ASCII)
_ID = re.compile(r"[Ll]?([0-9]{1,9})\Z")
_FENCE_LINE = re.compile(r"(?:`{3,}|~{3,})[^`\n]*(?:\n|\Z)")
_LABEL = re.compile(r"[^\s*:：](?:[^*:：\r\n]*[^\s*:：])?\Z")
_BLOCK_MARK = re.compile(r"(?:#{1,6}|[-*+>]|[0-9]{1,9}[.)])(?:[ \t]+|\Z)")
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n?|\n))*(?:[ \t]*\Z)?")
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
        cure = f". Did you mean {nearest}?" if nearest else "; `qlearn list --all` shows those there are"
        raise NotFoundError(f"No learning '{name}'{cure}")
    first, *others = found
    if others:
        lines = " and ".join(str(entry.lineno) for entry in found)
        raise RegistryError(f"{first.id} stands on lines {lines}; `qlearn fix` gives one a new number")
    return first


def mentions(entries: Iterable[Learning], name: str) -> tuple[Learning, ...]:
    """Find every entry that is or once was called by that id: a reference never points silently to one.

    A Key is found, too, and an id of another tool's file, such as `M002`, in the Was of what was imported.

    Raises:
        NotFoundError: *name* is no id, and no entry was called so.
    """
    try:
        number = parse_id(name)
    except NotFoundError:
        entries = tuple(entries)
        called = ((entry, (entry.key or None, *re.findall(r"[^,\s]+", entry.was or ""))) for entry in entries)
        if found := tuple(entry for entry, names in called if name in names):
            return found
        raise
    return tuple(entry for entry in entries if number in (entry.number, *former_numbers(entry.was)))


def former_numbers(was: str | None) -> tuple[int, ...]:
    """Read the numbers that a Was names."""
    return tuple(int(number) for number in _WAS_NUMBER.findall(was)) if was else ()


def used_numbers(*documents: Iterable[Learning]) -> frozenset[int]:
    """Every number that an entry has or, by its Was, once had (as far as a Was reserves any)."""
    return frozenset(
        number
        for entries in documents
        for entry in entries
        for number in (entry.number, *former_numbers(entry.was))
        if number == entry.number or number <= LARGEST_CLAIMED
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
    document: Document | None = None,
) -> Added:
    """Append a learning under the next free number.

    Args:
        title: One line; made from the lesson's first words where it is empty.
        learning: The lesson, which may run over several lines; the title where it is empty.
        now: An aware time; the UTC day of it is written.
        archive: The archive's text, so that no number in it is used again.
        example: Put into a fence, if it is not fenced already.
        more: Any other fields by their labels ("Trigger", "Files", "Was", ...).
        document: *text*, parsed, which saves the time where the caller has it.

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
        **{clean_label(label): _checked(label, value) for label, value in (more or {}).items()},
    }
    document = document or parse(text)
    number = next_number(learnings(document), learnings(parse(archive)))
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
    newline = line_ending(text)
    piece, entry = entry_piece(number, title, fields, resolved=resolved, letter=letter, newline=newline)
    written, closed = _append(document or parse(text), piece, [entry], header, letter)
    return Added(f"{letter}{number:03d}", written, closed)


def entry_piece(
    number: int,
    title: str,
    fields: Mapping[str, str],
    *,
    resolved: bool = False,
    letter: str = "L",
    newline: str = "\n",
) -> tuple[str, Learning]:
    """Write an entry as it stands in a registry, with what it has to read as; nothing is proven yet.

    Raises:
        DraftError: As `add_learning`.
    """
    values = {clean_label(label): clean_value(label, value) for label, value in fields.items()}
    lesson = values.get("Learning", "")
    title = clean_title(title) or title_from(lesson)
    if not title and not lesson:
        raise DraftError("there is nothing to add; give a lesson or a title")
    values["Learning"] = lesson or title
    values = {label: value for label, value in values.items() if value}
    entry = Learning(
        number, title, resolved, {label.lower(): value for label, value in values.items()}, 0, 0, 0
    )
    lines = [heading_line(number, title, resolved, letter)]
    lines += [line for label in ordered(values) for line in field_lines(f"- **{label}**:", values[label], 2)]
    return newline.join([*lines, "", "---", ""]), entry


def append_pieces(text: str, pieces: Iterable[tuple[str, Learning]], *, header: str = HEADER) -> str:
    """Append whole entries as they were written elsewhere, each with the learning it has to read as.

    What a piece leaves open is closed, and `---` ends it; its bytes are kept, line ends included.

    Raises:
        RegistryError: The text or a piece holds conflict markers, or a piece would not read back as meant.
    """
    refuse_conflict(text)
    pieces = tuple(pieces)
    for piece, entry in pieces:
        refuse_conflict(piece, entry.id)
    if not pieces:
        return text
    newline = line_ending(text or pieces[0][0])
    joined = newline.join(_closed(piece) for piece, _ in pieces)
    return _append(parse(text), joined, [entry for _, entry in pieces], header)[0]


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
    return [f"{prefix} {first}" if first else prefix, *(" " * column + line if line else "" for line in rest)]


def ordered(labels: Iterable[str]) -> list[str]:
    """Put labels into the order in which they are written; unknown ones last, as they come."""
    position = {label.lower(): index for index, label in enumerate(FIELDS)}
    return sorted(labels, key=lambda label: position.get(label.lower(), len(FIELDS)))


def fenced(example: str) -> str:
    """Put text into a code fence that is longer than any in it; fenced text stays as it is."""
    example = example.strip("\n")
    if not example.strip() or _FENCE_LINE.match(example):
        return example
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", example))])
    return f"{fence}\n{example}\n{fence}"


def clean_label(label: str) -> str:
    """Check a field's label; one that has a meaning is brought into its usual spelling.

    Raises:
        DraftError: It could not be read back as a label.
    """
    label = label.strip()
    if not _LABEL.match(label) or _CONTROL.search(label):
        raise DraftError(f"'{label}' is no label; write words without colons and asterisks")
    return next((known for known in FIELDS if known.lower() == label.lower()), label)


def clean_title(title: str) -> str:
    """Check a title and take the white space off its ends.

    Raises:
        DraftError: It has two lines, control characters, or a `[RESOLVED]` at an end.
    """
    title = title.strip()
    if "\n" in title or "\r" in title:
        raise DraftError("a title is one line; put the rest into the lesson")
    _refuse_controls("title", title)
    if parse_heading(f"L001: {title}") != (1, title, False):
        raise DraftError(f"a title can't start or end with {RESOLVED}; use `qlearn resolve`")
    return title


def clean_value(label: str, value: str) -> str:
    """Bring a field's value into the form in which it is read back: line ends LF, blank lines empty.

    Raises:
        DraftError: It has control characters, or lists and quotes so deep that they would hide what follows.
    """
    value = "\n".join(line if line.strip(" \t") else "" for line in split_lines(value)).strip(" \t\n")
    _refuse_controls(label.lower(), value)
    ended = scan("\n".join(field_lines(f"- **{label}**:", value, 2)))
    if ended.open and ended.closer is None:
        raise DraftError(f"the {label.lower()} nests lists deeper than Markdown readers look; flatten it")
    return value


# Editing ------------------------------------------------------------------------------------------


def amend(
    text: str, name: str, *, title: str | None = None, fields: Mapping[str, str | None] | None = None
) -> str:
    """Change the title or some fields of an entry; a field set to None is taken out.

    A field that is new stands after those that are written before it; one that exists keeps its place
    and its bullet. Everything else keeps its bytes.

    Raises:
        NotFoundError, RegistryError, DraftError: As `find` and `add_learning`.
    """
    refuse_conflict(text)
    document = parse(text)
    entry = find(learnings(document), name)
    piece = text[entry.start : entry.end]
    following = [section.end for section in document.sections if section.start >= entry.end]
    behind = text[entry.end : following[0] if following else len(text)]
    intended = dict(entry.fields)
    new_title = entry.title
    for label, value in (fields or {}).items():
        label = clean_label(label)
        cleaned = None if value is None else _checked(label, value)
        piece = set_field(piece, label, cleaned, line_ending(text), behind=behind)
        if cleaned is None:
            intended.pop(label.lower(), None)
        else:
            intended[label.lower()] = cleaned
    if title is not None and clean_title(title) != entry.title:
        new_title = clean_title(title)
        if not new_title:
            raise DraftError("a title can't be empty")
        line, rest = _heading_and_rest(piece)
        piece = heading_line(entry.number, new_title, entry.resolved) + _ending(line) + rest
    return replace_entry(text, entry, piece, entry._replace(title=new_title, fields=intended))


def reinforce(text: str, name: str, *, now: datetime) -> str:
    """Record that a learning was met again: its relevance starts anew from the UTC day of *now*.

    Raises:
        NotFoundError, RegistryError: As `amend`; or its Reinforced is no date, and would be lost.
    """
    entry = find(learnings(parse(text)), name)
    refuse_unread(entry, "Reinforced", entry.reinforced is not None)
    return amend(text, name, fields={"Reinforced": now.astimezone(UTC).date().isoformat()})


def refuse_unread(entry: Learning, label: str, read: bool) -> None:
    """Raise where a field holds something that was not *read*, since a new value would replace it.

    Raises:
        RegistryError: The field is there, not empty, and not read.
    """
    value = entry.field(label)
    if value and not read:
        shown = " ".join(value.split())
        shown = shown if len(shown) <= 40 else f"{shown[:39]}…"
        raise RegistryError(
            f"line {entry.lineno}: {label} of {entry.id} holds '{shown}', which would be lost;"
            " write a plain value and put the rest elsewhere"
        )


def resolve(text: str, name: str) -> str:
    """Mark an entry as resolved: it scores 0 and is no longer injected. Twice is once."""
    refuse_conflict(text)
    entry = find(learnings(parse(text)), name)
    if entry.resolved:
        return text
    line, rest = _heading_and_rest(text[entry.start : entry.end])
    bare = line.rstrip("\r\n")
    colon = re.search(r"L[0-9]{1,9}[*_]*[ \t]*[:：]", bare)
    places = [*([colon.end()] if colon else []), _content_end(bare)]
    if colon and not bare.startswith((" ", "\t"), colon.end()):
        places.reverse()  # a blank put behind the colon could not be told from one that was there
    candidates = [_marked(bare[:place], bare[place:]) for place in places]
    return _first_that_reads(text, entry, candidates, line, rest, resolved=True)


def reopen(text: str, name: str) -> str:
    """Take the mark of a resolved entry off. Twice is once."""
    refuse_conflict(text)
    entry = find(learnings(parse(text)), name)
    if not entry.resolved:
        return text
    line, rest = _heading_and_rest(text[entry.start : entry.end])
    bare = line.rstrip("\r\n")
    for mark in reversed(list(re.finditer(r"\[RESOLVED\]", bare))):  # from the end: places stay true
        candidate = bare[: mark.start()].rstrip(" \t") + bare[mark.end() :]
        read = _read_heading(candidate)
        if read is not None and (read.number, read.title) == (entry.number, entry.title):
            bare = candidate
    return _first_that_reads(text, entry, [bare], line, rest, resolved=False)


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
    """Take entries out of their text, each with the blank lines behind it.

    What stands behind the rule of such an entry is file text. The rule stays where it is needed to keep
    that text out of the section before.

    Raises:
        RegistryError: What is left would read otherwise.
    """
    document = parse(text)
    sections, gone = document.sections, {entry.start for entry in entries}
    edits: list[tuple[int, int, str]] = []
    inside: bool | None = False  # whether a section that no rule has ended goes on; None: not looked yet
    for index, section in enumerate(sections):
        if section.start not in gone:
            inside = None
            continue
        start, end, piece = section.start, _behind_blank_lines(text, section.end), ""
        if inside is None:
            inside = _rule(text, sections[index - 1].start, sections[index - 1].end) is None
        if end < (sections[index + 1].start if index + 1 < len(sections) else len(text)):
            rule = _rule(text, start, section.end)
            if inside and rule is not None:
                end, inside = rule, False
        if text.startswith(BOM) < start and end < len(text) and not _ends_blank(text, start):
            piece = line_ending(text)
        if index and sections[index - 1].start in gone:
            first, last, before = edits.pop()
            between = text[last:start]
            start, piece = first, before + between + (piece if between else "")
        edits.append((start, end, piece))
    return _spliced(document, edits)


# The pieces of an edit ----------------------------------------------------------------------------


def _append(
    document: Document, lines: str, entries: Iterable[Learning], header: str, letter: str = "L"
) -> tuple[str, str]:
    """Put the lines of entries behind a text; return the whole, and the line that had to be closed."""
    text, added = document.text, [entry[:4] for entry in entries]
    newline = line_ending(text or lines)
    if not text.removeprefix(BOM).strip():
        head = (text[: text.startswith(BOM)] + header + "\n").replace("\n", newline)
        prove(head + lines, [*_meanings(parse(head).sections, letter), *added], letter)
        return head + lines, ""
    last = document.sections[-1:]
    start = last[0].start if last else 0
    closed = ""
    tail = text[start:] if text.endswith(("\n", "\r")) else text[start:] + newline
    if document.open:
        if document.closer is None:
            raise RegistryError("the registry ends in containers nested too deep to add an entry behind them")
        closed = document.closer
        tail = _with_line(tail, closed, newline)
    blocks = scan(tail, start == 0 and tail.startswith(BOM)).blocks
    ruled = blocks and blocks[-1].kind == "break" and not tail[blocks[-1].end :].strip(" \t\r\n")
    if not _ends_blank(tail, len(tail)):
        tail = _with_line(tail, "", newline)
    tail += lines if ruled else f"---{newline}{newline}{lines}"
    prove(tail, [*_meanings(last, letter), *added], letter)
    return text[:start] + tail, closed


def _dated(text: str, entry: Learning, day: date) -> tuple[str, Learning]:
    """An entry as it stands in the archive, and what it reads as there."""
    piece = _closed(text[entry.start : entry.end])
    piece = set_field(piece, "Pruned", day.isoformat(), line_ending(piece))
    return piece, entry._replace(fields={**entry.fields, "pruned": day.isoformat()})


def _closed(piece: str) -> str:
    newline = line_ending(piece)
    piece = piece.rstrip(" \t\r\n") + newline
    if (closer := scan(piece).closer) is not None:
        piece = _with_line(piece, closer, newline)
    return piece if _rule(piece) is not None else f"{piece}{newline}---{newline}"


def _rule(text: str, start: int = 0, end: int | None = None) -> int | None:
    """Where the thematic break that ends the section between two offsets starts; None where none does."""
    last = scan(text, start, end).blocks[-1]
    return last.start if last.kind == "break" else None


def _spliced(
    document: Document,
    edits: Iterable[tuple[int, int, str]],
    entries: Iterable[Learning] = (),
    letter: str = "L",
) -> str:
    """Replace pieces of a text, of whole sections each, once each is proven in its surroundings.

    *entries* is what the new pieces hold; the section before a piece and the one after it stay what they
    were. Those further off can't change, since a section starts where nothing is open.
    """
    text, sections = document.text, document.sections
    whole, at = [], 0
    for start, end, piece in edits:
        first = bisect_left(sections, start, key=lambda section: section.start)
        last = bisect_left(sections, end, key=lambda section: section.start)
        before, after = sections[max(first - 1, 0) : first], sections[last : last + 1]
        near = text[before[0].start if before else 0 : start] + piece
        near += text[end : after[0].end if after else len(text)]
        if document.open and (closer := parse(near).closer) is not None:
            near += f"\n{closer}\n"
        here = [entry[:4] for entry in entries]
        prove(near, [*_meanings(before, letter), *here, *_meanings(after, letter)], letter)
        whole += [text[at:start], piece]
        at = end
    return "".join([*whole, text[at:]])


def _meanings(sections: Iterable[Section], letter: str) -> list[tuple[object, ...]]:
    return [meaning(section, letter) for section in sections]


def replace_entry(text: str, entry: Learning, piece: str, intended: Learning, letter: str = "L") -> str:
    """Put *piece* in place of an entry, once it is proven to read as intended, in its surroundings.

    Raises:
        RegistryError: It would not, or one of the texts holds conflict markers.
    """
    refuse_conflict(text)
    refuse_conflict(piece, entry.id)
    if piece == text[entry.start : entry.end]:
        return text
    return _spliced(parse(text), [(entry.start, entry.end, piece)], [intended], letter)


def _content_end(line: str) -> int:
    """Where the content of a heading ends, in front of closing hashes and white space."""
    end = len(line.rstrip(" \t"))
    before = line[:end].rstrip("#")
    return len(before.rstrip(" \t")) if before.endswith((" ", "\t")) else end


def _marked(before: str, after: str) -> str:
    return before + " " + RESOLVED + ("" if not after or after[0] in " \t" else " ") + after


def _first_that_reads(
    text: str, entry: Learning, candidates: list[str], line: str, rest: str, *, resolved: bool
) -> str:
    newline = _ending(line)
    for candidate in candidates:
        if _read_heading(candidate) == (entry.number, entry.title, resolved):
            return replace_entry(text, entry, candidate + newline + rest, entry._replace(resolved=resolved))
    raise RegistryError(f"the heading of {entry.id} on line {entry.lineno} can't be marked; edit it by hand")


def set_field(piece: str, label: str, value: str | None, newline: str, *, behind: str = "") -> str:
    """Set, insert or (by None) take out the fields of one label in the entry that *piece* is.

    Args:
        behind: What follows the entry, up to the end of the next section: it may not become part of a field.
    """
    found = items(piece)
    same = [item for item in found if item.label.lower() == label.lower()]
    fields = dict(parse(piece).sections[0].fields)
    if value is None:
        for item in reversed(same):
            if item is same[0]:
                del fields[label.lower()]
            piece = _fitting(_between(piece[: item.start], "", piece[item.end :]), fields, behind)
        return piece
    if same and same[0].value == value:
        return piece
    fields[label.lower()] = value
    if not same:
        return _fitting(_insertions(piece, label, value, newline, found), fields, behind)
    item = same[0]
    written = newline.join(field_lines(item.head, value, item.column)) + _ending(piece[: item.end])
    return _fitting(_between(piece[: item.start], written, piece[item.end :]), fields, behind)


def _fitting(candidates: Iterable[str], fields: Mapping[str, str], behind: str) -> str:
    """The first of these entries that has just those fields and leaves what is behind it as it was.

    The last where none does: its proof will say so.
    """
    following = [section[:2] for section in parse(behind).sections]
    for candidate in candidates:
        first, *others = parse(candidate + behind).sections
        if first.fields == fields and [section[:2] for section in others] == following:
            break
    return candidate


def _between(before: str, item: str, after: str) -> Iterator[str]:
    """An item, or none, between two pieces of an entry; with a blank line where text would go on with it."""
    yield before + item + after
    yield before + item + _ending(item or before) + after


def _insertions(piece: str, label: str, value: str, newline: str, found: tuple[Item, ...]) -> Iterator[str]:
    """A new field behind those that are written before it, in their style, in ways of falling usefulness."""
    order = [name.lower() for name in ordered([*(item.label for item in found), label])]
    earlier = order[: order.index(label.lower())]
    before = [item for item in found if item.label.lower() in earlier]
    style = _LABEL_STYLE.match(piece, before[-1].start) if before else None
    bullet, inner, outer = style.groups() if style else ("- ", "", ":")
    blocks = scan(piece).blocks
    at = before[-1].end if before else blocks[0].end
    newline = _ending(piece[:at]) or newline
    rule = blocks[-1].start if blocks[-1].kind == "break" else len(piece)
    last = _next_line(piece, len(piece[:rule].rstrip(" \t\r\n")))
    # Indented text right below the heading would become part of the item, unless that is indented more or
    # stands behind the text.
    for place, start in ((at, bullet), (at, "   - "), (last, bullet)):
        lead = "" if _ending(piece[:place]) else newline
        lines = field_lines(f"{start}**{label}{inner}**{outer}", value, len(start))
        yield from _between(piece[:place] + lead, newline.join(lines) + newline, piece[place:])


def _read_heading(line: str) -> Heading | None:
    return parse_heading(parse(line).sections[0].title)


def _heading_and_rest(piece: str) -> tuple[str, str]:
    end = _next_line(piece, 0)
    return piece[:end], piece[end:]


def _next_line(text: str, pos: int) -> int:
    """Where the line behind the one at *pos* starts."""
    found = re.compile(r"[^\r\n]*(?:\r\n?|\n)?").match(text, pos)
    assert found is not None  # matches the empty text, too
    return found.end()


def _behind_blank_lines(text: str, pos: int) -> int:
    found = _BLANK_LINES.match(text, pos)
    assert found is not None  # matches the empty text, too
    return found.end()


def _ending(text: str) -> str:
    """The line ending at the end of a text, "" if there is none."""
    return next((ending for ending in ("\r\n", "\n", "\r") if text.endswith(ending)), "")


def _ends_blank(text: str, end: int) -> bool:
    """Whether the line in front of the one at *end* is blank."""
    before = text[max(end - 2, 0) : end]
    end -= 2 if before == "\r\n" else before.endswith(("\n", "\r"))
    while end and text[end - 1] in " \t":
        end -= 1
    return not end or text[end - 1] in "\r\n"


def _with_line(text: str, line: str, newline: str) -> str:
    """Append a line to a text that ends in one. LF behind a lone CR would only complete its ending."""
    return text + line + ("\r\n" if newline == "\n" and not line and text.endswith("\r") else newline)


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
    if lowered in ("date", "reinforced", "pruned") and value and parse_day(value.strip()) is None:
        raise DraftError(f"'{value}' is no date; write YYYY-MM-DD")
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


def title_from(lesson: str) -> str:
    """The first words of a lesson: up to the end of its first sentence or line, at most 72 characters.

    Marks of headings, lists and quotes are left out, and lines without a letter or digit.
    """
    for line in lesson.split("\n"):
        while mark := _BLOCK_MARK.match(line := line.strip()):
            line = line[mark.end() :]
        if _FENCE_LINE.match(line) or not any(char.isalnum() for char in line):
            continue
        sentence = re.match(r".+?(?:[.!?](?=\s|\Z)|[。！？])", line)
        title = (sentence[0] if sentence else line).rstrip(".。 ")
        if len(title) > TITLE_LENGTH:
            title = title[: TITLE_LENGTH - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
        while title.startswith(RESOLVED) or title.endswith(RESOLVED):
            title = title.removeprefix(RESOLVED).removesuffix(RESOLVED).strip()
        return title
    return ""


def _nearest(name: str, entries: tuple[Learning, ...]) -> str | None:
    from difflib import get_close_matches

    close = get_close_matches(f"L{parse_id(name):03d}", [entry.id for entry in entries])
    return close[0] if close else None
