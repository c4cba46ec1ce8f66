"""The command line `qlearn`. `main` is its boundary: what is expected to fail ends in one line on stderr."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, cast

from qlearn.errors import QlearnError

if TYPE_CHECKING:
    from collections.abc import Sequence

STOPPED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        The exit code: 0, 1 for what failed or was found wrong, 2 for wrong usage, 130 after Ctrl-C.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller; the next file would get its number
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what a terminal of another encoding can't show
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _guarded(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except OSError as error:
        # The interpreter would flush what is left, and complain once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        has_enough = isinstance(error, BrokenPipeError)  # as a reader like `head` has
        return 1 if has_enough else _fail(f"output: {error.strerror or error}", 1)
    return code


def _guarded(arguments: Sequence[str]) -> int:
    try:
        return _run(arguments)
    except QlearnError as error:
        return _fail(str(error), 1)
    except (KeyboardInterrupt, EOFError):
        return _fail("stopped", STOPPED)
    except OSError as error:
        if error.filename is None:  # of the output
            raise
        return _fail(f"{error.filename}: {error.strerror or error}", 1)


def _run(arguments: Sequence[str]) -> int:
    from typer import BadParameter, Exit

    from qlearn.cli.app import command

    # UsageError, which Typer exports under no name of its own, from click or from its copy of click.
    usage_error = cast("type[BadParameter]", BadParameter.__base__)
    program = command()
    try:
        if "_QLEARN_COMPLETE" in os.environ:
            program.main([*arguments], prog_name="qlearn")
        with program.make_context("qlearn", [*arguments]) as context:
            program.invoke(context)
    except Exit as error:
        return error.exit_code
    except usage_error as error:
        message = (
            error.format_message()
            .replace("valid int range", "whole number")
            .replace("valid int.", "whole number.")
        )
        end = "" if message.endswith((".", "?")) else "."
        command_path = error.ctx.command_path if error.ctx else "qlearn"
        return _fail(f"{message}{end} See `{command_path} --help`.", 2)
    return 0


def _fail(message: str, code: int) -> int:
    from qlearn.text import neutralise, one_line

    print(f"qlearn: {neutralise(one_line(message))}", file=sys.stderr)
    return code
