"""Trees of solved problems, `docs/solutions/CATEGORY/*.md`, with front matter and sections.

The solution comes first; the problem, its cause and what prevents it follow in their order.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from qlearn.interchange import Reading, labels
from qlearn.interchange.body import is_template, parts, read_body
from qlearn.interchange.foreign import fields_of, make, own_fields, read_each, skipped
from qlearn.interchange.frontmatter import front_matter, plain
from qlearn.interchange.lessons import Reader
from qlearn.interchange.outline import outline
from qlearn.interchange.titles import read_title
from qlearn.lines import BOM, split_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qlearn.interchange.frontmatter import FrontMatter
    from qlearn.interchange.outline import Outline

NAME = "solutions"

LIFT = ("rule", "fix", "prevention", "lesson", "action")

_PATH = re.compile(r"(?:\A|/)(?:docs/|\.claude/)?solutions/(?:[^/]+/)*[^/]+\.md\Z", re.IGNORECASE)
_NO_SOLUTION = re.compile(r"(?:.*/)?(?:readme|index|_?template|.*-template)\.md", re.IGNORECASE)
_KEYS = frozenset(("problem_type", "symptoms", "root_cause", "resolution_type"))
_CONVENTIONS = re.compile(
    r"best.practice|convention|pattern|workflow|documentation|developer.experience|style"
)
_DECISIONS = re.compile(r"architecture|design|decision")


def recognises(path: str, text: str) -> int:
    """How surely a file is of such a tree: 2 by its folder or by its front matter."""
    if not path.lower().endswith(".md"):
        return 0
    if _PATH.search(path):
        return 2
    return (
        2
        if text.startswith(("---", "\ufeff---"))
        and _KEYS & {*front_matter(split_lines(text.removeprefix(BOM))).values}
        else 0
    )


def read(files: Mapping[str, str]) -> Reading:
    """Read the files of a tree; one that holds several lessons is read as such."""
    return read_each(files, _read)


def _read(path: str, text: str) -> Reading:
    found = outline(text)
    front = front_matter(found.lines)
    if _NO_SOLUTION.fullmatch(path):
        return Reading((), (skipped(path, 1, "no solution: an index or a template", found.lines),))
    if not (front.values.get("title") or _KEYS & {*front.values} or _is_solution(found)):
        return Reader(NAME, path, found, lift=LIFT).reading()
    return _solution(path, found, front)


def _is_solution(found: Outline) -> bool:
    """Whether a file has one title, with sections for the problem and its solution."""
    tops = found.root.children
    roles = {labels.role(child.title) for child in tops[0].children} if len(tops) == 1 else set()
    return "problem" in roles and bool(roles & {*LIFT})


def _solution(path: str, found: Outline, front: FrontMatter) -> Reading:
    lines, values = found.lines, front.values
    top = next((section for section in found.root.children if section.level == 1), None)
    title = read_title(top.title if top else plain(values.get("title")))
    named = plain(values.get("title")) or title.text
    skip = {top.start} if top and read_title(named).text == title.text else set()
    skip |= set(range(top.start, top.body)) if skip and top else set()
    rest = [line for number, line in enumerate(lines) if number >= found.root.start and number not in skip]
    body = read_body(rest, title.said(), lift=LIFT)
    if is_template(named, parts(rest)) or not (named and (body.learning or values)):
        return Reading((), (skipped(path, 1, "template", lines),))
    status = plain(values.get("status"))
    kept = {
        key: value
        for key, value in values.items()
        if key not in ("title", "category") and not (key == "status" and labels.is_status(status))
    }
    category = {"category": values["category"]} if values.get("category") else {}
    fields = {
        **own_fields(category),
        **title.said(),
        **fields_of(kept),
        "Comment": "\n".join(front.comments),
        **body.fields,
        "Type": _type(values),
        "Learning": body.learning or named,
    }
    last = max(number for number, line in enumerate(lines, 1) if line.strip())
    draft = make(
        NAME,
        path,
        (1, last),
        named,
        fields,
        resolved=title.resolved or bool(labels.is_over(status) and not _is_solved(status)),
        old_id=title.old_id or body.old_id,
    )
    return Reading((draft,))


def _is_solved(status: str) -> bool:
    """Whether a status speaks of the problem, which is solved in all of these files, not of the lesson."""
    return labels.fold(status) in ("solved", "resolved", "fixed", "done", "complete", "completed", "closed")


def _type(values: Mapping[str, Any]) -> str:
    kind = f"{plain(values.get('problem_type'))} {plain(values.get('category'))}".lower()
    return "convention" if _CONVENTIONS.search(kind) else "decision" if _DECISIONS.search(kind) else "mistake"
