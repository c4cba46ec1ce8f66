"""Whole files of other tools in tests/data/imports/FORMAT, and beside each what it becomes.

A case is one file, or a folder of several. Its `.expected.json` holds the drafts and, as
`[path, line, reason]`, what was passed over.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from qlearn.interchange.intake import take_in
from qlearn.learning import parse_learnings
from qlearn.problems import check
from tests.interchange.law import unaccounted

if TYPE_CHECKING:
    from qlearn.interchange import Reading

DATA = Path(__file__).parent.parent / "data" / "imports"
CASES = sorted(
    case
    for format_ in DATA.iterdir()
    for case in format_.iterdir()
    if not case.name.endswith(".expected.json")
)
NAMES = [f"{case.parent.name}/{case.name}" for case in CASES]


def read(case: Path) -> tuple[dict[str, str], Reading]:
    """The files of a case, as they stand, and what the reader of its format makes of them."""
    paths = [path for path in sorted(case.rglob("*")) if path.is_file()] if case.is_dir() else [case]
    root = case if case.is_dir() else case.parent
    files = {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in paths}
    reader = import_module(f"qlearn.interchange.{case.parent.name}")
    reading: Reading = reader.read(files)
    return files, reading


def as_json(reading: Reading) -> dict[str, object]:
    drafts = []
    for draft in reading.drafts:
        record = {"lines": [draft.lineno, draft.last], "title": draft.title, "fields": dict(draft.fields)}
        extra = {"resolved": draft.resolved, "old_id": draft.old_id, "aside": draft.aside}
        drafts.append({"path": draft.path, **record, **{key: value for key, value in extra.items() if value}})
    passed = [[each.path, each.problem.lineno, each.problem.message] for each in reading.passed]
    return {"drafts": drafts, "passed": passed}


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_a_file_becomes_what_stands_beside_it(case: Path) -> None:
    _, reading = read(case)
    expected = json.loads((case.parent / f"{case.name}.expected.json").read_text(encoding="utf-8"))
    assert as_json(reading) == expected


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_no_line_of_it_is_lost(case: Path) -> None:
    files, reading = read(case)
    assert unaccounted(files, reading) == []


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_its_drafts_come_into_a_registry_once(case: Path) -> None:
    _, reading = read(case)
    taken = take_in("", reading.drafts, everything=True)
    assert {outcome.verdict for outcome in taken.outcomes} <= {"added", "known"}
    entries = parse_learnings(taken.text)
    assert [entry.title for entry in entries] == [
        outcome.draft.title for outcome in taken.outcomes if outcome.verdict == "added"
    ]
    assert [problem for problem in check(taken.text) if problem.severity == "error"] == []
    again = take_in(taken.text, reading.drafts, everything=True)
    assert {outcome.verdict for outcome in again.outcomes} <= {"known"}
    assert again.text == taken.text


def test_each_format_has_at_least_eight_cases() -> None:
    counts = {
        format_.name: len([case for case in CASES if case.parent == format_]) for format_ in DATA.iterdir()
    }
    assert min(counts.values()) >= 8, counts
