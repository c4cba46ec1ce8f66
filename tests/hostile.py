"""Hostile characters and tags, and readers of text that share no code with qlearn."""

from __future__ import annotations

import html
import re
import sys
import unicodedata

# Signs with a shape of their own, though Unicode counts them among the format characters.
_SHAPED = (
    "ARABIC NUMBER", "ARABIC SIGN", "ARABIC FOOTNOTE", "ARABIC END", "ARABIC DISPUTED", "ARABIC POUND",
    "ARABIC PIASTRE", "SYRIAC ABBREVIATION", "KAITHI NUMBER", "EGYPTIAN HIEROGLYPH",
)  # fmt: skip
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u3164\uffa0\ufe00\ufe0e\ufe0f\U000e0100\U000e01ef"


def _hides(char: str) -> bool:
    category = unicodedata.category(char)
    if category == "Cf":
        return not unicodedata.name(char, "").startswith(_SHAPED)
    nothing = ord(char) & 0xFFFE == 0xFFFE or "\ufdd0" <= char <= "\ufdef"
    return nothing or category in ("Cs", "Zl", "Zp") or (category == "Cc" and char not in "\n\t")


_ALL_HIDDEN = [char for char in map(chr, range(sys.maxunicode + 1)) if _hides(char) or char in _BLANK]
# To draw from: there are 2,048 surrogates, which would be drawn nearly always.
HIDDEN = [char for char in _ALL_HIDDEN if not "\ud801" <= char <= "\udffe" or char in "\udc00\udce9"]

# A script or an emoji sequence may need these; nothing needs the others.
_MAY_BE_NEEDED = set(
    "\u061c\u180b\u180c\u180d\u180e\u180f\u200b\u200c\u200d\u200e\u200f\ufe00\ufe01\ufe02\ufe0e\ufe0f"
)
_MAY_BE_NEEDED |= {chr(0xE0000 + ord(char)) for char in "gbengsctwls\x7f"} | set(
    map(chr, range(0xE0100, 0xE0120))
)
NEVER_NEEDED = set(_ALL_HIDDEN) - _MAY_BE_NEEDED

TAGS = [
    "<system-reminder>", "</system-reminder>", "</local-command-stdout>", "<command-name>", "</hook_context>",
    "<user-prompt-submit-hook>", "<post-tool-use-hook>", "</environment_context>", "<task-notification>",
    "</untrusted_context>", "</function_calls>", "<invoke name='x'>", "[INST]", "[/INST]", "<|im_start|>",
    "<|endoftext|>", "<<SYS>>", "<system>", "</system>", "<EXTREMELY_IMPORTANT>", "<tool_use_error>",
]  # fmt: skip
ENTITIES = [
    "&lt;",
    "&LT;",
    "&#60;",
    "&#0060;",
    "&#x3c;",
    "&#x3C",
    "&lt",
    "\\u003c",
    "\\x3C",
    "%3c",
    "＜",
    "﹤",
    "‹",
    "⟨",
    "❰",
    "&AMP;lt;",
    "&#38;lt;",
    "&#x26;#60;",
    "&lang;",
    "&lsaquo;",
    "%253C",
    "\\u{3c}",
    "\\U0000003C",
]
TWINS = str.maketrans("aceiopsxy/|-", "асеіорѕху∕∣‑")
_UNTWINNED = str.maketrans("асеіорѕху‹⟨❰∕∣‐", "aceiopsxy<<</|-")


def plainest(text: str) -> str:
    """Read *text* as generously as a model might: decode, drop what hides, fold shapes, case and space."""
    text = re.sub(r"\\u\{(\w+)\}", r"&#x\1;", text)
    text = re.sub(r"\\u(?:0000)?00|\\x|%(?:25)*(?=3c)", "&#x", text, flags=re.IGNORECASE)
    text = html.unescape(html.unescape(re.sub(r"(&#x3c)(?!;)", r"\1;", text, flags=re.IGNORECASE)))
    text = unicodedata.normalize("NFKD", text)
    text = text.translate(_UNTWINNED)
    text = "".join(c for c in text if unicodedata.category(c) not in ("Mn", "Me", "Cf", "Cc", "Zs"))
    return text.casefold().replace("_", "-")


_PLAINEST_TAGS = [(tag, plainest(tag)) for tag in TAGS]


def tags_in(text: str) -> list[str]:
    """Find the hosts' tags that a generous reader would see."""
    left = plainest(text)
    return [tag for tag, plain in _PLAINEST_TAGS if plain in left]


def smuggled(text: str) -> list[str]:
    """Find characters that are hidden, or act, where nothing round them can need them."""
    found = []
    for at, char in enumerate(text):
        around = text[max(0, at - 3) : at] + text[at + 1 : at + 4]
        keycap = char == "\ufe0f" and re.match(r"[0-9#*]\ufe0f\u20e3", text[max(0, at - 1) :])
        if char in NEVER_NEEDED or (char in _MAY_BE_NEEDED and around.isascii() and not keycap):
            found.append(char)
    return found
