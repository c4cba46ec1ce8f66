"""Commands on what is observed, how sure it is, and where it holds."""

import datetime as dt
import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from qlearn import observing, paths, projects, store
from qlearn import project as files
from qlearn.cli.options import Json
from qlearn.cli.terminal import confirm, interactive, print_json, print_rich, say
from qlearn.cli.workspace import here
from qlearn.errors import NotFoundError, QlearnError
from qlearn.text import one_line

app = typer.Typer()

FORGOTTEN_DAYS = 30


@app.command("status", epilog="Example: qlearn status")
def status(ctx: typer.Context, json: Json = False) -> None:
    """Show how sure the learnings are, and what is observed.

    By domain, with what speaks for each; then what waits, what the hooks saw last, and where each file is.
    """
    from qlearn.cli import standing

    found = standing.look(
        here(ctx), paths.find(os.environ), os.environ, ctx.obj.now.astimezone(dt.UTC).date()
    )
    if json:
        print_json(standing.record(found))
    else:
        print_rich(*standing.draw(found))


@app.command("observe", epilog="Example: qlearn observe on")
def observe(
    ctx: typer.Context,
    switch: Annotated[
        Literal["on", "off", "status"], typer.Argument(metavar="[on|off|status]", help="What to do.")
    ] = "status",
) -> None:
    """Switch the observation of this project on or off.

    What is observed stays in your own store, without secrets; nothing is observed before you say so.
    """
    found, user = here(ctx), paths.find(os.environ)
    if switch != "status":
        observing.turn(user, found, on=switch == "on")
    if switch == "on":
        projects.record(user, found, ctx.obj.now.date())
    if not found.known:
        raise NotFoundError(f"{found.why}; nothing is observed outside of projects")
    if observing.is_on(found, user, os.environ):
        say(f"{found.name} is observed; the records are in {user.project(found.id)}.")
    elif observing.wanted(found, user):
        say(f"{found.name} would be observed, but QLEARN_OBSERVE or {user.settings} says no.")
    else:
        say(f"{found.name} is not observed.")


@app.command("project", epilog="Example: qlearn project --json")
def project(ctx: typer.Context, json: Json = False) -> None:
    """Show which project this is, and all files in use.

    Nothing is written.
    """
    found, user = here(ctx), paths.find(os.environ)
    known = {"id": found.id, "name": found.name, "root": found.root, "remote": found.remote, "why": found.why}
    used = {} if not found.known else {
        "registry": f"{found.root}/{files.LEARNINGS}",
        "archive": f"{found.root}/{files.ARCHIVE}",
        "proposals": f"{found.root}/{files.PROPOSALS}",
        "mistakes": f"{found.root}/{files.MISTAKES}",
        "settings": f"{found.root}/{files.SETTINGS}",
        "observations": user.observations(found.id),
        "ledger": user.ledger(found.id),
    }  # fmt: skip
    used |= {
        "global registry": user.learnings,
        "your settings": user.settings,
        "log": user.log,
        "sessions": user.sessions,
    }
    if json:
        print_json({**known, "paths": used})
        return
    for label, value in {**known, **used}.items():
        say(f"{label:<16}{value or '-'}")


@app.command("projects", epilog="Example: qlearn projects merge old-name new-name")
def projects_(
    ctx: typer.Context,
    action: Annotated[
        Literal["list", "merge", "gc"], typer.Argument(metavar="[list|merge|gc]", help="What to do.")
    ] = "list",
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="For merge: which one, into which.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """List, merge or forget projects.

    They are those you have worked in. gc forgets those whose folder is gone and that were not seen for 30
    days.
    """
    user = paths.find(os.environ)
    if action == "merge":
        if not names or len(names) != 2:
            raise typer.BadParameter("merge takes two: which one, into which", param_hint="NAMES")
        source, target = (projects.find(projects.read(user), name) for name in names)
        _agree(yes, f"Merge {source.name} ({source.id}) into {target.name} ({target.id})?")
        projects.merge(user, source, target)
        if json:
            print_json({"merged": source.id, "into": target.id})
        else:
            say(f"{source.name} is {target.name} now.")
    elif action == "gc":
        before = ctx.obj.now.date() - dt.timedelta(FORGOTTEN_DAYS)
        gone = projects.stale(projects.read(user), os.path.exists, before).gone
        for each in () if json else gone:
            say(f"{each.id}  {each.name}  last seen {each.last_seen}, {each.root} is gone")
        if gone:
            _agree(yes, f"Forget {len(gone)} and what was recorded of them?")
            projects.remove(user, gone)
        if json:
            print_json([_project(each) for each in gone])
        else:
            say(f"{len(gone)} forgotten.")
    elif json:
        print_json([_project(each) for each in projects.read(user)])
    else:
        for each in projects.read(user):
            say(f"{each.id}  {each.last_seen}  {each.name}  {each.root}")


def _project(known: projects.Known) -> dict[str, object]:
    return {**known._asdict(), "rest": dict(known.rest)}


@app.command("promote", epilog="Example: qlearn promote quote-paths --dry-run")
def promote(
    ctx: typer.Context,
    key: Annotated[
        str,
        typer.Argument(metavar="KEY", help="Which one; all that are ready if left out.", show_default=False),
    ] = "",
    wording: Annotated[
        int, typer.Option("--wording", metavar="N", min=1, help="Which of the texts shown to take.")
    ] = 1,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be promoted, and promote nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Let a learning of several projects hold everywhere.

    The same Key in two projects or more, with a mean confidence of 0.80 or more, is ready. The copies in the
    projects say what they became.
    """
    from qlearn.cli import promoting

    user = paths.find(os.environ)
    found = [
        each for each in promoting.candidates_on_disk(user, here(ctx), ctx.obj.now) if key in ("", each.key)
    ]
    ready = [each for each in found if each.ready]
    for each in found:
        promoting.show(each)
    if not ready:
        raise QlearnError(
            f"'{key}' is not ready to be promoted" if key else "nothing is ready to be promoted"
        )
    if dry_run:
        return
    _agree(yes, f"Promote {', '.join(each.key for each in ready)}?")
    for each in ready:
        say(f"{each.key} is global {promoting.write(user, here(ctx), each, ctx.obj.now, wording - 1)} now.")


@app.command("identity", epilog="Example: qlearn identity --name Kim --languages ko,en")
def identity(
    ctx: typer.Context,  # noqa: ARG001 - the commands' common form
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="What to call you.")] = None,
    level: Annotated[
        str | None, typer.Option("--level", metavar="LEVEL", help="Such as beginner or expert.")
    ] = None,
    languages: Annotated[
        str | None, typer.Option("--languages", metavar="CODES", help="With commas between.")
    ] = None,
    json: Json = False,
) -> None:
    """Show or set who you are, for drafts and prompts.

    What is set to "" is taken out.
    """
    import json as codec

    from qlearn.gate import admit

    user = paths.find(os.environ)
    given = {"name": name, "level": level, "languages": languages}
    admit({label: value for label, value in given.items() if value})
    changes: dict[str, object] = {
        label: one_line(value) for label, value in given.items() if value is not None
    }
    if languages:
        changes["languages"] = [code for part in languages.split(",") if (code := part.strip())]

    def change(data: bytes) -> bytes:
        try:
            known = codec.loads(data) if data.strip() else {}
        except (ValueError, RecursionError) as error:
            raise QlearnError(f"{user.identity}: {error}; repair it or remove it") from None
        if not isinstance(known, dict):
            raise QlearnError(f"{user.identity}: it is no JSON object; repair it or remove it")
        kept = {
            label: value for label, value in {**known, **changes}.items() if value or label not in changes
        }
        return codec.dumps(kept, indent=2, ensure_ascii=False).encode() + b"\n"

    path = Path(user.identity)
    if changes:
        paths.make(user.data)
        store.update(path.name, change, root=user.data, may_be_empty=True)
    data = store.read(path.name, root=user.data, may_be_empty=True) if path.exists() else None
    known = codec.loads(change(data or b""))
    if json:
        print_json(known)
        return
    for label in ("name", "level", "languages"):
        value = known.get(label)
        say(f"{label:<12}{', '.join(map(str, value)) if isinstance(value, list) else value or '-'}")


def _agree(yes: bool, question: str) -> None:
    if not yes and not (interactive() and confirm(question)):
        raise QlearnError("nothing was changed; --yes goes on without asking")
