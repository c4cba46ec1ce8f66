"""Learnings as the text that an agent reads: within a budget, best first, one block an item."""

from __future__ import annotations

import re

from .confidence import confidence
from .learning import RESOLVED
from .mistakes import SEVERITIES
from .record import TYPE_CHECKING, NamedTuple
from .secrets import mask
from .text import clip, neutralise, utf16_units

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterable, Sequence

    from .decay import Ranked
    from .learning import Learning
    from .mistakes import Mistake

ITEM_LENGTH = 200
SHORTEST_ITEM = 40
LARGEST_OUTPUT = 9500
"""In UTF-16 units: the clients cut at 10,000."""

LESSON_LENGTH = 600
EXAMPLE_LENGTH = 800
"""What fits a task is shown at length, for there are few of them."""

FIELD_LENGTH = 3000
"""Of a learning that was asked for by its id, each field is shown up to here."""

STRONG = 0.7

_TASK_HEAD = "## Past Learnings Relevant to This Task"

_LEARNINGS_FOOT = "  Full list: .qe/learnings.md (manage via /Qlearn)"
_EVERYWHERE_FOOT = "  Full list: qlearn -g list"
_MISTAKES_FOOT = "  Full list: .qe/MISTAKE.md"


class Waiting(NamedTuple):
    """How many proposals wait, and in how many days the first of them expires, where that is soon."""

    proposals: int
    days_left: int | None


def session_text(
    ranked: Sequence[Ranked],
    mistakes: Sequence[Mistake] = (),
    *,
    everywhere: Sequence[Ranked] = (),
    waiting: Waiting | None = None,
    top: int,
    max_chars: int,
    today: dt.date,
) -> str:
    """Write what a session starts with: the best learnings, the active mistakes, what holds everywhere.

    Args:
        ranked, everywhere: Best first, of the project and of all projects; at most *top* of each are shown.
        mistakes: The legacy registry; at most *top* of its active ones are shown, the gravest first.
        max_chars: The budget in UTF-16 units. What does not fit is left out from the end, and counted.

    Returns:
        "" where there is nothing to show.
    """
    active = sorted((mistake for mistake in mistakes if not mistake.resolved), key=_gravity)
    line = _waiting_line(waiting) if waiting else ""
    budget = min(max_chars, LARGEST_OUTPUT) - (utf16_units(line) + 1 if line else 0)
    reserved = utf16_units(mistakes_text(active, top=1, budget=budget)) + 1 if active and ranked else 0
    best = [each.learning for each in ranked[:top]]
    blocks = [
        learnings_text(best, budget=budget - reserved, today=today)
        or learnings_text(best, budget=budget, today=today)
    ]
    blocks.append(mistakes_text(active, top=top, budget=_left(budget, blocks)))
    general = [each.learning for each in everywhere[:top]]
    blocks.append(everywhere_text(general, budget=_left(budget, blocks), today=today))
    return "\n".join(block for block in (*blocks, line) if block)


def task_text(
    learnings: Sequence[tuple[str, Learning]], *, max_chars: int, today: dt.date
) -> tuple[str, int]:
    """Write what fits a task: each learning with its lesson, and its example where the budget has room.

    Args:
        learnings: Names (ids) and learnings, the best first.
        max_chars: The budget in UTF-16 units. Examples are left out first, then learnings, from the end.

    Returns:
        The text, "" where nothing is to be shown or fits; and how many of the learnings are in it.
    """
    budget = min(max_chars, LARGEST_OUTPUT) - utf16_units(_TASK_HEAD)
    blocks: list[str] = []
    for name, learning in learnings:
        block = _task_block(name, learning, today)
        if utf16_units(block) + 2 > budget:
            break
        budget -= utf16_units(block) + 2
        blocks.append(block)
    shown = len(blocks)
    for at, (_, learning) in enumerate(learnings[:shown]):
        example = _example(learning)
        gap = "\n\n" if re.search(r"\n *<", blocks[at]) else "\n"  # an HTML block ends at an empty line
        if example and utf16_units(gap + example) <= budget:
            budget -= utf16_units(gap + example)
            blocks[at] += gap + example
    return ("\n\n".join([_TASK_HEAD, *blocks]) if blocks else ""), shown


def learnings_text(learnings: Sequence[Learning], *, budget: int, today: dt.date) -> str:
    """Write the `[LEARNINGS]` block; "" where nothing is to be shown or fits."""
    lines = [f"  {number}. {learning_line(each, today)}" for number, each in enumerate(learnings, 1)]

    def block(shown: int) -> list[str]:
        head = f"[LEARNINGS] Top {shown} by relevance (decay-ranked). Apply these:"
        return [head, *lines[:shown], *_left_out(len(lines) - shown), _LEARNINGS_FOOT]

    return _largest_fitting(block, lines, budget)


def everywhere_text(learnings: Sequence[Learning], *, budget: int, today: dt.date) -> str:
    """Write the block of what holds in every project; "" where nothing is to be shown or fits."""
    lines = [f"  {number}. global {learning_line(each, today)}" for number, each in enumerate(learnings, 1)]

    def block(shown: int) -> list[str]:
        head = f"[LEARNINGS] Top {shown} of those that hold in every project. Apply these:"
        return [head, *lines[:shown], *_left_out(len(lines) - shown), _EVERYWHERE_FOOT]

    return _largest_fitting(block, lines, budget)


def mistakes_text(active: Sequence[Mistake], *, top: int, budget: int) -> str:
    """Write the `[MISTAKES]` block for the active mistakes; "" where there are none or none fits."""
    counts = {level: sum(each.severity == level for each in active) for level in SEVERITIES}
    tally = ", ".join(f"{level}: {count}" for level, count in counts.items() if count)
    head = f"[MISTAKES] {len(active)} active mistake(s) recorded ({tally}). DO NOT repeat these:"
    lines = [f"  {number}. {mistake_line(each)}" for number, each in enumerate(active[:top], 1)]

    def block(shown: int) -> list[str]:
        return [head, *lines[:shown], *_left_out(len(active) - shown), _MISTAKES_FOOT]

    return _largest_fitting(block, lines, budget)


def found_text(learnings: Sequence[Learning], *, max_chars: int, today: dt.date) -> str:
    """Write what a search found, a line each; what does not fit is left out from the end, and counted."""
    lines = (learning_line(each, today) + " (resolved)" * each.resolved for each in learnings)
    return first_that_fit(lines, len(learnings), max_chars)


def whole_text(learnings: Sequence[Learning], *, max_chars: int) -> str:
    """Write learnings out with all their fields, in the form of the registry.

    What does not fit is left out from the end, and counted: fields of one that is too long, and learnings.
    """
    blocks = (_whole_block(each, max_chars) for each in learnings)
    return first_that_fit(blocks, len(learnings), max_chars, gap="\n\n")


def first_that_fit(blocks: Iterable[str], count: int, max_chars: int, *, gap: str = "\n") -> str:
    """Join the first of *count* blocks as far as they fit, and say how many more there are."""
    note = utf16_units(gap) + _NOTE_LENGTH
    used, shown, kept = 0, 0, list[str]()
    for block in blocks:
        used += utf16_units(block) + utf16_units(gap) * (shown > 0)
        if used + note * (shown < count - 1) > max_chars:
            break
        kept.append(block)
        shown += 1
    return gap.join([*kept, *_left_out(count - shown)])


def _whole_block(learning: Learning, max_chars: int) -> str:
    """One learning whose heading is sure to fit, and that leaves room for a note on others."""
    heading = f"### {learning.id}: {f'{RESOLVED} ' * learning.resolved}{item(learning.title)}"
    lines = (_field_lines(label, value) for label, value in learning.fields.items())
    room = max_chars - utf16_units(heading) - 2 * _NOTE_LENGTH
    return "\n".join(filter(None, [heading, first_that_fit(lines, len(learning.fields), room)]))


def _field_lines(label: str, value: str) -> str:
    """One field as an item of a list, which its lines do not leave."""
    shown = neutralise(clip(mask(value[: 8 * FIELD_LENGTH]), FIELD_LENGTH), newlines=True)
    lead = "\n" if "\n" in shown else " "
    return f"- **{item(label).capitalize()}**:{lead}{shown}".replace("\n", "\n  ")


_NOTE_LENGTH = 40


def learning_line(learning: Learning, today: dt.date) -> str:
    """Write one learning on one line: its id, type, severity and lesson, which is cut at a word.

    Where the confidence is below 0.7, the lesson is only offered: "consider".
    """
    sure = confidence(learning.confidence, learning.evidence, today)
    lesson = learning.learning or learning.title
    hedge = "" if sure >= STRONG else "consider: "
    return f"{learning.id} [{learning.type}/{learning.severity}] {hedge}{item(lesson)}"


def _task_block(name: str, learning: Learning, today: dt.date) -> str:
    sure = confidence(learning.confidence, learning.evidence, today)
    hedge = "" if sure >= STRONG else "consider: "
    kind = (learning.category or learning.type).capitalize()
    lesson = neutralise(item(learning.learning, LESSON_LENGTH), newlines=True)  # it starts a line
    heading = f"### {kind}: {item(learning.title)} ({name})"
    return f"{heading}\n{hedge}{lesson}" if lesson else heading


def _example(learning: Learning) -> str:
    """The example in a fence of its own; "" for none, and for one too long to be shown whole."""
    example = learning.example or ""
    if not example.strip() or len(example) > EXAMPLE_LENGTH:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", example)), default=2) + 1)
    fence = max(fence, "```", key=len)
    return neutralise(f"{fence}\n{mask(example)}\n{fence}", newlines=True)


def mistake_line(mistake: Mistake) -> str:
    """Write one mistake on one line: `M002: wrong -> correct`, or its title where a half is missing."""
    if mistake.wrong and mistake.correct:
        return f"{mistake.id}: {item(f'{mistake.wrong} -> {mistake.correct}')}"
    return f"{mistake.id}: {item(mistake.title or mistake.wrong or mistake.correct)}"


def item(text: str, limit: int = ITEM_LENGTH) -> str:
    """Make any text one harmless line of at most *limit* characters, without the secrets in it."""
    return clip(neutralise(clip(mask(text[: 8 * limit]), 4 * limit)), limit)


def _gravity(mistake: Mistake) -> int:
    return SEVERITIES.index(mistake.severity)


def _left(budget: int, blocks: list[str]) -> int:
    return budget - sum(utf16_units(block) + 1 for block in blocks if block)


def _waiting_line(waiting: Waiting) -> str:
    soon = "" if waiting.days_left is None else f" (the first expires in {waiting.days_left} day(s))"
    return f"[LEARNINGS] {waiting.proposals} proposal(s) wait for review{soon}: /Qlearn proposals"


def _left_out(count: int) -> list[str]:
    return [f"  ({count} more left out)"] if count > 0 else []


def _largest_fitting(block: Callable[[int], list[str]], lines: list[str], budget: int) -> str:
    """Write the block with as many of its *lines* as fit; the first is cut where it does not fit alone."""
    for shown in range(len(lines), 0, -1):
        text = "\n".join(block(shown))
        if utf16_units(text) <= budget:
            return text
    if lines:
        too_much = utf16_units("\n".join(block(1))) - budget
        room = len(lines[0]) - too_much
        if room >= SHORTEST_ITEM:
            lines[0] = clip(lines[0], room)
            return "\n".join(block(1))
    return ""
