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
from statistics import median
from typing import TYPE_CHECKING
from unittest.mock import patch

from qlearn import store

from . import broken, subject
from .harness import Verdicts, check, control, in_parallel, scratch
from .shim import no_exchange

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from .subject import Step

STEPS_PER_PROJECT = 15

Killed = tuple[bool, str]


class Target:
    """A project whose writers are killed; a new one after some steps, and after each failure."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._steps = 0
        self._renew()

    def _renew(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        self.root = subject.make(self._folder)
        self.facts: subject.Facts = frozenset()

    def verdict(self, step: Step, killed: Killed) -> int | str:
        """What became of the project. The next step starts from what is found."""
        done, complaint = killed
        wrong, self.facts = subject.examine(self.root, self.facts, step, done)
        wrong = complaint or wrong
        self._steps += 1
        last = self._steps % STEPS_PER_PROJECT == 0
        if last and not wrong:
            wrong = subject.examine_next(self.root, self.facts)
        if wrong or last:
            self._renew()
        return wrong or 1


def kills(size: int, random: Random, writer: subject.Writer = store.update_files) -> Verdicts:
    """Fork a child for each step and kill it somewhere between its first instruction and its last.

    A quarter of the children run on a system where files can't change places.
    """
    ways = [store._rename_if] * 3 + [no_exchange]
    with scratch() as folder:
        subject.add("a").run(subject.make(folder / "first"), writer)  # imports what the children need
        gc.freeze()
        usual = usual_seconds(
            lambda: _kill_fork(subject.make(folder / "usual"), subject.add("a"), writer, 9), 15
        )
        target = Target(folder / "project")
        for number in range(size):
            step = subject.some_step(random, f"k{number}", target.facts)
            with patch.object(store, "_rename_if", random.choice(ways)):
                killed = _kill_fork(target.root, step, writer, random.uniform(0, 1.5 * usual))
            yield target.verdict(step, killed)


def usual_seconds(run: Callable[[], object], times: int) -> float:
    """How long it takes to run through."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return median(taken)


def _kill_fork(root: str, step: Step, writer: subject.Writer, seconds: float) -> Killed:
    """Run a step in a child that lives so many seconds; whether it was done, and an error of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            step.run(root, writer)
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
    return said == "done", said.removeprefix("done")


@check("sigkill", counts="killed forks", ci=20_000, long=300_000)
def sigkill(size: int, random: Random) -> Verdicts:
    return in_parallel(kills, size, random)


@control("sigkill", broken="writes in place", size=1000)
def sigkill_in_place(size: int, random: Random) -> Verdicts:
    return kills(size, random, broken.in_place)


def killed_commands(size: int, random: Random, writer: str = "store.update_files") -> Verdicts:
    """Start a whole program for each step and kill it, mostly where it has started up and writes."""
    with scratch() as folder:
        target = Target(folder / "project")
        usual = usual_seconds(lambda: _kill_command(subject.make(folder / "usual"), "a", writer, 9), 5)
        for number in range(size):
            seconds = usual * (random.uniform(0.7, 1.2) if random.random() < 0.8 else random.random())
            label = f"k{number}"
            yield target.verdict(subject.add(label), _kill_command(target.root, label, writer, seconds))


def _kill_command(root: str, label: str, writer: str, seconds: float) -> Killed:
    program = (
        "from qlearn import store; from tests.torture import broken, subject;"
        f"subject.add({label!r}).run({root!r}, {writer}); print('done')"
    )
    command = [sys.executable, "-c", program]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        said, complaint = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        said, complaint = child.communicate()
    return said == "done\n", complaint


@check("sigkill-commands", counts="killed commands", ci=500, long=5000)
def sigkill_commands(size: int, random: Random) -> Verdicts:
    return in_parallel(killed_commands, size, random)


@control("sigkill-commands", broken="writes in place, and slowly", size=100)
def sigkill_commands_in_place(size: int, random: Random) -> Verdicts:
    return killed_commands(size, random, "broken.in_place_and_slowly")
