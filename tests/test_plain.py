from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.plain import CHORE, LOOKS, PROSE, QUESTION, SLIP, counted, plain_work, share_left


def kinds(task: str) -> tuple[str, ...]:
    return tuple(work.kind for work in plain_work(task))


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("which python version does the worker image run?", QUESTION),
        ("Please tell me how the scheduler picks a queue", QUESTION),
        ("how many feature flags are there?", QUESTION),
        ("¿cuántos módulos tiene el paquete?", QUESTION),
        ("explica el flujo de la cola", QUESTION),
        ("이 함수 설명해줘", QUESTION),
        ("这个参数是什么意思", QUESTION),
        ("add a section to the handbook", PROSE),
        ("docs/queues.md", PROSE),
        ("traduce la página", PROSE),
        ("주석 달아줘", PROSE),
        ("补充注释", PROSE),
        ("a darker border around the card", LOOKS),
        ("la cabecera en color verde", LOOKS),
        ("배경을 회색으로", LOOKS),
        ("按钮居中", LOOKS),
        ("can you rename OrderBox to OrderCard", CHORE),
        ("renombra la clase", CHORE),
        ("把字段改名", CHORE),
    ],
)
def test_plain_work_is_told_by_what_is_asked(task: str, kind: str) -> None:
    assert kind in kinds(task)


@pytest.mark.parametrize(
    "output",
    [
        "Exit code 1\nNameError: name 'totl' is not defined",
        "Exit code 2\nsrc/box.ts:4:1 - error TS2304: Cannot find name 'Box'.",
        "Exit code 127\nbash: htop: command not found",
        "Exit code 1\nE       fixture 'shop' not found",
        "Exit code 1\n错误: 未定义的变量",
    ],
)
def test_an_error_that_says_itself_what_is_wrong_is_a_slip(output: str) -> None:
    assert kinds(output) == (SLIP,)


@pytest.mark.parametrize(
    "task",
    [
        "",
        "add a retry to the mail client",
        "the pods restart in a loop",
        "I renamed the table and the view is empty",
        "which of these settings should we change, the pool is exhausted",
        "the border of the map is missing since the upgrade",
        "Exit code 1\nImportError: cannot import name 'Store' (most likely due to a circular import)",
        "Exit code 1\nDocument the colour: what failed?",
        "the\nand of",
    ],
)
def test_other_work_is_not_plain(task: str) -> None:
    assert kinds(task) == ()


def test_what_goes_wrong_is_no_plain_work_but_prose_about_it_is() -> None:
    assert kinds("explain why the border is broken") == (PROSE,)
    assert QUESTION in kinds("explain the border")


def test_a_kind_counts_unless_the_lesson_holds_its_words() -> None:
    work = plain_work("a new changelog entry with an icon")
    assert [each.kind for each in work] == [PROSE, LOOKS]
    assert counted(work, ()) == (PROSE, LOOKS)
    assert counted(work, {"changelog", "entr"}) == (LOOKS,)


def test_each_kind_takes_two_fifths_and_all_of_them_no_more_than_two_thirds() -> None:
    assert share_left(()) == 1.0
    assert share_left((SLIP,)) == 0.6
    assert share_left((QUESTION, PROSE, LOOKS, CHORE)) == 0.35


@given(st.text(max_size=200))
def test_any_task_is_of_each_kind_at_most_once(task: str) -> None:
    assert len(set(kinds(task))) == len(kinds(task))
