"""The one place that starts gitleaks, which knows many more kinds of secrets than `secrets` does.

The program is looked for in PATH, never in the project. It gets copies of the texts in a folder of its own,
so that nothing in the project configures it or is read by it, and an environment with nothing of the user's.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = 60.0
LARGEST_REPORT = 16 << 20
"""In bytes; more is not read."""

_FOUND = 8
"""The exit code that we ask for where something is found; 1 is any error of the program's."""


class Leak(NamedTuple):
    """What was found: in which text, on which line (from 1), by the name of which rule."""

    path: str
    lineno: int
    rule: str


def find(root: str, environ: Mapping[str, str]) -> str:
    """The program's absolute path, by the absolute folders of PATH; "" where there is none outside *root*."""
    home = os.path.realpath(root)
    for place in environ.get("PATH", "").split(os.pathsep):
        if Path(place).is_absolute() and (program := shutil.which("gitleaks", path=place)):
            real = os.path.realpath(program)
            if os.path.commonpath((home, real)) != home:
                return real
    return ""


def scan(program: str, texts: Mapping[str, str], *, seconds: float = SECONDS) -> tuple[Leak, ...]:
    """Let it look through texts, by their paths; a comment `gitleaks:allow` in them excuses nothing.

    Raises:
        StoreError: It can't be started, fails, takes longer than *seconds* or reports what can't be read.
    """
    paths = tuple(texts)
    with tempfile.TemporaryDirectory(prefix="qlearn-") as folder:
        copies = Path(folder, "texts")
        copies.mkdir()
        for number, path in enumerate(paths):
            text = texts[path].replace("gitleaks:allow", "gitleaks-allow")
            (copies / f"{number}.txt").write_bytes(text.encode("utf-8", "replace"))
        report = Path(folder, "report.json")
        code = _run(program, copies, report, seconds)
        if code not in (0, _FOUND):
            raise StoreError(f"{program} failed with exit code {code}, so it has searched nothing")
        leaks = tuple(_leak(each, paths) for each in _read(program, report))
    if bool(leaks) != bool(code):
        raise StoreError(f"{program} says one thing by its exit code and another in its report")
    return leaks


def _run(program: str, copies: Path, report: Path, seconds: float) -> int:
    """Run it, and end it and whatever it has started."""
    options = ("--no-banner", "--redact", f"--exit-code={_FOUND}")
    command = [program, "detect", "--no-git", f"--source={copies}", *options]
    home = str(report.parent)
    environ = {"PATH": os.defpath, "HOME": home, "LC_ALL": "C"}
    try:
        process = subprocess.Popen(
            [*command, "--report-format=json", f"--report-path={report}"],
            cwd=copies,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise StoreError(f"{program} can't be started: {error.strerror}") from error
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        raise StoreError(f"{program} took longer than {seconds:g} s and was stopped") from None
    finally:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _read(program: str, report: Path) -> list[Any]:
    try:
        with report.open("rb") as file:
            data = file.read(LARGEST_REPORT + 1)
        found = json.loads(data) if len(data) <= LARGEST_REPORT else ""
    except (OSError, ValueError, RecursionError):
        found = ""
    if found is None:  # an empty list, in the words of its language
        return []
    if not isinstance(found, list):
        raise StoreError(f"{program} has left no report that can be read, so nothing is known")
    return found


def _leak(found: Any, paths: tuple[str, ...]) -> Leak:
    """Read a finding; one that can't be is one all the same, on the first line of the first text."""
    told = found if isinstance(found, dict) else {}
    name, lineno, rule = (told.get(key) for key in ("File", "StartLine", "RuleID"))
    stem = Path(name).stem if isinstance(name, str) else ""
    at = int(stem) if stem.isascii() and stem.isdigit() and len(stem) < 3 else 0
    return Leak(
        paths[at] if at < len(paths) else paths[0],
        lineno if type(lineno) is int and lineno > 0 else 1,
        rule if isinstance(rule, str) and rule else "secret",
    )
