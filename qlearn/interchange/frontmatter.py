"""The block of YAML between two lines of dashes at the start of a Markdown file.

Files of other tools are often no valid YAML (`trigger: when a: b`). Then each line is read by itself, so
that one bad value does not hide the others.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from qlearn.interchange.yamltext import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A line that is a comment, or ends in one behind a value without quotes.
_COMMENT = re.compile(r"(?:[^\"'#]*[ \t])?#[ \t]*(.*?)[ \t]*\Z")
_LINE = re.compile(r"([A-Za-z_][\w .-]{0,60}?)[ \t]*:(?:[ \t]+(.*))?\Z")


class FrontMatter(NamedTuple):
    """The values by their keys, what stands there beside them, and the number of lines.

    `comments` are the comments and the lines that are no key's; `lines` counts both marks, and is 0 where
    there is no front matter.
    """

    values: Mapping[str, Any]
    comments: tuple[str, ...]
    lines: int


def front_matter(lines: Sequence[str]) -> FrontMatter:
    """Read the front matter that a file's lines start with, if they do."""
    none = FrontMatter({}, (), 0)
    if not lines or lines[0].rstrip() != "---":
        return none
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)
    values, comments = mapping(lines[1:end])
    return FrontMatter(values, comments, end + 1) if end and (values or not any(lines[1:end])) else none


def mapping(lines: Sequence[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Read lines as a YAML mapping, line by line where they are none; days stay the text they are.

    Returns:
        The values, and the comments with the lines that could not be read.
    """
    comments = [found[1] for line in lines if (found := _COMMENT.match(line)) and found[1]]
    try:
        value = load("\n".join(lines))
    except ValueError:
        value = None
    if isinstance(value, dict):
        return {str(key): each for key, each in value.items()}, tuple(comments)
    found_values: dict[str, Any] = {}
    key = ""
    for line in lines:
        if match := _LINE.match(line):
            key = match[1]
            found_values[key] = _scalar(match[2] or "")
        elif key and line.strip() and line[:1] in " \t-":
            more = line.strip().removeprefix("- ").strip()
            found_values[key] = f"{found_values[key]}\n{more}" if found_values[key] else more
        elif line.strip() and not _COMMENT.match(line):
            comments.append(line.strip())
    return found_values, tuple(comments)


def plain(value: object) -> str:
    """A value as the text of a field: lists with commas or, where they hold sentences, a line each."""
    if isinstance(value, list):
        texts = [plain(each) for each in value]
        return (
            ", ".join(texts)
            if all(len(text) <= 40 and "," not in text for text in texts)
            else "\n".join(f"- {text}" for text in texts)
        )
    if isinstance(value, dict):
        return "\n".join(f"{key}: {plain(each)}" for key, each in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _scalar(text: str) -> Any:
    try:
        value = load(text)
    except ValueError:
        value = None
    if isinstance(value, dict) or value is None:  # `a: b` in a value, or nothing
        return text.strip().strip("\"'")
    return value
