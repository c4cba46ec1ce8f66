"""Cursor's events in the words of the others, and its answers in its own.

Its payload names the conversation instead of a session, and the folders of its workspace; its answer is one
key. Written after its documentation; it was not run with Cursor itself.
"""

from __future__ import annotations

from json import dumps, loads

from qlearn.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS = {
    "sessionStart": "SessionStart",
    "beforeSubmitPrompt": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "stop": "Stop",
}
_KEYS = {"conversation_id": "session_id", "error_message": "error"}


def translated(payload: Mapping[str, object]) -> dict[str, object]:
    """Name an event of Cursor's and what it tells as Claude Code does; keys that both have stay."""
    found = {_KEYS.get(key, key): value for key, value in payload.items()}
    found["hook_event_name"] = EVENTS[str(payload["hook_event_name"])]
    roots = payload.get("workspace_roots")
    if not found.get("cwd") and isinstance(roots, list) and roots:
        found["cwd"] = roots[0]
    if found.get("tool_name") == "Shell":
        found["tool_name"] = "Bash"
    if "tool_output" in payload:
        response = found["tool_response"] = _response(payload["tool_output"])
        if isinstance(response, dict) and (code := response.get("exitCode")):
            # A command that failed is a call that succeeded.
            output = f"{response.get('stderr') or ''}{response.get('stdout') or ''}"
            found |= {"hook_event_name": "PostToolUseFailure", "error": f"Exit code {code}\n{output}"}
    return found


def answer(event: str, text: str) -> bytes:
    """Give the line to print for an event of that name."""
    output: dict[str, object] = {"additional_context": text}
    if event == "beforeSubmitPrompt":
        output["continue"] = True
    return dumps(output, ensure_ascii=False).encode("utf-8") + b"\n"


def _response(output: object) -> object:
    """What a tool returned: Cursor wraps a JSON object into a text."""
    if isinstance(output, str) and output.startswith("{"):
        try:
            return loads(output)
        except (ValueError, RecursionError):
            return output
    return output
