"""An editor that saves at any moment of a write, between any two system calls."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from qlearn import store
from qlearn.errors import StoreError
from qlearn.project import LEARNINGS

from . import broken, subject
from .harness import Verdicts, check, control, scratch
from .shim import Call, no_exchange, system_calls

if TYPE_CHECKING:
    from random import Random

    from .subject import Facts, Step

NOTE = b"> A house rule, written by hand.\n"


class Editor:
    """Adds a line to the registry before call number *opens*, in one go or with a pause until *ends*."""

    def __init__(self, root: str, opens: int, ends: int, by_renaming: bool) -> None:
        self.file = Path(root, LEARNINGS)
        self._opens, self._ends, self._by_renaming = opens, ends, by_renaming
        self._calls = 0
        self.saved = False

    def __call__(self, name: str, call: Call, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        self._calls += 1
        if self._calls == self._opens:
            text = self.file.read_bytes()
            head, _, rest = text.partition(b"\n---\n")
            self._text = head + b"\n" + NOTE + b"\n---\n" + rest
            if self._by_renaming:
                beside = self.file.with_name("learnings.md~")
                beside.write_bytes(self._text)
                beside.replace(self.file)
                self.saved = True
            else:
                self._open = self.file.open("wb", buffering=0)
        if self._calls == self._ends:
            self.finish()
        return call()

    def finish(self) -> None:
        """Save, where a save in place has begun."""
        if not self._by_renaming and self._calls >= self._opens and not self.saved:
            self._open.write(self._text)
            self._open.close()
            self.saved = True


WAYS = ((0, True), (0, False), (1, False), (3, False), (10, False), (40, False))
"""For how many calls the file is open, and whether it is saved by renaming."""


def saves(size: int, writer: subject.Writer = store.update_files) -> Verdicts:
    """Let an editor save at each moment of the first kinds of step, and take its time, too."""
    with scratch() as folder:
        home = subject.make(folder / "home")
        facts = subject.NOTHING
        for step in (subject.add("a"), subject.add("b"), subject.mark_resolved("a"), subject.propose("p")):
            step.do(home)
            facts |= step.gives
        steps = (
            subject.add("c"),
            subject.prune(facts),
            subject.set_context("b", 1, facts),
            subject.accept("p"),
        )
        for step in steps[:size]:
            opens, more = 1, True
            while more:
                more = False
                for pause, by_renaming in WAYS:
                    copy = folder / "copy"
                    shutil.copytree(home, copy)
                    editor = Editor(subject.root_in(copy), opens, opens + pause, by_renaming)
                    wrong = _edited(copy, facts, step, editor, writer)
                    if editor.saved:
                        more = True
                        way = "by renaming" if by_renaming else f"in place for {pause} calls"
                        yield f"{step.name}: saved {way} before call {opens}: {wrong}" if wrong else 1
                    shutil.rmtree(copy)
                opens += 1


def _edited(home: Path, facts: Facts, step: Step, editor: Editor, writer: subject.Writer) -> str:
    done = True
    try:
        with system_calls(editor):
            subject.run(step, home, writer)
    except StoreError as error:
        done = False
        if "nothing was written" not in str(error) and "not written: .qe/learnings.md" not in str(error):
            return f"{error}"
    editor.finish()
    wrong, _ = subject.examine(home, facts, step, done=done)
    if not wrong and editor.saved and NOTE not in editor.file.read_bytes():
        wrong = "the save is lost"
    return wrong


@check("editor", counts="saves between two calls", ci=4, long=4)
def editor(size: int, random: Random) -> Verdicts:
    return saves(size)


@control("editor", broken="replaces whatever is there", size=1)
def editor_unchecked(size: int, random: Random) -> Verdicts:
    return saves(size, broken.unchecked)


@control("editor", broken="files can't change places", size=1)
def editor_without_exchange(size: int, random: Random) -> Verdicts:
    with patch.object(store, "_rename_if", no_exchange):
        yield from saves(size)
