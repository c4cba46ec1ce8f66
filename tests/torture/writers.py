"""Many writers at once, with readers that never rest; and a hook beside a writer that does not let go."""

from __future__ import annotations

import re
import shutil
import time
from functools import partial
from typing import TYPE_CHECKING
from unittest.mock import patch

from qlearn import store
from qlearn.errors import StoreError
from qlearn.project import ARCHIVE, LEARNINGS

from . import broken, subject
from .harness import Verdicts, at_once, check, control, has_time, scratch
from .shim import no_exchange

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

ADDS = 10
MUCH_TOO_LATE = store.COMMAND_WAIT - 1  # seconds: on a busy machine everybody is late
PATIENCE = 600  # seconds for the lock: how long all others take depends on the machine


def together(writers: int, rounds: int, writer: subject.Writer = store.update_files) -> Verdicts:
    """Let so many writers add 10 entries each to one project, beside two readers; and that so many times.

    Each resolves one of its entries, prunes, and accepts a proposal, so that entries move while others are
    added.
    """
    patient = partial(writer, wait=PATIENCE)
    with scratch() as folder:
        for number in range(rounds):
            if number and not has_time():
                return
            home = subject.make(folder / str(number))
            parts = [_write(home, f"w{number}", patient) for number in range(writers)]
            yield from at_once([*parts, _read(home, writers), _read(home, writers)])
            labels = {f"w{number}-{count}" for number in range(writers) for count in range(ADDS)}
            try:
                lost = labels - subject.of("entry", subject.facts_in(home))
                yield from (f"lost {label}" for label in sorted(lost))
            except (subject.TornError, OSError) as error:
                yield f"in the end: {error}"
            shutil.rmtree(home)


def _write(home: Path, name: str, writer: subject.Writer) -> Verdicts:
    for count in range(ADDS):
        label = f"{name}-{count}"
        steps = [subject.add(label)]
        if count == ADDS - 1:
            steps += [subject.mark_resolved(label), subject.propose(f"{label}p")]
            steps += [subject.prune(subject.NOTHING), subject.accept(f"{label}p")]
        for step in steps:
            try:
                subject.run(step, home, writer)
            except Exception as error:
                yield f"{label}: {step.name}: {error!r}"
        yield 1
    (home / f"{name}.done").touch()


def _read(home: Path, writers: int) -> Verdicts:
    """Read without a rest until all writers are done: files are whole, and no entry goes missing."""
    seen: set[bytes] = set()
    while len(list(home.glob("*.done"))) < writers:
        found: set[bytes] = set()
        for path in (LEARNINGS, ARCHIVE):  # in this order: entries move from one to the other
            try:
                data = store.read(path, root=subject.root_in(home)) or b""
            except OSError as error:
                yield f"a reader: {error}"
                continue
            titles = re.findall(rb"^### L[0-9]+: (?:\[RESOLVED\] )?(\S+)$", data, re.MULTILINE)
            found.update(titles)
            if len(set(titles)) != data.count(b"### L") or (
                data and not data.endswith((b"---\n", b"---\n\n"))
            ):
                yield f"a reader: {path} is torn"
        if lost := seen - found:
            yield f"a reader: {b', '.join(sorted(lost)).decode()} was there and is not"
        seen = found


@check("writers", counts="adds by 32 (64) writers", ci=32 * 100, long=64 * 200, seconds=10)
def writers(size: int, random: Random) -> Verdicts:
    count = 32 if size <= 32 * 100 else 64
    return together(count, max(1, size // (count * ADDS)))


@control("writers", broken="no lock where files can't change places", size=16 * ADDS)
def writers_unlocked(size: int, random: Random) -> Verdicts:
    with patch.object(store, "_rename_if", no_exchange):
        yield from together(16, 1, broken.unlocked)


@control("writers", broken="writes in place, and slowly", size=4 * ADDS)
def writers_in_place(size: int, random: Random) -> Verdicts:
    return together(4, 1, broken.in_place_resting(0.01))


def hook(home: Path, label: str) -> None:
    """What hooks do to files: read, append a line, put a full file aside. All without the lock."""
    store.read(LEARNINGS, root=subject.root_in(home), limit=store.HOOK_LIMIT)
    subject.count_use(label).do(home)
    subject.observe(label).do(home)


def hook_that_locks(home: Path, label: str) -> None:
    """A hook that takes the lock to read."""
    with store.lock(".qe/.lock", root=subject.root_in(home), wait=store.HOOK_WAIT):
        store.read(LEARNINGS, root=subject.root_in(home))


def beside_a_writer(size: int, hook: Callable[[Path, str], None]) -> Verdicts:
    """Run a hook while others hold the locks and do not let go before the hook is done.

    A hook that has to write after all gives up after 0.2 s.
    """
    with scratch() as folder:
        home = subject.make(folder)
        subject.add("a").do(home)
        hurried = partial(store.update_files, wait=store.HOOK_WAIT)
        for number in range(size):
            with (
                store.lock(".qe/.lock", root=subject.root_in(home)),
                store.lock(".lock", root=subject.logs_in(home)),
            ):
                try:
                    hook(home, f"h{number}")
                except StoreError as error:
                    yield f"the hook waits: {error}"
                    continue
                start = time.monotonic()
                try:
                    subject.run(subject.add("b"), home, hurried)
                    yield "an add went past the lock"
                except StoreError:
                    waited = time.monotonic() - start
                    wrong = waited < store.HOOK_WAIT or waited > MUCH_TOO_LATE
                    yield f"it gave up after {waited:.2f} s" if wrong else 1


@check("hooks", counts="hooks beside held locks", ci=20, long=200)
def hooks(size: int, random: Random) -> Verdicts:
    return beside_a_writer(size, hook)


@control("hooks", broken="a hook that takes the lock", size=3)
def hooks_that_lock(size: int, random: Random) -> Verdicts:
    return beside_a_writer(size, hook_that_locks)
