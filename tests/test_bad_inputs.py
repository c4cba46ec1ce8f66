"""Every bad input, plain and varied, against the product; and proof that the trials can fail."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from qlearn import doctor, gate, rendering, store
from tests.bad_inputs import BAD_INPUTS, BadInput, Bench, attempt, trials

if TYPE_CHECKING:
    from pathlib import Path

CASES = [pytest.param(case, id=name) for name, case in BAD_INPUTS.items()]
CHEAP = [pytest.param(case, id=name) for name, case in BAD_INPUTS.items() if case.share == 1]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize("case", CASES)
def test_a_bad_input_is_treated_as_promised(case: BadInput, bench: Bench) -> None:
    attempt(case, bench, random.Random(0), plain=True)


@pytest.mark.parametrize("case", CHEAP)
def test_a_varied_bad_input_breaks_no_promise(
    case: BadInput, bench: Bench, pytestconfig: pytest.Config
) -> None:
    count = pytestconfig.getoption("--variations")
    assert [what for what in trials(case, bench, random.Random(1), count) if what != 1] == []


def test_all_the_inputs_that_the_documentation_counts_are_tried() -> None:
    assert len(BAD_INPUTS) >= 64
    assert {case.treatment for case in BAD_INPUTS.values()} == {"refuse", "neutralise", "warn", "allow"}


# The trials fail where the product does


def failing(bench: Bench, *names: str, count: int = 8) -> list[str]:
    return [
        name
        for name in names
        if any(what != 1 for what in trials(BAD_INPUTS[name], bench, random.Random(1), count))
    ]


def test_text_that_is_passed_on_as_it_is_is_noticed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "neutralise", lambda text: " ".join(text.split("\n")))
    names = ["tag characters", "ZWJ between Latin letters", "ESC[2J", "NUL", "<system-reminder>", "U+009B"]
    assert failing(bench, *names) == names


def test_a_secret_that_is_injected_is_noticed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "mask", lambda text: text)
    assert failing(bench, "named-prefix secret") == ["named-prefix secret"]


def test_a_gate_that_stands_open_is_noticed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "admit", lambda *_, **__: False)
    names = ["soft hyphen", "bidi override", "Hangul filler", "named-prefix secret"]
    assert failing(bench, *names) == names


def test_a_store_that_follows_links_is_noticed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: str, *, root: str, **_: object) -> bytes | None:
        try:
            with open(f"{root}/{path}", "rb") as file:  # noqa: PTH123
                return file.read()
        except FileNotFoundError:
            return None

    monkeypatch.setattr(store, "read", read)
    names = ["registry linked to a secret file", ".qe linked outside", "directory"]
    assert failing(bench, *names) == names


def test_a_doctor_that_trusts_a_clone_is_noticed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_is_plain", lambda *_: True)
    name = "settings of a hostile repository"
    assert failing(bench, name, count=60) == [name]


def test_a_hang_is_noticed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.bad_inputs.bench.SECONDS", 0.3)
    monkeypatch.setattr(store, "read", lambda path, **_: open(f"{bench.root}/{path}", "rb").read())  # noqa: PTH123, SIM115
    assert failing(bench, "FIFO") == ["FIFO"]
