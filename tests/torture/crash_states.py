"""Every state that a disk may be in after a power cut, read back.

The store's system calls are recorded and played to a model of a disk that promises as little as POSIX does:
what was not synced is there, not there, or there in part, in any combination.

- A write that was not synced: absent, whole, zeros of its length, its first half alone or with zeros behind,
  or all but its last byte. (Of three and more to one file, each is absent, whole or half.)
- A change of a folder that was not synced: absent or done, whatever became of those before and after it. A
  rename may leave both names; the new name never has a mixture. An exchange is done or not.
- A sync of a file says nothing about its name, that of a folder nothing about its files.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from qlearn import store

from . import broken, subject
from .harness import Verdicts, check, control, scratch
from .shim import Call, no_exchange, system_calls
from .subject import NOTHING

if TYPE_CHECKING:
    from random import Random

    from .subject import Facts, Step

Names = dict[str, int | None]
State = Mapping[str, bytes]


class Write(NamedTuple):
    """Bytes go to a file. Files have numbers of their own here, since a disk uses its inodes again."""

    file: int
    at: int
    data: bytes


class Rename(NamedTuple):
    """Names of a folder change, in steps of which the first ones may come through alone."""

    steps: tuple[Names, ...]
    folder: str = ""


class SyncFile(NamedTuple):
    """All that was written to a file so far is on the disk."""

    file: int


class SyncFolder(NamedTuple):
    """All changes of the folder's names so far are on the disk."""

    folder: str = ""


class Begin(NamedTuple):
    """A step begins."""

    step: Step


class Done(NamedTuple):
    """The step that began last is acknowledged."""


Operation = Write | Rename | SyncFile | SyncFolder | Begin | Done


class Recorder:
    """Writes down what the store does to the files of a home, and swallows the syncs that *loses* names.

    Files are named by their paths below the home, whose folders are there from the start.
    """

    def __init__(self, home: Path, loses: tuple[str, ...] = ()) -> None:
        self.operations: list[Operation] = []
        self._home = home
        self._loses = loses
        self._names: dict[str, int] = {}
        self._sizes: list[int] = []
        self._files: dict[int, int] = {}  # by descriptor
        self._folders: dict[int, str] = {}

    def found(self, state: State) -> None:
        """Begin with these files, safe on the disk."""
        for name, data in state.items():
            file = len(self._sizes)
            self._sizes.append(len(data))
            self._rename({name: file})
            self.operations += [Write(file, 0, data), SyncFile(file)]
        self.operations += [SyncFolder(folder) for folder in subject.FOLDERS]

    def __call__(self, name: str, call: Call, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if name == "fsync":
            return self._sync(arguments[0], call)
        result = call()
        if name == "open":
            self._opened(result, arguments[0], arguments[1], options.get("dir_fd"))
        elif name == "write":
            self._written(arguments[0], bytes(arguments[1][:result]))
        elif name == "close":
            self._files.pop(arguments[0], None)
            self._folders.pop(arguments[0], None)
        elif name == "unlink":
            self._rename({self._path(arguments[0], options["dir_fd"]): None})
        elif name in ("replace", "rename"):
            source, target = (self._path(each, options["src_dir_fd"]) for each in arguments)
            self._rename({target: self._names[source]}, {source: None})
        elif name == "renameat2" and result == 0:
            place, source, flag = arguments
            self._renamed(self._path(source, place.folder), self._path(place.name, place.folder), flag)
        return result

    def _path(self, name: str, folder: int | None) -> str:
        path = Path(name) if folder is None else Path(self._folders[folder], name)
        return str(path.relative_to(self._home)) if path.is_relative_to(self._home) else str(path)

    def _sync(self, descriptor: int, call: Call) -> None:
        folder = self._folders.get(descriptor)
        if ("files" if folder is None else "folders") in self._loses:
            return
        call()
        if folder is None:
            self.operations.append(SyncFile(self._files[descriptor]))
        else:
            self.operations.append(SyncFolder(str(Path(folder).relative_to(self._home))))

    def _opened(self, descriptor: int, name: str, flags: int, folder: int | None) -> None:
        if flags & os.O_DIRECTORY:
            self._folders[descriptor] = str(Path(self._folders.get(folder or 0, "/"), name))
            return
        path = self._path(name, folder)
        if path not in self._names:
            self._sizes.append(0)
            self._rename({path: len(self._sizes) - 1})
        self._files[descriptor] = self._names[path]

    def _written(self, descriptor: int, data: bytes) -> None:
        file = self._files[descriptor]  # each one is written from its start on, or appended to
        self.operations.append(Write(file, self._sizes[file], data))
        self._sizes[file] += len(data)

    def _renamed(self, source: str, target: str, flag: int) -> None:
        if flag == store._EXCHANGE:
            self._rename({target: self._names[source], source: self._names[target]})
        else:
            self._rename({target: self._names[source]}, {source: None})

    def _rename(self, *steps: Names) -> None:
        folder = str(Path(next(iter(steps[0]))).parent)
        self.operations.append(Rename(steps, folder))
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
                if rename.folder == operation.folder:
                    _apply(names, rename.steps)
            renamed = [rename for rename in renamed if rename.folder != operation.folder]
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
        parts = {write.data, half + bytes(size - len(half))}
        if len(writes) < 3:
            parts |= {bytes(size), half, write.data[:-1]}
        found |= {_patched(content, write.at, part) for content in found for part in parts}
    return found


def _patched(content: bytes, at: int, data: bytes) -> bytes:
    return content[:at].ljust(at, b"\0") + data + content[at + len(data) :]


def record(
    steps: Iterable[Step], writer: subject.Writer, loses: tuple[str, ...], start: State
) -> list[Operation]:
    """Do the steps, one after the other, and write down what they do to the disk."""
    with scratch() as folder:
        recorder = Recorder(folder, loses)
        recorder.found(start)
        put(folder, start)
        with system_calls(recorder):
            for step in steps:
                recorder.operations.append(Begin(step))
                subject.run(step, folder, writer)
                recorder.operations.append(Done())
    return recorder.operations


def put(home: Path, state: State) -> None:
    """Make a home of these files."""
    subject.make(home)
    for name, data in state.items():
        (home / name).write_bytes(data)


class Cut(NamedTuple):
    """A state of the disk after a power cut, what it owes, what it may hold, and the interrupted step."""

    state: State
    promised: Facts
    maybe: Facts
    step: Step | None


def power_cuts(
    steps: Iterable[Step],
    writer: subject.Writer = store.update_files,
    loses: tuple[str, ...] = (),
    start: State = MappingProxyType({}),
    promised: Facts = NOTHING,
) -> Iterator[Cut]:
    """Cut the power behind each operation of the steps: each state that may follow, once."""
    operations = record(steps, writer, loses, start)
    first = next(index for index, operation in enumerate(operations) if isinstance(operation, Begin))
    step, maybe = None, NOTHING
    seen = set()
    for count, operation in enumerate(operations[first:], first + 1):
        if isinstance(operation, Begin):
            step = operation.step
        elif isinstance(operation, Done) and step:
            if step.durable:
                promised = promised - step.ends | step.gives
            else:
                maybe |= step.gives
            step = None
        for state in states_after(operations[:count]):
            key = (promised, step, frozenset(state.items()))
            if key not in seen:
                seen.add(key)
                yield Cut(state, promised, maybe, step)


def look(cuts: Iterable[Cut]) -> Verdicts:
    """See whether each state keeps what it owes, and whether the next writer goes on from it."""
    # A reader gives an empty file 75 ms to fill up; these stay as they are.
    with patch.object(time, "sleep", lambda _: None), scratch() as folder:
        for number, cut in enumerate(cuts):
            home = folder / str(number)
            put(home, cut.state)
            wrong, facts = subject.examine(home, cut.promised, cut.step, maybe=cut.maybe)
            wrong = wrong or subject.examine_next(home, facts)
            sizes = {name: len(data) for name, data in cut.state.items()}
            yield f"{wrong}; the disk held {sizes}" if wrong else 1
            shutil.rmtree(home)


def adds(count: int) -> list[Step]:
    """The same step several times."""
    return [subject.add(f"a{number}") for number in range(count)]


@check("crash-states", counts="states", ci=5, long=5)
def crash_states(size: int, random: Random) -> Verdicts:
    for rename in (store._rename_if, no_exchange):
        with patch.object(store, "_rename_if", rename):
            yield from look(power_cuts(adds(size)))
            for makes in subject.FILES:
                yield from look(power_cuts(subject.made(makes)))


@check("crash-states-twice", counts="states after two power cuts", ci=3, long=3)
def crash_states_twice(size: int, random: Random) -> Verdicts:
    return twice(size)


def twice(size: int, loses: tuple[str, ...] = ()) -> Verdicts:
    """Cut the power while the writer is at work that comes after a power cut."""
    for cut in power_cuts(adds(size)):
        with scratch() as home:
            put(home, cut.state)
            facts = subject.facts_in(home)
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
    return look(power_cuts(subject.made(subject.IN_THE_PROJECT), broken.registry_first))
