"""What shells offer: asked as they ask, and by those shells that are here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import ROOT, Qlearn, entry

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "\\$(touch pwned) `touch pwned` \"'; touch pwned; \x1b[2J"


@pytest.fixture
def shop(qlearn: Qlearn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Qlearn:
    """A project with three learnings and a proposal, and `qlearn` on the PATH."""
    qlearn.write(entry(1, "Pin the lockfile") + entry(2, HOSTILE) + entry(12, "Quote paths"))
    (qlearn.root / ".qe/proposals.md").write_text(entry(3, "Use make").replace("L003", "P003"))
    script = tmp_path / "bin" / "qlearn"
    script.parent.mkdir()
    code = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom qlearn.cli import main\nsys.exit(main())\n"
    script.write_text(f"#!{sys.executable}\n{code}")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")
    return qlearn


def run(folder: Path, *command: str, **environ: str) -> str:
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environ}, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout


def offered(folder: Path, line: str) -> list[str]:
    """What bash is offered for the last word of a line."""
    words = line.split(" ")
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), "_QLEARN_COMPLETE": "complete_bash"}
    return run(folder, "qlearn", **asked).split()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("qlearn reinf", ["reinforce"]),
        ("qlearn show L00", ["L001", "L002"]),
        ("qlearn resolve L001 L01", ["L012"]),
        ("qlearn feedback L012 h", ["helpful", "harmful"]),
        ("qlearn accept P", ["P003"]),
        ("qlearn add x --type g", ["gotcha"]),
        ("qlearn list --severity ", ["critical", "important", "info"]),
        ("qlearn list --category t", ["tools"]),
        ("qlearn export --format ht", ["html"]),
        ("qlearn import --format ju", ["jules"]),
        ("qlearn show X", []),
    ],
)
def test_what_is_begun_can_be_completed(shop: Qlearn, line: str, words: list[str]) -> None:
    assert offered(shop.root, line) == words


def test_another_project_and_a_broken_one(shop: Qlearn, tmp_path: Path) -> None:
    assert offered(tmp_path, f"qlearn -C {shop.root} show L01") == ["L012"]
    assert offered(tmp_path, "qlearn show L") == []
    shop.registry.unlink()
    shop.registry.mkdir()
    assert offered(shop.root, "qlearn show L") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_that_is_installed_is_one_that_the_shell_reads(shop: Qlearn, shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell} is installed")
    script = shop.root / "script"
    script.write_text(run(shop.root, program, "-c", "qlearn --show-completion; true"))
    run(shop.root, program, "-n", str(script))


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash is installed")
def test_bash_completes(shop: Qlearn) -> None:
    code = (
        "source <(qlearn --show-completion); COMP_WORDS=(qlearn show L00); COMP_CWORD=2;"
        ' _qlearn_completion qlearn; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert run(shop.root, "bash", "-c", code).split() == ["L001", "L002"]


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish is installed")
def test_fish_completes_with_titles(shop: Qlearn) -> None:
    out = run(shop.root, "fish", "-c", 'qlearn --show-completion | source; complete -C "qlearn show L0"')
    assert "L001\tPin the lockfile\n" in out
    assert not (shop.root / "pwned").exists()


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh is installed")
def test_zsh_runs_nothing_of_a_title(shop: Qlearn) -> None:
    asked = 'eval $(env _TYPER_COMPLETE_ARGS="qlearn show L0" _QLEARN_COMPLETE=complete_zsh qlearn)'
    out = run(shop.root, "zsh", "-f", "-c", f'_arguments() {{ print -r -- "$@" }}; {asked}')
    assert '"L001":"Pin the lockfile"' in out
    assert "touch pwned" in out
    assert not (shop.root / "pwned").exists()
