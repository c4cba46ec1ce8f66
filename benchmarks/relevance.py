"""Compare ways to find the lesson that a task needs, on the labelled tasks in benchmarks/relevance.

python benchmarks/relevance.py [--part tune|test]

No constant of any method was chosen by looking at the test part.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import math
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from qlearn.decay import score_terms
from qlearn.learning import Learning
from qlearn.relevance import Match, keyword_overlap, relevant_learnings, weigh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Ranking = Sequence[tuple[float, int]]  # scores above 0 and numbers of lessons, the best first
    Method = Callable[[str], Ranking]

FOLDER = Path(__file__).parent / "relevance"
NOW = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
STYLES = ("prompt", "error", "path")
LANGUAGES = ("en", "ko", "zh", "es")
SHOWN = {"prompt": 3, "error": 2, "path": 3}
"""How many lessons the hooks show at most."""


class Task(NamedTuple):
    """What somebody is about to do, and the numbers of the lessons that help, the best first."""

    id: str
    text: str
    style: str
    lang: str
    part: str
    relevant: tuple[int, ...] = ()


class Figures(NamedTuple):
    """How well a method ranks, and what it lets through where it keeps nine in ten of the right ones.

    `false` is the share of tasks for which nothing fits, `without` that of the tasks whose lessons were taken
    out of the registry, for which something scores as high as a right first one at the tenth percentile.
    """

    hit1: float
    hit5: float
    mrr10: float
    false: float
    without: float


class Shown(NamedTuple):
    """What the gate as shipped lets through: shares of tasks, and of lines."""

    right: float
    right5: float
    wrong: float
    lines_right: float

    @property
    def net(self) -> float:
        return self.right5 - self.wrong


def read_lessons() -> tuple[Learning, ...]:
    lessons = []
    for row in _rows("lessons.jsonl"):
        row["keywords"] = ", ".join(row["keywords"])
        fields = {
            key: row[key]
            for key in ("type", "severity", "date", "learning", "context", "keywords", "trigger", "category")
            if row.get(key)
        }
        if row.get("example"):
            fields["example"] = f"```\n{row['example']}\n```"
        lessons.append(Learning(int(row["id"][1:]), row["title"], False, fields, 0, 0, 1))
    return tuple(lessons)


def read_tasks(name: str) -> tuple[Task, ...]:
    return tuple(
        Task(
            row["id"],
            row["text"],
            row["style"],
            row["lang"],
            row["part"],
            tuple(int(lesson[1:]) for lesson in row.get("relevant", ())),
        )
        for row in _rows(f"{name}.jsonl")
    )


def everyday() -> list[str]:
    return (FOLDER / "everyday.txt").read_text(encoding="utf-8").splitlines()


def methods(lessons: Sequence[Learning]) -> dict[str, Method]:
    """The ways to rank, by name; each is given the text of a task."""
    texts = {
        each.number: " ".join(
            (each.title, each.learning, each.context or "", " ".join(each.keywords))
        ).lower()
        for each in lessons
    }
    sets = {number: _words(text) for number, text in texts.items()}
    factors = {each.number: score_terms(each, NOW) for each in lessons}

    def by(score: Callable[[set[str], int], float]) -> Method:
        return lambda task: _ordered((score(_words(task.lower()), number), number) for number in texts)

    return {
        "substring": lambda task: _ordered((float(task.lower() in text), at) for at, text in texts.items()),
        "keyword overlap": by(lambda task, at: keyword_overlap(task, sets[at])),
        "Jaccard": by(lambda task, at: len(task & sets[at]) / len(task | sets[at])),
        "overlap x confidence x recency": by(
            lambda task, at: keyword_overlap(task, sets[at]) * factors[at].confidence * factors[at].decay
        ),
        "BM25, plain words": bm25(texts),
        "qlearn": lambda task: [
            (match.score, match.learning.number) for match in weigh(lessons, task, n=10, now=NOW)
        ],
    }


def bm25(texts: dict[int, str], *, k1: float = 1.5, b: float = 0.75) -> Method:
    r"""BM25 over words as `\w+` finds them, in lower case."""
    counts = {number: Counter(re.findall(r"\w+", text)) for number, text in texts.items()}
    held = Counter(word for words in counts.values() for word in words)
    sizes = {number: words.total() for number, words in counts.items()}
    mean = sum(sizes.values()) / len(sizes)

    def score(task: Iterable[str], number: int) -> float:
        total = 0.0
        for word in task:
            if times := counts[number][word]:
                rarity = math.log(1 + (len(texts) - held[word] + 0.5) / (held[word] + 0.5))
                total += rarity * times * (k1 + 1) / (times + k1 * (1 - b + b * sizes[number] / mean))
        return total

    return lambda task: _ordered((score(_words(task.lower()), number), number) for number in texts)


def measure(method: Method, tasks: Sequence[Task], nothing: Sequence[Task]) -> Figures:
    ranked = [(task, method(task.text)) for task in tasks]
    places = [
        next((at for at, (_, number) in enumerate(ranking[:10], 1) if number in task.relevant), 0)
        for task, ranking in ranked
    ]
    first = sorted((ranking[0][0] for (_, ranking), place in zip(ranked, places, strict=True) if place == 1))
    # Nine in ten of those that are right score at least this.
    least = first[len(first) // 10] if first else 0.0
    best_without = [
        next((score for score, number in ranking if number not in task.relevant), 0.0)
        for task, ranking in ranked
    ]
    best_of_nothing = [(method(task.text) or [(0.0, 0)])[0][0] for task in nothing]
    return Figures(
        hit1=_share(place == 1 for place in places),
        hit5=_share(1 <= place <= 5 for place in places),
        mrr10=sum(1 / place for place in places if place) / len(places),
        false=_share(0 < score >= least for score in best_of_nothing),
        without=_share(0 < score >= least for score in best_without),
    )


def measure_gate(lessons: Sequence[Learning], tasks: Sequence[Task], nothing: Sequence[Task]) -> Shown:
    def shown(task: Task, k: int) -> list[int]:
        return [match.learning.number for match in relevant_learnings(lessons, task.text, k=k, now=NOW)]

    lines = [(task, shown(task, SHOWN[task.style])) for task in tasks]
    is_right = [number in task.relevant for task, numbers in lines for number in numbers]
    return Shown(
        right=_share(not set(numbers).isdisjoint(task.relevant) for task, numbers in lines),
        right5=_share(not set(shown(task, 5)).isdisjoint(task.relevant) for task in tasks),
        wrong=_share(bool(shown(task, 1)) for task in nothing),
        lines_right=_share(is_right),
    )


def fired(lessons: Sequence[Learning]) -> list[tuple[str, Match]]:
    """The everyday prompts for which something is shown, and what."""
    return [
        (prompt, match)
        for prompt in everyday()
        for match in relevant_learnings(lessons, prompt, k=1, now=NOW)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=("tune", "test"), action="append")
    lessons, tasks, nothing = read_lessons(), read_tasks("tasks"), read_tasks("nothing")
    for part in parser.parse_args().part or ("tune", "test"):
        _report(
            part,
            lessons,
            [task for task in tasks if task.part == part],
            [task for task in nothing if task.part == part],
        )
    prompts = fired(lessons)
    print(f"Everyday prompts for which something is shown: {len(prompts)} of {len(everyday())}")
    for prompt, match in prompts:
        print(f"- {prompt!r}: {match.learning.id} {match.score:.2f}")


def _report(part: str, lessons: Sequence[Learning], tasks: Sequence[Task], nothing: Sequence[Task]) -> None:
    ways = methods(lessons)
    print(f"## The {part} part: {len(tasks)} tasks, {len(nothing)} for which nothing fits\n")
    print("Where 90 % of the right first ones are kept, how many wrong ones are let through for tasks for")
    print("which nothing fits, and for tasks whose lessons were taken out of the registry:\n")
    print("| method | hit@1 | hit@5 | MRR@10 | nothing fits | taken out |")
    print("|---|---|---|---|---|---|")
    for name, method in ways.items():
        figures = measure(method, tasks, nothing)
        print(f"| {name} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |")
    print("\nqlearn at the gate as shipped: share of tasks with a right lesson among what the hooks show (at")
    print(
        "most 3, of errors 2), and among the first five above the gate; share of the tasks for which nothing"
    )
    print("fits that get something; hit@5 less that; share of the lines shown for tasks that are right:\n")
    print("| tasks | number | hit@1 | hit@5 | right shown | hit@5, gate | wrong shown | net | lines right |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in ("all", *STYLES, *LANGUAGES):
        some, none = (
            [task for task in group if name in ("all", task.style, task.lang)] for group in (tasks, nothing)
        )
        figures, gate = measure(ways["qlearn"], some, none), measure_gate(lessons, some, none)
        row = (figures.hit1, figures.hit5, gate.right, gate.right5, gate.wrong)
        print(
            f"| {name} | {len(some)} + {len(none)} | "
            + " | ".join(f"{figure:.3f}" for figure in row)
            + f" | {gate.net:+.3f} | {gate.lines_right:.3f} |"
        )
    print()


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _ordered(scored: Iterable[tuple[float, int]]) -> Ranking:
    """Those above 0, the best first; ties keep the order of the registry."""
    return sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1]))


def _share(flags: Iterable[bool]) -> float:
    listed = list(flags)
    return sum(listed) / len(listed) if listed else 0.0


if __name__ == "__main__":
    main()
