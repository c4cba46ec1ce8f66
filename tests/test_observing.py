"""What is recorded, where, and what stops it."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from qlearn import observing, paths, project
from qlearn.config import Config
from qlearn.errors import StoreError
from qlearn.observation import Observation

LAUNCHER = Path(__file__).parent.parent / "qlearn" / "hooks" / "launch.py"
NOW = dt.datetime(2026, 11, 30, 9, tzinfo=dt.UTC)


def call(here: project.Project, environ: dict[str, str], **more: object) -> None:
    payload: dict[str, object] = {
        "session_id": "s",
        "cwd": here.root,
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "git push origin main"},
        "tool_response": {"stdout": "done", "stderr": "", "interrupted": False},
        "tool_use_id": "toolu_1",
        **more,
    }
    ran = subprocess.run(
        [sys.executable, "-I", "-S", str(LAUNCHER)],
        input=json.dumps(payload).encode(),
        env=environ,
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def files(user: paths.UserPaths) -> list[str]:
    return sorted(str(path.relative_to(user.data)) for path in Path(user.data).rglob("*") if path.is_file())


def test_nothing_is_recorded_before_the_user_says_so(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    call(here, environ)
    assert files(user) == []


def test_an_observed_project_is_recorded_in_the_users_store(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    observing.turn(user, here, on=True)
    call(here, environ)
    call(here, environ, hook_event_name="UserPromptSubmit", prompt="Use pnpm.", tool_use_id="")
    observed = observing.read(user.project(here.id))
    assert [(each.event, each.key, each.input) for each in observed.observations] == [
        ("PostToolUse", "git push <arg>", "git push origin main"),
        ("UserPromptSubmit", "", "Use pnpm."),
    ]
    assert (observed.broken, observed.skipped) == (0, {})
    assert [path.name for path in Path(here.root).rglob("*")] == [".qe"]


def test_switching_it_off_stops_every_write(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    observing.turn(user, here, on=True)
    call(here, environ)
    before = {name: (Path(user.data) / name).read_bytes() for name in files(user)}
    call(here, {**environ, "QLEARN_OBSERVE": "0"})
    assert {name: (Path(user.data) / name).read_bytes() for name in files(user)} == before
    observing.turn(user, here, on=False)
    call(here, environ)
    assert len(observing.read(user.project(here.id)).observations) == 1


def test_other_settings_of_a_project_stay(here: project.Project, user: paths.UserPaths) -> None:
    observing.turn(user, here, on=True)
    settings = Path(user.project(here.id), "project.json")
    settings.write_text('{"note": "mine", "observe": true}')
    observing.turn(user, here, on=False)
    assert json.loads(settings.read_text()) == {"note": "mine", "observe": False}


@pytest.mark.parametrize("broken", ["", "[]", "{", "\x00\x00"])
def test_broken_settings_mean_off(broken: str, here: project.Project, user: paths.UserPaths) -> None:
    observing.turn(user, here, on=True)
    Path(user.project(here.id), "project.json").write_text(broken)
    assert not observing.is_on(here, user, {})


def test_settings_that_are_no_file_mean_off(here: project.Project, user: paths.UserPaths) -> None:
    Path(user.project(here.id), "project.json").mkdir(parents=True)
    assert not observing.is_on(here, user, {})


def test_the_users_settings_decide_over_all(here: project.Project, user: paths.UserPaths) -> None:
    observing.turn(user, here, on=True)
    assert observing.is_on(here, user, {})
    assert observing.is_on(here, user, {}, Config(observe=True))
    assert not observing.is_on(here, user, {}, Config(observe=False))
    assert not observing.is_on(here, None, {})


def test_an_unknown_project_cannot_be_observed(user: paths.UserPaths, tmp_path: Path) -> None:
    nowhere = project.find(str(tmp_path), {})
    assert not observing.is_on(nowhere, user, {})
    with pytest.raises(StoreError, match="no project"):
        observing.turn(user, nowhere, on=True)


def test_a_huge_payload_is_counted(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    observing.turn(user, here, on=True)
    call(here, {**environ, "CLAUDE_PROJECT_DIR": here.root}, tool_response="x" * (1 << 20))
    call(here, environ, tool_response="x" * (1 << 20))
    assert observing.read(user.project(here.id)).skipped == {"payload above 1 MiB": 1}


def test_a_record_that_cannot_be_written_is_counted_and_logged(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    observing.turn(user, here, on=True)
    (Path(user.project(here.id)) / observing.LOG).mkdir()
    call(here, environ)
    (Path(user.project(here.id)) / observing.LOG).rmdir()
    assert observing.read(user.project(here.id)).skipped == {"StoreError": 1}
    assert "not observed: StoreError" in Path(user.log).read_text()


def test_two_hundred_at_once_are_two_hundred_whole_lines(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    observing.turn(user, here, on=True)
    with ThreadPoolExecutor(16) as pool:
        list(
            pool.map(
                lambda n: call(here, environ, tool_use_id=f"toolu_{n}", tool_response="x" * 4000), range(200)
            )
        )
    observed = observing.read(user.project(here.id))
    assert len({each.tool_use_id for each in observed.observations}) == 200
    assert (observed.broken, observed.skipped) == (0, {})


def test_torn_lines_are_counted_and_logs_put_aside_are_read(
    here: project.Project, user: paths.UserPaths
) -> None:
    folder = user.project(here.id)
    first = Observation(ts="2026-11-30T09:00:00.000Z", event="Stop", session="a")
    observing.append(folder, first, NOW)
    Path(folder, observing.LOG).rename(Path(folder, "observations.2026-11-29.jsonl"))
    observing.append(folder, first._replace(ts="2026-11-29T09:00:00.000Z"), NOW)
    with Path(folder, observing.LOG).open("ab") as log:
        log.write(b'{"v": 1, "ts\n\n')
    observed = observing.read(folder)
    assert [each.ts[:10] for each in observed.observations] == ["2026-11-29", "2026-11-30"]
    assert observed.broken == 1


def test_a_log_of_ten_megabytes_is_put_aside(
    here: project.Project, user: paths.UserPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observing, "ROTATE_AT", 100)
    folder = user.project(here.id)
    for _ in range(3):
        observing.append(
            folder, Observation(ts="2026-11-30T09:00:00.000Z", event="Stop", session="a" * 100), NOW
        )
    assert len([path for path in Path(folder).iterdir() if "2026-11-30" in path.name]) == 3
    assert len(observing.read(folder).observations) == 3


def test_a_small_log_is_put_aside_after_a_week(user: paths.UserPaths, here: project.Project) -> None:
    folder = user.project(here.id)
    observing.append(folder, Observation(ts="2026-11-23T09:00:00.000Z", event="Stop", session="s"), NOW)
    log, aside = Path(folder, observing.LOG), Path(folder, "observations.2026-11-30.jsonl")
    log.write_bytes(b"torn\n" + log.read_bytes())
    observing.sweep(folder, NOW - dt.timedelta(days=1))
    assert log.exists()
    observing.sweep(folder, NOW)
    assert not log.exists()
    assert aside.exists()
    assert len(observing.read(folder).observations) == 1
    os.utime(aside, ((NOW - dt.timedelta(days=31)).timestamp(),) * 2)
    assert observing.sweep(folder, NOW) == 1
    assert observing.read(folder).observations == ()


@pytest.mark.parametrize("content", [b"", b"no json\n", b'{"ts": "yesterday"}\n'])
def test_a_log_without_a_time_stays(content: bytes, user: paths.UserPaths, here: project.Project) -> None:
    folder = Path(user.project(here.id))
    folder.mkdir(parents=True)
    (folder / observing.LOG).write_bytes(content)
    assert observing.sweep(str(folder), NOW) == 0
    assert (folder / observing.LOG).read_bytes() == content


def test_only_old_logs_that_were_put_aside_are_removed(user: paths.UserPaths, here: project.Project) -> None:
    folder = Path(user.project(here.id))
    folder.mkdir(parents=True)
    for name in (observing.LOG, "observations.old.jsonl", "observations.new.jsonl", "ledger.jsonl"):
        (folder / name).touch()
        os.utime(folder / name, (0, 0) if "new" not in name else None)
    assert observing.sweep(str(folder), dt.datetime.now(dt.UTC)) == 1
    assert not (folder / "observations.old.jsonl").exists()
    assert observing.sweep(str(folder / "none"), NOW) == 0
