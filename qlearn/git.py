"""The one place that starts git.

A repository may be hostile, and so may be what its folder has put into the environment: no hook, pager, file
system monitor or remote helper that it names is run, no question is asked, and variables that point git
elsewhere (`GIT_DIR` and the like) are not passed on. Nothing is fetched unasked, as git does in a partial
clone, by the programs that its settings name. Arguments are fixed; what a name names is looked up first, so
that none is taken for an option.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qlearn.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    Environ = Mapping[str, str]

SHORT = 30.0
LONG = 300.0
"""Seconds that git may take for something here, and for something that is fetched or sent."""

_SAFELY = (
    "--no-pager",
    "--no-replace-objects",
    "--literal-pathspecs",
    *(
        part
        for setting in (
            f"core.hooksPath={os.devnull}",
            "core.fsmonitor=false",
            "protocol.ext.allow=never",
            "submodule.recurse=false",
            "commit.gpgSign=false",
            "gc.auto=0",
        )
        for part in ("-c", setting)
    ),
)
_SETTINGS = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ATTR_NOSYSTEM": "1",
    "LC_ALL": "C",
}


class Answer(NamedTuple):
    """What git gave back: its exit code, its output, and the line that says what went wrong."""

    code: int
    out: bytes
    complaint: str


class Repository(NamedTuple):
    """The repository that a folder belongs to; it need not be there.

    `environ` is what git is started with, without the variables that begin with `GIT_`.
    """

    folder: str
    environ: Environ

    def ask(
        self,
        *arguments: str,
        stdin: bytes = b"",
        timeout: float = SHORT,
        more: Environ | None = None,
        reaches_out: bool = False,
    ) -> Answer:
        """Start git with *arguments*, and with *more* in its environment.

        Args:
            reaches_out: Whether it may open a connection to a remote; else there is no transport for it.

        Raises:
            StoreError: git is not there, or takes longer than *timeout* seconds.
        """
        environ = {name: value for name, value in self.environ.items() if not name.startswith("GIT_")}
        # What is relative there counts from the repository, which may hold a `git` of its own.
        transports = {} if reaches_out else {"GIT_ALLOW_PROTOCOL": ""}
        places = [place for place in environ.get("PATH", "").split(os.pathsep) if Path(place).is_absolute()]
        try:
            done = subprocess.run(
                ["git", *_SAFELY, *arguments],
                cwd=self.folder,
                env={**environ, "PATH": os.pathsep.join(places), **_SETTINGS, **transports, **(more or {})},
                input=stdin,
                capture_output=True,
                timeout=timeout,
                check=False,
            )
        except FileNotFoundError as error:
            raise StoreError("git is not installed, or not in PATH; this needs it") from error
        except subprocess.TimeoutExpired as error:
            raise StoreError(f"git {arguments[0]} took longer than {timeout:g} s and was stopped") from error
        return Answer(done.returncode, done.stdout, _complaint(done.stderr.decode("utf-8", "replace")))

    def tell(
        self, *arguments: str, stdin: bytes = b"", timeout: float = SHORT, more: Environ | None = None
    ) -> str:
        """As `ask`, for what has to succeed; return the output without white space at its ends.

        Raises:
            StoreError: It does not.
        """
        answer = self.ask(*arguments, stdin=stdin, timeout=timeout, more=more)
        if answer.code:
            raise StoreError(f"git {arguments[0]} failed: {answer.complaint or f'exit code {answer.code}'}")
        return os.fsdecode(answer.out).strip()

    def commit(self, name: str) -> str:
        """The full id of the commit that *name* names; "" if there is none."""
        answer = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return "" if answer.code else os.fsdecode(answer.out).strip()

    def tree(self, commit: str) -> str:
        """The id of a commit's tree."""
        return self.tell("rev-parse", "--verify", f"{commit}^{{tree}}")

    def parents(self, commit: str) -> tuple[str, ...]:
        """The ids of a commit's parents."""
        return tuple(self.tell("rev-list", "--no-walk", "--parents", "--end-of-options", commit).split()[1:])

    def merge_bases(self, one: str, other: str) -> tuple[str, ...]:
        """The ids of the best common ancestors; none if the histories have nothing in common."""
        answer = self.ask("merge-base", "--all", one, other)
        return () if answer.code else tuple(os.fsdecode(answer.out).split())

    def file(self, commit: str, path: str) -> bytes | None:
        """The bytes of a file in a commit; *path* is relative to the folder. None if it has no such file.

        A link within the commit is followed, as one in the folder is.

        Raises:
            StoreError: It can't be read: a link leads out, git's store is damaged, this is a partial clone.
        """
        name = f"{commit}:./{path}"
        if "\n" in path:
            raise StoreError(f"{name!r} can't be read; git is asked by lines, and there is a line end in it")
        answer = self.ask("cat-file", "--batch", "--follow-symlinks", stdin=os.fsencode(f"{name}\n"))
        head, _, rest = answer.out.partition(b"\n")
        found = re.fullmatch(rb"[0-9a-f]{40,} blob ([0-9]+)", head)
        if found and not answer.code:
            return rest[: int(found[1])]
        listed = self.ask("ls-tree", "--name-only", commit, f"./{path}")
        nothing = head.endswith(b" missing") or head.startswith(b"dangling ")
        if listed.out or listed.code or answer.code or not nothing:
            # For no file at all it would pass for a file that was removed, with every entry in it.
            why = answer.complaint or os.fsdecode(head).partition(" ")[0]
            raise StoreError(
                f"{path} of commit {commit[:12]} can't be read ({why}); nothing was written."
                f" `git show {commit[:12]}:./{path}` tells more, and fetches it in a partial clone."
            )
        return None


def _complaint(text: str) -> str:
    """The first line that names an error, else the last one."""
    lines = text.strip().splitlines() or [""]
    named = (line.partition(": ")[2] for line in lines if line.startswith(("fatal: ", "error: ")))
    return next(named, lines[-1])
