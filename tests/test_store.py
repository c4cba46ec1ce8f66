"""The store on real files: what it keeps, what it refuses, what it says when the disk fails.

Whoever runs these as root is above all permissions, so what depends on them runs in a child of another user.
"""

from __future__ import annotations

import errno
import multiprocessing
import os
import resource
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from qlearn import store
from qlearn.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATH = ".qe/learnings.md"
ARCHIVE = ".qe/learnings.archive.md"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".qe").mkdir()
    return tmp_path


def put(project: Path, text: bytes, path: str = PATH) -> Path:
    (project / path).write_bytes(text)
    return project / path


def add(project: Path, text: bytes = b"new\n", path: str = PATH) -> bytes:
    return store.update(path, lambda before: before + text, root=str(project))


def leftovers(project: Path) -> list[str]:
    return [path.name for path in (project / ".qe").iterdir() if path.name.endswith(store.TEMPORARY_SUFFIX)]


def as_an_ordinary_user(call: Callable[[], object]) -> str:
    """The text of the StoreError that *call* raises in a child without root's powers; "" for none."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            call()
        except StoreError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read().decode()
    os.waitpid(child, 0)
    return text


def owned_by_that_user(project: Path) -> Path:
    """Give the project to the user of `as_an_ordinary_user`, and let that one reach it."""
    if os.geteuid() == 0:
        for path in (project, *project.rglob("*")):
            os.chown(path, 65534, 65534)
        for folder in project.parents:
            if folder.name.startswith(("pytest-", "popen-")):
                folder.chmod(0o711)
    return project


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A project on a file system of 64 kB."""
    folder = tmp_path / "small"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"can't mount here: {done.stderr.strip()}")
    try:
        (folder / ".qe").mkdir()
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


# Reading


def test_a_file_is_read_whole(project: Path) -> None:
    text = bytes(range(256)) * 20_000
    put(project, text)
    assert store.read(PATH, root=str(project)) == text


def test_a_file_that_says_it_is_empty_but_is_not_is_read_whole() -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("no /proc")
    assert b"Name:" in (store.read("/proc/self/status", root="/") or b"")


@pytest.mark.parametrize("size", [1000, 1001])
def test_the_limit_counts_in_bytes(project: Path, size: int) -> None:
    put(project, b"x" * size)
    if size <= 1000:
        assert store.read(PATH, root=str(project), limit=1000) == b"x" * size
    else:
        with pytest.raises(StoreError, match="1,001 bytes, above the limit"):
            store.read(PATH, root=str(project), limit=1000)


def test_what_is_above_the_limit_is_not_even_read(project: Path) -> None:
    with put(project, b"").open("r+b") as file:
        file.truncate(1 << 40)
    start = time.monotonic()
    with pytest.raises(
        StoreError, match="1,099,511,627,776 bytes, above the limit of 64 MiB; it was not read"
    ):
        store.read(PATH, root=str(project))
    assert time.monotonic() - start < 1


def test_a_file_without_a_size_is_read_no_further_than_the_limit() -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("no /proc")
    with pytest.raises(StoreError, match="above the limit"):
        store.read("/proc/self/status", root="/", limit=10)


@pytest.mark.parametrize("text", [b"", b"\0" * 4096])
def test_a_file_that_lost_its_bytes_is_an_error_and_not_no_learnings(project: Path, text: bytes) -> None:
    put(project, text)
    with pytest.raises(StoreError, match=r"^\.qe/learnings\.md: empty.*Restore it .*or delete it"):
        store.read(PATH, root=str(project))
    with pytest.raises(StoreError, match="empty"):
        add(project)
    assert (project / PATH).read_bytes() == text
    assert store.read(PATH, root=str(project), may_be_empty=True) == text


def test_an_editor_that_empties_the_file_before_it_fills_it_is_waited_for(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, b"")
    monkeypatch.setattr(time, "sleep", lambda _: put(project, b"saved\n"))
    assert store.read(PATH, root=str(project)) == b"saved\n"
    put(project, b"")
    assert add(project) == b"saved\nnew\n"


def test_a_file_that_may_not_be_read_is_an_error(project: Path) -> None:
    put(project, b"text").chmod(0)
    owned_by_that_user(project)
    text = as_an_ordinary_user(lambda: store.read(PATH, root=str(project)))
    assert text == ".qe/learnings.md: Permission denied; it was not read."


# What an update keeps


def test_equal_bytes_are_not_written(project: Path) -> None:
    file = put(project, b"text")
    os.utime(file, (1, 1))
    before = file.stat()
    assert store.update(PATH, lambda text: text, root=str(project)) == b"text"
    assert (file.stat().st_mtime, file.stat().st_ino) == (1, before.st_ino)


def test_a_missing_file_is_made_from_nothing(project: Path) -> None:
    store.update(PATH, lambda text: b"made of %r" % text, root=str(project))
    assert (project / PATH).read_bytes() == b"made of b''"
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((project / PATH).stat().st_mode) == 0o666 & ~umask


def test_nothing_made_of_a_missing_file_makes_none(project: Path) -> None:
    store.update(PATH, lambda text: text, root=str(project))
    assert not (project / PATH).exists()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o777])
def test_the_mode_is_kept(project: Path, mode: int) -> None:
    put(project, b"text").chmod(mode)
    add(project)
    assert stat.S_IMODE((project / PATH).stat().st_mode) == mode


def test_owner_and_group_are_kept(project: Path) -> None:
    if os.geteuid():
        pytest.skip("only root gives files away")
    os.chown(put(project, b"text"), 1234, 2345)
    add(project)
    assert ((project / PATH).stat().st_uid, (project / PATH).stat().st_gid) == (1234, 2345)


def test_somebody_elses_file_in_a_shared_folder_can_be_written(project: Path) -> None:
    if os.geteuid():
        pytest.skip("only root gives files away")
    owned_by_that_user(project)
    os.chown(put(project, b"text"), 1234, 1234)
    (project / PATH).chmod(0o666)
    assert as_an_ordinary_user(lambda: add(project)) == ""
    assert (project / PATH).read_bytes() == b"textnew\n"
    assert stat.S_IMODE((project / PATH).stat().st_mode) == 0o666


def test_a_temporary_file_is_never_more_open_than_its_target(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, b"text").chmod(0o600)
    modes = []
    fsync = os.fsync

    def look_and_fsync(descriptor: int) -> None:
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", look_and_fsync)
    add(project)
    assert modes[0] == 0o600


# What an update refuses


def test_a_file_is_never_emptied(project: Path) -> None:
    put(project, b"text")
    with pytest.raises(StoreError, match="refused to empty it; nothing was written"):
        store.update(PATH, lambda _: b"", root=str(project))
    assert (project / PATH).read_bytes() == b"text"
    store.update(PATH, lambda _: b"", root=str(project), may_be_empty=True)
    assert (project / PATH).read_bytes() == b""


def test_some_files_may_be_empty_and_others_not(project: Path) -> None:
    put(project, b"text")
    put(project, b"", ARCHIVE)

    def change(_: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], None]:
        return (b"", b"text"), None

    with pytest.raises(StoreError, match=r"archive\.md: empty"):
        store.update_files((ARCHIVE, PATH), lambda files: (files, None), root=str(project))
    with pytest.raises(StoreError, match=r"learnings\.md: refused to empty it"):
        store.update_files((PATH, ARCHIVE), change, root=str(project), may_be_empty=[ARCHIVE])
    store.update_files((PATH, ARCHIVE), change, root=str(project), may_be_empty=[PATH, ARCHIVE])
    assert (project / PATH).read_bytes() == b""


def test_a_file_does_not_grow_above_the_limit(project: Path) -> None:
    put(project, b"text")
    with pytest.raises(StoreError, match=r"11 bytes, above the limit of .*; nothing was written"):
        store.update(PATH, lambda text: text + b"7 bytes", root=str(project), limit=10)
    assert (project / PATH).read_bytes() == b"text"
    assert leftovers(project) == []


def test_a_missing_folder_is_named(project: Path) -> None:
    with pytest.raises(StoreError, match=r"^\.no/\.lock: its folder does not exist\. Make it first"):
        add(project, path=".no/learnings.md")


def test_a_read_only_file_is_not_replaced(project: Path) -> None:
    put(project, b"text").chmod(0o444)
    owned_by_that_user(project)
    text = as_an_ordinary_user(lambda: add(project))
    assert text == ".qe/learnings.md: read-only; nothing was written. Make it writable first."


def test_a_read_only_folder_is_an_error(project: Path) -> None:
    put(project, b"text")
    owned_by_that_user(project)
    (project / ".qe").chmod(0o555)
    text = as_an_ordinary_user(lambda: add(project))
    assert text == ".qe/.lock: Permission denied; nothing was written."
    (project / ".qe" / ".lock").touch(0o666)
    (project / ".qe" / ".lock").chmod(0o666)
    text = as_an_ordinary_user(lambda: add(project))
    assert text == ".qe/learnings.md: Permission denied; nothing was written."
    assert (project / PATH).read_bytes() == b"text"


def test_a_read_only_file_system_is_an_error(small_disk: Path) -> None:
    put(small_disk, b"text")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StoreError, match=r"^\.qe/\.lock: Read-only file system; nothing was written\.$"):
        add(small_disk)
    assert store.read(PATH, root=str(small_disk)) == b"text"


def test_an_error_of_the_change_passes_and_frees_the_lock(project: Path) -> None:
    put(project, b"text")

    def refuse(_: bytes) -> bytes:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        store.update(PATH, refuse, root=str(project))
    assert add(project) == b"textnew\n"


# Failing disks


def test_a_full_disk_leaves_the_old_file_and_no_rest(small_disk: Path) -> None:
    put(small_disk, b"x" * 30_000)
    add(small_disk)
    with pytest.raises(
        StoreError, match=r"^\.qe/learnings\.md: No space left on device; nothing was written"
    ):
        add(small_disk, b"y" * 8_000)
    assert (small_disk / PATH).read_bytes() == b"x" * 30_000 + b"new\n"
    assert leftovers(small_disk) == []
    assert add(small_disk).endswith(b"new\nnew\n")


def test_a_write_that_stops_midway_leaves_the_old_file_and_no_rest(project: Path) -> None:
    put(project, b"text" * 1000)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4500, limits[1]))
    try:
        with pytest.raises(StoreError, match="File too large; nothing was written"):
            add(project, b"y" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (project / PATH).read_bytes() == b"text" * 1000
    assert leftovers(project) == []


def failing(call: Callable[..., object], number: int, code: int = errno.EIO) -> Callable[..., object]:
    """*call*, which fails when it is called for the *number*th time."""
    count = 0

    def wrapper(*args: object, **options: object) -> object:
        nonlocal count
        count += 1
        if count == number:
            raise OSError(code, os.strerror(code))
        return call(*args, **options)

    return wrapper


def test_a_failure_before_the_rename_writes_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(project, b"text")
    monkeypatch.setattr(os, "fsync", failing(os.fsync, 1))
    with pytest.raises(StoreError, match="Input/output error; nothing was written"):
        add(project)
    assert (project / PATH).read_bytes() == b"text"
    assert leftovers(project) == []


def test_a_failure_after_the_rename_says_that_it_is_written(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, b"text")
    monkeypatch.setattr(os, "fsync", failing(os.fsync, 2))
    with pytest.raises(StoreError, match=r"written, durability unknown \(Input/output error\).*repeat"):
        add(project)
    assert (project / PATH).read_bytes() == b"textnew\n"


def test_a_repeated_command_makes_last_what_it_finds_written(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, b"text")
    synced = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
    store.update(PATH, lambda text: text, root=str(project))
    assert synced == [(project / ".qe").stat().st_ino]


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_cannot_sync_folders_is_no_failure(
    project: Path, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", failing(os.fsync, 2, code))
    assert add(project) == b"new\n"
    assert add(project) == b"new\nnew\n"


def test_a_short_write_goes_on(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, bytes(data[:3])))
    add(project, b"0123456789")
    assert (project / PATH).read_bytes() == b"0123456789"


def test_leftovers_of_killed_writers_are_swept(project: Path) -> None:
    put(project, b"text")
    mine = put(project, b"half", ".qe/.learnings.md.1f-2a.qlearn-tmp")
    others = put(project, b"half", ".qe/.learnings.archive.md.1f-2a.qlearn-tmp")
    unlike = put(project, b"half", ".qe/.learnings.md.swp")
    add(project)
    assert (mine.exists(), others.exists(), unlike.exists()) == (False, True, True)


# Editors


def test_what_an_editor_writes_meanwhile_is_kept(project: Path) -> None:
    put(project, b"one\n")
    seen: list[bytes] = []

    def change(text: bytes) -> bytes:
        if not seen:
            put(project, b"one\ntwo\n")
        seen.append(text)
        return text + b"new\n"

    assert store.update(PATH, change, root=str(project)) == b"one\ntwo\nnew\n"
    assert seen == [b"one\n", b"one\ntwo\n"]
    assert leftovers(project) == []


def test_an_edit_of_equal_length_at_the_same_time_is_seen(project: Path) -> None:
    status = put(project, b"one\n").stat()
    seen: list[bytes] = []

    def change(text: bytes) -> bytes:
        if not seen:
            os.utime(put(project, b"two\n"), ns=(status.st_atime_ns, status.st_mtime_ns))
        seen.append(text)
        return text + b"new\n"

    assert store.update(PATH, change, root=str(project)) == b"two\nnew\n"


def test_a_file_that_an_editor_makes_meanwhile_is_kept(project: Path) -> None:
    def change(text: bytes) -> bytes:
        if not (project / PATH).exists():
            put(project, b"edited\n")
        return text + b"new\n"

    assert store.update(PATH, change, root=str(project)) == b"edited\nnew\n"


def test_an_editor_that_never_rests_wins_after_five_attempts(project: Path) -> None:
    put(project, b"0")
    count = 0

    def change(text: bytes) -> bytes:
        nonlocal count
        count += 1
        put(project, b"%d" % count)
        return text + b"new\n"

    with pytest.raises(StoreError, match="another program keeps changing it; nothing was written"):
        store.update(PATH, change, root=str(project))
    assert count == 5
    assert (project / PATH).read_bytes() == b"5"
    assert leftovers(project) == []


def save_in_place(file: Path, text: bytes) -> None:
    file.write_bytes(text)


def save_by_renaming(file: Path, text: bytes) -> None:
    beside = file.with_name("editor~")
    beside.write_bytes(text)
    beside.replace(file)


SAVES = [save_in_place, save_by_renaming]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere files can't change places")
@pytest.mark.parametrize("save", SAVES)
@pytest.mark.parametrize("saves", [1, 2, 3])
def test_saves_in_the_last_microsecond_are_kept(
    project: Path, save: Callable[[Path, bytes], None], saves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put(project, b"0")
    rename = store._rename_if
    count = 0

    def save_and_rename(*arguments: object) -> int:
        nonlocal count
        if count < saves:
            count += 1
            save(file, b"%d" % count)
        return rename(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "_rename_if", save_and_rename)
    assert add(project) == b"%dnew\n" % saves
    assert (project / PATH).read_bytes() == b"%dnew\n" % saves
    assert leftovers(project) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere files can't change places")
def test_something_else_that_comes_in_the_last_microsecond_is_kept(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put(project, b"old\n")
    rename = store._rename_if

    def link_and_rename(*arguments: object) -> int:
        if not file.is_symlink():
            save_by_renaming(file, b"saved\n")
            file.rename(tmp_path / "saved")
            file.symlink_to(tmp_path / "saved")
            monkeypatch.setattr(store, "_rename_if", rename)
        return rename(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "_rename_if", link_and_rename)
    with pytest.raises(StoreError, match="nothing was written"):
        add(project)
    assert file.is_symlink()
    assert file.read_bytes() == b"saved\n"
    assert leftovers(project) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing forbids to rename onto a file")
def test_a_file_made_in_the_last_microsecond_is_kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = store._rename_if

    def make_and_rename(*arguments: object) -> int:
        if not (project / PATH).exists():
            put(project, b"made\n")
        return rename(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "_rename_if", make_and_rename)
    assert add(project) == b"made\nnew\n"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere files can't change places")
def test_a_file_removed_in_the_last_microsecond_is_not_brought_back(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put(project, b"old\n")
    rename = store._rename_if

    def remove_and_rename(*arguments: object) -> int:
        file.unlink(missing_ok=True)
        return rename(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "_rename_if", remove_and_rename)
    assert add(project) == b"new\n"
    assert file.read_bytes() == b"new\n"


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EINVAL, errno.EPERM])
def test_a_system_that_cannot_exchange_files_replaces_them(
    project: Path, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_rename_if", lambda *_: code)
    add(project, b"one\n")
    assert add(project, b"two\n") == b"one\ntwo\n"
    assert (project / PATH).read_bytes() == b"one\ntwo\n"
    assert leftovers(project) == []


def test_a_python_without_ctypes_replaces_files(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ctypes", None)
    add(project, b"one\n")
    assert add(project, b"two\n") == b"one\ntwo\n"
    assert leftovers(project) == []


# Several files


def move(files: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], bytes]:
    """Move the first line of the second file to the end of the first, unless it stands there already."""
    archive, registry = files
    line, _, rest = registry.partition(b"\n")
    if line + b"\n" not in archive:
        archive += line + b"\n"
    return (archive, rest), line


def test_files_change_together_and_the_value_comes_back(project: Path) -> None:
    put(project, b"one\ntwo\n")
    assert store.update_files((ARCHIVE, PATH), move, root=str(project)) == b"one"
    assert (project / ARCHIVE).read_bytes() == b"one\n"
    assert (project / PATH).read_bytes() == b"two\n"


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_failure_anywhere_leaves_an_entry_in_both_files_but_never_in_neither(
    project: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, b"one\ntwo\n")
    put(project, b"zero\n", ARCHIVE)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", failing(os.fsync, number))
        with pytest.raises(StoreError) as caught:
            store.update_files((ARCHIVE, PATH), move, root=str(project))
    archive, registry = (project / ARCHIVE).read_bytes(), (project / PATH).read_bytes()
    assert (archive, registry) == {
        1: (b"zero\n", b"one\ntwo\n"),
        2: (b"zero\n", b"one\ntwo\n"),
        3: (b"zero\none\n", b"one\ntwo\n"),
        4: (b"zero\none\n", b"two\n"),
    }[number]
    assert ("nothing was written" in str(caught.value)) == (number < 3)
    if number < 4:
        assert store.update_files((ARCHIVE, PATH), move, root=str(project)) == b"one"
        assert (project / ARCHIVE).read_bytes() == b"zero\none\n"
        assert (project / PATH).read_bytes() == b"two\n"


def test_a_failure_between_two_renames_says_what_is_written(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, b"one\ntwo\n")
    monkeypatch.setattr(store, "_rename_if", lambda *_: errno.EIO)
    monkeypatch.setattr(os, "replace", failing(os.replace, 2))
    with pytest.raises(StoreError) as caught:
        store.update_files((ARCHIVE, PATH), move, root=str(project))
    assert str(caught.value) == (
        ".qe/learnings.md: Input/output error;"
        " written: .qe/learnings.archive.md; not written: .qe/learnings.md."
    )


def test_a_file_that_is_only_read_is_watched_too(project: Path) -> None:
    put(project, b"L001\n")
    put(project, b"L002\n", ARCHIVE)
    runs: list[bytes] = []

    def number(files: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], None]:
        registry, archive = files
        if not runs:
            put(project, b"L002\nL003\n", ARCHIVE)
        runs.append(archive)
        return (registry + b"L%03d\n" % (len((registry + archive).split()) + 1), archive), None

    store.update_files((PATH, ARCHIVE), number, root=str(project))
    assert (project / PATH).read_bytes() == b"L001\nL004\n"
    assert len(runs) == 2


def test_a_change_that_forgets_a_file_is_a_mistake(project: Path) -> None:
    with pytest.raises(ValueError, match="zip"):
        store.update_files((PATH, ARCHIVE), lambda _: ((b"x",), None), root=str(project))
    assert leftovers(project) == []


# The lock


def test_a_held_lock_is_waited_for_and_then_a_clear_error(project: Path) -> None:
    put(project, b"text")
    with store.lock(".qe/.lock", root=str(project)):
        start = time.monotonic()
        with pytest.raises(StoreError) as caught:
            store.update(PATH, lambda text: text + b"x", root=str(project), wait=store.HOOK_WAIT)
        assert 0.2 <= time.monotonic() - start < 1
        assert str(caught.value) == (
            ".qe/.lock: held by another qlearn for 0.2 s; nothing was written."
            " Try again when that one has ended."
        )
        assert store.read(PATH, root=str(project)) == b"text"
    assert add(project) == b"textnew\n"


def test_a_lock_dies_with_its_process(project: Path) -> None:
    child = os.fork()
    if not child:
        store.lock(".qe/.lock", root=str(project))
        os._exit(0)
    os.waitpid(child, 0)
    store.lock(".qe/.lock", root=str(project), wait=0).close()


def test_a_program_started_under_the_lock_does_not_inherit_it(project: Path) -> None:
    with store.lock(".qe/.lock", root=str(project)):
        program = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
    try:
        store.lock(".qe/.lock", root=str(project), wait=5).close()
        assert program.poll() is None
    finally:
        program.communicate(b"\n")


def test_the_lock_file_stays_and_stays_empty(project: Path) -> None:
    add(project)
    inode = (project / ".qe" / ".lock").stat().st_ino
    add(project)
    assert (project / ".qe" / ".lock").stat().st_ino == inode
    assert (project / ".qe" / ".lock").read_bytes() == b""


def test_a_lock_file_with_content_is_not_written(project: Path) -> None:
    put(project, b"content", ".qe/.lock")
    add(project)
    assert (project / ".qe" / ".lock").read_bytes() == b"content"


def test_a_lock_file_that_was_removed_meanwhile_locks_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = store.lock(".qe/.lock", root=str(project))

    def remove_and_free(_: float) -> None:
        (project / ".qe" / ".lock").unlink()
        first.close()

    with monkeypatch.context() as patched:
        patched.setattr(time, "sleep", remove_and_free)
        second = store.lock(".qe/.lock", root=str(project))
    with second, pytest.raises(StoreError, match="held by another qlearn"):
        store.lock(".qe/.lock", root=str(project), wait=0)


def test_one_lock_file_can_serve_files_of_other_folders(project: Path) -> None:
    with store.lock(".qe/.lock", root=str(project)), pytest.raises(StoreError, match=r"^\.qe/\.lock: held"):
        store.update("x.json", lambda _: b"{}", root=str(project), wait=0, lock_file=".qe/.lock")
    store.update("x.json", lambda _: b"{}", root=str(project), wait=0, lock_file=".qe/.lock")
    assert sorted(path.name for path in project.iterdir()) == [".qe", "x.json"]


# Appending


def append(project: Path, line: bytes, **options: object) -> None:
    store.append_line(".qe/log.jsonl", line, root=str(project), **options)  # type: ignore[arg-type]


def test_lines_are_appended_whole(project: Path) -> None:
    append(project, b"one")
    append(project, b"two", durable=True)
    assert (project / ".qe" / "log.jsonl").read_bytes() == b"one\ntwo\n"


def test_a_torn_last_line_stays_the_only_one(project: Path) -> None:
    put(project, b'{"a": 1}\n{"b', ".qe/log.jsonl")
    append(project, b"next")
    append(project, b"last")
    assert (project / ".qe" / "log.jsonl").read_bytes() == b'{"a": 1}\n{"b\nnext\nlast\n'


def test_a_line_with_a_newline_is_a_mistake(project: Path) -> None:
    with pytest.raises(ValueError, match="a line holds no newline"):
        append(project, b"one\ntwo")


def test_a_line_that_finds_no_room_is_an_error(small_disk: Path) -> None:
    append(small_disk, b"first")
    filler = put(small_disk, b"x" * 50_000, ".qe/filler")

    def append_until_full() -> None:
        while True:
            append(small_disk, b"x" * 1500)

    with pytest.raises(StoreError, match="no room for the whole line; its end is lost"):
        append_until_full()
    with pytest.raises(StoreError, match="No space left on device; the line was not written"):
        append_until_full()
    filler.unlink()
    append(small_disk, b"last")
    first, *lines, torn, last, rest = (small_disk / ".qe" / "log.jsonl").read_bytes().split(b"\n")
    assert (first, set(lines), last, rest) == (b"first", {b"x" * 1500}, b"last", b"")
    assert 0 < len(torn) < 1500


def test_nothing_is_below_a_file_or_a_device(project: Path) -> None:
    put(project, b"x")
    for root in (str(project / PATH), "/dev/null"):
        assert store.read("a.md", root=root) is None
        assert store.read("a/b.md", root=f"{root}/deeper") is None


def test_a_file_where_a_folder_should_be_is_named(project: Path) -> None:
    (project / ".qe").rmdir()
    (project / ".qe").write_bytes(b"x")
    with pytest.raises(StoreError, match=r"\.qe"):
        store.read(PATH, root=str(project))


def test_a_line_in_a_missing_folder_is_an_error(project: Path) -> None:
    with pytest.raises(StoreError, match="its folder does not exist"):
        store.append_line("no/log", b"x", root=str(project))


def test_a_line_whose_sync_fails_is_said_to_be_written(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", failing(os.fsync, 1))
    with pytest.raises(StoreError, match="written, durability unknown"):
        append(project, b"one", durable=True)
    assert (project / ".qe" / "log.jsonl").read_bytes() == b"one\n"


def test_a_durable_line_is_synced_with_the_name_of_its_file(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(project, b"one")
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
    append(project, b"two")
    assert synced == []
    append(project, b"three", durable=True)
    assert synced == [(project / ".qe" / "log.jsonl").stat().st_ino, (project / ".qe").stat().st_ino]


def append_many(root: str, writer: int, rotate_at: int) -> None:
    for number in range(10):
        line = b"%d %d %s" % (writer, number, b"x" * 300)
        store.append_line(
            ".qe/log.jsonl", line, root=root, archive="log.2026-11-30.jsonl", rotate_at=rotate_at
        )


@pytest.mark.parametrize("rotate_at", [1 << 30, 10_000])
def test_two_hundred_writers_lose_no_line_and_tear_none(project: Path, rotate_at: int) -> None:
    fork = multiprocessing.get_context("fork")
    writers = [fork.Process(target=append_many, args=(str(project), n, rotate_at)) for n in range(200)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    files = sorted((project / ".qe").glob("log*"))
    lines = [line for file in files for line in file.read_bytes().split(b"\n") if line]
    assert sorted(lines) == sorted(b"%d %d %s" % (w, n, b"x" * 300) for w in range(200) for n in range(10))
    assert (len(files) > 10) == (rotate_at == 10_000)


def test_a_full_file_is_renamed_to_the_first_free_name(project: Path) -> None:
    for line in (b"first", b"second", b"third"):
        append(project, line, archive="log.2026-11-30.jsonl", rotate_at=5)
    append(project, b"x", archive="log.2026-11-30.jsonl", rotate_at=5)
    assert {path.name: path.read_bytes() for path in (project / ".qe").glob("log*")} == {
        "log.2026-11-30.jsonl": b"first\n",
        "log.2026-11-30.2.jsonl": b"second\n",
        "log.2026-11-30.3.jsonl": b"third\n",
        "log.jsonl": b"x\n",
    }


def test_rotation_never_delays_an_append(project: Path) -> None:
    with store.lock(".qe/.lock", root=str(project)):
        append(project, b"first", archive="old.jsonl", rotate_at=1)
        append(project, b"second", archive="old.jsonl", rotate_at=1)
    assert (project / ".qe" / "log.jsonl").read_bytes() == b"first\nsecond\n"
    append(project, b"third", archive="old.jsonl", rotate_at=1)
    assert (project / ".qe" / "old.jsonl").read_bytes() == b"first\nsecond\nthird\n"
    assert not (project / ".qe" / "log.jsonl").exists()


# Folders


def test_folders_are_made_below_the_root_alone(project: Path) -> None:
    store.make_folder("a/b/c", root=str(project), mode=0o700)
    store.make_folder(str(project / "a" / "b" / "d"), root=str(project))
    store.make_folder("a/b/c", root=str(project))
    assert stat.S_IMODE((project / "a").stat().st_mode) == 0o700
    assert (project / "a" / "b" / "d").is_dir()
    with pytest.raises(StoreError, match="leads out of its project"):
        store.make_folder("../x", root=str(project))
    (project / "out").symlink_to(project.parent)
    with pytest.raises(StoreError, match="leads out of its project"):
        store.make_folder("out/x", root=str(project))
    with pytest.raises(StoreError, match=r"a file; it was left alone"):
        store.make_folder(str(put(project, b"") / "x"), root=str(project))
    with pytest.raises(StoreError, match="the folder was not made"):
        store.make_folder("x", root=str(project / "missing"))


def test_a_folder_that_another_process_makes_meanwhile_is_fine(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir = os.mkdir

    def mkdir_twice(name: str, mode: int, *, dir_fd: int) -> None:
        mkdir(name, mode, dir_fd=dir_fd)
        mkdir(name, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "mkdir", mkdir_twice)
    store.make_folder("a/b", root=str(project))
    assert (project / "a" / "b").is_dir()


# Its cost


def test_the_import_brings_in_nothing_heavy() -> None:
    code = "import sys; before = set(sys.modules); import qlearn.store; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"dataclasses", "pathlib", "tempfile", "hashlib", "subprocess", "json", "logging", "shutil"}
    assert heavy.isdisjoint(done.stdout.split())
