"""From learnings that go together to drafts of skills, commands and agents. Pure.

A draft is a whole, valid file: front matter that Claude Code reads, then text made of nothing but what the
learnings say. Nothing in it runs a command or includes a file, as such files can, and secrets are masked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .confidence import confidence
from .proposal import slug
from .secrets import mask
from .text import neutralise, unexpanded

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Collection, Iterable, Sequence

    from .learning import Learning

LEAST_OVERLAP = 0.3
COMMAND_CONFIDENCE = 0.7
AGENT_CONFIDENCE = 0.75
AGENT_SIZE = 3
WEAK_CONFIDENCE = 0.4

_DEVICES = (
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
)
"""Names that no file may have on Windows, whatever its suffix."""

_NO_TAGS = str.maketrans("<>", "\u2039\u203a")
"""The description of a skill or an agent may hold no tags."""

_STOP_WORDS = frozenset(
    re.findall(
        r"\S+",
        "a after an and any are as at before by code de del do el en for from if in is it la los new of on or"
        " para the to un una use using when whenever while with you cuando al",
    )
)


class Draft(NamedTuple):
    """A file to be written: its kind (skill, command or agent), name, path below `.claude/`, and text."""

    kind: str
    name: str
    path: str
    text: str
    learnings: tuple[str, ...]


class Review(NamedTuple):
    """A learning that somebody should look at, and why."""

    id: str
    title: str
    reason: str


def evolve(
    learnings: Iterable[Learning],
    today: dt.date,
    *,
    taken: Collection[str] = (),
    disputed: Collection[str] = (),
) -> tuple[Draft, ...]:
    """Draft what learnings that go together have become.

    Two or more whose triggers overlap make a skill; those of the domain workflow with a confidence of 0.70
    and more a command each; a cluster of three and more with a mean of 0.75 and more an agent, too.

    Args:
        learnings: Resolved ones are left out, and of those with one Key all but the surest.
        taken: Names that are in use, so that nothing gets a name twice.
        disputed: Ids of learnings that others say the opposite of. Nothing is made of them before somebody
            has decided which holds.

    Returns:
        Drafts in the order of their learnings; the same learnings give the same drafts.
    """
    learnings = tuple(learnings)
    sure = {each.id: confidence(each.confidence, each.evidence, today) for each in learnings}
    settled = [each for each in learnings if not each.resolved and each.id not in disputed]
    living = _surest_of_each_key(settled, sure)
    names = {*taken, *_DEVICES}
    # Commands first: a learning's command keeps its name when a skill with that learning comes up later.
    commands = [
        _command(each, sure, names)
        for each in living
        if (each.domain or "").casefold() == "workflow" and sure[each.id] >= COMMAND_CONFIDENCE
    ]
    drafts = []
    for cluster in clusters(living):
        if len(cluster) >= 2:
            drafts.append(_skill(cluster, sure, names))
        mean = sum(sure[each.id] for each in cluster) / len(cluster)
        if len(cluster) >= AGENT_SIZE and mean >= AGENT_CONFIDENCE:
            drafts.append(_agent(cluster, sure, names))
    return (*drafts, *commands)


def clusters(learnings: Sequence[Learning]) -> tuple[tuple[Learning, ...], ...]:
    """Group learnings whose triggers overlap, directly or by way of others; in any script.

    Two overlap if they share 0.3 of the words that either has; words of scripts without spaces count by
    pairs of letters. A learning without a trigger is known by its title.
    """
    words = [_words(each.trigger or each.title) for each in learnings]
    group = list(range(len(learnings)))

    def root(at: int) -> int:
        while group[at] != at:
            group[at] = group[group[at]]
            at = group[at]
        return at

    with_word: dict[str, list[int]] = {}
    for at, own in enumerate(words):
        for other in {each for word in own for each in with_word.get(word, ())}:
            if len(own & words[other]) / len(own | words[other]) >= LEAST_OVERLAP:
                group[root(at)] = root(other)
        for word in own:
            with_word.setdefault(word, []).append(at)
    found: dict[int, list[Learning]] = {}
    for at, learning in enumerate(learnings):
        found.setdefault(root(at), []).append(learning)
    return tuple(tuple(each) for each in found.values())


def review(
    learnings: Iterable[Learning], today: dt.date, *, missing: Collection[str] = ()
) -> tuple[Review, ...]:
    """Name the learnings that have fallen, contradict each other, or no longer apply.

    Args:
        missing: Paths named in Files that do not exist.
    """
    found = []
    active = [each for each in learnings if not each.resolved]
    for each in active:
        evidence = each.evidence
        sure = confidence(each.confidence, evidence, today)
        against = (evidence.corrected + evidence.contradicted) if evidence else 0
        if sure < WEAK_CONFIDENCE:
            found.append(Review(each.id, each.title, f"its confidence has fallen to {sure:.2f}"))
        elif evidence and against > evidence.seen + evidence.kept:
            found.append(
                Review(each.id, each.title, f"{against} times against it, {evidence.seen} times seen")
            )
        gone = [path for path in each.files if path in missing]
        if gone:
            found.append(Review(each.id, each.title, f"{', '.join(gone)} is gone"))
    return tuple(found)


def _surest_of_each_key(learnings: Sequence[Learning], sure: dict[str, float]) -> list[Learning]:
    best: dict[str, Learning] = {}
    for each in learnings:
        key = each.key or each.id
        if key not in best or sure[best[key].id] < sure[each.id]:
            best[key] = each
    return [each for each in learnings if best[each.key or each.id] is each]


def _words(text: str) -> frozenset[str]:
    words: set[str] = set()
    for word in "".join(char if char.isalnum() else " " for char in text.casefold()).split():
        if word.isascii() or not _spaceless(word):
            words.add(word)
        else:
            words.update(word[at : at + 2] for at in range(max(len(word) - 1, 1)))
    return frozenset(words - _STOP_WORDS) or frozenset(words)


def _spaceless(word: str) -> bool:
    """Whether a word is of a script that sets no spaces, or puts endings on its words: Han, Kana, Hangul."""
    return any(
        "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3"
        for char in word
    )


def _skill(cluster: Sequence[Learning], sure: dict[str, float], names: set[str]) -> Draft:
    name = _name(cluster, names, "skill")
    when = "; ".join(dict.fromkeys(_line(each.trigger or each.title) for each in cluster))
    text = _front(name=name, description=f"Use {_clause(when)}", evolved_from=cluster)
    text += f"# {_line(cluster[0].domain or name).capitalize()}\n\n" + _rules(cluster, sure)
    return Draft("skill", name, f"skills/{name}/SKILL.md", text, tuple(each.id for each in cluster))


def _agent(cluster: Sequence[Learning], sure: dict[str, float], names: set[str]) -> Draft:
    name = _name(cluster, names, "agent")
    when = "; ".join(dict.fromkeys(_line(each.trigger or each.title) for each in cluster))
    text = _front(name=name, description=f"Use {_clause(when)}", evolved_from=cluster)
    text += f"You know this project's ways of {_line(cluster[0].domain or 'working')}. Follow them:\n\n"
    text += _rules(cluster, sure)
    return Draft("agent", name, f"agents/{name}.md", text, tuple(each.id for each in cluster))


def _command(learning: Learning, sure: dict[str, float], names: set[str]) -> Draft:
    name = _name([learning], names)
    text = _front(description=_line(learning.title or learning.learning), evolved_from=[learning])
    text += _rules([learning], sure)
    return Draft("command", name, f"commands/{name}.md", text, (learning.id,))


def _name(cluster: Sequence[Learning], names: set[str], kind: str = "") -> str:
    """A name that nothing else has, in any script: of a Key, of what a cluster is about, or of the title.

    The kind is put behind it for an agent, and for a skill where something else has the name.
    """
    first = max(cluster, key=lambda each: len(each.key or ""))
    subject = first.domain if len(cluster) > 1 else ""
    base = slug(first.key or subject or first.title, 50) or f"learning-{first.number}"
    if kind == "agent" or (kind and base in names):
        base = f"{base}-{kind}"
    name, count = base, 2
    while name in names:
        name, count = f"{base}-{count}", count + 1
    names.add(name)
    return name


def _front(*, evolved_from: Sequence[Learning], **fields: str) -> str:
    lines = [f"{label}: {_quoted(value)}" for label, value in fields.items()]
    lines += [
        "evolved_from:",
        *(f"  - {_quoted(f'{each.id} {each.key}' if each.key else each.id)}" for each in evolved_from),
    ]
    return "\n".join(["---", *lines, "---", "", ""])


def _quoted(value: str) -> str:
    """A YAML scalar that can be nothing but this text."""
    escaped = _line(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _rules(cluster: Sequence[Learning], sure: dict[str, float]) -> str:
    parts = []
    for each in sorted(cluster, key=lambda each: -sure[each.id]):
        head = f"## {_line(each.title or each.id)}"
        facts = f"{each.id}, confidence {sure[each.id]:.2f}"
        when = f"When: {_line(each.trigger)}\n\n" if each.trigger else ""
        example = f"\n\n{_lines(each.fields['example'])}" if each.example else ""
        parts.append(f"{head}\n\n{when}{_lines(each.learning)}{example}\n\n({facts})\n")
    return unexpanded("\n".join(parts))


def _clause(when: str) -> str:
    when = when.translate(_NO_TAGS)
    return (
        when
        if when.casefold().startswith(("when", "whenever", "before", "after", "while", "if"))
        else f"for: {when}"
    )


def _lines(text: str) -> str:
    return neutralise(mask(text), newlines=True)


def _line(text: str | None) -> str:
    return neutralise(mask(" ".join((text or "").split())))
