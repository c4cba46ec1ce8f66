"""The form of the labelled logs in benchmarks/detectors."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks" / "detectors"
LANGUAGES = ("en", "ko", "zh", "es")
DETECTORS = ("D1", "D2", "D3", "D4", "D5", "D6")
EVENTS = {
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "Stop",
    "Interrupt",
    "Reject",
}
FIELDS = {
    "v",
    "ts",
    "event",
    "session",
    "tool_use_id",
    "agent",
    "project",
    "tool",
    "key",
    "path",
    "input",
    "output",
    "error",
    "exit",
    "ms",
    "cut",
}

Row = dict[str, Any]


def _rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def _id(row: Row) -> str:
    return row.get("tool_use_id") or f"{row['session'][:8]}@{row['ts']}"


@pytest.fixture(scope="module")
def logs() -> dict[str, list[Row]]:
    return {language: _rows(f"logs/{language}.jsonl") for language in LANGUAGES}


@pytest.fixture(scope="module")
def projects() -> dict[str, Row]:
    return {row["project"]: row for row in _rows("projects.jsonl")}


@pytest.fixture(scope="module")
def labels() -> list[Row]:
    return _rows("labels.jsonl")


def test_a_record_has_known_fields_and_events_only(logs: dict[str, list[Row]]) -> None:
    for row in (row for rows in logs.values() for row in rows):
        assert set(row) <= FIELDS
        assert {"v", "ts", "event", "session", "project"} <= set(row)
        assert row["v"] == 1
        assert row["event"] in EVENTS


def test_time_runs_forward_in_a_session(logs: dict[str, list[Row]]) -> None:
    last: dict[str, datetime] = {}
    for row in (row for rows in logs.values() for row in rows):
        ts = datetime.fromisoformat(row["ts"])
        assert last.get(row["session"], ts) <= ts
        last[row["session"]] = ts


def test_a_session_belongs_to_one_project_and_one_language(
    logs: dict[str, list[Row]], projects: dict[str, Row]
) -> None:
    for language, rows in logs.items():
        for row in rows:
            project = projects[row["project"]]
            assert project["language"] == language
            assert row["session"] in project["sessions"]
    listed = [session for project in projects.values() for session in project["sessions"]]
    assert len(listed) == len(set(listed))


def test_evidence_names_events_of_the_project(
    logs: dict[str, list[Row]], projects: dict[str, Row], labels: list[Row]
) -> None:
    events = {(row["project"], _id(row)) for rows in logs.values() for row in rows}
    for label in labels:
        assert label["detector"] in DETECTORS
        assert label["language"] == projects[label["project"]]["language"]
        assert label["words"]
        assert all((label["project"], event) in events for event in label["evidence"])
        assert label["evidence"] or label["detector"] == "D5"


def test_there_are_enough_positives_in_every_language(labels: list[Row]) -> None:
    count = Counter(label["detector"] for label in labels)
    assert count["D1"] >= 30
    assert count["D2"] >= 30
    assert all(count[detector] >= 8 for detector in DETECTORS)
    for detector in ("D1", "D2"):
        languages = Counter(label["language"] for label in labels if label["detector"] == detector)
        assert all(languages[language] >= 5 for language in LANGUAGES)
    uncued = sum(label["detector"] == "D1" and not label["cue"] for label in labels)
    assert uncued >= count["D1"] / 3


def test_half_of_the_sessions_are_negatives(
    logs: dict[str, list[Row]], projects: dict[str, Row], labels: list[Row]
) -> None:
    session = {(row["project"], _id(row)): row["session"] for rows in logs.values() for row in rows}
    positive = {session[label["project"], event] for label in labels for event in label["evidence"]}
    every = {s for project in projects.values() for s in project["sessions"]}
    assert len(every) >= 60
    assert len(positive) <= len(every) / 2


def test_about_a_third_is_kept_for_the_test(projects: dict[str, Row]) -> None:
    digests = [hashlib.sha256(project["sessions"][0].encode()).hexdigest() for project in projects.values()]
    held_out = sum(int(digest, 16) % 3 == 0 for digest in digests)
    assert 0.25 <= held_out / len(projects) <= 0.45


def test_redaction_and_commands_have_enough_rows() -> None:
    data = Path(__file__).parent / "data"
    redaction = [json.loads(line) for line in (data / "redaction.jsonl").read_text("utf-8").splitlines()]
    assert sum(bool(row["gone"]) for row in redaction) >= 80
    assert sum(not row["gone"] for row in redaction) >= 120
    assert all(secret in row["text"] for row in redaction for secret in row["gone"])
    assert all(kept in row["text"] for row in redaction for kept in row.get("kept", ()))
    commands = [line for line in (data / "commands.tsv").read_text("utf-8").splitlines() if "\t" in line]
    assert len(commands) >= 90
    assert all(line.count("\t") == 1 for line in commands)
