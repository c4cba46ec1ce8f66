"""The program as a group of commands, each loaded when it is called.

What is here stays cheap: agents run `qlearn` all day, and every module a command does not need delays it.
"""

import re
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from qlearn.cli.clock import now
from qlearn.cli.workspace import Call

PANELS = {
    "Every day": {
        "add": "writing",
        "review": "reading",
        "search": "reading",
        "show": "reading",
        "reinforce": "writing",
        "resolve": "writing",
        "prune": "writing",
        "export": "exchange",
    },
    "Proposals": {
        "triage": "triage",
        "proposals": "proposing",
        "accept": "proposing",
        "reject": "proposing",
        "propose": "proposing",
        "extract": "proposing",
    },
    "Instincts": {
        "status": "instincts",
        "observe": "instincts",
        "distill": "distilling",
        "promote": "instincts",
        "evolve": "evolving",
        "project": "instincts",
        "projects": "instincts",
        "identity": "instincts",
    },
    "Now and then": {
        "relevant": "relevant",
        "list": "reading",
        "edit": "editing",
        "used": "using",
        "feedback": "using",
        "reopen": "writing",
        "import": "importing",
        "migrate": "migrating",
        "mistakes": "reading",
        "stats": "reading",
    },
    "Setting up and looking after": {
        "init": "setup",
        "check": "upkeep",
        "fix": "upkeep",
        "doctor": "upkeep",
        "merge": "merging",
        "merge-driver": "merging",
        "sync": "merging",
        "mcp": "serving",
    },
}
"""The panels of the help, the commands in each, and the module of `qlearn.cli` that holds each command."""


class Commands(TyperGroup):
    """A group that imports a command's module when the command is asked for."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # noqa: ARG002
        """The names of all commands, in the order of the help."""
        return [name for panel in PANELS.values() for name in panel]

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """Load one command; for a name that is none, the nearest one is offered."""
        for panel, modules in PANELS.items():
            if cmd_name in modules:
                return _load(modules[cmd_name], cmd_name, panel)
        nearest = get_close_matches(cmd_name, self.list_commands(ctx), n=1)
        return ctx.fail(f"No command '{cmd_name}'." + (f" Did you mean '{nearest[0]}'?" if nearest else ""))


app = typer.Typer(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})


@app.callback(invoke_without_command=True)
def root(
    ctx: typer.Context,
    folder: Annotated[
        str, typer.Option("-C", metavar="DIR", help="Work on the project of DIR, not of the current folder.")
    ] = "",
    everywhere: Annotated[
        bool, typer.Option("--global", "-g", help="Work on your learnings for all projects.")
    ] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Keep what a project has learned: one Markdown file, .qe/learnings.md, ranked for people and agents."""
    if version:
        _print_version()
    elif ctx.invoked_subcommand is None:
        print(ctx.get_help())
    elif folder and not Path(folder).is_dir():
        raise typer.BadParameter(f"'{folder}' is no folder", param_hint="-C")
    ctx.obj = Call(folder, now(), everywhere)


def command() -> Any:
    """Make the program ready to be called."""
    return get_command(app)


def _load(module: str, name: str, panel: str) -> Any:
    commands: typer.Typer = import_module(f"qlearn.cli.{module}").app
    single = typer.Typer(add_completion=False)
    single.registered_commands = [info for info in commands.registered_commands if info.name == name]
    single.registered_commands[0].rich_help_panel = panel
    loaded = get_command(single)
    loaded.help = re.sub(
        r"(?<!\n)\n(?!\n)", " ", loaded.help or ""
    )  # or Typer breaks lines as the source does
    return loaded


def installed_version() -> str:
    """The version that is installed; "" where it runs from its folder, where nothing says it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("qlearn")
    except PackageNotFoundError:
        return ""


def _print_version() -> None:
    print(f"qlearn {installed_version() or '(not installed, so of no known version)'}")
    raise typer.Exit
