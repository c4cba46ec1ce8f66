"""The folder in which an older instinct system keeps what it knows: what is in it, read and never touched.

ROOT/instincts/{personal,inherited,pending}/    what holds everywhere
ROOT/projects/ID/instincts/...                  what holds in one project
ROOT/projects.json                              the projects' names
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qlearn import gathering, interchange, store
from qlearn.errors import Problem, StoreError
from qlearn.interchange import Passed, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDERS = ("personal", "inherited", "pending")


class Place(NamedTuple):
    """What holds in one project, or everywhere, where `id` and `name` are "".

    `root` is where the project was, "" if the older system has not noted that. `counts` are its instincts by
    the folder they are in.
    """

    id: str
    name: str
    root: str
    reading: Reading
    counts: Mapping[str, int]


class OldRoot(NamedTuple):
    """A root: the places that hold anything, what could not be read, and what is left.

    `left` counts the files that are not taken, by the name of the file or the folder they are in.
    """

    path: str
    places: tuple[Place, ...]
    passed: tuple[Passed, ...]
    left: Mapping[str, int]


def find(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The roots that this user has, of two names for one the first."""
    home = Path(environ.get("HOME") or Path.home())
    data = Path(environ.get("XDG_DATA_HOME", ""))
    candidates = (
        (data if data.is_absolute() else home / ".local/share") / "ecc-homunculus",
        home / ".claude/homunculus",
    )
    found: dict[Path, Path] = {}
    for path in candidates:
        if path.is_dir():
            found.setdefault(path.resolve(), path)
    return tuple(map(str, found.values()))


def look(path: str) -> OldRoot:
    """Read a root.

    Raises:
        StoreError: There is no folder at *path*, it holds too much, or it is no root.
    """
    root = Path(path)
    if not root.is_dir():
        raise StoreError(f"{path}: no such folder")
    folders = [root, *(each for each in _inside(root / "projects") if _is_folder(each))]
    if len(folders) == 1 and not (root / "instincts").is_dir():
        raise StoreError(f"{path}: holds neither instincts/ nor projects/; name the folder that does")
    known, passed = _projects(root)
    places: list[Place] = []
    left: Counter[str] = Counter()
    for folder in folders:
        found = gathering.Gathered({})
        if (folder / "instincts").is_dir():
            found = gathering.gather(str(folder / "instincts"), base=path)
        reading: Reading = interchange.reader("instincts").read(found.files)
        passed += (*found.passed, *reading.passed)
        project_id = "" if folder is root else folder.name
        notes = known.get(project_id, {})
        folders_of = (draft.path.split("/")[-2] for draft in reading.drafts)
        counts = Counter(name if name in FOLDERS else FOLDERS[0] for name in folders_of)
        if reading.drafts:
            name = notes.get("name") or project_id
            places.append(Place(project_id, name, notes.get("root", ""), reading, counts))
        left.update(_left(folder, ("projects", "projects.json") if folder is root else ()))
    return OldRoot(path, tuple(places), tuple(passed), left)


def _projects(root: Path) -> tuple[dict[str, dict[str, str]], list[Passed]]:
    """What `projects.json` says of projects, by id; nothing, and why, where it can't be read."""
    try:
        data = store.read("projects.json", root=str(root), limit=gathering.LARGEST_FILE, may_be_empty=True)
        record = json.loads(data.decode("utf-8-sig")) if data and data.strip() else {}
        each_is_one = isinstance(record, dict) and all(isinstance(each, dict) for each in record.values())
    except (StoreError, ValueError, RecursionError):
        each_is_one = False
    if not each_is_one:
        return {}, [Passed("projects.json", Problem(1, "no list of projects; they go by their ids"))]
    return {
        project_id: {key: text for key in ("name", "root") if isinstance(text := each.get(key), str)}
        for project_id, each in record.items()
    }, []


def _left(folder: Path, taken: tuple[str, ...]) -> Iterator[str]:
    """The name of each file or folder that is not taken, once for each file."""
    for path in _inside(folder):
        if path.name not in ("instincts", *taken):
            count = sum(len(files) for _, _, files in os.walk(path)) if _is_folder(path) else 1
            yield from [path.name] * count


def _inside(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
