"""Export and import: files that are written, refused, read and accounted for."""

from __future__ import annotations

import json
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from qlearn import interchange
from qlearn.learning import parse_learnings
from tests.cli.conftest import Qlearn, entry

if TYPE_CHECKING:
    from pathlib import Path

TWO = entry(3, "One", more="- **Odd**: kept\n") + entry(7, "[RESOLVED] Two")


def test_export_prints_a_registry_of_what_is_active(qlearn: Qlearn) -> None:
    qlearn.write("# Ours\n\nHouse rules.\n\n" + TWO)
    code, out, err = qlearn("export")
    assert (code, err) == (0, "")
    assert out.startswith("# Learning Registry\n")
    assert out.endswith("---\n\n" + entry(3, "One", more="- **Odd**: kept\n").rstrip("\n") + "\n")
    assert [each.id for each in parse_learnings(qlearn("export", "--all").out)] == ["L003", "L007"]


def test_export_makes_a_page_named_like_the_project(qlearn: Qlearn) -> None:
    qlearn.write(TWO)
    assert qlearn("export", "--format", "html", "-o", "out.html") == (0, "Wrote 1 to out.html.\n", "")
    page = (qlearn.root / "out.html").read_text(encoding="utf-8")
    assert "<h1>folder</h1>" in page
    assert ('id="L003"' in page, 'id="L007"' in page) == (True, False)
    assert "Ranked as of <time>2026-11-30</time>" in page
    assert 'id="L007"' in qlearn("export", "--format", "html", "--all").out


def test_the_block_comes_into_agents_md_once_and_goes_again(qlearn: Qlearn) -> None:
    qlearn.write(TWO)
    agents = qlearn.root / "AGENTS.md"
    agents.write_text("# Rules")
    into = ("export", "--format", "agents-md", "--into", "AGENTS.md")
    assert qlearn(*into) == (0, "The learnings are in AGENTS.md.\n", "")
    text = agents.read_text()
    assert text.startswith("# Rules\n\n<!-- qlearn:begin")
    assert "- L003 [gotcha/important] One.\n" in text
    before = agents.stat()
    assert qlearn(*into) == (0, "AGENTS.md needs no change.\n", "")
    assert agents.stat() == before
    assert qlearn(*into, "--remove") == (0, "The learnings are no longer in AGENTS.md.\n", "")
    assert agents.read_text() == "# Rules"
    assert qlearn(*into, "--remove") == (0, "AGENTS.md needs no change.\n", "")


def test_the_block_alone_is_printed(qlearn: Qlearn) -> None:
    qlearn.write(TWO)
    assert "\n- L003 [gotcha/important] One.\n" in qlearn("export", "--format", "agents-md").out
    assert not (qlearn.root / "AGENTS.md").exists()


def test_a_file_that_is_missing_is_made_and_one_that_leads_out_is_left_alone(
    qlearn: Qlearn, tmp_path: Path
) -> None:
    into = ("export", "--format", "agents-md", "--into")
    assert qlearn(*into, "GEMINI.md", "--remove") == (0, "GEMINI.md needs no change.\n", "")
    assert not (qlearn.root / "GEMINI.md").exists()
    assert qlearn(*into, "GEMINI.md").code == 0
    assert "Nothing has been learned yet." in (qlearn.root / "GEMINI.md").read_text()
    (tmp_path / "elsewhere.md").write_text("")
    (qlearn.root / "CLAUDE.md").symlink_to(tmp_path / "elsewhere.md")
    code, _, err = qlearn(*into, "CLAUDE.md")
    assert (code, err.partition(" (")[0]) == (1, "qlearn: CLAUDE.md: leads out of its project")
    assert (tmp_path / "elsewhere.md").read_text() == ""


def test_a_block_that_is_broken_is_one_line(qlearn: Qlearn) -> None:
    (qlearn.root / "AGENTS.md").write_text("<!-- qlearn:end -->\n")
    assert qlearn("export", "--format", "agents-md", "--into", "AGENTS.md") == (
        1,
        "",
        "qlearn: AGENTS.md: line 1: not one block between qlearn:begin and qlearn:end; mend it by hand\n",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["--into", "AGENTS.md"],
        ["--remove", "--format", "agents-md"],
        ["--into", "x.md"],
        ["--format", "agents-md", "--into", "AGENTS.md", "-o", "x.md"],
    ],
)
def test_a_block_needs_its_format_and_a_file_that_clients_read(qlearn: Qlearn, arguments: list[str]) -> None:
    assert qlearn("export", *arguments).code == 2


def test_export_of_nothing_is_an_empty_registry(qlearn: Qlearn) -> None:
    assert parse_learnings(qlearn("export").out) == ()
    assert qlearn("export", "--format", "json").out == "[]\n"


@pytest.mark.parametrize("name", ["md", "json"])
def test_what_was_exported_is_imported_into_the_same_registry(qlearn: Qlearn, name: str) -> None:
    qlearn.write(TWO)
    before = parse_learnings(TWO)
    assert qlearn("export", "--all", "--format", name, "-o", f"out.{name}").out == f"Wrote 2 to out.{name}.\n"
    qlearn.registry.unlink()
    code, out, err = qlearn("import", f"out.{name}")
    assert (code, err) == (0, "")
    assert out.endswith("2 added, 0 known, 0 refused.\n")
    assert [each[:4] for each in parse_learnings(qlearn.read())] == [each[:4] for each in before]
    again = qlearn("import", f"out.{name}")
    assert again.out.endswith("0 added, 2 known, 0 refused.\n")


@pytest.mark.parametrize("name", ["md", "json"])
def test_an_export_of_nothing_is_imported_as_nothing(qlearn: Qlearn, name: str) -> None:
    assert qlearn("export", "--all", "--format", name, "-o", f"out.{name}").code == 0
    for more in ((), ("--format", name)):
        assert qlearn("import", f"out.{name}", *more) == (0, "No learnings found.\n", "")


def test_foreign_markdown_meets_the_gate_and_an_own_export_may_pass_it(qlearn: Qlearn) -> None:
    token = "ghp_" + "a1B2" * 9
    hostile = (entry(1, f"Use {token}"), entry(2, "Red \x1b[31m"), entry(3, "Turn \u202e around"))
    (qlearn.root / "pack.md").write_text("".join(hostile) + entry(4, "Good"), encoding="utf-8")
    code, out, err = qlearn("import", "pack.md", "--json")
    assert (code, err) == (1, "")
    verdicts = [(each["verdict"], each["reason"] or "") for each in json.loads(out)["outcomes"]]
    assert [verdict for verdict, _ in verdicts] == ["refused", "refused", "refused", "added"]
    for (_, reason), part in zip(verdicts, ("github-token", "U+001B", "U+202E"), strict=False):
        assert part in reason
        assert reason.endswith("; --as-is imports what you exported yourself")
        assert token not in reason
    assert [each.id for each in parse_learnings(qlearn.read())] == ["L004"]
    assert qlearn("import", "pack.md", "--as-is").code == 0
    assert {each.title for each in parse_learnings(qlearn.read())} >= {f"Use {token}", "Turn \u202e around"}


def test_no_entry_with_a_conflict_is_taken(qlearn: Qlearn) -> None:
    (qlearn.root / "torn.md").write_text(entry(1, "One", more="\n<<<<<<< HEAD\n") + entry(2, "Two"))
    code, out, _ = qlearn("import", "torn.md")
    assert code == 1
    assert "L001 has a git conflict marker on line 7; resolve the conflict first" in out
    assert [each.id for each in parse_learnings(qlearn.read())] == ["L002"]


def test_export_replaces_no_file_unless_it_is_told_to(qlearn: Qlearn) -> None:
    qlearn.write(TWO)
    target = qlearn.root / "out.md"
    target.write_text("precious")
    assert qlearn("export", "-o", "out.md") == (
        1,
        "",
        "qlearn: out.md: exists already, so nothing was written; --force replaces it\n",
    )
    assert target.read_text() == "precious"
    assert qlearn("export", "-o", "out.md", "--force").code == 0
    assert "### L003: One" in target.read_text()
    assert sorted(path.name for path in qlearn.root.iterdir()) == [".qe", "out.md"]


def test_export_writes_through_no_link_and_into_no_device(qlearn: Qlearn, tmp_path: Path) -> None:
    qlearn.write(TWO)
    secret = tmp_path / "secret"
    secret.write_text("precious")
    (qlearn.root / "link.md").symlink_to(secret)
    (qlearn.root / "dangling.md").symlink_to(tmp_path / "new")
    os.mkfifo(qlearn.root / "fifo.md")
    for name in ("link.md", "dangling.md", "fifo.md", ".qe"):
        assert qlearn("export", "-o", name, "--force") == (
            1,
            "",
            f"qlearn: {name}: no plain file; it was left alone. Name another.\n",
        )
    assert secret.read_text() == "precious"
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["learnings.md", "learnings.archive.md", "proposals.md", "MISTAKE.md"])
def test_export_replaces_no_memory_by_any_name(qlearn: Qlearn, name: str) -> None:
    qlearn.write(TWO)
    memory = qlearn.root / ".qe" / name
    memory.write_text(TWO)
    os.link(memory, qlearn.root / "hard.md")
    (qlearn.root / "folder").symlink_to(".qe")
    for target in (f".qe/{name}", f".qe/../.qe/{name}", f"folder/{name}", "hard.md"):
        for call in (("export",), ("-g", "export")):
            if call == ("-g", "export") and target == "hard.md":
                continue  # which is no file of the user's own registry, and breaks the link alone
            code, out, err = qlearn(*call, "-o", target, "--force")
            assert (code, out) == (1, "")
            assert err == (
                f"qlearn: {target}: a part of the project's memory, so nothing was written. Name another.\n"
            )
    assert memory.read_text() == qlearn.read() == TWO


def test_an_export_that_fails_half_way_leaves_the_old_file(
    qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch
) -> None:
    qlearn.write(TWO)
    target = qlearn.root / "out.md"
    target.write_text("precious")
    target.chmod(0o640)

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device", "out.md")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", fail)
        assert qlearn("export", "-o", "out.md", "--force") == (
            1,
            "",
            "qlearn: out.md: No space left on device; nothing was written\n",
        )
    assert target.read_text() == "precious"
    assert qlearn("export", "-o", "out.md", "--force").code == 0
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in qlearn.root.iterdir()) == [".qe", "out.md"]


def test_export_into_a_folder_that_is_not_there_is_one_line(qlearn: Qlearn) -> None:
    assert qlearn("export", "-o", "no/such/out.md") == (
        1,
        "",
        "qlearn: no/such/out.md: No such file or directory; nothing was written\n",
    )


def test_export_into_a_folder_that_may_not_be_written_names_the_file(
    qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/x/.out.md.qlearn-tmp")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    assert qlearn("export", "-o", "out.md").err == "qlearn: out.md: Permission denied; nothing was written\n"


def test_export_and_import_know_their_formats(qlearn: Qlearn) -> None:
    code, out, err = qlearn("export", "--format", "mistake")
    assert (code, out) == (2, "")
    assert err.startswith(
        "qlearn: Invalid value for '--format' / '-f': 'mistake' is none of md, json, instincts, "
    )
    assert qlearn("import", "x", "--format", "xml").code == 2


def test_a_format_of_several_files_goes_into_a_folder(
    qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = ModuleType("qlearn.interchange.pair")
    vars(pair)["write"] = lambda text, entries: {"a/1.txt": text, "2.txt": str(len(entries))}
    monkeypatch.setitem(sys.modules, "qlearn.interchange.pair", pair)
    monkeypatch.setitem(interchange.WRITABLE, "pair", "pair")
    qlearn.write(TWO)
    assert qlearn("export", "--format", "pair") == (
        1,
        "",
        "qlearn: pair makes 2 files; name a folder for them with -o\n",
    )
    assert qlearn("export", "--format", "pair", "-o", "out").out == "Wrote 1 to out.\n"
    assert (qlearn.root / "out/a/1.txt").read_text() == TWO
    assert (qlearn.root / "out/2.txt").read_text() == "1"
    code, _, err = qlearn("export", "--format", "pair", "-o", "out")
    assert (code, err) == (
        1,
        "qlearn: out/a/1.txt: exists already, so nothing was written; --force replaces it\n",
    )
