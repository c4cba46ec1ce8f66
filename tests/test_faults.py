"""The thirty faults of the engine that this format comes from, each with an input that brought it out."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from qlearn import (
    DraftError,
    Learning,
    RegistryError,
    add_learning,
    decay_score,
    parse_learnings,
    prune_learnings,
    top_learnings,
)
from qlearn.lines import BOM
from qlearn.problems import check
from qlearn.proof import judged

NOW = datetime(2026, 11, 30, 12, 34, 56, tzinfo=UTC)


def only(text: str) -> Learning:
    (entry,) = parse_learnings(text)
    return entry


def ids(text: str) -> list[str]:
    return [entry.id for entry in parse_learnings(text)]


def messages(text: str) -> list[str]:
    return [problem.message for problem in check(text, now=NOW)]


def test_01_a_heading_in_a_fence_is_no_entry_of_its_own() -> None:
    text = "### L001: Document it\n- **Learning**: Like this\n\n```md\n### Usage\n### L002: no\n```\n\n---\n"
    assert only(text).learning == "Like this"
    assert text[only(text).start : only(text).end] == text


def test_02_an_entry_without_an_id_is_kept_on_prune() -> None:
    text = "### Always pin deps\n- **Date**: 2020-01-01\n\n---\n\n### L001: [RESOLVED] x\n\n---\n"
    assert prune_learnings(text, now=NOW).text == "### Always pin deps\n- **Date**: 2020-01-01\n\n---\n\n"


def test_03_a_lesson_of_many_lines_is_read_whole() -> None:
    text = (
        "### L001: x\n- **Learning**: One\n  two\n  - three\n\n  ```sh\n  four\n  ```\n- **Type**: gotcha\n"
    )
    assert only(text).learning == "One\ntwo\n- three\n\n```sh\nfour\n```"


def test_04_pruning_a_file_with_no_entries_changes_nothing() -> None:
    for text in ("", "# Learning Registry\n\nNothing yet.\n", "---\n\n\n", BOM):
        assert prune_learnings(text, now=NOW) == (text, "", (), ())


def test_05_a_file_that_starts_with_an_entry_is_not_written_twice() -> None:
    text = "### L001: [RESOLVED] x\n\n---\n\n### L002: y\n- **Date**: 2026-11-30\n\n---\n"
    assert prune_learnings(text, now=NOW).text == "### L002: y\n- **Date**: 2026-11-30\n\n---\n"
    assert ids(add_learning(text, learning="z", now=NOW).text) == ["L001", "L002", "L003"]


def test_06_a_file_with_crlf_has_the_entries_of_its_twin_and_stays_so() -> None:
    text = "# R\n\n### L001: x\n- **Learning**: One\n  two\n- **Odd**: z\n\n---\n\n### L002: [RESOLVED] y\n"
    twin = text.replace("\n", "\r\n")
    assert [entry[:4] for entry in parse_learnings(twin)] == [entry[:4] for entry in parse_learnings(text)]
    pruned = prune_learnings(add_learning(twin, learning="a\nb", now=NOW).text, now=NOW)
    for written in (pruned.text, pruned.archive):
        assert written.count("\n") == written.count("\r") == written.count("\r\n") > 5


def test_07_digits_elsewhere_in_a_heading_are_no_numbers() -> None:
    text = (
        "### 2026-07-03 Deploy 12 of 40\n### L9007199254740993: x\n### L12345678901234567890123: y\n"
        "### L003: see L077\n"
    )
    assert ids(text) == ["L003"]
    assert add_learning(text, learning="z", now=NOW).id == "L004"


def test_08_of_two_entries_with_one_id_only_the_resolved_one_is_pruned() -> None:
    text = "### L002: [RESOLVED] x\n\n---\n\n### L002: y\n- **Date**: 2026-11-30\n\n---\n"
    pruned = prune_learnings(text, now=NOW)
    assert pruned.text == "### L002: y\n- **Date**: 2026-11-30\n\n---\n"
    assert [entry.title for entry in pruned.removed] == ["x"]


def test_09_a_template_in_a_comment_is_not_ranked() -> None:
    text = "<!--\n### L001: Template\n- **Severity**: critical\n-->\n\n### L002: x\n"
    assert [each.learning.id for each in top_learnings(text, now=NOW)] == ["L002"]


@pytest.mark.parametrize(
    "heading",
    ["[RESOLVED] L007: x", "L007 [RESOLVED]: x", "L007: [RESOLVED] x", "L007: x [RESOLVED]"],
)
def test_10_the_mark_counts_at_either_end_and_round_the_id(heading: str) -> None:
    entry = only(f"### {heading}\n")
    assert (entry.id, entry.title, entry.resolved) == ("L007", "x", True)


@pytest.mark.parametrize(
    "title", ["write [RESOLVED] when done", "`[RESOLVED]` marks", "the `[RESOLVED]`", "[RESOLVED]-ish"]
)
def test_11_the_mark_in_prose_is_prose(title: str) -> None:
    entry = only(f"### L007: {title}\n- **Learning**: [RESOLVED] is the mark\n")
    assert (entry.title, entry.resolved) == (title, False)


def test_12_a_newline_in_a_draft_forges_nothing() -> None:
    with pytest.raises(DraftError):
        add_learning("", title="x\n### L099: forged", learning="y", now=NOW)
    lesson = (
        "y\n- **Severity**: critical\n\n### L099: forged\n- **Type**: decision\n\n---\n\n### L098: forged"
    )
    for ending in ("\n", "\r\n", "\r"):
        entry = only(add_learning("", title="x", learning=lesson.replace("\n", ending), now=NOW).text)
        assert (entry.id, entry.type, entry.severity, entry.learning) == (
            "L001",
            "mistake",
            "important",
            lesson,
        )


def test_13_a_label_in_a_fence_is_text() -> None:
    fenced = "```\n- **Type**: decision\n```\n"
    text = f"### L001: x\n\n{fenced}- **Example**:\n  ```\n  - **Severity**: critical\n  ```\n"
    entry = only(text)
    assert (entry.type, entry.severity, entry.example) == ("mistake", "info", "- **Severity**: critical")


def test_14_an_empty_lesson_is_empty() -> None:
    text = "### L001: x\n- **Learning**:\n- **Context**: the build\n"
    assert (only(text).learning, only(text).context) == ("", "the build")


@pytest.mark.parametrize("bullet", ["-", "*", "+"])
@pytest.mark.parametrize(
    "label", ["**Type:** gotcha", "**Type**: gotcha", "**TYPE**： gotcha", "**type：** `Gotcha`"]
)
def test_15_bullets_and_labels_are_read_in_each_way_people_write_them(bullet: str, label: str) -> None:
    assert only(f"### L001: x\n{bullet} {label}\n").type == "gotcha"


def test_16_a_severity_in_other_words_is_read_and_reported() -> None:
    text = "### L001: x\n- **Severity**: high\n"
    assert only(text).severity == "important"
    assert messages(text) == ["severity 'high' is read as important; write that"]


def test_17_a_day_that_does_not_exist_is_no_date() -> None:
    text = "### L001: x\n- **Severity**: critical\n- **Date**: 2026-02-31\n"
    assert (only(text).date, only(text).field("Date")) == (None, "2026-02-31")
    assert decay_score(only(text), NOW) == pytest.approx(1.5)
    assert messages(text) == ["'2026-02-31' is no date; write YYYY-MM-DD"]


def test_18_a_future_date_counts_as_today() -> None:
    text = "### L001: x\n- **Severity**: critical\n- **Date**: 2062-08-01\n"
    assert only(text).date == date(2062, 8, 1)
    assert decay_score(only(text), NOW) == 3
    assert messages(text) == ["2062-08-01 is in the future and counts as today"]


def test_19_an_entry_without_a_date_is_30_days_old() -> None:
    assert decay_score(only("### L001: x\n- **Severity**: critical\n"), NOW) == pytest.approx(1.5)


def test_20_a_section_or_footer_behind_an_entry_is_not_its_body() -> None:
    text = "### L001: [RESOLVED] x\n\n---\n\nA footer.\n\n## Section\n\n- **Type**: decision\n"
    assert only(text).type == "mistake"
    assert prune_learnings(text, now=NOW).text == "A footer.\n\n## Section\n\n- **Type**: decision\n"
    assert only("### L001: x\n## Section\n- **Type**: decision\n").type == "mistake"


def test_21_an_example_of_the_format_in_the_header_stays() -> None:
    header = "# Rules\n\n```md\n### L001: [RESOLVED] Title\n- **Date**: 2020-01-01\n```\n\n---\n\n"
    text = header + "### L001: [RESOLVED] x\n\n---\n"
    assert prune_learnings(text, now=NOW).text == header
    assert add_learning(header, learning="x", now=NOW).id == "L001"


def test_22_a_number_is_not_used_again_after_its_entry_was_pruned() -> None:
    text = "### L001: x\n- **Date**: 2026-11-30\n\n---\n\n### L002: [RESOLVED] y\n\n---\n"
    pruned = prune_learnings(text, now=NOW)
    assert add_learning(pruned.text, learning="z", archive=pruned.archive, now=NOW).id == "L003"


@pytest.mark.parametrize(
    "line", [BOM + "### L002: x", "###\tL002: x", "   ### L002: x", "### L002: x ###", "### L002: x #\t"]
)
def test_23_a_heading_is_read_in_each_way_markdown_allows(line: str) -> None:
    assert (only(line).id, only(line).title) == ("L002", "x")


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x0b", "\x0c", "\x85", "\x1c"])
def test_24_a_heading_ends_where_its_line_ends(separator: str) -> None:
    text = f"### L001: x{separator}### L002: forged\n- **Type**: gotcha\n"
    assert ids(text) == ["L001"]
    assert only(text).title == f"x{separator}### L002: forged"


def test_25_an_old_critical_entry_goes_to_the_archive_and_is_not_lost() -> None:
    text = "### L001: Never\n- **Severity**: critical\n- **Date**: 2025-01-01\n- **Learning**: y\n\n---\n"
    pruned = prune_learnings(text, now=NOW)
    assert pruned.text == ""
    archived = only(pruned.archive)
    assert (archived.title, archived.severity, archived.learning) == ("Never", "critical", "y")
    assert archived.field("Pruned") == "2026-11-30"


@pytest.mark.parametrize(
    "opened", ["```", "~~~~ sh\nx", "<!-- x", "<script>", "<div>", "<?x", "<!X", "<![CDATA["]
)
def test_26_a_new_entry_behind_an_open_block_is_visible_to_every_reader(opened: str) -> None:
    added = add_learning(f"### L001: x\n\n{opened}", title="y", learning="z", now=NOW)
    assert ids(added.text) == ["L001", "L002"]
    assert [line.text for line in judged(added.text) if line.kind == "heading"] == ["L001: x", "L002: y"]
    assert (added.closed == "") is (opened == "<div>")


def test_27_a_file_with_conflict_markers_is_read_and_not_written() -> None:
    text = "### L001: x\n\n---\n\n<<<<<<< ours\n### L002: y\n=======\n### L002: z\n>>>>>>> theirs\n"
    assert ids(text) == ["L001", "L002", "L002"]
    with pytest.raises(RegistryError, match="line 5"):
        add_learning(text, learning="z", now=NOW)
    with pytest.raises(RegistryError, match="line 5"):
        prune_learnings(text, now=NOW)
    assert any("conflict" in message for message in messages(text))


def test_28_a_title_of_80_000_spaces_takes_linear_time() -> None:
    def seconds(length: int) -> float:
        text = f"### L001: a{' ' * length}b\n- **Date**: 2026-11-30\n"
        start = time.process_time()
        assert only(text).title == f"a{' ' * length}b"
        top_learnings(text, now=NOW)
        prune_learnings(text, now=NOW)
        add_learning(text, learning="x", now=NOW)
        return time.process_time() - start

    # With the square of the length it would be 100 times as long, not 10 times.
    assert seconds(80_000) < 40 * max(seconds(8_000), 0.005)


@pytest.mark.parametrize("n", ["5", 2.5, None])
def test_29_a_bad_argument_is_a_clear_error(n: object) -> None:
    with pytest.raises(TypeError, match="it must be an int"):
        top_learnings("### L001: x\n", n, now=NOW)  # type: ignore[arg-type] # that is the point
    with pytest.raises(DraftError, match="'warning' is no type; write one of mistake"):
        add_learning("", learning="x", type="warning", now=NOW)


WRITER = """
import sys
from datetime import UTC, datetime
from qlearn import add_learning, store

root, name = sys.argv[1:]
for at in range(10):
    def change(before):
        return add_learning(before.decode(), title=f"{name} {at}", now=datetime.now(UTC)).text.encode()

    store.update(".qe/learnings.md", change, root=root, wait=60)
"""


def test_30_two_writers_at_once_leave_both_entries_under_two_numbers(tmp_path: Path) -> None:
    (tmp_path / ".qe").mkdir()
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    writers = [subprocess.Popen([*command, name], cwd=Path(__file__).parent.parent) for name in ("a", "b")]
    assert [writer.wait() for writer in writers] == [0, 0]
    entries = parse_learnings((tmp_path / ".qe" / "learnings.md").read_text("utf-8"))
    assert sorted(entry.number for entry in entries) == list(range(1, 21))
    assert sorted(entry.title for entry in entries) == sorted(
        f"{name} {at}" for name in "ab" for at in range(10)
    )
