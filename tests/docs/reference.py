"""docs/cli.md, made of what the program says of itself."""

from __future__ import annotations

import re
from typing import Any

import typer

from qlearn.cli.app import PANELS, command

PAGE = "docs/cli.md"

_HEAD = """# The command line

This page is made of the program's own help (`python3 scripts/docs`); `qlearn COMMAND --help` shows the same.

## Before every command

{options}

Commands that need a person ask only on a terminal. Without one they do what is safe, and say which
option goes on. What went wrong is said in one line on standard error. The exit code is 0, or 1 for what
failed or was found to be wrong, 2 for wrong usage, and 130 after Ctrl-C.
"""


def reference() -> str:
    """Write the page."""
    program: Any = command()
    with typer.Context(program) as context:
        parts = [_HEAD.format(options=_table(program.get_params(context)))]
        for panel, names in PANELS.items():
            parts.append(f"## {panel}\n")
            parts += [_section(name, program.get_command(context, name)) for name in names]
    return "\n".join(parts)


def example_of(name: str) -> str:
    """The command line that the help of a command shows."""
    program: Any = command()
    with typer.Context(program) as context:
        example: str = program.get_command(context, name).epilog
    return example.removeprefix("Example: ")


def _section(name: str, found: Any) -> str:
    with typer.Context(found) as context:
        parameters = [each for each in found.get_params(context) if each.name != "help"]
    parts = [f"### qlearn {name}", found.help, _table(parameters), f"```sh\n{example_of(name)}\n```"]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(parameters: list[Any]) -> str:
    rows = [f"| {_name(each)} | {_meaning(each)} |" for each in parameters if each.name != "help"]
    return "\n".join(("| | |", "|---|---|", *rows)) if rows else ""


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        name = parameter.metavar or parameter.name
        return f"`{name}`".replace("|", "\\|")
    value = "" if _is_flag(parameter) else f" {parameter.metavar}"
    return ", ".join(f"`{name}{value}`" for name in (*parameter.opts, *parameter.secondary_opts))


def _is_flag(parameter: Any) -> bool:
    return getattr(parameter, "is_flag", False) is True


def _meaning(parameter: Any) -> str:
    said = re.sub(r"\s+", " ", parameter.help or "")
    default = parameter.default
    if (
        getattr(parameter, "show_default", False)
        and not _is_flag(parameter)
        and default not in (None, "", [], ())
    ):
        said += f" Default: {default}."
    return said
