"""The hook command of every client and every event: one JSON payload in, at most one JSON line out.

`main` is the boundary. Whatever happens inside, it exits with 0 and prints a whole answer or nothing: a
hook that fails otherwise eats a prompt, blocks a tool or drops what other hooks said.
"""

from __future__ import annotations

import os
import sys

from qlearn.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Mapping
    from typing import NoReturn

    from qlearn.paths import UserPaths
    from qlearn.project import Project

LARGEST_PAYLOAD = 1 << 20

OBSERVED = (
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "Stop",
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
)
"""The events of Claude Code and Codex, then those of Gemini."""

ENDS_OF_TURNS = ("Stop", "AfterAgent")


class Scene(NamedTuple):
    """What a handler is given: the payload, where and when it happens, and for whom."""

    payload: Mapping[str, object]
    event: str
    project: Project
    user: UserPaths | None
    environ: Mapping[str, str]
    now: dt.datetime
    cursor: str = ""
    """The event's name in Cursor's words, "" where another client asks."""

    def text(self, key: str) -> str:
        """A field of the payload, "" where it is missing or no text."""
        value = self.payload.get(key)
        return value if isinstance(value, str) else ""

    def note(self, message: str) -> None:
        """Leave a line in the user's log."""
        _log(self.user, self.now, self.event, message)


def main() -> NoReturn:
    """Answer the event on standard input, record it, and leave with 0."""
    try:
        import datetime as dt
        import gc

        gc.disable()  # a hook ends before there would be anything to collect
        scene = read_scene(_payload(0), os.environ, dt.datetime.now(dt.UTC))
        if scene is not None:
            if text := answer(scene):
                _write(1, text)
            record(scene)
    except BaseException as error:
        _log_failure(error)
    # Nothing is buffered, and taking the interpreter down in order costs a tenth of a hook's time.
    os._exit(0)


def read_scene(data: bytes | None, environ: Mapping[str, str], now: dt.datetime) -> Scene | None:
    """Make of a payload what handlers work on; None for one that can't be used, which goes to the log.

    Args:
        data: The payload as it came; None for one of more than 1 MiB, which is not looked at.
    """
    from qlearn import paths, project

    user = paths.get(environ)
    if data is None:
        _log(user, now, "?", f"a payload of more than {LARGEST_PAYLOAD} bytes was left alone")
        _skip(user, environ, now)
        return None
    from json import loads

    try:
        payload = loads(data)
    except (ValueError, RecursionError) as error:
        _log(user, now, "?", f"the payload is no JSON: {error}")
        return None
    event = payload.get("hook_event_name") if isinstance(payload, dict) else None
    if not isinstance(event, str):
        return None
    cursor = ""
    if event[:1].islower():  # no other client begins an event's name so
        from .cursor import EVENTS, translated

        if event not in EVENTS:
            return None
        cursor, payload = event, translated(payload)
        event = str(payload["hook_event_name"])
    cwd = payload.get("cwd")
    found = project.find(cwd if isinstance(cwd, str) else "", environ)
    return Scene(payload, event, found, user, environ, now, cursor)


def answer(scene: Scene) -> bytes:
    """Give the line to print for an event, b"" for none."""
    handle = _handler(scene.event)
    text = handle(scene) if handle else ""
    if not text:
        return b""
    if scene.cursor:
        from .cursor import answer as in_its_words

        return in_its_words(scene.cursor, text)
    from json import dumps

    output = {"hookSpecificOutput": {"hookEventName": scene.event, "additionalContext": text}}
    return dumps(output, ensure_ascii=False).encode("utf-8") + b"\n"


def record(scene: Scene) -> None:
    """Do what an event is an occasion for, once it is answered: observe it, extract what a turn teaches."""
    if scene.event in OBSERVED:
        from .observe import observe

        observe(scene)
    if scene.event in ENDS_OF_TURNS:
        from .stop import stop

        stop(scene)


def _handler(event: str) -> Callable[[Scene], str] | None:
    if event in ("SessionStart", "SubagentStart"):
        from .session import start

        return start
    if event in ("UserPromptSubmit", "BeforeAgent"):
        from .task import prompt

        return prompt
    if event == "PostToolUseFailure":
        from .task import failure

        return failure
    if event == "AfterTool":
        from .task import after_tool

        return after_tool
    return None


def _log(user: UserPaths | None, now: dt.datetime, event: str, message: str) -> None:
    from qlearn.journal import write

    write(user, now, event, message)


def _skip(user: UserPaths | None, environ: Mapping[str, str], now: dt.datetime) -> None:
    """Count a payload that was left alone, if the project that the environment names is observed."""
    from qlearn import observing, project

    found = project.find("", environ)
    if user is not None and observing.is_on(found, user, environ):
        observing.skip(user.project(found.id), "payload above 1 MiB", now)


def _payload(descriptor: int) -> bytes | None:
    """Read standard input to its end; None if it holds more than a payload may."""
    chunks, size = [], 0
    while chunk := os.read(descriptor, 1 << 16):
        size += len(chunk)
        if size <= LARGEST_PAYLOAD:
            chunks.append(chunk)
    return b"".join(chunks) if size <= LARGEST_PAYLOAD else None


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _log_failure(error: BaseException) -> None:
    try:
        import datetime as dt

        from qlearn import paths

        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = f" ({os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno})" if place else ""
        _log(paths.get(os.environ), dt.datetime.now(dt.UTC), "?", f"{type(error).__name__}: {error}{where}")
    except BaseException:
        pass


if __name__ == "__main__":
    sys.exit(main())
