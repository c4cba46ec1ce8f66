"""The command that lets a person edit one entry."""

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import typer

from qlearn import store
from qlearn.cli.options import Id
from qlearn.cli.terminal import interactive, say
from qlearn.cli.workspace import Texts, workspace
from qlearn.cli.writing import find_entry
from qlearn.document import parse
from qlearn.errors import QlearnError, RegistryError
from qlearn.learning import Learning, learnings, parse_learnings
from qlearn.registry import refuse_conflict, replace_entry

app = typer.Typer()


@app.command("edit", epilog="Example: qlearn edit L012")
def edit(ctx: typer.Context, id: Id) -> None:  # noqa: A002 - the argument's name
    """Edit one entry in $VISUAL or $EDITOR.

    What comes back is read again before it is written. If it can't be taken, it stays in a file.
    """
    editor, place = find_editor(), workspace(ctx)
    text = place.read()
    refuse_conflict(text)
    entry = find_entry(parse_learnings(text), id, place.read(place.archive))
    before = text[entry.start : entry.end]

    def take(after: str) -> None:
        def change(texts: Texts) -> tuple[Texts, None]:
            return texts._replace(registry=put_back(texts.registry, entry, before, after)), None

        place.update(change)

    say(f"{entry.id} changed." if revise(editor, before, entry.id, take) else f"{entry.id} is unchanged.")


def revise(editor: list[str], text: str, name: str, take: Callable[[str], None]) -> bool:
    """Let the user edit a text, and have it taken; False if it came back as it was.

    Raises:
        QlearnError: It could not be edited or taken; the message names the file that keeps it.
    """
    file = _open(editor, text, name)
    try:
        after = store.decoded(file.name, file.read_bytes())
        if after != text:
            take(after)
    except QlearnError as error:
        raise QlearnError(f"{error}; your text is kept in {file}") from error
    shutil.rmtree(file.parent, ignore_errors=True)  # with what the editor has left beside it
    return after != text


def find_editor() -> list[str]:
    """The user's editor as a command; vi where there is a terminal for it.

    Raises:
        QlearnError: None is named, or in quotes that are not closed.
    """
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi" * interactive()
    try:
        command = shlex.split(named)
    except ValueError as error:
        raise QlearnError(f"the editor {named} is no command ({error}); set EDITOR") from error
    if not command:
        raise QlearnError("no editor is known; set EDITOR")
    return command


def _open(editor: list[str], text: str, name: str) -> Path:
    """Let the user edit a text; return the file that holds it now, in a folder of its own.

    Raises:
        QlearnError: There is no such program, or it failed.
    """
    file = Path(tempfile.mkdtemp(prefix="qlearn-"), f"{name}.md")
    file.write_bytes(text.encode())
    # Ctrl-C is for the editor, which has the terminal. Unlike SIG_IGN, a handler is not passed on to it.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        code = subprocess.run([*editor, str(file)], check=False).returncode
    except (OSError, ValueError) as error:  # a ValueError for a name with a NUL
        shutil.rmtree(file.parent, ignore_errors=True)
        reason = getattr(error, "strerror", None) or error
        raise QlearnError(f"{editor[0]} can't be started: {reason}; set EDITOR") from error
    finally:
        signal.signal(signal.SIGINT, before)
    if code:
        raise QlearnError(
            f"{editor[0]} ended with {code}, so nothing was changed; your text is kept in {file}"
        )
    return file


def put_back(text: str, entry: Learning, before: str, after: str, letter: str = "L") -> str:
    """Put an edited entry in the place of the old one.

    Raises:
        RegistryError: It is no longer one entry of that id, the file has another now, or one of them holds
            conflict markers.
    """
    refuse_conflict(text)
    refuse_conflict(after, "the edited entry")
    name = f"{letter}{entry.number:03d}"
    current = _only(text, entry.number, letter)
    if current is None or text[current.start : current.end] != before:
        raise RegistryError(f"{name} has changed meanwhile")
    if not after.endswith(("\n", "\r")):
        after += "\n"
    read = learnings(parse(after), letter)
    if [each.number for each in read] != [entry.number] or read[0].start or after[read[0].end :].strip():
        raise RegistryError(f"the text is no longer one entry with the id {name}")
    text = replace_entry(text, current, after, read[0], letter)
    whole = _only(text, entry.number, letter)
    if (
        whole is None
        or text[current.start + len(after) : whole.end].strip()
        or whole.fields != read[0].fields
    ):
        raise RegistryError(f"what follows {name} would become a part of it; end it with ---")
    return text


def _only(text: str, number: int, letter: str) -> Learning | None:
    found = [each for each in learnings(parse(text), letter) if each.number == number]
    return found[0] if len(found) == 1 else None
