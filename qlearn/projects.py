"""The projects a user has worked in: `projects.json` in the user's store, and a folder for each.

    {"620c3a937ce8": {"name": "repo", "root": "/home/a/repo", "remote": "github.com/owner/repo",
                      "last_seen": "2026-11-30"}}

Keys of other programs are kept. Remotes are normalised when they are read, so that no credentials are written
back, whoever wrote them.
"""

from __future__ import annotations

import json
import os

from qlearn import paths, store
from qlearn.errors import NotFoundError, QlearnError, StoreError
from qlearn.identity import digest, normalise_remote
from qlearn.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from datetime import date

    from qlearn.paths import UserPaths
    from qlearn.project import Project

NAME = "projects.json"


class Known(NamedTuple):
    """What is remembered of a project."""

    id: str
    name: str
    root: str
    """Where it was seen last; there may be other clones."""
    remote: str
    last_seen: str
    """A UTC day, "2026-11-30"; other programs write a time behind it."""
    rest: tuple[tuple[str, object], ...] = ()
    """What other programs wrote."""


class Sorted(NamedTuple):
    """Projects that stay and projects that can go."""

    kept: tuple[Known, ...]
    gone: tuple[Known, ...]


def parse(data: bytes) -> tuple[Known, ...]:
    """Read `projects.json`; nothing at all is no projects.

    Raises:
        StoreError: It is something else, and should not be written over.
    """
    try:
        record = json.loads(data.decode("utf-8-sig")) if data else {}
        return tuple(_known(project_id, fields) for project_id, fields in record.items())
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise StoreError(
            f"{NAME} is broken ({error}). Repair it, or remove it: it fills up again."
        ) from error


def render(known: Iterable[Known]) -> bytes:
    """Write `projects.json`, ordered by id."""
    record = {
        each.id: {
            "name": each.name,
            "root": each.root,
            "remote": each.remote,
            "last_seen": each.last_seen,
            **dict(each.rest),
        }
        for each in sorted(known, key=lambda each: each.id)
    }
    return json.dumps(record, indent=2).encode() + b"\n"


def find(known: Iterable[Known], name: str) -> Known:
    """Find a project by its id, the beginning of it, or its name.

    Raises:
        NotFoundError: There is none, or more than one.
    """
    known = tuple(known)
    for found in (
        [each for each in known if each.id == name],
        [each for each in known if each.name == name],
        [each for each in known if name and each.id.startswith(name)],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(each.id for each in found)
            raise NotFoundError(f"{len(found)} projects are called {name!r}; give the id: {ids}.")
    raise NotFoundError(f"no project {name!r}; `qlearn projects` lists them.")


def seen(known: Iterable[Known], project: Project, today: date) -> tuple[Known, ...]:
    """Note that a project was seen on a day; one that is unknown leaves no note."""
    known = tuple(known)
    if not project.known:
        return known
    rest = next((each.rest for each in known if each.id == project.id), ())
    note = Known(project.id, project.name, project.root, project.remote, today.isoformat(), rest)
    if any(each.id == project.id for each in known):
        return tuple(note if each.id == project.id else each for each in known)
    return (*known, note)


def merged(known: Iterable[Known], source: Known, target: Known) -> tuple[Known, ...]:
    """Let *target* stand for *source*, too."""
    latest = target._replace(last_seen=max(source.last_seen, target.last_seen))
    return tuple(latest if each.id == target.id else each for each in known if each.id != source.id)


def stale(known: Iterable[Known], exists: Callable[[str], bool], before: date) -> Sorted:
    """Tell the projects that can go: their folder does not exist, and they were last seen before a day."""
    known = tuple(known)
    gone = tuple(each for each in known if each.last_seen < before.isoformat() and not exists(each.root))
    return Sorted(tuple(each for each in known if each not in gone), gone)


def read(user: UserPaths) -> tuple[Known, ...]:
    """Read the projects known so far; nothing is made.

    Raises:
        StoreError: The file is broken, or can't be read.
    """
    return parse(store.read(NAME, root=user.data, may_be_empty=True) or b"")


def record(user: UserPaths, project: Project, today: date, *, wait: float = store.COMMAND_WAIT) -> None:
    """Note on disk that a project was seen today, once a day.

    Raises:
        StoreError: It could not be written.
    """
    _update(user, lambda known: seen(known, project, today), wait)


def merge(user: UserPaths, source: Known, target: Known) -> None:
    """Let *target* stand for *source* on disk, too: nothing is lost, and nothing joined by copying.

    "x.jsonl" of the source becomes "x.<source id>.jsonl" beside that of the target; what else there is moves
    into "merged/<source id>/".

    Raises:
        QlearnError: They are the same.
        StoreError: Something could not be moved; once more does the rest.
    """
    if source.id == target.id:
        raise QlearnError(f"{source.id} can't be merged into itself.")
    old, new = user.project(source.id), user.project(target.id)
    try:
        if os.path.isdir(old):
            paths.make(os.path.join(new, "merged"))
            for name in sorted(os.listdir(old)):
                if name.endswith(".jsonl"):
                    os.rename(os.path.join(old, name), _free(new, f"{name[:-6]}.{source.id}", ".jsonl"))
            os.rename(old, _free(os.path.join(new, "merged"), source.id, ""))
    except OSError as error:
        raise StoreError(f"{old}: {error.strerror or error}; it was not moved to {new}.") from error
    _update(user, lambda known: merged(known, source, target))


def remove(user: UserPaths, projects: Collection[Known]) -> None:
    """Delete what was kept of projects in the user's store; their own folders are not touched.

    Raises:
        StoreError: Something could not be deleted.
    """
    import shutil

    for each in projects:
        folder = user.project(each.id)
        try:
            if os.path.lexists(folder):
                shutil.rmtree(folder)
        except OSError as error:
            raise StoreError(f"{folder}: {error.strerror or error}; it was not removed.") from error
    ids = {each.id for each in projects}
    _update(user, lambda known: tuple(each for each in known if each.id not in ids))


def _update(
    user: UserPaths,
    change: Callable[[tuple[Known, ...]], tuple[Known, ...]],
    wait: float = store.COMMAND_WAIT,
) -> None:
    """Write what *change* makes of the projects; a broken file is kept beside under a name of its own."""
    data = store.read(NAME, root=user.data, may_be_empty=True) or b""
    known = _parse_whole(data)
    if known is not None and change(known) == known:
        return
    backup = f"{NAME}.broken-{digest(data.decode('latin-1'))[:8]}"

    def changed(before: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], None]:
        saved, data = before
        known = _parse_whole(data)
        return (data if known is None else saved, render(change(known or ()))), None

    paths.make(user.data)
    store.update_files((backup, NAME), changed, root=user.data, wait=wait, may_be_empty=True)


def _parse_whole(data: bytes) -> tuple[Known, ...] | None:
    try:
        return parse(data)
    except StoreError:
        return None


def _known(project_id: str, fields: dict[str, object]) -> Known:
    rest = {**fields}
    texts = [rest.pop(key, "") for key in ("name", "root", "remote", "last_seen")]
    name, root, remote, last_seen = (text if isinstance(text, str) else "" for text in texts)
    if [name, root, remote, last_seen] != texts:
        raise TypeError(f"{project_id!r} has a field that is no text")
    return Known(project_id, name, root, normalise_remote(remote), last_seen, tuple(rest.items()))


def _free(folder: str, stem: str, suffix: str) -> str:
    """A path in *folder* that is not taken."""
    path = os.path.join(folder, stem + suffix)
    number = 2
    while os.path.lexists(path):
        path = os.path.join(folder, f"{stem}.{number}{suffix}")
        number += 1
    return path
