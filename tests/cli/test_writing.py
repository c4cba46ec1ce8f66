"""The commands that change the registry: what they write, print and refuse."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import NOW, Qlearn, entry

if TYPE_CHECKING:
    from pathlib import Path

HEADER = """\
# Learning Registry

> Cross-session learnings (mistakes, conventions, gotchas, decisions).
> Ranked by time-decayed relevance and injected top-N at session start.
> Managed by /Qlearn. Do not hand-edit ids.

---

"""


def test_add_prints_the_id_alone_and_writes_the_entry(qlearn: Qlearn) -> None:
    assert qlearn("add", "Pin the lockfile. Else a release drifts.") == (0, "L001\n", "")
    assert qlearn.read() == HEADER + (
        "### L001: Pin the lockfile\n- **Type**: mistake\n- **Severity**: important\n"
        "- **Date**: 2026-11-30\n- **Learning**: Pin the lockfile. Else a release drifts.\n\n---\n"
    )


def test_add_takes_all_there_is_to_say(qlearn: Qlearn) -> None:
    arguments = (
        "--title",
        "Pin it",
        "--type",
        "gotcha",
        "--severity",
        "critical",
        "--context",
        "release.yml",
    )
    more = ("--keywords", "pip, uv", "--category", "tools", "--example", "-")
    assert qlearn("add", "Pin\nthe lockfile", *arguments, *more, stdin="uv lock\n").out == "L001\n"
    assert qlearn.read() == HEADER + (
        "### L001: Pin it\n- **Type**: gotcha\n- **Severity**: critical\n- **Date**: 2026-11-30\n"
        "- **Learning**: Pin\n  the lockfile\n- **Context**: release.yml\n- **Keywords**: pip, uv\n"
        "- **Category**: tools\n- **Example**:\n  ```\n  uv lock\n  ```\n\n---\n"
    )


def test_add_reads_an_example_from_a_file(qlearn: Qlearn) -> None:
    (qlearn.root / "example.txt").write_text("uv lock")
    qlearn("add", "Lock", "--example", "example.txt")
    assert "  ```\n  uv lock\n  ```\n" in qlearn.read()
    assert qlearn("add", "Other", "--example", "missing.txt") == (
        1,
        "",
        "qlearn: missing.txt: No such file or directory\n",
    )
    (qlearn.root / "latin.txt").write_bytes(b"caf\xe9")
    assert qlearn("add", "Other", "--example", "latin.txt") == (
        1,
        "",
        "qlearn: latin.txt: not UTF-8, so it can't stand in a registry\n",
    )


def test_the_same_lesson_is_reinforced_and_said(qlearn: Qlearn) -> None:
    qlearn.write(entry(4, "Pin the lockfile", date="2026-10-01"))
    assert qlearn("add", " pin the\n LOCKFILE. ") == (
        0,
        "L004\n",
        "qlearn: L004 holds the same lesson and was reinforced; --new adds it anyway\n",
    )
    assert "- **Date**: 2026-10-01\n- **Reinforced**: 2026-11-30\n" in qlearn.read()
    assert qlearn("add", "pin the lockfile.", "--json").out == '{\n  "id": "L004",\n  "reinforced": true\n}\n'
    assert qlearn("add", "pin the lockfile.", "--new") == (0, "L005\n", "")


def test_the_same_lesson_reopens_a_resolved_entry(qlearn: Qlearn) -> None:
    qlearn.write(entry(4, "[RESOLVED] Pin the lockfile"))
    assert qlearn("add", "Pin the lockfile.").err == (
        "qlearn: L004 holds the same lesson and was reopened and reinforced; --new adds it anyway\n"
    )
    assert qlearn.read().startswith("### L004: Pin the lockfile\n")


def test_add_numbers_above_what_was_pruned(qlearn: Qlearn) -> None:
    qlearn.archive.write_text(entry(17, "Gone"))
    assert qlearn("add", "Next").out == "L018\n"


def test_add_makes_the_folder_and_tells_git_what_to_ignore(qlearn: Qlearn) -> None:
    (qlearn.root / ".qe").rmdir()
    (qlearn.root / ".git").mkdir()
    (qlearn.root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    assert qlearn("add", "First").out == "L001\n"
    assert (qlearn.root / ".qe/.gitignore").read_text() == ".lock\n.*.qlearn-tmp\nproposals.md\n"


def test_add_says_what_it_closed_and_what_is_cut(qlearn: Qlearn) -> None:
    qlearn.write("### L001: Open\n- **Learning**: x\n\n```sh\nls\n")
    code, out, err = qlearn("add", "y" * 201)
    assert (code, out) == (0, "L002\n")
    assert err == (
        "qlearn: the last entry left a block open, which was closed first\n"
        "qlearn: a session starts with the first 200 of its 201 characters\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "Invalid value for LESSON: there is nothing to add. See `qlearn add --help`."),
        ([" "], 2, "Invalid value for LESSON: there is nothing to add. See `qlearn add --help`."),
        (["x", "--title", "a\n### L009: b"], 1, "a title is one line; put the rest into the lesson"),
        (
            ["x", "--title", "[RESOLVED] a"],
            1,
            "a title can't start or end with [RESOLVED]; use `qlearn resolve`",
        ),
        (["a\x1b[2J"], 1, "the lesson holds U+001B ESC at character 2; take it out"),
        (
            ["x", "--context", "a\u200bb"],
            1,
            "the context holds U+200B ZERO WIDTH SPACE at character 2; take it out",
        ),
        (["x\udc80"], 1, "the lesson holds U+DC80 lone surrogate at character 2; take it out"),
    ],
)
def test_add_refuses_and_writes_nothing(
    qlearn: Qlearn, arguments: list[str], code: int, message: str
) -> None:
    assert qlearn("add", *arguments) == (code, "", f"qlearn: {message}\n")
    assert not qlearn.registry.exists()


TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def test_a_secret_is_refused_and_if_it_is_allowed_that_is_recorded(qlearn: Qlearn) -> None:
    code, out, err = qlearn("add", "Log in", "--context", f"with {TOKEN}")
    assert (code, out) == (1, "")
    assert err == (
        "qlearn: the context holds what looks like a secret (github-token) at character 6;"
        " take it out and revoke it,"
        " or add it with --allow-secret if it is none\n"
    )
    assert not qlearn.registry.exists()
    assert qlearn("add", "Log in", "--context", f"with {TOKEN}", "--allow-secret") == (0, "L001\n", "")
    assert "- **Secret**: allowed\n" in qlearn.read()
    assert qlearn("check").code == 0
    qlearn.write(qlearn.read().replace("allowed", "maybe"))
    assert qlearn("check").code == 1


def test_nothing_is_recorded_where_there_is_no_secret(qlearn: Qlearn) -> None:
    qlearn("add", "Log in", "--allow-secret")
    assert "Secret" not in qlearn.read()


def test_add_refuses_what_hooks_would_not_read(qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qlearn.store.HOOK_LIMIT", 500)
    code, out, err = qlearn("add", "x" * 500)
    assert (code, out) == (1, "")
    assert err.startswith("qlearn: .qe/learnings.md: ")
    assert not qlearn.registry.exists()


def test_reinforce_starts_the_age_anew(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One", date="2026-10-01") + entry(2, "Two", date="2026-10-01"))
    assert qlearn("reinforce", "1", "l002", "L1") == (0, "L001 reinforced: One\nL002 reinforced: Two\n", "")
    assert qlearn.read().count("- **Reinforced**: 2026-11-30\n") == 2


def test_resolve_and_reopen_undo_each_other(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One"))
    assert qlearn("resolve", "1") == (0, "L001 resolved: One\n", "")
    assert qlearn.read() == entry(1, "[RESOLVED] One")
    assert qlearn("reopen", "1") == (0, "L001 reopened: One\n", "")
    assert qlearn.read() == entry(1, "One")


def test_of_several_ids_all_or_none_are_changed(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One"))
    assert qlearn("resolve", "1", "2") == (1, "", "qlearn: No learning '2'. Did you mean L001?\n")
    assert qlearn.read() == entry(1, "One")


@pytest.mark.parametrize("command", [["add", "x"], ["resolve", "1"], ["reinforce", "1"], ["prune", "--yes"]])
def test_a_conflict_and_bytes_that_are_not_utf_8_are_never_written_over(
    qlearn: Qlearn, command: list[str]
) -> None:
    qlearn.write(f"<<<<<<< ours\n{entry(1, '[RESOLVED] One')}=======\n>>>>>>> theirs\n")
    code, _, err = qlearn(*command)
    assert (code, err) == (
        1,
        "qlearn: the registry has a git conflict marker on line 1; resolve the conflict first\n",
    )
    data = entry(1, "[RESOLVED] Caf_").encode().replace(b"_", b"\xe9")
    qlearn.registry.write_bytes(data)
    code, _, err = qlearn(*command)
    assert code == 1
    assert err == (
        "qlearn: .qe/learnings.md:1: byte 0xe9 is not valid UTF-8; save the file as UTF-8;"
        " nothing was written\n"
    )
    assert qlearn.registry.read_bytes() == data


FADED = entry(1, "[RESOLVED] One") + entry(2, "Two", date="2026-01-01") + entry(3, "Three")
SHOWN = """\
Id    Type    Severity      Age  Score        Title
────────────────────────────────────────────────────────────
L001  gotcha  important   today  ······ 0.00  One (resolved)
L002  gotcha  important   11 mo  ······ 0.00  Two
"""


@pytest.mark.parametrize("options", [(), ("--dry-run",), ("--dry-run", "--yes")])
def test_prune_without_a_terminal_or_in_a_dry_run_only_shows(
    qlearn: Qlearn, options: tuple[str, ...]
) -> None:
    qlearn.write(FADED)
    code, out, err = qlearn("prune", *options)
    assert code == 0
    assert "One (resolved)" in out
    assert "Two" in out
    assert "Three" not in out
    assert err == "qlearn: nothing was moved; --yes moves them\n"
    assert qlearn.read() == FADED
    assert not qlearn.archive.exists()


def test_prune_moves_whole_entries_to_the_archive(qlearn: Qlearn) -> None:
    qlearn.write(FADED)
    code, out, err = qlearn("prune", "--yes")
    assert (code, err) == (0, "")
    assert out.endswith("Moved 2 to .qe/learnings.archive.md.\n")
    assert qlearn.read() == entry(3, "Three")
    assert qlearn.archive.read_text().count("- **Pruned**: 2026-11-30\n") == 2
    assert qlearn("prune") == (0, "Nothing to prune.\n", "")


def test_prune_of_everything_leaves_a_registry(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "[RESOLVED] One"))
    assert qlearn("prune", "--yes").code == 0
    assert qlearn("add", "Two").out == "L002\n"


def test_prune_takes_another_threshold(qlearn: Qlearn) -> None:
    qlearn.write(FADED)
    assert [
        item["id"] for item in json.loads(qlearn("prune", "--threshold", "2.5", "--json", "--yes").out)
    ] == [
        "L001",
        "L002",
        "L003",
    ]
    assert qlearn("prune", "--threshold", "-1").code == 2
    for odd in ("nan", "inf", "1e999"):
        code, out, err = qlearn("prune", "--threshold", odd)
        assert (code, out) == (2, "")
        assert err == (
            f"qlearn: Invalid value for --threshold: {float(odd)} is no score. See `qlearn prune --help`.\n"
        )


@pytest.mark.parametrize("command", ["reinforce", "resolve", "reopen", "used", "edit", "feedback"])
def test_an_entry_that_was_pruned_is_said_to_stand_in_the_archive(
    qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("EDITOR", "true")
    qlearn.write(FADED)
    assert qlearn("prune", "--yes").code == 0
    message = "L001 was pruned and stands in the archive; `qlearn show L001`"
    verdict = ["helpful"] if command == "feedback" else []
    assert qlearn(command, "1", *verdict) == (1, "", f"qlearn: {message}\n")


def test_prune_moves_nothing_if_the_registry_changes_after_it_was_shown(
    qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch
) -> None:
    qlearn.write(FADED)

    def change_and_agree(_: str) -> bool:
        qlearn.write(entry(1, "[RESOLVED] One") + entry(2, "[RESOLVED] Something else"))
        return True

    monkeypatch.setattr("qlearn.cli.writing.interactive", lambda: True)
    monkeypatch.setattr("qlearn.cli.writing.confirm", change_and_agree)
    code, _, err = qlearn("prune")
    assert (code, err) == (
        1,
        "qlearn: the registry has changed meanwhile, so nothing was moved; try again\n",
    )
    assert not qlearn.archive.exists()


def test_an_edit_keeps_the_line_ends_of_the_file(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One").replace("\n", "\r\n"))
    qlearn("add", "Two")
    assert qlearn.read().count("\n") == qlearn.read().count("\r\n")


def test_what_does_not_change_is_not_written(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "[RESOLVED] One"))
    before = qlearn.registry.stat()
    assert qlearn("resolve", "1").code == 0
    assert qlearn.registry.stat() == before


def test_a_registry_linked_to_a_file_elsewhere_is_left_alone(qlearn: Qlearn, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text(entry(1, "Secret"))
    qlearn.registry.symlink_to(secret)
    for command in (["list"], ["add", "x"], ["resolve", "1"]):
        code, out, err = qlearn(*command)
        assert (code, out) == (1, "")
        assert err.startswith("qlearn: .qe/learnings.md: leads out of its project")
    assert secret.read_text() == entry(1, "Secret")


def test_the_day_is_that_of_utc(qlearn: Qlearn) -> None:
    late = NOW.replace(hour=23, minute=59).astimezone(tz=None)
    qlearn("add", "Late", now=late)
    assert "- **Date**: 2026-11-30\n" in qlearn.read()


def test_a_lesson_in_other_words_is_reinforced_and_shown(qlearn: Qlearn) -> None:
    qlearn.write(entry(4, "Pin the lockfile", more="- **Confidence**: 0.8\n").replace(
        "Pin the lockfile.", "Pin the versions in the lockfile before a release."
    ))  # fmt: skip
    done = qlearn("add", "Before a release, pin the versions in the lock file.")
    assert done.err == (
        "qlearn: L004 holds the same lesson in other words, 'Pin the lockfile', and was reinforced;"
        " --new adds it anyway\n"
    )
    assert "- **Confidence**: 0.85\n" in qlearn.read()


def test_what_is_only_similar_is_added_and_named(qlearn: Qlearn) -> None:
    qlearn.write(entry(4, "The shop's database listens on port 5432"))
    assert qlearn("add", "The shop's database listens on port 5433.") == (
        0,
        "L005\n",
        "qlearn: similar to L004, but numbers: 5433 / 5432: The shop's database listens on port 5432\n",
    )
