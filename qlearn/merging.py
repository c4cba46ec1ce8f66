"""Merges as git makes them: what a merge driver is given, what a merge under way is made of, what it lost.

git merges one file at a time and GitHub runs no driver at all. So where more of a merge can be found out, it
is, and where it can't, `check` and `fix` still tell and mend what is left.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qlearn import project, store
from qlearn.errors import NotFoundError, QlearnError, RegistryError, StoreError
from qlearn.lost import compare_parents
from qlearn.merge import Memory, Merged, merge, merge_memories, unmerged
from qlearn.registry import conflict_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from qlearn.errors import Problem
    from qlearn.git import Repository

NAME = "qlearn"
# The shell runs this. qlearn leaves markers wherever it fails; where there are none, it did not run at all,
# and without another merge git would take one side for the whole.
DRIVER = (
    "qlearn merge-driver -- %O %A %B %L %P"
    " || { grep -qs '^<<<<<<<' %A && exit 1; git merge-file --marker-size=%L %A %O %B; }"
)
REGISTRY, ARCHIVE = (path.rpartition("/")[2] for path in (project.LEARNINGS, project.ARCHIVE))
ATTRIBUTES = tuple(f"**/{path} merge={NAME}" for path in (project.LEARNINGS, project.ARCHIVE))


class Heads(NamedTuple):
    """The commits of a three-way merge: the common ancestors, our side and theirs."""

    bases: tuple[str, ...]
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

    def joined(self, bases: Sequence[str], repository: Repository, depth: int = 8) -> Memory:
        """One base made of several, which merge as git merges them; "" if there is none.

        Args:
            depth: How often bases of bases are asked for; those of criss-cross merges may go far back.
        """
        first, *others = bases or ("",)
        memory = self.at(first, repository)
        for other in others:
            older = repository.merge_bases(first, other) if depth else ()
            base = self.joined(older, repository, depth - 1)
            memory = Memory(*(each.text for each in merge_memories(base, memory, self.at(other, repository))))
        return memory

    def of(self, heads: Heads, repository: Repository) -> tuple[Memory, Memory, Memory]:
        """The base and both sides."""
        return (
            self.joined(heads.bases, repository),
            self.at(heads.ours, repository),
            self.at(heads.theirs, repository),
        )


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
        return Heads(repository.merge_bases(ours, theirs), ours, theirs)
    for name in ("CHERRY_PICK_HEAD", "REBASE_HEAD"):
        if theirs := repository.commit(name):
            return Heads(repository.parents(theirs)[:1], ours, theirs)
    if base := repository.commit("REVERT_HEAD"):
        return Heads((base,), ours, repository.commit(f"{base}^"))
    return None


def merge_again(repository: Repository, files: Files, now: Memory) -> tuple[Merged, Merged]:
    """Merge by entries what git has merged by lines: what has stopped, or else the merge that HEAD is.

    Args:
        now: What stands in the work tree. It must be git's own, since it is going to be written over: in a
            conflict, or as it was committed.

    Raises:
        NotFoundError: Nothing has stopped, and HEAD is no merge of two.
        RegistryError: What stands there is not git's own.
    """
    heads = under_way(repository)
    if heads:
        if not any(conflict_line(text) for text in now):
            raise RegistryError("no conflict marker is left, so nothing was written over")
    else:
        head = repository.commit("HEAD")
        parents = repository.parents(head) if head else ()
        if len(parents) != 2:
            raise NotFoundError(
                "no merge, cherry-pick, rebase or revert has stopped here, and HEAD is no merge"
            )
        if files.at(head, repository) != now:
            raise RegistryError(
                "it was changed since the merge, so nothing was written over; commit it first"
            )
        heads = Heads(repository.merge_bases(*parents), *parents)
    return merge_memories(*files.of(heads, repository))


def lost(repository: Repository, files: Files, now: Memory) -> tuple[Problem, ...]:
    """Name what a merge has lost of its parents: the one under way, or the one that HEAD is.

    Args:
        now: What stands in the work tree, which the merge under way is going to say.

    Raises:
        NotFoundError: HEAD is no merge, and none is under way.
    """
    if heads := under_way(repository):
        base, *parents = files.of(heads, repository)
        return compare_parents(now, parents, base)
    head = repository.commit("HEAD")
    commits = repository.parents(head) if head else ()
    if len(commits) < 2:
        raise NotFoundError("HEAD is no merge, and none is under way; there are no parents to compare with")
    base = files.joined(repository.merge_bases(*commits[:2]), repository)
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
            heads = Heads(repository.merge_bases(ours, theirs), ours, theirs)
            try:
                base, *sides = files.of(heads, repository)
            except StoreError:
                continue  # a partial clone has only what git itself needs
            if [memory[which] for memory in sides] == [*texts[1:]]:
                # Of several bases git, too, has made one text.
                return [base._replace(**{Memory._fields[which]: texts[0]}), *sides]
    return []


def install(repository: Repository) -> None:
    """Let git merge registries and archives of this clone by entries.

    The settings stay in the clone: what others check out does not change, and names no program.

    Raises:
        NotFoundError: This is no clone.
    """
    if repository.ask("rev-parse", "--git-dir").code:
        raise NotFoundError(f"no git repository at or above {repository.folder}; `git init` makes one")
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
