"""The law of the readers, as a function that names what it finds broken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qlearn.interchange import Draft, Reading, labels
from qlearn.interchange.foreign import shown
from qlearn.lines import BOM, split_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

VOCABULARY = frozenset(
    word
    for words in (*labels._ROLE, *labels._TYPE, *labels._SEVERITY, *labels._IS_OVER, *labels._IS_LIVE)
    for word in re.findall(r"\w+", words.replace("_", " "))
) | {"x", "br", "hits", "used", "seen", "count", "name", "title", "metadata", "message", "ts", "true", "null"}


def unaccounted(files: Mapping[str, str], reading: Reading) -> list[tuple[str, int, str]]:
    """The lines of *files* that are in no entry and in no skipped piece, or whose words got lost in it.

    A word may be missing where it is one of the vocabulary (a label, a severity, a status), a part of a day,
    the marker of a list, or in a comment of YAML.
    """
    lost = []
    for path, text in files.items():
        held: dict[int, list[set[str]]] = {}
        for entry in reading.drafts:
            if entry.path == path:
                for number in range(entry.lineno, entry.last + 1):
                    held.setdefault(number, []).append(_words_of(entry))
        for passed in reading.passed:
            if passed.path == path and passed.text:
                for number, line in enumerate(split_lines(passed.text), passed.problem.lineno):
                    held.setdefault(number, []).append({*words(line), *words(_decoded(path, line))})
        for number, line in enumerate(split_lines(text.removeprefix(BOM)), 1):
            if not line.strip():
                continue
            count = len(held.get(number, ()))
            if count != 1 and not (count and path.endswith(".json")):
                lost.append((path, number, f"held {count} times: {line}"))
            elif (
                missing := set(words(_decoded(path, line)))
                - set().union(*held[number])
                - VOCABULARY
                - _rewritten(line)
            ):
                lost.append((path, number, f"lost {missing}: {line}"))
    return lost


def _decoded(path: str, line: str) -> str:
    if path.endswith((".yaml", ".yml")):  # the comments of a learning stay in its file
        return re.sub(r"\\[nrtu]", " ", re.sub(r"(?:\A|\s)#.*", "", line))
    return re.sub(r"\\[nrtu]", " ", line) if path.endswith((".json", ".jsonl")) else line


def words(text: str) -> list[str]:
    """The words of a line without its markers (`#`, `-`, `3.`) and what nobody can see."""
    return re.findall(
        r"[^\W_]+", _MARKERS.sub("", re.sub(r"<U\+\w+>", " ", shown(re.sub(r"\s", " ", text)))).casefold()
    )


def _words_of(entry: Draft) -> set[str]:
    text = "\n".join([entry.title, entry.old_id, *entry.fields, *entry.fields.values()])
    return {word for line in text.split("\n") for word in re.findall(r"[^\W_]+", line.casefold())}


def _rewritten(line: str) -> set[str]:
    """The parts of days and of confidences, which an entry may write otherwise."""
    found: set[str] = set()
    if _DAYS.search(line) or any(labels.day_of(part) for part in re.split(r"[:：|*]+ *", line)):
        found.update(
            re.findall(
                r"[0-9]+[年月日][0-9年月日]*|[0-9]+(?:st|nd|rd|th|[년월일]|T[0-9]+Z?|Z)?", line, re.IGNORECASE
            )
        )
        found.update(word for word in re.findall(r"[a-z]{3,9}", line.lower()) if word in labels._MONTHS)
    if re.search(r"[0-9] ?(?:/ ?[0-9]|%)|:.*\.[0-9]|\"confidence\"", line):
        found.update(re.findall(r"[0-9]+", line))
    return {word.lower() for word in found} | {"z"}


_DAYS = labels._DAY
_MARKERS = re.compile(r"\A(?:[ \t]*(?:#{1,6}|[-*+>]|[0-9]{1,9}[.)])(?=[ \t]|\Z))+")
