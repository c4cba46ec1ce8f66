"""A learning that is proposed and not yet accepted, with what speaks for it."""

from __future__ import annotations

from .confidence import Evidence
from .record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .observation import Observation

SOURCE = "session-observation"
_TITLE_CHARS = 100


class Proposal(NamedTuple):
    """What a detector found.

    Without `about` it would be a new entry. With `about` it tells of entries that exist, by their ids, and
    `outcome` says what: "kept" or "not followed" (after it was shown), "contradicted" (not kept, and nobody
    minded), "opposite" (two entries that exclude each other; a person decides).

    `confidence` is stated, 0.3-0.9. `events` are the ids of the observations it rests on. `derivable` names
    a file of the project that says the same, where there is one.
    """

    detector: str
    title: str
    learning: str
    type: str
    category: str
    key: str
    confidence: float
    evidence: Evidence
    events: tuple[str, ...]
    severity: str = "info"
    keywords: tuple[str, ...] = ()
    trigger: str = ""
    domain: str = ""
    example: str = ""
    context: str = ""
    source: str = SOURCE
    about: tuple[str, ...] = ()
    outcome: str = ""
    derivable: str = ""


def slug(text: str, limit: int = 60) -> str:
    """A kebab-case name in any script: `Use pnpm, not npm` is `use-pnpm-not-npm`."""
    words = "".join(char if char.isalnum() else " " for char in text.casefold()).split()
    kept: list[str] = []
    for word in words:
        if kept and len("-".join([*kept, word])) > limit:
            break
        kept.append(word[:limit])
    return "-".join(kept)


def title_from(text: str) -> str:
    """One line of at most 100 characters, without a final full stop."""
    line = " ".join(text.split())
    if len(line) > _TITLE_CHARS:
        line = line[: _TITLE_CHARS - 1].rpartition(" ")[0] or line[: _TITLE_CHARS - 1]
        line += "…"
    return line.rstrip(".。 ")


def keywords_from(*texts: str) -> tuple[str, ...]:
    """The first five words of the texts that name something: commands, files, words of four letters."""
    found: dict[str, None] = {}
    for text in texts:
        for word in text.replace("`", " ").split():
            word = word.removeprefix("./").strip(".,;:!?()[]{}<>\"'“”。，：；！？").casefold()
            letters = sum(char.isalpha() for char in word)
            if (
                (letters >= 4 or not word.isascii())
                and not word.startswith("-")
                and word not in _FUNCTION_WORDS
            ):
                found.setdefault(word)
    return tuple(found)[:5]


_FUNCTION_WORDS = frozenset(
    """
    about after always before does done every fails first from have here instead into must never only
    over please rather should than that then there these this those what when where which with without
    your como nunca para siempre
    """.split()  # noqa: SIM905 - a list of words is read more easily so
)


def evidence_of(observations: Iterable[Observation], **counts: int) -> Evidence:
    """The counts for events that were seen: a session adds at most one to `seen`."""
    import datetime as dt

    seen = list(observations)
    sessions = len({observation.session for observation in seen})
    days = [dt.date.fromisoformat(o.ts[:10]) for o in seen]
    return Evidence(**{"seen": sessions, "sessions": sessions, **counts}, last=max(days, default=None))
