"""What a person typed, without what clients put around it.

A prompt reaches hooks and transcripts with IDE context, reminders, hook output and command expansions in
it. They are full of words like "never" and "instead" that nobody said.
"""

from __future__ import annotations

# Elements that hold no words of a person, taken out wherever they stand. A name that ends in "-" is a prefix.
_ELEMENTS = (
    "system-reminder",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "hook_context",
    "session-start-hook",
    "user-prompt-submit-hook",
    "post-tool-use-hook",
    "pre-tool-use-hook",
    "task-notification",
    "teammate-message",
    "environment_context",
    "user_instructions",
    "user_shell_command",
    "INSTRUCTIONS",
    "turn_aborted",
    "skill",
    "image",
    "local-command-",
    "command-",
    "bash-",
)
# A text that begins so was made by a program.
_OPENINGS = (
    "[Request interrupted by user",
    "[SYSTEM NOTIFICATION",
    "Caveat: The messages below were generated",
    "This session is being continued from a previous conversation",
    "The following is the Codex agent history",
    "# AGENTS.md instructions",
    "Base directory for this skill:",
)
# Each is looked for up to the end, and there may be as many as there are names that begin with "command-".
_MOST_UNCLOSED = 100
_IDE_HEADERS = ("# Context from my IDE setup", "# Files mentioned by the user")
_IDE_REQUEST = "## My request for Codex:"


def typed(text: str) -> str:
    """The part of a prompt that a person typed; empty if there is none, as for slash commands.

    >>> typed("<ide_opened_file>The user opened a.py</ide_opened_file> use pnpm")
    'use pnpm'

    Doing it twice is doing it once. The time is linear in the length.
    """
    text = _without_elements(text).strip()
    while text.startswith(_IDE_HEADERS) and _IDE_REQUEST in text:
        text = _without_elements(text.rpartition(_IDE_REQUEST)[2]).strip()
    if text.startswith((*_OPENINGS, *_IDE_HEADERS)) or _is_slash_command(text):
        return ""
    return text


def _is_slash_command(text: str) -> bool:
    word = text.split(None, 1)[0] if text else ""
    return word.startswith("/") and word[1:2].isalpha() and "/" not in word[1:]


def _without_elements(text: str) -> str:
    kept = []
    unclosed: set[str] = set()
    at = after = 0
    while (start := text.find("<", at)) >= 0 and len(unclosed) < _MOST_UNCLOSED:
        at = start + 1
        name = _element(text, start)
        if not name or name in unclosed:
            continue
        end = text.find(f"</{name}>", start)
        if end < 0:
            unclosed.add(name)
            continue
        kept.append(text[after:start])
        at = after = end + len(name) + 3
    return "\n".join([*kept, text[after:]])  # a line end, so that what is left forms no new element


def _element(text: str, start: int) -> str:
    """The name of the element that opens at *start*, if it is one of those taken out."""
    if not text.startswith(_ELEMENTS, start + 1):
        return ""
    for name in _ELEMENTS:
        if text.startswith(name, start + 1):
            end = start + 1 + len(name)
            if name.endswith("-"):
                while text[end : end + 1].isalpha() or text[end : end + 1] == "-":
                    end += 1
            if text[end : end + 1] in (">", " "):
                return text[start + 1 : end]
    return ""
