"""On a terminal: questions, colours, and the width of what is drawn."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import ROOT, Qlearn, entry

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 20.0


class Terminal:
    """The program on a terminal of its own."""

    def __init__(self, *arguments: str, cwd: Path, columns: int = 80, **environ: str) -> None:
        self.shown = ""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            signal.signal(
                signal.SIGINT, signal.default_int_handler
            )  # ignored where tests run in the background
            code = "import sys; from qlearn.cli import main; sys.exit(main())"
            inherited = {
                name: value
                for name, value in os.environ.items()
                if name in ("PATH", "HOME") or name.startswith("COVERAGE_")
            }
            mine = {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "LANG": "C.UTF-8", **environ}
            os.execve(sys.executable, [sys.executable, "-c", code, *arguments], {**inherited, **mine})
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def expect(self, text: str) -> None:
        """Wait until something is shown."""
        end = time.monotonic() + PATIENCE
        while text not in self.shown:
            if not self._read(end - time.monotonic()):
                raise AssertionError(f"{text!r} was not shown, but {self.shown!r}")

    def answer(self, text: str) -> None:
        """Type something and press Enter."""
        os.write(self.terminal, f"{text}\n".encode())

    def press(self, key: str) -> None:
        """Press a key until something happens: a Ctrl-C just before Python waits for input goes unheard."""
        end = time.monotonic() + PATIENCE
        os.write(self.terminal, key.encode())
        while not self._read(0.5) and time.monotonic() < end:
            os.write(self.terminal, key.encode())

    def end(self) -> tuple[int, str]:
        """Wait for the end; the exit code and all that was shown."""
        end = time.monotonic() + PATIENCE
        while self._read(end - time.monotonic()):
            pass
        if time.monotonic() >= end:
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(status), self.shown.replace("\r\n", "\n")

    def _read(self, patience: float) -> bool:
        if not select.select([self.terminal], [], [], max(patience, 0))[0]:
            return False
        try:
            data = os.read(self.terminal, 1 << 16)
        except OSError:  # what Linux says at the end
            return False
        self.shown += data.decode()
        return bool(data)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_add_asks_for_what_is_missing(qlearn: Qlearn) -> None:
    terminal = Terminal("add", cwd=qlearn.root)
    terminal.expect("Lesson: ")
    terminal.answer("Pin the lockfile")
    terminal.expect("Type (mistake, convention, gotcha, decision) [mistake]: ")
    terminal.answer("nonsense")
    terminal.answer("g")
    terminal.expect("Severity (critical, important, info) [important]: ")
    terminal.answer("")
    code, shown = terminal.end()
    assert code == 0
    assert shown.endswith("\nL001\n")
    assert "- **Type**: gotcha\n- **Severity**: important\n" in qlearn.read()


def test_add_asks_nothing_that_was_said(qlearn: Qlearn) -> None:
    terminal = Terminal("add", "Pin", "-t", "gotcha", "-s", "info", cwd=qlearn.root)
    assert terminal.end() == (0, "L001\n")


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["ctrl-c", "ctrl-d"])
def test_a_question_can_be_left(qlearn: Qlearn, key: str) -> None:
    terminal = Terminal("add", cwd=qlearn.root)
    terminal.expect("Lesson: ")
    terminal.press(key)
    code, shown = terminal.end()
    assert code == 130
    assert shown.endswith("qlearn: stopped\n")
    assert not qlearn.registry.exists()


@pytest.mark.parametrize(("reply", "left"), [("y", 0), ("yes", 0), ("n", 1), ("", 1), ("yolo", 1)])
def test_prune_asks(qlearn: Qlearn, reply: str, left: int) -> None:
    qlearn.write(entry(1, "[RESOLVED] One"))
    terminal = Terminal("prune", cwd=qlearn.root)
    terminal.expect("Move 1 to .qe/learnings.archive.md? [y/N] ")
    terminal.answer(reply)
    code, _ = terminal.end()
    assert code == left
    assert qlearn.read().count("### L001") == left


def test_review_has_colours_and_fits_the_terminal(qlearn: Qlearn) -> None:
    title = "在发布之前固定锁文件，否则构建不可重现 and then some more words of another script"
    qlearn.write(entry(1, title, severity="critical"))
    code, shown = Terminal("review", cwd=qlearn.root, columns=80).end()
    assert code == 0
    assert "\x1b[1;31m" in shown
    assert plain(shown).splitlines()[2:] == [
        "L001  gotcha  critical  today  ██████ 3.00  在发布之前固定锁文件，否则构建不可重",
        "                                            现 and then some more words of",
        "                                            another script",
    ]


def test_no_color_is_heard(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One"))
    _, shown = Terminal("review", cwd=qlearn.root, NO_COLOR="1").end()
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown)
    assert "One" in shown


def test_export_shows_what_a_terminal_would_obey(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "a\x1b]0;x\x07\x1b[2Jb"))
    _, shown = Terminal("export", cwd=qlearn.root).end()
    assert "\x1b" not in shown
    assert "### L001: a<U+001B>]0;x<U+0007><U+001B>[2Jb\n" in shown
