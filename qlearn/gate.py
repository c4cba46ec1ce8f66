"""What may not enter a registry, although it could be read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import DraftError
from .secrets import find_secrets
from .text import hidden

if TYPE_CHECKING:
    from collections.abc import Mapping

ALLOWED = {"Secret": "allowed"}
"""The field that records that somebody let a secret in."""


def admit(parts: Mapping[str, str], *, allow_secret: bool = False) -> bool:
    """Refuse characters that can't be seen or that a terminal would obey, and tokens of known forms.

    Args:
        parts: Texts, by what to call each of them.
        allow_secret: Let what looks like a token in.

    Returns:
        Whether a secret was let in.

    Raises:
        DraftError: It names the first of them and where it stands; of a secret, the kind and not the token.
    """
    for name, text in parts.items():
        for mark in hidden(text):
            raise DraftError(f"the {name} holds {mark.name} at character {mark.start + 1}; take it out")
    for name, text in parts.items():
        for secret in find_secrets(text):
            if allow_secret:
                return True
            raise DraftError(
                f"the {name} holds what looks like a secret ({secret.kind}) at character {secret.start + 1};"
                " take it out and revoke it, or add it with --allow-secret if it is none"
            )
    return False
