"""What commands cost as whole processes: `review` against the smallest Typer app, `add` against itself.

python -m benchmarks.commands
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import Ratio, Run, compare, registry

ROOT = Path(__file__).parent.parent
TYPER_APP = """
import typer
app = typer.Typer()
@app.command()
def main() -> None:
    from rich.console import Console
    from rich.table import Table
    Console().print(Table())
app()
"""
QLEARN = "import os, sys; from qlearn.cli import main; sys.exit(main({arguments}))"


def main() -> None:
    """Print the table."""
    print("| command | against | ms | against it, ms | ratio |")
    print("|---|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        environ = {"HOME": folder, "PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": str(ROOT)}
        small, large = (_qlearn(folder, entries, environ, "'review'") for entries in (100, 10_000))
        app = Run([sys.executable, "-c", TYPER_APP], environ=environ)
        _print("review, 100 entries", "a Typer app that prints an empty table", compare(small, app))
        _print("review, 10,000 entries", "the same with 100", compare(large, small))
        add = "'add', f'Lesson {os.getpid()}: pin the lockfile before a release'"  # another one each time
        empty, full = (_qlearn(folder, entries, environ, add) for entries in (0, 10_000))
        _print("add to 10,000 entries", "add to none", compare(full, empty))


def _qlearn(folder: str, entries: int, environ: dict[str, str], arguments: str) -> Run:
    """Call qlearn in a project with so many entries; the arguments are Python."""
    project = Path(folder, str(entries))
    (project / ".qe").mkdir(parents=True, exist_ok=True)
    if entries:
        (project / ".qe/learnings.md").write_text(registry(entries), encoding="utf-8")
    code = QLEARN.format(arguments=f"['-C', {str(project)!r}, {arguments}]")
    return Run([sys.executable, "-c", code], environ=environ)


def _print(command: str, against: str, result: Ratio) -> None:
    mine, other = result.seconds * 1e3, result.peer_seconds * 1e3
    print(f"| {command} | {against} | {mine:.0f} | {other:.0f} | {result.ratio:.2f} |")


if __name__ == "__main__":
    main()
