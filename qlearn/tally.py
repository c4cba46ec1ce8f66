"""What people and sessions say of a learning, counted in its entry."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from .confidence import Evidence, is_weighed
from .document import parse
from .learning import learnings
from .proposals import combined
from .registry import amend, find, refuse_unread

if TYPE_CHECKING:
    from collections.abc import Mapping


def count_use(text: str, name: str, *, now: dt.datetime) -> str:
    """Count that a learning helped: one more in Used; where its confidence is weighed, one more kept.

    Raises:
        NotFoundError, RegistryError: As `registry.amend`.
    """
    entry = find(learnings(parse(text)), name)
    refuse_unread(entry, "Used", entry.fields.get("used", "").isdecimal())
    return _counted(text, name, {"Used": str(entry.used + 1)}, Evidence(kept=1), now)


def count_feedback(text: str, name: str, *, helpful: bool, now: dt.datetime) -> str:
    """Count what a person says of a learning whose confidence is weighed: kept if helpful, else corrected.

    Another entry is as sure as it states, and stays as it is (`confidence.is_weighed`).

    Raises:
        NotFoundError, RegistryError: As `registry.amend`.
    """
    return _counted(text, name, {}, Evidence(kept=1) if helpful else Evidence(corrected=1), now)


def _counted(text: str, name: str, fields: Mapping[str, str], more: Evidence, now: dt.datetime) -> str:
    entry = find(learnings(parse(text)), name)
    refuse_unread(entry, "Evidence", entry.evidence is not None)
    changes = dict(fields)
    if is_weighed(entry.confidence, entry.evidence):
        today = now.astimezone(dt.UTC).date()
        changes["Evidence"] = str(combined(entry.evidence, more._replace(last=today)))
    return amend(text, entry.id, fields=changes)
