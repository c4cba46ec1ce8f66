from __future__ import annotations

import pytest

from qlearn.detect.spoken import commands_in, latin_words, tools_in


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("the tests are run with make test in this repo", ("make test",)),
        ("테스트는 uv run pytest로 돌려야지", ("uv run pytest",)),
        ("测试要用 make test 跑", ("make test",)),
        ("use `tox -e py311`, not `pytest`", ("tox -e py311", "pytest")),
        (
            "migrations get generated with alembic revision --autogenerate",
            ("alembic revision --autogenerate",),
        ),
        ("make migration name=eta writes the file", ("make migration name=eta",)),
        (
            "npm run build:prod, then git push --force-with-lease",
            ("npm run build:prod", "git push --force-with-lease"),
        ),
        ("python -m scripts.sync", ("python -m scripts.sync",)),
        ("make sure that it works", ()),
        ("go that way and make it simple, just do the task", ()),
        ("the git history and the docker image are fine", ()),
        ("empty `` spans", ()),
        ("/usr/bin/git push", ()),
    ],
)
def test_commands_in_a_sentence(text: str, commands: tuple[str, ...]) -> None:
    assert commands_in(text) == commands


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("pnpm으로", {"pnpm"}),
        ("no, ripgrep. find it and make it black", {"rg"}),
        ("the dev database is postgres", {"psql"}),
        ("poetry add rich", {"poetry"}),
        ("a `make lint` does it", {"make"}),
        ("nothing of the kind", set()),
    ],
)
def test_tools_in_a_sentence(text: str, tools: set[str]) -> None:
    assert tools_in(text) == tools


def test_latin_words() -> None:
    assert latin_words("pnpm으로 golangci-lint를 Use") == ["pnpm", "golangci-lint", "use"]
