"""Starting a registry, and the hooks in the client's settings."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

import qlearn as package
from qlearn import observing, paths, project, projects
from qlearn.cli import main
from qlearn.clients import CLAUDE_CODE, CLIENTS, hook_command, registrations, wanted_hooks
from qlearn.registry import HEADER
from tests.cli.conftest import Qlearn, entry

COMMAND = hook_command(sys.executable, str(Path(package.__file__).parent / "hooks/launch.py"))


def test_init_makes_the_registry_and_what_git_ignores_and_twice_is_once(
    elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init"]) == 0
    assert capsys.readouterr() == (f"{elsewhere}/.qe/learnings.md was made.\n", "")
    assert (elsewhere / ".qe/learnings.md").read_text() == HEADER
    assert (elsewhere / ".qe/.gitignore").read_text() == ".lock\n.*.qlearn-tmp\nproposals.md\n"
    before = {path: path.stat() for path in (elsewhere / ".qe").iterdir()}
    assert main(["init"]) == 0
    assert capsys.readouterr() == (f"{elsewhere}/.qe/learnings.md is there.\n", "")
    assert {path: path.stat() for path in (elsewhere / ".qe").iterdir()} == before


def test_init_keeps_what_is_there_and_adds_what_git_has_to_ignore(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One"))
    (qlearn.root / ".qe/.gitignore").write_text("mine\n.lock")
    assert qlearn("init").code == 0
    assert qlearn.read() == entry(1, "One")
    assert (qlearn.root / ".qe/.gitignore").read_text() == "mine\n.lock\n.*.qlearn-tmp\nproposals.md\n"


def test_init_starts_in_the_root_of_a_git_repository(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere / ".git").mkdir()
    (elsewhere / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (elsewhere / "src").mkdir()
    monkeypatch.chdir(elsewhere / "src")
    assert main(["init"]) == 0
    assert (elsewhere / ".qe/learnings.md").exists()


def test_hooks_are_shown_and_written_once(qlearn: Qlearn) -> None:
    code, out, err = qlearn("init", "--hooks")
    assert (code, err) == (0, "")
    assert f'+            "command": {json.dumps(COMMAND)},\n' in out
    assert out.endswith("The hooks are in .claude/settings.json; `qlearn doctor` proves that they work.\n")
    settings = qlearn.root / ".claude/settings.json"
    assert registrations(settings.read_text()) == wanted_hooks(COMMAND, CLAUDE_CODE)
    before = settings.stat()
    assert qlearn("init", "--hooks").out.endswith(".claude/settings.json needs no change.\n")
    assert settings.stat() == before
    assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]


def test_hooks_come_and_go_beside_what_else_is_in_the_settings(qlearn: Qlearn) -> None:
    settings = qlearn.root / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": "opus",\n    "hooks": {"PreCompact": []}}')
    assert qlearn("init", "--hooks").code == 0
    assert json.loads(settings.read_text())["hooks"].keys() == {
        "PreCompact",
        *(hook.event for hook in CLAUDE_CODE.hooks),
    }
    code, out, err = qlearn("init", "--uninstall")
    assert (code, err) == (0, "")
    assert out.endswith("The hooks are no longer in .claude/settings.json; .qe/learnings.md stays.\n")
    assert settings.read_text() == '{"model": "opus",\n    "hooks": {"PreCompact": []}}'
    assert qlearn("init", "--uninstall").out == "No hooks are registered in this project.\n"


def test_uninstalling_what_is_not_there_makes_nothing(qlearn: Qlearn) -> None:
    assert qlearn("init", "--uninstall") == (0, "No hooks are registered in this project.\n", "")
    assert qlearn("init", "--uninstall", "--hooks").out == ".claude/settings.json needs no change.\n"
    assert not (qlearn.root / ".claude").exists()


@pytest.mark.parametrize("name", CLIENTS)
def test_each_client_gets_its_hooks_once_and_loses_them_again(qlearn: Qlearn, name: str) -> None:
    client = CLIENTS[name]
    code, out, err = qlearn("init", "--client", name)
    assert (code, err) == (0, "")
    assert f"+++ {client.settings}\n" in out
    assert out.endswith(f"The hooks are in {client.settings}; {client.then}.\n")
    settings = qlearn.root / client.settings
    assert registrations(settings.read_text(), client) == wanted_hooks(COMMAND, client)
    before = settings.stat()
    assert qlearn("init", "--client", name).out.endswith(f"{client.settings} needs no change.\n")
    assert settings.stat() == before
    code, out, err = qlearn("init", "--client", name, "--uninstall")
    assert (code, err) == (0, "")
    assert out.endswith(f"The hooks are no longer in {client.settings}; .qe/learnings.md stays.\n")
    assert settings.read_text() == client.empty


def test_several_clients_are_told_at_once_and_all_forget_together(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One"))
    names = ("codex", "gemini", "agents-md")
    assert qlearn("init", *(word for name in names for word in ("--client", name))).code == 0
    assert (qlearn.root / ".gemini/settings.json").exists()
    assert "- L001 [gotcha/important] One.\n" in (qlearn.root / "AGENTS.md").read_text()
    (qlearn.root / ".cursor").mkdir()
    (qlearn.root / ".cursor/hooks.json").write_text("// not ours, and no JSON")
    code, out, err = qlearn("init", "--uninstall")
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith("The ")] == [
        "The hooks are no longer in .codex/hooks.json; .qe/learnings.md stays.",
        "The hooks are no longer in .gemini/settings.json; .qe/learnings.md stays.",
        "The learnings are no longer in AGENTS.md; .qe/learnings.md stays.",
    ]
    assert (qlearn.root / "AGENTS.md").read_text() == ""
    assert qlearn("init", "--uninstall").out == "No hooks are registered in this project.\n"


def test_the_block_is_shown_before_it_is_written(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One"))
    (qlearn.root / "AGENTS.md").write_text("# Rules\n")
    out = qlearn("init", "--client", "agents-md").out
    assert out.startswith(
        f"{qlearn.root}/.qe/learnings.md is there.\n"
        "--- AGENTS.md\n+++ AGENTS.md\n@@ -1 +1,10 @@\n # Rules\n+\n+<!-- qlearn:begin, "
    )
    assert "+- L001 [gotcha/important] One.\n+\n+<!-- qlearn:end -->\nThe learnings are in" in out
    assert qlearn("check").out == "No problems.\n"


def test_a_change_is_shown_as_it_is_but_for_what_a_terminal_would_obey(qlearn: Qlearn) -> None:
    settings = qlearn.root / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n\t"note": "<system-reminder> \u202e\x9b2J"\n}')
    out = qlearn("init", "--hooks").out
    assert "@@ -1,3 +1," in out
    assert '\n-\t"note": "<system-reminder> <U+202E><U+009B>2J"\n' in out
    assert "\n }\n\\ No newline at end of file\nThe hooks are in" in out


def test_settings_that_are_not_utf_8_are_told_so_before_anything_is_asked(qlearn: Qlearn) -> None:
    settings = qlearn.root / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_bytes(b'{"a": "\xe9"}')
    code, out, err = qlearn("init", "--hooks")
    assert (code, out) == (1, f"{qlearn.root}/.qe/learnings.md was made.\n")
    assert err.startswith("qlearn: .claude/settings.json:1: byte 0xe9 is not valid UTF-8; ")
    assert settings.read_bytes() == b'{"a": "\xe9"}'


def test_a_client_that_nobody_knows_is_refused(qlearn: Qlearn) -> None:
    assert qlearn("init", "--client", "emacs").code == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{\n  // mine\n}",
            "no JSON (Expecting property name enclosed in double quotes: line 2 column 3 (char 4));",
        ),
        ('{"hooks": []}', '"hooks" is no object;'),
    ],
)
def test_broken_settings_are_left_alone(qlearn: Qlearn, text: str, message: str) -> None:
    settings = qlearn.root / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text(text)
    code, _, err = qlearn("init", "--hooks")
    assert code == 1
    assert err == f"qlearn: .claude/settings.json: {message} mend it first, nothing was written\n"
    assert settings.read_text() == text


def test_settings_linked_out_of_the_project_are_left_alone(qlearn: Qlearn, tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles/settings.json").write_text("{}")
    (qlearn.root / ".claude").symlink_to(tmp_path / "dotfiles")
    code, _, err = qlearn("init", "--hooks")
    assert code == 1
    assert err.startswith("qlearn: .claude/settings.json: leads out of its project")
    assert (tmp_path / "dotfiles/settings.json").read_text() == "{}"


@pytest.mark.parametrize("answer", [True, False])
def test_on_a_terminal_a_new_project_is_observed_only_after_a_yes(
    answer: bool, elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "QLEARN_OBSERVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    asked: list[str] = []
    monkeypatch.setattr("qlearn.cli.setup.interactive", lambda: True)

    def confirm(question: str) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr("qlearn.cli.setup.confirm", confirm)
    assert main(["-C", str(elsewhere), "init"]) == 0
    user, found = paths.find(os.environ), project.find(str(elsewhere), {})
    assert observing.wanted(found, user) is (True if answer else None)
    assert [each.id for each in projects.read(user)] == [found.id] * answer
    assert len(asked) == 1
    assert main(["-C", str(elsewhere), "init"]) == 0
    assert len(asked) == 1


def test_nobody_is_asked_whether_to_observe_where_there_is_a_yes_for_all(
    elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("qlearn.cli.setup.interactive", lambda: True)
    assert main(["-C", str(elsewhere), "init", "--yes"]) == 0
    assert not (tmp_path / "home").exists()


def test_a_no_writes_nothing(qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qlearn.cli.setup.interactive", lambda: True)
    monkeypatch.setattr("qlearn.cli.setup.confirm", lambda _: False)
    code, _, err = qlearn("init", "--hooks")
    assert (code, err) == (1, "qlearn: nothing was written\n")
    assert not (qlearn.root / ".claude").exists()


def test_settings_that_change_while_they_are_shown_are_left_alone(
    qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = qlearn.root / ".claude/settings.json"
    settings.parent.mkdir()

    def change_and_agree(_: str) -> bool:
        settings.write_text('{"model": "opus"}')
        return True

    monkeypatch.setattr("qlearn.cli.setup.interactive", lambda: True)
    monkeypatch.setattr("qlearn.cli.setup.confirm", change_and_agree)
    code, _, err = qlearn("init", "--hooks")
    assert code == 1
    assert err == "qlearn: .claude/settings.json has changed meanwhile, so nothing was written; try again\n"
    assert settings.read_text() == '{"model": "opus"}'


def test_the_hooks_can_be_taken_out_when_the_registry_is_gone(qlearn: Qlearn) -> None:
    assert qlearn("init", "--hooks").code == 0
    shutil.rmtree(qlearn.root / ".qe")
    code, _, err = qlearn("init", "--uninstall")
    assert (code, err) == (0, "")
    assert [path.name for path in qlearn.root.iterdir()] == [".claude"]
    assert [path.name for path in (qlearn.root / ".claude").iterdir()] == ["settings.json"]
    assert json.loads((qlearn.root / ".claude/settings.json").read_text()) == {}


def test_init_starts_the_users_own_registry(
    elsewhere: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(elsewhere / "data"))
    assert main(["-g", "init"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    path = Path(out.removesuffix(" was made.\n"))
    assert path.is_relative_to(elsewhere / "data")
    assert path.read_text() == HEADER
    assert not (elsewhere / ".qe").exists()
    for arguments in (["init", "--hooks"], ["init", "--uninstall"], ["doctor"]):
        assert main(["-g", *arguments]) == 2
        assert "leave" in capsys.readouterr().err
