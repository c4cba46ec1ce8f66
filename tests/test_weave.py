from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from qlearn.weave import Clash, align, weave

from .growth import grows_linearly

LINES = st.sampled_from(("a\n", "b\n", "c\n", "\nd\n", "\n", "e\n", "f\n"))
TEXTS = st.lists(LINES, max_size=12)
TOKENS: st.SearchStrategy[list[str | int]] = st.lists(
    st.one_of(LINES, st.integers(0, 6)),
    max_size=14,
    unique_by=lambda token: token if isinstance(token, int) else object(),
)


def woven(base: str, one: str, other: str) -> str:
    """Weave texts of one letter a line, digits being keys; a clash is written `<x|y>`."""

    def tokens(text: str) -> list[str | int]:
        return [int(char) if char.isdigit() else char + "\n" for char in text.replace("_", "")]

    parts = weave(tokens(base), tokens(one), tokens(other), rank=lambda key: key)
    said = (f"<{part.one}|{part.other}>" if isinstance(part, Clash) else str(part) for part in parts)
    return "".join(said).replace("\n", "")


def test_what_one_side_changes_is_taken() -> None:
    assert woven("abc", "xbc", "aby") == "xby"
    assert woven("abc", "abc", "aby") == "aby"
    assert woven("abc", "xbc", "abc") == "xbc"
    assert woven("abc", "ac", "abcd") == "acd"


def test_what_both_sides_change_is_a_clash_unless_they_agree() -> None:
    assert woven("abc", "axc", "ayc") == "a<x|y>c"
    assert woven("abc", "axc", "axc") == "axc"
    assert woven("abc", "ac", "axc") == "a<|x>c"


def test_what_both_texts_of_a_clash_start_and_end_with_stands_outside() -> None:
    assert woven("", "axb", "ayb") == "a<x|y>b"


def test_keys_that_both_sides_add_are_ranked_and_keep_their_sides_order() -> None:
    assert woven("a1", "a124", "a13") == "a1234"
    assert woven("a1", "a142", "a13") == "a1342"


def test_a_key_stands_where_the_side_that_moved_it_put_it() -> None:
    assert woven("123", "312", "123") == "312"
    assert woven("123", "231", "312") == "321"
    assert woven("1a2b3", "2a1b3", "1a2b34") == "2a1b34"


def test_a_key_that_moved_on_both_sides_goes_where_the_first_put_it() -> None:
    assert woven("123", "312", "132") in ("312", "132")
    assert sorted(woven("1234", "4123", "1423")) == list("1234")


def test_a_key_stays_behind_its_line() -> None:
    assert woven("ab", "a1b", "xab") == "xa1b"
    assert woven("", "a1b", "a2b") == "a12b"


def test_a_key_whose_line_is_gone_stands_behind_what_came_in_its_place() -> None:
    assert woven("ab", "xb", "a1b") == "x1b"


def test_no_key_stands_in_a_clash() -> None:
    assert woven("ab", "x1yb", "z2b") == "<xy|z>12b"


def test_a_key_that_one_side_lacks_is_new_on_the_other() -> None:
    assert woven("a1b", "ab", "a1b") == "a1b"


def test_blank_lines_are_no_clash() -> None:
    assert weave(["a\n", "b\n"], ["a\n", "\nb\n"], ["a\n", "\n\nb\n"], rank=str) == ["a\n", "\n\nb\n"]


def test_blank_lines_that_both_texts_start_with_stand_before_the_clash() -> None:
    assert weave(["a\n"], ["\nb\n"], ["\n\nc\n"], rank=str) == ["\n", Clash("b\n", "\nc\n")]


@given(TEXTS, TEXTS)
def test_aligned_tokens_are_equal_and_in_order(old: list[str], new: list[str]) -> None:
    found = sorted(align(old, new).items())
    assert all(old[at] == new[to] for at, to in found)
    assert all(before[1] < after[1] for before, after in pairwise(found))


@given(TEXTS)
def test_a_text_is_aligned_with_itself(text: list[str]) -> None:
    assert align(text, text) == {at: at for at in range(len(text))}


def test_a_rest_without_a_line_of_its_own_is_aligned_as_far_as_possible() -> None:
    assert align([*"ababb"], [*"babba"]) == {1: 0, 2: 1, 3: 2, 4: 3}


def test_a_large_rest_without_a_line_of_its_own_counts_as_rewritten() -> None:
    assert len(align([*"ab" * 100], [*"ba" * 100])) == 0


@given(TOKENS, TOKENS, TOKENS)
def test_keys_come_out_once_and_lines_from_a_side(
    base: list[str | int], one: list[str | int], other: list[str | int]
) -> None:
    out = weave(base, one, other, rank=lambda key: key)
    assert sorted(part for part in out if isinstance(part, int)) == sorted(
        {token for token in one + other if isinstance(token, int)}
    )
    texts = ["".join(map(str, part)) for part in out if isinstance(part, (str, Clash))]
    assert {line for text in texts for line in text.split("\n")} <= {
        line for token in one + other for line in str(token).split("\n")
    } | {""}


def test_deep_nesting_of_lines_is_aligned_in_linear_time() -> None:
    def work(text: str) -> object:
        # Each line stands once in what the one before it leaves, and nowhere else.
        size = len(text)
        nested = [f"{number}\n" for depth in range(size, 0, -1) for number in (depth + 1, depth)]
        return align(nested, nested[::-1])

    assert grows_linearly(work, "x", 1_000)
