"""Editing one entry in an editor: what is put back, and what is kept when it can't be."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Qlearn, entry

THREE = "# Registry\n\n" + entry(1, "One") + entry(2, "Two") + "House rules.\n\n" + entry(3, "Three")


@pytest.fixture
def edited(qlearn: Qlearn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Qlearn:
    """A project whose user's editor runs `edit.py`, and keeps files in a folder of the test's."""
    qlearn.write(THREE)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, str(tmp_path / "edit.py")]))
    return qlearn


def editor(tmp_path: Path, code: str) -> None:
    """Make the editor do that to the file `path`, which holds `text`."""
    start = "import pathlib, sys\npath = pathlib.Path(sys.argv[-1])\ntext = path.read_text()\n"
    (tmp_path / "edit.py").write_text(start + code)


def left(tmp_path: Path) -> list[Path]:
    return list(tmp_path.glob("qlearn-*"))


def test_the_entry_alone_is_edited_and_put_back(edited: Qlearn, tmp_path: Path) -> None:
    editor(tmp_path, "pathlib.Path('seen').write_text(text); path.write_text(text.replace('Two', 'Zwei'))")
    assert edited("edit", "2") == (0, "L002 changed.\n", "")
    assert (edited.root / "seen").read_text() == entry(2, "Two").removesuffix("\n")
    assert edited.read() == THREE.replace("Two", "Zwei")
    assert left(tmp_path) == []


def test_what_was_not_changed_is_not_written(edited: Qlearn, tmp_path: Path) -> None:
    editor(tmp_path, "")
    before = edited.registry.stat()
    assert edited("edit", "L002") == (0, "L002 is unchanged.\n", "")
    assert edited.registry.stat() == before
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("path.write_text('')", "the text is no longer one entry with the id L002"),
        ("path.write_text(text.replace('L002', 'L009'))", "the text is no longer one entry with the id L002"),
        ("path.write_text(text * 2)", "the text is no longer one entry with the id L002"),
        ("path.write_text('# Title\\n\\n' + text)", "the text is no longer one entry with the id L002"),
        ("path.write_text(text + 'more\\n')", "the text is no longer one entry with the id L002"),
        (
            "path.write_text(text.replace('---', ''))",
            "what follows L002 would become a part of it; end it with ---",
        ),
        ("path.write_text(text.replace('---', '```'))", "the edited entry would not read back as meant"),
        ("path.write_bytes(b'### L002: \\xff')", "byte 0xff is not valid UTF-8"),
        (
            "pathlib.Path('.qe/learnings.md').write_text('### L002: Another'); path.write_text('x')",
            "L002 has changed meanwhile",
        ),
        (
            "path.write_text(text.replace('---', '<<<<<<< HEAD\\n\\n---'))",
            "the edited entry has a git conflict marker on line 7; resolve the conflict first",
        ),
        ("path.write_text('mine'); sys.exit(3)", "ended with 3, so nothing was changed"),
    ],
)
def test_what_can_not_be_taken_is_kept(edited: Qlearn, tmp_path: Path, code: str, message: str) -> None:
    editor(tmp_path, code)
    status, out, err = edited("edit", "2")
    assert (status, out) == (1, "")
    assert message in err
    kept = re.search(r"your text is kept in (\S+)$", err)
    assert kept
    assert Path(kept[1]).exists()
    assert Path(kept[1]).parent.stat().st_mode & 0o077 == 0
    if "meanwhile" not in message:
        assert edited.read() == THREE


def test_an_entry_at_the_end_may_lose_its_rule(edited: Qlearn, tmp_path: Path) -> None:
    editor(tmp_path, "path.write_text(text.replace('\\n---\\n', '').rstrip())")
    assert edited("edit", "3") == (0, "L003 changed.\n", "")
    assert edited.read().endswith("- **Learning**: Three.\n\n")


def test_no_entry_of_a_registry_with_conflicts_is_edited(edited: Qlearn, tmp_path: Path) -> None:
    torn = THREE.replace("House", "<<<<<<< HEAD\nHouse")
    for before, code in (
        (torn, "path.write_text(text.replace('Two', 'Zwei'))"),
        (THREE, f"pathlib.Path('.qe/learnings.md').write_text({torn!r}); path.write_text(text + '\\n')"),
    ):
        editor(tmp_path, code)
        edited.write(before)
        status, out, err = edited("edit", "2")
        assert (status, out) == (1, "")
        assert "qlearn: the registry has a git conflict marker on line 19; resolve the conflict first" in err
        assert edited.read() == torn


def test_what_the_editor_leaves_beside_the_entry_goes_with_it(edited: Qlearn, tmp_path: Path) -> None:
    editor(
        tmp_path, "pathlib.Path(f'{path}~').write_text(text); path.write_text(text.replace('Two', 'Zwei'))"
    )
    assert edited("edit", "2") == (0, "L002 changed.\n", "")
    assert left(tmp_path) == []


def test_no_editor_is_an_error_with_a_cure(
    edited: Qlearn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "/no/such/editor")
    code, _, err = edited("edit", "2")
    assert code == 1
    assert err.startswith("qlearn: /no/such/editor can't be started: No such file or directory; set EDITOR\n")
    assert left(tmp_path) == []
    monkeypatch.delenv("EDITOR")
    assert edited("edit", "2") == (1, "", "qlearn: no editor is known; set EDITOR\n")
    monkeypatch.setenv("EDITOR", "vim '")
    assert edited("edit", "2") == (
        1,
        "",
        "qlearn: the editor vim ' is no command (No closing quotation); set EDITOR\n",
    )


def test_visual_comes_before_editor(edited: Qlearn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor(tmp_path, "path.write_text(text.replace('Two', sys.argv[1]))")
    monkeypatch.setenv("VISUAL", shlex.join([sys.executable, str(tmp_path / "edit.py"), "Due volte"]))
    monkeypatch.setenv("EDITOR", "false")
    assert edited("edit", "2").code == 0
    assert "### L002: Due volte\n" in edited.read()


def test_an_id_that_is_not_there_opens_no_editor(edited: Qlearn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "false")
    assert edited("edit", "9").err == "qlearn: No learning '9'. Did you mean L003?\n"
