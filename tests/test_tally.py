"""What people say of a learning is counted, and nothing that is written there is lost."""

from __future__ import annotations

import datetime as dt

import pytest

from qlearn.errors import RegistryError
from qlearn.registry import reinforce
from qlearn.tally import count_feedback, count_use

NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
NOTES = """\
### L001: a
- **Reinforced**: 2026-11-20
  see the nightly run
- **Used**: 3
  - by Ann
- **Evidence**: much
"""


def test_a_value_with_more_in_it_is_not_written_over() -> None:
    with pytest.raises(
        RegistryError, match="line 1: Reinforced of L001 holds '2026-11-20 see the nightly run'"
    ):
        reinforce(NOTES, "L001", now=NOW)
    with pytest.raises(RegistryError, match="Used of L001 holds '3 - by Ann'"):
        count_use(NOTES, "L001", now=NOW)
    with pytest.raises(RegistryError, match="Evidence of L001 holds 'much'"):
        count_feedback(NOTES, "L001", helpful=True, now=NOW)


def test_an_empty_value_is_filled() -> None:
    text = "### L001: a\n- **Reinforced**:\n- **Used**:\n"
    assert "- **Used**: 1\n" in count_use(reinforce(text, "1", now=NOW), "1", now=NOW)
