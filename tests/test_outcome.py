from __future__ import annotations

import pytest

from qlearn.detect.outcome import Shown, outcomes
from qlearn.learning import parse_learnings

from .session import Session

ENTRIES = parse_learnings(
    "### L001: Use `make test` instead of `pytest`\n- **Date**: 2026-08-01\n\n---\n\n"
    "### L002: Amounts are in cents\n\n---\n\n"
    "### L003: Never edit files in `dist/`\n\n---\n\n"
    "### L004: [RESOLVED] Use pnpm, not npm\n\n---\n"
)


def shown(session: Session, *ids: str) -> Shown:
    return Shown(session.name, session.events[-1].ts, ids)


@pytest.mark.parametrize(
    ("command", "outcome", "kept"), [("make test", "kept", 1), ("pytest -q", "not followed", 0)]
)
def test_a_command_decides_it(command: str, outcome: str, kept: int) -> None:
    session = Session()
    session.say("go on")
    told = shown(session, "L001", "L002", "L009")
    done = session.run(command)
    (report,) = outcomes(session.events, ENTRIES, [told])
    assert (report.about, report.outcome, report.events) == (("L001",), outcome, (done,))
    assert report.evidence.kept == kept


def test_a_path_decides_it() -> None:
    session = Session()
    session.say("go on")
    told = shown(session, "L003")
    session.edit("dist/a.js")
    (report,) = outcomes(session.events, ENTRIES, [told])
    assert report.outcome == "not followed"
    assert "dist/a.js" in report.learning


@pytest.mark.parametrize("commands", [("ls",), ("make test", "pytest"), ()])
def test_neither_or_both_is_unknown(commands: tuple[str, ...]) -> None:
    session = Session()
    session.say("go on")
    told = shown(session, "L001")
    for command in commands:
        session.run(command)
    assert outcomes(session.events, ENTRIES, [told]) == ()


def test_what_was_done_before_it_was_shown_does_not_count() -> None:
    session = Session()
    session.run("make test")
    assert outcomes(session.events, ENTRIES, [shown(session, "L001")]) == ()


def test_what_another_session_did_does_not_count() -> None:
    session, other = Session("a"), Session("b")
    session.say("go on")
    other.say("go on")
    other.run("make test")
    assert outcomes([*session.events, *other.events], ENTRIES, [shown(session, "L001")]) == ()


def test_resolved_entries_have_no_outcome() -> None:
    session = Session()
    session.say("go on")
    told = shown(session, "L004")
    session.run("pnpm add x")
    assert outcomes(session.events, ENTRIES, [told]) == ()


def test_an_entry_shown_twice_counts_once_from_the_first_time() -> None:
    session = Session()
    session.say("go on")
    first = shown(session, "L001")
    session.run("make test")
    assert len(outcomes(session.events, ENTRIES, [shown(session, "L001"), first])) == 1


def test_a_session_that_was_corrected_keeps_nothing() -> None:
    session = Session()
    session.say("go on")
    told = shown(session, "L001")
    session.run("make test")
    session.run("npm install x")
    session.stop()
    session.say("pnpm")
    assert outcomes(session.events, ENTRIES, [told]) == ()
