from __future__ import annotations

from qlearn.detect.contradiction import contradictions
from qlearn.learning import Learning, parse_learnings

from .session import Session


def entries(*rows: tuple[str, str], date: str = "2026-08-01", resolved: bool = False) -> tuple[Learning, ...]:
    """Entries of a title and a trigger each."""
    text = ""
    for number, (title, trigger) in enumerate(rows, 1):
        marker = "[RESOLVED] " if resolved else ""
        text += f"### L{number:03d}: {marker}{title}\n- **Date**: {date}\n- **Trigger**: {trigger}\n\n---\n\n"
    return parse_learnings(text)


PNPM = ("Use pnpm, not npm", "")


def working(*commands: str) -> Session:
    session = Session()
    session.say("go on")
    for command in commands:
        session.run(command)
    session.stop()
    session.say("thanks")
    return session


def test_an_entry_that_was_not_kept_and_nobody_minded() -> None:
    session = working("npm install x")
    (report,) = contradictions(session.events, entries(PNPM))
    assert (report.about, report.outcome) == (("L001",), "contradicted")
    assert report.evidence.contradicted == 1
    assert report.events == (session.events[1].id,)
    assert "npm install x" in report.learning


def test_what_was_undone_failed_or_is_kept_contradicts_nothing() -> None:
    assert contradictions(working("npm install x", "pnpm add x").events, entries(PNPM)) == ()
    assert contradictions(working("pnpm add x").events, entries(PNPM)) == ()
    session = Session()
    session.fail("npm install x", "error")
    assert contradictions(session.events, entries(PNPM)) == ()


def test_what_nobody_could_mind_yet_contradicts_nothing() -> None:
    session = Session()
    session.say("go on")
    session.run("npm install x")
    session.stop()
    assert contradictions(session.events, entries(PNPM)) == ()
    session.say("and now the tests")
    assert len(contradictions(session.events, entries(PNPM))) == 1


def test_what_a_person_corrected_contradicts_nothing() -> None:
    session = working("npm install x")
    session.say("no, pnpm, as always here")
    assert contradictions(session.events, entries(PNPM)) == ()


def test_resolved_and_later_entries_are_not_contradicted() -> None:
    session = working("npm install x")
    assert contradictions(session.events, entries(PNPM, resolved=True)) == ()
    assert contradictions(session.events, entries(PNPM, date="2026-09-02")) == ()


def test_a_file_that_was_not_to_be_edited() -> None:
    session = Session()
    session.say("go on")
    session.edit("dist/a.js")
    session.say("thanks")
    (report,) = contradictions(session.events, entries(("Never edit files in `dist/`", "")))
    assert "dist/a.js" in report.learning


def test_entries_that_say_the_opposite_are_reported() -> None:
    pairs = [
        (("Use npm, not pnpm", "when installing"), ("Use pnpm, not npm", "when installing")),
        (
            ("Always mock the database in tests", "when testing"),
            ("Never mock the database in tests", "when testing APIs"),
        ),
        (("Usar siempre tabs en YAML", "al editar YAML"), ("No usar nunca tabs en YAML", "")),
    ]
    for pair in pairs:
        (report,) = contradictions([], entries(*pair))
        assert (report.about, report.outcome, report.events) == (("L001", "L002"), "opposite", ())


def test_entries_that_can_both_hold_are_not() -> None:
    pairs = [
        (
            ("Always use tabs in Go files", "when editing Go"),
            ("Never use tabs in Python files", "when editing Python"),
        ),
        (("Never commit secrets", "when committing"), ("Do not commit generated files", "when committing")),
        (("Use npm, not pnpm", "in the docs"), ("Use pnpm, not npm", "at the root")),
        (("Always rebase", ""), ("Never merge", "")),
    ]
    for pair in pairs:
        assert contradictions([], entries(*pair)) == ()
