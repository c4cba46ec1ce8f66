"""What `check` reports, and what `fix` repairs."""

from __future__ import annotations

import datetime as dt

import pytest

from qlearn.errors import Problem, RegistryError
from qlearn.learning import parse_learnings
from qlearn.problems import check, decode, fix, is_allowed_to_hold_secrets

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
GOOD = """\
# Registry

---

### L001: A
- **Type**: mistake
- **Severity**: info
- **Date**: 2026-11-30
- **Learning**: Do so.
- **Evidence**: seen 5, sessions 3, last 2026-11-30

---
"""


def said(text: str) -> list[tuple[int, str]]:
    return [(problem.lineno, problem.message) for problem in check(text, now=NOW)]


def field(line: str) -> list[Problem]:
    return list(check(f"### L001: A\n{line}\n", now=NOW))


def test_a_good_registry_has_no_problem() -> None:
    assert check(GOOD, now=NOW) == ()
    assert check("") == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("- **Type**: rule", "'rule' is no type; write one of mistake, convention, gotcha, decision"),
        ("- **Severity**: blocker", "'blocker' is no severity; write one of critical, important, info"),
        ("- **Date**: 2026-02-31", "'2026-02-31' is no date; write YYYY-MM-DD"),
        ("- **Reinforced**: soon", "'soon' is no date; write YYYY-MM-DD"),
        ("- **Confidence**: 1.5", "'1.5' is no confidence; write a number of 0.00-1.00"),
        ("- **Used**: often", "'often' is no count; write a whole number"),
        (
            "- **Evidence**: much",
            "'much' is no evidence; write counts such as: seen 5, sessions 3, last 2026-11-30",
        ),
    ],
)
def test_a_value_that_is_none_is_an_error(line: str, message: str) -> None:
    assert field(line) == [Problem(2, message)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("- **Type**: best-practice", "type 'best-practice' is read as convention; write that"),
        ("- **Type**: Pitfall", "type 'pitfall' is read as gotcha; write that"),
        ("- **Severity**: high", "severity 'high' is read as important; write that"),
        ("- **Severity**: minor", "severity 'minor' is read as info; write that"),
        ("- **Date**: 2062-08-01", "2062-08-01 is in the future and counts as today"),
        (
            "- **Category**: misc",
            "'misc' is no category; write one of errors, workflows, tools, architecture, debugging",
        ),
        ("- **Learning**: a\n- **learning**: b", "learning stands twice in this entry; the first one counts"),
    ],
)
def test_a_value_that_is_read_otherwise_is_a_warning(line: str, message: str) -> None:
    assert [(problem.message, problem.severity) for problem in field(line)] == [(message, "warning")]


@pytest.mark.parametrize(
    "line", ["- **Type**:", "- **Severity**: `Critical`", "- **Date**:", "- **Owner**: me"]
)
def test_an_empty_marked_or_unknown_field_is_no_problem(line: str) -> None:
    assert field(line) == []


def test_a_date_in_the_future_needs_a_now() -> None:
    assert check("### L001: A\n- **Date**: 2062-08-01\n") == ()


@pytest.mark.parametrize(
    ("heading", "reason"),
    [
        ("Always pin deps", "'Always pin deps' has no id, so it is no entry; `qlearn fix` gives it a number"),
        ("L12 Pin", "'L12 Pin' has no id of the form `L012:`, so it is no entry; `qlearn fix` gives it one"),
        (
            "L1234567890: Pin",
            (
                "'L1234567890: Pin' has an id of more than nine digits, so it is no entry;"
                " `qlearn fix` gives it a number"
            ),
        ),
        ("x" * 50, f"'{'x' * 39}…' has no id, so it is no entry; `qlearn fix` gives it a number"),
    ],
)
def test_a_heading_without_an_id_is_reported_with_its_reason(heading: str, reason: str) -> None:
    assert said(f"# R\n\n### {heading}\n") == [(3, reason)]


def test_numbers_that_cannot_be_referred_to_are_reported() -> None:
    assert said("### L000: A\n### L002: B\n### L2: C\n") == [
        (1, "L000 is no number to refer to; `qlearn fix` gives another"),
        (3, "L002 stands on line 2 already; `qlearn fix` renumbers one"),
    ]


def test_what_markdown_makes_of_a_slip_is_reported() -> None:
    assert said("### L001: A\n\nprose\n---\n")[0][0] == 3
    assert said("### L001: A\n\n```\nopen\n\n")[0] == (
        4,
        "a code fence, comment or HTML block is still open at the end of the file; close it",
    )


def test_conflict_markers_are_reported_once_with_their_line() -> None:
    problems = check("# R\n<<<<<<< HEAD\n### L001: A\n=======\n>>>>>>> x\n")
    assert [problem.lineno for problem in problems if "conflict" in problem.message] == [2]


def test_line_numbers_count_every_kind_of_line_ending() -> None:
    assert said("# R\r\n\r### L001: A\r\n- **Date**: x\n")[-1][0] == 4


def test_invalid_utf8_is_read_and_reported() -> None:
    assert decode("é".encode()) == ("é", ())
    assert decode(b"a\r\nb\rc\n\xffd") == (
        "a\r\nb\rc\n\ufffdd",
        (Problem(4, "byte 0xff is not valid UTF-8; save the file as UTF-8"),),
    )


# fix


def test_nothing_to_fix_changes_nothing() -> None:
    assert fix(GOOD) == (GOOD, ())


def test_headings_without_an_id_get_numbers_and_keep_the_rest() -> None:
    text = "# R\r\n\r\n### Pin deps ##\r\n- **Type**: gotcha\r\n\r\n### L12 Quote\r\n\r\n### L007: Kept\r\n"
    fixed = fix(text)
    assert fixed.text == (
        "# R\r\n\r\n### L013: Pin deps\r\n- **Type**: gotcha\r\n\r\n### L012: Quote\r\n\r\n### L007: Kept\r\n"
    )
    assert fixed.changes == ("line 3: 'Pin deps' becomes L013", "line 6: 'L12 Quote' becomes L012")


def test_a_number_that_is_in_use_is_not_taken_for_a_missing_colon() -> None:
    assert fix("### L12 Quote\n\n### L012: Kept\n").text == "### L013: Quote\n\n### L012: Kept\n"
    assert fix("### L12 Quote\n", archive="### L012: Gone\n").text == "### L013: Quote\n"


def test_of_a_shared_number_the_earlier_entry_keeps_it() -> None:
    text = (
        "### L002: Later\n- **Date**: 2026-02-01\n\n---\n\n"
        "### L002: Earlier\n- **Date**: 2026-01-01\n\n---\n\n"
        "### L002: Latest\n- **Date**: 2026-03-01\n- **Was**: L001\n\n---\n"
    )
    fixed = fix(text, archive="### L009: Gone\n")
    read = {entry.title: (entry.id, entry.was) for entry in parse_learnings(fixed.text)}
    assert read == {"Later": ("L010", "L002"), "Earlier": ("L002", None), "Latest": ("L011", "L001, L002")}


ARCHIVE = (
    "### L001: Gone\n- **Learning**: It is no more.\n\n---\n\n### L002: A, once\n- **Learning**: Do so.\n"
)


def test_a_number_that_is_anothers_in_the_archive_is_reported_and_changed() -> None:
    (problem,) = check(GOOD, archive=ARCHIVE, now=NOW)
    assert problem == (5, "L001 is another entry in the archive; `qlearn fix` renumbers this one", "error")
    fixed = fix(GOOD, archive=ARCHIVE)
    assert fixed.changes == ("line 5: L001 becomes L003",)
    assert check(fixed.text, archive=ARCHIVE, now=NOW) == ()
    assert [entry.was for entry in parse_learnings(fixed.text)] == ["L001"]


def test_a_number_that_is_its_own_in_the_archive_is_not() -> None:
    text = GOOD.replace("L001", "L002")
    assert check(text, archive=ARCHIVE, now=NOW) == ()
    assert fix(text, archive=ARCHIVE) == (text, ())
    other = "### L002: Another\n\n" + text
    assert fix(other, archive=ARCHIVE).changes == ("line 1: L002 becomes L003",)


def test_numbers_elsewhere_may_be_shared_and_are_not_given_again() -> None:
    assert fix(GOOD, elsewhere=ARCHIVE) == (GOOD, ())
    assert fix("### No id\n", elsewhere=ARCHIVE).text == "### L003: No id\n"


def test_a_resolved_entry_stays_resolved() -> None:
    fixed = fix("### [RESOLVED] L000: A\n\n### L001: B\n\n### L001 [RESOLVED]: C\n")
    read = [(entry.id, entry.resolved) for entry in parse_learnings(fixed.text)]
    assert read == [("L002", True), ("L003", False), ("L001", True)]


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "### A\n### B\n",
        "### L2: a\n### L2: b\n### L2: c\n### L000: d\n### L3 e\n",
        "### *L1*: a\n### **L1:** b\n",
    ],
)
def test_fixing_twice_is_fixing_once(text: str) -> None:
    fixed = fix(text)
    assert fix(fixed.text) == (fixed.text, ())
    assert not [problem for problem in check(fixed.text) if "fix" in problem.message]


def test_a_conflict_is_not_fixed() -> None:
    with pytest.raises(RegistryError, match="line 1"):
        fix("<<<<<<< a\n### A\n")


# What a reader does not see


def test_what_hides_misleads_or_leaks_is_reported_once_for_a_line() -> None:
    token = "ghp_" + "aB3dE6gH9j" * 4
    text = f"### L001: A\u200bb\u200bc\n- **Learning**: log in to раypal\n  with {token} or {token}\n"
    assert check(text, now=NOW) == (
        Problem(1, "U+200B ZERO WIDTH SPACE; where it is shown, its code is", "warning"),
        Problem(2, "mixed scripts: 'раypal'", "warning"),
        Problem(3, "a github-token; take it out and revoke it"),
    )


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_line_ends_and_a_bom_hide_nothing(newline: str, bom: str) -> None:
    good = GOOD.replace("\n", newline)
    assert check(bom + good, now=NOW) == ()
    assert said(bom + good + f"x\x07{newline}") == [(13, "U+0007 BEL; where it is shown, its code is")]


def test_emoji_and_scripts_that_need_joiners_hide_nothing() -> None:
    assert check(GOOD.replace("Do so.", "👩‍💻 می\u200cخواهم עברית\u200f!"), now=NOW) == ()


@pytest.mark.parametrize(
    "line",
    [
        "**Severity**: critical",
        "- Severity: critical",
        "1. **Severity**: critical",
        "- [x] **Severity**: critical",
        "- **Severity: critical**",
        "- **Severity** - critical",
        "- *Severity*: critical",
        "- **Learning**: x\n  - **Severity**: critical",
    ],
)
def test_a_line_that_was_meant_as_a_field_is_reported(line: str) -> None:
    problems = field(line)
    assert [problem.severity for problem in problems] == ["warning"]
    assert "this is not read as Severity" in problems[0].message


@pytest.mark.parametrize(
    "line",
    [
        "- **Learning**: x\n  ```\n  **Severity**: critical\n  ```",
        "Date of birth: see below",
        "> **Type**: x",
    ],
)
def test_what_only_looks_like_a_field_is_no_problem(line: str) -> None:
    assert field(line) == []


def test_an_entry_of_another_level_is_reported() -> None:
    assert said("## L010: x\n\n### L001: a\n\n#### L009: y\n") == [
        (1, "an entry has a heading of level 3, not 2"),
        (5, "an entry has a heading of level 3, not 4"),
    ]


@pytest.mark.parametrize(
    ("heading", "fixed"),
    [
        ("L012 - Pin", "L012: Pin"),
        ("l013: lower", "L013: lower"),
        ("L017. dot", "L017: dot"),
        ("[L014] brackets", "L014: brackets"),
        ("L-015: minus", "L015: minus"),
        ("`L020`: code", "L020: code"),
        ("Learn C # #", "L001: Learn C #"),
        ("L1234567890: big", "L001: L1234567890: big"),
        ("Lists 12 of 40", "L001: Lists 12 of 40"),
    ],
)
def test_a_number_that_somebody_wrote_is_kept_where_it_is_free(heading: str, fixed: str) -> None:
    (entry,) = parse_learnings(fix(f"### {heading}\n").text)
    assert f"{entry.id}: {entry.title}" == fixed


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n", "\n\n---\n"])
def test_an_entry_is_allowed_to_hold_secrets_from_its_first_line_to_its_last(ending: str, last: str) -> None:
    text = f"### L001: a\n- **Learning**: x\n\n### L002: b\n- **Secret**: allowed\n- **Learning**: y{last}"
    text = text.replace("\n", ending)
    allowed = [line for line in range(9) if is_allowed_to_hold_secrets(text, line)]
    assert allowed[:3] == [4, 5, 6]
    assert not is_allowed_to_hold_secrets(text + f"{ending}# x{ending}", 12)
