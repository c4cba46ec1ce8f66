"""Learnings in other shapes: one module a format, and what all of them share.

A format module has, as far as it can,

    recognises(path, text) -> bool      whether a file looks like its own; `path` is relative, with slashes
    read(files) -> Reading              texts by their paths -> drafts, and what was passed over
    write(text, entries) -> files       some entries of a registry -> texts by their paths

A format of one file reads each file it is given and writes a single one. Drafts come into a registry by
`qlearn.interchange.intake.take_in`, whatever their format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from qlearn.errors import NotFoundError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

FORMATS = {
    "md": "markdown",
    "json": "json",
    "mistake": "mistakes",
}
"""The module of each format, by the name people give it; the order in which they are asked."""


class Draft(NamedTuple):
    """An entry as another file words it.

    `fields` maps labels to raw values. `number` is the one it asks for, 0 for the next free one; `markdown`
    the entry as it stands in a registry, "" if it comes from elsewhere. `path` and `lineno` say where.
    """

    title: str
    fields: Mapping[str, str]
    resolved: bool = False
    number: int = 0
    markdown: str = ""
    path: str = ""
    lineno: int = 1


class Passed(NamedTuple):
    """What was not read from a file, or not as it may be meant."""

    path: str
    problem: Problem


class Reading(NamedTuple):
    """What some files hold: drafts in their order, and what was passed over."""

    drafts: tuple[Draft, ...]
    passed: tuple[Passed, ...] = ()


def get(name: str) -> ModuleType:
    """Load the module of a format.

    Raises:
        NotFoundError: There is none of that name.
    """
    from importlib import import_module

    if name not in FORMATS:
        raise NotFoundError(f"no format '{name}'; there are {', '.join(FORMATS)}")
    return import_module(f"{__name__}.{FORMATS[name]}")


def readable() -> tuple[str, ...]:
    """The names of the formats that can be imported."""
    return tuple(name for name in FORMATS if hasattr(get(name), "read"))


def writable() -> tuple[str, ...]:
    """The names of the formats that can be exported."""
    return tuple(name for name in FORMATS if hasattr(get(name), "write"))


def recognise(files: Mapping[str, str]) -> str | None:
    """Name the first format that takes one of some files for its own."""
    for name in readable():
        if any(get(name).recognises(path, text) for path, text in files.items()):
            return name
    return None
