"""Commands that change the registry, each by one pure function."""

import math
import sys
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Annotated, NamedTuple

import typer

from qlearn import registry, store
from qlearn.cli.options import EACH_CATEGORY, EACH_SEVERITY, EACH_TYPE, Category, Ids, Json, Severity, Type
from qlearn.cli.terminal import ask, confirm, interactive, note, print_json, print_rich, say
from qlearn.cli.workspace import Texts, Workspace, workspace
from qlearn.decay import Ranked, day_start, decay_score
from qlearn.document import parse
from qlearn.errors import NotFoundError, QlearnError, RegistryError
from qlearn.learning import SEVERITIES, TYPES, Learning, learnings, parse_learnings

app = typer.Typer()


@app.command("add", epilog="Example: qlearn add 'Pin the lockfile before a release' --type gotcha")
def add(
    ctx: typer.Context,
    lesson: Annotated[
        str, typer.Argument(metavar="LESSON", help="What to do, and why.", show_default=False)
    ] = "",
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="One line; the lesson's first words if left out.")
    ] = "",
    type: Annotated[  # noqa: A002
        Type | None, typer.Option("--type", "-t", metavar="TYPE", help=f"{EACH_TYPE}; mistake if left out.")
    ] = None,
    severity: Annotated[
        Severity | None,
        typer.Option("--severity", "-s", metavar="SEVERITY", help=f"{EACH_SEVERITY}; important if left out."),
    ] = None,
    context: Annotated[
        str, typer.Option("--context", metavar="TEXT", help="The skill, file or situation.")
    ] = "",
    keywords: Annotated[
        str, typer.Option("--keywords", metavar="WORDS", help="3 to 5, with commas between.")
    ] = "",
    category: Annotated[
        Category | None,
        typer.Option("--category", metavar="CATEGORY", help=f"What it is about: {EACH_CATEGORY}."),
    ] = None,
    example: Annotated[
        str, typer.Option("--example", metavar="FILE", help="A file with an example; - for standard input.")
    ] = "",
    allow_secret: Annotated[
        bool, typer.Option("--allow-secret", help="Take what looks like a secret.")
    ] = False,
    new: Annotated[bool, typer.Option("--new", help="Add it even if the same lesson is there.")] = False,
    json: Json = False,
) -> None:
    """Record a lesson and print its id.

    If the same lesson is there already, in these or other words, that one is reinforced instead; what is
    only similar is named. On a terminal, what is missing is asked for.
    """
    draft = Draft(
        lesson, title, type or "", severity or "", context, keywords, category or "", _read(example)
    )
    if interactive() and not json:
        draft = _completed(draft)
    if not (draft.lesson or draft.title).strip():
        raise typer.BadParameter("there is nothing to add", param_hint="LESSON")
    place = workspace(ctx)
    place.prepare()
    recorded = place.update(
        lambda texts: record(texts, draft, ctx.obj.now, new, allow_secret), limit=store.HOOK_LIMIT
    )
    for said in recorded.notes:
        note(f"{said}; --new adds it anyway" if recorded.reinforced else said)
    if json:
        print_json({"id": recorded.id, "reinforced": recorded.reinforced})
    else:
        print(recorded.id)


@app.command("reinforce", epilog="Example: qlearn reinforce L012 L015")
def reinforce(ctx: typer.Context, ids: Ids) -> None:
    """Record that learnings were met again today.

    Their relevance starts anew.
    """
    _edit(ctx, ids, lambda text, name: registry.reinforce(text, name, now=ctx.obj.now), "reinforced")


@app.command("resolve", epilog="Example: qlearn resolve L012")
def resolve(ctx: typer.Context, ids: Ids) -> None:
    """Mark learnings as resolved.

    They are no longer shown to agents, and `qlearn prune` moves them to the archive.
    """
    _edit(ctx, ids, registry.resolve, "resolved")


@app.command("reopen", epilog="Example: qlearn reopen L012")
def reopen(ctx: typer.Context, ids: Ids) -> None:
    """Mark learnings as no longer resolved.

    They are shown to agents again.
    """
    _edit(ctx, ids, registry.reopen, "reopened")


@app.command("prune", epilog="Example: qlearn prune --threshold 0.2")
def prune(
    ctx: typer.Context,
    threshold: Annotated[
        float, typer.Option("--threshold", metavar="SCORE", min=0, help="Move what scores below.")
    ] = 0.1,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would go, and move nothing.")] = False,
    json: Json = False,
) -> None:
    """Move resolved and faded learnings to the archive.

    Shows what would go, then asks; without a terminal that is all, unless --yes is given. Nothing is deleted:
    the archive is .qe/learnings.archive.md.
    """
    if not math.isfinite(threshold):
        raise typer.BadParameter(f"{threshold} is no score", param_hint="--threshold")
    place, midnight = workspace(ctx), day_start(ctx.obj.now)

    def pruned(texts: Texts) -> registry.Pruned:
        return registry.prune_learnings(
            texts.registry, now=midnight, threshold=threshold, archive=texts.archive
        )

    shown = pruned(Texts(place.read(), place.read(place.archive))).removed
    _show_removed(shown, midnight, json)
    if not shown:
        return
    if dry_run or not (yes or interactive()):
        note("nothing was moved; --yes moves them")
        return
    if not yes and not confirm(f"Move {len(shown)} to {place.archive}?"):
        raise QlearnError("nothing was moved")

    def move(texts: Texts) -> tuple[Texts, None]:
        after = pruned(texts)
        if [entry[:3] for entry in after.removed] != [entry[:3] for entry in shown]:
            raise RegistryError("the registry has changed meanwhile, so nothing was moved; try again")
        return Texts(after.text or registry.HEADER, after.archive), None  # an empty file looks like a crash

    place.update(move)
    if not json:
        say(f"Moved {len(shown)} to {place.archive}.")


class Draft(NamedTuple):
    """What is known of a new learning, "" for what was not said."""

    lesson: str
    title: str = ""
    type: str = ""
    severity: str = ""
    context: str = ""
    keywords: str = ""
    category: str = ""
    example: str = ""
    source: str = ""


class Recorded(NamedTuple):
    """The id of the learning that holds the lesson now, whether it was there before, and what to tell."""

    id: str
    reinforced: bool
    notes: tuple[str, ...]


def record(
    texts: Texts, draft: Draft, now: datetime, new: bool, allow_secret: bool
) -> tuple[Texts, Recorded]:
    """Add a lesson, or reinforce the entry that holds it already.

    Raises:
        DraftError, RegistryError: As `registry.add_learning` and `gate.admit`.
    """
    from qlearn.duplicates import Lesson, meet_again, similar
    from qlearn.gate import ALLOWED, admit
    from qlearn.rendering import ITEM_LENGTH
    from qlearn.search import find_same

    has_secret = admit(draft._asdict(), allow_secret=allow_secret)
    lesson = draft.lesson or draft.title
    keywords = [word.strip() for word in draft.keywords.split(",")]
    document = parse(texts.registry)
    entries = () if new else learnings(document)
    exact = find_same(texts.registry, lesson, entries)
    alike = () if exact else similar(Lesson(draft.title, lesson, tuple(filter(None, keywords))), entries)
    if same := exact or next((each.learning for each in alike if each.same), None):
        text = meet_again(texts.registry, same.id, now=now)
        done = "reopened and reinforced" if same.resolved else "reinforced"
        words = "" if exact else f" in other words, '{same.title}',"
        said = f"{same.id} holds the same lesson{words} and was {done}"
        return texts._replace(registry=text), Recorded(same.id, True, (said,))
    added = registry.add_learning(
        texts.registry,
        title=draft.title,
        learning=draft.lesson,
        type=draft.type or "mistake",
        severity=draft.severity or "important",
        context=draft.context,
        keywords=keywords,
        category=draft.category,
        example=draft.example,
        more={"Source": draft.source} | (ALLOWED if has_secret else {}),
        now=now,
        archive=texts.archive,
        document=document,
    )
    notes = [str(each) for each in alike]
    if added.closed:
        notes.append("the last entry left a block open, which was closed first")
    if len(lesson) > ITEM_LENGTH:
        notes.append(f"a session starts with the first {ITEM_LENGTH} of its {len(lesson)} characters")
    return texts._replace(registry=added.text), Recorded(added.id, False, tuple(notes))


def _completed(draft: Draft) -> Draft:
    """Ask for what is missing and matters."""
    if not draft.lesson:
        draft = draft._replace(lesson=ask("Lesson", default=draft.title))
    if not draft.type:
        draft = draft._replace(type=ask("Type", choices=TYPES, default="mistake"))
    if not draft.severity:
        draft = draft._replace(severity=ask("Severity", choices=SEVERITIES, default="important"))
    return draft


def _read(example: str) -> str:
    if not example:
        return ""
    from pathlib import Path

    data = sys.stdin.buffer.read() if example == "-" else Path(example).read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise QlearnError(f"{example}: not UTF-8, so it can't stand in a registry") from None


def _edit(ctx: typer.Context, ids: Iterable[str], change: Callable[[str, str], str], done: str) -> None:
    for entry in edit(workspace(ctx), ids, change):
        say(f"{entry.id} {done}: {entry.title}")


def edit(place: Workspace, ids: Iterable[str], change: Callable[[str, str], str]) -> list[Learning]:
    """Change some entries, all or none, by a function of the text and an id; return them as they were.

    Raises:
        NotFoundError: One of them is not there.
    """

    def edited(texts: Texts) -> tuple[Texts, list[Learning]]:
        text = texts.registry
        entries = parse_learnings(text)
        numbers = dict.fromkeys(map(registry.parse_id, ids))
        found = [find_entry(entries, f"{number}", texts.archive) for number in numbers]
        for entry in found:
            text = change(text, entry.id)
        return texts._replace(registry=text), found

    return place.update(edited)


def find_entry(entries: tuple[Learning, ...], name: str, archive: str) -> Learning:
    """Find an entry to change.

    Raises:
        NotFoundError: It is not there; of one that was pruned, the message says where it stands.
    """
    try:
        return registry.find(entries, name)
    except NotFoundError as error:
        number = registry.parse_id(name)
        if any(entry.number == number for entry in parse_learnings(archive)):
            name = f"L{number:03d}"
            raise NotFoundError(
                f"{name} was pruned and stands in the archive; `qlearn show {name}`"
            ) from error
        raise


def _show_removed(removed: Iterable[Learning], midnight: datetime, json: bool) -> None:
    ranked = [Ranked(entry, decay_score(entry, midnight)) for entry in removed]
    if json:
        from qlearn.cli.reading import records

        print_json(records(ranked))
    elif not ranked:
        say("Nothing to prune.")
    else:
        from qlearn.cli import show

        print_rich(show.ranking(ranked, midnight))
