"""One story from the first session to a skill: two projects, two clones of one of them, one user."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from qlearn import observing, paths
from qlearn.cli import main
from qlearn.hooks import answer, read_scene, record
from qlearn.learning import parse_learnings
from qlearn.transcript import read_transcript

from .transcripts import NOW, Transcript, corrected, repaired

if TYPE_CHECKING:
    from collections.abc import Callable

HOUR = dt.timedelta(hours=1)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> paths.UserPaths:
    for name in (
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_CONFIG_HOME",
        "QLEARN_OBSERVE",
        "CLAUDE_PROJECT_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return paths.find(os.environ)


@pytest.fixture
def qlearn(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.setattr("qlearn.cli.app.now", lambda: NOW)

    def call(folder: Path, *arguments: str) -> str:
        capsys.readouterr()
        code = main(["-C", str(folder), *arguments])
        out, err = capsys.readouterr()
        assert code == 0, err
        return out

    return call


def repository(folder: Path, remote: str) -> Path:
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    subprocess.run(["git", "remote", "add", "origin", remote], cwd=folder, check=True)
    return folder


def run(folder: Path, session: Transcript) -> None:
    """Let the hooks see a session as it happens, then the end of its turn."""
    transcript = Path(os.environ["HOME"]) / f"{session.session}.jsonl"
    transcript.parent.mkdir(parents=True, exist_ok=True)
    transcript.write_text("\n".join(session.lines))
    base = {"session_id": session.session, "cwd": str(folder), "transcript_path": str(transcript)}
    payloads: list[dict[str, object]] = [{"hook_event_name": "SessionStart", "source": "startup"}]
    for each in read_transcript(session.lines, project=""):
        if each.event == "UserPromptSubmit":
            payloads.append({"hook_event_name": each.event, "prompt": each.input})
        else:
            call = {
                "tool_name": "Bash",
                "tool_input": {"command": each.input},
                "tool_use_id": each.tool_use_id,
            }
            failed = each.event == "PostToolUseFailure"
            ended = (
                {"error": f"Exit code 1\n{each.error}"}
                if failed
                else {"tool_response": {"stdout": each.output}}
            )
            payloads.append({"hook_event_name": "PreToolUse", **call})
            payloads.append({"hook_event_name": each.event, **call, **ended})
    payloads.append({"hook_event_name": "Stop"})
    for at, payload in enumerate(payloads):
        scene = read_scene(
            json.dumps({**base, **payload}).encode(), os.environ, NOW + dt.timedelta(seconds=at)
        )
        assert scene is not None
        answer(scene)
        record(scene)


def test_from_sessions_to_a_skill(tmp_path: Path, home: paths.UserPaths, qlearn: Callable[..., str]) -> None:
    first = repository(tmp_path / "shop", "git@example.com:acme/shop.git")
    clone = repository(tmp_path / "shop-again", "https://example.com/acme/shop")
    other = repository(tmp_path / "blog", "https://example.com/acme/blog")
    for folder in (first, clone, other):
        qlearn(folder, "init")
    qlearn(first, "observe", "on")
    qlearn(other, "observe", "on")
    ids = [json.loads(qlearn(folder, "project", "--json"))["id"] for folder in (first, clone, other)]
    assert ids[0] == ids[1] != ids[2]

    # Three sessions: a failure repaired the same way twice, a tool choice corrected twice.
    run(first, repaired("s1", NOW - 9 * HOUR))
    run(clone, corrected("s2", NOW - 6 * HOUR))
    run(first, repaired("s3", NOW - 3 * HOUR))
    run(first, corrected("s4", NOW - 2 * HOUR))
    waiting = {each["title"]: each for each in json.loads(qlearn(first, "proposals", "--json"))}
    assert len(waiting) == 2
    repair = next(each for title, each in waiting.items() if "python" in title)
    tool = next(each for title, each in waiting.items() if "pnpm" in title)
    assert "sessions 2" in repair["evidence"]
    assert tool["events"]
    observed = observing.read(home.project(ids[0])).observations
    assert {each.session for each in observed} == {"s1", "s2", "s3", "s4"}

    # Accepted, they gain evidence, and with it confidence.
    qlearn(first, "accept", repair["id"])
    qlearn(first, "accept", tool["id"])
    before = {entry.title: entry for entry in parse_learnings((first / ".qe/learnings.md").read_text())}
    run(first, repaired("s5", NOW - HOUR))
    after = {entry.title: entry for entry in parse_learnings((first / ".qe/learnings.md").read_text())}
    was, now = before[repair["title"]].evidence, after[repair["title"]].evidence
    assert was is not None
    assert now is not None
    assert now.sessions == was.sessions + 1
    told = json.loads(qlearn(first, "status", "--json"))
    entries = [each for domain in told["domains"].values() for each in domain]
    assert len(entries) == 2

    # The same Key in the second project, at 0.8 in the mean, is promoted.
    registry = (first / ".qe/learnings.md").read_text()
    key = after[tool["title"]].key
    assert key is not None
    entry = "### L001: Use pnpm\n- **Learning**: Use `pnpm`, never `npm`.\n- **Confidence**: 0.80\n"
    entry += f"- **Key**: {key}\n\n---\n"
    (other / ".qe/learnings.md").write_text(entry)
    run(other, Transcript("s6", NOW).says("hello"))
    (first / ".qe/learnings.md").write_text(
        entry.replace("L001", "L031") + "\n" + registry.replace(key, "another")
    )
    assert f"{key} is global L001 now" in qlearn(first, "promote", key, "--yes")
    for folder in (first, other):
        assert "- **Promoted**: global L001\n" in (folder / ".qe/learnings.md").read_text()

    # What goes together becomes a skill.
    more = "".join(
        f"### L09{n}: {title}\n- **Trigger**: when installing packages\n- **Learning**: {title}.\n\n---\n\n"
        for n, title in enumerate(("Install once", "Freeze the lockfile"))
    )
    with (first / ".qe/learnings.md").open("a") as file:
        file.write(f"\n{more}")
    qlearn(first, "evolve", "--install")
    (skill,) = (first / ".claude/skills").glob("*/SKILL.md")
    assert skill.read_text().startswith('---\nname: "')

    # Switched off, nothing is written any more.
    qlearn(first, "observe", "off")
    kept = files(tmp_path)
    run(first, corrected("s9", NOW))
    changed = {path for path, data in files(tmp_path).items() if kept.get(path) != data}
    assert changed == {tmp_path / "home/s9.jsonl"}  # the client's own


def files(folder: Path) -> dict[Path, bytes]:
    """All files but what a running session has seen, which is kept so that nothing is shown twice."""
    return {
        path: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name != "sessions" and ".git" not in path.parts
    }
