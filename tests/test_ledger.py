from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from qlearn import ledger
from qlearn.errors import StoreError
from qlearn.usage import Event

if TYPE_CHECKING:
    from pathlib import Path

EVENT = Event(datetime(2026, 11, 30, 12, tzinfo=UTC), "used", "a", ("L001",))


def test_what_is_appended_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "qlearn" / "projects" / "620c3a937ce8"
    later = EVENT._replace(session="b")
    ledger.append(str(folder), EVENT)
    ledger.append(str(folder), later)
    assert ledger.read(str(folder)) == ((EVENT, later), 0)


def test_the_folders_are_the_user_s_alone(tmp_path: Path) -> None:
    folder = tmp_path / "qlearn" / "projects" / "620c3a937ce8"
    ledger.append(str(folder), EVENT)
    assert [path.stat().st_mode & 0o777 for path in (folder, *folder.parents[:2])] == [0o700] * 3


def test_reading_makes_nothing(tmp_path: Path) -> None:
    assert ledger.read(str(tmp_path / "none")) == ((), 0)
    assert list(tmp_path.iterdir()) == []


def test_a_torn_line_is_the_only_one_lost(tmp_path: Path) -> None:
    ledger.append(str(tmp_path), EVENT)
    with (tmp_path / "ledger.jsonl").open("ab") as file:
        file.write(b'{"v":1,"at":"2026-')
    ledger.append(str(tmp_path), EVENT)
    assert ledger.read(str(tmp_path)) == ((EVENT, EVENT), 1)


def test_ledgers_of_merged_projects_are_read_too_and_nothing_else(tmp_path: Path) -> None:
    ledger.append(str(tmp_path), EVENT)
    data = (tmp_path / "ledger.jsonl").read_bytes()
    (tmp_path / "ledger.620c3a937ce8.jsonl").write_bytes(data + b"broken\n")
    for name in ("ledger.json", "observations.jsonl", "oldledger.jsonl", "ledger.jsonl.bak"):
        (tmp_path / name).write_bytes(data)
    assert ledger.read(str(tmp_path)) == ((EVENT, EVENT), 1)


def test_events_of_processes_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    program = """
import sys
from datetime import UTC, datetime
from qlearn import ledger
from qlearn.usage import Event
for n in range(50):
    ledger.append(sys.argv[1], Event(datetime.now(UTC), "used", sys.argv[2], (f"L{n:03}",)))
"""
    folder = str(tmp_path / "new")
    writers = [subprocess.Popen((sys.executable, "-c", program, folder, str(n))) for n in range(6)]
    assert [writer.wait() for writer in writers] == [0] * 6
    events, broken = ledger.read(folder)
    assert broken == 0
    expected = {(str(n), (f"L{m:03}",)) for n in range(6) for m in range(50)}
    assert {(event.session, event.learnings) for event in events} == expected
    assert len(events) == 300


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ledger.jsonl")
    with pytest.raises(StoreError):
        ledger.append(str(tmp_path), EVENT)
    with pytest.raises(StoreError):
        ledger.read(str(tmp_path))


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError):
        ledger.append(str(tmp_path / "file" / "below"), EVENT)
