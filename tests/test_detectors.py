"""The figures of benchmarks/detectors.py do not get worse."""

from __future__ import annotations

from collections import defaultdict

import pytest

from benchmarks.detectors import DETECTORS, PARTS, Label, Score, compare, load, proposals_for
from qlearn.detect import detect
from qlearn.proposal import Proposal, evidence_of

from .session import Session

FLOOR = {
    "D1": (0.9, 0.6),
    "D2": (0.9, 0.6),
    "D3": (0.7, 0.6),
    "D4": (0.9, 0.8),
    "D5": (0.6, 0.8),
    "D6": (0.9, 0.8),
}


@pytest.fixture(scope="module")
def scores() -> dict[tuple[str, str], Score]:
    projects, labels = load()
    total: dict[tuple[str, str], Score] = defaultdict(Score)
    for project in projects:
        proposals = proposals_for(project)
        for detector in DETECTORS:
            score, _ = compare(
                [p for p in proposals if p.detector == detector],
                [label for label in labels if (label.project, label.detector) == (project.name, detector)],
            )
            total[detector, project.part] += score
    return total


@pytest.mark.parametrize(
    ("detector", "part"),
    [
        (detector, part)
        for detector in DETECTORS
        for part in PARTS
        if part != "late" or detector in ("D1", "D2")
    ],
)
def test_precision_and_recall_hold(scores: dict[tuple[str, str], Score], detector: str, part: str) -> None:
    score = scores[detector, part]
    precision, recall = FLOOR[detector]
    assert score.hits / (score.hits + score.wrong) >= precision
    assert score.hits / (score.hits + score.missed) >= recall


def test_a_batch_needs_twenty_observations() -> None:
    session = Session()
    session.say("go on")
    session.run("npm install x")
    session.stop()
    session.say("we use pnpm")
    assert detect(session.events) == ()
    assert len(detect(session.events, at_least=4)) == 1
    for _ in range(16):
        session.run("ls")
    assert len(detect(session.events)) == 1


def test_a_label_is_met_once_and_only_by_its_evidence_and_words() -> None:
    proposal = Proposal("D1", "Use pnpm", "", "convention", "tools", "k", 0.5, evidence_of([]), ("a", "b"))
    label = Label("p", "en", "D1", frozenset("a"), ("PNPM",))
    assert compare([proposal], [label])[0] == Score(1, 0, 0)
    assert compare([proposal, proposal], [label])[0] == Score(1, 1, 0)
    for other in (
        label._replace(detector="D2"),
        label._replace(evidence=frozenset("c")),
        label._replace(words=("yarn",)),
    ):
        assert compare([proposal], [other])[0] == Score(0, 1, 1)
