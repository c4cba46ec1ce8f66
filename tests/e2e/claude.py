"""One session of the real Claude Code against a stand-in for its API.

The client is the program `claude`, or the one that `QLEARN_E2E_CLIENT` names. It gets a home of its own, a
key that is none, and an API on this machine that answers from a script, so a run needs no account and
reaches nobody.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.e2e.api import Reply, program, serve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

PROMPT_SECONDS = 60


class Step(NamedTuple):
    """What the model answers next: some text, and a tool call if `tool` is named."""

    text: str
    tool: str = ""
    input: dict[str, object] = {}  # noqa: RUF012 - a NamedTuple's default, never changed


class Session(NamedTuple):
    """What happened: the requests that reached the API, the client's messages, and its exit code."""

    requests: tuple[dict[str, Any], ...]
    messages: tuple[dict[str, Any], ...]
    code: int

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text that stood in a request, once, in order."""
        found: dict[str, None] = {}
        for request in self.requests:
            for message in [{"content": request.get("system") or []}, *request.get("messages", [])]:
                content = message["content"]
                blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
                for block in blocks:
                    if isinstance(block, dict) and block.get("type") == "text":
                        found.setdefault(block["text"])
        return tuple(found)

    @property
    def start(self) -> dict[str, Any]:
        """The client's first message: its skills, plugins and commands."""
        return next(each for each in self.messages if each.get("subtype") == "init")


def find_client() -> str | None:
    """The path of the client, None where there is none."""
    return program("claude", "QLEARN_E2E_CLIENT")


def run(
    client: str,
    project: Path,
    home: Path,
    prompts: Sequence[str],
    steps: Sequence[Step] = (),
    plugin: Path | None = None,
) -> Session:
    """Run one session: the prompts in order, each answered from *steps*, then by a closing word."""
    home.mkdir(parents=True, exist_ok=True)
    command = [client, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
    command += ["--allowedTools", "Bash,Read,Write,Edit,Skill"]
    if plugin is not None:
        command += ["--plugin-dir", str(plugin)]
    with _api(steps) as (address, requests):
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "ANTHROPIC_API_KEY": "sk-ant-none",
            "ANTHROPIC_BASE_URL": address,
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        process = subprocess.Popen(
            command,
            cwd=project,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        messages: list[dict[str, Any]] = []
        answered = threading.Semaphore(0)
        reader = threading.Thread(target=_collect, args=(process.stdout, messages, answered), daemon=True)
        reader.start()
        try:
            for prompt in prompts:
                content = [{"type": "text", "text": prompt}]
                line = {"type": "user", "message": {"role": "user", "content": content}, "session_id": "e2e"}
                process.stdin.write(json.dumps({**line, "parent_tool_use_id": None}).encode() + b"\n")
                process.stdin.flush()
                if not answered.acquire(timeout=PROMPT_SECONDS):
                    break
            process.stdin.close()
            code = process.wait(PROMPT_SECONDS)
        finally:
            process.kill()
        reader.join(5)
        process.stdout.close()
        time.sleep(0.5)  # for what a hook left running
    return Session(tuple(requests), tuple(messages), code)


def _collect(stream: Any, messages: list[dict[str, Any]], answered: threading.Semaphore) -> None:
    for line in stream:
        with contextlib.suppress(ValueError):
            messages.append(json.loads(line))
            if messages[-1].get("type") == "result":
                answered.release()


@contextlib.contextmanager
def _api(steps: Sequence[Step]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve the Messages API on a free port: its address, and the list that requests are added to."""
    waiting = list(steps)
    requests: list[dict[str, Any]] = []
    lock = threading.Lock()

    def answer(path: str, request: dict[str, Any]) -> Reply:
        if "count_tokens" in path:
            return Reply({"input_tokens": 1})
        with lock:
            requests.append(request)
            step = waiting.pop(0) if waiting and request.get("tools") else Step("Done.")
        blocks: list[dict[str, Any]] = [{"type": "text", "text": step.text}]
        if step.tool:
            name = f"toolu_{len(requests):024d}"
            blocks.append({"type": "tool_use", "id": name, "name": step.tool, "input": step.input})
        return Reply(_events(blocks) if request.get("stream") else _message(blocks))

    with serve(answer) as api:
        yield api.address, requests


def _message(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": f"msg_{time.monotonic_ns():024d}",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": blocks,
        "stop_reason": "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _events(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    message = _message(blocks)
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    ]
    for index, block in enumerate(blocks):
        shell: dict[str, Any]
        if block["type"] == "text":
            shell, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            shell = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": shell},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events += [{"type": "message_delta", "delta": stop, "usage": message["usage"]}, {"type": "message_stop"}]
    return events
