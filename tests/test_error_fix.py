from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.detect.error_fix import error_fixes

from .session import Session

MISSING = "Error: Cannot find module 'fuse.js'"


@pytest.mark.parametrize(
    ("failed", "error", "repaired"),
    [
        ("python run.py", "bash: python: command not found", "python3 run.py"),
        ("pytest -q", "ModuleNotFoundError: No module named 'app'", "uv run pytest -q"),
        ("pytest -q", "ModuleNotFoundError: No module named 'app'", "PYTHONPATH=. pytest -q"),
        ("docker-compose up -d", "bash: docker-compose: command not found", "docker compose up -d"),
        ("timeout 3 make smoke", "zsh: command not found: timeout", "gtimeout 3 make smoke"),
        ("pip install a[b]", "zsh: no matches found: a[b]", "pip install 'a[b]'"),
        ("npm run build", "npm error enoent Could not read package.json", "cd web && npm run build"),
        ("git push", "fatal: The current branch x has no upstream branch.", "git push -u origin HEAD"),
        ("kubectl get pods", "The connection to the server was refused", "kubectl --context dev get pods"),
        ("python tools/a.py -v", "ImportError: attempted relative import", "python -m tools.a -v"),
        ("npm install x", "npm error this project uses pnpm", "pnpm add x"),
        ("python3 a.py", "ModuleNotFoundError: No module named 'x'", ".venv/bin/python a.py"),
    ],
)
def test_a_repaired_command_is_a_lesson(failed: str, error: str, repaired: str) -> None:
    session = Session()
    first, second = session.fail(failed, error), session.run(repaired)
    (proposal,) = error_fixes(session.events)
    assert proposal.events == (first, second)
    assert proposal.learning == f"`{failed}` fails with `{error}`. Use `{repaired}` instead."
    assert proposal.example == repaired
    assert (proposal.detector, proposal.type, proposal.category) == ("D2", "gotcha", "errors")


def test_a_prerequisite_before_the_identical_command_is_a_lesson() -> None:
    session = Session()
    first = session.fail("npm test", MISSING)
    session.run("ls node_modules")
    between = session.run("npm ci")
    last = session.run("npm test")
    (proposal,) = error_fixes(session.events)
    assert proposal.events == (first, between, last)
    assert proposal.title == "Run `npm ci` before `npm test`"


def test_an_edit_of_a_configuration_file_is_a_lesson() -> None:
    session = Session()
    first = session.fail("mypy app", "pyproject.toml: [mypy]: Unrecognized option: strict_optionals = True")
    edited = session.edit("pyproject.toml")
    last = session.run("mypy app")
    (proposal,) = error_fixes(session.events)
    assert proposal.events == (first, edited, last)
    assert proposal.learning.endswith("An edit of `pyproject.toml` repaired it.")


def test_what_the_error_advises_counts_beside_edits() -> None:
    session = Session()
    session.fail("go test ./...", "go: updates to go.mod needed; to update it:\n\tgo mod tidy")
    session.edit("internal/a.go")
    session.run("go mod tidy")
    session.run("go test ./...")
    (proposal,) = error_fixes(session.events)
    assert "go mod tidy" in proposal.title


@pytest.mark.parametrize("hidden", ["pytest 2>&1 | tail -5", "pytest || true", "pytest | head -20"])
def test_an_error_that_exit_zero_hides_is_a_failure(hidden: str) -> None:
    session = Session()
    session.run(hidden, "E   ModuleNotFoundError: No module named 'app'")
    session.run("uv run pytest")
    (proposal,) = error_fixes(session.events)
    assert proposal.learning.startswith("`pytest` fails with `ModuleNotFoundError")


def test_output_without_an_exit_code_shows_its_error() -> None:
    session = Session()
    session.run("psql -h db", "psql: error: connection to server failed: Connection refused", code=None)
    session.run("docker compose up -d db", "Started", code=None)
    session.run("psql -h db", "ok", code=None)
    (proposal,) = error_fixes(session.events)
    assert "docker compose up -d db" in proposal.title


def test_an_error_that_a_person_pasted_is_a_failure() -> None:
    session = Session()
    prompt = session.say(
        "look at that\n$ npm run dev\nError: listen EADDRINUSE: address already in use :::3000"
    )
    session.read("src/server.ts")
    fixed = session.run("PORT=3001 npm run dev")
    (proposal,) = error_fixes(session.events)
    assert proposal.events == (prompt, fixed)


@pytest.mark.parametrize(
    ("failed", "error", "then"),
    [
        ("cat a.toml", "cat: a.toml: No such file or directory", "cat b/a.toml"),
        ("ls docs/adr", "ls: cannot access 'docs/adr': No such file or directory", "ls docs/adr docs"),
        ("grep -rn x lib", "", "grep -rn x lib src"),
        ("diff a b", "1c1", "diff a b c"),
        ("git diff --exit-code", "x", "git diff"),
        ("git apply x.patch", "error: patch does not apply", "git apply --3way x.patch"),
        ("make foo", "make: *** No rule to make target 'foo'.  Stop.", "make foo bar"),
        ("tool --frob", "error: unrecognized option '--frob'", "tool --frobnicate"),
        ("pytest a.py", "E   AssertionError: assert 1 == 2", "pytest a.py -x"),
        ("go build", "a.go:3:1: undefined: x", "go build -v"),
        ("go mod download", "dial tcp: Operation not permitted", "GOFLAGS=-x go mod download"),
        ("npm test", "Cancelled: parallel tool call Bash(x) errored", "npm test --all"),
        ("rm x", "rm: cannot remove 'x': Permission denied", "sudo rm x"),
        (
            "git commit -m x",
            "husky - pre-commit hook exited with code 1 (error)",
            "git commit -m x --no-verify",
        ),
        ("git commit -m x", "pre-commit: error", "git commit -n -m x"),
        ("git push", "error: failed to push some refs", "git push --force"),
        ("git push", "error: failed to push some refs", "git push -f"),
        ("pip install a", "error: externally-managed-environment", "pip install --break-system-packages a"),
        ("curl https://x", "curl: (60) SSL certificate problem", "curl -k https://x"),
        ("npm i a", "npm error ERESOLVE could not resolve", "npm i a --legacy-peer-deps"),
        ("pytest a.py", "ModuleNotFoundError: No module named 'x'", "pytest b.py"),
        ("make image", "error: failed to solve", "make lint"),
    ],
)
def test_what_teaches_nothing(failed: str, error: str, then: str) -> None:
    session = Session()
    session.fail(failed, error)
    session.run(then)
    assert error_fixes(session.events) == ()


def test_a_file_that_is_not_there_is_no_failure_of_the_environment() -> None:
    session = Session()
    session.read("a.py", error="File does not exist.")
    session.read("b.py")
    assert error_fixes(session.events) == ()


def test_an_identical_retry_teaches_nothing() -> None:
    session = Session()
    session.fail("npm run deploy", "Error: socket hang up")
    session.run("git status")
    session.run("npm run deploy")
    assert error_fixes(session.events) == ()


def test_a_remedy_that_failed_teaches_nothing() -> None:
    session = Session()
    session.fail("npm run e2e", MISSING)
    session.run("npm ci")
    session.fail("npm run e2e", MISSING)
    assert error_fixes(session.events) == ()


def test_only_the_remedy_that_helped_is_learned() -> None:
    session = Session()
    session.fail("npm run e2e", MISSING)
    session.run("npm cache clean")
    session.fail("npm run e2e", MISSING)
    session.run("npm ci")
    session.run("npm run e2e")
    (proposal,) = error_fixes(session.events)
    assert proposal.title == "Run `npm ci` before `npm run e2e`"


def test_a_guard_passed_on_the_way_is_never_learned() -> None:
    session = Session()
    session.fail("git commit -m x", "error: hook failed to start")
    session.run("git config core.hooksPath /dev/null")
    session.run("git commit -m x")
    assert error_fixes(session.events) == ()


def test_code_that_was_edited_is_an_ordinary_fix() -> None:
    session = Session()
    session.fail("npm run build", "error TS2304: Cannot find name 'x'.")
    session.edit("src/a.ts")
    session.run("npm run build")
    assert error_fixes(session.events) == ()


@pytest.mark.parametrize("how", ["later", "further", "refused"])
def test_a_success_that_has_nothing_to_do_with_it(how: str) -> None:
    session = Session()
    session.fail("pytest", "ModuleNotFoundError: No module named 'app'")
    if how == "later":
        session.wait(16)
    elif how == "further":
        for n in range(12):
            session.read(f"{n}.py")
    else:
        session.refuse("uv sync")
    session.run("uv run pytest")
    assert error_fixes(session.events) == ()


def test_the_same_fix_in_two_sessions_is_one_proposal() -> None:
    sessions = [Session("a"), Session("b", day=2)]
    for number, session in enumerate(sessions):
        session.fail("npm test", f"Error: Cannot find module '/home/dev/{number}/x/y.js'")
        session.run("npm ci")
        session.run("npm test")
    (proposal,) = error_fixes([event for session in sessions for event in session.events])
    assert proposal.evidence.sessions == 2
    assert proposal.severity == "important"
    assert len(proposal.events) == 6


COMMANDS = [
    "npm test",
    "npm ci",
    "pytest",
    "uv run pytest",
    "cat x",
    "git push -f",
    "make `x`",
    "sudo npm test",
    "a" * 200,
]


@given(st.lists(st.tuples(st.sampled_from(COMMANDS), st.booleans()), max_size=12))
def test_any_log_gives_proposals_that_can_be_written(calls: list[tuple[str, bool]]) -> None:
    session = Session()
    for command, failed in calls:
        _ = session.fail(command, MISSING) if failed else session.run(command)
    for proposal in error_fixes(session.events):
        assert proposal.title
        assert "\n" not in proposal.learning
        assert 0.3 <= proposal.confidence <= 0.9
        assert "git push -f" not in proposal.learning


def test_a_red_test_whose_cause_is_the_environment_is_a_lesson() -> None:
    session = Session()
    session.fail(
        "go test ./it/...", "--- FAIL: TestStore\n    dial tcp [::1]:5432: connect: connection refused\nFAIL"
    )
    session.edit("internal/a.go")
    session.run("make it-up")
    session.run("go test ./it/...")
    (proposal,) = error_fixes(session.events)
    assert "make it-up" in proposal.title


@pytest.mark.parametrize(
    ("failed", "error", "then", "learned"),
    [
        ("npm test", "Test suite failed to run", "npm test -- --bail", False),
        ("npx eslint src", "2 problems (2 errors)", "npx eslint src --quiet", False),
        ("npm audit", "found 3 vulnerabilities\nerror", "npm audit --omit dev", False),
        ("cargo test", "error: target `cli` requires the features: `cli`", "cargo test --features cli", True),
        ("scrapy crawl x", "Unknown command: crawl", "cd crawler && scrapy crawl x", True),
        (
            "tool import a.csv",
            "UnicodeDecodeError: invalid byte",
            "tool import a.csv --encoding latin-1",
            True,
        ),
    ],
)
def test_options_alone_do_not_repair_a_check(failed: str, error: str, then: str, learned: bool) -> None:
    session = Session()
    session.fail(failed, error)
    session.run(then)
    assert bool(error_fixes(session.events)) is learned


def test_a_check_that_is_switched_off_in_its_configuration_is_no_repair() -> None:
    session = Session()
    session.fail("mypy app", "pyproject.toml: error: Function is missing an annotation")
    session.edit("pyproject.toml")
    session.events[-1] = session.events[-1]._replace(input='{"new_string": "strict = false"}')
    session.run("mypy app")
    assert error_fixes(session.events) == ()
