"""What the docs say is true: examples run, commands exist, links lead somewhere."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import qlearn
from qlearn.cli.app import PANELS

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("skills/*/*.md")])
COMMANDS = {name for panel in PANELS.values() for name in panel}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_inside_the_repository_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_is_named_exists(page: Path) -> None:
    for name in re.findall(r"`qlearn (?:-g |-C \S+ )?([a-z][a-z-]+)", page.read_text(encoding="utf-8")):
        assert name in COMMANDS, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_in_the_interpreter_run(page: Path) -> None:
    failed, _ = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_the_example_of_the_readme_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert re.fullmatch(r"L001 [23]\.\d\d Pin the lockfile\n", done.stdout)


def test_every_public_name_can_be_had_and_is_the_one_it_stands_for() -> None:
    for name in qlearn.__all__:
        assert getattr(qlearn, name) is not None
    assert qlearn.parseLearnings is qlearn.parse_learnings
    assert set(qlearn.__all__) <= set(dir(qlearn))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = qlearn.nothing


def test_the_version_stands_in_one_place() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from qlearn.cli import main; main(['--version'])"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    version = re.search(
        r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert version is not None
    assert version[1] in done.stdout or done.returncode == 0
    plugin = (ROOT / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8")
    assert f'"version": "{version[1]}"' in plugin
