"""Run checks and print their table. See the package's docstring."""

from __future__ import annotations

import argparse
import importlib
import math
import sys
from pathlib import Path

from .harness import CHECKS, TABLE_HEAD, Check, describe, put_between, run, table_row

MODULES = (
    "crash_states", "sigkill", "faults", "writers", "disks", "editor", "merges", "git_merges", "fleet",
    "fuzz", "fuzz_hooks", "bad_inputs",
)  # fmt: skip


LONG_MINUTES = 55


def load() -> None:
    """Fill `CHECKS`."""
    for module in MODULES:
        importlib.import_module(f"tests.torture.{module}")


def main(arguments: list[str] | None = None) -> int:
    """Run the checks named, all by default; return 1 where one failed or a null control did not."""
    load()
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--ci", action="store_true", help="five minutes (the default)")
    sizes.add_argument("--long", action="store_true", help="an hour")
    sizes.add_argument("--size", type=int, help="this many trials of each check, however long they take")
    parser.add_argument("--minutes", type=float, help="for the trials that end with their time")
    parser.add_argument("--into", type=Path, help="put the table into this file, such as SECURITY.md")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CHECKS))
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(CHECKS):
        parser.error(f"no check {', '.join(sorted(unknown))}; there are {', '.join(CHECKS)}")

    table = [describe(options.seed), "", TABLE_HEAD]
    print(*table, sep="\n", flush=True)
    failures = []
    chosen = [one for one in CHECKS.values() if not options.names or one.name in options.names]
    pace = _pace(chosen, options.minutes or (LONG_MINUTES if options.long else 0))
    for one in chosen:
        size = options.size or (one.long if options.long else one.ci)
        outcome = run(one.trials, size, options.seed, math.inf if options.size else one.seconds * pace)
        controls = [
            (each, run(each.trials, each.size, options.seed)) for each in one.controls if not outcome.skipped
        ]
        table.append(table_row(one, outcome, controls))
        print(table[-1], flush=True)
        failures += [f"{one.name}: {text}" for text in outcome.texts]
        failures += [f"{one.name}: no failure with {each.broken}" for each, its in controls if not its.failed]
    for failure in failures:
        print(failure)
    if options.into:
        text = options.into.read_text("utf-8")
        name = "the long run" if options.long else "the short run"
        options.into.write_text(put_between(text, name, "\n".join(table)), "utf-8")
    return bool(failures)


def _pace(chosen: list[Check], minutes: float) -> float:
    """How much longer than in the short run trials may take, so that all together take so many minutes."""
    seconds = sum(one.seconds for one in chosen if one.seconds < math.inf)
    return minutes * 60 / seconds if minutes and seconds else 1


if __name__ == "__main__":
    sys.exit(main())
