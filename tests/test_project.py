from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from qlearn.identity import id_of
from qlearn.project import find, project_id

if TYPE_CHECKING:
    from pathlib import Path

ORIGIN = "https://user:secret@github.com/Owner/repo.git"
OWNER_REPO = "620c3a937ce8"

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{role}_{what}": "a@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    },
}


def git(folder: Path, *arguments: str) -> None:
    command = ("git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *arguments)
    subprocess.run(command, cwd=folder, env=ENVIRONMENT, check=True, capture_output=True)


def make_repository(folder: Path, origin: str = "") -> Path:
    folder.mkdir(parents=True)
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "first")
    if origin:
        git(folder, "remote", "add", "origin", origin)
    return folder


def make(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def test_the_root_is_the_nearest_folder_with_qe(tmp_path: Path) -> None:
    make(tmp_path / ".qe")
    make(tmp_path / "a" / ".qe")
    found = find(str(make(tmp_path / "a" / "b" / "c")), {})
    assert found.root == str(tmp_path / "a")
    assert found.known
    assert found.id == id_of(str(tmp_path / "a"))
    assert found.name == "a"
    assert found.remote == ""
    assert ".qe/" in found.why


def test_qe_in_a_subfolder_of_a_repository_is_a_root_with_the_repository_s_id(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo", ORIGIN)
    make(repository / "packages" / "a" / ".qe")
    found = find(str(make(repository / "packages" / "a" / "src")), {})
    assert found.root == str(repository / "packages" / "a")
    assert (found.id, found.remote, found.name) == (OWNER_REPO, "github.com/owner/repo", "repo")


def test_qe_in_a_subfolder_without_a_remote_has_an_id_of_its_own(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo")
    make(repository / "a" / ".qe")
    make(repository / "b" / ".qe")
    ids = {find(str(folder), {}).id for folder in (repository, repository / "a", repository / "b")}
    assert len(ids) == 3


def test_qe_above_a_repository_holds_for_it(tmp_path: Path) -> None:
    make(tmp_path / ".qe")
    repository = make_repository(tmp_path / "repo", ORIGIN)
    found = find(str(repository), {})
    assert (found.root, found.remote) == (str(tmp_path), "")


def test_the_git_root_serves_without_qe(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo")
    found = find(str(make(repository / "a" / "b")), {})
    assert (found.root, found.id) == (str(repository), id_of(str(repository)))
    assert "git repository" in found.why


def test_without_qe_and_git_the_project_is_unknown(tmp_path: Path) -> None:
    found = find(str(tmp_path), {})
    assert not found.known
    assert found[:4] == ("", "", "", "")
    assert str(tmp_path) in found.why


def test_clones_of_one_remote_are_one_project_and_no_credential_stays(tmp_path: Path) -> None:
    origins = (ORIGIN, "git@github.com:owner/repo", "ssh://git@github.com:22/owner/repo.git")
    found = [find(str(make_repository(tmp_path / str(n), url)), {}) for n, url in enumerate(origins)]
    assert {each.id for each in found} == {OWNER_REPO}
    assert len({each.root for each in found}) == 3
    assert "secret" not in repr(found)


def test_clones_of_a_local_repository_are_the_same_project_as_it(tmp_path: Path) -> None:
    source = make_repository(tmp_path / "Source")
    git(tmp_path, "clone", str(source), "one")
    git(tmp_path, "clone", f"file://{source}", "two")
    git(tmp_path, "clone", "Source/.git", "three")
    assert {find(str(tmp_path / name), {}).id for name in ("Source", "one", "two", "three")} == {
        id_of(str(source))
    }


def test_a_relative_origin_counts_from_the_repository(tmp_path: Path) -> None:
    source = make_repository(tmp_path / "a" / "source")
    make_repository(tmp_path / "b" / "source")
    one = make_repository(tmp_path / "a" / "one", "../source")
    other = make_repository(tmp_path / "b" / "one", "../source")
    assert find(str(one), {}).id == id_of(str(source))
    assert find(str(one), {}).id != find(str(other), {}).id


def test_only_origin_names_a_repository(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo")
    git(repository, "remote", "add", "upstream", ORIGIN)
    assert find(str(repository), {}).id == id_of(str(repository))


def test_a_worktree_is_its_main_repository(tmp_path: Path) -> None:
    main = make_repository(tmp_path / "main")
    git(main, "worktree", "add", str(tmp_path / "tree"))
    found = find(str(make(tmp_path / "tree" / "a")), {})
    assert found[:4] == find(str(main), {})[:4]
    assert found.root == str(main)
    assert "worktree" in found.why


def test_a_worktree_knows_the_remote(tmp_path: Path) -> None:
    main = make_repository(tmp_path / "main", ORIGIN)
    git(main, "worktree", "add", str(tmp_path / "tree"))
    make(tmp_path / "tree" / ".qe")
    assert find(str(tmp_path / "tree"), {}).id == OWNER_REPO


@pytest.mark.parametrize("below", [".", "a"])
def test_qe_in_a_worktree_is_a_root_with_the_id_of_its_place_in_the_main_repository(
    tmp_path: Path, below: str
) -> None:
    main = make_repository(tmp_path / "main")
    git(main, "worktree", "add", str(tmp_path / "tree"))
    for folder in (main, tmp_path / "tree"):
        make(folder / below / ".qe")
    in_main, in_tree = (find(str(folder / below), {}) for folder in (main, tmp_path / "tree"))
    assert in_tree.root == str((tmp_path / "tree" / below).resolve())
    assert in_tree.id == in_main.id


def test_a_worktree_inside_of_its_repository_uses_the_qe_of_that(tmp_path: Path) -> None:
    main = make_repository(tmp_path / "main")
    make(main / ".qe")
    git(main, "worktree", "add", ".claude/worktrees/tree")
    assert find(str(main / ".claude" / "worktrees" / "tree"), {}).root == str(main)


def test_worktrees_of_a_bare_repository_are_roots_with_one_id(tmp_path: Path) -> None:
    git(tmp_path, "clone", "--bare", str(make_repository(tmp_path / "source")), "bare.git")
    git(tmp_path / "bare.git", "remote", "remove", "origin")
    found = []
    for name in ("one", "two"):
        git(tmp_path / "bare.git", "worktree", "add", "-b", name, str(tmp_path / name))
        found.append(find(str(tmp_path / name), {}))
    assert [each.root for each in found] == [str(tmp_path / "one"), str(tmp_path / "two")]
    assert {each.id for each in found} == {id_of(str(tmp_path / "bare.git"))}


def test_a_moved_worktree_keeps_the_remote_but_is_its_own_root(tmp_path: Path) -> None:
    main = make_repository(tmp_path / "main", ORIGIN)
    git(main, "worktree", "add", str(tmp_path / "tree"))
    (tmp_path / "tree").rename(tmp_path / "moved")
    found = find(str(tmp_path / "moved"), {})
    assert (found.root, found.id) == (str(tmp_path / "moved"), OWNER_REPO)


def test_a_folder_that_claims_to_be_another_s_worktree_is_not_believed(tmp_path: Path) -> None:
    private = make_repository(tmp_path / "private")
    git(private, "worktree", "add", str(tmp_path / "tree"))
    forged = make(tmp_path / "forged")
    (forged / ".git").write_text((tmp_path / "tree" / ".git").read_text())
    assert find(str(forged), {}).root == str(forged)

    git_folder = make(tmp_path / "forged2" / "git")
    (git_folder / "commondir").write_text(f"{private}/.git\n")
    (git_folder / "gitdir").write_text(f"{tmp_path}/forged2/.git\n")
    (tmp_path / "forged2" / ".git").write_text("gitdir: git\n")
    assert find(str(tmp_path / "forged2"), {}).root == str(tmp_path / "forged2")


def make_submodule(tmp_path: Path) -> tuple[Path, Path]:
    library = make_repository(tmp_path / "library")
    above = make_repository(tmp_path / "above", ORIGIN)
    git(above, "submodule", "add", str(library), "lib")
    return above, above / "lib"


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    above, inside = make_submodule(tmp_path)
    found = find(str(make(inside / "src")), {})
    assert found.root == str(inside)
    assert found.remote == str(tmp_path / "library")
    assert found.id != find(str(above), {}).id


def test_the_qe_above_a_submodule_is_not_its_own(tmp_path: Path) -> None:
    above, inside = make_submodule(tmp_path)
    make(above / ".qe")
    assert find(str(inside), {}).root == str(inside)
    make(inside / ".qe")
    assert find(str(inside), {}).root == str(inside)


def test_a_git_folder_elsewhere_is_found_by_its_git_file(tmp_path: Path) -> None:
    make(tmp_path / "work")
    git(tmp_path / "work", "init", "--separate-git-dir", str(tmp_path / "elsewhere"))
    git(tmp_path / "work", "remote", "add", "origin", ORIGIN)
    found = find(str(tmp_path / "work"), {})
    assert (found.root, found.id) == (str(tmp_path / "work"), OWNER_REPO)


def test_a_git_file_that_leads_nowhere_is_a_root_without_a_remote(tmp_path: Path) -> None:
    make_repository(tmp_path / "above", ORIGIN)
    inside = make(tmp_path / "above" / "inside")
    (inside / ".git").write_text("gitdir: /nowhere/.git/worktrees/inside\n")
    found = find(str(inside), {})
    assert (found.root, found.id) == (str(inside), id_of(str(inside)))


@pytest.mark.parametrize("text", ["", "gitdir", "ref: x\n", "\0", "gitdir" * 9999])
def test_a_git_file_of_another_kind_is_none(tmp_path: Path, text: str) -> None:
    above = make_repository(tmp_path / "above")
    inside = make(above / "inside")
    (inside / ".git").write_text(text)
    assert find(str(inside), {}).root == str(above)


@pytest.mark.parametrize(
    "text", ["gitdir: \0", "gitdir: ", "gitdir: " + "a/" * 5000, "gitdir: .git", "gitdir: ."]
)
def test_a_git_file_with_an_odd_path_is_a_root_without_a_remote(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)
    assert find(str(tmp_path), {}).id == id_of(str(tmp_path))


def test_an_empty_git_folder_is_no_repository(tmp_path: Path) -> None:
    above = make_repository(tmp_path / "above")
    make(above / "inside" / ".git")
    assert find(str(above / "inside"), {}).root == str(above)


def test_git_s_environment_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = make_repository(tmp_path / "other", ORIGIN)
    repository = make_repository(tmp_path / "repo")
    hostile = {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_COMMON_DIR": str(other / ".git"),
        "GIT_CONFIG": str(other / ".git" / "config"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "remote.origin.url",
        "GIT_CONFIG_VALUE_0": "https://example.org/forged",
        "GIT_CEILING_DIRECTORIES": str(repository),
    }
    for name, value in hostile.items():
        monkeypatch.setenv(name, value)
    found = find(str(make(repository / "a")), hostile)
    assert (found.root, found.remote) == (str(repository), "")


def test_no_process_is_started_and_nothing_written(tmp_path: Path) -> None:
    main = make_repository(tmp_path / "main", ORIGIN)
    git(main, "worktree", "add", str(tmp_path / "tree"))
    before = snapshot(tmp_path)
    program = f"""
import sys
processes = ("os.exec", "os.fork", "os.posix_spawn", "os.system", "subprocess.Popen")
sys.addaudithook(lambda event, _: event in processes and sys.exit(event))
from qlearn.project import find
print(find({str(tmp_path / "tree")!r}, {{}}).id)
slow = {{"subprocess", "pathlib", "dataclasses", "hashlib", "json", "re", "tomllib", "typing"}}
late = slow & set(sys.modules)
assert not late, late
"""
    # Without `site`, whose start-up files may import anything.
    answer = subprocess.run((sys.executable, "-S", "-c", program), capture_output=True, text=True)
    assert (answer.stdout, answer.stderr) == (f"{OWNER_REPO}\n", "")
    assert snapshot(tmp_path) == before


def snapshot(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_the_client_s_folder_comes_before_the_current_one(tmp_path: Path) -> None:
    one, other = make_repository(tmp_path / "one"), make_repository(tmp_path / "other")
    found = find(str(other), {"CLAUDE_PROJECT_DIR": str(make(one / "a"))})
    assert found.root == str(one)
    assert "CLAUDE_PROJECT_DIR" in found.why


def test_a_client_s_folder_without_a_project_is_not_replaced_by_the_current_one(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo")
    found = find(str(repository), {"CLAUDE_PROJECT_DIR": str(make(tmp_path / "plain"))})
    assert not found.known
    assert "CLAUDE_PROJECT_DIR" in found.why


@pytest.mark.parametrize("folder", ["", ".", "/nowhere/at/all", "/dev/null", "\ud800", "a" * 99999])
def test_a_client_s_folder_that_is_none_is_ignored(tmp_path: Path, folder: str) -> None:
    repository = make_repository(tmp_path / "repo")
    assert find(str(repository), {"CLAUDE_PROJECT_DIR": folder}).root == str(repository)


def test_a_folder_that_is_gone_belongs_to_the_project_it_was_in(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo")
    assert find(str(repository / "gone" / "too"), {}).root == str(repository)


def test_a_file_belongs_to_the_project_it_is_in(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo")
    (repository / "file").touch()
    assert find(str(repository / "file"), {}).root == str(repository)


@pytest.mark.parametrize("start", ["", "\0", "/\ud800", "/a" * 500_000, "/" + "a" * 3000, "a\0b"])
def test_a_folder_that_can_be_none_is_unknown(start: str) -> None:
    assert not find(start, {}).known


def test_a_link_into_a_project_leads_to_its_real_folder(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo")
    (tmp_path / "link").symlink_to(repository)
    assert find(str(tmp_path / "link"), {}) == find(str(repository), {})


def test_a_circle_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert not find(str(tmp_path / "a"), {}).known


def test_a_qe_that_is_a_link_marks_a_root_and_is_not_followed(tmp_path: Path) -> None:
    for name, target in {"out": "/etc", "dangling": "/nowhere", "circle": ".qe"}.items():
        make(tmp_path / name)
        (tmp_path / name / ".qe").symlink_to(target)
        assert find(str(tmp_path / name), {}).root == str(tmp_path / name)


def test_a_fifo_marks_a_root_but_a_plain_file_does_not(tmp_path: Path) -> None:
    os.mkfifo(make(tmp_path / "fifo") / ".qe")
    make(tmp_path / "file").joinpath(".qe").touch()
    assert find(str(tmp_path / "fifo"), {}).root == str(tmp_path / "fifo")
    assert not find(str(tmp_path / "file"), {}).known


@pytest.mark.parametrize("name", ["config", "HEAD"])
def test_a_fifo_in_the_git_folder_stops_nobody(tmp_path: Path, name: str) -> None:
    repository = make_repository(tmp_path / "repo")
    (repository / ".git" / name).unlink()
    os.mkfifo(repository / ".git" / name)
    assert find(str(repository), {}).root == str(repository)


def test_a_git_file_that_is_a_fifo_stops_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    assert not find(str(tmp_path), {}).known


def test_a_configuration_of_a_gigabyte_is_not_read(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo", ORIGIN)
    os.truncate(repository / ".git" / "config", 1 << 30)
    assert find(str(repository), {}).remote == ""


def test_a_configuration_that_is_no_utf_8_still_tells_remotes_apart(tmp_path: Path) -> None:
    found = []
    for n, byte in enumerate((b"\xff", b"\xfe")):
        repository = make_repository(tmp_path / str(n))
        (repository / ".git" / "config").write_bytes(b'[remote "origin"]\nurl = host:a' + byte)
        found.append(find(str(repository), {}))
    assert found[0].remote == "host/a\\xff"
    assert found[0].id != found[1].id


def test_in_a_folder_for_everybody_only_what_is_one_s_own_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / ".qe")
    make_repository(tmp_path / "repo")
    (tmp_path / "repo").chmod(0o1777)
    tmp_path.chmod(0o1777)
    start = str(make(tmp_path / "a"))
    assert find(start, {}).root == str(tmp_path)
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    assert not find(start, {}).known
    assert not find(str(tmp_path / "repo"), {}).known
    tmp_path.chmod(0o777)
    assert find(start, {}).root == str(tmp_path)


def test_a_folder_that_may_not_be_read_is_none(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo", ORIGIN)
    make(repository / ".qe")
    assert find_without_rights(repository) == str(repository)
    tmp_path.chmod(0)
    try:
        assert find_without_rights(repository) == ""
    finally:
        tmp_path.chmod(0o700)


def find_without_rights(folder: Path) -> str:
    """The root found by a process that has no more rights than its files give it, even as root."""
    program = """
import ctypes, os, sys
from qlearn.project import find
if os.geteuid() == 0:
    version_3 = 0x20080522
    header, nothing = (ctypes.c_uint32 * 2)(version_3, 0), (ctypes.c_uint32 * 6)()
    assert ctypes.CDLL(None).capset(header, nothing) == 0
print(find(sys.argv[1], {}).root)
"""
    command = (sys.executable, "-c", program, str(folder))
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_an_id_is_asked_for_a_root(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo", ORIGIN)
    assert project_id(str(repository)) == OWNER_REPO
    assert project_id(str(tmp_path)) == id_of(str(tmp_path))
    assert project_id("") == ""
