"""Precision and recall of each detector on the labelled logs in benchmarks/detectors.

python benchmarks/detectors.py [--part tune|test|late] [--misses]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from qlearn.detect import Shown, detect
from qlearn.learning import parse_learnings
from qlearn.observation import Observation, parse_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from qlearn.proposal import Proposal

FOLDER = Path(__file__).parent / "detectors"
PARTS = ("tune", "test", "late")
DETECTORS = ("D1", "D2", "D3", "D4", "D5", "D6")


class Project(NamedTuple):
    """A project of the labelled logs."""

    name: str
    language: str
    part: str
    sessions: tuple[str, ...]
    files: tuple[str, ...]
    registry: str
    shown: tuple[dict[str, Any], ...]
    observations: tuple[Observation, ...]


class Label(NamedTuple):
    """A proposal that is expected."""

    project: str
    language: str
    detector: str
    evidence: frozenset[str]
    words: tuple[str, ...]

    def meets(self, proposal: Proposal) -> bool:
        """Whether the proposal is the one that is expected: its detector, evidence and words."""
        text = "\n".join(
            (proposal.title, proposal.learning, *proposal.keywords, *proposal.about, proposal.outcome)
        )
        return (
            proposal.detector == self.detector
            and self.evidence <= set(proposal.events)
            and all(word.casefold() in text.casefold() for word in self.words)
        )


class Score(NamedTuple):
    """Counts of proposals and labels that met, and of those that didn't."""

    hits: int = 0
    wrong: int = 0
    missed: int = 0

    def __add__(self, other: object) -> Score:
        assert isinstance(other, Score)
        return Score(self.hits + other.hits, self.wrong + other.wrong, self.missed + other.missed)

    def __str__(self) -> str:
        precision = f"{self.hits / (self.hits + self.wrong):.2f}" if self.hits + self.wrong else " -  "
        recall = f"{self.hits / (self.hits + self.missed):.2f}" if self.hits + self.missed else " -  "
        counts = f"{self.hits} right, {self.wrong} wrong, {self.missed} missed"
        return f"precision {precision}  recall {recall}  ({counts})"


def part_of(session: str) -> str:
    """The part that a project belongs to by the id of its first session, where none is given."""
    return "test" if int(hashlib.sha256(session.encode()).hexdigest(), 16) % 3 == 0 else "tune"


def load() -> tuple[tuple[Project, ...], tuple[Label, ...]]:
    """All projects with their observations, and all labels."""
    logs: dict[str, list[Observation]] = defaultdict(list)
    for path in sorted((FOLDER / "logs").glob("*.jsonl")):
        for line in path.read_text("utf-8").split("\n"):
            if observation := parse_line(line):
                logs[observation.project].append(observation)
    projects = tuple(
        Project(
            row["project"],
            row["language"],
            row.get("part") or part_of(row["sessions"][0]),
            tuple(row["sessions"]),
            tuple(row.get("files", ())),
            row.get("registry", ""),
            tuple(row.get("shown", ())),
            tuple(logs[row["project"]]),
        )
        for row in _rows("projects.jsonl")
    )
    labels = tuple(
        Label(
            row["project"], row["language"], row["detector"], frozenset(row["evidence"]), tuple(row["words"])
        )
        for row in _rows("labels.jsonl")
    )
    return projects, labels


def _rows(name: str) -> Iterable[dict[str, Any]]:
    for line in (FOLDER / name).read_text("utf-8").splitlines():
        yield json.loads(line)


def proposals_for(project: Project) -> tuple[Proposal, ...]:
    """What all detectors propose for a project."""
    return detect(
        project.observations,
        learnings=parse_learnings(project.registry),
        shown=[Shown(row["session"], row["ts"], tuple(row["ids"])) for row in project.shown],
        files=project.files,
        at_least=0,
    )


def compare(proposals: Sequence[Proposal], labels: Sequence[Label]) -> tuple[Score, list[str]]:
    """Match proposals with labels one to one, and say which ones met nothing."""
    left = list(labels)
    wrong = []
    for proposal in proposals:
        label = next((label for label in left if label.meets(proposal)), None)
        if label is None:
            wrong.append(f"wrong   {proposal.detector} {proposal.title!r} {list(proposal.events)}")
        else:
            left.remove(label)
    remarks = wrong + [
        f"missed  {label.detector} {list(label.words)} {sorted(label.evidence)}" for label in left
    ]
    return Score(len(labels) - len(left), len(wrong), len(left)), remarks


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--misses", action="store_true", help="say what was wrong and what was missed")
    arguments = parser.parse_args()
    projects, labels = load()
    scores: dict[tuple[str, str, str], Score] = defaultdict(Score)
    for project in projects:
        if arguments.part not in (None, project.part):
            continue
        proposals = proposals_for(project)
        for detector in DETECTORS:
            score, remarks = compare(
                [p for p in proposals if p.detector == detector],
                [label for label in labels if label.project == project.name and label.detector == detector],
            )
            scores[detector, project.language, project.part] += score
            if arguments.misses:
                for remark in remarks:
                    print(f"{project.part} {project.name:20} {remark}")
    for detector in DETECTORS:
        print(f"{detector}")
        for part in PARTS:
            chosen = {key: score for key, score in scores.items() if key[0] == detector and key[2] == part}
            if chosen:
                print(f"  {part}      {sum(chosen.values(), Score())}")
                for (_, language, _), score in sorted(chosen.items()):
                    print(f"    {language}      {score}")


if __name__ == "__main__":
    main()
