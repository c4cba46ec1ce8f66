"""YAML as people keep it: where the items of a list stand, and edits that leave all other bytes alone."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from qlearn.interchange.keeping import same
from qlearn.interchange.yamltext import block, flow, read
from qlearn.lines import line_ending

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import yaml

_HEADER = re.compile(r"[|>][0-9+-]*([ \t]+#[^\r\n]*)")
_KEYS, _ITEMS = 3, 2
"""How deep an edit of a mapping with a list goes: to the keys of an item, or to the item as a whole."""


class Item(NamedTuple):
    """An item of a list, and its lines, half open from 0.

    `repeated` are the keys that stand in it more than once; of these, the last counts.
    """

    value: Any
    start: int
    end: int
    repeated: tuple[str, ...] = ()


def sequence(text: str, key: str) -> list[Item] | None:
    """The items of the list that the key of a mapping holds, with their lines; None if it holds no list.

    Nothing at all behind the key is an empty list.

    Raises:
        ValueError: It is no YAML, or the key stands there twice.
    """
    whole, root = read(text)
    if root is None or not isinstance(whole, dict) or key not in whole:
        return None
    values = [] if whole[key] is None else whole[key]
    if not isinstance(values, list):
        return None
    nodes = [node for name, node in root.value if name.value == key]
    if len(nodes) != 1:
        raise ValueError(f"the key {key} stands there twice")
    starts = [0, *accumulate(map(len, _lines(text)))]
    return [
        Item(
            value,
            bisect_right(starts, node.start_mark.index) - 1,
            bisect_right(starts, max(_end(node, text) - 1, node.start_mark.index)),
            tuple(_repeated(node)),
        )
        for value, node in zip(values, nodes[0].value, strict=bool(values))
    ]


def without(text: str, key: str, numbers: Collection[int]) -> str | None:
    """Take items with lines of their own out of the list that a key holds; None where that loses a comment.

    Raises:
        ValueError: As `sequence`.
    """
    items, lines = sequence(text, key) or [], _lines(text)
    for number in sorted(numbers, reverse=True):
        start, end = items[number].start, items[number].end
        piece = "".join(lines[start:end])
        if "#" in piece or not piece.lstrip().startswith("- "):
            return None
        del lines[start:end]
    return "".join(lines)


def revise(text: str, value: object) -> str | None:
    """Change YAML so that it reads as another value; what did not change keeps its bytes and its comments.

    The items of lists keep their order, and new ones follow them.

    Returns:
        None where that would lose a comment or a key that stands twice, or would read as something else.

    Raises:
        ValueError: The text is no YAML.
    """
    old, root = read(text)
    if root is None:
        return None
    if same(old, value):
        return text
    newline = line_ending(text)
    for depth in (_KEYS, _ITEMS):
        try:
            result, at = "", 0
            for start, end, piece in sorted(_edits(text, root, old, value, depth), key=itemgetter(0)):
                result += text[at:start] + piece.replace("\n", newline)
                at = end
            result += text[at:]
            if not result.endswith(("\n", "\r")):
                result += newline
            if same(read(result)[0], value):
                return result
        except (_TooCoarseError, ValueError):
            continue
    return None


class _TooCoarseError(Exception):
    """An edit would replace something that has to stay."""


class _Edit(NamedTuple):
    """Characters to replace, half open, and by what."""

    start: int
    end: int
    piece: str


def _edits(text: str, node: yaml.Node, old: Any, new: Any, depth: int) -> Iterator[_Edit]:
    """The edits that make a mapping or a list of lines another one.

    Raises:
        _TooCoarseError: It can't be made the other one by edits of its parts.
    """
    if isinstance(old, dict) and isinstance(new, dict) and _in_lines(node, old):
        yield from _in_mapping(text, node, old, new, depth)
    elif isinstance(old, list) and isinstance(new, list) and _in_lines(node, old) and len(old) <= len(new):
        yield from _in_list(text, node, old, new, depth)
    else:
        raise _TooCoarseError


def _in_lines(node: yaml.Node, old: Collection[Any]) -> bool:
    """Whether a collection has lines of its own, and all its parts stand in them, each once."""
    return _is_block(node) and len(node.value) == len(old) and not any(_repeated(node, deep=False))


def _in_mapping(text: str, node: yaml.Node, old: Any, new: Any, depth: int) -> Iterator[_Edit]:
    column = node.start_mark.column
    for (name, part), key in zip(node.value, old, strict=True):
        if part.start_mark.index < name.end_mark.index:
            raise _TooCoarseError  # a reference: what it means stands elsewhere
        if key not in new:
            start = text.rfind("\n", 0, name.start_mark.index) + 1
            end = _end_of_line(text, _end(part, text))
            if text[start : name.start_mark.index].strip() or "#" in text[start:end]:
                raise _TooCoarseError
            yield _Edit(start, min(end + 1 + (text[end : end + 2] == "\r\n"), len(text)), "")
        elif not same(old[key], new[key]):
            yield from _replaced(text, part, old[key], new[key], depth, _after(key, new[key], column))
    stay = [part for (_, part), key in zip(node.value, old, strict=True) if key in new]
    if not stay:
        raise _TooCoarseError
    at = _end_of_line(text, _end(stay[-1], text))
    for key in new:
        if key not in old:
            yield _Edit(at, at, f"\n{' ' * column}{flow(key)}:{_after(key, new[key], column)}")


def _in_list(text: str, node: yaml.Node, old: Any, new: Any, depth: int) -> Iterator[_Edit]:
    parts = node.value
    for part, before, after in zip(parts, old, new, strict=False):
        if not same(before, after):
            column = part.start_mark.column
            yield from _replaced(text, part, before, after, depth, f" {_item(after, column)}")
    at = _end_of_line(text, _end(node, text))
    dash = node.start_mark.column
    gap = len(parts) > 1 and re.search(
        r"\n[ \t]*\r?\n", text[_end(parts[-2], text) : parts[-1].start_mark.index]
    )
    for value in new[len(old) :]:
        yield _Edit(at, at, f"{chr(10) if gap else ''}\n{' ' * dash}- {_item(value, dash + 2)}")


def _replaced(text: str, node: yaml.Node, old: Any, new: Any, depth: int, piece: str) -> Iterator[_Edit]:
    """The edits for a value: those of its parts or, where it has none or is deep enough, the whole of it.

    Args:
        piece: The new value as it follows `:` or `-`.
    """
    if depth > 1:
        try:
            yield from list(_edits(text, node, old, new, depth - 1))
        except _TooCoarseError:
            pass
        else:
            return
    start, end = node.start_mark.index, _end(node, text)
    header = _HEADER.match(text, start)
    if isinstance(node.value, list) and ("#" in text[start:end] or any(_repeated(node))):
        raise _TooCoarseError
    is_long = getattr(node, "style", None) in ("|", ">")
    if is_long and not header and "#" in text[start : _end_of_line(text, start)]:
        raise _TooCoarseError  # a comment behind a tag and a mark: `!!str | # why`
    first, newline, rest = piece.partition("\n")
    while start and text[start - 1] in " \t" and not first:
        start -= 1
    if start and text[start - 1] in " \t":
        first = first.removeprefix(" ")
    tail = text[end : _end_of_line(text, end)] if newline else ""
    yield _Edit(start, end + len(tail), f"{first}{header[1] if header else ''}{tail}{newline}{rest}")


def _after(key: object, value: object, column: int) -> str:
    """What follows a key and its colon."""
    written, start = block({key: value}), f"{flow(key)}:"
    if not written.startswith(start):
        raise _TooCoarseError  # a key that needs a line for itself
    return _indented(written.removeprefix(start), column)


def _item(value: object, column: int) -> str:
    """What follows a dash; its further lines start at the column."""
    written = block([value])
    if not written.startswith("- "):  # a list of short values, on one line
        return flow(value)
    return _indented(written.removeprefix("- "), max(column - 2, 0))


def _indented(written: str, columns: int) -> str:
    """Move all lines but the first to the right, and leave the end to the text around."""
    first, *rest = written.rstrip("\n").split("\n")
    return "\n".join([first, *(" " * columns + line if line else "" for line in rest)])


def _is_block(node: yaml.Node) -> bool:
    """Whether a collection has lines of its own; of a list that is not indented, PyYAML does not say so."""
    return isinstance(node.value, list) and not getattr(node, "flow_style", False)


def _repeated(node: yaml.Node, *, deep: bool = True) -> Iterator[str]:
    """The keys that stand twice in a mapping, or in those within it."""
    if not isinstance(node.value, list):
        return
    met: set[tuple[str, str]] = set()
    for part in node.value:
        name, value = part if isinstance(part, tuple) else (None, part)
        if name is not None and name.start_mark.index < node.start_mark.index:
            continue  # `<<` has merged it in from elsewhere
        if name is not None and isinstance(name.value, str):
            if (name.tag, name.value) in met:
                yield name.value
            met.add((name.tag, name.value))
        if deep:
            yield from _repeated(value)


def _lines(text: str) -> list[str]:
    """The lines of a text with their ends."""
    return re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)


def _end(node: yaml.Node, text: str) -> int:
    """Where the text of a node ends, without the blank lines and comments behind it."""
    if node.value and _is_block(node):
        last = node.value[-1]
        before, part = last if isinstance(last, tuple) else ([node, *node.value][-2], last)
        if part.start_mark.index >= before.start_mark.index and part is not before:
            return _end(part, text)
        if isinstance(last, tuple):  # a reference: what it means stands elsewhere
            return _end_of_line(text, before.end_mark.index)
    start, end = node.start_mark.index, node.end_mark.index
    return start + len(text[start:end].rstrip(" \t\r\n"))


def _end_of_line(text: str, at: int) -> int:
    found = re.compile(r"[\r\n]|\Z").search(text, at)
    return found.start() if found else len(text)
