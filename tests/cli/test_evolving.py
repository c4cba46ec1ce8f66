"""Drafts from the command line: shown, written, installed, never over something else."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Qlearn

PAIR = "".join(
    f"### L00{n}: Rule {n}\n- **Trigger**: when writing migrations\n"
    f"- **Learning**: Rule {n}.\n- **Key**: rule-{n}\n\n"
    for n in (1, 2)
)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)


def test_a_dry_run_prints_and_writes_nothing(qlearn: Qlearn, tmp_path: Path) -> None:
    qlearn.write(PAIR)
    done = qlearn("evolve", "--dry-run")
    assert "--- skill rule-1 (L001, L002)" in done.out
    assert not (tmp_path / "home").exists()
    assert not (qlearn.root / ".claude").exists()


def test_drafts_go_to_the_users_store(qlearn: Qlearn, tmp_path: Path) -> None:
    qlearn.write(PAIR)
    shown = json.loads(qlearn("evolve", "--dry-run", "--json").out)["drafts"][0]["text"]
    assert qlearn("evolve").code == 0
    (path,) = (tmp_path / "home").rglob("SKILL.md")
    assert path.read_text() == shown
    assert "unchanged" in qlearn("evolve").out


def test_installing_writes_into_the_project_and_over_nothing(qlearn: Qlearn) -> None:
    qlearn.write(PAIR)
    assert qlearn("evolve", "--install").code == 0
    path = qlearn.root / ".claude/skills/rule-1/SKILL.md"
    path.write_text(path.read_text() + "mine\n")
    done = qlearn("evolve", "--install")
    assert (done.code, done.err) == (1, f"qlearn: {path} is there and differs; --force writes over it\n")
    assert path.read_text().endswith("mine\n")
    assert qlearn("evolve", "--install", "--force").code == 0
    assert not path.read_text().endswith("mine\n")


def test_a_skill_of_somebody_else_keeps_its_name(qlearn: Qlearn) -> None:
    qlearn.write(PAIR)
    other = qlearn.root / ".claude/skills/rule-1/SKILL.md"
    other.parent.mkdir(parents=True)
    other.write_text("---\nname: rule-1\n---\n")
    qlearn("evolve", "--install")
    assert other.read_text() == "---\nname: rule-1\n---\n"
    assert (qlearn.root / ".claude/skills/rule-1-skill/SKILL.md").exists()


def test_a_link_out_of_the_project_is_not_followed(qlearn: Qlearn, tmp_path: Path) -> None:
    qlearn.write(PAIR)
    (tmp_path / "elsewhere").mkdir()
    (qlearn.root / ".claude").symlink_to(tmp_path / "elsewhere")
    assert qlearn("evolve", "--install").code == 1
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_should_be_looked_at_is_named(qlearn: Qlearn) -> None:
    qlearn.write("### L001: A\n- **Confidence**: 0.30\n- **Files**: gone.py\n")
    out = qlearn("evolve").out
    assert "Nothing to draft yet" in out
    assert "review L001 (A): its confidence has fallen to 0.30" in out
    assert "review L001 (A): gone.py is gone" in out


def test_opposites_are_named_and_nothing_is_drafted_of_them(qlearn: Qlearn) -> None:
    qlearn.write(
        "".join(
            f"### L00{number}: Use {one}, not {other}\n- **Learning**: Use {one} instead of {other}.\n"
            "- **Trigger**: when installing packages\n- **Domain**: workflow\n- **Confidence**: 0.8\n\n"
            for number, one, other in ((1, "npm", "pnpm"), (2, "pnpm", "npm"))
        )
    )
    out = qlearn("evolve", "--install").out
    assert "they say the opposite" in out
    assert not (qlearn.root / ".claude").exists()


def test_a_path_that_is_too_long_and_a_pipe_among_the_agents_stop_nothing(qlearn: Qlearn) -> None:
    qlearn.write(PAIR + f"- **Files**: {'x' * 5000}\n")
    (qlearn.root / ".claude/agents").mkdir(parents=True)
    os.mkfifo(qlearn.root / ".claude/agents/pipe.md")
    done = qlearn("evolve", "--install")
    assert done.code == 0
    assert "wrote" in done.out
