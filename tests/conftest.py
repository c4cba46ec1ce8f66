"""Hypothesis is told not to time single examples: on a shared machine that measures the neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import settings

if TYPE_CHECKING:
    import pytest

settings.register_profile("qlearn", deadline=None)
settings.load_profile("qlearn")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--variations", type=int, default=5, help="of each bad input (tests/bad_inputs)")
