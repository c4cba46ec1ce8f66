"""Exports into the store of another tool: what is there is kept or, where that can't be, copied first."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from qlearn import copies, gathering, store
from qlearn.cli.terminal import say
from qlearn.errors import StoreError
from qlearn.interchange import session_learning
from qlearn.learning import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from qlearn.cli.workspace import Workspace
    from qlearn.learning import Learning
    from qlearn.usage import Usage

_NAMES = (*(f"{name}{suffix}" for name in CATEGORIES for suffix in (".yaml", ".yml")), session_learning.STATS)


class Figures(NamedTuple):
    """What became of the learnings, until when."""

    use: Usage
    now: datetime


def write_store(
    place: Workspace,
    folder: Path,
    text: str,
    entries: Sequence[Learning],
    figures: Figures,
    replace: Callable[[Path, bytes], None],
) -> int:
    """Write entries of *text* into the folder of a store, made where it is missing; say what became of it.

    Nothing is written unless all files that are there can be read. Those that would not change are left.

    Returns:
        The number of files written.

    Raises:
        StoreError: A file is none, or can't be read, copied or replaced.
        DraftError: A file is larger than what is read.
    """
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder}: no folder; name one")
    stats, today = _stats(figures.use), f"{figures.now:%Y-%m-%d}"
    told = gathering.told(str(folder), base=place.root)
    there = {name: data for name in _NAMES if (data := _read(folder, name)) is not None}
    existing = {name: data.decode("utf-8", "replace") for name, data in there.items()}
    written = session_learning.write_onto(existing, text, entries, folder=told, stats=stats, today=today)
    changed = {name: new for name, new in written.files.items() if new != existing.get(name)}
    for name in changed:
        if name in written.lost or "\ufffd" in existing.get(name, ""):
            copy = copies.keep(folder / name)
            say(f"{folder / name}: could not be kept as it was; see {copy.name}")
    folder.mkdir(parents=True, exist_ok=True)
    for name, new in changed.items():
        replace(folder / name, new.encode())
        added, differ = written.counts.get(name, (0, 0))
        if existing.get(name) and (added or differ):
            say(f"{folder / name}: {added} added, {differ} changed")
    return len(changed)


def _read(folder: Path, name: str) -> bytes | None:
    try:
        return store.read(name, root=str(folder), limit=store.HOOK_LIMIT, may_be_empty=True)
    except StoreError as error:
        raise StoreError(f"{folder}/{str(error).removeprefix(f'{folder}/')}") from error


def _stats(use: Usage) -> dict[str, object]:
    """What `_stats.yaml` says of the use of the learnings; rates are None before the first session."""
    rates = {"injection_rate": use.injection_rate, "use_rate": use.use_rate}
    return {
        "sessions": use.sessions,
        "sessions_reached": use.sessions_reached,
        "shown": use.shown,
        "used": use.used,
        **{name: None if rate is None else round(rate, 4) for name, rate in rates.items()},
        "helpful": use.helpful,
        "harmful": use.harmful,
        "recurred": use.recurred,
    }
