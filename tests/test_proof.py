"""The judge of edits lets through what reads as meant, and nothing else."""

from __future__ import annotations

import pytest

from qlearn import proof
from qlearn.document import parse
from qlearn.errors import RegistryError
from qlearn.proof import meaning, prove

TEXT = "# Title\n\n### L001: [RESOLVED] a\n- **Type**: gotcha\n\n---\n\n### no id\n- b\n"
MEANT = [
    (1, "Title", {}),
    (1, "a", True, {"type": "gotcha"}),
    (3, "no id", {}),
]


def test_what_reads_as_meant_is_proven() -> None:
    prove(TEXT, MEANT)
    prove("\ufeff" + TEXT.replace("\n", "\r\n"), MEANT)
    prove("", [])
    prove("prose\0\n- item\n", [])


def test_a_section_means_what_it_says_and_not_where_it_stands() -> None:
    assert [meaning(section) for section in parse(TEXT).sections] == MEANT
    assert [meaning(section) for section in parse("x\n\n" + TEXT).sections] == MEANT


@pytest.mark.parametrize(
    "meant",
    [
        MEANT[:2],
        [*MEANT, (2, "more", {})],
        MEANT[::-1],
        [MEANT[0], (2, "a", True, {"type": "gotcha"}), MEANT[2]],
        [MEANT[0], (1, "b", True, {"type": "gotcha"}), MEANT[2]],
        [MEANT[0], (1, "a", False, {"type": "gotcha"}), MEANT[2]],
        [MEANT[0], (1, "a", True, {"type": "mistake"}), MEANT[2]],
        [MEANT[0], (1, "a", True, {}), MEANT[2]],
    ],
)
def test_what_reads_otherwise_is_refused(meant: list[tuple[object, ...]]) -> None:
    with pytest.raises(RegistryError, match="nothing was written"):
        prove(TEXT, meant)


@pytest.mark.parametrize("opened", ["```", "~~~", "<!--", "<script>", "<?", "<!x", "<![CDATA["])
def test_what_leaves_a_block_open_is_refused(opened: str) -> None:
    with pytest.raises(RegistryError):
        prove(f"### L001: a\n\n{opened}\n", [(1, "a", False, {})])


def test_the_judge_has_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qlearn.proof.judged", lambda _: [])
    with pytest.raises(RegistryError):
        prove(TEXT, MEANT)


def test_without_the_judge_the_scanner_alone_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> list[proof.Line]:
        raise ModuleNotFoundError("markdown_it")

    monkeypatch.setattr(proof, "judged", missing)
    prove("### L001: a\n", [(1, "a", False, {})])
    with pytest.raises(RegistryError):
        prove("### L001: a\n```\n", [(1, "a", False, {})])
