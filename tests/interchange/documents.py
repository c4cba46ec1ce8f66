"""Markdown documents of all the shapes that lessons are kept in, and some of none."""

from __future__ import annotations

from hypothesis import strategies as st


def lines_of(text: str) -> list[str]:
    return text.strip("\n").split("\n")


def listed(text: str) -> list[str]:
    return text.split(";")


WORDS = st.sampled_from(
    listed("alpha;beta;Gamma;delta7;épsilon;漢字;код;café;`code`;**bold**;x_y_z;http://a.b/c;a|b;L012;UTF-8")
    + listed("<tag>;&amp\\;;\\|;~~gone~~;[RESOLVED];\u200b;\u2028")
)
TEXT = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
TITLE_FORMS = lines_of("""
{}
2026-01-02: {}
[2026-01-02] {}
{} (2026-01-02)
[001] {}
3. {}
LESSON-001: {}
L-001: [gotcha] {}
[hits: 3] {}
~~{}~~
{} [OBSOLETE]
2026-03-04 - {}
[LRN-20260102-001] {}
ADR-0003: {}
D012 {}
[ERR-20260102-XYZ] {} ✅
Lesson 3: {}
""")
PLAIN_TITLES = listed(
    "Gotchas;Format;YYYY-MM-DD: t;Root Cause;Fix;2026-02-03;;Lessons;规则;Summary;Details;Metadata;"
    "Resolution;Status;Context;Decision;Consequences;Key Learnings;User Preferences;Do-Not-Repeat;"
    "Active Decisions;Action;Evidence"
)
TITLES = st.one_of(st.builds(str.format, st.sampled_from(TITLE_FORMS), TEXT), st.sampled_from(PLAIN_TITLES))
HEADINGS = st.builds(lambda level, title: f"{'#' * level} {title}", st.integers(1, 5), TITLES)
LABELS = st.sampled_from(
    listed(
        "Date;Status;Priority;Type;Tags;Confidence;Files;Trigger;Area;Context;Rule;Lesson;Fix;Symptom;Cause;日期"
        ";状态;优先级;규칙;原因;Foo;Used;Key;ID;Summary;Logged;Source;Pattern-Key;See-Also;Learning;Action;By"
        ";What;Why"
    )
)
VALUES = st.one_of(
    TEXT,
    st.sampled_from(
        listed(
            "2026-01-01;resolved;high;9/10;a.py, b/c.py;;3;gotcha;YYYY-MM-DD;a, b;k-1;Superseded by ADR-7;"
            "accepted;2026-01-02T03:04:05+09:00;Jan 2, 2026;80 %"
        )
    ),
)
LABEL_FORMS = lines_of("""
**{}**: {}
**{}:** {}
- **{}**: {}
* **{}:** {}
{}: {}
- {}: {}
**{}**：{}
1. **{}**: {}
    - **{}**: {}
  **{}**: {}
""")
LABELLED = st.builds(str.format, st.sampled_from(LABEL_FORMS), LABELS, VALUES)
TEXT_FORMS = lines_of("""
- {}
  - {}
- [x] {}
- **{}** tail
- 2026-01-02 | tools | {}
2026-01-02: {}
- [2026-01-02] {}
> {}
| 1 | {} | 2026-01-01 |
| {} | b \\| c | d | e |
<!-- {} -->
\t{}
""")
MARKS = [
    "| # | Lesson | Date |\n|---|---|---|",
    "| ID | Decision | Choice | Rationale |\n|---|---|---|---|",
    *listed(
        "- ;;---;```;~~~;<!--;-->;[r]: http://x;***;<div>;====;1. one;- [a](b);_(none yet)_;\x0b;\x1b[1m"
    ),
]
LINES = st.one_of(
    HEADINGS,
    HEADINGS,
    LABELLED,
    LABELLED,
    TEXT,
    st.builds(str.format, st.sampled_from(TEXT_FORMS), TEXT),
    st.sampled_from(MARKS),
)


def documents() -> st.SearchStrategy[str]:
    """Markdown with any line ending; now and then any text at all."""
    text = st.one_of(st.lists(LINES, max_size=25).map("\n".join), st.text(max_size=200))
    return st.builds(
        lambda text, newline, mark: mark + text.replace("\n", newline),
        text,
        st.sampled_from(["\n", "\r\n", "\r"]),
        st.sampled_from(["", "\ufeff"]),
    )
