"""The user's own learnings on several machines, by a git repository beside them and a remote that is named.

It is an ordinary repository; `git log` in the folder shows what came and went. Only the registry and its
archive are in it. Merges are made here, by entries, and git only keeps and carries them.
"""

from __future__ import annotations

import random
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qlearn import store
from qlearn.errors import NotFoundError, QlearnError, RegistryError, StoreError
from qlearn.git import LONG, Answer, Repository
from qlearn.learning import parse_learnings
from qlearn.merge import Memory, Merged, merge_memories
from qlearn.merging import Files, decode, encode
from qlearn.registry import conflict_line, used_numbers
from qlearn.versions import content

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FILES = Files("learnings.md", "learnings.archive.md")
REMOTE = "origin"
BRANCH = "main"
ATTEMPTS = 8
LOCK = ".sync.lock"
WAIT = 60.0
"""Seconds to wait for another call of it on this machine."""

_IGNORED = "".join(f"{line}\n" for line in ("/*", *(f"!/{path}" for path in FILES)))
_NO_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's name for a tree of no files
# What a remote says to a push that comes too late: its branch has other commits, or is just being changed.
_MOVED = (b"[rejected]", b"cannot lock ref", b"failed to update ref", b"incorrect old value")
_CREDENTIALS = re.compile(r"//[^/@\s]+@")
_NOBODY = {f"GIT_{who}_{what}": "qlearn" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


class Synced(NamedTuple):
    """How many entries came from the remote, how many it got, and what is in conflict or may surprise."""

    came: int
    went: int
    conflicts: tuple[str, ...]
    notes: tuple[str, ...]


def sync(folder: str, environ: Mapping[str, str], *, remote: str = "") -> Synced:
    """Bring the learnings in *folder* and those at the remote together, by entries.

    If the remote moves meanwhile, it starts again, 8 times at most. In a conflict, both texts stand in the
    file, nothing is sent, and the next call concludes the merge once the markers are gone.

    Args:
        remote: The address to use from now on; "" for the one that was named before.

    Raises:
        NotFoundError: None was named yet.
        RegistryError: Conflict markers stand in a file, or what is no UTF-8.
        StoreError: The remote can't be reached, or refuses. What was learned here is kept, and committed.
    """
    repository = Repository(folder, environ)
    with store.lock(LOCK, root=folder, wait=WAIT):
        _prepare(repository)
        if remote:
            _name_remote(repository, remote)
        elif repository.ask("config", "--local", f"remote.{REMOTE}.url").code:
            raise NotFoundError("no remote is named yet; `qlearn sync --remote URL` names one")
        came = 0
        notes: list[str] = []
        for attempt in range(ATTEMPTS):
            head = _commit_here(repository)
            theirs = _fetch(repository)
            if theirs and repository.merge_bases(head, theirs) != (theirs,):
                registry, archive, fresh, gone = _merge(repository, head, theirs)
                came += fresh
                notes += (*registry.notes, *archive.notes, *gone)
                if conflicts := (*registry.conflicts, *archive.conflicts):
                    repository.tell("update-ref", "MERGE_HEAD", theirs)
                    return Synced(came, 0, conflicts, tuple(notes))
                head = _commit_here(repository, theirs)
            if head in ("", theirs):
                return Synced(came, 0, (), tuple(notes))
            if _push(repository, head):
                went = _new(FILES.at(head, repository), FILES.at(theirs, repository))
                return Synced(came, went, (), tuple(notes))
            time.sleep(random.random() * 0.1 * 2**attempt)
    raise StoreError(
        f"the remote moved {ATTEMPTS} times meanwhile; what was learned here is kept. Try again."
    )


def _prepare(repository: Repository) -> None:
    """Make the repository, unless there is one; that of a folder above is another one."""
    if not Path(repository.folder, ".git").exists():
        repository.tell("init", "--quiet", "--template=", "--shared=0600", f"--initial-branch={BRANCH}")
        info = Path(repository.folder, ".git", "info")
        info.mkdir(exist_ok=True)
        (info / "exclude").write_text(_IGNORED, "utf-8")


def _name_remote(repository: Repository, remote: str) -> None:
    if remote.startswith("-") or "::" in remote.partition("/")[0]:
        raise QlearnError(f"{remote!r} is no address that git should follow; write a URL or a path")
    repository.tell("config", "--local", f"remote.{REMOTE}.url", remote)
    repository.tell("config", "--local", f"remote.{REMOTE}.fetch", f"+refs/heads/*:refs/remotes/{REMOTE}/*")


def _commit_here(repository: Repository, merged: str = "") -> str:
    """Commit what stands in the folder, if that is news; return the commit, "" if there is none yet.

    Args:
        merged: Another commit whose learnings are in it.
    """
    head = repository.commit("HEAD")
    merged = merged or repository.commit("MERGE_HEAD")
    texts = _read(repository, FILES.at(head, repository))
    index = {"GIT_INDEX_FILE": str(Path(repository.folder, ".git", "qlearn-index").resolve())}
    repository.tell("read-tree", merged or head or "--empty", more=index)
    for path, text in zip(FILES, texts, strict=True):
        if text:
            blob = repository.tell("hash-object", "-w", "--no-filters", "--stdin", stdin=encode(text))
            repository.tell("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", more=index)
    tree = repository.tell("write-tree", more=index)
    parents = [parent for parent in (head, merged) if parent]
    if merged and repository.merge_bases(head, merged) == (head,):
        parents = [merged]
    if len(parents) < 2 and tree == (repository.tree(parents[0]) if parents else _NO_TREE):
        commit = parents[0] if parents else ""
    else:
        commit = _commit(repository, tree, parents)
    if commit != head:
        repository.tell("update-ref", "HEAD", commit, head)
        repository.tell("read-tree", "HEAD")
    repository.ask("update-ref", "-d", "MERGE_HEAD")
    return commit


def _commit(repository: Repository, tree: str, parents: Sequence[str]) -> str:
    options = [part for parent in parents for part in ("-p", parent)]
    message = "Merge learnings" if len(parents) > 1 else "Keep learnings"
    is_known = not repository.ask("config", "user.email").code
    return repository.tell("commit-tree", tree, *options, "-m", message, more=None if is_known else _NOBODY)


def _read(repository: Repository, head: Memory) -> Memory:
    """What stands in the folder; for a file that is missing, what was committed of it."""
    found = (store.read(path, root=repository.folder) for path in FILES)
    texts = Memory(*(old if data is None else decode(data) for data, old in zip(found, head, strict=True)))
    for path, text in zip(FILES, texts, strict=True):
        if (lineno := conflict_line(text)) is not None:
            raise RegistryError(f"{path}:{lineno}: a conflict marker; resolve the conflict, then sync again")
    return texts


def _fetch(repository: Repository) -> str:
    """Fetch the remote's learnings; return their commit, "" if it has none yet."""
    tracked = f"refs/remotes/{REMOTE}/{BRANCH}"
    answer = repository.ask(
        "fetch",
        "--quiet",
        "--no-tags",
        REMOTE,
        f"+refs/heads/{BRANCH}:{tracked}",
        timeout=LONG,
        reaches_out=True,
    )
    if answer.code and "couldn't find remote ref" in answer.complaint:
        return ""
    if answer.code:
        raise _unreachable(answer)
    return repository.commit(tracked)


def _push(repository: Repository, head: str) -> bool:
    """Send a commit; False if the remote has moved meanwhile."""
    answer = repository.ask(
        "push", "--porcelain", REMOTE, f"{head}:refs/heads/{BRANCH}", timeout=LONG, reaches_out=True
    )
    if any(word in answer.out for word in _MOVED):
        return False
    if answer.code:
        raise _unreachable(answer)
    return True


def _unreachable(answer: Answer) -> StoreError:
    complaint = _CREDENTIALS.sub("//", answer.complaint)
    return StoreError(
        f"the remote can't be reached ({complaint});"
        " what was learned here is kept, and goes there with the next sync"
    )


def _merge(repository: Repository, head: str, theirs: str) -> tuple[Merged, Merged, int, tuple[str, ...]]:
    """Merge the remote's learnings into the files, as they are by then.

    Returns:
        The registry and the archive, the number of entries that came, and a word on each that went.
    """
    base = FILES.joined(repository.merge_bases(head, theirs), repository)
    kept, other = (FILES.at(commit, repository) for commit in (head, theirs))

    def change(
        before: tuple[bytes, ...],
    ) -> tuple[tuple[bytes, ...], tuple[Merged, Merged, int, tuple[str, ...]]]:
        archive, registry = map(decode, before)
        ours = Memory(registry or kept.registry, archive or kept.archive)
        merged = merge_memories(base, ours, other)
        texts = Memory(*(each.text for each in merged))
        return (encode(texts.archive), encode(texts.registry)), (
            *merged,
            _new(texts, ours),
            _removed(texts, ours),
        )

    return store.update_files((FILES.archive, FILES.registry), change, root=repository.folder)


def _new(memory: Memory, before: Memory) -> int:
    """How many entries of a memory are not in another one."""
    known, now = (
        {content(entry) for text in each for entry in parse_learnings(text)} for each in (before, memory)
    )
    return len(now - known)


def _removed(memory: Memory, before: Memory) -> tuple[str, ...]:
    """Name the entries of a memory that another one has under no number, not even a former one."""
    left = used_numbers(*map(parse_learnings, memory))
    gone = {each.number: each for text in before for each in parse_learnings(text) if each.number not in left}
    return tuple(f"{each.id} was removed at the remote: {each.title!r}" for each in gone.values())
