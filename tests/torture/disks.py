"""A disk without room, and one that can't be written."""

from __future__ import annotations

import errno
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from qlearn import store

from . import broken, subject
from .faults import judge, said_by
from .harness import SkippedError, Verdicts, check, control, scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from random import Random


PAGE = 4096


@contextmanager
def small_disk(options: str) -> Iterator[Path]:
    """A file system of its own in memory."""
    with scratch() as folder:
        mounted = _mount("-t", "tmpfs", "-o", options, "tmpfs", str(folder))
        if mounted:
            raise SkippedError(f"can't mount: {mounted}")
        try:
            yield folder
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _mount(*arguments: str) -> str:
    try:
        return subprocess.run(["mount", *arguments], capture_output=True, text=True).stderr.strip()
    except FileNotFoundError as error:
        return str(error)


def fill_pages(folder: Path, left: int) -> None:
    """Fill the disk but for so many pages."""
    with (folder / "filler").open("wb", buffering=0) as file:
        try:
            while file.write(bytes(PAGE)):
                pass
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
        file.truncate(max(0, file.tell() - left * PAGE))


def fill_names(folder: Path, left: int) -> None:
    """Use up all inodes of the disk but for so many."""
    (folder / "filler").mkdir()
    names = (folder / "filler" / str(number) for number in range(100_000))
    try:
        for name in names:
            name.touch()
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
    for name in list((folder / "filler").iterdir())[:left]:
        name.unlink()


def full(
    size: int, options: str, fill: Callable[[Path, int], None], writer: subject.Writer = store.update_files
) -> Verdicts:
    """Do each kind of step on a disk with no room, a little more, and so on."""
    for left in range(size):
        facts = subject.NOTHING
        with small_disk(options) as folder:
            home = subject.make(folder / "home")
            for make in subject.EVERY_KIND:
                step = make(facts)
                fill(folder, left)
                said = said_by(step, home, writer)
                filler = folder / "filler"
                if filler.is_dir():
                    shutil.rmtree(filler)
                else:
                    filler.unlink()
                wrong, facts = subject.examine(home, facts, step, done=said is None)
                wrong = wrong or judge(home, facts - step.gives | step.ends, step, said)
                yield f"with {left} left: {wrong}" if wrong else 1
                if wrong:
                    break
                facts |= {"entry next"}
                if said is not None:
                    step.do(home)
                    facts = facts - step.ends | step.gives


@check("full-disk", counts="steps on full disks", ci=14, long=14)
def full_disks(size: int, random: Random) -> Verdicts:
    yield from full(size, "size=128k", fill_pages)
    yield from full(size, "nr_inodes=100", fill_names)


@control("full-disk", broken="writes in place", size=3)
def full_disks_in_place(size: int, random: Random) -> Verdicts:
    return full(size, "size=128k", fill_pages, broken.in_place)


@check("read-only-disk", counts="steps", ci=1, long=1)
def read_only(size: int, random: Random) -> Verdicts:
    return unwritable(store.update_files)


def unwritable(writer: subject.Writer) -> Verdicts:
    """Do each kind of step on a disk that is mounted to be read only."""
    with small_disk("size=1m") as folder:
        home = subject.make(folder / "home")
        facts = subject.NOTHING
        for make in subject.EVERY_KIND:
            step = make(facts)
            _mount("-o", "remount,ro", str(folder))
            said = said_by(step, home, writer)
            wrong, _ = subject.examine(home, facts, step, done=said is None)
            if said is not None and "Read-only file system" not in said:
                wrong = f"{step.name} said {said!r}"
            yield wrong or 1
            _mount("-o", "remount,rw", str(folder))
            step.do(home)
            facts = subject.facts_in(home)


@control("read-only-disk", broken="says nothing", size=1)
def read_only_unsaid(size: int, random: Random) -> Verdicts:
    return unwritable(broken.careless)
