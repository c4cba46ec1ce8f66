"""D5: an entry that was not kept and nobody minded, and entries that say the opposite.

Both are reported; what they mean is for a person to say.
"""

from __future__ import annotations

import re

from qlearn.confidence import Evidence
from qlearn.proposal import Proposal, evidence_of, slug, title_from
from qlearn.record import TYPE_CHECKING

from .correction import corrected_sessions
from .rules import Rule, breaks, does, rule_of
from .turns import Turn, turns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from qlearn.learning import Learning
    from qlearn.observation import Observation


def contradictions(
    observations: Iterable[Observation], learnings: Sequence[Learning]
) -> tuple[Proposal, ...]:
    """Report what contradicts the entries: what was done, and what other entries say.

    The alternative to avoid was used, with success, after the entry's date, and neither corrected by a
    person nor undone by the preferred one in the same turn or the next. Until the person has spoken again
    in the session, nobody could mind, and nothing is reported.
    """
    events = tuple(observations)
    turns = turns_of(events)
    live = [(learning, rule_of(learning)) for learning in learnings if not learning.resolved]
    corrected = corrected_sessions(events)
    reports = (
        _not_kept(learning, rule, turns, corrected) for learning, rule in live if rule.avoid or rule.untouched
    )
    return (*(report for report in reports if report), *_opposites(live))


def _not_kept(
    learning: Learning, rule: Rule, turns: Sequence[Turn], corrected: frozenset[str]
) -> Proposal | None:
    since = learning.date.isoformat() if learning.date else ""
    calls = [
        call
        for index, turn in enumerate(turns)
        if turn.session not in corrected and _is_answered(turns, index)
        for at, call in enumerate(turn.calls)
        if breaks(call, rule) and call.ts[:10] >= since and not _is_undone(rule, turns, index, at)
    ]
    if not calls:
        return None
    evidence = evidence_of(calls)
    done = calls[0].input if calls[0].tool == "Bash" else calls[0].path
    return Proposal(
        detector="D5",
        title=title_from(f"{learning.id} was not kept: {learning.title}"),
        learning=f"`{title_from(done)}` was run in {evidence.sessions} sessions and nobody minded, "
        f"though {learning.id} says: {title_from(learning.learning)}",
        type=learning.type,
        category=learning.category or "workflows",
        key=learning.key or slug(learning.title),
        confidence=0.3,
        evidence=Evidence(sessions=evidence.sessions, contradicted=evidence.sessions, last=evidence.last),
        events=tuple(call.id for call in calls),
        about=(learning.id,),
        outcome="contradicted",
    )


def _is_answered(turns: Sequence[Turn], index: int) -> bool:
    return index + 1 < len(turns) and turns[index + 1].session == turns[index].session


def _is_undone(rule: Rule, turns: Sequence[Turn], index: int, at: int) -> bool:
    """Whether the preferred one followed a call, in its turn or the next, which is of the same session."""
    later = turns[index].calls[at + 1 :] + turns[index + 1].calls
    return any(does(call, name) for call in later for name in rule.prefer)


# ------------------------------------------------------------------------------------ opposite entries

_NEGATIVE = re.compile(
    r"\b(?:never|not|no|don'?t|avoid|nunca|jamás)\b|不要|别|禁止|말고|하지 ?마|금지|안 된", re.IGNORECASE
)
_EMPTY = frozenset(
    """
    a al always an and are del do don el en for in is la las los never no not nunca of on siempre t the
    to usar use using when with writing
    """.split()  # noqa: SIM905 - a list of words is read more easily so
)


def _opposites(live: Sequence[tuple[Learning, Rule]]) -> Iterable[Proposal]:
    for index, (first, rule) in enumerate(live):
        for second, other in live[index + 1 :]:
            if (_swapped(rule, other) or _negated(first.title, second.title)) and _overlap(first, second):
                yield _opposite(first, second)


def _swapped(rule: Rule, other: Rule) -> bool:
    return bool(set(rule.prefer) & set(other.avoid) and set(rule.avoid) & set(other.prefer))


def _negated(title: str, other: str) -> bool:
    """Whether one title forbids what the other says: the same words but for the negation."""
    if bool(_NEGATIVE.search(title)) == bool(_NEGATIVE.search(other)):
        return False
    words, others = _words(title), _words(other)
    return len(words & others) >= 2 and (words <= others or others <= words)


def _overlap(first: Learning, second: Learning) -> bool:
    """Whether both can apply at once: they share a word of their triggers, or one has none."""
    if not first.trigger or not second.trigger:
        return True
    return bool(_words(first.trigger) & _words(second.trigger))


def _words(text: str) -> frozenset[str]:
    return frozenset("".join(char if char.isalnum() else " " for char in text.casefold()).split()) - _EMPTY


def _opposite(first: Learning, second: Learning) -> Proposal:
    return Proposal(
        detector="D5",
        title=f"{first.id} and {second.id} say the opposite",
        learning=f"{first.id}: {title_from(first.title)} / {second.id}: {title_from(second.title)}",
        type="decision",
        category="workflows",
        key=slug(f"{first.id} {second.id} opposite"),
        confidence=0.3,
        evidence=Evidence(),
        events=(),
        about=(first.id, second.id),
        outcome="opposite",
    )
