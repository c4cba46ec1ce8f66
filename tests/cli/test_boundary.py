"""What holds for every command: errors on one line, exit codes, help, pipes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from qlearn.cli import main
from qlearn.cli.app import PANELS
from tests.cli.conftest import Qlearn, entry, start

COMMANDS = [name for panel in PANELS.values() for name in panel]


def test_without_arguments_the_help_is_shown(qlearn: Qlearn) -> None:
    assert qlearn() == qlearn("--help") == qlearn("-h")


def test_the_help_names_each_command_in_its_panel_and_the_everyday_ones_first(qlearn: Qlearn) -> None:
    code, out, err = qlearn("--help")
    assert (code, err) == (0, "")
    places = [out.index(f"─ {panel} ─") for panel in PANELS]
    names = [out.index(f"│ {name} ") for name in COMMANDS]
    assert places == sorted(places)
    assert names == sorted(names)
    assert places[0] < names[0] < names[len(PANELS["Every day"]) - 1] < places[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(qlearn: Qlearn, name: str) -> None:
    code, out, err = qlearn(name, "--help")
    assert (code, err) == (0, "")
    assert f"Usage: qlearn {name} " in out
    assert f"Example: qlearn {name}" in out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_named_by_one_short_sentence(qlearn: Qlearn, name: str) -> None:
    line = next(line for line in qlearn("--help").out.splitlines() if line.startswith(f"│ {name} "))
    assert line.rstrip("│ ").endswith(".")


def test_the_version_is_printed(qlearn: Qlearn) -> None:
    code, out, err = qlearn("--version")
    assert (code, err) == (0, "")
    assert out.startswith("qlearn ")


def test_outside_of_a_project_one_line_says_what_to_do(
    elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review"]) == 1
    assert capsys.readouterr().err == (
        f"qlearn: no .qe/ and no git repository at or above '{elsewhere}' (the current folder);"
        " `qlearn init` starts a project here\n"
    )


def test_another_folder_is_named_with_an_option(
    qlearn: Qlearn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    qlearn("add", "Here")
    (qlearn.root / "deep/er").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert qlearn("-C", str(qlearn.root / "deep/er"), "show", "1").out.startswith("L001: Here\n")


def test_the_named_folder_outweighs_what_the_client_says(
    qlearn: Qlearn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    qlearn("add", "Here")
    (tmp_path / "other/.qe").mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "other"))
    assert qlearn("list").out == "No learnings to list.\n"
    assert "Here" in qlearn("-C", str(qlearn.root), "list").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["revue"], "No command 'revue'. Did you mean 'review'? See `qlearn --help`."),
        (["frobnicate"], "No command 'frobnicate'. See `qlearn --help`."),
        (["reinforce"], "Missing argument 'ID...'. See `qlearn reinforce --help`."),
        (
            ["review", "-n", "x"],
            "Invalid value for '-n': 'x' is not a whole number. See `qlearn review --help`.",
        ),
        (["-C", "/nowhere", "list"], "Invalid value for -C: '/nowhere' is no folder. See `qlearn --help`."),
    ],
)
def test_wrong_usage_is_one_line_and_exits_with_2(qlearn: Qlearn, arguments: list[str], message: str) -> None:
    assert qlearn(*arguments) == (2, "", f"qlearn: {message}\n")


def test_an_error_can_not_act_on_the_terminal(qlearn: Qlearn) -> None:
    assert qlearn("show", "\x1b[2J\n") == (
        1,
        "",
        (
            "qlearn: '<U+001B>[2J ' is no id; write L and a number, such as L012;"
            " or a category: errors, workflows, tools, architecture, debugging\n"
        ),
    )


def test_ctrl_c_ends_a_command_in_one_line(qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("qlearn.store.read", stop)
    assert qlearn("list") == (130, "", "qlearn: stopped\n")


def test_a_full_disk_is_one_line(qlearn: Qlearn) -> None:
    with Path("/dev/full").open("w") as full, start("list", cwd=qlearn.root, stdout=full) as command:
        _, err = command.communicate()
    assert (command.returncode, err) == (1, b"qlearn: output: No space left on device\n")


def test_a_reader_that_has_enough_gets_no_complaint(qlearn: Qlearn) -> None:
    with start("list", cwd=qlearn.root) as command:
        assert command.stdout
        assert command.stderr
        command.stdout.close()
        assert command.stderr.read() == b""
    assert command.returncode == 1


def test_an_error_after_which_nobody_reads_is_no_complaint_either(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "[RESOLVED] One"))
    with start("prune", cwd=qlearn.root) as command:
        assert command.stdout
        assert command.stderr
        command.stdout.close()
        assert command.stderr.read() == b"qlearn: nothing was moved; --yes moves them\n"
    assert command.returncode == 1


def test_a_terminal_of_another_encoding_gets_escapes_and_programs_get_utf_8(
    qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch
) -> None:
    qlearn("add", "한글 😀")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    with start("show", "1", cwd=qlearn.root) as command:
        out, err = command.communicate()
    assert out.startswith(b"L001: \\ud55c\\uae00 \\U0001f600\n")
    for arguments in (("show", "1", "--json"), ("export",)):
        with start(*arguments, cwd=qlearn.root) as command:
            out, err = command.communicate()
        assert "한글 😀" in out.decode()
        assert err == b""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437"])
def test_what_is_drawn_is_plainer_where_the_encoding_has_no_blocks(
    qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    qlearn.write(entry(1, "One"))
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    for command, drawn in (("review", b"####.. 2.00"), ("stats", b"1 ######"), ("doctor", b"+ registry")):
        with start(command, cwd=qlearn.root) as program:
            out, err = program.communicate()
        assert drawn in out
        assert err == b""
        assert b"\\u" not in out
        assert b"\\x" not in out


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a folder that a program is in")
@pytest.mark.parametrize("command", ["review", "init", "project"])
def test_a_folder_that_is_gone_is_named_as_the_reason(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    gone = elsewhere / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main([command]) == 1
    message = "qlearn: the current folder is gone; go to another one, or name it with -C\n"
    assert capsys.readouterr() == ("", message)


def test_a_command_imports_only_what_it_needs(qlearn: Qlearn) -> None:
    dear = ("markdown_it", "importlib.metadata", "yaml", "json", "qlearn.registry", "qlearn.cli.writing")
    code = f"main(['review']); print([name for name in {dear!r} if name in sys.modules])"
    with start(cwd=qlearn.root, code=code, without_site=True) as command:
        out, _ = command.communicate()
    assert out.splitlines()[-1] == b"[]"


@pytest.mark.parametrize("command", [["review"], ["list", "--json"], ["show"], ["export"]])
def test_a_closed_output_is_a_silent_one(qlearn: Qlearn, command: list[str]) -> None:
    qlearn.write(entry(1, "One"))
    with start(
        *command, cwd=qlearn.root, code="sys.stdin = sys.stdout = sys.stderr = None; sys.exit(main())"
    ) as done:
        _, err = done.communicate()
    assert (done.returncode, err) == (0, b"")


@pytest.mark.parametrize("command", ["review", "list"])
@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("utf-16", ":1: byte 0xff is not valid UTF-8; save the file as UTF-8"),
        ("utf-16-le", ": holds NULs, as UTF-16 does; save the file as UTF-8"),
    ],
)
def test_a_registry_that_is_not_utf_8_is_said_to_be_so(
    qlearn: Qlearn, command: str, encoding: str, message: str
) -> None:
    qlearn.registry.write_bytes(entry(1, "One").encode(encoding))
    code, _, err = qlearn(command)
    assert (code, err) == (0, f"qlearn: .qe/learnings.md{message}\n")


@pytest.mark.parametrize("command", ["review", "list"])
@pytest.mark.parametrize("columns", [30, 40, 60])
def test_a_narrow_terminal_shows_ids_and_titles(
    qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch, command: str, columns: int
) -> None:
    from rich.console import Console

    qlearn.write(entry(12, "Pin the lockfile before a release", type="convention", severity="critical"))
    monkeypatch.setattr("qlearn.cli.terminal.make_console", lambda: Console(width=columns))
    monkeypatch.setattr("qlearn.cli.show.make_console", lambda: Console(width=columns))
    lines = qlearn(command).out.splitlines()
    assert max(map(len, lines)) <= columns
    assert lines[2].startswith("L012 ")
    assert " Pin the lock" in lines[2]


def test_python_runs_the_package_as_the_program() -> None:
    ran = subprocess.run([sys.executable, "-m", "qlearn", "show", "--help"], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Usage: qlearn show " in ran.stdout
    wrong = subprocess.run([sys.executable, "-m", "qlearn", "shwo"], capture_output=True, text=True)
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("qlearn: No command 'shwo'")
