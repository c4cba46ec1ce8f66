"""Drafts into a registry: which are new, under which numbers, and what became of each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from qlearn.document import parse
from qlearn.duplicates import lesson_of, similar
from qlearn.errors import DraftError, RegistryError
from qlearn.gate import admit
from qlearn.learning import Learning, learnings, parse_learnings
from qlearn.registry import add_entry, append_pieces, refuse_conflict, used_numbers
from qlearn.search import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qlearn.interchange import Draft

_NUMBER = re.compile(r"L[0-9]{1,9}")


class Outcome(NamedTuple):
    """What became of a draft.

    `verdict` is "added", "known" (its lesson stands in the registry or the archive) or "refused"; `id` the
    entry's, "" for a refused draft; `reason` says why it was not added, or why its number changed, or
    which entry it resembles.
    """

    draft: Draft
    verdict: str
    id: str = ""
    reason: str = ""


class TakenIn(NamedTuple):
    """The new text, and an outcome for each draft, in their order."""

    text: str
    outcomes: tuple[Outcome, ...]


def take_in(text: str, drafts: Sequence[Draft], *, archive: str = "") -> TakenIn:
    """Append the drafts whose lessons are new; doing it twice is doing it once.

    A draft keeps its number where that was never used, here or in the archive; else it takes the next free
    one. A draft that would not read back as meant is refused, and the others are taken.

    Raises:
        RegistryError: The text holds conflict markers, or no number is left.
    """
    refuse_conflict(text)
    entries, archived = learnings(parse(text)), learnings(parse(archive))
    known = {_key(entry): (entry.id, "stands there already") for entry in entries}
    for entry in archived:
        known.setdefault(_key(entry), (entry.id, "was pruned and stands in the archive"))
    used = {0, *used_numbers(entries, archived)}
    number = max({*used, *(draft.number for draft in drafts)}) + 1
    outcomes: list[Outcome] = []
    pieces: list[tuple[str, Learning]] = []
    for draft in drafts:
        if held := known.get(_key(_as_entry(draft, draft.number))):
            outcomes.append(Outcome(draft, "known", *held))
            continue
        own = number if draft.number in used else draft.number
        try:
            written = _piece(draft, own)
        except (DraftError, RegistryError) as error:
            outcomes.append(Outcome(draft, "refused", "", str(error)))
            continue
        used.add(own)
        number += own == number
        reason = f"L{draft.number:03d} is taken" if draft.number and own != draft.number else ""
        for near in similar(lesson_of(written[1]), entries, n=1):
            reason = "; ".join(filter(None, (reason, str(near))))
        outcomes.append(Outcome(draft, "added", written[1].id, reason))
        pieces.append(written)
    return TakenIn(append_pieces(text, pieces), tuple(outcomes))


def _key(entry: Learning) -> str:
    """What makes an entry the same as another."""
    return fold(entry.learning) or fold(entry.title)


def _as_entry(draft: Draft, number: int) -> Learning:
    fields = {label.lower(): value for label, value in draft.fields.items()}
    return Learning(number, draft.title, draft.resolved, fields, 0, 0, 0)


def _piece(draft: Draft, number: int) -> tuple[str, Learning]:
    """Write a draft as an entry of its own, proven to read as it is meant."""
    if not draft.markdown:
        admit({"title": draft.title, **{label.lower(): value for label, value in draft.fields.items()}})
        text = add_entry("", number, draft.title, draft.fields, resolved=draft.resolved, header="").text
        return text.lstrip("\n"), parse_learnings(text)[0]
    piece = draft.markdown
    if number != draft.number:
        line, newline, rest = piece.partition("\n")
        piece = _NUMBER.sub(f"L{number:03d}", line, count=1) + newline + rest
    entry = _as_entry(draft, number)
    append_pieces("", ((piece, entry),))
    return piece, entry
