"""What a shell offers for an id or a format that is begun. Nothing here writes, and nothing fails."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import typer  # noqa: TC002 - Typer looks the annotations up

from qlearn.errors import QlearnError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TITLE_LENGTH = 60


def learning_ids(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """The ids of the learnings that begin so, with their titles; none where the registry can't be read."""
    from qlearn.learning import parse_learnings

    entries = parse_learnings(_read(ctx))
    return [(each.id, _plain(each.title)) for each in entries if each.id.startswith(incomplete)]


def proposal_ids(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """The same for the proposals that wait."""
    from qlearn.cli.clock import now
    from qlearn.pending import waiting

    found = waiting(_read(ctx, proposals=True), now().date())
    return [(each.id, _plain(each.entry.title)) for each in found if each.id.startswith(incomplete)]


def one_of(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Offer those of some names that begin so."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def _plain(title: str) -> str:
    """Words alone: zsh evaluates what it is offered, where a quote or a dollar is more than text."""
    from qlearn.rendering import item

    return " ".join(re.sub(r"[^\w ,./-]", " ", item(title, TITLE_LENGTH)).split())


def _read(ctx: typer.Context, *, proposals: bool = False) -> str:
    from qlearn.cli.clock import now
    from qlearn.cli.workspace import Call, workspace_of

    given = ctx.parent.params if ctx.parent else {}
    call = Call(given.get("folder") or "", now(), bool(given.get("everywhere")))
    try:
        place = workspace_of(call)
        return place.read(place.proposals if proposals else place.registry)
    except (QlearnError, OSError):
        return ""
