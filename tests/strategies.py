"""Hostile registries and drafts, built from the pieces that Markdown is made of.

Plain random text hardly ever opens a fence inside a list or leaves a comment open; these do nothing else.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

NOW = datetime(2026, 11, 30, 12, 34, 56, tzinfo=UTC)

# What a container or an indent puts before a line.
PREFIXES = (
    "", "", "", "", " ", "  ", "   ", "    ", "     ", "      ", "\t", " \t", "  \t", "\t\t", "> ", ">",
    ">\t", "> > ", ">>", "   > ", "    > ", "- ", "-\t", "-  ", "-   ", "-    ", "-     ", "-", "* ",
    "+ ", " - ", "  - ", "   - ", "1. ", "1) ", "2. ", "0. ", "10. ", "123456789. ", "1234567890. ",
    "- - ", "> - ", "- > ", "1. - ", "- \t", "-\t\t", ">\t\t", ">  \t",
)  # fmt: skip

FIELDS = (
    "- **Type**: gotcha", "- **Severity**: high", "- **Date**: 2026-11-30", "- **Date**: 2026-02-31",
    "- **Reinforced**: 2026-11-01", "- **Learning**: pin it", "- **Learning**:",
    "* **Context:** the build", "+ **Keywords**： a, b", "- **Confidence**: 0.5",
    "- **Evidence**: seen 3, kept 1, last 2026-11-01", "- **Was**: L041", "- **Note**: kept as it is",
    "-\t**Type**:\tdecision", "-   **Learning**: wide", "  - **Type**: nested", "- **Example**: ```",
    "- **Learning**: > quoted", "- **Learning**: - nested", "- **Learning**: # heading",
    "- **Learning**: ~~~ sh", "-     **Code**: is code", "- **Ty pe**: two words",
    "- **Severity**: `critical`", "- **Type**:: x", "- **a*b**: x", "- **: x", "- **Used**: 7",
)  # fmt: skip

HEADINGS = (
    "### L001: pin the lockfile", "### L002: two", "### L2: two again", "### L012", "###\tL003: tab",
    "### L004: closed ###", "### [RESOLVED] L005: done", "### L006 [RESOLVED]: done",
    "### L007: [RESOLVED] done", "### L008: done [RESOLVED]", "### **L009**: bold", "### *L010:* slanted",
    "### __L011: all of it__", "### L013： 全角", "### no id", "#### L014: deep", "# Title", "## Section",
    "##", "#", "###", "####### seven", "#no space", "### ###", "# # #", "### L015: a # b",
    "### L016: a #b#", "### L017: a \\#", "### L000: zero", "### L999999999: last",
    "### L1234567890: too long", "### L018: \u2028### L019: forged", "### L020: \xa0", "### \x0bL021: x",
    "###\xa0L022: x", "### l023: x", "### L02４: x",
)  # fmt: skip

RULES = (
    "---", "***", "___", "- - -", "* * *", "--", "----------", "--- x", "-\t-\t-", "**", "===", "=",
    "==  ", "- -", "_ _ _", "+++", "***bold***", "-\\-", "= =",
)  # fmt: skip

FENCES = (
    "```", "````", "``` sh", "~~~", "~~~~", "~~~ `x", "``` a`b", "``", "```\t", "~~~ ~~~", "``` ```",
    "`````````",
)  # fmt: skip

HTML = (
    "<script>", "<SCRIPT src=x>", "</script>", "<script></script>", "<pre>", "</pre>", "<pre",
    "<style\t>", "</style>", "<textarea>x", "</textarea> y", "<prexy>", "<!-- a", "<!--", "-->",
    "<!-- b --> c", "<!-->", "<!--->", "<!- x", "<?php", "?>", "<? a ?>", "<!DOCTYPE", "<!x", "<!X >",
    "<!1", "<![CDATA[", "]]>", "<![CDATA[ a ]]>", "<![cdata[", "<div>", "</div>", "<DIV class=a",
    "<div/>", "<div", "<divx>", "<hr/", "<h7>", "<details>", "</p >", "<search>", "<a>", "<a href='x'>",
    "<a href=\"x\" b>", "</a >", "<a/>", "<b><i>", "<a href=x", "<a b=c d>  ", "<a\u2028b>", "<x-y z_=1>",
    "</a b>", "<1>", "< a>", "<liK>", "<ſcript>", "<linK>",
)  # fmt: skip

REFERENCES = (
    "[a]: /url", "[a]:", "[a]: <b c>", "[a]: /url 'title'", "[a]: /url 'title", "title'",
    "[a]: /url \"t\" x", "[a]: javascript:x", "[a]: <>", "[a]: /u\\ rl", "[a", "a]: /url", "[]: /url",
    "[\\]]: /url", "[a]: /url (t)", "(t", "[ ]: /url", "[a]: (/url", "[a]: /url ''", "[a]: x\x7fy",
    "[a]: data:image/gif;x", "[a]: &#106;avascript:x",
    "[a]: ((((((((((((((((((((((((((((((((((x))))))))))))))))))))))))))))))))))", "[a[b]: /u",
    "[a]:\t/url\t'x'", "[a]: \\", "[a]: VBScript:x", "[a]: <b>c", "'t'", "\"t", "\"", "[ẞ]: /u",
    "[foo]: /url '", "[a]: <x\\>y>",
)  # fmt: skip

PROSE = (
    "prose", "", "", "", " ", "\t", "a\\", "x  ", "**bold**: y", "\x0b", "\x0c", "\x00", "\x85", "\u2028",
    "\u2029### L030: forged", "\ufeff", "\x1c### L031: x", "&#35;## L032: x", "\\### L033: x",
    "\\- **Type**: x", "1986\\. x", "|||||||", "=======", "a -->", "the `code` span", "`", "*", "_",
    "\xa0", "\u3000x", "é", "中文", "😀", "a\tb", "<<<<<<< ours", "text ###",
)  # fmt: skip

# Weighted towards what opens and closes blocks.
FRAGMENTS = (FIELDS, HEADINGS, RULES, FENCES, HTML, REFERENCES, PROSE, HEADINGS, FENCES, PROSE, FIELDS)

# What people write between the fields of an entry.
BODIES = (
    "", "  more of it", "  ```", "lazy", "    code", "\ttab", "1. one", "2. two", "  - nested",
    "> quoted", "   three", "     five", "- a plain bullet", "[a]: /url", "  ### L040: not here",
    "- **Type**: again", "```", "<!-- note -->", "text", "a  ",
)  # fmt: skip
TAILS = (
    ("", "---", ""),
    ("---",),
    ("", "---", "", "A footer."),
    ("---", "text", "---"),
    ("***", ""),
    ("", ""),
    (),
)

ENDINGS = ("\n", "\r\n", "\r")


def fragments() -> SearchStrategy[str]:
    """One line without its container."""
    return st.sampled_from(FRAGMENTS).flatmap(st.sampled_from)


def lines() -> SearchStrategy[str]:
    """A line in up to three containers, rarely in more than are looked into."""
    prefix = st.lists(st.sampled_from(PREFIXES), max_size=3).map("".join)
    deep = st.builds(
        lambda mark, times: mark * times, st.sampled_from(("> ", "- ", ">", "1. ")), st.integers(8, 24)
    )
    shallow = st.builds(str.__add__, prefix, fragments())
    return st.integers(0, 29).flatmap(
        lambda roll: st.builds(str.__add__, deep, fragments()) if not roll else shallow
    )


def endings() -> SearchStrategy[str]:
    return st.sampled_from(ENDINGS)


def together(rows: list[str], ends: list[str], bom: str, cut: bool) -> str:
    text = "".join(row + end for row, end in zip(rows, ends, strict=True))
    return bom + (text[: -len(ends[-1])] if cut and rows else text)


@st.composite
def texts_of(draw: st.DrawFn, rows: SearchStrategy[list[str]]) -> str:
    """Lines made a text: of one line ending or a mix, perhaps with a BOM, perhaps without a final newline."""
    drawn = draw(rows)
    usual = draw(endings())
    mixed = draw(st.integers(0, 5)) == 0
    ends = [draw(endings()) if mixed else usual for _ in drawn]
    bom = draw(st.sampled_from(("", "", "", "\ufeff")))
    return together(drawn, ends, bom, draw(st.booleans()))


def hostile_texts(max_lines: int = 14) -> SearchStrategy[str]:
    """Any text: lines in containers."""
    return texts_of(st.lists(lines(), max_size=max_lines))


def fields_and_bodies() -> SearchStrategy[str]:
    return st.one_of(st.sampled_from(FIELDS), st.sampled_from(FIELDS), st.sampled_from(BODIES), lines())


@st.composite
def entries(draw: st.DrawFn) -> list[str]:
    """The lines of an entry as people write them, and worse."""
    heading = draw(st.sampled_from(HEADINGS[:24]))
    body = draw(st.lists(fields_and_bodies(), max_size=5))
    return [heading, *body, *draw(st.sampled_from(TAILS))]


def registries(max_entries: int = 4) -> SearchStrategy[str]:
    """Texts with entries that edits can be tried on, and file text between them."""
    file_text = st.lists(lines(), max_size=3)
    pieces = st.lists(st.one_of(entries(), entries(), entries(), file_text), max_size=max_entries)
    return texts_of(pieces.map(lambda each: [row for piece in each for row in piece]))


# Only what a section of the usual shape is made of, so that most are read the fast way, and what comes
# close to it, so that some must not be.
PLAIN_ROWS = (
    "# Title", "> quote", ">", "---", "---", "## Section", "#### deep", "###", "### L001: pin",
    "### L002: two ##", "### L003: a # b", "### L004:\u2028", "### \x85L005: x", "### L006: y\x85",
    "### L007: \x1cz", "### ", "- **Type**: gotcha", "- **Type**: mistake", "- **Learning**: pin it",
    "- **Context**: x ", "- **A b C**: x", "- **aB**: x", "- **Type**:x", "- **Example**:",
    "- **Date**: \x0b", "  more", "  ```", "", "", "  \t", "  - nested", "    code", "  > q", "  ===",
    "  <div>", "  </div>", "  [a]:", "text", "```", "<!--", "-->", "> q", "> ```", "\t- tab", "1. x",
    "===", "[a]: /u", "- plain bullet", "* **X:** y", "  - - - - - - - - - x", "  >>>>>>>>>>>>>>>>>>> x",
    "  \t\t\t- - - x", "  - - - - - x", "            - - - - - x", "-", "\x0c", "  \x0b",
)  # fmt: skip


def plain_texts(max_lines: int = 20) -> SearchStrategy[str]:
    return texts_of(st.lists(st.sampled_from(PLAIN_ROWS), max_size=max_lines))


VALUES = (
    "plain", "a\nb", "a\n\n\nb", "```\ncode\n```", "~~~ a`b\nx\n~~~", "```\nunclosed",
    "```` ```\nx\n````", "``` ```\nx", "`````", "~~~", "> q", "> q\n> r", "a\n>lazy\nb", "a\n    b",
    "a\n\n    code", "\tstarts with a tab", "a\n\tb", "a\n\n \tb", "ends in \\", "a\\\nb", "\\",
    "- l\n- m", "+ x\n\n      y", "1. x\n2. y", "# h", "a\n# h", "---", "a\n---\nb", "a\n===", "***",
    "<!-- open", "a\n<!-- open", "<div>\nx", "<a>", "a\n\n<script>\nb", "<![CDATA[\nx", "[a]: /u",
    "[a]: /u\n'title", "### L009: forged", "a\n### L009: forged", "a\n- **Type**: decision", "**b**: c",
    ": x", "： x", "a:b", "  spaces round it  ", "trail  \nb", "", " ", "\n\n", "`x`", "a\r\nb", "a\rb",
    "a\n  ```\n  in\n  ```", "x #", "<<<<<<< ours", "a\n<<<<<<< ours\n=======\n>>>>>>> theirs", "\ufeff",
    "| a | b |\n|---|---|", "中文，全角", "[RESOLVED]", "[RESOLVED] x", "# **x**\ny", "a. b", "a" * 200,
    "\xa0x\xa0", "a\n\xa0\nb", "\u3000",
)  # fmt: skip
REFUSED = ("a\x00b", "a\x0bb", "a\u2028b", "a\x85b", "\x1b[31m", "\ud800", "a\n\x0c\nb")
TITLES = (
    "plain", "x #", "#", "##", "a `b` c", "**bold**", "*x*", "__x", "_", "*", "[x]: /u", "<!-- c", "---",
    "===", "```", "- x", "> q", "1. x", ": x", "：x", "\\", "a\\", "é", "😀", "a  b", "[RESOLVED]x",
    "x[RESOLVED]", "`[RESOLVED]`", "a [RESOLVED] b", "L007: x", "### L1: x", "# #", "#\\#", "a \\#",
    "x\t#", "\ufeffx", "<div>", "&#35;", "**L1**: x", "x\xa0#", "  spaces round it ", "a" * 200,
    "## Section", "- **Type**: gotcha", "\tx",
)  # fmt: skip
REFUSED_TITLES = ("a\nb", "a\r\n### L9: b", "a\rb", "[RESOLVED]", "[RESOLVED] x", "x [RESOLVED]", *REFUSED)
OTHER_LABELS = (
    "Context",
    "Keywords",
    "Trigger",
    "Domain",
    "Source",
    "Key",
    "Files",
    "Was",
    "Note",
    "Two words",
    "Émile",
    "a`b",
)

# What no field can hold (docs/format.md); NUL and the surrogates among them.
_PRINTABLE = st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\u2028\u2029")


def values() -> SearchStrategy[str]:
    """Lessons and other values of any text that an entry may hold."""
    rows = st.lists(lines(), max_size=5).map("\n".join).filter(lambda value: not _refused(value))
    anything = st.text(st.one_of(_PRINTABLE, st.sampled_from("\n\t `#-*>:\r")), max_size=30)
    return st.one_of(st.sampled_from(VALUES), st.sampled_from(VALUES), rows, anything)


def titles() -> SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(TITLES),
        fragments().filter(lambda title: not _refused(title) and "RESOLVED" not in title),
    )


def _refused(value: str) -> bool:
    return any((ord(char) < 32 and char not in "\t\n\r") or char in "\x7f\x85\u2028\u2029" for char in value)


def more_fields() -> SearchStrategy[dict[str, str]]:
    return st.dictionaries(st.sampled_from(OTHER_LABELS), values(), max_size=2)
