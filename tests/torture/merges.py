"""Random three-way merges, each judged by rules that know nothing of qlearn's.

The controls are git's own merge of lines, and `merge=union`, on such cases: how often do they stop where
nobody contradicts anybody, and how often do they lose an entry, mix two or give both one number, without a
word? Only cases in which both sides changed the registry count there.
"""

from __future__ import annotations

import subprocess
from random import Random
from typing import TYPE_CHECKING
from unittest.mock import patch

from qlearn.merge import Memory, Merged, merge_memories
from tests import histories
from tests.merge_rules import Case, flaws, judge, judge_order, judge_steps, memory

from .harness import Verdicts, check, control, in_parallel, scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from qlearn.learning import Learning
    from tests.merge_rules import MergeMemories

# One of so many cases is also merged with a third side in several orders, and in steps.
ONE_IN = 16


def cases(size: int, random: Random, merge: MergeMemories = merge_memories, one_in: int = ONE_IN) -> Verdicts:
    """Merge so many pairs of sides; a case is made from its seed alone."""
    for _ in range(size):
        seed = random.getrandbits(48)
        try:
            flaw = next(_judged(Random(seed), merge, in_orders=seed % one_in == 0), "")
        except Exception as error:
            flaw = repr(error)
        yield f"case {seed}: {flaw}" if flaw else 1


def _judged(random: Random, merge: MergeMemories, *, in_orders: bool) -> Iterator[str]:
    base = histories.base(random)
    one, other = (histories.edited(base, name, random) for name in "ab")
    yield from judge(Case(base, one, other), merge)
    if in_orders:
        yield from judge_order(base, (one, other, histories.edited(base, "c", random)), merge)
        yield from judge_steps(base, one, other, histories.advanced(other, "c", random), merge)


@check("merge", counts="three-way cases", ci=60_000, long=2_000_000, seconds=50)
def by_entries(size: int, random: Random) -> Verdicts:
    """Merge by entries."""
    return in_parallel(cases, size, random)


@control("merge", broken="one side is taken", size=200)
def one_side(size: int, random: Random) -> Verdicts:
    """Take the side whose text comes first."""

    def take(_: Memory, ours: Memory, theirs: Memory) -> tuple[Merged, Merged]:
        taken = min(ours, theirs)
        return Merged(taken.registry, ()), Merged(taken.archive, ())

    return cases(size, random, take)


@control("merge", broken="entries are told by their number alone", size=1000)
def by_number(size: int, random: Random) -> Verdicts:
    """Take entries of one number for one, whatever a merge before has done to the numbers."""

    def match(old: Sequence[Learning], new: Sequence[Learning], *_: object) -> dict[int, int]:
        places = {entry.number: at for at, entry in enumerate(new)}
        return {at: places[entry.number] for at, entry in enumerate(old) if entry.number in places}

    with patch("qlearn.merge.match", match):
        yield from cases(size, random, one_in=1)


def _lines(
    size: int, random: Random, judged: Callable[[Case, tuple[Merged, Merged]], str], *options: str
) -> Verdicts:
    """Let git merge lines, in cases in which both sides changed the registry."""
    with scratch() as folder:

        def merge_file(*texts: str) -> Merged:
            paths = [folder / name for name in ("base", "ours", "theirs")]
            for path, text in zip(paths, texts, strict=True):
                path.write_text(text, "utf-8", newline="")
            base, ours, theirs = map(str, paths)
            command = ["git", "merge-file", "-p", *options, ours, base, theirs]
            done = subprocess.run(command, capture_output=True, check=False)
            return Merged(done.stdout.decode(), ("conflict",) * bool(done.returncode))

        while size:
            own = Random(random.getrandbits(48))
            base = histories.base(own)
            case = Case(base, *(histories.edited(base, name, own) for name in "ab"))
            old, *new = map(memory, case)
            if len({old.registry, *(each.registry for each in new)}) == 3:
                size -= 1
                merged = [merge_file(*texts) for texts in zip(old, *new, strict=True)]
                yield judged(case, (merged[0], merged[1])) or 1


def _silent_flaw(case: Case, merged: tuple[Merged, Merged]) -> str:
    return "" if any(each.conflicts for each in merged) else next(flaws(case, merged), "")


def _needless_stop(case: Case, merged: tuple[Merged, Merged]) -> str:
    needed = any(each.conflicts for each in merge_memories(*map(memory, case)))
    return "stopped" if any(each.conflicts for each in merged) and not needed else ""


@control("merge", broken="git's merge by lines: stops though nothing is contradicted", size=300)
def git_stops(size: int, random: Random) -> Verdicts:
    """Merge lines, and count what a person has to resolve for nothing."""
    return _lines(size, random, _needless_stop)


@control("merge", broken="git's merge by lines: goes through, and is wrong", size=300)
def git_is_wrong(size: int, random: Random) -> Verdicts:
    """Merge lines, and count what is wrong without a conflict."""
    return _lines(size, random, _silent_flaw)


@control("merge", broken="merge=union: is wrong", size=300)
def union_is_wrong(size: int, random: Random) -> Verdicts:
    """Keep the lines of both sides, and count what is wrong."""
    return _lines(size, random, _silent_flaw, "--union")
