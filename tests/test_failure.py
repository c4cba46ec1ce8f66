from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.failure import error_line, failure_text, shows_error, signature

from .session import Session

if TYPE_CHECKING:
    from qlearn.observation import Observation


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "Traceback:\n  File \"/a/b.py\", line 3\nModuleNotFoundError: No module named 'app'",
            "ModuleNotFoundError: No module named 'app'",
        ),
        (
            "E   sqlalchemy.exc.OperationalError: port 5432 refused\nshort summary",
            "sqlalchemy.exc.OperationalError: port <n> refused",
        ),
        (
            "django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.",
            "django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.",
        ),
        ("cat: /home/dev/x/a.txt: No such file or directory", "cat: <path>: No such file or directory"),
        ("building\nfatal: bad object 1a2b3c4d5e\nhint", "fatal: bad object <hash>"),
        ("fetching https://x.org/a?b=1 failed", "fetching <url> failed"),
        ("bash: python：未找到命令", "bash: python：未找到命令"),
        ("bash: pytest: 명령어를 찾을 수 없음", "bash: pytest: 명령어를 찾을 수 없음"),
        ("bash: pnpm: orden no encontrada", "bash: pnpm: orden no encontrada"),
        ("one\ntwo\n\n", "two"),
        ("", ""),
    ],
)
def test_an_error_has_a_name_without_places_and_numbers(text: str, name: str) -> None:
    assert signature(text) == name


def test_two_failures_of_one_kind_share_the_name() -> None:
    first = "npm error path /home/a/x/package.json\nnpm error errno -2"
    assert signature(first) == signature(first.replace("/home/a/x", "/srv/other/y"))


def test_the_line_is_the_last_named_error() -> None:
    assert error_line("ValueError: a\nduring handling\nKeyError: b\nexit") == "KeyError: b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tests 40 passed, 0 failed, 0 errors", False),
        ("export class NotFoundError extends Error {}", False),
        ("aa11 Fix error handling", False),
        ("Tests 40 passed", False),
        ("make: *** [Makefile:12: docs] Error 127", True),
        ("make: *** No rule to make target 'gen/api.h', needed by 'build'.  Stop.", True),
        ("make: Nothing to be done for 'all'.", False),
        ("npm ERR! missing script: build", True),
        ("npm error code E404", True),
        ("/bin/sh: 1: pytest: not found", True),
        ("sh: pytest: not found", True),
        ("bash: line 1: ./run.sh: Permission denied", True),
        ("publish: the page was not found", False),
        ("ERR_PNPM_NO_LOCKFILE  Cannot install with frozen-lockfile", True),
        ('Exception in thread "main" java.lang.NullPointerException', True),
        ("thread 'main' panicked at src/main.rs:2:5:", True),
        ("[ERROR] BUILD FAILURE", True),
        ("'pytest' is not recognized as an internal or external command,", True),
        ("Segmentation fault (core dumped)", True),
        ("ModuleNotFoundError: No module named 'app'", True),
        ("psql: error: connection refused", True),
        ("error TS2304: Cannot find name 'x'", True),
        ("bash: pnpm: command not found", True),
    ],
)
def test_whether_output_shows_an_error(text: str, expected: bool) -> None:
    assert shows_error(text) is expected


def seen(command: str, output: str, code: int | None) -> Observation:
    session = Session()
    session.run(command, output, code)
    return session.events[0]


@pytest.mark.parametrize(
    ("command", "code", "failed"),
    [
        ("make docs", 0, False),
        ("make docs", None, True),
        ("make docs | tail -3", 0, True),
        ("make docs || true", 0, True),
        ("tail -20 app.log | head -3", 0, False),
        ("cat app.log", None, False),
        ("git log | head -3", 0, False),
        ("docker logs x | tail", 0, False),
    ],
)
def test_a_hidden_failure_is_one_where_the_exit_code_is_lost(
    command: str, code: int | None, failed: bool
) -> None:
    assert bool(failure_text(seen(command, "error: no", code))) is failed


def test_a_failure_without_text_is_still_one() -> None:
    session = Session()
    session.fail("grep x y", "")
    session.edit("a.py")
    assert [failure_text(event) for event in session.events] == ["failed", ""]


@given(st.text(max_size=300))
def test_a_name_is_one_short_line(text: str) -> None:
    name = signature(text)
    assert len(name) <= 200
    assert len(name.splitlines()) <= 1
    assert signature(name) == name or "<" in name
