from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.detect.preference import preferences, wilson_bound

from .session import Session

if TYPE_CHECKING:
    from qlearn.observation import Observation


def uses(first: list[str], second: list[str]) -> list[Observation]:
    a, b = Session("a"), Session("b", day=1)
    for command in first:
        a.run(command)
    for command in second:
        b.run(command)
    return [*a.events, *b.events]


def test_a_tool_used_five_times_in_two_sessions_is_a_preference() -> None:
    (proposal,) = preferences(uses(["pnpm i", "pnpm test", "pnpm build"], ["pnpm add x", "pnpm lint"]))
    assert proposal.title == "Use pnpm, not npm"
    assert "5 calls of 2 sessions" in proposal.learning
    assert len(proposal.events) == 5
    assert proposal.derivable == ""


def test_wrappers_count_for_their_tool() -> None:
    (proposal,) = preferences(uses(["uv run pytest"] * 3, ["uv run mypy", "uv sync"]))
    assert proposal.key == "uv-not-pip"


def test_what_a_lockfile_says_is_derivable() -> None:
    (proposal,) = preferences(uses(["pnpm i"] * 3, ["pnpm i"] * 3), files=["a.txt", "pnpm-lock.yaml"])
    assert proposal.derivable == "pnpm-lock.yaml"
    assert "pnpm-lock.yaml" in proposal.context


def test_few_uses_one_session_or_a_mixture_are_none() -> None:
    assert preferences(uses(["pnpm i"] * 2, ["pnpm i"] * 2)) == ()
    assert preferences(uses(["pnpm i"] * 6, [])) == ()
    assert preferences(uses(["pnpm i", "npm i"] * 3, ["pnpm i"] * 3)) == ()


def test_what_failed_does_not_count() -> None:
    a, b = Session("a"), Session("b", day=1)
    for session in (a, b):
        for _ in range(4):
            session.fail("bun test", "error")
    assert preferences([*a.events, *b.events]) == ()


def test_a_default_is_a_preference_only_against_an_alternative() -> None:
    assert preferences(uses(["grep x y"] * 6, ["grep x y"] * 6)) == ()
    (proposal,) = preferences(uses(["grep x y"] * 6, ["grep x y"] * 6 + ["rg x"]))
    assert proposal.title == "Use grep, not rg"


def test_a_database_client_is_no_choice() -> None:
    assert preferences(uses(["sqlite3 a.db .schema"] * 4, ["sqlite3 a.db .schema"] * 4)) == ()


@pytest.mark.parametrize(
    ("hits", "total", "bound"), [(5, 5, 0.6489), (0, 5, 0.0), (8, 10, 0.5408), (0, 0, 0.0)]
)
def test_the_wilson_bound(hits: int, total: int, bound: float) -> None:
    assert wilson_bound(hits, total) == pytest.approx(bound, abs=1e-3)


@given(st.integers(0, 500), st.integers(0, 500))
def test_the_bound_is_below_the_share_and_grows_with_hits(hits: int, misses: int) -> None:
    total = hits + misses
    bound = wilson_bound(hits, total)
    assert -1e-9 <= bound <= (hits / total if total else 0) + 1e-9
    assert wilson_bound(hits + 1, total + 1) >= bound
