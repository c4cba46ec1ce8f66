"""Extraction on disk: from a transcript and the project's logs to its file of proposals."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from qlearn import ledger, observing, store
from qlearn import project as projects
from qlearn.confidence import Evidence
from qlearn.config import load
from qlearn.detect.outcome import Shown
from qlearn.document import parse
from qlearn.extract import (
    BATCH,
    Change,
    Extraction,
    evidence_changes,
    extract_project,
    extract_session,
    keeps_count,
    length,
)
from qlearn.learning import learnings, parse_learnings
from qlearn.observation import pair, timestamp
from qlearn.proposals import Proposed, Skipped, add_proposals, combined
from qlearn.registry import amend, conflict_line
from qlearn.transcript import lost, read_transcript
from qlearn.usage import Event

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Mapping

    from qlearn.observation import Observation
    from qlearn.paths import UserPaths
    from qlearn.project import Project

DOCUMENTS = (
    "DISCOVERIES.md",
    "PATTERNS.md",
    ".qe/DISCOVERIES.md",
    ".qe/PATTERNS.md",
    "docs/DISCOVERIES.md",
    "docs/PATTERNS.md",
)
LARGEST_TRANSCRIPT = 16 << 20
"""In bytes; of a longer one the end is read."""

_COUNTED = "evidence"


class Extracted(NamedTuple):
    """What was written: the proposals by their ids, entries that gained evidence, and what was left out."""

    added: tuple[str, ...]
    strengthened: tuple[str, ...]
    counted: tuple[str, ...]
    skipped: tuple[Skipped, ...]

    def __str__(self) -> str:
        parts = [f"{len(self.added)} proposed"]
        if self.strengthened:
            parts.append(f"{len(self.strengthened)} strengthened")
        if self.counted:
            parts.append(f"evidence for {', '.join(self.counted)}")
        if self.skipped:
            parts.append(
                f"{len(self.skipped)} skipped ({'; '.join(sorted({each.reason for each in self.skipped}))})"
            )
        return ", ".join(parts)


def allowed(project: Project, user: UserPaths | None, environ: Mapping[str, str]) -> bool:
    """Tell whether proposals may be written here: the project has `.qe/`, and nobody switched it off."""
    if user is None or not project.known or not os.path.isdir(os.path.join(project.root, projects.FOLDER)):
        return False
    return not observing.is_refused(project, user, load(project.root, user, environ).config)


def read_tail(path: str) -> list[str]:
    """Read the lines of a transcript; of one above 16 MiB those of its end.

    Raises:
        StoreError: It is no regular file, or can't be read.
    """
    data = store.read_end(path, LARGEST_TRANSCRIPT)
    return data.decode("utf-8", "replace").split("\n")


def documents(root: str) -> list[str]:
    """The texts in which a project says already what it has found out.

    Raises:
        StoreError: One of them can't be read.
    """
    return [text for name in DOCUMENTS if (text := _text(root, name))]


def extract(
    project: Project,
    user: UserPaths,
    environ: Mapping[str, str],
    lines: Iterable[str],
    *,
    session: str = "",
    now: dt.datetime,
    wait: float = store.COMMAND_WAIT,
) -> Extracted:
    """Propose what the sessions of a transcript teach, and count what they say of entries.

    Where the project is observed, what its hooks recorded comes in; and after every 20 new observations all
    of its sessions are looked at together.

    Args:
        session: One whose records count even if the transcript has nothing of it.

    Raises:
        StoreError, RegistryError: A file could not be read, locked or written; nothing is lost, the same
            transcript gives the same proposals again.
    """
    folder = user.project(project.id)
    seen = observing.read(folder).observations if observing.is_on(project, user, environ) else ()
    told = read_transcript(lines, project=project.id, root=project.root)
    sessions = dict.fromkeys(each.session for each in told)
    if any(each.session == session for each in seen):
        sessions.setdefault(session)
    recorded = [each for each in seen if each.session in sessions]
    current = _whole([*recorded, *lost(recorded, told)])
    everything = _whole([*(each for each in seen if each.session not in sessions), *current])
    said = documents(project.root)
    parts = [extract_session(_of(current, one), said, chars=length(_of(told, one))) for one in sessions]
    if seen and observing.batch_is_due(folder, len(seen), BATCH):
        parts.append(extract_project(everything, os.listdir(project.root), said))
        observing.batch_done(folder, len(seen))
    if not parts:
        parts = [Extraction((), (Skipped("the transcript", "nothing of a session in it"),))]
    found = Extraction(
        tuple(each for part in parts for each in part.proposals),
        tuple(dict.fromkeys(each for part in parts for each in part.skipped)),
    )
    registry = _text(project.root, projects.LEARNINGS)
    archive = _text(project.root, projects.ARCHIVE)

    def change(files: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], Proposed]:
        text = store.decoded(projects.PROPOSALS, files[0])
        proposed = add_proposals(text, found.proposals, now=now, registry=registry, archive=archive)
        return (proposed.text.encode(),), proposed

    proposed = Proposed("", (), (), ())
    if found.proposals:
        files = (projects.PROPOSALS,)
        proposed = store.update_files(files, change, root=project.root, wait=wait, may_be_empty=True)
    counted = _count(project, folder, current, registry, now=now, wait=wait)
    return Extracted(proposed.added, proposed.strengthened, counted, (*found.skipped, *proposed.skipped))


def _count(
    project: Project, folder: str, current: list[Observation], registry: str, *, now: dt.datetime, wait: float
) -> tuple[str, ...]:
    """Add to the evidence of entries what these sessions say, each session once."""
    entries = parse_learnings(registry)
    if not any(keeps_count(entry) for entry in entries) or conflict_line(registry) is not None:
        return ()
    events = ledger.read(folder).events
    shown = [
        Shown(each.session, timestamp(each.at), each.learnings) for each in events if each.kind == "injected"
    ]
    done = {
        (each.session, name, each.value)
        for each in events
        if each.kind == _COUNTED
        for name in each.learnings
    }
    changes = [_not_counted(change, done) for change in evidence_changes(current, entries, shown)]
    changes = [change for change in changes if any(change.evidence[:-1])]
    if not changes:
        return ()

    def change_all(data: bytes) -> bytes:
        text = store.decoded(projects.LEARNINGS, data)
        for change in changes:
            entry = next((each for each in learnings(parse(text)) if each.id == change.id), None)
            if entry is not None and keeps_count(entry):
                text = amend(
                    text, entry.id, fields={"Evidence": str(combined(entry.evidence, change.evidence))}
                )
        return text.encode()

    store.update(projects.LEARNINGS, change_all, root=project.root, wait=wait)
    for change in changes:
        for kind, amount in change.evidence._asdict().items():
            if kind != "last" and amount:
                ledger.append(folder, Event(now, _COUNTED, change.session, (change.id,), value=kind))
    return tuple(dict.fromkeys(change.id for change in changes))


def _not_counted(change: Change, done: set[tuple[str, str, str]]) -> Change:
    """Take out what was counted for this session before: the hook runs at the end of every turn."""
    counts = {
        kind: 0 if (change.session, change.id, kind) in done else count
        for kind, count in change.evidence._asdict().items()
        if kind != "last"
    }
    return change._replace(evidence=Evidence(**counts, last=change.evidence.last))


def _of(observations: Iterable[Observation], session: str) -> list[Observation]:
    return [each for each in observations if each.session == session]


def _whole(observations: list[Observation]) -> list[Observation]:
    return list(pair(sorted(observations, key=lambda each: each.ts)))


def _text(root: str, name: str) -> str:
    data = store.read(name, root=root, limit=store.HOOK_LIMIT, may_be_empty=True)
    return (data or b"").decode("utf-8", "replace")
