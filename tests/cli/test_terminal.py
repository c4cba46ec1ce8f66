"""On a terminal: questions, colours, and the width of what is drawn."""

from __future__ import annotations

import re

import pytest

from tests.cli.conftest import Qlearn, entry
from tests.cli.terminal import Terminal, plain


def test_add_asks_for_what_is_missing(qlearn: Qlearn) -> None:
    terminal = Terminal("add", cwd=qlearn.root)
    terminal.expect("Lesson: ")
    terminal.answer("Pin the lockfile")
    terminal.expect("Type (mistake, convention, gotcha, decision) [mistake]: ")
    terminal.answer("nonsense")
    terminal.expect(
        "qlearn: 'nonsense' is none of mistake, convention, gotcha, decision; the start of one will do"
    )
    terminal.answer("g")
    terminal.expect("Severity (critical, important, info) [important]: ")
    terminal.answer("")
    code, shown = terminal.end()
    assert code == 0
    assert shown.endswith("\nL001\n")
    assert "- **Type**: gotcha\n- **Severity**: important\n" in qlearn.read()


def test_add_asks_nothing_that_was_said(qlearn: Qlearn) -> None:
    terminal = Terminal("add", "Pin", "-t", "gotcha", "-s", "info", cwd=qlearn.root)
    assert terminal.end() == (0, "L001\n")


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["ctrl-c", "ctrl-d"])
def test_a_question_can_be_left(qlearn: Qlearn, key: str) -> None:
    terminal = Terminal("add", cwd=qlearn.root)
    terminal.expect("Lesson: ")
    terminal.press(key)
    code, shown = terminal.end()
    assert code == 130
    assert shown.endswith("qlearn: stopped\n")
    assert not qlearn.registry.exists()


@pytest.mark.parametrize(("reply", "left"), [("y", 0), ("yes", 0), ("n", 1), ("", 1), ("yolo", 1)])
def test_prune_asks(qlearn: Qlearn, reply: str, left: int) -> None:
    qlearn.write(entry(1, "[RESOLVED] One"))
    terminal = Terminal("prune", cwd=qlearn.root)
    terminal.expect("Move 1 to .qe/learnings.archive.md? [y/N] ")
    terminal.answer(reply)
    code, _ = terminal.end()
    assert code == left
    assert qlearn.read().count("### L001") == left


def test_review_has_colours_and_fits_the_terminal(qlearn: Qlearn) -> None:
    title = "在发布之前固定锁文件，否则构建不可重现 and then some more words of another script"
    qlearn.write(entry(1, title, severity="critical"))
    code, shown = Terminal("review", cwd=qlearn.root, columns=80).end()
    assert code == 0
    assert "\x1b[1;31m" in shown
    assert plain(shown).splitlines()[2:] == [
        "L001  gotcha  critical  today  ██████ 3.00  在发布之前固定锁文件，否则构建不可重",
        "                                            现 and then some more words of",
        "                                            another script",
    ]


def test_no_color_is_heard(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One"))
    _, shown = Terminal("review", cwd=qlearn.root, NO_COLOR="1").end()
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown)
    assert "One" in shown


def test_export_shows_what_a_terminal_would_obey(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "a\x1b]0;x\x07\x1b[2Jb"))
    _, shown = Terminal("export", cwd=qlearn.root).end()
    assert "\x1b" not in shown
    assert "### L001: a<U+001B>]0;x<U+0007><U+001B>[2Jb\n" in shown
