from __future__ import annotations

import os
import pwd
from typing import TYPE_CHECKING

import pytest

from qlearn import paths
from qlearn.errors import NotFoundError, StoreError
from qlearn.paths import UserPaths

if TYPE_CHECKING:
    from pathlib import Path


def test_without_xdg_variables_the_folders_are_below_home() -> None:
    assert paths.find({"HOME": "/home/a"}, platform="linux") == UserPaths(
        "/home/a/.local/share/qlearn", "/home/a/.local/state/qlearn", "/home/a/.config/qlearn"
    )


def test_macos_has_the_same_folders() -> None:
    environ = {"HOME": "/Users/a"}
    assert paths.find(environ, platform="darwin") == paths.find(environ, platform="linux")


def test_each_xdg_variable_moves_its_folder() -> None:
    environ = {"HOME": "/home/a", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c"}
    assert paths.find(environ, platform="linux") == UserPaths("/d/qlearn", "/s/qlearn", "/c/qlearn")


def test_a_relative_or_empty_xdg_variable_says_nothing() -> None:
    environ = {"HOME": "/home/a", "XDG_DATA_HOME": "d", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "./c"}
    assert paths.find(environ, platform="linux") == paths.find({"HOME": "/home/a"}, platform="linux")


# Absolute paths of this system stand for those of Windows.
@pytest.mark.parametrize(
    "environ",
    [
        {"LOCALAPPDATA": "/u/AppData/Local", "APPDATA": "/u/AppData/Roaming"},
        {"USERPROFILE": "/u", "HOME": "/h"},
    ],
)
def test_windows_has_folders_of_its_own(environ: dict[str, str]) -> None:
    local, roaming = "/u/AppData/Local/qlearn", "/u/AppData/Roaming/qlearn"
    assert paths.find(environ, platform="win32") == UserPaths(local, f"{local}/state", roaming)
    assert paths.find({**environ, "XDG_DATA_HOME": "/d"}, platform="win32").data == "/d/qlearn"


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "relative"}])
def test_without_home_the_account_s_home_serves(environ: dict[str, str]) -> None:
    home = pwd.getpwuid(os.getuid()).pw_dir
    assert paths.find(environ, platform="linux").data == f"{home}/.local/share/qlearn"


def test_an_account_without_a_home_has_no_store(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert paths.get({}, platform="linux") is None
    assert paths.get({}, platform="win32") is None
    with pytest.raises(StoreError, match="HOME"):
        paths.find({}, platform="linux")
    environ = {"XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c"}
    assert paths.get(environ, platform="linux") == UserPaths("/d/qlearn", "/s/qlearn", "/c/qlearn")


def test_everything_lies_in_one_of_the_three_folders() -> None:
    user = UserPaths("/d", "/s", "/c")
    assert user.learnings == "/d/learnings.md"
    assert user.archive == "/d/learnings.archive.md"
    assert user.identity == "/d/identity.json"
    assert user.projects == "/d/projects.json"
    assert user.evolved == "/d/evolved"
    assert user.log == "/s/qlearn.log"
    assert user.sessions == "/s/sessions"
    assert user.settings == "/c/config.toml"
    assert user.project("620c3a937ce8") == "/d/projects/620c3a937ce8"
    assert user.ledger("620c3a937ce8") == "/d/projects/620c3a937ce8/ledger.jsonl"
    assert user.observations("620c3a937ce8") == "/d/projects/620c3a937ce8/observations.jsonl"


@pytest.mark.parametrize(
    "name", ["", "..", "../../../etc", "620c3a937ce", "620C3A937CE8", "620c3a937ce8/", "²" * 12, "/" * 12]
)
def test_what_is_no_project_id_leads_nowhere(name: str) -> None:
    with pytest.raises(NotFoundError, match="qlearn projects"):
        UserPaths("/d", "/s", "/c").project(name)


def test_nothing_is_made(tmp_path: Path) -> None:
    paths.find({"HOME": str(tmp_path)}, platform="linux")
    assert list(tmp_path.iterdir()) == []
