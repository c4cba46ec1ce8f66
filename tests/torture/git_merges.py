"""Random merges made by git itself, of each case in a repository with the driver and in one without.

With it: merges, rebases, cherry-picks and squashes have to come out right. Without it, as on a host: git
merges lines, somebody keeps both halves of what git leaves in conflict, and `qlearn fix` gives numbers anew.
What is then lost or mixed has to be named by `check` or by the comparison with the parents, and
`qlearn merge` has to make it good.
"""

from __future__ import annotations

import re
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from qlearn.learning import parse_learnings
from qlearn.lost import compare_parents
from qlearn.merge import Memory, Merged, merge_memories
from qlearn.merging import NAME, Files, merge_again
from qlearn.problems import check as check_text
from qlearn.problems import fix
from qlearn.registry import conflict_line
from tests import histories
from tests.merge_rules import Case, flaws, mark_of, memory
from tests.repositories import FILES, Clone, environment, install_driver, repository

from .harness import Verdicts, check, control, in_parallel, scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_EMPTIED = re.compile(r"(\w+) of (\w+) is ''")
_OF_A_NUMBER = re.compile("L[0-9]+ is ")
OPERATIONS = ("merge", "merge", "rebase", "cherry-pick", "squash")


def random_case(random: Random) -> Case:
    """A base and two sides, both of which changed the registry."""
    while True:
        base = histories.base(random)
        case = Case(base, *(histories.edited(base, name, random) for name in "ab"))
        if len({side.registry() for side in case}) == len(case):
            return case


def commit(clone: Clone, case: Case) -> None:
    """Put a case into a repository, as the branches base, one and other."""
    stream = b""
    for mark, (branch, side) in enumerate(zip(("base", "one", "other"), case, strict=True), 1):
        stream += b"commit refs/heads/%s\nmark :%d\n" % (branch.encode(), mark)
        stream += b"committer somebody <somebody> 1790000000 +0000\ndata 6\nchange\n"
        stream += b"from :1\n" if mark > 1 else b""
        for path, text in zip(FILES, memory(side), strict=True):
            data = text.encode()
            stream += b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data) if text else b""
    clone.git("fast-import", "--quiet", "--force", stdin=stream)


def merge(clone: Clone, operation: str) -> bool:
    """Let git bring the branch other to the branch one; False if it stops."""
    start = "other" if operation == "rebase" else "one"
    clone.git("checkout", "--quiet", "--force", "--detach", start)
    commands = {
        "merge": ("merge", "--quiet", "other"),
        "squash": ("merge", "--quiet", "--squash", "other"),
        "rebase": ("rebase", "--quiet", "one"),
        "cherry-pick": ("cherry-pick", "other"),
    }
    return clone.tries(*commands[operation])


def clear(clone: Clone) -> None:
    """Leave whatever git has stopped in."""
    clone.tries("rebase", "--quit")
    clone.git("reset", "--quiet", "--hard")


def fixed(now: Memory) -> Memory:
    """What `qlearn fix` makes of a registry and its archive."""
    archive = fix(now.archive, elsewhere=now.registry).text
    return Memory(fix(now.registry, archive=archive).text, archive)


def _flaws(case: Case, now: Memory) -> Iterator[str]:
    """What is wrong with a merge, once `qlearn fix` has repaired its numbers, if it is in no conflict."""
    if any(map(conflict_line, now)):
        in_conflict = [Merged(text, ("",) * bool(conflict_line(text))) for text in now]
        found = flaws(case, (in_conflict[0], in_conflict[1]))
        return (flaw for flaw in found if not _OF_A_NUMBER.match(flaw))
    registry, archive = fixed(now)
    return flaws(case, (Merged(registry, ()), Merged(archive, ())))


def _stands_in_archive(flaw: str, archive: str) -> bool:
    """Whether a field that an entry has no longer stands in a version of it that is archived."""
    told = _EMPTIED.fullmatch(flaw)
    return told is not None and any(
        mark_of(entry) == told[2] and entry.field(told[1]) for entry in parse_learnings(archive)
    )


def with_driver(clone: Clone, case: Case, operation: str) -> str:
    """Merge with the driver; return what is wrong."""
    commit(clone, case)
    done = merge(clone, operation)
    now = clone.read()
    clear(clone)
    is_contradicted = any(each.conflicts for each in merge_memories(*map(memory, case)))
    if done == is_contradicted:
        return f"{operation} went through" if done else f"{operation} stopped"
    return next(_flaws(case, now), "")


def without_driver(clone: Clone, case: Case) -> str:
    """Merge as a host does, and repair it; return what is wrong and not named, or not made good."""
    commit(clone, case)
    merge(clone, "merge")
    found = clone.read()
    again = merge_again(repository(clone), Files(*FILES), found)
    clear(clone)
    kept = fixed(Memory(*(_both_halves(text) for text in found)))
    lost = (flaw for flaw in _flaws(case, kept) if not _stands_in_archive(flaw, kept.archive))
    if flaw := next(lost, ""):
        base, *parents = map(memory, case)
        named = compare_parents(kept, parents, base) or [
            *check_text(kept.registry, archive=kept.archive), *check_text(kept.archive)
        ]  # fmt: skip
        if not named:
            return f"without the driver, unnamed: {flaw}"
    flaw = next(_flaws(case, Memory(*(each.text for each in again))), "")
    return f"merged again: {flaw}" if flaw else ""


def _both_halves(text: str) -> str:
    markers = ("<<<<<<< ", ">>>>>>> ")
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(markers) and line.rstrip("\r\n") != "=" * 7)


def cases(size: int, random: Random, set_driver: Callable[[Clone], None]) -> Verdicts:
    """Merge so many cases, each with and without the driver."""
    with scratch() as folder:
        environ = environment(folder)
        driven, plain = (Clone(folder / name, environ) for name in ("driven", "plain"))
        set_driver(driven)
        for _ in range(size):
            seed = random.getrandbits(48)
            own = Random(seed)
            case = random_case(own)
            flaw = with_driver(driven, case, own.choice(OPERATIONS)) or without_driver(plain, case)
            yield f"case {seed}: {flaw}" if flaw else 1


def _install_taker(clone: Clone) -> None:
    install_driver(clone)
    clone.git("config", f"merge.{NAME}.driver", "true")


@check("git-merges", counts="cases, each with and without the driver", ci=300, long=10_000, seconds=15)
def by_git(size: int, random: Random) -> Verdicts:
    """Let git merge."""
    return in_parallel(partial(cases, set_driver=install_driver), size, random)


@control("git-merges", broken="a driver that keeps our side", size=50)
def by_taker(size: int, random: Random) -> Verdicts:
    """Let git merge by a driver that takes one side and says that all is well."""
    return cases(size, random, _install_taker)
