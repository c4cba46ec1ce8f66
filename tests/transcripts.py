"""Transcripts in the shape that Claude Code 2.1 writes, built turn by turn."""

from __future__ import annotations

import datetime as dt
import json

NOW = dt.datetime(2026, 11, 30, 9, tzinfo=dt.UTC)
LONG = "line of output\n" * 80


class Transcript:
    """A transcript in the shape that Claude Code 2.1 writes."""

    def __init__(self, session: str = "s1", start: dt.datetime = NOW) -> None:
        self.session = session
        self.at = start
        self.lines: list[str] = []
        self.calls = 0

    def _add(self, kind: str, content: object, **more: object) -> None:
        self.at += dt.timedelta(seconds=10)
        uuid = f"{self.session}-{len(self.lines)}"
        line = {
            "type": kind,
            "uuid": uuid,
            "sessionId": self.session,
            "timestamp": self.at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "message": {"role": kind, "content": content, "id": f"msg-{uuid}"},
            **more,
        }
        self.lines.append(json.dumps(line))

    def says(self, text: str) -> Transcript:
        self._add("user", text)
        return self

    def runs(self, command: str, output: str = LONG, *, error: bool = False) -> Transcript:
        self.calls += 1
        name = f"toolu_{self.session}_{self.calls}"
        self._add(
            "assistant", [{"type": "tool_use", "id": name, "name": "Bash", "input": {"command": command}}]
        )
        block = {"type": "tool_result", "tool_use_id": name, "content": output, "is_error": error}
        result: object = output if error else {"stdout": output, "stderr": "", "interrupted": False}
        self._add("user", [block], toolUseResult=result)
        return self

    def answers(self, text: str) -> Transcript:
        """Say the last words of a turn."""
        self._add("assistant", [{"type": "text", "text": text}])
        line = json.loads(self.lines.pop())
        line["message"]["stop_reason"] = "end_turn"
        self.lines.append(json.dumps(line))
        return self

    def fails(self, command: str, error: str) -> Transcript:
        return self.runs(command, f"Exit code 1\n{error}", error=True)


def repaired(session: str = "s1", start: dt.datetime = NOW) -> Transcript:
    """A session in which the wrong Python is found and repaired."""
    missing = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'sqlalchemy'"
    return (
        Transcript(session, start)
        .says("please run the report")
        .runs("ls -la reports")
        .fails("python report.py --month 11", missing)
        .runs(".venv/bin/python report.py --month 11")
        .says("thanks")
    )


def corrected(session: str = "s2", start: dt.datetime = NOW) -> Transcript:
    return (
        Transcript(session, start)
        .says("add the date library")
        .runs("npm install date-fns")
        .says("No, use pnpm here, never npm. The lockfile is pnpm's.")
        .runs("pnpm add date-fns")
        .says("good")
    )
