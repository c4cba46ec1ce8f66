from __future__ import annotations

from qlearn.detect.turns import seconds_between, turns_of

from .session import Session


def test_a_turn_goes_from_prompt_to_prompt() -> None:
    session = Session()
    session.run("ls")
    session.say("one")
    session.run("make a")
    session.edit("b.py")
    session.stop()
    session.say("two")
    turns = turns_of(session.events)
    assert [
        (turn.prompt.input if turn.prompt else None, len(turn.calls), turn.stopped) for turn in turns
    ] == [
        (None, 1, False),
        ("one", 2, False),
        ("two", 0, False),
    ]


def test_turns_of_sessions_that_run_at_once_stay_apart() -> None:
    a, b = Session("a"), Session("b")
    for session in (a, b):
        session.say("go")
        session.run("ls")
    assert [turn.session for turn in turns_of([*a.events, *b.events])] == ["a", "b"]


def test_how_a_turn_is_stopped() -> None:
    ways = []
    for way in ("interrupt", "refuse", "begin", "stop", "sub-agent"):
        session = Session()
        session.say("go")
        if way == "interrupt":
            session.interrupt()
        elif way == "refuse":
            session.refuse("npm i")
        elif way == "begin":
            session.begin("npm i")
        elif way == "stop":
            session.begin("npm i")
            session.stop()
        else:
            session.run("ls")
            session.events.append(
                session.events[-1]._replace(event="PreToolUse", agent="a1", tool_use_id="z")
            )
        ways.append(turns_of(session.events)[0].stopped)
    assert ways == [True, True, True, False, False]


def test_prompts_to_sub_agents_begin_no_turn() -> None:
    session = Session()
    session.say("go")
    session.say("explore", agent="a1")
    session.run("ls", agent="a1")
    (turn,) = turns_of(session.events)
    assert len(turn.calls) == 1


def test_a_session_of_a_sub_agent_alone_has_no_turn() -> None:
    session = Session()
    session.say("explore", agent="a1")
    assert turns_of(session.events) == ()


def test_time_between() -> None:
    session = Session()
    session.say("a")
    session.wait(2)
    session.say("b")
    assert seconds_between(*session.events) == 130.0
