"""Standard output and input as people and programs meet them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType

_UNBOUNDED = 1_000_000


def interactive() -> bool:
    """Whether somebody is there to answer."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def make_console() -> Console:
    """Standard output as rich sees it; where it is no terminal, a line may have any length."""
    from rich.console import Console

    return Console(
        highlight=False, markup=False, emoji=False, soft_wrap=False,
        width=None if sys.stdout.isatty() else _UNBOUNDED,
    )  # fmt: skip


def print_rich(*parts: RenderableType) -> None:
    """Print what rich draws, without the blanks that it fills lines up with."""
    console = make_console()
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    lines = captured.get().removesuffix("\n").split("\n")
    sys.stdout.write("".join(f"{line.rstrip(' ')}\n" for line in lines))


def print_exactly(text: str) -> None:
    """Print a text in UTF-8 and with its own line ends, whatever the terminal's encoding is."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())


def print_json(value: object) -> None:
    """Print a value as JSON."""
    from qlearn.interchange.json import dumps

    print_exactly(f"{dumps(value)}\n")


def say(text: str) -> None:
    """Print one line, whatever the text holds."""
    from qlearn.text import neutralise

    print(neutralise(text))


def note(text: str) -> None:
    """Tell a person something beside the output."""
    from qlearn.text import neutralise

    print(f"qlearn: {neutralise(text)}", file=sys.stderr)


def ask(question: str, *, default: str = "", choices: Sequence[str] = ()) -> str:
    """Ask until there is an answer; of the choices, the start of one will do."""
    import readline  # noqa: F401 - lets the answer be edited

    hint = f" ({', '.join(choices)})" if choices else ""
    prompt = f"{question}{hint}{f' [{default}]' if default else ''}: "
    while True:
        answer = input(prompt).strip() or default
        if not choices and answer:
            return answer
        begun = [choice for choice in choices if answer and choice.startswith(answer.lower())]
        if answer in choices or len(begun) == 1:
            return answer if answer in choices else begun[0]


def confirm(question: str) -> bool:
    """Ask for a yes; anything else is a no."""
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
