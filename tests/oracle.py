"""A second, naive reading of registries of the plain shape, to check the real one by.

The plain shape: LF, one-line fields written `- **Label**: value`, ids in headings, no fences, nothing nested.
Nothing of qlearn is used here, and nothing else than lines and string methods.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

WEIGHT = {"critical": 3, "important": 2, "info": 1}


def read(content: str, now: datetime) -> list[dict[str, Any]]:
    """The entries in document order, each with its score."""
    entries: list[dict[str, Any]] = []
    open_entry: dict[str, Any] | None = None
    for line in content.split("\n"):
        if line.startswith("### L"):
            number, _, title = line.removeprefix("### ").partition(": ")
            resolved = title.startswith("[RESOLVED] ")
            open_entry = {
                "id": number,
                "title": title.removeprefix("[RESOLVED] "),
                "type": "mistake",
                "severity": "info",
                "date": None,
                "reinforced": None,
                "learning": title.removeprefix("[RESOLVED] "),
                "context": None,
                "resolved": resolved,
            }
            entries.append(open_entry)
        elif line == "---" or line.startswith("#"):
            open_entry = None
        elif line.startswith("- **") and open_entry is not None:
            label, _, value = line.removeprefix("- **").partition("**: ")
            if label.lower() in open_entry:
                open_entry[label.lower()] = value
    for entry in entries:
        entry["score"] = score(entry, now)
    return entries


def score(entry: dict[str, Any], now: datetime) -> float:
    """Weight times one half to the power of months, as the format publishes it."""
    if entry["resolved"]:
        return 0.0
    days = [date.fromisoformat(entry[key]) for key in ("date", "reinforced") if entry[key]]
    age = 30.0
    if days:
        newest = max(days)
        age = max(
            (now - datetime(newest.year, newest.month, newest.day, tzinfo=UTC)) / timedelta(days=1), 0.0
        )
    return float(WEIGHT[entry["severity"]] * 0.5 ** (age / 30))


def gone(entry: dict[str, Any], threshold: float) -> bool:
    """Whether pruning takes an entry."""
    return bool(entry["resolved"] or entry["score"] < threshold)


def answers(content: str, now: datetime, n: int, threshold: float) -> dict[str, Any]:
    """Entries, order, next id and what would be pruned, as the vectors keep them."""
    entries = read(content, now)
    alive = [entry for entry in entries if entry["score"] > 0]
    ranked = sorted(alive, key=lambda entry: entry["score"], reverse=True)
    number = max((int(entry["id"][1:]) for entry in entries), default=0) + 1
    return {
        "entries": entries,
        "top": [entry["id"] for entry in ranked[:n]],
        "next": f"L{number:03d}",
        "removed": [entry["id"] for entry in entries if gone(entry, threshold)],
        "kept": [entry["id"] for entry in entries if not gone(entry, threshold)],
    }
