"""What the real client shows a model of the learnings that fit a task."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.claude import Step, find_client, run

PLUGIN = Path(__file__).parents[2]
CLIENT = find_client()
pytestmark = pytest.mark.skipif(CLIENT is None, reason="no Claude Code is installed")

HEAD = "## Past Learnings Relevant to This Task"
REGISTRY = """\
### L001: Circular imports cause 'module not found' errors
- **Type**: mistake
- **Severity**: important
- **Date**: 2026-11-01
- **Category**: errors
- **Learning**: When module A imports B while B imports A, the name is missing, marmalade.
- **Keywords**: import, circular

---

### L002: Tiles of the map server need a trailing slash
- **Type**: gotcha
- **Severity**: info
- **Date**: 2026-11-02
- **Learning**: Without a slash the tile server answers 404 for every tile, porridge.

---
"""
FAILING = "echo 'HTTP 404: the tile server has no such tile of the map' >&2; exit 3"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".qe").mkdir(parents=True)
    (tmp_path / "project" / ".qe" / "learnings.md").write_text(REGISTRY)
    return tmp_path / "project"


def shown(requests: tuple[dict[str, object], ...], word: str) -> int:
    """How often a request holds a learning that fits a task, by a word of it; of all requests the most."""
    return max(
        sum(word in part for part in json.dumps(request["messages"]).split(HEAD)[1:]) for request in requests
    )


def injected(home: Path) -> list[tuple[str, list[str]]]:
    ledgers = list((home / ".local/share/qlearn/projects").glob("*/ledger.jsonl"))
    events = [json.loads(line) for ledger in ledgers for line in ledger.read_text().splitlines()]
    return [(event["source"], event["learnings"]) for event in events if event["event"] == "injected"]


def test_a_prompt_is_shown_what_fits_once_and_others_nothing(project: Path, tmp_path: Path) -> None:
    assert CLIENT is not None
    prompts = ["hello there", "fix the circular import error of module A", "the circular import is back"]
    session = run(CLIENT, project, tmp_path / "home", prompts, plugin=PLUGIN)
    assert session.code == 0
    assert HEAD not in json.dumps(session.requests[0]["messages"])
    assert shown(session.requests, "marmalade") == 1
    assert injected(tmp_path / "home") == [("UserPromptSubmit", ["L001"])]


def test_a_failing_command_is_shown_what_fits_its_error_once(project: Path, tmp_path: Path) -> None:
    assert CLIENT is not None
    failing = [Step("I look.", "Bash", {"command": FAILING})] * 6  # some clients warm up with a few
    session = run(CLIENT, project, tmp_path / "home", ["go on"], failing, plugin=PLUGIN)
    assert session.code == 0
    assert shown(session.requests, "porridge") == 1
    assert injected(tmp_path / "home") == [("PostToolUseFailure", ["L002"])]
