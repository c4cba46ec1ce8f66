"""The properties catch bugs: each of those in planted_bugs, planted by itself, makes one of them fail."""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

import qlearn
from qlearn.lines import BOM

from .planted_bugs import BUGS, Bug
from .strategies import hostile_texts, plain_texts, registries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hypothesis.strategies import SearchStrategy

FOLDER = Path(qlearn.__file__).parent
# In the order in which they import each other.
READERS = ("lines", "linkref", "blocks", "document", "learning", "proof")
PROPERTIES = ("test_blocks.agree", "test_blocks.check_the_end", "test_document.check_against_the_whole_scan")
EXAMPLES = 1_200


@pytest.fixture
def planted(request: pytest.FixtureRequest) -> Iterator[Bug | None]:
    """Load the readers anew, one of them with a bug, and put the right ones back."""
    bug: Bug | None = request.param
    names = [*(f"qlearn.{name}" for name in READERS), "tests.test_blocks", "tests.test_document"]
    replaced = {name: importlib.import_module(name) for name in names}
    for name in names:
        del sys.modules[name]
    for name in READERS:
        load(name, bug if bug and bug.module == name else None)
    yield bug
    sys.modules.update(replaced)
    for name in READERS:
        setattr(qlearn, name, replaced[f"qlearn.{name}"])


def load(name: str, bug: Bug | None) -> None:
    path = FOLDER / f"{name}.py"
    source = path.read_text("utf-8")
    if bug is not None:
        assert source.count(bug.right) == 1, f"what the bug changes does not stand once in {path.name}"
        source = source.replace(bug.right, bug.wrong)
    module = types.ModuleType(f"qlearn.{name}")
    module.__file__, module.__package__ = str(path), "qlearn"
    sys.modules[module.__name__] = module
    setattr(qlearn, name, module)
    exec(compile(source, str(path), "exec"), module.__dict__)


def hold_each(kinds: Iterable[SearchStrategy[str]]) -> None:
    for texts in kinds:
        hold(texts)


def hold(texts: SearchStrategy[str]) -> None:
    """The properties of test_blocks and test_document, on so many texts of a kind."""
    checks = []
    for name in PROPERTIES:
        module, function = name.split(".")
        checks.append(getattr(importlib.import_module(f"tests.{module}"), function))

    @seed(20_261_130)
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(texts)
    def all_hold(text: str) -> None:
        plain = text.removeprefix(BOM)
        checks[0](plain)
        checks[1](plain)
        checks[2](text)

    all_hold()


@pytest.mark.parametrize("planted", BUGS.values(), ids=BUGS, indirect=True)
def test_the_properties_catch(planted: Bug) -> None:
    kinds = [hostile_texts(), registries(), plain_texts()]
    with pytest.raises(AssertionError):
        hold_each(reversed(kinds) if planted.module == "document" else kinds)


@pytest.mark.parametrize("planted", [None], indirect=True)
def test_without_a_bug_the_properties_hold(planted: None) -> None:
    hold_each([hostile_texts(), registries(), plain_texts()])
