"""What a session has been shown, so that it is not shown twice.

One small file a session, in the user's state folder, which only ever grows: each line is a claim, a random
mark followed by ids. The first claim of an id in the file holds, so that of two hooks at the same time one
shows the learning, without a lock. Nothing here raises: a session without a state sees a learning twice.
"""

from __future__ import annotations

import os

from qlearn import paths, store
from qlearn.errors import StoreError
from qlearn.identity import digest
from qlearn.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

KEPT_DAYS = 7

_NAME_LENGTH = 32
_LARGEST_FILE = 1 << 20


def shown(folder: str, session: str) -> frozenset[str]:
    """Return the ids that were claimed in a session so far."""
    return frozenset(each for _, ids in _claims(folder, session) for each in ids)


def claim(folder: str, session: str, ids: Iterable[str]) -> tuple[str, ...]:
    """Claim ids to be shown in a session; return those that nobody claimed before, in their order.

    Args:
        folder: Made where it is missing.
        session: Any text; without one, nothing is remembered.
        ids: Without white space.
    """
    wanted = tuple(dict.fromkeys(ids))
    mark = os.urandom(8).hex()
    if not session or not wanted:
        return wanted
    try:
        paths.make(folder)
        store.append_line(_name(session), " ".join((mark, *wanted)).encode(), root=folder)
    except (OSError, ValueError):
        return wanted
    holders: dict[str, str] = {}
    for holder, claimed in _claims(folder, session):
        for each in claimed:
            holders.setdefault(each, holder)
    # An unreadable file names no holder: then all are shown.
    return tuple(each for each in wanted if holders.get(each, mark) == mark)


def sweep(folder: str, now: datetime) -> int:
    """Remove what no session has used for 7 days; return the number of files."""
    removed = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if _is_ours(entry) and now.timestamp() - entry.stat().st_mtime > KEPT_DAYS * 86400:
                    os.unlink(entry)
                    removed += 1
    except OSError:
        pass
    return removed


def _claims(folder: str, session: str) -> Iterator[tuple[str, list[str]]]:
    try:
        data = store.read(_name(session), root=folder, limit=_LARGEST_FILE, may_be_empty=True) or b""
    except StoreError:
        return
    for line in data.decode("utf-8", "replace").split("\n"):
        mark, *ids = line.split(" ")
        yield mark, ids


def _name(session: str) -> str:
    """A file's name from an id that may hold anything, "../" included."""
    return digest(session)[:_NAME_LENGTH]


def _is_ours(entry: os.DirEntry[str]) -> bool:
    return len(entry.name) == _NAME_LENGTH and entry.is_file(follow_symlinks=False)
