"""What may not enter a registry, although it could be read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import DraftError
from .text import hidden

if TYPE_CHECKING:
    from collections.abc import Mapping


def refuse_hidden(parts: Mapping[str, str]) -> None:
    """Refuse characters that a reader can't see, or that a terminal would obey.

    Args:
        parts: Texts, by what to call each of them.

    Raises:
        DraftError: It names the first of them and where it stands.
    """
    for name, text in parts.items():
        for mark in hidden(text):
            raise DraftError(f"the {name} holds {mark.name} at character {mark.start + 1}; take it out")
