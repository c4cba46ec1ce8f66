"""Whole processes, timed in pairs: what counts is the ratio to something run a moment before."""

from __future__ import annotations

import random
import re
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WORDS = re.findall(
    r"\S+",
    "pin the lockfile before release cache migration parser hook fixture retry deploy schema token"
    " snake_case camelCase src/app/main.py timeout header cursor branch index worker",
)


class Run(NamedTuple):
    """One command to time: its words, its standard input and its environment."""

    command: Sequence[str]
    stdin: bytes = b""
    environ: Mapping[str, str] | None = None


class Ratio(NamedTuple):
    """Medians over the pairs: seconds of each side, and of their quotient."""

    seconds: float
    peer_seconds: float
    ratio: float


def compare(run: Run, peer: Run, *, pairs: int = 15) -> Ratio:
    """Run two commands in turn and compare them pair by pair, after one pair that does not count."""
    timed = [(_seconds(run), _seconds(peer)) for _ in range(pairs + 1)][1:]
    mine, other = zip(*timed, strict=True)
    return Ratio(
        statistics.median(mine), statistics.median(other), statistics.median(a / b for a, b in timed)
    )


def bare_python() -> Run:
    """The peer of everything that starts a Python: one that does nothing."""
    return Run([sys.executable, "-c", "pass"])


def registry(entries: int, *, seed: int = 3) -> str:
    """Make up a registry: entries of about 400 bytes, one in ten with a fenced example."""
    source = random.Random(seed)
    parts = ["# Learning Registry\n\n> Made up for a benchmark.\n\n---\n\n"]
    for number in range(1, entries + 1):
        lines = [
            f"### L{number:03d}: {_words(source, 5)}",
            f"- **Type**: {source.choice(('mistake', 'convention', 'gotcha', 'decision'))}",
            f"- **Severity**: {source.choice(('critical', 'important', 'info'))}",
            f"- **Date**: 2026-{source.randint(1, 11):02d}-{source.randint(1, 28):02d}",
        ]
        if number % 3 == 0:
            lines.append(f"- **Reinforced**: 2026-11-{source.randint(1, 29):02d}")
        lines += [f"- **Learning**: {_words(source, 28)}", f"- **Context**: {_words(source, 4)}"]
        if number % 10 == 0:
            lines.append("- **Example**:\n  ```sh\n  ### Usage\n  make release\n  ```")
        parts.append("\n".join([*lines, "", "---", "", ""]))
    return "".join(parts)


def _words(source: random.Random, count: int) -> str:
    return " ".join(source.choices(WORDS, k=count))


def _seconds(run: Run) -> float:
    start = time.perf_counter()
    done = subprocess.run(run.command, input=run.stdin, capture_output=True, env=run.environ, check=False)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{run.command} failed with {done.returncode}: {done.stderr.decode()}")
    return seconds
