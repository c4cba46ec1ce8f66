"""Hostile registries and drafts, built from the pieces that Markdown is made of.

Plain random text hardly ever opens a fence inside a list or leaves a comment open; these do nothing else.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from hypothesis.strategies import SearchStrategy

    T = TypeVar("T")

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
    "==  ", "- -", "_ _ _", "+++", "***bold***", "-\\-", "= =", "+", "*",
)  # fmt: skip

FENCES = (
    "```", "````", "~~~", "```", "````", "~~~", "~~~~", "``` sh", "~~~ `x", "``` a`b", "``", "```\t",
    "~~~ ~~~", "``` ```", "`````````",
)  # fmt: skip
# Each kind that ends in its own way, and what comes close to it.
HTML = (
    (
        "<script>", "<SCRIPT src=x>", "</script>", "<script></script>", "<pre>", "</pre>", "<pre",
        "<style\t>", "</style>", "<textarea>x", "</textarea> y", "<prexy>", "<ſcript>",
    ),
    ("<!-- a", "<!--", "-->", "<!-- b --> c", "<!-->", "<!--->", "<!- x", "a -->"),
    ("<?php", "?>", "<? a ?>", "<?"),
    ("<!DOCTYPE", "<!x", "<!X >", "<!1", ">", "x >"),
    ("<![CDATA[", "]]>", "<![CDATA[ a ]]>", "<![cdata["),
    (
        "<div>", "</div>", "<DIV class=a", "<div/>", "<div", "<divx>", "<hr/", "<h7>", "<details>",
        "</p >", "<search>", "<liK>", "<linK>", "<LI>",
    ),
    (
        "<a>", "<a href='x'>", "<a href=\"x\" b>", "</a >", "<a/>", "<b><i>", "<a href=x", "<a b=c d>  ",
        "<a\u2028b>", "<x-y z_=1>", "</a b>", "<1>", "< a>",
    ),
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

FAMILIES = (
    FENCES, FENCES, FENCES, FENCES, FIELDS, HEADINGS, RULES, RULES, *HTML, REFERENCES, REFERENCES, PROSE,
    PROSE,
)  # fmt: skip
# Whether a block ended shows in how these are read behind it.
PROBES = (
    ("# probe", ""), ("# probe",), ("# probe", "probe"), ("===", "probe"), ("", "probe", "==="),
    ("", "probe", "---"), ("---", ""), ("probe", "- probe", ""), ("===", "# probe", ""),
    ("probe", "===", "*"), ("2. probe", "probe", "==="), ("", "    probe", "# probe"),
)  # fmt: skip

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


_MARKS, _TIMES = ("> ", "- ", ">", "1. "), (9, 10, 18, 19, 20, 21)
DEEP = tuple(mark * times for mark in _MARKS for times in _TIMES)
_CONTAINERS = (
    *("> ", "- ", "  ", "    ", ">", "1. ", " ", "   ", "\t", "-\t") * 100,
    *PREFIXES * 8,
    *(outer + inner for outer in PREFIXES[::2] for inner in PREFIXES[::2]),
    *DEEP * 4,
)


class Choices:
    """Choices made by bytes, two for each: one draw of Hypothesis makes a whole text that can be shrunk.

    What comes first is the simplest, and is chosen where there are no more bytes.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def number(self, most: int) -> int:
        self._at += 2
        return int.from_bytes(self._data[self._at - 2 : self._at]) % (most + 1)

    def one_of(self, options: Sequence[T]) -> T:
        return options[self.number(len(options) - 1)]

    def some_of(self, options: Sequence[T], least: int, most: int) -> list[T]:
        return [self.one_of(options) for _ in range(least + self.number(most - least))]


def made(make: Callable[[Choices], T], choices: int) -> SearchStrategy[T]:
    size = choices * 2
    return st.binary(min_size=size, max_size=size).map(lambda data: make(Choices(data)))


def palette(choices: Choices) -> list[str]:
    """A few lines that have to do with each other, since bugs show where the same few meet again."""
    pieces = choices.some_of(choices.one_of(FAMILIES), 1, 3)
    if choices.number(1):
        pieces.append(choices.one_of(choices.one_of(FAMILIES)))
    pieces += choices.one_of(PROBES)
    fronts = ["", *choices.some_of(_CONTAINERS, 0, 2)]
    return [front + piece for front in fronts for piece in pieces]


def joined(choices: Choices, rows: Sequence[str]) -> str:
    """Lines made a text: of one line ending or a mix, perhaps with a BOM, perhaps without a final newline."""
    usual = choices.one_of(("\n", "\n", "\n", "\r\n", "\r", ""))
    bom = choices.one_of(("", "", "", "\ufeff"))
    cut = choices.number(1)
    ends = [usual or choices.one_of(ENDINGS) for _ in rows]
    text = bom + "".join(row + end for row, end in zip(rows, ends, strict=True))
    return text[: -len(ends[-1])] if cut and rows else text


def hostile_texts(most: int = 20) -> SearchStrategy[str]:
    """Any text: lines in containers."""

    def make(choices: Choices) -> str:
        rows = palette(choices)
        return joined(choices, choices.some_of(rows, 0, most))

    return made(make, 15 + 2 * most)


def registries(most: int = 12) -> SearchStrategy[str]:
    """Texts with entries that edits can be tried on, as people write them and worse, and file text."""

    def make(choices: Choices) -> str:
        headings = choices.some_of(HEADINGS[:24], 1, 3)
        pieces = choices.some_of(FIELDS, 1, 4) + choices.some_of(BODIES, 0, 2)
        family = choices.one_of(FAMILIES)
        pieces += [choices.one_of(_CONTAINERS) + piece for piece in choices.some_of(family, 0, 2)]
        rows = [*((row,) for row in (*headings, *pieces)), *choices.some_of(TAILS, 2, 2)]
        lines = [line for row in choices.some_of(rows, 0, most) for line in row]
        return joined(choices, headings[:1] * choices.number(1) + lines)

    return made(make, 40 + 3 * most)


# Only what a section of the usual shape is made of, so that most are read the fast way, and what comes
# close to it, so that some must not be.
PLAIN_ROWS = (
    "# Title", "> quote", ">", "---", "---", "## Section", "#### deep", "###", "### L001: pin",
    "### L002: two ##", "### L003: a # b", "### L004:\u2028", "### \x85L005: x", "### L006: y\x85",
    "### L007: \x1cz", "### ", "- **Type**: gotcha", "- **Type**: mistake", "- **Learning**: pin it",
    "- **Context**: x ", "- **A b C**: x", "- **aB**: x", "- **Type**:x", "- **Example**:",
    "- **Date**: \x0b", "  more", "  ```", "", "", "  \t", "  - nested", "    code", "  > q", "  ===",
    "  <div>", "  </div>", "  [a]:", "text", "```", "<!--", "-->", "> q", "> ```", "\t- tab", " lazy",
    " - sibling", " ===", "1. x", "===", "[a]: /u", "- plain bullet", "* **X:** y",
    "  - - - - - - - - - x", "  >>>>>>>>>>>>>>>>>>> x", "  \t\t\t- - - x", "  - - - - - x",
    "            - - - - - x", "-", "\x0c", "  \x0b",
)  # fmt: skip


def plain_texts(most: int = 14) -> SearchStrategy[str]:
    """Texts that are read the quick way, and some that must not be."""

    def make(choices: Choices) -> str:
        rows = ["### L001: pin", "- **Type**: gotcha", "", "---", *choices.some_of(PLAIN_ROWS, 1, 5)]
        return joined(choices, choices.some_of(rows, 0, most))

    return made(make, 15 + 2 * most)


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
    rows = made(lambda choices: "\n".join(choices.some_of(palette(choices), 0, 5)), 20)
    anything = st.text(st.one_of(_PRINTABLE, st.sampled_from("\n\t `#-*>:\r")), max_size=30)
    hostile = st.one_of(rows, anything).filter(lambda value: not _refused(value))
    return st.one_of(st.sampled_from(VALUES), st.sampled_from(VALUES), hostile)


fragments = made(lambda choices: choices.one_of(choices.one_of(FAMILIES)), 2)


def titles() -> SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(TITLES),
        fragments.filter(lambda title: title.strip() and not _refused(title) and "RESOLVED" not in title),
    )


def _refused(value: str) -> bool:
    return any((ord(char) < 32 and char not in "\t\n\r") or char in "\x7f\x85\u2028\u2029" for char in value)


def more_fields() -> SearchStrategy[dict[str, str]]:
    return st.dictionaries(st.sampled_from(OTHER_LABELS), values(), max_size=2)
