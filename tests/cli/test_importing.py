"""Import: files of any tool, what becomes of them, and that it is shown before it is done."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from qlearn.learning import parse_learnings
from tests.cli.conftest import Qlearn, entry

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

TWO = entry(3, "One", more="- **Odd**: kept\n") + entry(7, "[RESOLVED] Two")
LESSONS = """\
# Lessons

## 2026-01-02: Pin the lockfile
**Rule:** Pin it before a release.

## [RESOLVED] 2026-01-03: Quote paths
They hold spaces.

---
"""


def put(qlearn: Qlearn, path: str, text: str) -> None:
    target = qlearn.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8", newline="")


def test_a_dry_run_writes_nothing(qlearn: Qlearn) -> None:
    (qlearn.root / "other.md").write_text(TWO)
    code, out, err = qlearn("import", "other.md", "--dry-run")
    assert (code, err) == (0, "")
    assert out.splitlines()[2:] == [
        "other.md:1   L003     important  One",
        "other.md:10  L007     important  Two",
        "Dry run: 2 added, 0 known, 0 refused.",
    ]
    assert list((qlearn.root / ".qe").iterdir()) == []


def test_import_says_what_became_of_each(qlearn: Qlearn) -> None:
    qlearn.write(entry(3, "Other"))
    (qlearn.root / "other.md").write_text("### No id\n\n" + TWO + entry(9, "Other"))
    code, out, err = qlearn("import", "other.md")
    assert (code, err) == (0, "")
    assert out.splitlines()[2:] == [
        "other.md:3   L010     important  One (L003 is taken)",
        "other.md:12  L007     important  Two",
        "other.md:20  is L003  important  Other (stands there already)",
        "other.md:1: 'No id' has no id, so it is no entry; `qlearn fix` gives it a number",
        "2 added, 1 known, 0 refused.",
    ]
    assert [each.id for each in parse_learnings(qlearn.read())] == ["L003", "L010", "L007"]


def test_import_for_programs(qlearn: Qlearn) -> None:
    (qlearn.root / "x.json").write_text('[{"title": "One"}, {"title": "Tw\\u200bo"}, {}]')
    code, out, err = qlearn("import", "x.json", "--json")
    assert (code, err) == (1, "")
    assert json.loads(out) == {
        "outcomes": [
            {"verdict": "added", "id": "L001", "title": "One", "path": "x.json", "lineno": 1, "reason": None},
            {
                "verdict": "refused",
                "id": None,
                "title": "Tw\u200bo",
                "path": "x.json",
                "lineno": 1,
                "reason": "the title holds U+200B ZERO WIDTH SPACE at character 3; take it out",
            },
        ],
        "passed": [
            {
                "path": "x.json",
                "lineno": 1,
                "message": "element 3 has neither a title nor a lesson; it was passed over",
                "severity": "error",
            }
        ],
    }
    assert [each.title for each in parse_learnings(qlearn.read())] == ["One"]


def test_a_secret_is_not_shown_where_it_is_refused(qlearn: Qlearn) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    (qlearn.root / "x.json").write_text(json.dumps([{"title": f"Log in with {secret}"}]))
    for words in ([], ["--json"], ["--dry-run"]):
        done = qlearn("import", "x.json", *words)
        assert "github-token" in done.out
        assert secret not in done.out + done.err


def test_mistakes_are_imported(qlearn: Qlearn) -> None:
    (qlearn.root / ".qe/MISTAKE.md").write_text(
        "### M001: Deploy\n- **Wrong**: on Friday\n- **Correct**: on Monday\n"
    )
    assert qlearn("import", ".qe/MISTAKE.md").out.splitlines()[2:] == [
        ".qe/MISTAKE.md:1  L001     important  Deploy",
        "1 added, 0 known, 0 refused.",
    ]
    assert "- **Learning**: on Friday -> on Monday\n" in qlearn.read()


def test_a_folder_is_read_file_by_file(qlearn: Qlearn) -> None:
    folder = qlearn.root / "deep/er"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text(entry(1, "One"))
    (folder / "b.md").write_text(entry(1, "Two"))
    (folder / "c.txt").write_text(entry(1, "Three"))
    assert qlearn("import", "deep").out.splitlines()[2:] == [
        "deep/er/a.md:1  L001     important  One",
        "deep/er/b.md:1  L002     important  Two (L001 is taken)",
        "2 added, 0 known, 0 refused.",
    ]


def test_a_link_in_a_folder_leads_nowhere_outside_of_it(qlearn: Qlearn, tmp_path: Path) -> None:
    (tmp_path / "private.md").write_text(entry(1, "Private"))
    (qlearn.root / "pack").mkdir()
    (qlearn.root / "pack/a.md").symlink_to(tmp_path / "private.md")
    code, out, err = qlearn("import", "pack")
    assert (code, out) == (1, "")
    assert err.startswith("qlearn: pack/a.md: leads out of its project")
    assert not qlearn.registry.exists()


def test_import_reads_no_device_and_nothing_that_is_not_there(qlearn: Qlearn) -> None:
    os.mkfifo(qlearn.root / "fifo.md")
    for path, message in (
        ("missing.md", "missing.md: no such file"),
        ("fifo.md", f"{qlearn.root}/fifo.md: a FIFO; it was left alone. Move that away."),
        ("/dev/zero", "/dev/zero: a device; it was left alone. Move that away."),
    ):
        assert qlearn("import", path) == (1, "", f"qlearn: {message}\n")


def test_import_of_no_known_format_says_what_is_known(qlearn: Qlearn) -> None:
    (qlearn.root / "notes.md").write_text("# Notes\n")
    code, out, err = qlearn("import", "notes.md")
    assert (code, out) == (1, "")
    assert err.startswith(
        "qlearn: notes.md: of no format that is known; --format names it, one of md, json, mistake, "
    )
    assert qlearn("import", "notes.md", "--format", "md") == (1, "No learnings found.\n", "")


def test_what_is_not_utf_8_is_read_and_reported(qlearn: Qlearn) -> None:
    (qlearn.root / "x.md").write_bytes(entry(1, "Caf_").encode().replace(b"_", b"\xe9"))
    out = qlearn("import", "x.md").out
    assert "x.md:1: byte 0xe9 is not valid UTF-8; save the file as UTF-8\n" in out
    assert "Caf\ufffd" in out


def test_lessons_of_another_tool_come_in_once(qlearn: Qlearn) -> None:
    put(qlearn, "tasks/lessons.md", LESSONS)
    assert qlearn("import", "tasks/lessons.md").out.splitlines()[2:] == [
        "tasks/lessons.md:3  L001     info      Pin the lockfile",
        "tasks/lessons.md:6  L002     info      Quote paths",
        "tasks/lessons.md: passed over 1 × separator, 1 × title of the file",
        "2 added, 0 known, 0 refused.",
    ]
    first, second = parse_learnings(qlearn.read())
    assert (first.learning, str(first.date), first.source) == (
        "Pin it before a release.",
        "2026-01-02",
        "import:lessons",
    )
    assert first.context == "(from tasks/lessons.md)"
    assert second.resolved
    text = qlearn.read()
    assert qlearn("import", "tasks").out.endswith("0 added, 2 known, 0 refused.\n")
    assert qlearn.read() == text


def test_a_path_is_told_from_the_project_or_from_its_own_folder(qlearn: Qlearn, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere" / "LESSONS.md"
    outside.parent.mkdir()
    outside.write_text(LESSONS)
    assert "LESSONS.md:3" in qlearn("import", str(outside), "--dry-run").out
    put(qlearn, "docs/LESSONS.md", LESSONS)
    assert "docs/LESSONS.md:3" in qlearn("import", str(qlearn.root / "docs/LESSONS.md"), "--dry-run").out
    assert "elsewhere/LESSONS.md:3" in qlearn("import", str(outside.parent), "--dry-run").out


def test_a_scan_offers_what_the_project_has(qlearn: Qlearn) -> None:
    put(qlearn, "tasks/lessons.md", LESSONS)
    put(qlearn, ".jules/bolt.md", "## 2026-02-02 - Batch writes\n**Learning:** One by one is slow.\n")
    put(qlearn, "node_modules/x/LESSONS.md", LESSONS)
    put(qlearn, "README.md", "# Readme\n\n## 2026-01-01: news\ntext\n")
    put(qlearn, "data.json", '[{"title": "no lesson"}]')
    put(qlearn, ".qe/proposals.md", "### P001: x\n")
    qlearn.write(entry(1, "Quote paths").replace("Quote paths.", "They hold spaces."))
    lines = qlearn("import", "--scan", "--dry-run").out.splitlines()
    assert lines[2:4] == [
        "jules    1      1        1    .jules/bolt.md",
        "lessons  1      2        1    tasks/lessons.md",
    ]
    assert lines[-1] == "Dry run: 2 added, 1 known, 0 refused."
    before = qlearn.read()
    code, out, err = qlearn("import", "--scan")
    assert (code, err) == (0, "qlearn: nothing was written; --yes writes it\n")
    assert out.splitlines() == lines
    assert qlearn("import", "--scan", "--json").err == err
    assert qlearn.read() == before
    assert qlearn("import", "--scan", "--yes").out.endswith("\n2 added, 1 known, 0 refused.\n")
    code, out, err = qlearn("import", "--scan")
    assert (code, err) == (0, "")
    assert out.endswith("0 added, 3 known, 0 refused.\n")


def test_a_scan_that_finds_nothing_says_so(qlearn: Qlearn) -> None:
    assert qlearn("import", "--scan") == (1, "No learnings found.\n", "")


def test_import_needs_a_path_or_a_scan_and_not_both(qlearn: Qlearn) -> None:
    for arguments in ((), ("x.md", "--scan")):
        assert qlearn("import", *arguments) == (
            2,
            "",
            "qlearn: Invalid value: name a PATH, or say --scan. See `qlearn import --help`.\n",
        )


def test_what_is_left_aside_is_taken_when_asked_for(qlearn: Qlearn) -> None:
    put(qlearn, "memory/role.md", "---\nname: role\ndescription: Ana releases\ntype: user\n---\nAsk her.\n")
    out = qlearn("import", "memory/role.md").out
    assert "left out  info      Ana releases (a memory of the type user)" in out
    assert out.endswith("0 added, 0 known, 0 refused, 1 left out.\n")
    assert qlearn("import", "memory/role.md", "--all").out.endswith("1 added, 0 known, 0 refused.\n")


def test_an_earlier_import_is_brought_up_to_date_when_asked_for(qlearn: Qlearn) -> None:
    put(qlearn, "docs/adr/0001-x.md", "# Use REST\n\n## Decision\n\nREST.\n")
    put(qlearn, "docs/adr/0002-y.md", "# Use one queue\n\n## Decision\n\nOne.\n")
    qlearn("import", "docs")
    text = qlearn.read()
    put(
        qlearn,
        "docs/adr/0001-x.md",
        "# Use REST\n\nStatus: Superseded by ADR-3\n\n## Decision\n\nREST.\n",
    )
    out = qlearn("import", "docs").out
    assert "(state, Learning changed since it was imported)" in out
    assert out.endswith("0 added, 1 known, 0 refused, 1 changed.\n")
    assert qlearn.read() == text
    out = qlearn("import", "docs", "--update").out
    assert out.endswith("0 added, 1 known, 0 refused, 1 updated.\n")
    first, second = parse_learnings(qlearn.read())
    assert (first.resolved, first.learning) == (True, "REST.\n\nStatus: Superseded by ADR-3")
    assert text.endswith(qlearn.read()[second.start :])


def test_somebody_at_a_terminal_is_asked(qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qlearn.cli.importing.interactive", lambda: True)
    put(qlearn, "LESSONS.md", LESSONS)
    code, out, _ = qlearn("import", "LESSONS.md", stdin="n\n")
    assert code == 1
    assert out.endswith("Write this? [y/N] Nothing was written.\n")
    assert not qlearn.registry.exists()
    assert qlearn("import", "LESSONS.md", stdin="y\n").code == 0
    assert "[y/N]" not in qlearn("import", "LESSONS.md").out
    put(qlearn, "b/LESSONS.md", LESSONS.replace("Pin", "Sort").replace("spaces", "dots"))
    assert qlearn("import", "b/LESSONS.md", "--yes").out.endswith("2 added, 0 known, 0 refused.\n")


def test_a_secret_is_not_imported(qlearn: Qlearn) -> None:
    put(qlearn, "LESSONS.md", f"- Use ghp_{'a1B2' * 9} for the upload.\n- Pin it.\n")
    code, out, _ = qlearn("import", "LESSONS.md")
    assert code == 1
    assert "holds what looks like a secret (github-token)" in out
    assert "ghp_" not in qlearn.read()
    assert out.endswith("1 added, 0 known, 1 refused.\n")
