"""Commands that look at the registry and change nothing."""

import os
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Annotated

import typer

from qlearn.cli.completing import learning_ids
from qlearn.cli.options import All, Json, OfCategory, OfSeverity, OfType
from qlearn.cli.terminal import note, print_json, print_rich, say
from qlearn.cli.workspace import use_of, workspace
from qlearn.decay import Ranked, ScoreTerms, day_start, decay_score, rank, score_terms
from qlearn.learning import CATEGORIES, Learning, parse_learnings

app = typer.Typer()


@app.command("review", epilog="Example: qlearn review -n 10 --explain")
def review(
    ctx: typer.Context,
    n: Annotated[
        int,
        typer.Option(
            "-n",
            metavar="N",
            min=0,
            show_default=False,
            help="How many; 0 for as many as a session starts with.",
        ),
    ] = 0,
    everything: Annotated[bool, typer.Option("--all", "-a", help="All, and the resolved ones last.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show the terms of each score.")] = False,
    json: Json = False,
) -> None:
    """Rank the learnings, as an agent gets them.

    The order is that of 00:00 UTC of the day, so it is the same all day.
    """
    place, midnight = workspace(ctx), day_start(ctx.obj.now)
    entries = parse_learnings(place.look())
    if everything:
        ranked = scored(entries, midnight)
    else:
        ranked = rank(entries, midnight, n or _top(place.root))
    if json:
        terms = [score_terms(item.learning, midnight) for item in ranked] if explain else None
        print_json(records(ranked, terms))
    elif not ranked:
        say("No learnings yet; `qlearn add` records the first.")
    else:
        from qlearn.cli import show

        print_rich(*(show.explanation(ranked, midnight) if explain else [show.ranking(ranked, midnight)]))


@app.command("search", epilog="Example: qlearn search lockfile --severity critical")
def search(
    ctx: typer.Context,
    query: Annotated[list[str], typer.Argument(metavar="QUERY", show_default=False, help="Words in a row.")],
    type: OfType = None,  # noqa: A002 - the option's name
    severity: OfSeverity = None,
    category: OfCategory = None,
    everything: All = False,
    json: Json = False,
) -> None:
    """Find words in title, lesson, context, type or keywords.

    Case, and how much white space there is, do not count.
    """
    from qlearn.search import search

    midnight = day_start(ctx.obj.now)
    words = " ".join(query)
    entries = search(parse_learnings(workspace(ctx).look()), words)
    ranked = scored(filtered(entries, type, severity, category, everything), midnight)
    if json:
        print_json(records(ranked))
    elif not ranked:
        say(f"No learning holds '{words}'.")
    else:
        from qlearn.cli import show

        print_rich(show.ranking(ranked, midnight))


@app.command("list", epilog="Example: qlearn list --type gotcha --all")
def list_(
    ctx: typer.Context,
    type: OfType = None,  # noqa: A002 - the option's name
    severity: OfSeverity = None,
    category: OfCategory = None,
    everything: All = False,
    json: Json = False,
) -> None:
    """List the learnings in the order of the file."""
    midnight = day_start(ctx.obj.now)
    entries = parse_learnings(workspace(ctx).look())
    chosen = filtered(entries, type, severity, category, everything)
    if json:
        print_json(records([Ranked(entry, decay_score(entry, midnight)) for entry in chosen]))
    elif not chosen:
        say("No learnings to list.")
    else:
        from qlearn.cli import show

        print_rich(show.listing(chosen, midnight))


@app.command("show", epilog="Example: qlearn show L012 --evidence")
def show_(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            autocompletion=learning_ids,
            metavar="[ID|CATEGORY]...",
            help="Such as L012, 12, errors or a Key.",
            show_default=False,
        ),
    ] = None,
    evidence: Annotated[bool, typer.Option("--evidence", help="Explain how sure each is.")] = False,
    json: Json = False,
) -> None:
    """Show whole learnings, also pruned ones.

    An id shows every learning that has it or once had it, also in a file it was imported from; so does a
    Key. A category shows all that are in it. Without any, all are shown by category.
    """
    place, midnight = workspace(ctx), day_start(ctx.obj.now)
    entries, archived = parse_learnings(place.look()), parse_learnings(place.look(place.archive))
    chosen = named(names, entries, archived) if names else _by_category(entries)
    ranked = [Ranked(entry, decay_score(entry, midnight)) for entry in chosen]
    if json:
        found = records(ranked)
        if evidence:
            found = [
                {**each, "certainty": _certainty(item.learning, midnight.date())}
                for each, item in zip(found, ranked, strict=True)
            ]
        print_json(found)
        return
    from qlearn.cli import show

    for number, item in enumerate(ranked):
        print_rich(*[""] * (number > 0), *show.page(item.learning, item.score, midnight))
        if evidence:
            print_rich("", *show.certainty(item.learning, midnight.date()))


def _certainty(learning: Learning, today: date) -> dict[str, object]:
    """How sure a learning is, and the terms that make it so; none where it keeps no evidence."""
    from qlearn.confidence import band, confidence, confidence_terms

    sure = confidence(learning.confidence, learning.evidence, today)
    evidence = learning.evidence
    terms = confidence_terms(learning.confidence, evidence, today) if evidence else ()
    return {"confidence": sure, "band": band(sure), "terms": [term._asdict() for term in terms]}


@app.command("mistakes", epilog="Example: qlearn mistakes --all")
def mistakes(ctx: typer.Context, everything: All = False, json: Json = False) -> None:
    """List the mistakes of the older registry, .qe/MISTAKE.md.

    qlearn never writes it; `qlearn import` brings the mistakes into the registry.
    """
    from qlearn.mistakes import parse_mistakes

    place = workspace(ctx)
    chosen = [each for each in parse_mistakes(place.look(place.mistakes)) if everything or not each.resolved]
    if json:
        print_json(
            [{"id": each.id, **each._asdict(), "date": each.date and str(each.date)} for each in chosen]
        )
    elif not chosen:
        say(f"No mistakes in {place.mistakes}.")
    else:
        from qlearn.cli import show

        print_rich(show.mistakes(chosen))


@app.command("stats", epilog="Example: qlearn stats --json")
def stats(ctx: typer.Context, json: Json = False) -> None:
    """Count the learnings, those added each week, and their use."""
    from qlearn.summary import summarise

    place = workspace(ctx)
    archived = parse_learnings(place.look(place.archive))
    summary = summarise(parse_learnings(place.look()), ctx.obj.now, archived=archived)
    use = use_of(ctx)
    if json:
        weeks = {week.monday.isoformat(): week.added for week in summary.weeks}
        counts = {**summary._asdict(), "weeks": weeks, "pruned": len(archived)}
        rates = {"injection_rate": use.injection_rate, "use_rate": use.use_rate}
        print_json(
            {**counts, "use": {**use._asdict(), **rates, "learnings": [x._asdict() for x in use.learnings]}}
        )
        return
    from qlearn.cli import show

    print_rich(*show.statistics(summary, pruned=len(archived)), *show.use(use))


def named(
    names: Iterable[str], entries: tuple[Learning, ...], archived: tuple[Learning, ...]
) -> list[Learning]:
    """The entries that have an id, or once had it, or are in a category; each once.

    Raises:
        NotFoundError: A name is none of these.
    """
    from qlearn.errors import NotFoundError
    from qlearn.registry import find, mentions

    everything = entries + archived
    chosen: list[Learning] = []
    for name in names:
        if name in CATEGORIES:
            chosen += [entry for entry in entries if entry.category == name]
            continue
        try:
            named = mentions(everything, name)
        except NotFoundError as error:
            raise NotFoundError(f"{error}; or a category: {', '.join(CATEGORIES)}") from None
        chosen += named or (find(everything, name),)
    return list({id(entry): entry for entry in chosen}.values())


def _by_category(entries: Iterable[Learning]) -> list[Learning]:
    order = {category: number for number, category in enumerate(CATEGORIES)}
    active = (entry for entry in entries if not entry.resolved)
    return sorted(active, key=lambda entry: order.get(entry.category or "", len(order)))


def filtered(
    entries: Iterable[Learning],
    type_: str | None,
    severity: str | None,
    category: str | None,
    everything: bool,
) -> tuple[Learning, ...]:
    """Keep the entries that have all the values given; without *everything*, the resolved ones go."""
    return tuple(
        entry
        for entry in entries
        if type_ in (None, entry.type)
        and severity in (None, entry.severity)
        and category in (None, entry.category)
        and (everything or not entry.resolved)
    )


def scored(entries: Iterable[Learning], now: datetime) -> tuple[Ranked, ...]:
    """Order entries by their score, those that score 0 last."""
    return tuple(
        sorted((Ranked(entry, decay_score(entry, now)) for entry in entries), key=lambda item: -item.score)
    )


def records(ranked: Sequence[Ranked], terms: Sequence[ScoreTerms] | None = None) -> list[dict[str, object]]:
    """Make JSON objects of learnings and their scores."""
    from qlearn.interchange.json import record

    found: list[dict[str, object]] = [{**record(item.learning), "score": item.score} for item in ranked]
    for each, term in zip(found, terms or (), strict=False):
        each["terms"] = term._asdict()
    return found


def _top(root: str) -> int:
    """How many learnings a session of this project starts with."""
    from qlearn import config, paths

    loaded = config.load(root, paths.get(os.environ), os.environ)
    for problem in loaded.problems:
        note(problem.message)
    return loaded.config.top
