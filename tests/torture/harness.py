"""The checks, by name; how they are run, and the table that comes out."""

from __future__ import annotations

import json
import math
import os
import platform
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from random import Random
from typing import NamedTuple, TextIO

Verdicts = Iterator[int | str]
Trials = Callable[[int, Random], Verdicts]

SHOWN = 5
END = "end"


class SkippedError(Exception):
    """The platform can't run this check; the text says what is missing."""


class Control(NamedTuple):
    """Trials of something broken, which have to fail."""

    broken: str
    size: int
    trials: Trials


class Check(NamedTuple):
    """Trials, what one of them is called, how many there are in each run, and the controls.

    `seconds` is what the trials may take in the short run; then it ends with the number reached.
    """

    name: str
    counts: str
    ci: int
    long: int
    seconds: float
    trials: Trials
    controls: list[Control]


class Outcome(NamedTuple):
    """How many trials there were, how many failed, what the first of those said, and the time taken."""

    trials: int
    failed: int
    texts: tuple[str, ...]
    seconds: float
    skipped: str = ""


CHECKS: dict[str, Check] = {}
_end: ContextVar[float] = ContextVar("_end", default=math.inf)


def check(
    name: str, *, counts: str, ci: int, long: int, seconds: float = math.inf
) -> Callable[[Trials], Trials]:
    """Register trials under a name, with their size in the short and in the long run."""

    def register(trials: Trials) -> Trials:
        CHECKS[name] = Check(name, counts, ci, long, seconds, trials, [])
        return trials

    return register


def control(name: str, *, broken: str, size: int) -> Callable[[Trials], Trials]:
    """Register trials that have to fail as a null control of the check of that name."""

    def register(trials: Trials) -> Trials:
        CHECKS[name].controls.append(Control(broken, size, trials))
        return trials

    return register


def run(trials: Trials, size: int, seed: int, seconds: float = math.inf) -> Outcome:
    """Run trials to their end, or as many as can be made in time."""
    start = time.monotonic()
    _end.set(start + seconds)
    count = failed = 0
    texts: list[str] = []
    try:
        for verdict in trials(size, Random(seed)):
            if isinstance(verdict, int):
                count += verdict
            else:
                count, failed = count + 1, failed + 1
                texts.append(verdict)
                del texts[SHOWN:]
    except SkippedError as reason:
        return Outcome(count, failed, tuple(texts), time.monotonic() - start, str(reason))
    return Outcome(count, failed, tuple(texts), time.monotonic() - start)


def has_time() -> bool:
    """Whether trials may go on, and not come to an end before they are all made."""
    return time.monotonic() < _end.get()


def processors() -> int:
    """How many processes can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_parallel(trials: Trials, size: int, random: Random) -> Verdicts:
    """Spread trials that can run apart over the processors; end them when their time is over."""
    shares = [size // processors() + (n < size % processors()) for n in range(processors())]
    seeds = [random.getrandbits(64) for _ in shares]
    parts = [trials(share, Random(seed)) for share, seed in zip(shares, seeds, strict=True) if share]
    return at_once([_in_time(part) for part in parts])


def _in_time(verdicts: Verdicts) -> Verdicts:
    for verdict in verdicts:
        yield verdict
        if not has_time():
            return


def at_once(parts: list[Verdicts]) -> Verdicts:
    """Let each part run in a forked process of its own."""
    children = [_fork(part) for part in parts]
    try:
        for child, pipe in children:
            said = [json.loads(line) for line in pipe]
            yield from said[:-1]
            if said[-1:] != [END]:
                yield f"process {child} died after {said[-1:]}"
    finally:
        for child, pipe in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pipe.close()


def _fork(part: Verdicts) -> tuple[int, TextIO]:
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, os.fdopen(reading)
    with os.fdopen(writing, "w") as pipe:
        _report(part, pipe.write)
    os._exit(0)


def _report(verdicts: Verdicts, write: Callable[[str], object]) -> None:
    """Write verdicts as JSON lines, those that held as one sum."""
    held = 0
    try:
        for verdict in verdicts:
            if isinstance(verdict, int):
                held += verdict
            else:
                write(json.dumps(verdict) + "\n")
    except Exception as error:
        write(json.dumps(f"the check itself failed: {error!r}") + "\n")
    write(f"{held}\n{json.dumps(END)}\n")


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder in memory, where there is such a place: what is tried here needs no disk."""
    memory = Path("/dev/shm")
    base = memory if os.access(memory, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="qlearn-torture-", dir=base))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def describe(seed: int) -> str:
    """The line above the table: what it was made with and on."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"seed {seed}, {platform.platform()}, {processors()} processors, {python}"


def put_between(text: str, name: str, part: str) -> str:
    """Put a part of a Markdown text anew, between the comments that name it.

    Raises:
        ValueError: They do not stand in the text.
    """
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    before, _, rest = text.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"{begin.strip()} and {end.strip()} do not stand in the text")
    return f"{before}{begin}{part}\n{end}{after}"


TABLE_HEAD = """\
| check | trials | failures | seconds | null control | its failures |
|---|---:|---:|---:|---|---:|"""


def table_row(one: Check, outcome: Outcome, controls: list[tuple[Control, Outcome]]) -> str:
    """A check's row: its figures, and for each control what is broken and how often that was found."""
    count = f"skipped: {outcome.skipped}" if outcome.skipped else f"{outcome.trials:,} {one.counts}"
    broken = "<br>".join(control.broken for control, _ in controls)
    found = "<br>".join(f"{result.failed:,} of {result.trials:,}" for _, result in controls)
    seconds = outcome.seconds + sum(result.seconds for _, result in controls)
    return f"| {one.name} | {count} | {outcome.failed:,} | {seconds:.1f} | {broken} | {found} |"
