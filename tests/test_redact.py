from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.redact import MASK, redact

from .growth import grows_linearly

# The bar keeps scanners of repositories from taking these made-up secrets for real ones.
CORPUS: list[dict[str, Any]] = [
    json.loads(line.replace("¦", ""))
    for line in (Path(__file__).parent / "data" / "redaction.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize(
    "case", [case for case in CORPUS if case["gone"]], ids=lambda case: case["text"][:40]
)
def test_a_secret_goes_and_what_stands_round_it_stays(case: dict[str, Any]) -> None:
    text = redact(case["text"])
    assert MASK in text
    for secret in case["gone"]:
        assert secret not in text
        assert not any(piece in text for piece in secret.split("\n") if len(piece) > 8)
    for kept in case.get("kept", ()):
        assert kept in text


@pytest.mark.parametrize(
    "case", [case for case in CORPUS if not case["gone"]], ids=lambda case: case["text"][:40]
)
def test_what_is_no_secret_stays(case: dict[str, Any]) -> None:
    assert redact(case["text"]) == case["text"]


@given(st.sampled_from(CORPUS), st.sampled_from(CORPUS))
def test_twice_is_once(first: dict[str, Any], second: dict[str, Any]) -> None:
    text = redact(first["text"] + "\n" + second["text"])
    assert redact(text) == text


@given(st.sampled_from([case for case in CORPUS if case["gone"]]), st.sampled_from(CORPUS))
def test_a_secret_goes_among_other_lines(case: dict[str, Any], other: dict[str, Any]) -> None:
    text = redact(other["text"] + "\n" + case["text"] + "\n" + other["text"])
    assert not any(secret in text for secret in case["gone"])


def test_a_secret_at_the_edge_of_what_is_looked_at_is_left_out_whole() -> None:
    text = "line\n" * 3_270 + "password=hunter2x" + "y" * 99
    assert redact(text) == "line\n" * 3_270
    assert len(redact("x" * 99_999)) == 16_384


@given(st.text())
def test_any_text_can_be_redacted(text: str) -> None:
    assert isinstance(redact(text), str)


@pytest.mark.parametrize(
    "unit",
    [
        "token ",
        "password",
        "--a-",
        "://a:",
        "curl ",
        "login ",
        "-----BEGIN PRIVATE KEY-----",
        "eyJa.",
        "a" * 50,
        "cookie: a=",
        "sk-",
    ],
)
def test_the_time_is_linear(unit: str) -> None:
    assert grows_linearly(redact, unit, 4_000)
