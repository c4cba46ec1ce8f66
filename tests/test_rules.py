from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from qlearn.detect.rules import Rule, breaks, does, keeps, rule_of, touches
from qlearn.learning import Learning, parse_learnings

from .session import Session

if TYPE_CHECKING:
    from qlearn.observation import Observation


def entry(title: str, learning: str = "") -> Learning:
    text = f"### L001: {title}\n" + (f"- **Learning**: {learning}\n" if learning else "")
    (found,) = parse_learnings(text)
    return found


@pytest.mark.parametrize(
    ("title", "learning", "prefer", "avoid"),
    [
        ("Use pnpm, not npm", "npm writes a second lockfile.", ("pnpm",), ("npm",)),
        ("Use `make test` instead of `pytest`", "It starts the database.", ("make test",), ("pytest",)),
        ("Run the tests with `make test`", "", ("make test",), ()),
        (
            "Never run `git push --force`",
            "Use `git push --force-with-lease`.",
            ("git push --force-with-lease",),
            ("git push --force",),
        ),
        ("Prefer ripgrep", "Search with ripgrep rather than grep.", ("rg",), ("grep",)),
        ("npm 말고 yarn 쓰기", "npm 말고 yarn 쓴다.", ("yarn",), ("npm",)),
        ("用 uv，不要用 pip", "装依赖用 uv，不要用 pip。", ("uv",), ("pip",)),
        ("podman en vez de docker", "Usamos podman en vez de docker.", ("podman",), ("docker",)),
        ("Find the cause first", "Make a test before you cat the log.", (), ()),
        ("Amounts are in cents", "Store integers.", (), ()),
    ],
)
def test_what_a_text_tells_to_do_and_to_leave(
    title: str, learning: str, prefer: tuple[str, ...], avoid: tuple[str, ...]
) -> None:
    rule = rule_of(entry(title, learning))
    assert (rule.prefer, rule.avoid) == (prefer, avoid)
    assert rule.decidable == bool(prefer or avoid)


def test_paths_that_are_not_to_be_edited() -> None:
    rule = rule_of(entry("Never edit files in `dist/` by hand", "Edit `src/` and run `npm run build`."))
    assert rule == Rule(("npm run build",), (), ("dist/",))


def call(command: str) -> Observation:
    session = Session()
    session.run(command)
    return session.events[0]


def edited(path: str) -> Observation:
    session = Session()
    session.edit(path)
    return session.events[0]


@pytest.mark.parametrize(
    ("command", "name", "expected"),
    [
        ("npm install x", "npm", True),
        ("cd a && npm ci", "npm", True),
        ("pnpm add npm", "npm", False),
        ("uv run pytest -q", "pytest", True),
        ("make test", "make test", True),
        ("make lint", "make test", False),
        ("git push --force-with-lease origin x", "git push --force", False),
        ("git push --force origin x", "git push --force", True),
        ("echo make test", "make test", False),
        ("ls", "# nothing", False),
    ],
)
def test_whether_a_call_does_it(command: str, name: str, expected: bool) -> None:
    assert does(call(command), name) is expected


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("dist/a.js", "dist/", True),
        ("web/dist/a.js", "dist", True),
        ("src/a.js", "dist/", False),
        ("distance/a.js", "dist/", False),
    ],
)
def test_whether_a_call_touches_a_path(path: str, name: str, expected: bool) -> None:
    assert touches(edited(path), name) is expected
    assert not touches(call(f"rm {path}"), name)


def test_keeping_and_breaking() -> None:
    rule = Rule(("uv",), ("pip",), ("dist/",))
    assert keeps(call("uv add x"), rule)
    assert breaks(call("pip install x"), rule)
    assert not breaks(call("uv pip install x"), rule)
    assert breaks(edited("dist/a.js"), rule)
    assert not does(edited("dist/a.js"), "uv")
    failed = Session()
    failed.fail("pip install x", "error")
    assert not breaks(failed.events[0], rule)
