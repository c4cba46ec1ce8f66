"""The command lines that pages show, held against the program by its own parser."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

import typer
from markdown_it import MarkdownIt

from qlearn.cli.app import PANELS, command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token

COMMANDS = tuple(name for panel in PANELS.values() for name in panel)

_SHELLS = ("", "sh", "bash", "shell", "yaml", "text")
_PROGRAM = re.compile(r"(?:^|(?<=[\s/`]))qlearn(?= |$)")
_PROMPT = "$ "
_ANY = "COMMAND"


class Line(NamedTuple):
    """A command line in a page: the words behind `qlearn`.

    A *mention* in running text may leave out what a command needs: `qlearn accept`.
    """

    lineno: int
    text: str
    mention: bool


def lines(page: str) -> Iterator[Line]:
    """Find each command line of a page, in fences, in indented code and in inline code.

    In inline code, a command's name with an option behind it is one, too, and an option alone.
    """
    for token in MarkdownIt("commonmark").parse(page):
        start = token.map[0] + 1 if token.map else 0
        if token.type == "inline":
            yield from (
                Line(start, text, True)
                for child in token.children or ()
                if child.type == "code_inline"
                for text in _named(child.content)
            )
        elif token.type in ("fence", "code_block"):
            first = start + (token.type == "fence")
            yield from (Line(first + at, text, False) for at, row in _rows(token) for text in _called(row))


def _rows(token: Token) -> Iterator[tuple[int, str]]:
    """The rows of a block that may hold commands; one that a backslash continues is one row."""
    language = token.info.split(" ")[0]
    continued = token.content.replace("\\\n", "\0")
    at = 0
    for row in continued.split("\n"):
        if language == "console" and row.startswith(_PROMPT):
            yield at, row.removeprefix(_PROMPT).replace("\0", " ")
        elif language in _SHELLS:
            yield at, row.replace("\0", " ")
        at += 1 + row.count("\0")


def _called(row: str) -> Iterator[str]:
    return (row[found.end() :].strip() for found in _PROGRAM.finditer(row))


def _named(code: str) -> Iterator[str]:
    first, _, rest = code.partition(" ")
    if first in COMMANDS and rest.startswith("-"):
        yield code
    elif re.match(r"--?[a-z]", code):
        yield f"{_ANY} {code}"
    else:
        yield from _called(code)


def flaw(line: Line) -> str:
    """Say what the program has against a command line, "" for nothing."""
    try:
        words = _words(line.text)
    except ValueError as error:
        return f"{line.text}: {error}"
    if words and words[0] == _ANY:
        calls = (words[1:], *([name, *words[1:]] for name in COMMANDS))
        is_known = any(not _refusal(call, line.mention) for call in calls)
        return "" if is_known else f"{shlex.join(words[1:])}: no command takes this"
    return _refusal(words, line.mention)


def _words(text: str) -> list[str]:
    """Split as a shell does, up to the end of the command."""
    splitter = shlex.shlex(text, posix=True, punctuation_chars="|&;<>`")
    splitter.whitespace_split, splitter.commenters = True, "#"
    words: list[str] = []
    for word in splitter:
        if set(word) <= set("|&;<>`"):
            break
        words.append(word)
    return words


def _refusal(words: Sequence[str], mention: bool) -> str:
    program: Any = command()
    for option in program.params:
        option.callback = None  # that of --install-completion changes the user's shell
    more = "..." in words
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            _parse(program, [word for word in words if word != "..."])
    except typer.Exit:  # of --help
        return ""
    except typer.BadParameter.__base__ as error:  # type: ignore[misc]  # what click calls UsageError
        message: str = error.format_message()
        unfinished = type(error).__name__ == "MissingParameter" or "requires an argument" in message
        stands_for_a_value = any(f"'{word}'" in message for word in words if word.isupper())
        allowed = (unfinished and (mention or more)) or (stands_for_a_value and mention)
        return "" if allowed else f"qlearn {shlex.join(words)}: {message}"
    return ""


def _parse(program: Any, words: list[str]) -> None:
    with program.make_context("qlearn", words) as context:
        rest = [*context._protected_args, *context.args]
        if rest:
            name, found, rest = program.resolve_command(context, rest)
            found.make_context(name, rest, parent=context)
