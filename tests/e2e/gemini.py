"""The Gemini CLI with a home of its own, and how a stand-in for its API answers it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.e2e.api import Reply, program

if TYPE_CHECKING:
    from pathlib import Path

GEMINI = program("gemini", "QLEARN_E2E_GEMINI")


def configured(home: Path, address: str, path: str) -> dict[str, str]:
    """Write its settings into a home; return the environment to run it in."""
    (home / ".gemini").mkdir(parents=True)
    (home / ".gemini/settings.json").write_text(
        json.dumps(
            {
                "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
                "privacy": {"usageStatisticsEnabled": False},
                "general": {"disableAutoUpdate": True},
            }
        )
    )
    return {
        "HOME": str(home),
        "PATH": path,
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": address,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def is_done(request: dict[str, Any]) -> bool:
    """Whether a call was answered already."""
    parts = [part for content in request.get("contents", []) for part in content.get("parts", [])]
    return any("functionResponse" in part for part in parts)


def reply(path: str, parts: list[dict[str, Any]]) -> Reply:
    """What the model says, in the shape that the path asks for."""
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    message = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
    return Reply([message] if "stream" in path else {**message, "totalTokens": 1})
