"""The judge of every edit: markdown-it-py, asked what stands in a piece of a registry.

Edits are rare and must not go wrong, so each is read back by a second parser before it is written. Where
that is not installed, as under a hook of the plugin's folder, qlearn's own scanner alone does: a hook writes
proposals, and counts in an entry's Evidence, and nothing else.
"""

from __future__ import annotations

from functools import cache

from .blocks import scan
from .document import parse
from .errors import RegistryError
from .learning import parse_heading
from .lines import BOM, count_lines, split_lines
from .record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from markdown_it import MarkdownIt

    from .document import Section

# Stands behind the piece under proof: a block left open in it would swallow this heading.
_SENTINEL = "\n### end\n"
_SENTINEL_MEANS: tuple[object, ...] = (3, "end", {})


class Line(NamedTuple):
    """A document-level block by its lines, half open and counted from 0.

    The level of an item is 0 here, since markdown-it-py doesn't tell the column of its content.
    """

    kind: str
    level: int
    first: int
    after: int
    text: str = ""


def judged(text: str) -> list[Line]:
    """Ask markdown-it-py for headings, thematic breaks and bullet items at document level.

    Raises:
        ModuleNotFoundError: It is not installed.
    """
    found = []
    tokens = _parser().parse(text)
    lines = split_lines(text)
    for index, token in enumerate(tokens):
        if token.map is None:
            continue
        first, after = token.map
        if token.type == "heading_open" and token.level == 0:
            kind = "heading" if token.markup.startswith("#") else "setext"
            found.append(Line(kind, int(token.tag[1]), first, after, tokens[index + 1].content))
        elif token.type == "hr" and token.level == 0:
            found.append(Line("break", 0, first, after))
        elif token.type == "list_item_open" and token.level == 1 and token.markup in ("-", "+", "*"):
            while after > first + 1 and not lines[after - 1].strip(" \t"):
                after -= 1
            found.append(Line("item", 0, first, after))
    return found


def seen(text: str) -> list[Line]:
    """Ask qlearn's own scanner for the same, in the same terms."""
    found = []
    line = counted = 0
    for kind, level, start, end, content in scan(text).blocks:
        line += count_lines(text, counted, start)
        counted = start
        after = line + count_lines(text, start, end) + (not text.endswith(("\n", "\r"), start, end))
        # markdown-it-py replaces NUL, and all line endings by LF.
        content = "\n".join(split_lines(content)).replace("\0", "\ufffd")
        found.append(Line(kind, 0 if kind == "item" else level, line, after, content))
    return found


def meaning(section: Section, letter: str = "L") -> tuple[object, ...]:
    """What a section says: number, title, state and fields of an entry; level, title and fields of others."""
    heading = parse_heading(section.title, letter) if section.level == 3 else None
    return (*heading, section.fields) if heading else (section.level, section.title, section.fields)


def prove(piece: str, expected: Iterable[tuple[object, ...]], letter: str = "L") -> None:
    """Check that a piece of a registry holds just the sections that mean this, and leaves nothing open.

    Args:
        expected: The `meaning` of each; that of an entry is `entry[:4]`.

    Raises:
        RegistryError: markdown-it-py or qlearn's own reader finds something else.
    """
    text = piece.removeprefix(BOM) + _SENTINEL
    sections, lines = parse(text).sections, seen(text)
    headings = [line.first + 1 for line in lines if line.kind in ("heading", "setext") and line.level <= 3]
    if (
        [meaning(section, letter) for section in sections] != [*expected, _SENTINEL_MEANS]
        or [section.lineno for section in sections] != headings
        or not _agrees(text, lines)
    ):
        raise RegistryError(
            "the edited entry would not read back as meant, so nothing was written;"
            " look for an open fence, comment or HTML block in it or in the entry before it,"
            " or for indented text right below its heading"
        )


def _agrees(text: str, lines: list[Line]) -> bool:
    try:
        return judged(text) == lines
    except ModuleNotFoundError:
        return True


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Only blocks are asked for; inline rules would cost time in proportion to the text.
    return MarkdownIt("commonmark").disable(["inline", "text_join"])
