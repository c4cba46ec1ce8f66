"""Decision registers: DECISIONS.md, `.squad/decisions.md`, the tables of `.gsd`, and ADRs, a file each.

What was decided comes first, its reasons after it. A decision that is superseded or rejected is resolved.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qlearn.interchange import Reading, labels
from qlearn.interchange.body import is_template, parts, read_body
from qlearn.interchange.foreign import fields_of, make, read_each, skipped
from qlearn.interchange.frontmatter import front_matter, plain
from qlearn.interchange.lessons import Reader, columns_of
from qlearn.interchange.outline import outline
from qlearn.interchange.titles import read_title

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qlearn.interchange.outline import Outline

NAME = "decisions"

LIFT = ("decision", "rule", "action", "fix", "lesson")

_REGISTER = re.compile(
    r"(?:\A|/)(?:(?:architecture|design|project|tech(?:nical)?)[-_]?)?decisions?(?:[-_]?(?:log|register|records?))?\.md\Z",
    re.IGNORECASE,
)
_ADR = re.compile(
    r"(?:\A|/)(?:adrs?|decisions|decision-records|architecture-decisions)/(?:[^/]+/)*(?P<file>[^/]+)\.md\Z",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:adr[-_ ]?)?0*([0-9]{1,8})(?=\D|\Z)", re.IGNORECASE)
_NO_ADR = re.compile(r"readme|index|.*template.*", re.IGNORECASE)
_COLUMNS = {
    "decision": "title", "决定": "title", "决策": "title", "결정": "title", "decisión": "title",
    "décision": "title", "решение": "title", "рішення": "title", "choice": "decision", "chosen": "decision",
    "outcome": "decision", "resolution": "decision", "scope": "domain",
}  # fmt: skip


def recognises(path: str, text: str) -> int:
    """How surely a file is of a register: 2 by its name, or as an ADR by its folder and its sections."""
    if _REGISTER.search(path):
        return 2
    found = _ADR.search(path)
    if not found:
        return 0
    return 2 if _NUMBER.match(found["file"]) or _is_adr(outline(text)) else 0


def read(files: Mapping[str, str]) -> Reading:
    """Read registers and ADRs."""
    return read_each(files, _read)


def _read(path: str, text: str) -> Reading:
    found = outline(text)
    adr = _ADR.search(path)
    if adr and _NO_ADR.fullmatch(adr["file"]):
        return Reading((), (skipped(path, 1, "no decision: an index or a template", found.lines),))
    if (adr and _NUMBER.match(adr["file"])) or _is_adr(found):
        return _read_adr(path, found, adr["file"] if adr else "")
    return _Register(NAME, path, found, type="decision", lift=LIFT).reading()


def _is_adr(found: Outline) -> bool:
    """Whether a file has one title, and below it sections for the decision and its status or context."""
    tops = found.root.children
    if len(tops) != 1 or tops[0].level != 1:
        return False
    roles = {labels.role(child.title.split(" and ")[0]) for child in tops[0].children}
    return "decision" in roles and bool(roles & {"status", "context"})


def _read_adr(path: str, found: Outline, name: str) -> Reading:
    lines = found.lines
    front = front_matter(lines)
    heading = next((section for section in found.root.children), None)
    title = read_title(heading.title if heading else name)
    start = heading.body if heading else front.lines
    before = range(front.lines, heading.start if heading else front.lines)
    rest = [*(lines[number] for number in before), *lines[start:]]
    stated = fields_of({key: value for key, value in front.values.items() if key != "status"})
    status = plain(front.values.get("status"))
    body = read_body([f"Status: {status}", "", *rest] if status else rest, title.said(), lift=LIFT)
    number = _NUMBER.match(name)
    if is_template(heading.title if heading else "", parts(rest)) or not (body.learning or title.text):
        return Reading((), (skipped(path, 1, "template", lines),))
    draft = make(
        NAME,
        path,
        (1, max(number for number, line in enumerate(lines, 1) if line.strip())),
        title.text or name,
        {
            **stated,
            "Comment": "\n".join(front.comments),
            **title.said(),
            **body.fields,
            "Type": "decision",
            "Learning": body.learning,
        },
        resolved=title.resolved or body.resolved,
        old_id=title.old_id or body.old_id or (f"ADR-{number[1]}" if number else ""),
    )
    return Reading((draft,))


class _Register(Reader):
    def columns(self, heads: Sequence[str]) -> tuple[str, ...]:
        return columns_of(heads, _COLUMNS)
