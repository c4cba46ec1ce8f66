"""Bytes on disk: read whole, replaced without losing any.

A write happens under a lock, into a temporary file beside its target, and is acknowledged once that file
and then, after the rename, its folder are synced. Without the first sync a power cut leaves an empty or torn
file, without the second it takes back what was acknowledged. Readers take no lock: they see one file or the
other.

An editor takes no lock. A file is replaced only while it holds what was read; on Linux the old file and the
new one change places, and the old one is then looked at once more, so that no save gets lost between the look
and the rename. Elsewhere that moment of some microseconds stays open.

A replaced file keeps its mode, owner and group as far as the system allows; ACLs, extended attributes and
hard links it loses. The Windows branches (`msvcrt` lock, no sync of folders, retried replace) are untried.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time

from .errors import RegistryError, StoreError
from .place import SAFELY, Place, find, find_to_write, kind, let_go, names_below, refused, regular, walk
from .record import TYPE_CHECKING

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import TypeVar

    T = TypeVar("T")

MIB = 1 << 20
COMMAND_LIMIT = 64 * MIB
HOOK_LIMIT = 16 * MIB
COMMAND_WAIT = 10.0
HOOK_WAIT = 0.2
ROTATE_AT = 10 * MIB

LOCK_NAME = ".lock"
TEMPORARY_SUFFIX = ".qlearn-tmp"
IGNORED = (LOCK_NAME, f".*{TEMPORARY_SUFFIX}")
"""What a `.gitignore` beside the files needs to name."""

_PAUSES = (0.005, 0.01, 0.02, 0.04)


def read(path: str, *, root: str, limit: int = COMMAND_LIMIT, may_be_empty: bool = False) -> bytes | None:
    """Read a whole file; None where there is none.

    Args:
        path: Below *root*; a relative one counts from there.
        limit: In bytes; what is larger is not read at all.
        may_be_empty: Unless this is set, a file of no bytes (or of NULs alone) is an error: qlearn writes
            none, but crashes leave some, and "no learnings" would hide it. Since an editor that saves in
            place empties its file first, it gets 75 ms to fill it.

    Raises:
        StoreError: The path leaves *root*, is no regular file, is too large, empty or unreadable.
    """
    try:
        with find(path, root) as place:
            _, data = _once_settled(lambda: _load(place, limit, may_be_empty))
            return data
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _explained(error, path, "it was not read") from error


def read_end(path: str, count: int, *, root: str = "/") -> bytes:
    """Read the last *count* bytes of a file, from the start of a line on.

    Raises:
        StoreError: The path leaves *root*, is missing, no regular file or unreadable.
    """
    try:
        with find(path, root) as place:
            descriptor = os.open(place.name, os.O_RDONLY | SAFELY, dir_fd=place.folder)
            try:
                size = regular(descriptor, path).st_size
                os.lseek(descriptor, max(size - count, 0), os.SEEK_SET)
                data = b""
                while len(data) < count and (more := os.read(descriptor, count - len(data))):
                    data += more
            finally:
                let_go(descriptor)
    except OSError as error:
        raise _explained(error, path, "it was not read") from error
    return data if size <= count else data[data.find(b"\n") + 1 :]


def update(
    path: str,
    change: Callable[[bytes], bytes],
    *,
    root: str,
    wait: float = COMMAND_WAIT,
    limit: int = COMMAND_LIMIT,
    may_be_empty: bool | Collection[str] = False,
    lock_file: str | None = None,
) -> bytes:
    """Replace a file's bytes by what *change* makes of them; return the new bytes.

    `update_files` with one file: see there.
    """

    def change_one(before: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], bytes]:
        after = change(before[0])
        return (after,), after

    return update_files(
        (path,), change_one, root=root, wait=wait, limit=limit, may_be_empty=may_be_empty, lock_file=lock_file
    )


def update_files(
    paths: Sequence[str],
    change: Callable[[tuple[bytes, ...]], tuple[tuple[bytes, ...], T]],
    *,
    root: str,
    wait: float = COMMAND_WAIT,
    limit: int = COMMAND_LIMIT,
    may_be_empty: bool | Collection[str] = False,
    lock_file: str | None = None,
) -> T:
    """Read files, replace those that *change* changes, in the order of *paths*, and return its value.

    All new files are on the disk before the first is renamed, and each rename is there before the next: a
    crash in between leaves the first files new and the later ones old. So what moves from one file to
    another comes into its new place first (`(archive, registry)`): then it stands in both, never in neither.

    Args:
        change: A pure function from the files' bytes (b"" for a missing one) to their new bytes and a value.
            It runs again, on fresh bytes, when another program has written meanwhile (5 times at most).
            Equal bytes are not written.
        wait: Seconds to wait for the lock.
        limit: In bytes, for each file, before and after.
        may_be_empty: As for `read`; or those of *paths* for which it holds. The others can't become empty,
            either.
        lock_file: Where the lock lives; `.lock` beside the first path by default. Whoever writes the same
            file has to name the same one.

    Raises:
        StoreError: Its text says whether something was written. "Durability unknown": the files are
            written, but the folder could not be synced.
    """
    written: list[str] = []
    try:
        with lock(lock_file or _beside(paths[0], LOCK_NAME), root=root, wait=wait):
            return _once_settled(
                lambda: _attempt(paths, change, written, root=root, limit=limit, may_be_empty=may_be_empty)
            )
    except OSError as error:
        pending = [path for path in paths if path not in written]
        raise _explained(error, (pending or paths)[0], _account(paths, written)) from error


def append_line(
    path: str,
    line: bytes,
    *,
    root: str,
    durable: bool = False,
    archive: str = "",
    rotate_at: int = ROTATE_AT,
) -> None:
    r"""Append a line and its newline in a single write, without a lock.

    A crash can leave a torn last line. It is ended before the new one is written, so that it stays the only
    one; readers skip it, and blank lines.

    Args:
        line: Without b"\n".
        durable: Wait until the line is on the disk.
        archive: Where this is given, a file of *rotate_at* bytes or more is renamed to it afterwards, in the
            same folder ("log.2026-11-30.jsonl", then "log.2026-11-30.2.jsonl"). Lines that other processes
            are about to write go to the renamed file. Rotation never fails or delays an append.

    Raises:
        StoreError: As for `read`; or the disk took a part of the line, and the next append ends it.
        ValueError: *line* holds a newline.
    """
    if b"\n" in line:
        raise ValueError(f"a line holds no newline: {line[:80]!r}")
    try:
        with find_to_write(path, root) as place:
            size = _append(place, line + b"\n", durable)
            if archive and size >= rotate_at:
                _rotate(place, root, archive, rotate_at)
    except OSError as error:
        raise _explained(error, path, "the line was not written") from error


def put_aside(path: str, archive: str, *, root: str) -> None:
    """Rename a file as `append_line` renames a full one; nothing happens where it is missing or locked.

    Raises:
        StoreError: The path leaves *root*, or holds something other than a file.
    """
    try:
        with find(path, root) as place:
            _rotate(place, root, archive, 0)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _explained(error, path, "it was not put aside") from error


def make_folder(path: str, *, root: str, mode: int = 0o777) -> None:
    """Make a folder and those above it, below *root*; nothing happens where it exists.

    Args:
        mode: Permissions of each folder that is made, less the umask. What only its owner may read stands in
            a folder of mode 0o700.

    Raises:
        StoreError: The path leaves *root*, or something other than a folder is in the way.
    """
    names = names_below(path, path, root)
    try:
        for count in range(1, len(names) + 1):
            with walk("/".join(names[:count]), root) as place:
                if place.kind and not stat.S_ISDIR(place.kind):
                    raise refused(path, place.kind, "" if count == len(names) else "on the way stands ")
                if not place.kind:
                    try:
                        os.mkdir(place.name, mode, dir_fd=place.folder)
                    except FileExistsError:
                        continue  # another process was faster
                    _sync_folder(place)
    except OSError as error:
        raise _explained(error, path, "the folder was not made") from error


def decoded(path: str, data: bytes) -> str:
    """Decode what is to be written again.

    Raises:
        RegistryError: It is not UTF-8, so that a part of it would be lost.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        from .problems import decode

        _, (problem, *_) = decode(data)
        raise RegistryError(f"{path}:{problem.lineno}: {problem.message}; nothing was written") from None


class Lock:
    """A lock that is held until `close`, the end of its `with` block or the end of the process."""

    __slots__ = ("descriptor",)

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def close(self) -> None:
        """Give the lock back."""
        let_go(self.descriptor)

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def lock(path: str, *, root: str, wait: float = COMMAND_WAIT) -> Lock:
    """Lock the file at *path*, made where it is missing, never written and never removed.

    Args:
        wait: Seconds to try; 0 tries once.

    Raises:
        StoreError: Somebody else holds it all the while, or it can't be opened.
    """
    deadline = time.monotonic() + wait
    try:
        while True:
            with find_to_write(path, root) as place:
                held = Lock(os.open(place.name, os.O_RDWR | os.O_CREAT | SAFELY, 0o666, dir_fd=place.folder))
                try:
                    regular(held.descriptor, path)
                    while not _try_lock(held.descriptor):
                        left = deadline - time.monotonic()
                        if left <= 0:
                            raise StoreError(
                                f"{path}: held by another qlearn for {wait:g} s; nothing was written."
                                " Try again when that one has ended."
                            )
                        # Whoever has waited longer looks more often, and so comes first in the end.
                        time.sleep(0.0005 + 0.01 * left / wait)
                    # `git clean` may have removed the file while this one waited: then it locks nothing.
                    if _is_still(held.descriptor, place):
                        return held
                except BaseException:
                    held.close()
                    raise
                held.close()
    except OSError as error:
        raise _explained(error, path, "nothing was written") from error


class _UnsettledError(StoreError):
    """Another program seems to be in the middle of saving."""


def _load(place: Place, limit: int, may_be_empty: bool) -> tuple[os.stat_result, bytes]:
    descriptor = os.open(place.name, os.O_RDONLY | SAFELY, dir_fd=place.folder)
    try:
        info = regular(descriptor, place.path)
        if info.st_size > limit:
            raise _too_large(place.path, info.st_size, limit, "it was not read")
        data = os.read(descriptor, info.st_size + 1)
        while more := os.read(descriptor, MIB):
            data += more
            if len(data) > limit:
                raise _too_large(place.path, len(data), limit, "it was not used")
    finally:
        let_go(descriptor)
    if not may_be_empty and not data.strip(b"\0"):
        raise _UnsettledError(
            f"{place.path}: empty, as a crash or a failed save leaves a file; it was not used."
            " Restore it (git checkout, a backup), or delete it to start anew."
        )
    return info, data


def _attempt(
    paths: Sequence[str],
    change: Callable[[tuple[bytes, ...]], tuple[tuple[bytes, ...], T]],
    written: list[str],
    *,
    root: str,
    limit: int,
    may_be_empty: bool | Collection[str],
) -> T:
    """Try `update_files` once, under its lock, and add to *written* what was renamed."""
    places: list[Place] = []
    staged: dict[int, str] = {}
    try:
        places.extend(find_to_write(path, root) for path in paths)
        lenient = (paths if may_be_empty else ()) if isinstance(may_be_empty, bool) else may_be_empty
        found = [_load_or_nothing(place, limit, place.path in lenient) for place in places]
        after, value = change(tuple(before for _, before in found))
        for index, (place, (info, before), new) in enumerate(zip(places, found, after, strict=True)):
            if new != before:
                _check(place, info, new, limit, place.path in lenient)
                staged[index] = _temporary(place)
                _write(place, staged[index], info, new)
        for index, place in enumerate(places):
            if index not in staged:
                continue
            for other, (_, before) in zip(places[index:], found[index:], strict=True):
                if _load_or_nothing(other, limit, may_be_empty=True)[1] != before:
                    raise _changing(other.path, paths, written)
            if not _put(place, staged[index], found[index], after[index], written):
                raise _changing(place.path, paths, written)
            _remove(staged.pop(index), place.folder)
            _sync_folder(place)
            _sweep(place)
        if not written:
            # What was found may stem from a process that died between its rename and its sync.
            _sync_folder(places[0])
        return value
    finally:
        for index, temporary in staged.items():
            _remove(temporary, places[index].folder)
        for place in places:
            place.close()


def _load_or_nothing(place: Place, limit: int, may_be_empty: bool) -> tuple[os.stat_result | None, bytes]:
    try:
        return _load(place, limit, may_be_empty)
    except FileNotFoundError:
        return None, b""


def _check(place: Place, info: os.stat_result | None, data: bytes, limit: int, may_be_empty: bool) -> None:
    if len(data) > limit:
        raise _too_large(place.path, len(data), limit, "nothing was written")
    if not data and not may_be_empty:
        raise StoreError(f"{place.path}: refused to empty it; nothing was written.")
    if info is not None and not os.access(place.name, os.W_OK, dir_fd=place.folder):
        raise StoreError(f"{place.path}: read-only; nothing was written. Make it writable first.")


def _temporary(place: Place) -> str:
    unique = f"{os.getpid():x}-{time.monotonic_ns():x}"
    return _beside(place.name, f".{os.path.basename(place.name)}.{unique}{TEMPORARY_SUFFIX}")


def _write(place: Place, name: str, info: os.stat_result | None, data: bytes) -> None:
    """Make the file *name* beside *place*, with the mode and owner of *info*, and sync it."""
    descriptor = os.open(
        name,
        os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFELY,
        0o666 if info is None else stat.S_IMODE(info.st_mode),
        dir_fd=place.folder,
    )
    try:
        if info is not None and sys.platform != "win32":
            _give(descriptor, info)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _put(
    place: Place, temporary: str, found: tuple[os.stat_result | None, bytes], new: bytes, written: list[str]
) -> bool:
    """Give a temporary file, which holds *new*, the name of its target, where that is still as *found*.

    What it displaces has the temporary name afterwards.

    Returns:
        False where another program has just saved there; then its file has that name (again).
    """
    info, expected = found
    code = _rename_if(place, temporary, _NOT_THERE if info is None else _EXCHANGE)
    if code in (errno.EEXIST, errno.ENOENT):
        return False
    if code:
        _replace(place, temporary)  # the system has no such call, or this one meets the same error
    written.append(place.path)
    if code or info is None:
        return True
    put, aside = new, place._replace(name=temporary)
    try:
        while (displaced := _load(aside, COMMAND_LIMIT, may_be_empty=True)[1]) != expected:
            expected, put = put, displaced  # it is newer than what took its place, and goes back
            _rename_if(place, temporary, _EXCHANGE)
    except BaseException:
        _rename_if(place, temporary, _EXCHANGE)  # whatever it is, it is not for us to remove
        written.pop()
        raise
    if put is not new:
        written.pop()
    return put is new


def _append(place: Place, line: bytes, durable: bool) -> int:
    """Append *line* to a file, made where it is missing; return the file's size."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | SAFELY
    descriptor = os.open(place.name, flags, 0o666, dir_fd=place.folder)
    try:
        size = regular(descriptor, place.path).st_size
        if size:
            os.lseek(descriptor, size - 1, os.SEEK_SET)
            if os.read(descriptor, 1) != b"\n":
                line = b"\n" + line
        if os.write(descriptor, line) != len(line):
            raise StoreError(f"{place.path}: no room for the whole line; its end is lost. Free some space.")
        if durable:
            _finish(os.fsync, descriptor, place.path)
    except BaseException:
        let_go(descriptor)
        raise
    _finish(os.close, descriptor, place.path)
    if durable:
        _sync_folder(place)  # the file's name may be as new as the line, whoever made it
    return size + len(line)


def _finish(call: Callable[[int], None], descriptor: int, path: str) -> None:
    """Do what comes after a write or a rename, which can't be taken back if it fails."""
    try:
        call(descriptor)
    except OSError as error:
        raise StoreError(
            f"{path}: written, durability unknown ({error.strerror}): a power cut may undo it."
            " Check the disk, then repeat the command."
        ) from error


def _sync_folder(place: Place) -> None:
    if place.folder is not None:
        _finish(_fsync_if_possible, place.folder, place.path)


def _fsync_if_possible(folder: int) -> None:
    """Sync a folder, unless its file system knows no such thing; the names then last as it likes."""
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF, errno.ENOTSUP):
            raise


def _sweep(place: Place) -> None:
    """Remove what killed writers left beside the file. The lock is held, so nobody else has any in use."""
    prefix = f".{os.path.basename(place.name)}."
    try:
        names = os.listdir(os.path.dirname(place.name) if place.folder is None else place.folder)
    except OSError:
        return
    for name in names:
        if name.startswith(prefix) and name.endswith(TEMPORARY_SUFFIX):
            _remove(_beside(place.name, name), place.folder)


def _remove(name: str, folder: int | None) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:
        return  # the next writer sweeps it


def _rotate(place: Place, root: str, archive: str, rotate_at: int) -> None:
    """Rename a full file to the first free name, unless another process is at it."""
    stem, suffix = os.path.splitext(archive)
    try:
        with lock(_beside(place.path, LOCK_NAME), root=root, wait=0):
            if os.stat(place.name, dir_fd=place.folder, follow_symlinks=False).st_size < rotate_at:
                return
            name, count = _beside(place.name, archive), 1
            while kind(name, place.folder):
                count += 1
                name = _beside(place.name, f"{stem}.{count}{suffix}")
            os.rename(place.name, name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    except OSError:
        return  # the next append tries again


def _is_still(descriptor: int, place: Place) -> bool:
    """Whether the open file is the one that the place names now."""
    try:
        named = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(named, os.fstat(descriptor))


_NOT_THERE, _EXCHANGE = 1, 2


def _rename_if(place: Place, temporary: str, flag: int) -> int:
    """Rename as Linux can: to a name that is not there, or in exchange for it. Returns the errno, or 0."""
    try:
        import ctypes

        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (ImportError, AttributeError, OSError, TypeError):
        return errno.ENOSYS
    names = os.fsencode(temporary), os.fsencode(place.name)
    done = rename(place.folder, names[0], place.folder, names[1], flag)
    return ctypes.get_errno() if done else 0


if sys.platform == "win32":

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _replace(place: Place, temporary: str) -> None:
        """Replace, for 2.5 s at most against access denied (5) and sharing violations (32, 33)."""
        deadline = time.monotonic() + 2.5
        while True:
            try:
                return os.replace(temporary, place.name)
            except OSError as error:
                if error.winerror not in (5, 32, 33) or time.monotonic() >= deadline:
                    raise
            time.sleep(0.02)

else:

    def _give(descriptor: int, info: os.stat_result) -> None:
        """Give a new file the owner and group (else the group, else neither) and the mode of *info*."""
        own = os.fstat(descriptor)
        if (own.st_uid, own.st_gid) != (info.st_uid, info.st_gid):
            for owner in (info.st_uid, -1):
                try:
                    os.fchown(descriptor, owner, info.st_gid)
                    break
                except PermissionError:
                    continue
        os.fchmod(descriptor, stat.S_IMODE(info.st_mode))

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _replace(place: Place, temporary: str) -> None:
        os.replace(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)


def _once_settled(attempt: Callable[[], T]) -> T:
    """Call *attempt* again while it meets another program's half-done save, 5 times at most."""
    for pause in _PAUSES:
        try:
            return attempt()
        except _UnsettledError:
            time.sleep(pause)
    return attempt()


def _beside(path: str, name: str) -> str:
    return os.path.join(os.path.dirname(path), name)


def _changing(path: str, paths: Sequence[str], written: list[str]) -> _UnsettledError:
    return _UnsettledError(
        f"{path}: another program keeps changing it; {_account(paths, written)}"
        " Let that one end, then try again."
    )


def _account(paths: Sequence[str], written: list[str]) -> str:
    """What an error text says of the files."""
    if not written:
        return "nothing was written."
    rest = [path for path in paths if path not in written]
    return f"written: {', '.join(written)}; not written: {', '.join(rest) or 'none'}."


def _explained(error: OSError, path: str, outcome: str) -> StoreError:
    """*error* as it is where it explains itself, else with the path and what became of the file."""
    if isinstance(error, StoreError):
        return error
    return StoreError(f"{path}: {error.strerror or error}; {outcome.rstrip('.')}.")


def _too_large(path: str, size: int, limit: int, outcome: str) -> StoreError:
    return StoreError(
        f"{path}: {size:,} bytes, above the limit of {limit // MIB} MiB; {outcome}. Prune or split it."
    )
