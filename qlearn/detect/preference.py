"""D4: a tool that is preferred to its alternatives."""

from __future__ import annotations

from math import sqrt

from qlearn.proposal import Proposal, evidence_of, slug
from qlearn.record import TYPE_CHECKING

from .alternatives import CLASSES, DEFAULTS, LOCKFILES, tools_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from qlearn.observation import Observation

MIN_USES, MIN_SESSIONS = 5, 2
MIN_BOUND = 0.6
_Z = 1.6449  # one-sided, 95 %: five of five are just enough
_GIVEN = frozenset({"sqlite3", "psql", "mysql", "mongosh", "duckdb"})  # nobody chose them to query a database
_MAX_EVENTS = 50


def preferences(observations: Iterable[Observation], files: Collection[str] = ()) -> tuple[Proposal, ...]:
    """Propose a tool that was used 5 times and more in 2 sessions and more, where there are alternatives.

    The lower Wilson bound of its share in its class has to be 0.6 and more. What agents take unasked (npm,
    grep, pip) is a preference only where an alternative was used, too.

    Args:
        files: Names of files in the project's root; a lockfile that says the same makes it derivable.
    """
    uses: dict[str, list[Observation]] = {}
    for observation in observations:
        if observation.event == "PostToolUse":
            for tool in tools_of(observation):
                uses.setdefault(tool, []).append(observation)
    return tuple(
        _propose(tool, names, uses[tool], files)
        for names in CLASSES
        for tool in names
        if tool in uses and tool not in _GIVEN and _is_preferred(tool, names, uses)
    )


def _is_preferred(tool: str, names: tuple[str, ...], uses: dict[str, list[Observation]]) -> bool:
    calls = uses[tool]
    total = sum(len(uses.get(name, ())) for name in names)
    if len(calls) < MIN_USES or len({call.session for call in calls}) < MIN_SESSIONS:
        return False
    if tool in DEFAULTS and total == len(calls):
        return False
    return wilson_bound(len(calls), total) >= MIN_BOUND


def wilson_bound(hits: int, total: int) -> float:
    """The lower end of the Wilson interval of a share (one-sided, 95 %); 0 for no trials.

    Source: E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference, 1927.
    """
    if total == 0:
        return 0.0
    share = hits / total
    spread = _Z * sqrt(share * (1 - share) / total + _Z * _Z / (4 * total * total))
    return (share + _Z * _Z / (2 * total) - spread) / (1 + _Z * _Z / total)


def _propose(tool: str, names: tuple[str, ...], calls: list[Observation], files: Collection[str]) -> Proposal:
    evidence = evidence_of(calls)
    others = [name for name in names if name != tool]
    derivable = next((name for name in sorted(files) if LOCKFILES.get(name) == tool), "")
    return Proposal(
        detector="D4",
        title=f"Use {tool}, not {others[0]}",
        learning=f"Use {tool} rather than {', '.join(others)}: it was the choice in {len(calls)} calls "
        f"of {evidence.sessions} sessions.",
        type="convention",
        category="tools",
        key=slug(f"{tool} not {others[0]}"),
        confidence=min(0.9, 0.5 + 0.05 * (evidence.sessions - MIN_SESSIONS)),
        evidence=evidence,
        events=tuple(call.id for call in calls[-_MAX_EVENTS:]),
        keywords=(tool, *others[:4]),
        trigger=f"when about to use {others[0]}",
        domain="tooling",
        context=f"{derivable} says so already" if derivable else "",
        derivable=derivable,
    )
