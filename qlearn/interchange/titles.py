"""The title of a lesson in its many notations: with a day, a number, an id, tags, a status."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from qlearn.interchange import labels
from qlearn.interchange.body import kind_of
from qlearn.learning import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_CODE = r"(?P<prefix>[A-Z][A-Za-z_]{0,15}?)(?P<dash>[-_]?)(?P<number>[0-9]{1,8}(?:-[0-9A-Za-z]{1,6})?[a-z]?)"
_ID = re.compile(rf"(?:\[{_CODE}\]|\({_CODE.replace('?P<', '?P<p')}\))[ \t]*[:：.–—-]*[ \t]*")
_BARE_ID = re.compile(rf"{_CODE}(?:[ \t]*[:：][ \t]*|[ \t]+[-–—|][ \t]+|\.[ \t]+)")
_NAMED = re.compile(
    r"(?P<name>[^\W\d_]{2,12})[ \t]*[#№]?(?P<number>[0-9]{1,5})(?:[ \t]*[:：.][ \t]*|[ \t]+[-–—|][ \t]+)"
)
_NUMBERED = re.compile(
    r"(?:\[(?P<padded>#?[0-9]{1,6})\]|#(?P<hash>[0-9]{1,6})[:.)]?|(?P<plain>[0-9]{1,4})[.)])[ \t]+"
)
_TAG = re.compile(
    r"\[(?P<tag>[^\[\]\n]{1,40})\](?![(\[])[ \t]*[:：]?[ \t]*|`(?P<code>[\w -]{2,20})`[ \t]*[:：][ \t]*"
)
_HITS = re.compile(r"(?:hits|used|seen|count)[ \t]*[:=×x][ \t]*([0-9]{1,6})\Z", re.IGNORECASE)
_LOUD = re.compile(r"(?P<word>[^\W\d_]{2,12})[ \t]*[:：][ \t]*")
_STATE_AT_END = re.compile(r"[ \t]*(?:[(\[](?P<word>[^()\[\]\n]{2,60})[)\]]|(?P<tick>[✅✔]\ufe0f?))[ \t]*\Z")
# A tick before a day says that it is done; before other words it may say that it is good.
_TICKED_DAY = re.compile(r"[✅✔☑]\ufe0f?[ \t]+(?=\[?[0-9]{4}-[0-9]{2}-[0-9]{2}\b)")
_STRUCK = re.compile(r"~~(?P<text>(?:(?!~~).)+)~~(?P<rest>.*)\Z", re.DOTALL)
_EMPHASIS = re.compile(r"(\*\*\*|\*\*|__)(?P<text>(?:(?!\1).)+)\1\Z", re.DOTALL)
_KNOWN_PREFIXES = labels.words(
    "L, LESSON, LESSONS, LRN, LEARN, LEARNING, ERR, ERROR, BUG, ADR, D, DEC, DECISION, G, GOTCHA, M, MISTAKE,"
    "MIS, RULE, R, KB, INC, P"
)
_OVER, _ID_LABEL, _NUMBER = "*over", "*id", "*number"  # no labels of fields
_NAMES = labels.words(
    "lesson, lessons, gotcha, mistake, rule, learning, entry, issue, bug, decision, error, pitfall, insight,"
    "case, 教训, 经验, 规则, 教訓, ルール, 교훈, 규칙, lección, regla, leçon, règle, урок, правило"
)


class Title(NamedTuple):
    """A title without its trappings, and what these say.

    `marked` tells how surely it is an entry's: 2 with a day, an id or a tag, 1 with a plain number, else 0.
    """

    text: str
    day: str = ""
    old_id: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    resolved: bool = False
    marked: int = 0

    def said(self) -> dict[str, str]:
        """What the title states, as fields by their labels."""
        named = {"Date": self.day, "Was": self.old_id, **dict(self.fields)}
        return {label: value for label, value in named.items() if value}


def prefixes(titles: Iterable[str]) -> frozenset[str]:
    """The prefixes of ids (`MOM` of `MOM-007: t`) that two titles share: one may be a word (`UTF-8:`)."""
    found: list[str] = []
    for title in titles:
        _, rest = labels.leading_day(title)
        if match := _ID.match(rest) or _BARE_ID.match(rest):
            found.append(match["prefix"] or "")
    return frozenset(prefix for prefix in found if found.count(prefix) > 1)


def is_struck(text: str) -> bool:
    """Whether all of a text is struck through."""
    found = _STRUCK.match(text)
    return found is not None and not found["rest"].strip()


def read_title(raw: str, known: Collection[str] = ()) -> Title:
    """Take a title apart. What it says a second time, and otherwise, stays in its text.

    Args:
        known: Prefixes of ids, as `prefixes` gives them, beside the usual ones.
    """
    text, said, marked = raw.strip(), dict[str, str](), 0
    if found := _STRUCK.match(text):
        text, said = f"{found['text'].strip()}{found['rest']}".strip(), {_OVER: _OVER}
    elif found := _TICKED_DAY.match(text):
        text, said = text[found.end() :], {_OVER: _OVER}
    text = _plain(text)
    while step := _leading(text, known) or _trailing(text):
        if said.get(step.label, step.value) != step.value:
            break
        if not step.rest.strip() and step.label not in ("Date", _ID_LABEL):
            break
        said[step.label] = step.value
        text, marked = _plain(step.rest.strip()), max(marked, step.marked)
    if is_struck(text):
        text, said[_OVER] = text.strip("~ "), _OVER
    elif (found := _STATE_AT_END.search(text)) and labels.is_over(found["word"] or ""):
        said[_OVER] = _OVER
    day, old_id, over = said.pop("Date", ""), said.pop(_ID_LABEL, ""), said.pop(_OVER, "")
    said.pop(_NUMBER, None)
    return Title(text.rstrip(":：").strip(), day, old_id, tuple(said.items()), bool(over), marked)


class _Step(NamedTuple):
    """One trapping of a title: what it says, and the title without it."""

    label: str
    value: str
    rest: str
    marked: int


def _leading(text: str, known: Collection[str]) -> _Step | None:
    day, rest = labels.leading_day(text)
    if day:
        return _Step("Date", day, rest, 2)
    if found := _ID.match(text):
        parts = (found[name] or found[f"p{name}"] or "" for name in ("prefix", "dash", "number"))
        return _Step(_ID_LABEL, "".join(parts), text[found.end() :], 2)
    if (found := _BARE_ID.match(text)) and (
        found["prefix"] in known or found["prefix"].upper() in _KNOWN_PREFIXES
    ):
        name = f"{found['prefix']}{found['dash']}{found['number']}"
        return _Step(_ID_LABEL, name, text[found.end() :], 2)
    if (found := _NAMED.match(text)) and found["name"].casefold() in _NAMES:
        return _Step(_ID_LABEL, f"{found['name']} {found['number']}", text[found.end() :], 2)
    if found := _NUMBERED.match(text):
        if name := found["padded"] or found["hash"]:
            return _Step(_ID_LABEL, name.lstrip("#"), text[found.end() :], 2)
        return _Step(_NUMBER, found["plain"], text[found.end() :], 1)
    if (found := _TAG.match(text)) and (said := _said(found["tag"] or found["code"])):
        return _Step(*said, text[found.end() :], 2)
    if (found := _LOUD.match(text)) and found["word"].lower() in SEVERITIES:
        return _Step("Severity", found["word"].lower(), text[found.end() :], 0)
    return None


def _trailing(text: str) -> _Step | None:
    day, rest = labels.trailing_day(text)
    if day:
        return _Step("Date", day, rest, 2)
    found = _STATE_AT_END.search(text)
    if found and (found["tick"] or (labels.is_status(found["word"]) and labels.is_over(found["word"]))):
        return _Step(_OVER, _OVER, text[: found.start()], 0)
    return None


def _said(tag: str) -> tuple[str, str] | None:
    """What a tag in brackets says as a field, or of the state; None where it says nothing known."""
    if found := _HITS.match(tag):
        return "Used", found[1]
    if tag.strip().lower() == "x" or (labels.is_status(tag) and labels.is_over(tag)):
        return _OVER, _OVER
    if severity := labels.severity_of(tag):
        return "Severity", severity
    return kind_of(tag) if re.fullmatch(r"[^\W\d_][\w /-]{1,29}", tag) else None


def _plain(text: str) -> str:
    """Take emphasis off that embraces the whole text."""
    found = _EMPHASIS.match(text)
    return found["text"].strip() if found else text
