"""A project memory for coding agents, kept in one Markdown file.

The names of the registry; everything else is imported from its module. They are loaded on first use,
so that the hooks start fast.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from .decay import Ranked, decay_score, top_learnings
    from .errors import DraftError, NotFoundError, Problem, QlearnError, RegistryError, StoreError
    from .learning import Learning, parse_learnings
    from .mistakes import Mistake, parse_mistakes
    from .problems import check
    from .registry import (
        Added,
        Pruned,
        add_learning,
        amend,
        prune_learnings,
        reinforce,
        reopen,
        resolve,
    )

    addLearning = add_learning
    decayScore = decay_score
    parseLearnings = parse_learnings
    pruneLearnings = prune_learnings
    topLearnings = top_learnings

__all__ = [
    "Added",
    "DraftError",
    "Learning",
    "Mistake",
    "NotFoundError",
    "Problem",
    "Pruned",
    "QlearnError",
    "Ranked",
    "RegistryError",
    "StoreError",
    "addLearning",
    "add_learning",
    "amend",
    "check",
    "decayScore",
    "decay_score",
    "parseLearnings",
    "parse_learnings",
    "parse_mistakes",
    "pruneLearnings",
    "prune_learnings",
    "reinforce",
    "reopen",
    "resolve",
    "topLearnings",
    "top_learnings",
]

_HOME = {
    "decay": ("Ranked", "decay_score", "top_learnings"),
    "errors": ("DraftError", "NotFoundError", "Problem", "QlearnError", "RegistryError", "StoreError"),
    "learning": ("Learning", "parse_learnings"),
    "mistakes": ("Mistake", "parse_mistakes"),
    "problems": ("check",),
    "registry": (
        "Added",
        "Pruned",
        "add_learning",
        "amend",
        "prune_learnings",
        "reinforce",
        "reopen",
        "resolve",
    ),
}
# The names of the original engine, for code that was written for it.
_ALIASES = {
    "addLearning": "add_learning",
    "decayScore": "decay_score",
    "parseLearnings": "parse_learnings",
    "pruneLearnings": "prune_learnings",
    "topLearnings": "top_learnings",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    wanted = _ALIASES.get(name, name)
    for module, names in _HOME.items():
        if wanted in names:
            value: object = getattr(import_module(f"{__name__}.{module}"), wanted)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
