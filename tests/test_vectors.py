"""Registries of the plain shape, read by qlearn, by a naive second reader, and as kept in tests/data.

`python -m tests.test_vectors` writes the data anew.
"""

from __future__ import annotations

import json
import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn import add_learning, decay_score, parse_learnings, prune_learnings, top_learnings
from qlearn.registry import HEADER

from .oracle import answers

DATA = Path(__file__).parent / "data" / "registry_vectors.json"
NOW = datetime(2026, 11, 30, 12, 34, 56, tzinfo=UTC)
WORDS = (
    "pin", "the", "lockfile", "cache", "retry", "naïve", "中文", "한글", "✅", "`code`", "C#", "a_b",
    "--flag", "50%", "user@host", "path/with/slash", "camelCase", "[link](x)", "*star*", "<tag>",
    "&amp;", "L999", "a:b", "\\", "é", "1.", "#3", "|",
)  # fmt: skip


def plain_registry(chance: random.Random, now: datetime = NOW) -> str:
    """A registry as the original engine and qlearn both write it."""
    pieces = [HEADER] if chance.random() < 0.8 else []
    numbers = sorted(chance.sample(range(1, 1500), chance.randint(0, 14)))
    for number in numbers:
        if chance.random() < 0.1:
            pieces.append(f"## {words(chance, 2)}\n\n{words(chance, 6)}\n")
        mark = "[RESOLVED] " if chance.random() < 0.2 else ""
        lines = [f"### L{number:03d}: {mark}{words(chance, 4)}"]
        day = now.date() - timedelta(chance.choice((0, 1, 7, 29, 30, 31, 90, 180, 400)))
        fields = {
            "Type": chance.choice(("mistake", "convention", "gotcha", "decision")),
            "Severity": chance.choice(("critical", "important", "info")),
            "Date": day.isoformat(),
            "Reinforced": (day + timedelta(chance.randint(0, 60))).isoformat(),
            "Learning": words(chance, 20),
            "Context": words(chance, 3),
        }
        often = {"Reinforced": 0.3, "Context": 0.6}
        lines += [
            f"- **{label}**: {value}"
            for label, value in fields.items()
            if chance.random() < often.get(label, 0.95)
        ]
        pieces.append("\n".join([*lines, "", "---", ""]))
    return "\n".join(pieces)


def words(chance: random.Random, most: int) -> str:
    chosen = [chance.choice(WORDS) for _ in range(chance.randint(1, most))]
    return " ".join(["Say", *chosen, "so"])


def qlearn_answers(content: str, now: datetime, n: int, threshold: float) -> dict[str, Any]:
    entries = parse_learnings(content)
    pruned = prune_learnings(content, now=now, threshold=threshold)

    def day(value: date | None) -> str | None:
        return value.isoformat() if value else None

    return {
        "entries": [
            {
                "id": each.id,
                "title": each.title,
                "type": each.type,
                "severity": each.severity,
                "date": day(each.date),
                "reinforced": day(each.reinforced),
                "learning": each.learning,
                "context": each.context,
                "resolved": each.resolved,
                "score": pytest.approx(decay_score(each, now), abs=1e-9),
            }
            for each in entries
        ],
        "top": [each.learning.id for each in top_learnings(content, n, now=now)],
        "next": add_learning(content, learning="x", now=now).id,
        "removed": [each.id for each in pruned.removed],
        "kept": [each.id for each in pruned.kept],
    }


VECTORS: list[dict[str, Any]] = json.loads(DATA.read_text("utf-8")) if DATA.exists() else []


def arguments(vector: dict[str, Any]) -> tuple[str, datetime, int, float]:
    return vector["content"], datetime.fromisoformat(vector["now"]), vector["n"], vector["threshold"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_qlearn_answers_as_the_vectors_say(vector: dict[str, Any]) -> None:
    assert vector["expect"] == qlearn_answers(*arguments(vector))


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_vectors_are_what_the_naive_reader_says(vector: dict[str, Any]) -> None:
    assert vector["expect"] == answers(*arguments(vector))


def test_the_vectors_hold_something_of_everything() -> None:
    entries = [entry for vector in VECTORS for entry in vector["expect"]["entries"]]
    assert len(VECTORS) == 12
    assert {entry["type"] for entry in entries} == {"mistake", "convention", "gotcha", "decision"}
    assert {entry["severity"] for entry in entries} == {"critical", "important", "info"}
    for key in ("date", "reinforced", "context"):
        assert {entry[key] is None for entry in entries} == {True, False}
    assert {entry["resolved"] for entry in entries} == {True, False}
    assert any(vector["expect"]["removed"] for vector in VECTORS)


@given(st.randoms(use_true_random=False), st.integers(0, 20), st.sampled_from((0.0, 0.1, 0.5, 2.0)))
def test_qlearn_and_the_naive_reader_agree_on_any_plain_registry(
    chance: random.Random, n: int, threshold: float
) -> None:
    content = plain_registry(chance)
    assert answers(content, NOW, n, threshold) == qlearn_answers(content, NOW, n, threshold)


def write_vectors() -> None:
    vectors = []
    for at in range(12):
        chance = random.Random(at)
        now = NOW + timedelta(days=chance.randint(0, 40), seconds=chance.randint(0, 80_000))
        vector = {
            "name": f"plain {at + 1}",
            "content": plain_registry(chance, now),
            "now": now.isoformat(),
            "n": chance.randint(1, 8),
            "threshold": chance.choice((0.05, 0.1, 0.5)),
        }
        vectors.append({**vector, "expect": answers(*arguments(vector))})
    DATA.write_text(json.dumps(vectors, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    write_vectors()
