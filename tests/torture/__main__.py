"""Run checks and print their table. See the package's docstring."""

from __future__ import annotations

import argparse
import importlib
import sys

from .harness import CHECKS, TABLE_HEAD, describe, run, table_row

MODULES = (
    "crash_states", "sigkill", "faults", "writers", "disks", "editor", "bad_inputs",
    "merges", "git_merges", "fleet",
)  # fmt: skip


def load() -> None:
    """Fill `CHECKS`."""
    for module in MODULES:
        importlib.import_module(f"tests.torture.{module}")


def main(arguments: list[str] | None = None) -> int:
    """Run the checks named, all by default; return 1 where one failed or a null control did not."""
    load()
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--ci", action="store_true", help="some minutes (the default)")
    sizes.add_argument("--long", action="store_true", help="about an hour")
    sizes.add_argument("--size", type=int, help="this many trials of each check")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CHECKS))
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(CHECKS):
        parser.error(f"no check {', '.join(sorted(unknown))}; there are {', '.join(CHECKS)}")

    print(describe(options.seed), "", TABLE_HEAD, sep="\n", flush=True)
    failures = []
    for one in CHECKS.values():
        if options.names and one.name not in options.names:
            continue
        size = options.size or (one.long if options.long else one.ci)
        outcome = run(one.trials, size, options.seed)
        controls = [
            (each, run(each.trials, min(size, each.size), options.seed))
            for each in one.controls
            if not outcome.skipped
        ]
        print(table_row(one, outcome, controls), flush=True)
        failures += [f"{one.name}: {text}" for text in outcome.texts]
        failures += [f"{one.name}: no failure with {each.broken}" for each, its in controls if not its.failed]
    for failure in failures:
        print(failure)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
