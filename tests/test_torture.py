"""The torture checks, in small: they pass, their null controls fail, and their imagined disk is a bad one."""

from __future__ import annotations

import math
import os
import re
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.torture import __main__ as program
from tests.torture import harness
from tests.torture.crash_states import Begin, Rename, SyncFile, SyncFolder, Write, adds, record, states_after

if TYPE_CHECKING:
    from tests.torture.harness import Verdicts

program.load()

SMALL = {
    "crash-states": 1,
    "sigkill": 60,
    "sigkill-commands": 4,
    "faults": 1,
    "faults-strace": 4,
    "writers": 1,
    "hooks": 1,
    "full-disk": 2,
    "editor": 1,
    "merge": 60,
    "git-merges": 2,
    "fuzz": 400,
    "fuzz-hooks": 80,
}


@pytest.mark.parametrize("name", SMALL)
def test_a_check_passes(name: str) -> None:
    outcome = harness.run(harness.CHECKS[name].trials, SMALL[name], seed=7)
    if outcome.skipped:
        pytest.skip(outcome.skipped)
    assert outcome.texts == ()
    assert outcome.trials >= SMALL[name]


@pytest.mark.parametrize(
    "name", ["crash-states", "sigkill", "faults", "writers", "hooks", "editor", "merge", "fuzz", "fuzz-hooks"]
)
def test_a_null_control_fails(name: str) -> None:
    control = harness.CHECKS[name].controls[0]
    assert any(isinstance(verdict, str) for verdict in control.trials(control.size, Random(7)))


def test_every_check_has_a_null_control() -> None:
    assert [each.name for each in harness.CHECKS.values() if not each.controls] == []


# The imagined disk


def states(*operations: Write | Rename | SyncFile | SyncFolder) -> set[tuple[tuple[str, bytes], ...]]:
    return {tuple(sorted(state.items())) for state in states_after(list(operations))}


TWO_FILES = (
    Rename(({"a": 1}, {"b": 2})),
    Write(1, 0, b"x"),
    SyncFile(1),
    Write(2, 0, b"y"),
    SyncFile(2),
)


def test_what_is_not_synced_may_be_there_in_part() -> None:
    made = Rename(({"a": 1},))
    assert states(made, SyncFolder(), Write(1, 0, b"wxyz")) == {
        (("a", content),) for content in (b"", b"wxyz", b"\0\0\0\0", b"wx", b"wx\0\0", b"wxy")
    }
    assert states(made, SyncFolder(), Write(1, 0, b"wxyz"), SyncFile(1)) == {(("a", b"wxyz"),)}


def test_a_synced_file_may_still_have_no_name() -> None:
    assert states(Rename(({"a": 1},)), Write(1, 0, b"x"), SyncFile(1)) == {(), (("a", b"x"),)}


def test_a_rename_may_leave_both_names_but_never_none() -> None:
    assert states(*TWO_FILES, SyncFolder(), Rename(({"b": 1}, {"a": None}))) == {
        (("a", b"x"), ("b", b"y")),
        (("a", b"x"), ("b", b"x")),
        (("b", b"x"),),
    }


def test_an_exchange_happens_or_not() -> None:
    assert states(*TWO_FILES, SyncFolder(), Rename(({"a": 2, "b": 1},))) == {
        (("a", b"x"), ("b", b"y")),
        (("a", b"y"), ("b", b"x")),
    }


def test_later_renames_may_come_through_without_earlier_ones() -> None:
    assert states(Rename(({"a": 1},)), Rename(({"b": 2},))) == {
        (),
        (("a", b""),),
        (("b", b""),),
        (("a", b""), ("b", b"")),
    }


def test_the_record_of_an_add_is_the_write_path() -> None:
    from qlearn import store

    operations = record(adds(1), store.update_files, (), {})
    kinds = [type(operation).__name__ for operation in operations]
    assert kinds[kinds.index("Begin") :] == [
        "Begin",
        "Rename",  # the lock file
        "Rename",  # the temporary file
        "Write",
        "SyncFile",
        "Rename",
        "SyncFolder",
        "Done",
    ]
    assert isinstance(operations[kinds.index("Begin")], Begin)


# The harness


def test_trials_end_with_their_time_and_those_made_are_counted() -> None:
    def slow(size: int, random: Random) -> Verdicts:
        for _ in range(size):
            time.sleep(0.01)
            yield 1

    outcome = harness.run(lambda size, random: harness.in_parallel(slow, size, random), 10**6, 1, 0.2)
    assert 2 <= outcome.trials <= 100
    assert outcome.failed == 0


def test_a_long_run_gives_each_check_its_share_of_the_time(checks: dict[str, harness.Check]) -> None:
    for name, seconds in (("dice", 1.0), ("coins", 3.0), ("cards", math.inf)):
        harness.check(name, counts="throws", ci=1, long=1, seconds=seconds)(dice)
    chosen = list(checks.values())
    assert [one.seconds * program._pace(chosen, 1) for one in chosen] == [15, 45, math.inf]
    assert program._pace(chosen, 0) == program._pace(chosen[2:], 1) == 1


def dice(size: int, random: Random) -> Verdicts:
    for _ in range(size):
        yield "a six" if random.randint(1, 6) == 6 else 1


def test_trials_run_in_parallel_are_all_counted() -> None:
    outcome = harness.run(lambda size, random: harness.in_parallel(dice, size, random), 601, seed=1)
    assert outcome.trials == 601
    assert 60 < outcome.failed < 140
    assert outcome.texts == ("a six",) * harness.SHOWN


def test_a_worker_that_dies_or_errs_is_a_failure() -> None:
    def die(size: int, random: Random) -> Verdicts:
        yield 1
        os._exit(3)

    def err(size: int, random: Random) -> Verdicts:
        yield 1
        raise RuntimeError("no")

    for trials, text in ((die, "process "), (err, "the check itself failed: RuntimeError('no')")):
        failures = [v for v in harness.in_parallel(trials, 1, Random(1)) if isinstance(v, str)]
        assert len(failures) == 1
        assert failures[0].startswith(text)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> dict[str, harness.Check]:
    monkeypatch.setattr(harness, "CHECKS", {})
    monkeypatch.setattr(program, "CHECKS", harness.CHECKS)
    monkeypatch.setattr(program, "MODULES", ())
    return harness.CHECKS


def test_the_table_shows_figures_and_controls(
    checks: dict[str, harness.Check], capsys: pytest.CaptureFixture[str]
) -> None:
    harness.check("dice", counts="throws", ci=1000, long=2000)(lambda size, _: iter([size]))
    harness.control("dice", broken="a die with a six", size=100)(dice)
    assert program.main(["--seed", "3", "dice"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("seed 3, ")
    row = r"\| dice \| 1,000 throws \| 0 \| [0-9.]+ \| a die with a six \| 1[0-9] of 100 \|"
    assert re.fullmatch(row, out.splitlines()[-1])
    assert program.main(["--long", "dice"]) == 0
    assert "2,000 throws" in capsys.readouterr().out


def test_a_failure_and_a_control_without_one_fail_the_run(
    checks: dict[str, harness.Check], capsys: pytest.CaptureFixture[str]
) -> None:
    harness.check("dice", counts="throws", ci=100, long=100)(dice)
    harness.control("dice", broken="nothing", size=5)(lambda size, _: iter([size]))
    assert program.main([]) == 1
    out = capsys.readouterr().out
    assert "dice: a six" in out
    assert "dice: no failure with nothing" in out


def test_the_table_is_put_into_a_file(checks: dict[str, harness.Check], tmp_path: Path) -> None:
    harness.check("dice", counts="throws", ci=10, long=20)(lambda size, _: iter([size]))
    harness.control("dice", broken="all", size=1)(lambda *_: iter(["wrong"]))
    file = tmp_path / "SECURITY.md"
    file.write_text("a\n<!-- the long run: begin -->\nold\n<!-- the long run: end -->\nb\n")
    assert program.main(["--long", "--into", str(file)]) == 0
    first, begin, described, _, *table, end, last = file.read_text().splitlines()
    assert (first, begin, end, last) == (
        "a",
        "<!-- the long run: begin -->",
        "<!-- the long run: end -->",
        "b",
    )
    assert described.startswith("seed 1, ")
    assert table[-1].startswith("| dice | 20 throws | 0 |")
    with pytest.raises(ValueError, match="do not stand in the text"):
        program.main(["--into", str(file)])


def test_security_md_shows_each_check_and_none_that_has_failed() -> None:
    text = (Path(__file__).parent.parent / "SECURITY.md").read_text("utf-8")
    for name in ("the short run", "the long run"):
        part = text.partition(f"<!-- {name}: begin -->")[2].partition(f"<!-- {name}: end -->")[0]
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in part.splitlines() if "|" in line]
        assert [row[0] for row in rows[2:]] == list(harness.CHECKS)
        assert {row[2] for row in rows[2:]} == {"0"}
        assert [row[0] for row in rows[2:] if row[1].startswith("skipped") or row[5].startswith("0 ")] == []


def test_what_the_platform_lacks_is_said(
    checks: dict[str, harness.Check], capsys: pytest.CaptureFixture[str]
) -> None:
    def impossible(size: int, random: Random) -> Verdicts:
        raise harness.SkippedError("no dice here")
        yield 1

    harness.check("dice", counts="throws", ci=100, long=100)(impossible)
    harness.control("dice", broken="nothing", size=5)(dice)
    assert program.main([]) == 0
    assert "| dice | skipped: no dice here | 0 |" in capsys.readouterr().out
