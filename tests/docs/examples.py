"""The examples of a page: each is run, and the page is written anew with what they print.

A page is one story. Its examples run in their order, in one project, which begins with the files of
`tests/docs/projects/NAME` where the page says `<!-- project: NAME -->`, and empty elsewhere. They are

- blocks of the language `console`: lines that begin with `$ ` run, what follows is their output;
- any other block behind `<!-- output: COMMAND -->`: all of it is the output.

What a reader need not see runs, too: the lines of `<!-- setup ... -->`.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from .scratch import Machine

_PART = re.compile(
    r"<!-- setup\n(?P<setup>.*?)-->"
    r"|^(?P<head> *)(?P<marks>```+)console\n(?P<console>.*?)^(?P=head)(?P=marks)$"
    r"|<!-- output: (?P<command>.*?) -->\n+(?P<fence>```.*?\n)(?P<shown>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_PROMPT = "$ "


def has_examples(page: str) -> bool:
    """Whether something in a page runs."""
    return _PART.search(page) is not None


def renewed(page: str) -> str:
    """Run a page's examples; the page as it has to be."""
    start = re.search(r"<!-- project: (.+?) -->", page)
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder), start[1] if start else "")
        return _PART.sub(lambda part: _part(machine, part), page)


def _part(machine: Machine, part: re.Match[str]) -> str:
    if part["setup"] is not None:
        machine.run(f"set -e\n{part['setup']}")
        return part[0]
    if part["command"] is not None:
        lead = part[0][: part.start("shown") - part.start()]
        return f"{lead}{_lines(machine.run(part['command']))}```"
    head = part["head"]
    written = re.sub(rf"^{head}", "", part["console"], flags=re.MULTILINE)
    commands = re.findall(r"^\$ ((?:.*\\\n)*.*)$", written, re.MULTILINE)
    shown = "".join(f"{_PROMPT}{command}\n{_lines(machine.run(command))}" for command in commands)
    marks = max(["``", *re.findall("```+", shown)], key=len) + "`"  # longer than any in what is printed
    return f"{head}{marks}console\n{_indented(shown, head)}{head}{marks}"


def _lines(printed: str) -> str:
    """Whole lines, without blanks at their ends and empty ones at the end of all."""
    lines = [line.rstrip() for line in printed.rstrip("\n").split("\n")]
    return "".join(f"{line}\n" for line in lines) if printed.strip() else ""


def _indented(text: str, head: str) -> str:
    return re.sub(r"^(?=.)", head, text, flags=re.MULTILINE)
