"""Where a project begins and who it is: the one answer for commands and hooks.

A project is a folder with `.qe/`, else a git repository. git itself is never started, and its environment
(`GIT_DIR` and the like) never looked at: a hook has no time for the one, and the other may speak of another
repository. Nothing here raises; what can't be read isn't there.
"""

from __future__ import annotations

import os
import stat

from qlearn import identity, store
from qlearn.errors import StoreError
from qlearn.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER = ".qe"
LEARNINGS = ".qe/learnings.md"
ARCHIVE = ".qe/learnings.archive.md"
MISTAKES = ".qe/MISTAKE.md"
PROPOSALS = ".qe/proposals.md"
SETTINGS = ".qe/qlearn.toml"

_LONGEST_PATH = 4096
_LONGEST_POINTER = 3 * _LONGEST_PATH
_LARGEST_CONFIG = 1 << 20


class Project(NamedTuple):
    """What is known of a project.

    Where none was found, all but `why` is empty. That is a state of its own: it never means the learnings
    that hold everywhere.
    """

    root: str
    """Its folder, absolute and without links; `.qe/` is there or would be."""

    id: str
    name: str

    remote: str
    """The normalised address of `origin`, which holds no credentials; empty without one."""

    why: str
    """How the root was found, for people."""

    @property
    def known(self) -> bool:
        """Whether there is a project at all."""
        return bool(self.root)


class _Repository(NamedTuple):
    """A folder that holds `.git`, and whom that belongs to."""

    folder: str
    main: str
    """Where its learnings are kept: the main repository's folder, or the folder itself."""
    name: str
    """The path that stands for it on this machine: one for a repository and all its worktrees."""
    config: str
    """The folder of the configuration."""
    is_submodule: bool = False


def find(start: str, environ: Mapping[str, str]) -> Project:
    """Find the project of a folder.

    The search starts from `CLAUDE_PROJECT_DIR`, where that names a folder, else from *start*. The root is the
    nearest folder upwards with `.qe/`, else that of the git repository: for a worktree its main repository.
    The search for `.qe/` does not leave a submodule, which is a project of its own.

    In a folder where anybody may put files (`/tmp`), only what belongs to this user counts.

    Args:
        start: The `cwd` of a hook's payload, or a command's folder; it may be anything.
        environ: Leave it empty for a folder which the user has named: that outweighs the client's.
    """
    client = environ.get("CLAUDE_PROJECT_DIR", "")
    origin, folder = "CLAUDE_PROJECT_DIR", _real(client)
    if not (os.path.isabs(client) and os.path.isdir(folder)):
        origin, folder = "the current folder", _real(start)
    repository = None
    for at in _upwards(folder):
        if _has_qe(at):
            return _project(at, f"nearest folder with .qe/, from {origin}")
        repository = repository or _repository(at)
        if repository and repository.is_submodule:
            break
    if not repository:
        return Project("", "", "", "", f"no .qe/ and no git repository at or above {folder!r} ({origin})")
    kind = "git repository" if repository.main == repository.folder else "main repository of a git worktree"
    return _project(repository.main, f"{kind}, from {origin}")


def project_id(root: str) -> str:
    """Return the id of the project at *root*: of its `origin`, else of its path; "" without a root.

    A project without `origin` has one id in all worktrees of its repository.
    """
    root = _real(root)
    return _project(root, "").id if root else ""


def _project(root: str, why: str) -> Project:
    repository = next(filter(None, map(_repository, _upwards(root))), None)
    remote = _origin(repository) if repository else ""
    path = root
    if repository:
        inside = os.path.relpath(root, repository.folder)
        path = os.path.normpath(os.path.join(repository.name, inside))
    name = remote.rpartition("/")[2] or os.path.basename(root) or root
    return Project(root, identity.id_of(remote or path), name, remote, why)


def _real(path: str) -> str:
    """Resolve a path of unknown making; "" if it can't be one."""
    # A client may send a megabyte, and each component takes a call.
    if not path or len(path) > _LONGEST_PATH:
        return ""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return ""


def _upwards(folder: str) -> Iterator[str]:
    above = ""
    while folder != above:
        yield folder
        above, folder = folder, os.path.dirname(folder)


def _has_qe(folder: str) -> bool:
    """Whether `.qe` stands there. A link is not followed: the store judges where it leads."""
    try:
        info = os.lstat(os.path.join(folder, FOLDER))
        return not stat.S_ISREG(info.st_mode) and _trusted(folder, info)
    except (OSError, ValueError):
        return False


def _trusted(folder: str, entry: os.stat_result) -> bool:
    anybody = stat.S_ISVTX | stat.S_IWOTH
    return os.stat(folder).st_mode & anybody != anybody or entry.st_uid == os.geteuid()


def _repository(folder: str) -> _Repository | None:
    git = os.path.join(folder, ".git")
    try:
        info = os.stat(git)
        if not _trusted(folder, info):
            return None
    except (OSError, ValueError):
        return None
    if stat.S_ISDIR(info.st_mode):
        return (
            _Repository(folder, folder, folder, git) if os.path.lexists(os.path.join(git, "HEAD")) else None
        )
    pointer = _pointer(folder, ".git")
    if not pointer.startswith("gitdir:"):
        return None
    git = _real(os.path.join(folder, pointer.removeprefix("gitdir:").strip()))
    common = _pointer(git, "commondir")
    if not common:
        is_submodule = f"{os.sep}modules{os.sep}" in git
        return _Repository(folder, folder, folder, git, is_submodule)
    common = _real(os.path.join(git, common))
    if not _is_worktree(folder, git, common):
        return _Repository(folder, folder, folder, common)
    if os.path.basename(common) == ".git":
        main = os.path.dirname(common)
        return _Repository(folder, main, main, common)
    # A bare repository has no folder for `.qe/`.
    return _Repository(folder, folder, common, common)


def _is_worktree(folder: str, git: str, common: str) -> bool:
    """Whether the main repository knows this worktree: a `.git` file alone may claim any."""
    return os.path.dirname(git) == os.path.join(common, "worktrees") and _real(
        os.path.join(git, _pointer(git, "gitdir"))
    ) == os.path.join(folder, ".git")


def _pointer(folder: str, name: str) -> str:
    """Read a file of git's that holds one path."""
    return os.fsdecode(_read(folder, name, _LONGEST_POINTER)).rstrip("\r\n")


def _read(folder: str, name: str, limit: int) -> bytes:
    try:
        return store.read(name, root=folder, limit=limit, may_be_empty=True) or b""
    except (StoreError, ValueError):
        return b""


def _origin(repository: _Repository) -> str:
    config = _read(repository.config, "config", _LARGEST_CONFIG)
    # An address that is no UTF-8 stays apart from others, and printable.
    text = config.decode("utf-8", "surrogateescape")
    url = identity.git_value(text, "remote.origin", "url").strip()
    if url and identity.is_path(url):
        url = os.path.normpath(os.path.join(repository.name, url))
    url = url.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return identity.normalise_remote(url)
