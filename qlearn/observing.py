"""Whether a project is observed, and where its observations are kept: in the user's store, never in it.

Nothing is observed before the user says so for that project. The lines of a log are written by many
processes at once and read by one; a rotated or merged log lies beside it under a longer name.
"""

from __future__ import annotations

import json
import os

from qlearn import paths, store
from qlearn.errors import StoreError
from qlearn.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from qlearn.config import Config
    from qlearn.observation import Observation
    from qlearn.paths import UserPaths
    from qlearn.project import Project

LOG = "observations.jsonl"
SKIPS = "skips.jsonl"
SETTINGS = "project.json"
BATCH = "batch.json"
ROTATE_AT = 10 << 20
"""Bytes at which a log is put aside."""

ROTATE_DAYS = 7
"""The age of its first record at which a log is put aside, however small it is."""

KEPT_DAYS = 30
_HEAD_BYTES = 1 << 18


class Observed(NamedTuple):
    """What the logs hold: the observations in order of time, broken lines, and skips by their reason."""

    observations: tuple[Observation, ...]
    broken: int
    skipped: dict[str, int]


def is_on(
    project: Project, user: UserPaths | None, environ: Mapping[str, str], config: Config | None = None
) -> bool:
    """Tell whether events of this project are to be recorded.

    An unknown project never is; `QLEARN_OBSERVE=0` and `observe = false` in the user's settings stop it
    everywhere.
    """
    if user is None or not project.known or not wanted(project, user):
        return False
    if config is None:
        from qlearn.config import load

        config = load(project.root, user, environ).config
    return config.observe


def is_refused(project: Project, user: UserPaths, settings: Config) -> bool:
    """Tell whether the user said no, to this project or to all: then hooks leave no record of any kind."""
    return wanted(project, user) is False or not settings.observe


def wanted(project: Project, user: UserPaths) -> bool | None:
    """Tell what the user said about observing this project; None for nothing."""
    value = _settings(user.project(project.id)).get("observe")
    return value if isinstance(value, bool) else None


def turn(user: UserPaths, project: Project, *, on: bool) -> None:
    """Switch observation of a project on or off. Other settings of the project stay.

    Raises:
        StoreError: It could not be written, or the project is unknown.
    """
    if not project.known:
        raise StoreError(
            "this folder is no project, so nothing can be observed; run `qlearn init` or `git init`"
        )
    folder = user.project(project.id)
    paths.make(folder)

    def change(data: bytes) -> bytes:
        settings = _parsed(data)
        return json.dumps({**settings, "observe": on}, indent=2, ensure_ascii=False).encode() + b"\n"

    store.update(SETTINGS, change, root=folder)


def append(folder: str, observation: Observation, now: dt.datetime) -> None:
    """Append an observation to the log in a project's *folder*; at 10 MB the log is put aside.

    Raises:
        StoreError: It was not written.
    """
    from qlearn.observation import to_line

    paths.make(folder)
    archive = f"observations.{now:%Y-%m-%d}.jsonl"
    line = to_line(observation).rstrip(b"\n")
    store.append_line(LOG, line, root=folder, archive=archive, rotate_at=ROTATE_AT)


def skip(folder: str, reason: str, now: dt.datetime) -> None:
    """Count an event of an observed project that was not recorded.

    Raises:
        StoreError: It was not written.
    """
    paths.make(folder)
    line = json.dumps({"ts": f"{now:%Y-%m-%dT%H:%M:%SZ}", "reason": reason})
    store.append_line(SKIPS, line.encode(), root=folder)


def read(folder: str) -> Observed:
    """Read all logs of a project.

    Raises:
        StoreError: One can't be read.
    """
    from qlearn.observation import parse_line

    found: list[Observation] = []
    broken = 0
    for name in _logs(folder):
        for line in _lines(folder, name):
            observation = parse_line(line)
            if observation is None:
                broken += 1
            else:
                found.append(observation)
    skipped: dict[str, int] = {}
    for line in _lines(folder, SKIPS):
        reason = str(_parsed(line).get("reason", "unreadable"))
        skipped[reason] = skipped.get(reason, 0) + 1
    return Observed(tuple(sorted(found, key=lambda each: each.ts)), broken, skipped)


def batch_is_due(folder: str, count: int, least: int) -> bool:
    """Tell whether so many observations came in since `batch_done`, or logs were removed since."""
    try:
        data = store.read(BATCH, root=folder, limit=1 << 16, may_be_empty=True) or b""
    except StoreError:
        return True
    before = _parsed(data).get("observations")
    return not isinstance(before, int) or count - before >= least or count < before


def batch_done(folder: str, count: int) -> None:
    """Remember how many observations there were when all of them were looked at.

    Raises:
        StoreError: It was not written.
    """
    data = json.dumps({"observations": count}).encode() + b"\n"
    store.update(BATCH, lambda _: data, root=folder, may_be_empty=True)


def sweep(folder: str, now: dt.datetime) -> int:
    """Put aside a log that began a week ago, and remove those that were put aside more than 30 days ago.

    So nothing is kept for good where little happens.

    Returns:
        The number of files removed.
    """
    _put_aside(folder, now)
    removed = 0
    for name in _logs(folder):
        path = os.path.join(folder, name)
        try:
            if name != LOG and now.timestamp() - os.stat(path).st_mtime > KEPT_DAYS * 86_400:
                os.unlink(path)
                removed += 1
        except OSError:
            continue
    return removed


def _put_aside(folder: str, now: dt.datetime) -> None:
    from datetime import timedelta

    from qlearn.observation import parse_line, timestamp

    try:
        with open(os.path.join(folder, LOG), "rb") as file:
            head = file.read(_HEAD_BYTES).split(b"\n")
        times = (each.ts for each in map(parse_line, head) if each and each.ts)
        week = timedelta(days=ROTATE_DAYS)
        if next(times, timestamp(now)) <= timestamp(now - week):
            store.put_aside(LOG, f"observations.{now:%Y-%m-%d}.jsonl", root=folder)
    except (OSError, StoreError):
        return  # the next turn's end tries again


def _logs(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(name for name in names if name.startswith("observations.") and name.endswith(".jsonl"))


def _lines(folder: str, name: str) -> list[bytes]:
    data = store.read(name, root=folder, may_be_empty=True) or b""
    return [line for line in data.split(b"\n") if line.strip()]


def _settings(folder: str) -> dict[str, object]:
    try:
        return _parsed(store.read(SETTINGS, root=folder, limit=1 << 16, may_be_empty=True) or b"")
    except StoreError:
        return {}


def _parsed(data: bytes) -> dict[str, object]:
    try:
        value = json.loads(data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
