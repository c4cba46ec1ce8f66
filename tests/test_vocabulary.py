from __future__ import annotations

import pytest

from qlearn.tokens import stem, tokens
from qlearn.vocabulary import background, is_phrase, is_stop, same_meaning, spaceless


@pytest.mark.parametrize("word", ["the", "whether", "para", "los", "했는", "了一", "x"])
def test_grammar_says_nothing(word: str) -> None:
    assert is_stop(word)


@pytest.mark.parametrize("word", ["cach", "fixtur", "factur", "락", "缓存", "137"])
def test_a_word_that_names_something_says_something(word: str) -> None:
    assert not is_stop(word)


def test_what_stands_in_many_texts_is_no_rare_word() -> None:
    assert background(stem("tests")) > background(stem("docker")) > background("pgbouncer") == 0


@pytest.mark.parametrize("word", ["캐시", "缓存", "caché", "cache"])
def test_a_word_means_the_same_in_four_languages(word: str) -> None:
    (token,) = tokens(word, spaceless())
    assert {"캐시", "缓存", "cach"} <= set(same_meaning(token))


def test_a_phrase_is_known_by_its_stems_and_found_as_it_is_written() -> None:
    stems = " ".join(tokens("time zones"))
    assert is_phrase(stems)
    assert "time zone" in same_meaning(stems)
    assert "time zone" in same_meaning("tz")


def test_an_unknown_word_has_no_other_forms() -> None:
    assert same_meaning("pgbouncer") == ()
    assert not is_phrase("blue elephant")
