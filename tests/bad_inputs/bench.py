"""A project to try bad inputs on, what must hold whatever they are, and how they are tried."""

from __future__ import annotations

import datetime as dt
import io
import json
import os
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch

from markdown_it import MarkdownIt

from qlearn import problems
from qlearn.cli import app, main
from qlearn.hooks import answer, read_scene, record
from qlearn.learning import Learning, parse_learnings
from tests.hostile import smuggled, tags_in

NOW = dt.datetime(2026, 11, 30, 15, 4, tzinfo=dt.UTC)
LEARNINGS = ".qe/learnings.md"
ARCHIVE = ".qe/learnings.archive.md"
SECRET = "Zq7: this line belongs to somebody else"
SECONDS = 300.0

FIRST = """\
### L001: The first one
- **Type**: mistake
- **Severity**: critical
- **Date**: 2026-11-30
- **Learning**: The first lesson stays.

---

"""
LAST = """\
### L003: The last one
- **Type**: convention
- **Severity**: critical
- **Date**: 2026-11-30
- **Learning**: The last lesson stays.

---
"""
GOOD = f"# Learnings\n\n---\n\n{FIRST}{LAST}".replace("L003", "L002")
FIRST_LINE = "L001 [mistake/critical] The first lesson stays."

# What a session's text is made of; whatever comes out of a file stands behind an id, on the same line.
_INJECTED_LINE = re.compile(
    r"\[LEARNINGS\] Top \d+ by relevance \(decay-ranked\)\. Apply these:"
    r"|\[LEARNINGS\] Top \d+ of those that hold in every project\. Apply these:"
    r"|  \d+\. (?:global )?L\d{3,9} \[[a-z]+/[a-z]+\] .*"
    r"|\[MISTAKES\] \d+ active mistake\(s\) recorded \([a-z0-9:, ]+\)\. DO NOT repeat these:"
    r"|  \d+\. M\d{3,9}: .*"
    r"|  \(\d+ more left out\)"
    r"|  Full list: [ -~]+"
    r"|\[LEARNINGS\] \d+ proposal\(s\) wait for review[ -~]*: /Qlearn proposals"
)


# Building a command takes longer than running it, and here each runs thousands of times.
_load, _command = cache(app._load), cache(app.command)


@contextmanager
def _built_once() -> Iterator[None]:
    with patch.object(app, "_load", _load), patch.object(app, "command", _command):
        yield


class Ran(NamedTuple):
    """The exit code of a command and what it printed."""

    code: int
    out: str
    err: str


class Bench:
    """A project, a user without settings, and a file outside that is none of the project's business.

    Whatever is tried on it, these hold: a command ends in 0, 1 or 2, prints nothing that hides or acts, and
    never the stranger's file; the hook prints nothing or one line of JSON in strict UTF-8, whose text is made
    of whole items, one a line.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "project"
        self.secret = folder / "secret"
        self.outside = folder / "outside"
        self.registry = self.root / LEARNINGS
        self.canary = folder / "canary"
        """What a command that is run by mistake would make."""
        self.environ = {"HOME": str(folder / "home"), "PATH": os.defpath}
        self.clear()

    def clear(self) -> None:
        """Start anew."""
        for path in (self.root, self.outside, self.folder / "home", self.canary):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        (self.root / ".qe").mkdir(parents=True)
        self.outside.mkdir()
        self.secret.write_text(SECRET, encoding="utf-8")

    def put(self, data: str | bytes, path: str = LEARNINGS) -> None:
        """Put a file in place as an editor would, or somebody who is no editor."""
        (self.root / path).write_bytes(
            data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        )

    def run(self, *arguments: str) -> Ran:
        """Run a command in this process."""
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2)]
        with redirect_stdout(streams[0]), redirect_stderr(streams[1]), _built_once():
            code = main(["-C", str(self.root), *arguments])
        texts = []
        for stream in streams:
            stream.seek(0)
            texts.append(stream.read())
        ran = Ran(code, *texts)
        assert code in (0, 1, 2), ran
        assert "Traceback" not in ran.err, ran
        assert self.secret.read_text(encoding="utf-8") == SECRET
        for text in texts:
            assert smuggled(text) == [], ran
            assert SECRET[:4] not in text, ran
        return ran

    def hook(self, data: bytes | None, environ: dict[str, str] | None = None) -> str:
        """Answer a payload; "" for nothing."""
        scene = read_scene(data, environ or self.environ, NOW)
        if scene is None:
            return ""
        line = answer(scene)
        record(scene)
        return self.injected(line)

    def injected(self, line: bytes) -> str:
        """Take the hook's answer apart, as a client does."""
        if not line:
            return ""
        assert line.endswith(b"\n"), line
        assert line.count(b"\n") == 1, line
        printed: dict[str, Any] = json.loads(line.decode("utf-8"))
        assert list(printed) == ["hookSpecificOutput"], printed
        assert list(printed["hookSpecificOutput"]) == ["hookEventName", "additionalContext"], printed
        text: str = printed["hookSpecificOutput"]["additionalContext"]
        assert len(text.encode("utf-16-le")) <= 2 * 9_500, len(text)
        assert smuggled(text) == [], text
        assert tags_in(text) == [], text
        assert SECRET[:4] not in text, text
        return text

    def session(self) -> str:
        """Start a session; return the text that reaches the agent."""
        text = self.hook(self.payload())
        lines = text.split("\n") if text else []
        assert lines == text.splitlines(), text
        assert [line for line in lines if not _INJECTED_LINE.fullmatch(line)] == [], text
        items = [line for line in lines if re.match(r"  \d+\. L", line)]
        assert [int(line.split(".")[0]) for line in items] == list(range(1, len(items) + 1)), text
        assert max(map(len, lines), default=0) <= 260, text
        return text

    def task(self, event: str, session: str, **more: object) -> str:
        """Ask, or fail, for something; return what is said of it: whole learnings under headings of ours."""
        text = self.hook(self.payload(hook_event_name=event, session_id=session, **more))
        tokens = MarkdownIt("commonmark").parse(f"{text}\n\n### The next (L000)\n")
        headings = [
            (token.tag, after.content)
            for token, after in pairwise(tokens)
            if token.type == "heading_open" and token.level == 0 and token.tag in ("h1", "h2", "h3")
        ]
        assert headings.pop() == ("h3", "The next (L000)"), text
        if text:
            assert headings.pop(0) == ("h2", "Past Learnings Relevant to This Task"), text
        names = [re.search(r"\((?:global:)?L\d{3,9}\)\Z", content) for _, content in headings]
        assert all(names), headings
        assert len({name[0] for name in names if name}) == len(headings) <= 3, headings
        assert not re.search(r"(?m)^\s*\[(?:LEARNINGS|MISTAKES)\]", text), text
        return text

    def payload(self, **more: object) -> bytes:
        """What a client sends as a session starts."""
        common = {"session_id": "s", "cwd": str(self.root), "hook_event_name": "SessionStart"}
        return json.dumps({**common, **more}).encode()

    def log(self) -> str:
        """What the hook had to say to the user."""
        path = Path(self.environ["HOME"], ".local/state/qlearn/qlearn.log")
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def entries(self, path: str = LEARNINGS) -> tuple[Learning, ...]:
        """The registry, or the archive, as it stands on the disk."""
        file = self.root / path
        return parse_learnings(file.read_bytes().decode("utf-8", "replace")) if file.exists() else ()

    def problems(self) -> list[str]:
        """What is found wrong with the registry on the disk."""
        text, found = problems.decode(self.registry.read_bytes())
        return [problem.message for problem in (*found, *problems.check(text, now=NOW))]


Trial = Callable[[Bench, Random, bool], None]


class BadInput(NamedTuple):
    """A bad input: its name, its treatment, and a trial, which varies the input unless it is to be plain."""

    name: str
    treatment: str
    trial: Trial
    share: float
    """Of the trials asked for, how many are made: below 1 where one takes a process or megabytes."""


BAD_INPUTS: dict[str, BadInput] = {}


def bad_input(name: str, treatment: str, *, share: float = 1.0) -> Callable[[Trial], Trial]:
    """Register a trial under a name."""

    def register(trial: Trial) -> Trial:
        assert name not in BAD_INPUTS, name
        BAD_INPUTS[name] = BadInput(name, treatment, trial, share)
        return trial

    return register


def attempt(case: BadInput, bench: Bench, random: Random, *, plain: bool) -> None:
    """Make one trial on a clean bench.

    Raises:
        AssertionError, Exception: What was promised does not hold.
    """
    bench.clear()
    with _within(SECONDS), patch.dict(os.environ, bench.environ, clear=True), chdir(bench.root):
        case.trial(bench, random, plain)


def trials(case: BadInput, bench: Bench, random: Random, count: int) -> Iterator[int | str]:
    """Try the input plain and then varied, *count* times in all; yield 1 each time, or what went wrong."""
    for number in range(max(1, round(count * case.share))):
        yield verdict(case, bench, random, plain=number == 0)


def verdict(case: BadInput, bench: Bench, random: Random, *, plain: bool) -> int | str:
    """Try the input once; return 1, or what went wrong and how to see it again."""
    seed = random.getrandbits(64)
    try:
        attempt(case, bench, Random(seed), plain=plain)
    except Exception as error:
        return f"{case.name}, Random({seed}): {type(error).__name__}: {str(error)[:600]!a}"
    return 1


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError(f"no answer within {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
