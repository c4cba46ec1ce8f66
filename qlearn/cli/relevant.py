"""What a session would be shown for a task, and why."""

import sys
from typing import Annotated

import typer

from qlearn.cli.options import Json
from qlearn.cli.terminal import print_json, say
from qlearn.cli.workspace import workspace
from qlearn.decay import day_start
from qlearn.learning import parse_learnings
from qlearn.relevance import Match, least_score, weigh

app = typer.Typer()

EXPLAINED = 10


@app.command("relevant", epilog='Example: qlearn relevant "fix the import error" --explain')
def relevant(
    ctx: typer.Context,
    task: Annotated[
        list[str], typer.Argument(metavar="TASK", show_default=False, help="Words; - for standard input.")
    ],
    k: Annotated[int, typer.Option("-k", metavar="N", min=1, help="How many at most.")] = 3,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each is shown or held back, of the ten best.")
    ] = False,
    json: Json = False,
) -> None:
    """Find the learnings that fit a task, as a prompt gets them."""
    text = sys.stdin.read() if task == ["-"] else " ".join(task)
    entries = [entry for entry in parse_learnings(workspace(ctx).look()) if not entry.resolved]
    found = weigh(entries, text, n=max(k, EXPLAINED), now=day_start(ctx.obj.now))
    shown = [match for match in found if not match.held][:k]
    told = found if explain else shown
    if json:
        print_json([_record(match, match in shown) for match in told])
    elif not told:
        say("No learning fits this task.")
    else:
        for match in told:
            say(f"{match.learning.id}  {match.share:4.0%}  {match.learning.title}")
            if explain:
                say(f"      {_why(match, match in shown, k)}")
        if explain:
            count = f"{len(entries)} learning{'s' * (len(entries) != 1)}"
            say(f"The gate is {least_score(len(entries)):.2f}, for {count}.")


def _why(match: Match, is_shown: bool, k: int) -> str:
    terms = ", ".join(
        f"{term.word if term.word == term.form else f'{term.word} = {term.form}'} {term.score:.2f}"
        for term in match.terms
    )
    factors = f" × {match.prior:.2f} prior"
    if match.work:
        factors += f" × {match.plain:.2f} for {' and '.join(match.work)}"
    verdict = "shown" if is_shown else match.held or f"not among the best {k}"
    return f"{match.score:.2f} = ({terms}){factors}: {verdict}"


def _record(match: Match, is_shown: bool) -> dict[str, object]:
    from qlearn.interchange.json import record

    return {
        **record(match.learning),
        "score": match.score,
        "share": match.share,
        "terms": [term._asdict() for term in match.terms],
        "prior": match.prior,
        "plain": match.plain,
        "work": match.work,
        "shown": is_shown,
        "held": match.held,
    }
