"""Proposals from the command line: made, shown, accepted, rejected."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING

from qlearn.learning import parse_learnings

from .conftest import NOW, Qlearn

if TYPE_CHECKING:
    from pathlib import Path

LESSON = "Run make gen after a change of proto files, since CI does not."


def test_a_lesson_is_proposed_and_is_no_learning(qlearn: Qlearn) -> None:
    done = qlearn(
        "propose", LESSON, "--title", "Generate after proto changes", "--trigger", "editing proto files"
    )
    assert (done.code, done.out, done.err) == (0, "P001\n", "")
    assert parse_learnings(qlearn.read() if qlearn.registry.exists() else "") == ()
    (shown,) = json.loads(qlearn("proposals", "--json").out)
    assert (shown["id"], shown["title"], shown["type"]) == (
        "P001",
        "Generate after proto changes",
        "convention",
    )
    assert (shown["days_left"], shown["confidence"]) == (30, 0.5)


def test_the_type_follows_the_category(qlearn: Qlearn) -> None:
    for category, kind in (("errors", "mistake"), ("tools", "gotcha"), ("architecture", "decision")):
        qlearn("propose", f"{LESSON} {category}", "--category", category)
        assert json.loads(qlearn("proposals", "--json").out)[-1]["type"] == kind


def test_proposals_are_a_table(qlearn: Qlearn) -> None:
    qlearn("propose", LESSON, "--title", "Generate after proto changes")
    out = qlearn("proposals", now=NOW + dt.timedelta(25)).out
    assert "P001  convention  0.50" in out
    assert "5 d" in out
    assert qlearn("proposals", now=NOW + dt.timedelta(31)).out == "Nothing waits.\n"


def test_the_same_proposal_keeps_its_id(qlearn: Qlearn) -> None:
    qlearn("propose", LESSON)
    assert qlearn("propose", LESSON.upper()).out == "P001\n"


def test_accepting_prints_the_new_id_and_takes_changes(qlearn: Qlearn) -> None:
    qlearn("propose", LESSON)
    done = qlearn(
        "accept", "P001", "--severity", "critical", "--title", "Generate", "--keywords", "proto, make"
    )
    assert (done.code, done.out) == (0, "L001\n")
    (entry,) = parse_learnings(qlearn.read())
    assert (entry.title, entry.severity, entry.keywords) == ("Generate", "critical", ("proto", "make"))
    assert (entry.learning, entry.source) == (LESSON, "agent")
    assert qlearn("proposals").out == "Nothing waits.\n"


def test_several_can_be_accepted_but_not_under_one_title(qlearn: Qlearn) -> None:
    qlearn("propose", "One lesson.")
    qlearn("propose", "Another lesson.")
    assert qlearn("accept", "1", "2", "--title", "x").code == 2
    assert json.loads(qlearn("accept", "1", "2", "--json").out) == [
        {"proposal": "1", "id": "L001"},
        {"proposal": "2", "id": "L002"},
    ]


def test_what_is_rejected_is_not_proposed_again(qlearn: Qlearn) -> None:
    qlearn("propose", LESSON, "--title", "Generate")
    assert qlearn("reject", "p1").out == "P001 rejected: Generate\n"
    again = qlearn("propose", LESSON, "--title", "Generate")
    assert (again.code, again.err) == (1, "qlearn: not proposed: it is rejected as P001\n")
    assert qlearn("accept", "P001").err == "qlearn: P001 was rejected on 2026-11-30\n"


def test_what_the_registry_holds_is_not_proposed(qlearn: Qlearn) -> None:
    qlearn("add", LESSON)
    assert qlearn("propose", LESSON).err == "qlearn: not proposed: it is in the registry\n"


def test_an_unknown_proposal_is_an_error(qlearn: Qlearn) -> None:
    for command in ("accept", "reject"):
        done = qlearn(command, "P009")
        assert (done.code, done.out) == (1, "")
        assert done.err == "qlearn: No proposal 'P009'; `qlearn proposals` lists them\n"


def test_a_transcript_is_read(qlearn: Qlearn, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text("{}\nno json\n")
    done = qlearn("extract", "--transcript", str(path))
    assert (done.code, done.out, done.err) == (0, "", "qlearn: 0 proposed\n")
    assert json.loads(qlearn("extract", "--transcript", str(path), "--json").out)["added"] == []
    assert qlearn("extract", "--transcript", str(tmp_path / "none")).code == 1
