"""The hooks of each client, and its settings with and without them.

Settings belong to their user: an edit keeps every byte that is no hook of qlearn's, the layout included. So
the text is cut and joined, never written anew.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from .errors import QlearnError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Hook(NamedTuple):
    """An event that qlearn answers, in so many seconds; the client goes on meanwhile if *asynchronous*."""

    event: str
    timeout: int
    asynchronous: bool = False


class Client(NamedTuple):
    """A client: where its project settings are, which of its events qlearn answers, how it writes them.

    `unit` is what its timeouts count, in seconds. Where it is `flat`, an event's array holds the handlers
    themselves, elsewhere groups of them. `empty` is what new settings begin with; `then` tells its user what
    is left to do.
    """

    title: str
    settings: str
    hooks: tuple[Hook, ...]
    then: str
    unit: float = 1
    flat: bool = False
    empty: str = "{}\n"


CLAUDE_CODE = Client(
    "Claude Code",
    ".claude/settings.json",
    (
        Hook("SessionStart", 10),
        Hook("UserPromptSubmit", 10),
        Hook("PreToolUse", 10, asynchronous=True),
        Hook("PostToolUse", 10, asynchronous=True),
        Hook("PostToolUseFailure", 10),
        Hook("SubagentStart", 10),
        Hook("Stop", 60),
    ),
    "`qlearn doctor` proves that they work",
)
"""hooks/hooks.json says the same for the plugin."""

CODEX = Client(
    "Codex",
    ".codex/hooks.json",
    tuple(hook for hook in CLAUDE_CODE.hooks if hook.event != "PostToolUseFailure"),
    "Codex runs them once you have trusted them: start it here and enter /hooks",
)
GEMINI = Client(
    "Gemini CLI",
    ".gemini/settings.json",
    (
        Hook("SessionStart", 10),
        Hook("BeforeAgent", 10),
        Hook("BeforeTool", 10),
        Hook("AfterTool", 10),
        Hook("AfterAgent", 60),
    ),
    "Gemini CLI runs them in folders that you trust",
    unit=0.001,
)
CURSOR = Client(
    "Cursor",
    ".cursor/hooks.json",
    (
        Hook("sessionStart", 10),
        Hook("beforeSubmitPrompt", 10),
        Hook("preToolUse", 10),
        Hook("postToolUse", 10),
        Hook("postToolUseFailure", 10),
        Hook("stop", 60),
    ),
    "its Hooks tab shows each call",
    flat=True,
    empty='{\n  "version": 1\n}\n',
)
CLIENTS = {"claude-code": CLAUDE_CODE, "codex": CODEX, "gemini": GEMINI, "cursor": CURSOR}
"""By the name that a user calls them."""


class Registration(NamedTuple):
    """A hook of qlearn's as it stands in some settings."""

    event: str
    command: str
    timeout: object = None
    asynchronous: object = False


_OURS = re.compile(r"qlearn[/\\]hooks[/\\]launch\.py|(?:^|[/\\\s\"'])qlearn-hook(?:\.exe)?(?![\w.-])")
_INDENT = re.compile(r"\n([ \t]+)\S")
_BLANK = re.compile(r"[ \t\r\n]*")
_BOM = "\ufeff"


OR_NOTHING = " || exit 0"
"""Behind the command of a hook. Where its file is gone, Python and sh end with 2, which blocks a prompt."""


def hook_command(interpreter: str, start_file: str) -> str:
    """The command line that starts the hook: absolute, and without what the interpreter's user has set.

    It ends with 0 even where qlearn is no longer there.
    """
    return shlex.join((interpreter, "-I", "-S", start_file)) + OR_NOTHING


def registrations(text: str, client: Client = CLAUDE_CODE) -> tuple[Registration, ...]:
    """Find qlearn's hooks in some settings, in their order.

    Raises:
        QlearnError: The text is no JSON, or its hooks are none.
    """
    return tuple(
        Registration(
            str(path[1]), str(handler.get("command")), handler.get("timeout"), handler.get("async", False)
        )
        for path, handler in _handlers(_load(text), client.flat)
        if _is_ours(handler)
    )


def with_hooks(text: str, command: str, client: Client = CLAUDE_CODE) -> str:
    """Register every hook of a client with this command, and with no other; twice is once.

    Args:
        text: Settings as they stand; "" for none.

    Raises:
        QlearnError: As `registrations`.
    """
    wanted = wanted_hooks(command, client)
    if sorted(registrations(text, client), key=repr) == sorted(wanted, key=repr):
        return text
    text = without_hooks(text, client) if text.strip(f"{_BOM} \t\r\n") else client.empty
    for event, _, timeout, asynchronous in wanted:
        handler: dict[str, object] = {"type": "command", "command": command, "timeout": timeout}
        if asynchronous:
            handler["async"] = True
        text = _with_part(text, event, handler if client.flat else {"hooks": [handler]})
    return text


def wanted_hooks(command: str, client: Client) -> tuple[Registration, ...]:
    """What a client's settings hold of qlearn's once every hook is registered with this command."""
    return tuple(
        Registration(hook.event, command, round(hook.timeout / client.unit), hook.asynchronous)
        for hook in client.hooks
    )


def without_hooks(text: str, client: Client = CLAUDE_CODE) -> str:
    """Take out every hook of qlearn's, and what holds nothing without it.

    Raises:
        QlearnError: As `registrations`.
    """
    while ours := [path for path, handler in _handlers(_load(text), client.flat) if _is_ours(handler)]:
        path = ours[-1]
        while len(path) > 1 and len(_parts(text, _find(text, path[:-1])).parts) == 1:
            path = path[:-1]
            if len(path) == 4:  # the group of an event goes as a whole
                path = path[:-1]
        text = _without(text, path)
    return text


class _Part(NamedTuple):
    """A member of an object, or an element of an array, with the places of it and of its value."""

    key: str | int
    start: int
    value: int
    end: int


class _Parts(NamedTuple):
    parts: tuple[_Part, ...]
    close: int


def _load(text: str) -> dict[str, object]:
    if not text.strip(f"{_BOM} \t\r\n"):
        return {}
    try:
        settings = json.loads(text.removeprefix(_BOM))
    except (ValueError, RecursionError) as error:
        raise QlearnError(f"no JSON ({error}); mend it first, nothing was written") from error
    if not isinstance(settings, dict):
        raise QlearnError("no JSON object; mend it first, nothing was written")
    return settings


def _handlers(
    settings: dict[str, object], flat: bool
) -> Iterator[tuple[tuple[str | int, ...], dict[str, object]]]:
    """The handlers in some settings, each with its path: `hooks`, event, group, `hooks`, handler."""
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise QlearnError('"hooks" is no object; mend it first, nothing was written')
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            raise QlearnError(f'"hooks" has no array for {event}; mend it first, nothing was written')
        for group_at, group in enumerate(groups):
            if not isinstance(group, dict):
                continue
            if flat:
                yield ("hooks", event, group_at), group
                continue
            handlers = group.get("hooks")
            for handler_at, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                if isinstance(handler, dict):
                    yield ("hooks", event, group_at, "hooks", handler_at), handler


def _is_ours(handler: dict[str, object]) -> bool:
    command = handler.get("command")
    return isinstance(command, str) and bool(_OURS.search(command))


# The text of JSON, cut where its values begin and end -----------------------------------------------


def _parts(text: str, at: int) -> _Parts:
    """The parts of the object or array that opens at *at*, and where it closes."""
    decode = json.JSONDecoder().raw_decode
    in_object = text[at] == "{"
    parts: list[_Part] = []
    at = _skip(text, at + 1)
    while text[at] not in "}]":
        start = at
        key: str | int = len(parts)
        if in_object:
            key, at = decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        value = at
        _, at = decode(text, at)
        parts.append(_Part(key, start, value, at))
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return _Parts(tuple(parts), at)


def _find(text: str, path: tuple[str | int, ...]) -> int:
    """Where the value of a path begins; of a key that stands twice, the last one counts, as for clients."""
    at = _skip(text, len(_BOM) if text.startswith(_BOM) else 0)
    for key in path:
        at = [part.value for part in _parts(text, at).parts if part.key == key][-1]
    return at


def _without(text: str, path: tuple[str | int, ...]) -> str:
    """Cut out a part, with the comma and the white space that belong to it."""
    opening = _find(text, path[:-1])
    parts, close = _parts(text, opening)
    index = max(at for at, part in enumerate(parts) if part.key == path[-1])
    if len(parts) == 1:
        return text[: opening + 1] + text[close:]
    if index == 0:
        return text[: parts[0].start] + text[parts[1].start :]
    return text[: parts[index - 1].end] + text[parts[index].end :]


def _with_part(text: str, event: str, part: dict[str, object]) -> str:
    hooks = _load(text).get("hooks")
    if hooks is None:
        return _appended(text, (), "hooks", {event: [part]})
    if isinstance(hooks, dict) and event in hooks:
        return _appended(text, ("hooks", event), None, part)
    return _appended(text, ("hooks",), event, [part])


def _appended(text: str, path: tuple[str | int, ...], key: str | None, value: object) -> str:
    """Put a last part into the object or array of a path, laid out as the text is."""
    opening = _find(text, path)
    parts, close = _parts(text, opening)
    newline = "\r\n" if "\r\n" in text else "\n"
    found = _INDENT.search(text)
    unit = found[1] if found else "  "
    outer = unit * len(path)
    written = json.dumps(value, indent=unit, ensure_ascii=False)
    written = written if key is None else f"{json.dumps(key)}: {written}"
    written = (outer + unit) + written.replace("\n", f"{newline}{outer}{unit}")
    if parts:
        return f"{text[: parts[-1].end]},{newline}{written}{text[parts[-1].end :]}"
    return f"{text[: opening + 1]}{newline}{written}{newline}{outer}{text[close:]}"


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
