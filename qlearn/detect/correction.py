"""D1: a person corrects how the agent works.

The strongest sign is a prompt right after an interruption or a refused call; the words come second, and
many corrections hold no word of correction at all (`pnpm`). Proposed is only what names a tool, a way of
working or a standing rule, or what is said again in another session. The rest is feedback on one screen.
"""

from __future__ import annotations

from qlearn.command import parse
from qlearn.prompt import typed
from qlearn.proposal import Proposal, evidence_of, keywords_from, slug, title_from
from qlearn.record import TYPE_CHECKING, NamedTuple

from . import cues
from .alternatives import CLASS_OF, SPOKEN, contrast, job_of, tools_in_command, tools_of
from .turns import Turn, turns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from qlearn.observation import Observation

_MAX_CHARS = 600  # who corrects is brief; longer prompts are tasks and documents
_ALIKE = 0.6  # shared words of two prompts, by the shorter one
# Names of tools that are English words: they count as named only with a subcommand or in backticks.
_WORDS = frozenset(
    {"find", "make", "cat", "task", "just", "http", "black", "hatch", "rye", "gradle", "ag", "ack"}
)


class _Said(NamedTuple):
    """What a person said, about which turn, and what the agent did then."""

    event: Observation
    text: str
    about: tuple[Observation, ...]
    after: tuple[Observation, ...]
    stopped: bool


class _Correction(NamedTuple):
    said: _Said
    name: str  # what the same correction shares: the pair of tools, else its own words
    prefer: str
    avoid: str
    sure: float


def corrections(observations: Iterable[Observation]) -> tuple[Proposal, ...]:
    """Propose what persons corrected, one proposal for each correction, however often it was made.

    The evidence is the prompts (or the refused calls, where the reason was given with the refusal) and the
    first action that followed the advice.
    """
    said = list(_all_said(turns_of(observations)))
    found: dict[str, list[_Correction]] = {}
    rest = []
    for one in said:
        correction = _read(one)
        if correction is None:
            rest.append(one)
        else:
            found.setdefault(correction.name, []).append(correction)
    return (*(_propose(group) for group in found.values()), *_recurring(rest))


def _all_said(turns: Sequence[Turn]) -> Iterable[_Said]:
    """What persons said about what the agent had done, unless they took it back within two prompts."""
    for index, turn in enumerate(turns):
        same = [
            other for other in turns[index + 1 : index + 3] if other.session == turn.session and other.prompt
        ]
        if any(cues.takes_back(_words(other.prompt)) for other in same if other.prompt):
            continue
        for at, call in enumerate(turn.calls):
            if call.event == "Reject" and call.error:
                yield _Said(call, call.error, (call,), turn.calls[at + 1 :], True)
        before = turns[index - 1] if index and turns[index - 1].session == turn.session else None
        if turn.prompt is None or before is None:
            continue
        about = before.calls
        if not about and index > 1 and turns[index - 2].session == turn.session:
            about = turns[index - 2].calls  # the agent only talked in between
        text = _words(turn.prompt)
        if text and about and not _looks_written(text):
            yield _Said(turn.prompt, text, about, turn.calls, before.stopped)


def _words(prompt: Observation | None) -> str:
    return cues.own_words(typed(prompt.input)) if prompt else ""


def _looks_written(text: str) -> bool:
    """Whether it is a document, such as a command's expansion, and nothing that was typed just now."""
    lines = text.splitlines()
    marked = sum(line.lstrip().startswith(("#", "- ", "* ", "1.", "2.", "3.")) for line in lines)
    return len(text) > _MAX_CHARS or (marked >= 3 and len(lines) >= 6)


# ------------------------------------------------------------------------------------ one correction


def _read(said: _Said) -> _Correction | None:
    text = said.text
    if cues.asks(text) or cues.takes_back(text):
        return None
    commands = _commands(text)
    named = _named_tools(text, commands)
    used = frozenset(tool for call in said.about for tool in tools_of(call))
    directive, standing = cues.directive(text), cues.standing(text)
    task = cues.is_task(text) and not text.startswith(commands)
    pair = contrast(named, used)
    if pair and (directive or standing or said.stopped or not task):
        return _correction(said, *pair, standing=standing, directive=directive)
    jobs = {job for call in said.about for job in _jobs(call)}
    other = next((c for c in commands if job_of(_key(c)) in jobs and not _was_used(c, said.about)), "")
    if other and (said.stopped or directive or standing or cues.says_use(text)) and not task:
        return _correction(said, other, "", standing=standing, directive=directive)
    related = bool(cues.topics(text) & jobs) or bool(_programs(said.about) & set(_latin_words(text)))
    if directive and (related or (standing and (commands or cues.topics(text)))) and len(text) >= 12:
        return _correction(said, other, "", standing=standing, directive=directive)
    if standing and related and not task:
        return _correction(said, other, "", standing=standing, directive=directive)
    if said.stopped and (commands or (cues.topics(text) and (related or standing))) and not task:
        return _correction(said, commands[0] if commands else "", "", standing=standing, directive=directive)
    return None


def _correction(said: _Said, prefer: str, avoid: str, *, standing: bool, directive: bool) -> _Correction:
    followed = _followed(said, prefer) is not None
    sure = 0.4 + 0.1 * (said.stopped + standing + directive + followed)
    name = f"{prefer} not {avoid}" if avoid else said.text
    return _Correction(said, slug(name), prefer, avoid, sure)


def _commands(text: str) -> tuple[str, ...]:
    """The commands that a prompt names: what stands in backticks, and known programs with a subcommand."""
    found = [span for span in text.split("`")[1::2] if span.strip()]
    for run in _ascii_runs(text.replace("`", "\n")):
        words = run.split()
        for index, word in enumerate(words[:-1]):
            command = _command_from(words[index:])
            if command:
                found.append(command)
                break
            if word == "`":
                break
    return tuple(dict.fromkeys(found))


def _ascii_runs(text: str) -> Iterable[str]:
    """The stretches of a text that could be a command: ASCII without the marks that end one."""
    run: list[str] = []
    for char in text:
        if (char.isascii() and char not in '\n,;:()"') or char == "=":
            run.append(char)
        elif run:
            yield "".join(run)
            run = []
    yield "".join(run)


def _command_from(words: list[str]) -> str:
    """The command that a list of words begins with, as far as it goes; empty if it begins with none."""
    first = words[0]
    kept = [first]
    key_words = _key(" ".join(words[:3])).split()
    known = first in _PROGRAMS or first in CLASS_OF
    if not known or len(key_words) < 2 or key_words[1].startswith("<"):
        return ""
    for word in words[1:]:
        plain = word.rstrip(".")
        if not (plain in key_words or plain.startswith("-") or "=" in plain) or plain in _PROSE:
            break
        kept.append(plain)
    return " ".join(kept) if len(kept) > 1 else ""


_PROGRAMS = frozenset(
    """
    git make npm pnpm yarn bun uv poetry pip alembic docker podman kubectl helm cargo go terraform gh
    just task rails python npx goimports ruff psql sqlite3
    """.split()  # noqa: SIM905 - a list of words is read more easily so
)
_PROSE = frozenset(
    {"a", "an", "and", "as", "at", "before", "for", "in", "is", "it", "of", "on", "or", "the", "to"}
)


def _key(command: str) -> str:
    commands = parse(command)
    return commands[0].key if commands else ""


def _named_tools(text: str, commands: Iterable[str]) -> frozenset[str]:
    """The tools of `alternatives` that a prompt names."""
    spoken = (SPOKEN.get(word, word) for word in _latin_words(text))
    found = {tool for command in commands for tool in tools_in_command(command)}
    return frozenset(found.union(word for word in spoken if word in CLASS_OF and word not in _WORDS))


def _latin_words(text: str) -> Iterable[str]:
    """The words in Latin letters, also where another script goes on without a space: `pnpm으로`."""
    return "".join(
        char if char.isascii() and (char.isalnum() or char in "-_") else " " for char in text.casefold()
    ).split()


def _programs(calls: Iterable[Observation]) -> frozenset[str]:
    """What the calls ran, but for names that are English words."""
    return frozenset(key.split()[0] for call in calls for key in call.keys) - _WORDS


def _jobs(call: Observation) -> Iterable[str]:
    """What a call was about: the job of its commands, or what its path says."""
    for key in call.keys:
        yield job_of(key)
    path = call.path.casefold()
    if call.tool in ("Edit", "Write"):
        if "test" in path or "spec" in path:
            yield "test"
        if "migrat" in path:
            yield "migration"
        if path.startswith(("dist/", "build/", "gen/", "generated/")) or ".pb." in path or ".gen." in path:
            yield "generated"


def _was_used(command: str, calls: Iterable[Observation]) -> bool:
    return any(command in call.input for call in calls)


def _followed(said: _Said, prefer: str) -> Observation | None:
    """The first call after it that does what was preferred."""
    if not prefer:
        return None
    for call in said.after:
        if prefer in tools_of(call) or (call.tool == "Bash" and prefer.split()[0] in call.input):
            return call
    return None


# ------------------------------------------------------------------------------------ proposals


def _propose(group: Sequence[_Correction]) -> Proposal:
    first, last = group[0], group[-1]
    texts = list(dict.fromkeys(one.said.text for one in group))
    prompts = [one.said.event for one in group]
    followed = [call for one in group if (call := _followed(one.said, one.prefer))]
    quoted = " / ".join(f'"{" ".join(text.split())}"' for text in texts)
    if first.avoid:
        title = f"Use {first.prefer}, not {first.avoid}"
        learning = f"Use {first.prefer} instead of {first.avoid}. A person corrected it: {quoted}"
    else:
        title = title_from(first.said.text)
        learning = f"A person corrected this way of working: {quoted}"
    done = _what_was_done(last.said.about)
    evidence = evidence_of(prompts)
    return Proposal(
        detector="D1",
        title=title,
        learning=learning,
        type="convention",
        category="workflows" if not first.avoid else "tools",
        key=first.name,
        confidence=min(0.9, max(one.sure for one in group) + 0.1 * (evidence.sessions - 1)),
        evidence=evidence,
        events=tuple(dict.fromkeys(event.id for event in (*prompts, *followed))),
        severity="important" if len(group) > 1 or first.said.stopped else "info",
        keywords=keywords_from(first.prefer, first.avoid, first.said.text),
        trigger=f"when running `{done}`" if done else "",
        domain=next(iter(sorted(cues.topics(first.said.text))), "workflow"),
        example=next((call.input for call in followed if call.tool == "Bash"), ""),
        context=f"said after `{done}`" if done else "",
    )


def _what_was_done(calls: Sequence[Observation]) -> str:
    """The last command or file before the correction, as one short line."""
    for call in reversed(calls):
        text = call.input if call.tool == "Bash" else call.path
        if text:
            return title_from(text)
    return ""


def _recurring(said: Iterable[_Said]) -> Iterable[Proposal]:
    """Feedback that names no tool and no rule, but is given again in another session."""
    remembered: list[tuple[_Said, frozenset[str]]] = []
    groups: dict[int, list[_Said]] = {}
    for one in said:
        words = _content(one.text)
        if len(words) < 2 or cues.is_task(one.text) or cues.asks(one.text) or cues.takes_back(one.text):
            continue
        for index, (other, theirs) in enumerate(remembered):
            shared = len(words & theirs) / min(len(words), len(theirs))
            apart = other.event.session != one.event.session
            if apart and shared >= _ALIKE and (cues.says_again(one.text) or len(words & theirs) >= 5):
                groups.setdefault(index, [other]).append(one)
                break
        else:
            remembered.append((one, words))
    for group in groups.values():
        yield _propose([_Correction(one, slug(group[0].text), "", "", 0.5) for one in group])


def _content(text: str) -> frozenset[str]:
    """The words of a text that carry meaning; Chinese and Korean as pairs of characters."""
    words = set()
    for word in "".join(char if char.isalnum() else " " for char in text.casefold()).split():
        if word.isascii():
            if len(word) > 3 and word not in ("please", "this", "that", "with", "from", "again", "also"):
                words.add(word)
        else:
            words.update(word[at : at + 2] for at in range(max(len(word) - 1, 1)))
    return frozenset(words)
