"""Drafts of skills, commands and agents, shown and written."""

import os
from pathlib import Path
from typing import Annotated

import typer

from qlearn import paths, store
from qlearn.cli.options import Json
from qlearn.cli.terminal import print_json, say
from qlearn.cli.workspace import exists, here, workspace
from qlearn.detect.contradiction import contradictions
from qlearn.errors import QlearnError
from qlearn.evolve import Draft, Review, evolve, review
from qlearn.learning import Learning, parse_learnings
from qlearn.proposal import Proposal

app = typer.Typer()


@app.command("evolve", epilog="Example: qlearn evolve --dry-run")
def evolve_(
    ctx: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the files, and write none.")] = False,
    install: Annotated[bool, typer.Option("--install", help="Write into .claude/ of the project.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write over files that differ.")] = False,
    json: Json = False,
) -> None:
    """Draft skills, commands and agents.

    They are made of learnings that go together, and of none that another says the opposite of. What is
    printed is what is written; a file that is there and differs is left alone. Drafts go to your own store,
    or into .claude/ with --install.
    """
    place, found = workspace(ctx), here(ctx)
    learnings = parse_learnings(place.read())
    root = Path(place.root, ".claude") if install else _store(found.id)
    opposite = [each for each in contradictions((), learnings) if each.outcome == "opposite"]
    disputed = {name for each in opposite for name in each.about}
    drafts = evolve(learnings, ctx.obj.now.date(), taken=_foreign_names(root), disputed=disputed)
    looks = _reviews(learnings, opposite, place.root, ctx)
    if json:
        print_json(
            {"drafts": [each._asdict() for each in drafts], "review": [each._asdict() for each in looks]}
        )
    else:
        for draft in drafts:
            say(f"--- {draft.kind} {draft.name} ({', '.join(draft.learnings)}) -> {root / draft.path}")
            print(draft.text)
        for look in looks:
            say(f"review {look.id} ({look.title}): {look.reason}")
        if not drafts:
            say("Nothing to draft yet: two learnings with overlapping triggers make a skill.")
    if not dry_run:
        for draft in drafts:
            written = _write(draft, root, Path(place.root) if install else None, force)
            if not json:
                say(f"{written} {root / draft.path}")


def _store(project_id: str) -> Path:
    user = paths.find(os.environ)
    return Path(user.project(project_id), "evolved") if project_id else Path(user.evolved)


def _foreign_names(root: Path) -> set[str]:
    """Names that something else than a draft of ours has."""
    files = [*root.glob("skills/*/SKILL.md"), *root.glob("agents/*.md"), *root.glob("commands/*.md")]
    foreign = [
        path
        for path in files
        if path.is_file() and "\nevolved_from:\n" not in path.read_text(encoding="utf-8", errors="replace")
    ]
    return {path.parent.name if path.name == "SKILL.md" else path.stem for path in foreign}


def _write(draft: Draft, folder: Path, project: Path | None, force: bool) -> str:
    """Write one draft, through no link that leads out of the project or the store; tell what was done."""
    root = project or folder
    if not root.exists():
        paths.make(str(root))
    name = (folder / draft.path).relative_to(root).as_posix()
    store.make_folder(name.rpartition("/")[0], root=str(root))
    before = store.read(name, root=str(root), may_be_empty=True)
    if before == draft.text.encode():
        return "unchanged"
    if before is not None and not force:
        raise QlearnError(f"{folder / draft.path} is there and differs; --force writes over it")
    lock = ".qe/.lock" if project else ".lock"
    store.update(name, lambda _: draft.text.encode(), root=str(root), may_be_empty=True, lock_file=lock)
    return "wrote"


def _reviews(
    learnings: tuple[Learning, ...], opposite: list[Proposal], root: str, ctx: typer.Context
) -> list[Review]:
    missing = {path for each in learnings for path in each.files if not exists(Path(root, path))}
    return [
        *review(learnings, ctx.obj.now.date(), missing=missing),
        *(Review(", ".join(each.about), each.title, "they say the opposite") for each in opposite),
    ]
