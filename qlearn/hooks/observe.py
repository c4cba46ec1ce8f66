"""Record an event of a project whose user wants that, after the answer has been given."""

from __future__ import annotations

from qlearn import observing
from qlearn.record import TYPE_CHECKING

if TYPE_CHECKING:
    from . import Scene


def observe(scene: Scene) -> None:
    """Append the event to the project's log; what can't be recorded is counted."""
    user, project = scene.user, scene.project
    if user is None or not observing.is_on(project, user, scene.environ):
        return
    folder = user.project(project.id)
    from qlearn.observation import observe as record

    try:
        observation = record(dict(scene.payload), now=scene.now, project=project.id, root=project.root)
        if observation is not None:
            observing.append(folder, observation, scene.now)
    except Exception as error:
        scene.note(f"not observed: {type(error).__name__}: {error}")
        observing.skip(folder, type(error).__name__, scene.now)
