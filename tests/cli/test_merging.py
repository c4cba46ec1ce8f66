"""Merging, comparing with parents and syncing, from the command line."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from qlearn.merge import Memory
from tests.repositories import Clone, environment

from .conftest import entry

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Qlearn

BASE = entry(1, "a")
OURS, THEIRS = BASE + entry(2, "b"), BASE + entry(2, "c")
BOTH = BASE + entry(2, "b") + entry(3, "c", more="- **Was**: L002\n")


@pytest.fixture
def clone(qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch) -> Clone:
    """The project as a clone, in which a merge by lines has stopped."""
    environ = environment(qlearn.root.parent)
    for name, value in environ.items():
        if name.startswith("GIT_"):
            monkeypatch.setenv(name, value)
    clone = Clone(qlearn.root, environ)
    clone.git("init", "--quiet", "--template=", "--initial-branch=main")
    clone.commit(Memory(BASE, ""))
    clone.git("checkout", "--quiet", "-b", "side")
    clone.commit(Memory(THEIRS, ""))
    clone.git("checkout", "--quiet", "main")
    clone.commit(Memory(OURS, ""))
    assert not clone.tries("merge", "side")
    return clone


def test_git_is_told_nothing_where_there_is_no_repository(
    qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, err = qlearn("init", "--merge-driver")
    assert (code, err) == (1, f"qlearn: no git repository at or above {qlearn.root}; `git init` makes one\n")


# merge --------------------------------------------------------------------------------------------


def test_merge_makes_a_merge_that_stopped_once_more(qlearn: Qlearn, clone: Clone) -> None:
    done = qlearn("merge")
    assert done == (
        0,
        "Merged. Now: git add .qe/learnings.md\n",
        "qlearn: L002 is L003 now: 'c'\n",
    )
    assert qlearn.read() == BOTH
    assert not qlearn.archive.exists()


def test_merge_overwrites_nothing_that_is_resolved(qlearn: Qlearn, clone: Clone) -> None:
    qlearn.write(OURS)
    assert qlearn("merge") == (1, "", "qlearn: no conflict marker is left, so nothing was written over\n")
    assert qlearn.read() == OURS


def test_merge_names_what_is_in_conflict(qlearn: Qlearn, clone: Clone) -> None:
    clone.git("merge", "--abort")
    clone.commit(Memory(OURS.replace(": a.\n", ": ours.\n"), ""))
    clone.git("checkout", "--quiet", "side")
    clone.commit(Memory(THEIRS.replace(": a.\n", ": theirs.\n"), ""))
    assert not clone.tries("merge", "main")
    done = qlearn("merge")
    assert (done.code, done.out) == (1, "")
    assert done.err.endswith("qlearn: conflict: L001: both sides changed its Learning\n")
    assert qlearn.read().count("<<<<<<<") == 1


def test_merge_needs_a_merge(qlearn: Qlearn, clone: Clone) -> None:
    clone.git("merge", "--abort")
    assert qlearn("merge").err == (
        "qlearn: no merge, cherry-pick, rebase or revert has stopped here, and HEAD is no merge\n"
    )


def test_merge_makes_the_merge_that_head_is_once_more(qlearn: Qlearn, clone: Clone) -> None:
    clone.git("merge", "--abort")
    clone.git("merge", "--strategy", "ours", "side")
    qlearn.write(BASE)
    assert qlearn("merge").err == (
        "qlearn: it was changed since the merge, so nothing was written over; commit it first\n"
    )
    clone.git("checkout", "--quiet", ".")
    assert qlearn("merge").code == 0
    assert qlearn.read() == BOTH


# merge-driver -------------------------------------------------------------------------------------


def test_the_driver_writes_the_merged_file_over_ours(qlearn: Qlearn, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("base", "ours", "theirs")]
    for path, text in zip(paths, (BASE, OURS, THEIRS), strict=True):
        path.write_text(text)
    done = qlearn("merge-driver", *map(str, paths), "7", ".qe/learnings.md")
    assert done == (0, "", "qlearn: L002 is L003 now: 'c'\n")
    assert [path.read_text() for path in paths] == [BASE, BOTH, THEIRS]


def test_a_driver_that_finds_no_room_leaves_our_side_whole(qlearn: Qlearn, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    paths = [tmp_path / name for name in ("base", "ours", "theirs")]
    for path, text in zip(paths, (BASE, OURS, THEIRS), strict=True):
        path.write_text(text)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(BASE), hard))  # less than our side has
    try:
        code = qlearn("merge-driver", *map(str, paths), "7", ".qe/learnings.md").code
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert code == 1
    assert paths[1].read_text() == OURS
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["base", "ours", "theirs"]


def test_the_driver_exits_with_1_in_a_conflict(qlearn: Qlearn, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("base", "ours", "theirs")]
    for path, title in zip(paths, "abc", strict=True):
        path.write_text(entry(1, title))
    done = qlearn("merge-driver", *map(str, paths), "9", ".qe/learnings.md")
    assert (done.code, done.out) == (1, "")
    assert "qlearn: conflict: L001: both sides changed its title\n" in done.err
    assert "<<<<<<<<< one side\n" in paths[1].read_text()


def test_init_sets_the_driver_in_the_clone_and_takes_it_out(qlearn: Qlearn, clone: Clone) -> None:
    clone.git("merge", "--abort")
    assert "git merges registries by entries in this clone" in qlearn("init", "--merge-driver").out
    clone.git("merge", "side")
    assert qlearn.read() == BOTH
    assert clone.git("status", "--short") == "?? .qe/.gitignore\n"
    clone.git("reset", "--quiet", "--hard", "HEAD^")
    assert "git merges registries by lines in this clone" in qlearn("init", "--no-merge-driver").out
    assert not clone.tries("merge", "side")


# check --parents ----------------------------------------------------------------------------------


def test_check_compares_a_merge_with_its_parents(qlearn: Qlearn, clone: Clone) -> None:
    qlearn.write(OURS)
    assert qlearn("check") == (0, "No problems.\n", "")
    done = qlearn("check", "--parents")
    assert done == (
        1, ".qe/learnings.md:9: error: L002 'c' of parent 2 is neither in the merge nor in its archive\n", ""
    )  # fmt: skip
    qlearn.write(BOTH)
    assert qlearn("check", "--parents") == (0, "No problems.\n", "")


def test_check_has_no_parents_to_compare_with(qlearn: Qlearn, clone: Clone) -> None:
    clone.git("merge", "--abort")
    assert qlearn("check", "--parents").err == (
        "qlearn: HEAD is no merge, and none is under way; there are no parents to compare with\n"
    )


def test_check_and_fix_part_what_registry_and_archive_share(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "a"))
    qlearn.archive.write_text(entry(1, "b") + entry(1, "c"))
    assert [line.split(": ", 1)[0] for line in qlearn("check").out.splitlines()] == [
        ".qe/learnings.md:1", ".qe/learnings.archive.md:9",
    ]  # fmt: skip
    assert qlearn("fix", "--yes").out == (
        "line 1: L001 becomes L003\nin the archive, line 9: L001 becomes L002\nChanged 2.\n"
    )
    assert qlearn("check").out == "No problems.\n"


# sync ---------------------------------------------------------------------------------------------


def test_sync_brings_ones_own_learnings_together(
    qlearn: Qlearn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    assert qlearn("sync").err == "qlearn: no remote is named yet; `qlearn sync --remote URL` names one\n"
    qlearn("-g", "add", "Say why.")
    done = qlearn("sync", "--remote", str(remote))
    assert done == (0, "In step with the remote: 0 came, 1 went.\n", "")
    monkeypatch.setenv("HOME", str(tmp_path / "elsewhere"))
    assert qlearn("sync", "--remote", str(remote)).out == "In step with the remote: 1 came, 0 went.\n"
    assert "Say why" in qlearn("-g", "list").out


def test_sync_says_where_a_conflict_is(
    qlearn: Qlearn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    homes = [tmp_path / name for name in ("here", "there")]
    registries = [home / ".local/share/qlearn/learnings.md" for home in homes]
    for home in homes:
        monkeypatch.setenv("HOME", str(home))
        if home == homes[0]:
            qlearn("-g", "add", "Say why.")
        qlearn("sync", "--remote", str(remote))
    for home, registry in zip(homes, registries, strict=True):
        monkeypatch.setenv("HOME", str(home))
        registry.write_text(registry.read_text().replace(": Say why\n", f": {home.name}\n"))
        done = qlearn("sync")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "qlearn: conflict: L001: both sides changed its title\n"
        f"qlearn: {registries[1]} has conflicts; resolve them between the markers, then sync again\n"
    )
