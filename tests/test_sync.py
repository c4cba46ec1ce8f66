from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from qlearn import store
from qlearn import sync as module
from qlearn.errors import NotFoundError, QlearnError, RegistryError, StoreError
from qlearn.git import Answer, Repository
from qlearn.sync import FILES, Synced, sync

from .repositories import Clone, environment

if TYPE_CHECKING:
    from pathlib import Path


def entry(number: int, title: str, more: str = "") -> str:
    return f"### L{number:03d}: {title}\n- **Date**: 2026-01-01\n- **Learning**: {title}\n{more}\n---\n\n"


class Machine:
    """A machine of the user's, with the folder in which qlearn keeps what it learned there."""

    def __init__(self, folder: Path, remote: Path) -> None:
        self.folder = folder
        self.remote = remote
        self.environ = environment(folder.parent)
        folder.mkdir()

    def write(self, *texts: str) -> None:
        for path, text in zip(FILES, texts, strict=False):
            (self.folder / path).write_text(text)

    def read(self) -> list[str]:
        paths = [self.folder / path for path in FILES]
        return [path.read_text() if path.exists() else "" for path in paths]

    def sync(self) -> Synced:
        return sync(str(self.folder), self.environ, remote=str(self.remote))

    def log(self) -> list[str]:
        done = subprocess.run(
            ["git", "log", "--format=%s"], cwd=self.folder, capture_output=True, text=True, check=False
        )
        return done.stdout.splitlines()


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    return remote


@pytest.fixture
def machines(tmp_path: Path, remote: Path) -> tuple[Machine, Machine]:
    return Machine(tmp_path / "one", remote), Machine(tmp_path / "other", remote)


def test_what_one_machine_learned_comes_to_the_other(machines: tuple[Machine, Machine]) -> None:
    one, other = machines
    one.write(entry(1, "a"), entry(2, "old"))
    assert one.sync() == Synced(0, 2, (), ())
    assert other.sync() == Synced(2, 0, (), ())
    assert other.read() == one.read() == [entry(1, "a"), entry(2, "old")]


def test_what_both_learned_merges_by_entries(machines: tuple[Machine, Machine]) -> None:
    one, other = machines
    one.write(entry(1, "a"))
    other.write(entry(1, "b"))
    one.sync()
    assert other.sync() == Synced(1, 1, (), ("L001 is L002 now: 'b'",))
    assert one.sync() == Synced(1, 0, (), ())
    assert one.read() == other.read() == [entry(1, "a") + entry(2, "b", "- **Was**: L001\n"), ""]


def test_syncing_without_news_changes_nothing(machines: tuple[Machine, Machine]) -> None:
    one, other = machines
    one.write(entry(1, "a"))
    one.sync()
    other.sync()
    log, changed = one.log(), (one.folder / FILES.registry).stat().st_mtime_ns
    for machine in (one, other, one, other):
        assert machine.sync() == Synced(0, 0, (), ())
    assert one.log() == other.log() == log == ["Keep learnings"]
    assert (one.folder / FILES.registry).stat().st_mtime_ns == changed


def test_a_machine_that_learned_nothing_has_nothing_to_send(machines: tuple[Machine, Machine]) -> None:
    one, other = machines
    assert one.sync() == other.sync() == Synced(0, 0, (), ())
    assert one.read() == ["", ""]


def test_a_remote_must_be_named_once(machines: tuple[Machine, Machine]) -> None:
    one, _ = machines
    with pytest.raises(NotFoundError, match="no remote is named yet"):
        sync(str(one.folder), one.environ)
    one.sync()
    assert sync(str(one.folder), one.environ) == Synced(0, 0, (), ())


@pytest.mark.parametrize("remote", ["ext::sh -c true", "--upload-pack=x", "fd::7"])
def test_an_address_that_runs_something_is_refused(machines: tuple[Machine, Machine], remote: str) -> None:
    with pytest.raises(QlearnError, match="no address that git should follow"):
        sync(str(machines[0].folder), machines[0].environ, remote=remote)


def test_offline_it_says_so_and_keeps_what_was_learned(
    machines: tuple[Machine, Machine], remote: Path
) -> None:
    one, other = machines
    one.write(entry(1, "a"))
    away = remote.rename(remote.with_name("away"))
    with pytest.raises(
        StoreError, match=r"the remote can't be reached \(.*\); what was learned here is kept"
    ):
        one.sync()
    assert one.read()[0] == entry(1, "a")
    assert one.log() == ["Keep learnings"]
    away.rename(remote)
    one.sync()
    assert other.sync() == Synced(1, 0, (), ())


def test_a_remote_that_refuses_is_no_loss(machines: tuple[Machine, Machine], remote: Path) -> None:
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    one, _ = machines
    one.write(entry(1, "a"))
    with pytest.raises(StoreError, match="the remote can't be reached"):
        one.sync()
    assert one.read()[0] == entry(1, "a")


def test_credentials_in_the_address_are_not_shown(machines: tuple[Machine, Machine]) -> None:
    one, _ = machines
    with pytest.raises(StoreError) as caught:
        sync(str(one.folder), one.environ, remote="https://me:secret@localhost:1/x.git")
    assert "secret" not in str(caught.value)


def test_a_remote_that_moves_meanwhile_is_merged_once_more(
    machines: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = machines
    one.write(entry(1, "a"))
    one.sync()
    other.sync()
    one.write(entry(1, "a") + entry(2, "b"))
    other.write(entry(1, "a") + entry(2, "c"))
    ask = Repository.ask
    moved: list[Synced] = []

    def ask_late(self: Repository, *arguments: str, **options: object) -> Answer:
        if arguments[0] == "push" and self.folder == str(one.folder) and not moved:
            moved.append(other.sync())
        return ask(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Repository, "ask", ask_late)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    assert one.sync().went == 1
    other.sync()
    assert one.read() == other.read()
    assert [line for line in one.read()[0].split("\n") if line.startswith("#")] == [
        "### L001: a", "### L002: b", "### L003: c",
    ]  # fmt: skip


def test_a_remote_that_never_stands_still_is_given_up(
    machines: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _ = machines
    one.write(entry(1, "a"))
    monkeypatch.setattr(module, "_push", lambda *_: False)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    with pytest.raises(StoreError, match="the remote moved 8 times meanwhile"):
        one.sync()
    assert one.read()[0] == entry(1, "a")


def test_a_conflict_is_resolved_here_and_then_sent(machines: tuple[Machine, Machine]) -> None:
    one, other = machines
    one.write(entry(1, "a"))
    one.sync()
    other.sync()
    for machine, text in ((one, "ours"), (other, "theirs")):
        machine.write(entry(1, "a").replace("**Learning**: a", f"**Learning**: {text}"))
    one.sync()
    assert other.sync() == Synced(1, 0, ("L001: both sides changed its Learning",), ())
    with pytest.raises(RegistryError, match=r"learnings.md:3: a conflict marker"):
        other.sync()
    decided = entry(1, "a").replace("**Learning**: a", "**Learning**: both")
    other.write(decided)
    assert other.sync() == Synced(0, 1, (), ())
    assert one.sync() == Synced(1, 0, (), ())
    assert one.read()[0] == decided
    assert other.log()[0] == "Merge learnings"


def test_a_file_that_is_gone_comes_back(machines: tuple[Machine, Machine]) -> None:
    one, other = machines
    one.write(entry(1, "a"))
    one.sync()
    (one.folder / FILES.registry).unlink()
    other.write(entry(2, "b"))
    other.sync()
    one.sync()
    assert one.read()[0] == other.read()[0]
    assert entry(1, "a") in one.read()[0]


def test_what_the_remote_removed_is_named(machines: tuple[Machine, Machine]) -> None:
    one, other = machines
    one.write(entry(1, "a") + entry(2, "b") + entry(3, "c"))
    one.sync()
    other.sync()
    other.write(entry(1, "a"), entry(3, "c"))
    other.sync()
    assert one.sync().notes == ("L002 was removed at the remote: 'b'",)
    assert one.read() == [entry(1, "a"), entry(3, "c")]


def test_a_link_at_the_remote_takes_nothing_away(machines: tuple[Machine, Machine], tmp_path: Path) -> None:
    one, _ = machines
    one.write(entry(1, "a"))
    one.sync()
    clone = Clone(tmp_path / "clone", one.environ, origin=one.remote)
    clone.git("checkout", "--quiet", "main")
    (clone.folder / "learnings.md").unlink()
    (clone.folder / "learnings.md").symlink_to("/etc/passwd")
    clone.commit()
    clone.git("push", "--quiet", "origin", "main")
    with pytest.raises(StoreError, match=r"learnings\.md of commit \w{12} can't be read \(symlink\)"):
        one.sync()
    assert one.read()[0] == entry(1, "a")


def test_what_else_stands_in_the_folder_or_the_remote_is_left_alone(
    machines: tuple[Machine, Machine], remote: Path, tmp_path: Path
) -> None:
    one, other = machines
    subprocess.run(["git", "clone", "--quiet", str(remote), str(tmp_path / "web")], check=True)
    (tmp_path / "web" / "README").write_text("mine\n")
    for command in (
        ["add", "."],
        ["commit", "--quiet", "-m", "x"],
        ["push", "--quiet", "origin", "HEAD:main"],
    ):
        subprocess.run(["git", *command], cwd=tmp_path / "web", env=one.environ, check=True)
    one.write(entry(1, "a"))
    (one.folder / "projects.json").write_text("{}")
    one.sync()
    other.sync()
    files = subprocess.run(
        ["git", "ls-tree", "--name-only", "main"], cwd=remote, capture_output=True, text=True, check=True
    )
    assert files.stdout.split() == ["README", "learnings.md"]
    assert (one.folder / "projects.json").read_text() == "{}"


def test_the_repository_of_a_folder_above_is_another_one(machines: tuple[Machine, Machine]) -> None:
    one, _ = machines
    subprocess.run(["git", "init", "--quiet", str(one.folder.parent)], check=True)
    one.write(entry(1, "a"))
    one.sync()
    assert (one.folder / ".git").is_dir()


def test_somebody_whom_git_does_not_know_can_sync(machines: tuple[Machine, Machine]) -> None:
    one, _ = machines
    one.environ = {
        name: value for name, value in one.environ.items() if "AUTHOR" not in name and "COMMITTER" not in name
    }
    one.write(entry(1, "a"))
    one.sync()
    assert one.log() == ["Keep learnings"]


def test_two_at_once_wait_for_each_other(
    machines: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _ = machines
    monkeypatch.setattr(module, "WAIT", 0.0)
    with (
        store.lock(module.LOCK, root=str(one.folder)),
        pytest.raises(StoreError, match="held by another"),
    ):
        one.sync()
