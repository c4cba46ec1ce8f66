"""What fits the task: at a prompt, and when a tool fails."""

from __future__ import annotations

from qlearn import config, project
from qlearn.learning import parse_learnings
from qlearn.record import TYPE_CHECKING
from qlearn.relevance import relevant_learnings

from .session import everywhere, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qlearn.learning import Learning

    from . import Scene

MOST_FOR_A_PROMPT = 3
MOST_FOR_A_FAILURE = 2


def prompt(scene: Scene) -> str:
    """Write the learnings that fit what a person asks for; "" where none fits, or nobody typed it."""
    from qlearn.prompt import typed

    return _shown(scene, typed(scene.text("prompt")), MOST_FOR_A_PROMPT, "UserPromptSubmit")


def failure(scene: Scene) -> str:
    """Write the learnings that fit the error of a tool; "" where none fits, or it was interrupted."""
    if scene.payload.get("is_interrupt") is True:
        return ""
    return _shown(scene, scene.text("error"), MOST_FOR_A_FAILURE, "PostToolUseFailure")


def after_tool(scene: Scene) -> str:
    """The same for Gemini, which has one event for tools that failed and tools that did not."""
    from qlearn.observation import observe

    seen = observe(dict(scene.payload), now=scene.now, project=scene.project.id, root=scene.project.root)
    failed = seen is not None and seen.event == "PostToolUseFailure"
    return _shown(scene, seen.error, MOST_FOR_A_FAILURE, "PostToolUseFailure") if seen and failed else ""


def _shown(scene: Scene, task: str, most: int, source: str) -> str:
    """Write the best few of the project and of all projects, none that this session was shown before.

    An error whose best learning was shown before has come back: the learning did not work.
    """
    if not task.strip():
        return ""
    root = scene.project.root
    own = parse_learnings(read(scene, project.LEARNINGS, root)) if root else ()
    general = everywhere(scene, own)
    matches = relevant_learnings((*own, *general), task, k=most, now=scene.now)
    if not matches:
        return ""
    from qlearn.rendering import task_text

    settings = config.load(root, scene.user, scene.environ).config
    names = {_name(match.learning, general): match.learning for match in matches}

    def text(shown: Sequence[str]) -> tuple[str, int]:
        return task_text(
            [(name, names[name]) for name in shown],
            max_chars=settings.max_chars,
            today=scene.now.date(),
        )

    fresh = _not_shown(scene, tuple(names))
    best = next(iter(names))
    if source == "PostToolUseFailure" and best not in fresh:
        _log_event(scene, settings, (best,), "recurred", source)
    claimed = _claimed(scene, fresh[: text(fresh)[1]])
    if claimed:
        _log_event(scene, settings, claimed, "injected", source)
    return text(claimed)[0]


def _name(learning: Learning, general: Sequence[Learning]) -> str:
    """The id, and that it holds in every project: its number means another learning in this one."""
    return f"global:{learning.id}" if any(learning is each for each in general) else learning.id


def _not_shown(scene: Scene, names: tuple[str, ...]) -> tuple[str, ...]:
    if scene.user is None:
        return names
    from qlearn import sessions

    shown = sessions.shown(scene.user.sessions, scene.text("session_id"))
    return tuple(name for name in names if name not in shown)


def _claimed(scene: Scene, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the names that no other hook of the session shows at this moment."""
    if scene.user is None:
        return names
    from qlearn import sessions

    return sessions.claim(scene.user.sessions, scene.text("session_id"), names)


def _log_event(scene: Scene, settings: config.Config, names: tuple[str, ...], kind: str, source: str) -> None:
    if scene.user is None or not scene.project.known:
        return
    from qlearn import ledger, observing
    from qlearn.errors import StoreError
    from qlearn.usage import Event

    if observing.is_refused(scene.project, scene.user, settings):
        return
    folder = scene.user.project(scene.project.id)
    try:
        ledger.append(folder, Event(scene.now, kind, scene.text("session_id"), names, source=source))
    except StoreError as error:
        scene.note(str(error))
