"""Merges as git makes them: what a merge driver is given, what a merge under way is made of, what it lost.

git merges one file at a time and GitHub runs no driver at all. So where more of a merge can be found out, it
is, and where it can't, `check` and `fix` still tell and mend what is left.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qlearn import project, store
from qlearn.errors import NotFoundError, QlearnError
from qlearn.lost import compare_parents
from qlearn.merge import Memory, Merged, merge, merge_memories, unmerged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from qlearn.errors import Problem
    from qlearn.git import Repository

NAME = "qlearn"
# The shell runs this. qlearn leaves markers wherever it fails; where there are none, it did not run at all,
# and without another merge git would take one side for the whole.
DRIVER = (
    "qlearn merge-driver %O %A %B %L %P"
    " || { grep -qs '^<<<<<<<' %A && exit 1; git merge-file --marker-size=%L %A %O %B; }"
)
REGISTRY, ARCHIVE = (path.rpartition("/")[2] for path in (project.LEARNINGS, project.ARCHIVE))
ATTRIBUTES = tuple(f"**/{path} merge={NAME}" for path in (project.LEARNINGS, project.ARCHIVE))


class Heads(NamedTuple):
    """The commits of a three-way merge; `base` is "" if the two have no common ancestor."""

    base: str
    ours: str
    theirs: str


class Files(NamedTuple):
    """The paths of a registry and its archive, from the folder of the repository that is asked."""

    registry: str
    archive: str

    def at(self, commit: str, repository: Repository) -> Memory:
        """Both texts as they stand in a commit; "" for what is not there."""
        if not commit:
            return Memory("", "")
        return Memory(*(decode(repository.file(commit, path) or b"") for path in self))


def decode(data: bytes) -> str:
    """Read bytes as text so that `encode` gives them back, whatever they are."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The bytes that `decode` read."""
    return text.encode("utf-8", "surrogateescape")


def under_way(repository: Repository) -> Heads | None:
    """Find the merge, cherry-pick, rebase or revert that has stopped and waits to be concluded."""
    ours = repository.commit("HEAD")
    if theirs := repository.commit("MERGE_HEAD"):
        return Heads(repository.merge_base(ours, theirs), ours, theirs)
    for name in ("CHERRY_PICK_HEAD", "REBASE_HEAD"):
        if theirs := repository.commit(name):
            return Heads(repository.commit(f"{theirs}^"), ours, theirs)
    if base := repository.commit("REVERT_HEAD"):
        return Heads(base, ours, repository.commit(f"{base}^"))
    return None


def merge_under_way(repository: Repository, files: Files) -> tuple[Merged, Merged]:
    """Merge registry and archive once more, by entries, from the commits of the merge under way.

    Raises:
        NotFoundError: None is.
    """
    heads = under_way(repository)
    if heads is None:
        raise NotFoundError("no merge, cherry-pick, rebase or revert is under way here")
    return merge_memories(*(files.at(commit, repository) for commit in heads))


def lost(repository: Repository, files: Files, now: Memory) -> tuple[Problem, ...]:
    """Name what a merge has lost of its parents: the one under way, or the one that HEAD is.

    Args:
        now: What stands in the work tree, which the merge under way is going to say.

    Raises:
        NotFoundError: HEAD is no merge, and none is under way.
    """
    if heads := under_way(repository):
        base, *parents = (files.at(commit, repository) for commit in heads)
        return compare_parents(now, parents, base)
    head = repository.commit("HEAD")
    commits = repository.parents(head) if head else ()
    if len(commits) < 2:
        raise NotFoundError("HEAD is no merge, and none is under way; there are no parents to compare with")
    base = files.at(repository.merge_base(*commits[:2]), repository)
    return compare_parents(files.at(head, repository), [files.at(each, repository) for each in commits], base)


# The driver ---------------------------------------------------------------------------------------


def drive(
    repository: Repository, path: str, texts: Sequence[str], marker_size: int, environ: Mapping[str, str]
) -> Merged:
    """Merge one file for git: a registry or, by the name of *path*, an archive.

    Where it can't be merged by entries, both whole texts stand between markers.

    Args:
        texts: Of the base, our side and theirs.
        environ: In which git names the commits that it merges, as `GITHEAD_` and the commit. If the texts
            are theirs, numbers are given with regard to the other file, too.
    """
    folder, _, name = path.rpartition("/")
    files = Files(*(f"{folder}/{each}".lstrip("/") for each in (REGISTRY, ARCHIVE)))
    which = int(name == ARCHIVE)
    try:
        memories = _memories(repository, files, which, texts, environ)
        if memories:
            return merge_memories(*memories, marker_size=marker_size)[which]
        other = files.at(repository.commit("HEAD"), repository)[1 - which]
        if which:
            return merge(*texts, elsewhere=(other,), marker_size=marker_size)
        return merge(*texts, archive=other, marker_size=marker_size)
    except QlearnError as error:
        return unmerged(texts[1], texts[2], str(error), marker_size=marker_size)


def _memories(
    repository: Repository, files: Files, which: int, texts: Sequence[str], environ: Mapping[str, str]
) -> list[Memory]:
    """Both files of all three versions, if the texts of one of them are those of commits; else none."""
    ours = repository.commit("HEAD")
    for name in environ:
        theirs = repository.commit(name.removeprefix("GITHEAD_")) if name.startswith("GITHEAD_") else ""
        if theirs:
            commits = (repository.merge_base(ours, theirs), ours, theirs)
            found = [files.at(commit, repository) for commit in commits]
            if [memory[which] for memory in found[1:]] == [*texts[1:]]:
                # Of several bases git has made one text.
                return [found[0]._replace(**{Memory._fields[which]: texts[0]}), *found[1:]]
    return []


def install(repository: Repository) -> None:
    """Let git merge registries and archives of this clone by entries.

    The settings stay in the clone: what others check out does not change, and names no program.
    """
    repository.tell("config", "--local", f"merge.{NAME}.name", "entries of a registry, by qlearn")
    repository.tell("config", "--local", f"merge.{NAME}.driver", DRIVER)
    _change_attributes(repository, ATTRIBUTES)


def uninstall(repository: Repository) -> None:
    """Take out what `install` set; twice is once."""
    repository.ask("config", "--local", "--remove-section", f"merge.{NAME}")
    _change_attributes(repository, ())


def _change_attributes(repository: Repository, wanted: Iterable[str]) -> None:
    path = Path(repository.folder, repository.tell("rev-parse", "--git-path", "info/attributes")).resolve()
    path.parent.mkdir(exist_ok=True)

    def changed(before: bytes) -> bytes:
        lines = [line for line in before.splitlines() if os.fsdecode(line.strip()) not in ATTRIBUTES]
        return b"".join(line + b"\n" for line in (*lines, *map(os.fsencode, wanted)))

    store.update(path.name, changed, root=str(path.parent), may_be_empty=True)
