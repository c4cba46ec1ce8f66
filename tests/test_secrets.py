"""Secrets in named forms: found whole, masked whole; what only looks random is left alone."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import secret_detection as corpus
from qlearn import secrets
from qlearn.secrets import Secret, find_secrets, mask
from qlearn.text import neutralise

TOKENS = list(corpus.tokens(random.Random(7), each=3))
NOTES = corpus.notes(random.Random(7), 2000)
LABELLED = [
    json.loads(line.replace("¦", ""))
    for line in (Path(__file__).parent / "data" / "redaction.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("kind", sorted({token.kind for token in TOKENS}))
def test_a_token_is_found_whole_in_whatever_stands_round_it(kind: str) -> None:
    for token in TOKENS:
        for carrier in corpus.carriers() if token.kind == kind else ():
            text = carrier.replace("{token}", token.text)
            masked = mask(text)
            assert f"<secret:{kind}>" in masked
            assert not corpus.survives(token, masked)


def test_all_kinds_of_the_corpus_and_of_the_rules_are_the_same() -> None:
    assert {token.kind for token in TOKENS} == {kind for kind, _, _ in secrets._KINDS}
    assert len({token.kind for token in TOKENS}) >= 30


@pytest.mark.parametrize(
    "row",
    [row for row in LABELLED if row["kind"].startswith(("prefix", "private key"))],
    ids=lambda r: r["text"][:30],
)
def test_tokens_labelled_by_another_hand_are_found(row: dict[str, list[str] | str]) -> None:
    masked = mask(str(row["text"]))
    assert not [secret for secret in row["gone"] if secret in masked]
    assert not [text for text in row.get("kept", ()) if text not in masked]


def test_harmless_notes_hold_no_secret() -> None:
    assert [note for note in NOTES if find_secrets(note)] == []


@pytest.mark.parametrize(
    "text",
    [
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_" + "x" * 36,
        "glpat-" + "X" * 20,
        "AKIAIOSFODNN7EXAMPLE",
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "sk-ant-api03-your-key-here-your-key-here-your-key-here",
        "hf_" + "0123456789abcdef" * 2 + "00",
        "npm_" + "0" * 36,
        "export TOKEN=YOUR_TOKEN; curl -H 'Authorization: <token>'",
        "xoxb-not-yet",
        "0123abcd" * 5,
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "xghp_" + "Ab3" * 12,
        "-----BEGIN PRIVATE KEY----- is how it starts, and it must never be committed to any repository",
        "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_placeholders_hashes_and_other_words_are_no_secrets(text: str) -> None:
    assert find_secrets(text) == ()
    assert mask(text) is text


def test_secrets_come_in_order_with_their_places() -> None:
    github, slack = "ghp_" + "aB3dE6gH9j" * 4, "xoxb-" + "1029384756-5647382910"
    text = f"first {slack}, then {github}."
    assert find_secrets(text) == (
        Secret("slack-token", 6, 6 + len(slack)),
        Secret("github-token", 13 + len(slack), 13 + len(slack) + len(github)),
    )
    assert mask(text) == "first <secret:slack-token>, then <secret:github-token>."


def test_a_token_within_another_is_not_counted_again() -> None:
    inner = "ghp_" + "aB3dE6gH9j" * 4
    outer = f"eyJ{'aB3-' * 5}.eyJ{'aB3_' * 5}.{inner}"
    assert [secret.kind for secret in find_secrets(outer)] == ["jwt"]
    assert mask(f"{outer} {inner}") == "<secret:jwt> <secret:github-token>"


def test_only_the_value_is_masked_where_a_label_names_the_secret() -> None:
    value = "aB3/" * 10
    assert mask(f"aws_secret_access_key = {value}") == "aws_secret_access_key = <secret:aws-secret-key>"
    assert mask(f"AccountKey={'aB3/' * 22}==;End") == "AccountKey=<secret:azure-storage-key>;End"


def test_a_key_is_masked_to_its_end() -> None:
    body = "\n".join("aB3/" * 16 for _ in range(3))
    text = f"Key:\n-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\ndone"
    assert mask(text) == "Key:\n<secret:private-key>\ndone"


@given(
    st.lists(st.sampled_from([token.text for token in TOKENS] + NOTES + ["", "x"]), max_size=5).map(", ".join)
)
def test_a_masked_text_holds_no_secret_and_stays_data(text: str) -> None:
    masked = mask(text)
    assert find_secrets(masked) == ()
    assert mask(masked) == masked
    assert "<secret:" not in masked or re.search(r"<secret:[a-z-]+>", neutralise(masked))
    for secret, later in zip(find_secrets(text), find_secrets(text)[1:], strict=False):
        assert secret.end <= later.start


@pytest.mark.parametrize("mark", sorted({mark for mark, _, _ in secrets._MARKS}))
def test_hostile_text_takes_linear_time(mark: str) -> None:
    def seconds(text: str) -> float:
        start = time.process_time()
        find_secrets(text)
        return time.process_time() - start

    for filler in ("a", "-", "A1", " ", "a: b\n", ".eyJ"):
        text = (mark + filler * 3) * (80_000 // (len(mark) + 3 * len(filler)))
        assert seconds(text) < 8 * seconds(text[: len(text) // 4]) + 0.1
        text = mark + filler * (80_000 // len(filler)) + mark
        assert seconds(text) < 8 * seconds(text[: len(text) // 4]) + 0.1


def test_the_benchmark_meets_its_aims_and_can_miss_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert corpus.main(["--each", "2", "--notes", "500"]) == 0
    assert "false alarms, notes" in capsys.readouterr().out
    monkeypatch.setattr(corpus, "mask", lambda text: text)
    assert corpus.main(["--each", "1", "--notes", "10"]) == 1
    monkeypatch.setattr(corpus, "mask", lambda _: "")
    monkeypatch.setattr(corpus, "find_secrets", lambda text: (Secret("all", 0, len(text)),))
    assert corpus.main(["--each", "1", "--notes", "10"]) == 1


def test_no_file_of_the_repository_holds_a_token_as_a_scanner_would_see_it() -> None:
    here = Path(corpus.__file__).parent
    for path in (
        *sorted((here / "secrets").iterdir()),
        Path(corpus.__file__),
        Path(secrets.__file__),
        Path(__file__),
    ):
        assert find_secrets(path.read_text(encoding="utf-8")) == (), path


def test_importing_secrets_brings_nothing_slow() -> None:
    code = (
        "import re, functools, typing, __future__, sys; before = {*sys.modules};"
        "import qlearn.secrets; print(*{*sys.modules} - before)"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"qlearn", "qlearn.record", "qlearn.secrets"}
