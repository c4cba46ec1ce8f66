"""The `.learnings/` folder of self-improving agents: LEARNINGS.md, ERRORS.md, FEATURE_REQUESTS.md.

An entry's heading names its id and its category, its summary is the title. Wishes for features are passed
over: nothing was learned.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qlearn.interchange.body import kind_of, read_body
from qlearn.interchange.foreign import read_each
from qlearn.interchange.lessons import Reader
from qlearn.interchange.outline import outline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qlearn.interchange import Draft, Reading
    from qlearn.interchange.body import Body
    from qlearn.interchange.titles import Title

NAME = "self-improving"

_LIFT = ("rule", "lesson", "action", "prevention", "fix")

_PATH = re.compile(r"(?:\A|/)\.learnings/[^/]+\.md\Z", re.IGNORECASE)
_HEADING = re.compile(r"^#{2,3}[ \t]+\[(?:LRN|ERR|FEAT)-[0-9]{8}-\w+\]", re.MULTILINE)
_WISH = re.compile(r"FEAT-", re.IGNORECASE)


def recognises(path: str, text: str) -> int:
    """How surely a file is one of such a folder: 2 by its path or by the ids in it."""
    if not path.lower().endswith(".md"):
        return 0
    return 2 if _PATH.search(path) or _HEADING.search(text) else 0


def read(files: Mapping[str, str]) -> Reading:
    """Read the files of a folder."""
    return read_each(files, lambda path, text: _Reader(NAME, path, outline(text), type=_type(path)).reading())


def _type(path: str) -> str:
    return "mistake" if path.upper().endswith("ERRORS.MD") else ""


class _Reader(Reader):
    def named(self, title: Title, lines: Sequence[str]) -> tuple[Title, Body]:
        if not re.match(r"(?:LRN|ERR|FEAT)-", title.old_id, re.IGNORECASE):
            return super().named(title, lines)
        kind = kind_of(title.text) if title.text and not title.old_id.upper().startswith("ERR") else None
        is_word = kind is not None and (kind[0] != "Domain" or " " not in title.text)
        stated = title._replace(fields=(*title.fields, kind)) if kind and is_word else title
        body = read_body(lines, stated.said(), lift=_LIFT, named=True)
        if body.summary:
            what = "" if stated is not title else title.text
            fields = {"Context": what, **body.fields} if what else body.fields
            lesson = "\n\n".join(part for part in (body.summary, body.lesson) if part)
            stated = stated._replace(text=body.summary.split("\n", 1)[0])
            return stated, body._replace(fields=fields, lesson=lesson)
        if kind and kind[0] != "Domain":
            return stated._replace(text=""), body
        return title, self.body(lines, title)

    def refusal(self, draft: Draft) -> str:
        wish = _WISH.match(draft.old_id) or self.path.upper().endswith("FEATURE_REQUESTS.MD")
        return "a wish for a feature is no learning" if wish else ""
