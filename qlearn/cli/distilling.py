"""The model step from the command line: what is sent is shown before, what came of it after."""

import datetime as dt
import os
from typing import Annotated

import typer

from qlearn import distilling, extraction, model, observing, paths
from qlearn.cli.options import Json, number
from qlearn.cli.terminal import note, print_json, say
from qlearn.cli.workspace import here
from qlearn.config import load
from qlearn.distill import AnswerError, read_answer, reason_to_wait
from qlearn.errors import NotFoundError, QlearnError
from qlearn.extract import LEAST_CHARS, length
from qlearn.paths import UserPaths
from qlearn.project import Project
from qlearn.proposals import Skipped
from qlearn.transcript import read_transcript

app = typer.Typer()
LONGEST_TIMEOUT = 24 * 60 * 60


@app.command("distill", epilog="Example: qlearn distill --model-command 'claude -p --model haiku' --dry-run")
def distill(
    ctx: typer.Context,
    model_command: Annotated[
        str, typer.Option("--model-command", metavar="CMD", help="A program: prompt in, JSON out.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be sent, and send nothing.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Ask even if it is too early.")] = False,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout",
            metavar="SECONDS",
            min=1,
            max=LONGEST_TIMEOUT,
            callback=number,
            help="What the program may take.",
        ),
    ] = model.TIMEOUT_SECONDS,
    json: Json = False,
) -> None:
    """Let a model look at what was observed.

    It gets the observations that are new, at least 20 of them and at most every 5 minutes, and its proposals
    wait to be accepted like all others. No model is asked unless you name one.
    """
    found, user = here(ctx), paths.find(os.environ)
    if not found.known:
        raise NotFoundError(f"{found.why}; nothing is observed outside of projects")
    config = load(found.root, user, os.environ).config
    prompt, progress, new = distilling.prepare(found, user)
    if dry_run:
        print(prompt.text, end="")
    early = reason_to_wait(progress, new, ctx.obj.now, dt.timedelta(minutes=config.observer_minutes))
    if not observing.is_on(found, user, os.environ):
        note("this project is not observed; `qlearn observe on` starts it")
    size = len(prompt.text)
    note(f"{prompt.events} of {new} new events, {size:,} characters, about {size // 4:,} tokens")
    if not prompt.events or (early and not force):
        note(f"not asked: {early or 'there is nothing to ask about'}")
        return
    if dry_run:
        return
    command = model_command or config.model_command
    done = distilling.distill(found, user, os.environ, command, now=ctx.obj.now, timeout=timeout)
    for problem in done.problems:
        note(f"left out: {problem}")
    if json:
        print_json(done._asdict())
        return
    for name in (*done.added, *done.strengthened):
        say(name)


def ask_about_session(
    project: Project, user: UserPaths, lines: list[str], command: str, now: dt.datetime
) -> extraction.Extracted:
    """Ask a model about one transcript, unless that is as short as one from which nothing is extracted.

    Raises:
        ModelError, QlearnError: The program failed, or its answer is of no use; nothing was written.
    """
    events = list(read_transcript(lines, project=project.id, root=project.root))
    if length(events) < LEAST_CHARS:
        note(f"not asked: the session has under {LEAST_CHARS:,} characters")
        return extraction.Extracted((), (), (), ())
    prompt = distilling.prompt_about(events, project, user)
    note(f"asking about {prompt.events} of {len(events)} events, {len(prompt.text):,} characters")
    try:
        answer = read_answer(model.ask(command, prompt.text, os.environ), now.date())
    except AnswerError as error:
        raise QlearnError(str(error)) from None
    done = distilling.propose(project, answer, now)
    return extraction.Extracted(
        done.added, done.strengthened, (), tuple(Skipped("", each) for each in done.problems)
    )
