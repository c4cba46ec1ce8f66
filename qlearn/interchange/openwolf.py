"""The `.wolf/` folder of OpenWolf: `cerebrum.md`, sections of bullets, and `buglog.json`.

Bugs that OpenWolf found by comparing edits, tagged `auto-detected`, say what changed and not why; they are
only taken when asked for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from qlearn.errors import Problem
from qlearn.interchange import Draft, Passed, Reading, labels
from qlearn.interchange.foreign import fields_of, make, read_each, skipped
from qlearn.interchange.frontmatter import plain
from qlearn.interchange.jsontext import members, start_of_value
from qlearn.interchange.lessons import Group, Reader
from qlearn.interchange.outline import outline
from qlearn.lines import BOM, count_lines, split_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qlearn.interchange.titles import Title

NAME = "openwolf"

_CEREBRUM = re.compile(r"(?:\A|/)cerebrum\.md\Z", re.IGNORECASE)
_BUGLOG = re.compile(r"(?:\A|/)buglog\.json\Z", re.IGNORECASE)
_SECTIONS = {"key learnings": "gotcha", "do-not-repeat": "mistake", "decision log": "decision"}
_AUTOMATIC = "auto-detected"
_TIMES = ("timestamp", "date", "last_seen")
_KNOWN = ("id", "error_message", "file", "root_cause", "fix", "tags")


def recognises(path: str, text: str) -> int:
    """How surely a file is of such a folder: 2 by its name, for the bug log with its list of bugs."""
    if _CEREBRUM.search(path):
        return 2
    return 2 if _BUGLOG.search(path) and '"bugs"' in text else 0


def read(files: Mapping[str, str]) -> Reading:
    """Read the files of a folder."""
    return read_each(files, _read)


def _read(path: str, text: str) -> Reading:
    if path.lower().endswith(".json"):
        return _read_bugs(path, text)
    return _Cerebrum(NAME, path, outline(text)).reading()


class _Cerebrum(Reader):
    def below(self, group: Group, title: Title) -> Group:
        below = super().below(group, title)
        return below._replace(type=_SECTIONS.get(labels.fold(title.text), below.type))


def _read_bugs(path: str, text: str) -> Reading:
    text = text.removeprefix(BOM)
    drafts: list[Draft] = []
    passed: list[Passed] = []
    lines = split_lines(text)
    try:
        bugs = next((member for member in members(text) if member.key == "bugs"), None)
        placed = list(members(text, start_of_value(text, bugs))) if bugs else []
    except ValueError as error:
        problem = Problem(1, f"no JSON: {error}; nothing was read")
        return Reading((), (Passed(path, problem, "\n".join(lines)),), (path,))
    at = 0
    for bug in placed:
        passed += _frame(path, text, at, bug.start)
        at = bug.end
        first, last = (count_lines(text, 0, offset) + 1 for offset in (bug.start, bug.end))
        if isinstance(bug.value, dict) and any(plain(bug.value.get(key)) for key in ("error_message", "fix")):
            drafts.append(_bug(path, (first, last), bug.value))
        else:
            passed.append(skipped(path, first, "bug without a message or a fix", [text[bug.start : bug.end]]))
    passed += _frame(path, text, at, len(text))
    return Reading(tuple(drafts), tuple(passed))


def _frame(path: str, text: str, start: int, end: int) -> list[Passed]:
    """What stands between the bugs: the members of the file round them."""
    between = text[start:end]
    if not between.strip(", \t\r\n"):
        return []
    blank = len(between) - len(between.lstrip(", \t\r\n"))
    lineno = count_lines(text, 0, start + blank) + 1
    return [skipped(path, lineno, "frame of the file", split_lines(between[blank:].rstrip()))]


def _bug(path: str, lines: tuple[int, int], bug: Mapping[str, Any]) -> Draft:
    message, cause, fix = (plain(bug.get(key)) for key in ("error_message", "root_cause", "fix"))
    tags = [str(tag) for tag in bug["tags"]] if isinstance(bug.get("tags"), list) else []
    days = {key: day for key in _TIMES if (day := labels.day_of(plain(bug.get(key))))}
    day = days.get("timestamp") or days.get("date") or ""
    said = (fix, f"**Error**: {message}" if fix and message else "", f"**Cause**: {cause}" if cause else "")
    return make(
        NAME,
        path,
        lines,
        message,
        {
            **fields_of({key: value for key, value in bug.items() if key not in (*_KNOWN, *days)}),
            "Type": "mistake",
            "Date": day,
            "Reinforced": days["last_seen"] if days.get("last_seen", "") > day else "",
            "Learning": "\n\n".join(part for part in said if part),
            "Keywords": ", ".join(tags),
            "Files": plain(bug.get("file")),
        },
        old_id=plain(bug.get("id")),
        aside=_AUTOMATIC if _AUTOMATIC in tags else "",
    )
