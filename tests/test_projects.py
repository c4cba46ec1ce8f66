from __future__ import annotations

import json
import os
from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn import ledger, projects
from qlearn.errors import NotFoundError, QlearnError, StoreError
from qlearn.paths import UserPaths
from qlearn.project import Project
from qlearn.projects import Known, find, merged, parse, render, seen, stale
from qlearn.usage import Event

REPO = Known("620c3a937ce8", "repo", "/home/a/repo", "github.com/owner/repo", "2026-11-30")
DEMO = Known("bfe66c56d811", "demo", "/home/a/demo", "github.com/acme/demo", "2026-10-01")
TODAY = date(2026, 12, 1)
UNKNOWN = Project("", "", "", "", "nothing here")


def as_project(known: Known, **changes: str) -> Project:
    return Project(known.root, known.id, known.name, known.remote, "")._replace(**changes)


@pytest.fixture
def user(tmp_path: Path) -> UserPaths:
    return UserPaths(*(str(tmp_path / name) for name in ("data", "state", "config")))


def file_of(user: UserPaths) -> Path:
    return Path(user.projects)


def put(user: UserPaths, data: bytes) -> Path:
    file_of(user).parent.mkdir(parents=True, exist_ok=True)
    file_of(user).write_bytes(data)
    return file_of(user)


def test_what_is_rendered_is_parsed() -> None:
    assert parse(render([DEMO, REPO])) == (REPO, DEMO)
    assert json.loads(render([REPO])) == {
        "620c3a937ce8": {
            "name": "repo",
            "root": "/home/a/repo",
            "remote": "github.com/owner/repo",
            "last_seen": "2026-11-30",
        }
    }


def test_keys_of_other_programs_are_kept() -> None:
    data = b'{"620c3a937ce8": {"id": "620c3a937ce8", "name": "repo", "created_at": "x", "n": [1, null]}}'
    [known] = parse(data)
    assert json.loads(render([known]))["620c3a937ce8"] == {
        "id": "620c3a937ce8",
        "name": "repo",
        "created_at": "x",
        "n": [1, None],
        "root": "",
        "remote": "",
        "last_seen": "",
    }
    assert json.loads(render(seen([known], as_project(REPO), TODAY)))["620c3a937ce8"]["n"] == [1, None]


def test_credentials_that_another_program_stored_are_not_kept() -> None:
    data = b'{"620c3a937ce8": {"remote": "https://user:secret@github.com/owner/repo.git"}}'
    assert parse(data)[0].remote == "github.com/owner/repo"
    assert b"secret" not in render(parse(data))


BROKEN = {
    "cut": b"{",
    "a list": b"[]",
    "a number": b"7",
    "null": b"null",
    "white space": b" ",
    "no UTF-8": b"\xff",
    "deep": b"[" * 90_000,
    "conflict markers": b"<<<<<<< HEAD\n{}",
    "a project that is a number": b'{"a": 1}',
    "a project that is a list": b'{"a": []}',
    "a name that is a number": b'{"a": {"name": 1}}',
    "a number too long": b'{"a": {"n": ' + b"9" * 9999 + b"}}",
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_what_is_broken_is_told(data: bytes) -> None:
    with pytest.raises(StoreError, match=r"projects\.json is broken"):
        parse(data)


@given(st.binary())
def test_any_bytes_are_projects_or_broken(data: bytes) -> None:
    try:
        known = parse(data)
    except StoreError:
        return
    assert parse(render(known)) == tuple(sorted(known))


def test_a_project_seen_anew_is_added_and_one_seen_again_brought_up_to_date() -> None:
    [known] = seen([], as_project(REPO), TODAY)
    assert known == REPO._replace(last_seen="2026-12-01")
    moved = seen([REPO, DEMO], as_project(REPO, root="/srv/clone"), TODAY)
    assert moved == (REPO._replace(root="/srv/clone", last_seen="2026-12-01"), DEMO)


def test_an_unknown_project_leaves_no_note() -> None:
    assert seen([REPO], UNKNOWN, TODAY) == (REPO,)


def test_a_project_is_found_by_id_name_or_beginning_of_its_id() -> None:
    known = (REPO, DEMO)
    assert [find(known, name) for name in ("620c3a937ce8", "repo", "62", "demo", "b")] == [
        REPO,
        REPO,
        REPO,
        DEMO,
        DEMO,
    ]


def test_a_name_of_two_projects_or_none_is_not_found() -> None:
    twin = DEMO._replace(name="repo")
    with pytest.raises(NotFoundError, match="620c3a937ce8, bfe66c56d811"):
        find([REPO, twin], "repo")
    for name in ("none", ""):
        with pytest.raises(NotFoundError, match="qlearn projects"):
            find([REPO, twin], name)


def test_a_merged_project_is_the_target_with_the_later_day() -> None:
    assert merged([REPO, DEMO], REPO, DEMO) == (DEMO._replace(last_seen="2026-11-30"),)
    assert merged([REPO, DEMO], DEMO, REPO) == (REPO,)


def test_only_what_is_gone_for_long_can_go() -> None:
    kept, gone = stale([REPO, DEMO], lambda _: False, date(2026, 11, 30))
    assert (kept, gone) == ((REPO,), (DEMO,))
    assert stale([REPO, DEMO], lambda root: root == DEMO.root, date(2026, 11, 30)).gone == ()
    assert stale([REPO, DEMO], lambda _: False, TODAY).kept == ()


def test_reading_makes_nothing(user: UserPaths, tmp_path: Path) -> None:
    assert projects.read(user) == ()
    assert list(tmp_path.iterdir()) == []


def test_a_project_is_recorded_once_a_day(user: UserPaths) -> None:
    projects.record(user, as_project(REPO), TODAY)
    assert projects.read(user) == (REPO._replace(last_seen="2026-12-01"),)
    before = file_of(user).stat()
    projects.record(user, as_project(REPO), TODAY)
    assert file_of(user).stat() == before
    projects.record(user, as_project(DEMO), TODAY)
    assert [each.id for each in projects.read(user)] == [REPO.id, DEMO.id]
    assert Path(user.data).stat().st_mode & 0o777 == 0o700


def test_an_unknown_project_is_not_recorded(user: UserPaths, tmp_path: Path) -> None:
    projects.record(user, UNKNOWN, TODAY)
    assert list(tmp_path.iterdir()) == []


def test_a_broken_file_is_read_by_nobody_and_written_over_by_nobody(user: UserPaths) -> None:
    put(user, b'{"620c3a937ce8": ')
    with pytest.raises(StoreError):
        projects.read(user)
    projects.record(user, as_project(DEMO), TODAY)
    assert [each.id for each in projects.read(user)] == [DEMO.id]
    [backup] = Path(user.data).glob("projects.json.broken-*")
    assert backup.read_bytes() == b'{"620c3a937ce8": '
    put(user, b"[]")
    projects.record(user, as_project(DEMO), TODAY)
    kept = {path.read_bytes() for path in Path(user.data).glob("projects.json.broken-*")}
    assert kept == {b'{"620c3a937ce8": ', b"[]"}


def test_an_empty_file_is_no_projects(user: UserPaths) -> None:
    put(user, b"")
    assert projects.read(user) == ()
    projects.record(user, as_project(DEMO), TODAY)
    assert [path.name for path in Path(user.data).iterdir() if path.name != ".lock"] == ["projects.json"]


def test_a_link_that_leaves_the_store_is_refused(user: UserPaths, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"{}")
    put(user, b"").unlink()
    file_of(user).symlink_to(secret)
    with pytest.raises(StoreError):
        projects.record(user, as_project(DEMO), TODAY)
    assert secret.read_bytes() == b"{}"


def event(session: str) -> Event:
    return Event(datetime.fromisoformat("2026-11-30T12:00:00Z"), "used", session, ("L001",))


def test_merging_moves_everything_and_joins_the_ledgers(user: UserPaths) -> None:
    put(user, render([REPO, DEMO]))
    old, new = Path(user.project(REPO.id)), Path(user.project(DEMO.id))
    ledger.append(str(old), event("a"))
    ledger.append(str(new), event("b"))
    (old / "evolved").mkdir()
    (old / "evolved" / "draft.md").write_text("draft")
    (old / "project.json").write_text("old")
    (new / "project.json").write_text("new")
    projects.merge(user, REPO, DEMO)
    assert [each.id for each in projects.read(user)] == [DEMO.id]
    assert {each.session for each in ledger.read(str(new)).events} == {"a", "b"}
    assert (new / "project.json").read_text() == "new"
    assert (new / "merged" / REPO.id / "project.json").read_text() == "old"
    assert (new / "merged" / REPO.id / "evolved" / "draft.md").read_text() == "draft"
    assert not old.exists()


def test_merging_twice_keeps_both(user: UserPaths) -> None:
    put(user, render([REPO, DEMO]))
    for session in ("a", "b", "c"):
        ledger.append(user.project(REPO.id), event(session))
        projects.merge(user, REPO, DEMO)
    sessions = [each.session for each in ledger.read(user.project(DEMO.id)).events]
    assert sorted(sessions) == ["a", "b", "c"]
    assert len(list((Path(user.project(DEMO.id)) / "merged").iterdir())) == 3


def test_merging_a_project_without_a_folder_only_forgets_it(user: UserPaths) -> None:
    put(user, render([REPO, DEMO]))
    projects.merge(user, REPO, DEMO)
    assert [each.id for each in projects.read(user)] == [DEMO.id]
    assert not Path(user.data, "projects").exists()


def test_a_project_is_not_merged_into_itself(user: UserPaths) -> None:
    put(user, render([REPO]))
    ledger.append(user.project(REPO.id), event("a"))
    with pytest.raises(QlearnError, match="itself"):
        projects.merge(user, REPO, REPO)
    assert len(ledger.read(user.project(REPO.id)).events) == 1


def test_an_id_that_leads_elsewhere_is_neither_merged_nor_removed(user: UserPaths, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    evil = DEMO._replace(id="../../precious")
    put(user, render([REPO, evil]))
    with pytest.raises(NotFoundError):
        projects.merge(user, evil, REPO)
    with pytest.raises(NotFoundError):
        projects.merge(user, REPO, evil)
    with pytest.raises(NotFoundError):
        projects.remove(user, [evil])
    assert precious.exists()


def test_removing_deletes_what_was_kept_and_no_project(user: UserPaths, tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    gone = REPO._replace(root=str(root))
    put(user, render([gone, DEMO]))
    ledger.append(user.project(gone.id), event("a"))
    projects.remove(user, [gone])
    assert projects.read(user) == (DEMO,)
    assert not os.path.lexists(user.project(gone.id))
    assert root.exists()


def test_a_folder_that_is_a_link_is_not_removed_through_it(user: UserPaths, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    (precious / "a").mkdir(parents=True)
    put(user, render([REPO]))
    Path(user.data, "projects").mkdir()
    Path(user.project(REPO.id)).symlink_to(precious)
    with pytest.raises(StoreError):
        projects.remove(user, [REPO])
    assert (precious / "a").exists()
    assert projects.read(user) == (REPO,)


def test_what_cannot_be_moved_is_told(user: UserPaths) -> None:
    put(user, render([REPO, DEMO]))
    ledger.append(user.project(REPO.id), event("a"))
    Path(user.project(DEMO.id)).write_text("in the way")
    with pytest.raises(StoreError):
        projects.merge(user, REPO, DEMO)
    assert len(ledger.read(user.project(REPO.id)).events) == 1
    assert len(projects.read(user)) == 2
