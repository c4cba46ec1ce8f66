"""Sections as entries: ids, states, and what each field means."""

from __future__ import annotations

import doctest
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn import learning
from qlearn.confidence import Evidence
from qlearn.document import parse
from qlearn.learning import (
    Heading,
    Learning,
    learnings,
    parse_confidence,
    parse_day,
    parse_heading,
    parse_learnings,
    plain_word,
    read_severity,
    read_type,
    score_fields,
)
from qlearn.lines import BOM
from qlearn.proof import judged

from .growth import grows_linearly
from .strategies import HEADINGS, hostile_texts, plain_texts, registries


@given(st.one_of(hostile_texts(), registries(), plain_texts()))
def test_entries_are_the_level_3_headings_with_an_id_that_the_judge_finds(text: str) -> None:
    headings = [
        parse_heading(line.text.replace("\ufffd", "\0"))
        for line in judged(text.removeprefix(BOM))
        if line.kind == "heading" and line.level == 3
    ]
    found = [Heading(*entry[:3]) for entry in parse_learnings(text.replace("\ufffd", "\0"))]
    assert found == [heading for heading in headings if heading]


@given(registries())
def test_an_entry_by_itself_reads_as_it_does_in_its_place(text: str) -> None:
    for entry in parse_learnings(text):
        assert [each[:4] for each in parse_learnings(text[entry.start : entry.end])] == [entry[:4]]
        assert entry.lineno == len(text[: entry.start].replace("\r\n", "\n").replace("\r", "\n").split("\n"))


@given(registries())
def test_every_property_can_be_read_from_any_registry(text: str) -> None:
    names = [name for name, value in vars(Learning).items() if isinstance(value, property)]
    assert len(names) == 21
    for entry in parse_learnings(text):
        assert entry.type in learning.TYPES
        assert entry.severity in learning.SEVERITIES
        for name in names:
            getattr(entry, name)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("L001: x", (1, "x", False)),
        ("L1: x", (1, "x", False)),
        ("L000: x", (0, "x", False)),
        ("L123456789: x", (123456789, "x", False)),
        ("L012", (12, "", False)),
        ("L012:", (12, "", False)),
        ("L012:x", (12, "x", False)),
        ("L012 : x", (12, "x", False)),
        ("L012：x", (12, "x", False)),
        ("L012: a: b", (12, "a: b", False)),
        ("L012: L013: b", (12, "L013: b", False)),
        ("L012: \u2028x", (12, "x", False)),
        ("**L012**: x", (12, "x", False)),
        ("**L012:** x", (12, "x", False)),
        ("**L012: x**", (12, "x", False)),
        ("__L012__: x", (12, "x", False)),
        ("***L012***: x", (12, "x", False)),
        ("**_L012_**: x", (12, "x", False)),
        ("L012: **x**", (12, "**x**", False)),
        ("L012: [RESOLVED] x", (12, "x", True)),
        ("L012 [RESOLVED]: x", (12, "x", True)),
        ("[RESOLVED] L012: x", (12, "x", True)),
        ("L012: x [RESOLVED]", (12, "x", True)),
        ("L012 [RESOLVED]", (12, "", True)),
        ("L012: [RESOLVED]", (12, "", True)),
        ("L012[RESOLVED]: x", (12, "x", True)),
        ("**L012** [RESOLVED]: x", (12, "x", True)),
        ("L012: [RESOLVED] [RESOLVED] x", (12, "x", True)),
        ("[RESOLVED] L012 [RESOLVED]: [RESOLVED] x [RESOLVED] [RESOLVED]", (12, "x", True)),
        ("L012: the [RESOLVED] mark", (12, "the [RESOLVED] mark", False)),
        ("L012: `[RESOLVED]`", (12, "`[RESOLVED]`", False)),
        ("L012: [RESOLVED]x", (12, "[RESOLVED]x", False)),
        ("L012: x[RESOLVED]", (12, "x[RESOLVED]", False)),
        ("L012: [resolved] x", (12, "[resolved] x", False)),
        ("L012: [RESOLVED](x) y", (12, "[RESOLVED](x) y", False)),
        ("**L012: x", None),
        ("**L012*: x", None),
        ("L012**: x", None),
        ("l012: x", None),
        ("L1234567890: x", None),
        ("L9007199254740993: x", None),
        ("L１２: x", None),
        ("L012 x", None),
        ("L012.1: x", None),
        ("L: x", None),
        ("L-1: x", None),
        (" L012: x", None),
        ("`L012`: x", None),
        ("2026-07-03 Deploy 12 of 40", None),
        ("", None),
    ],
)
def test_a_heading_carries_an_id_a_title_and_a_state(
    content: str, expected: tuple[int, str, bool] | None
) -> None:
    assert parse_heading(content) == expected


def test_marks_are_taken_off_in_linear_time() -> None:
    many = "[RESOLVED] " * 100_000  # their square would take minutes
    assert parse_heading(f"L012: {many}x") == (12, "x", True)
    assert parse_heading(f"L012: x {many}") == (12, "x", True)
    assert parse_heading(f"L012: {many}") == (12, "", True)


@pytest.mark.parametrize(
    "line", ["### L012: x", "###\tL012: x #", "   ### L012: x", "###   L012: x   ", "### L012: x\t##"]
)
def test_an_entry_may_be_headed_as_commonmark_allows(line: str) -> None:
    assert [entry[:3] for entry in parse_learnings(line)] == [(12, "x", False)]


@pytest.mark.parametrize(
    "line",
    [
        "    ### L012: x",
        "## L012: x",
        "#### L012: x",
        "###L012: x",
        "\\### L012: x",
        "- ### L012: x",
        "L012: x\n===",
    ],
)
def test_no_other_line_heads_an_entry(line: str) -> None:
    assert parse_learnings(line) == ()


@given(st.sampled_from(HEADINGS), st.text(alphabet="L012: [RESOLVED]*_\u2028\x85\xa0x", max_size=12))
def test_the_usual_headings_are_read_as_all_others(heading: str, more: str) -> None:
    text = f"{heading}{more}\n"
    expected = [
        parse_heading(line.text) for line in judged(text) if line.kind == "heading" and line.level == 3
    ]
    assert [entry[:3] for entry in parse_learnings(text)] == [each for each in expected if each]


def entry(body: str) -> Learning:
    (found,) = parse_learnings(f"### L012: the title\n{body}\n")
    return found


def test_an_entry_without_fields_has_what_the_format_says() -> None:
    bare = entry("")
    assert (bare.id, bare.type, bare.severity, bare.learning) == ("L012", "mistake", "info", "the title")
    assert (bare.date, bare.reinforced, bare.context, bare.confidence, bare.evidence) == (None,) * 5
    assert (bare.keywords, bare.files, bare.used, bare.scope) == ((), (), 0, "project")
    assert (bare.category, bare.example, bare.trigger, bare.domain, bare.source) == (None,) * 5
    assert (bare.key, bare.supersedes, bare.was, bare.field("Anything")) == (None,) * 4


def test_an_entry_has_all_its_fields() -> None:
    full = entry(
        "- **Type**: Convention\n- **Severity**: **critical**\n- **Date**: 2026-11-30\n"
        "- **Reinforced**: 2026-12-04\n- **Learning**: pin it\n- **Context**: the build\n"
        "- **Keywords**: a, b，c、 d,\n- **Category**: `tools`\n- **Confidence**: 0.50\n- **Used**: 7\n"
        "- **Example**:\n  ```sh\n  make\n  ```\n- **Trigger**: when building\n- **Domain**: git\n"
        "- **Scope**: Global\n- **Evidence**: seen 5, last 2026-11-30\n- **Source**: agent\n"
        "- **Key**: pin-it\n- **Files**: `a.py`, b/c.py\n- **Supersedes**: L003\n- **Was**: L041\n"
        "- **Note**: kept"
    )
    assert (full.type, full.severity, full.learning) == ("convention", "critical", "pin it")
    assert (full.date, full.reinforced, full.context) == (date(2026, 11, 30), date(2026, 12, 4), "the build")
    assert (full.keywords, full.category, full.confidence, full.used) == (
        ("a", "b", "c", "d"),
        "tools",
        0.5,
        7,
    )
    assert (full.example, full.trigger, full.domain, full.scope) == ("make", "when building", "git", "global")
    assert full.evidence == Evidence(seen=5, last=date(2026, 11, 30))
    assert (full.source, full.key, full.files) == ("agent", "pin-it", ("a.py", "b/c.py"))
    assert (full.supersedes, full.was, full.field("NOTE")) == ("L003", "L041", "kept")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("```\na\nb\n```", "a\nb"),
        ("~~~ py\na\n~~~", "a"),
        ("````\n```\n````", "```"),
        ("```\n```", ""),
        ("plain", "plain"),
        ("```\nunclosed", "```\nunclosed"),
        ("text\n```\na\n```", "text\n```\na\n```"),
    ],
)
def test_an_example_is_what_its_fence_holds(value: str, expected: str) -> None:
    indented = value.replace("\n", "\n  ")
    assert entry(f"- **Example**:\n  {indented}").example == expected


@pytest.mark.parametrize("unit", ["`", "~", "`~", "```\n", "\n", "```x"])
def test_an_example_is_found_in_linear_time(unit: str) -> None:
    def example(text: str) -> str | None:
        return bare._replace(fields={"example": f"```{text}"}).example

    bare = entry("- **Example**: x")
    assert grows_linearly(example, unit)


@pytest.mark.parametrize(
    ("value", "severity"),
    [
        ("critical", "critical"),
        ("IMPORTANT", "important"),
        ("`info`", "info"),
        ("_critical_", "critical"),
        ("", "info"),
        ("high", "important"),
        ("medium", "important"),
        ("Low", "info"),
        ("minor", "info"),
        ("very critical", "critical"),
        ("blocker", "important"),
        ("inf", "important"),
    ],
)
def test_a_severity_is_never_read_as_less_than_it_may_mean(value: str, severity: str) -> None:
    assert read_severity(value) == severity


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("gotcha", "gotcha"),
        ("**Decision**", "decision"),
        ("pattern", "convention"),
        ("best practice", "convention"),
        ("Best-Practice", "convention"),
        ("best_practice", "convention"),
        ("pitfall", "gotcha"),
        ("", "mistake"),
        ("something", "mistake"),
    ],
)
def test_a_type_is_a_word_or_its_synonym(value: str, kind: str) -> None:
    assert read_type(value) == kind


@pytest.mark.parametrize(
    "value",
    [
        "",
        "2026-02-31",
        "2026-2-3",
        "26-02-03",
        "2026/02/03",
        "2026-02-03 ",
        "2026-13-01",
        "0000-01-01",
        "20260203",
        "٢٠٢٦-٠٢-٠٣",
        "2026-02-03T00:00",
        "2026-02-3x",
        "today",
        "+026-02-03",
        "2026-02_03",
        "2026-1²-01",
    ],
)
def test_what_is_no_day_is_no_date(value: str) -> None:
    assert parse_day(value) is None


@given(st.dates())
def test_a_day_is_read_as_it_is_written(day: date) -> None:
    assert parse_day(day.isoformat()) == day


@given(st.text(alphabet="0123456789-", min_size=8, max_size=11))
def test_a_day_is_read_only_as_it_is_written(value: str) -> None:
    day = parse_day(value)
    assert day is None or day.isoformat() == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0.5", 0.5),
        ("0", 0.0),
        ("1", 1.0),
        ("1.00", 1.0),
        (".7", 0.7),
        (" 0.9 ", 0.9),
        ("1.01", None),
        ("-0.1", None),
        ("", None),
        ("0,5", None),
        ("50%", None),
        ("nan", None),
        ("inf", None),
        ("1e-1", None),
        ("0_1", None),
        ("٠.٥", None),
        ("5.", None),
        (".", None),
        ("0." + "1" * 19, None),
        ("1" * 5000, None),
    ],
)
def test_a_confidence_is_a_decimal_number_of_0_to_1(value: str, expected: float | None) -> None:
    assert parse_confidence(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [("7", 7), ("0", 0), ("", 0), ("-1", 0), ("1.5", 0), ("07", 0), ("9" * 40, 0), ("٧", 0)],
)
def test_a_count_that_is_none_counts_as_0(value: str, expected: int) -> None:
    assert entry(f"- **Used**: {value}").used == expected


def test_a_category_or_scope_that_is_none_is_left_out() -> None:
    assert entry("- **Category**: cooking").category is None
    assert entry("- **Scope**: universal").scope == "project"
    assert entry("- **Evidence**: a lot").evidence is None
    assert entry("- **Evidence**:").evidence is None


@given(st.one_of(registries(), plain_texts()))
def test_the_fields_that_a_score_depends_on_are_read_quickly_and_right(text: str) -> None:
    for each in parse_learnings(text):
        assert score_fields(each) == tuple(each.fields.get(label, "") for label in learning.SCORED)


@given(
    st.lists(
        st.sampled_from(
            (
                "- **Type**: gotcha",
                "- **Severity**: critical",
                "- **Severity**: info",
                "- **Date**: 2026-11-30",
                "- **Date**: 2026-11-3",
                "- **Date**: 2026-11-30 ",
                "- **Reinforced**: 2026-12-01",
                "- **Confidence**: 0.5",
                "- **Evidence**: seen 2",
                "- **Learning**: x",
                "  more",
                "- **Learning**: see **Confidence**",
                "- **Date**:",
                "  2026-11-29",
                "- **severity**: info",
                "",
            ),
        ),
        max_size=7,
    ),
    st.sampled_from(("\n", "\r\n")),
)
def test_the_usual_order_of_fields_is_read_as_any_other(rows: list[str], ending: str) -> None:
    text = ending.join(["### L001: x", *rows, "- **Note**: y", "", "---", ""])
    for each in parse_learnings(text):
        assert score_fields(each) == tuple(each.fields.get(label, "") for label in learning.SCORED)


USUAL = "### L001: x\n{0}- **Severity**: info\n- **Date**: 2026-11-30\n{1}- **Learning**: y\n{2}\n---\n\n"
NEXT = "### L002: z\n- **Reinforced**: 2026-01-01\n- **Confidence**: 0.5\n- **Evidence**: seen 3\n"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("first", ["", "- **Type**: gotcha\n"])
@pytest.mark.parametrize(
    ("early", "late", "rest"),
    [
        ("", "", ("", "", "")),
        ("- **Reinforced**: 2026-12-01\n", "", ("2026-12-01", "", "")),
        ("", "- **Reinforced**: 2026-12-02\n", ("2026-12-02", "", "")),
        ("", "- **Confidence**: 0.7\n", ("", "0.7", "")),
        ("", "- **Evidence**: seen 5\n", ("", "", "seen 5")),
        ("- **Reinforced**: 2026-12-01\n", "- **Confidence**: 0.7\n", ("2026-12-01", "0.7", "")),
        ("", "- **Note**: on **Confidence**\n", ("", "", "")),
    ],
)
def test_an_entry_as_qlearn_writes_it_is_scored_by_its_own_fields(
    early: str, late: str, rest: tuple[str, ...], first: str, ending: str
) -> None:
    text = (USUAL.format(first, early, late) + NEXT).replace("\n", ending)
    usual, following = parse_learnings(text)
    assert score_fields(usual) == ("info", "2026-11-30", *rest)
    assert score_fields(following) == ("", "", "2026-01-01", "0.5", "seen 3")


def test_entries_of_another_letter_are_others() -> None:
    document = parse("## Waiting\n\n### L001: x\n### P002: y\n#### P003: z\n### P004: [RESOLVED] w\n")
    assert [each.title for each in learnings(document, "P")] == ["y", "w"]
    assert [each.title for each in learnings(document)] == ["x"]


@pytest.mark.parametrize("text", ["**L012: Pin it** ", "**L012:** Pin it", " Pin it".join(("L012:", " "))])
def test_white_space_behind_an_emphasised_heading_is_no_part_of_it(text: str) -> None:
    assert parse_heading(text) == Heading(12, "Pin it", False)


@pytest.mark.parametrize(
    ("text", "title", "resolved"),
    [
        ("L001: Mac OS X [RESOLVED] [RESOLVED]", "Mac OS X", True),
        ("L001: Mac OS X[RESOLVED]", "Mac OS X[RESOLVED]", False),
        ("L001: Mac OS X\t[RESOLVED]", "Mac OS X", True),
        ("L001: x \u3000 [RESOLVED]", "x", True),
        ("L001: [RESOLVED] [RESOLVED]", "", True),
        ("L001: abcd efghijklmn [RESOLVED]", "abcd efghijklmn", True),
        ("L001: [RESOLVED] [RESOLVED]\u3000 [RESOLVED]", "[RESOLVED]", True),
    ],
)
def test_marks_are_taken_off_as_words(text: str, title: str, resolved: bool) -> None:
    assert parse_heading(text) == Heading(1, title, resolved)


@pytest.mark.parametrize("value", ["Xinfo", "infoX", "X"])
def test_a_word_with_a_letter_more_is_another_word(value: str) -> None:
    assert plain_word(f" `{value}`_ ") == value.lower()


def test_a_bad_entry_does_not_hide_a_good_one() -> None:
    bad = "### L1x: no\n- **Type**: x\n```\n```\n"
    text = bad + "### L002: good\n- **Date**: never\n<!--\n-->\n### L003: good too\n"
    assert [each.id for each in parse_learnings(text)] == ["L002", "L003"]


def test_examples_in_the_documentation_hold() -> None:
    assert doctest.testmod(learning).failed == 0
