"""Examples of every kind of block: a table of our own, and those of the CommonMark specification.

The specification's text is not part of this repository. The source distribution of the package commonmark
holds it, so it is fetched from there once and kept in pytest's cache.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_EXAMPLE = re.compile(r"^`{32} example\n(.*?)^\.\n", re.MULTILINE | re.DOTALL)


def examples_of_the_specification(request: pytest.FixtureRequest) -> list[str]:
    """The Markdown side of each example. Without a package index the test is skipped, but never in CI."""
    folder = request.config.cache.mkdir("commonmark-spec")
    spec = folder / "spec.txt"
    if not spec.is_file():
        reason = _fetch(folder, spec)
        if reason:
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)
    text = spec.read_text("utf-8")
    return [found[1].replace("→", "\t") for found in _EXAMPLE.finditer(text)]


def _fetch(folder: Path, spec: Path) -> str:
    """Put the specification's text there; return why that failed, or nothing."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    ended = subprocess.run(
        [*command, "--dest", str(folder), "commonmark>=0.9.1"], capture_output=True, text=True, check=False
    )
    for archive in sorted(folder.glob("commonmark-*.tar.gz")):
        with tarfile.open(archive) as opened:
            for member in opened:
                if member.name.endswith("/spec.txt") and (file := opened.extractfile(member)):
                    spec.write_bytes(file.read())
                    return ""
    return f"the specification could not be fetched: {ended.stderr.strip() or 'no spec.txt in the package'}"


_TABS = (
    "\tcode", "  \tcode", " \t code", "a\n\tb", "-\ta", "-\ta\n\n\tb", "- a\n\n\tb", "-\t\ta", ">\ta",
    ">\t\ta", "> \ta\n>\tb", "1.\ta\n\n\tb", "\t- a", "#\ta", "*\t*\t*", "- a\n\t- b", " - a\n\t- b\n\t  - c",
    "```\n\tx\n```", "\t```\n\tx",
)  # fmt: skip
_BREAKS = (
    "***\n---\n___", "+++", "--\n**\n__", " ***\n  ---\n   ___", "    ***", "a\n    ***", "_" * 40, "- - -",
    " **  * ** * **", "- - - -   ", "_ _ _ a", "a---", "---a---", "*-*", "- a\n***\n- b", "a\n***\nb",
    "* a\n* * *\n* b", "- a\n- * * *", "-\t-\t-", "___ _", "*\t*\t*\t", "***a", "- ***", "> ***", "1. ---",
)  # fmt: skip
_ATX = (
    "# a\n## b\n### c\n#### d\n##### e\n###### f", "####### a", "#a\n\n#5", "\\## a", "# a *b* \\*c\\*",
    "#     a     ", " ### a\n  ## b\n   # c", "    # a", "a\n    # b", "## a ##\n  ###   b    ###",
    "# a ########", "### a ###     ", "### a ### b", "# a#", "### a \\###\n## b #\\##\n# c \\#",
    "***\n## a\n***", "a\n# b\nc", "## \n#\n### ###", "#\xa0a", "# a\xa0", "#\t#", "# #a", "###### #######",
    "# a\\", "- # a", "- a\n# b", "> # a\n# b", "# a\n---", "#", "#\n", "# \u2028", "#\x0ba", "# a \x0b#",
)  # fmt: skip
_SETEXT = (
    "a *b*\n===\n\nc\n---", "a\nb\n===", "  a\n   b  \n===", "a\n-----\n\nb\n=",
    "   a\n---\n\n  b\n-----\n\n  c\n  ===", "    a\n    ---", "a\n   ----      ", "a\n    ---",
    "a\n= =\n\nb\n--- -", "a  \n-----", "a\\\n----", "`a\n----\n`", "> a\n---", "> a\nb\n===", "- a\n---",
    "- a\nb\n---", "a\nb\n---", "---\na\n---\nb\n---\nc", "\n====", "---\n---", "- a\n-----", "    a\n---",
    "> a\n-----", "\\> a\n------", "a\n\nb\n---\nc", "a\nb\n\n---\n\nc", "a\nb\n* * *\nc", "a\nb\n\\---\nc",
    "===", "- ===", "a\n===\n===", "[a]: /b\n===", "[a]: /b\n---", "[a]: /b\n===\nc", "a\n==-", "a\n\t===",
    "1. a\n===", "a\n- \n---", "<b>\n---", "a\n--", "a\n-", "a\n-\n",
)  # fmt: skip
_CODE = (
    "    a\n      b", "  - a\n\n    b", "1.  a\n\n    - b", "    a\n    - b\n\n    # c",
    "    a\n\n    b\n  \n \n    c", "    a\n\n      b", "a\n    b", "    a\nb",
    "# a\n    b\nc\n---\n    d\n----", "        a\n    b", "\n    \n    a\n    ", "    a  ", "a\n\n    b\nc",
    "    ```\n# a", "    <!--\n# a",
)  # fmt: skip
_FENCES = (
    "```\na\n```", "~~~\na\n~~~", "``\na\n``", "```\na\n~~~\n```", "~~~\na\n```\n~~~", "````\na\n```\n``````",
    "~~~~\na\n~~~\n~~~~", "```", "`````\n\n```\na", "> ```\n> a\n\n# b", "```\n\n  \n```", "```\n```",
    " ```\n a\na\n```", "  ```\na\n  a\n  ```", "   ```\n   a\n    a\n   ```", "    ```\n    a\n    ```",
    "```\na\n  ```", "   ```\na\n  ```", "```\na\n    ```", "``` ```\na", "~~~~~~\na\n~~~ ~~",
    "a\n```\nb\n```\nc", "a\n---\n~~~\nb\n~~~\n# c", "```x\na\n```", "~~~~ x y=z $%@\na\n~~~", "````;\n````",
    "``` a ```\nb", "~~~ a ``` ~~~\nb\n~~~", "```\n``` a\n```", "- ```\n  a\n  ```\n# b", "- ```\n  a\n# b",
    "- ```\n a\n", "1. ```\n# a\n```\n# b", "> ```\n# a", "```\n> a\n```", "``` `\na\n```\nb",
    "```\n\t```\n# a", "- a\n  ```\n  # b\n\n  c\n  ```\n- d",
)  # fmt: skip
_HTML = (
    "<table><tr><td>\n<pre>\n**a**,\n\n_b_.\n</pre>\n</td></tr></table>",
    "<table>\n  <tr>\n  </tr>\n</table>\n\na", " <div>\n  *a*\n <b><a>", "</div>\n# a",
    "<DIV CLASS=\"a\">\n\n# b\n\n</DIV>", "<div id=\"a\"\n  class=\"b\">\n# c\n</div>", "<div>\n# a\n\n# b",
    "<div id=\"a\"\n# b", "<div class\n# a", "<div *?-&<-\n# a", "<div><a href=\"b\"># c</a></div>",
    "<table><tr><td>\na\n</td></tr></table>", "<div></div>\n``` c\n# x\n```", "<a href=\"b\">\n# c\n</a>",
    "<Warning>\n# a\n</Warning>", "<i class=\"a\">\n# b\n</i>", "</ins>\n# a", "<del>\n# a\n</del>",
    "<del>\n\n# a\n\n</del>", "<del>a</del>\n# b", "<pre a=\"b\"><code>\n\n# c\n\n</code></pre>\n# d",
    "<script type=\"a\">\n\n# b\n</script>\n# c", "<textarea>\n\n# a\n\n</textarea>",
    "<style\n  a=\"b\">\n\n# c\n</style>\n# d", "<style\n  a=\"b\">\n\n# c", "> <div>\n> # a\n\n# b",
    "- <div>\n- # a\n# b", "<style>p{}</style>\n# a", "<!-- a -->*b*\n# c", "<script>\na\n</script>1. b\n# c",
    "<!-- a\n\n# b\n-->\n# c", "<?a\n\n# b\n?>\n# c", "<!A b>\n# c", "<![CDATA[\n\n# a\n]]>\n# b",
    "  <!-- a -->\n\n    <!-- b -->", "  <div>\n\n    <div>\n# a", "a\n<div>\n# b\n</div>",
    "<div>\na\n</div>\n*b*\n# c", "a\n<a href=\"b\">\n# c", "<div>\n\n*a*\n\n</div>", "<div>\n*a*\n</div>",
    "<table>\n\n<tr>\n\n<td>\na\n</td>\n\n</tr>\n\n</table>", "<table>\n\n  <tr>\n\n    <td>\n      a",
    "<!-->\n# a", "<!-- a --\n# b", "</script>\n# a", "<pre>\n# a\n</PRE>\n# b", "<script>a</style>\n# b",
    "<a b='c' d=\"e\" f=g h>\n# i", "<a b='c'd>\n# e", "<a b = c>\n# d", "<a/ >\n# b", "</a b>\n# c",
    "<a>b\n# c", "<a\nb>\n# c", "<1>\n# a", "<a:b>\n# c", "<a-b/>\n# c", "<div\t>\n# a", "<divs>\n# a",
    "<hr>\n# a", "<dialog>\n# a", "<search>\n# a", "<source>\n# a", "<!a\n\n# b>\n# c", "<!1>\n# a",
    "a\n<!-- b\n# c\n-->\n# d", "a\n<?b\n# c", "a\n<!b\n# c", "a\n<pre>\n\n# b", "- <!--\n\n# a\n-->\n# b",
    "- <pre>\n\n  # a\n  </pre>\n# b", "> <!--\n# a",
)  # fmt: skip
_DEFINITIONS = (
    "[a]: /b \"c\"\n\n[a]", "   [a]: \n      /b  \n           'c'\n# d", "[A*b\\]]:c_(d) 'e (f)'",
    "[a b]:\n<c d>\n'e'", "[a]: /b '\nc\nd\ne\n'\n# f", "[a]: /b 'c\n\nd'\n# e", "[a]:\n/b\n---",
    "[a]:\n\n# b", "[a]: <>\n---", "[a]: <b>(c)\n---", "[a]: /b\\c\\*d \"e\\\"f\\g\"\n---",
    "[a]: b\n[a]: c\n---", "[ΑΓΩ]: /φ\n---", "[a]: /b \"c\" d\n---", "[a]: /b\n\"c\" d\n---",
    "    [a]: /b \"c\"\n---", "```\n[a]: /b\n```", "a\n[b]: /c\n---", "# [a]\n[a]: /b\n> c",
    "[a]: /b\nc\n===\n[a]", "[a]: /b\n===\n[a]", "[a]: /b \"c\"\n[d]: /e\n  \"f\"\n[g]: /h\n---",
    "> [a]: /b\n---", "- [a]: /b\n---", "[a]: /b\n# c", "[a]: /b\n- c", "[a]: /b\n    c\n---",
    "[a]: /b '\n# c'\n---", "[a\n]: /b\n---", "[a\n# b\n]: /c", "[]: /a\n---", "[ \n]: /a\n---",
    "[a\\]: /b\n---", "[a]:/b\n---", "[a] : /b\n---", "[a]: (b)\n---", "[a]: (b\n---", "[a]: b)c\n---",
    "[a]: javascript:b\n---", "[a]: /b (c)\n---", "[a]: /b (c(d)\n---", "[a]: /b 'c' \n---",
    "[a]: /b 'c'd\n---", "[a]: /b\n'c'd\n---", "[a]: \x01\n---", "[a]: b\x02c\n---", "[a]: <b\nc>\n---",
    "[a]: <b\\>c>\n---", "[a]: \\\n---", "[a]: /b ''\n---", "[a]: /b\n''\nc\n---", "[a]: /b '' c\n---",
)  # fmt: skip
_QUOTES = (
    "> # a\n> b\n> c", "># a\n>b\n> c", "   > # a\n   > b", "    > # a\n    > b", "> # a\n> b\nc",
    "> a\nb\n> c", "> a\n---", "> - a\n- b", ">     a\n    b", "> ```\na\n```", "> a\n    - b", ">",
    ">\n>  \n> ", ">\n> a\n>  ", "> a\n\n> b", "> a\n> b", "> a\n>\n> b", "a\n> b", "> a\n***\n> b", "> a\nb",
    "> a\n\nb", "> a\n>\nb", "> > > a\nb", ">>> a\n> b\n>>c", ">     a\n\n>    b", "> a\n# b", "> a\n- b",
    "> a\n1. b", "> a\n2. b", "> a\n<div>\n# b", "> a\n<a>\n# b", "> a\n===", "> a\n\t- b", "- > a\nb\n# c",
    "- > a\n> b", "> - a\nb\n# c", "> - > a\n> b\n> > c\n# d", ">a\n=\n", "> a\n\n---", "1. > a\n>b\n2. c",
    "> [a]: /b\nc\n# d",
)  # fmt: skip
_ITEMS = (
    "a\nb.\n\n    c\n\n> d", "1.  a\n    b\n\n        c\n\n    > d", "- a\n\n b", "- a\n\n  b",
    " -    a\n\n     b", " -    a\n\n      b", "   > > 1.  a\n>>\n>>     b", ">>- a\n>>\n  >  > b",
    "-a\n\n2.b", "- a\n\n\n  b", "1.  a\n\n    ```\n    b\n    ```\n\n    c\n\n    > d",
    "- a\n\n      b\n\n\n      c", "123456789. a", "1234567890. a", "0. a", "003. a", "-1. a",
    "- a\n\n      b", "  10.  a\n\n           b", "    a\n\nb\n\n    c", "1.     a\n\n   b\n\n       c",
    "1.      a\n\n   b\n\n       c", "   a\n\nb", "-    a\n\n  b", "-  a\n\n   b",
    "-\n  a\n-\n  ```\n  b\n  ```\n-\n      c", "-   \n  a", "-\n\n  a", "- a\n-\n- b", "- a\n-   \n- b",
    "1. a\n2.\n3. b", "*", "a\n*\n\nb\n1.", " 1.  a\n     b\n\n         c", "  1.  a\nb\n\n          c",
    "  1.  a\n    b", "> 1. > a\nb", "> 1. > a\n> b", "- a\n  - b\n    - c\n      - d",
    "- a\n - b\n  - c\n   - d", "10) a\n    - b", "10) a\n   - b", "- - a", "1. - 2. a",
    "- # a\n- b\n  ---\n  c", "- a\n+ b\n* c", "-     a", "-      a\n  b", "- a\n\n\n\n# b",
    "- a\n \n  b\n\t\n- c", "-\n- \n-\t", "-\n\n- a", "-\n a", "-\n  \n  a", "- a\n  # b\n# c",
    "+ a\n+ b\n\n+ c", "- a\n    - b", "-  \n\n   a", "1. a\n- b\n1) c", "- a\n2. b", "a\n2. b\n1. c",
    "a\n- b", "a\n-\nb", "a\n1.\nb", "a\n1) b", "- a\n\n  - b\n\n\n\n  c\n", "- [a]: /b\n  c", "-\ta\n \t- b",
    "- a\n  ***\n- b", "- ***\n- a",
)  # fmt: skip
_LISTS = (
    "- a\n- b\n+ c", "1. a\n2. b\n3) c", "a\n- b\n- c", "a\n14. b", "a\n1. b", "- a\n\n- b\n\n\n- c",
    "- a\n  - b\n    - c\n\n\n      d", "- a\n- b\n\n<!-- -->\n\n- c\n- d",
    "-   a\n\n    b\n\n-   c\n\n<!-- -->\n\n    d", "- a\n - b\n  - c\n   - d\n  - e\n - f\n- g",
    "1. a\n\n  2. b\n\n   3. c", "- a\n - b\n  - c\n   - d\n    - e", "1. a\n\n  2. b\n\n    3. c",
    "- a\n- b\n\n- c", "* a\n*\n\n* c", "- a\n- b\n\n  c\n- d", "- a\n- b\n\n  [r]: /u\n- d",
    "- a\n- ```\n  b\n\n\n  ```\n- c", "- a\n  - b\n\n    c\n- d", "* a\n  > b\n  >\n* c",
    "- a\n  > b\n  ```\n  c\n  ```\n- d", "- a", "- a\n  - b", "1. ```\n   a\n   ```\n\n   b",
    "* a\n  * b\n\n  c", "- a\n  - b\n  - c\n\n- d\n  - e\n  - f", "- a\n\n    # b\n# c", "- a\n# b\n- c",
    "- a\n\n\n- b\n\n\n",
)  # fmt: skip
_BLANK = (
    "  \n\na\n  \n\n# b\n\n  ",
    "",
    "\n",
    " ",
    "\t\n\t",
    "a\n\n\n\nb",
    "\x0b\n# a",
    "\x0c\n---",
    "\u2028\n---",
    "\xa0\n---",
    "\x00\n===",
    "a\x00b\n---",
    "\ufeff# a",
    "# \ufeffa",
)

OWN_EXAMPLES = (
    *_TABS, *_BREAKS, *_ATX, *_SETEXT, *_CODE, *_FENCES, *_HTML, *_DEFINITIONS, *_QUOTES, *_ITEMS, *_LISTS,
    *_BLANK,
)  # fmt: skip
