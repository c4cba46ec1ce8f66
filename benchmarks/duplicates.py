"""Precision and recall of ways to tell a lesson met again, on the labelled pairs in benchmarks/duplicates.

python benchmarks/duplicates.py [--part tune|test] [--misses]

No constant of any way was chosen by looking at the test part.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from qlearn.duplicates import Lesson, compare, same_keywords
from qlearn.relevance import keyword_overlap
from qlearn.search import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Way = Callable[[Lesson, Lesson], bool]

FOLDER = Path(__file__).parent / "duplicates"
LANGUAGES = ("en", "ko", "zh", "es")


class Pair(NamedTuple):
    """Two lessons, and whether one entry would do."""

    id: str
    same: bool
    kind: str
    lang: str
    part: str
    first: Lesson
    second: Lesson


class Figures(NamedTuple):
    """How many of those told to be the same are, and how many of the same are told; 1 for none of none."""

    precision: float
    recall: float


def read_pairs() -> tuple[Pair, ...]:
    """Read the labelled pairs."""
    rows = map(json.loads, (FOLDER / "pairs.jsonl").read_text(encoding="utf-8").splitlines())
    return tuple(
        Pair(
            row["id"],
            row["same"],
            row["kind"],
            row["lang"],
            row["part"],
            _lesson(row["a"]),
            _lesson(row["b"]),
        )
        for row in rows
    )


def measure(way: Way, pairs: Sequence[Pair]) -> Figures:
    """Compare what a way tells with the labels."""
    told = [(way(pair.first, pair.second), pair.same) for pair in pairs]
    both = told.count((True, True))
    said, are = sum(each for each, _ in told), sum(same for _, same in told)
    return Figures(both / said if said else 1.0, both / are if are else 1.0)


WAYS: dict[str, Way] = {
    "the same text, case and spaces folded": lambda a, b: fold(a.learning) == fold(b.learning),
    "keyword overlap above 0.6, of keywords": lambda a, b: same_keywords(a.keywords, b.keywords),
    "keyword overlap above 0.6, of all words": lambda a, b: keyword_overlap(_words(a), _words(b)) > 0.6,
    "Jaccard of words from 0.5 on": lambda a, b: _jaccard(a, b) >= 0.5,
    "Jaccard of words from 0.3 on": lambda a, b: _jaccard(a, b) >= 0.3,
    "qlearn": lambda a, b: compare(a, b).same,
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=("tune", "test"), action="append")
    parser.add_argument("--misses", action="store_true", help="list the pairs of the tune part it gets wrong")
    options = parser.parse_args()
    for part in options.part or ("tune", "test"):
        _report(part, [pair for pair in read_pairs() if pair.part == part])
    if options.misses:
        for pair in read_pairs():
            comparison = compare(pair.first, pair.second)
            if pair.part == "tune" and comparison.same != pair.same:
                print(pair.id, pair.kind, f"{comparison.similarity:.2f}", comparison.differs or "-")


def _report(part: str, pairs: Sequence[Pair]) -> None:
    print(f"## The {part} part: {len(pairs)} pairs, {sum(pair.same for pair in pairs)} of them the same\n")
    print("| way | precision | recall | " + " | ".join(LANGUAGES) + " |")
    print("|---|---|---|" + "---|" * len(LANGUAGES))
    for name, way in WAYS.items():
        row = [f"{figure:.3f}" for figure in measure(way, pairs)]
        for lang in LANGUAGES:
            figures = measure(way, [pair for pair in pairs if pair.lang == lang])
            row.append(f"{figures.precision:.2f} / {figures.recall:.2f}")
        print(f"| {name} | " + " | ".join(row) + " |")
    print("\nOf each kind, the share that qlearn tells right:\n")
    print("| kind | same | pairs | right |")
    print("|---|---|---|---|")
    for same in (True, False):
        for kind in dict.fromkeys(pair.kind for pair in pairs if pair.same == same):
            some = [pair for pair in pairs if pair.kind == kind]
            right = sum(compare(pair.first, pair.second).same == same for pair in some)
            print(f"| {kind} | {'yes' if same else 'no'} | {len(some)} | {right / len(some):.2f} |")
    print()


def _lesson(side: dict[str, str | list[str]]) -> Lesson:
    return Lesson(str(side["title"]), str(side["learning"]), tuple(side.get("keywords", ())))


def _words(lesson: Lesson) -> set[str]:
    return set(re.findall(r"\w+", f"{lesson.title} {lesson.learning}".lower()))


def _jaccard(first: Lesson, second: Lesson) -> float:
    ours, theirs = _words(first), _words(second)
    return len(ours & theirs) / len(ours | theirs)


if __name__ == "__main__":
    main()
