"""Learnings as tables and pages for people. Everything that comes from a file is neutralised here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qlearn.cli.terminal import make_console
from qlearn.decay import score_terms
from qlearn.learning import read_severity
from qlearn.pending import LAST_DAYS
from qlearn.redact import redact
from qlearn.text import clip, neutralise, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date, datetime

    from rich.console import RenderableType

    from qlearn.decay import Ranked
    from qlearn.doctor import Finding
    from qlearn.duplicates import Similar
    from qlearn.interchange.intake import Outcome
    from qlearn.learning import Learning
    from qlearn.mistakes import Mistake
    from qlearn.observation import Observation
    from qlearn.pending import Pending
    from qlearn.summary import Summary, Week
    from qlearn.usage import Usage

MOST = 3.0
BAR = 6
STYLES = {"critical": "bold red", "important": "yellow", "info": "cyan", "minor": "cyan"}


def ranking(ranked: Sequence[Ranked], now: datetime) -> Table:
    """Draw learnings with their scores, in the order given."""
    shown = _that_fit("Type", "Severity", "Age", "Score")
    table = _table("Id", *shown, "Title")
    for learning, score in ranked:
        cells = {**_facts(learning, now), "Score": bar(score, STYLES[learning.severity])}
        _add(table, learning, *(cells[name] for name in shown))
    return table


def explanation(ranked: Sequence[Ranked], now: datetime) -> list[RenderableType]:
    """Draw learnings with the terms of their scores, in the order given."""
    table = _table("Id", "Severity", "Age", "Score", "Title")
    for learning, score in ranked:
        terms = score_terms(learning, now)
        product = f"{terms.weight} × {terms.decay:.3f} × {terms.confidence:.2f} = {score:.2f}"
        _add(table, learning, _severity(learning), _age(learning, now), Text(product))
    rule = "score = weight of the severity (3, 2, 1) × 0.5 ^ (days / 30) × confidence; resolved: 0"
    return [table, Text(), Text(rule, style="dim")]


def listing(learnings: Iterable[Learning], now: datetime) -> Table:
    """Draw learnings in the order given."""
    shown = _that_fit("Type", "Severity", "Age")
    table = _table("Id", *shown, "Title")
    for learning in learnings:
        cells = _facts(learning, now)
        _add(table, learning, *(cells[name] for name in shown))
    return table


def proposals(found: Sequence[Pending], today: date) -> Table:
    """Draw what waits, with how sure it is, what it rests on and how long it stays."""
    table = _table("Id", "Type", "Sure", "Seen", "Left", "Title")
    for pending in found:
        entry, left = pending.entry, pending.days_left(today)
        seen = entry.evidence.seen if entry.evidence else 0
        sure = Text(f"{entry.confidence:.2f}" if entry.confidence is not None else "")
        soon = Text(f"{left} d", "bold yellow" if left <= LAST_DAYS else "")
        title = Text(neutralise(entry.title or entry.learning))
        table.add_row(Text(pending.id, "bold"), Text(entry.type), sure, Text(f"{seen or ''}"), soon, title)
    return table


def proposal(
    pending: Pending,
    where: str,
    alike: Iterable[Similar],
    events: Sequence[Observation],
    today: date,
) -> list[RenderableType]:
    """Write one proposal out for somebody to decide on: what it says, what it rests on, what resembles it."""
    entry = pending.entry
    left = f"{pending.days_left(today)} days left"
    facts = [where, entry.type, entry.severity, *([entry.category] if entry.category else []), left]
    parts: list[RenderableType] = [
        Text.assemble((f"{pending.id}: ", "bold"), (neutralise(entry.title), "bold")),
        Text(" · ".join(facts), STYLES[entry.severity]),
        Text(),
        Padding(Text(neutralise(entry.learning, newlines=True)), (0, 0, 0, 2)),
    ]
    rest = {label: value for label, value in entry.fields.items() if label not in _NOT_FOR_DECIDING and value}
    if entry.evidence:
        seen = f"seen {_times(entry.evidence.seen)} in {entry.evidence.sessions} session(s)"
        last = f", last on {entry.evidence.last}" if entry.evidence.last else ""
        rest["evidence"] = f"{seen}{last}"
    if pending.detector:
        rest["found by"] = pending.detector
    parts += [Text(), *(_field(label, value) for label, value in rest.items())] if rest else []
    parts += [_witnessed(event) for event in events[-MOST_EVENTS:]]
    for each in alike:
        lead = "The same as" if each.same else "Like"
        but = f" (but {each.differs})" if each.differs else ""
        said = neutralise(f"{each.learning.id}{but}: {each.learning.title}")
        parts.append(Text.assemble((f"{lead} ", "bold yellow"), said))
    return [*parts, Text()]


MOST_EVENTS = 4
_NOT_FOR_DECIDING = ("type", "severity", "date", "learning", "category", "key", "events", "detector")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _field(label: str, value: str) -> Text:
    shown = neutralise(value, newlines=True)
    lead = "\n" if "\n" in shown else " "
    return Text.assemble((f"{neutralise(label).capitalize()}:", "bold"), lead, shown)


def _witnessed(event: Observation) -> Padding:
    """Write an event that a proposal rests on in a line or two: what was done, and what came of it."""
    came = event.error or (f"exit {event.exit}" if event.exit else "")
    line = one_line(f"{event.tool or 'prompt'}: {clip(event.input, 300)}")
    said = clip(f"{line} -> {one_line(clip(came, 300))}" if came else line, 150)
    return Padding(
        Text.assemble((f"{event.ts[:16].replace('T', ' ')} ", "dim"), neutralise(said)), (0, 0, 0, 2)
    )


def use(found: Usage) -> list[RenderableType]:
    """Draw what became of the learnings that were shown; nothing before the first session."""
    if not found.sessions and not found.learnings:
        return []
    lines = [
        f"sessions          {found.sessions}",
        f"reached           {_share(found.sessions_reached, found.sessions)} saw what fits the task",
        f"used              {_share(found.used, found.shown)} of what was shown",
        f"feedback          {found.helpful} helpful, {found.harmful} harmful",
        f"proposals         {found.extracted}",
    ]
    parts: list[RenderableType] = [Text(), Text("Use", "bold"), *(Text(line) for line in lines)]
    for each in found.learnings:
        if each.recurred:
            line = f"{each.id} does not work: shown, and its error came back in {each.recurred} session(s)"
            parts.append(Text(neutralise(line), "yellow"))
    return parts


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({part / whole:.0%})" if whole else "")


def certainty(learning: Learning, today: date) -> list[RenderableType]:
    """Explain how sure a learning is: the terms of its confidence, and their sum."""
    from qlearn.confidence import HIGH, LOW, band, confidence, confidence_terms, is_weighed

    sure = confidence(learning.confidence, learning.evidence, today)
    total = Text(f"confidence {sure:.2f}, {band(sure)}", "bold")
    if learning.evidence is None:
        stated = "as stated" if learning.confidence is not None else "nothing is stated: it counts as certain"
        weighed = is_weighed(learning.confidence, None)
        end = "nothing has happened since" if weighed else "it keeps no evidence"
        return [total, Text(f"  {stated}; {end}", "dim")]
    table = Table.grid(padding=(0, 2))
    terms = confidence_terms(learning.confidence, learning.evidence, today)
    for term in terms:
        if term.times:
            times = "" if term.name.startswith("start") else f"{term.times} ×"
            table.add_row(f"  {term.amount:+.2f}", Text(times), Text(term.name))
    is_clamped = not LOW <= round(sum(term.amount for term in terms), 9) <= HIGH
    return [total, table, *([Text(f"  clamped to {LOW:.2f}-{HIGH:.2f}", "dim")] if is_clamped else [])]


def bar(score: float, style: str) -> Text:
    """Draw a score as a share of the highest possible one, and write it beside."""
    drawn = _eighths(min(score / MOST, 1) * BAR)
    return Text.assemble((drawn, style), ("·" * (BAR - len(drawn)), "dim"), f" {score:.2f}")


def age(learning: Learning, now: datetime) -> str:
    """The age that counts for the score, in the largest unit that still tells."""
    if learning.date is None and learning.reinforced is None:
        return "no date"
    days = int(score_terms(learning, now).age_days)
    if days == 0:
        return "today"
    for unit, length, most in (("d", 1, 100), ("wk", 7, 365), ("mo", 30, 1000)):
        if days < most:
            return f"{days // length} {unit}"
    return f"{days // 365} y"


def page(learning: Learning, score: float, now: datetime) -> list[Text]:
    """Write one entry out: its heading, what is known of it, the lesson, and all other fields."""
    heading = Text.assemble((f"{learning.id}: ", "bold"), (neutralise(learning.title), "bold"))
    facts = [learning.type, learning.severity, age(learning, now), f"score {score:.2f}"]
    parts = [heading, Text(" · ".join(["resolved"] * learning.resolved + facts), STYLES[learning.severity])]
    parts += [Text(), Text(neutralise(learning.learning, newlines=True))]
    rest = {label: value for label, value in learning.fields.items() if label not in _IN_HEAD}
    if rest:
        parts.append(Text())
    return [*parts, *(_field(label, value) for label, value in rest.items())]


_IN_HEAD = ("type", "severity", "learning")


def _table(*headings: str) -> Table:
    """A table whose last column takes what room there is."""
    from rich import box

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, header_style="bold")
    table.padding, table.pad_edge = (0, 1, 0, 0), False
    for heading in headings[:-1]:
        table.add_column(heading, no_wrap=True, justify="right" if heading == "Age" else "left")
    table.add_column(headings[-1], ratio=1, overflow="fold")
    return table


def _add(table: Table, learning: Learning, *cells: Text) -> None:
    title = neutralise(learning.title or learning.learning)
    last = Text(f"{title} (resolved)" if learning.resolved else title)
    table.add_row(Text(learning.id, "bold"), *cells, last, style="dim" if learning.resolved else "")


_WIDTHS = {"Type": 11, "Severity": 11, "Age": 8, "Score": 13}
_FOR_ID_AND_TITLE = 22


def _that_fit(*columns: str) -> list[str]:
    """Leave columns out until there is room for some of each title; the score goes last."""
    room, shown = make_console().width - _FOR_ID_AND_TITLE, [*columns]
    for name in ("Type", "Age", "Severity", "Score"):
        if name in shown and sum(_WIDTHS[each] for each in shown) > room:
            shown.remove(name)
    return shown


def _facts(learning: Learning, now: datetime) -> dict[str, Text]:
    return {
        "Type": Text(learning.type),
        "Severity": _severity(learning),
        "Age": _age(learning, now),
    }


def _severity(learning: Learning) -> Text:
    return Text(learning.severity, STYLES[learning.severity])


def _age(learning: Learning, now: datetime) -> Text:
    return Text(age(learning, now))


def mistakes(found: Sequence[Mistake]) -> Table:
    """Draw mistakes of the legacy registry."""
    table = _table("Id", "Severity", "Date", "What was wrong, and what is right")
    for each in found:
        lesson = " -> ".join(half for half in (each.wrong, each.correct) if half) or each.title
        text = neutralise(f"{lesson} (resolved)" if each.resolved else lesson)
        day = each.date.isoformat() if each.date else ""
        severity = Text(each.severity, style=STYLES[each.severity])
        table.add_row(Text(each.id, style="bold"), severity, Text(day), Text(text))
    return table


def intake(outcomes: Sequence[Outcome]) -> Table:
    """Draw what became of each draft of an import. A secret for which one was refused is not shown."""
    table = _table("From", "Becomes", "Severity", "Title")
    for draft, verdict, entry_id, reason in outcomes:
        labels = {label.lower(): value for label, value in draft.fields.items()}
        severity = read_severity(labels.get("severity", ""))
        becomes = {"added": entry_id, "proposed": entry_id, "known": f"is {entry_id}"}.get(verdict, verdict)
        title = neutralise(draft.title or labels.get("learning", ""))
        if verdict == "refused":
            title = redact(title)
        table.add_row(
            Text(neutralise(f"{draft.path}:{draft.lineno}")),
            Text(becomes, "bold"),
            Text(severity, STYLES[severity]),
            Text(f"{title} ({neutralise(reason)})" if reason else title),
            style="" if verdict in ("added", "proposed") else "dim",
        )
    return table


def found(rows: Iterable[tuple[str, int, int, int, str]]) -> Table:
    """Draw what a scan has found, a format a row: files, entries, new ones, and the first file."""
    table = _table("Format", "Files", "Entries", "New", "Such as")
    for name, files, entries, new, path in rows:
        table.add_row(
            Text(name, "bold"), Text(str(files)), Text(str(entries)), Text(str(new)), Text(neutralise(path)),
            style="" if new else "dim",
        )  # fmt: skip
    return table


def moves(rows: Iterable[tuple[str, str, tuple[int, ...], str]]) -> Table:
    """Draw what a migration takes: a place a row, its id, its instincts by folder, and where they go."""
    table = _table("Holds in", "Project", "Personal", "Inherited", "Pending", "Goes to")
    for name, project_id, counts, target in rows:
        cells = [Text(neutralise(name), "bold"), Text(neutralise(project_id)), *map(Text, map(str, counts))]
        table.add_row(*cells, Text(neutralise(target)))
    return table


def findings(found: Iterable[Finding]) -> Table:
    """Draw what was looked at, and the cure of what is wrong."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for level, topic, message, cure in found:
        sign, style = _SIGNS[level]
        table.add_row(Text(sign, style), Text(topic, "bold"), Text(neutralise(message)))
        if cure:
            table.add_row(Text(), Text(), Text(f"-> {neutralise(cure)}", "dim"))
    return table


_SIGNS = {
    "ok": ("✓", "green"),
    "note": ("·", "cyan"),
    "warning": ("!", "bold yellow"),
    "error": ("✗", "bold red"),
}


def statistics(summary: Summary, *, pruned: int) -> list[RenderableType]:
    """Draw counts as bars, and the additions of each week as columns."""
    total = Text(f"{summary.active} active, {summary.resolved} resolved, {pruned} pruned", style="bold")
    grid = Table.grid(padding=(0, 3, 0, 0))
    groups = {"Type": summary.types, "Severity": summary.severities, "Age": summary.ages}
    grid.add_row(*(_counts(name, counts) for name, counts in groups.items()))
    if any(summary.categories.values()):
        grid.add_row(Text())
        grid.add_row(_counts("Category", summary.categories))
    return [total, Text(), grid, Text(), *_weeks(summary.weeks)]


def _counts(name: str, counts: dict[str, int]) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_row(Text(name, style="bold"), Text(), Text(" " * BAR))
    most = max(counts.values()) or 1
    for value, count in counts.items():
        drawn = Text(_eighths(count / most * BAR), style=STYLES.get(value, "green"))
        table.add_row(Text(value), Text(str(count)), drawn)
    table.columns[1].justify = "right"
    return table


def _weeks(weeks: Sequence[Week]) -> list[Text]:
    height, most = 4, max(week.added for week in weeks) or 1
    lines = [Text("Added per week", style="bold")]
    for row in range(height - 1, -1, -1):
        columns = (
            _UPWARDS[round(min(max(week.added / most * height - row, 0), 1) * 8)] * 3 for week in weeks
        )
        lines.append(Text(" ".join(columns), style="green"))
    lines.append(Text(" ".join(f"{week.added or '·':^3}" for week in weeks)))
    first, last = (f"{week.monday:%d %b}" for week in (weeks[0], weeks[-1]))
    return [*lines, Text(f"{first:<{4 * len(weeks) - 1 - len(last)}}{last}", style="dim")]


def _eighths(cells: float) -> str:
    """Draw a bar of so many cells, to an eighth of one; anything above 0 can be seen."""
    full, rest = divmod(max(round(cells * 8), cells > 0), 8)
    return "█" * full + _SIDEWAYS[rest]


_SIDEWAYS: tuple[str, ...] = ("", *"▏▎▍▌▋▊▉")
_UPWARDS = " ▁▂▃▄▅▆▇█"
