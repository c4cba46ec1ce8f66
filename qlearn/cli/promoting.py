"""Promotion on disk: the registries of all projects known, and the user's own."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING

from qlearn import config, paths, projects, store
from qlearn import project as files
from qlearn.cli.terminal import note, say
from qlearn.errors import QlearnError
from qlearn.learning import Learning, parse_learnings
from qlearn.promotion import Candidate, candidates, copies_of, linked, promote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from qlearn.paths import UserPaths
    from qlearn.project import Project

REGISTRY, ARCHIVE = "learnings.md", "learnings.archive.md"


def candidates_on_disk(user: UserPaths, here: Project, now: dt.datetime) -> tuple[Candidate, ...]:
    """Find what several projects hold and the user's own registry does not; the best first."""
    today = now.astimezone(dt.UTC).date()
    copies = [
        copy
        for project_id, name, root in _roots(user, here)
        for copy in copies_of(project_id, name, _text(root), today)
    ]
    return candidates(copies, parse_learnings(_own(user, REGISTRY)))


def show(candidate: Candidate) -> None:
    """Print a candidate: its copies, and its texts where they differ."""
    state = "ready" if candidate.ready else "not yet"
    say(f"{candidate.key}: mean confidence {candidate.mean} in {len(candidate.copies)} projects ({state})")
    for copy in candidate.copies:
        say(f"  {copy.confidence}  {copy.learning.id} in {copy.name}: {copy.learning.title}")
    if len(candidate.wordings) > 1:
        say("  The texts differ:")
        for number, wording in enumerate(candidate.wordings, 1):
            say(f"  {number}. {wording}")


def write(user: UserPaths, here: Project, candidate: Candidate, now: dt.datetime, wording: int) -> str:
    """Promote a candidate and link its copies; return the id in the user's registry.

    Raises:
        StoreError, RegistryError: Something could not be written. A copy without its link is still known to
            be the same by its Key.
    """
    if wording >= len(candidate.wordings):
        raise QlearnError(
            f"there are {len(candidate.wordings)} texts; --wording takes 1-{len(candidate.wordings)}"
        )
    paths.make(user.data)

    def change(before: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], str]:
        promoted = promote(
            store.decoded(REGISTRY, before[0]),
            candidate,
            now=now,
            archive=before[1].decode("utf-8", "replace"),
            wording=candidate.wordings[wording],
        )
        return (promoted.text.encode(), before[1]), promoted.id

    promoted_id = store.update_files((REGISTRY, ARCHIVE), change, root=user.data)
    roots = {project_id: root for project_id, _, root in _roots(user, here)}
    for copy in candidate.copies:
        if root := roots.get(copy.project):

            def link(data: bytes, entry: Learning = copy.learning) -> bytes:
                return linked(store.decoded(files.LEARNINGS, data), entry, promoted_id).encode()

            store.update(files.LEARNINGS, link, root=root)
    return promoted_id


def promote_unasked(here: Project, environ: Mapping[str, str], now: dt.datetime) -> None:
    """Promote what is ready, and say so, where the user's settings want that: `promotion = "auto"`.

    Raises:
        As `write`.
    """
    user = paths.get(environ)
    if user is None or config.load(here.root, user, environ).config.promotion != "auto":
        return
    for each in candidates_on_disk(user, here, now):
        if each.ready:
            note(f"{each.key} holds in several projects; it is global {write(user, here, each, now, 0)} now")


def _roots(user: UserPaths, here: Project) -> Iterator[tuple[str, str, str]]:
    """The projects that are on this disk, by id, name and folder; this one, too, if it is new."""
    known = {each.id: (each.id, each.name, each.root) for each in projects.read(user)}
    if here.known:
        known[here.id] = (here.id, here.name, here.root)
    return (each for each in known.values() if each[2] and Path(each[2]).is_dir())


def _text(root: str) -> str:
    return (store.read(files.LEARNINGS, root=root, may_be_empty=True) or b"").decode("utf-8", "replace")


def _own(user: UserPaths, name: str) -> str:
    if not Path(user.data).is_dir():
        return ""
    return (store.read(name, root=user.data, may_be_empty=True) or b"").decode("utf-8", "replace")
