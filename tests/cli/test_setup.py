"""Starting a registry, and the hooks in the client's settings."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path

import pytest

import qlearn as package
from qlearn.cli import main
from qlearn.clients import HOOKS, Registration, registrations
from qlearn.registry import HEADER
from tests.cli.conftest import Qlearn, entry

COMMAND = shlex.join([sys.executable, "-I", "-S", str(Path(package.__file__).parent / "hooks/launch.py")])


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
    assert registrations(settings.read_text()) == tuple(
        Registration(hook.event, COMMAND, hook.timeout, hook.asynchronous) for hook in HOOKS
    )
    before = settings.stat()
    assert qlearn("init", "--hooks").out.endswith(".claude/settings.json needs no change.\n")
    assert settings.stat() == before
    assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]


def test_hooks_come_and_go_beside_what_else_is_in_the_settings(qlearn: Qlearn) -> None:
    settings = qlearn.root / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": "opus",\n    "hooks": {"PreCompact": []}}')
    assert qlearn("init", "--hooks").code == 0
    assert json.loads(settings.read_text())["hooks"].keys() == {"PreCompact", *(hook.event for hook in HOOKS)}
    code, out, err = qlearn("init", "--uninstall")
    assert (code, err) == (0, "")
    assert out.endswith("The hooks are no longer in .claude/settings.json; .qe/learnings.md stays.\n")
    assert settings.read_text() == '{"model": "opus",\n    "hooks": {"PreCompact": []}}'
    assert qlearn("init", "--uninstall").out == ".claude/settings.json needs no change.\n"


def test_uninstalling_what_is_not_there_makes_nothing(qlearn: Qlearn) -> None:
    assert qlearn("init", "--uninstall") == (0, ".claude/settings.json needs no change.\n", "")
    assert not (qlearn.root / ".claude").exists()


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
