"""From a session to its proposals and to the evidence of entries, as the hook at a turn's end does it."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from qlearn import extraction, ledger, observing, paths, project
from qlearn.confidence import Evidence
from qlearn.extract import evidence_changes, extract_session, worth_proposing
from qlearn.hooks import answer, read_scene, record
from qlearn.learning import parse_learnings
from qlearn.pending import parse_proposals
from qlearn.proposal import Proposal
from qlearn.proposals import accept_proposal
from qlearn.transcript import read_transcript
from qlearn.usage import Event

from .transcripts import NOW, Transcript, corrected, repaired

if TYPE_CHECKING:
    from collections.abc import Iterable


def stop(here: project.Project, environ: dict[str, str], transcript: Transcript, **more: object) -> None:
    path = Path(environ["HOME"]) / f"{transcript.session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(transcript.lines) + "\n")
    payload = {
        "session_id": transcript.session,
        "transcript_path": str(path),
        "cwd": here.root,
        "hook_event_name": "Stop",
        "stop_hook_active": False,
        **more,
    }
    scene = read_scene(json.dumps(payload).encode(), environ, NOW)
    assert scene is not None
    assert answer(scene) == b""
    record(scene)


def proposals(here: project.Project) -> list[str]:
    path = Path(here.root, project.PROPOSALS)
    return [each.entry.title for each in parse_proposals(path.read_text())] if path.exists() else []


def log(user: paths.UserPaths) -> list[str]:
    return Path(user.log).read_text().splitlines() if Path(user.log).exists() else []


def observations(*transcripts: Transcript) -> tuple[object, ...]:
    return tuple(each for one in transcripts for each in read_transcript(one.lines, project="p"))


# At the end of a turn


def test_a_repair_becomes_a_proposal_and_a_line_in_the_log(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    stop(here, environ, repaired())
    (title,) = proposals(here)
    assert "python" in title
    assert "1 proposed" in log(user)[-1]
    events = ledger.read(user.project(here.id)).events
    assert [(each.kind, each.learnings) for each in events] == [("extracted", ("P001",))]


def test_a_correction_becomes_a_proposal(here: project.Project, environ: dict[str, str]) -> None:
    stop(here, environ, corrected())
    (title,) = proposals(here)
    assert "pnpm" in title


def test_the_same_turn_again_changes_nothing(here: project.Project, environ: dict[str, str]) -> None:
    stop(here, environ, repaired())
    before = Path(here.root, project.PROPOSALS).read_bytes()
    stop(here, environ, repaired())
    assert Path(here.root, project.PROPOSALS).read_bytes() == before


def test_a_record_without_a_time_is_passed_over(here: project.Project, environ: dict[str, str]) -> None:
    transcript = repaired()
    transcript.lines.append(transcript.lines[-1].replace("2026-11-30T", "2026-11T").replace("uuid", "id"))
    stop(here, environ, transcript)
    assert len(proposals(here)) == 1


def test_a_file_that_is_not_utf_8_is_left_alone(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    found = b"# Proposals\n\n---\ncaf\xe9\n"
    Path(here.root, project.PROPOSALS).write_bytes(found)
    stop(here, environ, repaired())
    assert Path(here.root, project.PROPOSALS).read_bytes() == found
    assert f"nothing extracted: {project.PROPOSALS}:4: byte 0xe9 is not valid UTF-8" in log(user)[-1]


def test_a_transcript_at_a_path_that_is_none_is_said_in_the_log(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    stop(here, environ, repaired(), transcript_path="/home/dev\0/x.jsonl")
    assert "no transcript: '/home/dev\\x00/x.jsonl' is no path" in log(user)[0]


def test_another_session_adds_its_evidence(here: project.Project, environ: dict[str, str]) -> None:
    stop(here, environ, repaired())
    stop(here, environ, repaired("s9", NOW + dt.timedelta(hours=1)))
    (pending,) = parse_proposals(Path(here.root, project.PROPOSALS).read_text())
    assert pending.entry.evidence is not None
    assert pending.entry.evidence.sessions == 2


def test_a_short_session_gives_nothing_and_says_why(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    stop(here, environ, Transcript().says("hello").runs("ls", "a\n"))
    assert proposals(here) == []
    assert log(user)[-1].endswith("0 proposed, 1 skipped (under 1,000 characters)")


def test_what_the_agent_said_counts_for_the_length_of_a_session(
    here: project.Project, environ: dict[str, str]
) -> None:
    def session(name: str, answer: str) -> Transcript:
        talk = Transcript(name).says("add dates").runs("npm install date-fns", "ok").answers(answer)
        return talk.says("No, use pnpm here, never npm.").runs("pnpm add date-fns", "ok").answers("Done.")

    stop(here, environ, session("s1", "Installed."))
    assert proposals(here) == []
    stop(here, environ, session("s2", "Installed; this is what it is good for. " * 30))
    assert proposals(here) == ["Use pnpm, not npm"]


def test_a_session_without_a_solved_problem_gives_nothing(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    stop(here, environ, Transcript().says("look around").runs("ls -la").runs("git status"))
    assert proposals(here) == []
    assert "no correction and no solved problem" in log(user)[-1]


@pytest.mark.parametrize("off", ["environment", "project", "no .qe"])
def test_where_it_is_switched_off_nothing_is_read_or_written(
    off: str, here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    if off == "environment":
        environ["QLEARN_OBSERVE"] = "0"
    elif off == "project":
        observing.turn(user, here, on=False)
    else:
        Path(here.root, ".qe").rmdir()
        Path(here.root, ".git").mkdir()
    before = sorted(Path(here.root).rglob("*"))
    stop(here, environ, repaired())
    assert sorted(Path(here.root).rglob("*")) == before
    assert log(user) == []


def test_a_subagent_is_not_the_session(here: project.Project, environ: dict[str, str]) -> None:
    stop(here, environ, repaired(), agent_id="a1")
    assert proposals(here) == []


@pytest.mark.parametrize("path", ["/no/such/file", "/dev/zero", "/", ""])
def test_a_transcript_that_is_none_is_no_fault(
    path: str, here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    stop(here, environ, repaired(), transcript_path=path)
    assert proposals(here) == []
    *first, last = log(user)
    assert [("no transcript" in line) for line in first] == [True] * bool(path)
    assert "0 proposed, 1 skipped (nothing of a session in it)" in last


@pytest.mark.parametrize("path", ["/no/such/file", ""])
def test_what_was_recorded_is_enough_where_there_is_no_transcript(
    path: str, here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    observing.turn(user, here, on=True)
    for each in read_transcript(repaired().lines, project=here.id):
        observing.append(user.project(here.id), each, NOW)
    stop(here, environ, repaired(), transcript_path=path)
    (title,) = proposals(here)
    assert "python" in title


def test_a_locked_file_is_left_for_the_next_turn(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    from qlearn import store

    with store.lock(".qe/.lock", root=here.root):
        stop(here, environ, repaired())
    assert proposals(here) == []
    assert "nothing extracted" in log(user)[-1]
    stop(here, environ, repaired())
    assert len(proposals(here)) == 1


def test_what_the_projects_documents_say_is_not_proposed(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    stop(here, environ, corrected())
    (pending,) = parse_proposals(Path(here.root, project.PROPOSALS).read_text())
    Path(here.root, project.PROPOSALS).unlink()
    words = " ".join(pending.entry.keywords)
    Path(here.root, "PATTERNS.md").write_text(f"# Patterns\n\n- We know: {words}\n")
    stop(here, environ, corrected())
    assert proposals(here) == []
    assert "the project's documents say so" in log(user)[-1]


# Several sessions of an observed project


def test_observed_sessions_are_looked_at_together(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    observing.turn(user, here, on=True)
    folder = user.project(here.id)
    for day in range(3):
        session = Transcript(f"t{day}", NOW - dt.timedelta(days=3 - day))
        for turn in range(2):
            session.says(f"release part {turn}").runs("make -C proto gen").runs("uv run scripts/sign.py out")
            session.says("thanks").runs("cat notes.txt")
        for each in read_transcript(session.lines, project=here.id):
            observing.append(folder, each, NOW)
    stop(here, environ, Transcript("now").says("hello there").runs("ls"))
    assert proposals(here)
    assert not observing.batch_is_due(folder, len(observing.read(folder).observations), 20)


# Evidence of entries


def accepted(here: project.Project, environ: dict[str, str], transcript: Transcript) -> Path:
    stop(here, environ, transcript)
    pending = Path(here.root, project.PROPOSALS)
    done = accept_proposal(pending.read_text(), "", "P001", now=NOW)
    pending.write_text(done.text)
    registry = Path(here.root, project.LEARNINGS)
    registry.write_text(done.registry)
    return registry


def test_an_accepted_entry_gains_evidence_once_a_session(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    registry = accepted(here, environ, repaired())
    before = parse_learnings(registry.read_text())[0].evidence
    assert before is not None
    for _ in range(2):
        stop(here, environ, repaired("s7", NOW + dt.timedelta(hours=2)))
    (entry,) = parse_learnings(registry.read_text())
    assert entry.evidence is not None
    assert (entry.evidence.seen, entry.evidence.sessions) == (before.seen + 1, before.sessions + 1)
    assert "evidence for L001" in "\n".join(log(user))


def test_what_a_person_corrects_counts_against_an_entry() -> None:
    (entry,) = parse_learnings(
        "### L001: Use npm\n- **Learning**: Use `npm` to install.\n- **Evidence**: seen 3, last 2026-11-01\n"
    )
    seen = read_transcript(corrected().lines, project="p")
    (change,) = evidence_changes(seen, [entry])
    assert (change.id, change.session) == ("L001", "s2")
    assert change.evidence == Evidence(corrected=1, last=dt.date(2026, 11, 30))


@pytest.mark.parametrize(
    "fields", ["", "- **Confidence**: 0.95\n", "- **Confidence**: 0.7\n- **Evidence**: much\n"]
)
def test_an_entry_whose_evidence_is_not_kept_or_can_t_be_read_is_left_alone(fields: str) -> None:
    (entry,) = parse_learnings("### L001: Use npm\n- **Learning**: Use `npm` to install.\n" + fields)
    assert evidence_changes(read_transcript(corrected().lines, project="p"), [entry]) == ()


def test_the_evidence_of_an_instinct_starts_with_the_first_correction() -> None:
    (entry,) = parse_learnings(
        "### L001: Use npm\n- **Learning**: Use `npm` to install.\n- **Confidence**: 0.7\n"
    )
    (change,) = evidence_changes(read_transcript(corrected().lines, project="p"), [entry])
    assert change.evidence.corrected == 1


def test_what_was_shown_and_followed_is_kept(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    registry = Path(here.root, project.LEARNINGS)
    registry.write_text(
        "### L001: Use pnpm, not npm\n- **Date**: 2026-11-01\n- **Learning**: Use `pnpm`, not `npm`.\n"
        "- **Evidence**: seen 3, last 2026-11-01\n"
    )
    shown = Event(NOW - dt.timedelta(hours=1), "injected", "s5", ("L001",), source="UserPromptSubmit")
    ledger.append(user.project(here.id), shown)
    session = Transcript("s5").says("install it").runs("pnpm add date-fns").says("fine")
    stop(here, environ, session)
    (entry,) = parse_learnings(registry.read_text())
    assert entry.evidence == Evidence(seen=3, kept=1, last=dt.date(2026, 11, 30))


# What is worth it


def found(**more: Any) -> Proposal:
    base = Proposal(
        "D2", "t", "l", "gotcha", "errors", "k", 0.5, Evidence(), ("e",), keywords=("alpha", "beta")
    )
    return base._replace(**more)


@pytest.mark.parametrize(
    ("proposal", "reason"),
    [
        (found(confidence=0.45), "confidence 0.45, below 0.5"),
        (found(learning="SyntaxError: invalid syntax"), "a slip of syntax"),
        (found(derivable="pnpm-lock.yaml"), "pnpm-lock.yaml says so"),
    ],
)
def test_what_is_not_worth_it_is_left_out_with_a_reason(proposal: Proposal, reason: str) -> None:
    assert worth_proposing([proposal]).skipped[0].reason == reason


def test_words_in_different_paragraphs_do_not_say_it() -> None:
    def kept(documents: Iterable[str]) -> int:
        return len(worth_proposing([found()], documents).proposals)

    assert kept(["alpha\n\nbeta", "- alpha\n- beta"]) == 1
    assert kept(["of Alpha\nand beta"]) == 0


def test_nothing_observed_is_a_short_session() -> None:
    assert extract_session(()).skipped[0].reason == "under 1,000 characters"
    assert extraction.Extracted((), ("P001",), (), ()).__str__() == "0 proposed, 1 strengthened"


def test_the_end_of_a_turn_needs_nothing_installed(
    here: project.Project, user: paths.UserPaths, environ: dict[str, str]
) -> None:
    path = Path(environ["HOME"]) / "session.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(repaired().lines))
    payload = {"session_id": "s1", "transcript_path": str(path), "cwd": here.root, "hook_event_name": "Stop"}
    launcher = Path(extraction.__file__).parent / "hooks" / "launch.py"
    command = (sys.executable, "-I", "-S", str(launcher))
    done = subprocess.run(
        command, input=json.dumps(payload).encode(), env=environ, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(proposals(here)) == 1
