"""The files to import, found and read without being led out of their folder.

What somebody names is read, wherever it lies; what lies in a folder is read if it stays below it. Links that
leave it, devices and files that are too large are named and left alone. Paths are those below the project, or
below the folder of what was named: no absolute path gets into a registry.
"""

from __future__ import annotations

import codecs
import os
import re
from typing import TYPE_CHECKING, NamedTuple

from qlearn import interchange, store
from qlearn.errors import Problem, StoreError
from qlearn.interchange import Passed
from qlearn.problems import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_FILES = 10_000
LARGEST_FILE = 16 * store.MIB
MOST_BYTES = 64 * store.MIB
DEEPEST = 12

SUFFIXES = (".md", ".markdown", ".json", ".jsonl", ".yaml", ".yml")
# Folders of tools and of what they make; nobody keeps lessons there.
_TOOLS = frozenset(
    (
        ".git",
        ".hg",
        ".svn",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        ".tox",
        ".mypy_cache",
        "site-packages",
    )
)
_MADE = frozenset(("dist", "build", "target", "vendor", ".next", "coverage", "htmlcov"))
_OWN = re.compile(r"\.qe/(?!MISTAKE\.md\Z)")
# JSON is data of all kinds: only files of these names are looked into.
_NAMED_JSON = re.compile(r"(?:\A|/)buglog\.json\Z")


class Gathered(NamedTuple):
    """Texts by their paths, and what could not be read as it is."""

    files: dict[str, str]
    passed: tuple[Passed, ...] = ()


def gather(path: str, *, base: str) -> Gathered:
    """Read a file, or those files in a folder that may hold learnings.

    Args:
        path: Absolute, or from the current folder.
        base: The folder that paths are told from, if *path* lies below it.

    Raises:
        StoreError: There is nothing at *path*, it can't be read, or it holds too much.
    """
    full = os.path.abspath(path)
    if not os.path.isdir(full):
        data = store.read(full, root="/", limit=LARGEST_FILE, may_be_empty=True)
        if data is None:
            raise StoreError(f"{path}: no such file")
        return _decoded({_told(full, os.path.dirname(full), base): data})
    found: dict[str, bytes] = {}
    passed: list[Passed] = []
    size = 0
    for name in _names(full, _TOOLS):
        told = _told(os.path.join(full, name), os.path.dirname(full), base)
        if len(found) + len(passed) >= MOST_FILES:
            raise StoreError(f"{path}: holds more than {MOST_FILES:,} files; name a smaller folder")
        try:
            found[told] = store.read(name, root=full, limit=LARGEST_FILE, may_be_empty=True) or b""
        except StoreError as error:
            passed.append(Passed(told, Problem(1, str(error).removeprefix(f"{name}: "))))
            continue
        size += len(found[told])
        if size > MOST_BYTES:
            raise StoreError(f"{path}: holds more than {MOST_BYTES // store.MIB} MiB; name a smaller folder")
    files, flaws = _decoded(found)
    return Gathered(files, (*passed, *flaws))


def scan(root: str) -> dict[str, Gathered]:
    """Find what a project keeps in formats that can be imported, by format.

    Files count whose path or content leaves no doubt. The registry and the folders of tools are left out.

    Raises:
        StoreError: As `gather`.
    """
    found: dict[str, str] = {}
    passed: list[Passed] = []
    for name in _names(root, _TOOLS | _MADE):
        if _OWN.match(name) or (name.endswith(".json") and not _NAMED_JSON.search(name)):
            continue
        if len(found) >= MOST_FILES:
            raise StoreError(f"{root}: holds more than {MOST_FILES:,} files; name a smaller folder")
        try:
            data = store.read(name, root=root, limit=LARGEST_FILE, may_be_empty=True)
        except StoreError:
            continue  # nobody asked for this one
        files, flaws = _decoded({name: data or b""})
        found |= files
        passed += flaws
    return {
        name: Gathered(files, tuple(each for each in passed if each.path in files))
        for name, files in interchange.sort(found, least=2).items()
    }


def place_of(told: str, path: str, *, base: str) -> str:
    """Where a file lies that `gather` has read, by its path as told; the arguments are those it got."""
    full = os.path.abspath(path)
    is_inside = full == os.path.abspath(base) or full.startswith(_below(base))
    return os.path.join(base if is_inside else os.path.dirname(full), told)


def told(path: str, *, base: str) -> str:
    """How `gather` tells a folder: from the base if it lies below, else by its name; "" for the base."""
    full = os.path.abspath(path)
    found = "." if full == os.path.abspath(base) else _told(full, os.path.dirname(full), base)
    return "" if found == "." else found


def _below(base: str) -> str:
    return os.path.abspath(base).rstrip(os.sep) + os.sep


def _names(root: str, skipped: frozenset[str], below: str = "", depth: int = 0) -> Iterator[str]:
    """The paths below a folder, with slashes, of files whose names may be those of learnings; sorted."""
    try:
        with os.scandir(os.path.join(root, below)) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in found:
        name = f"{below}/{entry.name}" if below else entry.name
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in skipped and depth < DEEPEST:
                yield from _names(root, skipped, name, depth + 1)
        elif entry.name.lower().endswith(SUFFIXES):
            yield name


def _told(full: str, parent: str, base: str) -> str:
    """A path as it is told: from the base if it lies below, else from what was named."""
    return os.path.relpath(full, base if full.startswith(_below(base)) else parent).replace(os.sep, "/")


def _as_utf_8(data: bytes) -> bytes:
    """A file that begins as UTF-16 does, which is what Windows PowerShell writes, in UTF-8."""
    if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data
    try:
        return data.decode("utf-16").encode()
    except UnicodeDecodeError:
        return data


def _decoded(found: dict[str, bytes]) -> Gathered:
    files: dict[str, str] = {}
    passed: list[Passed] = []
    for path, data in found.items():
        files[path], problems = decode(_as_utf_8(data))
        passed += (Passed(path, problem) for problem in problems)
    return Gathered(files, tuple(passed))
