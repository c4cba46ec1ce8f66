"""D2: a failure of the environment, and what repaired it.

A failure teaches only if the same intent succeeds soon after (12 events, 15 minutes): by a repaired
command, by a prerequisite before the identical command, or by an edit of a configuration file before it.
Most failures teach nothing: probes for files, searches without a match, patches that don't apply, red
tests, code that is being written, refusals, retries. A way round a guard is never learned.
"""

from __future__ import annotations

import re

from qlearn.command import Command, parse
from qlearn.failure import error_line, failure_text, shows_error, signature
from qlearn.observation import Observation, pair
from qlearn.patterns import any_of
from qlearn.prompt import typed
from qlearn.proposal import Proposal, evidence_of, keywords_from, slug, title_from
from qlearn.record import TYPE_CHECKING, NamedTuple

from .alternatives import CLASS_OF, job_of
from .turns import seconds_between

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_EVENTS = 12
MAX_SECONDS = 15 * 60


class _Failure(NamedTuple):
    """A command that failed, seen or pasted, and what it printed."""

    event: Observation
    command: str
    text: str


class _Fix(NamedTuple):
    failure: _Failure
    how: str  # "use", "first" or "edit"
    what: str  # the command or the path
    events: tuple[Observation, ...]

    @property
    def name(self) -> str:
        """What the same fix of the same error shares."""
        return slug(
            f"{_main_name(self.failure.command)} {signature(self.failure.text)} {self.how} {self.what}"
        )


def error_fixes(observations: Iterable[Observation]) -> tuple[Proposal, ...]:
    """Propose what repaired a failing command, one proposal for each error and fix.

    The evidence is the failure (a prompt, where the error was pasted), what repaired it, and the success.
    """
    sessions: dict[str, list[Observation]] = {}
    for event in pair(observations):
        sessions.setdefault(event.session, []).append(event)
    found: dict[str, list[_Fix]] = {}
    for events in sessions.values():
        for index, event in enumerate(events):
            failure = _failure(event)
            if failure and (fix := _fix(failure, _window(events, index))):
                found.setdefault(fix.name, []).append(fix)
    return tuple(_propose(group) for group in found.values())


def _window(events: Sequence[Observation], index: int) -> Sequence[Observation]:
    first = events[index]
    following = events[index + 1 : index + 1 + MAX_EVENTS]
    return [event for event in following if seconds_between(first, event) <= MAX_SECONDS]


# ------------------------------------------------------------------------------------ failures


def _failure(event: Observation) -> _Failure | None:
    if event.event == "UserPromptSubmit" and not event.agent:
        return _pasted(event)
    if event.tool != "Bash":
        return None
    text = failure_text(event)
    if not text or _teaches_nothing(event.input, text, event.exit):
        return None
    return _Failure(event, _unhidden(event.input), text)


_PROMPT_LINE = re.compile(r"^\s*(?:\$|%|❯|>)\s+(\S.*)$|`([^`\n]+)`", re.MULTILINE)


def _pasted(event: Observation) -> _Failure | None:
    """An error in a prompt, under the command that a person ran."""
    text = typed(event.input)
    match = _PROMPT_LINE.search(text)
    if not match or not shows_error(text[match.end() :]):
        return None
    command = (match[1] or match[2]).strip()
    output = text[match.end() :]
    return None if _teaches_nothing(command, output, None) else _Failure(event, command, output)


_PROBES = frozenset(
    {
        "cat",
        "ls",
        "head",
        "tail",
        "test",
        "[",
        "[[",
        "stat",
        "file",
        "which",
        "type",
        "find",
        "wc",
        "less",
        "du",
        "cd",
    }
)
_MATCHERS = frozenset({"grep", "rg", "ag", "ack", "diff", "cmp", "pgrep", "comm", "test", "[", "[["})
_PATCHES = frozenset({"apply_patch", "patch", "git apply", "git am"})
_NO_LESSON = any_of(
    # none of the agent's affairs, or not permitted
    r"""
    Cancelled: parallel tool call
    Sibling tool call errored
    Request interrupted by user
    Permission to use \w+
    requires approval
    blocked by
    has been denied
    hook (?:error|denied)
    """,
    # the sandbox
    r"""
    sandbox
    Operation not permitted
    Read-only file system
    seccomp
    Landlock
    """,
    # patches
    r"""
    apply_patch verification failed
    """,
    flags=re.IGNORECASE | re.MULTILINE,
)


# A question about usage, which the next attempt settles: a prerequisite is a lesson even so.
_USAGE = any_of(
    r"""
    (?:unrecognized|unknown|invalid|no such|illegal) (?:option|argument|flag)s?:?\s*['\"`‘]?-
    unrecognized arguments
    unknown (?:sub)?command
    No idea what
    No rule to make target
    ^usage:
    """,
    flags=re.IGNORECASE | re.MULTILINE,
)
# Red tests and code that is being written teach nothing either, unless they fail by their environment.
_CODE = any_of(
    r"""
    AssertionError
    \bassert(?:ion)? failed
    ^FAILED\b
    ^--- FAIL
    tests? failed
    \bexpected\b.*\b(?:to|got|but)\b
    \b\d+ failed(?:,|$| in)
    SyntaxError
    IndentationError
    NameError
    FileNotFoundError
    is not defined
    undefined:\s
    unreachable code
    unused (?:variable|import)
    """,
    flags=re.IGNORECASE | re.MULTILINE,
)
_ENVIRONMENT = any_of(
    r"""
    connection refused|ECONNREFUSED|could not connect|no such host
    (?:make|sh|bash|zsh|env): .*(?:No such file|not found)
    command not found|not installed|is missing|No module named|Cannot find (?:module|package)
    address already in use|EADDRINUSE
    expired|unauthorized|credentials|permission denied
    unsupported (?:engine|class|environment|version)|invalid source release
    requires? (?:the features?|node|python)
    """
)


def _teaches_nothing(command: str, text: str, code: int | None) -> bool:
    """Whether such a failure is a question that was answered, a red test, or none of the agent's affairs."""
    names = [_name(one) for one in parse(command)]
    first = names[0] if names else ""
    main = _main_name(command)
    return (
        not main
        or main in _PROBES
        or (main in _MATCHERS and (code in (None, 1) or not text.strip()))
        or first in _PATCHES
        or main in _PATCHES
        or main.startswith("git diff")
        or _passes_guard(_unhidden(command))
        or bool(_NO_LESSON.search(text))
        or bool(_CODE.search(text) and not _ENVIRONMENT.search(text))
    )


# ------------------------------------------------------------------------------------ fixes


def _fix(failure: _Failure, window: Sequence[Observation]) -> _Fix | None:
    """What made the same intent succeed; None if nothing did, it failed again, or a guard was passed."""
    between: list[Observation] = []
    for event in window:
        if event.event in ("Reject", "Interrupt"):
            return None
        if event.event not in ("PostToolUse", "PostToolUseFailure"):
            continue
        failed_too = bool(failure_text(event)) or event.event == "PostToolUseFailure"
        same = event.tool == "Bash" and _same_text(failure.command, event.input)
        if same and failed_too:
            return None  # what stands between did not help
        if not failed_too and (same or _repairs(failure.command, event)):
            if _passes_guard(event.input) or _becomes_root(event.input, failure.command):
                return None
            if not same and _only_tries_options(failure, event.input):
                return None
            if same:
                return _remedy(failure, between, event)
            return _Fix(failure, "use", _unhidden(event.input), (failure.event, event))
        if not failed_too:
            between.append(event)
    return None


def _remedy(failure: _Failure, between: Sequence[Observation], success: Observation) -> _Fix | None:
    """What was done between a failure and the success of the identical command."""
    edits = [call for call in between if call.tool in ("Edit", "Write") and call.path]
    commands = [call for call in between if call.tool == "Bash" and not _looks_only(call)]
    if any(_passes_guard(call.input) for call in commands):
        return None
    code_edits = [call for call in edits if not _is_configuration(call.path)]
    certain = not edits or _advised(commands[-1:], failure.text) or _ENVIRONMENT.search(failure.text)
    if commands and certain:
        what = _unhidden(commands[-1].input)
        return _Fix(failure, "first", what, (failure.event, commands[-1], success))
    if edits and not code_edits and not commands and _is_about_configuration(failure, edits[-1]):
        return _Fix(failure, "edit", edits[-1].path, (failure.event, edits[-1], success))
    return None


_LOOKING = {
    *(
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
        "type",
        "env",
        "wc",
        "stat",
        "file",
    ),
    *(
        "git status",
        "git diff",
        "git log",
        "git show",
        "git branch",
        "docker ps",
        "docker logs",
        "tree",
        "sleep",
        "date",
    ),
    *(
        "kubectl get",
        "kubectl describe",
        "kubectl logs",
        "npm ls",
        "pip list",
        "pip show",
        "jq",
        "true",
        "test",
        "[",
    ),
}


def _looks_only(call: Observation) -> bool:
    return all(_name(one) in _LOOKING or one.program == "cd" for one in parse(call.input))


def _advised(calls: Iterable[Observation], text: str) -> bool:
    """Whether the error's own text names one of the commands."""
    names = (_name(one) for call in calls for one in parse(call.input))
    return any(" " in name and name in text for name in names)


_CONFIGURATION = any_of(
    r"""
    (?:^|/)[\w.-]*\.(?:toml|ini|cfg|conf|gradle|properties)$
    (?:^|/)(?:setup\.py|package\.json|pom\.xml|go\.mod|go\.work|conftest\.py|compose\.ya?ml)$
    (?:^|/)tsconfig[\w.-]*\.json$
    (?:^|/)requirements[\w-]*\.txt$
    (?:^|/)docker-compose[\w.-]*$
    (?:^|/)[\w.-]+\.config\.\w+$
    (?:^|/)(?:Docker|Make|Gem|Pip|Proc|just)file[\w.-]*$
    (?:^|/)\.[\w-]*rc(?:\.\w+)?$
    (?:^|/)\.(?:env[\w.-]*|nvmrc|tool-versions|gitignore|gitattributes)$
    (?:^|/)\.(?:github|gitlab|circleci|vscode|cargo)/
    """,
    flags=0,
)


_ABOUT_CONFIGURATION = any_of(
    r"""
    config|option|plugin|setting|manifest
    type definitions
    failed to resolve
    """
)
_SWITCHED_OFF = any_of(r"[\"']?\bstrict\w*[\"']?\s*[:=]\s*false|[:=]\s*[\"']?off\b|\bignore|\bdisable|\bskip")


def _is_about_configuration(failure: _Failure, edit: Observation) -> bool:
    """Whether the error speaks of configuration or of the file, and no check was switched off by the edit."""
    name = edit.path.rpartition("/")[2]
    about = name in failure.text or _ABOUT_CONFIGURATION.search(failure.text)
    return bool(about) and not _SWITCHED_OFF.search(edit.input)


def _is_configuration(path: str) -> bool:
    return bool(_CONFIGURATION.search(path))


_GUARDS = any_of(
    r"""
    --no-(?:verify|check\w*|gpg-sign|sandbox)
    --force(?!-with-lease)\b
    \bpush\b.*\s-f\b
    --break-system-packages
    --legacy-peer-deps
    --insecure
    --trusted-host
    --(?:skip|ignore|allow|disable)-\w+
    \bcurl\b.*\s-\w*k\b
    \|\| ?(?:true|:)
    \bset \+e
    \bHUSKY=0
    \bSKIP=
    \bchmod\b
    \bsetenforce\b
    TLS_REJECT_UNAUTHORIZED
    SSL_NO_VERIFY
    sslVerify=false
    hooksPath
    \brm\b.*\.lock
    -X ?DELETE\b
    --pass-?[wW]ith-?[nN]o-?[tT]ests
    --\w*[iI]gnore\w*
    --(?:deselect|exclude|audit-level|max-warnings|rule)\b
    """,
    flags=0,
)


def _passes_guard(command: str) -> bool:
    """Whether a command switches off a check."""
    if _GUARDS.search(command):
        return True
    return any(
        _name(one) == "git commit" and any(word.text == "-n" for word in one.words) for one in parse(command)
    )


_CHECKS = ("test", "lint", "format", "typecheck")


def _only_tries_options(failure: _Failure, command: str) -> bool:
    """Whether nothing but options changed, to answer a usage error, or to let a check pass.

    An option that the error speaks of is an answer to it and no weaker check.
    """
    failed, other = _main(failure.command), _main(command)
    if failed is None or other is None or _around(failure.command) != _around(command):
        return False
    if failed.program != other.program:
        return False
    if _USAGE.search(failure.text):
        return True
    if job_of(failed.key) not in _CHECKS and "audit" not in failed.key:
        return False
    before = {word.text for word in failed.words}
    added = (word.text.lstrip("-").partition("=") for word in other.words if word.text not in before)
    pieces = (piece for name, _, value in added for piece in (name, value))
    return not any(len(piece) > 2 and piece in failure.text for piece in pieces)


def _around(command: str) -> tuple[object, ...]:
    """What stands round the main command: other commands of the chain, wrappers and assignments."""
    return tuple(
        (one.assignments, one.wrappers, one.key if one.program in _TRIVIAL else "") for one in parse(command)
    )


def _becomes_root(command: str, failed: str) -> bool:
    """Whether the failed command was repeated with more rights."""
    return any("sudo" in one.wrappers for one in parse(command)) and "sudo" not in failed


# ------------------------------------------------------------------------------------ intent

_TRIVIAL = {"cd", "tail", "head", "echo", "true", "tee", "sleep", "export", "source", "."}
_HIDING = re.compile(r"\s*(?:2>&1\s*)?(?:\|\s*(?:tail|head)\b[^|;&]*|\|\|\s*(?:true|:))\s*$")
_SAME_TOOL = {"docker-compose": "docker compose", "nodejs": "node", "gsed": "sed", "gtimeout": "timeout"}


def _unhidden(command: str) -> str:
    """The command without the `| tail` and `|| true` that hide its exit code."""
    return _HIDING.sub("", command).strip() or command


def _same_text(command: str, other: str) -> bool:
    return " ".join(_unhidden(command).split()) == " ".join(_unhidden(other).split())


def _name(command: Command) -> str:
    """Program and subcommands, without flags and placeholders."""
    kept = []
    for word in command.key.split():
        if word.startswith(("-", "<")):
            break
        kept.append(word)
    return " ".join(kept)


def _main(command: str) -> Command | None:
    """The command of a chain that does the work: the last that is not trivial."""
    commands = [one for one in parse(_unhidden(command)) if one.program not in _TRIVIAL]
    return commands[-1] if commands else None


def _main_name(command: str) -> str:
    main = _main(command)
    return _name(main) if main else ""


def _repairs(failed: str, call: Observation) -> bool:
    """Whether a shell call has the intent of the failed command.

    That is its name, or a tool of the same class doing the same job, with all of its arguments.
    """
    main, theirs = _main(failed), _main(call.input)
    if call.tool != "Bash" or main is None or theirs is None:
        return False
    name, their_name = _alias(_name(main)), _alias(_name(theirs))
    program, _, rest = name.partition(" ")
    their_program, _, their_rest = their_name.partition(" ")
    swapped = program != their_program and their_program in CLASS_OF.get(program, ())
    same_job = swapped and (rest == their_rest or (job_of(main.key) == job_of(theirs.key) != ""))
    module = (
        "python -m" in theirs.wrappers
        and program == "python"
        and _plain(theirs.words[0].text) in _arguments(main)
    )
    return (name == their_name or same_job or module) and _arguments(main) <= _arguments(theirs) | _names(
        theirs
    )


def _alias(name: str) -> str:
    program, space, rest = name.partition(" ")
    return _SAME_TOOL.get(program, program) + space + rest


def _arguments(command: Command) -> frozenset[str]:
    """The words that are neither names nor flags, with paths and modules alike."""
    names = _names(command)
    return frozenset(
        _plain(word.text)
        for word in command.words[1:]
        if not word.text.startswith("-") and word.text not in names
    )


def _names(command: Command) -> frozenset[str]:
    return frozenset(
        _plain(word.text) for word in command.words if word.text in command.key.split()
    ) | frozenset([_plain(command.words[0].text)])


def _plain(text: str) -> str:
    return text.removesuffix(".py").removeprefix("./").replace("/", ".")


# ------------------------------------------------------------------------------------ proposals


def _propose(group: Sequence[_Fix]) -> Proposal:
    fix = group[0]
    command, error = _unhidden(fix.failure.command), error_line(fix.failure.text)
    shown = _code(command)
    fails = f"{shown} fails with {_code(error)}" if error else f"{shown} fails"
    ends = {
        "use": f"Use {_code(fix.what)} instead.",
        "first": f"Run {_code(fix.what)} first.",
        "edit": f"An edit of {_code(fix.what)} repaired it.",
    }
    titles = {
        "use": f"Use {_code(fix.what)} when {shown} fails",
        "first": f"Run {_code(fix.what)} before {shown}",
        "edit": f"Check {_code(fix.what)} when {shown} fails",
    }
    evidence = evidence_of(one.failure.event for one in group)
    return Proposal(
        detector="D2",
        title=title_from(titles[fix.how]),
        learning=f"{fails}. {ends[fix.how]}",
        type="gotcha",
        category="errors",
        key=fix.name,
        confidence=min(0.9, 0.5 + 0.1 * (len(group) - 1) + 0.1 * (fix.how != "edit")),
        evidence=evidence,
        events=tuple(dict.fromkeys(event.id for one in group for event in one.events)),
        severity="important" if evidence.sessions > 1 else "info",
        keywords=keywords_from(_main_name(command), fix.what, error),
        trigger=f"when {shown} fails with {_code(signature(fix.failure.text))}",
        domain="debugging",
        example=fix.what if fix.how != "edit" else "",
        context=title_from(error),
    )


def _code(text: str) -> str:
    """The text in a code span, on one line and not too long."""
    line = " ".join(text.split())
    line = line if len(line) <= 160 else line[:159] + "…"
    return f"`` {line} ``" if "`" in line else f"`{line}`"
