"""Where a command works: the files of one registry, read as text and changed by pure functions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qlearn import project, store
from qlearn.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import TypeVar

    import typer

    from qlearn.usage import Usage

    T = TypeVar("T")

IGNORED = (*store.IGNORED, "proposals.md")
"""What git ignores in `.qe/`: what belongs to this clone alone."""


class Call(NamedTuple):
    """How the program was called: the folder given with -C, "" for the current one, when, and with -g."""

    folder: str
    now: datetime
    everywhere: bool = False


class Texts(NamedTuple):
    """A registry and its archive; "" for a file that is not there."""

    registry: str
    archive: str


class Workspace(NamedTuple):
    """The files of a registry, by their paths below a folder."""

    root: str
    registry: str = project.LEARNINGS
    archive: str = project.ARCHIVE
    mistakes: str = project.MISTAKES
    proposals: str = project.PROPOSALS

    def read(self, path: str = "", *, may_be_empty: bool = False) -> str:
        """Read the registry, or another file; "" if it is not there, U+FFFD for what is not UTF-8.

        Raises:
            StoreError: It can't be read.
        """
        data = store.read(path or self.registry, root=self.root, may_be_empty=may_be_empty)
        return "" if data is None else data.decode("utf-8", "replace")

    def look(self, path: str = "") -> str:
        """As `read`, for commands that show it: bytes that are not UTF-8, and NULs, are told on stderr."""
        data = store.read(path or self.registry, root=self.root)
        return "" if data is None else _shown(path or self.registry, data)

    def prepare(self) -> None:
        """Make the folder of the registry, and in it the list of what git shall ignore; twice is once.

        Raises:
            StoreError: Something else is in the way.
        """
        if folder := self.registry.rpartition("/")[0]:
            store.make_folder(folder, root=self.root)
            store.update(f"{folder}/.gitignore", _with_ignored, root=self.root, may_be_empty=True)

    def update(self, change: Callable[[Texts], tuple[Texts, T]], *, limit: int = store.COMMAND_LIMIT) -> T:
        """Replace registry and archive by what *change* makes of them, and return its value.

        Args:
            limit: In bytes, for each of the files.

        Raises:
            RegistryError: One of them is not UTF-8, so that it can't be written without loss.
            StoreError: It can't be read, locked or replaced.
        """
        files = (self.archive, self.registry)  # what moves comes into its new place first

        def change_bytes(before: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], T]:
            archive, registry = map(store.decoded, files, before)
            after, value = change(Texts(registry, archive))
            return (after.archive.encode(), after.registry.encode()), value

        return store.update_files(files, change_bytes, root=self.root, limit=limit)


def here(ctx: typer.Context) -> project.Project:
    """The project that the command is called for, which may be unknown."""
    return project_of(ctx.obj)


def workspace(ctx: typer.Context) -> Workspace:
    """The registry that the command is called for, as `workspace_of`."""
    return workspace_of(ctx.obj)


def folder_of(call: Call) -> str:
    """The folder that a call is made in or for.

    Raises:
        NotFoundError: It is the current one, and that was removed.
    """
    try:
        return call.folder or str(Path.cwd())
    except FileNotFoundError:
        raise NotFoundError("the current folder is gone; go to another one, or name it with -C") from None


def project_of(call: Call) -> project.Project:
    """The project that a call is for, which may be unknown.

    Raises:
        NotFoundError: As `folder_of`.
    """
    return project.find(folder_of(call), {} if call.folder else os.environ)


def workspace_of(call: Call) -> Workspace:
    """The registry of the project that a call is for; with -g, the user's own.

    Raises:
        NotFoundError: There is no project at or above the folder.
    """
    if call.everywhere:
        from qlearn import paths

        user = paths.find(os.environ)
        paths.make(user.data)
        return of_user(user.data)
    found = project_of(call)
    if not found.known:
        raise NotFoundError(f"{found.why}; `qlearn init` starts a project here")
    return Workspace(found.root)


def of_user(folder: str) -> Workspace:
    """The registry of what holds in every project, in the user's own folder."""
    return Workspace(folder, "learnings.md", "learnings.archive.md", "MISTAKE.md", "proposals.md")


def use_of(ctx: typer.Context) -> Usage:
    """What became of the learnings shown, by the ledger in the user's store."""
    from qlearn import ledger, paths
    from qlearn.usage import summarise

    found, user = here(ctx), paths.get(os.environ)
    events = ledger.read(user.project(found.id)).events if user is not None and found.known else ()
    return summarise(events)


def exists(path: Path) -> bool:
    """Whether something is there; what a file of the project names may be too long to be a path at all."""
    try:
        return path.exists()
    except OSError:
        return False


def _with_ignored(before: bytes) -> bytes:
    lines = before.splitlines()
    missing = [name.encode() for name in IGNORED if name.encode() not in lines]
    if not missing:
        return before
    start = before if not before or before.endswith(b"\n") else before + b"\n"
    return start + b"".join(name + b"\n" for name in missing)


def _shown(path: str, data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    if "\ufffd" in text or "\0" in text:
        from qlearn.cli.terminal import note
        from qlearn.problems import decode

        _, flaws = decode(data)
        for flaw in flaws:
            note(f"{path}:{flaw.lineno}: {flaw.message}")
        if not flaws and "\0" in text:
            note(f"{path}: holds NULs, as UTF-16 does; save the file as UTF-8")
    return text
