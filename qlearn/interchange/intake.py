"""Drafts into a registry: which are new, under which numbers, and what became of each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from qlearn.document import parse
from qlearn.duplicates import Shelf, lesson_of
from qlearn.errors import DraftError, RegistryError
from qlearn.gate import admit
from qlearn.interchange.foreign import origin
from qlearn.learning import Learning, learnings
from qlearn.lines import BOM, line_ending
from qlearn.registry import (
    LARGEST_CLAIMED,
    amend,
    append_pieces,
    entry_piece,
    refuse_conflict,
    reopen,
    resolve,
    set_field,
    used_numbers,
)
from qlearn.search import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from qlearn.interchange import Draft

_NUMBER = re.compile(r"L[0-9]{1,9}")


class Outcome(NamedTuple):
    """What became of a draft.

    `verdict` is "added", "known" (its lesson stands in the registry or the archive), "changed" (it was
    imported before, and one of both was changed since), "updated", "left out" (it is only taken when asked
    for) or "refused". `id` is the entry's, "" where there is none. `reason` says why it was not added, why
    its number changed, or what it resembles.
    """

    draft: Draft
    verdict: str
    id: str = ""
    reason: str = ""


class TakenIn(NamedTuple):
    """The new text, and an outcome for each draft, in their order."""

    text: str
    outcomes: tuple[Outcome, ...]


def take_in(
    text: str,
    drafts: Sequence[Draft],
    *,
    archive: str = "",
    everything: bool = False,
    update: bool = False,
    as_is: bool = False,
) -> TakenIn:
    """Append the drafts whose lessons are new; doing it twice is doing it once.

    A draft is known if its lesson stands there, but for case and white space, or if an entry says that it
    comes from the same place and had the same id there. It keeps its number where that was never used, here
    or in the archive; else it takes the next free one. So does one whose number is too large to leave room
    for others: it says `Was`. A draft that would not read back as meant is refused, as is one that holds what
    `qlearn.gate` lets no one add; the others are taken.

    Args:
        everything: Also take drafts that are left aside.
        update: Give entries that were imported before the words that their source has now.
        as_is: Let entries of a registry, which have their own Markdown, pass the gate unseen.

    Raises:
        RegistryError: The text holds conflict markers, or no number is left.
    """
    refuse_conflict(text)
    entries, archived = learnings(parse(text)), learnings(parse(archive))
    known = _Known(entries, archived, drafts)
    used = {0, *used_numbers(entries, archived)}
    claimed = (draft.number for draft in drafts if draft.number <= LARGEST_CLAIMED)
    number = max({*used, *claimed}) + 1
    shelf = Shelf(entries)
    newline = line_ending(text) if text else "\n"
    outcomes: list[Outcome] = []
    pieces: dict[int, tuple[str, Learning]] = {}  # by the index of their outcome
    for draft in drafts:
        if draft.aside and not everything:
            outcomes.append(Outcome(draft, "left out", "", draft.aside))
            continue
        if held := known.find(draft):
            outcomes.append(Outcome(draft, *held))
            continue
        roomless = draft.number > LARGEST_CLAIMED
        own = number if roomless or draft.number in used else draft.number
        try:
            piece, entry = _piece(_with_was(draft) if roomless else draft, own, newline, as_is)
        except (DraftError, RegistryError) as error:
            outcomes.append(Outcome(draft, "refused", "", str(error)))
            continue
        used.add(own)
        number += own == number
        known.add(draft, entry)
        reason = f"L{draft.number:03d} is taken" if draft.number and own != draft.number else ""
        if roomless:
            reason = f"L{draft.number} would leave no room for others"
        for near in shelf.similar(lesson_of(entry), n=1):
            reason = "; ".join(filter(None, (reason, str(near))))
        pieces[len(outcomes)] = piece, entry
        outcomes.append(Outcome(draft, "added", entry.id, reason))
    try:
        text = append_pieces(text, pieces.values())
    except RegistryError:
        if not (unreadable := _unreadable(pieces)):
            raise
        for index, reason in unreadable.items():
            del pieces[index]
            outcomes[index] = Outcome(outcomes[index].draft, "refused", "", reason)
        text = append_pieces(text, pieces.values())
    if update:
        for index, outcome in enumerate(outcomes):
            if outcome.verdict == "changed":
                text, outcomes[index] = _updated(text, outcome)
    return TakenIn(text, tuple(outcomes))


class _Known:
    """The lessons that are there, by what makes a draft the same as one."""

    def __init__(
        self, entries: Iterable[Learning], archived: Iterable[Learning], drafts: Iterable[Draft]
    ) -> None:
        self.lessons: dict[str, tuple[str, str]] = {}
        self.places: dict[tuple[str, str, str], list[Learning]] = {}
        self.numbers: dict[int, Learning] = {}
        for entry in entries:
            self.lessons[_key(entry)] = entry.id, "stands there already"
            self.numbers.setdefault(entry.number, entry)
            if place := _place(entry):
                self.places.setdefault(place, []).append(entry)
        for entry in archived:
            self.lessons.setdefault(_key(entry), (entry.id, "was pruned and stands in the archive"))
        self.archived = {place for entry in archived if (place := _place(entry))}
        self._set_apart(drafts)

    def _set_apart(self, drafts: Iterable[Draft]) -> None:
        """Note the entries that a draft equals: another draft of the same id is not a change of them."""
        self.settled: set[int] = set()
        for draft in drafts:
            there = self.places.get(_place_of(draft) or ("", "", ""), ())
            self.settled.update(entry.start for entry in there if not _differences(entry, draft))

    def find(self, draft: Draft) -> tuple[str, str, str] | None:
        """The verdict, the id and the reason for a draft that is no new one."""
        entry = _as_entry(draft, draft.number)
        if _is_own(draft):
            there = self.numbers.get(draft.number)
            if there and (there.title == draft.title or _key(there) == _key(entry)):
                return _compared(there, draft, "stands there already", "since it was exported")
        elif place := _place_of(draft):
            same = [there for there in self.places.get(place, ()) if not _differences(there, draft)]
            others = [there for there in self.places.get(place, ()) if there.start not in self.settled]
            if there := next(iter(same or others), None):
                self.settled.add(there.start)
                return _compared(there, draft, "was imported before", "since it was imported")
            if place in self.archived:
                return "known", "", "was imported and pruned"
        held = self.lessons.get(_key(entry))
        return ("known", *held) if held else None

    def add(self, draft: Draft, entry: Learning) -> None:
        """Note a draft that was taken, so that another file's copy of it is known."""
        if not (draft.markdown or _is_own(draft)):
            self.lessons.setdefault(_key(entry), (entry.id, "is in this import already"))


def _compared(there: Learning, draft: Draft, same: str, since: str) -> tuple[str, str, str]:
    """The verdict on a draft of an entry that is there."""
    if differences := _differences(there, draft):
        return "changed", there.id, f"{', '.join(differences)} changed {since}"
    return "known", there.id, same


def _is_own(draft: Draft) -> bool:
    """Whether a draft was an entry of a registry, under its number, and went through another store."""
    return bool(draft.number and draft.old_id)


def _place_of(draft: Draft) -> tuple[str, str, str] | None:
    return _place(_as_entry(draft, draft.number)) if draft.old_id else None


def _key(entry: Learning) -> str:
    """What makes an entry the same as another."""
    return fold(entry.learning) or fold(entry.title)


def _place(entry: Learning) -> tuple[str, str, str] | None:
    """Where an imported entry comes from: its format, its path and its old id, which may be its Key."""
    source = entry.source or ""
    path, old_id = origin(entry.context or "")
    was = "" if _NUMBER.search(entry.was or "") else entry.was
    old_id = old_id or was or entry.key or ""
    return (source, path, old_id) if source and path and old_id else None


def _differences(entry: Learning, draft: Draft) -> tuple[str, ...]:
    """What a draft says otherwise than the entry that was made of it; what is only in the entry is none."""
    found = [] if entry.title == draft.title else ["title"]
    if draft.resolved and not entry.resolved:
        found.append("state")
    return (*found, *(label for label, value in draft.fields.items() if entry.field(label) != value))


def _updated(text: str, outcome: Outcome) -> tuple[str, Outcome]:
    draft, _, name, reason = outcome
    entry = next(entry for entry in learnings(parse(text)) if entry.id == name)
    fields = {label: value for label, value in draft.fields.items() if entry.field(label) != value}
    try:
        admit({label.lower(): value for label, value in fields.items()})
        text = amend(text, name, title=draft.title, fields=fields)
        text = resolve(text, name) if draft.resolved else reopen(text, name)
    except (DraftError, RegistryError) as error:
        return text, Outcome(draft, "refused", name, str(error))
    return text, Outcome(draft, "updated", name, reason)


def _as_entry(draft: Draft, number: int) -> Learning:
    fields = {label.lower(): value for label, value in draft.fields.items()}
    return Learning(number, draft.title, draft.resolved, fields, 0, 0, 0)


def _with_was(draft: Draft) -> Draft:
    """A draft that says the number it asks for in its Was."""
    label = next((label for label in draft.fields if label.lower() == "was"), "Was")
    was = ", ".join(filter(None, (draft.fields.get(label), f"L{draft.number}")))
    markdown = draft.markdown and set_field(draft.markdown, label, was, "\n")
    return draft._replace(fields={**draft.fields, label: was}, markdown=markdown)


def _piece(draft: Draft, number: int, newline: str, as_is: bool) -> tuple[str, Learning]:
    """Write a draft as an entry of its own, once it is admitted, with what it has to read as."""
    if not draft.markdown:
        admit({"title": draft.title, **{label.lower(): value for label, value in draft.fields.items()}})
        admit({"labels": "\n".join(draft.fields)})
        return entry_piece(number, draft.title, draft.fields, resolved=draft.resolved, newline=newline)
    piece = draft.markdown
    if not as_is:
        try:
            admit({"entry": piece.removeprefix(BOM)})
        except DraftError as error:
            raise DraftError(f"{error}; --as-is imports what you exported yourself") from error
    if number != draft.number:
        line, ending, rest = piece.partition("\n")
        piece = _NUMBER.sub(f"L{number:03d}", line, count=1) + ending + rest
    return piece, _as_entry(draft, number)


def _unreadable(pieces: dict[int, tuple[str, Learning]]) -> dict[int, str]:
    """The pieces that do not read back as meant, each proven by itself, and why."""
    found = {}
    for index, piece in pieces.items():
        try:
            append_pieces("", (piece,))
        except RegistryError as error:
            found[index] = str(error)
    return found
