"""Stop: look at what the session teaches. Nothing is printed, since that would make the model go on."""

from __future__ import annotations

from qlearn.record import TYPE_CHECKING

if TYPE_CHECKING:
    from . import Scene

WAIT_SECONDS = 0.2
"""For the lock of a file: what is not written now is found again at the next turn's end."""


def stop(scene: Scene) -> None:
    """Write down proposals and evidence, and leave one line about it in the user's log."""
    user, session = scene.user, scene.text("session_id")
    if user is None or scene.text("agent_id"):
        return
    from qlearn import extraction, ledger, observing
    from qlearn.errors import QlearnError
    from qlearn.usage import Event

    if not extraction.allowed(scene.project, user, scene.environ):
        return
    folder = user.project(scene.project.id)
    try:
        lines = _transcript(scene)
        done = extraction.extract(
            scene.project, user, scene.environ, lines, session=session, now=scene.now, wait=WAIT_SECONDS
        )
        kind = "extracted" if done.added else "skipped"
        ledger.append(folder, Event(scene.now, kind, session, done.added, value=str(done)))
    except QlearnError as error:
        scene.note(f"nothing extracted: {error}")
        return
    scene.note(f"extracted: {done}")
    observing.sweep(folder, scene.now)
    _start_observer(scene)


def _transcript(scene: Scene) -> list[str]:
    """Read the session's transcript. What hooks recorded has to do where there is none."""
    from qlearn import extraction
    from qlearn.errors import StoreError

    path = scene.text("transcript_path")
    try:
        return extraction.read_tail(path) if path else []
    except StoreError as error:
        scene.note(f"no transcript: {error}")
        return []


def _start_observer(scene: Scene) -> None:
    """Start the model step beside the session, where the user's settings say so."""
    from qlearn import config, observing

    wanted = config.load(scene.project.root, scene.user, scene.environ).config
    if not (wanted.observer and wanted.model_command) or not observing.is_on(
        scene.project, scene.user, scene.environ, wanted
    ):
        return
    import os
    import subprocess
    import sys

    launcher = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.py")
    subprocess.Popen(
        [sys.executable, "-I", "-S", launcher, "distill", scene.project.root],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**scene.environ},
        start_new_session=True,
        cwd="/",
    )
