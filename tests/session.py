"""Builds observations for tests: a session is written down as it happened."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from qlearn.command import command_keys
from qlearn.observation import Observation

START = datetime(2026, 9, 1, 8, 0, tzinfo=UTC)


class Session:
    """A session whose clock goes on by ten seconds with every event; each method returns the event's id."""

    def __init__(self, name: str = "session-a", *, day: int = 0) -> None:
        self.name = name
        self.now = START + timedelta(days=day)
        self.events: list[Observation] = []

    def _add(self, event: str, **fields: object) -> str:
        self.now += timedelta(seconds=10)
        ts = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        call = "" if "tool" not in fields else f"{self.name}-{len(self.events)}"
        observation = Observation(ts, event, self.name, call, project="p")._replace(**fields)  # type: ignore[arg-type]
        self.events.append(observation)
        return observation.id

    def wait(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    def say(self, text: str, agent: str = "") -> str:
        return self._add("UserPromptSubmit", input=text, agent=agent)

    def stop(self) -> str:
        return self._add("Stop")

    def interrupt(self) -> str:
        return self._add("Interrupt")

    def run(self, command: str, output: str = "", code: int | None = 0, agent: str = "") -> str:
        key = " && ".join(command_keys(command))
        return self._add(
            "PostToolUse", tool="Bash", input=command, key=key, output=output, exit=code, agent=agent
        )

    def fail(self, command: str, error: str, code: int | None = 1) -> str:
        key = " && ".join(command_keys(command))
        return self._add("PostToolUseFailure", tool="Bash", input=command, key=key, error=error, exit=code)

    def begin(self, command: str) -> str:
        key = " && ".join(command_keys(command))
        return self._add("PreToolUse", tool="Bash", input=command, key=key)

    def refuse(self, command: str, reason: str = "") -> str:
        key = " && ".join(command_keys(command))
        return self._add("Reject", tool="Bash", input=command, key=key, error=reason)

    def edit(self, path: str) -> str:
        return self._add("PostToolUse", tool="Edit", path=path, input=json.dumps({"file_path": path}))

    def read(self, path: str, error: str = "") -> str:
        return self._add(
            "PostToolUseFailure" if error else "PostToolUse", tool="Read", path=path, error=error
        )
