"""What a session teaches: the detectors' findings, less what is not worth proposing. Pure."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, NamedTuple

from .confidence import Evidence, is_weighed
from .detect.contradiction import contradictions
from .detect.correction import corrections
from .detect.error_fix import error_fixes
from .detect.outcome import outcomes
from .detect.preference import preferences
from .detect.rules import rule_of
from .detect.workflow import workflows
from .learning import Learning
from .proposals import Skipped, marks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from .detect.outcome import Shown
    from .observation import Observation
    from .proposal import Proposal

LEAST_CHARS = 1_000
LEAST_CONFIDENCE = 0.5
BATCH = 20
"""The new observations of a project after which all of its sessions are looked at together."""

_SLIP = re.compile(
    r"SyntaxError|IndentationError|TabError|[Uu]nexpected token|parse error|[Uu]nterminated string"
)
_PARAGRAPH = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d+[.)]|#+)[ \t])")


class Extraction(NamedTuple):
    """What is worth proposing, and what was left out, with the reason."""

    proposals: tuple[Proposal, ...]
    skipped: tuple[Skipped, ...]


class Change(NamedTuple):
    """What a session adds to the evidence of one entry: at most 1 to each count."""

    id: str
    session: str
    evidence: Evidence


def length(observations: Iterable[Observation]) -> int:
    """The characters of prompts, calls, outputs and errors, with those that the records leave out."""
    return sum(len(each.input) + len(each.output) + len(each.error) + each.cut for each in observations)


def extract_session(
    observations: Sequence[Observation], documents: Iterable[str] = (), *, chars: int = 0
) -> Extraction:
    """Look for corrections and repairs in one session.

    Nothing is extracted from a session of under 1,000 characters, nor from one without a correction or a
    solved problem; of what is found, `worth_proposing` decides.

    Args:
        observations: Of one session, in order, its transcript included.
        documents: What the project says already: its DISCOVERIES.md and PATTERNS.md.
        chars: The length of the session, where that is more than what the observations hold.
    """
    if max(chars, length(observations)) < LEAST_CHARS:
        return Extraction((), (Skipped("the session", f"under {LEAST_CHARS:,} characters"),))
    found = (*corrections(observations), *error_fixes(observations))
    if not found:
        return Extraction((), (Skipped("the session", "no correction and no solved problem"),))
    return worth_proposing(found, documents)


def extract_project(
    observations: Sequence[Observation], files: Collection[str] = (), documents: Iterable[str] = ()
) -> Extraction:
    """Look at all sessions of a project together: what comes back in several of them.

    Args:
        files: Names in the project's root, for what a lockfile says already.
    """
    found = (
        *corrections(observations),
        *error_fixes(observations),
        *workflows(observations),
        *preferences(observations, files),
    )
    return worth_proposing(found, documents)


def worth_proposing(found: Iterable[Proposal], documents: Iterable[str] = ()) -> Extraction:
    """Leave out what is too uncertain, a slip of syntax, or said by the project's documents or files."""
    paragraphs = [each.casefold() for text in documents for each in _PARAGRAPH.split(text)]
    kept, skipped = [], []
    for proposal in found:
        reason = _reason(proposal, paragraphs)
        if reason:
            skipped.append(Skipped(proposal.title, reason))
        else:
            kept.append(proposal)
    return Extraction(tuple(kept), tuple(skipped))


def keeps_count(entry: Learning) -> bool:
    """Whether an entry's confidence is weighed, and what stands in its Evidence can be read."""
    return is_weighed(entry.confidence, entry.evidence) and not (
        entry.evidence is None and entry.fields.get("evidence")
    )


def evidence_changes(
    observations: Sequence[Observation], learnings: Sequence[Learning], shown: Iterable[Shown] = ()
) -> tuple[Change, ...]:
    """Tell what happened to the entries that keep count, by session.

    An entry is *seen* when a detector finds it again (by Key or text), *kept* when it was shown and
    followed, *corrected* when a person corrected what it says, *contradicted* when it was not kept and
    nobody minded. Entries for which `keeps_count` is false are left alone.
    """
    counting = [entry for entry in learnings if keeps_count(entry) and not entry.resolved]
    changes: dict[tuple[str, str], dict[str, int]] = {}
    last: dict[str, str] = {}
    for each in observations:
        last[each.session] = max(last.get(each.session, ""), each.ts[:10])

    def add(name: str, session: str, **counts: int) -> None:
        changes.setdefault((name, session), {}).update(counts)

    by_mark = {mark: entry for entry in counting for mark in marks(entry.key, entry.learning)}
    session_of = {each.id: each.session for each in observations}
    said = corrections(observations)
    for proposal in (*said, *error_fixes(observations)):
        for name in {by_mark[mark].id for mark in marks(proposal.key, proposal.learning) if mark in by_mark}:
            for session in {session_of[event] for event in proposal.events if event in session_of}:
                add(name, session, seen=1, sessions=1)
    for proposal in outcomes(observations, counting, shown):
        if proposal.outcome == "kept":
            add(proposal.about[0], session_of[proposal.events[0]], kept=1)
    for proposal in contradictions(observations, counting):
        if proposal.outcome == "contradicted":
            for session in {session_of[event] for event in proposal.events if event in session_of}:
                add(proposal.about[0], session, contradicted=1)
    for correction in said:
        for learning in counting:
            if _contradicts(correction, learning):
                for session in {session_of[event] for event in correction.events if event in session_of}:
                    add(learning.id, session, corrected=1)
    return tuple(
        Change(name, session, Evidence(**counts, last=dt.date.fromisoformat(last[session])))
        for (name, session), counts in sorted(changes.items())
    )


def _contradicts(correction: Proposal, entry: Learning) -> bool:
    """Whether a person wants left what the entry says to do, or the other way round."""
    new = rule_of(Learning(0, correction.title, False, {"learning": correction.learning}, 0, 0, 0))
    old = rule_of(entry)
    return bool(set(new.avoid) & set(old.prefer) or set(new.prefer) & set(old.avoid))


def _reason(proposal: Proposal, paragraphs: list[str]) -> str:
    if proposal.confidence < LEAST_CONFIDENCE:
        return f"confidence {proposal.confidence:.2f}, below {LEAST_CONFIDENCE}"
    if proposal.detector == "D2" and _SLIP.search(f"{proposal.title} {proposal.learning} {proposal.context}"):
        return "a slip of syntax"
    if proposal.derivable:
        return f"{proposal.derivable} says so"
    words = [word.casefold() for word in proposal.keywords]
    if len(words) > 1 and any(all(word in paragraph for word in words) for paragraph in paragraphs):
        return "the project's documents say so"
    return ""
