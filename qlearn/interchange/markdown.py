"""A registry's own entries, each with all of its bytes but the line ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qlearn.interchange import Draft, Passed, Reading
from qlearn.learning import Learning, labelled, parse_learnings
from qlearn.lines import split_lines
from qlearn.problems import check
from qlearn.registry import HEADER, append_pieces

if TYPE_CHECKING:
    from collections.abc import Mapping


def recognises(path: str, text: str) -> int:
    """How surely a file is a registry: 2 for Markdown with entries that have ids."""
    return 2 if path.endswith((".md", ".markdown")) and parse_learnings(text) else 0


def read(files: Mapping[str, str]) -> Reading:
    """Read registries; what `check` finds in them is passed on."""
    drafts = [draft(entry, text, path) for path, text in files.items() for entry in parse_learnings(text)]
    passed = [Passed(path, problem) for path, text in files.items() for problem in check(text)]
    return Reading(tuple(drafts), tuple(passed))


def write(text: str, entries: tuple[Learning, ...]) -> Mapping[str, str]:
    """Write a registry that holds these entries of *text* and nothing else."""
    pieces = [(piece(text, entry), entry) for entry in entries]
    return {"learnings.md": append_pieces("", pieces) or HEADER}


def draft(entry: Learning, text: str, path: str) -> Draft:
    """Make a draft of an entry of a registry."""
    fields = labelled(text, entry)
    return Draft(entry.title, fields, entry.resolved, entry.number, piece(text, entry), path, entry.lineno)


def piece(text: str, entry: Learning) -> str:
    """Cut an entry out of its text, with line ends of LF."""
    return "\n".join(split_lines(text[entry.start : entry.end])).rstrip() + "\n"
