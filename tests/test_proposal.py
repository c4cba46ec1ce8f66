from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from qlearn.proposal import evidence_of, keywords_from, slug, title_from

from .session import Session


def test_a_slug_is_kebab_case_in_any_script() -> None:
    assert slug("Use pnpm, not npm!") == "use-pnpm-not-npm"
    assert slug("npm 말고 yarn") == "npm-말고-yarn"
    assert slug("a" * 99, limit=5) == "aaaaa"
    assert slug("...") == ""


@given(st.text())
def test_a_slug_of_a_slug_is_itself(text: str) -> None:
    made = slug(text)
    assert slug(made) == made
    assert len(made) <= 60
    assert " " not in made


@given(st.text())
def test_a_title_is_one_line(text: str) -> None:
    assert len(title_from(text)) <= 100
    assert title_from(text) == " ".join(title_from(text).split())


def test_a_long_title_ends_at_a_word() -> None:
    assert title_from("word " * 40).endswith("word…")
    assert title_from("w" * 200) == "w" * 99 + "…"
    assert title_from("Done.") == "Done"


def test_keywords_name_something() -> None:
    assert keywords_from("`./build.sh` fails; run ./build.sh") == ("build.sh",)
    assert keywords_from("Use `pnpm install` here, never --force", "비밀번호 화면") == (
        "pnpm",
        "install",
        "비밀번호",
        "화면",
    )


def test_a_session_adds_one_to_what_was_seen() -> None:
    a, b = Session("a"), Session("b", day=2)
    a.run("x")
    a.run("y")
    b.run("x")
    evidence = evidence_of([*a.events, *b.events], kept=1)
    assert (evidence.seen, evidence.sessions, evidence.kept, str(evidence.last)) == (2, 2, 1, "2026-09-03")
    assert evidence_of([]).last is None
