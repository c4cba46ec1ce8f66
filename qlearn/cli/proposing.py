"""Commands on what was found and not yet accepted."""

import datetime as dt
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from qlearn import project as projects
from qlearn import store
from qlearn.cli.completing import proposal_ids
from qlearn.cli.options import EACH_CATEGORY, EACH_SEVERITY, EACH_TYPE, Category, Json, Severity, Type, number
from qlearn.cli.terminal import note, print_json, print_rich, say
from qlearn.cli.workspace import Workspace, here, workspace
from qlearn.errors import QlearnError
from qlearn.pending import Pending, waiting

if TYPE_CHECKING:
    from qlearn.proposal import Proposal
    from qlearn.proposals import Accepted, Proposed

app = typer.Typer()
T = TypeVar("T")

PIds = Annotated[
    list[str],
    typer.Argument(
        metavar="ID...", help="Such as P003; 3 will do.", show_default=False, autocompletion=proposal_ids
    ),
]
PId = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="Such as P003; 3 will do.", show_default=False, autocompletion=proposal_ids
    ),
]
KEY_LENGTH = 120
NOTHING: Mapping[str, str] = {}
DEFAULT_TYPES = {
    "errors": "mistake",
    "workflows": "convention",
    "tools": "gotcha",
    "architecture": "decision",
    "debugging": "gotcha",
}
"""The type that a category stands for, where none is given (docs/format.md)."""


@app.command("proposals", epilog="Example: qlearn proposals --json")
def proposals(ctx: typer.Context, json: Json = False) -> None:
    """Show what waits for somebody to accept or reject it.

    A proposal expires 30 days after it was made.
    """
    today = ctx.obj.now.date()
    place = workspace(ctx)
    found = waiting(place.read(place.proposals, may_be_empty=True), today)
    if json:
        print_json([_record(pending, today) for pending in found])
    elif not found:
        say("Nothing waits.")
    else:
        from qlearn.cli import show

        print_rich(show.proposals(found, today))


@app.command(
    "propose", epilog="Example: qlearn propose 'Run make gen after a change of proto' --category workflows"
)
def propose(
    ctx: typer.Context,
    lesson: Annotated[str, typer.Argument(metavar="LESSON", help="What to do, and why.", show_default=False)],
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="One line; the lesson's first words if left out.")
    ] = "",
    type: Annotated[  # noqa: A002
        Type | None,
        typer.Option("--type", "-t", metavar="TYPE", help=f"{EACH_TYPE}; by the category if left out."),
    ] = None,
    severity: Annotated[
        Severity, typer.Option("--severity", "-s", metavar="SEVERITY", help=f"{EACH_SEVERITY}.")
    ] = "important",
    category: Annotated[
        Category, typer.Option("--category", metavar="CATEGORY", help=f"What it is about: {EACH_CATEGORY}.")
    ] = "workflows",
    keywords: Annotated[
        str, typer.Option("--keywords", metavar="WORDS", help="3 to 5, with commas between.")
    ] = "",
    context: Annotated[
        str, typer.Option("--context", metavar="TEXT", help="The skill, file or situation.")
    ] = "",
    trigger: Annotated[str, typer.Option("--trigger", metavar="TEXT", help="When it applies.")] = "",
    example: Annotated[str, typer.Option("--example", metavar="TEXT", help="Code or a command.")] = "",
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence", metavar="NUMBER", min=0, max=1, callback=number, help="How sure, from 0 to 1."
        ),
    ] = 0.5,
) -> None:
    """Propose a lesson for somebody to accept.

    Prints its id. It is no learning, and not shown to agents, before it is accepted. What `qlearn add`
    refuses, a secret or a character that nobody can see, is refused here, too.
    """
    from qlearn.confidence import Evidence
    from qlearn.gate import admit
    from qlearn.proposal import Proposal, keywords_from, slug, title_from

    admit(
        {
            "title": title, "lesson": lesson, "keywords": keywords,
            "context": context, "trigger": trigger, "example": example,
        }
    )  # fmt: skip
    named = title or title_from(lesson)
    words = tuple(word.strip() for word in keywords.split(",") if word.strip())
    key = slug(named, KEY_LENGTH)
    proposal = Proposal(
        "", named, lesson, type or DEFAULT_TYPES[category], category, key, confidence, Evidence(), (),
        severity=severity, keywords=words or keywords_from(named, lesson), trigger=trigger, example=example,
        context=context, source="agent",
    )  # fmt: skip
    place = workspace(ctx)
    place.prepare()
    done = _add(place, [proposal], ctx.obj.now)
    for skipped in done.skipped:
        raise QlearnError(f"not proposed: it is {skipped.reason}")
    for name in done.added or [_same(place, proposal)]:
        print(name)


@app.command("accept", epilog="Example: qlearn accept P003 --severity critical")
def accept(
    ctx: typer.Context,
    ids: PIds,
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="Another title, for a single one.")
    ] = "",
    lesson: Annotated[
        str, typer.Option("--lesson", metavar="TEXT", help="Other words, for a single one.")
    ] = "",
    type: Annotated[  # noqa: A002
        Type | None, typer.Option("--type", "-t", metavar="TYPE", help=f"Another type: {EACH_TYPE}.")
    ] = None,
    severity: Annotated[
        Severity | None,
        typer.Option("--severity", "-s", metavar="SEVERITY", help=f"Another severity: {EACH_SEVERITY}."),
    ] = None,
    category: Annotated[
        Category | None,
        typer.Option("--category", metavar="CATEGORY", help=f"Another category: {EACH_CATEGORY}."),
    ] = None,
    keywords: Annotated[str, typer.Option("--keywords", metavar="WORDS", help="Other keywords.")] = "",
    context: Annotated[str, typer.Option("--context", metavar="TEXT", help="Another context.")] = "",
    new: Annotated[bool, typer.Option("--new", help="Add it even if the same lesson is there.")] = False,
    json: Json = False,
) -> None:
    """Make learnings of proposals.

    Prints their ids. If the same lesson is there already, that one is reinforced instead. Nothing is accepted
    if one of them is not there.
    """
    if len(ids) > 1 and (title or lesson):
        raise typer.BadParameter("one title or lesson can't be that of several proposals", param_hint="ID...")
    changed = {
        "Type": type, "Severity": severity, "Category": category,
        "Learning": lesson, "Keywords": keywords, "Context": context,
    }  # fmt: skip
    fields = {label: value for label, value in changed.items() if value}
    place = workspace(ctx)
    accepted: list[dict[str, str]] = []
    try:
        for name in _found(place, ids, ctx.obj.now.date()):
            done, told = accept_one(place, name, ctx.obj.now, title, fields, new=new)
            accepted.append({"proposal": name, "id": done.id})
            for said in told:
                note(said)
            if not json:
                print(done.id)
    finally:
        if json:
            print_json(accepted)
    if not ctx.obj.everywhere:
        from qlearn.cli.promoting import promote_unasked

        promote_unasked(here(ctx), os.environ, ctx.obj.now)


@app.command("reject", epilog="Example: qlearn reject P003")
def reject(ctx: typer.Context, ids: PIds) -> None:
    """Turn proposals down; they are not proposed again."""
    for pending in reject_some(workspace(ctx), ids, ctx.obj.now):
        say(f"{pending.id} rejected: {pending.entry.title}")


@app.command("extract", epilog="Example: qlearn extract --transcript session.jsonl")
def extract(
    ctx: typer.Context,
    transcript: Annotated[
        Path, typer.Option("--transcript", metavar="FILE", help="A session of Claude Code or Codex.")
    ],
    model_command: Annotated[
        str, typer.Option("--model-command", metavar="CMD", help="Ask a program, too: prompt in, JSON out.")
    ] = "",
    json: Json = False,
) -> None:
    """Propose what a session teaches.

    Rules look for corrections by a person, and for failures with what repaired them.
    """
    from qlearn import extraction, paths

    place = workspace(ctx)
    place.prepare()
    found = projects.find(place.root, {})
    lines = extraction.read_tail(str(transcript.absolute()))
    user = paths.find(os.environ)
    done = extraction.extract(found, user, os.environ, lines, now=ctx.obj.now)
    if model_command:
        from qlearn.cli.distilling import ask_about_session

        more = ask_about_session(found, user, lines, model_command, ctx.obj.now)
        done = done._replace(
            added=(*done.added, *more.added),
            strengthened=(*done.strengthened, *more.strengthened),
            skipped=(*done.skipped, *more.skipped),
        )
    if json:
        print_json({**done._asdict(), "skipped": [skipped._asdict() for skipped in done.skipped]})
        return
    for name in (*done.added, *done.strengthened):
        print(name)
    note(str(done))


def _found(place: Workspace, ids: Iterable[str], today: dt.date) -> tuple[str, ...]:
    """The ids of proposals as they stand in the file, each once.

    Raises:
        NotFoundError: One of them is not there, or has expired.
    """
    from qlearn.proposals import find_proposal

    text = place.read(place.proposals, may_be_empty=True)
    return tuple(dict.fromkeys(find_proposal(text, name, today).id for name in ids))


def reject_some(place: Workspace, ids: Iterable[str], now: dt.datetime) -> list[Pending]:
    """Mark proposals as rejected, all or none, and return them.

    Raises:
        NotFoundError: One of them is not there.
    """
    from qlearn.proposals import find_proposal, reject_proposal

    def change(files: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], list[Pending]]:
        text = store.decoded(place.proposals, files[0])
        found = [find_proposal(text, name, rejected_too=True) for name in ids]
        for pending in found:
            text = reject_proposal(text, pending.id, now=now)
        return (text.encode(),), found

    return _update(place, change)


def accept_one(
    place: Workspace,
    name: str,
    now: dt.datetime,
    title: str = "",
    fields: Mapping[str, str] = NOTHING,
    *,
    new: bool,
) -> tuple["Accepted", tuple[str, ...]]:
    """Move one proposal into the registry, or reinforce the learning that says the same unless it is *new*.

    The registry is written first, so that a crash in between leaves it in both.

    Returns:
        What became of it, and what to tell.
    """
    from qlearn.duplicates import lesson_of, meet_again, similar
    from qlearn.gate import admit
    from qlearn.learning import parse_learnings
    from qlearn.proposals import accept_proposal
    from qlearn.registry import find

    paths = (place.registry, place.proposals, place.archive)

    def change(files: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], tuple["Accepted", tuple[str, ...]]]:
        registry, text = map(store.decoded, paths[:2], files[:2])
        archive = files[2].decode("utf-8", "replace")  # read under the same lock: prune moves entries there
        done = accept_proposal(
            text, registry, name, now=now, archive=archive, title=title or None, fields=fields
        )
        entry = find(parse_learnings(done.registry), done.id)
        admit({"title": entry.title, **entry.fields})
        alike = () if new else similar(lesson_of(entry), parse_learnings(registry))
        if alike and alike[0].same:
            met = alike[0].learning
            done = done._replace(registry=meet_again(registry, met.id, now=now), id=met.id)
            told: tuple[str, ...] = (
                f"{met.id} holds the same lesson and was reinforced; --new adds it anyway",
            )
        else:
            told = tuple(f"{done.id} is {each}" for each in alike)
        return (done.registry.encode(), done.text.encode(), files[2]), (done, told)

    return store.update_files(paths, change, root=place.root, may_be_empty=(place.proposals,))


def _add(place: Workspace, found: Iterable["Proposal"], now: dt.datetime) -> "Proposed":
    from qlearn.proposals import add_proposals

    registry, archive = place.read(), place.read(place.archive)

    def change(files: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], "Proposed"]:
        done = add_proposals(
            store.decoded(place.proposals, files[0]), found, now=now, registry=registry, archive=archive
        )
        return (done.text.encode(),), done

    return _update(place, change)


def _same(place: Workspace, proposal: "Proposal") -> str:
    from qlearn.pending import parse_proposals
    from qlearn.proposals import marks

    own = marks(proposal.key, proposal.learning)
    found = parse_proposals(place.read(place.proposals))
    return next(each.id for each in found if own & marks(each.entry.key, each.entry.learning))


def _update(place: Workspace, change: Callable[[tuple[bytes, ...]], tuple[tuple[bytes, ...], T]]) -> T:
    return store.update_files((place.proposals,), change, root=place.root, may_be_empty=True)


def _record(pending: Pending, today: dt.date) -> dict[str, object]:
    entry = pending.entry
    return {
        "id": pending.id,
        "title": entry.title,
        "type": entry.type,
        "severity": entry.severity,
        "category": entry.category,
        "learning": entry.learning,
        "keywords": list(entry.keywords),
        "confidence": entry.confidence,
        "evidence": entry.field("Evidence"),
        "detector": pending.detector,
        "events": list(pending.events),
        "days_left": pending.days_left(today),
    }
