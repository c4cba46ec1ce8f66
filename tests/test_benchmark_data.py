"""The labelled data of the benchmarks keeps the form and the rules its README files state."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

RELEVANCE = Path(__file__).parent.parent / "benchmarks" / "relevance"
LANGUAGES = {"en", "ko", "zh", "es"}
STYLES = {"prompt", "error", "path"}

Row = dict[str, Any]


def rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


LESSONS = rows(RELEVANCE / "lessons.jsonl")
TASKS = rows(RELEVANCE / "tasks.jsonl")
NOTHING = rows(RELEVANCE / "nothing.jsonl")


def part_of(row_id: str) -> str:
    return "test" if int(hashlib.sha256(row_id.encode()).hexdigest(), 16) % 3 == 0 else "tune"


@pytest.mark.parametrize("table", [LESSONS, TASKS, NOTHING], ids=["lessons", "tasks", "nothing"])
def test_ids_are_unique(table: list[Row]) -> None:
    assert [row_id for row_id, count in Counter(row["id"] for row in table).items() if count > 1] == []


@pytest.mark.parametrize("table", [TASKS, NOTHING], ids=["tasks", "nothing"])
def test_the_part_follows_from_the_id_and_a_third_is_test(table: list[Row]) -> None:
    assert [row["id"] for row in table if row["part"] != part_of(row["id"])] == []
    assert 0.3 <= sum(row["part"] == "test" for row in table) / len(table) <= 0.37


def test_a_lesson_has_the_fields_of_an_entry() -> None:
    required = {"id", "lang", "type", "severity", "date", "title", "learning", "context", "keywords"}
    for lesson in LESSONS:
        assert required <= lesson.keys() <= required | {"trigger", "category", "example"}, lesson["id"]
        assert lesson["type"] in {"mistake", "convention", "gotcha", "decision"}, lesson["id"]
        assert lesson["severity"] in {"critical", "important", "info"}, lesson["id"]
        category = lesson.get("category", "errors")
        assert category in {"errors", "workflows", "tools", "architecture", "debugging"}, lesson["id"]
        assert dt.date.fromisoformat(lesson["date"]) < dt.date(2026, 12, 1), lesson["id"]
        assert lesson["title"].strip(), lesson["id"]
        assert lesson["learning"].strip(), lesson["id"]
        one_line = lesson["title"] + lesson["learning"] + lesson["context"] + lesson.get("trigger", "")
        assert "\n" not in one_line, lesson["id"]
        assert not any("," in word or not word.strip() for word in lesson["keywords"]), lesson["id"]


def test_there_are_lessons_enough_in_every_language() -> None:
    by_language = Counter(lesson["lang"] for lesson in LESSONS)
    assert by_language.total() >= 130
    assert by_language.keys() == LANGUAGES
    assert min(by_language.values()) >= 15


@pytest.mark.parametrize("field", ["keywords", "trigger", "category", "example"])
def test_some_lessons_have_an_optional_field_and_some_have_not(field: str) -> None:
    assert 0 < sum(bool(lesson.get(field)) for lesson in LESSONS) < len(LESSONS)


def test_every_relevant_lesson_exists() -> None:
    known = {lesson["id"] for lesson in LESSONS}
    for task in TASKS:
        assert set(task["relevant"]) <= known, task["id"]
        assert len(set(task["relevant"])) == len(task["relevant"]), task["id"]
        assert 1 <= len(task["relevant"]) <= 3, task["id"]


@pytest.mark.parametrize(
    ("table", "least", "fields"),
    [
        (TASKS, 240, {"id", "style", "lang", "part", "text", "relevant"}),
        (NOTHING, 120, {"id", "style", "lang", "part", "text"}),
    ],
    ids=["tasks", "nothing"],
)
def test_every_style_stands_in_every_language(table: list[Row], least: int, fields: set[str]) -> None:
    assert len(table) >= least
    assert all(row.keys() == fields and row["text"].strip() for row in table)
    assert {(row["style"], row["lang"]) for row in table} == {(s, lang) for s in STYLES for lang in LANGUAGES}
    for part in ("tune", "test"):
        assert {row["lang"] for row in table if row["part"] == part} == LANGUAGES
        assert {row["style"] for row in table if row["part"] == part} == STYLES


def test_no_task_stands_twice() -> None:
    texts = Counter(row["text"].strip().casefold() for row in TASKS + NOTHING)
    assert [text for text, count in texts.items() if count > 1] == []


def test_there_are_twenty_different_everyday_prompts() -> None:
    prompts = (RELEVANCE / "everyday.txt").read_text(encoding="utf-8").splitlines()
    assert len(prompts) == 20
    assert len({prompt.strip() for prompt in prompts if prompt.strip()}) == 20
    assert any(not prompt.isascii() for prompt in prompts)
