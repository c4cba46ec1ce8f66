"""A project under torture: what is done to it, and what has to be found in it afterwards.

Each step gives facts, which can be read back from then on, and may take some. A fact is a string: "L a"
(there is an entry a, here or in the archive), "context a 2", "resolved a", "archived a", "project a" or
"line a".
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from qlearn import store
from qlearn.learning import parse_learnings
from qlearn.registry import add_learning, amend, prune_learnings, resolve

if TYPE_CHECKING:
    from random import Random

REGISTRY = ".qe/learnings.md"
ARCHIVE = ".qe/learnings.archive.md"
PROJECTS = ".qe/projects.json"
LEDGER = ".qe/ledger.jsonl"
FILES = (ARCHIVE, REGISTRY)
NOW = datetime(2026, 11, 30, tzinfo=UTC)

Writer = Callable[..., Any]
Facts = frozenset[str]


class Step(NamedTuple):
    """Something done to a project, the facts that hold once it is acknowledged, and those it ends."""

    name: str
    run: Callable[[str, Writer], object]
    gives: Facts
    takes: Facts = frozenset()


class TornError(Exception):
    """A file can't be read as it was meant."""


def make(folder: Path) -> str:
    """Make a project without any learnings; return its root."""
    (folder / ".qe").mkdir(parents=True, exist_ok=True)
    return str(folder)


# What is done to it


def _edit(root: str, writer: Writer, edit: Callable[[str, str], tuple[str, str]]) -> None:
    def change(files: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], None]:
        archive, registry = edit(*(data.decode() for data in files))
        return (archive.encode(), registry.encode()), None

    writer(FILES, change, root=root)


def lesson(label: str) -> str:
    """The lesson that belongs to a title: long enough to be torn, and like no other."""
    return f"What {label} teaches.\n" + "\n".join(f"{n}: {label}" for n in range(4))


def add(label: str) -> Step:
    def run(root: str, writer: Writer) -> None:
        def edit(archive: str, registry: str) -> tuple[str, str]:
            added = add_learning(registry, title=label, learning=lesson(label), now=NOW, archive=archive)
            return archive, added.text

        _edit(root, writer, edit)

    return Step("add", run, frozenset({f"L {label}"}))


def _named(registry: str, label: str) -> str:
    return next(entry.id for entry in parse_learnings(registry) if entry.title == label)


def set_context(label: str, value: int, facts: Facts = frozenset()) -> Step:
    def run(root: str, writer: Writer) -> None:
        def edit(archive: str, registry: str) -> tuple[str, str]:
            return archive, amend(registry, _named(registry, label), fields={"Context": str(value)})

        _edit(root, writer, edit)

    earlier = frozenset(fact for fact in facts if fact.startswith(f"context {label} "))
    return Step("amend", run, frozenset({f"context {label} {value}"}), earlier)


def mark_resolved(label: str) -> Step:
    def run(root: str, writer: Writer) -> None:
        _edit(root, writer, lambda archive, registry: (archive, resolve(registry, _named(registry, label))))

    return Step("resolve", run, frozenset({f"resolved {label}"}))


def prune(facts: Facts) -> Step:
    def run(root: str, writer: Writer) -> None:
        def edit(archive: str, registry: str) -> tuple[str, str]:
            pruned = prune_learnings(registry, now=NOW, archive=archive)
            return pruned.archive, pruned.text

        _edit(root, writer, edit)

    resolved = {fact.removeprefix("resolved ") for fact in facts if fact.startswith("resolved ")}
    return Step("prune", run, frozenset(f"archived {label}" for label in resolved))


def register(label: str) -> Step:
    def run(root: str, writer: Writer) -> None:
        def change(files: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], None]:
            projects = {**json.loads(files[0] or b"{}"), label: lesson(label)}
            return (json.dumps(projects, indent=1).encode(),), None

        writer((PROJECTS,), change, root=root)

    return Step("register", run, frozenset({f"project {label}"}))


def record(label: str) -> Step:
    """A line that is acknowledged once it is on the disk."""

    def run(root: str, writer: Writer) -> None:
        store.append_line(LEDGER, json.dumps([label, lesson(label)]).encode(), root=root, durable=True)

    return Step("record", run, frozenset({f"line {label}"}))


def some_step(random: Random, label: str, facts: Facts) -> Step:
    """Any step that is possible where *facts* hold, adding more often than others."""
    archived = {fact.removeprefix("archived ") for fact in facts if fact.startswith("archived ")}
    labels = sorted(fact[2:] for fact in facts if fact.startswith("L ") and fact[2:] not in archived)
    steps = [add(label), add(label), register(label), record(label)]
    if labels:
        chosen = random.choice(labels)
        steps += [set_context(chosen, random.randrange(1000), facts), mark_resolved(chosen), prune(facts)]
    return random.choice(steps)


# What is found in it


def facts_in(root: str) -> Facts:
    """Read everything back.

    Raises:
        TornError: A file is not whole, a number is used twice, or an entry is not what was added.
        StoreError: A file can't be read.
    """
    facts = set()
    # The registry first: what is pruned meanwhile is in the archive by the time that one is read.
    texts = [(store.read(path, root=root) or b"") for path in (REGISTRY, ARCHIVE)]
    try:
        active, archived = (parse_learnings(data.decode()) for data in texts)
    except UnicodeDecodeError as error:
        raise TornError(f"no UTF-8: {error}") from error
    titles: dict[int, str] = {}
    for entry in (*archived, *active):
        if entry.learning != lesson(entry.title):
            raise TornError(f"{entry.id} {entry.title} says {entry.learning!r}")
        if titles.setdefault(entry.number, entry.title) != entry.title:
            raise TornError(f"{entry.id} is {titles[entry.number]} and {entry.title}")
        facts.add(f"L {entry.title}")
        if entry.context:
            facts.add(f"context {entry.title} {entry.context}")
        if entry.resolved:
            facts.add(f"resolved {entry.title}")
    for entries, what in ((archived, "archive"), (active, "registry")):
        if len({entry.number for entry in entries}) < len(entries):
            raise TornError(f"an entry stands twice in the {what}")
    if any(data and not data.endswith((b"\n---\n", b"\n---\n\n")) for data in texts):
        raise TornError("a file does not end as it should")
    facts |= {f"archived {entry.title}" for entry in archived}
    return frozenset(facts | _projects(root) | _lines(root))


def _projects(root: str) -> set[str]:
    data = store.read(PROJECTS, root=root)
    try:
        projects = json.loads(data or b"{}")
    except ValueError as error:
        raise TornError(f"no JSON: {error}") from error
    if any(text != lesson(label) for label, text in projects.items()):
        raise TornError("a project is not what was registered")
    return {f"project {label}" for label in projects}


def _lines(root: str) -> set[str]:
    """The whole lines; a torn one is passed over, as every reader of such a file does."""
    facts = set()
    for line in (store.read(LEDGER, root=root, may_be_empty=True) or b"").split(b"\n"):
        try:
            label, text = json.loads(line)
        except ValueError:
            continue
        if text != lesson(label):
            raise TornError(f"two lines became one: {line!r}")
        facts.add(f"line {label}")
    return facts


def leftovers_of(root: str, name: str) -> list[str]:
    """The temporary files that lie about for a file of that name."""
    return [path.name for path in Path(root, ".qe").glob(f".{name}.*{store.TEMPORARY_SUFFIX}")]


def examine(root: str, promised: Facts, step: Step | None = None, done: bool = False) -> tuple[str, Facts]:
    """Compare a project with what it promised before *step*, which was *done* (acknowledged) or not.

    Returns:
        What is wrong, "" where all that was promised is there and nothing but that and what *step* gives; and
        the facts found.
    """
    gives, takes = (step.gives, step.takes) if step else (frozenset[str](), frozenset[str]())
    name = f"{step.name} {'done' if done else 'interrupted'}" if step else "at rest"
    try:
        facts = facts_in(root)
    except (TornError, OSError) as error:
        return f"{name}: {error}", frozenset()
    wrong = ""
    if lost := (promised - takes | (gives if done else frozenset())) - facts:
        wrong = f"{name}: lost {', '.join(sorted(lost))}"
    elif made_up := facts - promised - gives:
        wrong = f"{name}: made up {', '.join(sorted(made_up))}"
    elif not done and takes - facts and not gives & facts:
        wrong = f"{name}: lost {', '.join(sorted(takes))} for nothing"
    return wrong, facts


def examine_next(root: str, facts: Facts) -> str:
    """What is wrong with the next writer, who has to add, keep all the rest and sweep up."""
    step = add("next")
    try:
        step.run(root, store.update_files)
    except Exception as error:
        return f"the next add: {error!r}"
    wrong, _ = examine(root, facts, step, done=True)
    if not wrong and (left := leftovers_of(root, "learnings.md")):
        wrong = f"it leaves {left}"
    return wrong and f"the next add: {wrong}"
