"""Sessions as turns: a prompt, what the agent did about it, and how that ended."""

from __future__ import annotations

from datetime import datetime

from qlearn.observation import Observation, pair
from qlearn.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


WORK = ("Bash", "Edit", "Write")  # refusing a plan or a question is no word on the way of working


class Turn(NamedTuple):
    """One prompt and what followed it up to the next.

    `prompt` is None for what came before the first one. `stopped` says that a person interrupted the agent or
    refused a call: told by an event, or by a call that never came back.
    """

    session: str
    prompt: Observation | None
    calls: tuple[Observation, ...]
    stopped: bool


def turns_of(observations: Iterable[Observation]) -> tuple[Turn, ...]:
    """The turns of all sessions, each session's together, in the order in which the sessions began.

    Calls of sub-agents belong to the turn they were made in; prompts to sub-agents are none.
    """
    sessions: dict[str, list[Observation]] = {}
    for observation in pair(observations):
        sessions.setdefault(observation.session, []).append(observation)
    return tuple(turn for events in sessions.values() for turn in _turns(events))


def _turns(events: list[Observation]) -> Iterable[Turn]:
    prompt: Observation | None = None
    since: list[Observation] = []
    for event in events:
        if event.event == "UserPromptSubmit":
            if event.agent:
                continue
            if prompt or since:
                yield _turn(prompt, since, event.session)
            prompt, since = event, []
        else:
            since.append(event)
    if prompt or since:
        yield _turn(prompt, since, events[0].session)


def _turn(prompt: Observation | None, since: list[Observation], session: str) -> Turn:
    calls = tuple(event for event in since if event.tool)
    last = next((event for event in reversed(since) if not event.agent), None)
    stopped = last is not None and (
        last.event == "Interrupt" or (last.event in ("Reject", "PreToolUse") and last.tool in WORK)
    )
    return Turn(session, prompt, calls, stopped)


def seconds_between(earlier: Observation, later: Observation) -> float:
    """The time between two observations."""
    return (_time(later) - _time(earlier)).total_seconds()


def _time(observation: Observation) -> datetime:
    return datetime.fromisoformat(observation.ts)
