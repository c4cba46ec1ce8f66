"""Commands that tell what a learning was worth."""

import os
from typing import Annotated, Literal

import typer

from qlearn import ledger, paths
from qlearn.cli.options import Id, Ids
from qlearn.cli.terminal import say
from qlearn.cli.workspace import Call, Texts, project_of, workspace_of
from qlearn.cli.writing import find_entry
from qlearn.learning import Learning, parse_learnings
from qlearn.registry import find
from qlearn.usage import Event

app = typer.Typer()

Verdict = Literal["helpful", "harmful"]


@app.command("used", epilog="Example: qlearn used L012")
def used(ctx: typer.Context, ids: Ids) -> None:
    """Record that learnings helped.

    Counts in the field Used, in the evidence of those that keep any, and in `qlearn stats`; each once. One
    that holds in every project is named as it was shown, global:L012.
    """
    by_call: dict[Call, list[str]] = {}
    for given in ids:
        call, name = _meant(ctx.obj, given)
        by_call.setdefault(call, []).append(name)
    for call, names in by_call.items():
        for entry in _count_uses(call, names):
            _remember(call, "used", entry)
            say(f"{entry.id} used {entry.used} time{'s' if entry.used > 1 else ''}: {entry.title}")
    _promote(ctx)


@app.command("feedback", epilog="Example: qlearn feedback L012 harmful")
def feedback(
    ctx: typer.Context,
    name: Id,
    verdict: Annotated[Verdict, typer.Argument(metavar="helpful|harmful", help="What it was.")],
) -> None:
    """Say whether a learning was helpful or harmful.

    Counts in `qlearn stats`, and moves the confidence of a learning that keeps evidence. One that holds in
    every project is named as it was shown, global:L012.
    """
    entry = judge(ctx.obj, name, verdict)
    say(f"{entry.id} was {verdict}: {entry.title}")
    _promote(ctx)


def _count_uses(call: Call, names: list[str]) -> list[Learning]:
    from qlearn.tally import count_use

    def change(texts: Texts) -> tuple[Texts, list[Learning]]:
        text = texts.registry
        found = parse_learnings(text)
        ids = tuple(dict.fromkeys(find_entry(found, name, texts.archive).id for name in names))
        for name in ids:
            text = count_use(text, name, now=call.now)
        entries = parse_learnings(text)
        return texts._replace(registry=text), [find(entries, name) for name in ids]

    return workspace_of(call).update(change)


def _meant(call: Call, name: str) -> tuple[Call, str]:
    """Read a name as hooks print it: `global:L012` is L012 of the user's own registry."""
    before, colon, rest = name.partition(":")
    if colon and before.strip().casefold() == "global":
        return call._replace(everywhere=True), rest.strip()
    return call, name


def _promote(ctx: typer.Context) -> None:
    """Promote what has become sure enough, where the user's settings want that."""
    from qlearn.cli.promoting import promote_unasked

    if not ctx.obj.everywhere:
        promote_unasked(project_of(ctx.obj), os.environ, ctx.obj.now)


def judge(call: Call, name: str, verdict: Verdict) -> Learning:
    """Count that a learning was helpful or harmful, and return it.

    Raises:
        NotFoundError, RegistryError: As `find_entry` and `tally.count_feedback`.
    """
    from qlearn.tally import count_feedback

    call, name = _meant(call, name)

    def change(texts: Texts) -> tuple[Texts, Learning]:
        find_entry(parse_learnings(texts.registry), name, texts.archive)
        text = count_feedback(texts.registry, name, helpful=verdict == "helpful", now=call.now)
        return texts._replace(registry=text), find(parse_learnings(text), name)

    entry = workspace_of(call).update(change)
    _remember(call, "feedback", entry, verdict)
    return entry


def _remember(call: Call, kind: str, entry: Learning, value: str = "") -> None:
    """Note it in the ledger of the project, in which a number of the user's own means another learning."""
    found = project_of(call)
    if found.known:
        name = f"global:{entry.id}" if call.everywhere else entry.id
        event = Event(call.now, kind, learnings=(name,), value=value)
        ledger.append(paths.find(os.environ).project(found.id), event)
