"""An entry of the registry as a value. Knows fields, not files."""

from __future__ import annotations

import datetime as dt
import re
from functools import lru_cache

from .record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

from .confidence import Evidence, parse_evidence
from .document import Document, Fields, items, parse

TYPES = ("mistake", "convention", "gotcha", "decision")
SEVERITIES = ("critical", "important", "info")
CATEGORIES = ("errors", "workflows", "tools", "architecture", "debugging")

RESOLVED = "[RESOLVED]"

# The labels that have a meaning, in the order in which they are written.
FIELDS = (
    "Type", "Severity", "Date", "Reinforced", "Learning", "Context", "Keywords", "Category", "Confidence",
    "Used", "Example", "Trigger", "Domain", "Scope", "Evidence", "Source", "Key", "Files", "Supersedes",
    "Was", "Pruned",
)  # fmt: skip

SCORED = ("severity", "date", "reinforced", "confidence", "evidence")
"""The fields on which a score depends."""

TYPE_SYNONYMS = {"pattern": "convention", "best_practice": "convention", "pitfall": "gotcha"}
SEVERITY_SYNONYMS = {"high": "important", "medium": "important", "low": "info", "minor": "info"}

_PLAIN_HEADING = re.compile(r"L([0-9]{1,9}): (?!\s)([^\]]*[^\]\s])\Z")
# The first fields as qlearn writes them; whatever is not so is read field by field.
_SCORED = re.compile(
    r"(?:- \*\*Type\*\*: [^\r\n]*\r?\n)?- \*\*Severity\*\*: (critical|important|info)\r?\n"
    r"- \*\*Date\*\*: ([0-9-]{10})\r?\n(?:- \*\*Reinforced\*\*: ([0-9-]{10})\r?\n)?(?=- )"
)
_NUMBER = r"(?:0|[1-9][0-9]{0,8})\Z"
_DECIMAL = r"[0-9]{1,9}(?:\.[0-9]{1,18})?\Z|\.[0-9]{1,18}\Z"
_ID = (
    r"(?P<before>\[RESOLVED\][ \t]+)?"
    r"(?P<open>[*_]{0,3})LETTER(?P<number>[0-9]{1,9})(?P<close>[*_]{0,3})"
    r"(?P<after>[ \t]*\[RESOLVED\](?=[ \t:：]|\Z))?"
    r"[ \t]*(?P<colon>[:：]|\Z)"
)
_MARKS = r"(?:\[RESOLVED\](?:[ \t]\s*|\Z))+"
_FENCED = r"(`{3,}+|~{3,}+)[^\n]*+\n((?s:.*\n)?)\1[`~]*\Z"


class Heading(NamedTuple):
    """What an entry's heading says: its number, its title without marker, and whether it is resolved."""

    number: int
    title: str
    resolved: bool


def parse_heading(text: str, letter: str = "L") -> Heading | None:
    """Read the content of a level-3 heading; None where it carries no id.

    An id is the upper-case *letter* and 1-9 ASCII digits, then a colon (also full-width) or the end. Emphasis
    round it is tolerated. `[RESOLVED]` counts as a whole token at either end, before or after the id.
    """
    found = re.match(_ID.replace("LETTER", letter), text)
    if found is None:
        return None
    opened, closed = found["open"], found["close"]
    title = text[found.end() :]
    if opened and not closed:  # **L012:** title, or **L012: title**
        if title.startswith(opened):
            title = title[len(opened) :]
        elif title.rstrip().endswith(opened):
            title = title.rstrip()[: -len(opened)]
        else:
            return None
    elif opened != closed[::-1]:
        return None
    title = title.strip()
    bare = _without_marks(title)
    resolved = bool(found["before"] or found["after"]) or bare != title
    return Heading(int(found["number"]), bare, resolved)


def _without_marks(title: str) -> str:
    """Take the marks off both ends, however many: cutting them off one by one would take their square."""
    marks = re.match(_MARKS, title)
    start, end, size = marks.end() if marks else 0, len(title), len(RESOLVED)
    while end - size > start and title.endswith(RESOLVED, start, end) and title[end - size - 1] in " \t":
        end -= size
        while end > start and title[end - 1].isspace():
            end -= 1
    return title[start:end]


class Learning(NamedTuple):
    """One entry, and where it stands.

    `fields` maps labels in lower case to raw values; the properties read them by the rules of
    docs/format.md. `start` and `end` are character offsets of the entry in its text, half open; `lineno`
    counts from 1.
    """

    number: int
    title: str
    resolved: bool
    fields: Mapping[str, str]
    start: int
    end: int
    lineno: int

    @property
    def id(self) -> str:
        """The canonical id: `L` and at least three digits."""
        return f"L{self.number:03d}"

    def field(self, label: str) -> str | None:
        """The raw value of a field by its label, in any case; None where the entry has none."""
        return self.fields.get(label.lower())

    @property
    def type(self) -> str:
        """One of `TYPES`; mistake where none is given."""
        return read_type(self.fields.get("type", ""))

    @property
    def severity(self) -> str:
        """One of `SEVERITIES`; info where none is given."""
        return read_severity(self.fields.get("severity", ""))

    @property
    def date(self) -> dt.date | None:
        """The day it was recorded; None where no real day is given."""
        return parse_day(self.fields.get("date", ""))

    @property
    def reinforced(self) -> dt.date | None:
        """The day it was last met again, from which its relevance starts anew."""
        return parse_day(self.fields.get("reinforced", ""))

    @property
    def learning(self) -> str:
        """The lesson; the title where the entry has no such field."""
        return self.fields.get("learning", self.title)

    @property
    def context(self) -> str | None:
        """The skill, file or situation."""
        return self.fields.get("context")

    @property
    def keywords(self) -> tuple[str, ...]:
        """Comma-separated, also by full-width commas."""
        return _split(self.fields.get("keywords", ""))

    @property
    def category(self) -> str | None:
        """One of `CATEGORIES`, or None."""
        value = plain_word(self.fields.get("category", ""))
        return value if value in CATEGORIES else None

    @property
    def confidence(self) -> float | None:
        """The *stated* confidence, 0-1; None where none or no such number is given."""
        return parse_confidence(self.fields.get("confidence", ""))

    @property
    def used(self) -> int:
        """How often it helped."""
        value = self.fields.get("used", "").strip()
        return int(value) if re.match(_NUMBER, value) else 0

    @property
    def example(self) -> str | None:
        """The content of the fenced block, or the whole value if it is no fenced block."""
        value = self.fields.get("example")
        if value is not None and (found := re.match(_FENCED, value)):
            return found[2].removesuffix("\n")
        return value

    @property
    def trigger(self) -> str | None:
        """When it applies."""
        return self.fields.get("trigger")

    @property
    def domain(self) -> str | None:
        """Code-style, testing, git, debugging, workflow and so on."""
        return self.fields.get("domain")

    @property
    def scope(self) -> str:
        """Either project (the default) or global."""
        return "global" if plain_word(self.fields.get("scope", "")) == "global" else "project"

    @property
    def evidence(self) -> Evidence | None:
        """The counts since it was stated; None where there are none or they can't be read."""
        value = self.fields.get("evidence")
        return parse_evidence(value) if value else None

    @property
    def source(self) -> str | None:
        """Where it comes from: user, agent, session-observation, import:<format>, promoted:<project id>."""
        return self.fields.get("source")

    @property
    def key(self) -> str | None:
        """A kebab-case slug, stable across projects."""
        return self.fields.get("key")

    @property
    def files(self) -> tuple[str, ...]:
        """The paths the lesson is about."""
        return tuple(path.strip("`") for path in _split(self.fields.get("files", "")))

    @property
    def supersedes(self) -> str | None:
        """The id of the learning that this one replaces."""
        return self.fields.get("supersedes")

    @property
    def was(self) -> str | None:
        """An older id of this learning."""
        return self.fields.get("was")


def parse_learnings(text: str) -> tuple[Learning, ...]:
    """Read the entries of a registry, in document order.

    Never raises: what is no entry is left out (`check` names it), and what a field says beyond the rules
    stays in its raw value.
    """
    return learnings(parse(text))


def learnings(document: Document, letter: str = "L") -> tuple[Learning, ...]:
    """Read the entries of a parsed registry: its level-3 headings with an id of that *letter*."""
    found = []
    plain = _PLAIN_HEADING.match
    for level, title, start, end, lineno, fields, _ in document.sections:
        if level != 3:
            continue
        if letter == "L" and (usual := plain(title)):
            found.append(Learning(int(usual[1]), usual[2], False, fields, start, end, lineno))
        elif heading := parse_heading(title, letter):
            found.append(Learning(*heading, fields, start, end, lineno))
    return tuple(found)


def labelled(text: str, entry: Learning) -> dict[str, str]:
    """The fields of an entry under their labels as written; the first counts where one stands twice."""
    found: dict[str, tuple[str, str]] = {}
    for item in items(text, entry.start, entry.end):
        found.setdefault(item.label.lower(), (item.label, item.value))
    return dict(found.values())


def score_fields(learning: Learning) -> tuple[str, ...]:
    """The raw values of the fields `SCORED`, "" where there is none.

    Learnings that agree in them score alike.
    """
    fields = learning.fields
    if type(fields) is Fields:
        text, end = fields.text, fields.end
        if found := _SCORED.match(text, fields.start, end):
            rest = text[found.end() : end]
            if not ("**Reinf" in rest or "**Conf" in rest or "**Evid" in rest):
                return (*found.groups(""), "", "")
    return tuple(fields.get(label, "") for label in SCORED)


@lru_cache(maxsize=4096)
def parse_day(value: str) -> dt.date | None:
    """Read a real day written YYYY-MM-DD; anything else is None."""
    digits = value[:4] + value[5:7] + value[8:]
    if len(value) == 10 and value[4] == value[7] == "-" and digits.isascii() and digits.isdecimal():
        try:
            return dt.date(int(value[:4]), int(value[5:7]), int(value[8:]))
        except ValueError:
            pass
    return None


def parse_confidence(value: str) -> float | None:
    """Read a decimal number of 0-1; anything else is None."""
    value = value.strip()
    number = float(value) if re.match(_DECIMAL, value) else -1.0
    return number if 0.0 <= number <= 1.0 else None


def plain_word(value: str) -> str:
    """A field's value as one word: case folded, code and emphasis marks off."""
    return value.strip(" \t`*_").lower()


@lru_cache(maxsize=256)
def read_type(value: str) -> str:
    """The type that a field's value means; mistake where it names none."""
    word = plain_word(value)
    return word if word in TYPES else TYPE_SYNONYMS.get(word.replace(" ", "_").replace("-", "_"), "mistake")


@lru_cache(maxsize=256)
def read_severity(value: str) -> str:
    """The severity that a field's value means; info where it is empty.

    A value that is none is never taken for less than it may have meant: the gravest word in it counts, and
    important where it holds none.
    """
    word = plain_word(value)
    if word in SEVERITIES:
        return word
    if not word:
        return "info"
    if word in SEVERITY_SYNONYMS:
        return SEVERITY_SYNONYMS[word]
    return "critical" if "critical" in word else "important"


def _split(value: str) -> tuple[str, ...]:
    return tuple(part for raw in re.split(r"[,，、\n]", value) if (part := raw.strip()))
