"""The command that makes a project one that qlearn knows, and tells its client."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

import qlearn
from qlearn import clients, project, store
from qlearn.cli.terminal import confirm, interactive, say
from qlearn.cli.workspace import Call, Texts, Workspace, workspace
from qlearn.errors import QlearnError, RegistryError
from qlearn.registry import HEADER

app = typer.Typer()

SETTINGS = ".claude/settings.json"


@app.command("init", epilog="Example: qlearn init --hooks")
def init(
    ctx: typer.Context,
    with_hooks: Annotated[
        bool,
        typer.Option("--hooks", help=f"Register the hooks in {SETTINGS}, so that sessions see learnings."),
    ] = False,
    merge_driver: Annotated[
        bool | None,
        typer.Option(
            "--merge-driver/--no-merge-driver",
            help="Let git merge registries by entries, in this clone alone; or no longer.",
            show_default=False,
        ),
    ] = None,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Take the hooks out of it again.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
) -> None:
    """Start a registry in this project.

    Makes .qe/learnings.md, and .qe/.gitignore for what belongs to this clone alone. What is there stays.
    With -g, it is your own registry, for all projects. The change of the client's settings is shown before it
    is made; on a terminal, you are asked.
    """
    if ctx.obj.everywhere and (with_hooks or uninstall or merge_driver is not None):
        raise typer.BadParameter(
            "starts your own registry alone; leave the other options out", param_hint="-g"
        )
    place = workspace(ctx) if ctx.obj.everywhere else Workspace(_root(ctx.obj))
    if uninstall:
        if _change_settings(place, clients.without_hooks, yes):
            say(f"The hooks are no longer in {SETTINGS}; {place.registry} stays.")
        return
    place.prepare()
    made = place.update(_started)
    say(f"{place.root}/{place.registry} {'was made.' if made else 'is there.'}")
    if merge_driver is not None:
        _change_git(place.root, merge_driver)
    if with_hooks:
        start_file = Path(qlearn.__file__).with_name("hooks") / "launch.py"
        command = clients.hook_command(sys.executable, str(start_file))
        if _change_settings(place, lambda text: clients.with_hooks(text, command), yes):
            say(f"The hooks are in {SETTINGS}; `qlearn doctor` proves that they work.")


def _root(call: Call) -> str:
    """The folder of the project; of a new one, the folder that the command is called for."""
    here = str(Path(call.folder).resolve())
    return project.find(here, {} if call.folder else os.environ).root or here


def _started(texts: Texts) -> tuple[Texts, bool]:
    return texts._replace(registry=texts.registry or HEADER), not texts.registry


def _change_settings(place: Workspace, change: Callable[[str], str], yes: bool) -> bool:
    """Change the client's settings by a pure function, once the change was shown; False for no change."""
    before = place.read(SETTINGS, may_be_empty=True)
    try:
        after = change(before)
    except QlearnError as error:
        raise RegistryError(f"{SETTINGS}: {error}") from error
    if after == before:
        say(f"{SETTINGS} needs no change.")
        return False
    _show_change(before, after)
    if interactive() and not yes and not confirm("Write it?"):
        raise QlearnError("nothing was written")

    def written(data: bytes) -> bytes:
        if data != before.encode():
            raise RegistryError(f"{SETTINGS} has changed meanwhile, so nothing was written; try again")
        return after.encode()

    store.make_folder(".claude", root=place.root)
    started = Path(place.root, project.FOLDER).is_dir()
    lock_file = f"{project.FOLDER if started else '.claude'}/{store.LOCK_NAME}"
    store.update(SETTINGS, written, root=place.root, may_be_empty=True, lock_file=lock_file)
    if not started:  # the project is no longer one of qlearn's, and nothing of it shall stay
        Path(place.root, lock_file).unlink(missing_ok=True)
    return True


def _change_git(root: str, wanted: bool) -> None:
    from qlearn.git import Repository
    from qlearn.merging import install, uninstall

    repository = Repository(root, os.environ)
    if wanted:
        install(repository)
        say("git merges registries by entries in this clone; `qlearn init --no-merge-driver` undoes it.")
    else:
        uninstall(repository)
        say("git merges registries by lines in this clone.")


def _show_change(before: str, after: str) -> None:
    from difflib import unified_diff

    old, new = (text.replace("\r\n", "\n").split("\n") for text in (before, after))
    for line in unified_diff(old, new, SETTINGS, SETTINGS, lineterm=""):
        say(line)
