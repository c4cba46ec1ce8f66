from __future__ import annotations

import subprocess
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qlearn.identity import digest, git_value, id_of, is_path, normalise_remote


class Case(NamedTuple):
    url: str
    normal: str


def read_cases() -> tuple[Case, ...]:
    text = (Path(__file__).parent / "data" / "remotes.txt").read_text("utf-8")
    lines = (line for line in text.split("\n") if line and not line.startswith("#"))
    pairs = (line.rpartition(" -> ") for line in lines)
    return tuple(Case(url, "" if normal == '""' else normal) for url, _, normal in pairs)


CASES = read_cases()


@pytest.mark.parametrize(("url", "normal"), CASES, ids=[case.url or "(empty)" for case in CASES])
def test_an_address_has_one_normal_form(url: str, normal: str) -> None:
    assert normalise_remote(url) == normal


@pytest.mark.parametrize("case", [case for case in CASES if "secret" in case.url], ids=lambda case: case.url)
def test_no_credential_is_left(case: Case) -> None:
    assert "secret" not in normalise_remote(case.url)


def test_white_space_around_an_address_is_nothing() -> None:
    assert normalise_remote(" \thttps://github.com/owner/repo.git\n") == "github.com/owner/repo"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("github.com/owner/repo", "620c3a937ce8"),
        ("github.com/acme/demo", "bfe66c56d811"),
        ("gitlab.com/group/sub/repo", "bec062771594"),
        ("/srv/Repo", "f6c42b1bb601"),
    ],
)
def test_ids_are_those_of_the_published_vectors(name: str, expected: str) -> None:
    assert id_of(name) == expected


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_digest_is_the_sha_256_of_the_utf_8(text: str) -> None:
    assert digest(text) == sha256(text.encode()).hexdigest()


def test_a_path_that_is_no_utf_8_has_an_id_of_its_own() -> None:
    assert id_of("/srv/\udcff") != id_of("/srv/\udcfe")


def test_a_digest_needs_no_private_module(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in ("_sha2", "_sha256"):
        monkeypatch.setitem(sys.modules, name, None)
    assert digest("") == sha256(b"").hexdigest()


PARTS = st.sampled_from(
    [
        "https",
        "ssh",
        "file",
        "ext",
        "host",
        "git",
        "user",
        "C",
        "repo",
        "22",
        "443",
        "::1",
        "%40",
        "é",
        "İ",
        "\udcff",
    ]
) | st.sampled_from(["://", "::", ":", "/", "//", "@", "[", "]", "#", "?", ".git", ".", "..", "~", "\\", " "])
ADDRESSES = st.one_of(st.text(), st.lists(PARTS, max_size=14).map("".join))


@given(ADDRESSES)
def test_any_text_has_a_normal_form_and_no_slash_at_its_end(url: str) -> None:
    normal = normalise_remote(url)
    assert normal == "/" or not normal.endswith("/")
    assert len(id_of(normal)) == 12


WORDS = st.text("abcXYZ019-_", min_size=1, max_size=8)
SECRETS = st.text("abcXYZ019:@%#?!$&=+", max_size=12)


@given(WORDS, SECRETS, st.lists(WORDS, min_size=1, max_size=4))
def test_every_form_of_an_address_agrees(host: str, secret: str, path: list[str]) -> None:
    host, place = f"{host}.example", "/".join(path)
    forms = [
        f"https://{host}/{place}",
        f"https://{host}:443/{place}.git/",
        f"https://user:{secret}@{host}/{place}.git",
        f"http://{host}:80/{place}",
        f"git://{host}:9418/{place}.git",
        f"ssh://git@{host}:22/{place}",
        f"git@{host}:{place}.git",
        f"{host}:{place}",
        f"{host.upper()}:/{place.upper()}/",
    ]
    assert {normalise_remote(form) for form in forms} == {f"{host}/{place}".lower()}


@pytest.mark.parametrize(
    "url", ["../up", "./a:b", "up", "/srv/a", "~/a", "C:\\a", "c:/a", "github.com/owner/repo", r"\\server\a"]
)
def test_a_path_is_told_from_an_address(url: str) -> None:
    assert is_path(url)


@pytest.mark.parametrize(
    "url", ["file:///srv/a", "host:a", "h:a", "git@host:a", "[::1]:a", "https://host/a", "ext::sh"]
)
def test_an_address_is_told_from_a_path(url: str) -> None:
    assert not is_path(url)


CONFIGS = {
    "plain": ('[remote "origin"]\n\turl = a\n\tfetch = b\n', "a"),
    "any case but the name's": ('[REMOTE "origin"]\n\tURL = a\n', "a"),
    "another remote": ('[remote "Origin"]\n\turl = a\n[remote "origins"]\n\turl = b\n', ""),
    "no subsection": ("[remote]\n\turl = a\n", ""),
    "a dot for a subsection": ("[remote.ORIGIN]\nurl=a\n", "a"),
    "the old form after the new": ('[remote "up"]\nurl=u\n[remote.origin]\nurl=a\n[core]\nurl=c\n', "a"),
    "header and variable in one line": ('[remote "origin"] url = a\n', "a"),
    "section twice": (
        '[remote "origin"]\nfetch = b\n[core]\nbare = false\n[remote "origin"]\nurl = a\n',
        "a",
    ),
    "first of two": ('[remote "origin"]\nurl = a\nurl = b\n', "a"),
    "comment": ('[remote "origin"]\n#url = b\n;url = c\nurl = a # not b\n', "a"),
    "comment that ends in a backslash": ('[remote "origin"]\n# b \\\nurl = a\n', "a"),
    "comment behind a header": ('[remote "origin"] # [remote "up"]\nurl = a;b\n', "a"),
    "quotes": ('[remote "origin"]\nurl = "a # b"  \n', "a # b"),
    "quotes in the middle": ('[remote "origin"]\nurl = a" "b""\n', "a b"),
    "escapes": ('[remote "origin"]\nurl = a\\\\b\\"c\\td\n', 'a\\b"c\td'),
    "continued": ('[remote "origin"]\nurl = a\\\nb\n', "ab"),
    "continued in another variable": ('[remote "origin"]\nfetch = a\\\nurl = b\nurl = c\n', "c"),
    "continued in quotes": ('[remote "origin"]\nfetch = "a\\\nurl = b"\nurl = c\n', "c"),
    "white space": ('  [remote   "origin"]  \n \t url \t=\t a b  \n', "a b"),
    "CRLF": ('[remote "origin"]\r\n\turl = a\r\n', "a"),
    "CRLF behind a backslash": ('[remote "origin"]\r\nurl = a\\\r\nb\r\n', "ab"),
    "BOM": ('\ufeff[remote "origin"]\nurl = a\n', "a"),
    "no final newline": ('[remote "origin"]\nurl = a', "a"),
    "no value": ('[remote "origin"]\nurl\n', ""),
    "escaped subsection": ('[remote "ori\\gin"]\nurl = a\n', "a"),
    "a bracket in a subsection": ('[branch "a]b\\"c"]\nurl = b\n[remote "origin"]\nurl = a\n', "a"),
    "a variable of another name": ('[remote "origin"]\npushurl = b\nurl-x = c\nurl = a\n', "a"),
    "an include": ('[include]\npath = /etc/gitconfig\n[remote "origin"]\nurl = a\n', "a"),
    "empty": ("", ""),
}


@pytest.mark.parametrize(("text", "url"), CONFIGS.values(), ids=CONFIGS)
def test_the_url_of_origin_is_read_as_git_reads_it(text: str, url: str, tmp_path: Path) -> None:
    assert git_value(text, "remote.origin", "url") == url
    if url:
        assert ask_git(text, tmp_path / "config") == url


def test_an_empty_url_takes_back_those_before_it() -> None:
    assert git_value('[remote "origin"]\nurl = a\nurl =\n', "remote.origin", "url") == ""
    assert git_value('[remote "origin"]\nurl = a\nurl =\nurl = b\n', "remote.origin", "url") == "b"


@pytest.mark.parametrize(
    "line",
    ["[", "[remote", '[remote "up', '[remote "up" x]', "= b", "url b", '"', "url\x00= b", "<<<<<<< HEAD"],
)
def test_a_line_that_git_refuses_is_passed_over(line: str) -> None:
    assert git_value(f'{line}\n[remote "origin"]\nurl = a\n', "remote.origin", "url") == "a"


def test_a_quote_left_open_makes_no_value() -> None:
    assert git_value('[remote "origin"]\nurl = "a\n', "remote.origin", "url") == ""


HEADERS = st.sampled_from(['[remote "origin"]', '[remote "up"]', "[core]", "[remote.origin]", '[a "b\\"]c"]'])
FRAGMENTS = (
    HEADERS
    | st.sampled_from(
        [
            "url",
            "URL",
            "fetch",
            "x-y",
            " = ",
            "=",
            "\n",
            "\n",
            "\n",
            " ",
            '"',
            '"',
            "\\\n",
            "\\\\",
            '\\"',
            "\\t",
        ]
    )
    | st.sampled_from(["#", ";", "a", "b c", "é", "\r\n"])
)


@settings(max_examples=150, deadline=None)
@given(st.lists(FRAGMENTS, max_size=30).map("".join))
def test_what_git_accepts_is_read_as_git_reads_it(
    tmp_path_factory: pytest.TempPathFactory, fragments: str
) -> None:
    text = f'[remote "origin"]\nurl = first\n{fragments}'
    expected = ask_git(text, tmp_path_factory.mktemp("git") / "config")
    # From 2.46 on an empty value clears a list; older ones keep what stands before it.
    if expected is not None and "" not in ask_git_all(text, tmp_path_factory.mktemp("git") / "config"):
        assert git_value(text, "remote.origin", "url") == expected


def ask_git(text: str, path: Path) -> str | None:
    """The first URL that git reads from a configuration, None if it refuses the text."""
    urls = ask_git_all(text, path)
    return urls[0] if urls else None


def ask_git_all(text: str, path: Path) -> tuple[str, ...]:
    path.write_bytes(text.encode())
    command = ("git", "config", "-z", "--file", str(path), "--get-all", "remote.origin.url")
    answer = subprocess.run(command, capture_output=True)
    return tuple(answer.stdout.decode().split("\0")[:-1]) if answer.returncode == 0 else ()
