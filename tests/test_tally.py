"""What people say of a learning is counted, and nothing that is written there is lost."""

from __future__ import annotations

import datetime as dt

import pytest

from qlearn.confidence import Evidence, confidence
from qlearn.errors import RegistryError
from qlearn.learning import parse_learnings
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


@pytest.mark.parametrize(("stated", "after"), [("0.30", 0.35), ("0.70", 0.75), ("0.90", 0.9)])
def test_an_instinct_keeps_evidence_from_the_first_thing_that_happens(stated: str, after: float) -> None:
    text = count_feedback(f"### L001: a\n- **Confidence**: {stated}\n", "1", helpful=True, now=NOW)
    (entry,) = parse_learnings(text)
    assert entry.evidence == Evidence(kept=1, last=NOW.date())
    assert confidence(entry.confidence, entry.evidence, NOW.date()) == after


@pytest.mark.parametrize("stated", ["", "- **Confidence**: 0.95\n", "- **Confidence**: 0.1\n"])
def test_another_entry_is_as_sure_as_it_states_and_stays_so(stated: str) -> None:
    text = f"### L001: a\n{stated}"
    assert count_feedback(text, "1", helpful=False, now=NOW) == text
    assert "Evidence" not in count_use(text, "1", now=NOW)
