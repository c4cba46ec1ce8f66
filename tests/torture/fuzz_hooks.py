"""Random and mutated payloads and files, on every event that a hook is called for.

Each case is a whole run of the hook in this process: a payload in the shape of some client's, now and then
cut, spoiled or given values of other kinds, in a project whose files were spoiled, too. It has to leave with
0, to print nothing or one line of JSON, and not to have given up on anything.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import traceback
from contextlib import ExitStack, chdir
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from unittest.mock import patch

from qlearn import hooks, observing, paths, project
from tests.hostile import HIDDEN, TAGS, smuggled, tags_in
from tests.transcripts import repaired

from .fuzz import some_bytes, spoiled, watched
from .harness import Verdicts, check, control, in_parallel, scratch

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

NOW = datetime(2026, 11, 30, 15, 4, tzinfo=UTC)
EVENTS = (
    "SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
    "Stop", "BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "sessionStart", "beforeSubmitPrompt",
    "preToolUse", "postToolUse", "postToolUseFailure", "stop", "SessionEnd", "Notification", "",
)  # fmt: skip
REGISTRY = b"""\
# Learning Registry

---

### L001: Install with pnpm
- **Type**: mistake
- **Severity**: critical
- **Date**: 2026-11-29
- **Learning**: Install packages with pnpm, not npm: npm ERR! ENOENT package-lock.json

---

"""
MISTAKES = b"### M001: Wrong client\n- **Wrong**: npm install\n- **Correct**: pnpm install\n"
PROPOSALS = b"""\
# Proposals

---

### P1a2b: Install with pnpm
- **Type**: gotcha
- **Learning**: Install with pnpm.
- **Detector**: correction
- **Date**: 2026-11-29
- **Evidence**: seen 2, sessions 1, kept 0, last 2026-11-29

---
"""
SETTINGS = b"top = 3\nmax_chars = 2000\nhalf_life = 30\n"
TRANSCRIPT = "\n".join(repaired().lines).encode() + b"\n"
CALL: dict[str, object] = {
    "session_id": "s", "conversation_id": "c", "tool_use_id": "t1", "source": "startup", "tool_name": "Bash",
    "prompt": "Install the packages with npm", "error": "npm ERR! ENOENT package-lock.json",
    "tool_input": {"command": "npm install"}, "tool_response": {"stdout": "", "stderr": "npm ERR! ENOENT"},
    "tool_output": '{"exitCode": 1, "stderr": "npm ERR! ENOENT"}', "is_interrupt": False,
    "permission_mode": "default", "stop_hook_active": False, "llmContent": "x",
}  # fmt: skip
_VALUES: tuple[object, ...] = (
    None, True, -1, 0, 1e308, 10**30, "", [], {}, [[[]]], {"a": {"b": [None]}}, "\0", "\ud800", "x" * 3000,
    "../../..", "/dev/zero", "/dev/stdin", "/proc/self/mem", "~", "a\nb", "\u2028", {"command": 7},
    ["npm", "i"], {"file_path": "/etc/passwd\0"}, {"command": "npm install\n" * 50},
    "&lt;system-reminder&gt;", *HIDDEN[::40], *TAGS,
)  # fmt: skip


class LeftError(BaseException):
    """The hook leaves with a code."""


class Place:
    """A project and its user, one of whose files is spoiled now and then."""

    def __init__(self, folder: Path, run: Callable[[], NoReturn]) -> None:
        self.root = folder / "project"
        self.environ = {"HOME": str(folder / "home"), "PATH": os.defpath}
        self._folder = folder
        self._run = run
        self._user = paths.find(self.environ)

    def renew(self) -> None:
        """Put all files back."""
        for each in (self.root, self._folder / "home"):
            shutil.rmtree(each, ignore_errors=True)
        (self.root / ".qe").mkdir(parents=True)
        found = project.find(str(self.root), {})
        self._own = Path(self._user.project(found.id))
        observing.turn(self._user, found, on=True)
        for path, data in self.files().items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def files(self) -> dict[Path, bytes]:
        """What the hook may read, as it should be."""
        qe = self.root / ".qe"
        return {
            qe / "learnings.md": REGISTRY,
            qe / "MISTAKE.md": MISTAKES,
            self.root / project.PROPOSALS: PROPOSALS,
            qe / "qlearn.toml": SETTINGS,
            Path(self._user.data, self._user.learnings): REGISTRY.replace(b"pnpm", b"bun"),
            self.transcript: TRANSCRIPT,
        }

    @property
    def transcript(self) -> Path:
        return self._folder / "home" / "transcript.jsonl"

    def spoil(self, random: Random) -> None:
        """Spoil a file, be it the user's own or one that the hook keeps."""
        kept = sorted(each for each in self._own.rglob("*") if each.is_file() and each.suffix != ".lock")
        path = random.choice([*self.files(), *kept])
        data = self.files().get(path) or path.read_bytes()[-3000:]
        if path.suffix == ".md" and random.random() < 0.5:
            data += some_bytes(random)[:20_000]
        for _ in range(random.randint(1, 4)):
            data = spoiled(data, random)
        path.write_bytes(data)

    def payload(self, random: Random) -> bytes:
        """What a client sends, more or less."""
        told: dict[Any, object] = {**CALL, "cwd": str(self.root), "transcript_path": str(self.transcript)}
        told["hook_event_name"] = random.choice(EVENTS)
        told["workspace_roots"] = [str(self.root)]
        for _ in range(int(random.random() * 3)):
            key = random.choice([*told, "agent_id"])
            told[key] = random.choice(_VALUES)
        data = json.dumps(told, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
        while random.random() < 0.25:
            data = spoiled(data, random)
        return data if random.random() < 0.97 else random.randbytes(int(random.random() * 100))

    def flaw(self, payload: bytes) -> str:
        """What is wrong with what the hook does on a payload."""
        printed: list[bytes] = []
        failures: list[str] = []
        with ExitStack() as stack:
            stack.enter_context(patch.dict(os.environ, self.environ, clear=True))
            for name, instead in (
                ("_payload", lambda _: payload),
                ("_write", lambda _, data: printed.append(data)),
                ("_log_failure", lambda error: failures.append(_told(error))),
            ):
                stack.enter_context(patch.object(hooks, name, instead))
            stack.enter_context(patch("os._exit", _leave))
            try:
                self._run()
            except LeftError as left:
                code = left.args[0]
        if failures or code:
            return f"it leaves with {code}: {failures}"
        return _flaw_of(b"".join(printed))


def _told(error: BaseException) -> str:
    return f"{error!r} at {traceback.extract_tb(error.__traceback__)[-1]}"


def _leave(code: int) -> NoReturn:
    raise LeftError(code)


def _flaw_of(line: bytes) -> str:
    """What is wrong with an answer."""
    if not line:
        return ""
    if not line.endswith(b"\n") or line.count(b"\n") != 1:
        return f"it prints {line[:200]!r}"
    try:
        answer = json.loads(line.decode("utf-8"))
    except ValueError as error:
        return f"it prints no JSON: {error}"
    inner = answer.get("hookSpecificOutput", answer)
    text = inner.get("additionalContext", inner.get("additional_context", ""))
    if not text or smuggled(text) or tags_in(text):
        return f"it says {text[:200]!r}"
    return ""


def cases(size: int, random: Random, run: Callable[[], NoReturn] = hooks.main) -> Verdicts:
    """Run the hook so many times; every second one in a project with a file more spoiled than before."""
    with scratch() as folder, watched() as wind_up, chdir(folder):
        place = Place(folder, run)
        for number in range(size):
            wind_up()
            if number % 32 == 0:
                place.renew()
            elif number % 2:
                place.spoil(random)
            payload = place.payload(random)
            try:
                wrong = place.flaw(payload)
            except Exception as error:
                wrong = repr(error)
            gc.enable()  # which the hook has no use for
            yield f"{payload[:600]!r}: {wrong}" if wrong else 1


@check("fuzz-hooks", counts="payloads to hooks", ci=20_000, long=600_000, seconds=10)
def any_payload(size: int, random: Random) -> Verdicts:
    """Call hooks of every event with anything."""
    return in_parallel(cases, size, random)


def _in_good_faith() -> NoReturn:
    """A hook without a boundary that believes what it is sent."""
    payload = json.loads(hooks._payload(0) or b"")
    scene = hooks.read_scene(json.dumps(payload).encode(), os.environ, NOW)
    if scene is not None:
        hooks._write(1, hooks.answer(scene).replace(b"\\n", b"\n"))
    _leave(0)


@control("fuzz-hooks", broken="a hook that trusts its payload and escapes nothing", size=500)
def in_good_faith(size: int, random: Random) -> Verdicts:
    """Print line breaks as they are."""
    return cases(size, random, _in_good_faith)
