"""Hypothesis is told not to time single examples: on a shared machine that measures the neighbours."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, settings

from qlearn import paths, project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# CI tries the same examples each time; new ones are found on people's machines.
settings.register_profile("qlearn", deadline=None, derandomize="CI" in os.environ)
# For scripts/mutate. A mutant is dead once a test fails: nobody waits for the smallest example that kills it.
settings.register_profile(
    "mutants",
    settings.get_profile("qlearn"),
    derandomize=True,
    max_examples=30,
    phases=(Phase.explicit, Phase.generate),
)
settings.load_profile("qlearn")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--variations", type=int, default=5, help="of each bad input (tests/bad_inputs)")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The environment of a user who has nothing yet."""
    return {"HOME": str(tmp_path / "home"), "PATH": os.defpath}


@pytest.fixture
def user(environ: dict[str, str]) -> paths.UserPaths:
    """That user's folders, none of which is there."""
    return paths.find(environ)


@pytest.fixture
def here(tmp_path: Path) -> project.Project:
    """A project with nothing in it but `.qe/`."""
    (tmp_path / "project" / ".qe").mkdir(parents=True)
    return project.find(str(tmp_path / "project"), {})


@pytest.fixture
def in_honolulu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process whose own days begin ten hours after those of UTC."""
    if not hasattr(time, "tzset"):
        pytest.skip("this system has no way to set a process's time zone")
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "HST10")
        time.tzset()
        yield
    time.tzset()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try again what a busy machine can upset: tests that type into a terminal or a browser."""
    for item in items:
        if {"test_triage.py", "test_terminal.py", "browser"} & set(item.path.parts):
            item.add_marker(pytest.mark.flaky(reruns=2))
