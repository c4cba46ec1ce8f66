"""Detectors: observations to proposals, one module each, all pure.

correction      D1  a person corrects how the agent works
error_fix       D2  a failure of the environment, and what repaired it
workflow        D3  a sequence of actions that comes back
preference      D4  a tool that is preferred to its alternatives
contradiction   D5  an entry that was not kept and nobody minded; entries that say the opposite
outcome         D6  an entry that was shown and then followed, or not
"""

from __future__ import annotations

from qlearn.record import TYPE_CHECKING

from .contradiction import contradictions
from .correction import corrections
from .error_fix import error_fixes
from .outcome import Shown, outcomes
from .preference import preferences
from .workflow import workflows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from qlearn.learning import Learning
    from qlearn.observation import Observation
    from qlearn.proposal import Proposal

__all__ = ["MIN_BATCH", "Shown", "detect"]

MIN_BATCH = 20
"""Observations below which there is nothing to conclude from."""


def detect(
    observations: Iterable[Observation],
    *,
    learnings: Sequence[Learning] = (),
    shown: Iterable[Shown] = (),
    files: Collection[str] = (),
    at_least: int = MIN_BATCH,
) -> tuple[Proposal, ...]:
    """What all detectors find in the observations of one project; nothing if there are fewer than *at_least*.

    Args:
        observations: In any order; records of one call may stand apart, and be there twice.
        learnings: The entries of the registry, for what was not kept (D5) and what was (D6).
        shown: Which entries were put before which session, and when.
        files: Names of the files in the project's root, for what they already say.
    """
    seen = tuple(observations)
    if len(seen) < at_least:
        return ()
    return (
        *corrections(seen),
        *error_fixes(seen),
        *workflows(seen),
        *preferences(seen, files),
        *contradictions(seen, learnings),
        *outcomes(seen, learnings, shown),
    )
