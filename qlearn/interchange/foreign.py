"""Drafts from the files of other tools, with their provenance.

The law of their readers: every line of a file that is not blank lies in one draft or in one passage that was
passed over, and a draft says all that its lines say, but for the words that became a field's value.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qlearn.errors import Problem
from qlearn.gate import ALLOWED
from qlearn.interchange import Draft, Passed, Reading, labels
from qlearn.interchange.body import field_of
from qlearn.interchange.frontmatter import plain
from qlearn.learning import FIELDS, RESOLVED
from qlearn.lines import BOM
from qlearn.registry import clean_value, title_from
from qlearn.text import hidden

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LONGEST_TITLE = 200

_TAKEN = frozenset(label.lower() for label in (*FIELDS, *ALLOWED))
_ORIGIN = re.compile(r"(?:\A|[ \n])\(from (?P<path>(?:(?!\(from )[^\n])+?)(?:, there (?P<id>[^\n]+))?\)\Z")
_OWN_NUMBER = re.compile(r"\bL[0-9]{1,9}\b", re.ASCII)


def read_each(files: Mapping[str, str], read: Callable[[str, str], Reading]) -> Reading:
    """Read files one by one, by a function of path and text; what is blank holds nothing."""
    readings = [read(path, text) for path, text in files.items() if text.removeprefix(BOM).strip()]
    return Reading(
        tuple(draft for reading in readings for draft in reading.drafts),
        tuple(passed for reading in readings for passed in reading.passed),
        tuple(path for reading in readings for path in reading.broken),
    )


def skipped(path: str, lineno: int, reason: str, lines: Sequence[str]) -> Passed:
    """Say that some lines became no entry, and why; *lineno* is the first one's."""
    return Passed(path, Problem(lineno, reason, "warning"), "\n".join(lines))


def remark(path: str, lineno: int, message: str) -> Passed:
    """Say that something was read, but perhaps not as its author meant it."""
    return Passed(path, Problem(lineno, message, "warning"))


def make(
    name: str,
    path: str,
    lines: tuple[int, int],
    title: str,
    fields: Mapping[str, str],
    *,
    resolved: bool = False,
    old_id: str = "",
    aside: str = "",
) -> Draft:
    """Make a draft that a registry takes, with its provenance.

    - The title is one line of at most 200 characters, made from the lesson's first words where it is empty
      or longer; a `[RESOLVED]` at an end of it becomes the state.
    - Characters that nobody can see are shown by their codes.
    - `Source` is `import:NAME`; `Was` the old id, unless it could be taken for a number of this registry;
      the path, and such an id, stand at the end of `Context`.

    Args:
        lines: The first and the last line, from 1.
        aside: Why it is only taken when asked for.
        fields: Raw values; empty ones are left out. `Learning` is the title where it is empty.
    """
    title, old_id = (" ".join(shown(text).split()) for text in (title, old_id))
    bare = re.sub(rf"^(?:{re.escape(RESOLVED)}\s*)+|(?:\s*{re.escape(RESOLVED)})+$", "", title).strip()
    resolved = resolved or bare != title
    cleaned = {label: clean_value(label, shown(value)) for label, value in fields.items()}
    lesson = cleaned.get("Learning", "")
    if len(bare) > LONGEST_TITLE:
        lesson = f"{bare}\n\n{lesson}" if lesson and not lesson.startswith(bare) else lesson or bare
        bare = ""
    title = bare or title_from(lesson) or "Untitled"
    misleading = bool(_OWN_NUMBER.search(old_id))
    cleaned |= {
        "Learning": lesson or title,
        "Context": _with_origin(cleaned.get("Context", ""), shown(path), old_id if misleading else ""),
        "Source": f"import:{name}",
        "Was": "" if misleading else old_id,
    }
    kept = {label: value for label, value in cleaned.items() if value}
    first, last = lines
    return Draft(title, kept, resolved, path=path, lineno=first, last=last, old_id=old_id, aside=aside)


def origin(context: str) -> tuple[str, str]:
    """The path, and the old id if it stands there, that an entry's context ends in; two "" if it does not."""
    found = _ORIGIN.search(context)
    return (found["path"], found["id"] or "") if found else ("", "")


def without_origin(context: str) -> str:
    """What the source itself said of the context."""
    return context[: found.start()] if (found := _ORIGIN.search(context)) else context


def shown(text: str) -> str:
    """Put the code of each hidden or acting character in its place, `<U+200B>`, and end lines with LF."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    pieces, at = [], 0
    for mark in hidden(text):
        codes = "".join(f"<U+{ord(char):04X}>" for char in text[mark.start : mark.end])
        pieces += [text[at : mark.start], codes]
        at = mark.end
    return "".join([*pieces, text[at:]])


def _with_origin(context: str, path: str, old_id: str) -> str:
    place = f"(from {path}, there {old_id})" if old_id else f"(from {path})"
    if not context:
        return place
    return f"{context}\n{place}" if "\n" in context else f"{context} {place}"


def fields_of(values: Mapping[str, object]) -> dict[str, str]:
    """The values of a record as fields: those that mean something here, and the others under their own names.

    A name that means something here, with a value that does not, gets "Old " before it, and so does one that
    a label can't have. A status is left to the caller.
    """
    found: dict[str, str] = {}
    own: dict[str, object] = {}
    for key, value in values.items():
        role = labels.role(key)
        known = role in labels.META and role not in ("id", "status")
        field = field_of(role, plain(value)) if known else None
        if field and field[0] not in found:
            found[field[0]] = field[1]
        else:
            own[key] = value
    return own_fields(own) | found


def own_fields(values: Mapping[str, object]) -> dict[str, str]:
    """Values that mean nothing here as fields under their own names, so that they are kept.

    A name that has a meaning here, or that another value has already, gets "Old " before it.
    """
    found: dict[str, str] = {}
    taken = {"", *_TAKEN}
    for key, value in values.items():
        text = plain(value)
        label = " ".join(re.sub(r"[*:：\s]+", " ", shown(key)).split())
        while label.lower() in taken:
            label = f"Old {label}".strip()
        if text.strip():
            found[label] = text
            taken.add(label.lower())
    return found
