from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.command import command_keys, parse

from .growth import grows_linearly


def _rows() -> list[tuple[str, str]]:
    lines = (Path(__file__).parent / "data" / "commands.tsv").read_text("utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if "\t" in line]
    return [(command.replace("\\n", "\n").replace("\\t", "\t"), key) for command, key in pairs]


@pytest.mark.parametrize(("command", "key"), _rows())
def test_a_command_has_its_canonical_key(command: str, key: str) -> None:
    assert " && ".join(command_keys(command)) == key


PARTS = r"""git npm run sudo -x --a=b ' " $( ) ` ${ } \ <<EOF EOF && | ; & 2>&1 <( ( # case in esac for x=(
bash -c -m python é = xargs env timeout"""
SHELLISH = st.lists(st.sampled_from([*PARTS.split(), "\n", " "])).map(" ".join)


@given(st.one_of(st.text(), SHELLISH))
def test_any_text_has_keys_of_one_line(text: str) -> None:
    for key in command_keys(text):
        assert key
        assert "&&" not in key.split()[1:]
        assert key == key.strip()


@given(SHELLISH)
def test_a_space_around_a_command_changes_nothing(text: str) -> None:
    assert command_keys("  " + text) == command_keys(text)


@given(st.sampled_from([row for row in _rows() if row[1] and "\n" not in row[0] and "#" not in row[0]]))
def test_a_chain_has_the_keys_of_its_parts(row: tuple[str, str]) -> None:
    command, key = row
    if "never" not in command:
        assert command_keys(f"make first; {command}") == ("make first", *key.split(" && "))


@pytest.mark.parametrize(
    "unit", ["(", "$(", "'", '"', "`", "<<A\n", "a=(", "&& ", "\\", "bash -c '", "case x in a) ", "${", "2>"]
)
def test_the_time_is_linear(unit: str) -> None:
    assert grows_linearly(command_keys, unit, 5_000)


def test_what_is_dropped_is_still_known() -> None:
    (command,) = parse("FOO=1 sudo -u app timeout 5 python3 -m pytest tests")
    assert command.assignments == ("FOO=1",)
    assert command.wrappers == ("sudo", "timeout", "python -m")
    assert command.program == "pytest"
    assert [word.text for word in command.words] == ["pytest", "tests"]


@pytest.mark.parametrize(
    "text", ['echo "$(cat ${A} b)" && make', "echo $(cat ${A} && b) && make", 'echo $(a "${b}") ; make']
)
def test_what_stands_inside_of_quotes_and_substitutions_ends_nothing(text: str) -> None:
    assert command_keys(text)[-1] == "make"
    assert len(command_keys(text)) == 2
