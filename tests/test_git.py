from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from qlearn.errors import StoreError
from qlearn.git import Repository

from .repositories import Clone, environment

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path / "clone", environment(tmp_path))


@pytest.fixture
def repository(clone: Clone) -> Repository:
    return Repository(str(clone.folder), clone.environ)


def test_a_commit_is_looked_up_and_is_no_option(clone: Clone, repository: Repository) -> None:
    assert repository.commit("HEAD") == ""
    commit = clone.commit()
    assert repository.commit("HEAD") == repository.commit(commit[:8]) == commit
    assert repository.commit("nothing") == repository.commit("--all") == repository.commit("") == ""


def test_parents_and_a_common_ancestor_are_found(clone: Clone, repository: Repository) -> None:
    first = clone.commit()
    clone.git("checkout", "--quiet", "-b", "side")
    side = clone.commit(message="side")
    clone.git("checkout", "--quiet", "main")
    main = clone.commit(message="main")
    clone.git("merge", "--quiet", "side")
    assert repository.parents("HEAD") == (main, side)
    assert repository.merge_bases(main, side) == (first,)
    clone.git("checkout", "--quiet", "--orphan", "other")
    assert repository.merge_bases(clone.commit(message="other"), main) == ()


def test_a_file_is_read_from_a_commit_byte_for_byte(clone: Clone, repository: Repository) -> None:
    (clone.folder / "sub").mkdir()
    (clone.folder / "sub" / "file").write_bytes(b"\xff\r\n\0")
    (clone.folder / ".gitattributes").write_text("* text eol=lf diff=x\n")
    clone.git("config", "diff.x.textconv", "rm -rf")
    (clone.folder / ".gitattributes").unlink()
    commit = clone.commit()
    assert repository.file(commit, "sub/file") == b"\xff\r\n\0"
    assert repository._replace(folder=str(clone.folder / "sub")).file(commit, "file") == b"\xff\r\n\0"
    assert repository.file(commit, "none") is None


def test_a_file_that_git_has_lost_is_no_file_that_was_removed(clone: Clone, repository: Repository) -> None:
    (clone.folder / "file").write_text("entries\n")
    commit = clone.commit()
    blob = clone.git("rev-parse", "HEAD:file").strip()
    (clone.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(StoreError, match=f"file of commit {commit[:12]} can't be read"):
        repository.file(commit, "file")
    tree = repository.tree(commit)
    (clone.folder / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(StoreError, match=f"file of commit {commit[:12]} can't be read"):
        repository.file(commit, "file")


def test_a_link_is_followed_within_the_commit_alone(clone: Clone, repository: Repository) -> None:
    (clone.folder / "docs").mkdir()
    (clone.folder / "docs" / "file").write_text("entries\n")
    for name, target in (("in", "docs/file"), ("folder", "docs"), ("out", "/etc/passwd"), ("gone", "docs/x"),
                         ("loop", "loop"), ("above", "../file")):  # fmt: skip
        (clone.folder / name).symlink_to(target)
    commit = clone.commit()
    assert repository.file(commit, "in") == repository.file(commit, "folder/file") == b"entries\n"
    assert repository.file(commit, "folder/none") is None
    for name in ("out", "gone", "loop", "above", "docs", "docs/file/x", "a\nb"):
        with pytest.raises(StoreError, match="can't be read"):
            repository.file(commit, name)


def test_a_partial_clone_fetches_nothing_by_the_programs_that_it_names(
    clone: Clone, repository: Repository, tmp_path: Path
) -> None:
    (clone.folder / "file").write_text("entries\n")
    clone.commit()
    clone.git("config", "uploadpack.allowFilter", "true")
    partial = ("--filter=blob:none", "--no-checkout", f"file://{clone.folder}", str(tmp_path / "partial"))
    clone.git("clone", "--quiet", *partial)
    hostile = Clone(tmp_path / "partial", clone.environ)
    trap = f"touch '{tmp_path}/sprung'; git-upload-pack"
    hostile.git("config", "remote.origin.uploadpack", trap)
    hostile.git("config", "protocol.file.allow", "always")
    with pytest.raises(StoreError, match="partial clone"):
        repository._replace(folder=str(hostile.folder)).file("HEAD", "file")
    assert not (tmp_path / "sprung").exists()
    assert hostile.git("show", "HEAD:./file") == "entries\n"
    assert (tmp_path / "sprung").exists()
    assert repository._replace(folder=str(hostile.folder)).file("HEAD", "file") == b"entries\n"


def test_a_folder_outside_of_repositories_has_no_commit(tmp_path: Path) -> None:
    outside = Repository(str(tmp_path), {**environment(tmp_path), "GIT_CEILING_DIRECTORIES": "/"})
    assert outside.commit("HEAD") == ""
    with pytest.raises(StoreError, match="git status failed: not a git repository"):
        outside.tell("status")


def test_the_environment_points_git_nowhere_else(clone: Clone, tmp_path: Path) -> None:
    other = Clone(tmp_path / "other", clone.environ)
    commit = clone.commit()
    hostile = {**clone.environ, "GIT_DIR": str(other.folder / ".git"), "GIT_EXEC_PATH": "/nowhere"}
    assert Repository(str(clone.folder), hostile).commit("HEAD") == commit


def test_no_program_that_the_repository_names_is_run(
    clone: Clone, repository: Repository, tmp_path: Path
) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch '{tmp_path}/sprung'\n")
    trap.chmod(0o755)
    hooks = clone.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("pre-commit", "post-commit", "reference-transaction", "post-checkout"):
        (hooks / hook).symlink_to(trap)
    for setting in ("core.fsmonitor", "core.pager", "core.editor", "core.askPass"):
        clone.git("config", setting, str(trap))
    (clone.folder / "git").symlink_to(trap)
    hostile = repository._replace(environ={**clone.environ, "PATH": f".:{clone.environ['PATH']}"})
    people = {name: value for name, value in clone.environ.items() if name.startswith("GIT_")}
    hostile.tell("commit", "--allow-empty", "--message", "x", more=people)
    hostile.tell("status")
    hostile.tell("log")
    assert not (tmp_path / "sprung").exists()
    clone.git("commit", "--allow-empty", "--message", "y")
    assert (tmp_path / "sprung").exists()


def test_a_remote_helper_that_runs_programs_is_refused(clone: Clone, repository: Repository) -> None:
    answer = repository.ask("ls-remote", f"ext::touch {clone.folder}/sprung")
    assert answer.code
    assert answer.complaint == "transport 'ext' not allowed"
    assert not (clone.folder / "sprung").exists()


def test_git_that_takes_too_long_is_stopped(repository: Repository) -> None:
    with pytest.raises(StoreError, match="git hash-object took longer than 0 s and was stopped"):
        repository.ask("hash-object", "--stdin", timeout=0)


def test_git_that_is_not_there_is_named(repository: Repository) -> None:
    with pytest.raises(StoreError, match="git is not installed"):
        repository._replace(environ={"PATH": "/nowhere"}).ask("status")
