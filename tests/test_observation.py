from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.observation import MAX_CHARS, Observation, codex_output, observe, pair, parse_line, to_line

NOW = datetime(2026, 11, 30, 11, 22, 38, 481_000, tzinfo=UTC)
COMMON = {
    "session_id": "bc830ef9-2138-44ef-9b61-9a9a80f006a1",
    "transcript_path": "/home/dev/.claude/projects/x/bc830ef9.jsonl",
    "cwd": "/home/dev/proj",
    "permission_mode": "default",
}


def see(event: str, **fields: Any) -> Observation | None:
    return observe(
        {**COMMON, "hook_event_name": event, **fields}, now=NOW, project="p1", root="/home/dev/proj"
    )


def bash(command: str, **fields: Any) -> Observation:
    seen = see(
        fields.pop("event", "PostToolUse"), tool_name="Bash", tool_input={"command": command}, **fields
    )
    assert seen
    return seen


def test_a_successful_command_has_output_and_exit_zero() -> None:
    response = {
        "stdout": "hello\nerr",
        "stderr": "",
        "interrupted": False,
        "isImage": False,
        "noOutputExpected": False,
    }
    seen = bash("echo hello; echo err >&2", tool_response=response, tool_use_id="toolu_a6", duration_ms=31)
    assert seen == Observation(
        ts="2026-11-30T11:22:38.481Z",
        event="PostToolUse",
        session=COMMON["session_id"],
        tool_use_id="toolu_a6",
        project="p1",
        tool="Bash",
        key="echo <arg> && echo <arg>",
        input="echo hello; echo err >&2",
        output="hello\nerr",
        exit=0,
        ms=31,
    )


def test_a_failed_command_has_its_exit_code_and_the_error_without_it() -> None:
    error = "Exit code 3\ncat: /nonexistent: No such file or directory"
    seen = bash("cat /nonexistent; exit 3", event="PostToolUseFailure", error=error, is_interrupt=False)
    assert seen.event == "PostToolUseFailure"
    assert (seen.exit, seen.error) == (3, "cat: /nonexistent: No such file or directory")


@pytest.mark.parametrize(
    ("error", "exit_code", "text"),
    [
        ("Exit code 127", 127, ""),
        ("Exit code many\nx", None, "Exit code many\nx"),
        ("File does not exist.", None, "File does not exist."),
        ("Error: Exit code 1\nx", 1, "x"),
    ],
)
def test_exit_codes_are_read_from_the_first_line(error: str, exit_code: int | None, text: str) -> None:
    seen = bash("x", event="PostToolUseFailure", error=error)
    assert (seen.exit, seen.error) == (exit_code, text)


def test_an_interrupted_command_is_an_interruption() -> None:
    assert bash("sleep 99", event="PostToolUseFailure", error="x", is_interrupt=True).event == "Interrupt"
    assert (
        bash("sleep 99", tool_response={"stdout": "", "stderr": "", "interrupted": True}).event == "Interrupt"
    )
    assert (
        bash("a", event="PostToolUseFailure", error="[Request interrupted by user for tool use]").event
        == "Interrupt"
    )


def test_a_refused_call_keeps_the_reason() -> None:
    told = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. an edit)."
    assert bash("npm i", event="PostToolUseFailure", error=told).event == "Reject"
    reasoned = bash(
        "npm i",
        event="PostToolUseFailure",
        error=told + " To tell you how to proceed, the user said:\nuse pnpm",
    )
    assert (reasoned.event, reasoned.error) == ("Reject", "use pnpm")


def test_paths_below_the_project_are_relative() -> None:
    inside = see(
        "PostToolUse",
        tool_name="Edit",
        tool_input={"file_path": "/home/dev/proj/src/a.py", "old_string": "x"},
    )
    outside = see("PostToolUse", tool_name="Read", tool_input={"file_path": "/etc/hosts"})
    assert inside
    assert outside
    assert (inside.path, outside.path) == ("src/a.py", "/etc/hosts")
    assert json.loads(inside.input) == {"file_path": "/home/dev/proj/src/a.py", "old_string": "x"}


def test_what_a_file_tool_returns_is_not_kept() -> None:
    response = {"type": "text", "file": {"filePath": "/home/dev/proj/a.py", "content": "print('hi')\n"}}
    seen = see("PostToolUse", tool_name="Read", tool_input={"file_path": "a.py"}, tool_response=response)
    assert seen
    assert seen.output == ""


def test_a_sub_agent_is_named_and_its_answer_kept() -> None:
    inside = bash(
        "echo in-sub",
        agent_id="ae03a06b52491b75c",
        agent_type="general-purpose",
        tool_response={"stdout": "x"},
    )
    assert inside.agent == "ae03a06b52491b75c"
    outside = see(
        "PostToolUse",
        tool_name="Agent",
        tool_input={"prompt": "do it"},
        tool_response={"status": "completed", "content": [{"type": "text", "text": "All done."}]},
    )
    assert outside
    assert (outside.agent, outside.output) == ("", "All done.")


def test_a_prompt_is_what_the_person_typed() -> None:
    seen = see("UserPromptSubmit", prompt="<system-reminder>never</system-reminder>\nuse pnpm")
    assert seen
    assert (seen.event, seen.input) == ("UserPromptSubmit", "use pnpm")
    assert see("UserPromptSubmit", prompt="/compact keep x") is None
    assert see("UserPromptSubmit", prompt="<task-notification>x</task-notification>") is None


@pytest.mark.parametrize(
    "event", ["SessionStart", "SessionEnd", "SubagentStop", "PreCompact", "PostToolBatch", "", None, 3]
)
def test_other_events_are_not_observed(event: Any) -> None:
    assert see(event) is None


def test_an_event_without_a_session_is_not_observed() -> None:
    assert observe({"hook_event_name": "Stop"}, now=NOW, project="p") is None


def test_codex_returns_bare_output_whose_exit_code_is_unknown() -> None:
    seen = bash(
        "echo out; exit 3",
        tool_response="err\nout\n",
        tool_use_id="call_594852008948",
        turn_id="x",
        model="gpt-5",
    )
    assert (seen.event, seen.exit, seen.output) == ("PostToolUse", None, "err\nout\n")


@pytest.mark.parametrize(
    ("text", "exit_code", "output"),
    [
        (
            "Chunk ID: 3597c5\nWall time: 0.0 s\nProcess exited with code 3\nTokens: 2\nOutput:\nerr\n",
            3,
            "err\n",
        ),
        ("Exit code: 1\nWall time: 0.1 seconds\nOutput:\nx", 1, "x"),
        ('{"output": "x", "metadata": {"exit_code": 2, "duration_seconds": 0.1}}', 2, "x"),
        ('{"output": "x"}', None, "x"),
        ('{"output": broken', None, '{"output": broken'),
        ('{"output": 3}', None, ""),
        ('{"output", "x"}', None, '{"output", "x"}'),
        ('{"output": "x", "metadata": 3}', None, '{"output": "x", "metadata": 3}'),
        ("plain", None, "plain"),
        ("a\nOutput:\nb", None, "a\nOutput:\nb"),
    ],
)
def test_codex_exit_codes(text: str, exit_code: int | None, output: str) -> None:
    assert codex_output(text) == (exit_code, output)


def test_a_codex_response_with_an_exit_code_is_a_failure() -> None:
    seen = bash("x", tool_response="Exit code: 1\nOutput:\nboom")
    assert (seen.event, seen.exit, seen.error, seen.output) == ("PostToolUseFailure", 1, "boom", "")


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (["bash", "-lc", "npm test"], "npm test"),
        (["git", "commit", "-m", "a b"], "git commit -m 'a b'"),
        ("ls", "ls"),
        (3, ""),
    ],
)
def test_a_command_may_be_a_list(command: Any, text: str) -> None:
    seen = see("PreToolUse", tool_name="shell", tool_input={"command": command})
    assert seen
    assert (seen.tool, seen.input) == ("Bash", text)


def test_a_patch_names_its_first_file() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.go\n@@\n*** End Patch"
    seen = see("PreToolUse", tool_name="apply_patch", tool_input={"command": patch})
    assert seen
    assert (seen.tool, seen.path) == ("Edit", "src/a.go")


def test_gemini_has_other_names_for_all_of_it() -> None:
    call = {
        "tool_name": "run_shell_command",
        "tool_input": {"command": "echo hello-tool", "description": "x"},
    }
    told = "<untrusted_context>\nOutput: hello-tool\nProcess Group PGID: 40\n</untrusted_context>"
    after = see("AfterTool", **call, tool_response={"llmContent": told, "returnDisplay": "hello-tool"})
    broken = see(
        "AfterTool", **call, tool_response={"llmContent": "Output: no\nExit Code: 2", "returnDisplay": ""}
    )
    prompt = see("BeforeAgent", prompt="<hook_context>Use UTC</hook_context>\n\nsay hi")
    assert after
    assert broken
    assert prompt
    assert (after.event, after.tool, after.exit, after.output) == ("PostToolUse", "Bash", None, "hello-tool")
    assert (broken.event, broken.exit) == ("PostToolUseFailure", 2)
    assert (prompt.event, prompt.input) == ("UserPromptSubmit", "say hi")
    stop = see("AfterAgent", prompt="x", prompt_response="y")
    assert stop
    assert stop.event == "Stop"


def test_other_tools_return_text_or_json() -> None:
    blocks = see(
        "PostToolUse",
        tool_name="mcp__x",
        tool_input={},
        tool_response=[{"type": "text", "text": "a"}, "b", 3],
    )
    value = see("PostToolUse", tool_name="WebFetch", tool_input="x", tool_response={"code": 200})
    nothing = see("PostToolUse", tool_name="TodoWrite", tool_input=[1], tool_response=None)
    assert blocks
    assert value
    assert nothing
    assert blocks.output == "a\nb"
    assert (value.input, value.output) == ("x", '{"code": 200}')
    assert (nothing.input, nothing.output) == ("[1]", "")


def test_secrets_go_before_the_cut() -> None:
    secret = "gh" + "p_" + "a1B2c3D4e5F6" * 3
    seen = bash("env", tool_response={"stdout": "x" * (MAX_CHARS - 10) + " " + secret, "stderr": ""})
    assert secret[:8] not in seen.output
    assert len(seen.output) == MAX_CHARS
    assert seen.cut == 31


def test_secrets_go_from_decoded_values() -> None:
    escaped = json.loads('{"command": "curl -H \\"Authorization: Bearer abc\\u0064efgh1234\\" x"}')
    seen = see("PreToolUse", tool_name="Bash", tool_input=escaped)
    other = see(
        "PreToolUse",
        tool_name="mcp__db",
        tool_input={"password": "hunter2-x", "rows": [{"a": "token=abcd1234"}]},
    )
    assert seen
    assert other
    assert "abcdefgh1234" not in seen.input
    assert "hunter2" not in other.input
    assert "abcd1234" not in other.input
    assert seen.key == "curl -H <arg> <str>"


def test_a_secret_never_gets_into_the_key() -> None:
    assert "s3cretpw" not in bash("mysql -u root -ps3cretpw app", tool_response={"stdout": ""}).key


def test_chinese_counts_like_english() -> None:
    seen = bash("x", tool_response={"stdout": "错" * 6_000})
    assert (len(seen.output), seen.cut) == (MAX_CHARS, 1_000)


def test_a_long_chain_has_a_short_key() -> None:
    seen = bash("; ".join(f"make target-number-{n}" for n in range(500)), tool_response={"stdout": ""})
    assert len(seen.key) <= 500
    assert all(key.startswith("make target-number-") and key[-1].isdecimal() for key in seen.keys)


def test_an_input_too_deep_to_write_is_left_out() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    seen = see("PreToolUse", tool_name="mcp__x", tool_input=deep)
    assert seen
    assert seen.input == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
FIELDS = [
    "session_id",
    "agent_id",
    "tool_name",
    "tool_input",
    "tool_response",
    "tool_use_id",
    "error",
    "prompt",
    "duration_ms",
]
EVENTS = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "Stop",
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
]
TOOLS = st.sampled_from(["Bash", "Edit", "apply_patch", "run_shell_command", "Agent"])
INPUTS = st.dictionaries(st.sampled_from(["command", "cmd", "file_path", "path", "input"]), JSON)
RESPONSES = st.dictionaries(
    st.sampled_from(["stdout", "stderr", "llmContent", "returnDisplay", "content", "interrupted"]), JSON
)
SENSIBLE = st.fixed_dictionaries(
    {
        "session_id": st.just("s"),
        "tool_name": TOOLS,
        "tool_input": INPUTS | JSON,
        "tool_response": RESPONSES | JSON,
    }
)


@given(st.sampled_from(EVENTS), st.dictionaries(st.sampled_from(FIELDS), JSON) | SENSIBLE)
def test_any_payload_gives_one_line_of_strict_utf8_or_nothing(event: str, payload: dict[str, Any]) -> None:
    seen = observe({**payload, "hook_event_name": event}, now=NOW, project="p")
    if seen is not None:
        line = to_line(seen)
        line.decode("utf-8", "strict")
        assert line.count(b"\n") == 1
        assert line.endswith(b"\n")
        assert max(map(len, (seen.input, seen.output, seen.error))) <= MAX_CHARS
        assert set(json.loads(line)) == {"v", *Observation._fields}


@given(
    st.builds(
        Observation,
        ts=st.just("2026-11-30T11:22:38.481Z"),
        event=st.sampled_from(EVENTS),
        session=st.text(st.characters(codec="utf-8"), min_size=1),
        tool=st.sampled_from(["", "Edit"]),
        input=st.text(st.characters(codec="utf-8")),
        exit=st.none() | st.integers(),
        cut=st.integers(min_value=0),
    )
)
def test_what_is_written_is_read_back(observation: Observation) -> None:
    assert parse_line(to_line(observation)) == observation


def test_a_lone_surrogate_does_not_break_the_line() -> None:
    assert b"a?b" in to_line(Observation("t", "Stop", "s", input="a\ud800b"))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "x",
        "[]",
        "3",
        "[" * 100_000,
        '{"v":2,"ts":"2026-11-30T09:00:00.000Z","event":"Stop","session":"s"}',
        '{"v":1,"ts":"2026-11-30T09:00:00.000Z","event":"Stop"}',
        '{"v":1,"ts":3,"event":"Stop","session":"s"}',
        '{"v":1,"ts":"2026-11-30T09:00:00.000Z","event":"Stop","session":"s","exit":"1"}',
        '{"v":1,"ts":"2026-11-30T09:00:00.000Z","event":"Stop","session":"s","exit":true}',
        '{"v":1,"ts":"2026-11T09:00:00.000Z","event":"Stop","session":"s"}',
        '{"v":1,"ts":"2026-11-30T09:00:00","event":"Stop","session":"s"}',
        '{"v":1,"ts":"0001-01-01T00:00:00+01:00","event":"Stop","session":"s"}',
    ],
)
def test_a_broken_line_is_no_observation(line: str) -> None:
    assert parse_line(line) is None


def test_a_time_in_another_zone_is_read_in_its_order() -> None:
    seen = parse_line('{"v":1,"ts":"2026-11-30T10:00:00.5+01:00","event":"Stop","session":"s"}')
    assert seen == Observation("2026-11-30T09:00:00.500Z", "Stop", "s")


def test_fields_may_be_absent_and_the_key_is_computed() -> None:
    common = '"v":1,"ts":"2026-11-30T09:00:00.000Z","event":"Stop","session":"s"'
    line = f'{{{common},"tool":"Bash","input":"cd a && npm ci","x":1}}'
    seen = parse_line(line)
    assert seen
    assert seen.keys == ("cd <arg>", "npm ci")
    assert Observation("t", "Stop", "s").keys == ()


def at(seconds: int, event: str, **fields: Any) -> Observation:
    ts = (NOW + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return Observation(ts, event, "session-1", tool=fields.pop("tool", "Bash"), **fields)


def test_a_call_is_one_observation_with_the_time_of_its_start() -> None:
    before, after = at(0, "PreToolUse", tool_use_id="a"), at(5, "PostToolUse", tool_use_id="a", exit=0)
    assert pair([after, before]) == (after._replace(ts=before.ts),)


def test_parallel_calls_stand_in_the_order_of_their_start() -> None:
    a, b = at(0, "PreToolUse", tool_use_id="a"), at(1, "PreToolUse", tool_use_id="b")
    done = [at(2, "PostToolUse", tool_use_id="b"), at(3, "PostToolUse", tool_use_id="a")]
    assert [call.id for call in pair([a, b, *done])] == ["a", "b"]


def test_a_call_that_never_came_back_stays_open() -> None:
    (call,) = pair([at(0, "PreToolUse", tool_use_id="a")])
    assert call.event == "PreToolUse"


def test_calls_without_an_id_pair_by_tool_and_input() -> None:
    ls = [at(0, "PreToolUse", input="ls"), at(1, "PreToolUse", input="ls"), at(2, "PostToolUse", input="ls")]
    other = at(3, "PostToolUse", input="pwd")
    assert [call.event for call in pair([*ls, other])] == ["PostToolUse", "PreToolUse", "PostToolUse"]


def test_a_call_that_is_told_of_twice_counts_once_as_the_one_that_knows_its_end() -> None:
    hook = at(0, "PostToolUse", tool_use_id="a")
    transcript = at(1, "PostToolUseFailure", tool_use_id="a", exit=3)
    assert pair([hook, transcript]) == (transcript._replace(ts=hook.ts),)
    assert pair([hook, hook, at(2, "PreToolUse", tool_use_id="a")]) == (hook,)


def test_prompts_and_stops_stay_between_calls() -> None:
    events = [
        at(0, "UserPromptSubmit", tool=""),
        at(1, "PostToolUse", tool_use_id="a"),
        at(2, "Stop", tool=""),
    ]
    assert pair(reversed(events)) == tuple(events)


def test_times_are_written_in_utc() -> None:
    there = timezone(timedelta(hours=9))
    seen = observe({**COMMON, "hook_event_name": "Stop"}, now=NOW.astimezone(there), project="p")
    assert seen
    assert seen.ts == "2026-11-30T11:22:38.481Z"
    assert seen.id == "bc830ef9@2026-11-30T11:22:38.481Z"


def test_the_module_is_cheap_to_import() -> None:
    code = "import sys; sys.path.append(sys.argv[1]); import qlearn.observation; print(*sys.modules)"
    root = str(Path(__file__).parent.parent)
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, root], capture_output=True, text=True, check=True
    )
    loaded = set(run.stdout.split())
    assert "qlearn.observation" in loaded
    assert (
        not {"typing", "typer", "rich", "dataclasses", "pathlib", "yaml", "shlex", "inspect", "subprocess"}
        & loaded
    )
