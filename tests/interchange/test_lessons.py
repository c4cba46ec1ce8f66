"""Lessons in Markdown. What whole files become stands in tests/data/imports/lessons."""

from __future__ import annotations

import pytest

from qlearn.interchange import lessons
from qlearn.interchange.body import parts, read_body
from qlearn.interchange.titles import Title, prefixes, read_title


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        ("2026-01-02: Pin it", Title("Pin it", "2026-01-02", marked=2)),
        ("[2026-01-02] Pin it", Title("Pin it", "2026-01-02", marked=2)),
        ("Pin it (2026-01-02)", Title("Pin it", "2026-01-02", marked=2)),
        ("3. Pin it", Title("Pin it", marked=1)),
        ("[001] Pin it", Title("Pin it", "", "001", marked=2)),
        ("LESSON-001: Pin it", Title("Pin it", "", "LESSON-001", marked=2)),
        ("L-001: [gotcha] Pin it", Title("Pin it", "", "L-001", (("Type", "gotcha"),), marked=2)),
        ("[hits: 3] Pin it", Title("Pin it", fields=(("Used", "3"),), marked=2)),
        ("[LRN-20260102-A1B] best_practice", Title("best_practice", "", "LRN-20260102-A1B", marked=2)),
        ("Lección 4: Fijar", Title("Fijar", "", "Lección 4", marked=2)),
        ("~~Pin it~~", Title("Pin it", resolved=True)),
        ("2026-01-02: ~~Pin it~~", Title("Pin it", "2026-01-02", resolved=True, marked=2)),
        ("L-001: ~~Pin~~ it", Title("~~Pin~~ it", "", "L-001", marked=2)),
        ("2026-01-02: ~~Pin~~ it ~~now~~", Title("~~Pin~~ it ~~now~~", "2026-01-02", marked=2)),
        ("✅ 2026-01-02: Pin it", Title("Pin it", "2026-01-02", resolved=True, marked=2)),
        ("Pin it ✅", Title("Pin it", resolved=True)),
        ("[OBSOLETE] Pin it", Title("Pin it", resolved=True, marked=2)),
        ("Pin it (superseded by L-9)", Title("Pin it (superseded by L-9)", resolved=True)),
        ("✅ Pin it", Title("✅ Pin it")),
        ("CRITICAL: Pin it", Title("Pin it", fields=(("Severity", "critical"),))),
        ("UTF-8: one encoding", Title("UTF-8: one encoding")),
        ("Python 3: what changed", Title("Python 3: what changed")),
        ("Deploy 2026-01-02 of 40", Title("Deploy 2026-01-02 of 40")),
        ("2026-02-31: no day", Title("2026-02-31: no day")),
        ("2026-01-02", Title("", "2026-01-02", marked=2)),
        ("[a link](x.md)", Title("[a link](x.md)")),
        ("**Pin it**", Title("Pin it")),
        ("[gotcha] [decision] two", Title("[decision] two", fields=(("Type", "gotcha"),), marked=2)),
    ],
)
def test_a_title_is_taken_apart(raw: str, title: Title) -> None:
    assert read_title(raw) == title


def test_a_prefix_that_two_titles_share_is_that_of_an_id() -> None:
    known = prefixes(["MOM-007: a", "2026-01-01 MOM-006: b", "UTF-8: c"])
    assert known == {"MOM"}
    assert read_title("MOM-007: a", known) == Title("a", "", "MOM-007", marked=2)


@pytest.mark.parametrize(
    "line",
    [
        "**Rule**: v", "**Rule:** v", "- **Rule**: v", "* **Rule:** v", "+ **Rule** : v", "1. **Rule**: v",
        "**Rule**：v", "**Rule：** v", "- Rule: v", "Rule: v", "规则：v", "- **규칙**: v", "__Rule__: v",
        "• Rule: v", "- [x] **Rule**: v", "🔥 **Rule**: v", "**Rule (new)**: v",
        "**Rule** (new): v",
    ],
)  # fmt: skip
def test_a_label_is_read_in_any_notation(line: str) -> None:
    (part,) = parts([line])
    assert (part.role, part.text) == ("rule", "v")


@pytest.mark.parametrize(
    "line",
    ["Ruled: v", "See http://x", "    - **Rule**: v", "`Rule: v`", "Rule v", "| Rule: v |", "> Rule: v"],
)
def test_what_only_looks_like_a_label_is_text(line: str) -> None:
    assert all(not part.role for part in parts([line]))


@pytest.mark.parametrize(
    ("line", "label", "value"),
    [
        ("Date: 2026/3/4", "Date", "2026-03-04"),
        ("Date: 4. March 2026", "", ""),
        ("Date: March 4th, 2026", "Date", "2026-03-04"),
        ("Date: 04.03.2026", "Date", "2026-03-04"),
        ("Date: 04/03/2026", "", ""),
        ("Date: 2026-03-04T01:00:00+09:00", "Date", "2026-03-03"),
        ("日期：2026年3月4日", "Date", "2026-03-04"),
        ("날짜: 2026년 3월 4일", "Date", "2026-03-04"),
        ("Priority: High", "Severity", "important"),
        ("Priority: medium", "Severity", "important"),
        ("Severity: 🟡 Minor", "Severity", "info"),
        ("优先级: 低", "Severity", "info"),
        ("Priorité : critique", "Severity", "critical"),
        ("Приоритет: высокий", "Severity", "important"),
        ("Priority: see board", "", ""),
        ("Category: pitfall", "Type", "gotcha"),
        ("Category: debugging", "Category", "debugging"),
        ("Category: billing", "Domain", "billing"),
        ("Confidence: 8/10", "Confidence", "0.80"),
        ("Confidence: 75%", "Confidence", "0.75"),
        ("Confidence: 12/10", "", ""),
        ("Confidence: sure", "", ""),
        ("Tags: `a` `b`", "Keywords", "a, b"),
        ("Tags: #a #b", "Keywords", "a, b"),
        ("Tags: [a, b]", "Keywords", "a, b"),
        ("Files: `src/a.py`, Makefile", "Files", "src/a.py, Makefile"),
        ("Files: all of them", "", ""),
        ("Last-Seen: 2026-03-04", "Reinforced", "2026-03-04"),
        ("Pattern-Key: harden.sync", "Key", "harden.sync"),
        ("Applies when: writing SQL", "Trigger", "writing SQL"),
        ("Date: YYYY-MM-DD", "", ""),
    ],
)
def test_a_part_becomes_a_field_where_its_value_can_be_read(line: str, label: str, value: str) -> None:
    body = read_body([f"- {line}", "", "text"])
    assert body.fields == ({label: value} if label else {})
    assert body.rest == ("text" if label else f"- {line}\n\ntext")


@pytest.mark.parametrize(
    ("status", "resolved", "rest"),
    [
        ("resolved", True, ""),
        ("✅ Fixed", True, ""),
        ("已解决", True, ""),
        ("해결됨", True, ""),
        ("解決済み", True, ""),
        ("resuelto", True, ""),
        ("résolu", True, ""),
        ("решено", True, ""),
        ("вирішено", True, ""),
        ("Superseded by ADR-7", True, "Status: Superseded by ADR-7"),
        ("pending", False, ""),
        ("未解决", False, ""),
        ("unresolved", False, "Status: unresolved"),
        ("promoted to CLAUDE.md", False, "Status: promoted to CLAUDE.md"),
    ],
)
def test_a_status_is_read_in_any_language(status: str, resolved: bool, rest: str) -> None:
    body = read_body([f"Status: {status}"])
    assert (body.resolved, body.rest) == (resolved, rest)


def test_the_lesson_comes_first_and_the_rest_keeps_its_order() -> None:
    text = "**Symptom**: a\n\n**Fix**: b\nb2\n\n**Rule**: c\n\n```\n**Rule**: d\n\n\n```\nend"
    assert read_body(text.split("\n")).learning == (
        "c\n\n**Symptom**: a\n\n**Fix**: b\nb2\n\n```\n**Rule**: d\n\n\n```\nend"
    )


def test_a_heading_is_a_label_too() -> None:
    text = (
        "### Symptom\n\nit broke\n\n### Fix\n\n1. Fix: pin\n2. build\n\n#### Note\n\nmore\n\n"
        "### Date\n\n2026-01-02"
    )
    body = read_body(text.split("\n"))
    assert body.learning == "1. Fix: pin\n2. build\n\n#### Note\n\nmore\n\n### Symptom\n\nit broke"
    assert body.fields == {"Date": "2026-01-02"}


def test_the_type_comes_from_the_label_the_tag_the_group_or_the_file() -> None:
    def types(path: str, text: str) -> list[str]:
        return [draft.fields["Type"] for draft in lessons.read({path: text}).drafts]

    assert types("lessons.md", "## A\ntext here.\n") == ["convention"]
    assert types("lessons.md", "## A\n**Problem**: x\n**Fix**: y\n") == ["mistake"]
    assert types("GOTCHAS.md", "## A\ntext here.\n") == ["gotcha"]
    assert types("GOTCHAS.md", "## Common mistakes\n- one\n- two\n") == ["mistake", "mistake"]
    assert types("GOTCHAS.md", "## L-1: [decision] A\n**Type**: mistake\n") == ["decision"]


@pytest.mark.parametrize(
    ("path", "text", "sure"),
    [
        ("LEARNINGS.md", "", 2),
        ("docs/lessons-learned.md", "", 2),
        ("tasks/lessons.md", "", 2),
        ("GOTCHAS.md", "", 2),
        ("notes.md", "## 2026-01-01: x\ny\n", 1),
        ("notes.md", "# Notes\n\nProse.\n", 0),
        ("lessons.py", "## 2026-01-01: x\ny\n", 0),
    ],
)
def test_a_file_of_lessons_is_recognised(path: str, text: str, sure: int) -> None:
    assert lessons.recognises(path, text) == sure


@pytest.mark.parametrize(
    ("row", "title", "resolved"),
    [
        ("| M1 | Raced on it | Lock it |", "Raced on it", False),
        ("| M1 | ~~Raced on it~~ | Lock it |", "Raced on it", True),
        ("| ~~M1~~ | ~~Raced on it~~ | ~~Lock it~~ |", "Raced on it", True),
        ("| M1 | ~~Raced~~ on it | Lock it |", "~~Raced~~ on it", False),
        ("| M1 | Raced on it | ~~Lock it~~ |", "Raced on it", False),
    ],
)
def test_a_row_that_is_struck_through_is_resolved(row: str, title: str, resolved: bool) -> None:
    table = f"# Mistakes\n\n| id | mistake | fix |\n|---|---|---|\n{row}\n"
    (draft,) = lessons.read({"MISTAKES.md": table}).drafts
    assert (draft.title, draft.resolved) == (title, resolved)
