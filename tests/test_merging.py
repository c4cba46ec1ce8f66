from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from qlearn.errors import NotFoundError, StoreError
from qlearn.merge import Memory
from qlearn.merging import ATTRIBUTES, Files, drive, install, lost, merge_again, under_way, uninstall

from .repositories import FILES, Clone, environment, repository

if TYPE_CHECKING:
    from pathlib import Path

PATHS = Files(*FILES)


def entry(number: int, title: str, more: str = "") -> str:
    return f"### L{number:03d}: {title}\n- **Date**: 2026-01-01\n- **Learning**: {title}\n{more}\n---\n\n"


BASE = Memory(entry(1, "a"), "")
OURS = Memory(BASE.registry + entry(2, "b"), "")
THEIRS = Memory(BASE.registry + entry(2, "c"), "")
BOTH = BASE.registry + entry(2, "b") + entry(3, "c", "- **Was**: L002\n")


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """A clone on `main` beside a branch `side`, each with a change of its own."""
    clone = Clone(tmp_path / "clone", environment(tmp_path))
    clone.commit(BASE)
    clone.git("checkout", "--quiet", "-b", "side")
    clone.commit(THEIRS)
    clone.git("checkout", "--quiet", "main")
    clone.commit(OURS)
    return clone


# The driver ---------------------------------------------------------------------------------------


def test_with_the_driver_git_merges_by_entries(clone: Clone) -> None:
    install(repository(clone))
    assert "L002 is L003 now: 'c'" in clone.git("merge", "side")
    assert clone.read().registry == BOTH
    assert clone.git("status", "--short") == ""


@pytest.mark.parametrize(
    "folder", ["-h", "--help", "-", "a b", "$(touch x)", "`touch x`", "'", '"', "\\", "%O", "ü"]
)
def test_the_driver_serves_in_a_folder_of_any_name(folder: str, tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone", environment(tmp_path))
    install(repository(clone))
    file = clone.folder / folder / ".qe" / "learnings.md"
    file.parent.mkdir(parents=True)
    for branch, memory in (("base", BASE), ("side", THEIRS), ("main", OURS)):
        clone.git("checkout", "--quiet", "-B", branch, *(["base"] if branch != "base" else []))
        file.write_text(memory.registry)
        clone.commit()
    clone.git("merge", "side")
    assert file.read_text() == BOTH
    assert not list(clone.folder.rglob("x"))


def test_the_driver_serves_where_another_version_can_not_be_read(clone: Clone) -> None:
    theirs = clone.git("rev-parse", "side").strip()
    blob = clone.git("rev-parse", "side:.qe/learnings.md").strip()
    (clone.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    texts = [memory.registry for memory in (BASE, OURS, THEIRS)]
    environ = {f"GITHEAD_{theirs}": "side"}
    assert drive(repository(clone), PATHS.registry, texts, 7, environ).text == BOTH
    with pytest.raises(StoreError, match="can't be read"):
        PATHS.at(theirs, repository(clone))


def test_without_it_git_is_in_conflict(clone: Clone) -> None:
    install(repository(clone))
    uninstall(repository(clone))
    uninstall(repository(clone))
    assert not clone.tries("merge", "side")
    assert "<<<<<<<" in clone.read().registry
    assert not (clone.folder / ".git" / "info" / "attributes").read_text()
    assert "qlearn" not in (clone.folder / ".git" / "config").read_text()


def test_what_stands_in_the_clones_attributes_stays(clone: Clone) -> None:
    attributes = clone.folder / ".git" / "info" / "attributes"
    attributes.parent.mkdir()
    attributes.write_text("*.x binary")
    for _ in range(2):
        install(repository(clone))
        assert attributes.read_text() == "\n".join(("*.x binary", *ATTRIBUTES, ""))
    uninstall(repository(clone))
    assert attributes.read_text() == "*.x binary\n"


@pytest.mark.parametrize(
    "operation", [("rebase", "main"), ("cherry-pick", "side"), ("merge", "--squash", "side")]
)
def test_the_driver_serves_other_merges(clone: Clone, operation: tuple[str, ...]) -> None:
    install(repository(clone))
    if operation[0] == "rebase":
        clone.git("checkout", "--quiet", "side")
    clone.git(*operation)
    assert clone.read().registry == BOTH


def test_a_conflict_stops_the_merge_with_markers(clone: Clone) -> None:
    install(repository(clone))
    clone.commit(Memory(OURS.registry.replace(": a\n\n", ": ours\n\n"), ""))
    clone.git("checkout", "--quiet", "side")
    clone.commit(Memory(THEIRS.registry.replace(": a\n\n", ": theirs\n\n"), ""))
    assert "conflict: L001: both sides changed its Learning" in clone.git("merge", "main", fails=True)
    text = clone.read().registry
    assert text.count("<<<<<<<") == 1
    assert clone.git("status", "--short").startswith("UU")
    assert "both texts" not in text


@pytest.mark.parametrize("program", [None, "exit 1", "echo Traceback >&2; exit 1", "exit 127", "kill $$"])
def test_without_a_program_that_works_git_merges_by_lines(clone: Clone, program: str | None) -> None:
    install(repository(clone))
    path = clone.folder.parent / "bin" / "qlearn"
    path.unlink()
    if program:
        path.write_text(f"#!/bin/sh\n{program}\n")
        path.chmod(0o755)
    assert not clone.tries("merge", "side")
    text = clone.read().registry
    assert "<<<<<<<" in text
    assert "title" not in text
    assert all(f"- **Learning**: {title}\n" in text for title in "abc")


def test_the_archive_of_the_other_side_gives_no_number_twice(clone: Clone) -> None:
    install(repository(clone))
    clone.git("checkout", "--quiet", "side")
    clone.commit(Memory(BASE.registry + "Tail\n", entry(2, "c", "- **Pruned**: 2026-01-02\n")))
    clone.git("checkout", "--quiet", "main")
    clone.git("merge", "side")
    assert "### L003: b\n" in clone.read().registry
    assert "### L002: c\n" in clone.read().archive


def test_archives_merge_with_regard_to_registries(clone: Clone) -> None:
    install(repository(clone))
    clone.commit(Memory(OURS.registry + "Ours\n", entry(3, "d")))
    clone.git("checkout", "--quiet", "side")
    clone.commit(Memory(THEIRS.registry, entry(3, "e")))
    clone.git("merge", "main")
    merged = clone.read()
    assert [line[4:] for text in merged for line in text.split("\n") if line.startswith("###")] == [
        "L001: a", "L002: b", "L005: c", "L003: d", "L004: e",
    ]  # fmt: skip


def test_the_commits_that_git_names_give_the_other_file(clone: Clone) -> None:
    clone.git("checkout", "--quiet", "side")
    theirs = clone.commit(Memory(THEIRS.registry, entry(3, "d")))
    clone.git("checkout", "--quiet", "main")
    texts = (BASE.registry, OURS.registry, THEIRS.registry)
    environ = {"HOME": "/", "GITHEAD_nothing": "x", f"GITHEAD_{theirs}": "side"}
    assert "### L004: c\n" in drive(repository(clone), ".qe/learnings.md", texts, 7, environ).text
    # Not where git merges other texts than those of the commits, as it does to make one base of several.
    texts = (BASE.registry, OURS.registry, THEIRS.registry + "x\n")
    assert "### L003: c\n" in drive(repository(clone), ".qe/learnings.md", texts, 7, environ).text


def test_what_is_no_utf8_is_kept(clone: Clone) -> None:
    texts = ("", "### L001: \udcff\n", "### L001: b\n- **Date**: 2026-01-01\n")
    merged = drive(repository(clone), ".qe/learnings.md", texts, 7, {})
    assert "\udcff" in merged.text


def test_what_cant_be_merged_by_entries_stands_there_whole(clone: Clone) -> None:
    texts = ("### L999999999: x\n", "### L001: a\n- **Learning**: a\n", "### L001: b")
    merged = drive(repository(clone), ".qe/learnings.md", texts, 8, {})
    assert merged.text == f"{'<' * 8} one side\n{texts[1]}{'=' * 8}\n{texts[2]}\n{'>' * 8} the other\n"
    assert merged.conflicts == (
        "L999999999 is in use, so there is no next number; give that entry a smaller one",
    )


def test_without_known_commits_the_archive_here_counts(clone: Clone) -> None:
    clone.commit(OURS._replace(archive=entry(9, "x")))
    texts = (BASE.registry, OURS.registry, THEIRS.registry)
    assert "### L010: c\n" in drive(repository(clone), ".qe/learnings.md", texts, 7, {}).text
    texts = ("", entry(9, "y"), entry(9, "z"))
    assert "### L010: z\n" in drive(repository(clone), ".qe/learnings.archive.md", texts, 7, {}).text


# A merge under way --------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", ["merge", "cherry-pick", "rebase"])
def test_a_merge_that_stopped_is_made_once_more_by_entries(clone: Clone, operation: str) -> None:
    if operation == "rebase":
        clone.git("checkout", "--quiet", "side")
    assert not clone.tries(operation, "main" if operation == "rebase" else "side")
    registry, archive = merge_again(repository(clone), PATHS, clone.read())
    assert registry.text == BOTH
    assert archive.text == ""


def test_a_revert_that_stopped_is_made_once_more_by_entries(clone: Clone) -> None:
    commit = clone.commit(Memory(OURS.registry.replace(": b\n\n", ": b, more\n\n"), ""))
    clone.commit(Memory(OURS.registry.replace(": b\n\n", ": b, more\n- **Context**: x\n\n"), ""))
    assert not clone.tries("revert", commit)
    registry, _ = merge_again(repository(clone), PATHS, clone.read())
    assert registry.text == OURS.registry.replace(": b\n\n", ": b\n- **Context**: x\n\n")


def test_histories_with_nothing_in_common_have_an_empty_base(clone: Clone) -> None:
    clone.git("checkout", "--quiet", "--orphan", "other")
    clone.commit(THEIRS)
    assert not clone.tries("merge", "--allow-unrelated-histories", "main")
    heads = under_way(repository(clone))
    assert heads is not None
    assert heads.bases == ()
    assert merge_again(repository(clone), PATHS, clone.read())[0].text == BOTH


def test_of_several_bases_one_is_made(clone: Clone) -> None:
    """Both branches merge each other's first commit, and one goes on with what it merged."""
    old, newer = (Memory(entry(1, "a", f"- **Note**: {note}\n"), "") for note in ("old", "new"))
    clone.git("checkout", "--quiet", "-b", "left", "main~")
    left = clone.commit(old)
    clone.git("checkout", "--quiet", "-b", "right", "main~")
    right = clone.commit(message="right")
    clone.git("merge", "--quiet", left)
    clone.commit(newer)
    clone.git("checkout", "--quiet", "left")
    clone.git("merge", "--quiet", right)
    clone.commit(old._replace(archive=entry(9, "x")))
    clone.git("merge", "--quiet", "--strategy", "ours", "right")
    assert len(repository(clone).merge_bases("HEAD^1", "HEAD^2")) == 2
    merged = merge_again(repository(clone), PATHS, clone.read())
    assert [each.text for each in merged] == [newer.registry, entry(9, "x")]


def test_no_merge_is_under_way(clone: Clone) -> None:
    assert under_way(repository(clone)) is None
    with pytest.raises(NotFoundError, match="and HEAD is no merge"):
        merge_again(repository(clone), PATHS, clone.read())
    with pytest.raises(NotFoundError, match="HEAD is no merge"):
        lost(repository(clone), PATHS, OURS)


LOST = "L002 'c' of parent 2 is neither in the merge nor in its archive"


def test_what_a_merge_again_would_lose_is_named(clone: Clone) -> None:
    assert not clone.tries("merge", "side")
    assert [problem.message for problem in lost(repository(clone), PATHS, OURS)] == [LOST]
    assert lost(repository(clone), PATHS, Memory(BOTH, "")) == ()


def test_what_the_merge_at_head_has_lost_is_named(clone: Clone) -> None:
    clone.git("merge", "--strategy", "ours", "side")
    assert [problem.message for problem in lost(repository(clone), PATHS, Memory("", ""))] == [LOST]
