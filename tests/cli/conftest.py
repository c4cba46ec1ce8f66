"""The program, called in this process with its clock stopped; and in another one where that matters."""

from __future__ import annotations

import datetime as dt
import io
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import IO, NamedTuple

import pytest

from qlearn.cli import main

NOW = dt.datetime(2026, 11, 30, 15, 20, tzinfo=dt.UTC)
ROOT = Path(__file__).parents[2]


class Result(NamedTuple):
    code: int
    out: str
    err: str


class Qlearn:
    """A project and the program that is called in it."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.registry = root / ".qe/learnings.md"
        self.archive = root / ".qe/learnings.archive.md"
        self._capsys = capsys
        self._patch = patch

    def __call__(self, *arguments: str, stdin: str = "", now: dt.datetime = NOW) -> Result:
        self._patch.setattr("qlearn.cli.app.now", lambda: now)
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        self._capsys.readouterr()
        code = main(arguments)
        return Result(code, *self._capsys.readouterr())

    def write(self, text: str) -> None:
        """Put a registry in place."""
        self.registry.write_text(text, encoding="utf-8", newline="")

    def read(self) -> str:
        """The registry as it stands."""
        return self.registry.read_bytes().decode()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of no project; the user has no settings, and the client has said nothing."""
    for name in [name for name in os.environ if name.startswith(("QLEARN_", "XDG_", "CLAUDE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "80")
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def qlearn(elsewhere: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Qlearn:
    """A project without a registry."""
    (elsewhere / ".qe").mkdir()
    return Qlearn(elsewhere, capsys, monkeypatch)


def start(
    *arguments: str,
    cwd: Path,
    code: str = "sys.exit(main())",
    stdout: IO[str] | int = subprocess.PIPE,
    without_site: bool = False,
) -> subprocess.Popen[bytes]:
    """Start the program as a process of its own, perhaps without what the environment starts itself."""
    path = [str(ROOT), sysconfig.get_path("purelib")] if without_site else [str(ROOT)]
    return subprocess.Popen(
        [
            *(sys.executable, *["-S"] * without_site),
            *("-c", f"import sys; from qlearn.cli import main; {code}", *arguments),
        ],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONUNBUFFERED": ""},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
    )


def entry(
    number: int,
    title: str,
    *,
    type: str = "gotcha",  # noqa: A002 - the field's name
    severity: str = "important",
    date: str = "2026-11-30",
    more: str = "",
) -> str:
    """Write an entry of a registry; its lesson is the title and a dot."""
    return (
        f"### L{number:03d}: {title}\n- **Type**: {type}\n- **Severity**: {severity}\n- **Date**: {date}\n"
        f"- **Learning**: {title.removeprefix('[RESOLVED] ')}.\n{more}\n---\n\n"
    )
