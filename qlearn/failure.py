"""What went wrong in a command, and the name of the error that two failures share."""

from __future__ import annotations

import re

from .patterns import any_of, any_word
from .record import TYPE_CHECKING

if TYPE_CHECKING:
    from .observation import Observation

_MAX_CHARS = 200
# `XxxError: message`, as most languages print the last of a traceback.
_ERROR_CLASS = r"(?:[\w.]+[.:])?[A-Z]\w*(?:Error|Exception|Failure)\b"
_NAMED = re.compile(rf"(?:E\s+)?(?:{_ERROR_CLASS}|(?:\w+\.)+[A-Z]\w+:)")
_ERROR_WORDS = any_word(
    r"""
    error|fatal|failed|denied|refused|missing|invalid|undefined|unauthorized|unsupported|unrecognized|unknown
    cannot|can't|could not|couldn't|unable to
    not found|no such|not set|no matches
    required|pending
    no encontrad\w+|no existe|denegad\w
    """,
    r"""
    찾을 수 없|거부됨|없습니다
    未找到|找不到|没有那个|拒绝
    """,
)
# What only a failure prints, not a text that speaks of one.
_HARD_WORDS = any_of(
    r"""
    \b(?:error|fatal|Traceback)\b.*[:：]
    ^(?:error|fatal|ERR!?)\b
    command not found
    No such file or directory.*[:：]
    ^g?make(?:\[\d+\])?:\s\*\*\*\s
    ^npm\s(?:ERR!|error)\s
    ^(?:/\S*/)?\w*sh:\s(?:\d+:\s)?(?:line\s\d+:\s)?\S+:\s(?:not found|Permission denied)$
    ^ERR_PNPM_
    ^Exception\sin\sthread\s
    ^thread\s'.*'\s(?:\(\d+\)\s)?panicked\sat\s
    ^(?:\[ERROR\]\s)?BUILD\sFAIL(?:ED|URE)\b
    \sis not recognized as an internal or external command
    ^Segmentation fault\b
    """
)
_COUNTS = re.compile(r"\b(?:0|no) (?:errors?|failures?|failed)\b", re.IGNORECASE)
_PLACES = (
    (re.compile(r"https?://\S+|\b\w+://\S+"), "<url>"),
    (re.compile(r"(?:[A-Za-z]:)?(?:~|\.{1,2})?(?:[\\/][\w.@+-]+){2,}/?|\b[\w.@-]+(?:/[\w.@+-]+)+"), "<path>"),
    (re.compile(r"\b(?=\w*\d)[0-9a-f]{7,64}\b|\b0x[0-9a-fA-F]+\b"), "<hash>"),
    (re.compile(r"\d+(?:[.:]\d+)*"), "<n>"),
)


def error_line(text: str) -> str:
    """The line of a failure's output that says what is wrong.

    That is the last `XxxError: ...`, else the first that speaks of an error, else the last that is not empty.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line for line in lines if _NAMED.match(line)]
    if named:
        return named[-1].removeprefix("E ").strip()
    for line in lines:
        if _ERROR_WORDS.search(line):
            return line
    return lines[-1] if lines else ""


def signature(text: str) -> str:
    """The error's name: its line with paths, numbers and hashes as placeholders, at most 200 characters.

    >>> signature("psql: error: connection to 127.0.0.1, port 5432 failed")
    'psql: error: connection to <n>, port <n> failed'
    """
    line = error_line(text)
    for pattern, placeholder in _PLACES:
        line = pattern.sub(placeholder, line)
    return line[:_MAX_CHARS]


def shows_error(text: str) -> bool:
    """Whether output that came with exit 0, or with none, tells of a failure all the same."""
    return any(
        (_NAMED.match(line.strip()) or _HARD_WORDS.search(line)) and not _COUNTS.search(line)
        for line in text.splitlines()
    )


def failure_text(call: Observation) -> str:
    """What a failed call printed; empty if it didn't fail.

    A command fails by its event, or unseen, where the exit code is lost: `| tail`, `|| true`, clients that
    tell none. Then its output has to show an error, and the command must not be one that prints texts.
    """
    if call.event == "PostToolUseFailure":
        return call.error or call.output or "failed"
    if call.event != "PostToolUse" or call.tool != "Bash" or not call.output:
        return ""
    hidden = call.exit is None or "| tail" in call.input or "| head" in call.input or "|| true" in call.input
    return call.output if hidden and not _prints(call) and shows_error(call.output) else ""


_PRINTERS = {
    "cat",
    "tail",
    "head",
    "grep",
    "rg",
    "less",
    "bat",
    "sed",
    "awk",
    "jq",
    "journalctl",
    "echo",
    "printf",
}


def _prints(call: Observation) -> bool:
    """Whether all the command does is to print a text that stood somewhere, like `tail app.log`."""
    first = call.keys[0].split() if call.keys else [""]
    return first[0] in _PRINTERS or first[:2] in (
        ["git", "log"],
        ["git", "show"],
        ["git", "diff"],
        ["docker", "logs"],
    )
