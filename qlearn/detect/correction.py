"""D1: a person corrects how the agent works.

The strongest sign is a prompt right after an interruption or a refused call; then what happens next: the
agent adopts what the prompt names, or takes back what it did. Words come last, and many corrections hold no
word of correction at all (`pnpm`). Proposed is only what names a tool, a way of working or a standing rule,
or what is said again in another session. The rest is feedback on one screen.
"""

from __future__ import annotations

import re

from qlearn.command import parse
from qlearn.patterns import any_of
from qlearn.prompt import typed
from qlearn.proposal import Proposal, evidence_of, keywords_from, slug, title_from
from qlearn.record import TYPE_CHECKING, NamedTuple

from . import cues
from .alternatives import contrast, job_of, tools_of
from .spoken import WORDS, commands_in, latin_words, tools_in
from .turns import WORK, Turn, turns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from qlearn.observation import Observation

_MAX_CHARS = 600  # who corrects is brief; longer prompts are tasks and documents
_ALIKE = 0.6  # shared words of two prompts, by the shorter one


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


def corrected_sessions(observations: Iterable[Observation]) -> frozenset[str]:
    """The sessions in which a person made a correction."""
    events = tuple(observations)
    named = {event for proposal in corrections(events) for event in proposal.events}
    return frozenset(event.session for event in events if event.id in named)


def _all_said(turns: Sequence[Turn]) -> Iterable[_Said]:
    """What persons said about what the agent had done, unless they took it back within two prompts."""
    for index, turn in enumerate(turns):
        same = [
            other for other in turns[index + 1 : index + 3] if other.session == turn.session and other.prompt
        ]
        if any(cues.takes_back(_words(other.prompt)) for other in same if other.prompt):
            continue
        for at, call in enumerate(turn.calls):
            if call.event == "Reject" and call.error and call.tool in WORK:
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
    commands = commands_in(text)
    pair = contrast(tools_in(text), (tool for call in said.about for tool in tools_of(call)))
    other = next((command for command in commands if _is_alternative(command, said.about)), "")
    directive, standing = cues.directive(text), cues.standing(text)
    corrects = directive or standing or said.stopped
    jobs = {job for call in said.about for job in _jobs(call)}
    topics = cues.topics(text)
    related = bool(topics & jobs) or _shares_words(text, said.about)
    adopted = _adopted(said)
    names = bool(commands or topics or adopted or _names_artefact(text))
    if cues.is_task(text) and not text.startswith(commands):
        accepted = (bool(pair) and corrects) or (related and standing)
    else:
        accepted = (
            bool(pair)
            or (bool(adopted) and (corrects or _does_again(said)))
            or (bool(other) and (corrects or cues.says_use(text)))
            or (corrects and related and _says_enough(text))
            or (directive and standing and bool(commands or topics))
            or (said.stopped and (standing or bool(commands)))
            or (cues.for_a_purpose(text) and names)
            or ((corrects or names) and _says_enough(text) and _is_undone(said))
        )
    if not accepted:
        return None
    prefer, avoid = pair or (other or adopted or (commands[0] if said.stopped and commands else ""), "")
    followed = _followed(said, prefer) is not None or _is_undone(said)
    sure = 0.4 + 0.1 * (said.stopped + standing + directive + followed)
    return _Correction(said, slug(f"{prefer} not {avoid}" if avoid else text), prefer, avoid, sure)


_FIRST = 4  # calls after a correction that can show that it was taken up
_INTERPRETERS = frozenset({"python", "node", "tsx", "ts-node", "bash", "sh", "ruby", "deno", "bun"})


def _adopted(said: _Said) -> str:
    """What the prompt names and the agent then did for the first time; empty if there is nothing of the kind.

    That is a whole command, a program, an option, a variable, a script or the new name of a file.
    """
    before = frozenset(piece for call in said.about for piece in _pieces(call))
    words = frozenset(latin_words(said.text)) - WORDS
    for call in said.after[:_FIRST]:
        if call.tool == "Bash" and " " in call.input and call.input in said.text:
            return call.input
        for piece in _pieces(call):
            if piece not in before and (piece in words or (_has_mark(piece) and piece in said.text)):
                return piece
    return ""


def _pieces(call: Observation) -> Iterable[str]:
    """The parts of a shell call that say how it is done: not the arguments that say on what."""
    for command in parse(call.input) if call.tool == "Bash" else ():
        yield command.program
        yield from command.assignments
        yield from (assignment.partition("=")[0] for assignment in command.assignments)
        arguments = [word.text for word in command.words[1:] if not word.text.startswith("-")]
        yield from (word.text.partition("=")[0] for word in command.words[1:] if word.text.startswith("-"))
        yield from (text for text in arguments if text.startswith("$"))
        if command.program in _INTERPRETERS:
            yield from arguments[:1]
        if command.key.startswith(("make ", "git mv", "npm run", "pnpm run", "yarn ", "docker compose")):
            yield from (part for text in arguments for part in (text, _suffix(text)))


def _suffix(path: str) -> str:
    """What follows the first dot of a file's name: `.test.ts` of `src/list.test.ts`."""
    _, dot, rest = path.rpartition("/")[2].partition(".")
    return dot + rest


def _has_mark(piece: str) -> bool:
    return len(piece) > 2 and any(char in "-_./$=:" for char in piece)


def _does_again(said: _Said) -> bool:
    """Whether the agent then ran a command with the program or the job of one it had run before."""
    before = [command for call in said.about if call.tool == "Bash" for command in parse(call.input)]
    programs = {command.program for command in before}
    jobs = {job for command in before if (job := job_of(command.key))}
    after = [one for call in said.after[:_FIRST] if call.tool == "Bash" for one in parse(call.input)]
    return any(command.program in programs or job_of(command.key) in jobs for command in after)


_UNDOING = any_of(
    r"""
    \bgit (?:checkout|restore) (?:--? ?)?[\w./]*[./]
    \bgit (?:reset|revert)\b
    \bgit commit\b.*--amend
    \bgit branch (?:-m|-M|-d|-D)\b
    \bgit mv\b
    \b(?:npm|pip) uninstall\b|\b(?:pnpm|yarn|uv|poetry|cargo) remove\b
    """
)


def _is_undone(said: _Said) -> bool:
    """Whether the agent then took back what it had done."""
    return any(call.tool == "Bash" and _UNDOING.search(call.input) for call in said.after[:_FIRST])


def _names_artefact(text: str) -> bool:
    """Whether it names a file, an option or a variable; between Chinese or Korean, a Latin word is a name."""
    foreign = not text.isascii() and any(ord(char) > 0x1100 for char in text)
    return (
        "`" in text
        or bool(_ARTEFACT.search(text))
        or (foreign and any(len(w) > 2 for w in latin_words(text)))
    )


_ARTEFACT = re.compile(
    r"(?<![\w.])(?:--?[A-Za-z][\w-]+|\.?[A-Za-z]\w*(?:[./_]\w+)+/?|\.[A-Za-z]\w+)", re.ASCII
)


def _says_enough(text: str) -> bool:
    """Whether it is more than a word or two; a character of Chinese or Korean says as much as two letters."""
    return sum(1 if char.isascii() else 2 for char in text) >= 12


def _is_alternative(command: str, calls: Iterable[Observation]) -> bool:
    """Whether a command does the job of one that was run, or runs its program, and was not run itself."""
    named = parse(command)
    if not named or any(command in call.input for call in calls):
        return False
    job, program = job_of(named[0].key), named[0].program
    keys = [key for call in calls for key in call.keys]
    return any((job and job == job_of(key)) or key.split()[0] == program for key in keys)


_COMMON = frozenset(
    {"data", "file", "files", "head", "list", "main", "name", "origin", "status", "test", "true"}
)
_CODE = (".py", ".ts", ".tsx", ".js", ".jsx", ".go", ".rs", ".java", ".rb", ".c", ".md", ".css", ".html")


def _shares_words(text: str, calls: Iterable[Observation]) -> bool:
    """Whether a prompt speaks of a command's program, options or paths, or of a kind of file."""
    said = frozenset(latin_words(text))
    for call in calls:
        for command in parse(call.input) if call.tool == "Bash" else ():
            if command.program in said and command.program not in WORDS:
                return True
            for word in command.words[1:]:
                pieces = latin_words(word.text[: word.bare].replace("-", " "))
                if any(len(piece) > 4 and piece in said and piece not in _COMMON for piece in pieces):
                    return True
        _, dot, extension = call.path.rpartition(".")
        if (
            call.tool in ("Edit", "Write")
            and dot
            and not call.path.endswith(_CODE)
            and f".{extension}" in text
        ):
            return True
    return False


_CHANGES_SCHEMA = re.compile(r"\b(?:alter|create|drop) (?:table|index|column)\b", re.IGNORECASE)


def _jobs(call: Observation) -> Iterable[str]:
    """What a call was about: the job of its commands, or what its path says."""
    for key in call.keys:
        yield job_of(key)
    if call.tool == "Bash" and _CHANGES_SCHEMA.search(call.input):
        yield "migration"
    path = call.path.casefold()
    if call.tool in ("Edit", "Write"):
        if "test" in path or "spec" in path:
            yield "test"
        if "migrat" in path:
            yield "migration"
        if path.startswith(("dist/", "build/", "gen/", "generated/")) or ".pb." in path or ".gen." in path:
            yield "generated"


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
