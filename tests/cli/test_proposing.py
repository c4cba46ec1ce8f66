"""Proposals from the command line: made, shown, accepted, rejected."""

from __future__ import annotations

import datetime as dt
import json
import sys
from typing import TYPE_CHECKING, Any

from qlearn import store
from qlearn.cli import main
from qlearn.learning import parse_learnings
from tests.transcripts import Transcript

from .conftest import NOW, Qlearn

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

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
    done = qlearn("accept", "1", now=NOW + dt.timedelta(31))
    assert (done.code, done.err) == (
        1,
        "qlearn: P001 expired on 2026-12-30; `qlearn propose` proposes it anew\n",
    )


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


def test_the_number_of_an_entry_that_is_pruned_meanwhile_is_not_used_again(
    qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch
) -> None:
    qlearn("add", "Pin the lockfile.")
    qlearn("resolve", "L001")
    qlearn("propose", LESSON)
    lock = store.lock

    def prune_and_lock(*arguments: str, **options: Any) -> store.Lock:
        monkeypatch.setattr(store, "lock", lock)
        main(("prune", "--yes"))
        return store.lock(*arguments, **options)

    monkeypatch.setattr(store, "lock", prune_and_lock)
    assert qlearn("accept", "P001").out.endswith("L002\n")


def test_nothing_is_accepted_into_a_registry_that_lost_its_bytes(qlearn: Qlearn) -> None:
    qlearn("propose", LESSON)
    qlearn.write("")
    assert qlearn("accept", "P001").err.startswith("qlearn: .qe/learnings.md: empty, as a crash")


def test_several_can_be_accepted_but_not_under_one_title(qlearn: Qlearn) -> None:
    qlearn("propose", "One lesson.")
    qlearn("propose", "Another lesson.")
    assert qlearn("accept", "1", "2", "--title", "x").code == 2
    assert json.loads(qlearn("accept", "1", "2", "--json").out) == [
        {"proposal": "P001", "id": "L001"},
        {"proposal": "P002", "id": "L002"},
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
    told = "qlearn: 0 proposed, 1 skipped (nothing of a session in it)\n"
    assert (done.code, done.out, done.err) == (0, "", told)
    assert json.loads(qlearn("extract", "--transcript", str(path), "--json").out)["added"] == []
    assert qlearn("extract", "--transcript", str(tmp_path / "none")).code == 1


def test_a_model_may_be_asked_about_a_transcript(qlearn: Qlearn, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(Transcript().says("build it").runs("make gen").lines))
    answer = {
        "title": "Generate",
        "learning": LESSON,
        "type": "convention",
        "category": "workflows",
        "keywords": ["proto"],
        "confidence": 0.6,
    }
    program = tmp_path / "model.py"
    program.write_text(
        f"import sys, json; sys.stdin.read(); print(json.dumps({{'proposals': [{answer!r}]}}))"
    )
    command = f"'{sys.executable}' '{program}'"
    done = qlearn("extract", "--transcript", str(path), "--model-command", command)
    assert (done.code, done.out) == (0, "P001\n")
    assert "asking about 2 of 2 events" in done.err
    assert qlearn("extract", "--transcript", str(path), "--model-command", "echo no").code == 1
    path.write_text("\n".join(Transcript().says("build it").runs("make gen", "ok").lines))
    done = qlearn("extract", "--transcript", str(path), "--model-command", "echo no")
    assert (done.code, done.out) == (0, "")
    assert "not asked: the session has under 1,000 characters" in done.err


def test_distilling_says_what_it_would_send_and_why_not(qlearn: Qlearn) -> None:
    done = qlearn("distill", "--dry-run")
    assert "Answer with JSON" in done.out
    assert "`qlearn observe on` starts it" in done.err
    assert "not asked: 0 new events; 20 are needed" in done.err
    assert qlearn("distill", "--force").err.endswith("not asked: 0 new events; 20 are needed\n")
    assert "'nan' is no number" in qlearn("distill", "--timeout", "nan").err
    assert qlearn("-C", "/", "distill").code == 1


def test_what_nobody_can_see_and_secrets_are_not_accepted(qlearn: Qlearn) -> None:
    qlearn("propose", LESSON)
    assert qlearn("accept", "1", "--lesson", "Run\u200b it") == (
        1,
        "",
        "qlearn: the learning holds U+200B ZERO WIDTH SPACE at character 4; take it out\n",
    )
    assert qlearn("accept", "1", "--context", "ghp_" + "a1B2c3D4e5F6" * 3).code == 1
    assert qlearn("accept", "1") == (0, "L001\n", "")


def test_what_nobody_can_see_and_secrets_are_not_proposed(qlearn: Qlearn) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    for words in (
        ["Run\u200b it"],
        [f"Log in with {secret}"],
        [LESSON, "--title", "a\x1b[2Jb"],
        [LESSON, "--keywords", f"make, {secret}"],
        [LESSON, "--example", secret],
        [LESSON, "--trigger", "when\u202e"],
    ):
        done = qlearn("propose", *words)
        assert (done.code, done.out) == (1, "")
        assert "take it out" in done.err
    assert qlearn("proposals").out == "Nothing waits.\n"


def test_a_confidence_is_a_number(qlearn: Qlearn) -> None:
    done = qlearn("propose", LESSON, "--confidence", "nan")
    assert (done.code, done.out) == (2, "")
    assert "'nan' is no number" in done.err


def test_nothing_is_accepted_if_one_is_not_there(qlearn: Qlearn) -> None:
    qlearn("propose", LESSON)
    assert qlearn("accept", "P001", "P099").code == 1
    assert qlearn("list").out == "No learnings to list.\n"
    assert qlearn("accept", "P001", "1").out == "L001\n"


def test_what_was_accepted_before_another_is_refused_is_told(qlearn: Qlearn) -> None:
    for lesson in ("Quote paths in scripts", "Pin versions of tools"):
        qlearn("propose", lesson)
    path = qlearn.root / ".qe/proposals.md"
    path.write_text(path.read_text().replace("Pin versions", "Pin\u200b versions"))
    done = qlearn("accept", "P001", "P002", "--json")
    assert done.code == 1
    assert json.loads(done.out) == [{"proposal": "P001", "id": "L001"}]


def test_files_that_are_not_utf_8_are_left_alone(qlearn: Qlearn) -> None:
    qlearn("propose", LESSON)
    qlearn.registry.write_bytes(b"### L001: Caf\xe9\n")
    code, out, err = qlearn("accept", "1")
    assert (code, out) == (1, "")
    assert err.startswith("qlearn: .qe/learnings.md:1: byte 0xe9 is not valid UTF-8")
    (qlearn.root / ".qe/proposals.md").write_bytes(b"### P001: Caf\xe9\n")
    for command in (["reject", "1"], ["propose", "Another"]):
        assert qlearn(*command).err.startswith("qlearn: .qe/proposals.md:1: byte 0xe9 is not valid UTF-8")


def test_accepting_what_is_known_reinforces_it(qlearn: Qlearn) -> None:
    qlearn("add", "After a change of proto files run make gen; CI does not.", "--title", "Generate")
    qlearn("propose", LESSON, "--title", "Generate after proto changes")
    done = qlearn("accept", "P001")
    assert (done.out, done.err) == (
        "L001\n",
        "qlearn: L001 holds the same lesson and was reinforced; --new adds it anyway\n",
    )
    assert qlearn("proposals").out == "Nothing waits.\n"
    assert qlearn.read().count("### L") == 1


def test_what_is_accepted_anyway_is_a_learning_of_its_own(qlearn: Qlearn) -> None:
    qlearn("add", "After a change of proto files run make gen; CI does not.", "--title", "Generate")
    qlearn("propose", LESSON, "--title", "Generate after proto changes")
    assert qlearn("accept", "P001", "--new").out == "L002\n"


def test_accepting_names_what_is_similar(qlearn: Qlearn) -> None:
    qlearn("add", "Run make gen after a change of proto files within 5 minutes.", "--title", "Generate")
    qlearn("propose", "Run make gen after a change of proto files within 9 minutes.")
    done = qlearn("accept", "P001")
    assert done.out == "L002\n"
    assert done.err.startswith("qlearn: L002 is similar to L001, but numbers: 9 / 5: Generate")
