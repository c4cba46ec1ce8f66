"""The system calls of the store, stopped on their way."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

from qlearn import place, store

from . import broken

Call = Callable[[], Any]
Around = Callable[[str, Call, tuple[Any, ...], dict[str, Any]], Any]

_CALLS = frozenset(
    "access close fchmod fchown flock fsync fstat listdir lseek mkdir open read readlink rename replace stat"  # noqa: SIM905
    " unlink write".split()
)


class _Module:
    """Stands for a module; its system calls go through *around*."""

    def __init__(self, module: object, around: Around) -> None:
        self._module = module
        self._around = around

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._module, name)
        if name not in _CALLS:
            return real
        return lambda *args, **options: self._around(name, partial(real, *args, **options), args, options)


def no_exchange(*_: object) -> int:
    """What a system answers on which files can't change places."""
    return errno.ENOSYS


@contextmanager
def system_calls(around: Around) -> Iterator[None]:
    """Send each system call of the store through `around(name, call, arguments, options)`.

    *around* does it by `call()`, or something else. The exchange of two files is called "renameat2" and has
    the place, the other name and a flag as arguments. Pauses are skipped.
    """
    exchange = store._rename_if

    def exchange_around(*arguments: Any) -> Any:
        return around("renameat2", partial(exchange, *arguments), arguments, {})

    with ExitStack() as patches:
        for module in (store, place, broken):
            patches.enter_context(patch.object(module, "os", _Module(os, around)))
        patches.enter_context(patch.object(store, "fcntl", _Module(fcntl, around)))
        patches.enter_context(patch.object(store, "_rename_if", exchange_around))
        patches.enter_context(patch.object(time, "sleep", lambda _: None))
        yield
