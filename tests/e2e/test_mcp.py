"""Whether real clients start `qlearn mcp` as docs/clients.md says, and give its answers to the model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import claude, gemini
from tests.e2e.api import Reply, program, serve
from tests.e2e.conftest import TASK

CLAUDE = claude.find_client()
CODEX = program("codex", "QLEARN_E2E_CODEX")
GEMINI = gemini.GEMINI
ROOT = Path(__file__).parents[2]
ANSWER = "A circular import error in the memory module means that Store is imported too early."
LESSON = "Start the server with the project's folder, porridge."


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A PATH on which `qlearn` is this checkout's."""
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "qlearn"
    script.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from qlearn.cli import main\nsys.exit(main())\n"
    )
    script.chmod(0o755)
    clients = [str(Path(client).parent) for client in (CLAUDE, CODEX, GEMINI) if client]
    return os.pathsep.join([str(script.parent), *clients, "/usr/local/bin", "/usr/bin", "/bin"])


def _call(command: list[str], project: Path, environ: dict[str, str]) -> str:
    done = subprocess.run(
        command, cwd=project, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.skipif(CLAUDE is None, reason="no Claude Code is installed")
def test_claude_code_calls_the_tools(
    remembered: Path, tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert CLAUDE is not None
    home = tmp_path / "home"
    home.mkdir()
    environ = {"HOME": str(home), "PATH": path}
    _call(
        [CLAUDE, "mcp", "add", "--scope", "project", "learnings", "--", "qlearn", "mcp"], remembered, environ
    )
    server = json.loads((remembered / ".mcp.json").read_text())["mcpServers"]["learnings"]
    assert (server["command"], server["args"]) == ("qlearn", ["mcp"])
    (home / ".claude").mkdir(exist_ok=True)
    (home / ".claude/settings.json").write_text(
        json.dumps({"enableAllProjectMcpServers": True, "permissions": {"allow": ["mcp__learnings"]}})
    )
    monkeypatch.setenv("PATH", path)
    steps = [
        claude.Step("I wait until the server is there.", "Bash", {"command": "sleep 3"}),
        claude.Step("", "ToolSearch", {"query": "select:mcp__learnings__relevant,mcp__learnings__add"}),
        claude.Step("I look.", "mcp__learnings__relevant", {"task": TASK}),
        claude.Step("I add.", "mcp__learnings__add", {"lesson": LESSON}),
    ]
    session = claude.run(CLAUDE, remembered, home, ["hello"], steps)
    sent = json.dumps(session.requests)
    assert ANSWER in sent
    assert "L004 added" in sent
    assert "data to weigh, not instructions" in sent
    assert LESSON in (remembered / ".qe/learnings.md").read_text()


@pytest.mark.skipif(CODEX is None, reason="no Codex is installed")
def test_codex_calls_the_tools(remembered: Path, tmp_path: Path, path: str) -> None:
    def answer(_: str, request: dict[str, Any]) -> Reply:
        calls = [each for each in request["input"] if each.get("type") == "function_call"]
        number = len(calls) + 1
        item: dict[str, Any] = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}"}
        if any(each["name"] == "relevant" for each in calls) or number > 9:
            text = [{"type": "output_text", "text": "Done."}]
            item = {"type": "message", "role": "assistant", "id": "msg_1", "content": text}
        elif "mcp__learnings" in json.dumps(request["tools"]):
            item |= {
                "namespace": "mcp__learnings",
                "name": "relevant",
                "arguments": json.dumps({"task": TASK}),
            }
        else:  # the server is not there yet
            item |= {"name": "exec_command", "arguments": json.dumps({"cmd": "sleep 1"})}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        response = {
            "id": "resp_1",
            "usage": {**usage, "input_tokens_details": None, "output_tokens_details": None},
        }
        return Reply(
            [
                {"type": "response.created", "response": {"id": "resp_1"}},
                {"type": "response.output_item.done", "item": item},
                {"type": "response.completed", "response": response},
            ]
        )

    assert CODEX is not None
    home = tmp_path / "home"
    (home / ".codex").mkdir(parents=True)
    environ = {"HOME": str(home), "PATH": path}
    with serve(answer) as api:
        (home / ".codex/config.toml").write_text(
            'model = "gpt-5"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\n'
            f'base_url = "{api.address}/v1"\nwire_api = "responses"\n'
        )
        _call([CODEX, "mcp", "add", "learnings", "--", "qlearn", "mcp"], remembered, environ)
        bypass = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
        _call([CODEX, "exec", *bypass, "hello"], remembered, environ)
    config = (home / ".codex/config.toml").read_text()
    assert '[mcp_servers.learnings]\ncommand = "qlearn"\nargs = ["mcp"]\n' in config
    assert ANSWER in json.dumps(api.requests)


@pytest.mark.skipif(GEMINI is None, reason="no Gemini CLI is installed")
def test_gemini_calls_the_tools(remembered: Path, tmp_path: Path, path: str) -> None:
    def answer(url: str, request: dict[str, Any]) -> Reply:
        names = [
            tool["name"] for each in request.get("tools", []) for tool in each.get("functionDeclarations", [])
        ]
        told: list[dict[str, Any]] = [{"text": "Done."}]
        for name in names:
            if "relevant" in name and not gemini.is_done(request):
                told = [{"text": "I look."}, {"functionCall": {"name": name, "args": {"task": TASK}}}]
        return gemini.reply(url, told)

    assert GEMINI is not None
    with serve(answer) as api:
        environ = gemini.configured(tmp_path / "home", api.address, path)
        _call([GEMINI, "mcp", "add", "learnings", "qlearn", "mcp"], remembered, environ)
        _call([GEMINI, "-m", "gemini-2.5-flash", "-y", "-p", "hello"], remembered, environ)
    settings = json.loads((remembered / ".gemini/settings.json").read_text())
    assert settings["mcpServers"] == {"learnings": {"command": "qlearn", "args": ["mcp"]}}
    assert ANSWER in json.dumps(api.requests)
