"""The command that goes through what waits, one proposal after the other."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import typer

from qlearn import project, store
from qlearn.cli import show
from qlearn.cli.editing import find_editor, put_back, revise
from qlearn.cli.proposing import accept_one, reject_some
from qlearn.cli.terminal import ask, interactive, note, press, print_rich, say
from qlearn.cli.workspace import Workspace, workspace
from qlearn.duplicates import Similar, lesson_of, similar
from qlearn.errors import QlearnError, StoreError
from qlearn.learning import parse_learnings
from qlearn.pending import LETTER, Pending, waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from qlearn.observation import Observation
    from qlearn.proposals import Accepted

app = typer.Typer()

QUESTION = "[a]ccept  [e]dit  [m]erge into  [r]eject  [l]ater  [q]uit? "


@app.command("triage", epilog="Example: qlearn triage")
def triage(ctx: typer.Context) -> None:
    """Decide on proposals one by one.

    Shows each with its evidence and what resembles it, and waits for a key. Needs a terminal; `qlearn
    proposals`, `accept` and `reject` do the same without one.
    """
    if not interactive():
        raise QlearnError(
            "there is no terminal to ask on; `qlearn proposals` lists what `qlearn accept` takes"
        )
    place, now = workspace(ctx), ctx.obj.now
    found = [each.id for each in _waiting(place, now)]
    seen = _observed(place)
    done: Counter[str] = Counter()
    for at, name in enumerate(found, 1):
        verdict = _decide(place, name, f"{at} of {len(found)}", seen, now)
        if verdict == "quit":
            break
        done[verdict] += 1
    left = len(_waiting(place, now))
    counts = [f"{done[verdict]} {verdict}" for verdict in ("accepted", "merged", "rejected") if done[verdict]]
    say(f"{', '.join([*counts, f'{left} left'])}." if found else "Nothing waits.")


class _Choice(NamedTuple):
    """A proposal as it stands now, with what resembles it."""

    place: Workspace
    pending: Pending
    alike: tuple[Similar, ...]
    now: datetime


def _decide(place: Workspace, name: str, where: str, seen: Mapping[str, Observation], now: datetime) -> str:
    """Show a proposal and do what is asked for until it is decided on; "gone" if somebody else has."""
    shown: Pending | None = None
    while True:
        pending = next((each for each in _waiting(place, now) if each.id == name), None)
        if pending is None:
            return "gone"
        alike = similar(lesson_of(pending.entry), parse_learnings(place.read()))
        if pending != shown:
            events = [seen[event] for event in pending.events if event in seen]
            print_rich(*show.proposal(pending, where, alike, events, now.date()))
            shown = pending
        try:
            verdict = _KEYS[press(QUESTION, "".join(_KEYS))](_Choice(place, pending, alike, now))
        except QlearnError as error:
            say(f"{error}")
        else:
            if verdict:
                print()
                return verdict


def _accept(choice: _Choice) -> str:
    done, _ = accept_one(choice.place, choice.pending.id, choice.now, new=True)
    say(f"{choice.pending.id} is {done.id} now.")
    return "accepted"


def _edit(choice: _Choice) -> str:
    """Let the proposal be edited in its file; it is shown again, and waits."""
    place, pending = choice.place, choice.pending
    text = place.read(place.proposals)
    before = text[pending.entry.start : pending.entry.end]

    def take(after: str) -> None:
        def change(data: bytes) -> bytes:
            whole = store.decoded(place.proposals, data)
            return put_back(whole, pending.entry, before, after, LETTER).encode()

        store.update(place.proposals, change, root=place.root, may_be_empty=True)

    revise(find_editor(), before, pending.id, take)
    return ""


def _merge(choice: _Choice) -> str:
    """Ask for the learning that says the same already."""
    from qlearn.proposals import merge_proposal

    place, pending, alike, now = choice
    into = ask("Into which learning", default=alike[0].learning.id if alike else "")
    paths = (place.registry, place.proposals)

    def change(files: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], Accepted]:
        registry, text = map(store.decoded, paths, files)
        done = merge_proposal(text, registry, pending.id, into, now=now)
        return (done.registry.encode(), done.text.encode()), done

    done = store.update_files(paths, change, root=place.root, may_be_empty=True)
    say(f"{pending.id} was merged into {done.id}, which is reinforced.")
    return "merged"


def _reject(choice: _Choice) -> str:
    reject_some(choice.place, [choice.pending.id], choice.now)
    say(f"{choice.pending.id} is rejected and not proposed again.")
    return "rejected"


def _later(choice: _Choice) -> str:
    say(f"{choice.pending.id} waits.")
    return "later"


_KEYS: dict[str, Callable[[_Choice], str]] = {
    "a": _accept,
    "e": _edit,
    "m": _merge,
    "r": _reject,
    "l": _later,
    "q": lambda _: "quit",
}


def _waiting(place: Workspace, now: datetime) -> tuple[Pending, ...]:
    return waiting(place.read(place.proposals, may_be_empty=True), now.date())


def _observed(place: Workspace) -> dict[str, Observation]:
    """What was observed, by its id; nothing where observation is off."""
    from qlearn import observing, paths

    user, found = paths.get(os.environ), project.find(place.root, {})
    if user is None or not observing.is_on(found, user, os.environ):
        return {}
    try:
        return {each.id: each for each in observing.read(user.project(found.id)).observations}
    except StoreError as error:  # without it there is less to see, and as much to decide
        note(str(error))
        return {}
