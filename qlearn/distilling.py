"""The model step on disk: the events of a project not analysed yet, asked about once."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, NamedTuple

from qlearn import journal, model, observing, paths, store
from qlearn import project as projects
from qlearn.config import load
from qlearn.distill import (
    Answer,
    AnswerError,
    Progress,
    Prompt,
    failed,
    make_prompt,
    read_answer,
    reason_to_wait,
    succeeded,
)
from qlearn.errors import QlearnError
from qlearn.extract import worth_proposing
from qlearn.extraction import documents
from qlearn.learning import parse_learnings
from qlearn.proposals import Proposed, add_proposals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qlearn.observation import Observation
    from qlearn.paths import UserPaths
    from qlearn.project import Project

PROGRESS = "distill.json"
MOST_FAILURES = 1_000


class Distilled(NamedTuple):
    """What came of it: ids of proposals, and what was left out or wrong."""

    added: tuple[str, ...]
    strengthened: tuple[str, ...]
    problems: tuple[str, ...]


def prepare(project: Project, user: UserPaths) -> tuple[Prompt, Progress, int]:
    """Write the prompt about what is new: the prompt, the progress so far, and how many events are new.

    Raises:
        StoreError: A file can't be read.
    """
    folder = user.project(project.id)
    progress = read_progress(folder)
    new = [each for each in observing.read(folder).observations if each.ts > progress.cursor]
    return prompt_about(new, project, user), progress, len(new)


def prompt_about(observations: list[Observation], project: Project, user: UserPaths) -> Prompt:
    """Write the prompt about some events of a project."""
    known = [each for each in parse_learnings(_text(projects.LEARNINGS, project.root)) if not each.resolved]
    return make_prompt(observations, known, _who(user))


def distill(
    project: Project,
    user: UserPaths,
    environ: Mapping[str, str],
    command: str,
    *,
    now: dt.datetime,
    timeout: float = model.TIMEOUT_SECONDS,
) -> Distilled:
    """Ask the model about what is new, and write its proposals down.

    The cursor moves only past the events that were in the prompt, and only when the answer was of use.

    Raises:
        ModelError, QlearnError: Nothing was written but the failure; it counts towards the wait.
    """
    folder = user.project(project.id)
    prompt, progress, _ = prepare(project, user)
    try:
        answer = read_answer(model.ask(command, prompt.text, environ, timeout=timeout), now.date())
    except (QlearnError, AnswerError) as error:
        _write_progress(folder, failed(progress, now))
        raise error if isinstance(error, QlearnError) else QlearnError(str(error)) from None
    done = propose(project, answer, now)
    _write_progress(folder, succeeded(progress, prompt, now))
    return done


def propose(project: Project, answer: Answer, now: dt.datetime) -> Distilled:
    """Write the proposals of an answer into the project's file.

    Raises:
        StoreError, RegistryError: It can't be written, or is not UTF-8.
    """
    registry, archive = _text(projects.LEARNINGS, project.root), _text(projects.ARCHIVE, project.root)
    worth = worth_proposing(answer.proposals, documents(project.root))

    def change(files: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], Proposed]:
        text = store.decoded(projects.PROPOSALS, files[0])
        proposed = add_proposals(text, worth.proposals, now=now, registry=registry, archive=archive)
        return (proposed.text.encode(),), proposed

    proposed = Proposed("", (), (), ())
    if worth.proposals:
        files = (projects.PROPOSALS,)
        proposed = store.update_files(files, change, root=project.root, may_be_empty=True)
    left_out = [f"'{each.title}': {each.reason}" for each in (*worth.skipped, *proposed.skipped)]
    return Distilled(proposed.added, proposed.strengthened, (*answer.problems, *left_out))


def run_unasked(root: str, environ: Mapping[str, str], now: dt.datetime) -> None:
    """Do the model step where the user's settings say so and it is time; what goes wrong goes to the log."""
    user, project = paths.get(environ), projects.find(root, {})
    if user is None or not observing.is_on(project, user, environ):
        return
    config = load(project.root, user, environ).config
    if not config.observer or not config.model_command:
        return
    try:
        _, progress, new = prepare(project, user)
        if not reason_to_wait(progress, new, now, dt.timedelta(minutes=config.observer_minutes)):
            done = distill(project, user, environ, config.model_command, now=now)
            journal.write(user, now, "distill", f"{len(done.added)} proposed, {len(done.problems)} left out")
    except QlearnError as error:
        journal.write(user, now, "distill", str(error))


def read_progress(folder: str) -> Progress:
    """Read how far a project was analysed; a file that can't be read is no progress.

    Raises:
        StoreError: It is there and can't be opened.
    """
    try:
        value = json.loads(store.read(PROGRESS, root=folder, may_be_empty=True) or b"{}")
        asked, failures = value.get("asked"), int(value.get("failures", 0))
        return Progress(
            str(value.get("cursor", "")),
            dt.datetime.fromisoformat(asked).astimezone(dt.UTC) if asked else None,
            min(max(failures, 0), MOST_FAILURES),
        )
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return Progress()


def _write_progress(folder: str, progress: Progress) -> None:
    value = {
        "cursor": progress.cursor,
        "asked": progress.asked.isoformat() if progress.asked else None,
        "failures": progress.failures,
    }
    data = json.dumps(value).encode() + b"\n"
    paths.make(folder)
    store.update(PROGRESS, lambda _: data, root=folder, may_be_empty=True)


def _who(user: UserPaths) -> str:
    try:
        known = json.loads(store.read("identity.json", root=user.data, may_be_empty=True) or b"{}")
    except (ValueError, QlearnError):
        return ""
    return ", ".join(f"{label} {value}" for label, value in known.items()) if isinstance(known, dict) else ""


def _text(name: str, root: str) -> str:
    return (store.read(name, root=root, may_be_empty=True) or b"").decode("utf-8", "replace")
