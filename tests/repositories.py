"""Real git repositories for tests, with nobody's settings but their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from qlearn.git import Repository
from qlearn.merge import Memory
from qlearn.merging import install

ROOT = Path(__file__).parents[1]
FILES = Memory(".qe/learnings.md", ".qe/learnings.archive.md")


def _path_without_qlearn() -> list[str]:
    """The folders of PATH, but for those that hold a `qlearn` of their own."""
    return [each for each in os.environ["PATH"].split(os.pathsep) if not Path(each, "qlearn").exists()]


def environment(folder: Path) -> dict[str, str]:
    """What git and qlearn are started with; `qlearn` is the one of this checkout."""
    programs = folder / "bin"
    if not programs.exists():
        programs.mkdir(parents=True)
        program = programs / "qlearn"
        code = "import sys; from qlearn.cli import main; sys.exit(main())"
        program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -c '{code}' \"$@\"\n")
        program.chmod(0o755)
    return {
        "PATH": os.pathsep.join([str(programs), *_path_without_qlearn()]),
        "HOME": str(folder / "home"),
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": "2026-11-30T12:00:00Z",
        "GIT_COMMITTER_DATE": "2026-11-30T12:00:00Z",
        **{f"GIT_{who}_{what}": "somebody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }


class Done(NamedTuple):
    code: int
    out: str


class Clone:
    """A repository with a work tree."""

    def __init__(self, folder: Path, environ: dict[str, str], *, origin: Path | None = None) -> None:
        self.folder = folder
        self.environ = environ
        if origin:
            self._run(folder.parent, "git", "clone", "--quiet", str(origin), str(folder))
        elif not folder.exists():
            folder.mkdir(parents=True)
            self.git("init", "--quiet", "--template=", "--initial-branch=main")

    def _run(self, cwd: Path, *command: str, stdin: bytes = b"") -> Done:
        done = subprocess.run(
            command, cwd=cwd, env=self.environ, input=stdin, capture_output=True, check=False
        )
        return Done(done.returncode, (done.stdout + done.stderr).decode())

    def git(self, *arguments: str, stdin: bytes = b"", fails: bool = False) -> str:
        """Run git, which must not fail, or if *fails* is set, must."""
        done = self._run(self.folder, "git", *arguments, stdin=stdin)
        assert bool(done.code) == fails, done
        return done.out

    def tries(self, *arguments: str) -> bool:
        """Run git; whether it did not fail."""
        return not self._run(self.folder, "git", *arguments).code

    def qlearn(self, *arguments: str) -> Done:
        return self._run(self.folder, "qlearn", *arguments)

    def read(self) -> Memory:
        paths = (self.folder / path for path in FILES)
        return Memory(*(path.read_bytes().decode() if path.exists() else "" for path in paths))

    def write(self, memory: Memory) -> None:
        (self.folder / ".qe").mkdir(exist_ok=True)
        for path, text in zip(FILES, memory, strict=True):
            if text:
                (self.folder / path).write_bytes(text.encode())

    def commit(self, memory: Memory | None = None, message: str = "change") -> str:
        """Commit what stands there, or what is given; return the commit."""
        if memory:
            self.write(memory)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD").strip()


def repository(clone: Clone) -> Repository:
    """What qlearn knows a clone as."""
    return Repository(str(clone.folder), clone.environ)


def install_driver(clone: Clone) -> None:
    """Let git merge by entries in a clone."""
    install(repository(clone))
