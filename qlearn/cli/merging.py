"""Commands for registries that many write: merges by git, and the user's own learnings on all machines."""

import os
from pathlib import Path
from typing import Annotated

import typer

from qlearn.cli.terminal import note, say
from qlearn.cli.workspace import Texts, workspace
from qlearn.errors import RegistryError
from qlearn.git import Repository

app = typer.Typer()


@app.command("merge", epilog="Example: qlearn merge")
def merge_(ctx: typer.Context) -> None:
    """Merge by entries what git has merged by lines.

    For a merge, cherry-pick, rebase or revert that has stopped, and for a merge just made: registry and
    archive are written anew from the commits that it is made of. Exits with 1 if both sides changed the
    same; markers show where.
    """
    from qlearn.merge import Memory, Merged
    from qlearn.merging import Files, merge_again

    place = workspace(ctx)
    repository, files = Repository(place.root, os.environ), Files(place.registry, place.archive)

    def merged_again(texts: Texts) -> tuple[Texts, tuple[Merged, Merged]]:
        merged = merge_again(repository, files, Memory(*texts))
        return Texts(*(each.text for each in merged)), merged

    merged = place.update(merged_again)
    _tell(*(text for each in merged for text in each.notes))
    conflicts = [text for each in merged for text in each.conflicts]
    _tell(*(f"conflict: {text}" for text in conflicts))
    if conflicts:
        raise typer.Exit(1)
    there = (path for path in files if Path(place.root, path).exists())
    say(f"Merged. Now: git add {' '.join(there)}")


@app.command("merge-driver", epilog="Example: qlearn merge-driver base.md ours.md theirs.md")
def merge_driver(
    base: Annotated[str, typer.Argument(metavar="BASE", help="The file of the common ancestor (%O).")],
    ours: Annotated[str, typer.Argument(metavar="OURS", help="The file of our side, which is written (%A).")],
    theirs: Annotated[str, typer.Argument(metavar="THEIRS", help="The file of the other side (%B).")],
    size: Annotated[int, typer.Argument(metavar="SIZE", help="The length of conflict markers (%L).")] = 7,
    path: Annotated[str, typer.Argument(metavar="PATH", help="The path in the repository (%P).")] = "",
) -> None:
    """Merge one file by entries, for git.

    Exits with 1 if both sides changed the same; markers show where.
    """
    from qlearn.merging import decode, drive, encode

    texts = [decode(Path(name).read_bytes()) for name in (base, ours, theirs)]
    merged = drive(Repository(".", os.environ), path, texts, size, os.environ)
    _replace(Path(ours), encode(merged.text))
    _tell(*merged.notes, *(f"conflict: {text}" for text in merged.conflicts))
    if merged.conflicts:
        raise typer.Exit(1)


@app.command("sync", epilog="Example: qlearn sync --remote git@example.org:me/learnings.git")
def sync_(
    remote: Annotated[
        str, typer.Option("--remote", metavar="URL", help="Sync with this git repository from now on.")
    ] = "",
) -> None:
    """Bring your own learnings to your other machines.

    Those for all projects are kept in a git repository beside them, and go to the remote that you name once.
    Entries merge one by one. Without a connection nothing is lost; they go with the next sync.
    """
    from qlearn import paths
    from qlearn.sync import sync

    user = paths.find(os.environ)
    paths.make(user.data)
    done = sync(user.data, os.environ, remote=remote)
    _tell(*done.notes, *(f"conflict: {text}" for text in done.conflicts))
    if done.conflicts:
        raise RegistryError(
            f"{user.learnings} has conflicts; resolve them between the markers, then sync again"
        )
    say(f"In step with the remote: {done.came} came, {done.went} went.")


def _tell(*texts: str) -> None:
    for text in texts:
        note(text)


def _replace(file: Path, data: bytes) -> None:
    """Write a whole file or none of it: where this fails, git merges what stands there by lines."""
    new = file.with_name(f"{file.name}.qlearn-tmp")
    try:
        new.write_bytes(data)
        new.chmod(file.stat().st_mode & 0o777)
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)
