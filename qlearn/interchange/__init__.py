"""Learnings in other shapes: one module a format, and what all of them share.

The module of a format that can be read has

    recognises(path, text) -> int       how surely a file is its own: 2 surely, 1 perhaps, 0 not
    belongs(path, paths) -> bool        whether it belongs to files that are, by its name (if need be)
    read(files) -> Reading              texts by their paths, with slashes -> drafts, and what was passed over

and that of one that can be written

    write(text, entries) -> files       some entries of a registry -> texts by their paths

and that of a view, which is made to be read and not to be imported again,

    write(entries, frame) -> files      some entries, and where and when they are shown

A format of one file reads each file it is given and writes a single one. Drafts come into a registry by
`qlearn.interchange.intake.take_in`, whatever their format.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from qlearn.errors import NotFoundError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from types import ModuleType

READABLE = {
    "md": "markdown",
    "json": "json",
    "mistake": "mistakes",
    "self-improving": "self_improving",
    "jules": "jules",
    "openwolf": "openwolf",
    "decisions": "decisions",
    "solutions": "solutions",
    "claude-memory": "claude_memory",
    "instincts": "instincts",
    "jsonl": "jsonl",
    "session-learning": "session_learning",
    "lessons": "lessons",
}
"""The module of each format that can be imported, by its name; of two equally sure ones the first counts."""

WRITABLE = {
    "md": "markdown",
    "json": "json",
    "instincts": "instincts",
    "session-learning": "session_learning",
}
"""The module of each format that can be exported."""


VIEWS = {"html": "html", "agents-md": "agents_md"}
"""The module of each format that shows learnings to people or clients."""


class Frame(NamedTuple):
    """What a view needs beside learnings: their project's name, the time, and how many are many."""

    name: str
    now: datetime
    top: int


class Draft(NamedTuple):
    """An entry as another file words it.

    `fields` maps labels to raw values. `number` is the one it asks for, 0 for the next free one; `markdown`
    the entry as it stands in a registry, "" if it comes from elsewhere. `path` and `lineno` say where, `last`
    is its last line (0 if that is not known), `old_id` what it is called there. `aside` says why it is only
    taken when asked for, "" if it is not left aside. One that `waits` is only proposed.
    """

    title: str
    fields: Mapping[str, str]
    resolved: bool = False
    number: int = 0
    markdown: str = ""
    path: str = ""
    lineno: int = 1
    last: int = 0
    old_id: str = ""
    aside: str = ""
    waits: bool = False


class Passed(NamedTuple):
    """What was not read from a file, or not as it may be meant.

    `text` holds the lines that became no draft, "" where the problem is with one that did.
    """

    path: str
    problem: Problem
    text: str = ""


class Reading(NamedTuple):
    """What some files hold: drafts in their order, what was passed over, and the files that are broken."""

    drafts: tuple[Draft, ...]
    passed: tuple[Passed, ...] = ()
    broken: tuple[str, ...] = ()


def reader(name: str) -> ModuleType:
    """Load the module that reads a format.

    Raises:
        NotFoundError: There is none of that name.
    """
    return _load(name, READABLE)


def writer(name: str) -> ModuleType:
    """Load the module that writes a format.

    Raises:
        NotFoundError: There is none of that name.
    """
    return _load(name, WRITABLE)


def view(name: str) -> ModuleType:
    """Load the module that shows learnings in a format.

    Raises:
        NotFoundError: There is none of that name.
    """
    return _load(name, VIEWS)


def recognise(path: str, text: str) -> tuple[str, int]:
    """Name the format that a file is most surely of, and how surely: 2 or 1; "" and 0 where it is of none."""
    best = ("", 0)
    for name in READABLE:
        sure = int(reader(name).recognises(path, text))
        if sure > best[1]:
            best = (name, sure)
    return best


def sort(files: Mapping[str, str], *, least: int = 1) -> dict[str, dict[str, str]]:
    """Sort files by the formats they are of, in the order of `READABLE`; those of none are left out.

    A damaged file that belongs to others of a format goes with them.

    Args:
        least: How surely a file has to be of its format.
    """
    found: dict[str, dict[str, str]] = {name: {} for name in READABLE}
    for path, text in files.items():
        name, sure = recognise(path, text)
        if sure >= least:
            found[name][path] = text
    rest = files.keys() - {path for texts in found.values() for path in texts}
    for name, texts in found.items():
        if texts and (belongs := getattr(reader(name), "belongs", None)):
            theirs = {path for path in rest if belongs(path, texts)} | texts.keys()
            found[name] = {path: text for path, text in files.items() if path in theirs}
    return {name: texts for name, texts in found.items() if texts}


def is_empty_export(text: str) -> bool:
    """Whether a text is what an export of no learnings writes."""
    return text.split() in _empty_exports()


@cache
def _empty_exports() -> list[list[str]]:
    return [text.split() for name in WRITABLE for text in writer(name).write("", ()).values()]


def _load(name: str, modules: Mapping[str, str]) -> ModuleType:
    from importlib import import_module

    if name not in modules:
        raise NotFoundError(f"no format '{name}'; there are {', '.join(modules)}")
    return import_module(f"{__name__}.{modules[name]}")
