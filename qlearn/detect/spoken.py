"""Commands and tools that a person names in a sentence, in any language."""

from __future__ import annotations

import re

from .alternatives import CLASS_OF, SPOKEN, tools_in_command

# Tools whose names are words of everyday English: alone they name nothing.
WORDS = frozenset(
    {"find", "make", "cat", "task", "just", "http", "black", "hatch", "rye", "gradle", "ag", "ack", "go"}
)

_PACKAGES = (
    r"add|audit|build|ci|dev|dlx \S+|exec \S+|fmt|format|i|install|lint|publish|remove|run [\w:-]+|start|test"
    r"|typecheck|up|[a-z]+:[\w:-]+|--filter \S+ \w+"
)
_CONTAINERS = r"build|compose(?: \w+)?|exec|images|logs|ps|pull|push|run"
_TARGETS = (
    r"build|check|clean|deploy|dev|docs|fmt|format|gen|generate|install|lint|migrate|migrations?|proto|release|run"
    r"|seed|serve|setup|smoke|start|tests?|up|[a-z]+[-_:][\w:-]+"
)
_VERBS = {
    "git": (
        r"add|apply|bisect|branch|checkout|cherry-pick|clean|clone|commit|config|diff|fetch|log|merge|mv|pull|push"
        r"|rebase|reset|restore|revert|rm|show|stash|status|switch|tag|worktree"
    ),
    "npm|pnpm|yarn|bun": _PACKAGES,
    "npx|bunx|pnpx|uvx": r"[\w@/-]+",
    "pip3?": r"freeze|install|list|uninstall",
    "uv": r"add|lock|pip \w+|remove|run [\w.-]+|sync|tool \w+|venv",
    "poetry|pdm|hatch|rye|pipenv": r"add|install|lock|remove|run [\w.-]+|sync|update",
    "python3?": r"-m [\w.]+|manage\.py \w+",
    "docker|podman": _CONTAINERS,
    "kubectl": r"apply|delete|describe|exec|get|logs|rollout",
    "helm": r"install|lint|template|upgrade",
    "cargo": r"add|bench|build|check|clippy|fmt|install|run|test",
    "go": r"build|fmt|generate|get|install|mod \w+|run|test|vet",
    "make|just|task": _TARGETS,
    "terraform|tofu": r"apply|init|plan|validate",
    "gh": r"(?:issue|pr|release|repo|run) \w+",
    "alembic": r"downgrade|revision|stamp|upgrade",
    "bin/rails|rails|bundle|mise|turbo|nx": r"db:\w+|exec \w+|install|run [\w:-]+",
    "ruff": r"check|format",
}
_COMMAND = re.compile(
    r"(?<![\w./@-])(?:"
    + "|".join(rf"(?:{programs}) (?:{verbs})" for programs, verbs in _VERBS.items())
    + r")(?![A-Za-z0-9_/-])(?: (?:--?[A-Za-z][\w-]*(?:=[^\s,;]+)?|[A-Za-z_]+=[^\s,;]*))*",
    re.ASCII,
)


def commands_in(text: str) -> tuple[str, ...]:
    """The commands that a sentence names: what stands in backticks, and programs with a verb of theirs.

    >>> commands_in("tests are run by make test here, `tox` is old; make sure of that")
    ('tox', 'make test')
    """
    quoted = [span.strip() for span in text.split("`")[1::2]]
    plain = [match[0] for match in _COMMAND.finditer(text)]
    return tuple(dict.fromkeys(command for command in (*quoted, *plain) if command))


def tools_in(text: str) -> frozenset[str]:
    """The tools with alternatives that a sentence names, alone or in a command."""
    found = {tool for command in commands_in(text) for tool in tools_in_command(command)}
    spoken = (SPOKEN.get(word, word) for word in latin_words(text))
    return frozenset(found.union(word for word in spoken if word in CLASS_OF and word not in WORDS))


def latin_words(text: str) -> list[str]:
    """The words in Latin letters, also where another script goes on without a space: `pnpm으로`."""
    plain = (char if char.isascii() and (char.isalnum() or char in "-_") else " " for char in text.casefold())
    return "".join(plain).split()
