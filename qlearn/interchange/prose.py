"""The Markdown of entries as HTML that can only be read.

markdown-it-py renders it with HTML off, so a tag of theirs is text. Nothing of theirs is fetched: an image
is its description and its address, and a link leads to the web or to a mailbox or is text.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML

from qlearn.secrets import mask
from qlearn.text import neutralise, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

_WEB = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
# One paragraph without a mark of Markdown, as most lessons are: rendering it is escaping it.
_PLAIN = re.compile(r"(?![ \t]|[-+=#>\d])[^\\`*_\[\]<&!|~\n]*\Z")


def rendered(text: str) -> str:
    """Render blocks: paragraphs, lists, code, quotes, tables. Headings become bold paragraphs."""
    text = neutralise(mask(text.strip("\n")), newlines=True)
    if not text:
        return ""
    if _PLAIN.match(text):
        return f"<p>{escape(text)}</p>"
    return str(_blocks().render(text)).strip()


def inline(text: str) -> str:
    """Render what stands within a line: code and emphasis, no links."""
    text = neutralise(mask(one_line(text)))
    return escape(text) if _PLAIN.match(text) else str(_spans().renderInline(text))


class _Renderer(RendererHTML):
    """HTML without pictures: their description and address stand in their place."""

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        token = tokens[idx]
        described = self.renderInlineAsText(token.children, options, env) or "image"
        return (
            f'<span class="image">{escape(described)} <code>{escape(str(token.attrs["src"]))}</code></span>'
        )


def _tame(state: StateCore) -> None:
    """Leave no heading that would stand beside the page's own, no style, and no link that tells who asks."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag, token.attrs = "p", {"class": "heading"} if token.nesting > 0 else {}
        elif token.type in ("th_open", "td_open"):
            token.attrs = {}
        for child in token.children or ():
            if child.type == "link_open":
                child.attrs["rel"] = "noopener noreferrer"


@cache
def _blocks() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer)
    reader.enable(["table", "strikethrough"]).core.ruler.push("tame", _tame)
    reader.validateLink = lambda url: bool(_WEB.match(url))  # type: ignore[method-assign]
    return reader


@cache
def _spans() -> MarkdownIt:
    return MarkdownIt("zero").enable(["backticks", "emphasis", "escape"])
