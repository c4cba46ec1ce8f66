"""One hook event as one record of what an agent did, or what a person said.

The shapes of Claude Code (1.0.128 to 2.1), Codex and Gemini become one: tools have one name each, a shell
command is the text itself, a failure is an event of its own. This module is on the hook's path: it knows
no disk and no clock, and imports what only some events need when they need it.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

from .prompt import typed
from .record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

VERSION = 1
MAX_CHARS = 5_000  # code points kept of input, output and error, each
_MAX_KEY = 500

_EVENTS = {
    "PreToolUse": "PreToolUse",
    "PostToolUse": "PostToolUse",
    "PostToolUseFailure": "PostToolUseFailure",
    "UserPromptSubmit": "UserPromptSubmit",
    "Stop": "Stop",
    "BeforeTool": "PreToolUse",
    "AfterTool": "PostToolUse",
    "BeforeAgent": "UserPromptSubmit",
    "AfterAgent": "Stop",
}
_TOOLS = {
    **dict.fromkeys(("run_shell_command", "exec_command", "shell", "local_shell", "container.exec"), "Bash"),
    **dict.fromkeys(("apply_patch", "replace", "MultiEdit", "NotebookEdit"), "Edit"),
    "write_file": "Write",
    "read_file": "Read",
    "search_file_content": "Grep",
    "Task": "Agent",
}
_FILE_TOOLS = {"Read", "Write", "Edit"}  # what they return is the file, which stands on disk


class Observation(NamedTuple):
    """One event of a session.

    `event` is PreToolUse, PostToolUse, PostToolUseFailure, UserPromptSubmit or Stop; transcripts also tell of
    Interrupt (a person stopped the agent) and Reject (a person refused a tool call; `error` is the reason).
    `ts` is UTC, ISO 8601 with milliseconds and `Z`. `agent` is empty for the main agent. `key` holds the
    canonical commands of a shell call, joined by " && ". `input` is the command, the prompt, or the tool's
    input as JSON. `exit` is None where the client doesn't tell. `cut` counts the code points left out.
    """

    ts: str
    event: str
    session: str
    tool_use_id: str = ""
    agent: str = ""
    project: str = ""
    tool: str = ""
    key: str = ""
    path: str = ""
    input: str = ""
    output: str = ""
    error: str = ""
    exit: int | None = None
    ms: int | None = None
    cut: int = 0

    @property
    def id(self) -> str:
        """What evidence names it by: the id of the tool call, else session and time."""
        return self.tool_use_id or f"{self.session[:8]}@{self.ts}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The canonical commands of a shell call, one by one."""
        return tuple(self.key.split(" && ")) if self.key else ()


def observe(payload: dict[str, Any], *, now: datetime, project: str, root: str = "") -> Observation | None:
    """The record of a hook's payload; None for an event that is not observed, or a prompt no person typed.

    Secrets are masked in the decoded values, before they are cut.

    Args:
        payload: What the client sent, as parsed JSON; every field is optional and may have any type.
        now: An aware time.
        project: The project's id.
        root: The project's folder; paths below it are written relative to it.
    """
    event = _EVENTS.get(_text(payload.get("hook_event_name")), "")
    session = _text(payload.get("session_id"))
    if not event or not session:
        return None
    record = Observation(
        timestamp(now), event, session, agent=_text(payload.get("agent_id")), project=project
    )
    if event == "UserPromptSubmit":
        prompt = typed(_text(payload.get("prompt")))
        return finish(record, text=prompt) if prompt else None
    if event == "Stop":
        return record
    tool, path, text = tool_input(payload.get("tool_name"), payload.get("tool_input"), root)
    record = record._replace(tool=tool, path=path, tool_use_id=_text(payload.get("tool_use_id")))
    if event == "PreToolUse":
        return finish(record, text=text)
    milliseconds = payload.get("duration_ms")
    record = record._replace(ms=milliseconds if type(milliseconds) is int else None)
    if event == "PostToolUseFailure":
        return failed(
            record, text, _text(payload.get("error")), interrupted=payload.get("is_interrupt") is True
        )
    return ended(record, text, payload.get("tool_response"))


def timestamp(now: datetime) -> str:
    """An aware time as it stands in records."""
    return now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_timestamp(text: str) -> str:
    """A time of whatever form and zone, as it stands in records; "" for what is none or has no zone."""
    try:
        moment = datetime.fromisoformat(text)
        return timestamp(moment) if moment.tzinfo else ""
    except (ValueError, OverflowError):  # the year 1 in an eastern zone
        return ""


# ------------------------------------------------------------------------------------ parts of a record


def tool_input(name: object, value: object, root: str) -> tuple[str, str, str]:
    """The tool's one name, the path it works on, and its input as text."""
    tool = _TOOLS.get(_text(name), _text(name))
    if not isinstance(value, dict):
        return tool, "", _text(value) or ("" if value is None else _dump(value))
    path = next((_text(value[key]) for key in ("file_path", "notebook_path", "path") if value.get(key)), "")
    if root and path.startswith(root.rstrip("/") + "/"):
        path = path[len(root.rstrip("/")) + 1 :]
    if tool == "Bash":
        return tool, path, _command(value)
    return tool, path or _patched(value), _dump(value)


def _patched(value: dict[str, Any]) -> str:
    """The first file that a patch of Codex is about."""
    for text in (value.get("input"), value.get("command")):
        for line in _text(text).split("\n")[:10]:
            words, _, path = line.partition(" File: ")
            if words in ("*** Update", "*** Add", "*** Delete"):
                return path.strip()
    return ""


def _command(value: dict[str, Any]) -> str:
    command = next((value[key] for key in ("command", "cmd") if key in value), "")
    if isinstance(command, list):
        words = [_text(word) for word in command]
        if len(words) == 3 and words[1] in ("-c", "-lc"):
            return words[2]
        import shlex

        return shlex.join(words)
    return _text(command)


def ended(record: Observation, text: str, response: object) -> Observation:
    """The record of a call that came back; one that failed by its exit code becomes PostToolUseFailure."""
    if isinstance(response, dict) and response.get("interrupted") is True:
        return finish(record._replace(event="Interrupt"), text=text)
    code, output = _response(record.tool, response)
    if code:
        return finish(record._replace(event="PostToolUseFailure", exit=code), text=text, error=output)
    return finish(record._replace(exit=code), text=text, output=output)


def failed(record: Observation, text: str, error: str, *, interrupted: bool = False) -> Observation:
    """The record of a call that failed: `Exit code N` is taken off its error, a person's no is told apart."""
    reason = _rejection(error)
    if reason is not None:
        return finish(record._replace(event="Reject"), text=text, error=reason)
    if interrupted or error.startswith("[Request interrupted by user"):
        return finish(record._replace(event="Interrupt"), text=text)
    code, error = _exit_code(error.removeprefix("Error: "))
    return finish(record._replace(event="PostToolUseFailure", exit=code), text=text, error=error)


_REJECTIONS = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "User rejected tool use",
    "exec command rejected by user",
    "patch rejected by user",
)
_REASONS = ("the user said:", "following reason for the rejection:")


def _rejection(error: str) -> str | None:
    if not error.removeprefix("Error: ").startswith(_REJECTIONS):
        return None
    for words in _REASONS:
        if words in error:
            return error.partition(words)[2].strip()
    return ""


def _exit_code(error: str) -> tuple[int | None, str]:
    first, _, rest = error.partition("\n")
    number = first.removeprefix("Exit code ")
    if number != first and number.lstrip("-").isdecimal() and len(number) < 8:
        return int(number), rest
    return None, error


def _response(tool: str, response: object) -> tuple[int | None, str]:
    if isinstance(response, str):
        return codex_output(response)
    if isinstance(response, list):
        return None, _blocks(response)
    if not isinstance(response, dict) or tool in _FILE_TOOLS:
        return None, ""
    if "stdout" in response:
        parts = [_text(response["stdout"]), _text(response.get("stderr"))]
        return 0, "\n".join(part for part in parts if part)
    if "llmContent" in response:
        return _gemini_output(response)
    if isinstance(response.get("content"), list):
        return None, _blocks(response["content"])
    return None, _dump(response)


def _gemini_output(response: dict[str, Any]) -> tuple[int | None, str]:
    told = _text(response["llmContent"])
    shown = _text(response.get("returnDisplay"))
    for line in told.splitlines():
        number = line.removeprefix("Exit Code: ").strip()
        if line.startswith("Exit Code: ") and number.isdecimal() and len(number) < 8:
            return int(number), shown or told
    return None, shown or told


def codex_output(text: str) -> tuple[int | None, str]:
    """Exit code and output out of what Codex returns: the bare output, one with a header, or JSON."""
    if text.startswith('{"output"'):
        try:
            value = json.loads(text)
            code = value.get("metadata", {}).get("exit_code")
            return code if type(code) is int else None, _text(value["output"])
        except (ValueError, AttributeError, RecursionError):
            return None, text
    head, marker, output = text.partition("\nOutput:\n")
    if marker and len(head) < 500:
        for line in head.split("\n"):
            for words in ("Process exited with code ", "Exit code: "):
                number = line.removeprefix(words)
                if number != line and number.isdecimal() and len(number) < 8:
                    return int(number), output
    return None, text


def _blocks(blocks: list[Any]) -> str:
    texts = (block.get("text") if isinstance(block, dict) else block for block in blocks)
    return "\n".join(text for text in texts if isinstance(text, str))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _dump(value: object) -> str:
    try:
        return json.dumps(_masked(value), ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return ""


def _masked(value: object) -> object:
    """The value with its strings redacted, each on its own: in JSON an escape could hide a secret."""
    from .redact import redact

    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked(item) for item in value]
    return value


def finish(record: Observation, *, text: str = "", output: str = "", error: str = "") -> Observation:
    """Fill in the texts, masked and then cut, and the canonical commands of a shell call."""
    from .redact import redact

    masked = redact(text)
    if record.tool == "Bash" and masked:
        from .command import command_keys

        key = " && ".join(command_keys(masked))
        record = record._replace(key=key if len(key) <= _MAX_KEY else key[:_MAX_KEY].rpartition(" && ")[0])
    return record._replace(
        input=masked[:MAX_CHARS],
        output=redact(output)[:MAX_CHARS],
        error=redact(error)[:MAX_CHARS],
        cut=sum(max(len(whole) - MAX_CHARS, 0) for whole in (text, output, error)),
    )


# ------------------------------------------------------------------------------------ lines

_INTEGERS = {"exit", "ms", "cut"}


def to_line(observation: Observation) -> bytes:
    """One line of JSON in strict UTF-8, line end included; a lone surrogate becomes `?`."""
    record = {"v": VERSION, **observation._asdict()}
    return (json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8", "replace")


def parse_line(line: bytes | str) -> Observation | None:
    """Read a line of a log; None if it is broken or of another version. Unknown fields are passed over."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or record.get("v") != VERSION:
        return None
    values = {name: record[name] for name in Observation._fields if record.get(name) is not None}
    for name, value in values.items():
        if type(value) is not (int if name in _INTEGERS else str):
            return None
    if not all(values.get(name) for name in ("ts", "event", "session")):
        return None
    observation = Observation(**values)._replace(ts=read_timestamp(values["ts"]))
    if not observation.ts:
        return None
    if observation.tool == "Bash" and not observation.key:
        from .command import command_keys

        observation = observation._replace(key=" && ".join(command_keys(observation.input)))
    return observation


def pair(observations: Iterable[Observation]) -> tuple[Observation, ...]:
    """Put the records of each tool call together, and all in the order in which they began.

    A call that came back is the record of its end with the time of its start. One that never did stays
    PreToolUse. Where a client gives calls no id, the oldest open call of the same tool and input is meant.
    A call that is told of twice, by hook and by transcript, counts once: as the one that knows how it ended.
    """
    found: list[Observation] = []
    known: dict[tuple[str, str], int] = {}  # where a call with an id stands
    nameless: dict[tuple[str, ...], list[int]] = {}  # where the open calls without one stand
    for observation in sorted(observations, key=lambda o: o.ts):
        at = None
        begins = observation.event == "PreToolUse"
        call = (observation.session, observation.tool_use_id)
        if observation.tool_use_id:
            at = known.setdefault(call, len(found))
        elif observation.tool:
            waiting = nameless.setdefault((observation.session, observation.tool, observation.input), [])
            if begins:
                waiting.append(len(found))
            elif waiting:
                at = waiting.pop(0)
        if at is None or at == len(found):
            found.append(observation)
        elif not begins and tells_more(observation, found[at]):
            found[at] = observation._replace(ts=found[at].ts)
    return tuple(found)


def tells_more(new: Observation, old: Observation) -> bool:
    """Whether the one record of a call knows how it ended and the other doesn't."""
    if old.event == "PreToolUse":
        return new.event != "PreToolUse"
    unsure = old.event == "PostToolUse" and old.exit is None
    return unsure and (new.exit is not None or new.event in ("PostToolUseFailure", "Interrupt", "Reject"))
