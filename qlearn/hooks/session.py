"""SessionStart and SubagentStart: what matters now, before anything is asked."""

from __future__ import annotations

from qlearn import config, project, store
from qlearn.decay import day_start, rank
from qlearn.errors import QlearnError, StoreError
from qlearn.learning import parse_learnings
from qlearn.record import TYPE_CHECKING
from qlearn.rendering import Waiting, session_text

if TYPE_CHECKING:
    import datetime as dt

    from qlearn.learning import Learning
    from qlearn.mistakes import Mistake

    from . import Scene


def start(scene: Scene) -> str:
    """Write the learnings and mistakes that rank highest as of 00:00 UTC of the day.

    The project's own come first, then what holds in every project, then a word on proposals that wait. For
    the whole of a day unchanged files give the same text: a client that resumes a session does not add
    equal text again.
    """
    root, user = scene.project.root, scene.user
    loaded = config.load(root, user, scene.environ)
    for problem in loaded.problems:
        scene.note(problem.message)
    midnight = day_start(scene.now)
    top = loaded.config.top
    own = parse_learnings(read(scene, project.LEARNINGS, root)) if root else ()
    legacy = read(scene, project.MISTAKES, root) if root else ""
    mistakes: tuple[Mistake, ...] = ()
    if legacy:
        from qlearn.mistakes import parse_mistakes

        mistakes = parse_mistakes(legacy)
    text = session_text(
        rank(own, midnight, top),
        mistakes,
        everywhere=rank(everywhere(scene, own), midnight, top),
        waiting=_waiting(scene, midnight.date()) if root else None,
        top=top,
        max_chars=loaded.config.max_chars,
        today=midnight.date(),
    )
    if root and scene.event == "SessionStart":
        _remember(scene, loaded.config)
    return text


def everywhere(scene: Scene, own: tuple[Learning, ...]) -> tuple[Learning, ...]:
    """The learnings that hold in every project, but for those that this project words itself (by Key)."""
    if scene.user is None:
        return ()
    text = read(scene, scene.user.learnings, scene.user.data)
    keys = {learning.key for learning in own} - {None} if text else set()
    return tuple(learning for learning in parse_learnings(text) if learning.key not in keys)


def _waiting(scene: Scene, today: dt.date) -> Waiting | None:
    text = read(scene, project.PROPOSALS, scene.project.root)
    if not text:
        return None
    from qlearn.pending import LAST_DAYS, waiting

    days = [pending.days_left(today) for pending in waiting(text, today)]
    soon = [left for left in days if left <= LAST_DAYS]
    return Waiting(len(days), min(soon, default=None)) if days else None


def _remember(scene: Scene, settings: config.Config) -> None:
    """Note in the user's store that a session began here, and clear away what old sessions left."""
    if scene.user is None:
        return
    from qlearn import ledger, observing, projects, sessions
    from qlearn.usage import Event

    try:
        if not observing.is_refused(scene.project, scene.user, settings):
            folder = scene.user.project(scene.project.id)
            ledger.append(
                folder, Event(scene.now, "session", scene.text("session_id"), source=scene.text("source"))
            )
            projects.record(scene.user, scene.project, scene.now.date())
    except QlearnError as error:
        scene.note(str(error))
    sessions.sweep(scene.user.sessions, scene.now)


def read(scene: Scene, path: str, root: str) -> str:
    """Read a file below *root*; "" where there is none or it may not be read, which goes to the log."""
    try:
        data = store.read(path, root=root, limit=store.HOOK_LIMIT)
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
