"""Writers that are killed at any instant."""

from __future__ import annotations

import gc
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from qlearn import store
from qlearn.project import LEARNINGS

from . import broken, subject
from .harness import Verdicts, check, control, in_parallel, scratch
from .shim import Call, no_exchange, system_calls

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from .subject import Step

STEPS_PER_HOME = 15
MUCH_TOO_LONG = 600  # seconds, for what is not killed


class Killed(NamedTuple):
    """Whether a step was acknowledged before its process died, and an error other than that death."""

    done: bool
    complaint: str


class Target:
    """A home whose writers are killed; a new one after some steps, and after each failure."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.facts = subject.NOTHING
        self._steps = 0
        self._renew()

    def _renew(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        subject.make(self.home)
        self.facts = subject.NOTHING

    def verdict(self, step: Step, killed: Killed) -> int | str:
        """What became of the home. The next step starts from what is found."""
        wrong, self.facts = subject.examine(self.home, self.facts, step, done=killed.done)
        wrong = killed.complaint or wrong
        self._steps += 1
        last = self._steps % STEPS_PER_HOME == 0
        if last and not wrong:
            wrong = subject.examine_next(self.home, self.facts)
        if wrong or last:
            self._renew()
        return wrong or 1


def usual_seconds(run: Callable[[], object], times: int) -> float:
    """How long it takes to run through."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return median(taken)


# Forks, killed between their first instruction and their last


class Fuse:
    """Kills its own process before one of the store's system calls."""

    def __init__(self, calls: int) -> None:
        self._calls = calls

    def __call__(self, name: str, call: Call, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        self._calls -= 1
        if self._calls == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call()


def kills(size: int, random: Random, writer: subject.Writer = store.update_files) -> Verdicts:
    """Fork a child for each step; kill one half at any instant, the other half before any system call.

    A quarter of them run where files can't change places.
    """
    ways = [store._rename_if] * 3 + [no_exchange]
    with scratch() as folder:
        subject.run(
            subject.add("a"), subject.make(folder / "usual"), writer
        )  # imports what the children need
        gc.freeze()
        steps = [subject.add(f"usual{number}") for number in range(15)]
        usual = usual_seconds(lambda: _kill_fork(folder / "usual", steps.pop(), writer, 9, 0), 15)
        target = Target(folder / "home")
        for number in range(size):
            step = subject.some_step(random, f"k{number}", target.facts)
            seconds, calls = random.choice([(random.uniform(0, 1.5 * usual), 0), (9, random.randint(1, 60))])
            with patch.object(store, "_rename_if", random.choice(ways)):
                killed = _kill_fork(target.home, step, writer, seconds, calls)
            yield target.verdict(step, killed)


def _kill_fork(home: Path, step: Step, writer: subject.Writer, seconds: float, calls: int) -> Killed:
    """Run a step in a child that lives so many seconds, or system calls (0: any number)."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            with system_calls(Fuse(calls)) if calls else nullcontext():
                subject.run(step, home, writer)
            os.write(writing, b"done")
        except BaseException as error:
            os.write(writing, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    select.select([reading], [], [], seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    said = os.read(reading, 4096).decode()
    os.close(reading)
    return Killed(said == "done", said.removeprefix("done"))


@check("sigkill", counts="killed forks", ci=20_000, long=300_000, seconds=30)
def sigkill(size: int, random: Random) -> Verdicts:
    return in_parallel(kills, size, random)


@control("sigkill", broken="writes in place, and slowly", size=400)
def sigkill_in_place(size: int, random: Random) -> Verdicts:
    return kills(size, random, broken.in_place_resting(0.003))


# Whole commands, killed mostly when they write


def killed_commands(size: int, random: Random, writer: str = "store.update_files") -> Verdicts:
    """Start `qlearn add`, `resolve` or `prune` for each step, and kill it."""
    with scratch() as folder:
        subject.make(folder / "usual")
        runs = [_kill_command(folder / "usual", *_add(f"usual{number}"), writer) for number in range(5)]
        starts, writes = median(run.starts for run in runs), median(run.writes for run in runs)
        target = Target(folder / "home")
        for number in range(size):
            step, arguments = _some_command(random, f"k{number}", target)
            if random.random() < 0.8:
                run = _kill_command(target.home, step, arguments, writer, random.uniform(0, 1.5 * writes))
            else:
                seconds = random.uniform(0, starts + writes)
                run = _kill_command(target.home, step, arguments, writer, seconds, from_the_start=True)
            yield target.verdict(step, run.killed)


def _some_command(random: Random, label: str, target: Target) -> tuple[Step, list[str]]:
    active = sorted(subject.of("entry", target.facts) - subject.of("archived", target.facts))
    resolved = subject.of("resolved", target.facts) & set(active)
    kind = random.choice(["add", "add", "resolve" if active else "add", "prune" if resolved else "add"])
    if kind == "resolve":
        chosen = random.choice(active)
        return subject.mark_resolved(chosen), ["resolve", subject.id_of(target.home, chosen)]
    if kind == "prune":
        return subject.prune(target.facts), ["prune", "--yes"]
    return _add(label)


def _add(label: str) -> tuple[Step, list[str]]:
    return subject.add(label), ["add", subject.lesson(label), "--title", label, "--new"]


class Run(NamedTuple):
    """What became of a command, and the seconds it took until it wrote, and from then on."""

    killed: Killed
    starts: float
    writes: float


def _kill_command(
    home: Path,
    step: Step,
    arguments: list[str],
    writer: str,
    seconds: float = MUCH_TOO_LONG,
    *,
    from_the_start: bool = False,
) -> Run:
    """Run a command and kill it so many seconds after it begins to write the registry, or from the start."""
    reading, writing = os.pipe()
    program = (
        "import os, sys\nfrom qlearn import cli, store\nfrom tests.torture import broken\n"
        f"write = {writer}\n"
        "def telling(paths, *arguments, **options):\n"
        f"    os.write({writing}, b'!' * ({LEARNINGS!r} in paths))\n"
        "    return write(paths, *arguments, **options)\n"
        "store.update_files = telling\nsys.exit(cli.main())"
    )
    command = [sys.executable, "-c", program, "-C", subject.root_in(home), *arguments]
    environ = {**os.environ, "HOME": str(home)}
    pipe = subprocess.PIPE
    start = time.monotonic()
    child = subprocess.Popen(command, env=environ, stdout=pipe, stderr=pipe, text=True, pass_fds=(writing,))
    os.close(writing)
    if not from_the_start:
        os.read(reading, 1)
    began = time.monotonic()
    try:
        said, complaint = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        said, complaint = child.communicate()
    os.close(reading)
    killed = Killed(said.startswith(("L", "Moved")), complaint)
    return Run(killed, began - start, time.monotonic() - began)


@check("sigkill-commands", counts="killed commands", ci=500, long=5000, seconds=15)
def sigkill_commands(size: int, random: Random) -> Verdicts:
    return in_parallel(killed_commands, size, random)


@control("sigkill-commands", broken="writes in place, and slowly", size=30)
def sigkill_commands_in_place(size: int, random: Random) -> Verdicts:
    return in_parallel(
        lambda share, its: killed_commands(share, its, "broken.in_place_resting(0.3)"), size, random
    )
