"""What goes wrong, as values and as exceptions.

    QlearnError            a call that can't succeed: what, where, what now
    |-- DraftError         the text offered for an entry can't be one
    |-- NotFoundError      no entry (or proposal, project) of that name
    |-- RegistryError      the file may not be written as it stands
    `-- StoreError         disk: lock, permission, a file that is none

A flaw in a *file* is no exception but a `Problem`, gathered beside what could be read.
"""

from __future__ import annotations

from .record import NamedTuple


class QlearnError(Exception):
    """The root of what qlearn raises. Its text is one line that a person can act on."""


class DraftError(QlearnError, ValueError):
    """The text offered for an entry would forge, lose or hide something, or names an unknown type."""


class NotFoundError(QlearnError, LookupError):
    """Nothing goes by that name; the message offers the nearest one."""


class RegistryError(QlearnError):
    """The registry holds conflict markers or invalid UTF-8, so no edit of it is safe."""


class StoreError(QlearnError, OSError):
    """A file can't be read, locked or replaced."""


class Problem(NamedTuple):
    """A flaw in a file: where it stands, what it is and what to do about it.

    `lineno` counts from 1; `severity` is "error" (something is not read as its author meant it) or
    "warning" (it is read, but should be written otherwise).
    """

    lineno: int
    message: str
    severity: str = "error"
