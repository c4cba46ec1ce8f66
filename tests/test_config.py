from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.config import Config, Loaded, load, with_environment, with_text
from qlearn.paths import UserPaths

DEFAULTS = Loaded(Config(), ())
PROJECT_KEYS = ("top", "max_chars")


def user_paths(folder: Path) -> UserPaths:
    return UserPaths(*(str(folder / name) for name in ("data", "state", "config")))


def set_user(folder: Path, text: str) -> UserPaths:
    (folder / "config").mkdir()
    (folder / "config" / "config.toml").write_text(text)
    return user_paths(folder)


def set_project(folder: Path, text: str) -> str:
    (folder / "project" / ".qe").mkdir(parents=True)
    (folder / "project" / ".qe" / "qlearn.toml").write_text(text)
    return str(folder / "project")


def test_nothing_set_is_the_default(tmp_path: Path) -> None:
    assert load("", None, {}) == DEFAULTS
    assert load(str(tmp_path), user_paths(tmp_path), {}) == DEFAULTS
    assert load(str(tmp_path / "gone"), user_paths(tmp_path / "gone"), {}) == DEFAULTS
    assert list(tmp_path.iterdir()) == []


def test_the_environment_comes_before_the_project_and_that_before_the_user(tmp_path: Path) -> None:
    user = set_user(tmp_path, "top = 1\nmax_chars = 1001\nobserver = true\n")
    root = set_project(tmp_path, "top = 2\nmax_chars = 1002\n")
    assert load("", user, {}).config[:2] == (1, 1001)
    assert load(root, user, {}).config[:2] == (2, 1002)
    assert load(root, user, {"QLEARN_TOP": "3"}).config == Config(top=3, max_chars=1002, observer=True)


def test_the_user_sets_everything() -> None:
    text = """
promotion = "auto"
observe = false
observer = true
observer_minutes = 30
model_command = "claude -p --model haiku"
"""
    assert with_text(DEFAULTS, text, name="config.toml") == Loaded(
        Config(5, 2000, "auto", False, True, 30, "claude -p --model haiku"), ()
    )


@pytest.mark.parametrize("key", [key for key in Config._fields if key not in PROJECT_KEYS])
def test_a_project_sets_numbers_of_its_own_and_nothing_else(tmp_path: Path, key: str) -> None:
    root = set_project(tmp_path, f"top = 7\n\n{key} = 10\n")
    loaded = load(root, None, {})
    assert loaded.config == Config(top=7)
    [problem] = loaded.problems
    assert (problem.lineno, problem.severity) == (3, "warning")
    assert problem.message == f".qe/qlearn.toml: no setting {key!r}; only the user's config.toml sets it"


def test_an_unknown_setting_is_told() -> None:
    loaded = with_text(DEFAULTS, "[hooks]\nstart = 'rm -rf /'\n", name="config.toml")
    assert loaded.config == Config()
    assert [problem.message for problem in loaded.problems] == ["config.toml: no setting 'hooks'"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("top = 'x'", "top = 'x' is no whole number, so ignored"),
        ("top = 5.0", "top = 5.0 is no whole number, so ignored"),
        ("top = true", "top = True is no whole number, so ignored"),
        ("top = []", "top = [] is no whole number, so ignored"),
        ("observer = 1", "observer = 1 is neither true nor false, so ignored"),
        ("observer = 'false'", "observer = 'false' is neither true nor false, so ignored"),
        ("promotion = true", "promotion = True is no text, so ignored"),
        ("promotion = 'always'", "promotion = 'always' is not offer or auto, so ignored"),
        ("top = '\u202e'", "top = '\\u202e' is no whole number, so ignored"),
        (f"top = '{'x' * 99}'", f"top = '{'x' * 36}... is no whole number, so ignored"),
    ],
)
def test_a_value_of_another_kind_is_told_and_ignored(line: str, told: str) -> None:
    loaded = with_text(DEFAULTS, f"# one\n{line}\n", name="config.toml")
    assert loaded.config == Config()
    [problem] = loaded.problems
    assert (problem.lineno, problem.message, problem.severity) == (2, f"config.toml: {told}", "error")


@pytest.mark.parametrize(
    ("line", "config"),
    [
        ("top = 0", Config(top=1)),
        ("top = -3", Config(top=1)),
        ("top = 51", Config(top=50)),
        ("max_chars = 9501", Config(max_chars=9500)),
        (f"max_chars = {10**18}", Config(max_chars=9500)),
        ("max_chars = 199", Config(max_chars=200)),
        ("observer_minutes = 0", Config(observer_minutes=5)),
    ],
)
def test_a_number_out_of_its_range_becomes_the_nearest(line: str, config: Config) -> None:
    loaded = with_text(DEFAULTS, line, name="config.toml")
    assert loaded.config == config
    [problem] = loaded.problems
    assert problem.severity == "warning"
    assert "is not within" in problem.message


@pytest.mark.parametrize("line", ["top = 1", "top = 50", "max_chars = 200", "max_chars = 9500"])
def test_the_ends_of_a_range_belong_to_it(line: str) -> None:
    assert with_text(DEFAULTS, line, name="config.toml").problems == ()


@pytest.mark.parametrize(
    ("text", "lineno"),
    [
        ("top = 5\nmax_chars 9\n", 2),
        ("top = 5\ntop = 6\n", 2),
        ("top = ", 1),
        ("<<<<<<< HEAD\ntop = 5\n", 1),
        ("top = " + "9" * 5000, 1),
        ("top = " + "[" * 60_000, 1),
    ],
)
def test_what_is_no_toml_is_ignored_as_a_whole(text: str, lineno: int) -> None:
    loaded = with_text(DEFAULTS, text, name="config.toml")
    assert loaded.config == Config()
    [problem] = loaded.problems
    assert problem.lineno == lineno
    assert problem.message.startswith("config.toml: no TOML, so ignored as a whole: ")


def test_a_file_that_cannot_be_read_is_told_and_ignored(tmp_path: Path) -> None:
    root = set_project(tmp_path, "")
    file = Path(root, ".qe", "qlearn.toml")
    file.unlink()
    secret = tmp_path / "secret.toml"
    secret.write_text("top = 9\n")
    for put in (
        lambda: os.mkfifo(file),
        file.mkdir,
        lambda: file.symlink_to(secret),
        lambda: file.write_bytes(b"top = 9 # \xff\n"),
        lambda: file.write_bytes(b"#" * (64 << 10) + b"\ntop = 9\n"),
    ):
        put()
        loaded = load(root, None, {})
        assert loaded.config == Config()
        assert [problem.message.split(":")[0] for problem in loaded.problems] == [".qe/qlearn.toml"]
        file.rmdir() if file.is_dir() else file.unlink()


def test_a_qe_that_leads_out_of_the_project_sets_nothing(tmp_path: Path) -> None:
    set_project(tmp_path, "top = 9\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".qe").symlink_to(tmp_path / "project" / ".qe")
    loaded = load(str(tmp_path / "other"), None, {})
    assert loaded.config == Config()
    assert len(loaded.problems) == 1


def test_a_bom_and_crlf_are_no_problem(tmp_path: Path) -> None:
    root = set_project(tmp_path, "\ufefftop = 9\r\nmax_chars = 900\r\n")
    assert load(root, None, {}) == Loaded(Config(top=9, max_chars=900), ())


@pytest.mark.parametrize("text", ["x", "5.0", "-1", "0x5", "5 6", "٥", "9" * 10, "9" * 5000])
def test_a_variable_that_is_no_number_is_told_and_ignored(text: str) -> None:
    loaded = with_environment(DEFAULTS, {"QLEARN_TOP": text})
    assert loaded.config == Config()
    [problem] = loaded.problems
    assert problem.message.startswith("QLEARN_TOP = ")


def test_variables_are_read() -> None:
    environ = {"QLEARN_TOP": " 7 ", "QLEARN_MAX_CHARS": "99999"}
    loaded = with_environment(DEFAULTS, environ)
    assert loaded.config == Config(top=7, max_chars=9500)
    assert len(loaded.problems) == 1
    assert with_environment(DEFAULTS, {"QLEARN_TOP": "", "QLEARN_OBSERVE": ""}) == DEFAULTS


@pytest.mark.parametrize(
    ("text", "on"), [("0", False), ("off", False), ("False", False), ("1", True), ("", True)]
)
def test_observation_can_be_switched_off_but_not_on(text: str, *, on: bool) -> None:
    assert with_environment(DEFAULTS, {"QLEARN_OBSERVE": text}).config.observe is on
    off = Loaded(Config(observe=False), ())
    assert with_environment(off, {"QLEARN_OBSERVE": text}) == off


LINES = st.sampled_from(
    ["top", "max_chars", "observer", "=", "5", "true", "'x'", "\n", "[", "]", '"""', "#", "\0"]
)


@given(st.one_of(st.text(), st.lists(LINES, max_size=12).map(" ".join)))
def test_no_text_raises_or_leaves_the_ranges(text: str) -> None:
    config = with_text(DEFAULTS, text, name="config.toml").config
    assert 1 <= config.top <= 50
    assert 200 <= config.max_chars <= 9500


def test_the_toml_reader_is_loaded_only_for_a_file(tmp_path: Path) -> None:
    root = set_project(tmp_path, "top = 9\n")
    program = f"""
import sys
from qlearn.config import load
assert load({str(tmp_path)!r}, None, {{}}).config.top == 5
assert not {{"tomllib", "pathlib", "dataclasses", "subprocess"}} & set(sys.modules)
assert load({root!r}, None, {{}}).config.top == 9
"""
    # Without `site`, whose start-up files may import anything.
    subprocess.run((sys.executable, "-S", "-c", program), check=True)
