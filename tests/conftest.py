"""Hypothesis is told not to time single examples: on a shared machine that measures the neighbours."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("qlearn", deadline=None)
settings.load_profile("qlearn")
