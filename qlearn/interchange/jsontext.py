"""JSON with the places of its values, so that each can be named by its lines."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACE = re.compile(r"[ \t\r\n]*")


class Placed(NamedTuple):
    """A value and where it stands in the text, half open; `key` is its name in an object, else ""."""

    value: Any
    start: int
    end: int
    key: str = ""


def members(text: str, start: int = 0) -> Iterator[Placed]:
    """The members of the object, or the elements of the array, that starts at an offset.

    Raises:
        ValueError: It is no JSON; what stands before the flaw has been yielded.
    """
    at = _after_space(text, start)
    opened = text[at : at + 1]
    if opened not in ("{", "["):
        raise ValueError("neither an object nor an array")
    at = _after_space(text, at + 1)
    while text[at : at + 1] != {"{": "}", "[": "]"}[opened]:
        key, first = "", at
        if opened == "{":
            key, at = _decoded(text, at)
            at = _after_space(text, at)
            if text[at : at + 1] != ":":
                raise ValueError(f"a colon is missing at character {at + 1}")
            at = _after_space(text, at + 1)
        value, end = _decoded(text, at)
        yield Placed(value, first if key else at, end, str(key))
        at = _after_space(text, end)
        if text[at : at + 1] == ",":
            at = _after_space(text, at + 1)
        elif text[at : at + 1] not in ("}", "]"):
            raise ValueError(f"a comma is missing at character {at + 1}")


def start_of_value(text: str, placed: Placed) -> int:
    """Where the value of an object's member starts, behind its name."""
    if not placed.key:
        return placed.start
    _, at = _decoded(text, placed.start)
    return _after_space(text, _after_space(text, at) + 1)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _decoded(text: str, at: int) -> tuple[Any, int]:
    try:
        return json.JSONDecoder().raw_decode(text, at)
    except RecursionError:
        raise ValueError("nested too deep") from None
