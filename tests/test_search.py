from __future__ import annotations

import unicodedata

import pytest

from qlearn.learning import parse_learnings
from qlearn.search import find_same, fold, search

TEXT = """\
### L001: Pin the lockfile
- **Type**: gotcha
- **Learning**: Before a release,
  pin everything.
- **Context**: release.yml
- **Keywords**: pip, uv

### L002: 한글 STRASSE
- **Type**: decision
"""


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("lockfile", ["L001"]),
        ("LOCKFILE", ["L001"]),
        ("release, pin", ["L001"]),
        ("  release,\n\tpin ", ["L001"]),
        ("RELEASE.YML", ["L001"]),
        ("uv", ["L001"]),
        ("pip, uv", ["L001"]),
        ("gotcha", ["L001"]),
        ("straße", ["L002"]),
        ("한글", ["L002"]),
        (unicodedata.normalize("NFD", "한글"), ["L002"]),
        ("critical", []),
        ("lock file", []),
        ("", ["L001", "L002"]),
    ],
)
def test_words_are_found_whatever_their_case_and_white_space(query: str, ids: list[str]) -> None:
    assert [entry.id for entry in search(parse_learnings(TEXT), query)] == ids


def test_the_same_lesson_is_found_but_for_case_and_white_space() -> None:
    first, second = parse_learnings(TEXT)
    assert find_same(TEXT, "before a RELEASE, pin  everything.") == first
    assert find_same(TEXT, "before a release, pin everything") is None
    assert find_same(TEXT, "한글 strasse") == second
    assert find_same(TEXT, unicodedata.normalize("NFD", "한글 STRASSE")) == second
    assert find_same(TEXT, "") is None


def test_what_is_folded_is_folded_once() -> None:
    for text in ("  A\u00a0B\r\n", "ǅ ﬁ İ", "e\u0301"):
        assert fold(fold(text)) == fold(text)
