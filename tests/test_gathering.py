"""Finding and reading what is to be imported, on a real disk."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from qlearn import gathering
from qlearn.errors import StoreError
from qlearn.gathering import gather, scan

if TYPE_CHECKING:
    from pathlib import Path

LESSON = "## 2026-01-02: Pin it\nText.\n"


def put(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = root / name.replace("__", "/").replace("_md", ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def test_a_file_is_read_as_it_stands(tmp_path: Path) -> None:
    put(tmp_path, a_md="\ufeffx\r\n")
    assert gather(str(tmp_path / "a.md"), base=str(tmp_path)).files == {"a.md": "\ufeffx\r\n"}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_is_read_where_its_first_bytes_say_so(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.md"
    path.write_bytes("\ufeff# é 学 😀\r\n".encode(encoding))
    assert gather(str(path), base=str(tmp_path)) == ({"a.md": "# é 学 😀\r\n"}, ())


@pytest.mark.parametrize("data", [b"\xff\xfe\x00\xd8", b"\xfe\xffa", b"a\xff"])
def test_what_is_neither_utf_8_nor_utf_16_is_told(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(data)
    (passed,) = gather(str(path), base=str(tmp_path)).passed
    assert "is not valid UTF-8" in passed.problem.message


def test_a_folder_is_read_with_all_below_it_in_order(tmp_path: Path) -> None:
    put(tmp_path, pack__b_md="b", pack__a__c_md="c", pack__node_modules__d_md="d", pack__e="e")
    found = gather(str(tmp_path / "pack"), base=str(tmp_path))
    assert list(found.files.items()) == [("pack/a/c.md", "c"), ("pack/b.md", "b")]


def test_paths_are_never_absolute(tmp_path: Path) -> None:
    put(tmp_path, pack__a_md="a")
    base = tmp_path / "project"
    assert list(gather(str(tmp_path / "pack"), base=str(base)).files) == ["pack/a.md"]
    assert list(gather(str(tmp_path / "pack/a.md"), base=str(base)).files) == ["a.md"]
    assert list(gather(str(tmp_path / "pack"), base="/").files) == [str(tmp_path / "pack/a.md").lstrip("/")]


def test_what_leads_out_or_is_no_file_is_named_and_left_alone(tmp_path: Path) -> None:
    put(tmp_path, private_md="secret", pack__a_md="a")
    pack = tmp_path / "pack"
    (pack / "b.md").symlink_to(tmp_path / "private.md")
    (pack / "c.md").symlink_to("a.md")
    os.mkfifo(pack / "d.md")
    (pack / "out").symlink_to(tmp_path, target_is_directory=True)
    found = gather(str(pack), base=str(pack))
    assert found.files == {"a.md": "a", "c.md": "a"}
    assert [(passed.path, passed.problem.message.split(" (")[0]) for passed in found.passed] == [
        ("b.md", "leads out of its project"),
        ("d.md", "a FIFO; it was left alone. Move that away."),
    ]


def test_invalid_bytes_are_read_and_reported(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"caf\xe9\n")
    found = gather(str(tmp_path), base=str(tmp_path))
    assert found.files == {"a.md": "caf\ufffd\n"}
    assert "0xe9" in found.passed[0].problem.message


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such file"):
        gather(str(tmp_path / "none.md"), base=str(tmp_path))


def test_limits_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, a_md="aaaa", b_md="bbbb")
    monkeypatch.setattr(gathering, "LARGEST_FILE", 3)
    found = gather(str(tmp_path), base=str(tmp_path))
    assert found.files == {}
    assert "above the limit" in found.passed[0].problem.message
    monkeypatch.setattr(gathering, "LARGEST_FILE", 10)
    monkeypatch.setattr(gathering, "MOST_BYTES", 5)
    with pytest.raises(StoreError, match="name a smaller folder"):
        gather(str(tmp_path), base=str(tmp_path))
    monkeypatch.setattr(gathering, "MOST_FILES", 1)
    with pytest.raises(StoreError, match="more than 1 files"):
        gather(str(tmp_path), base=str(tmp_path))
    with pytest.raises(StoreError, match="more than 1 files"):
        scan(str(tmp_path))


def test_folders_are_not_followed_without_end(tmp_path: Path) -> None:
    deep = tmp_path / "/".join(["a"] * 14)
    deep.mkdir(parents=True)
    (deep / "x.md").write_text("x")
    assert gather(str(tmp_path), base=str(tmp_path)).files == {}


def test_a_scan_finds_what_leaves_no_doubt(tmp_path: Path) -> None:
    put(
        tmp_path,
        tasks__lessons_md=LESSON,
        docs__notes_md=LESSON,
        dist__LESSONS_md=LESSON,
        GOTCHAS_md="",
        **{"_git__LESSONS_md".replace("_git", ".git"): LESSON},
        **{".qe__learnings_md": "### L001: x\n", ".qe__MISTAKE_md": "### M001: x\n"},
    )
    (tmp_path / "data.json").write_text('[{"title": "x", "learning": "y"}]')
    (tmp_path / "wolf").mkdir()
    (tmp_path / "wolf/buglog.json").write_text('{"bugs": []}')
    (tmp_path / "LEARNINGS.md").symlink_to("/etc/passwd")
    found = scan(str(tmp_path))
    assert {name: list(gathered.files) for name, gathered in found.items()} == {
        "mistake": [".qe/MISTAKE.md"],
        "openwolf": ["wolf/buglog.json"],
        "lessons": ["GOTCHAS.md", "tasks/lessons.md"],
    }


def test_a_folder_that_can_not_be_listed_holds_nothing(tmp_path: Path) -> None:
    assert scan(str(tmp_path / "none")) == {}
