"""Where a user's own files are kept, outside of any project.

The three folders are those of the XDG base directories on every system but Windows, where they stand below
`%LOCALAPPDATA%` and `%APPDATA%`; the XDG variables hold there, too.
"""

from __future__ import annotations

import os
import sys

from qlearn import store
from qlearn.errors import NotFoundError, StoreError
from qlearn.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class UserPaths(NamedTuple):
    """The user's three folders and what lies in them; none of it need exist."""

    data: str
    state: str
    config: str

    @property
    def learnings(self) -> str:
        """The registry of what holds in every project."""
        return os.path.join(self.data, "learnings.md")

    @property
    def archive(self) -> str:
        """What was pruned from it."""
        return os.path.join(self.data, "learnings.archive.md")

    @property
    def identity(self) -> str:
        """Who the user is, in JSON."""
        return os.path.join(self.data, "identity.json")

    @property
    def projects(self) -> str:
        """The projects seen so far, in JSON."""
        return os.path.join(self.data, "projects.json")

    @property
    def evolved(self) -> str:
        """The folder of drafts made of learnings that hold in every project."""
        return os.path.join(self.data, "evolved")

    @property
    def log(self) -> str:
        """One line for each thing that went wrong in a hook."""
        return os.path.join(self.state, "qlearn.log")

    @property
    def sessions(self) -> str:
        """The folder of what was shown in which session."""
        return os.path.join(self.state, "sessions")

    @property
    def settings(self) -> str:
        """The user's configuration, in TOML."""
        return os.path.join(self.config, "config.toml")

    def project(self, project_id: str) -> str:
        """Return the folder of a project's observations and ledger.

        Raises:
            NotFoundError: *project_id* is not 12 hex digits, so it might lead elsewhere.
        """
        if len(project_id) != 12 or not set(project_id) <= set("0123456789abcdef"):
            raise NotFoundError(f"{project_id!r} is no project id; `qlearn projects` lists them.")
        return os.path.join(self.data, "projects", project_id)

    def ledger(self, project_id: str) -> str:
        """Return a project's ledger, in JSONL."""
        return os.path.join(self.project(project_id), "ledger.jsonl")

    def observations(self, project_id: str) -> str:
        """Return a project's observations, in JSONL."""
        return os.path.join(self.project(project_id), "observations.jsonl")


def get(environ: Mapping[str, str], *, platform: str = sys.platform) -> UserPaths | None:
    """Find the user's folders; None for a user without a home, who then has no store."""
    home = _home(environ, platform)
    if platform == "win32":
        local = _absolute(environ.get("LOCALAPPDATA", "")) or _below(home, "AppData", "Local")
        roaming = _absolute(environ.get("APPDATA", "")) or _below(home, "AppData", "Roaming")
        data, state, config = (
            _below(local, "qlearn"),
            _below(local, "qlearn", "state"),
            _below(roaming, "qlearn"),
        )
    else:
        data = _below(home, ".local", "share", "qlearn")
        state = _below(home, ".local", "state", "qlearn")
        config = _below(home, ".config", "qlearn")
    # The XDG specification: a relative path is invalid and ignored.
    data = _below(_absolute(environ.get("XDG_DATA_HOME", "")), "qlearn") or data
    state = _below(_absolute(environ.get("XDG_STATE_HOME", "")), "qlearn") or state
    config = _below(_absolute(environ.get("XDG_CONFIG_HOME", "")), "qlearn") or config
    return UserPaths(data, state, config) if data and state and config else None


def find(environ: Mapping[str, str], *, platform: str = sys.platform) -> UserPaths:
    """Find the user's folders.

    Raises:
        StoreError: The user has no home.
    """
    found = get(environ, platform=platform)
    if not found:
        raise StoreError("this user has no home folder, so nowhere to keep files; set HOME")
    return found


def make(folder: str) -> None:
    """Make one of the user's folders and those above it, for this user alone.

    Raises:
        StoreError: It can't be made.
    """
    if not os.path.isdir(folder):
        store.make_folder(folder, root="/", mode=0o700)


def _home(environ: Mapping[str, str], platform: str) -> str:
    if platform == "win32":
        return _absolute(environ.get("USERPROFILE", ""))
    home = _absolute(environ.get("HOME", ""))
    if home or sys.platform == "win32":
        return home
    import pwd

    try:
        return _absolute(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return ""


def _absolute(path: str) -> str:
    return path if os.path.isabs(path) else ""


def _below(base: str, *names: str) -> str:
    return os.path.join(base, *names) if base else ""
