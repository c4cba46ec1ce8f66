"""Reads what a client wrote about a session, as the observations that hooks would have made of it.

Transcripts tell more than hooks (interruptions, refused calls and why) and lose nothing, but exist only on
the machine and in the client's own shape: Claude Code's JSONL since 1.0.128, Codex's rollouts.
Attachments, summaries and hook output stay out: text that qlearn has injected must not come back as news.
"""

from __future__ import annotations

import json
from collections import Counter

from .observation import (
    Observation,
    codex_output,
    ended,
    failed,
    finish,
    read_timestamp,
    tells_more,
    tool_input,
)
from .prompt import typed
from .record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

_INTERRUPTED = ("[Request interrupted by user", "<turn_aborted>")


def read_transcript(lines: Iterable[str], *, project: str, root: str = "") -> tuple[Observation, ...]:
    """The observations of a transcript, in order; lines of several files (forks, sub-agents) may be chained.

    Each tool call is one observation with the time of its start, as `pair` would make it. What the agent
    says is left out; the `cut` of each Stop tells how many characters that were. Broken lines and unknown
    records are passed over; a record that a fork copied counts once.

    Args:
        lines: Split at LF alone.
        project: The project's id.
        root: The project's folder; paths below it are written relative to it.
    """
    reader = _Reader(project, root)
    for record in _records(lines):
        payload = record.get("payload")
        if isinstance(payload, dict):
            reader.codex(record, payload)
        else:
            reader.claude(record)
    return tuple(reader.found)


def lost(observed: Iterable[Observation], transcript: Iterable[Observation]) -> tuple[Observation, ...]:
    """What the transcript tells and the observed records don't, such as calls whose hook was killed.

    Calls are the same by id, else by tool and input; prompts by their text; each as often as it stands there.
    A call that was observed without its end is among them: `pair` puts both together.
    """
    calls: dict[tuple[str, ...], Observation] = {}
    have: Counter[tuple[str, ...]] = Counter()
    for observation in observed:
        name = _identity(observation)
        if name not in calls or tells_more(observation, calls[name]):
            calls[name] = observation
        have[name] += observation.event != "PreToolUse" or bool(observation.tool_use_id)
    missing = []
    for observation in transcript:
        name = _identity(observation)
        if not have[name] or (observation.tool_use_id and tells_more(observation, calls[name])):
            missing.append(observation)
        elif not observation.tool_use_id:
            have[name] -= 1
    return tuple(missing)


def _identity(observation: Observation) -> tuple[str, ...]:
    if observation.tool_use_id:
        return observation.session, observation.tool_use_id
    return observation.session, observation.tool or observation.event, observation.input


def _records(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


class _Reader:
    """Gathers observations; a call stands where it began and is replaced when its result is read."""

    def __init__(self, project: str, root: str) -> None:
        self.found: list[Observation] = []
        self._project = project
        self._root = root
        self._calls: dict[str, tuple[int, str]] = {}  # id -> where it stands, its whole input
        self._begun: set[str] = set()
        self._seen: set[str] = set()
        self._session = ""  # of a rollout, which names it once
        self._unsaid = 0  # characters that the agent wrote in this turn

    # -- Claude Code

    def claude(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        message = record.get("message")
        if kind not in ("user", "assistant") or not isinstance(message, dict) or self._is_copy(record):
            return
        base = Observation(
            read_timestamp(_string(record, "timestamp")),
            "",
            _string(record, "sessionId"),
            agent=_string(record, "agentId") or ("sidechain" if record.get("isSidechain") is True else ""),
            project=self._project,
        )
        if not base.ts or not base.session:
            return
        if kind == "assistant":
            self._claude_calls(base, message)
        elif not (record.get("isMeta") or record.get("isCompactSummary")):
            self._claude_words(base, message, record)

    def _is_copy(self, record: dict[str, Any]) -> bool:
        origin = record.get("forkedFrom")
        name = _string(origin, "messageUuid") if isinstance(origin, dict) else _string(record, "uuid")
        copy = bool(name) and name in self._seen
        self._seen.add(name)
        return copy

    def _claude_calls(self, base: Observation, message: dict[str, Any]) -> None:
        for block in _list(message.get("content")):
            if block.get("type") == "tool_use" and _string(block, "id"):
                self._begin(base, _string(block, "id"), block.get("name"), block.get("input"))
            elif block.get("type") == "text" and not base.agent:
                self._unsaid += len(_string(block, "text"))
        if message.get("stop_reason") == "end_turn" and not base.agent:
            self._stop(base)

    def _claude_words(self, base: Observation, message: dict[str, Any], record: dict[str, Any]) -> None:
        content = message.get("content")
        texts = [content] if isinstance(content, str) else []
        for block in _list(content):
            if block.get("type") == "tool_result":
                self._claude_result(block, record.get("toolUseResult"))
            elif block.get("type") == "text":
                texts.append(_string(block, "text"))
        if texts and not base.agent:
            self._say(base, "\n".join(texts))

    def _claude_result(self, block: dict[str, Any], result: object) -> None:
        call = self._calls.pop(_string(block, "tool_use_id"), None)
        if call is None:
            return
        at, text = call
        content = block.get("content")
        told = (
            content
            if isinstance(content, str)
            else "\n".join(_string(part, "text") for part in _list(content))
        )
        record = self.found[at]._replace(event="PostToolUse")
        if block.get("is_error") is True:
            error = told.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
            self.found[at] = failed(record._replace(event="PostToolUseFailure"), text, error)
        elif isinstance(result, dict) and "stdout" in result:
            self.found[at] = ended(record, text, result)
        else:
            self.found[at] = ended(
                record, text, told if record.tool not in ("Read", "Write", "Edit") else None
            )

    # -- Codex

    def codex(self, record: dict[str, Any], payload: dict[str, Any]) -> None:
        kind = _string(payload, "type")
        if record.get("type") == "session_meta":
            self._session = _string(payload, "id") or self._session
        self._session = self._session or _string(payload, "session_id") or _string(payload, "thread_id")
        base = Observation(
            read_timestamp(_string(record, "timestamp")), "", self._session, project=self._project
        )
        if not base.ts or not base.session:
            return
        if record.get("type") == "event_msg":
            self._codex_event(base, kind, payload)
        elif record.get("type") == "response_item":
            self._codex_item(base, kind, payload)

    def _codex_event(self, base: Observation, kind: str, payload: dict[str, Any]) -> None:
        item = payload.get("item")
        if kind == "task_complete":
            self._stop(base)
        elif kind == "turn_aborted":
            self._interrupt(base)
        elif isinstance(item, dict) and item.get("type") == "CommandExecution":
            self._codex_exit(item)

    def _codex_exit(self, item: dict[str, Any]) -> None:
        """The exit code and the time stand in an event of their own, before the output."""
        call = self._calls.get(_string(item, "id"))
        code, duration = item.get("exit_code"), item.get("duration")
        if call is None or type(code) is not int:
            return
        record = self.found[call[0]]._replace(exit=code)
        if isinstance(duration, dict) and all(type(duration.get(unit)) is int for unit in ("secs", "nanos")):
            record = record._replace(ms=duration["secs"] * 1000 + duration["nanos"] // 1_000_000)
        self.found[call[0]] = record

    def _codex_item(self, base: Observation, kind: str, payload: dict[str, Any]) -> None:
        name = _string(payload, "call_id")
        if kind == "message" and payload.get("role") == "user":
            if not self._is_copy({"uuid": _string(payload, "id")}):
                self._say(base, "\n".join(_string(part, "text") for part in _list(payload.get("content"))))
        elif kind == "message" and payload.get("role") == "assistant":
            self._unsaid += sum(len(_string(part, "text")) for part in _list(payload.get("content")))
        elif kind in ("function_call", "custom_tool_call") and name:
            self._begin(base, name, payload.get("name"), _arguments(payload))
        elif kind == "local_shell_call" and name:
            self._begin(base, name, "local_shell", payload.get("action"))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            self._codex_output(name, payload.get("output"))

    def _codex_output(self, name: str, output: object) -> None:
        call = self._calls.pop(name, None)
        if call is None:
            return
        at, text = call
        if isinstance(output, dict):
            output = output.get("content")
        if isinstance(output, list):
            output = "\n".join(_string(part, "text") for part in _list(output))
        code, told = codex_output(output if isinstance(output, str) else "")
        record = self.found[at]._replace(event="PostToolUse")
        code = record.exit if code is None else code
        if told.startswith(("exec command rejected by user", "patch rejected by user")):
            self.found[at] = failed(record, text, told)
        elif code:
            self.found[at] = finish(
                record._replace(event="PostToolUseFailure", exit=code), text=text, error=told
            )
        else:
            self.found[at] = finish(record._replace(exit=code), text=text, output=told)

    # -- both

    def _begin(self, base: Observation, name: str, tool: object, value: object) -> None:
        if name in self._begun:
            return
        self._begun.add(name)
        tool, path, text = tool_input(tool, value, self._root)
        record = base._replace(event="PreToolUse", tool_use_id=name, tool=tool, path=path)
        self._calls[name] = len(self.found), text
        self.found.append(finish(record, text=text))

    def _say(self, base: Observation, text: str) -> None:
        if text.startswith(_INTERRUPTED):
            self._interrupt(base)
        elif words := typed(text):
            self.found.append(finish(base._replace(event="UserPromptSubmit"), text=words))

    def _stop(self, base: Observation) -> None:
        self.found.append(base._replace(event="Stop", cut=self._unsaid))
        self._unsaid = 0

    def _interrupt(self, base: Observation) -> None:
        """Codex tells of an interruption twice, Claude Code also after a refused call."""
        if not (self.found and self.found[-1].event in ("Interrupt", "Reject")):
            self.found.append(base._replace(event="Interrupt"))


def _arguments(payload: dict[str, Any]) -> object:
    arguments = payload.get("arguments", payload.get("input"))
    if isinstance(arguments, str):
        try:
            return json.loads(arguments)
        except (ValueError, RecursionError):
            return {"input": arguments}
    return arguments


def _string(record: dict[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
