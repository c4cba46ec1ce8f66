"""The legacy registry `MISTAKE.md`, whose mistakes become learnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qlearn.document import parse
from qlearn.interchange import Draft, Reading
from qlearn.interchange.foreign import own_fields
from qlearn.mistakes import Mistake, parse_mistakes

if TYPE_CHECKING:
    from collections.abc import Mapping

_KNOWN = ("wrong", "correct", "context", "date", "severity")
_DESCRIPTIVE = ("keywords", "category", "example", "trigger", "domain", "files")
"""The labels that mean the same in both registries."""


def recognises(path: str, text: str) -> int:
    """How surely a file is the legacy registry: 2 by its name and a mistake in it."""
    named = path.rpartition("/")[2].upper() in ("MISTAKE.MD", "MISTAKES.MD")
    return 2 if named and parse_mistakes(text) else 0


def read(files: Mapping[str, str]) -> Reading:
    """Read mistakes: `wrong -> correct` is the lesson, minor is info, what has no place here is kept."""
    return Reading(
        tuple(
            Draft(mistake.title, _fields(mistake, more), mistake.resolved, path=path, lineno=mistake.lineno)
            for path, text in files.items()
            for mistake, more in _with_fields(text)
        )
    )


def _with_fields(text: str) -> tuple[tuple[Mistake, Mapping[str, str]], ...]:
    fields = {section.lineno: section.fields for section in parse(text).sections}
    return tuple((mistake, fields[mistake.lineno]) for mistake in parse_mistakes(text))


def _fields(mistake: Mistake, fields: Mapping[str, str]) -> dict[str, str]:
    halves = tuple(half for half in (mistake.wrong, mistake.correct) if half)
    more = {label.capitalize(): value for label, value in fields.items() if label not in _KNOWN}
    joint = "\n-> " if any("\n" in half for half in halves) else " -> "
    return {
        "Type": "mistake",
        "Severity": "info" if mistake.severity == "minor" else mistake.severity,
        "Date": mistake.date.isoformat() if mistake.date else "",
        "Learning": joint.join(halves) or mistake.title,
        "Context": mistake.context or "",
        "Source": "import:mistake",
        "Was": mistake.id,
        **{label: value for label, value in more.items() if label.lower() in _DESCRIPTIVE},
        **own_fields({label: value for label, value in more.items() if label.lower() not in _DESCRIPTIVE}),
    }
