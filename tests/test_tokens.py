from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

import qlearn.tokens
from qlearn.tokens import stem, tokens, words_at


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(qlearn.tokens).failed == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserName", ["get", "user", "nam", "getusernam"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("max_pool_size", ["max", "pool", "siz"]),
        ("--force-with-lease", ["forc", "with", "leas"]),
        ("datetime.utcnow()", ["datetim", "utcnow"]),
        ("src/db/models.py", ["src", "db", "model", "py"]),
        ("ERR_REQUIRE_ESM", ["err", "requir", "esm"]),
        ("OAuth2 x86_64 utf8", ["auth2", "oauth2", "x86", "64", "utf8"]),
        ("Error", ["error"]),
        ("facturación", ["facturación"]),
        ("Миграция базы", ["миграция", "базы"]),
        ("", []),
        ("?! --- \u3000", []),
    ],
)
def test_an_identifier_gives_its_parts(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_camel_case_also_gives_the_whole_so_that_it_meets_its_plain_spelling() -> None:
    assert set(tokens("pgbouncer")) <= set(tokens("PgBouncer"))


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("웹훅이 중복된다", (), ["웹훅", "중복"]),
        ("데이터베이스에서", ("데이터베이스",), ["데이터베이스"]),
        ("락을 건다", (), ["락", "건다"]),
        ("缓存失效", ("缓存",), ["缓存", "失效"]),
        ("清空缓存后重试", ("缓存",), ["清空", "缓存", "后重", "重试"]),
        ("锁", (), ["锁"]),
        ("キャッシュを消す", (), ["キャ", "ャッ", "ッシ", "シュ", "消"]),
        ("Redis缓存", ("缓存",), ["redi", "缓存"]),
    ],
)
def test_scripts_without_spaces_give_known_words_and_pairs(
    text: str, known: tuple[str, ...], expected: list[str]
) -> None:
    assert tokens(text, frozenset(known)) == expected


@pytest.mark.parametrize(
    "forms",
    [
        ("cache", "caches", "cached", "caching"),
        ("query", "queries"),
        ("dependency", "dependencies"),
        ("setting", "settings"),
        ("connect", "connected", "connecting", "connection", "connections"),
        ("retry", "retries", "retried"),
        ("factura", "facturas"),
        ("archivo", "archivos"),
    ],
)
def test_the_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize("word", ["class", "bus", "need", "sing", "go", "137", "sha256"])
def test_a_short_word_or_one_with_digits_keeps_its_letters(word: str) -> None:
    assert len(stem(word)) >= min(len(word), 3)


@given(st.text(alphabet="abcdefgeinosy", max_size=12))
def test_a_stem_is_a_beginning_of_its_word(word: str) -> None:
    assert word.startswith(stem(word))
    assert bool(stem(word)) == bool(word)


@given(st.text())
def test_any_text_has_words_and_none_of_them_is_empty(text: str) -> None:
    assert all(tokens(text))


@given(st.text(alphabet="aZ_-9é ", max_size=20))
def test_words_at_the_start_of_a_run_are_those_of_the_run(text: str) -> None:
    run = text.replace("_", " ").replace("-", " ").split(" ")[0]
    assert list(words_at(text, 0)) == tokens(run)
