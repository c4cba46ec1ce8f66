"""A project and its user's store under torture: what is done to them, and what has to be found afterwards.

What is done goes through the write paths of the commands and hooks. Each step gives facts, which can be read
back from then on, and may end some. A fact is a kind and a label: "entry a" (here or in the archive),
"context a 2", "resolved a", "archived a", "proposed a", "project a", "used a" (a line of the ledger), "saw a"
(an observation).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from qlearn import ledger, observing, paths, projects, registry, store
from qlearn.cli import proposing, writing
from qlearn.cli.workspace import Texts, Workspace
from qlearn.confidence import Evidence
from qlearn.interchange import Draft
from qlearn.interchange.intake import take_in
from qlearn.learning import parse_learnings
from qlearn.observation import Observation, to_line
from qlearn.pending import parse_proposals
from qlearn.project import ARCHIVE, LEARNINGS, PROPOSALS, Project
from qlearn.proposal import Proposal
from qlearn.usage import Event

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from qlearn.paths import UserPaths

NOW = datetime(2026, 11, 30, tzinfo=UTC)
PROJECT = "0123456789ab"

Writer = Any
"""Has the signature of `store.update_files`."""

Facts = frozenset[str]
NOTHING: Facts = frozenset()


class Step(NamedTuple):
    """Something done, the facts that hold once it is acknowledged, and those it ends.

    Lines of logs are not *durable*: a killed process has written them, but a power cut may take them.
    """

    name: str
    do: Callable[[Path], object]
    gives: Facts
    ends: Facts = NOTHING
    durable: bool = True


class TornError(Exception):
    """A file can't be read as it was meant."""


# Where it is


def make(home: Path) -> Path:
    """Make the folders of a project and of a user's store in a new home."""
    for folder in FOLDERS:
        (home / folder).mkdir(parents=True, exist_ok=True)
    return home


def root_in(home: Path) -> str:
    """The project's folder."""
    return str(home / "project")


def user_in(home: Path) -> UserPaths:
    """The user's folders."""
    return paths.find({"HOME": str(home)})


def logs_in(home: Path) -> str:
    """The folder of the ledger and the observations."""
    return user_in(home).project(PROJECT)


FOLDERS = ("project/.qe", ".local/share/qlearn", f".local/share/qlearn/projects/{PROJECT}")
"""All folders that hold files, below a home."""


def run(step: Step, home: Path, writer: Writer = store.update_files) -> None:
    """Do a step, with *writer* in the place of the store's own."""
    with patch.object(store, "update_files", writer):
        step.do(home)


# What is done


def lesson(label: str) -> str:
    """The lesson that belongs to a label: long enough to be torn, and like no other."""
    return f"What {label} teaches.\n" + "\n".join(f"{number}: {label}" for number in range(4))


def add(label: str) -> Step:
    draft = writing.Draft(lesson(label), title=label)
    change = lambda texts: writing.record(texts, draft, NOW, new=True, allow_secret=False)  # noqa: E731
    return Step("add", _workspace(change), frozenset({f"entry {label}"}))


def bring_in(labels: Iterable[str]) -> Step:
    drafts = [Draft(label, {"Learning": lesson(label), "Type": "gotcha"}) for label in labels]

    def change(texts: Texts) -> tuple[Texts, None]:
        return texts._replace(registry=take_in(texts.registry, drafts, archive=texts.archive).text), None

    return Step("import", _workspace(change), frozenset(f"entry {draft.title}" for draft in drafts))


def set_context(label: str, value: int, facts: Facts) -> Step:
    def change(texts: Texts) -> tuple[Texts, None]:
        fields = {"Context": str(value)}
        return texts._replace(registry=registry.amend(texts.registry, _id(texts, label), fields=fields)), None

    earlier = frozenset(fact for fact in facts if fact.startswith(f"context {label} "))
    return Step("amend", _workspace(change), frozenset({f"context {label} {value}"}), earlier)


def mark_resolved(label: str) -> Step:
    def change(texts: Texts) -> tuple[Texts, None]:
        return texts._replace(registry=registry.resolve(texts.registry, _id(texts, label))), None

    return Step("resolve", _workspace(change), frozenset({f"resolved {label}"}))


def prune(facts: Facts) -> Step:
    def change(texts: Texts) -> tuple[Texts, None]:
        pruned = registry.prune_learnings(texts.registry, now=NOW, archive=texts.archive)
        return Texts(pruned.text, pruned.archive), None

    return Step(
        "prune", _workspace(change), frozenset(f"archived {label}" for label in of("resolved", facts))
    )


def propose(label: str) -> Step:
    proposal = Proposal(
        "session", label, lesson(label), "gotcha", "workflows", label, 0.5, Evidence(seen=1), (label,)
    )
    return Step(
        "propose",
        lambda home: proposing._add(Workspace(root_in(home)), [proposal], NOW),
        frozenset({f"proposed {label}"}),
    )


def accept(label: str) -> Step:
    def do(home: Path) -> None:
        place = Workspace(root_in(home))
        found = parse_proposals(place.read(PROPOSALS))
        name = next(each.id for each in found if each.entry.title == label)
        proposing.accept_one(place, name, NOW, new=True)

    return Step("accept", do, frozenset({f"entry {label}"}), frozenset({f"proposed {label}"}))


def note_project(label: str) -> Step:
    project = Project(f"/{label}", label.encode().hex()[:12].ljust(12, "0"), label, "", "it is made up")
    return Step(
        "project",
        lambda home: projects.record(user_in(home), project, NOW.date()),
        frozenset({f"project {label}"}),
    )


def count_use(label: str) -> Step:
    event = Event(NOW, "used", session=label, value=lesson(label))
    return Step(
        "ledger",
        lambda home: ledger.append(logs_in(home), event),
        frozenset({f"used {label}"}),
        durable=False,
    )


def observe(label: str) -> Step:
    """Append to a log that is put aside again and again."""
    observation = Observation("2026-11-30T00:00:00.000Z", "PostToolUse", label, input=lesson(label))

    def do(home: Path) -> None:
        with patch.object(observing, "ROTATE_AT", 3 * len(to_line(observation))):
            observing.append(logs_in(home), observation, NOW)

    return Step("observation", do, frozenset({f"saw {label}"}), durable=False)


Make = Callable[[Facts], Step]

IN_THE_PROJECT: tuple[Make, ...] = (
    lambda _: add("a"),
    lambda facts: set_context("a", 1, facts),
    lambda _: mark_resolved("a"),
    prune,  # makes the archive
    lambda _: bring_in(["b", "c"]),
    lambda facts: set_context("b", 1, facts),
    lambda facts: set_context("b", 2, facts),
    lambda _: mark_resolved("b"),
    prune,
    lambda _: propose("d"),
    lambda _: propose("e"),
    lambda _: accept("d"),
)
PROJECTS: tuple[Make, ...] = (lambda _: note_project("p"), lambda _: note_project("q"))
LEDGER: tuple[Make, ...] = (lambda _: count_use("l"), lambda _: count_use("m"))
OBSERVATIONS: tuple[Make, ...] = (
    lambda _: observe("s"),
    lambda _: observe("t"),
    lambda _: observe("u"),  # the log is put aside
    lambda _: observe("v"),
)
FILES = (IN_THE_PROJECT, PROJECTS, LEDGER, OBSERVATIONS)
"""Steps that can follow one another, each made from the facts before it, for files that go together."""

EVERY_KIND = tuple(make for group in FILES for make in group)
"""All of them, which is every kind at least once."""


def made(makes: Iterable[Make]) -> tuple[Step, ...]:
    """Make such steps."""
    steps: list[Step] = []
    facts = NOTHING
    for make in makes:
        steps.append(make(facts))
        facts = facts - steps[-1].ends | steps[-1].gives
    return tuple(steps)


def some_step(random: Random, label: str, facts: Facts) -> Step:
    """Any step that is possible where *facts* hold, more often one that adds."""
    steps = [add(label), add(label), bring_in([f"{label}x", f"{label}y"]), propose(label)]
    steps += [note_project(label), count_use(label), observe(label)]
    if labels := sorted(of("entry", facts) - of("archived", facts)):
        chosen = random.choice(labels)
        steps += [set_context(chosen, random.randrange(1000), facts), mark_resolved(chosen), prune(facts)]
    if waiting := sorted(of("proposed", facts) - of("entry", facts)):
        steps += [accept(random.choice(waiting))] * 2
    return random.choice(steps)


def _workspace(change: Callable[[Texts], tuple[Texts, Any]]) -> Callable[[Path], object]:
    return lambda home: Workspace(root_in(home)).update(change)


def _id(texts: Texts, label: str) -> str:
    return next(entry.id for entry in parse_learnings(texts.registry) if entry.title == label)


def of(kind: str, facts: Facts) -> set[str]:
    """The labels of all facts of a kind."""
    return {fact.removeprefix(f"{kind} ") for fact in facts if fact.startswith(f"{kind} ")}


# What is found


def facts_in(home: Path) -> Facts:
    """Read everything back.

    Raises:
        TornError: A file is not whole, a number is used twice, or something is not what was put there.
        StoreError: A file can't be read.
    """
    root = root_in(home)
    # Where things move from one file to another meanwhile, they are in the latter when that is read.
    proposed, active, archived = (_text(root, path) for path in (PROPOSALS, LEARNINGS, ARCHIVE))
    return frozenset(
        {
            *(
                f"proposed {_true(each.entry.title, each.entry.learning)}"
                for each in parse_proposals(proposed)
            ),
            *_entries(active, archived),
            *(f"project {each.name}" for each in projects.read(user_in(home))),
            *(f"used {_true(each.session, each.value)}" for each in ledger.read(logs_in(home)).events),
            *(
                f"saw {_true(each.session, each.input)}"
                for each in observing.read(logs_in(home)).observations
            ),
        }
    )


def _text(root: str, path: str) -> str:
    data = store.read(path, root=root) or b""
    if data and not data.endswith((b"\n---\n", b"\n---\n\n")):
        raise TornError(f"{path} does not end as it should")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise TornError(f"{path}: {error}") from error


def _entries(active: str, archived: str) -> set[str]:
    facts: set[str] = set()
    titles: dict[int, str] = {}
    for text in (archived, active):
        entries = parse_learnings(text)
        if len({entry.number for entry in entries}) < len(entries):
            raise TornError("a number stands twice in a file")
        for entry in entries:
            if titles.setdefault(entry.number, entry.title) != entry.title:
                raise TornError(f"{entry.id} is {titles[entry.number]} and {entry.title}")
            facts.add(f"entry {_true(entry.title, entry.learning)}")
            if entry.context:
                facts.add(f"context {entry.title} {entry.context}")
            if entry.resolved:
                facts.add(f"resolved {entry.title}")
            if text is archived:
                facts.add(f"archived {entry.title}")
    return facts


def _true(label: str, text: str) -> str:
    if text != lesson(label):
        raise TornError(f"{label} says {text!r}")
    return label


def id_of(home: Path, label: str) -> str:
    """The id of an entry of the registry."""
    return _id(Texts(_text(root_in(home), LEARNINGS), ""), label)


def leftovers(home: Path, name: str) -> list[str]:
    """The temporary files that lie about for the project's file of that name."""
    found = Path(root_in(home), ".qe").glob(f".{name}.*{store.TEMPORARY_SUFFIX}")
    return [path.name for path in found]


def examine(
    home: Path, promised: Facts, step: Step | None = None, *, done: bool = False, maybe: Facts = NOTHING
) -> tuple[str, Facts]:
    """Compare what is found with what was promised before *step*, which was *done* (acknowledged) or not.

    Returns:
        What is wrong, "" where all that was promised is there and nothing but that, what *step* gives and
        what is there *maybe*; and the facts found.
    """
    gives, ends = (step.gives, step.ends) if step else (NOTHING, NOTHING)
    name = f"{step.name} {'done' if done else 'interrupted'}" if step else "at rest"
    try:
        facts = facts_in(home)
    except (TornError, OSError) as error:
        return f"{name}: {error}", NOTHING
    wrong = ""
    if lost := (promised - ends | (gives if done else NOTHING)) - facts:
        wrong = f"{name}: lost {', '.join(sorted(lost))}"
    elif made_up := facts - promised - gives - maybe:
        wrong = f"{name}: made up {', '.join(sorted(made_up))}"
    elif not done and ends - facts and not gives & facts:
        wrong = f"{name}: lost {', '.join(sorted(ends))} for nothing"
    return wrong, facts


def examine_next(home: Path, facts: Facts) -> str:
    """What is wrong with the next writer, who has to add, keep all the rest and sweep up."""
    step = add("next")
    try:
        step.do(home)
    except Exception as error:
        return f"the next add: {error!r}"
    wrong, _ = examine(home, facts, step, done=True)
    if not wrong and (left := leftovers(home, "learnings.md")):
        wrong = f"it leaves {left}"
    return wrong and f"the next add: {wrong}"
