"""What the real client does with the plugin of this checkout."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from qlearn.cli import main
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


def test_the_block_in_claude_md_is_read_and_includes_nothing(project: Path, tmp_path: Path) -> None:
    assert CLIENT is not None
    (project / "secret.md").write_text("the secret is 7391")
    registry = project / ".qe/learnings.md"
    registry.write_text(registry.read_text().replace("marmalade", "see @./secret.md"))
    assert main(["-C", str(project), "export", "--format", "agents-md", "--into", "CLAUDE.md"]) == 0
    sent = json.dumps(run(CLIENT, project, tmp_path / "home", ["hello"]).requests)
    assert "Learnings of this project" in sent
    assert "7391" not in sent
    (project / "CLAUDE.md").write_text("see @./secret.md")
    sent = json.dumps(run(CLIENT, project, tmp_path / "home2", ["hello"]).requests)
    assert "7391" in sent  # so it would have been included
