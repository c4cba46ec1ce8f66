"""The command that writes learnings for other programs and agents."""

import datetime as dt
import os
import secrets
import sys
from collections import ChainMap
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from qlearn import interchange, project, store
from qlearn.cli.agents_file import frame, renew, take_out
from qlearn.cli.completing import one_of
from qlearn.cli.options import number
from qlearn.cli.terminal import print_exactly, say, with_hidden_shown
from qlearn.cli.workspace import Workspace, use_of, workspace
from qlearn.confidence import confidence
from qlearn.errors import QlearnError, StoreError
from qlearn.interchange import VIEWS, WRITABLE, instincts
from qlearn.interchange.agents_md import FILES
from qlearn.learning import Learning, parse_learnings

app = typer.Typer()


def _of(names: Collection[str]) -> Callable[[str], str]:
    """A check that a value is one of some names, for Typer to call."""

    def check(name: str) -> str:
        if name and name not in names:
            raise typer.BadParameter(f"'{name}' is none of {', '.join(names)}")
        return name

    return check


_EXPORTED = ChainMap(VIEWS, WRITABLE)
_Output = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        callback=_of(_EXPORTED),
        autocompletion=one_of(_EXPORTED),
        help=f"One of {', '.join(_EXPORTED)}.",
    ),
]


@app.command("export", epilog="Example: qlearn export --all --format json -o learnings.json")
def export(
    ctx: typer.Context,
    format: _Output = "md",  # noqa: A002 - the option's name
    output: Annotated[str, typer.Option("-o", metavar="PATH", help="Write to a file or a folder.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    everything: Annotated[bool, typer.Option("--all", "-a", help="Also those that are resolved.")] = False,
    into: Annotated[
        str,
        typer.Option(
            "--into", metavar="FILE", callback=_of(FILES), help=f"Put agents-md into {' or '.join(FILES)}."
        ),
    ] = "",
    remove: Annotated[bool, typer.Option("--remove", help="Take it out of that file again.")] = False,
    domain: Annotated[str, typer.Option("--domain", metavar="DOMAIN", help="Only those of a domain.")] = "",
    min_confidence: Annotated[
        float,
        typer.Option(
            "--min-confidence",
            metavar="X",
            min=0,
            max=1,
            callback=number,
            help="Only those that are so sure.",
        ),
    ] = 0,
    scope: Annotated[
        Literal["project", "global"] | None,
        typer.Option("--scope", metavar="SCOPE", help="Only those that are project or global."),
    ] = None,
) -> None:
    """Write the learnings for other programs or projects.

    `qlearn import` reads what was exported; with --all, that gives the same registry. html is a page to look
    at, search and share, in one file that needs nothing else. agents-md is a block with the best learnings
    for clients that have no hooks; what else stands in their file stays as it is. instincts is a file, or a
    folder of files, of instincts; session-learning is a folder of YAML files; in
    those that are there, only what changed is written.
    """
    if (into or remove) and (format != "agents-md" or not into):
        raise typer.BadParameter("belongs to --format agents-md --into FILE", param_hint="--into, --remove")
    if into and output:
        raise typer.BadParameter("leave one out; both name where to write", param_hint="--into, -o")
    place = workspace(ctx)
    if into:
        _say_changed(place, into, ctx.obj.now, remove)
        return
    text = place.read()
    today = ctx.obj.now.astimezone(dt.UTC).date()
    entries = tuple(
        entry
        for entry in parse_learnings(text)
        if (everything or not entry.resolved)
        and domain.lower() in ("", (entry.domain or "").lower())
        and scope in (None, entry.scope)
        and confidence(entry.confidence, entry.evidence, today) >= min_confidence
    )
    if output and format == instincts.NAME:
        _write_instincts(place, Path(output), entries, force)
        return
    if output and format == "session-learning":
        from qlearn.cli.stores import Figures, write_store

        figures = Figures(use_of(ctx), ctx.obj.now)
        count = write_store(place, Path(output), text, entries, figures, _replace)
        say(f"Wrote {len(entries)} to {output}." if count else f"{output} needs no change.")
        return
    files: Mapping[str, str]
    if format in VIEWS:
        name = "All projects" if ctx.obj.everywhere else ""
        files = interchange.view(format).write(entries, frame(place, ctx.obj.now, name))
    else:
        files = interchange.writer(format).write(text, entries)
    if output:
        _write_out(files, Path(output), force, place)
        say(f"Wrote {len(entries)} to {output}.")
    elif len(files) == 1:
        _print_text(*files.values())
    else:
        raise QlearnError(f"{format} makes {len(files)} files; name a folder for them with -o")


def _write_instincts(place: Workspace, output: Path, entries: tuple[Learning, ...], force: bool) -> None:
    from qlearn.cli import packs

    found = packs.targets(output, entries, force=force)
    _write_all(found, place, folders=output not in found)
    own = project.find(place.root, {})
    packs.tell_of_this_machine(entries, filter(None, (place.root, own.remote)))
    say(f"Wrote {len(entries)} to {output}." if found else f"{output} needs no change.")


def _say_changed(place: Workspace, path: str, now: dt.datetime, remove: bool) -> None:
    changed = take_out(place, path) if remove else renew(place, path, now)
    if not changed:
        say(f"{path} needs no change.")
    else:
        say(f"The learnings are no longer in {path}." if remove else f"The learnings are in {path}.")


def _write_out(files: Mapping[str, str], output: Path, force: bool, place: Workspace) -> None:
    """Write the one file there is, or several into a folder; none is replaced without *force*.

    Raises:
        StoreError: As `_write_all`; or a target is there already.
    """
    alone = len(files) == 1
    targets = {output if alone else output / name: text for name, text in files.items()}
    for target in targets:
        if target.is_file() and not (force or target.is_symlink() or _is_memory(target, place)):
            raise StoreError(f"{target}: exists already, so nothing was written; --force replaces it")
    _write_all(targets, place, folders=not alone)


def _write_all(targets: Mapping[Path, str], place: Workspace, *, folders: bool) -> None:
    """Write files, once it is known of all that they may be.

    Args:
        folders: Make those that are missing on the way.

    Raises:
        StoreError: A target is no plain file, or is one of the project's own memory.
    """
    for target in targets:
        if target.is_symlink() or (target.exists() and not target.is_file()):
            raise StoreError(f"{target}: no plain file; it was left alone. Name another.")
        if _is_memory(target, place):
            raise StoreError(
                f"{target}: a part of the project's memory, so nothing was written. Name another."
            )
    for target, text in targets.items():
        if folders:
            target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, text.encode())


def _is_memory(target: Path, place: Workspace) -> bool:
    """Whether a path leads to a file that an export must not replace: of this registry or of any project."""
    names = (project.LEARNINGS, project.ARCHIVE, project.MISTAKES, project.PROPOSALS)
    real = target.resolve()
    if real.parent.name == project.FOLDER and real.name in {Path(name).name for name in names}:
        return True
    own = (Path(place.root, name) for name in {*names, *place[1:]})
    return any(real == path.resolve() or (target.exists() and _is_one(target, path)) for path in own)


def _is_one(target: Path, path: Path) -> bool:
    """Whether both are names of one file, as hard links are, and names that differ in case on some disks."""
    return path.exists() and target.samefile(path)


def _replace(target: Path, data: bytes) -> None:
    """Write a whole file or none: a new one beside it, with the mode of the one whose place it takes."""
    new = target.with_name(f".{target.name}.{secrets.token_hex(4)}{store.TEMPORARY_SUFFIX}")
    try:
        with new.open("xb") as file:  # which follows no link
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            new.chmod(target.stat().st_mode & 0o7777)
        new.replace(target)
    except OSError as error:
        raise StoreError(f"{target}: {error.strerror}; nothing was written") from error
    finally:
        new.unlink(missing_ok=True)


def _print_text(text: str) -> None:
    """Print a text as it is; on a terminal, what that would obey is shown."""
    print_exactly(with_hidden_shown(text) if sys.stdout.isatty() else text)
