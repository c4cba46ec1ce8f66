"""The status page: how sure each learning is, what waits, what was observed, where the files are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qlearn import observing, store
from qlearn import project as files
from qlearn.confidence import band, confidence
from qlearn.learning import Learning, parse_learnings
from qlearn.pending import LAST_DAYS, Pending, waiting
from qlearn.text import neutralise

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from rich.console import RenderableType

    from qlearn.paths import UserPaths
    from qlearn.project import Project

BAR = 10
WIDEST_BAND = 12
STYLES = {"tentative": "red", "moderate": "yellow", "strong": "green", "near certain": "bold green"}


class Instinct(NamedTuple):
    """A learning with a confidence, where it holds, and how sure it is."""

    learning: Learning
    scope: str
    confidence: float


class Standing(NamedTuple):
    """All that the page shows. `observed` is None where nothing was said of observation."""

    project: Project
    domains: dict[str, tuple[Instinct, ...]]
    others: int
    waiting: tuple[Pending, ...]
    observed: bool | None
    observations: int
    last_event: str
    skipped: dict[str, int]
    paths: dict[str, str]
    today: dt.date


def look(project: Project, user: UserPaths, environ: Mapping[str, str], today: dt.date) -> Standing:
    """Gather the page; nothing is written.

    Raises:
        StoreError: A file can't be read.
    """
    own = parse_learnings(_text(files.LEARNINGS, project.root)) if project.known else ()
    everywhere = parse_learnings(_text("learnings.md", user.data)) if Path(user.data).is_dir() else ()
    active = [("project", each) for each in own if not each.resolved]
    active += [("global", each) for each in everywhere if not each.resolved]
    weighed = [each for each in active if each[1].evidence is not None or each[1].confidence is not None]
    domains: dict[str, list[Instinct]] = {}
    for scope, learning in weighed:
        sure = confidence(learning.confidence, learning.evidence, today)
        domain = learning.domain or learning.category or "general"
        domains.setdefault(domain, []).append(Instinct(learning, scope, sure))
    seen = observing.read(user.project(project.id)) if project.known else observing.Observed((), 0, {})
    last = seen.observations[-1] if seen.observations else None
    return Standing(
        project,
        {name: tuple(sorted(domains[name], key=lambda each: -each.confidence)) for name in sorted(domains)},
        len(active) - len(weighed),
        waiting(_text(files.PROPOSALS, project.root), today) if project.known else (),
        None
        if not project.known or observing.wanted(project, user) is None
        else observing.is_on(project, user, environ),
        len(seen.observations),
        f"{last.event} at {last.ts[:16].replace('T', ' ')} UTC" if last else "",
        {**seen.skipped, **({"broken lines": seen.broken} if seen.broken else {})},
        {
            "registry": f"{project.root}/{files.LEARNINGS}" if project.known else "",
            "everywhere": user.learnings,
            "records": user.project(project.id) if project.known else "",
            "log": user.log,
        },
        today,
    )


def draw(found: Standing) -> list[RenderableType]:
    """Draw the page."""
    project = found.project
    name = Text.assemble((neutralise(project.name or "no project"), "bold"), f"  {project.id}")
    parts: list[RenderableType] = [name]
    for domain, instincts in found.domains.items():
        parts += [Text(), Text(f"{neutralise(domain)}  ({len(instincts)})", "bold"), _instincts(instincts)]
    if not found.domains:
        parts += [Text(), Text("Nothing keeps evidence yet.", "dim")]
    if found.others:
        parts += [Text(), Text(f"{found.others} more without evidence: `qlearn review` ranks them.", "dim")]
    parts += [Text(), Text(f"Proposals  ({len(found.waiting)})", "bold")]
    if found.waiting:
        parts.append(_waiting(found.waiting, found.today))
    parts += [Text(), Text("Observation", "bold"), Padding(_observation(found), (0, 0, 0, 2))]
    parts += [Text(), Text("Files", "bold")]
    parts += [Text(f"  {label:<12}{neutralise(path) or '-'}", "dim") for label, path in found.paths.items()]
    return parts


def record(found: Standing) -> dict[str, object]:
    """The page as data."""
    return {
        "project": {"id": found.project.id, "name": found.project.name, "root": found.project.root},
        "domains": {
            domain: [
                {
                    "id": each.learning.id,
                    "title": each.learning.title,
                    "scope": each.scope,
                    "confidence": each.confidence,
                    "band": band(each.confidence),
                    "evidence": each.learning.field("Evidence"),
                }
                for each in instincts
            ]
            for domain, instincts in found.domains.items()
        },
        "others": found.others,
        "proposals": [
            {"id": each.id, "title": each.entry.title, "days_left": each.days_left(found.today)}
            for each in found.waiting
        ],
        "observation": {
            "on": found.observed,
            "observations": found.observations,
            "last": found.last_event,
            "skipped": found.skipped,
        },
        "paths": found.paths,
    }


def _grid() -> Table:
    table = Table.grid(padding=(0, 2))
    table.pad_edge = True
    return table


def _instincts(instincts: tuple[Instinct, ...]) -> Table:
    table = _grid()
    for ratio, least in ((None, 0), (None, WIDEST_BAND), (None, 0), (3, 0), (2, 0)):
        table.add_column(ratio=ratio, min_width=least, no_wrap=ratio is None, overflow="fold")
    for each in instincts:
        style = STYLES[band(each.confidence)]
        full = round(each.confidence * BAR)
        drawn = Text.assemble(("█" * full, style), ("·" * (BAR - full), "dim"), f" {each.confidence:.2f}")
        name = each.learning.id if each.scope == "project" else f"global {each.learning.id}"
        title = neutralise(each.learning.trigger or each.learning.title or each.learning.learning)
        if each.learning.trigger:
            title = f"{title}: {neutralise(each.learning.title)}"
        table.add_row(
            drawn,
            Text(band(each.confidence), style),
            Text(name, "bold"),
            Text(title),
            _evidence(each.learning),
        )
    return table


def _evidence(learning: Learning) -> Text:
    if learning.evidence is None:
        return Text("stated", "dim")
    counts = learning.evidence._asdict()
    return Text(
        " · ".join(f"{kind} {count}" for kind, count in counts.items() if kind != "last" and count), "dim"
    )


def _waiting(found: tuple[Pending, ...], today: dt.date) -> Table:
    table = _grid()
    for pending in found:
        left = pending.days_left(today)
        days = Text(
            f"{left} day{'' if left == 1 else 's'} left", "bold yellow" if left <= LAST_DAYS else "dim"
        )
        table.add_row(Text(pending.id, "bold"), days, Text(neutralise(pending.entry.title)))
    return table


def _observation(found: Standing) -> Text:
    if not found.project.known:
        return Text("Nothing is observed outside of projects.", "dim")
    if not found.observed:
        said = "off" if found.observed is False else "off; `qlearn observe on` starts it"
    elif found.last_event:
        said = "on"
    else:
        said = "on, but no event has come: `qlearn doctor` looks why"
    lines = [said]
    if found.observations:
        lines.append(f"{found.observations:,} events, the last one {neutralise(found.last_event)}")
    lines += [f"skipped: {count} × {neutralise(reason)}" for reason, count in found.skipped.items()]
    return Text("\n".join(lines))


def _text(name: str, root: str) -> str:
    return (store.read(name, root=root, may_be_empty=True) or b"").decode("utf-8", "replace")
