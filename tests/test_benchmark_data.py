"""The labelled data of the benchmarks keeps the form and the rules its README files state."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
RELEVANCE = BENCHMARKS / "relevance"
LANGUAGES = {"en", "ko", "zh", "es"}
STYLES = {"prompt", "error", "path"}
SAME = {"reworded", "extended", "reordered", "register", "typos", "keywords"}
DIFFERENT = {"number", "negation", "tool", "direction", "environment", "word", "topic", "unrelated"}

Row = dict[str, Any]


def rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


LESSONS = rows(RELEVANCE / "lessons.jsonl")
TASKS = rows(RELEVANCE / "tasks.jsonl")
NOTHING = rows(RELEVANCE / "nothing.jsonl")
PAIRS = rows(BENCHMARKS / "duplicates" / "pairs.jsonl")


def part_of(row_id: str) -> str:
    return "test" if int(hashlib.sha256(row_id.encode()).hexdigest(), 16) % 3 == 0 else "tune"


@pytest.mark.parametrize(
    "table", [LESSONS, TASKS, NOTHING, PAIRS], ids=["lessons", "tasks", "nothing", "pairs"]
)
def test_ids_are_unique(table: list[Row]) -> None:
    assert [row_id for row_id, count in Counter(row["id"] for row in table).items() if count > 1] == []


@pytest.mark.parametrize("table", [TASKS, NOTHING, PAIRS], ids=["tasks", "nothing", "pairs"])
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


def test_a_pair_has_two_different_lessons_of_one_language() -> None:
    for pair in PAIRS:
        assert pair.keys() == {"id", "same", "kind", "lang", "part", "a", "b"}, pair["id"]
        assert pair["a"] != pair["b"], pair["id"]
        for side in (pair["a"], pair["b"]):
            assert {"title", "learning"} <= side.keys() <= {"title", "learning", "keywords"}, pair["id"]
            assert side["title"].strip(), pair["id"]
            assert side["learning"].strip(), pair["id"]
            assert side.get("keywords", ["some"]), pair["id"]


def test_the_kind_of_a_pair_says_whether_it_is_the_same() -> None:
    assert [pair["id"] for pair in PAIRS if pair["kind"] not in (SAME if pair["same"] else DIFFERENT)] == []
    assert {pair["kind"] for pair in PAIRS} == SAME | DIFFERENT


def test_there_are_pairs_enough_of_both_labels_in_every_language() -> None:
    assert len(PAIRS) >= 220
    assert 0.4 <= sum(pair["same"] for pair in PAIRS) / len(PAIRS) <= 0.5
    by_language = Counter(pair["lang"] for pair in PAIRS)
    assert by_language.keys() == LANGUAGES
    assert min(by_language.values()) >= 25
    for part in ("tune", "test"):
        labels = {(pair["lang"], pair["same"]) for pair in PAIRS if pair["part"] == part}
        assert labels == {(language, same) for language in LANGUAGES for same in (True, False)}
