"""The command that brings in learnings of other files."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from qlearn import copies, gathering, interchange, store
from qlearn.cli.completing import one_of
from qlearn.cli.options import Json
from qlearn.cli.terminal import confirm, interactive, note, print_json, print_rich, say
from qlearn.cli.workspace import Texts, Workspace, workspace
from qlearn.errors import QlearnError, StoreError
from qlearn.gathering import Gathered
from qlearn.interchange import READABLE, Passed, Reading
from qlearn.interchange.intake import Outcome, TakenIn, take_in
from qlearn.interchange.offering import offer
from qlearn.redact import redact

app = typer.Typer()


_WRITTEN = ("added", "updated", "proposed")


class Choice(NamedTuple):
    """What a person wants of an import beside what is new."""

    everything: bool
    update: bool
    as_is: bool


def _known_format(name: str) -> str:
    if name and name not in READABLE:
        raise typer.BadParameter(f"'{name}' is none of {', '.join(READABLE)}")
    return name


@app.command("import", epilog="Example: qlearn import tasks/lessons.md --dry-run")
def import_(
    ctx: typer.Context,
    path: Annotated[str, typer.Argument(metavar="PATH", show_default=False, help="A file or a folder.")] = "",
    format: Annotated[  # noqa: A002 - the option's name
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            callback=_known_format,
            autocompletion=one_of(READABLE),
            help=f"One of {', '.join(READABLE)}; found out if left out.",
        ),
    ] = "",
    scan: Annotated[bool, typer.Option("--scan", help="Find what this project has, and offer it.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would come, and write nothing.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", "-a", help="Also what would be left out, as the table says.")
    ] = False,
    update: Annotated[bool, typer.Option("--update", help="Bring earlier imports up to date.")] = False,
    as_is: Annotated[
        bool, typer.Option("--as-is", help="Take what you exported yourself, whatever it holds.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Bring in learnings of other files and tools.

    What is known already is not added again, so that importing twice is importing once. On a terminal, a
    table of what becomes what is shown before anything is written; elsewhere, what a scan finds needs --yes.
    An entry that holds what `qlearn add` refuses, a secret or a character that nobody can see, is named and
    left out. What waited for a yes where it comes from is proposed.
    """  # fmt: skip
    if bool(path) == scan:
        raise typer.BadParameter("name a PATH, or say --scan", ctx=ctx)
    place = workspace(ctx)
    found = (
        gathering.scan(place.root) if scan else _sorted(gathering.gather(path, base=place.root), path, format)
    )
    reading = read(found)
    choice = Choice(everything, update, as_is)
    planned = plan(place, reading, choice, ctx.obj.now)
    ask = interactive() and not (yes or dry_run or json)
    if scan and found and not json:
        _show_found(found, planned)
    if not json:
        show_outcomes(planned.outcomes, reading.passed)
    new = any(outcome.verdict in _WRITTEN for outcome in planned.outcomes)
    if ask and new and not confirm("Write this?"):
        say("Nothing was written.")
        raise typer.Exit(1)
    unasked = scan and not (yes or dry_run or ask)
    if unasked and new:
        note("nothing was written; --yes writes it")
    dry_run = dry_run or unasked
    taken = planned if dry_run else bring_in(place, reading, choice, ctx.obj.now)
    if not dry_run:
        for told in reading.broken:
            _keep(told, gathering.place_of(told, path or place.root, base=place.root))
    if json:
        print_json(report(taken.outcomes, reading.passed))
    else:
        say(tally(taken.outcomes, dry_run))
    was_empty = any(_is_empty(gathered) for gathered in found.values())
    if not (taken.outcomes or was_empty) or any(outcome.verdict == "refused" for outcome in taken.outcomes):
        raise typer.Exit(1)


def _sorted(gathered: Gathered, path: str, format_: str) -> dict[str, Gathered]:
    """Sort files by their formats; of a folder, only those that are surely of one, if any is.

    Raises:
        QlearnError: None is of a known format.
    """
    if format_:
        return {format_: gathered}
    files = interchange.sort(gathered.files, least=2) or interchange.sort(gathered.files)
    if not files and _is_empty(gathered):
        return {"md": gathered}
    if not files:
        flaws = "; ".join(f"{each.path}: {each.problem.message}" for each in gathered.passed[:3])
        known = f"of no format that is known; --format names it, one of {', '.join(READABLE)}"
        raise QlearnError(flaws or f"{path}: {known}")
    first = next(iter(files))
    return {name: Gathered(texts, gathered.passed if name == first else ()) for name, texts in files.items()}


def _is_empty(gathered: Gathered) -> bool:
    """Whether there is a file that an export of no learnings has written."""
    return any(map(interchange.is_empty_export, gathered.files.values()))


def read(found: dict[str, Gathered]) -> Reading:
    readings: list[Reading] = []
    for name, gathered in found.items():
        reading: Reading = interchange.reader(name).read(gathered.files)
        readings.append(reading._replace(passed=(*gathered.passed, *reading.passed)))
    return Reading(
        tuple(draft for reading in readings for draft in reading.drafts),
        tuple(passed for reading in readings for passed in reading.passed),
        tuple(path for reading in readings for path in reading.broken),
    )


def plan(place: Workspace, reading: Reading, choice: Choice, now: datetime) -> TakenIn:
    """What an import would do: entries into a registry, and what waits for a yes into its proposals."""
    texts, taken = _take(Texts(place.read(), place.read(place.archive)), reading, choice)
    return _with_offers(
        reading, taken, _offer(place.read(place.proposals, may_be_empty=True), reading, texts, now)
    )


def bring_in(place: Workspace, reading: Reading, choice: Choice, now: datetime) -> TakenIn:
    """Do what `plan` tells.

    Raises:
        RegistryError, StoreError: As `Workspace.update`.
    """
    place.prepare()
    taken = place.update(lambda texts: _take(texts, reading, choice), limit=store.HOOK_LIMIT)
    if not any(draft.waits for draft in reading.drafts):
        return taken
    texts = Texts(place.read(), place.read(place.archive))

    def change(before: tuple[bytes, ...]) -> tuple[tuple[bytes, ...], TakenIn]:
        offered = _offer(store.decoded(place.proposals, before[0]), reading, texts, now)
        return (offered.text.encode(),), offered

    offered = store.update_files((place.proposals,), change, root=place.root, may_be_empty=True)
    return _with_offers(reading, taken, offered)


def _take(texts: Texts, reading: Reading, choice: Choice) -> tuple[Texts, TakenIn]:
    taken = take_in(
        texts.registry,
        [draft for draft in reading.drafts if not draft.waits],
        archive=texts.archive,
        everything=choice.everything,
        update=choice.update,
        as_is=choice.as_is,
    )
    return texts._replace(registry=taken.text), taken


def _offer(text: str, reading: Reading, texts: Texts, now: datetime) -> TakenIn:
    waiting = [draft for draft in reading.drafts if draft.waits]
    return offer(text, waiting, now=now, registry=texts.registry, archive=texts.archive)


def _with_offers(reading: Reading, taken: TakenIn, offered: TakenIn) -> TakenIn:
    """All outcomes in the order of their drafts."""
    plain, waiting = iter(taken.outcomes), iter(offered.outcomes)
    outcomes = tuple(next(waiting if draft.waits else plain) for draft in reading.drafts)
    return taken._replace(outcomes=outcomes)


def _keep(told: str, path: str) -> None:
    """Copy a file that is broken, before anybody writes over it."""
    try:
        note(f"{told}: kept as {copies.keep(Path(path)).name}")
    except StoreError as error:
        note(str(error))


def _show_found(found: dict[str, Gathered], planned: TakenIn) -> None:
    """Offer what a scan has found: by format, how many files, entries and new ones."""
    from qlearn.cli import show

    of_format = {path: name for name, gathered in found.items() for path in gathered.files}
    entries = Counter(of_format[outcome.draft.path] for outcome in planned.outcomes)
    new = Counter(of_format[outcome.draft.path] for outcome in planned.outcomes if outcome.verdict == "added")
    rows = [
        (name, len(gathered.files), entries[name], new[name], next(iter(gathered.files)))
        for name, gathered in found.items()
    ]
    print_rich(show.found(rows))


def show_outcomes(outcomes: tuple[Outcome, ...], passed: tuple[Passed, ...]) -> None:
    from qlearn.cli import show

    if outcomes:
        print_rich(show.intake(outcomes))
    for each in passed:
        if not each.text or each.problem.severity == "error":
            say(f"{each.path}:{each.problem.lineno}: {each.problem.message}")
    for path, reasons in _reasons(passed).items():
        counts = ", ".join(f"{count} × {reason}" for reason, count in sorted(reasons.items()))
        say(f"{path}: passed over {counts}")


def _reasons(passed: Iterable[Passed]) -> dict[str, Counter[str]]:
    """How often lines of each file were passed over, by reason."""
    found: dict[str, Counter[str]] = {}
    for each in passed:
        if each.text and each.problem.severity != "error":
            found.setdefault(each.path, Counter())[each.problem.message] += 1
    return found


def report(outcomes: tuple[Outcome, ...], passed: tuple[Passed, ...]) -> dict[str, object]:
    return {
        "outcomes": [
            {
                "verdict": outcome.verdict,
                "id": outcome.id or None,
                "title": redact(outcome.draft.title) if outcome.verdict == "refused" else outcome.draft.title,
                "path": outcome.draft.path,
                "lineno": outcome.draft.lineno,
                "reason": outcome.reason or None,
            }
            for outcome in outcomes
        ],
        "passed": [{"path": each.path, **each.problem._asdict()} for each in passed],
    }


def tally(outcomes: tuple[Outcome, ...], dry_run: bool) -> str:
    if not outcomes:
        return "No learnings found."
    counts = Counter(outcome.verdict for outcome in outcomes)
    always, more = ("added", "known", "refused"), ("proposed", "changed", "updated", "left out")
    verdicts = (*always, *(verdict for verdict in more if counts[verdict]))
    said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in verdicts)
    return f"Dry run: {said}." if dry_run else f"{said}."
