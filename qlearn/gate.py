"""What may not enter a registry, although it could be read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import DraftError
from .secrets import find_secrets
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


def refuse_secrets(parts: Mapping[str, str]) -> None:
    """Refuse tokens of known forms, since a registry is committed and shared.

    Raises:
        DraftError: It names the kind of the first of them, and not the token.
    """
    for name, text in parts.items():
        for secret in find_secrets(text):
            raise DraftError(
                f"the {name} holds a secret ({secret.kind}) at character {secret.start + 1}; take it out,"
                " or say --allow-secret if it is none"
            )
