"""What the real client does with the plugin of this checkout."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.e2e.claude import find_client, run

PLUGIN = Path(__file__).parents[2]
CLIENT = find_client()
pytestmark = pytest.mark.skipif(CLIENT is None, reason="no Claude Code is installed")

REGISTRY = """\
### L001: Pin the lockfile
- **Type**: mistake
- **Severity**: critical
- **Date**: 2026-11-29
- **Learning**: Pin the lockfile before a release, marmalade.

---
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".qe").mkdir(parents=True)
    (tmp_path / "project" / ".qe" / "learnings.md").write_text(REGISTRY)
    return tmp_path / "project"


def test_the_plugin_is_valid(tmp_path: Path) -> None:
    assert CLIENT is not None
    command = [CLIENT, "plugin", "validate", str(PLUGIN), "--strict"]
    done = subprocess.run(
        command, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout.decode()


def test_a_session_starts_with_the_learnings(project: Path, tmp_path: Path) -> None:
    assert CLIENT is not None
    session = run(CLIENT, project, tmp_path / "home", ["hello"], plugin=PLUGIN)
    assert session.code == 0
    assert "qlearn:Qlearn" in session.start["skills"]
    line = "  1. L001 [mistake/critical] Pin the lockfile before a release, marmalade."
    assert any(line in text for text in session.texts)
