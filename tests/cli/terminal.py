"""The program on a terminal of its own."""

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

from tests.cli.conftest import NOW, ROOT

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 20.0


class Terminal:
    """The program on a terminal of its own."""

    def __init__(self, *arguments: str, cwd: Path, columns: int = 80, **environ: str) -> None:
        self.shown = ""
        self.read = 0
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            signal.signal(
                signal.SIGINT, signal.default_int_handler
            )  # ignored where tests run in the background
            code = (
                "import sys, datetime; from qlearn.cli import app, main; "
                f"app.now = lambda: {NOW!r}; sys.exit(main())"
            )
            inherited = {
                name: value
                for name, value in os.environ.items()
                if name in ("PATH", "HOME") or name.startswith("COVERAGE_")
            }
            mine = {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "LANG": "C.UTF-8", **environ}
            os.execve(sys.executable, [sys.executable, "-c", code, *arguments], {**inherited, **mine})
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def expect(self, text: str) -> None:
        """Wait until something is shown, behind what was waited for last."""
        end = time.monotonic() + PATIENCE
        while (at := self.shown.find(text, self.read)) < 0:
            if not self._read(end - time.monotonic()):
                raise AssertionError(f"{text!r} was not shown, but {self.shown[self.read :]!r}")
        self.read = at + len(text)

    def answer(self, text: str) -> None:
        """Type something and press Enter."""
        os.write(self.terminal, f"{text}\n".encode())

    def key(self, key: str) -> None:
        """Press a key, once."""
        os.write(self.terminal, key.encode())

    def rest(self, seconds: float) -> None:
        """Give the program the time to do what it should not do."""
        time.sleep(seconds)

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
