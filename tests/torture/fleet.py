"""Five clones that learn by themselves and gossip through bare repositories, until all say the same.

One half of the fleets has the driver. The other half does as docs/teams.md says of hosts: where git stops or
the comparison with the parents names something, `qlearn merge` merges again, and `qlearn fix` gives numbers.
"""

from __future__ import annotations

import datetime as dt
import re
import subprocess
from functools import partial
from typing import TYPE_CHECKING

from qlearn import registry
from qlearn.learning import Learning, parse_learnings
from qlearn.merge import Memory
from qlearn.merging import NAME, Files, lost, merge_again
from qlearn.problems import check as check_text
from tests.repositories import FILES, Clone, environment, install_driver, repository

from .git_merges import fixed
from .harness import Verdicts, check, control, in_parallel, scratch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    Setting = Callable[[Clone], None]

NAMES = "abcde"
HUBS = 2
STEPS = 60
ROUNDS = 10
START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)

_MARK = re.compile(r"\bk[0-9]+\b")


class Facts:
    """What the members did: the lessons, what each last wrote into one, and the numbers they named."""

    def __init__(self) -> None:
        self.count = 0
        self.lessons: set[str] = set()
        self.notes: dict[tuple[str, str], str] = {}
        self.references: list[tuple[str, str]] = []

    def new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def missing(self, now: Memory) -> list[str]:
        """What of it can't be found any more, and what is wrong with the numbers."""
        entries = [*parse_learnings(now.registry), *parse_learnings(now.archive)]
        wrong = [problem.message for problem in check_text(now.registry, archive=now.archive)]
        holders: dict[int, set[str]] = {}
        texts: dict[str, str] = {}
        for entry in entries:
            holders.setdefault(entry.number, set()).add(mark_of(entry))
            texts[mark_of(entry)] = texts.get(mark_of(entry), "") + " ".join(entry.fields.values()) + " "
        wrong += [
            f"L{number:03d} is {' and '.join(marks)}" for number, marks in holders.items() if len(marks) > 1
        ]
        wrong += [f"{mark} is lost" for mark in sorted(self.lessons - texts.keys())]
        for (mark, _), note in self.notes.items():
            if f"{note} " not in texts.get(mark, ""):
                wrong.append(f"{note} is no longer said of {mark}")
        for name, mark in self.references:
            if mark not in map(mark_of, registry.mentions(entries, name)):
                wrong.append(f"{name} no longer leads to {mark}")
        return wrong


def mark_of(entry: Learning) -> str:
    found = _MARK.search(entry.title)
    return found[0] if found else entry.title


class Member:
    """A clone and the one who works in it."""

    def __init__(self, clone: Clone, name: str, facts: Facts) -> None:
        self.clone = clone
        self.name = name
        self.facts = facts

    def learn(self, random: Random, now: dt.datetime) -> None:
        """Do what people do to a registry, and commit it."""
        memory = self.clone.read()
        entries = parse_learnings(memory.registry)
        chosen = random.choice(entries) if entries else None
        what = random.choice(("add", "add", "add", "note", "note", "reinforce", "resolve", "prune"))
        if what == "add" or chosen is None:
            memory = memory._replace(registry=self._add(memory, chosen, now))
        elif what == "note":
            note = self.facts.new("n")
            self.facts.notes[mark_of(chosen), self.name] = note
            text = registry.amend(memory.registry, chosen.id, fields={f"Note of {self.name}": note})
            memory = memory._replace(registry=text)
        elif what == "reinforce":
            memory = memory._replace(registry=registry.reinforce(memory.registry, chosen.id, now=now))
        elif what == "resolve":
            memory = memory._replace(registry=registry.resolve(memory.registry, chosen.id))
        else:
            pruned = registry.prune_learnings(memory.registry, now=now, threshold=0, archive=memory.archive)
            memory = Memory(pruned.text, pruned.archive)
        self.clone.commit(memory, what)

    def _add(self, memory: Memory, chosen: Learning | None, now: dt.datetime) -> str:
        mark = self.facts.new("k")
        self.facts.lessons.add(mark)
        lesson = f"Mind {mark}."
        if chosen:
            lesson += f" See {chosen.id}."
            self.facts.references.append((chosen.id, mark_of(chosen)))
        text = memory.registry
        return registry.add_learning(
            text, title=f"Title {mark}", learning=lesson, archive=memory.archive, now=now
        ).text

    def meet(self, hub: Path, *, has_driver: bool) -> str:
        """Merge what is at a hub, and send the result there; return what stopped it."""
        if not self.clone.git("ls-remote", str(hub)).strip():
            self.clone.git("push", "--quiet", str(hub), "HEAD:refs/heads/main")
            return ""
        self.clone.git("fetch", "--quiet", str(hub), "main")
        done = self.clone.tries("merge", "--quiet", "--no-edit", "FETCH_HEAD")
        if has_driver and not done:
            return f"{self.name}: git stopped"
        if not has_driver:
            self._repair(done=done)
        found = self.clone.read()
        if (now := fixed(found)) != found:
            self.clone.commit(now, "fix")
        self.clone.git("push", "--quiet", str(hub), "HEAD:refs/heads/main")
        return ""

    def _repair(self, *, done: bool) -> None:
        """Do as docs/teams.md says after a merge by lines."""
        here, files = repository(self.clone), Files(*FILES)
        now = self.clone.read()
        if done:
            is_merge = len(here.parents("HEAD")) == 2
            if not is_merge or not lost(here, files, now):
                return
        merged = merge_again(here, files, now)
        self.clone.commit(Memory(*(each.text for each in merged)), "merge again")


def fleets(size: int, random: Random, setting: Setting) -> Verdicts:
    """Let so many fleets work, every second one with the driver."""
    for number in range(size):
        has_driver = number % 2 == 0
        with scratch() as folder:
            wrong = _fleet(folder, random, setting if has_driver else None)
        yield f"fleet {'with' if has_driver else 'without'} the driver: {wrong}" if wrong else 1


def _fleet(folder: Path, random: Random, setting: Setting | None) -> str:
    environ = environment(folder)
    hubs = [folder / f"hub{number}.git" for number in range(HUBS)]
    for hub in hubs:
        subprocess.run(["git", "init", "--quiet", "--bare", "--template=", str(hub)], check=True)
    first = Clone(folder / NAMES[0], environ)
    first.commit(Memory(registry.HEADER, ""), "start")
    facts = Facts()
    clones = [first, *(Clone(folder / name, environ, origin=first.folder) for name in NAMES[1:])]
    for clone in clones:
        if setting:
            setting(clone)
    members = [Member(clone, name, facts) for clone, name in zip(clones, NAMES, strict=True)]
    meet = partial(Member.meet, has_driver=setting is not None)
    now = START
    for _ in range(STEPS):
        now += dt.timedelta(hours=random.randint(0, 30))
        member = random.choice(members)
        if random.random() < 0.6:
            member.learn(random, now)
        elif wrong := meet(member, random.choice(hubs)):
            return wrong
    for _ in range(ROUNDS):
        for member in members:
            for hub in hubs:
                if wrong := meet(member, hub):
                    return wrong
        texts = {member.clone.read() for member in members}
        if len(texts) == 1:
            return "; ".join(facts.missing(texts.pop()))
    return f"after {ROUNDS} rounds they don't agree"


def _union(clone: Clone) -> None:
    install_driver(clone)
    clone.git("config", f"merge.{NAME}.driver", "git merge-file --union %A %O %B")


@check("fleet", counts="fleets of five clones, every second one with the driver", ci=4, long=200, seconds=10)
def gossiping(size: int, random: Random) -> Verdicts:
    """Let fleets gossip."""
    return in_parallel(partial(fleets, setting=install_driver), size, random)


@control("fleet", broken="merge=union", size=1)
def gossiping_by_union(size: int, random: Random) -> Verdicts:
    """Let a fleet gossip whose driver keeps the lines of both sides."""
    return fleets(size, random, _union)
