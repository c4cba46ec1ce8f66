"""Writers that are wrong in one way each, with the signature of `store.update_files`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

from qlearn import store

T = TypeVar("T")
Change = Callable[[tuple[bytes, ...]], tuple[tuple[bytes, ...], T]]

_update_files = store.update_files


def _lock(paths: Sequence[str], root: str, wait: float) -> store.Lock:
    return store.lock(str(Path(paths[0]).with_name(".lock")), root=root, wait=wait)


def _read(root: str, paths: Sequence[str]) -> tuple[bytes, ...]:
    files = [Path(root, path) for path in paths]
    return tuple(file.read_bytes() if file.exists() else b"" for file in files)


def in_place(
    paths: Sequence[str], change: Change[T], *, root: str, wait: float = store.COMMAND_WAIT, **options: Any
) -> T:
    """Under the lock, but into the file itself."""
    with _lock(paths, root, wait):
        before = _read(root, paths)
        after, value = change(before)
        for path, old, new in zip(paths, before, after, strict=True):
            if new != old:
                descriptor = os.open(Path(root, path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                half = len(new) // 2
                os.write(descriptor, new[:half])
                os.write(descriptor, new[half:])
                os.fsync(descriptor)
                os.close(descriptor)
        return value


def in_place_resting(seconds: float) -> Callable[..., Any]:
    """As `in_place`, with a rest before each half of a file."""

    def writer(paths: Sequence[str], change: Change[T], *, root: str, **options: Any) -> T:
        write = os.write

        def rest_and_write(descriptor: int, data: bytes) -> int:
            time.sleep(seconds)
            return write(descriptor, data)

        with patch.object(os, "write", rest_and_write):
            return in_place(paths, change, root=root, **options)

    return writer


def unlocked(paths: Sequence[str], change: Change[T], *, root: str, **options: Any) -> T:
    """Everything but the lock."""
    with patch.object(store, "lock", lambda *_, **__: nullcontext()):
        return _update_files(paths, change, root=root, **options)


def unchecked(
    paths: Sequence[str], change: Change[T], *, root: str, wait: float = store.COMMAND_WAIT, **options: Any
) -> T:
    """Under the lock and by renaming, but whatever an editor wrote meanwhile."""
    with _lock(paths, root, wait):
        found = [store.read(path, root=root, may_be_empty=True) or b"" for path in paths]
        after, value = change(tuple(found))
        for path, old, new in zip(paths, found, after, strict=True):
            if new != old:
                temporary = Path(root, path).with_suffix(".new")
                temporary.write_bytes(new)
                os.replace(temporary, Path(root, path))  # noqa: PTH105 - seen by the shim
        return value


def careless(paths: Sequence[str], change: Change[T], *, root: str, **options: Any) -> T:
    """A writer to whom an error of the disk is no reason to say anything."""
    try:
        return _update_files(paths, change, root=root, **options)
    except OSError:
        return change(_read(root, paths))[1]


def registry_first(paths: Sequence[str], change: Change[T], *, root: str, **options: Any) -> T:
    """Files in the wrong order: what moves is in neither for a moment."""

    def reversed_change(files: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], T]:
        after, value = change(files[::-1])
        return after[::-1], value

    return _update_files(paths[::-1], reversed_change, root=root, **options)
