"""Copies of files that another tool may have damaged, kept beside them."""

from __future__ import annotations

import os
from itertools import count
from typing import TYPE_CHECKING

from qlearn import store
from qlearn.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path


def keep(path: Path) -> Path:
    """Copy a file to `NAME.bak` beside it or, where that holds something else, to `NAME.bak.1` and so on.

    Doing it twice is doing it once. No link is followed, and nothing that is there is replaced.

    Raises:
        StoreError: It can't be read, or the copy not written.
    """
    data = _read(path)
    for number in count():
        copy = path.with_name(f"{path.name}.bak{f'.{number}' if number else ''}")
        try:
            with copy.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except FileExistsError:
            if _holds(copy, data):
                return copy
        except OSError as error:
            raise StoreError(f"{path}: it was not copied: {error.strerror}") from error
        else:
            return copy
    raise AssertionError


def _read(path: Path) -> bytes:
    return store.read(path.name, root=str(path.parent), may_be_empty=True) or b""


def _holds(copy: Path, data: bytes) -> bool:
    """Whether a file is there that holds just this; a link out of the folder or a device is none."""
    try:
        return copy.is_file() and _read(copy) == data
    except StoreError:
        return False
