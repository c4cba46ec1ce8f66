"""D6: what became of an entry after it was shown."""

from __future__ import annotations

from qlearn.confidence import Evidence
from qlearn.observation import pair
from qlearn.proposal import Proposal, evidence_of, slug, title_from
from qlearn.record import TYPE_CHECKING, NamedTuple

from .correction import corrected_sessions
from .rules import Rule, breaks, keeps, rule_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from qlearn.learning import Learning
    from qlearn.observation import Observation


class Shown(NamedTuple):
    """Entries that were put before the agent of a session, by their ids; `ts` as in observations."""

    session: str
    ts: str
    ids: tuple[str, ...]


def outcomes(
    observations: Iterable[Observation], learnings: Sequence[Learning], shown: Iterable[Shown]
) -> tuple[Proposal, ...]:
    """Say of each entry and session whether the entry was kept after it was shown, or not followed.

    Only a command or a path decides that: what the entry prefers was done, or what it says to leave. Both,
    or neither, is unknown and gives nothing. A session in which a person corrected the agent keeps nothing.
    """
    events = pair(observations)
    corrected = corrected_sessions(events)
    sessions: dict[str, list[Observation]] = {}
    for event in events:
        sessions.setdefault(event.session, []).append(event)
    by_id = {learning.id: (learning, rule_of(learning)) for learning in learnings if not learning.resolved}
    first: dict[tuple[str, str], str] = {}
    for one in sorted(shown, key=lambda one: one.ts):
        for name in one.ids:
            first.setdefault((one.session, name), one.ts)
    found = []
    for (session, name), ts in first.items():
        if name in by_id:
            after = [event for event in sessions.get(session, ()) if event.ts > ts]
            found.append(_outcome(*by_id[name], after, session in corrected))
    return tuple(proposal for proposal in found if proposal)


def _outcome(
    learning: Learning, rule: Rule, after: Sequence[Observation], corrected: bool
) -> Proposal | None:
    kept = [call for call in after if keeps(call, rule)]
    broken = [call for call in after if breaks(call, rule)]
    if bool(kept) == bool(broken) or (kept and corrected):
        return None
    calls = kept or broken
    evidence = evidence_of(calls)
    done = calls[0].input if calls[0].tool == "Bash" else calls[0].path
    outcome = "kept" if kept else "not followed"
    return Proposal(
        detector="D6",
        title=title_from(f"{learning.id} was {outcome}: {learning.title}"),
        learning=f"After it was shown, the agent ran `{title_from(done)}`."
        if calls[0].tool == "Bash"
        else f"After it was shown, the agent edited `{title_from(done)}`.",
        type=learning.type,
        category=learning.category or "workflows",
        key=learning.key or slug(learning.title),
        confidence=0.3,
        evidence=Evidence(sessions=1, kept=1, last=evidence.last) if kept else Evidence(),
        events=tuple(call.id for call in calls),
        about=(learning.id,),
        outcome=outcome,
    )
