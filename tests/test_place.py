"""Where paths lead, on real folders, links and special files."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from qlearn import place, store
from qlearn.errors import StoreError

SECRET = b"root:x:0:0\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project beside a file that is none of its business."""
    (tmp_path / "secret").write_bytes(SECRET)
    (tmp_path / "project" / ".qe").mkdir(parents=True)
    return tmp_path / "project"


def read(project: Path, path: str = ".qe/learnings.md") -> bytes | None:
    return store.read(path, root=str(project))


def open_descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


# What must stay possible


def test_a_file_is_found_by_its_relative_and_its_absolute_path(project: Path) -> None:
    (project / ".qe" / "learnings.md").write_bytes(b"text")
    assert read(project) == b"text"
    assert read(project, str(project / ".qe" / "learnings.md")) == b"text"
    assert read(project, "./.qe//learnings.md") == b"text"


def test_a_missing_file_and_a_missing_folder_are_none(project: Path) -> None:
    assert read(project) is None
    assert read(project, "nowhere/learnings.md") is None


@pytest.mark.parametrize("char", ["\0", "\ud800"])
def test_what_can_be_no_path_is_refused(project: Path, char: str) -> None:
    with pytest.raises(StoreError, match="is no path"):
        read(project, f".qe/learnings.md{char}")


def test_a_name_that_is_not_utf_8_is_a_path(project: Path) -> None:
    (project / "caf\udce9").write_bytes(b"text")
    assert read(project, "caf\udce9") == b"text"


def test_a_root_may_be_reached_through_a_link(project: Path, tmp_path: Path) -> None:
    (project / ".qe" / "learnings.md").write_bytes(b"text")
    (tmp_path / "alias").symlink_to(project)
    assert read(tmp_path / "alias") == b"text"
    assert read(tmp_path / "alias", str(project / ".qe" / "learnings.md")) == b"text"


@pytest.mark.parametrize(
    "target", ["../docs/real.md", "../docs/../docs/./real.md", "/docs/real.md", "second"]
)
def test_a_link_inside_the_project_is_followed_and_stays_a_link(project: Path, target: str) -> None:
    (project / "docs").mkdir()
    (project / "docs" / "real.md").write_bytes(b"text")
    (project / ".qe" / "second").symlink_to("../docs/real.md")
    link = project / ".qe" / "learnings.md"
    link.symlink_to(f"{project}{target}" if target.startswith("/") else target)
    before = link.readlink()
    assert read(project) == b"text"
    store.update(".qe/learnings.md", lambda text: text + b" more", root=str(project))
    assert link.readlink() == before
    assert (project / "docs" / "real.md").read_bytes() == b"text more"


def test_a_linked_folder_inside_the_project_is_followed(project: Path) -> None:
    (project / ".qe").rmdir()
    (project / "config").mkdir()
    (project / ".qe").symlink_to("config")
    store.update(".qe/learnings.md", lambda _: b"text", root=str(project))
    assert (project / "config" / "learnings.md").read_bytes() == b"text"
    assert (project / ".qe").is_symlink()


def test_a_link_to_a_file_that_is_not_there_yet_is_written_through(project: Path) -> None:
    (project / ".qe" / "learnings.md").symlink_to("../later.md")
    assert read(project) is None
    store.update(".qe/learnings.md", lambda _: b"text", root=str(project))
    assert (project / "later.md").read_bytes() == b"text"


def test_the_root_of_all_confines_nothing(project: Path, tmp_path: Path) -> None:
    (project / "link").symlink_to(tmp_path / "secret")
    assert store.read(str(project / "link"), root="/") == SECRET


def test_no_folder_stays_open(project: Path) -> None:
    (project / ".qe" / "learnings.md").write_bytes(b"text")
    (project / "loop").symlink_to("loop")
    before = open_descriptors()
    for _ in range(50):
        read(project)
        read(project, "a/b/c")
        with pytest.raises(StoreError):
            read(project, "loop/x")
        with pytest.raises(StoreError):
            read(project, ".qe")
        with pytest.raises(StoreError):
            read(project, ".qe/../../secret")
    assert open_descriptors() == before


# What is refused


def refusal(project: Path, path: str = ".qe/learnings.md") -> str:
    """The one text with which reading, updating, appending and locking there are refused."""
    texts = set()
    for call in (
        lambda: store.read(path, root=str(project)),
        lambda: store.update(path, lambda _: b"forged", root=str(project), lock_file=".qe/other.lock"),
        lambda: store.append_line(path, b"forged", root=str(project)),
        lambda: store.lock(path, root=str(project)),
    ):
        start = time.monotonic()
        with pytest.raises(StoreError) as caught:
            call()
        assert time.monotonic() - start < 1
        texts.add(str(caught.value))
    assert len(texts) == 1, texts
    return texts.pop()


def test_a_fifo_is_refused_at_once(project: Path) -> None:
    os.mkfifo(project / ".qe" / "learnings.md")
    assert refusal(project) == ".qe/learnings.md: a FIFO; it was left alone. Move that away."


def test_a_fifo_in_the_place_of_the_folder_is_refused(project: Path) -> None:
    (project / ".qe" / "a").mkdir()
    os.mkfifo(project / "fifo")
    assert refusal(project, "fifo/learnings.md").startswith("fifo/learnings.md: on the way stands a FIFO")


def test_a_folder_is_refused(project: Path) -> None:
    (project / ".qe" / "learnings.md").mkdir()
    assert refusal(project) == ".qe/learnings.md: a folder; it was left alone. Move that away."


def test_a_socket_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / ".qe")  # socket addresses are short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("learnings.md")
        assert refusal(project) == ".qe/learnings.md: a socket; it was left alone. Move that away."


def test_a_device_is_refused(project: Path) -> None:
    with pytest.raises(StoreError, match=r"^/dev/zero: a device; it was left alone"):
        store.read("/dev/zero", root="/")
    try:
        os.mknod(project / ".qe" / "learnings.md", 0o600 | 0o020000, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")
    assert refusal(project) == ".qe/learnings.md: a device; it was left alone. Move that away."


@pytest.mark.parametrize("target", ["../../secret", "/etc/passwd", "../x/../../secret", "second"])
def test_a_link_out_of_the_project_is_refused(project: Path, tmp_path: Path, target: str) -> None:
    (project / "x").mkdir()
    (project / ".qe" / "second").symlink_to("../../secret")
    (project / ".qe" / "learnings.md").symlink_to(target)
    assert refusal(project).startswith(".qe/learnings.md: leads out of its project")
    assert (tmp_path / "secret").read_bytes() == SECRET


@pytest.mark.parametrize("target", ["..", "/etc", "../project/../"])
def test_a_folder_linked_out_of_the_project_is_refused(project: Path, tmp_path: Path, target: str) -> None:
    (project / "linked").symlink_to(target)
    assert refusal(project, "linked/secret").startswith("linked/secret: leads out of its project")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["project", "secret"]


def test_a_neighbour_whose_name_begins_alike_is_outside(project: Path, tmp_path: Path) -> None:
    (tmp_path / "project-two").mkdir()
    (tmp_path / "project-two" / "x").write_bytes(SECRET)
    (project / ".qe" / "learnings.md").symlink_to(tmp_path / "project-two" / "x")
    assert "leads out of its project" in refusal(project)
    assert "leads out of its project" in refusal(project, str(tmp_path / "project-two" / "x"))


def test_an_absolute_link_may_not_climb_out_by_dots(project: Path) -> None:
    (project / ".qe" / "learnings.md").symlink_to(f"{project}/../secret")
    assert "leads out of its project" in refusal(project)


def test_a_path_that_climbs_out_is_refused(project: Path) -> None:
    assert "leads out of its project" in refusal(project, ".qe/../../secret")


def test_links_in_a_circle_are_refused(project: Path) -> None:
    (project / ".qe" / "learnings.md").symlink_to("other")
    (project / ".qe" / "other").symlink_to("learnings.md")
    assert "lead in a circle" in refusal(project)


def test_a_link_to_the_project_itself_is_a_folder(project: Path) -> None:
    (project / ".qe" / "learnings.md").symlink_to("..")
    assert refusal(project).startswith(".qe/learnings.md: a folder")


def test_a_file_on_the_way_is_refused(project: Path) -> None:
    (project / "file").write_bytes(b"")
    assert refusal(project, "file/x").startswith("file/x: on the way stands a file")


@pytest.mark.parametrize("comes", ["link", "fifo", "folder"])
def test_what_takes_the_place_of_a_file_after_the_walk_is_refused(
    project: Path, tmp_path: Path, comes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project / ".qe" / "learnings.md"
    file.write_bytes(b"text")
    walk = place.walk

    def walk_and_lose_the_race(path: str, root: str) -> place.Place:
        found = walk(path, root)
        file.unlink()
        if comes == "link":
            file.symlink_to(tmp_path / "secret")
        elif comes == "fifo":
            os.mkfifo(file)
        else:
            file.mkdir()
        return found

    monkeypatch.setattr(place, "walk", walk_and_lose_the_race)
    with pytest.raises(StoreError):
        read(project)


def test_a_link_that_takes_the_place_of_a_folder_during_the_walk_is_not_followed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = place.kind

    def kind_and_lose_the_race(name: str, folder: int | None) -> int:
        found = kind(name, folder)
        if name == ".qe":
            (project / ".qe").rmdir()
            (project / ".qe").symlink_to(tmp_path)
        return found

    monkeypatch.setattr(place, "kind", kind_and_lose_the_race)
    with pytest.raises(StoreError):
        read(project, ".qe/secret")
