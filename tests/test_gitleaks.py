"""gitleaks at work, with programs that stand in for it: it finds, says rubbish, fails, hangs, is a trap."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from qlearn import gitleaks
from qlearn.errors import StoreError
from qlearn.gitleaks import Leak, find, scan

if TYPE_CHECKING:
    from collections.abc import Callable

    Program = Callable[[str], str]

REPORT = """
for each in "$@"; do case "$each" in
    --report-path=*) report="${each#*=}" ;;
    --source=*) source="${each#*=}" ;;
esac; done
"""
TEXTS = {"a.md": "first\ngitleaks:allow\n", "b.md": "second\n"}


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Write a stand-in, a shell script that knows the report's path and the source."""

    def write(script: str) -> str:
        path = tmp_path / "bin" / "gitleaks"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{REPORT}{script}\n")
        path.chmod(0o755)
        return str(path)

    return write


def reporting(*found: object, code: int = 8) -> str:
    return f"cat > \"$report\" <<'END'\n{json.dumps(found)}\nEND\nexit {code}"


def test_what_it_finds_is_named_by_text_line_and_rule(program: Program) -> None:
    found = {"File": "/x/1.txt", "StartLine": 3, "RuleID": "aws-access-token", "Secret": "REDACTED"}
    assert scan(program(reporting(found)), TEXTS) == (Leak("b.md", 3, "aws-access-token"),)


@pytest.mark.parametrize("report", ["[]", "null"])
def test_nothing_is_nothing(program: Program, report: str) -> None:
    assert scan(program(f'echo "{report}" > "$report"'), TEXTS) == ()


@pytest.mark.parametrize(
    "found",
    [
        3,
        None,
        {},
        {"File": 3},
        {"File": "9.txt", "StartLine": -1},
        {"File": "²", "StartLine": True},
        {"File": "x"},
    ],
)
def test_a_finding_that_cannot_be_read_is_one_all_the_same(program: Program, found: object) -> None:
    assert scan(program(reporting(found)), TEXTS) == (Leak("a.md", 1, "secret"),)


def test_it_gets_the_texts_and_nothing_of_the_user(program: Program, tmp_path: Path) -> None:
    told = tmp_path / "told"
    script = f'{{ pwd; ls -A; cat "$source"/*.txt; env; }} > {told}; echo "[]" > "$report"'
    os.environ["GITLEAKS_CONFIG"] = "/etc/hostile.toml"
    try:
        scan(program(script), TEXTS)
    finally:
        del os.environ["GITLEAKS_CONFIG"]
    folder, *lines = told.read_text().splitlines()
    assert lines[:5] == ["0.txt", "1.txt", "first", "gitleaks-allow", "second"]
    assert {line.split("=")[0] for line in lines[5:]} <= {
        "PATH",
        "HOME",
        "LC_ALL",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
    }
    assert not Path(folder).exists()


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exit 1", "failed with exit code 1"),
        ("exit 126", "failed with exit code 126"),
        ("kill -9 $$", "failed with exit code -9"),
        ("exit 0", "no report that can be read"),
        ("exit 8", "no report that can be read"),
        ('echo "leaks found: 3" > "$report"; exit 8', "no report that can be read"),
        ('echo "{}" > "$report"', "no report that can be read"),
        ('printf "\\377" > "$report"', "no report that can be read"),
        ('head -c 100000 /dev/zero | tr "\\000" "[" > "$report"', "no report that can be read"),
        ('echo "[]" > "$report"; exit 8', "says one thing by its exit code"),
        (reporting({"File": "0.txt"}, code=0), "says one thing by its exit code"),
    ],
)
def test_a_failure_is_not_taken_for_nothing_found(program: Program, script: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        scan(program(script), TEXTS)


def test_a_report_of_any_size_is_not_read(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gitleaks, "LARGEST_REPORT", 100)
    with pytest.raises(StoreError, match="no report that can be read"):
        scan(program(reporting("x" * 100)), TEXTS)


def test_a_program_that_hangs_is_ended_with_what_it_has_started(program: Program, tmp_path: Path) -> None:
    late = tmp_path / "late"
    start = time.monotonic()
    with pytest.raises(StoreError, match=r"took longer than 0\.3 s and was stopped"):
        scan(program(f"(sleep 3; touch {late}) & sleep 60"), TEXTS, seconds=0.3)
    assert time.monotonic() - start < 30
    time.sleep(3.5)
    assert not late.exists()


def test_a_file_that_is_no_program_is_said(tmp_path: Path) -> None:
    (tmp_path / "gitleaks").write_text("not a program")
    (tmp_path / "gitleaks").chmod(0o755)
    with pytest.raises(StoreError, match="can't be started: "):
        scan(str(tmp_path / "gitleaks"), TEXTS)


# Where it is looked for


def test_it_is_found_by_the_absolute_folders_of_path_outside_of_the_project(
    program: Program, tmp_path: Path
) -> None:
    good = program("exit 0")
    root = tmp_path / "project"
    (root / "bin").mkdir(parents=True)
    shutil.copy(good, root / "bin" / "gitleaks")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "gitleaks").symlink_to(root / "bin" / "gitleaks")
    traps = [".", "bin", "", str(root / "bin"), str(tmp_path / "linked"), str(tmp_path / "nowhere")]
    folder = str(Path(good).parent)
    assert find(str(root), {"PATH": os.pathsep.join([*traps, folder])}) == os.path.realpath(good)
    assert find(str(root), {"PATH": os.pathsep.join(traps)}) == ""
    assert find(str(root), {}) == ""


@pytest.mark.skipif(not shutil.which("gitleaks"), reason="gitleaks is not installed")
def test_the_real_program_finds_a_token() -> None:
    token = "".join(("ghp", "_", "A7dKq9ZrT2mWx4LpV8sYc1BnE6hJu3FgQ5vX"))
    (leak,) = scan(str(shutil.which("gitleaks")), {"a.md": "x\n", "b.md": f"fine\ntoken: {token}\n"})
    assert (leak.path, leak.lineno) == ("b.md", 2)
