"""Transcripts in the shapes that the clients write, and what is read from them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.observation import Observation, pair
from qlearn.transcript import lost, read_transcript

SESSION = "c7d16b8b-4bf4-42ac-9d05-6957a7a6adec"
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. an edit). STOP."
)


class Claude:
    """Builds the lines of a transcript as Claude Code writes them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.clock = 0

    def record(self, **fields: Any) -> None:
        self.clock += 1
        base = {
            "parentUuid": None,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/proj",
            "sessionId": SESSION,
            "version": "2.1.197",
            "uuid": f"uuid-{self.clock}",
            "timestamp": f"2026-11-30T11:22:{self.clock:02d}.000Z",
        }
        self.lines.append(json.dumps({**base, **fields}))

    def user(self, content: object, **fields: Any) -> None:
        self.record(type="user", message={"role": "user", "content": content}, **fields)

    def call(self, name: str, tool: str, **tool_input: Any) -> None:
        block = {"type": "tool_use", "id": name, "name": tool, "input": tool_input}
        self.record(type="assistant", message={"id": "msg_1", "role": "assistant", "content": [block]})

    def result(self, name: str, content: object, *, error: bool = False, **fields: Any) -> None:
        block = {"type": "tool_result", "tool_use_id": name, "content": content, "is_error": error}
        self.user([block], **fields)

    def done(self, **fields: Any) -> None:
        message = {
            "role": "assistant",
            "content": [{"type": "text", "text": "All done."}],
            "stop_reason": "end_turn",
        }
        self.record(type="assistant", message=message, **fields)

    def read(self) -> tuple[Observation, ...]:
        return read_transcript(self.lines, project="p1", root="/home/dev/proj")


@pytest.fixture
def claude() -> Claude:
    return Claude()


def events(observations: tuple[Observation, ...]) -> list[tuple[str, str]]:
    return [(seen.event, seen.input) for seen in observations]


def test_a_turn_is_a_prompt_its_calls_and_a_stop(claude: Claude) -> None:
    claude.user("fix the greeting")
    claude.call("toolu_1", "Bash", command="echo hello; echo err >&2", description="Echo")
    claude.result(
        "toolu_1", "hello\nerr", toolUseResult={"stdout": "hello\nerr", "stderr": "", "interrupted": False}
    )
    claude.call("toolu_2", "Bash", command="cat /nonexistent; exit 3")
    claude.result("toolu_2", "Exit code 3\ncat: no", error=True, toolUseResult="Error: Exit code 3\ncat: no")
    claude.call("toolu_3", "Edit", file_path="/home/dev/proj/a.py", old_string="hi", new_string="ho")
    claude.result("toolu_3", "The file has been updated.", toolUseResult={"filePath": "/home/dev/proj/a.py"})
    claude.done()
    prompt, echo, cat, edit, stop = claude.read()
    assert (prompt.event, prompt.input, prompt.session, prompt.project) == (
        "UserPromptSubmit",
        "fix the greeting",
        SESSION,
        "p1",
    )
    assert (echo.event, echo.exit, echo.output, echo.ts) == (
        "PostToolUse",
        0,
        "hello\nerr",
        "2026-11-30T11:22:02.000Z",
    )
    assert (cat.event, cat.exit, cat.error) == ("PostToolUseFailure", 3, "cat: no")
    assert (edit.event, edit.path, edit.output) == ("PostToolUse", "a.py", "")
    assert (stop.event, stop.cut) == ("Stop", len("All done."))


def test_several_records_of_one_message_are_one_turn(claude: Claude) -> None:
    claude.call("toolu_1", "Read", file_path="a.py")
    claude.call("toolu_2", "Grep", pattern="x")
    claude.result("toolu_2", "a.py:1: x")
    claude.result("toolu_1", "1\tprint('hi')")
    read, grep = claude.read()
    assert (read.tool, read.output) == ("Read", "")
    assert (grep.tool, grep.output) == ("Grep", "a.py:1: x")


def test_only_persons_prompts_are_prompts(claude: Claude) -> None:
    claude.user("<session-start-hook>Project learnings:\n- never use npm</session-start-hook>")
    claude.user("<user-prompt-submit-hook>Use UTC</user-prompt-submit-hook>", isVisibleInTranscriptOnly=True)
    claude.user("This session is being continued from a previous conversation: no!", isCompactSummary=True)
    claude.user("<local-command-caveat>Caveat</local-command-caveat>", isMeta=True)
    claude.user("# Review\n\nNever push.", isMeta=True)
    claude.user("<command-name>/compact</command-name>\n<command-args>keep X</command-args>")
    claude.user("<local-command-stdout>Compacted</local-command-stdout>")
    claude.user("Warmup", isSidechain=True, agentId="aa5af21")
    claude.user([{"type": "text", "text": "use"}, {"type": "image"}, {"type": "text", "text": "pnpm"}])
    assert events(claude.read()) == [("UserPromptSubmit", "use\npnpm")]


def test_injected_text_and_unknown_records_stay_out(claude: Claude) -> None:
    claude.record(
        type="attachment", attachment={"type": "hook_additional_context", "content": ["never use npm"]}
    )
    claude.record(type="system", subtype="compact_boundary", content="Conversation compacted")
    claude.record(type="queue-operation", operation="enqueue", content="use pnpm")
    claude.record(type="last-prompt", lastPrompt="use pnpm")
    claude.lines += [
        "",
        "{broken",
        "[]",
        "3",
        '{"type":"user"}',
        '{"type":"user","message":{"content":"x"}}',
        "[" * 99_999,
    ]
    assert claude.read() == ()


def test_a_copied_record_counts_once(claude: Claude) -> None:
    claude.user("use pnpm")
    claude.call("toolu_1", "Bash", command="ls")
    claude.result("toolu_1", "a")
    fork = [json.loads(line) for line in claude.lines]
    for record in fork:
        record["forkedFrom"] = {"sessionId": SESSION, "messageUuid": record.pop("uuid")}
        record["sessionId"] = "fork"
    lines = [*claude.lines, *claude.lines, *map(json.dumps, fork)]
    assert len(read_transcript(lines, project="p")) == 2


def test_interruptions_are_events(claude: Claude) -> None:
    claude.call("toolu_1", "Bash", command="npm test")
    claude.result("toolu_1", "[Request interrupted by user for tool use]", error=True)
    claude.user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    claude.user("use pnpm")
    claude.user([{"type": "text", "text": "[Request interrupted by user]"}])
    claude.call("toolu_2", "Bash", command="sleep 9")
    claude.result("toolu_2", "", toolUseResult={"stdout": "", "stderr": "", "interrupted": True})
    assert events(claude.read()) == [
        ("Interrupt", "npm test"),
        ("UserPromptSubmit", "use pnpm"),
        ("Interrupt", ""),
        ("Interrupt", "sleep 9"),
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (REFUSED, ""),
        (REFUSED + " To tell you how to proceed, the user said:\nuse pnpm", "use pnpm"),
        ("User rejected tool use", ""),
    ],
)
def test_a_refused_call_is_an_event_with_its_reason(claude: Claude, content: str, reason: str) -> None:
    claude.call("toolu_1", "Bash", command="npm i")
    claude.result("toolu_1", content, error=True, toolUseResult="User rejected tool use")
    claude.user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    (seen,) = claude.read()
    assert (seen.event, seen.input, seen.error) == ("Reject", "npm i", reason)


def test_errors_of_tools_lose_their_wrapper(claude: Claude) -> None:
    claude.call("toolu_1", "Edit", file_path="a.py")
    claude.result(
        "toolu_1", "<tool_use_error>String to replace not found in file.</tool_use_error>", error=True
    )
    (seen,) = claude.read()
    assert (seen.event, seen.error, seen.exit) == (
        "PostToolUseFailure",
        "String to replace not found in file.",
        None,
    )


def test_calls_of_a_sub_agent_carry_its_name(claude: Claude) -> None:
    claude.call("toolu_1", "Bash", command="ls")
    claude.lines = [line.replace('"isSidechain": false', '"isSidechain": true') for line in claude.lines]
    claude.done(isSidechain=True)
    (seen,) = claude.read()
    assert seen.agent == "sidechain"


def test_the_answer_of_a_sub_agent_is_text(claude: Claude) -> None:
    claude.call("toolu_1", "Task", prompt="do it")
    claude.result("toolu_1", [{"type": "text", "text": "All done."}], toolUseResult={"status": "completed"})
    (seen,) = claude.read()
    assert (seen.tool, seen.output) == ("Agent", "All done.")


def test_a_result_without_its_call_is_passed_over(claude: Claude) -> None:
    claude.result("toolu_9", "x")
    assert claude.read() == ()


# ------------------------------------------------------------------------------------ Codex


class Codex:
    """Builds the lines of a rollout as Codex writes them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.add("session_meta", id="01a22c34", cwd="/home/dev/proj")

    def add(self, kind: str, **payload: Any) -> None:
        ts = f"2026-11-30T11:25:{len(self.lines):02d}.000Z"
        self.lines.append(
            json.dumps({"timestamp": ts, "ordinal": len(self.lines), "type": kind, "payload": payload})
        )

    def say(self, text: str, role: str = "user", **fields: Any) -> None:
        content = [{"type": "input_text", "text": text}]
        self.add("response_item", type="message", role=role, content=content, **fields)

    def call(self, name: str, command: str) -> None:
        arguments = json.dumps({"cmd": command})
        self.add(
            "response_item", type="function_call", name="exec_command", arguments=arguments, call_id=name
        )

    def output(self, name: str, output: object, kind: str = "function_call_output") -> None:
        self.add("response_item", type=kind, call_id=name, output=output)

    def read(self) -> tuple[Observation, ...]:
        return read_transcript(self.lines, project="p1")


@pytest.fixture
def codex() -> Codex:
    return Codex()


def test_a_rollout_is_read_like_a_transcript(codex: Codex) -> None:
    codex.say("<environment_context>\n  <cwd>/home/dev/proj</cwd>\n</environment_context>")
    codex.say("Use UTC", role="developer")
    codex.say("say hi", id="msg_1")
    codex.add(
        "event_msg", type="item_completed", item={"type": "UserMessage", "content": [{"text": "say hi"}]}
    )
    codex.call("call_1", "echo out; exit 3")
    done = {
        "type": "CommandExecution",
        "id": "call_1",
        "exit_code": 3,
        "duration": {"secs": 1, "nanos": 5_208_000},
    }
    codex.add("event_msg", type="item_completed", item=done)
    codex.output(
        "call_1", "Chunk ID: 35\nWall time: 0.0 seconds\nProcess exited with code 3\nOutput:\nerr\nout\n"
    )
    codex.say("It fails.", role="assistant")
    codex.add("event_msg", type="task_complete", last_agent_message="It fails.")
    prompt, call, stop = codex.read()
    assert (prompt.event, prompt.input, prompt.session) == ("UserPromptSubmit", "say hi", "01a22c34")
    assert (call.event, call.exit, call.ms, call.error) == ("PostToolUseFailure", 3, 1005, "err\nout\n")
    assert (stop.event, stop.cut) == ("Stop", len("It fails."))


def test_the_exit_code_may_stand_in_the_event_alone(codex: Codex) -> None:
    codex.call("call_1", "false")
    codex.add(
        "event_msg", type="item_completed", item={"type": "CommandExecution", "id": "call_1", "exit_code": 1}
    )
    codex.output("call_1", {"content": [{"type": "input_text", "text": "boom"}]})
    codex.call("call_2", "true")
    codex.add(
        "event_msg", type="item_completed", item={"type": "CommandExecution", "id": "call_2", "exit_code": 0}
    )
    codex.output("call_2", "fine")
    failed, fine = codex.read()
    assert (failed.event, failed.exit, failed.error) == ("PostToolUseFailure", 1, "boom")
    assert (fine.event, fine.exit, fine.output) == ("PostToolUse", 0, "fine")


def test_patches_and_local_shells_are_calls(codex: Codex) -> None:
    patch = "*** Begin Patch\n*** Add File: n.txt\n+hello\n*** End Patch"
    codex.add("response_item", type="custom_tool_call", name="apply_patch", input=patch, call_id="call_1")
    codex.output("call_1", "Success", kind="custom_tool_call_output")
    codex.add(
        "response_item",
        type="local_shell_call",
        call_id="call_2",
        action={"command": ["bash", "-lc", "npm ci"]},
    )
    codex.output("call_2", '{"output": "added", "metadata": {"exit_code": 0}}')
    edit, shell = codex.read()
    assert (edit.tool, edit.path) == ("Edit", "n.txt")
    assert (shell.tool, shell.input, shell.exit, shell.output) == ("Bash", "npm ci", 0, "added")


def test_a_turn_that_was_aborted_is_one_interruption(codex: Codex) -> None:
    codex.call("call_1", "npm i")
    codex.say("<turn_aborted>\n  <reason>interrupted</reason>\n</turn_aborted>", id="msg_2")
    codex.add("event_msg", type="turn_aborted", reason="interrupted")
    codex.say("pnpm please", id="msg_3")
    codex.say("pnpm please", id="msg_3")
    assert [event for event, _ in events(codex.read())] == ["PreToolUse", "Interrupt", "UserPromptSubmit"]


def test_a_refused_command_of_codex_is_a_rejection(codex: Codex) -> None:
    codex.call("call_1", "rm -rf x")
    codex.output("call_1", "exec command rejected by user")
    (seen,) = codex.read()
    assert seen.event == "Reject"


def test_records_that_belong_to_nothing_are_passed_over(codex: Codex) -> None:
    codex.add(
        "event_msg", type="item_completed", item={"type": "CommandExecution", "id": "call_9", "exit_code": 1}
    )
    codex.output("call_9", "x")
    codex.add("response_item", type="reasoning", call_id="call_9")
    codex.add(
        "response_item", type="custom_tool_call", name="exec_command", input="{broken", call_id="call_1"
    )
    codex.call("call_1", "a copy")
    codex.add(
        "response_item", type="function_call", name="view", arguments={"path": "a.py"}, call_id="call_2"
    )
    codex.lines.append(json.dumps({"type": "response_item", "payload": {"type": "message", "role": "user"}}))
    broken, view = codex.read()
    assert (broken.event, broken.tool, broken.input) == ("PreToolUse", "Bash", "")
    assert (view.tool, view.path) == ("view", "a.py")


# ------------------------------------------------------------------------------------ hooks and transcript


def seen(event: str, name: str = "", text: str = "", **fields: Any) -> Observation:
    tool = "" if event in ("UserPromptSubmit", "Stop") else "Bash"
    return Observation("2026-11-30T11:22:38.481Z", event, "s", name, tool=tool, input=text, **fields)


def test_what_hooks_lost_is_found_in_the_transcript() -> None:
    observed = [
        seen("UserPromptSubmit", text="go on"),
        seen("PostToolUse", "a", exit=0),
        seen("PreToolUse", "b"),
    ]
    transcript = [
        seen("UserPromptSubmit", text="go on"),
        seen("PostToolUse", "a", exit=0),
        seen("PostToolUseFailure", "b", exit=1),
        seen("PostToolUse", "c", exit=0),
        seen("UserPromptSubmit", text="go on"),
    ]
    missing = lost(observed, transcript)
    assert missing == (transcript[2], transcript[3], transcript[4])
    assert [call.event for call in pair([*observed, *missing]) if call.id == "b"] == ["PostToolUseFailure"]


def test_calls_without_an_id_are_the_same_by_tool_and_input() -> None:
    observed = [seen("PreToolUse", text="ls"), seen("PostToolUse", text="ls")]
    assert lost(observed, [seen("PostToolUse", text="ls"), seen("PostToolUse", text="ls")]) == (
        seen("PostToolUse", text="ls"),
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)
NAMES = [
    "type",
    "message",
    "content",
    "uuid",
    "timestamp",
    "sessionId",
    "payload",
    "item",
    "call_id",
    "output",
    "role",
    "id",
]
VALUES = JSON | st.sampled_from(
    [
        "user",
        "assistant",
        "response_item",
        "event_msg",
        "message",
        "function_call",
        "function_call_output",
        "item_completed",
    ]
)


@given(
    st.lists(
        st.dictionaries(st.sampled_from(NAMES), VALUES | st.dictionaries(st.sampled_from(NAMES), VALUES))
    )
)
def test_any_json_can_be_read(records: list[dict[str, Any]]) -> None:
    for observation in read_transcript(map(json.dumps, records), project="p"):
        assert observation.event


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_nothing_is_lost_that_was_observed(first: list[str], second: list[str]) -> None:
    observed = [seen("UserPromptSubmit", text=text) for text in first]
    transcript = [seen("UserPromptSubmit", text=text) for text in second]
    assert lost(observed, observed) == ()
    assert lost([], transcript) == tuple(transcript)
    assert len(lost(observed, transcript)) >= len(second) - len(first)
