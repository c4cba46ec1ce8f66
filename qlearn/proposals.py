"""What becomes of proposals: they are written down once, strengthened, accepted or rejected."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, NamedTuple

from .confidence import Evidence, parse_evidence
from .document import parse
from .duplicates import meet_again
from .errors import NotFoundError
from .learning import labelled, learnings
from .lines import line_ending
from .pending import LETTER, Pending, parse_proposals
from .registry import (
    add_entry,
    amend,
    cut_entries,
    fenced,
    find,
    next_number,
    refuse_conflict,
    replace_entry,
    set_field,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .proposal import Proposal

HEADER = """\
# Proposed Learnings

> Found in sessions of this project, on this machine. Nothing here is a learning before somebody accepts it:
> `qlearn proposals` shows them, `qlearn accept P001` and `qlearn reject P001` decide.

---
"""
OWN_FIELDS = ("detector", "events", "rejected")
MOST_EVENTS = 20


class Proposed(NamedTuple):
    """The new text of the file, the ids that are new, those that gained evidence, and what was left out."""

    text: str
    added: tuple[str, ...]
    strengthened: tuple[str, ...]
    skipped: tuple[Skipped, ...]


class Skipped(NamedTuple):
    """A proposal that was not written, by its title, and why."""

    title: str
    reason: str


class Accepted(NamedTuple):
    """The new texts of both files, and the id of the learning."""

    text: str
    registry: str
    id: str


def add_proposals(
    text: str, found: Iterable[Proposal], *, now: dt.datetime, registry: str = "", archive: str = ""
) -> Proposed:
    """Write proposals down, each once.

    One that a waiting proposal says already adds its evidence to it. One that was rejected, or that the
    registry or its archive holds, is left out. Expired ones are taken out of the file on this occasion.

    Raises:
        RegistryError: The file holds conflict markers.
    """
    refuse_conflict(text, "the file of proposals")
    today = now.astimezone(dt.UTC).date()
    expired = tuple(
        each.entry for each in parse_proposals(text) if not each.rejected and each.days_left(today) < 0
    )
    number = next_number(learnings(parse(text), LETTER))
    text = cut_entries(text, expired)
    known = {mark for entry in learnings(parse(registry)) for mark in marks(entry.key, entry.learning)}
    archived = {mark for entry in learnings(parse(archive)) for mark in marks(entry.key, entry.learning)}
    added, strengthened, skipped = [], [], []
    for proposal in found:
        own = marks(proposal.key, proposal.learning)
        same = next((each for each in parse_proposals(text) if own & _marks_of(each)), None)
        if same is not None and same.rejected:
            skipped.append(Skipped(proposal.title, f"rejected as {same.id}"))
        elif own & known:
            skipped.append(Skipped(proposal.title, "in the registry"))
        elif own & archived:
            skipped.append(Skipped(proposal.title, "in the archive"))
        elif same is not None:
            stronger = _strengthened(text, same, proposal)
            if stronger != text:
                text = stronger
                strengthened.append(same.id)
        else:
            made = add_entry(
                text, number, proposal.title, _fields(proposal, today), letter=LETTER, header=HEADER
            )
            text, number = made.text, number + 1
            added.append(made.id)
    return Proposed(text, tuple(added), tuple(strengthened), tuple(skipped))


def accept_proposal(
    text: str,
    registry: str,
    name: str,
    *,
    now: dt.datetime,
    archive: str = "",
    title: str | None = None,
    fields: Mapping[str, str] | None = None,
) -> Accepted:
    """Move a proposal into the registry, under the next free number and the UTC day of *now*.

    Args:
        title, fields: What the person who accepts it changes; a field set to "" is left out.

    Raises:
        NotFoundError: No such proposal waits.
        DraftError, RegistryError: As `registry.add_learning`.
    """
    today = now.astimezone(dt.UTC).date()
    pending = find_proposal(text, name, today)
    fields = {"Date": today.isoformat(), **(fields or {})}
    replaced = {*OWN_FIELDS, *map(str.lower, fields)}
    found = labelled(text, pending.entry).items()
    kept = {label: value for label, value in found if label.lower() not in replaced}
    if "source" not in pending.entry.fields:
        kept["Source"] = "agent"
    kept.update(fields)
    number = next_number(learnings(parse(registry)), learnings(parse(archive)))
    added = add_entry(registry, number, pending.entry.title if title is None else title, kept)
    return Accepted(cut_entries(text, (pending.entry,)), added.text, added.id)


def merge_proposal(text: str, registry: str, name: str, into: str, *, now: dt.datetime) -> Accepted:
    """Take a proposal for a learning of the registry that was met again; it is not proposed again.

    The learning keeps its words. Where it keeps evidence, that of the proposal is added: begun anew, evidence
    would make a learning less sure than it was.

    Raises:
        NotFoundError: No such proposal waits, or there is no such learning.
        RegistryError: As `registry.amend`.
    """
    pending = find_proposal(text, name, now.astimezone(dt.UTC).date())
    entry = find(learnings(parse(registry)), into)
    registry = meet_again(registry, entry.id, now=now)
    if entry.evidence and (more := pending.entry.evidence):
        registry = amend(registry, entry.id, fields={"Evidence": str(combined(entry.evidence, more))})
    return Accepted(reject_proposal(text, pending.id, now=now), registry, entry.id)


def reject_proposal(text: str, name: str, *, now: dt.datetime) -> str:
    """Mark a proposal as rejected, so that it is neither shown nor proposed again. Twice is once.

    Raises:
        NotFoundError: There is no such proposal.
    """
    pending = find_proposal(text, name, rejected_too=True)
    if pending.rejected:
        return text
    day = now.astimezone(dt.UTC).date().isoformat()
    return _with_fields(text, pending, {"Rejected": day})


def find_proposal(
    text: str, name: str, today: dt.date | None = None, *, rejected_too: bool = False
) -> Pending:
    """Find a proposal by its id, as people type it: `P003`, `p3` or `3`.

    Raises:
        NotFoundError: There is none, it was rejected, or it has expired if *today* is given.
    """
    entries = learnings(parse(text), LETTER)
    try:
        pending = Pending(find(entries, name.strip().lstrip("Pp")))
    except NotFoundError:
        raise NotFoundError(f"No proposal '{name}'; `qlearn proposals` lists them") from None
    if pending.rejected and not rejected_too:
        raise NotFoundError(f"{pending.id} was rejected on {pending.entry.fields['rejected']}")
    if today is not None and (left := pending.days_left(today)) < 0:
        day = today + dt.timedelta(left)
        raise NotFoundError(f"{pending.id} expired on {day}; `qlearn propose` proposes it anew")
    return pending


def marks(key: str | None, lesson: str) -> frozenset[str]:
    """What makes two learnings the same one: an equal Key, or equal words, but for case and white space."""
    folded = " ".join(lesson.casefold().split())
    return frozenset(
        mark for mark in (f"key {key}" if key else "", f"text {folded}" if folded else "") if mark
    )


def combined(one: Evidence | None, other: Evidence) -> Evidence:
    """Add up the counts of two pieces of evidence that rest on different events; the later day holds."""
    if one is None:
        return other
    days = [day for day in (one.last, other.last) if day is not None]
    return Evidence(
        one.seen + other.seen,
        one.sessions + other.sessions,
        one.kept + other.kept,
        one.confirmed + other.confirmed,
        one.corrected + other.corrected,
        one.contradicted + other.contradicted,
        max(days, default=None),
    )


def _marks_of(pending: Pending) -> frozenset[str]:
    return marks(pending.entry.key, pending.entry.learning)


def _fields(proposal: Proposal, today: dt.date) -> dict[str, str]:
    return {
        "Type": proposal.type,
        "Severity": proposal.severity,
        "Date": today.isoformat(),
        "Learning": proposal.learning,
        "Context": proposal.context,
        "Keywords": ", ".join(proposal.keywords),
        "Category": proposal.category,
        "Confidence": f"{proposal.confidence:.2f}" if proposal.confidence else "",
        "Example": fenced(proposal.example),
        "Trigger": proposal.trigger,
        "Domain": proposal.domain,
        "Evidence": str(proposal.evidence) if any(proposal.evidence[:-1]) else "",
        "Source": proposal.source,
        "Key": proposal.key,
        "Detector": proposal.detector,
        "Events": ", ".join(proposal.events[:MOST_EVENTS]),
    }


def _strengthened(text: str, pending: Pending, proposal: Proposal) -> str:
    """Add evidence that the proposal does not rest on already."""
    fresh = [event for event in proposal.events if event not in pending.events]
    if not fresh or len(fresh) < len(proposal.events):
        return text
    before = (
        parse_evidence(pending.entry.fields.get("evidence", ""))
        if "evidence" in pending.entry.fields
        else None
    )
    events = (*pending.events, *fresh)[-MOST_EVENTS:]
    changes = {"Evidence": str(combined(before, proposal.evidence)), "Events": ", ".join(events)}
    return _with_fields(text, pending, changes)


def _with_fields(text: str, pending: Pending, changes: Mapping[str, str]) -> str:
    entry = pending.entry
    piece = text[entry.start : entry.end]
    for label, value in changes.items():
        piece = set_field(piece, label, value, line_ending(text))
    fields = {**entry.fields, **{label.lower(): value for label, value in changes.items()}}
    return replace_entry(text, entry, piece, entry._replace(fields=fields), LETTER)
