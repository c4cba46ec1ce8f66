from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from qlearn.sessions import claim, shown, sweep

if TYPE_CHECKING:
    from pathlib import Path

SESSION = "f3ca16f9-b8f4-432f-9ce7-cba5c46eb6ce"


def test_an_id_is_claimed_once_a_session(tmp_path: Path) -> None:
    folder = str(tmp_path / "state" / "sessions")
    assert claim(folder, SESSION, ["L002", "L001"]) == ("L002", "L001")
    assert claim(folder, SESSION, ["L001", "L003"]) == ("L003",)
    assert claim(folder, "another", ["L001"]) == ("L001",)
    assert shown(folder, SESSION) == {"L001", "L002", "L003"}


def test_an_id_asked_for_twice_is_claimed_once(tmp_path: Path) -> None:
    assert claim(str(tmp_path), SESSION, ["L001", "L001"]) == ("L001",)


def test_asking_what_was_shown_makes_nothing(tmp_path: Path) -> None:
    assert shown(str(tmp_path / "none"), SESSION) == frozenset()
    assert sweep(str(tmp_path / "none"), datetime.now(UTC)) == 0
    assert list(tmp_path.iterdir()) == []


def test_claiming_nothing_makes_nothing(tmp_path: Path) -> None:
    assert claim(str(tmp_path / "none"), SESSION, []) == ()
    assert list(tmp_path.iterdir()) == []


def test_without_a_session_nothing_is_remembered(tmp_path: Path) -> None:
    assert claim(str(tmp_path), "", ["L001"]) == ("L001",)
    assert claim(str(tmp_path), "", ["L001"]) == ("L001",)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "session", ["../../etc/passwd", "/etc/passwd", "CON", "a" * 9999, "\0", "\ud800", "é\n", "A", "a", "."]
)
def test_a_session_of_any_name_has_one_small_file_in_the_folder(tmp_path: Path, session: str) -> None:
    folder = tmp_path / "a" / "sessions"
    assert claim(str(folder), session, ["L001"]) == ("L001",)
    assert claim(str(folder), session, ["L001"]) == ()
    [file] = folder.iterdir()
    assert len(file.name) == 32
    assert file.name.isalnum()
    assert [path.name for path in tmp_path.rglob("*")] == ["a", "sessions", file.name]
    assert folder.stat().st_mode & 0o777 == 0o700


def test_two_hooks_at_the_same_time_show_a_learning_once(tmp_path: Path) -> None:
    program = """
import sys
from qlearn.sessions import claim
sys.stdin.read()
print(*(each for n in range(40) for each in claim(sys.argv[1], "s", (f"L{n:03}", f"L{n + 1:03}"))))
"""
    command = (sys.executable, "-c", program, str(tmp_path / "new"))
    hooks = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(6)
    ]
    # All wait for the end of their input, so that they start together.
    for hook in hooks:
        assert hook.stdin
        hook.stdin.close()
    claimed = []
    for hook in hooks:
        assert hook.stdout
        claimed += hook.stdout.read().split()
        hook.stdout.close()
        assert hook.wait() == 0
    assert sorted(claimed) == [f"L{n:03}" for n in range(41)]


def test_a_session_without_a_state_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = str(tmp_path / "file" / "sessions")
    assert claim(folder, SESSION, ["L001"]) == ("L001",)
    assert shown(folder, SESSION) == frozenset()
    assert sweep(folder, datetime.now(UTC)) == 0


def session_file(folder: Path) -> Path:
    claim(str(folder), SESSION, ["L001"])
    [file] = folder.iterdir()
    return file


@pytest.mark.parametrize("kind", ["fifo", "folder", "link", "large"])
def test_a_state_that_is_no_small_file_is_none(tmp_path: Path, kind: str) -> None:
    file = session_file(tmp_path / "sessions")
    file.unlink()
    (tmp_path / "secret").write_text("x L001\n")
    match kind:
        case "fifo":
            os.mkfifo(file)
        case "folder":
            file.mkdir()
        case "link":
            file.symlink_to(tmp_path / "secret")
        case "large":
            file.write_bytes(b"x L001\n" * 200_000)
    assert shown(str(tmp_path / "sessions"), SESSION) == frozenset()
    assert claim(str(tmp_path / "sessions"), SESSION, ["L001"]) == ("L001",)
    assert (tmp_path / "secret").read_text() == "x L001\n"


def test_a_damaged_state_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    file = session_file(tmp_path)
    file.write_bytes(b"\xff\0 L00\n\n" + file.read_bytes() + b"torn L0")
    assert claim(str(tmp_path), SESSION, ["L001", "L002"]) == ("L002",)


def test_what_no_session_used_for_a_week_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    now = datetime.now(UTC)
    file = session_file(folder)
    claim(str(folder), "young", ["L001"])
    other = folder / "notes.txt"
    other.touch()
    linked = folder / ("a" * 32)
    linked.symlink_to(other)
    eight_days_ago = (now - timedelta(days=8)).timestamp()
    for path in (file, other):
        os.utime(path, (eight_days_ago, eight_days_ago))
    assert sweep(str(folder), now - timedelta(days=2)) == 0
    assert sweep(str(folder), now) == 1
    assert not file.exists()
    assert len(list(folder.iterdir())) == 3
    assert claim(str(folder), SESSION, ["L001"]) == ("L001",)
