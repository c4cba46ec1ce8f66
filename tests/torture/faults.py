"""A disk that fails, at each system call in turn."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from qlearn import store
from qlearn.errors import StoreError

from . import broken, subject
from .harness import SkippedError, Verdicts, at_once, check, control, has_time, processors, scratch
from .shim import Call, system_calls

if TYPE_CHECKING:
    from random import Random

    from .subject import Facts, Step

ERRORS = (errno.ENOSPC, errno.EIO, errno.EINTR, errno.EROFS, errno.EDQUOT)

KINDS = (
    "add",
    "prune",
    "amend",
    "resolve",
    "import",
    "propose",
    "accept",
    "project",
    "ledger",
    "observation",
)


class Fault:
    """Lets one call fail: before it does anything, or, for "close" and every other write, afterwards."""

    def __init__(self, number: int, code: int) -> None:
        self._left = number
        self._code = code
        self.failed = ""

    def __call__(self, name: str, call: Call, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        self._left -= 1
        if self._left:
            return call()
        self.failed = name
        if name == "renameat2":
            return self._code
        if name == "close":
            call()
        if name == "write":
            descriptor, data = arguments
            os.write(descriptor, bytes(data)[: len(data) // 2])
        raise OSError(self._code, os.strerror(self._code))


def faults(
    size: int, writer: subject.Writer = store.update_files, codes: tuple[int, ...] = ERRORS
) -> Verdicts:
    """Repeat the first kinds of step until each of their system calls has failed in each way."""
    with scratch() as folder:
        home = subject.make(folder / "home")
        facts = subject.NOTHING
        for make in subject.EVERY_KIND:
            step = make(facts)
            for code in codes if step.name in KINDS[:size] else ():
                yield from _each_call(home, folder / "copy", facts, step, code, writer)
            step.do(home)
            facts = facts - step.ends | step.gives


def _each_call(
    home: Path, copy: Path, facts: Facts, step: Step, code: int, writer: subject.Writer
) -> Verdicts:
    for number in range(1, 1000):
        shutil.copytree(home, copy)
        fault = Fault(number, code)
        descriptors = _open_descriptors()
        with system_calls(fault):
            said = said_by(step, copy, writer)
        if fault.failed:
            wrong = judge(copy, facts, step, said)
            if not wrong and _open_descriptors() != descriptors:
                wrong = "a descriptor stays open"
            yield f"{errno.errorcode[code]} at {fault.failed} ({number}): {wrong}" if wrong else 1
        shutil.rmtree(copy)
        if not fault.failed:
            return


def said_by(step: Step, home: Path, writer: subject.Writer) -> str | None:
    """The error that a step gives; None where it is done."""
    try:
        subject.run(step, home, writer)
    except StoreError as error:
        return str(error)
    except Exception as error:
        return f"not explained: {error!r}"
    return None


def _open_descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def judge(home: Path, facts: Facts, step: Step, said: str | None) -> str:
    """Whether what was *said* (None: it is done) is what happened, and the next writer goes on."""
    wrong, found = subject.examine(home, facts, step, done=said is None)
    if said is not None and said.startswith("not explained"):
        wrong = said
    elif said is not None and not wrong:
        happened = step.gives <= found
        claimed = "durability unknown" in said or ("; written: " in said and "not written: none" in said)
        denied = any(f"{what} not " in said or f"{what} nothing" in said for what in ("was", "; it was"))
        denied = denied or "nothing was written" in said
        if (claimed and not happened) or (denied and happened and not step.gives <= facts):
            wrong = f"{step.name} said {said!r}, which is not so"
        elif not (claimed or denied or "written: " in said or "its end is lost" in said):
            wrong = f"{step.name} does not say what was written: {said!r}"
    return wrong or subject.examine_next(home, found)


@check("faults", counts="failed calls", ci=len(KINDS), long=len(KINDS))
def every_fault(size: int, random: Random) -> Verdicts:
    return at_once([faults(size, codes=ERRORS[n :: processors()]) for n in range(processors())])


@control("faults", broken="writes in place", size=1)
def faults_in_place(size: int, random: Random) -> Verdicts:
    return faults(size, broken.in_place)


@control("faults", broken="says nothing", size=1)
def faults_unsaid(size: int, random: Random) -> Verdicts:
    return faults(size, broken.careless)


# The same with real system calls of a whole program

CALLS = tuple(
    "openat newfstatat fstat read write fsync rename renameat renameat2 unlinkat flock lseek close getdents64"  # noqa: SIM905
    " fchmod faccessat".split()
)

MARK = "/qlearn-torture-mark"


class RealFault(NamedTuple):
    """A step, how a program gets it, and which of its calls fails with what."""

    step: Step
    source: str
    call: str
    number: int
    error: str


SOURCES = (
    "add('c')",
    "prune(frozenset({'resolved a'}))",
    "set_context('b', 1, frozenset())",
    "bring_in(['c', 'd'])",
    "accept('p')",
    "note_project('p')",
    "count_use('l')",
    "observe('s')",
)


def real_faults(size: int, random: Random, writer: str = "store.update_files") -> Verdicts:
    """Let calls of whole programs fail, one in each: so many of all the possible ones."""
    if not shutil.which("strace"):
        raise SkippedError("no strace")
    with scratch() as folder:
        home = subject.make(folder / "home")
        facts = subject.NOTHING
        for step in (subject.add("a"), subject.mark_resolved("a"), subject.add("b"), subject.propose("p")):
            step.do(home)
            facts |= step.gives
        faults = [
            RealFault(eval(source, vars(subject)), source, call, number, errno.errorcode[code])
            for source in SOURCES
            for call, number in calls_in(_trace(home, folder, source, writer))
            for code in ERRORS
        ]
        chosen = random.sample(faults, min(size, len(faults)))
        parts = [chosen[n :: processors()] for n in range(processors())]
        yield from at_once(
            [_fail(home, folder / str(n), facts, part, writer) for n, part in enumerate(parts)]
        )


def _fail(home: Path, folder: Path, facts: Facts, faults: list[RealFault], writer: str) -> Verdicts:
    for step, source, call, number, error in faults:
        if not has_time():
            return
        fault = f"inject={call}:error={error}:when={number}"
        said = _run(home, folder, source, writer, "-o", os.devnull, "-e", f"trace={call}", "-e", fault)
        wrong = judge(folder / "home", facts, step, None if said == "done" else said)
        yield f"{fault}: {wrong}" if wrong else 1
        shutil.rmtree(folder)


def _trace(home: Path, folder: Path, source: str, writer: str) -> str:
    log = folder / "log"
    _run(
        home, folder / "traced", source, writer, "-o", str(log), "-e", f"trace={','.join((*CALLS, 'access'))}"
    )
    shutil.rmtree(folder / "traced")
    return log.read_text()


def _run(home: Path, folder: Path, source: str, writer: str, *options: str) -> str:
    """Run a step under strace on a copy of the home, between two marks; what it says."""
    for copy in ("home", "first"):
        shutil.copytree(home, folder / copy)
    program = (
        "import os, pathlib; from qlearn import store; from tests.torture import broken, subject\n"
        f"step = subject.{source}; step.do(pathlib.Path({str(folder / 'first')!r}))\n"  # imports all
        f"os.access({MARK!r}, os.F_OK)\n"
        f"try: subject.run(step, pathlib.Path({str(folder / 'home')!r}), {writer})\n"
        "except store.StoreError as error: os.write(1, str(error).encode())\n"
        "else: os.write(1, b'done')\n"
        f"os.access({MARK!r}, os.F_OK); os._exit(0)"
    )
    command = ["strace", "-qq", *options, sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True)
    return f"not explained: {done.stderr}" if done.stderr else done.stdout


def calls_in(log: str) -> list[tuple[str, int]]:
    """The calls between the two marks, but for that which prints; each with its number among its like."""
    before, during, _ = log.split(f'access("{MARK}"')
    seen = Counter(re.findall(r"^([a-z0-9]+)\(", before, re.MULTILINE))
    calls = []
    for name in re.findall(r"^([a-z0-9]+)\((?!1, \"done)", during, re.MULTILINE):
        seen[name] += 1
        calls.append((name, seen[name]))
    return calls


@check("faults-strace", counts="failed calls of programs", ci=80, long=10_000, seconds=12)
def every_real_fault(size: int, random: Random) -> Verdicts:
    return real_faults(size, random)


@control("faults-strace", broken="says nothing", size=32)
def real_faults_unsaid(size: int, random: Random) -> Verdicts:
    return real_faults(size, random, "broken.careless")
