"""The command that takes over what an older instinct system knows."""

import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from qlearn import migration, paths, projects
from qlearn.cli.importing import Choice, bring_in, plan, report, show_outcomes, tally
from qlearn.cli.options import Json
from qlearn.cli.terminal import confirm, interactive, print_json, print_rich, say
from qlearn.cli.workspace import Workspace, here, of_user
from qlearn.errors import QlearnError
from qlearn.interchange.intake import Outcome
from qlearn.migration import OldRoot, Place

app = typer.Typer()

_CHOICE = Choice(everything=False, update=False, as_is=False)


class Move(NamedTuple):
    """A place of an old root and where its instincts go; `why` says why not, "" if they do."""

    place: Place
    target: Workspace | None
    why: str = ""


@app.command("migrate", epilog="Example: qlearn migrate --dry-run")
def migrate(
    ctx: typer.Context,
    root: Annotated[
        str, typer.Argument(metavar="ROOT", show_default=False, help="Its folder; found if left out.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would happen.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Take over the instincts of an older system.

    Those that hold everywhere go into your own registry, those of a project into that project's, if qlearn
    knows it and it is on this disk; those that waited are proposed. The old folder is read and never changed,
    and migrating twice is migrating once. Observations stay where they are.
    """
    user, now = paths.find(os.environ), ctx.obj.now
    roots = (root,) if root else migration.find(os.environ)
    if not roots:
        raise QlearnError("no ecc-homunculus and no ~/.claude/homunculus; name the folder")
    records = []
    for old in map(migration.look, roots):
        moves = list(_moves(old, _known(ctx, user), user))
        planned = [outcome for move in moves if move.target for outcome in _plan(move, now)]
        if not json:
            _show(old, moves, planned)
        new = any(outcome.verdict in ("added", "proposed") for outcome in planned)
        if new and not dry_run:
            _agree(yes, f"Take them over from {old.path}?")
            planned = [outcome for move in moves if move.target for outcome in _write(move, user, now)]
        records.append(_record(old, moves, planned))
        if not json:
            say(tally(tuple(planned), dry_run))
    if json:
        print_json(records)


def _known(ctx: typer.Context, user: paths.UserPaths) -> dict[str, str]:
    """The folders of the projects that are known and on this disk, by their ids; the current one, too."""
    known = {each.id: each.root for each in projects.read(user) if each.root and Path(each.root).is_dir()}
    current = here(ctx)
    return {**known, current.id: current.root} if current.known else known


def _moves(old: OldRoot, known: dict[str, str], user: paths.UserPaths) -> Iterator[Move]:
    for place in old.places:
        if not place.id:
            yield Move(place, of_user(user.data))
        elif place.id in known:
            yield Move(place, Workspace(known[place.id]))
        else:
            where = place.root if place.root and Path(place.root).is_dir() else "a clone of it"
            yield Move(place, None, f"not known: run `qlearn init` in {where}, then migrate again")


def _plan(move: Move, now: datetime) -> tuple[Outcome, ...]:
    assert move.target
    return plan(move.target, move.place.reading, _CHOICE, now).outcomes


def _write(move: Move, user: paths.UserPaths, now: datetime) -> tuple[Outcome, ...]:
    assert move.target
    if not move.place.id:
        paths.make(user.data)
    return bring_in(move.target, move.place.reading, _CHOICE, now).outcomes


def _agree(yes: bool, question: str) -> None:
    if not yes and not (interactive() and confirm(question)):
        raise QlearnError("nothing was written; --yes goes on without asking")


def _show(old: OldRoot, moves: Sequence[Move], planned: Sequence[Outcome]) -> None:
    from qlearn.cli import show

    say(f"{old.path}:")
    if moves:
        rows = [
            (
                move.place.name or "everywhere",
                move.place.id,
                tuple(move.place.counts.get(folder, 0) for folder in migration.FOLDERS),
                f"{move.target.root}/{move.target.registry}" if move.target else move.why,
            )
            for move in moves
        ]
        print_rich(show.moves(rows))
    show_outcomes(tuple(planned), old.passed)
    if old.left:
        left = ", ".join(f"{name} ({count})" if count > 1 else name for name, count in old.left.items())
        say(f"Not taken: {left}.")
    if away := sum(len(move.place.reading.drafts) for move in moves if not move.target):
        say(f"{away} of projects that are not known stay where they are.")


def _record(old: OldRoot, moves: Sequence[Move], outcomes: Sequence[Outcome]) -> dict[str, object]:
    return {
        "root": old.path,
        "places": [
            {
                "project": move.place.id or None,
                "name": move.place.name or None,
                **{folder: move.place.counts.get(folder, 0) for folder in migration.FOLDERS},
                "registry": f"{move.target.root}/{move.target.registry}" if move.target else None,
                "reason": move.why or None,
            }
            for move in moves
        ],
        "left": dict(old.left),
        **report(tuple(outcomes), old.passed),
    }
