"""The pictures of the README and the docs: what commands print on a terminal, drawn by rich."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from .scratch import Machine

FOLDER = "docs/pictures"
COLUMNS = 92
START = "shop"
_SETUP = """git init -q && git remote add origin https://example.org/kim/shop.git
qlearn observe on
qlearn propose 'Ask for the order by its public number: the id leaks how many orders there are.' \\
  --title 'Show public order numbers' --category architecture --confidence 0.6
qlearn propose 'Run make seed after git pull when fixtures changed, or the catalogue tests are red.' \\
  --title 'Seed again after a pull' --category workflows --confidence 0.5
for command in 'make payments' 'pytest tests/checkout' 'git push'; do
  echo '{"hook_event_name":"PreToolUse","session_id":"s","cwd":".","tool_name":"Bash",' \\
    '"tool_input":{"command":"'"$command"'"}}' | qlearn-hook
done
"""
PICTURES = {
    "review": "qlearn review",
    "explain": "qlearn review -n 3 --explain",
    "status": "qlearn status",
    "relevant": "qlearn relevant 'the checkout test fails with a timeout' --explain",
}
"""The commands drawn, by the names of the pictures; they run in a copy of the project `shop`."""


def pictures() -> dict[str, str]:
    """Draw all pictures: SVG by path."""
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder), START)
        machine.run(_SETUP)
        return {
            f"{FOLDER}/{name}.svg": _drawn(name, command, machine.show(command, COLUMNS))
            for name, command in PICTURES.items()
        }


def _drawn(name: str, command: str, printed: str) -> str:
    with Path("/dev/null").open("w", encoding="utf-8") as nowhere:
        console = Console(
            record=True, width=COLUMNS, file=nowhere, force_terminal=True, color_system="truecolor"
        )
        console.print(Text.assemble(("$ ", "dim"), (command, "bold")))
        console.print(Text.from_ansi(printed.rstrip("\n")))
        drawn = console.export_svg(title="", unique_id=name)
    # Without the web font, which a picture in a README can't load.
    return re.sub(r"@font-face \{.*?\}\n?", "", drawn, flags=re.DOTALL)
