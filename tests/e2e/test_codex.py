"""What the real Codex does with the hooks that `qlearn init` writes, and with the plugin unchanged.

The client is the program `codex`, or the one that `QLEARN_E2E_CODEX` names. It asks a stand-in for its API.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from qlearn.cli import main
from tests.e2e.api import Api, Reply, program, serve
from tests.e2e.conftest import FIRST, TASK

CODEX = program("codex", "QLEARN_E2E_CODEX")
pytestmark = pytest.mark.skipif(CODEX is None, reason="no Codex is installed")
PLUGIN = Path(__file__).parents[2]


def _answer(_: str, request: dict[str, Any]) -> Reply:
    """Have one command run, then end."""
    done = any(each.get("type") == "function_call_output" for each in request["input"])
    names = [tool.get("name") for tool in request.get("tools", [])]
    item: dict[str, Any]
    if "exec_command" in names and not done:
        arguments = json.dumps({"cmd": "echo out; exit 3"})
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "exec_command"}
        item["arguments"] = arguments
    else:
        text = [{"type": "output_text", "text": "Done."}]
        item = {"type": "message", "role": "assistant", "id": "msg_1", "content": text}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": None, "output_tokens_details": None}  # type: ignore[dict-item]
    return Reply(
        [
            {"type": "response.created", "response": {"id": "resp_1"}},
            {"type": "response.output_item.done", "item": item},
            {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
        ]
    )


def _configured(home: Path, api: Api, project: Path) -> dict[str, str]:
    """A user of Codex who trusts the project; the environment to run it in."""
    (home / ".codex").mkdir(parents=True)
    (home / ".codex/config.toml").write_text(
        'model = "gpt-5"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\n'
        f'base_url = "{api.address}/v1"\nwire_api = "responses"\n'
        f'[projects."{project}"]\ntrust_level = "trusted"\n'
    )
    assert CODEX is not None
    return {"HOME": str(home), "PATH": f"{Path(CODEX).parent}:/usr/local/bin:/usr/bin:/bin"}


def _run(environ: dict[str, str], project: Path, *arguments: str) -> str:
    assert CODEX is not None
    done = subprocess.run(
        [CODEX, *arguments], cwd=project, env=environ, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


EXEC = (
    "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust",
    "--dangerously-bypass-approvals-and-sandbox", TASK,
)  # fmt: skip


def _texts(api: Api) -> list[str]:
    """What stood in the requests besides what the client says itself."""
    items = [item for request in api.requests for item in request["input"] if item.get("type") == "message"]
    return [part["text"] for item in items for part in item["content"]]


def test_the_hooks_reach_the_model_and_observe(remembered: Path, tmp_path: Path) -> None:
    assert main(["-C", str(remembered), "init", "--client", "codex"]) == 0
    with serve(_answer) as api:
        environ = _configured(tmp_path / "home", api, remembered)
        said = _run(environ, remembered, *EXEC)
    texts = _texts(api)
    assert any(FIRST in text for text in texts)
    assert any("Relevant to This Task" in text and "(L002)" in text for text in texts)
    assert "SessionStart Failed" not in said


def test_untrusted_hooks_do_not_run(remembered: Path, tmp_path: Path) -> None:
    assert main(["-C", str(remembered), "init", "--client", "codex"]) == 0
    with serve(_answer) as api:
        environ = _configured(tmp_path / "home", api, remembered)
        _run(environ, remembered, *(word for word in EXEC if "hook-trust" not in word))
    assert not any(FIRST in text for text in _texts(api))


def test_the_plugin_of_claude_code_works_unchanged(remembered: Path, tmp_path: Path) -> None:
    with serve(_answer) as api:
        environ = _configured(tmp_path / "home", api, remembered)
        _run(environ, remembered, "plugin", "marketplace", "add", str(PLUGIN))
        _run(environ, remembered, "plugin", "add", "qlearn@qlearn")
        _run(environ, remembered, *EXEC)
    texts = _texts(api)
    assert any(FIRST in text for text in texts)
    assert any("(L002)" in text for text in texts)
