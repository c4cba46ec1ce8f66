"""Where a path really leads, found without being led out of the project.

A path is taken below its *root*, the project's folder, and opened one component at a time. A link that
stays below the root is followed (and stays a link), one that leaves it is refused. So is a folder, FIFO,
socket or device in the place of a file: at once, its content never read. A root of "/" confines nothing.

Windows can't open relative to a folder; there, the real path is compared with the root's (untried).
"""

from __future__ import annotations

import os
import stat
import sys

from .errors import StoreError
from .record import NamedTuple

# O_NONBLOCK: a FIFO put in a file's place after the walk opens at once, and `regular` then refuses it.
# Python itself opens every descriptor close-on-exec.
SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_MOST_LINKS = 40


class Place(NamedTuple):
    """An open folder, a name in it, the `st_mode` of what stands there (0: nothing), and the path as given.

    On Windows *folder* is None and *name* a whole path. Close it, or use it in a `with` statement.
    """

    folder: int | None
    name: str
    kind: int
    path: str

    def close(self) -> None:
        """Close the folder."""
        if self.folder is not None:
            let_go(self.folder)

    def __enter__(self) -> Place:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def let_go(descriptor: int) -> None:
    """Close what was only read, walked or locked: an error in that says nothing about any file."""
    try:
        os.close(descriptor)
    except OSError:
        return


def find(path: str, root: str) -> Place:
    """Walk to a regular file, or to where one could be made.

    Raises:
        FileNotFoundError: A folder on the way is missing.
        StoreError: The path leaves *root*, leads to something other than a file, or is none.
    """
    if not _can_be_a_path(path):
        raise StoreError(f"{path!r} is no path")
    place = walk(path, root)
    if place.kind and not stat.S_ISREG(place.kind):
        with place:
            raise refused(path, place.kind)
    return place


def _can_be_a_path(text: str) -> bool:
    """Whether it has no NUL and no lone surrogate but those that stand for a byte."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def find_to_write(path: str, root: str) -> Place:
    """`find`, for which a missing folder is a StoreError, too."""
    try:
        return find(path, root)
    except FileNotFoundError as error:
        raise StoreError(f"{path}: its folder does not exist. Make it first (`qlearn init`).") from error


if sys.platform == "win32":

    def walk(path: str, root: str) -> Place:
        """Follow *path* below *root*, links included."""
        real, base = os.path.realpath(os.path.join(root, path)), os.path.realpath(root)
        if not real.startswith(base.rstrip(os.sep) + os.sep):
            raise _leads_out(path, real)
        return Place(None, real, kind(real, None), path)

else:

    def walk(path: str, root: str) -> Place:
        """Follow *path* below *root*, links included, holding each folder open on the way.

        A link that is put in the way meanwhile can't lead a step astray: a folder is opened from the one
        above it without following, and ".." goes back to the one it was opened from.

        Raises:
            FileNotFoundError: A folder on the way is missing.
            StoreError: The path leaves *root*, passes through a file, leads to *root* itself or in a circle.
        """
        try:
            folders = [os.open(root, _FOLDER)]
        except NotADirectoryError as error:  # a home such as /dev/null has nothing below it
            raise FileNotFoundError(error.errno, error.strerror, root) from error
        links = 0
        try:
            todo = names_below(path, path, root)[::-1]
            while todo:
                name = todo.pop()
                if name == "..":
                    let_go(folders.pop())
                    if not folders:
                        raise _leads_out(path, "..")
                    continue
                mode = kind(name, folders[-1])
                if stat.S_ISLNK(mode):
                    links += 1
                    if links > _MOST_LINKS:
                        raise StoreError(
                            f"{path}: its links lead in a circle. Replace them by what is meant."
                        )
                    target = os.readlink(name, dir_fd=folders[-1])
                    todo += names_below(target, path, root)[::-1]
                    while os.path.isabs(target) and len(folders) > 1:
                        let_go(folders.pop())
                elif not todo:
                    return Place(folders.pop(), name, mode, path)
                elif mode and not stat.S_ISDIR(mode):
                    raise refused(path, mode, "on the way stands ")
                else:
                    folders.append(os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folders[-1]))
            raise refused(path, stat.S_IFDIR)
        finally:
            for folder in folders:
                let_go(folder)


def names_below(target: str, path: str, root: str) -> list[str]:
    """The components of *target*, a link on the way of *path* or *path* itself, counted from *root*.

    Raises:
        StoreError: *target* is absolute and not below *root*.
    """
    if os.path.isabs(target):
        for resolve in (os.path.abspath, os.path.realpath):
            base = resolve(root).rstrip("/") + "/"
            if f"{target}/".startswith(base):
                target = target[len(base) :]
                break
        else:
            raise _leads_out(path, target)
    return [name for name in target.split("/") if name not in ("", ".")]


def kind(name: str, folder: int | None) -> int:
    """The `st_mode` of what stands there itself, 0 for nothing."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return 0


def regular(descriptor: int, path: str) -> os.stat_result:
    """The status of an open file; what is none is refused, since it may have come there after the walk."""
    info = os.fstat(descriptor)
    if not stat.S_ISREG(info.st_mode):
        raise refused(path, info.st_mode)
    return info


_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISREG, "a file"),
)


def refused(path: str, mode: int, where: str = "") -> StoreError:
    """The error for something of another kind than is expected there."""
    what = next((name for is_one, name in _KINDS if is_one(mode)), "a device")
    return StoreError(f"{path}: {where}{what}; it was left alone. Move that away.")


def _leads_out(path: str, target: str) -> StoreError:
    return StoreError(f"{path}: leads out of its project (to {target}); it was left alone. Put it inside.")
