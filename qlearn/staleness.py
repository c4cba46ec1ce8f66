"""Which learnings speak of files that are gone, were moved, or have changed since. Pure.

What git tells of the files comes in as text: the output of `git log` in the form `LOG_FORMAT`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .errors import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .learning import Learning

LOG_FORMAT = ("log", "--format=%x01%cs", "--name-status", "-M", "-z", "--no-show-signature", "--relative")
"""The arguments for git; each commit is a day, then its changes, newest first."""


class History(NamedTuple):
    """What became of paths: the day of the last change of each, and the newer name of what was renamed."""

    changed: dict[str, str]
    renamed: dict[str, str]


def parse_history(log: str) -> History:
    """Read the output of git for `LOG_FORMAT`."""
    changed: dict[str, str] = {}
    renamed: dict[str, str] = {}
    for commit in log.split("\x01")[1:]:
        parts = [part.strip("\n") for part in commit.split("\0")]
        day, rest = parts[0], iter(parts[1:])
        for status in rest:
            if not status:
                continue
            path = next(rest, "")
            if status[0] in "RC":
                old, path = path, next(rest, "")
                if status[0] == "R":
                    renamed.setdefault(old, path)
            changed.setdefault(path, day)
    return History(changed, renamed)


def stale(
    learnings: Iterable[Learning], exists: Callable[[str], bool], history: History
) -> tuple[Problem, ...]:
    """Name the learnings whose Files are missing or moved (errors), or changed since (warnings).

    A file has changed since, if its last commit is of a later day than both Date and Reinforced. Resolved
    learnings, and those without a date, are not asked about changes. Of a folder nothing but its being there
    is asked.

    Args:
        exists: Whether a path below the project is there; it is not asked about paths that lead out of it.
    """
    found = []
    for learning in learnings:
        if learning.resolved:
            continue
        days = [day.isoformat() for day in (learning.date, learning.reinforced) if day is not None]
        for path in learning.files:
            if path.startswith(("/", "~")) or ".." in path.split("/"):
                message, severity = f"{path} is no path below the project", "error"
            elif not exists(path):
                new = _newest(path, history.renamed)
                message, severity = (f"{path} was moved to {new}" if new else f"{path} is missing"), "error"
            elif days and history.changed.get(path, "") > max(days):
                message, severity = (
                    f"{path} has changed on {history.changed[path]}, after {max(days)}",
                    "warning",
                )
            else:
                continue
            found.append(Problem(learning.lineno, f"{learning.id}: {message}", severity))
    return tuple(found)


def _newest(path: str, renamed: dict[str, str]) -> str:
    seen = {path}
    while (new := renamed.get(path)) and new not in seen:
        path = new
        seen.add(path)
    return path if len(seen) > 1 else ""
