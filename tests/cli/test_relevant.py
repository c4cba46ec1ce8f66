"""`qlearn relevant`: what a prompt would be answered with, and why."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Qlearn, entry

REGISTRY = (
    entry(1, "Circular imports cause 'module not found' errors", more="- **Keywords**: import, circular\n")
    + entry(2, "Isolate an import problem of a module")
    + entry(3, "[RESOLVED] The memory module has an import error")
    + entry(4, "Redis keys have a prefix")
)
TASK = "Fix the import error in the memory module"


@pytest.fixture
def filled(qlearn: Qlearn) -> Qlearn:
    qlearn.write(REGISTRY)
    return qlearn


def test_relevant_shows_what_fits_the_best_first(filled: Qlearn) -> None:
    shown = """\
L001   64%  Circular imports cause 'module not found' errors
L002   48%  Isolate an import problem of a module
"""
    assert filled("relevant", TASK) == (0, shown, "")
    assert filled("relevant", "-k", "1", *TASK.split()).out.count("\n") == 1


def test_relevant_says_that_nothing_fits(filled: Qlearn) -> None:
    assert filled("relevant", "continue") == (0, "No learning fits this task.\n", "")
    assert filled("relevant", "--explain", "continue").out == "No learning fits this task.\n"
    assert json.loads(filled("relevant", "--json", "continue").out) == []


def test_relevant_explains_what_is_shown_and_what_is_held_back(filled: Qlearn) -> None:
    out = filled("relevant", "-k1", "--explain", "the import error of redis in the memory module").out
    assert " prior: shown\n" in out
    assert ": not among the best 1\n" in out
    assert "less than the 1.30 of the gate" in out
    assert out.endswith("The gate is 1.30, for 3 learnings.\n")


def test_relevant_names_the_work_that_a_lesson_seldom_helps_with(filled: Qlearn) -> None:
    out = filled("relevant", "--explain", "document the import error in the memory module").out
    assert " × 0.60 for prose: shown\n" in out


def test_relevant_for_programs(filled: Qlearn) -> None:
    shown, other, *_ = json.loads(filled("relevant", "-k1", "--explain", "--json", TASK).out)
    assert shown["id"] == "L001"
    assert shown["shown"] is True
    assert other["shown"] is False
    assert {term["word"] for term in shown["terms"]} == {"import", "error", "modul"}
    assert shown["score"] > other["score"]


def test_relevant_reads_an_error_from_standard_input(filled: Qlearn) -> None:
    error = "Exit code 1\nImportError: cannot import name 'A' from module 'm' (circular import)\n"
    assert filled("relevant", "-", stdin=error).out.startswith("L001")


def test_relevant_names_the_other_word_that_was_met(filled: Qlearn) -> None:
    out = filled("relevant", "--explain", "레디스 모듈 에러 접두사 import").out
    assert "에러 = error" in out
