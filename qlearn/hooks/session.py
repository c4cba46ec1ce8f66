"""SessionStart and SubagentStart: what matters now, before anything is asked."""

from __future__ import annotations

from qlearn import config, project, store
from qlearn.decay import day_start, rank
from qlearn.errors import StoreError
from qlearn.learning import parse_learnings
from qlearn.record import TYPE_CHECKING
from qlearn.rendering import session_text

if TYPE_CHECKING:
    from qlearn.mistakes import Mistake

    from . import Scene


def start(scene: Scene) -> str:
    """Write the learnings and mistakes that rank highest as of 00:00 UTC of the day.

    For the whole of a day an unchanged registry gives the same text: a client that resumes a session does
    not add equal text again.
    """
    root = scene.project.root
    if not root:
        return ""
    loaded = config.load(root, scene.user, scene.environ)
    for problem in loaded.problems:
        scene.note(problem.message)
    midnight = day_start(scene.now)
    text = read(scene, project.LEARNINGS)
    ranked = rank(parse_learnings(text), midnight, loaded.config.top)
    legacy = read(scene, project.MISTAKES)
    mistakes: tuple[Mistake, ...] = ()
    if legacy:
        from qlearn.mistakes import parse_mistakes

        mistakes = parse_mistakes(legacy)
    return session_text(
        ranked, mistakes, top=loaded.config.top, max_chars=loaded.config.max_chars, today=midnight.date()
    )


def read(scene: Scene, path: str) -> str:
    """Read a file of the project; "" where there is none or it may not be read, which goes to the log."""
    try:
        data = store.read(path, root=scene.project.root, limit=store.HOOK_LIMIT)
    except StoreError as error:
        scene.note(str(error))
        return ""
    if data is None:
        return ""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        scene.note(f"{path}: {error.reason} at byte {error.start}; save the file as UTF-8")
        return data.decode("utf-8", "replace")
