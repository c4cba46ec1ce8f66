from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.detect.correction import corrections

from .session import Session


def after(command: str, said: str, *, stop: bool = True) -> Session:
    """A session in which the agent ran a command and a person then said something."""
    session = Session()
    session.say("have a look at the orders")
    session.run(command)
    if stop:
        session.stop()
    session.say(said)
    return session


@pytest.mark.parametrize(
    ("command", "said", "title"),
    [
        ("npm install zod", "pnpm", "Use pnpm, not npm"),
        ("npm install zod", "we use `pnpm`", "Use pnpm, not npm"),
        ("grep -rn x .", "ripgrep, please", "Use rg, not grep"),
        ("docker compose up -d", "podman 써", "Use podman, not docker"),
        ("pip install rich", "用 uv", "Use uv, not pip"),
        ("npx jest a.test.ts", "vitest en vez de jest", "Use vitest, not jest"),
    ],
)
def test_a_tool_that_is_named_after_its_alternative_was_used_is_a_correction(
    command: str, said: str, title: str
) -> None:
    (proposal,) = corrections(after(command, said).events)
    assert proposal.title == title
    assert proposal.detector == "D1"
    assert proposal.category == "tools"
    assert said in proposal.learning


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ('git commit -am "x"', "commit messages follow conventional commits here"),
        ("git push origin main", "I told you already: never push to main"),
        ("pytest", "the tests are run with `make test` in this repo"),
        ("kubectl apply -f x.yaml", "wrong cluster. always pass --context staging with kubectl"),
        ("git commit -am x", "앞으로는 커밋하기 전에 항상 린트 돌려"),
        ("git commit -am x", "以后提交信息都用英文写"),
        ("git commit -am x", "los mensajes de commit siempre en inglés"),
        ("sed -i s/a/b/ x.ts", "stop using sed, I can't see a diff"),
    ],
)
def test_a_standing_rule_about_what_was_done_is_a_correction(command: str, said: str) -> None:
    (proposal,) = corrections(after(command, said).events)
    assert said in proposal.learning
    assert proposal.context == f"said after `{command}`"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("npm test", "no, the header should be blue"),
        ("npm test", "that's wrong, the shadow is on the other side"),
        ("npm test", "no worries, commit it"),
        ("npm test", "don't worry about the lint warning"),
        ("npm test", "why did you not use pnpm?"),
        ("npm test", "could we switch to vitest one day?"),
        ("npm test", "switch the project from npm to pnpm"),
        ("npm test", "run the tests with pnpm"),
        ("npm test", 'the text should read: "never use npm, use pnpm instead"'),
        ("npm test", "```\nDon't use npm, use pnpm\n```"),
        ("npm test", "<system-reminder>Do not use npm, use pnpm</system-reminder>"),
        ("npm test", "/review never use npm, use pnpm"),
        ("npm test", "아니 파란색으로"),
        ("npm test", "颜色错了"),
        ("npm test", "no, en azul"),
        ("git push", "good"),
    ],
)
def test_feedback_tasks_questions_and_quotations_are_none(command: str, said: str) -> None:
    assert corrections(after(command, said).events) == ()


def test_a_document_is_no_correction() -> None:
    rules = (
        "# Review\n\n- never use npm\n- use pnpm instead\n- always run the tests\n\n## Output\n\n- a table"
    )
    assert corrections(after("npm test", rules).events) == ()
    assert corrections(after("npm test", "use pnpm, not npm. " * 50).events) == ()


def test_the_first_prompt_of_a_session_corrects_nothing() -> None:
    session = Session()
    session.run("npm test")
    other = Session("session-b", day=1)
    other.say("no npm here, use pnpm")
    assert corrections([*session.events, *other.events]) == ()


def test_a_prompt_to_a_sub_agent_is_none() -> None:
    session = Session()
    session.say("go on")
    session.run("npm test")
    session.say("never use npm, use pnpm", agent="a1")
    assert corrections(session.events) == ()


@pytest.mark.parametrize(
    "words", ["never mind, that was another project", "아니다 됐어", "算了，还是用 npm", "olvídalo"]
)
def test_what_is_taken_back_soon_is_none(words: str) -> None:
    session = after("npm install zod", "pnpm")
    session.run("ls")
    session.say(words)
    assert corrections(session.events) == ()


def test_after_an_interruption_a_command_is_enough() -> None:
    session = Session()
    session.say("lint the repository")
    session.run("golint ./...")
    session.interrupt()
    session.say("make lint, it skips generated code")
    (proposal,) = corrections(session.events)
    assert "make lint" in proposal.learning
    assert proposal.severity == "important"


def test_a_call_that_never_came_back_was_refused() -> None:
    session = Session()
    session.say("add a column")
    session.begin("alembic upgrade head")
    session.say("the migration has to be generated first")
    (proposal,) = corrections(session.events)
    assert "generated first" in proposal.learning


def test_being_interrupted_and_sent_on_is_none() -> None:
    session = Session()
    session.say("start the server")
    session.run("uv run uvicorn app:app")
    session.interrupt()
    session.say("sorry, go on")
    assert corrections(session.events) == ()


def test_the_reason_of_a_refusal_is_a_correction() -> None:
    session = Session()
    session.say("add zod")
    refused = session.refuse("npm install zod", "we are on pnpm")
    followed = session.run("pnpm add zod")
    (proposal,) = corrections(session.events)
    assert proposal.events == (refused, followed)
    assert proposal.example == "pnpm add zod"


def test_the_same_correction_in_two_sessions_is_one_proposal_of_more_confidence() -> None:
    first, second = after("npm i x", "no npm here, pnpm"), Session("session-b", day=3)
    second.say("upgrade vite")
    second.run("npm i vite")
    second.stop()
    second.say("we use pnpm, I said so yesterday")
    (once,) = corrections(first.events)
    (twice,) = corrections([*first.events, *second.events])
    assert (once.key, once.evidence.sessions) == (twice.key, 1)
    assert twice.evidence.sessions == twice.evidence.seen == 2
    assert str(twice.evidence.last) == "2026-09-04"
    assert twice.confidence > once.confidence
    assert len(twice.events) == 2


def test_feedback_that_comes_again_in_another_session_is_a_correction() -> None:
    first, second = (
        after("ls", "error messages in sentence case, without an exclamation mark"),
        Session("b", day=1),
    )
    second.say("validate the form")
    second.edit("src/form.ts")
    second.stop()
    second.say("again: error messages in sentence case")
    assert corrections(first.events) == ()
    (proposal,) = corrections([*first.events, *second.events])
    assert "sentence case" in proposal.title
    assert len(proposal.events) == 2


def test_a_talk_in_between_does_not_hide_what_was_done() -> None:
    session = after("npm install zod", "ok")
    session.stop()
    session.say("but pnpm")
    (proposal,) = corrections(session.events)
    assert proposal.title == "Use pnpm, not npm"


WORDS = [
    "no",
    "pnpm",
    "npm",
    "never",
    "`make test`",
    "use",
    "here",
    "말고",
    "不要",
    "siempre",
    "again",
    "?",
    "commit",
    "the",
]


@given(st.lists(st.sampled_from(WORDS), max_size=8), st.lists(st.sampled_from(WORDS), max_size=8))
def test_any_words_give_proposals_that_can_be_written(first: list[str], second: list[str]) -> None:
    session = after("npm install zod", " ".join(first))
    session.run("pnpm add zod")
    session.say(" ".join(second))
    for proposal in corrections(session.events):
        assert proposal.title
        assert "\n" not in proposal.title
        assert 0.3 <= proposal.confidence <= 0.9
        assert set(proposal.events) <= {event.id for event in session.events}


@pytest.mark.parametrize(
    ("command", "said", "then"),
    [
        ("go test ./...", "you need -race on those", "go test -race ./..."),
        ("npm test", "tests here only work with TZ=UTC set", "TZ=UTC npm test"),
        (
            "psql $DATABASE_URL -c 'select 1'",
            "the replica is meant for that: $REPLICA_URL",
            "psql $REPLICA_URL -c 'select 1'",
        ),
        ("git add src/a.spec.ts", "파일명은 .test.ts로 통일", "git mv src/a.spec.ts src/a.test.ts"),
        (
            "npm version patch",
            "versions are bumped by the bot, not by us, from a changeset",
            "npx changeset add",
        ),
    ],
)
def test_what_the_agent_then_adopts_shows_a_correction(command: str, said: str, then: str) -> None:
    session = after(command, said)
    followed = session.run(then)
    (proposal,) = corrections(session.events)
    assert said in proposal.learning
    assert proposal.events[-1] == followed


def test_what_the_agent_then_takes_back_shows_a_correction() -> None:
    for said, undone in (
        ("the other languages are synced from phrase, see src/i18n", "git checkout src/i18n/de.json"),
        ("commits carry the ticket in front", "git commit --amend -m 'X-1 a'"),
    ):
        session = after("git commit -am a", said)
        session.run(undone)
        assert len(corrections(session.events)) == 1


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("run it again with -v", "go test -v ./..."),
        ("now with -race", "go test -race ./..."),
        ("undo that please, wrong file", "git checkout a.go"),
        ("I see, the cache in internal/store.go is shared", "go test ./..."),
        ("let's not over-engineer it", "git checkout ."),
        ("어제 그 테스트 -v 옵션으로 돌려줘", "go test -v ./..."),
    ],
)
def test_doing_what_was_asked_for_shows_none(said: str, then: str) -> None:
    session = after("go test ./...", said)
    session.run(then)
    assert corrections(session.events) == ()


def test_a_refused_plan_is_no_refused_command() -> None:
    session = Session()
    session.say("think about the sync")
    session.refuse("plan", "always mention the ids in the plan")
    session.events[-1] = session.events[-1]._replace(tool="ExitPlanMode")
    session.say("shorter")
    assert corrections(session.events) == ()


def test_what_was_only_read_gives_no_context() -> None:
    session = Session()
    session.say("look for it")
    session.events.append(
        session.events[-1]._replace(event="PostToolUse", tool="Grep", tool_use_id="g", input="{}")
    )
    session.interrupt()
    session.say("always use `rg -uu` here")
    (proposal,) = corrections(session.events)
    assert (proposal.context, proposal.trigger) == ("", "")
