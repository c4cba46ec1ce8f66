"""A made-up user's machine, on which the examples of the docs run: one home, one clock, one project.

What would differ from machine to machine is told the program by its environment; the clock is the one
argument that a process can't be given, so small programs set it and then call qlearn's own.
"""

from __future__ import annotations

import os
import pty
import select
import shutil
import struct
import subprocess
import sys
import termios
from fcntl import ioctl
from pathlib import Path
from typing import TYPE_CHECKING

from . import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

NOW = "2026-11-30T15:20:00+00:00"
HOME = "/home/kim"
"""What stands in the docs for the folder that the examples run in."""

PROJECTS = Path(__file__).parent / "projects"

_QLEARN = """import sys
from datetime import datetime
from qlearn.cli import app, main
app.now = lambda: datetime.fromisoformat({now!r})
sys.exit(main())
"""
_HOOK = """from datetime import datetime
from qlearn import hooks
read_scene = hooks.read_scene
hooks.read_scene = lambda data, environ, now: read_scene(data, environ, datetime.fromisoformat({now!r}))
hooks.main()
"""
_CONTEXT = """import json, os, subprocess, sys
event, field, text = [*sys.argv[1:], "source", "startup"][:3]
payload = {{"hook_event_name": event, "session_id": str(os.getpid()), "cwd": ".", field: text}}
answer = subprocess.run(["qlearn-hook"], input=json.dumps(payload).encode(), stdout=-1).stdout
print(json.loads(answer)["hookSpecificOutput"]["additionalContext"] if answer else "nothing")
"""
_PROGRAMS = {"qlearn": _QLEARN, "qlearn-hook": _HOOK, "hook-context": _CONTEXT}


class Machine:
    """A home folder with a project in it, `shop`, which begins as a copy of one in `tests/docs/projects`."""

    def __init__(self, folder: Path, start: str = "") -> None:
        self.home = folder / "home"
        self.project = self.home / "shop"
        programs = folder / "bin"
        programs.mkdir()
        for name, text in _PROGRAMS.items():
            program = programs / name
            program.write_text(f"#!{sys.executable}\n{text.format(now=NOW)}", encoding="utf-8")
            program.chmod(0o755)
        self.home.mkdir()
        if start:
            shutil.copytree(PROJECTS / start, self.project)
        self.project.mkdir(exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
        self.environ = {
            **kept,
            "HOME": str(self.home),
            "PATH": os.pathsep.join((str(programs), os.environ["PATH"])),
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "EDITOR": "true",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": NOW,
            "GIT_COMMITTER_DATE": NOW,
        }
        (self.home / ".gitconfig").write_text(_GIT, encoding="utf-8")

    def run(self, command: str) -> str:
        """Run one line of a shell in the project; what it prints, errors among the rest."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.project,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=60,
        )
        return self._told(done.stdout)

    def show(self, command: str, columns: int) -> str:
        """Run one line of a shell on a terminal; what it prints, with its colours."""
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.project)
            environ = {**self.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
            os.execvpe("bash", ["bash", "-c", command], environ)
        ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        printed = b"".join(_until_closed(terminal))
        os.waitpid(child, 0)
        os.close(terminal)
        return self._told(printed.replace(b"\r\n", b"\n"))

    def _told(self, printed: bytes) -> str:
        return printed.decode().replace(str(self.home.resolve()), HOME).replace(str(self.home), HOME)


_GIT = """[user]
name = Kim
email = kim@example.org
[init]
defaultBranch = main
[advice]
detachedHead = false
"""


def _until_closed(terminal: int) -> Iterable[bytes]:
    while select.select([terminal], [], [], 60)[0]:
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:  # what Linux says at the end
            return
        if not data:
            return
        yield data
