from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from qlearn.detect.workflow import workflows

from .session import Session

if TYPE_CHECKING:
    from qlearn.observation import Observation

STEPS = ("edit api/order.proto", "make gen", "go test ./internal/http/...")
BACKGROUND = ("edit docs/a.md", "npm run lint")


def sessions(*turns: tuple[str, ...], split: int = 2) -> list[Observation]:
    """Two sessions; the second begins at the turn *split*."""
    events: list[Observation] = []
    for name, chosen in (("a", turns[:split]), ("b", turns[split:])):
        session = Session(name, day=len(events) // 10)
        for steps in chosen:
            session.say("go on")
            for step in steps:
                _ = session.edit(step[5:]) if step.startswith("edit ") else session.run(step)
            session.stop()
        events += session.events
    return events


QUIET = ((), ("git status",), (), ())


def test_steps_that_come_back_are_a_workflow() -> None:
    (proposal,) = workflows(sessions(STEPS, STEPS, STEPS, *QUIET))
    assert proposal.title == "After edit `api/*.proto`: `make gen`, then `go test`"
    assert "in 3 turns of 2 sessions" in proposal.learning
    assert len(proposal.events) == 9
    assert proposal.example == "make gen\ngo test ./internal/http/..."
    assert (proposal.evidence.seen, proposal.evidence.sessions) == (2, 2)


def test_looking_in_between_does_not_matter() -> None:
    looking = (STEPS[0], "git status", "cat a.txt", STEPS[1], "ls", STEPS[2])
    assert len(workflows(sessions(STEPS, looking, STEPS, *QUIET))) == 1


def test_a_chain_is_several_steps() -> None:
    chain = ("make gen && go test ./... && make image",)
    (proposal,) = workflows(sessions(chain, chain, chain, *QUIET))
    assert proposal.title == "After `make gen`: `go test`, then `make image`"


def test_scripts_are_told_apart() -> None:
    steps = ("make docs", "python3 scripts/links.py build")
    (proposal,) = workflows(sessions(steps, steps, steps, *QUIET))
    assert "`python scripts/links.py`" in proposal.title


def test_two_turns_or_one_session_are_too_few() -> None:
    assert workflows(sessions(STEPS, STEPS, *QUIET)) == ()
    assert workflows(sessions(STEPS, STEPS, STEPS, *QUIET, split=7)) == ()


def test_what_stands_in_every_turn_has_no_lift() -> None:
    assert workflows(sessions(*[("make up", "make seed")] * 6)) == ()


def test_what_everybody_does_is_no_workflow() -> None:
    for steps in (
        ("git add -A", "git commit -m x", "git push"),
        ("edit src/a.ts", "edit src/b.ts"),
        ("edit src/a.ts", "npm test"),
        ("git status", "git diff", "ls"),
    ):
        assert workflows(sessions(steps, steps, steps, *QUIET)) == ()


def test_a_step_that_failed_is_none() -> None:
    session = Session()
    for _ in range(4):
        session.say("go on")
        session.run("make a")
        session.fail("make b", "error")
    assert workflows(session.events) == ()


def test_a_part_is_proposed_only_if_it_stands_far_more_often() -> None:
    part = STEPS[1:]
    assert len(workflows(sessions(STEPS, STEPS, STEPS, part, *QUIET, *QUIET, split=3))) == 1
    both = workflows(sessions(STEPS, STEPS, STEPS, *[(*part, "make x")] * 4, *QUIET * 4, split=5))
    assert [proposal.title for proposal in both][-1].startswith("After")


@given(
    st.lists(
        st.lists(st.sampled_from(["make a", "make b", "npm ci", "edit x/y.z", "git add x"]), max_size=4),
        max_size=9,
    )
)
def test_what_is_proposed_stands_in_three_turns_of_two_sessions(turns: list[list[str]]) -> None:
    events = sessions(*map(tuple, turns), split=len(turns) // 2)
    for proposal in workflows(events):
        assert proposal.evidence.sessions == 2
        assert len(set(proposal.events)) == len(proposal.events)
        assert len(proposal.events) >= 3
