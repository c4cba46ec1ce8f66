"""The block of learnings in AGENTS.md and its likes, on the disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qlearn import config, project, store
from qlearn.decay import day_start
from qlearn.errors import Problem, RegistryError
from qlearn.interchange import Frame
from qlearn.interchange.agents_md import FILES, block, stale, with_block, without_block
from qlearn.learning import parse_learnings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from qlearn.cli.workspace import Workspace


def frame(place: Workspace, now: datetime, name: str = "") -> Frame:
    """How learnings of a project are shown: by its own settings, so that everybody writes the same."""
    top = config.load(place.root, None, {}).config.top
    return Frame(name or Path(place.root).name, day_start(now), top)


def renew(place: Workspace, path: str, now: datetime) -> bool:
    """Write the block into a file, which is made if there is none; False if it stands there so."""
    new = block(parse_learnings(place.read()), frame(place, now))
    place.prepare()
    return _change(place, path, lambda text: with_block(text, new))


def take_out(place: Workspace, path: str) -> bool:
    """Take the block out of a file; False if there is none."""
    return place.read(path, may_be_empty=True) != "" and _change(place, path, without_block)


def problems(place: Workspace, now: datetime) -> Iterator[tuple[str, Problem]]:
    """Tell where a block is out of date or broken."""
    new = block(parse_learnings(place.read()), frame(place, now))
    for path in FILES:
        try:
            problem = stale(place.read(path, may_be_empty=True), new, path)
        except RegistryError as error:
            problem = Problem(1, str(error))
        if problem:
            yield path, problem


def _change(place: Workspace, path: str, change: Callable[[str], str]) -> bool:
    changed = False

    def change_bytes(data: bytes) -> bytes:
        nonlocal changed
        before = store.decoded(path, data)
        try:
            after = change(before).encode()
        except RegistryError as error:
            raise RegistryError(f"{path}: {error}") from error
        changed = after != data
        return after

    lock_file = f"{project.FOLDER}/.lock"
    store.update(path, change_bytes, root=place.root, may_be_empty=True, lock_file=lock_file)
    return changed
