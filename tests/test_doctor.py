"""What the doctor finds between a registry and its agent."""

from __future__ import annotations

import datetime as dt
import json
import os
import sys
from pathlib import Path

import pytest

import qlearn
from qlearn import clients, doctor
from qlearn.doctor import Finding, examine
from qlearn.interchange import Frame
from qlearn.interchange.agents_md import block, with_block

LAUNCH = Path(qlearn.__file__).parent / "hooks/launch.py"
NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
COMMAND = clients.hook_command(sys.executable, str(LAUNCH))


class Place:
    """A project, a user, and what they have."""

    def __init__(self, tmp_path: Path) -> None:
        self.root = tmp_path / "project"
        self.home = tmp_path / "home"
        self.programs = tmp_path / "bin"
        for folder in (self.root / ".qe", self.home, self.programs):
            folder.mkdir(parents=True)
        self.environ = {"HOME": str(self.home), "PATH": f"{self.programs}:/usr/bin:/bin"}

    def register(self, command: str, path: str = ".claude/settings.json", home: bool = False) -> None:
        settings = (self.home if home else self.root) / path
        settings.parent.mkdir(parents=True, exist_ok=True)
        hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": command}]}]}
        settings.write_text(json.dumps({"hooks": hooks}))

    def program(self, name: str, text: str, folder: str = "") -> Path:
        path = self.programs / folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def hook(self, text: str) -> None:
        """Register a stand-in for the hook, which sh runs."""
        self.register(str(self.program("qlearn-hook", text)))

    def findings(self, topic: str) -> list[Finding]:
        return [each for each in examine(str(self.root), self.environ) if each.topic == topic]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_hook_that_delivers_is_proven_for_every_source(place: Place) -> None:
    place.register(COMMAND)
    (delivery,) = place.findings("delivery")
    assert delivery.level == "ok"
    assert delivery.message.startswith("a learning came through for startup, resume, clear, compact, fork; ")


def test_the_users_own_configuration_counts_and_nothing_is_left_in_the_users_folders(place: Place) -> None:
    place.register(COMMAND)
    assert place.findings("delivery")[0].level == "ok"
    assert list(place.home.iterdir()) == []


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exit 0", "no answer"),
        ("echo boom >&2; exit 2", "exit code 2: boom"),
        ("exit 127", "exit code 127"),
        ("echo hello", "the answer is not what a client reads"),
        ("echo '{}'", "the answer is not what a client reads"),
        ("echo '[]'", "the answer is not what a client reads"),
        (
            """echo '{"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": ""}}'""",
            "the answer is for Stop",
        ),
        (
            """echo '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "x"}}'""",
            "the answer holds no learning",
        ),
    ],
)
def test_a_hook_that_does_not_deliver_is_an_error(place: Place, script: str, message: str) -> None:
    place.hook(f"cat >/dev/null; {script}")
    (delivery,) = place.findings("delivery")
    assert delivery.level == "error"
    assert delivery.message == f"startup, resume, clear, compact, fork: {message}"
    assert delivery.cure == f"run it: {place.programs}/qlearn-hook"


def test_a_hook_that_fails_for_one_source_alone_is_an_error(place: Place) -> None:
    place.hook(
        f"""payload=$(cat); case "$payload" in *compact*) exit 3;; esac; echo "$payload" | {COMMAND}"""
    )
    (delivery,) = place.findings("delivery")
    assert delivery.message == "compact: exit code 3"


def test_a_hook_that_hangs_is_an_error(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_PATIENCE", 0.1)
    place.hook("exec sleep 5")
    assert place.findings("delivery")[0].message.endswith(": no answer within 0.1 s")


@pytest.mark.parametrize(
    "command",
    [
        "touch CANARY; qlearn-hook",
        "qlearn-hook $(touch CANARY)",
        'python3 -c \'open("CANARY", "w")\' qlearn-hook',
        "ROOT/qlearn-hook",
        "./qlearn-hook",
        "sh ROOT/hooks/qlearn-hook",
        "sh -c 'touch CANARY' qlearn-hook",
        "ROOT/python -I -S LAUNCH",
        "python3 -I -S ROOT/qlearn/hooks/launch.py",
        "PROGRAMS/link/qlearn-hook",
        "qlearn-hook 'unclosed",
        "qlearn-hook; touch CANARY || exit 0",
        "qlearn-hook || touch CANARY || exit 0",
    ],
)
@pytest.mark.parametrize("path", [".claude/settings.json", ".claude/settings.local.json"])
def test_what_a_cloned_project_wants_to_run_is_not_run(place: Place, command: str, path: str) -> None:
    canary = place.home / "canary"
    for name in ("qlearn-hook", "hooks/qlearn-hook", "python", "qlearn/hooks/launch.py"):
        file = place.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\ntouch {canary}\n")
        file.chmod(0o755)
    (place.programs / "link").symlink_to(place.root)
    for name, value in {
        "CANARY": canary,
        "ROOT": place.root,
        "LAUNCH": LAUNCH,
        "PROGRAMS": place.programs,
    }.items():
        command = command.replace(name, str(value))
    place.register(command, path)
    warning = place.findings("hooks")[1]
    assert warning.level == "warning"
    assert warning.message.endswith("it was not run")
    assert warning.cure == f"if you trust it, run it: {command}"
    assert place.findings("delivery") == []
    assert not canary.exists()


def test_a_command_that_no_shell_can_read_is_an_error(place: Place) -> None:
    place.register("qlearn-hook 'unclosed", home=True)
    missing = place.findings("hooks")[1]
    assert missing.level == "error"
    assert missing.message == "qlearn-hook 'unclosed (No closing quotation) does not exist or can't be run"


def test_a_client_in_a_relative_place_is_not_started(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    client = place.program("claude", f"touch {place.home}/canary; echo 2.1.0")
    monkeypatch.chdir(client.parent)
    place.environ["PATH"] = ".:/usr/bin:/bin"
    assert place.findings("client") == []
    assert not (place.home / "canary").exists()


@pytest.mark.parametrize(
    "client", [clients.CODEX, clients.GEMINI, clients.CURSOR], ids=lambda each: each.title
)
@pytest.mark.parametrize("home", [False, True])
def test_the_hooks_of_every_client_are_proven(place: Place, client: clients.Client, home: bool) -> None:
    settings = (place.home if home else place.root) / client.settings
    settings.parent.mkdir(parents=True)
    settings.write_text(clients.with_hooks("", COMMAND, client))
    assert [each.level for each in place.findings("hooks")] == ["ok"]
    (delivery,) = place.findings("delivery")
    assert delivery.level == "ok", delivery
    assert place.findings("settings") == []


def test_an_answer_in_the_words_of_another_client_is_an_error(place: Place) -> None:
    hook = place.program("qlearn-hook", "echo '{\"hookSpecificOutput\": {}}'")
    place.register(str(hook), ".gemini/settings.json", home=True)
    (place.home / ".cursor").mkdir()
    cursor = {"hooks": {"sessionStart": [{"command": str(hook)}]}}
    (place.home / ".cursor/hooks.json").write_text(json.dumps(cursor))
    found = place.findings("delivery")
    assert [(each.level, each.message.partition(": ")[2]) for each in found] == [
        ("error", "the answer is not what a client reads")
    ] * 2


def test_hooks_of_different_clients_are_not_the_same_twice(place: Place) -> None:
    place.register(COMMAND)
    place.register(COMMAND, ".codex/hooks.json")
    assert [each.level for each in place.findings("hooks")] == ["ok", "ok"]


def test_settings_of_other_clients_that_are_not_ours_do_not_matter(place: Place) -> None:
    (place.root / ".gemini").mkdir()
    (place.root / ".gemini/settings.json").write_text("// a comment, and no hook of ours\n{}")
    assert place.findings("settings") == []
    (place.root / ".gemini/settings.json").write_text("// qlearn\n{}")
    assert [each.level for each in place.findings("settings")] == ["error"]


def test_a_block_for_clients_without_hooks_is_no_error(place: Place) -> None:
    (place.root / "AGENTS.md").write_text(with_block("", block((), Frame("x", NOW, 5))))
    (finding,) = place.findings("hooks")
    assert (finding.level, finding.message) == (
        "note",
        "none is registered; clients read the learnings in AGENTS.md",
    )
    (place.root / "AGENTS.md").write_text("<!-- qlearn:end -->\n")
    assert [each.level for each in place.findings("hooks")] == ["error"]


def test_without_a_hook_there_is_no_delivery(place: Place) -> None:
    (hooks,) = place.findings("hooks")
    assert (hooks.level, hooks.cure) == ("error", "`qlearn init --hooks` registers it, or install the plugin")
    assert place.findings("delivery") == []


@pytest.mark.parametrize(
    "command",
    [
        "~/bin/qlearn-hook",
        '"$HOME"/bin/qlearn-hook',
        "QLEARN_TOP=3 HOME/bin/qlearn-hook",
        'cd "$CLAUDE_PROJECT_DIR" && HOME/bin/qlearn-hook',
        "HOME/bin/qlearn-hook # don't wait",
    ],
)
def test_whatever_a_shell_makes_of_a_command_that_delivers_is_no_error(place: Place, command: str) -> None:
    folder = place.home / "bin"
    folder.mkdir()
    (folder / "qlearn-hook").symlink_to(place.program("hook", f"exec {COMMAND}"))
    place.register(command.replace("HOME/", f"{place.home}/"), home=True)
    findings = [
        each for each in examine(str(place.root), place.environ) if each.topic in ("hooks", "delivery")
    ]
    assert [(each.topic, each.level) for each in findings] == [("hooks", "ok"), ("delivery", "ok")]


def test_a_hook_with_several_matchers_in_one_file_is_one(place: Place) -> None:
    place.register(COMMAND, home=True)
    settings = place.home / ".claude/settings.json"
    (group,) = json.loads(settings.read_text())["hooks"]["SessionStart"]
    groups = [{"matcher": source, **group} for source in doctor.SOURCES]
    settings.write_text(json.dumps({"hooks": {"SessionStart": groups}}))
    assert [each.level for each in place.findings("hooks")] == ["ok"]


def test_a_hook_that_is_registered_twice_is_a_warning(place: Place) -> None:
    place.register(COMMAND)
    place.register(COMMAND, home=True)
    warning = place.findings("hooks")[-1]
    assert warning.level == "warning"
    assert warning.message == (
        f"registered 2 times, by {place.root}/.claude/settings.json and {place.home}/.claude/settings.json"
    )


def test_local_settings_and_another_folder_of_the_client_count(place: Place) -> None:
    place.register(COMMAND, ".claude/settings.local.json")
    place.environ["CLAUDE_CONFIG_DIR"] = str(place.home / "elsewhere")
    place.register(COMMAND, "elsewhere/settings.json", home=True)
    assert place.findings("hooks")[-1].message.startswith("registered 2 times")


def install_plugin(place: Place, **more: object) -> Path:
    folder = place.home / "plugins/qlearn"
    (folder / "hooks").mkdir(parents=True)
    command = 'sh "${CLAUDE_PLUGIN_ROOT}/hooks/qlearn-hook"'
    hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": command}]}]}
    (folder / "hooks/hooks.json").write_text(json.dumps({"hooks": hooks}))
    (folder / "hooks/qlearn-hook").write_text(f"exec {COMMAND}\n")
    listed = place.home / ".claude/plugins/installed_plugins.json"
    listed.parent.mkdir(parents=True)
    listed.write_text(
        json.dumps({"plugins": {"qlearn@q": [{"installPath": str(folder), **more}], "other@q": [1]}})
    )
    return folder


def test_an_installed_plugin_is_found_and_proven(place: Place) -> None:
    folder = install_plugin(place)
    place.program("python3", "exit 0")
    assert place.findings("hooks")[0].message == (
        f'{folder}/hooks/hooks.json: sh "{folder}/hooks/qlearn-hook"'
    )
    assert place.findings("delivery")[0].level == "ok"
    place.register(COMMAND)
    assert place.findings("hooks")[-1].message.startswith("registered 2 times")


def test_a_plugin_that_is_off_or_for_another_project_does_not_count(place: Place) -> None:
    install_plugin(place, projectPath="/other")
    assert "none is registered" in place.findings("hooks")[0].message
    listed = place.home / ".claude/plugins/installed_plugins.json"
    listed.write_text(listed.read_text().replace("/other", str(place.root)))
    assert place.findings("delivery")[0].level == "ok"
    (place.home / ".claude/settings.json").write_text('{"enabledPlugins": {"qlearn@q": false}}')
    assert "none is registered" in place.findings("hooks")[0].message


def test_broken_files_of_the_client_are_named(place: Place) -> None:
    for path in (place.root / ".claude/settings.json", install_plugin(place) / "hooks/hooks.json"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("{")
    first, second = place.findings("settings")
    assert first.message.startswith(f"{place.root}/.claude/settings.json: no JSON")
    assert second.cure == "install the plugin again"
    (place.home / ".claude/plugins/installed_plugins.json").write_text("{")
    assert len(place.findings("settings")) == 1


def test_an_interpreter_that_is_gone_is_an_error(place: Place) -> None:
    place.register(f"/gone/python -I -S {LAUNCH}")
    missing = place.findings("hooks")[1]
    assert (missing.level, missing.message) == ("error", "/gone/python does not exist or can't be run")
    assert place.findings("delivery")[0].level == "error"


def test_a_version_shim_is_a_warning(place: Place) -> None:
    shim = place.program("python3", f'exec {sys.executable} "$@"', "shims")
    place.register(f"{shim} -I -S {LAUNCH}")
    warning = place.findings("hooks")[1]
    assert warning.level == "warning"
    assert warning.message == f"{shim} is a version manager's shim, which delays every hook"
    place.environ["PATH"] = f"{shim.parent}:/usr/bin:/bin"
    place.register(f"python3 -I -S {LAUNCH}")
    assert place.findings("hooks")[1].message == warning.message
    assert place.findings("delivery")[0].level == "ok"


def test_a_program_in_uvs_cache_is_a_warning(place: Place) -> None:
    python = place.home / ".cache/uv/archive-v0/x1/bin/python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    place.register(f"{python} -I -S {LAUNCH}")
    warning = place.findings("hooks")[1]
    assert (warning.level, warning.message) == (
        "warning",
        f"{python} is in uv's cache, which may be emptied any time",
    )
    assert warning.cure.startswith("`uv tool install`")


@pytest.mark.parametrize(
    ("version", "level"), [("2.0.76", "warning"), ("2.0.77", "ok"), ("2.1.332", "ok"), ("10.0.0", "ok")]
)
def test_an_old_client_is_a_warning(place: Place, version: str, level: str) -> None:
    place.program("claude", f"echo '{version} (Claude Code)'")
    (client,) = place.findings("client")
    assert client.level == level
    assert f"Claude Code {version}" in client.message


def test_a_client_that_says_nothing_is_passed_over(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    assert place.findings("client") == []
    place.program("claude", "exit 1")
    assert place.findings("client") == []
    monkeypatch.setattr(doctor, "_PATIENCE", 0.1)
    place.program("claude", "exec sleep 5")
    assert place.findings("client") == []


def test_the_registry_is_looked_at(place: Place) -> None:
    assert place.findings("registry")[0].level == "note"
    registry = place.root / ".qe/learnings.md"
    registry.write_text("### L001: One\n\n### L002: [RESOLVED] Two\n")
    assert place.findings("registry") == [Finding("ok", "registry", ".qe/learnings.md: 1 active learning")]
    registry.write_bytes(b"### L001: Caf\xe9\n\n### No id\n")
    assert place.findings("registry")[1] == Finding(
        "warning", "registry", "2 problems in it", "see `qlearn check`"
    )
    registry.unlink()
    os.mkfifo(registry)
    assert place.findings("registry")[0].level == "error"


def test_other_memories_are_named_with_what_to_do(place: Place) -> None:
    (place.root / ".qe/MISTAKE.md").write_text("### M001: x\n")
    for name in ("MISTAKE.md", "CLAUDE.md", "AGENTS.md", "MEMORY.md"):
        (place.root / name).touch()
    (place.root / ".learnings").mkdir()
    found = place.findings("memories")
    assert [each.message for each in found] == [
        ".qe/MISTAKE.md: 1 mistake",
        "MISTAKE.md is there, too",
        "CLAUDE.md is there, too",
        "AGENTS.md is there, too",
        "MEMORY.md is there, too",
        ".learnings is there, too",
    ]
    assert {each.level for each in found} == {"note"}
    assert all(each.cure for each in found)
    (place.root / ".qe/MISTAKE.md").unlink()
    (place.root / ".qe/MISTAKE.md").mkdir()
    assert place.findings("memories")[0].level == "warning"
