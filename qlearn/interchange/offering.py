"""Drafts into the file of proposals: those that nobody has said yes to where they come from."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from qlearn.document import parse
from qlearn.errors import DraftError, RegistryError
from qlearn.gate import admit
from qlearn.interchange.intake import Outcome, TakenIn
from qlearn.learning import learnings
from qlearn.pending import LETTER, parse_proposals
from qlearn.proposals import HEADER, marks
from qlearn.registry import add_entry, next_number, refuse_conflict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from qlearn.interchange import Draft


def offer(
    text: str, drafts: Iterable[Draft], *, now: dt.datetime, registry: str = "", archive: str = ""
) -> TakenIn:
    """Write drafts down as proposals of the UTC day of *now*; doing it twice is doing it once.

    One is known if its Key or its lesson waits already, was rejected, or stands in the registry or its
    archive. One that holds what `qlearn.gate` lets no one add is refused.

    Returns:
        The new text, and an outcome for each draft: "proposed", "known" or "refused".

    Raises:
        RegistryError: The text holds conflict markers.
    """
    refuse_conflict(text, "the file of proposals")
    today = now.astimezone(dt.UTC).date().isoformat()
    held: dict[str, tuple[str, str]] = {}
    for where, document in (("stands there already", registry), ("stands in the archive", archive)):
        for entry in learnings(parse(document)):
            held.update(dict.fromkeys(marks(entry.key, entry.learning), (entry.id, where)))
    for pending in parse_proposals(text):
        state = "was rejected" if pending.rejected else "waits already"
        held.update(dict.fromkeys(marks(pending.entry.key, pending.entry.learning), (pending.id, state)))
    number = next_number(learnings(parse(text), LETTER))
    outcomes = []
    for draft in drafts:
        fields = {label.lower(): value for label, value in draft.fields.items()}
        own = marks(fields.get("key"), fields.get("learning", draft.title))
        same = next((held[mark] for mark in sorted(own) if mark in held), None)
        if same:
            outcomes.append(Outcome(draft, "known", *same))
            continue
        try:
            admit({"title": draft.title, **fields, "labels": "\n".join(draft.fields)})
            dated = {**draft.fields, "Date": today}
            text = add_entry(text, number, draft.title, dated, letter=LETTER, header=HEADER).text
        except (DraftError, RegistryError) as error:
            outcomes.append(Outcome(draft, "refused", "", str(error)))
            continue
        name = f"{LETTER}{number:03d}"
        outcomes.append(Outcome(draft, "proposed", name))
        held.update(dict.fromkeys(own, (name, "waits already")))
        number += 1
    return TakenIn(text, tuple(outcomes))
