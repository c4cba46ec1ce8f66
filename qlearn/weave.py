"""Three versions of a sequence become one. Knows lines and keys, not Markdown.

A token is a line (`str`, perhaps with blank lines before it) or the key of something that merges by itself
(anything else that is hashable). Lines merge as `diff3` merges them: what one side changed is taken, what
both changed differently is a clash. Keys never clash: each one stands once in what comes out, where the side
that moved it put it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from heapq import merge
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import TypeVar

    K = TypeVar("K", bound=Hashable)

# What has no line of its own to hold on to is compared line by line up to this product of lengths, and
# counts as rewritten above it; so does what is nested deeper than this. Both bound the time.
_SMALL = 4096
_DEEP = 64


class Clash(NamedTuple):
    """Two texts for one place, each of whole lines."""

    one: str
    other: str


def weave(
    base: Sequence[str | K],
    one: Sequence[str | K],
    other: Sequence[str | K],
    rank: Callable[[K], object],
) -> list[str | K | Clash]:
    """Merge two changed versions of *base*, each key of which stands at most once in each.

    A key that only one side has is new there, also if it stands in *base*: which keys are gone is for the
    caller to say, by leaving them out. What moved on both sides goes where *one* put it.

    Args:
        rank: Orders the keys that both sides put into one place; each side's own order is kept.

    Returns:
        Lines, keys, and a `Clash` where the lines of both sides differ.
    """
    in_one, in_other = align(base, one), align(base, other)
    stays = [at for at in sorted(in_one) if at in in_other]
    fixed = {base[at] for at in stays}
    both = {key for key in one if not isinstance(key, str)}.intersection(other) - fixed
    moved_by_other = both.intersection(base[at] for at in in_one)
    moved_by_one = both - moved_by_other
    woven: list[str | K | Clash] = []
    i = j = k = 0
    for at in [*stays, len(base)]:
        to_one, to_other = in_one.get(at, len(one)), in_other.get(at, len(other))
        lines = [token for token in base[i:at] if isinstance(token, str)]
        ours: list[str | K] = [token for token in one[j:to_one] if token not in moved_by_other]
        theirs: list[str | K] = [token for token in other[k:to_other] if token not in moved_by_one]
        settled = _settle(lines, ours, theirs, rank)
        woven += settled
        woven += base[at : at + 1]
        i, j, k = at + 1, to_one + 1, to_other + 1
    return woven


def align(old: Sequence[Hashable], new: Sequence[Hashable]) -> dict[int, int]:
    """Map indexes of *old* to those of equal tokens in *new*, both increasing.

    Holds on to what stands once on both sides (patience diff), and in a small rest to as much as possible.
    """
    found: dict[int, int] = {}
    todo = [(0, len(old), 0, len(new), _DEEP)]
    while todo:
        i, i_end, j, j_end, depth = todo.pop()
        while i < i_end and j < j_end and old[i] == new[j]:
            found[i] = j
            i, j = i + 1, j + 1
        if i == i_end or j == j_end or depth == 0:
            continue
        anchors = _anchors(old, new, i, i_end, j, j_end)
        for at, to in anchors:
            found[at] = to
            todo.append((i, at, j, to, depth - 1))
            i, j = at + 1, to + 1
        if anchors:
            todo.append((i, i_end, j, j_end, depth - 1))
            continue
        while i < i_end and j < j_end and old[i_end - 1] == new[j_end - 1]:
            i_end, j_end = i_end - 1, j_end - 1
            found[i_end] = j_end
        if (i_end - i) * (j_end - j) <= _SMALL:
            found.update(_longest_common(old, new, i, i_end, j, j_end))
    return found


def _anchors(
    old: Sequence[Hashable], new: Sequence[Hashable], i: int, i_end: int, j: int, j_end: int
) -> list[tuple[int, int]]:
    """The longest increasing run of the tokens that stand once in both stretches."""
    count_old, count_new = Counter(old[i:i_end]), Counter(new[j:j_end])
    place = {token: to for to, token in enumerate(new[j:j_end], j) if count_new[token] == 1}
    tails: list[int] = []  # of the runs of each length, the smallest place that one ends at
    runs: list[tuple[int, int, int]] = []  # an old place, a new place, and the index of the one before
    last: list[int] = []  # the index in `runs` of each tail
    once = [at for at in range(i, i_end) if count_old[old[at]] == 1 and old[at] in place]
    # Where lines and keys have changed places, the lines have moved.
    for at in [at for at in once if not isinstance(old[at], str)] or once:
        to = place[old[at]]
        length = bisect_left(tails, to)
        tails[length : length + 1] = [to]
        last[length : length + 1] = [len(runs)]
        runs.append((at, to, last[length - 1] if length else -1))
    anchors = []
    index = last[-1] if last else -1
    while index >= 0:
        at, to, index = runs[index]
        anchors.append((at, to))
    return anchors[::-1]


def _longest_common(
    old: Sequence[Hashable], new: Sequence[Hashable], i: int, i_end: int, j: int, j_end: int
) -> list[tuple[int, int]]:
    """A longest common subsequence, found in time and space of the product of both lengths."""
    if not set(old[i:i_end]).intersection(new[j:j_end]):
        return []
    rows = [[0] * (j_end - j + 1)]  # lengths for the rests behind each place, from the last line up
    for at in range(i_end - 1, i - 1, -1):
        below, row = rows[-1], [0]
        for to in range(j_end - 1, j - 1, -1):
            row.append(below[j_end - to - 1] + 1 if old[at] == new[to] else max(below[j_end - to], row[-1]))
        rows.append(row)
    pairs = []
    while i < i_end and j < j_end:
        if old[i] == new[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif rows[i_end - i - 1][j_end - j] >= rows[i_end - i][j_end - j - 1]:
            i += 1
        else:
            j += 1
    return pairs


def _settle(
    base: list[str], one: list[str | K], other: list[str | K], rank: Callable[[K], object]
) -> list[str | K | Clash]:
    """Merge what stands between two places that all three share; *base* comes without its keys."""
    if one == other or other == base:
        return [*one]
    if one == base:
        return [*other]
    lines_one, keys_one = _lines_and_keys(one)
    lines_other, keys_other = _lines_and_keys(other)
    lines, slots_one, slots_other = _settle_lines(base, lines_one, lines_other)
    placed: list[tuple[list[K], list[K]]] = [([], []) for _ in range(len(lines) + 1)]
    for at, key in keys_one:
        placed[slots_one[at]][0].append(key)
    for at, key in keys_other:
        placed[slots_other[at]][1].append(key)
    settled: list[str | K | Clash] = []
    for at, (left, right) in enumerate(placed):
        # Each side's own order stays: of the two next ones, the one that ranks first is next.
        settled += merge(left, right, key=rank) if left and right else left or right  # type: ignore[arg-type]
        settled += lines[at : at + 1]
    return settled


def _lines_and_keys(tokens: list[str | K]) -> tuple[list[str], list[tuple[int, K]]]:
    """Take lines and keys apart; with each key goes the number of lines before it, its slot."""
    lines: list[str] = []
    keys: list[tuple[int, K]] = []
    for token in tokens:
        if isinstance(token, str):
            lines.append(token)
        else:
            keys.append((len(lines), token))
    return lines, keys


def _settle_lines(
    base: list[str], one: list[str], other: list[str]
) -> tuple[Sequence[str | Clash], list[int], list[int]]:
    """Merge lines, and tell for both sides which slot of the merged ones each of their slots becomes.

    Blank lines alone are no change worth a clash: of two texts that differ in nothing else, the one with
    more of them is taken.
    """
    said, said_one, said_other = map(_said, (base, one, other))
    if said_one == said_other:
        taken = max(one, other, key=lambda lines: sum(map(len, lines)))
    elif said_other == said:
        taken = one
    elif said_one == said:
        taken = other
    else:
        return _clash(one, other)
    return taken, _slots(one, taken), _slots(other, taken)


def _said(lines: list[str]) -> list[str]:
    return [said for line in lines if (said := line.strip("\r\n")).strip()]


def _slots(lines: list[str], among: list[str]) -> list[int]:
    """What stands behind a line goes behind its equal; if it has none, behind what came in its place."""
    equal = align(lines, among)
    slots, following = [], len(among)
    for at in range(len(lines) - 1, -1, -1):
        slots.append(equal[at] + 1 if at in equal else following)
        following = equal.get(at, following)
    return [0, *reversed(slots)]


def _clash(one: list[str], other: list[str]) -> tuple[Sequence[str | Clash], list[int], list[int]]:
    """Put a clash between the lines that both start and end with; what stands in it goes behind it."""
    shorter = min(len(one), len(other))
    head = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    most = shorter - head
    tail = next((at for at in range(most) if one[-1 - at] != other[-1 - at]), most)
    left, right = ("".join(side[head : len(side) - tail]) for side in (one, other))
    blank = next((at for at, pair in enumerate(zip(left, right, strict=False)) if set(pair) - {"\n"}), 0)
    lines: list[str | Clash] = [*one[:head], *filter(None, [left[:blank]])]
    behind = len(lines) + 1
    lines += [Clash(left[blank:], right[blank:]), *one[len(one) - tail :]]
    slots_one, slots_other = (
        [at if at <= head else max(behind, at - len(side) + len(lines)) for at in range(len(side) + 1)]
        for side in (one, other)
    )
    return lines, slots_one, slots_other
