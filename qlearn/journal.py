"""The user's log: one line for each thing that went wrong, or was done, where nobody could be told."""

from __future__ import annotations

from qlearn import paths, store
from qlearn.record import TYPE_CHECKING
from qlearn.text import clip, neutralise

if TYPE_CHECKING:
    import datetime as dt

    from qlearn.paths import UserPaths

LONGEST = 500
ROTATE_AT = 1 << 20


def write(user: UserPaths | None, now: dt.datetime, event: str, message: str) -> None:
    """Append one line to the log; one that can't be written is no reason to fail.

    Args:
        event: The hook or command that tells it.
        message: Cut at 500 characters.
    """
    if user is None:
        return
    line = f"{now:%Y-%m-%dT%H:%M:%SZ} {event} {clip(neutralise(message), LONGEST)}"
    archive = f"qlearn.{now:%Y-%m-%d}.log"
    try:
        paths.make(user.state)
        store.append_line(user.log, line.encode(), root=user.state, archive=archive, rotate_at=ROTATE_AT)
    except Exception:
        return
