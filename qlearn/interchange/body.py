"""The text under a heading, or of a list item, as fields and a lesson.

- A part with a label from `labels.META` whose value can be read becomes a field, and leaves the text.
- The best of the parts that say what to do (`labels.LESSONS`) comes first, without its label.
- All the rest stays as it was written, in its order.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from qlearn.interchange import labels
from qlearn.interchange.outline import masked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LONGEST_VALUE = 300
"""In characters: what is longer is text."""

_BULLET = r"(?P<bullet>[ ]{0,1}(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?"
_BOLD = re.compile(
    rf"{_BULLET}[^\w\s*_#>|-]{{0,3}}[ ]?(?P<mark>\*\*|__)[ \t]*(?P<label>[^*\n]{{1,60}}?)[ \t]*"
    r"(?:[:：][ \t]*(?P=mark)|(?P=mark)(?:[ \t]?\([^()\n]{1,60}\))?[ \t]*[:：])[ \t]*(?P<value>.*)\Z"
)
_PLAIN = re.compile(
    rf"{_BULLET}(?P<label>[^\W\d_][^:：\n*`|\[\]<>]{{0,39}}?)[ \t]*(?:[:：](?=[ \t]|\Z)|：)"
    r"[ \t]*(?P<value>.*)\Z"
)
_HEADING = re.compile(r"[ ]{0,3}(?P<level>#{1,6})[ \t]+(?P<label>[^\n]*?)(?:[ \t]+#+)?[ \t]*\Z")
_PLACEHOLDER = re.compile(
    r"YYYY|\bXXX\b|\bNNN\b|(?:\A|[ \t])(?:\.{3}|…)\Z|\{\{?[A-Za-z_][\w .-]*\}?\}|\A<[^<>]+>\Z"
    r"|\A\[[^\[\]]+\]\Z|\A\([^()]*\)\Z|\A_\([^()]*\)_\Z|\A(?:TBD|TODO|n/a|none|-|—)\Z",
    re.IGNORECASE,
)
_PATH = re.compile(r"[^\s`,;|]*[\w-][./][^\s`,;|]*\w[^\s`,;|]*|[\w-]+\.\w{1,8}|[A-Z][\w.-]*file")
_NAME = re.compile(r"[\w.-]{1,40}\Z")
_KEY = re.compile(r"[a-z0-9][a-z0-9._-]{1,80}\Z")


class Part(NamedTuple):
    """A labelled part: what its label means ("" if unknown), its lines (half open from 0), its value's lines.

    `heading` is the level of a label that is a heading, else 0.
    """

    label: str
    role: str
    start: int
    end: int
    value: tuple[str, ...]
    heading: int = 0

    @property
    def text(self) -> str:
        """The value, whose first line stands behind the label."""
        return "\n".join(self.value).strip("\n")


class Body(NamedTuple):
    """What the lines say. `lesson` is the part that says what to do, `rest` everything that is left.

    `roles` are those of all labels found; `summary` is the summary part, which stays in the rest.
    """

    fields: dict[str, str]
    resolved: bool
    lesson: str
    rest: str
    roles: frozenset[str]
    summary: str = ""
    old_id: str = ""

    @property
    def learning(self) -> str:
        """The lesson first, then the rest."""
        return "\n\n".join(part for part in (self.lesson, self.rest) if part)

    @property
    def first(self) -> str:
        """What a title can be made of: the lesson, else the first line of text that has no label."""
        if self.lesson:
            return self.lesson
        lines = self.rest.split("\n")
        hidden = masked(lines)
        plain = (
            line
            for number, line in enumerate(lines)
            if line.strip() and not hidden[number] and not _label(line)
        )
        return next(plain, self.rest)


def read_body(
    lines: Sequence[str],
    said: Mapping[str, str] | None = None,
    *,
    lift: Sequence[str] = labels.LESSONS,
    named: bool = False,
) -> Body:
    """Read the lines of an entry without its heading.

    Args:
        said: Fields that the heading states; a part that states another value stays in the text.
        lift: The roles of the part that comes first, the best first.
        named: The summary is the entry's title, so it leaves the text if it is one line.
    """
    found = parts(lines)
    fields: dict[str, str] = {}
    resolved, old_id = False, ""
    gone: set[int] = set()
    for part in found:
        if part.role == "status":
            resolved = resolved or any(labels.is_over(line) for line in part.text.split("\n"))
            if labels.is_status(part.text):
                gone.update(range(part.start, part.end))
        elif part.role == "id" and _NAME.match(name := part.text.strip("*_` ")):
            if not old_id and not (said or {}).get("Was"):
                old_id = name
                gone.update(range(part.start, part.end))
        elif part.role in labels.META and (field := field_of(part.role, part.text)):
            label, value = field
            if fields.get(label, (said or {}).get(label, value)) == value:
                fields[label] = value
                gone.update(range(part.start, part.end))
    best = min(
        (part for part in found if part.role in lift and part.text.strip()),
        key=lambda part: (lift.index(part.role), part.start),
        default=None,
    )
    if best:
        gone.update(range(best.start, best.end))
    summary = next((part for part in found if part.role == "summary" and part.text.strip()), None)
    if summary and named and "\n" not in summary.text.strip():
        gone.update(range(summary.start, summary.end))
    for part in found:  # a heading with nothing left below it
        if (
            part.heading
            and part.role
            and all(number in gone or not lines[number].strip() for number in range(part.start + 1, part.end))
        ):
            gone.add(part.start)
    return Body(
        fields,
        resolved,
        best.text.strip() if best else "",
        _without(lines, gone),
        frozenset(part.role for part in found if part.role),
        summary.text.strip() if summary else "",
        old_id,
    )


def parts(lines: Sequence[str]) -> tuple[Part, ...]:
    """Find the labelled parts: `**X**: v`, `X: v` for known labels, `### X`; none inside fences or comments.

    A part whose value starts on its label's line ends at a blank line (indented lines go on); one whose
    label stands alone goes on to the next label, a heading to the next heading or known label.
    """
    hidden = masked(lines)
    starts = [
        (number, found) for number, line in enumerate(lines) if not hidden[number] and (found := _label(line))
    ]
    result: list[Part] = []
    for index, (number, (label, known, value, heading, bullet)) in enumerate(starts):
        end = next(
            (
                later
                for later, (_, its_role, _, its_heading, _) in starts[index + 1 :]
                if (its_heading <= heading if heading and its_heading else its_heading)
                or (not heading and (its_role or value))
            ),
            len(lines),
        )
        if value:
            end = _paragraph_end(lines, number + 1, end, hidden)
        while end > number + 1 and not lines[end - 1].strip():
            end -= 1
        body = (
            [value, *_dedented(lines[number + 1 : end], bullet)]
            if value
            else _dedented(lines[number + 1 : end], bullet)
        )
        result.append(Part(label, known, number, end, tuple(body), heading))
    return tuple(result)


def field_of(role: str, value: str) -> tuple[str, str] | None:
    """Read the value of a part as a field: its label and its value; None where it can't be one."""
    value = value.strip()
    if ("\n" in value and role not in ("keywords", "files")) or len(value) > LONGEST_VALUE:
        return None
    bare = value.strip("*_` ")
    if not bare or (is_placeholder(bare) and role != "keywords"):
        return None
    if role in ("date", "reinforced"):
        return (role.capitalize(), day) if (day := labels.day_of(value)) else None
    if role == "severity":
        return ("Severity", word) if (word := labels.severity_of(value)) else None
    if role == "type":
        return kind_of(bare)
    if role == "confidence":
        return ("Confidence", number) if (number := labels.confidence_of(value)) else None
    if role == "used":
        return ("Used", bare) if re.fullmatch(r"[0-9]{1,6}", bare) else None
    if role == "keywords" and not is_placeholder(value.strip("[]")):
        return ("Keywords", words) if (words := keywords_of(value)) else None
    if role == "files":
        return ("Files", ", ".join(paths)) if (paths := paths_of(value)) else None
    if role == "key":
        return ("Key", bare) if _KEY.match(bare) else None
    if role == "domain":
        return ("Domain", bare) if len(bare) <= 40 else None
    return (role.capitalize(), value)


def kind_of(word: str) -> tuple[str, str]:
    """The field for the word by which a file sorts a lesson: its type, its category, else its domain."""
    if found := labels.type_of(word):
        return "Type", found
    if found := labels.category_of(word):
        return "Category", found
    return "Domain", word


def keywords_of(value: str) -> str:
    """Tags of any notation (`[a, b]`, `#a #b`, `` `a` `b` ``) with commas between; "" where it is prose."""
    value = value.strip().removeprefix("[").removesuffix("]")
    words = (
        re.split(r"[,，、;|\n]", value)
        if re.search(r"[,，、;|\n]", value)
        else re.split(r"[ \t]+(?=[#`])", value)
    )
    words = [word.strip().removeprefix("- ").strip(" \t#`\"'*") for word in words]
    if any(len(word) > 40 for word in words):
        return ""
    return ", ".join(word for word in words if word)


def paths_of(value: str) -> tuple[str, ...]:
    """The paths in a list of files; none where there is anything else in it."""
    names = [
        part.strip().removeprefix("- ").strip(" \t`*\"'()")
        for part in re.split(r"[,，、;\n]|[ \t](?=`)", value)
    ]
    names = [name for name in names if name]
    return tuple(names) if names and all(_PATH.fullmatch(name) for name in names) else ()


def is_placeholder(text: str) -> bool:
    """Whether a value is what a template has in the place of one."""
    return bool(_PLACEHOLDER.search(text.strip()))


def is_template(title: str, found: Sequence[Part]) -> bool:
    """Whether an entry is the example of its format: its title or all of its values are placeholders."""
    if re.search(r"YYYY|\bXXX\b|\bNNN\b|\{\{?[A-Za-z_][\w .-]*\}?\}", title):
        return True
    if re.search(
        r"\A\W*[\[<][^\[\]<>]*\b(?:title|summary|name|topic|lesson|description)\b[^\[\]<>]*[\]>]\W*\Z",
        title,
        re.IGNORECASE,
    ):
        return True
    values = [part.text.strip() for part in found if part.role]
    return bool(values) and all(not value or is_placeholder(value) for value in values)


def _label(line: str) -> tuple[str, str, str, int, int] | None:
    """The label that a line starts with: itself, its role, value, heading level and bullet's width."""
    if found := _HEADING.match(line):
        return found["label"], labels.role(found["label"]), "", len(found["level"]), 0
    if found := _BOLD.match(line):
        return (
            found["label"],
            labels.role(found["label"]),
            found["value"].strip(),
            0,
            len(found["bullet"] or ""),
        )
    if (found := _PLAIN.match(line)) and (known := labels.role(found["label"])):
        return found["label"], known, found["value"].strip(), 0, len(found["bullet"] or "")
    return None


def _paragraph_end(lines: Sequence[str], start: int, end: int, hidden: Sequence[bool]) -> int:
    for number in range(start, end):
        if lines[number].strip() or hidden[number]:
            continue
        after = next((later for later in range(number, end) if lines[later].strip()), end)
        if after == end or not lines[after].startswith(("  ", "\t")):
            return number
    return end


def _dedented(lines: Sequence[str], width: int) -> list[str]:
    while lines and not lines[0].strip():
        lines = lines[1:]
    width = min([len(line) - len(line.lstrip(" ")) for line in lines if line.strip()] or [0])
    return [line[width:] for line in lines]


def _without(lines: Sequence[str], gone: set[int]) -> str:
    """The lines but those that are gone; where blank lines meet round a gap, one is left."""
    left: list[str] = []
    gap = True
    for number, line in enumerate(lines):
        if number in gone:
            gap = True
        elif line.strip() or not gap or (left and left[-1].strip()):
            left.append(line)
            gap = gap and not line.strip()
    return "\n".join(left).strip("\n")
