"""Proposals: written once, kept apart from the registry, decided by somebody."""

from __future__ import annotations

import datetime as dt

import pytest

from qlearn.confidence import Evidence
from qlearn.errors import NotFoundError, RegistryError
from qlearn.learning import parse_learnings
from qlearn.pending import parse_proposals, waiting
from qlearn.proposal import Proposal
from qlearn.proposals import (
    HEADER,
    Skipped,
    accept_proposal,
    add_proposals,
    combined,
    find_proposal,
    merge_proposal,
    reject_proposal,
)
from qlearn.registry import add_learning, amend, prune_learnings, resolve

NOW = dt.datetime(2026, 11, 30, 9, tzinfo=dt.UTC)
TODAY = NOW.date()
FOUND = Proposal(
    detector="correction",
    title="Use pnpm, not npm",
    learning="Use pnpm here: the lockfile is pnpm's.",
    type="convention",
    category="tools",
    key="use-pnpm-not-npm",
    confidence=0.5,
    evidence=Evidence(seen=2, sessions=2, last=TODAY),
    events=("a:1", "b:2"),
    keywords=("pnpm", "npm"),
    example="pnpm install",
)


def made(*found: Proposal, text: str = "", registry: str = "", archive: str = "") -> str:
    return add_proposals(text, found or (FOUND,), now=NOW, registry=registry, archive=archive).text


def test_a_proposal_is_an_entry_with_a_p_number() -> None:
    assert made() == HEADER + (
        "\n### P001: Use pnpm, not npm\n"
        "- **Type**: convention\n"
        "- **Severity**: info\n"
        "- **Date**: 2026-11-30\n"
        "- **Learning**: Use pnpm here: the lockfile is pnpm's.\n"
        "- **Keywords**: pnpm, npm\n"
        "- **Category**: tools\n"
        "- **Confidence**: 0.50\n"
        "- **Example**:\n  ```\n  pnpm install\n  ```\n"
        "- **Evidence**: seen 2, sessions 2, kept 0, confirmed 0, corrected 0, contradicted 0,"
        " last 2026-11-30\n"
        "- **Source**: session-observation\n"
        "- **Key**: use-pnpm-not-npm\n"
        "- **Detector**: correction\n"
        "- **Events**: a:1, b:2\n"
        "\n---\n"
    )


def test_a_proposal_is_never_an_entry_of_the_registry() -> None:
    assert parse_learnings(made()) == ()
    (pending,) = parse_proposals(made())
    assert (pending.id, pending.detector, pending.events) == ("P001", "correction", ("a:1", "b:2"))


def test_the_same_again_adds_only_evidence_that_is_new() -> None:
    text = made()
    again = add_proposals(text, [FOUND], now=NOW)
    assert (again.text, again.added, again.strengthened, again.skipped) == (text, (), (), ())
    later = FOUND._replace(events=("c:3",), evidence=Evidence(seen=1, sessions=1, last=dt.date(2026, 12, 1)))
    stronger = add_proposals(text, [later], now=NOW)
    assert stronger.strengthened == ("P001",)
    (pending,) = parse_proposals(stronger.text)
    assert pending.entry.evidence == Evidence(seen=3, sessions=3, last=dt.date(2026, 12, 1))
    assert pending.events == ("a:1", "b:2", "c:3")


def test_another_wording_of_the_same_key_is_the_same() -> None:
    other = FOUND._replace(title="pnpm!", learning="Only pnpm.", events=("z:9",))
    assert len(parse_proposals(made(FOUND, other))) == 1


def test_what_the_registry_or_its_archive_holds_is_not_proposed() -> None:
    registry = add_learning("", title="x", learning="use  PNPM here: the lockfile is pnpm's.", now=NOW).text
    assert add_proposals("", [FOUND], now=NOW, registry=registry).skipped == (
        Skipped(FOUND.title, "in the registry"),
    )
    archive = prune_learnings(registry, now=NOW, threshold=9).archive
    assert add_proposals("", [FOUND], now=NOW, archive=archive).skipped == (
        Skipped(FOUND.title, "in the archive"),
    )


def test_accepting_moves_the_entry_without_what_only_this_machine_knows() -> None:
    registry = add_learning("", title="First", now=NOW).text
    text = made(FOUND, FOUND._replace(title="Other", learning="Other.", key="other", events=("q:1",)))
    accepted = accept_proposal(
        text, registry, "p1", now=NOW, title="pnpm only", fields={"Severity": "important"}
    )
    assert accepted.id == "L002"
    assert [pending.id for pending in parse_proposals(accepted.text)] == ["P002"]
    entry = parse_learnings(accepted.registry)[1]
    assert (entry.title, entry.severity, entry.key) == ("pnpm only", "important", "use-pnpm-not-npm")
    assert entry.evidence == FOUND.evidence
    assert entry.source == "session-observation"
    assert not {"events", "detector"} & set(entry.fields)


def test_accepting_keeps_labels_as_they_are_written() -> None:
    text = "### P001: x\n- **x-team**: blue\n- **project_id**: 1\n- **learning**: y\n- **Detector**: d\n"
    accepted = accept_proposal(text, "", "P001", now=NOW, fields={"severity": "info"})
    assert "- **x-team**: blue\n" in accepted.registry
    assert "- **project_id**: 1\n" in accepted.registry
    (entry,) = parse_learnings(accepted.registry)
    assert dict(entry.fields) == {
        "severity": "info",
        "date": "2026-11-30",
        "learning": "y",
        "source": "agent",
        "x-team": "blue",
        "project_id": "1",
    }


def test_accepting_gives_a_number_that_the_archive_does_not_have() -> None:
    archive = "### L041: Gone\n"
    assert accept_proposal(made(), "", "P001", now=NOW, archive=archive).id == "L042"


REGISTRY = add_learning("", title="Use pnpm", learning="Always.", now=NOW - dt.timedelta(40)).text


def test_merging_reinforces_what_says_the_same_and_nothing_is_proposed_again() -> None:
    done = merge_proposal(made(), REGISTRY, "P001", "1", now=NOW)
    [entry] = parse_learnings(done.registry)
    assert (done.id, entry.title, entry.learning, entry.reinforced) == ("L001", "Use pnpm", "Always.", TODAY)
    assert entry.evidence is None
    assert waiting(done.text, TODAY) == ()
    [skipped] = add_proposals(done.text, [FOUND], now=NOW, registry=done.registry).skipped
    assert skipped.reason == "rejected as P001"


def test_merging_adds_evidence_to_what_keeps_some() -> None:
    registry = amend(REGISTRY, "L001", fields={"Evidence": "seen 3, sessions 1, last 2026-10-01"})
    [entry] = parse_learnings(merge_proposal(made(), registry, "P001", "L001", now=NOW).registry)
    assert entry.evidence == Evidence(seen=5, sessions=3, last=TODAY)


def test_merging_reopens_what_was_resolved() -> None:
    done = merge_proposal(made(), resolve(REGISTRY, "L001"), "P001", "L001", now=NOW)
    assert not parse_learnings(done.registry)[0].resolved


def test_merging_needs_a_proposal_that_waits_and_a_learning() -> None:
    with pytest.raises(NotFoundError, match="No proposal 'P002'"):
        merge_proposal(made(), REGISTRY, "P002", "L001", now=NOW)
    with pytest.raises(NotFoundError, match="No learning 'L009'"):
        merge_proposal(made(), REGISTRY, "P001", "L009", now=NOW)


def test_what_is_rejected_is_not_shown_and_not_proposed_again() -> None:
    text = reject_proposal(made(), "P001", now=NOW)
    assert waiting(text, TODAY) == ()
    assert reject_proposal(text, "P001", now=NOW) == text
    again = add_proposals(text, [FOUND], now=NOW)
    assert (again.text, again.skipped) == (text, (Skipped(FOUND.title, "rejected as P001"),))
    with pytest.raises(NotFoundError, match="P001 was rejected on 2026-11-30"):
        accept_proposal(text, "", "P001", now=NOW)


def test_a_proposal_expires_after_thirty_days_and_its_number_is_not_used_again() -> None:
    text = made()
    (pending,) = parse_proposals(text)
    assert pending.days_left(TODAY) == 30
    assert waiting(text, TODAY + dt.timedelta(30)) == (pending,)
    assert waiting(text, TODAY + dt.timedelta(31)) == ()
    other = FOUND._replace(title="Other", learning="Other.", key="other")
    with pytest.raises(NotFoundError, match="P001 expired on 2026-12-30"):
        accept_proposal(text, "", "P001", now=NOW + dt.timedelta(31))
    with pytest.raises(NotFoundError, match="P001 expired on 2026-12-30"):
        merge_proposal(text, "### L001: x\n", "P001", "L001", now=NOW + dt.timedelta(31))
    assert accept_proposal(text, "", "P001", now=NOW + dt.timedelta(30)).id == "L001"
    later = add_proposals(text, [other], now=NOW + dt.timedelta(31))
    assert [each.id for each in parse_proposals(later.text)] == ["P002"]


def test_a_proposal_without_a_date_does_not_expire() -> None:
    (pending,) = parse_proposals("### P7: By hand\n")
    assert (pending.id, pending.days_left(dt.date(2099, 1, 1))) == ("P007", 30)


def test_an_unknown_proposal_is_named() -> None:
    for name in ("P9", "x", ""):
        with pytest.raises(NotFoundError, match="No proposal"):
            find_proposal(made(), name)


def test_conflict_markers_stop_every_write() -> None:
    with pytest.raises(RegistryError, match="line 1"):
        add_proposals("<<<<<<< a\n", [FOUND], now=NOW)


def test_evidence_adds_up() -> None:
    assert combined(None, FOUND.evidence) == FOUND.evidence
    assert combined(Evidence(1, 1), Evidence(0, 1, 1, 1, 1, 1)) == Evidence(1, 2, 1, 1, 1, 1)
