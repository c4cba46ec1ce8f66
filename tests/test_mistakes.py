"""The legacy registry, as people and the older tool wrote it."""

from __future__ import annotations

import datetime as dt

from qlearn.mistakes import parse_mistakes


def test_a_mistake_has_all_its_fields() -> None:
    text = (
        "# Mistakes\n\n### M012: Wrong client\n- **Date**: 2026-10-01\n- **Wrong**: npm install\n"
        "- **Correct**: pnpm install,\n  with the lockfile\n- **Context**: CI\n- **Severity**: critical\n"
    )
    (mistake,) = parse_mistakes(text)
    assert mistake.id == "M012"
    assert mistake[1:] == (
        "Wrong client",
        False,
        "npm install",
        "pnpm install,\nwith the lockfile",
        "CI",
        dt.date(2026, 10, 1),
        "critical",
        3,
    )


def test_missing_fields_are_empty_and_the_severity_important() -> None:
    (mistake,) = parse_mistakes("### M1\n- **Severity**: dire\n")
    assert (mistake.id, mistake.title, mistake.wrong, mistake.correct) == ("M001", "", "", "")
    assert (mistake.context, mistake.date, mistake.severity) == (None, None, "important")


def test_the_mark_counts_at_either_end_and_not_inside() -> None:
    headings = ["[RESOLVED] M1: a", "M1 [RESOLVED]: a", "M1: [RESOLVED] a", "M1: a [RESOLVED]"]
    for heading in headings:
        (mistake,) = parse_mistakes(f"### {heading}\n")
        assert (mistake.title, mistake.resolved) == ("a", True)
    (mistake,) = parse_mistakes("### M1: the [RESOLVED] mark\n")
    assert (mistake.title, mistake.resolved) == ("the [RESOLVED] mark", False)


def test_prose_in_any_language_is_no_mistake() -> None:
    for text in (
        "No mistakes recorded.",
        "아직 기록된 실수가 없습니다.",
        "暂无错误。",
        "",
        "# Mistakes\n\n## M001: too high\n",
    ):
        assert parse_mistakes(text) == ()


def test_an_example_in_a_fence_is_no_mistake() -> None:
    assert parse_mistakes("```\n### M001: x\n```\n### L001: no mistake\n") == ()
