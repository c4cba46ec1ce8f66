"""What is wrong with a registry, and the repair of what can be repaired without asking its author."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from .confidence import parse_evidence
from .document import items, parse
from .errors import Problem
from .learning import (
    CATEGORIES,
    FIELDS,
    SEVERITIES,
    SEVERITY_SYNONYMS,
    TYPE_SYNONYMS,
    TYPES,
    Learning,
    learnings,
    parse_confidence,
    parse_day,
    parse_heading,
    plain_word,
)
from .lines import BOM, count_lines, line_ending, split_lines
from .record import TYPE_CHECKING, NamedTuple
from .registry import (
    conflict_line,
    heading_line,
    next_number,
    refuse_conflict,
    replace_entry,
    set_field,
)
from .secrets import find_secrets
from .text import doubtful, hidden
from .versions import are_kin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .document import Document, Section

# An id as people write it by hand: `L12 title`, `L12 - title`, `l12: title`, `[L12] title`, `L-12: title`.
_ALMOST_ID = re.compile(
    r"[\[(`~*_]{0,3}[Ll]-?([0-9]{1,9})[\])`~*_]{0,3}(?:[ \t]*(?:[-–—.:：)]+|\Z)[ \t]*|[ \t]+)(?![0-9])"
)
_KNOWN_LABELS = "|".join(FIELDS)
# A line that was meant as a field: a label, then a colon or a dash, after any bullet, box and emphasis.
_ALMOST_FIELD = re.compile(
    r"[ \t]*(?:(?:[-*+•]|[0-9]+[.)])[ \t]+)?(?:\[[ xX]\][ \t]*)?"
    rf"(?P<mark>[*_]{{0,3}})({_KNOWN_LABELS})[*_]{{0,3}}"
    r"[ \t]*(?:[:：]|[-–—](?=[ \t]))",
    re.IGNORECASE,
)
_ID_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+[*_]{0,3}L[0-9]{1,9}[*_]{0,3}[ \t]*[:：]")
_FENCE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(`{3,}|~{3,})")
_COUNT = re.compile(r"[0-9]{1,9}\Z")


class Fixed(NamedTuple):
    """A repaired text and what was changed in it, a line each; none where nothing had to be."""

    text: str
    changes: tuple[str, ...]


def decode(data: bytes) -> tuple[str, tuple[Problem, ...]]:
    """Read a file's bytes as UTF-8; invalid ones become U+FFFD and are reported.

    A file with such a problem may be read but never written again: what stood there would be lost.
    """
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        lineno = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
        message = f"byte 0x{data[error.start]:02x} is not valid UTF-8; save the file as UTF-8"
        return data.decode("utf-8", "replace"), (Problem(lineno, message),)


def check(text: str, *, archive: str = "", now: datetime | None = None) -> tuple[Problem, ...]:
    """Find what is not read as its author may have meant it, in document order.

    Args:
        archive: In which no number shall stand for another entry than it does in *text*.
        now: An aware time; without it, dates in the future are not looked for.

    Source: docs/format.md, "Reading".
    """
    document = parse(text)
    found: list[Problem] = []
    if (lineno := conflict_line(text)) is not None:
        found.append(
            Problem(lineno, "git conflict marker; resolve the conflict, no edit is made before that")
        )
    seen: dict[int, int] = {}
    held = _by_number(archive)
    after_entry = False
    for section in document.sections:
        heading = parse_heading(section.title) if section.level == 3 else None
        if section.level == 3 and heading is None:
            found.append(Problem(section.lineno, _why_no_id(section.title)))
        if not section.atx and after_entry:
            message = "the text above this line of dashes became a heading; put a blank line between them"
            found.append(Problem(section.lineno, message, "warning"))
        after_entry = heading is not None
        if heading is None:
            continue
        entry = _entry(section)
        if heading.number == 0:
            found.append(Problem(section.lineno, "L000 is no number to refer to; `qlearn fix` gives another"))
        elif heading.number in seen:
            message = f"{entry.id} stands on line {seen[heading.number]} already; `qlearn fix` renumbers one"
            found.append(Problem(section.lineno, message))
        elif heading.number in held and not _is_version(entry, held[heading.number]):
            message = f"{entry.id} is another entry in the archive; `qlearn fix` renumbers this one"
            found.append(Problem(section.lineno, message))
        seen.setdefault(heading.number, section.lineno)
        found += _field_problems(text, section, now)
    found += _almost(text, document)
    if document.open:
        lineno = count_lines(text, 0, len(text.rstrip())) + 1
        message = "a code fence, comment or HTML block is still open at the end of the file; close it"
        found.append(Problem(lineno, message, "warning"))
    found += _unseen(document)
    return tuple(sorted(found, key=lambda problem: problem.lineno))


def fix(text: str, *, archive: str = "", elsewhere: str = "") -> Fixed:
    """Give every entry a number of its own: those without an id, those that share one, `L000`.

    Of entries that share a number, the one that sorts first by date and text keeps it; the others take
    the next free numbers and say `Was`. Everything else keeps its bytes. Twice is once.

    Args:
        archive: An entry shares its number with one there, too, unless they are versions of one.
        elsewhere: A text whose numbers are not given again, but may be shared.

    Raises:
        RegistryError: The text holds conflict markers.
    """
    refuse_conflict(text)
    entries, held = learnings(parse(text)), _by_number(archive)
    others = [*(entry for each in held.values() for entry in each), *learnings(parse(elsewhere))]
    used = {entry.number for entry in (*entries, *others)}
    changes: list[tuple[Section, int, str]] = []  # a section, the number it asks for, the id it had
    sharing: dict[int, list[Section]] = {}
    for section in parse(text).sections:
        if section.level != 3:
            continue
        heading = parse_heading(section.title)
        if heading is not None and heading.number > 0:
            sharing.setdefault(heading.number, []).append(section)
            continue
        almost = _ALMOST_ID.match(section.title)
        asked = int(almost[1]) if almost else 0
        changes.append((section, 0 if asked in used else asked, ""))
        used.add(asked)
    for number, sections in sharing.items():
        sections.sort(key=lambda each: (each.fields.get("date", ""), _body(text, each)))
        keeping = (each for each in sections if number not in held or _is_version(_entry(each), held[number]))
        keeper = next(keeping, None)
        changes += [(section, 0, f"L{number:03d}") for section in sections if section is not keeper]
    if not changes:
        return Fixed(text, ())
    number = max(next_number(entries, others), max(used, default=0) + 1)
    final = []
    for section, asked, was in sorted(changes, key=lambda change: change[0].start):
        final.append((section, asked or number, was))
        number += not asked
    said = []
    for section, new, was in reversed(final):  # from the end, so that places stay true
        text = _renumber(text, section, new, was)
        said.append(f"line {section.lineno}: {was or repr(section.title)} becomes L{new:03d}")
    return Fixed(text, tuple(reversed(said)))


def _by_number(text: str) -> dict[int, list[Learning]]:
    found: dict[int, list[Learning]] = {}
    for entry in learnings(parse(text)):
        found.setdefault(entry.number, []).append(entry)
    return found


def _is_version(entry: Learning, others: Iterable[Learning]) -> bool:
    return any(are_kin(entry, other) for other in others)


def _entry(section: Section) -> Learning:
    heading = parse_heading(section.title)
    assert heading is not None  # it is asked for entries only
    return Learning(*heading, section.fields, section.start, section.end, section.lineno)


def is_allowed_to_hold_secrets(text: str, lineno: int) -> bool:
    """Tell whether a line belongs to an entry whose author has said that it only looks like a secret."""
    return any(
        0 <= lineno - each.lineno <= count_lines(text, each.start, len(text[: each.end].rstrip()))
        for each in parse(text).sections
        if each.fields.get("secret") == "allowed"
    )


def _unseen(document: Document) -> list[Problem]:
    """Find what a reader can't see, may mistake or should not see, once for each line and kind.

    An entry with the field `Secret` holds what only looks like a secret, by the word of who added it.
    """
    text = document.text
    allowed = [(each.start, each.end) for each in document.sections if each.fields.get("secret") == "allowed"]
    unseen = hidden(text.removeprefix(BOM))
    if line_ending(text) == "\r":
        unseen = tuple(mark for mark in unseen if not mark.name.endswith(" CR"))
    shift = text.startswith(BOM)
    places = [(at + shift, f"{name}; where it is shown, its code is", "warning") for at, _, name in unseen]
    places += [(at, f"{name}: {text[at:end][:40]!r}", "warning") for at, end, name in doubtful(text)]
    places += [
        (at, f"a {kind}; take it out and revoke it", "error")
        for kind, at, _ in find_secrets(text)
        if not any(start <= at < end for start, end in allowed)
    ]
    found: dict[Problem, None] = {}
    lineno, counted = 1, 0
    for at, message, severity in sorted(places):
        lineno, counted = lineno + count_lines(text, counted, at), at
        found[Problem(lineno, message, severity)] = None
    return list(found)


def _body(text: str, section: Section) -> str:
    return text[section.start : section.end]


def _renumber(text: str, section: Section, number: int, was: str) -> str:
    piece = _body(text, section)
    line = re.match(r"[^\r\n]*", piece)
    assert line is not None  # matches the empty line, too
    heading = parse_heading(section.title)
    if heading is not None:
        renamed = re.sub(r"L[0-9]{1,9}", f"L{number:03d}", line[0], count=1)
    else:
        almost = _ALMOST_ID.match(section.title)
        title = section.title[almost.end() :] if almost else section.title
        renamed = heading_line(number, title, resolved=False)
    piece = renamed + piece[line.end() :]
    if was:
        newline = "\r\n" if "\r\n" in piece else "\n"
        older = section.fields.get("was")
        behind = text[section.end :]
        piece = set_field(piece, "Was", f"{older}, {was}" if older else was, newline, behind=behind)
    intended = learnings(parse(piece))
    entry = Learning(number, "", False, section.fields, section.start, section.end, section.lineno)
    return replace_entry(text, entry, piece, intended[0])


def _almost(text: str, document: Document) -> list[Problem]:
    """Find lines that were meant as fields or entries and are none; they would be passed over silently."""
    read = {
        section.lineno + count_lines(text, section.start, item.start)
        for section in document.sections
        if section.level == 3 and parse_heading(section.title)
        for item in items(text, section.start, section.end)
    }
    entries = {section.lineno for section in document.sections if section.level == 3}
    found: list[Problem] = []
    fence = ""
    for lineno, line in enumerate(split_lines(text), 1):
        if marks := _FENCE.match(line):
            fence = "" if fence and marks[1].startswith(fence) else fence or marks[1]
        elif fence or line.startswith(("    ", "\t", ">")):
            continue
        elif (heading := _ID_HEADING.match(line)) and lineno not in entries:
            found.append(
                Problem(lineno, f"an entry has a heading of level 3, not {len(heading[1])}", "warning")
            )
        elif (
            (field := _ALMOST_FIELD.match(line))
            and lineno not in read
            and (field["mark"] or line.lstrip()[0] in "-*+•" or len(line.split()) <= 3)
        ):
            message = f"this is not read as {field[2]}; write `- **{field[2]}**: ...` in an entry"
            found.append(Problem(lineno, message, "warning"))
    return found


def _why_no_id(title: str) -> str:
    shown = title if len(title) <= 40 else title[:39] + "…"
    if re.match(r"[Ll][0-9]{10,}", title):
        return (
            f"'{shown}' has an id of more than nine digits, so it is no entry; `qlearn fix` gives it a number"
        )
    if _ALMOST_ID.match(title):
        return f"'{shown}' has no id of the form `L012:`, so it is no entry; `qlearn fix` gives it one"
    return f"'{shown}' has no id, so it is no entry; `qlearn fix` gives it a number"


def _field_problems(text: str, section: Section, now: datetime | None) -> list[Problem]:
    found: list[Problem] = []
    seen: set[str] = set()
    for item in items(text, section.start, section.end):
        label = item.label.lower()
        lineno = section.lineno + count_lines(text, section.start, item.start)
        if label in seen:
            found.append(
                Problem(lineno, f"{item.label} stands twice in this entry; the first one counts", "warning")
            )
            continue
        seen.add(label)
        if problem := _value_problem(label, item.value, now):
            message, severity = problem
            found.append(Problem(lineno, message, severity))
    return found


def _value_problem(label: str, value: str, now: datetime | None) -> tuple[str, str] | None:
    word = plain_word(value)
    if label == "type":
        return _word_problem(label, word, TYPES, TYPE_SYNONYMS, word.replace(" ", "_").replace("-", "_"))
    if label == "severity":
        return _word_problem(label, word, SEVERITIES, SEVERITY_SYNONYMS, word)
    if label == "category" and word and word not in CATEGORIES:
        return f"'{value}' is no category; write one of {', '.join(CATEGORIES)}", "warning"
    if label in ("date", "reinforced", "pruned"):
        day = parse_day(value)
        if day is None:
            return (f"'{value}' is no date; write YYYY-MM-DD", "error") if value else None
        if now is not None and day > now.astimezone(UTC).date():
            return f"{value} is in the future and counts as today", "warning"
    if label == "confidence" and value and parse_confidence(value) is None:
        return f"'{value}' is no confidence; write a number of 0.00-1.00", "error"
    if label == "used" and value and not _COUNT.match(value):
        return f"'{value}' is no count; write a whole number", "error"
    if label == "evidence" and value and parse_evidence(value) is None:
        return f"'{value}' is no evidence; write counts such as: seen 5, sessions 3, last 2026-11-30", "error"
    return None


def _word_problem(
    label: str, word: str, words: tuple[str, ...], synonyms: dict[str, str], key: str
) -> tuple[str, str] | None:
    if not word or word in words:
        return None
    if key in synonyms:
        return f"{label} '{word}' is read as {synonyms[key]}; write that", "warning"
    return f"'{word}' is no {label}; write one of {', '.join(words)}", "error"
