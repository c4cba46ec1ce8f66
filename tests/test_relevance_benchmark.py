"""Floors under what the benchmark prints for the test part, and the everyday prompts."""

from __future__ import annotations

import pytest

from benchmarks.relevance import (
    bm25,
    everyday,
    fired,
    measure,
    measure_gate,
    methods,
    read_lessons,
    read_tasks,
)

LESSONS = read_lessons()
TASKS = [task for task in read_tasks("tasks") if task.part == "test"]
NOTHING = [task for task in read_tasks("nothing") if task.part == "test"]


def test_plain_bm25_finds_what_the_data_say_it_finds() -> None:
    figures = measure(methods(LESSONS)["BM25, plain words"], TASKS, NOTHING)
    assert (round(figures.hit1, 3), round(figures.hit5, 3)) == (0.565, 0.766)


def test_the_right_lesson_comes_first_more_often_than_with_plain_bm25() -> None:
    ways = methods(LESSONS)
    ours = measure(ways["qlearn"], TASKS, NOTHING)
    plain = measure(ways["BM25, plain words"], TASKS, NOTHING)
    assert ours.hit1 >= 0.72
    assert ours.hit1 >= plain.hit1 + 0.10
    assert ours.hit5 >= 0.92
    assert ours.mrr10 >= 0.80
    assert ours.false <= 0.37 < plain.false


def test_what_is_shown_is_right_far_more_often_than_wrong() -> None:
    shown = measure_gate(LESSONS, TASKS, NOTHING)
    assert shown.right >= 0.63
    assert shown.wrong <= 0.22
    assert shown.net >= 0.43
    assert shown.lines_right >= 0.70


@pytest.mark.parametrize("count", [1, 2, 3, 5, 10, 20, 50, len(LESSONS)])
def test_an_everyday_prompt_shows_nothing_however_few_learnings_there_are(count: int) -> None:
    assert len(everyday()) == 20
    for start in range(0, len(LESSONS) - count + 1, max(count, 5)):
        assert fired(LESSONS[start : start + count]) == []


def test_a_method_that_finds_everything_at_random_would_be_seen() -> None:
    backwards = bm25({lesson.number: lesson.title for lesson in LESSONS})
    figures = measure(lambda task: list(reversed(backwards(task))), TASKS, NOTHING)
    assert figures.hit1 < 0.2
