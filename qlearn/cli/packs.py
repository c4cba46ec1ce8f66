"""Exports of instincts: into one file or a folder of them, in which what did not change keeps its bytes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qlearn import store
from qlearn.cli.terminal import note
from qlearn.errors import StoreError
from qlearn.interchange.instinct_text import pieces
from qlearn.interchange.instincts import SUFFIXES, by_file, onto

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from qlearn.learning import Learning


def targets(output: Path, entries: Sequence[Learning], *, force: bool) -> Mapping[Path, str]:
    """The files to write so that those at *output* hold these entries; none that would not change.

    *output* is a file if it has the suffix of one and is no folder.

    Raises:
        StoreError: A file is there that holds no instincts, or is no UTF-8, and may not be replaced; or one
            can't be read.

    Args:
        force: Replace it.
    """
    is_file = not output.is_dir() and output.suffix.lower() in SUFFIXES
    files = {output: entries} if is_file else {output / name: each for name, each in by_file(entries).items()}
    found = {}
    for target, each in files.items():
        old = _there(target, force=force)
        new = onto(old or "", each)
        if new != old:
            found[target] = new
    return found


def tell_of_this_machine(entries: Iterable[Learning], names: Iterable[str]) -> None:
    """Note which entries speak of a folder of this machine or of the project's remote."""
    own = [name for name in (*names, str(Path.home())) if len(name) > len("/root")]
    for entry in entries:
        said = "\n".join([entry.title, *entry.fields.values()])
        for name in own:
            if name in said:
                note(f"{entry.id} speaks of {name}; look at it before you give the file away")
                break


def _there(target: Path, *, force: bool) -> str | None:
    """The text of a file, None where there is none or it is to be replaced."""
    if not target.exists() or target.is_symlink() or not target.is_file():
        return None  # what is no plain file is refused when it would be written
    data = store.read(
        target.name, root=str(target.parent.absolute()), limit=store.HOOK_LIMIT, may_be_empty=True
    )
    try:
        text = (data or b"").decode()
    except UnicodeDecodeError:
        text = "\ufffd"
    if pieces(text) or not text.strip():
        return text
    if force:
        return None
    raise StoreError(f"{target}: holds no instincts, so nothing was written; --force replaces it")
