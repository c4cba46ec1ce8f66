"""A virtual environment of this checkout's own, made on first use and renewed when pyproject.toml changes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv"
BIN = FOLDER / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")


def ready(*, development: bool) -> Path:
    """Make the environment hold this package and what it needs; return its interpreter.

    Raises:
        SystemExit: This Python is too old, or pip fails; pip's own words stand above.
    """
    if sys.version_info < (3, 11):  # noqa: UP036 - what runs this is whatever `python3` is
        sys.exit(f"qlearn needs Python 3.11 or later; this is {sys.version.split()[0]}, at {sys.executable}")
    project = (ROOT / "pyproject.toml").read_bytes()
    kind = "development" if development else "use"
    stamp = FOLDER / f"ready-for-{kind}"
    wanted = hashlib.sha256(project + sys.version.encode()).hexdigest()
    if stamp.exists() and stamp.read_text(encoding="ascii") == wanted:
        return PYTHON
    print(f"Setting up {FOLDER} (once) ...", file=sys.stderr)
    if not PYTHON.exists():
        _make()
    command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-e", str(ROOT)]
    if development:
        import tomllib

        command += tomllib.loads(project.decode())["dependency-groups"]["dev"]
    if subprocess.run(command, check=False).returncode:
        sys.exit("pip could not install what qlearn needs; see its message above")
    stamp.write_text(wanted, encoding="ascii")
    return PYTHON


def run(*command: str | Path) -> int:
    """Run a command in the checkout, with the environment's programs first on the PATH."""
    path = f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"
    environ = {**os.environ, "PATH": path, "VIRTUAL_ENV": str(FOLDER)}
    return subprocess.run([*command], cwd=ROOT, env=environ, check=False).returncode


def _make() -> None:
    try:
        venv.create(FOLDER, with_pip=True, clear=FOLDER.exists())
    except subprocess.CalledProcessError:
        sys.exit(
            "this Python can't make a virtual environment; install its venv module (Debian: python3-venv)"
        )
