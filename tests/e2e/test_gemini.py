"""What the real Gemini CLI does with the hooks that `qlearn init` writes.

The client is the program `gemini`, or the one that `QLEARN_E2E_GEMINI` names. It asks a stand-in for its API.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from qlearn.cli import main
from tests.e2e.api import Api, Reply, serve
from tests.e2e.conftest import ERROR, FIRST, TASK
from tests.e2e.gemini import GEMINI, configured, is_done, reply

pytestmark = pytest.mark.skipif(GEMINI is None, reason="no Gemini CLI is installed")


def _answer(path: str, request: dict[str, Any]) -> Reply:
    """Have one command fail, then end."""
    told: list[dict[str, Any]] = [{"text": "Done."}]
    if "run_shell_command" in json.dumps(request.get("tools", [])) and not is_done(request):
        arguments = {"command": f"echo '{ERROR}'; exit 3", "description": "x"}
        told = [{"text": "Working."}, {"functionCall": {"name": "run_shell_command", "args": arguments}}]
    return reply(path, told)


def _run(home: Path, api: Api, project: Path) -> None:
    assert GEMINI is not None
    environ = configured(home, api.address, f"{Path(GEMINI).parent}:/usr/local/bin:/usr/bin:/bin")
    command = [GEMINI, "-m", "gemini-2.5-flash", "-y", "-p", TASK]
    done = subprocess.run(
        command,
        cwd=project,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_hooks_reach_the_model_at_the_start_the_prompt_and_a_failure(
    remembered: Path, tmp_path: Path
) -> None:
    assert main(["-C", str(remembered), "init", "--client", "gemini"]) == 0
    with serve(_answer) as api:
        _run(tmp_path / "home", api, remembered)
    parts = [
        part
        for request in api.requests
        for content in request.get("contents", [])
        for part in content["parts"]
    ]
    texts = [part["text"] for part in parts if "text" in part]
    assert any(FIRST in text for text in texts)
    assert any("Relevant to This Task" in text and "(L002)" in text for text in texts)
    results = [json.dumps(part["functionResponse"]) for part in parts if "functionResponse" in part]
    assert any("(L003)" in result for result in results)


def test_the_block_in_gemini_md_reaches_the_model_and_includes_nothing(
    remembered: Path, tmp_path: Path
) -> None:
    (remembered / "secret.md").write_text("the secret is 7391")
    registry = remembered / ".qe/learnings.md"
    registry.write_text(registry.read_text().replace("marmalade", "see @./secret.md"))
    assert main(["-C", str(remembered), "export", "--format", "agents-md", "--into", "GEMINI.md"]) == 0
    with serve(_answer) as api:
        _run(tmp_path / "home", api, remembered)
    sent = json.dumps(api.requests)
    assert "Learnings of this project" in sent
    assert "7391" not in sent
    (remembered / "GEMINI.md").write_text("see @./secret.md")
    with serve(_answer) as api:
        _run(tmp_path / "home2", api, remembered)
    assert "7391" in json.dumps(api.requests)  # so it would have been included
