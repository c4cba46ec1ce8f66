"""How fast a registry is read, against markdown-it-py's block parse of the same text, and how that grows.

With the garbage collector the exponent is about 0.08 more: it looks at all entries again and again.

python -m benchmarks.parsing
"""

from __future__ import annotations

import math
import timeit
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from benchmarks.measure import registry
from qlearn.learning import parse_learnings

if TYPE_CHECKING:
    from collections.abc import Callable


def best_of(count: int, call: Callable[[], object]) -> float:
    """The least seconds of some calls: what else the machine did can only add to it.

    As always in timeit, the garbage collector rests meanwhile; so it does in a hook.
    """
    return min(timeit.repeat(call, number=1, repeat=count))


def main() -> None:
    """Print the table."""
    judge = MarkdownIt("commonmark").disable(["inline", "text_join"])
    print("| entries | MB | qlearn, s | markdown-it-py, s | ratio | same entries |")
    print("|---:|---:|---:|---:|---:|---|")
    seconds = {}
    for entries in (1_000, 10_000, 100_000):
        text = registry(entries)
        seconds[entries] = best_of(5, lambda text=text: parse_learnings(text))  # type: ignore[misc]
        size = f"| {entries:,} | {len(text) / 1e6:.1f} | {seconds[entries]:.3f} |"
        if entries > 10_000:
            print(f"{size} | | |")
            continue
        other = best_of(2, lambda text=text: judge.parse(text))  # type: ignore[misc]
        tokens = judge.parse(text)
        titles = [
            tokens[i + 1].content
            for i, each in enumerate(tokens)
            if each.type == "heading_open" and each.tag == "h3"
        ]
        same = titles == [f"{entry.id}: {entry.title}" for entry in parse_learnings(text)]
        print(f"{size} {other:.3f} | {other / seconds[entries]:.1f} | {'yes' if same else 'NO'} |")
    exponent = math.log(seconds[100_000] / seconds[1_000]) / math.log(100)
    print(f"\ngrowth from 1,000 to 100,000 entries: exponent {exponent:.2f}")


if __name__ == "__main__":
    main()
