"""D3: a sequence of actions that comes back turn after turn."""

from __future__ import annotations

from collections import Counter

from qlearn.command import parse
from qlearn.proposal import Proposal, evidence_of, keywords_from, slug, title_from
from qlearn.record import TYPE_CHECKING, NamedTuple

from .alternatives import job_of
from .turns import turns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from qlearn.observation import Observation

MIN_LENGTH, MAX_LENGTH = 2, 6
MIN_TURNS, MIN_SESSIONS = 3, 2
MIN_LIFT = 2.0


class _Action(NamedTuple):
    name: str
    call: Observation


_Steps = tuple[str, ...]


def workflows(observations: Iterable[Observation]) -> tuple[Proposal, ...]:
    """Propose sequences of 2-6 actions that stand in 3 turns of 2 sessions and more.

    An action is a command that does something, or an edit of a kind of file; reading and looking don't
    count. A sequence has to come with a lift of 2 and more::

        lift = min over its splits of  turns * turns(whole) / (turns(left) * turns(right))

    so that what stands in every turn is none. A part of a longer sequence is left out, unless it stands in
    twice as many turns. What everybody does (edit and test, add and commit and push) is left out, too.
    """
    turns = [(turn.session, _actions(turn.calls)) for turn in turns_of(observations)]
    where: dict[_Steps, dict[int, tuple[_Action, ...]]] = {}
    for index, (_, actions) in enumerate(turns):
        for steps in _sequences(actions):
            where.setdefault(tuple(action.name for action in steps), {}).setdefault(index, steps)
    often = {
        names: found
        for names, found in where.items()
        if len(found) >= MIN_TURNS and len({turns[index][0] for index in found}) >= MIN_SESSIONS
    }
    proposed: list[_Steps] = []
    for names in sorted(often, key=lambda names: (-len(names), -len(often[names]), names)):
        covered = any(
            _within(names, other) and len(often[names]) < 2 * len(often[other]) for other in proposed
        )
        if not (covered or _is_obvious(names)) and _lift(names, where, len(turns)) >= MIN_LIFT:
            proposed.append(names)
    return tuple(_propose(names, list(often[names].values())) for names in proposed)


def _actions(calls: Iterable[Observation]) -> tuple[_Action, ...]:
    """What was done in a turn, without looking and without immediate repetition."""
    actions: list[_Action] = []
    for call in calls:
        if call.event != "PostToolUse":
            continue
        for name in _names(call):
            if not actions or actions[-1].name != name:
                actions.append(_Action(name, call))
    return tuple(actions)


_LOOKING = frozenset(
    [
        "ls",
        "cat",
        "head",
        "tail",
        "grep",
        "rg",
        "find",
        "fd",
        "pwd",
        "echo",
        "which",
        "wc",
        "stat",
        "cd",
        "tree",
        "jq",
        "true",
    ]
)
_INTERPRETERS = frozenset(["python", "node", "bash", "sh", "ruby", "tsx", "ts-node", "deno", "perl", "php"])
_GIT_LOOKING = frozenset(["status", "diff", "log", "show", "branch", "blame"])


def _names(call: Observation) -> Iterable[str]:
    if call.tool in ("Edit", "Write") and call.path:
        yield f"edit {_kind(call.path)}"
    elif call.tool == "Bash":
        for command in parse(call.input):
            words = [word for word in command.key.split() if not word.startswith("<")]
            if (
                not words
                or words[0] in _LOOKING
                or (words[0] == "git" and words[1:2] and words[1] in _GIT_LOOKING)
            ):
                continue
            if words[0] in _INTERPRETERS:  # the script says what is done
                words[1:1] = [word.text for word in command.words[1:] if not word.text.startswith("-")][:1]
            yield " ".join(words)


def _kind(path: str) -> str:
    """The kind of file: its folder at the top and its extension; the name for a file at the root."""
    top, slash, _ = path.partition("/")
    name = path.rpartition("/")[2]
    _, dot, extension = name.rpartition(".")
    return f"{top}/*{dot}{extension}" if slash and dot else path


def _sequences(actions: Sequence[_Action]) -> Iterable[tuple[_Action, ...]]:
    for start in range(len(actions)):
        for end in range(start + 1, min(start + MAX_LENGTH, len(actions)) + 1):
            yield tuple(actions[start:end])


def _within(part: _Steps, whole: _Steps) -> bool:
    return any(whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1))


def _lift(names: _Steps, where: dict[_Steps, dict[int, tuple[_Action, ...]]], turns: int) -> float:
    together = len(where[names])
    return (
        min(
            turns * together / (len(where[names[:at]]) * len(where[names[at:]]))
            for at in range(1, len(names))
        )
        if len(names) >= MIN_LENGTH
        else 0.0
    )


_EVERYBODY = frozenset(
    ["git add", "git commit", "git push", "git pull", "git fetch", "git switch", "git checkout"]
)


def _is_obvious(names: _Steps) -> bool:
    """Whether it is only edits, only git's every day, or edits and one test, lint or format run."""
    special = [
        name
        for name in names
        if not name.startswith("edit ") and " ".join(name.split()[:2]) not in _EVERYBODY
    ]
    return not special or (len(special) == 1 and job_of(special[0]) in ("test", "lint", "format"))


def _propose(names: _Steps, occurrences: Sequence[tuple[_Action, ...]]) -> Proposal:
    calls = [action.call for steps in occurrences for action in steps]
    evidence = evidence_of(calls)
    steps = [f"`{name}`" if not name.startswith("edit ") else f"edit `{name[5:]}`" for name in names]
    commands = Counter(name for name in names if not name.startswith("edit "))
    last = dict.fromkeys(action.call.input for action in occurrences[-1] if action.call.tool == "Bash")
    return Proposal(
        detector="D3",
        title=title_from(f"After {steps[0]}: {', then '.join(steps[1:])}"),
        learning=f"These steps go together: {', then '.join(steps)}. "
        f"They did in {len(occurrences)} turns of {evidence.sessions} sessions.",
        type="convention",
        category="workflows",
        key=slug(" ".join(names)),
        confidence=min(0.9, 0.5 + 0.05 * (len(occurrences) - MIN_TURNS)),
        evidence=evidence,
        events=tuple(dict.fromkeys(call.id for call in calls)),
        keywords=keywords_from(*commands, *names),
        trigger=f"after {steps[0]}",
        domain="workflow",
        example="\n".join(last),
    )
