"""Many writers at once, with readers that never rest; and a hook beside a writer that does not let go."""

from __future__ import annotations

import re
import shutil
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from qlearn import store
from qlearn.errors import StoreError

from . import broken, subject
from .harness import Verdicts, at_once, check, control, scratch

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

ADDS = 10
PATIENCE = 120  # seconds for the lock: how long all others take depends on the machine


def together(writers: int, rounds: int, writer: subject.Writer = store.update_files) -> Verdicts:
    """Let so many writers add 10 entries each to one project, beside two readers; and that so many times.

    Each resolves one of its entries now and then, and prunes, so that entries move while others are added.
    """
    with scratch() as folder:
        for _ in range(rounds):
            root = subject.make(folder / "project")
            parts = [_write(root, f"w{number}", writer) for number in range(writers)]
            yield from at_once([*parts, _read(root, writers), _read(root, writers)])
            facts = frozenset(f"L w{number}-{count}" for number in range(writers) for count in range(ADDS))
            try:
                lost = facts - subject.facts_in(root)
                yield from (f"lost {fact}" for fact in sorted(lost))
            except (subject.TornError, OSError) as error:
                yield f"in the end: {error}"
            shutil.rmtree(root)


def _write(root: str, name: str, writer: subject.Writer) -> Verdicts:
    for count in range(ADDS):
        label = f"{name}-{count}"
        try:
            subject.add(label).run(root, partial(writer, wait=PATIENCE))
            if count % 5 == 4:
                subject.mark_resolved(label).run(root, partial(writer, wait=PATIENCE))
                subject.prune(frozenset()).run(root, partial(writer, wait=PATIENCE))
        except Exception as error:
            yield f"{label}: {error!r}"
        else:
            yield 1
    (Path(root) / f"{name}.done").touch()


def _read(root: str, writers: int) -> Verdicts:
    """Read without a rest until all writers are done: files are whole, and no entry goes missing."""
    seen: set[bytes] = set()
    while len(list(Path(root).glob("*.done"))) < writers:
        found: set[bytes] = set()
        for path in (subject.REGISTRY, subject.ARCHIVE):  # in this order: entries move from one to the other
            try:
                data = store.read(path, root=root) or b""
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


@check("writers", counts="adds by 32 (64) writers", ci=32 * 100, long=64 * 200)
def writers(size: int, random: Random) -> Verdicts:
    count = 32 if size <= 32 * 100 else 64
    return together(count, max(1, size // (count * ADDS)))


@control("writers", broken="no lock", size=8 * ADDS)
def writers_unlocked(size: int, random: Random) -> Verdicts:
    return together(8, 1, broken.unlocked)


@control("writers", broken="writes in place, and slowly", size=4 * ADDS)
def writers_in_place(size: int, random: Random) -> Verdicts:
    return together(4, 1, broken.in_place_and_slowly)


def hook(root: str, label: str) -> None:
    """What hooks do to a project's files: read, append a line, rename a full file. All without the lock."""
    store.read(subject.REGISTRY, root=root, limit=store.HOOK_LIMIT)
    subject.record(label).run(root, store.update_files)
    store.append_line(".qe/full.jsonl", b"line", root=root, archive="full.old.jsonl", rotate_at=1)


def hook_that_locks(root: str, label: str) -> None:
    with store.lock(".qe/.lock", root=root, wait=store.HOOK_WAIT):
        store.read(subject.REGISTRY, root=root)


def beside_a_writer(size: int, hook: Callable[[str, str], None]) -> Verdicts:
    """Run a hook while somebody holds the lock and does not let go before the hook is done.

    A hook that needs the lock after all gives up after 0.2 s.
    """
    with scratch() as folder:
        root = subject.make(folder / "project")
        subject.add("a").run(root, store.update_files)
        for number in range(size):
            with store.lock(".qe/.lock", root=root):
                try:
                    hook(root, f"h{number}")
                except StoreError as error:
                    yield f"the hook waits: {error}"
                    continue
                start = time.monotonic()
                try:
                    subject.add("b").run(root, partial(store.update_files, wait=store.HOOK_WAIT))
                    yield "an add went past the lock"
                except StoreError:
                    waited = time.monotonic() - start
                    late = waited < store.HOOK_WAIT or waited > store.HOOK_WAIT + 1
                    yield f"it gave up after {waited:.2f} s" if late else 1


@check("hooks", counts="hooks beside a held lock", ci=20, long=200)
def hooks(size: int, random: Random) -> Verdicts:
    return beside_a_writer(size, hook)


@control("hooks", broken="a hook that takes the lock", size=3)
def hooks_that_lock(size: int, random: Random) -> Verdicts:
    return beside_a_writer(size, hook_that_locks)
