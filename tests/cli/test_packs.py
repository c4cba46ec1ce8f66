"""Instincts in and out by the commands."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from qlearn.learning import parse_learnings
from tests.cli.conftest import Qlearn, entry

if TYPE_CHECKING:
    from pathlib import Path

PACK = """\
---
id: quote-paths
trigger: "when a path holds spaces"
confidence: 0.7
domain: "shell"
source: "session-observation"
scope: project
---

# Quote paths

## Action
Quote every path.

---
id: pin-images
trigger: "when writing a Dockerfile"
confidence: 0.4
domain: "docker"
scope: global
---

# Pin images

## Action
Pin images by digest.
"""


def put(qlearn: Qlearn, path: str, text: str) -> Path:
    target = qlearn.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8", newline="")
    return target


def test_a_pack_is_recognised_and_imported_once(qlearn: Qlearn) -> None:
    put(qlearn, "pack.md", PACK)
    code, out, err = qlearn("import", "pack.md")
    assert (code, err) == (0, "")
    assert out.splitlines()[2:] == [
        "pack.md:1   L001     info      Quote paths",
        "pack.md:15  L002     info      Pin images",
        "2 added, 0 known, 0 refused.",
    ]
    before = qlearn.read()
    assert qlearn("import", "pack.md").out.splitlines()[2:] == [
        "pack.md:1   is L001  info      Quote paths (was imported before)",
        "pack.md:15  is L002  info      Pin images (was imported before)",
        "0 added, 2 known, 0 refused.",
    ]
    assert qlearn.read() == before
    assert qlearn("export", "--format", "instincts").out == PACK


def test_what_waits_in_a_folder_is_proposed_and_not_imported(qlearn: Qlearn) -> None:
    waiting = "---\nid: wait\nconfidence: 0.3\n---\n\nWait for it.\n"
    put(qlearn, "old/instincts/pending/a.md", waiting)
    put(qlearn, "old/instincts/pending/same.md", PACK)
    put(qlearn, "old/instincts/personal/b.yaml", PACK)
    code, out, _ = qlearn("import", "old", "--dry-run")
    assert (code, out.splitlines()[-1]) == (0, "Dry run: 2 added, 2 known, 0 refused, 1 proposed.")
    assert not (qlearn.root / ".qe/proposals.md").exists()
    code, out, _ = qlearn("import", "old")
    assert (code, out.splitlines()[2:]) == (
        0,
        [
            "old/instincts/pending/a.md:1      P001     info      Wait for it",
            "old/instincts/pending/same.md:1   is L001  info      Quote paths (stands there already)",
            "old/instincts/pending/same.md:15  is L002  info      Pin images (stands there already)",
            "old/instincts/personal/b.yaml:1   L001     info      Quote paths",
            "old/instincts/personal/b.yaml:15  L002     info      Pin images",
            "2 added, 2 known, 0 refused, 1 proposed.",
        ],
    )
    assert [each.key for each in parse_learnings(qlearn.read())] == ["quote-paths", "pin-images"]


def test_a_proposal_from_a_folder_is_accepted_as_any_other(qlearn: Qlearn) -> None:
    put(qlearn, "instincts/pending/a.md", PACK)
    code, out, _ = qlearn("import", "instincts")
    assert (code, out.splitlines()[-1]) == (0, "0 added, 0 known, 0 refused, 2 proposed.")
    assert not qlearn.registry.exists() or not parse_learnings(qlearn.read())
    assert qlearn("import", "instincts").out.splitlines()[-1] == "0 added, 2 known, 0 refused."
    assert qlearn("accept", "P001").out == "L001\n"
    assert qlearn("import", "instincts").out.splitlines()[-1] == "0 added, 2 known, 0 refused."
    assert qlearn("export", "--format", "instincts", "-o", "out").out == "Wrote 1 to out.\n"
    assert (qlearn.root / "out/instincts/personal/a.md").is_file()


@pytest.mark.parametrize(
    ("option", "value", "ids"),
    [
        ("--domain", "Shell", ["quote-paths"]),
        ("--min-confidence", "0.5", ["quote-paths"]),
        ("--min-confidence", "0.4", ["quote-paths", "pin-images"]),
        ("--scope", "global", ["pin-images"]),
        ("--scope", "project", ["quote-paths"]),
        ("--domain", "none", []),
    ],
)
def test_an_export_can_be_of_some(qlearn: Qlearn, option: str, value: str, ids: list[str]) -> None:
    put(qlearn, "pack.md", PACK)
    qlearn("import", "pack.md")
    records = json.loads(qlearn("export", "--format", "json", option, value).out)
    assert [record["key"] for record in records] == ids
    out = qlearn("export", "--format", "instincts", option, value).out
    assert [line[4:] for line in out.splitlines() if line.startswith("id: ")] == ids


def test_an_empty_export_imports_as_nothing(qlearn: Qlearn) -> None:
    assert qlearn("export", "--format", "instincts").out == "# No instincts\n"
    put(qlearn, "none.md", "# No instincts\n")
    assert qlearn("import", "none.md") == (0, "No learnings found.\n", "")


def test_a_folder_comes_back_byte_for_byte(qlearn: Qlearn) -> None:
    files = {
        "instincts/personal/a.yaml": "\ufeff" + PACK.replace("\n", "\r\n"),
        "instincts/inherited/b.md": PACK.replace("Quote", "Never quote").replace("Pin", "Unpin")
        .replace("confidence: 0.7", "confidence: 0.7  # perhaps"),
        "projects/620c3a937ce8/instincts/personal/c.md": "---\nid: c\n---\nJust text.",
    }  # fmt: skip
    for path, text in files.items():
        put(qlearn, f"old/{path}", text)
    assert qlearn("import", "old", "--format", "instincts").code == 0
    assert qlearn("export", "--format", "instincts", "-o", "new").out == "Wrote 5 to new.\n"
    new = qlearn.root / "new"
    assert {
        path.relative_to(new).as_posix(): path.read_bytes().decode()
        for path in new.rglob("*")
        if path.is_file()
    } == files
    assert qlearn("export", "--format", "instincts", "-o", "new").out == "new needs no change.\n"


def test_an_export_onto_a_file_changes_what_changed(qlearn: Qlearn) -> None:
    there = put(qlearn, "pack.md", PACK.replace("confidence: 0.4", "confidence:    0.4") + "\n\n")
    before = there.read_text()
    qlearn("import", "pack.md")
    assert qlearn("export", "--format", "instincts", "-o", "pack.md").out == "pack.md needs no change.\n"
    qlearn.write(qlearn.read().replace("Quote every path.", "Quote all of them."))
    assert qlearn("export", "--format", "instincts", "-o", "pack.md").out == "Wrote 2 to pack.md.\n"
    assert there.read_text() == before.replace("Quote every path.", "Quote all of them.")


def test_an_export_writes_over_nothing_else(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One"))
    put(qlearn, "notes.md", "# Notes\n")
    (qlearn.root / "latin.md").write_bytes(PACK.encode() + b"\xe9")
    (qlearn.root / "link.md").symlink_to("notes.md")
    for name, said in (
        ("notes.md", "holds no instincts, so nothing was written; --force replaces it"),
        ("latin.md", "holds no instincts, so nothing was written; --force replaces it"),
        ("link.md", "no plain file; it was left alone. Name another."),
        (".qe/learnings.md", "holds no instincts, so nothing was written; --force replaces it"),
        (".qe/proposals.md", "a part of the project's memory, so nothing was written. Name another."),
    ):
        assert qlearn("export", "--format", "instincts", "-o", name) == (1, "", f"qlearn: {name}: {said}\n")
    assert qlearn("export", "--format", "instincts", "-o", ".qe/learnings.md", "--force").code == 1
    assert qlearn.read() == entry(1, "One")
    assert (
        qlearn("export", "--format", "instincts", "-o", "notes.md", "--force").out == "Wrote 1 to notes.md.\n"
    )
    assert (qlearn.root / "notes.md").read_text().startswith("---\nid: one\n")


def test_no_path_and_no_remote_of_this_machine_is_given_away(qlearn: Qlearn, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=qlearn.root, check=True)
    url = "https://kim:hunter2@github.com/acme/secret-plan.git"
    subprocess.run(["git", "remote", "add", "origin", url], cwd=qlearn.root, check=True)
    private = f"imported_from: {qlearn.root}/pack.md\nproject_root: {qlearn.root}\nremote: {url}\n"
    put(qlearn, "pack.md", PACK.replace("scope: project\n", f"scope: project\n{private}"))
    out = qlearn("import", "pack.md").out
    assert "pack.md:1: project_root is about one machine or gives access; it was left out" in out
    assert qlearn("add", "Use tabs.", "--title", "Tabs").code == 0
    for name in ("out", "one.md"):
        assert qlearn("export", "--format", "instincts", "-o", name).err == ""
    written = [path.read_text() for path in (qlearn.root / "out").rglob("*.md")]
    for text in (*written, (qlearn.root / "one.md").read_text(), qlearn.read()):
        assert str(tmp_path) not in text
        assert "hunter2" not in text
        assert "secret-plan" not in text


def test_an_entry_that_speaks_of_this_machine_is_named(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One").replace("One.", f"See {qlearn.root}/notes.") + entry(2, "Two"))
    result = qlearn("export", "--format", "instincts", "-o", "out.md")
    assert result == (
        0,
        "Wrote 2 to out.md.\n",
        f"qlearn: L001 speaks of {qlearn.root}; look at it before you give the file away\n",
    )


def test_proposals_can_hold_everywhere(qlearn: Qlearn) -> None:
    put(qlearn, "instincts/pending/a.md", PACK)
    assert (
        qlearn("-g", "import", "instincts").out.splitlines()[-1] == "0 added, 0 known, 0 refused, 2 proposed."
    )
    assert qlearn("-g", "accept", "P002").out == "L001\n"
    assert qlearn("-g", "reject", "P001").out == "P001 rejected: Quote paths\n"
    assert qlearn("-g", "proposals").out == "Nothing waits.\n"
    assert qlearn("proposals").out == "Nothing waits.\n"
