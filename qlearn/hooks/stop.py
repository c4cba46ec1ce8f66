"""Stop: look at what the session teaches. Nothing is printed, since that would make the model go on."""

from __future__ import annotations

from qlearn.record import TYPE_CHECKING

if TYPE_CHECKING:
    from . import Scene

WAIT_SECONDS = 0.2
"""For the lock of a file: what is not written now is found again at the next turn's end."""


def stop(scene: Scene) -> None:
    """Write down proposals and evidence, and leave one line about it in the user's log."""
    path, user = scene.text("transcript_path"), scene.user
    if user is None or not path or scene.text("agent_id"):
        return
    from qlearn import extraction, ledger, observing
    from qlearn.errors import QlearnError
    from qlearn.usage import Event

    if not extraction.allowed(scene.project, user, scene.environ):
        return
    folder = user.project(scene.project.id)
    try:
        lines = extraction.read_tail(path)
        done = extraction.extract(scene.project, user, scene.environ, lines, now=scene.now, wait=WAIT_SECONDS)
        kind = "extracted" if done.added else "skipped"
        ledger.append(folder, Event(scene.now, kind, scene.text("session_id"), done.added, value=str(done)))
    except QlearnError as error:
        scene.note(f"nothing extracted: {error}")
        return
    scene.note(f"extracted: {done}")
    observing.sweep(folder, scene.now)
