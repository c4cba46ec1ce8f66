"""Whether work on hostile text grows with its length alone."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def grows_linearly(work: Callable[[str], object], unit: str, size: int = 40_000) -> bool:
    """Whether four times the text takes less than ten times the processor time (best of three)."""

    def seconds(text: str) -> float:
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            work(text)
            best = min(best, time.process_time() - start)
        return best

    short = unit * (size // len(unit))
    return seconds(short * 4) < 10 * seconds(short) + 0.02
