"""Copies of damaged files: never over another, never through a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from qlearn.copies import keep
from qlearn.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_copy_stands_beside_its_file_and_is_made_once(tmp_path: Path) -> None:
    file = tmp_path / "tools.yaml"
    file.write_bytes(b"a: [\r\n\xff")
    assert keep(file) == tmp_path / "tools.yaml.bak"
    assert keep(file) == tmp_path / "tools.yaml.bak"
    assert (tmp_path / "tools.yaml.bak").read_bytes() == b"a: [\r\n\xff"
    assert len([*tmp_path.iterdir()]) == 2


def test_no_copy_of_other_content_is_written_over(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    names = []
    for text in ("one", "two", "three", "two", ""):
        file.write_text(text)
        names.append(keep(file).name)
    assert names == ["x.yaml.bak", "x.yaml.bak.1", "x.yaml.bak.2", "x.yaml.bak.1", "x.yaml.bak.3"]


def test_a_link_or_a_folder_in_the_way_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "in/x.yaml"
    file.parent.mkdir()
    file.write_text("one")
    (tmp_path / "out").write_text("one")
    (tmp_path / "in/x.yaml.bak").symlink_to(tmp_path / "out")
    (tmp_path / "in/x.yaml.bak.1").symlink_to(tmp_path / "nowhere")
    (tmp_path / "in/x.yaml.bak.2").mkdir()
    assert keep(file).name == "x.yaml.bak.3"
    assert (tmp_path / "out").read_text() == "one"
    assert not (tmp_path / "nowhere").exists()


def test_what_can_not_be_copied_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / ("x" * 252)
    file.write_text("one")
    with pytest.raises(StoreError, match="it was not copied: File name too long"):
        keep(file)
