"""The command that makes a project one that qlearn knows, and tells its client."""

import os
import sys
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

import qlearn
from qlearn import clients, migration, project, store
from qlearn.cli.agents_file import frame
from qlearn.cli.terminal import confirm, interactive, say, with_hidden_shown
from qlearn.cli.workspace import Call, Texts, Workspace, folder_of, project_of, workspace
from qlearn.errors import QlearnError, RegistryError
from qlearn.interchange.agents_md import block, with_block, without_block
from qlearn.learning import parse_learnings
from qlearn.registry import HEADER

app = typer.Typer()

BLOCK = "agents-md"
FILE = "AGENTS.md"
NAMES = (*clients.CLIENTS, BLOCK)


def _known(names: list[str]) -> list[str]:
    for name in names:
        if name not in NAMES:
            raise typer.BadParameter(f"'{name}' is none of {', '.join(NAMES)}")
    return names


@app.command("init", epilog="Example: qlearn init --client claude-code --client codex")
def init(
    ctx: typer.Context,
    client: Annotated[
        list[str],
        typer.Option(
            "--client",
            metavar="NAME",
            callback=_known,
            help=f"Register the hooks of a client, so that its sessions see learnings: {', '.join(NAMES)}.",
        ),
    ] = [],  # noqa: B006 - which is how Typer wants it
    hooks: Annotated[bool, typer.Option("--hooks", help="The same as --client claude-code.")] = False,
    merge_driver: Annotated[
        bool | None,
        typer.Option(
            "--merge-driver/--no-merge-driver",
            help="Let git merge registries by entries, in this clone alone; or no longer.",
            show_default=False,
        ),
    ] = None,
    uninstall: Annotated[
        bool, typer.Option("--uninstall", help="Take the hooks out again; of all clients if none is named.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Start a registry in this project.

    Makes .qe/learnings.md, and .qe/.gitignore for what belongs to this clone alone. What is there stays.
    With -g, it is your own registry, for all projects. The change of a client's settings is shown before it
    is made; on a terminal, you are asked, and also whether to observe a new project. agents-md stands for
    every client that reads AGENTS.md and has no hooks.
    """
    if ctx.obj.everywhere and (client or hooks or uninstall or merge_driver is not None):
        raise typer.BadParameter(
            "starts your own registry alone; leave the other options out", param_hint="-g"
        )
    place = workspace(ctx) if ctx.obj.everywhere else Workspace(_root(ctx.obj))
    wanted = [*dict.fromkeys([*client, *(["claude-code"] if hooks else [])])]
    if uninstall:
        _uninstall(place, wanted or _installed(place), yes)
        return
    place.prepare()
    made = place.update(_started)
    say(f"{Path(place.root, place.registry)} {'was made.' if made else 'is there.'}")
    for old in migration.find(os.environ) if made else ():
        say(f"An older system has instincts in {old}; `qlearn migrate --dry-run` shows what it would take.")
    if merge_driver is not None:
        _change_git(place.root, merge_driver)
    for name in wanted:
        _install(place, name, ctx.obj.now, yes)
    if made and not ctx.obj.everywhere and interactive() and not yes:
        _ask_to_observe(ctx.obj)


def _ask_to_observe(call: Call) -> None:
    """Ask whether to observe a project about which nothing was said so far; a no leaves it so."""
    from qlearn import observing, paths, projects

    found, user = project_of(call), paths.get(os.environ)
    if user is None or not found.known or observing.wanted(found, user) is not None:
        return
    if confirm("Observe what is done here, to find lessons? It stays in your own store, without secrets."):
        observing.turn(user, found, on=True)
        projects.record(user, found, call.now.date())
        say(f"{found.name} is observed; `qlearn observe off` stops it.")


def _install(place: Workspace, name: str, now: datetime, yes: bool) -> None:
    if name == BLOCK:
        new = block(parse_learnings(place.read()), frame(place, now))
        if _change(place, FILE, lambda text: with_block(text, new), yes):
            say(f"The learnings are in {FILE}; a hook for pre-commit can renew them (docs/ci.md).")
        return
    client = clients.CLIENTS[name]
    start_file = Path(qlearn.__file__).with_name("hooks") / "launch.py"
    command = clients.hook_command(sys.executable, str(start_file))
    if _change(place, client.settings, lambda text: clients.with_hooks(text, command, client), yes):
        say(f"The hooks are in {client.settings}; {client.then}.")


def _uninstall(place: Workspace, names: Iterable[str], yes: bool) -> None:
    for name in names:
        if name == BLOCK:
            if _change(place, FILE, without_block, yes):
                say(f"The learnings are no longer in {FILE}; {place.registry} stays.")
            continue
        client = clients.CLIENTS[name]
        if _change(place, client.settings, partial(clients.without_hooks, client=client), yes):
            say(f"The hooks are no longer in {client.settings}; {place.registry} stays.")


def _installed(place: Workspace) -> list[str]:
    """The clients whose settings speak of qlearn."""
    files = {**{name: client.settings for name, client in clients.CLIENTS.items()}, BLOCK: FILE}
    found = [name for name, path in files.items() if "qlearn" in place.read(path, may_be_empty=True)]
    if not found:
        say("No hooks are registered in this project.")
    return found


def _root(call: Call) -> str:
    """The folder of the project; of a new one, the folder that the command is called for."""
    here = str(Path(folder_of(call)).resolve())
    return project.find(here, {} if call.folder else os.environ).root or here


def _started(texts: Texts) -> tuple[Texts, bool]:
    return texts._replace(registry=texts.registry or HEADER), not texts.registry


def _change(place: Workspace, path: str, change: Callable[[str], str], yes: bool) -> bool:
    """Change a file by a pure function, once the change was shown; False for no change."""
    before = store.decoded(path, store.read(path, root=place.root, may_be_empty=True) or b"")
    try:
        after = change(before)
    except QlearnError as error:
        raise RegistryError(f"{path}: {error}") from error
    if after == before:
        say(f"{path} needs no change.")
        return False
    _show_change(path, before, after)
    if interactive() and not yes and not confirm("Write it?"):
        raise QlearnError("nothing was written")

    def written(data: bytes) -> bytes:
        if data != before.encode():
            raise RegistryError(f"{path} has changed meanwhile, so nothing was written; try again")
        return after.encode()

    folder = path.rpartition("/")[0]
    if folder:
        store.make_folder(folder, root=place.root)
    started = Path(place.root, project.FOLDER).is_dir()
    lock_file = "/".join(filter(None, (project.FOLDER if started else folder, store.LOCK_NAME)))
    store.update(path, written, root=place.root, may_be_empty=True, lock_file=lock_file)
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


def _show_change(path: str, before: str, after: str) -> None:
    """Show a change as `diff -u` does."""
    from difflib import unified_diff

    for line in unified_diff(_lines(before), _lines(after), path, path):
        print(with_hidden_shown(line.removesuffix("\n")))
        if not line.endswith("\n"):
            print("\\ No newline at end of file")


def _lines(text: str) -> list[str]:
    *ended, rest = text.replace("\r\n", "\n").split("\n")
    return [*(f"{line}\n" for line in ended), *([rest] if rest else [])]
