"""Learnings about files that are gone, moved or changed; with a real repository for what git tells."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from qlearn.git import Repository
from qlearn.learning import Learning
from qlearn.staleness import LOG_FORMAT, History, parse_history, stale

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Qlearn

NONE = History({}, {})


def learning(files: str, **fields: str) -> Learning:
    return Learning(7, "A", False, {"files": files, "date": "2026-11-01", **fields}, 0, 0, 3)


def said(entry: Learning, *there: str, history: History = NONE) -> list[tuple[str, str]]:
    return [(each.message, each.severity) for each in stale([entry], lambda path: path in there, history)]


def test_what_is_there_and_unchanged_is_no_problem() -> None:
    assert said(learning("`src/a.py`, docs"), "src/a.py", "docs") == []
    assert said(learning("a"), "a", history=History({"a": "2026-11-01"}, {})) == []


def test_what_is_missing_or_moved_is_an_error() -> None:
    moved = History({}, {"a": "b", "b": "c", "c": "a"})
    assert said(learning("x")) == [("L007: x is missing", "error")]
    assert said(learning("a"), history=moved) == [("L007: a was moved to c", "error")]


def test_what_changed_since_is_a_warning() -> None:
    history = History({"a": "2026-11-05"}, {})
    assert said(learning("a"), "a", history=history) == [
        ("L007: a has changed on 2026-11-05, after 2026-11-01", "warning")
    ]
    assert said(learning("a", reinforced="2026-11-06"), "a", history=history) == []
    assert said(learning("a", date=""), "a", history=history) == []
    assert said(learning("a")._replace(resolved=True), history=history) == []


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "~/x"])
def test_a_path_out_of_the_project_is_not_asked_about(path: str) -> None:
    def never(_: str) -> bool:
        raise AssertionError

    assert stale([learning(path)], never, NONE)[0].message == f"L007: {path} is no path below the project"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()

    def git(*arguments: str, day: int = 1) -> None:
        when = f"2026-11-{day:02d}T12:00:00Z"
        who = {f"GIT_{role}_{what}": "a" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **who, **dates}
        subprocess.run(["git", *arguments], cwd=root, env=environ, check=True, capture_output=True)

    git("init", "-q")
    (root / "kept ü.py").write_text("one\n" * 20)
    (root / "old.py").write_text("two\n" * 20)
    git("add", ".")
    git("commit", "-qm", "a", day=1)
    git("mv", "old.py", "new.py")
    git("commit", "-qm", "b", day=5)
    (root / "kept ü.py").write_text("one\n" * 21)
    git("add", ".")
    git("commit", "-qm", "c", day=9)
    return root


def test_git_tells_what_changed_and_moved(repository: Path) -> None:
    log = os.fsdecode(Repository(str(repository), os.environ).ask(*LOG_FORMAT).out)
    history = parse_history(log)
    assert history.renamed == {"old.py": "new.py"}
    assert history.changed == {"kept ü.py": "2026-11-09", "new.py": "2026-11-05", "old.py": "2026-11-01"}
    assert parse_history("") == NONE


def test_the_command_exits_with_1_for_what_is_gone(qlearn: Qlearn) -> None:
    qlearn.write("### L001: A\n- **Date**: 2026-11-01\n- **Files**: gone.py\n")
    assert qlearn("check").code == 0
    done = qlearn("check", "--stale")
    assert (done.code, done.out) == (1, ".qe/learnings.md:1: error: L001: gone.py is missing\n")
    (qlearn.root / "gone.py").touch()
    assert qlearn("check", "--stale").out == "No problems.\n"
