"""Folders of session learning, imported and exported by the program."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from qlearn.interchange.yamltext import load
from qlearn.learning import parse_learnings
from tests.cli.conftest import Qlearn, entry

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

ERRORS = """\
# Kept by hand.
category: errors
last_updated: 2026-10-05
learnings:
  - id: err-001
    created: 2026-10-05
    keywords: [loop, pytest]
    summary: A second event loop hides the failure
    insight: Use the loop of the runner.
    confidence: 0.85
    times_used: 4   # since May
    owner: kim
"""
TOOLS = """\
category: tools
learnings:
  - id: tool-001
    summary: Search by words
    insight: Names change.
"""
OWN = entry(3, "Pin the lockfile", more="- **Odd**: kept\n").replace("gotcha", "mistake")
TAB = "learnings:\n  - id: a\n\tb: c\n"
TO_STORE = ("export", "--all", "--format", "session-learning", "-o", "a/store")


def put(qlearn: Qlearn, files: dict[str, str], folder: str = "lessons") -> Path:
    target = qlearn.root / folder
    target.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (target / name).write_text(text, encoding="utf-8", newline="")
    return target


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_bytes().decode() for path in folder.iterdir()}


def test_a_folder_is_known_by_itself_and_comes_in_once(qlearn: Qlearn) -> None:
    put(qlearn, {"errors.yaml": ERRORS, "tools.yaml": TOOLS, "_stats.yaml": "total: 2\n"})
    code, out, err = qlearn("import", "lessons", "--dry-run")
    assert (code, err) == (0, "")
    assert out.splitlines()[2:] == [
        "lessons/errors.yaml:5  L001     info      A second event loop hides the failure",
        "lessons/tools.yaml:3   L002     info      Search by words",
        "lessons/errors.yaml: passed over 1 × comment, 3 × frame of the file",
        "lessons/tools.yaml: passed over 2 × frame of the file",
        "Dry run: 2 added, 0 known, 0 refused.",
    ]
    assert not qlearn.registry.exists()
    assert qlearn("import", "lessons").out.endswith("2 added, 0 known, 0 refused.\n")
    first, second = parse_learnings(qlearn.read())
    assert (first.type, first.category, first.was, first.used, first.field("owner")) == (
        "mistake",
        "errors",
        "err-001",
        4,
        "kim",
    )
    assert (second.type, second.learning, second.source) == (
        "gotcha",
        "Names change.",
        "import:session-learning",
    )
    text = qlearn.read()
    assert qlearn("import", "lessons", "--format", "session-learning").out.endswith(
        "0 added, 2 known, 0 refused.\n"
    )
    assert qlearn.read() == text


def test_a_scan_finds_a_folder(qlearn: Qlearn) -> None:
    put(qlearn, {"errors.yaml": ERRORS, "tools.yaml": "a: [\n"}, "a/store")
    put(qlearn, {"errors.yaml": "messages: {}\n"}, "locale")
    lines = qlearn("import", "--scan", "--dry-run").out.splitlines()
    assert lines[2] == "session-learning  2      1        1    a/store/errors.yaml"
    assert "a/store/tools.yaml:2: no YAML: " in "\n".join(lines)
    assert sorted(texts(qlearn.root / "a/store")) == ["errors.yaml", "tools.yaml"]
    assert qlearn("import", "--scan", "--yes").err == "qlearn: a/store/tools.yaml: kept as tools.yaml.bak\n"
    assert sorted(texts(qlearn.root / "locale")) == ["errors.yaml"]


def test_an_import_follows_what_changed_in_the_folder(qlearn: Qlearn) -> None:
    folder = put(qlearn, {"errors.yaml": ERRORS})
    qlearn("import", "lessons")
    (folder / "errors.yaml").write_text(ERRORS.replace("times_used: 4", "times_used: 5"))
    why = "(Used changed since it was imported)"
    line = "lessons/errors.yaml:5  {:<8} info      A second event loop hides the failure " + why
    assert qlearn("import", "lessons").out.splitlines()[2] == line.format("changed")
    assert qlearn("import", "lessons", "--update").out.splitlines()[2] == line.format("updated")
    assert parse_learnings(qlearn.read())[0].used == 5


def test_damaged_files_are_told_copied_and_hide_no_other(qlearn: Qlearn, tmp_path: Path) -> None:
    folder = put(qlearn, {"errors.yaml": TAB, "tools.yaml": TOOLS, "debugging.yaml": "a: 1\n"})
    (folder / "debugging.yaml.bak").write_text("older")
    os.mkfifo(folder / "workflows.yaml")
    (folder / "architecture.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    (tmp_path / "elsewhere.yaml").write_text(ERRORS)
    code, out, err = qlearn("import", str(folder))
    assert code == 0
    led_out = f"leads out of its project (to {tmp_path}/elsewhere.yaml); it was left alone. Put it inside."
    assert out.splitlines()[2:] == [
        "lessons/tools.yaml:3  L001     info      Search by words",
        f"lessons/architecture.yaml:1: {led_out}",
        "lessons/workflows.yaml:1: a FIFO; it was left alone. Move that away.",
        "lessons/debugging.yaml:1: no list of learnings; nothing was read",
        "lessons/errors.yaml:3: no YAML: found character '\\t' that cannot start any token; nothing was read",
        "lessons/debugging.yaml: passed over 1 × whole file",
        "lessons/errors.yaml: passed over 1 × whole file",
        "lessons/tools.yaml: passed over 2 × frame of the file",
        "1 added, 0 known, 0 refused.",
    ]
    assert err == (
        "qlearn: lessons/debugging.yaml: kept as debugging.yaml.bak.1\n"
        "qlearn: lessons/errors.yaml: kept as errors.yaml.bak\n"
    )
    assert (folder / "errors.yaml.bak").read_text() == TAB
    assert (folder / "debugging.yaml.bak").read_text() == "older"


def test_a_folder_outside_of_the_project_gets_its_copies_itself(qlearn: Qlearn, tmp_path: Path) -> None:
    folder = tmp_path / "other/store"
    folder.mkdir(parents=True)
    (folder / "tools.yaml").write_text(TOOLS)
    (folder / "errors.yaml").write_text("a: [\n")
    assert qlearn("import", str(folder)).err == "qlearn: store/errors.yaml: kept as errors.yaml.bak\n"
    assert sorted(texts(folder)) == ["errors.yaml", "errors.yaml.bak", "tools.yaml"]


def test_a_copy_that_can_not_be_made_stops_no_import(qlearn: Qlearn, monkeypatch: pytest.MonkeyPatch) -> None:
    from qlearn import copies
    from qlearn.errors import StoreError

    def fail(path: Path) -> Path:
        raise StoreError(f"{path.name}: it was not copied: Read-only file system")

    monkeypatch.setattr(copies, "keep", fail)
    put(qlearn, {"tools.yaml": TOOLS, "errors.yaml": "a: [\n"})
    code, out, err = qlearn("import", "lessons")
    assert (code, err) == (0, "qlearn: errors.yaml: it was not copied: Read-only file system\n")
    assert out.endswith("1 added, 0 known, 0 refused.\n")


def test_an_export_makes_the_folder_and_an_import_of_it_the_same_registry(qlearn: Qlearn) -> None:
    qlearn.write(OWN + entry(7, "[RESOLVED] Two", more="- **Category**: debugging\n"))
    before = [(each.id, each.title, each.resolved, each.fields) for each in parse_learnings(qlearn.read())]
    assert qlearn(*TO_STORE) == (0, "Wrote 2 to a/store.\n", "")
    written = texts(qlearn.root / "a/store")
    assert sorted(written) == [
        "_stats.yaml",
        "architecture.yaml",
        "debugging.yaml",
        "errors.yaml",
        "tools.yaml",
        "workflows.yaml",
    ]
    assert qlearn(*TO_STORE).out == "a/store needs no change.\n"
    qlearn.registry.unlink()
    assert qlearn("import", "a").out.endswith("2 added, 0 known, 0 refused.\n")
    after = [(each.id, each.title, each.resolved, each.fields) for each in parse_learnings(qlearn.read())]
    assert after == before
    assert qlearn("import", "a", "--update").out.endswith("0 added, 2 known, 0 refused.\n")


def test_a_folder_that_came_in_goes_out_as_it_was(qlearn: Qlearn) -> None:
    folder = put(qlearn, {"errors.yaml": "\ufeff" + ERRORS.replace("\n", "\r\n"), "tools.yaml": TOOLS})
    before = texts(folder)
    qlearn("import", "lessons")
    assert qlearn("export", "-f", "session-learning", "-o", "lessons").code == 0
    assert texts(folder).items() >= before.items()
    qlearn("export", "-f", "session-learning", "-o", "new")
    for name, text in before.items():
        assert load((qlearn.root / "new" / name).read_text())["learnings"] == load(text)["learnings"]


def test_an_export_changes_only_what_changed(qlearn: Qlearn) -> None:
    folder = put(qlearn, {"errors.yaml": ERRORS})
    qlearn("import", "lessons")
    qlearn.write(qlearn.read().replace("Use the loop of the runner.", "Two loops hide it.") + OWN)
    assert qlearn("export", "-f", "session-learning", "-o", "lessons") == (
        0,
        "lessons/errors.yaml: 1 added, 1 changed\nWrote 2 to lessons.\n",
        "",
    )
    changed = ERRORS.replace("last_updated: 2026-10-05", "last_updated: 2026-11-30")
    changed = changed.replace("Use the loop of the runner.", "Two loops hide it.")
    assert (folder / "errors.yaml").read_text().startswith(changed)


def test_an_export_copies_what_it_can_not_keep(qlearn: Qlearn) -> None:
    qlearn.write(OWN)
    folder = put(qlearn, {"errors.yaml": "a: [\n", "_stats.yaml": "- x\n"})
    assert qlearn("export", "-f", "session-learning", "-o", "lessons").out == (
        "lessons/errors.yaml: could not be kept as it was; see errors.yaml.bak\n"
        "lessons/_stats.yaml: could not be kept as it was; see _stats.yaml.bak\n"
        "lessons/errors.yaml: 1 added, 0 changed\n"
        "Wrote 1 to lessons.\n"
    )
    assert (folder / "errors.yaml.bak").read_text() == "a: [\n"


def test_an_export_writes_nothing_where_something_can_not_be_read(qlearn: Qlearn, tmp_path: Path) -> None:
    qlearn.write(OWN)
    folder = put(qlearn, {"tools.yaml": TOOLS})
    (folder / "errors.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    (tmp_path / "elsewhere.yaml").write_text(ERRORS)
    code, out, err = qlearn("export", "-f", "session-learning", "-o", "lessons")
    assert (code, out) == (1, "")
    assert err.startswith("qlearn: lessons/errors.yaml: leads out of its project")
    (folder / "errors.yaml").unlink()
    (folder / "errors.yaml").write_text("# much\n" * 300_000)
    assert qlearn("export", "-f", "session-learning", "-o", "lessons").err == (
        "qlearn: errors.yaml: larger than 2,000,000 characters; nothing was written\n"
    )
    assert sorted(texts(folder)) == ["errors.yaml", "tools.yaml"]
    assert qlearn("export", "-f", "session-learning", "-o", "lessons/tools.yaml").err == (
        "qlearn: lessons/tools.yaml: no folder; name one\n"
    )
    assert qlearn("export", "-f", "session-learning").err == (
        "qlearn: session-learning makes 6 files; name a folder for them with -o\n"
    )


def test_the_statistics_come_from_the_ledger(qlearn: Qlearn) -> None:
    qlearn.write(OWN)
    qlearn("feedback", "L003", "helpful")
    qlearn("export", "-f", "session-learning", "-o", "store")
    assert load((qlearn.root / "store/_stats.yaml").read_text()) == {
        "total_learnings": 1,
        "by_category": {"errors": 1, "workflows": 0, "tools": 0, "architecture": 0, "debugging": 0},
        "sessions": 0,
        "sessions_reached": 0,
        "shown": 0,
        "used": 0,
        "injection_rate": None,
        "use_rate": None,
        "helpful": 1,
        "harmful": 0,
        "recurred": 0,
    }


def test_near_duplicates_and_twins_are_told(qlearn: Qlearn) -> None:
    put(qlearn, {"errors.yaml": ERRORS + "  - id: err-001\n    summary: Another\n    insight: Thing.\n"})
    report = json.loads(qlearn("import", "lessons", "--json").out)
    assert [each["verdict"] for each in report["outcomes"]] == ["added", "added"]
    assert [each["message"] for each in report["passed"] if "stands" in each["message"]] == [
        "the id 'err-001' stands on line 5 already"
    ]
    assert qlearn("import", "lessons", "--update").out.endswith("0 added, 2 known, 0 refused.\n")
