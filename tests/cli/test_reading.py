"""The commands that look: what they print for people, and for programs."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from qlearn import ledger, paths, project
from qlearn.usage import Event
from tests.cli.conftest import NOW, Qlearn, entry, start

if TYPE_CHECKING:
    from pathlib import Path

MORE = "- **Keywords**: pip, uv\n- **Category**: tools\n- **Example**:\n  ```sh\n  uv sync --frozen\n  ```\n"
REGISTRY = (
    "# Learning Registry\n\n---\n\n"
    + entry(1, "Pin the lockfile", severity="critical", date="2026-11-20", more=MORE)
    + entry(2, "[RESOLVED] Use tabs", type="convention", severity="info")
    + entry(3, "릴리스 전에 잠금", date="2026-08-01")
    + entry(4, "Ask before a migration", type="decision", date="soon", more="- **Confidence**: 0.5\n")
)


@pytest.fixture
def filled(qlearn: Qlearn) -> Qlearn:
    qlearn.write(REGISTRY)
    return qlearn


def test_review_ranks_by_score_with_a_bar(filled: Qlearn) -> None:
    assert filled("review") == (
        0,
        """\
Id    Type      Severity       Age  Score        Title
───────────────────────────────────────────────────────────────────────
L001  gotcha    critical      10 d  ████▊· 2.38  Pin the lockfile
L004  decision  important  no date  █····· 0.50  Ask before a migration
L003  gotcha    important    17 wk  ▎····· 0.12  릴리스 전에 잠금
""",
        "",
    )


def test_review_shows_as_many_as_a_session_starts_with(filled: Qlearn) -> None:
    (filled.root / ".qe/qlearn.toml").write_text("top = 2\n")
    assert [item["id"] for item in json.loads(filled("review", "--json").out)] == ["L001", "L004"]
    assert [item["id"] for item in json.loads(filled("review", "-n", "1", "--json").out)] == ["L001"]


def test_review_tells_of_settings_that_are_ignored(filled: Qlearn) -> None:
    (filled.root / ".qe/qlearn.toml").write_text("top = many")
    code, out, err = filled("review")
    assert (code, out) == (0, filled("review").out)
    assert err.startswith("qlearn: .qe/qlearn.toml: no TOML, so ignored as a whole: ")


def test_review_of_all_has_the_resolved_ones_last(filled: Qlearn) -> None:
    assert filled("review", "--all").out.splitlines()[-1] == (
        "L002  convention  info         today  ······ 0.00  Use tabs (resolved)"
    )


def test_review_explains_the_terms_of_a_score(filled: Qlearn) -> None:
    assert filled("review", "-n2", "--explain") == (
        0,
        """\
Id    Severity       Age  Score                    Title
─────────────────────────────────────────────────────────────────────────
L001  critical      10 d  3 × 0.794 × 1.00 = 2.38  Pin the lockfile
L004  important  no date  2 × 0.500 × 0.50 = 0.50  Ask before a migration

score = weight of the severity (3, 2, 1) × 0.5 ^ (days / 30) × confidence; resolved: 0
""",
        "",
    )
    terms = json.loads(filled("review", "-n1", "--explain", "--json").out)[0]["terms"]
    assert terms["weight"] == 3
    assert terms["age_days"] == 10
    assert terms["score"] == pytest.approx(3 * 0.5 ** (10 / 30))


def test_review_ranks_as_of_the_start_of_the_day(filled: Qlearn) -> None:
    assert filled("review", "--json") == filled("review", "--json", now=NOW.replace(hour=23, minute=59))


def test_an_empty_registry_is_said_and_is_an_empty_array_for_programs(qlearn: Qlearn) -> None:
    assert qlearn("review") == (0, "No learnings yet; `qlearn add` records the first.\n", "")
    assert qlearn("review", "--json") == (0, "[]\n", "")
    assert qlearn("list") == (0, "No learnings to list.\n", "")
    assert qlearn("list", "--json") == (0, "[]\n", "")
    assert qlearn("mistakes") == (0, "No mistakes in .qe/MISTAKE.md.\n", "")


def test_json_holds_what_was_parsed(filled: Qlearn) -> None:
    assert json.loads(filled("list", "--json").out)[0] == {
        "id": "L001",
        "title": "Pin the lockfile",
        "type": "gotcha",
        "severity": "critical",
        "resolved": False,
        "date": "2026-11-20",
        "reinforced": None,
        "learning": "Pin the lockfile.",
        "context": None,
        "keywords": ["pip", "uv"],
        "category": "tools",
        "confidence": None,
        "used": 0,
        "example": "uv sync --frozen",
        "trigger": None,
        "domain": None,
        "scope": "project",
        "evidence": None,
        "source": None,
        "key": None,
        "files": [],
        "supersedes": None,
        "was": None,
        "score": pytest.approx(3 * 0.5 ** (10 / 30)),
    }


def test_list_keeps_the_order_of_the_file(filled: Qlearn) -> None:
    assert filled("list", "--all") == (
        0,
        """\
Id    Type        Severity       Age  Title
────────────────────────────────────────────────────────────
L001  gotcha      critical      10 d  Pin the lockfile
L002  convention  info         today  Use tabs (resolved)
L003  gotcha      important    17 wk  릴리스 전에 잠금
L004  decision    important  no date  Ask before a migration
""",
        "",
    )


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        (["list"], ["L001", "L003", "L004"]),
        (["list", "--type", "gotcha"], ["L001", "L003"]),
        (["list", "--severity", "important"], ["L003", "L004"]),
        (["list", "--category", "tools"], ["L001"]),
        (["list", "--type", "convention", "--all"], ["L002"]),
        (["search", "PIN", "the  Lockfile"], ["L001"]),
        (["search", "uv"], ["L001"]),
        (["search", "decision"], ["L004"]),
        (["search", "잠금"], ["L003"]),
        (["search", "migration"], ["L004"]),
        (["search", "o"], ["L001", "L004", "L003"]),
        (["search", "o", "--severity", "critical"], ["L001"]),
        (["search", "tabs"], []),
        (["search", "tabs", "--all"], ["L002"]),
    ],
)
def test_list_and_search_choose(filled: Qlearn, arguments: list[str], ids: list[str]) -> None:
    code, out, err = filled(*arguments, "--json")
    assert (code, err) == (0, "")
    assert [item["id"] for item in json.loads(out)] == ids


def test_search_shows_hits_with_their_scores(filled: Qlearn) -> None:
    assert filled("search", "lockfile") == (
        0,
        """\
Id    Type    Severity   Age  Score        Title
───────────────────────────────────────────────────────────
L001  gotcha  critical  10 d  ████▊· 2.38  Pin the lockfile
""",
        "",
    )
    assert filled("search", "\x1b[2J") == (0, "No learning holds '<U+001B>[2J'.\n", "")


def test_show_writes_an_entry_out(filled: Qlearn) -> None:
    assert filled("show", "l1") == (
        0,
        """\
L001: Pin the lockfile
gotcha · critical · 10 d · score 2.38

Pin the lockfile.

Date: 2026-11-20
Keywords: pip, uv
Category: tools
Example:
```sh
uv sync --frozen
```
""",
        "",
    )


def test_show_writes_several_entries_and_each_once(filled: Qlearn) -> None:
    assert [item["id"] for item in json.loads(filled("show", "3", "L001", "3", "--json").out)] == [
        "L003",
        "L001",
    ]
    assert filled("show", "2", "3").out.count("\n\nL003: ") == 1


def test_show_finds_what_was_pruned_and_what_once_had_the_id(filled: Qlearn) -> None:
    filled.write(REGISTRY + entry(5, "Renamed", more="- **Was**: L002\n"))
    filled.archive.write_text(entry(7, "Gone", more="- **Pruned**: 2026-11-01\n"))
    assert [item["id"] for item in json.loads(filled("show", "L002", "--json").out)] == ["L002", "L005"]
    assert "Pruned: 2026-11-01" in filled("show", "7").out


def test_show_offers_the_nearest_id(filled: Qlearn) -> None:
    assert filled("show", "L041") == (1, "", "qlearn: No learning 'L041'. Did you mean L004?\n")


def test_nothing_in_an_entry_acts_on_the_terminal(qlearn: Qlearn) -> None:
    hostile = "a\x1b]52;c;aGk=\x07b\u202ec\x9b2Jd"
    qlearn.write(entry(1, hostile, more=f"- **Context**: {hostile}\n- **{hostile}**: x\n"))
    for command in (["review"], ["list"], ["show", "1"], ["search", "a"], ["resolve", "1"]):
        out = qlearn(*command).out
        assert "<U+001B>]52;c;aGk=<U+0007>b<U+202E>c<U+009B>2Jd" in out
        assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(out)
    for command in (["review", "--json"], ["show", "1", "--json"]):
        out = qlearn(*command).out
        assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(out)
        assert qlearn("reopen", "1").code == 0
        assert json.loads(qlearn("show", "1", "--json").out)[0]["title"] == hostile


def test_what_is_not_utf_8_is_shown_as_such(qlearn: Qlearn) -> None:
    qlearn.registry.write_bytes(entry(1, "Caf_").encode().replace(b"_", b"\xe9"))
    assert "Caf\ufffd" in qlearn("list").out


def test_a_registry_that_is_no_file_is_refused_at_once(qlearn: Qlearn) -> None:
    qlearn.registry.mkdir()
    assert qlearn("list") == (
        1,
        "",
        "qlearn: .qe/learnings.md: a folder; it was left alone. Move that away.\n",
    )


def test_mistakes_are_those_of_the_legacy_registry(qlearn: Qlearn) -> None:
    (qlearn.root / ".qe/MISTAKE.md").write_text(
        "### M001: Deploy\n- **Date**: 2026-11-01\n- **Wrong**: on Friday\n- **Correct**: on Monday\n"
        "- **Severity**: minor\n\n### M002: [RESOLVED] Old\n- **Severity**: critical\n"
    )
    assert qlearn("mistakes", "--all") == (
        0,
        """\
Id    Severity  Date        What was wrong, and what is right
─────────────────────────────────────────────────────────────
M001  minor     2026-11-01  on Friday -> on Monday
M002  critical              Old (resolved)
""",
        "",
    )
    assert json.loads(qlearn("mistakes", "--json").out) == [
        {
            "id": "M001",
            "number": 1,
            "title": "Deploy",
            "resolved": False,
            "wrong": "on Friday",
            "correct": "on Monday",
            "context": None,
            "date": "2026-11-01",
            "severity": "minor",
            "lineno": 1,
        }
    ]


def test_stats_count_and_draw_the_weeks(filled: Qlearn) -> None:
    filled.archive.write_text(entry(7, "Gone", date="2026-11-21", more="- **Pruned**: 2026-11-22\n"))
    code, out, err = filled("stats")
    assert (code, err) == (0, "")
    assert (
        out
        == """\
3 active, 1 resolved, 1 pruned

Type                    Severity             Age
mistake    0            critical  1 ███      under a week   0
convention 0            important 2 ██████   under a month  1 ██████
gotcha     2 ██████     info      0          under 3 months 0
decision   1 ███                             under a year   1 ██████
                                             older          0
                                             no date        1 ██████

Category
errors       0
workflows    0
tools        1 ██████
architecture 0
debugging    0

Added per week
                                    ███
                                    ███
                                    ███     ███
                                    ███     ███
 ·   ·   ·   ·   ·   ·   ·   ·   ·   2   ·   1
14 Sep                                   30 Nov
"""
    )


def test_stats_for_programs(filled: Qlearn) -> None:
    stats = json.loads(filled("stats", "--json").out)
    assert (stats["active"], stats["resolved"], stats["pruned"]) == (3, 1, 0)
    assert stats["types"] == {"mistake": 0, "convention": 0, "gotcha": 2, "decision": 1}
    assert list(stats["weeks"].items())[-3:] == [("2026-11-16", 1), ("2026-11-23", 0), ("2026-11-30", 1)]


def test_what_is_printed_to_a_pipe_has_no_colour(filled: Qlearn) -> None:
    with start("review", "--all", cwd=filled.root) as command:
        out, err = command.communicate()
    assert (command.returncode, err) == (0, b"")
    assert b"L001" in out
    assert b"\x1b" not in out


def test_a_category_or_nothing_shows_all_of_them(qlearn: Qlearn) -> None:
    qlearn.write(
        "### L001: A\n- **Category**: tools\n\n### L002: B\n- **Category**: errors\n\n"
        "### L003: C\n\n### L004: [RESOLVED] D\n"
    )
    assert [each["id"] for each in json.loads(qlearn("show", "errors", "--json").out)] == ["L002"]
    assert [each["id"] for each in json.loads(qlearn("show", "--json").out)] == ["L002", "L001", "L003"]
    assert [each["id"] for each in json.loads(qlearn("show", "tools", "L1", "--json").out)] == ["L001"]
    assert qlearn("show", "nonsense").code == 1


def test_how_sure_a_learning_is_is_explained(qlearn: Qlearn) -> None:
    qlearn.write(
        "### L001: A\n- **Evidence**: seen 5, kept 2, corrected 1, last 2026-09-01\n\n"
        "### L002: B\n- **Confidence**: 0.60\n\n### L003: C\n\n"
        "### L004: D\n- **Evidence**: seen 5, kept 2, last 2026-11-20\n"
    )
    out = qlearn("show", "1", "2", "3", "4", "--evidence").out
    assert "confidence 0.30, tentative\n  +0.50       start, by times seen\n  +0.10  2 ×  kept\n" in out
    assert "  -0.25  1 ×  corrected\n  -0.15  3 ×  30-day periods since last\n" in out
    assert out.count("clamped to 0.30-0.90") == 1
    assert "confidence 0.60, moderate\n  as stated" in out
    assert "confidence 1.00, near certain\n  nothing is stated" in out
    assert "certainty" not in json.loads(qlearn("show", "1", "--json").out)[0]
    first, second = (
        each["certainty"] for each in json.loads(qlearn("show", "1", "2", "--evidence", "--json").out)
    )
    assert (first["confidence"], first["band"]) == (0.3, "tentative")
    assert {"name": "kept", "times": 2, "amount": 0.1} in first["terms"]
    assert second == {"confidence": 0.6, "band": "moderate", "terms": []}


def test_the_use_of_learnings_is_counted(
    qlearn: Qlearn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert "Use" not in qlearn("stats").out
    folder = paths.find(os.environ).project(project.find(str(qlearn.root), {}).id)
    events: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("session", "a", {}),
        ("session", "b", {}),
        ("injected", "a", {"learnings": ("L001",), "source": "UserPromptSubmit"}),
        ("used", "a", {"learnings": ("L001",)}),
        ("recurred", "a", {"learnings": ("L001",)}),
        ("feedback", "", {"learnings": ("L001",), "value": "harmful"}),
    )
    for kind, session, more in events:
        ledger.append(folder, Event(NOW, kind, session, **more))
    out = qlearn("stats").out
    assert "reached           1 of 2 (50%) saw what fits the task\n" in out
    assert "used              1 of 1 (100%) of what was shown\n" in out
    assert "feedback          0 helpful, 1 harmful\n" in out
    assert "L001 does not work: shown, and its error came back in 1 session(s)\n" in out
    told = json.loads(qlearn("stats", "--json").out)["use"]
    assert (told["injection_rate"], told["use_rate"], told["learnings"][0]["recurred"]) == (0.5, 1.0, 1)
