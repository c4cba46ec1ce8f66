"""The hooks that are offered for pre-commit run as they are written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Qlearn, entry

HOOKS = {
    hook["id"]: hook
    for hook in yaml.safe_load(Path(__file__).parents[2].joinpath(".pre-commit-hooks.yaml").read_text())
}


def _run(program: Qlearn, name: str) -> int:
    command, *arguments = shlex.split(HOOKS[name]["entry"])
    assert command == "qlearn"
    return program(*arguments, *HOOKS[name].get("args", [])).code


def test_the_check_fails_on_what_is_wrong(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One"))
    assert _run(qlearn, "qlearn-check") == 0
    qlearn.write("### No id\n")
    assert _run(qlearn, "qlearn-check") == 1


def test_the_block_is_renewed_and_then_stays(qlearn: Qlearn) -> None:
    qlearn.write(entry(1, "One"))
    agents = qlearn.root / "AGENTS.md"
    assert _run(qlearn, "qlearn-agents-md") == 0
    before = agents.stat()
    assert _run(qlearn, "qlearn-agents-md") == 0
    assert agents.stat() == before
    assert "One." in agents.read_text()


@pytest.mark.parametrize(
    ("path", "names"),
    [
        (".qe/learnings.md", {"qlearn-check", "qlearn-agents-md"}),
        (".qe/learnings.archive.md", {"qlearn-check"}),
        (".qe/qlearn.toml", {"qlearn-agents-md"}),
        ("AGENTS.md", {"qlearn-check"}),
        ("docs/AGENTS.md", set()),
        ("src/main.py", set()),
    ],
)
def test_a_hook_runs_for_its_own_files(path: str, names: set[str]) -> None:
    assert {name for name, hook in HOOKS.items() if re.search(hook["files"], path)} == names
