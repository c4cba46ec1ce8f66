"""The bad inputs, plain and varied, on the hook and the commands.

That each is tried as it is, those of 100 MB, too, is for the test suite.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from tests.bad_inputs import BAD_INPUTS, Bench, trials, verdict

from .harness import Verdicts, check, control, in_parallel, scratch

if TYPE_CHECKING:
    from random import Random

OF_EACH_IN_CI = 500
OF_EACH_IN_THE_LONG_RUN = 50_000


@check(
    "bad-inputs",
    counts="inputs",
    ci=len(BAD_INPUTS) * OF_EACH_IN_CI,
    long=len(BAD_INPUTS) * OF_EACH_IN_THE_LONG_RUN,
    seconds=25,
)
def bad_inputs(size: int, random: Random) -> Verdicts:
    yield from in_parallel(_all, size, random)


def _all(size: int, random: Random) -> Verdicts:
    """Try all in turn, at first as they are; less often those that take a process or megabytes."""
    with scratch() as folder:
        bench = Bench(folder)
        for number in range(size // len(BAD_INPUTS)):
            for case in BAD_INPUTS.values():
                if random.random() < case.share:
                    yield verdict(case, bench, random, plain=number == 0)


def _some(names: tuple[str, ...], size: int, random: Random) -> Verdicts:
    with scratch() as folder:
        bench = Bench(folder)
        for name in names:
            yield from trials(BAD_INPUTS[name], bench, random, size // len(names))


@control("bad-inputs", broken="texts shown as they are", size=90)
def as_they_are(size: int, random: Random) -> Verdicts:
    with patch("qlearn.rendering.neutralise", lambda text, **_: text.replace("\n", " ")):
        yield from _some(("tag characters", "U+009B", "<system-reminder>"), size, random)


@control("bad-inputs", broken="an open gate", size=90)
def open_gate(size: int, random: Random) -> Verdicts:
    with patch("qlearn.gate.admit", lambda *_, **__: False):
        yield from _some(("soft hyphen", "bidi override", "named-prefix secret"), size, random)


@control("bad-inputs", broken="a store that follows links", size=90)
def followed_links(size: int, random: Random) -> Verdicts:
    def read(path: str, *, root: str, **_: object) -> bytes | None:
        file = Path(root, path)
        return file.read_bytes() if file.exists() else None

    with patch("qlearn.store.read", read):
        yield from _some(("registry linked to a secret file", ".qe linked outside"), size, random)
