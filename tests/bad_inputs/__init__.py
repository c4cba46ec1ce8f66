"""The bad inputs that qlearn bears: what somebody may put into a text, a file, a folder or a call.

Each has a name, a treatment and a trial. A trial puts the input, plain or varied at random, where it would do
harm, and looks at what comes out of the product: the hook's answer, what the commands print and write. It
fails on an assertion, on any exception and on an answer that does not come.

    refuse      it is not taken, the reason is said, nothing is written
    neutralise  it is shown by its code, or stays text, wherever it is printed
    warn        it is read as far as it can be, and `check` says what is wrong
    allow       it is plain text, and nothing happens to it or because of it

    bench       a project to try it on, and what must hold for any input whatsoever
    texts       what may stand in a title or a lesson
    files       what may stand in the file itself
    places      what may stand where a file or folder is expected
    calls       what may come from a client, a shell or a repository
"""

from __future__ import annotations

from . import calls, files, places, texts
from .bench import BAD_INPUTS, BadInput, Bench, attempt, trials, verdict

__all__ = [
    "BAD_INPUTS",
    "BadInput",
    "Bench",
    "attempt",
    "calls",
    "files",
    "places",
    "texts",
    "trials",
    "verdict",
]
