"""Which learnings a task needs: words that it shares with them, the rare ones above all, and a gate.

    score = prior * plain * sum over the matched words of weight * 2 * met / (met + 1)

A word weighs from 0 to 1, by how rare it is in the registry, and less where it is met in another word of
the same meaning, or stands in a line of an error that says little. `met` counts where it stands in the
entry: in the title 2, in the keywords 2, in the trigger 1.5, in an example 0.5, elsewhere 1. So a score of 2
is about two rare words, or one in the title and a few that are not rare.

A wrong line costs more than a missing one: what scores less than `least_score` is not shown, and for work
that a lesson seldom helps with (`plain`) it takes more.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from heapq import nlargest

from .decay import decay_score
from .document import Fields
from .learning import FIELDS, parse_learnings
from .plain import counted, plain_work, share_left
from .record import TYPE_CHECKING, NamedTuple
from .tokens import is_spaceless, lower_case, tokens, words_at
from .vocabulary import background, is_phrase, is_stop, same_meaning, spaceless

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Iterator, Sequence

    from .learning import Learning
    from .plain import Work

    _Weights = dict[tuple[str, str], float]

BESIDE = 0.4
"""What is shown beside the best one scores at least this share of its score."""

FEWEST_WORDS = 2
"""What shares fewer words with a task is not shown, however rare they are."""

_SYNONYM = 0.7
_ASSUMED_ENTRIES = 40
_PRIOR = 0.03
_MOST_TERMS = 40
_MANY = 20
_LONGEST_TASK = 20_000

_TITLE = 2.0
_FIELD_WEIGHTS = {"keywords": 2.0, "trigger": 1.5, "example": 0.5}
# What these fields hold is said about the entry, and not about what it teaches.
_ABOUT = frozenset(
    ("type", "severity", "date", "reinforced", "category", "confidence", "used", "scope", "evidence",
     "source", "supersedes", "was", "pruned")
)  # fmt: skip
_LABELS = frozenset(label.lower() for label in FIELDS)

_NOISE = r"(?i)^\s*Exit code (?:(?:[0-2]|255)\s*$)?|^Traceback \(most recent call last\):|npm ERR!|^#\d+ "
_FRAME = r"\s*(?:File \".*\", line \d+|at .*[:(]\d+|\S+\.\w{1,5}:\d+)"
_SIGNATURE = (
    r"(?i)error|exception|warning|fatal|fail|panic|denied|not found|cannot|refused"
    r"|错误|失败|异常|실패|오류|fall[oó]|no se"
)
_FRAME_WEIGHT, _OTHER_WEIGHT, _NUMBER_WEIGHT = 0.35, 0.7, 0.7


class Term(NamedTuple):
    """A word of a task: as which forms it may be met, and how much its line says (0-1)."""

    word: str
    forms: tuple[str, ...]
    line: float


class MatchedTerm(NamedTuple):
    """A word of the task, the form of it that an entry holds, and what that adds to the score."""

    word: str
    form: str
    score: float


class Match(NamedTuple):
    """A learning, and why it fits a task.

    `share` is how much of the task's words, by weight, the learning holds, 0-1. `terms` are what was
    matched, the weightiest first; `prior` is the factor of severity, age and confidence, `plain` that of
    work that a lesson seldom helps with, and `work` names its kinds. `held` says why it is not to be shown,
    "" where it is.
    """

    learning: Learning
    score: float
    share: float
    terms: tuple[MatchedTerm, ...]
    prior: float
    plain: float
    work: tuple[str, ...] = ()
    held: str = ""


def keyword_overlap(task: Iterable[str], learning: Iterable[str]) -> float:
    """Compare two sets of keywords: `|t & l| / min(|t|, |l|)`, in lower case; 0 if either is empty.

    >>> keyword_overlap({"Import", "error", "memory"}, {"import", "circular", "error", "module"})
    0.6666666666666666

    Source: the published rule of session learning.
    """
    first = {word.lower() for word in task}
    second = {word.lower() for word in learning}
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0


def least_score(count: int) -> float:
    """The score from which on a learning is shown, in a registry of *count* learnings: the gate.

    The best of many that do not fit scores more than the best of few: with the logarithm of their number. On
    the tasks of the benchmark's tune part for which nothing fits, this keeps back nine tenths, whether the
    registry has 10 learnings or 195, and more where it has fewer.
    """
    return max(0.3 + 0.35 * math.log(max(count, 1)), 1.3)


def relevant_learnings(
    registry: str | Iterable[Learning], task: str, *, k: int = 3, now: dt.datetime, gate: float | None = None
) -> tuple[Match, ...]:
    """Find the learnings to show for a task: at most *k*, the best first, often none.

    Args:
        registry: Its text, or its learnings.
        task: What a person asked for, the output of a failed command, or a path. Of a long one the first
            and the last 10,000 characters count.
        now: An aware time, for the prior.
        gate: The least score, in place of `least_score`.
    """
    active = _active(registry)
    least = least_score(len(active)) if gate is None else gate
    ranked = _ranked(active, task, n=k, now=now, gate=least)
    return tuple(match for match in _judged(ranked, least) if not match.held)


def weigh(
    registry: str | Iterable[Learning], task: str, *, n: int = 10, now: dt.datetime, gate: float | None = None
) -> tuple[Match, ...]:
    """Rank the *n* best learnings for a task, those that the gate holds back included.

    Resolved ones are left out. Ties keep the order of the registry.
    """
    active = _active(registry)
    ranked = _ranked(active, task, n=n, now=now)
    return _judged(ranked, least_score(len(active)) if gate is None else gate)


def _active(registry: str | Iterable[Learning]) -> list[Learning]:
    learnings = parse_learnings(registry) if isinstance(registry, str) else registry
    return [learning for learning in learnings if not learning.resolved]


def _ranked(
    active: Sequence[Learning], task: str, *, n: int, now: dt.datetime, gate: float | None = None
) -> list[Match]:
    """The *n* best, or the *n* best that pass the gate.

    What an entry can score at most is known from which words it holds. Only those entries are looked at that
    can still be among the best.
    """
    terms = task_terms(task)
    weights, most = _weights(terms, _Entries(active))
    work = plain_work(task)
    highest = 1 + _PRIOR
    best: list[tuple[float, int, Match]] = []
    for at in sorted(most, key=lambda at: (-most[at], at)):
        if most[at] * highest < (best[-1][0] if len(best) == n else gate or 0.0):
            break
        match = _match(active[at], terms, weights, work, now)
        if match and (gate is None or not _why_held(match, gate, gate)):
            best = nlargest(n, [*best, (match.score, -at, match)], key=lambda item: item[:2])
    return [match for _, _, match in best]


def _match(
    learning: Learning, terms: Sequence[Term], weights: _Weights, work: tuple[Work, ...], now: dt.datetime
) -> Match | None:
    """Compare one entry with the words of a task; None where it holds none of them."""
    matched = _matched(learning, terms, weights)
    if not matched:
        return None
    words = {each.word for each in matched} | {each.form for each in matched}
    kinds = counted(work, words)
    plain = share_left(kinds)
    prior = 1 + _PRIOR * decay_score(learning, now) / 3
    total = sum(max(weights.get((term.word, form), 0.0) for form in term.forms) for term in terms)
    share = sum(weights[each.word, each.form] for each in matched) / total
    score = prior * plain * sum(each.score for each in matched)
    return Match(learning, score, min(share, 1.0), matched, prior, plain, kinds)


def _judged(ranked: Sequence[Match], gate: float) -> tuple[Match, ...]:
    """Say of each match, the best first, why it is held back."""
    least = max(gate, ranked[0].score * BESIDE) if ranked else gate
    return tuple(match._replace(held=_why_held(match, gate, least)) for match in ranked)


def _why_held(match: Match, gate: float, least: float) -> str:
    if match.score < gate:
        return f"scores {match.score:.2f}, less than the {gate:.2f} of the gate"
    if match.score < least:
        return f"scores {match.score:.2f}, less than {BESIDE:.0%} of the best"
    if len(match.terms) < FEWEST_WORDS:
        return f"shares fewer than {FEWEST_WORDS} words with the task"
    return ""


def task_terms(task: str) -> tuple[Term, ...]:
    """List the words of a task that say something, each once, with the forms that mean the same.

    In a text of more than two lines, a stack frame's words count 0.35, those of a line that names an error
    1, of any other 0.7. A number counts 0.7 with three to five digits, and else not at all. Of more than 40
    words those are kept that count most.
    """
    if len(task) > _LONGEST_TASK:
        task = task[: _LONGEST_TASK // 2] + "\n" + task[-_LONGEST_TASK // 2 :]
    lines = task.splitlines()
    said: dict[str, float] = {}
    for line in lines:
        line = re.sub(_NOISE, "", line)
        weight = _line_weight(line) if len(lines) > 2 else 1.0
        for word, share in _line_words(line):
            said[word] = max(said.get(word, 0.0), weight * share)
    most_telling = nlargest(_MOST_TERMS, said, key=lambda word: said[word] * (1 - background(word)))
    return tuple(Term(word, _forms(word), said[word]) for word in most_telling)


def _forms(word: str) -> tuple[str, ...]:
    # What everybody writes about is not worth a search in four languages.
    others = same_meaning(word) if background(word) < 0.2 else ()
    return (word, *(form for form in others if form != word))


def _line_weight(line: str) -> float:
    if re.match(_FRAME, line):
        return _FRAME_WEIGHT
    return 1.0 if re.search(_SIGNATURE, line) else _OTHER_WEIGHT


def _line_words(line: str) -> Iterator[tuple[str, float]]:
    """The words and phrases of a line that say something, and how much of a word each is."""
    words = tokens(line, spaceless())
    for length in (2, 3, 4):
        for at in range(len(words) - length + 1):
            phrase = " ".join(words[at : at + length])
            if is_phrase(phrase):
                yield phrase, 1.0
    for word in words:
        if not is_stop(word):
            if word.isdecimal():
                if 3 <= len(word) <= 5:
                    yield word, _NUMBER_WEIGHT
            else:
                yield word, 1.0


class _Entries:
    """The texts of learnings as one, to find in which of them a form stands."""

    def __init__(self, learnings: Sequence[Learning]) -> None:
        base = next((each.fields.text for each in learnings if type(each.fields) is Fields), "")
        pieces = [base]
        size = len(base)
        self.count = len(learnings)
        spans = []
        for number, learning in enumerate(learnings):
            fields = learning.fields
            if type(fields) is Fields and fields.text is base:
                spans.append((learning.start, fields.end, number))
            else:
                piece = "\n" + _text(learning)
                pieces.append(piece)
                spans.append((size, size + len(piece), number))
                size += len(piece)
        spans.sort()
        self.starts = [start for start, _, _ in spans]
        self.ends = [end for _, end, _ in spans]
        self.numbers = [number for _, _, number in spans]
        self.text = "".join(pieces)
        # One byte a character, whatever the script: searching it takes a third of the time.
        narrow = self.text.replace("\u0130", "I").encode("latin-1", "replace").decode("latin-1")
        self.lower = narrow.lower()
        # What is beyond it, run together: most forms in other scripts are not in a registry at all. Spaces
        # between words stay: to cut at each takes longer than to search them.
        self.wide = "" if self.text.isascii() else re.sub(r"[\x00-\xff]{2,}", "", self.text)

    def holding(self, form: str) -> list[int] | None:
        """The entries that hold a form, in the order of the text; None where so many do that it says nothing.

        That is more than an eighth of them, and more than 20.
        """
        found = []
        text, starts, ends = self.text, self.starts, self.ends
        searched = self._searched(form)
        find = searched.find
        size = len(form)
        most = max(len(starts) // 8, _MANY)
        at = find(form)
        while at >= 0:
            end = at + size
            # Most places are in the middle of another word: they are told by the letter before.
            if (searched[at - 1 : at].isalpha() and text[at].islower()) or not _stands(form, text, at):
                at = find(form, end)
                continue
            index = bisect_right(starts, at) - 1
            if index >= 0 and at < ends[index] and not self._is_about(at):
                found.append(self.numbers[index])
                if len(found) > most:
                    return None
                end = ends[index]
            at = find(form, end)
        return found

    def _searched(self, form: str) -> str:
        """The text in which a form is searched; an offset means the same in each."""
        if max(form) <= "\u00ff":
            return self.lower
        if is_spaceless(form):
            return self.text if form in self.wide else ""
        return lower_case(self.text)

    def _is_about(self, at: int) -> bool:
        """Tell whether a place is in a label, or in a field that is not searched."""
        lower = self.lower
        line = lower.rfind("\n", 0, at) + 1
        if not lower.startswith("- **", line):
            return False
        label = lower[line + 4 : lower.find("**", line + 4)]
        return label in _ABOUT or (label in _LABELS and at < line + 4 + len(label))


def _stands(form: str, text: str, at: int) -> bool:
    """Tell whether what begins at an offset is a form, and not a piece of another word."""
    if is_spaceless(form):
        # A lone syllable is the end or the middle of any word; a lone ideograph is a word.
        return len(form) > 1 or not _is_syllable(form) or not _is_syllable(text[at - 1 : at])
    if " " in form:
        return not text[at - 1 : at].isalnum()
    return form in words_at(text, at)


def _is_syllable(char: str) -> bool:
    return "\uac00" <= char <= "\ud7a3"


def _text(learning: Learning) -> str:
    """A learning as text: what stands in a registry, without what is said about the entry."""
    values = (
        value if label in _LABELS else f"{label}: {value}"
        for label, value in learning.fields.items()
        if label not in _ABOUT
    )
    return "\n".join((f"{learning.id}: {learning.title}", *values))


def _weights(terms: Sequence[Term], entries: _Entries) -> tuple[_Weights, dict[int, float]]:
    """What each form of each word weighs, and what an entry that holds any can score at most."""
    holders = {form: entries.holding(form) for form in {form for term in terms for form in term.forms}}
    weights: _Weights = {}
    most: dict[int, float] = {}
    count = entries.count + _ASSUMED_ENTRIES
    rarest = math.log(1 + (count - 0.5) / 1.5)
    for term in terms:
        for form in term.forms:
            held_by = holders[form]
            if held_by is None:
                continue
            held = len(held_by) + _ASSUMED_ENTRIES * max(background(term.word), background(form))
            rarity = min(math.log(1 + (count - held + 0.5) / (held + 0.5)) / rarest, 1.0)
            weight = term.line * rarity * (1.0 if form == term.word else _SYNONYM)
            weights[term.word, form] = weight
            for at in held_by:
                most[at] = most.get(at, 0.0) + 2 * weight
    return weights, most


def _matched(learning: Learning, terms: Sequence[Term], weights: _Weights) -> tuple[MatchedTerm, ...]:
    """The words of a task that an entry holds, the weightiest first; what two of them mean counts once."""
    met = _met(learning, terms)
    found = []
    for term in terms:
        scored = [
            (weights[term.word, form] * 2 * met[form] / (met[form] + 1), form)
            for form in term.forms
            if form in met and (term.word, form) in weights
        ]
        if scored:
            score, form = max(scored)
            found.append(MatchedTerm(term.word, form, score))
    kept: list[MatchedTerm] = []
    seen: set[str] = set()
    for each in sorted(found, key=lambda each: -each.score):
        if seen.isdisjoint((each.word, each.form)) and not any(_overlap(each.word, one.word) for one in kept):
            kept.append(each)
            seen.add(each.form)
    return tuple(kept)


def _overlap(one: str, other: str) -> bool:
    """Tell whether two pairs of characters share one, as those of one word do: it is met once, not twice."""
    return len(one) == len(other) == 2 and is_spaceless(one) and (one[1] == other[0] or other[1] == one[0])


def _met(learning: Learning, terms: Sequence[Term]) -> dict[str, float]:
    """How often, weighted by field, each form of the terms stands in an entry."""
    forms = {form for term in terms for form in term.forms}
    met: dict[str, float] = {}
    parts = [(f"{learning.id}: {learning.title}", _TITLE)]
    for label, value in learning.fields.items():
        if label not in _ABOUT:
            text = value if label in _LABELS else f"{label}: {value}"
            parts.append((text, _FIELD_WEIGHTS.get(label, 1.0)))
    for text, weight in parts:
        for word in tokens(text):
            if word in forms:
                met[word] = met.get(word, 0.0) + weight
        lower = lower_case(text)
        for form in forms:
            if is_spaceless(form) or " " in form:
                times = sum(_stands(form, text, at) for at in _places(form, lower))
                if times:
                    met[form] = met.get(form, 0.0) + times * weight
    return met


def _places(form: str, text: str) -> Iterator[int]:
    at = text.find(form)
    while at >= 0:
        yield at
        at = text.find(form, at + len(form))
