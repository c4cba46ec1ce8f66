"""Values of other tools in the fields of an entry, so that they come back as they were.

A text stands in a field as it is, anything else as YAML on one line: `decode(encode(v)) == v` for all values,
and `encode(decode(t)) == t` for all texts.
"""

from __future__ import annotations

from typing import Any

from qlearn.errors import DraftError
from qlearn.interchange.yamltext import flow, load
from qlearn.learning import FIELDS
from qlearn.registry import clean_label
from qlearn.text import hidden

LABELS = {label.lower(): label for label in FIELDS}
ORIGINAL = "Original"
"""The field for what no other field can hold."""


def encode(value: object) -> str:
    """Write a value as the text of a field."""
    if isinstance(value, str):
        return value if decode(value) == value else _quoted(value)
    return flow(value)


def decode(text: str) -> Any:
    """Read the value that a field's text stands for: what `encode` writes for no other, else the text."""
    if "\n" in text or text[:1] not in _SPECIAL:
        return text
    try:
        value = load(text)
    except ValueError:
        return text
    if isinstance(value, str):
        return value if _quoted(value) == text and decode(value) != value else text
    return value if flow(value) == text else text


def is_label(key: str) -> bool:
    """Whether a key can be the label of a field, from which it is read back as it is."""
    try:
        return key == key.lower() and clean_label(key) == key and not hidden(key)
    except DraftError:
        return False


def same(first: object, second: object) -> bool:
    """Whether two values are equal. Truths are no numbers, and what is no number is equal to itself."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, (int, float)) and isinstance(second, (int, float)):
        return first == second or (first != first and second != second)
    return type(first) is type(second) and first == second


# What YAML can start with that is more than plain text: brackets, quotes, signs, digits, the words for
# truths and for nothing.
_SPECIAL = tuple("[{\"'-+.0123456789~nNyYtTfFoO!")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
