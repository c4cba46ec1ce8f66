"""The memory folder of Claude Code: `MEMORY.md`, an index of links, and a file for each memory.

A memory's file has front matter: `name`, `description` and `type`, which is feedback, project, reference or
user; the last two are about people and places, so they are only taken when asked for. A `MEMORY.md` that
holds lessons itself is read as any file of lessons.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from qlearn.interchange import Draft, Reading
from qlearn.interchange.body import read_body
from qlearn.interchange.foreign import fields_of, make, own_fields, read_each, skipped
from qlearn.interchange.frontmatter import front_matter, plain
from qlearn.interchange.lessons import Reader
from qlearn.interchange.outline import outline
from qlearn.lines import BOM, split_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "claude-memory"

_PATH = re.compile(r"(?:\A|/)memory/[^/]+\.md\Z|(?:\A|/)MEMORY\.md\Z")
_TYPES = {"feedback": "convention", "project": "decision", "reference": "convention", "user": "convention"}
_ASIDE = ("reference", "user")
_INDEX_LINE = re.compile(r"[ \t]*[-*+][ \t]+(?:\*\*)?\[[^\[\]]*\]\([^()]*\.md\)")


def recognises(path: str, text: str) -> int:
    """How surely a file is of such a folder: 2 by its front matter, 1 by its name."""
    if not path.endswith(".md"):
        return 0
    if _kind(front_matter(split_lines(text.removeprefix(BOM))).values) in _TYPES:
        return 2
    return int(bool(_PATH.search(path)))


def read(files: Mapping[str, str]) -> Reading:
    """Read the files of a folder; the index only says what the others hold."""
    return read_each(files, _read)


def _read(path: str, text: str) -> Reading:
    lines = split_lines(text.removeprefix(BOM).rstrip())
    front = front_matter(lines)
    kind = _kind(front.values)
    if kind not in _TYPES:
        return _IndexReader(NAME, path, outline(text)).reading()
    # The first paragraph is the rule; nothing is lifted above it.
    body = read_body(lines[front.lines :], {"Was": str(front.values.get("name", ""))}, lift=())
    values = dict(front.values)
    nested = values.pop("metadata", None)
    values |= nested if isinstance(nested, dict) else {"metadata": nested}
    name, description = (plain(values.pop(key, "")) for key in ("name", "description"))
    if not (body.rest or description):
        return Reading((), (skipped(path, 1, "memory without text", lines),))
    fields = {
        **own_fields({"type": values.pop("type")}),
        **fields_of(values),
        "Comment": "\n".join(front.comments),
        **body.fields,
        "Type": _TYPES[kind],
        "Learning": body.rest or description,
    }
    aside = f"a memory of the type {kind}" if kind in _ASIDE else ""
    draft = make(
        NAME,
        path,
        (1, len(lines)),
        description or name,
        fields,
        resolved=body.resolved,
        old_id=name,
        aside=aside,
    )
    return Reading((draft,))


def _kind(values: Mapping[str, Any]) -> str:
    nested = values.get("metadata")
    kind = values.get("type") or (nested.get("type") if isinstance(nested, dict) else "")
    return str(kind).strip().lower() if kind and ("name" in values or "description" in values) else ""


class _IndexReader(Reader):
    """Reads a file that is no memory: an index, or lessons of any shape."""

    def refusal(self, draft: Draft) -> str:
        lines = self.lines[draft.lineno - 1 : draft.last]
        return "link of the index" if all(_INDEX_LINE.match(line) for line in lines) else ""
