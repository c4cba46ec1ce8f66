"""Proposals decided on one by one, on a terminal."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from qlearn import observing, paths, project
from qlearn.cli.triage import QUESTION
from qlearn.learning import parse_learnings
from qlearn.observation import Observation
from qlearn.pending import parse_proposals
from tests.cli.conftest import NOW, Qlearn, entry
from tests.cli.terminal import Terminal, plain

LESSONS = {
    "Generate after proto changes": "Run make gen after a change of proto files, since CI does not.",
    "Quote every path": "Quote every path in a shell command, also in examples.",
    "Restart the worker": "Restart the worker after a migration, for it keeps the old schema.",
}


@pytest.fixture
def proposed(qlearn: Qlearn) -> Qlearn:
    """A project with three proposals and one learning."""
    qlearn.write(entry(1, "Pin the lockfile"))
    for title, lesson in LESSONS.items():
        assert qlearn("propose", lesson, "--title", title).code == 0
    return qlearn


def triage(program: Qlearn, **environ: str) -> Terminal:
    """Start the command on a terminal that knows no colours."""
    return Terminal("triage", cwd=program.root, columns=80, TERM="dumb", **environ)


def waiting(program: Qlearn) -> list[str]:
    text = (program.root / ".qe/proposals.md").read_text()
    return [each.id for each in parse_proposals(text) if not each.rejected]


def titles(program: Qlearn) -> list[str]:
    return [each.title for each in parse_learnings(program.read())]


def test_each_key_decides_on_one_proposal(proposed: Qlearn) -> None:
    terminal = triage(proposed)
    for key, answer in (
        ("a", "P001 is L002 now."),
        ("r", "P002 is rejected and not proposed again."),
        ("l", "P003 waits."),
    ):
        terminal.expect(QUESTION)
        terminal.key(key)
        terminal.expect(answer)
    code, shown = terminal.end()
    assert code == 0
    assert shown.endswith("\n1 accepted, 1 rejected, 1 left.\n")
    assert titles(proposed) == ["Pin the lockfile", "Generate after proto changes"]
    assert waiting(proposed) == ["P003"]


def test_a_proposal_is_shown_with_what_it_rests_on_and_what_resembles_it(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "Run make gen after a change of proto files"))
    (qlearn.root / ".qe/proposals.md").write_text(
        "### P007: Generate after proto changes\n"
        "- **Type**: convention\n- **Severity**: important\n"
        "- **Learning**: Run make gen after a change of proto files, since CI does not do that on its own "
        "and nobody notices before the release.\n"
        "- **Category**: workflows\n- **Trigger**: editing proto files\n"
        "- **Example**:\n  ```\n  make gen\n  ```\n"
        "- **Evidence**: seen 3, sessions 2, last 2026-11-28\n- **Key**: x\n- **Detector**: error-fix\n"
    )
    terminal = triage(qlearn)
    terminal.expect(QUESTION)
    terminal.key("q")
    code, shown = terminal.end()
    lines = plain(shown).splitlines()
    assert code == 0
    assert lines == [
        "P007: Generate after proto changes",
        "1 of 1 · convention · important · workflows · 30 days left",
        "",
        "  Run make gen after a change of proto files, since CI does not do that on its",
        "  own and nobody notices before the release.",
        "",
        "Trigger: editing proto files",
        "Example:",
        "```",
        "make gen",
        "```",
        "Evidence: seen 3 times in 2 session(s), last on 2026-11-28",
        "Found by: error-fix",
        "The same as L001: Run make gen after a change of proto files",
        "",
        f"{QUESTION}q",
        "",
        "1 left.",
    ]
    assert all(len(line) <= 80 for line in lines)


def test_what_was_observed_is_shown_as_evidence(proposed: Qlearn) -> None:
    assert proposed("observe", "on").code == 0
    user, found = paths.find(os.environ), project.find(str(proposed.root), {})
    failed = Observation(
        ts="2026-11-30T09:00:00.000Z", event="PostToolUseFailure", session="s", tool_use_id="t1", tool="Bash",
        input="make test\n  --all", error="Exit code 2\nno such file\x1b[2J: gen.pb.go",
    )  # fmt: skip
    repaired = failed._replace(ts="2026-11-30T09:01:00.000Z", tool_use_id="t2", input="make gen", error="")
    for each in (failed, repaired, repaired._replace(tool_use_id="t3", input="ls")):
        observing.append(user.project(found.id), each, NOW)
    proposals = proposed.root / ".qe/proposals.md"
    proposals.write_text(proposals.read_text().replace("\n\n---", "\n- **Events**: t1, t2, t9\n\n---", 2))
    terminal = triage(proposed)
    terminal.expect(QUESTION)
    terminal.key("q")
    lines = terminal.end()[1].splitlines()
    assert lines[8:11] == [
        "  2026-11-30 09:00 Bash: make test --all -> Exit code 2 no such file<U+001B>[2J:",
        "  gen.pb.go",
        "  2026-11-30 09:01 Bash: make gen",
    ]


def test_a_log_that_can_not_be_read_stops_nobody(proposed: Qlearn) -> None:
    assert proposed("observe", "on").code == 0
    user, found = paths.find(os.environ), project.find(str(proposed.root), {})
    (Path(user.project(found.id)) / "observations.jsonl").mkdir(parents=True)
    terminal = triage(proposed)
    terminal.expect("qlearn: ")
    terminal.expect(QUESTION)
    terminal.key("q")
    assert terminal.end()[0] == 0


def test_a_proposal_is_merged_into_what_resembles_it_or_what_is_named(proposed: Qlearn) -> None:
    proposed.write(
        entry(1, "Pin the lockfile", date="2026-10-01") + entry(2, "Quote every path in a shell command")
    )
    terminal = triage(proposed)
    terminal.expect(QUESTION)
    terminal.key("m")
    terminal.expect("Into which learning: ")
    terminal.answer("L009")
    terminal.expect("No learning 'L009'")
    terminal.expect(QUESTION)
    terminal.key("m")
    terminal.expect("Into which learning: ")
    terminal.answer("1")
    terminal.expect("P001 was merged into L001, which is reinforced.")
    terminal.expect("The same as L002")
    terminal.expect(QUESTION)
    terminal.key("m")
    terminal.expect("Into which learning [L002]: ")
    terminal.answer("")
    terminal.expect("P002 was merged into L002, which is reinforced.")
    terminal.expect(QUESTION)
    terminal.key("q")
    assert terminal.end()[1].endswith("2 merged, 1 left.\n")
    assert [each.reinforced is not None for each in parse_learnings(proposed.read())] == [True, True]
    assert waiting(proposed) == ["P003"]


def _editor(tmp_path: Path, script: str) -> str:
    path = tmp_path / "editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_a_proposal_is_edited_and_then_decided_on(proposed: Qlearn, tmp_path: Path) -> None:
    editor = _editor(tmp_path, 'sed -i "s/Generate after/Regenerate on/; s/important/critical/" "$1"')
    terminal = triage(proposed, EDITOR=editor)
    terminal.expect(QUESTION)
    terminal.key("e")
    terminal.expect("P001: Regenerate on proto changes")
    terminal.expect(QUESTION)
    terminal.key("a")
    terminal.expect("P001 is L002 now.")
    terminal.expect(QUESTION)
    terminal.key("q")
    assert terminal.end()[0] == 0
    [_, added] = parse_learnings(proposed.read())
    assert (added.title, added.severity) == ("Regenerate on proto changes", "critical")


def test_what_can_not_be_taken_is_kept_and_asked_again(proposed: Qlearn, tmp_path: Path) -> None:
    terminal = triage(proposed, EDITOR=_editor(tmp_path, 'echo "### P009: x" > "$1"'))
    terminal.expect(QUESTION)
    terminal.key("e")
    terminal.expect("the text is no longer one entry with the id P001; your text is kept in ")
    terminal.expect(QUESTION)
    terminal.key("q")
    assert terminal.end()[1].endswith("3 left.\n")
    assert waiting(proposed) == ["P001", "P002", "P003"]


@pytest.mark.parametrize("typed", ["x", "A", "\x1b[A", "\x1b[a", "aa", "reject", "é", "\n", "\x1b"], ids=repr)
def test_no_other_key_decides_anything(proposed: Qlearn, typed: str) -> None:
    terminal = triage(proposed)
    terminal.expect(QUESTION)
    terminal.key(typed)
    terminal.rest(0.3)
    terminal.key("q")
    code, shown = terminal.end()
    assert code == 0
    assert shown.count(QUESTION) == 1
    assert shown.endswith("3 left.\n")


def test_an_arrow_that_comes_in_pieces_is_no_key(proposed: Qlearn) -> None:
    terminal = triage(proposed)
    terminal.expect(QUESTION)
    for piece in ("\x1b", "[", "a"):
        terminal.key(piece)
        terminal.rest(0.02)
    terminal.rest(0.3)
    terminal.key("q")
    assert terminal.end()[1].endswith("3 left.\n")


def test_keys_pressed_before_a_question_do_not_answer_it(proposed: Qlearn) -> None:
    terminal = triage(proposed)
    terminal.key("rrr")
    terminal.expect(QUESTION)
    terminal.rest(0.3)
    terminal.key("q")
    assert terminal.end()[1].endswith("3 left.\n")


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["ctrl-c", "ctrl-d"])
def test_it_can_be_left_at_any_time(proposed: Qlearn, key: str) -> None:
    terminal = triage(proposed)
    terminal.expect(QUESTION)
    terminal.key("a")
    terminal.expect("P002: ")
    terminal.expect(QUESTION)
    terminal.press(key)
    code, shown = terminal.end()
    # Where the question is drawn again in this moment, the word stands behind it.
    assert (code, shown.splitlines()[-1].endswith("qlearn: stopped")) == (130, True)
    assert waiting(proposed) == ["P002", "P003"]


def test_what_somebody_else_has_decided_meanwhile_is_passed_over(proposed: Qlearn) -> None:
    terminal = triage(proposed)
    terminal.expect(QUESTION)
    assert proposed("reject", "P001").code == 0
    terminal.key("a")
    terminal.expect("P001 was rejected on 2026-11-30")
    terminal.expect("P002: ")
    terminal.expect(QUESTION)
    terminal.key("q")
    assert terminal.end()[1].endswith("\n2 left.\n")


def test_a_proposal_that_hides_something_is_shown_for_what_it_is(qlearn: Qlearn) -> None:
    (qlearn.root / ".qe/proposals.md").write_text(
        "### P001: One\x1b]0;title\x07\n- **Learning**: a\u202eb \x1b[2J\n- **Context**: c\x9bd\n"
    )
    terminal = triage(qlearn)
    terminal.expect(QUESTION)
    terminal.key("a")
    terminal.expect("holds the control character U+001B")
    terminal.expect(QUESTION)
    terminal.key("q")
    _, shown = terminal.end()
    assert "P001: One<U+001B>]0;title<U+0007>" in plain(shown)
    assert not set(plain(shown)) & set("\x1b\x07\u202e\x9b")
    assert waiting(qlearn) == ["P001"]


def test_without_a_terminal_it_says_what_does_the_same(proposed: Qlearn) -> None:
    assert proposed("triage") == (
        1,
        "",
        "qlearn: there is no terminal to ask on; `qlearn proposals` lists what `qlearn accept` takes\n",
    )


def test_nothing_waits(qlearn: Qlearn) -> None:
    assert triage(qlearn).end() == (0, "Nothing waits.\n")
