"""Whether the learnings reach the agent: the registered hooks are run as a client runs them.

What is found is told with its cure. Nothing is changed, here or in the user's folders.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qlearn import clients, project, store
from qlearn.errors import QlearnError
from qlearn.interchange.agents_md import FILES, find_block
from qlearn.learning import parse_learnings
from qlearn.mistakes import parse_mistakes
from qlearn.problems import check, decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SOURCES = ("startup", "resume", "clear", "compact", "fork")
"""What a session can start from; each calls the hook."""

OLDEST_CLIENT = (2, 0, 77)
_PATIENCE = 10.0
_PLUGIN = "${CLAUDE_PLUGIN_ROOT}"
_MEMORIES = {
    "MISTAKE.md": "`qlearn import MISTAKE.md` brings its mistakes into the registry",
    "CLAUDE.md": "the client reads it whole in every session; keep lessons that fade in the registry",
    "AGENTS.md": "clients read it whole in every session; keep lessons that fade in the registry",
    "MEMORY.md": "keep each lesson in one place, so that they can't come to differ",
    ".learnings": "keep each lesson in one place, so that they can't come to differ",
}


class Finding(NamedTuple):
    """Something that was looked at: its `level` is "ok", "note", "warning" or "error"."""

    level: str
    topic: str
    message: str
    cure: str = ""


class Registered(NamedTuple):
    """A hook command, the settings it stands in, what their client adds to the environment, and who it is."""

    where: str
    event: str
    command: str
    environ: Mapping[str, str]
    client: clients.Client = clients.CLAUDE_CODE


def examine(root: str, environ: Mapping[str, str]) -> tuple[Finding, ...]:
    """Look at all there is between the registry of a project and its agent.

    Args:
        root: The project's folder.
        environ: Of the user, as the client would have it.
    """
    return (
        *_registry(root),
        *_hooks(root, environ),
        *_client(environ),
        *_memories(root),
    )


def registered(root: str, environ: Mapping[str, str]) -> tuple[tuple[Registered, ...], tuple[Finding, ...]]:
    """Find the hooks of qlearn's in the settings of project and user, and in installed plugins."""
    found: list[Registered] = []
    flaws: list[Finding] = []
    home = _client_home(environ)
    for path in (*(Path(root, ".claude", name) for name in _SETTINGS), home / "settings.json"):
        try:
            text = _read(path)
            found += (
                Registered(str(path), each.event, each.command, {}) for each in clients.registrations(text)
            )
        except QlearnError as error:
            flaws.append(Finding("error", "settings", f"{path}: {error}", "the client ignores it; mend it"))
    for folder in _plugin_folders(root, home):
        path = folder / "hooks/hooks.json"
        try:
            for each in clients.registrations(_read(path)):
                command = each.command.replace(_PLUGIN, str(folder))
                found.append(Registered(str(path), each.event, command, {"CLAUDE_PLUGIN_ROOT": str(folder)}))
        except QlearnError as error:
            flaws.append(Finding("error", "settings", f"{path}: {error}", "install the plugin again"))
    for client in (clients.CODEX, clients.GEMINI, clients.CURSOR):
        for path in (Path(folder, client.settings) for folder in (root, environ.get("HOME")) if folder):
            try:
                text = _read(path)
                found += (
                    Registered(str(path), each.event, each.command, {}, client)
                    for each in (clients.registrations(text, client) if "qlearn" in text else ())
                )
            except QlearnError as error:
                flaws.append(
                    Finding("error", "settings", f"{path}: {error}", "the client ignores it; mend it")
                )
    return tuple(found), tuple(flaws)


_SETTINGS = ("settings.json", "settings.local.json")


def _registry(root: str) -> Iterator[Finding]:
    try:
        data = store.read(project.LEARNINGS, root=root)
    except QlearnError as error:
        yield Finding("error", "registry", str(error), "put a readable file there")
        return
    if data is None:
        yield Finding(
            "note", "registry", f"no {project.LEARNINGS} yet", "`qlearn add` records the first lesson"
        )
        return
    text, flaws = decode(data)
    active = sum(not entry.resolved for entry in parse_learnings(text))
    yield Finding("ok", "registry", f"{project.LEARNINGS}: {_counted(active, 'active learning')}")
    problems = [*flaws, *check(text)]
    if problems:
        yield Finding(
            "warning", "registry", f"{_counted(len(problems), 'problem')} in it", "see `qlearn check`"
        )


def _hooks(root: str, environ: Mapping[str, str]) -> Iterator[Finding]:
    found, flaws = registered(root, environ)
    yield from flaws
    starts = (each for each in found if each.event in ("SessionStart", "sessionStart"))
    starting = {(each.where, each.command): each for each in starts}.values()  # one may have several matchers
    if not starting and (holders := [name for name in FILES if _holds_block(root, name)]):
        told = f"none is registered; clients read the learnings in {' and '.join(holders)}"
        yield Finding("note", "hooks", told, "`qlearn check` tells when that is out of date")
    elif not starting:
        cure = "`qlearn init --hooks` registers it, or install the plugin"
        yield Finding("error", "hooks", "none is registered, so no session sees the learnings", cure)
    for each in starting:
        yield Finding("ok", "hooks", f"{each.where}: {each.command}")
        if Path(each.where).is_relative_to(root) and not _is_plain(each.command, root):
            told = f"{each.where} came with the project and is none that `qlearn init` writes: it was not run"
            yield Finding("warning", "hooks", told, f"if you trust it, run it: {each.command}")
            continue
        delivery = tuple(_delivery(each, environ))
        works = all(finding.level == "ok" for finding in delivery)  # then the shell has found the program
        yield from (
            finding for finding in _program(each, environ) if not (works and finding.level == "error")
        )
        yield from delivery
    for client in dict.fromkeys(each.client for each in starting):
        files = tuple(dict.fromkeys(each.where for each in starting if each.client == client))
        if len(files) > 1:
            places = " and ".join(files)
            cure = "keep one: `qlearn init --uninstall` takes it out of this project's settings"
            yield Finding("warning", "hooks", f"registered {len(files)} times, by {places}", cure)


def _holds_block(root: str, name: str) -> bool:
    try:
        return find_block(_read(Path(root, name))) is not None
    except QlearnError:
        return False


def _is_plain(command: str, root: str) -> bool:
    """Tell whether a command starts qlearn's hook, and nothing of the project's making.

    Whoever clones a repository has not yet said that its settings may run programs.
    """
    command = command.removesuffix(clients.OR_NOTHING)
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    program, *rest = words or [""]
    known = (
        (Path(program).name == "qlearn-hook" and not rest)
        or (program == "sh" and [Path(word).name for word in rest] == ["qlearn-hook"])
        or (
            re.fullmatch(r"python[0-9.]*(?:\.exe)?", Path(program).name) is not None
            and rest[:-1] == ["-I", "-S"]
            and rest[-1].replace("\\", "/").endswith("qlearn/hooks/launch.py")
        )
    )
    home = Path(root).resolve()
    paths = [Path(word) for word in words if Path(word).name != word]
    inside = any(not path.is_absolute() or path.resolve().is_relative_to(home) for path in paths)
    return known and shlex.join(words) == command and not inside


def _program(hook: Registered, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Look at the programs that a command starts."""
    try:
        words = shlex.split(hook.command) or [""]
    except ValueError as error:
        words = [f"{hook.command} ({error})"]
    if words[0] in ("sh", "bash") and hook.environ:  # the plugin's, which looks for a Python itself
        words = ["python3"]
    again = "`qlearn init --hooks`, called by the Python that shall run them, registers the hooks anew"
    program = shutil.which(words[0], path=environ.get("PATH", ""))
    if program is None:
        yield Finding("error", "hooks", f"{words[0]} does not exist or can't be run", again)
    elif "shims" in Path(program).parts:
        yield Finding(
            "warning", "hooks", f"{program} is a version manager's shim, which delays every hook", again
        )
    for word in words:
        if re.search(r"[/\\]uv[/\\](?:archive|environments|builds)-v\d+[/\\]", word):
            cure = f"`uv tool install` keeps qlearn in place; then {again}"
            yield Finding("warning", "hooks", f"{word} is in uv's cache, which may be emptied any time", cure)
            break


def _delivery(hook: Registered, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Run a hook for each way in which a session starts, with a learning to look for."""
    with tempfile.TemporaryDirectory(prefix="qlearn-doctor-") as folder:
        canary = f"canary {secrets.token_hex(8)}"
        Path(folder, ".qe").mkdir()
        Path(folder, project.LEARNINGS).write_text(f"### L001: {canary}\n- **Severity**: critical\n", "utf-8")
        state = {"XDG_STATE_HOME": f"{folder}/state", "XDG_DATA_HOME": f"{folder}/data"}
        run_in = {**environ, **hook.environ, **state, "CLAUDE_PROJECT_DIR": folder}
        failures: dict[str, list[str]] = {}
        slowest = 0.0
        for source in SOURCES:
            start = time.perf_counter()
            failure = _fault(hook, source, canary, folder, run_in)
            slowest = max(slowest, time.perf_counter() - start)
            if failure:
                failures.setdefault(failure, []).append(source)
        for failure, sources in failures.items():
            yield Finding("error", "delivery", f"{', '.join(sources)}: {failure}", f"run it: {hook.command}")
        if not failures:
            told = f"a learning came through for {', '.join(SOURCES)}; {slowest * 1000:.0f} ms at most"
            yield Finding("ok", "delivery", told)


def _fault(hook: Registered, source: str, canary: str, folder: str, environ: Mapping[str, str]) -> str:
    """Run a hook once, as a client does, and say what is wrong with its answer; "" if nothing is."""
    payload: dict[str, object] = {
        "session_id": "qlearn-doctor",
        "transcript_path": f"{folder}/transcript.jsonl",
        "cwd": folder,
        "hook_event_name": hook.event,
        "source": source,
    }
    if hook.client == clients.CURSOR:
        payload |= {"conversation_id": payload.pop("session_id"), "workspace_roots": [payload.pop("cwd")]}
    try:
        done = subprocess.run(
            hook.command.removesuffix(clients.OR_NOTHING),
            shell=True,
            cwd=folder,
            env=dict(environ),
            input=json.dumps(payload).encode(),
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {_PATIENCE:g} s"
    if done.returncode:
        complaint = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return f"exit code {done.returncode}{complaint and f': {complaint}'}"
    if not done.stdout.strip():
        return "no answer"
    try:
        answer = json.loads(done.stdout)
        if hook.client == clients.CURSOR:
            event, text = hook.event, answer["additional_context"]
        else:
            own = answer["hookSpecificOutput"]
            event, text = own["hookEventName"], own["additionalContext"]
    except (ValueError, LookupError, TypeError):
        return "the answer is not what a client reads"
    if event != hook.event:
        return f"the answer is for {event}"
    return "" if canary in text else "the answer holds no learning"


def _client(environ: Mapping[str, str]) -> Iterator[Finding]:
    # What is relative there counts from the folder one is in, which may hold a `claude` of its own.
    places = [place for place in environ.get("PATH", "").split(os.pathsep) if Path(place).is_absolute()]
    program = shutil.which("claude", path=os.pathsep.join(places))
    if program is None:
        return
    try:
        said = subprocess.run(
            [program, "--version"], env=dict(environ), capture_output=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return
    if numbers := re.search(rb"(\d+)\.(\d+)\.(\d+)", said.stdout):
        version = tuple(int(number) for number in numbers.groups())
        shown = ".".join(map(str, version))
        if version < OLDEST_CLIENT:
            oldest = ".".join(map(str, OLDEST_CLIENT))
            cure = f"`claude update`; qlearn was tried from {oldest} on"
            yield Finding("warning", "client", f"Claude Code {shown} is old", cure)
        else:
            yield Finding("ok", "client", f"Claude Code {shown}")


def _memories(root: str) -> Iterator[Finding]:
    try:
        count = len(parse_mistakes(decode(store.read(project.MISTAKES, root=root) or b"")[0]))
    except QlearnError as error:
        yield Finding("warning", "memories", str(error), "put a readable file there, or none")
    else:
        if count:
            cure = f"sessions see it beside the registry; `qlearn import {project.MISTAKES}` makes it one"
            yield Finding("note", "memories", f"{project.MISTAKES}: {_counted(count, 'mistake')}", cure)
    for name, cure in _MEMORIES.items():
        if Path(root, name).exists():
            yield Finding("note", "memories", f"{name} is there, too", cure)


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' * (count != 1)}"


def _client_home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("CLAUDE_CONFIG_DIR") or Path(environ.get("HOME") or "~", ".claude").expanduser())


def _plugin_folders(root: str, home: Path) -> Iterator[Path]:
    """The folders of the plugins that are enabled, by the settings and the client's own list."""
    enabled: dict[str, object] = {}
    for path in (home / "settings.json", *(Path(root, ".claude", name) for name in _SETTINGS)):
        named = _json(path).get("enabledPlugins")
        enabled.update(named if isinstance(named, dict) else {})
    plugins = _json(home / "plugins/installed_plugins.json").get("plugins")
    for name, places in plugins.items() if isinstance(plugins, dict) else ():
        if enabled.get(name, True) is False:
            continue
        for place in places if isinstance(places, list) else [places]:
            if not isinstance(place, dict) or place.get("projectPath", root) != root:
                continue
            folder = place.get("installPath")
            if isinstance(folder, str) and Path(folder, "hooks/hooks.json").is_file():
                yield Path(folder)


def _json(path: Path) -> Mapping[str, object]:
    try:
        value = json.loads(_read(path) or "{}")
    except (QlearnError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _read(path: Path) -> str:
    """Read a file of the client's; "" if there is none."""
    data = store.read(str(path.absolute()), root="/", may_be_empty=True)
    return "" if data is None else data.decode("utf-8", "replace")
