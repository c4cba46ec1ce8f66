"""What Gemini and Cursor ask, and how they are answered."""

from __future__ import annotations

import datetime as dt
import json
import os
from typing import TYPE_CHECKING

import pytest

from qlearn import observing
from qlearn.hooks import answer, read_scene, record
from qlearn.hooks.cursor import EVENTS

if TYPE_CHECKING:
    from pathlib import Path

    from qlearn.paths import UserPaths

NOW = dt.datetime(2026, 11, 30, 15, 4, tzinfo=dt.UTC)
REGISTRY = """\
### L001: Circular imports cause 'module not found' errors
- **Type**: mistake
- **Severity**: important
- **Date**: 2026-11-01
- **Learning**: When module A imports B while B imports A, the name is missing.
- **Keywords**: import, circular

---
"""
TASK = "Fix the circular import error in module A"
ERROR = "ImportError: cannot import name 'Store' from partially initialized module (a circular import)"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project/.qe").mkdir(parents=True)
    (tmp_path / "project/.qe/learnings.md").write_text(REGISTRY)
    return tmp_path / "project"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home"), "PATH": os.defpath}


def ask(payload: dict[str, object], environ: dict[str, str]) -> dict[str, object]:
    """The answer to an event, {} for none."""
    scene = read_scene(json.dumps(payload).encode(), environ, NOW)
    text = answer(scene) if scene else b""
    value: dict[str, object] = json.loads(text or b"{}")
    return value


# Gemini ----------------------------------------------------------------------------------------------


def gemini(event: str, project: Path, **more: object) -> dict[str, object]:
    return {
        "session_id": "eefcd700",
        "transcript_path": "/home/user/.gemini/tmp/proj/chats/session.jsonl",
        "cwd": str(project),
        "hook_event_name": event,
        "timestamp": "2026-11-30T11:26:26.078Z",
        **more,
    }


def shell(output: str, code: int) -> dict[str, object]:
    told = f"<untrusted_context>\nOutput: {output}\nExit Code: {code}\n</untrusted_context>"
    return {
        "tool_name": "run_shell_command",
        "tool_input": {"command": "python main.py", "description": "x"},
        "tool_response": {"llmContent": told, "returnDisplay": output},
    }


def test_gemini_sees_what_fits_a_prompt_but_not_what_hooks_put_before_it(
    project: Path, environ: dict[str, str]
) -> None:
    put = f"<hook_context>[LEARNINGS] {TASK}</hook_context>\n\n"
    assert ask(gemini("BeforeAgent", project, prompt=f"{put}say hi"), environ) == {}
    output = ask(gemini("BeforeAgent", project, prompt=put + TASK), environ)["hookSpecificOutput"]
    assert isinstance(output, dict)
    assert output["hookEventName"] == "BeforeAgent"
    assert "(L001)" in output["additionalContext"]


def test_gemini_sees_what_fits_the_error_of_a_tool(project: Path, environ: dict[str, str]) -> None:
    assert ask(gemini("AfterTool", project, **shell(ERROR, 0)), environ) == {}
    output = ask(gemini("AfterTool", project, **shell(ERROR, 1)), environ)["hookSpecificOutput"]
    assert isinstance(output, dict)
    assert output["hookEventName"] == "AfterTool"
    assert "(L001)" in output["additionalContext"]
    assert ask(gemini("AfterTool", project, **shell(ERROR, 1)), environ) == {}


def test_gemini_without_a_session_is_answered_with_nothing(project: Path, environ: dict[str, str]) -> None:
    assert ask({**gemini("AfterTool", project, **shell(ERROR, 1)), "session_id": None}, environ) == {}


# Cursor ----------------------------------------------------------------------------------------------


def cursor(event: str, project: Path, **more: object) -> dict[str, object]:
    return {
        "conversation_id": "c0ffee",
        "generation_id": "g1",
        "model": "some",
        "hook_event_name": event,
        "cursor_version": "3.20.17",
        "workspace_roots": [str(project)],
        "user_email": None,
        "transcript_path": None,
        **more,
    }


def test_cursor_is_answered_with_one_key(project: Path, environ: dict[str, str]) -> None:
    text = ask(cursor("sessionStart", project, is_background_agent=False), environ)
    assert [*text] == ["additional_context"]
    assert str(text["additional_context"]).startswith("[LEARNINGS] Top 1 by relevance")


def test_cursor_sees_what_fits_a_prompt_and_the_prompt_goes_on(
    project: Path, environ: dict[str, str]
) -> None:
    text = ask(cursor("beforeSubmitPrompt", project, prompt=TASK, attachments=[]), environ)
    assert text["continue"] is True
    assert "(L001)" in str(text["additional_context"])
    assert ask(cursor("beforeSubmitPrompt", project, prompt="say hi"), environ) == {}


def test_cursor_sees_what_fits_a_failure(project: Path, environ: dict[str, str]) -> None:
    failure = {"tool_name": "Shell", "tool_input": {"command": "x"}, "error_message": ERROR}
    text = ask(cursor("postToolUseFailure", project, tool_use_id="t1", **failure), environ)
    assert "(L001)" in str(text["additional_context"])


def test_cursor_sees_what_fits_a_command_that_failed(project: Path, environ: dict[str, str]) -> None:
    call = {"tool_name": "Shell", "tool_input": {"command": "x"}}
    for code in (0, 1):
        result = json.dumps({"exitCode": code, "stdout": "", "stderr": ERROR})
        text = ask(cursor("postToolUse", project, tool_use_id="t", tool_output=result, **call), environ)
        assert ("(L001)" in str(text)) == bool(code)


@pytest.mark.parametrize("event", ["afterFileEdit", "beforeReadFile", "subagentStart", "nonsense", "é"])
def test_other_events_of_cursor_are_let_pass(project: Path, environ: dict[str, str], event: str) -> None:
    assert ask(cursor(event, project), environ) == {}


@pytest.mark.parametrize("roots", [None, [], "x", [1], [["x"]]])
def test_a_workspace_that_is_none_is_no_fault(environ: dict[str, str], roots: object) -> None:
    payload = {"conversation_id": "c", "hook_event_name": "sessionStart", "workspace_roots": roots}
    assert ask(payload, environ) == {}


def test_what_is_done_in_cursor_is_observed_like_elsewhere(
    project: Path, environ: dict[str, str], user: UserPaths
) -> None:
    scene = read_scene(json.dumps(cursor("stop", project)).encode(), environ, NOW)
    assert scene is not None
    observing.turn(user, scene.project, on=True)
    result = json.dumps({"exitCode": 0, "stdout": "fine", "stderr": ""})
    call = {"tool_name": "Shell", "tool_input": {"command": "make test"}, "tool_use_id": "t1"}
    for event, more in (
        ("beforeSubmitPrompt", {"prompt": TASK}),
        ("preToolUse", call),
        ("postToolUse", {**call, "tool_output": result, "cwd": str(project)}),
        ("postToolUseFailure", {**call, "error_message": "no such target"}),
        ("postToolUse", {**call, "tool_name": "Write", "tool_output": "{broken"}),
        ("stop", {"status": "completed"}),
    ):
        scene = read_scene(json.dumps(cursor(event, project, **more)).encode(), environ, NOW)
        assert scene is not None
        record(scene)
    found = observing.read(user.project(scene.project.id)).observations
    assert [(each.event, each.tool, each.input, each.output, each.error) for each in found] == [
        ("UserPromptSubmit", "", TASK, "", ""),
        ("PreToolUse", "Bash", "make test", "", ""),
        ("PostToolUse", "Bash", "make test", "fine", ""),
        ("PostToolUseFailure", "Bash", "make test", "", "no such target"),
        ("PostToolUse", "Write", '{"command": "make test"}', "{broken", ""),
        ("Stop", "", "", "", ""),
    ]
    assert {each.session for each in found} == {"c0ffee"}


def test_every_event_that_is_registered_is_answered_or_observed() -> None:
    from qlearn.clients import CURSOR

    assert {hook.event for hook in CURSOR.hooks} == EVENTS.keys()
