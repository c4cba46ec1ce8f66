"""The ledger on disk: one line for each event, in the user's store, never in the project.

A project's ledger is `ledger.jsonl` in its folder, and beside it those of projects that were merged into it.
"""

from __future__ import annotations

import os

from qlearn import paths, store
from qlearn.usage import Event, Ledger, format_event, parse_ledger

NAME = "ledger.jsonl"


def append(folder: str, event: Event) -> None:
    """Append an event to the ledger in *folder*, which is made where it is missing.

    Raises:
        StoreError: It was not written.
    """
    paths.make(folder)
    store.append_line(NAME, format_event(event), root=folder)


def read(folder: str) -> Ledger:
    """Read the ledgers in *folder*; one that is missing is empty.

    Raises:
        StoreError: One can't be read, or is larger than 64 MiB.
    """
    try:
        names = sorted(
            name for name in os.listdir(folder) if name.startswith("ledger.") and name.endswith(".jsonl")
        )
    except OSError:
        names = []
    ledgers = [parse_ledger(store.read(name, root=folder, may_be_empty=True) or b"") for name in names]
    events = tuple(event for ledger in ledgers for event in ledger.events)
    return Ledger(events, sum(ledger.broken for ledger in ledgers))
