"""Standard output and input as people and programs meet them."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console, RenderableType

_UNBOUNDED = 1_000_000

# What is drawn, by what stands for it where the encoding of the output lacks any of it.
_DRAWN = {"#": "█▉▊▋▌▍▎▏▇▆▅▄", "_": "▃▂▁", ".": "·", "+": "✓", "x": "✗×", "~": "…"}


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
    lines = _drawable(captured.get()).removesuffix("\n").split("\n")
    sys.stdout.write("".join(f"{line.rstrip(' ')}\n" for line in lines))


def _drawable(text: str) -> str:
    try:
        "".join(_DRAWN.values()).encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return text.translate({ord(char): instead for instead, drawn in _DRAWN.items() for char in drawn})
    return text


def print_exactly(text: str) -> None:
    """Print a text in UTF-8 and with its own line ends, whatever the terminal's encoding is."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())


def print_json(value: object) -> None:
    """Print a value as JSON."""
    from qlearn.interchange.json import dumps

    print_exactly(f"{dumps(value)}\n")


def with_hidden_shown(text: str) -> str:
    """Put codes in the place of what a terminal would obey and of what nobody would see; the rest stays."""
    from qlearn.text import hidden

    for mark in reversed(hidden(text)):
        code = f"<{mark.name.partition(' ')[0]}>"
        text = text[: mark.start] + code * (mark.end - mark.start) + text[mark.end :]
    return text


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
        if answer:
            note(f"'{answer}' is none of {', '.join(choices)}; the start of one will do")


def press(question: str, keys: str) -> str:
    """Ask until one of some keys is pressed, without Enter, and show which.

    What was typed before the question is no answer to it, nor is what comes as several characters at once: a
    paste, an arrow. Ctrl-C and Ctrl-D stop the program, as they do everywhere.
    """
    with _key_by_key() as next_key:
        sys.stdout.write(question)
        sys.stdout.flush()
        key = ""
        try:
            while key not in tuple(keys):
                key = next_key()
        finally:
            print(key)
    return key


if sys.platform == "win32":

    @contextmanager
    def _key_by_key() -> Iterator[Callable[[], str]]:
        import msvcrt

        def next_key() -> str:
            key = msvcrt.getwch()
            if key == "\x03":
                raise KeyboardInterrupt
            return key

        yield next_key

else:

    @contextmanager
    def _key_by_key() -> Iterator[Callable[[], str]]:
        """Have the terminal give keys at once and unseen, beginning with the next one."""
        import os
        import select
        import termios
        import tty

        descriptor = sys.stdin.fileno()

        def next_key() -> str:
            data = os.read(descriptor, 1024)
            while data.startswith(b"\x1b") and select.select([descriptor], [], [], 0.1)[0]:
                data += os.read(descriptor, 1024)  # on a slow line the rest of an arrow comes later
            if data in (b"", b"\x04"):
                raise EOFError
            return data.decode("utf-8", "replace")

        before = termios.tcgetattr(descriptor)
        tty.setcbreak(descriptor, termios.TCSAFLUSH)
        try:
            yield next_key
        finally:
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def confirm(question: str) -> bool:
    """Ask for a yes; anything else is a no."""
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
