"""Random and mutated bytes, on the reader of registries.

Each case is a few lines that mean something in a registry, cut, doubled, joined and spoiled at random, or
bytes that are nothing at all. No character may be lost, and sections and entries have to stand in order.
One of eight is also read without the shortcuts, one of 64 by a CommonMark parser; and that one is checked,
repaired and added to.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from unittest.mock import patch

from qlearn import document
from qlearn.errors import RegistryError
from qlearn.learning import learnings
from qlearn.lines import BOM
from qlearn.mistakes import parse_mistakes
from qlearn.pending import parse_proposals
from qlearn.problems import check as find_problems
from qlearn.problems import decode, fix
from qlearn.registry import add_learning
from tests import strategies
from tests.hostile import HIDDEN, TAGS
from tests.test_blocks import agree
from tests.test_document import sections_by_scan

from .harness import Verdicts, check, control, in_parallel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

NOW = datetime(2026, 11, 30, tzinfo=UTC)
SECONDS = 20
"""Of processor time for 64 cases; one in a thousand is a thousand times as long as the others."""

_ENTRY = b"### L001: one\n- **Type**: gotcha\n- **Learning**: x\n\n---\n\n"
_STRANGE = (
    *(bytes([each]) for each in range(256)),
    *(char.encode("utf-8", "surrogatepass") for char in HIDDEN[::7]),
    *(tag.encode() for tag in TAGS),
    BOM.encode(), b"\r\n", b"\r", b"\xe2\x80\xa8", b"\xc2\x85", b"\xed\xa0\x80", b"\xf0\x9f", b"L999999999",
    b"<<<<<<< ours\n", b"=======\n", b">>>>>>> theirs\n", b"9999-12-31", b"[RESOLVED] ", b"\\", b"&#10;",
)  # fmt: skip
_ROWS = tuple(
    row.encode("utf-8", "surrogatepass") + b"\n"
    for rows in (*strategies.FAMILIES, strategies.PLAIN_ROWS, strategies.FIELDS, strategies.HEADINGS)
    for row in rows
)


def some_bytes(random: Random, rows: Sequence[bytes] = _ROWS) -> bytes:
    """A case: mostly a few rows and an entry, changed in none to four places."""
    choice = int(random.random() * 1000)
    if choice < 20:
        return random.randbytes(int(random.random() * 60))
    count = len(rows)
    picked = [rows[int(random.random() * count)] for _ in range(1 + int(random.random() * 3))]
    if choice & 3 == 0:
        picked.insert(int(random.random() * (len(picked) + 1)), _ENTRY)
    data = b"".join(picked)
    for _ in range(int(random.random() * 4)):
        data = spoiled(data, random)
    return data * 1000 if choice == 999 else data


def spoiled(data: bytes, random: Random) -> bytes:
    """Change bytes in one place."""
    at = int(random.random() * (len(data) + 1))
    to = at + 1 + int(random.random() ** 3 * 30)
    what = int(random.random() * 6)
    if what == 0:
        return data[:at] + data[to:]
    if what == 1:
        return data[:to] + data[at:]
    if what == 2:
        return data[:at] + data[at:to][::-1] + data[to:]
    strange = _STRANGE[int(random.random() * len(_STRANGE))]
    if what == 3:
        return data[:at] + strange + data[at + len(strange) :]
    return data[:at] + strange + data[at:]


def flaw(data: bytes, *, thoroughly: bool) -> str:
    """What is wrong with how bytes are read."""
    text, problems = decode(data)
    if not problems and text.encode() != data:
        return "the text is not what the bytes say"
    read = document.parse(text)
    if read.text != text:
        return "the text is another one"
    at = 0
    for section in read.sections:
        if not at <= section.start < section.end <= len(text):
            return f"{section.title!r} stands at {section.start} to {section.end}"
        at = section.end
    at = 0
    for entry in learnings(read):
        if not at <= entry.start < entry.end <= len(text) or "\n" in entry.title:
            return f"{entry.id} stands at {entry.start} to {entry.end}"
        at = entry.end
    if thoroughly and list(read.sections) != sections_by_scan(text):
        return "what is read in the quick way differs from the whole scan"
    return ""


def deeper_flaw(data: bytes) -> str:
    """What is wrong with what is done to such a text."""
    text, _ = decode(data)
    agree(text.removeprefix(BOM))
    find_problems(text, archive=text, now=NOW)
    parse_mistakes(text)
    parse_proposals(text)
    before = [entry[:3] for entry in learnings(document.parse(text))]
    try:
        once = fix(text)
        if fix(once.text).text != once.text:
            return "fixing twice changes more"
        added = add_learning(text, title="one more", learning="It is read.", now=NOW).text
    except RegistryError:
        return ""  # a conflict marker, no number left, or nothing can be put behind what is open
    after = [entry[:3] for entry in learnings(document.parse(added))]
    if after[:-1] != before or after[-1].count("one more") != 1:
        return "an added entry changes others, or is not read"
    return ""


@contextmanager
def watched() -> Iterator[Callable[[], None]]:
    """Let whatever takes too much processor time raise; gives what winds the clock up again."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"no end after {SECONDS} s of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    try:
        yield lambda: _wind_up(SECONDS)
    finally:
        _wind_up(0)
        signal.signal(signal.SIGPROF, before)


def _wind_up(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_PROF, seconds)


def cases(size: int, random: Random) -> Verdicts:
    """Read so many; what fails is told with its bytes."""
    with watched() as wind_up:
        for number in range(size):
            if number % 64 == 0:
                wind_up()
            data = some_bytes(random)
            try:
                wrong = flaw(data, thoroughly=number % 8 == 0)
                if not wrong and number % 64 == 0:
                    wrong = deeper_flaw(data)
            except Exception as error:
                wrong = repr(error)
            yield f"{data[:400]!r}: {wrong}" if wrong else 1


@check("fuzz", counts="inputs to the reader", ci=2_000_000, long=60_000_000, seconds=30)
def any_bytes(size: int, random: Random) -> Verdicts:
    """Read any bytes."""
    return in_parallel(cases, size, random)


@control("fuzz", broken="a reader whose lines end where Python's do", size=3000)
def by_python_lines(size: int, random: Random) -> Verdicts:
    """Take U+2028 and the like for line endings."""
    right = document.parse

    def read(text: str) -> document.Document:
        return right("\n".join(text.splitlines()) + "\n")._replace(text=text)

    with patch.object(document, "parse", read):
        yield from cases(size, random)


@control("fuzz", broken="a reader that takes bytes for UTF-8", size=3000)
def in_good_faith(size: int, random: Random) -> Verdicts:
    """Decode strictly."""
    with patch(f"{__name__}.decode", lambda data: (data.decode(), ())):
        yield from cases(size, random)
