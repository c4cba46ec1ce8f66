"""Every state that a disk may be in after a power cut, read back.

The store's system calls are recorded and played to a model of a disk that promises as little as POSIX does:
what was not synced is there, not there, or there in part, in any combination.

- A write that was not synced: absent, whole, zeros of its length, its first half alone or with zeros behind,
  or all but its last byte.
- A change of a folder that was not synced: absent or done, whatever became of those before and after it. A
  rename may leave both names; the new name never has a mixture. An exchange is done or not.
- A sync of a file says nothing about its name, that of a folder nothing about its files.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from qlearn import store

from . import broken, subject
from .harness import Verdicts, check, control, scratch
from .shim import Call, no_exchange, system_calls

if TYPE_CHECKING:
    from random import Random

    from .subject import Facts, Step

Names = dict[str, int | None]
State = Mapping[str, bytes]

QE = ".qe"


class Write(NamedTuple):
    """Bytes go to a file. Files have numbers of their own here, since a disk uses its inodes again."""

    file: int
    at: int
    data: bytes


class Rename(NamedTuple):
    """Names of the folder change, in steps of which the first ones may come through alone."""

    steps: tuple[Names, ...]


class SyncFile(NamedTuple):
    """All that was written to a file so far is on the disk."""

    file: int


class SyncFolder(NamedTuple):
    """All changes of names so far are on the disk."""


class Begin(NamedTuple):
    """A step begins."""

    step: Step


class Done(NamedTuple):
    """The step that began last is acknowledged."""


Operation = Write | Rename | SyncFile | SyncFolder | Begin | Done


class Recorder:
    """Writes down what the store does to the files in `.qe`, and swallows the syncs that *loses* names."""

    def __init__(self, loses: tuple[str, ...] = ()) -> None:
        self.operations: list[Operation] = []
        self._loses = loses
        self._names: dict[str, int] = {}
        self._sizes: list[int] = []
        self._files: dict[int, int] = {}  # by descriptor
        self._folders: set[int] = set()

    def found(self, state: State) -> None:
        """Begin with these files, safe on the disk."""
        for name, data in state.items():
            file = len(self._sizes)
            self._sizes.append(len(data))
            self._rename({name: file})
            self.operations += [Write(file, 0, data), SyncFile(file)]
        self.operations.append(SyncFolder())

    def __call__(self, name: str, call: Call, arguments: tuple[Any, ...]) -> Any:
        if name == "fsync":
            return self._sync(arguments[0], call)
        result = call()
        if name == "open":
            self._opened(result, *arguments[:2])
        elif name == "write":
            self._written(arguments[0], bytes(arguments[1][:result]))
        elif name == "close":
            self._files.pop(arguments[0], None)
            self._folders.discard(arguments[0])
        elif name == "unlink":
            self._rename({arguments[0]: None})
        elif name in ("replace", "rename"):
            source, target = arguments
            self._rename({target: self._names[source]}, {source: None})
        elif name == "renameat2" and result == 0:
            place, source, flag = arguments
            ours, theirs = self._names[source], self._names.get(place.name)
            if flag == store._EXCHANGE:
                self._rename({place.name: ours, source: theirs})
            else:
                self._rename({place.name: ours}, {source: None})
        return result

    def _sync(self, descriptor: int, call: Call) -> None:
        if ("folders" if descriptor in self._folders else "files") in self._loses:
            return
        call()
        folder = descriptor in self._folders
        self.operations.append(SyncFolder() if folder else SyncFile(self._files[descriptor]))

    def _opened(self, descriptor: int, name: str, flags: int) -> None:
        if flags & os.O_DIRECTORY:
            self._folders.add(descriptor)
            return
        if name not in self._names:
            self._sizes.append(0)
            self._rename({name: len(self._sizes) - 1})
        self._files[descriptor] = self._names[name]

    def _written(self, descriptor: int, data: bytes) -> None:
        file = self._files[descriptor]  # each one is written from its start on, or appended to
        self.operations.append(Write(file, self._sizes[file], data))
        self._sizes[file] += len(data)

    def _rename(self, *steps: Names) -> None:
        self.operations.append(Rename(steps))
        for name, file in (pair for step in steps for pair in step.items()):
            if file is None:
                self._names.pop(name, None)
            else:
                self._names[name] = file


def states_after(operations: list[Operation]) -> Iterator[State]:
    """Every state of the folder after a power cut behind these operations; the same one may come twice."""
    safe: dict[int, bytes] = {}
    written: dict[int, list[Write]] = {}
    names: dict[str, int] = {}
    renamed: list[Rename] = []
    for operation in operations:
        if isinstance(operation, Write):
            written.setdefault(operation.file, []).append(operation)
        elif isinstance(operation, SyncFile):
            for write in written.pop(operation.file, []):
                safe[write.file] = _patched(safe.get(write.file, b""), write.at, write.data)
        elif isinstance(operation, Rename):
            renamed.append(operation)
        elif isinstance(operation, SyncFolder):
            for rename in renamed:
                _apply(names, rename.steps)
            renamed = []
    for choice in product(*(range(len(rename.steps) + 1) for rename in renamed)):
        now = dict(names)
        for rename, count in zip(renamed, choice, strict=True):
            _apply(now, rename.steps[:count])
        files = sorted(set(now.values()))
        contents = (_contents(safe.get(file, b""), written.get(file, [])) for file in files)
        for combination in product(*contents):
            held = dict(zip(files, combination, strict=True))
            yield {name: held[file] for name, file in now.items()}


def _apply(names: dict[str, int], steps: tuple[Names, ...]) -> None:
    for name, file in (pair for step in steps for pair in step.items()):
        if file is None:
            names.pop(name, None)
        else:
            names[name] = file


def _contents(safe: bytes, writes: list[Write]) -> set[bytes]:
    """What a file may hold of some writes that were not synced."""
    found = {safe}
    for write in writes:
        size, half = len(write.data), write.data[: len(write.data) // 2]
        parts = {write.data, bytes(size), half, half + bytes(size - len(half)), write.data[:-1]}
        found |= {_patched(content, write.at, part) for content in found for part in parts}
    return found


def _patched(content: bytes, at: int, data: bytes) -> bytes:
    return content[:at].ljust(at, b"\0") + data + content[at + len(data) :]


def record(steps: list[Step], writer: subject.Writer, loses: tuple[str, ...], start: State) -> Recorder:
    """Do the steps, one after the other, and write down what they do to the disk."""
    recorder = Recorder(loses)
    recorder.found(start)
    with scratch() as folder:
        root = put(folder / "project", start)
        with system_calls(recorder):
            for step in steps:
                recorder.operations.append(Begin(step))
                step.run(root, writer)
                recorder.operations.append(Done())
    return recorder


def put(folder: Path, state: State) -> str:
    """Make a project of these files; return its root."""
    root = subject.make(folder)
    for name, data in state.items():
        Path(root, QE, name).write_bytes(data)
    return root


class Cut(NamedTuple):
    """A state of the disk after a power cut, what it owes, and the step that was interrupted."""

    state: State
    promised: Facts
    step: Step | None


def power_cuts(
    steps: list[Step],
    writer: subject.Writer = store.update_files,
    loses: tuple[str, ...] = (),
    start: State = MappingProxyType({}),
    promised: Facts = frozenset(),
) -> Iterator[Cut]:
    """Cut the power behind each operation of the steps: each state that may follow, once."""
    operations = record(steps, writer, loses, start).operations
    first = next(index for index, operation in enumerate(operations) if isinstance(operation, Begin))
    step = None
    seen = set()
    for count, operation in enumerate(operations[first:], first + 1):
        if isinstance(operation, Begin):
            step = operation.step
        elif isinstance(operation, Done) and step:
            promised, step = promised - step.takes | step.gives, None
        for state in states_after(operations[:count]):
            key = (promised, step, frozenset(state.items()))
            if key not in seen:
                seen.add(key)
                yield Cut(state, promised, step)


def look(cuts: Iterable[Cut]) -> Verdicts:
    """See whether each state keeps what it owes, and whether the next writer goes on from it."""
    # A reader gives an empty file 75 ms to fill up; these stay as they are.
    with scratch() as folder, patch.object(time, "sleep", lambda _: None):
        for cut in cuts:
            root = put(folder / "project", cut.state)
            wrong, facts = subject.examine(root, cut.promised, cut.step)
            wrong = wrong or subject.examine_next(root, facts)
            sizes = {name: len(data) for name, data in cut.state.items()}
            yield f"{wrong}; the disk held {sizes}" if wrong else 1
            shutil.rmtree(root)


def adds(count: int) -> list[Step]:
    return [subject.add(f"a{number}") for number in range(count)]


EVERY_WRITER: tuple[Callable[[Facts], Step], ...] = (
    lambda _: subject.add("a"),
    lambda facts: subject.set_context("a", 1, facts),
    lambda _: subject.mark_resolved("a"),
    subject.prune,
    lambda _: subject.add("b"),
    lambda facts: subject.set_context("b", 1, facts),
    lambda facts: subject.set_context("b", 2, facts),
    lambda _: subject.add("c"),
    lambda _: subject.mark_resolved("b"),
    subject.prune,
    lambda _: subject.register("p"),
    lambda _: subject.register("q"),
    lambda _: subject.record("l"),
    lambda _: subject.record("m"),
)


def every_writer() -> list[Step]:
    """Each kind of step at least once: two entries move to an archive that exists, and one before that."""
    steps: list[Step] = []
    facts: Facts = frozenset()
    for make in EVERY_WRITER:
        step = make(facts)
        steps.append(step)
        facts = facts - step.takes | step.gives
    return steps


@check("crash-states", counts="states of every writer", ci=3, long=5)
def crash_states(size: int, random: Random) -> Verdicts:
    yield from look(power_cuts(adds(size)))
    yield from look(power_cuts(every_writer()))
    with patch.object(store, "_rename_if", no_exchange):
        yield from look(power_cuts(adds(size)))
        yield from look(power_cuts(every_writer()))


@check("crash-states-twice", counts="states after two power cuts", ci=1, long=3)
def crash_states_twice(size: int, random: Random) -> Verdicts:
    return twice(size)


def twice(size: int, loses: tuple[str, ...] = ()) -> Verdicts:
    """Cut the power while the writer is at work that comes after a power cut."""
    for cut in power_cuts(adds(size)):
        with scratch() as folder:
            facts = subject.facts_in(put(folder / "project", cut.state))
        yield from look(power_cuts([subject.add("again")], loses=loses, start=cut.state, promised=facts))


@control("crash-states-twice", broken="folders not synced", size=1)
def twice_without_folder_sync(size: int, random: Random) -> Verdicts:
    return twice(size, loses=("folders",))


@control("crash-states", broken="files not synced", size=3)
def without_file_sync(size: int, random: Random) -> Verdicts:
    return look(power_cuts(adds(size), loses=("files",)))


@control("crash-states", broken="folders not synced", size=3)
def without_folder_sync(size: int, random: Random) -> Verdicts:
    return look(power_cuts(adds(size), loses=("folders",)))


@control("crash-states", broken="nothing synced", size=2)
def without_sync(size: int, random: Random) -> Verdicts:
    return look(power_cuts(adds(size), loses=("files", "folders")))


@control("crash-states", broken="registry before archive", size=3)
def registry_first(size: int, random: Random) -> Verdicts:
    return look(power_cuts(every_writer(), broken.registry_first))
