"""Hypothesis is told not to time single examples: on a shared machine that measures the neighbours."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hypothesis import settings

if TYPE_CHECKING:
    import pytest

# CI tries the same examples each time; new ones are found on people's machines.
settings.register_profile("qlearn", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("qlearn")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--variations", type=int, default=5, help="of each bad input (tests/bad_inputs)")
