"""The judge of every edit: markdown-it-py, asked what stands in a piece of a registry.

Edits are rare and must not go wrong, so each is read back by a second parser before it is written. The
hooks never edit the registry and never import this.
"""

from __future__ import annotations

from functools import cache

from .blocks import scan
from .document import parse
from .errors import RegistryError
from .learning import Learning, learnings, parse_heading
from .lines import BOM, count_lines
from .record import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

# Stands behind the piece under proof: a block left open in it would swallow this heading.
_SENTINEL = "\n### {letter}999999999: end\n"


def heading_lines(text: str) -> tuple[tuple[int, str], ...]:
    """Ask markdown-it-py for the level-3 ATX headings at document level: line from 0, and content."""
    tokens = _parser().parse(text)
    return tuple(
        (token.map[0], tokens[index + 1].content)
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.markup == "###" and token.map
    )


def prove(piece: str, expected: tuple[Learning, ...], letter: str = "L") -> None:
    """Check that a piece of a registry holds just these entries and fields, and leaves nothing open.

    Numbers, titles, states and fields are compared; places are not.

    Raises:
        RegistryError: markdown-it-py or qlearn's own reader finds something else.
    """
    text = piece.removeprefix(BOM) + _SENTINEL.format(letter=letter)
    judged = [heading for _, content in heading_lines(text) if (heading := parse_heading(content, letter))]
    read = learnings(parse(text), letter)
    if (
        [(entry.number, entry.title, entry.resolved) for entry in read]
        != [tuple(heading) for heading in judged]
        or not read
        or read[-1].number != 999999999
        or [entry[:4] for entry in read[:-1]] != [entry[:4] for entry in expected]
        or _item_lines(text) != _judged_item_lines(text)
    ):
        raise RegistryError(
            "the edited entry would not read back as meant, so nothing was written;"
            " look for an open fence, comment or HTML block in it or in the entry before it"
        )


def _item_lines(text: str) -> list[int]:
    return [count_lines(text, 0, block.start) for block in scan(text).blocks if block.kind == "item"]


def _judged_item_lines(text: str) -> list[int]:
    bullets = ("-", "+", "*")
    return [
        token.map[0]
        for token in _parser().parse(text)
        if token.type == "list_item_open" and token.level == 1 and token.markup in bullets and token.map
    ]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Only blocks are asked for; inline rules would cost time in proportion to the text.
    return MarkdownIt("commonmark").disable(["inline", "text_join"])
