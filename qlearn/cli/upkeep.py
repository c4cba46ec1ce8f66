"""Commands that look after the registry and its way to the agent."""

import os
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated

import typer

from qlearn import store
from qlearn.cli.options import Json
from qlearn.cli.terminal import confirm, interactive, print_json, print_rich, say
from qlearn.cli.workspace import Texts, Workspace, exists, workspace
from qlearn.errors import Problem, QlearnError, RegistryError
from qlearn.problems import check, decode, fix, is_allowed_to_hold_secrets

app = typer.Typer()


@app.command("check", epilog="Example: qlearn check --strict")
def check_(
    ctx: typer.Context,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings, too.")] = False,
    parents: Annotated[
        bool, typer.Option("--parents", help="Compare a merge with its parents: what was lost?")
    ] = False,
    stale: Annotated[
        bool, typer.Option("--stale", help="Which learnings cite files that are gone, moved or changed?")
    ] = False,
    deep: Annotated[
        bool, typer.Option("--deep", help="Let gitleaks, where it is installed, look for secrets, too.")
    ] = False,
    json: Json = False,
) -> None:
    """Find what is not read as it may be meant.

    Names the file and the line, and what to write. Exits with 1 if there is an error.
    """
    place = workspace(ctx)
    found = (*_problems(place, ctx.obj.now), *_blocks(place, ctx.obj.now))
    if parents:
        found += tuple(_lost(place))
    if stale:
        found += tuple(_stale(place))
    if deep:
        found += tuple(_deep(place))
    if json:
        print_json([{"path": path, **problem._asdict()} for path, problem in found])
    else:
        for path, problem in found:
            say(f"{path}:{problem.lineno}: {problem.severity}: {problem.message}")
        if not found:
            say("No problems.")
    if any(strict or problem.severity == "error" for _, problem in found):
        raise typer.Exit(1)


@app.command("fix", epilog="Example: qlearn fix --yes")
def fix_(
    ctx: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Give every entry a number of its own.

    That is: entries without an id, and those that share one, in the archive, too. Shows what would change,
    then asks; without a terminal it needs --yes.
    """
    place = workspace(ctx)
    _, shown = _fixed(Texts(place.read(), place.read(place.archive)))
    for change in shown:
        say(change)
    if not shown:
        say("Nothing to fix.")
        return
    if not yes and not (interactive() and confirm("Write it?")):
        raise QlearnError("nothing was changed; --yes changes without asking")

    def fixed(texts: Texts) -> tuple[Texts, None]:
        after, changes = _fixed(texts)
        if changes != shown:
            raise RegistryError("the registry has changed meanwhile, so nothing was written; try again")
        return after, None

    place.update(fixed)
    say(f"Changed {len(shown)}.")


@app.command("doctor", epilog="Example: qlearn doctor")
def doctor(ctx: typer.Context, json: Json = False) -> None:
    """Prove that learnings reach the agent.

    Runs the registered hooks as the client does, with a learning to look for, and names what is in the way
    with its cure. Exits with 1 if learnings do not come through.
    """
    from qlearn.doctor import examine

    if ctx.obj.everywhere:
        raise typer.BadParameter("the doctor looks at a project; leave it out", param_hint="-g")
    findings = examine(workspace(ctx).root, os.environ)
    if json:
        print_json([finding._asdict() for finding in findings])
    else:
        from qlearn.cli import show

        print_rich(show.findings(findings))
    if any(finding.level == "error" for finding in findings):
        raise typer.Exit(1)


def _problems(place: Workspace, now: datetime) -> Iterable[tuple[str, Problem]]:
    archived = place.read(place.archive)
    for path, archive in ((place.registry, archived), (place.archive, "")):
        data = store.read(path, root=place.root)
        if data is not None:
            text, flaws = decode(data)
            yield from (
                (path, problem) for problem in sorted((*flaws, *check(text, archive=archive, now=now)))
            )


def _blocks(place: Workspace, now: datetime) -> Iterable[tuple[str, Problem]]:
    from qlearn.cli.agents_file import problems

    return problems(place, now)


def _lost(place: Workspace) -> Iterable[tuple[str, Problem]]:
    from qlearn.git import Repository
    from qlearn.merge import Memory
    from qlearn.merging import Files, lost

    files = Files(place.registry, place.archive)
    now = Memory(*(place.read(path) for path in files))
    return ((place.registry, problem) for problem in lost(Repository(place.root, os.environ), files, now))


def _stale(place: Workspace) -> Iterable[tuple[str, Problem]]:
    from pathlib import Path

    from qlearn.git import LONG, Repository
    from qlearn.learning import parse_learnings
    from qlearn.staleness import LOG_FORMAT, parse_history, stale

    # Without a repository, or without a commit in it, there is no history.
    answer = Repository(place.root, os.environ).ask(*LOG_FORMAT, timeout=LONG)
    history = parse_history("" if answer.code else os.fsdecode(answer.out))
    problems = stale(parse_learnings(place.read()), lambda path: exists(Path(place.root, path)), history)
    return ((place.registry, problem) for problem in problems)


def _deep(place: Workspace) -> Iterable[tuple[str, Problem]]:
    from qlearn import gitleaks
    from qlearn.errors import StoreError
    from qlearn.text import clip

    program = gitleaks.find(place.root, os.environ)
    if not program:
        missing = "gitleaks is not in PATH, so only secrets with a known prefix were looked for; install it"
        return [(place.registry, Problem(1, f"{missing} (https://github.com/gitleaks/gitleaks)", "warning"))]
    texts = {path: text for path in (place.registry, place.archive) if (text := place.read(path))}
    try:
        leaks = gitleaks.scan(program, texts) if texts else ()
    except StoreError as error:
        return [(place.registry, Problem(1, str(error)))]
    return [
        (
            leak.path,
            Problem(leak.lineno, f"gitleaks finds a {clip(leak.rule, 60)}; take it out and revoke it"),
        )
        for leak in leaks
        if not is_allowed_to_hold_secrets(texts[leak.path], leak.lineno)
    ]


def _fixed(texts: Texts) -> tuple[Texts, list[str]]:
    """Fix the archive first, since of a number in both files the archived entry keeps it."""
    archive = fix(texts.archive, elsewhere=texts.registry)
    registry = fix(texts.registry, archive=archive.text)
    changes = [*registry.changes, *(f"in the archive, {change}" for change in archive.changes)]
    return Texts(registry.text, archive.text), changes
