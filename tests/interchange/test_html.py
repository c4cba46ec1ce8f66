"""The page: what gets into it, what does not, and what its drawings say."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qlearn.decay import decay_score
from qlearn.interchange import Frame
from qlearn.interchange.curve import FLOOR, FUTURE, PAST, UNIT, course, curve, meaning
from qlearn.interchange.html import timeline, write
from qlearn.interchange.prose import inline, rendered
from qlearn.learning import Learning, parse_learnings
from tests.strategies import hostile_texts

NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
TODAY = NOW.date()

READ_ONLY = {
    "p", "em", "strong", "s", "code", "pre", "ul", "ol", "li", "blockquote", "hr", "br", "a", "span",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


class Elements(HTMLParser):
    """The tags of some HTML with their attributes, and its text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def entries(*fields: str) -> tuple[Learning, ...]:
    """Make an entry of each text, under the numbers from 1 on."""
    return parse_learnings(
        "\n".join(f"### L{at:03d}: Title {at}\n{each}\n" for at, each in enumerate(fields, 1))
    )


def page(found: tuple[Learning, ...], *, now: dt.datetime = NOW, name: str = "demo") -> str:
    files = write(found, Frame(name, now, 5))
    assert [*files] == ["learnings.html"]
    return files["learnings.html"]


# Prose -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("Pin it first.", "<p>Pin it first.</p>"),
        ("`uv lock`, *then* **push**", "<p><code>uv lock</code>, <em>then</em> <strong>push</strong></p>"),
        ("a < b && c > d", "<p>a &lt; b &amp;&amp; c &gt; d</p>"),
        ('<b onclick="x()">x</b>', "<p>&lt;b onclick=&quot;x()&quot;&gt;x&lt;/b&gt;</p>"),
        ("```sh\na <b\n```", "<pre><code class=\"language-sh\">a &lt;b\n</code></pre>"),
        ("#### Why\n\nThus.", '<p class="heading">Why</p>\n<p>Thus.</p>'),
        (
            "[docs](https://example.org/a?b=1&c=2)",
            '<p><a href="https://example.org/a?b=1&amp;c=2" rel="noopener noreferrer">docs</a></p>',
        ),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ("[x](../../etc/passwd)", "<p>[x](../../etc/passwd)</p>"),
        (
            '![chart](https://example.org/c.png "t")',
            '<p><span class="image">chart <code>https://example.org/c.png</code></span></p>',
        ),
        ("", ""),
    ],
)  # fmt: skip
def test_prose_is_read_and_nothing_else(text: str, markup: str) -> None:
    assert rendered(text) == markup


def test_a_table_has_no_style_of_its_own() -> None:
    tags = Elements(rendered("| a | b |\n|:-:|--:|\n| c | d |")).tags
    assert [tag for tag, _ in tags] == ["table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td"]
    assert all(attrs == {} for _, attrs in tags)


def test_a_title_has_code_but_no_links() -> None:
    assert inline("Use `uv` not [pip](https://pip.pypa.io)") == (
        "Use <code>uv</code> not [pip](https://pip.pypa.io)"
    )


def test_secrets_are_masked_and_hidden_characters_shown() -> None:
    token = "ghp_" + "a1B2" * 9
    assert token not in rendered(f"token {token}") + inline(token)
    assert rendered("a\u202eb\u200bc") == "<p>a&lt;U+202E&gt;b&lt;U+200B&gt;c</p>"


@given(hostile_texts())
def test_whatever_the_text_only_tags_for_reading_come_out(text: str) -> None:
    for markup in (rendered(text), inline(text)):
        for tag, attrs in Elements(markup).tags:
            assert tag in READ_ONLY
            assert attrs.keys() <= {"class", "href", "rel", "start"}
            assert re.match("(?i)https?:|mailto:", attrs.get("href") or "https:")


# The page --------------------------------------------------------------------------------------------


def test_a_page_holds_every_entry_with_every_field() -> None:
    found = entries(
        "- **Type**: gotcha\n- **Severity**: critical\n- **Date**: 2026-11-20\n- **Learning**: Lesson one.\n"
        "- **Context**: Somewhere\n- **Example**:\n  ```sh\n  make all\n  ```\n- **Odd**: Kept\n",
        "- **Learning**: Lesson two.\n",
    )
    text = Elements(page(found, name="a <b> demo")).text
    for part in (
        "a <b> demo",
        "Title 1",
        "Lesson one.",
        "Somewhere",
        "make all",
        "Odd",
        "Kept",
        "Lesson two.",
    ):
        assert part in text


def test_the_best_entry_comes_first() -> None:
    found = entries("- **Severity**: info\n", "- **Severity**: critical\n", "- **Severity**: important\n")
    ids = [attrs["id"] for tag, attrs in Elements(page(found)).tags if tag == "article"]
    assert ids == ["L002", "L003", "L001"]


def test_entries_that_share_a_number_have_links_of_their_own() -> None:
    found = parse_learnings("### L002: One\n\n### L002: Two\n\n### L002: Three\n")
    tags = Elements(page(found)).tags
    ids = [attrs["id"] for _, attrs in tags if "id" in attrs]
    assert [each for each in ids if each and not each.endswith("-title")] == ["L002", "L002-2", "L002-3"]
    assert len(set(ids)) == len(ids)
    assert [attrs["href"] for tag, attrs in tags if tag == "a"] == ["#L002", "#L002-2", "#L002-3"]


def test_a_page_fetches_nothing_and_runs_its_own_script_alone() -> None:
    text = page(entries("- **Learning**: ![x](https://example.org/x.png) <script>alert(1)</script>\n"))
    found = Elements(text)
    for tag, attrs in found.tags:
        assert not attrs.keys() & {"src", "srcset", "style", "action", "data", "poster", "background"}
        assert not any(name.startswith("on") for name in attrs)
        assert tag != "link" or str(attrs["href"]).startswith("data:")
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|innerHTML|eval\(", text)
    [policy] = [str(attrs["content"]) for tag, attrs in found.tags if "http-equiv" in attrs]
    assert "default-src 'none'" in policy
    for tag in ("style", "script"):
        [content] = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_a_page_is_the_same_for_the_same_moment() -> None:
    found = entries("- **Severity**: critical\n- **Date**: 2026-11-20\n", "")
    assert page(found) == page(found)


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        (("- **Date**: 2026-11-30\n",), None),
        (("- **Date**: 2026-11-30\n", "- **Date**: 2026-01-01\n"), ["active", "faded"]),
    ],
)
def test_a_filter_is_offered_where_it_tells_entries_apart(
    fields: tuple[str, ...], state: list[str] | None
) -> None:
    tags = Elements(page(entries(*fields))).tags
    offered = [attrs["value"] for tag, attrs in tags if tag == "input" and attrs.get("name") == "state"]
    assert offered == (state or [])


def test_a_page_of_nothing_says_how_to_begin() -> None:
    found = Elements(page(()))
    assert 'qlearn add "Pin the lockfile before a release"' in found.text
    assert "figure" not in [tag for tag, _ in found.tags]


@given(hostile_texts(), hostile_texts())
def test_whatever_stands_in_the_registry_the_page_keeps_its_shape(text: str, name: str) -> None:
    found = parse_learnings(f"### L001: x\n- **Learning**: y\n\n---\n\n{text}")
    markup = page(found, name=name)
    markup.encode()
    tags = [tag for tag, _ in Elements(markup).tags]
    assert tags.count("article") == len(found)
    assert tags.count("script") == tags.count("style") == tags.count("main") == 1


# The timeline ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "name", "count"),
    [
        ("2026-11-30", "week of 2026-11-30", 12),
        ("2026-04-01", "week of 2026-11-30", 36),
        ("2025-04-01", "November 2026", 20),
        ("2015-04-01", "2026", 12),
        ("0001-01-01", "2026", 40),
    ],
)
def test_a_timeline_has_weeks_months_or_years(first: str, name: str, count: int) -> None:
    periods = timeline(entries(f"- **Date**: {first}\n"), TODAY)
    assert (periods[-1].name, len(periods)) == (name, count)
    assert all(a.first < b.first for a, b in pairwise(periods))


@given(st.lists(st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31)), max_size=8))
def test_a_timeline_counts_every_date_once(days: list[dt.date]) -> None:
    periods = timeline(entries(*(f"- **Date**: {day.isoformat()}\n" for day in days)), TODAY)
    assert sum(sum(period.added.values()) for period in periods) == len(days)
    assert len(periods) <= 40


# The curve -------------------------------------------------------------------------------------------


def _points(drawing: str, kind: str) -> list[tuple[float, float]]:
    """The places at which a path of the drawing begins, bends and ends, as days from today and scores."""
    [path] = re.findall(f'class="{kind}" d="(.*?)"', drawing)
    found = []
    for command, numbers in re.findall(r"([MLC])([^A-Z]*)", path):
        values = [float(number) for number in numbers.split()]
        assert len(values) == (6 if command == "C" else 2)
        found.append((values[-2] - PAST, (FLOOR - values[-1]) / UNIT))
    return found


dates = st.dates(TODAY - dt.timedelta(400), TODAY)


@given(st.sampled_from(["critical", "important", "info"]), dates, st.none() | dates)
def test_a_curve_goes_through_the_scores_of_its_days(
    severity: str, day: dt.date, again: dt.date | None
) -> None:
    fields = f"- **Severity**: {severity}\n- **Date**: {day}\n"
    [entry] = entries(fields + (f"- **Reinforced**: {again}\n" if again else ""))
    drawing = curve(course(entry, NOW))
    for days, score in _points(drawing, "next"):
        assert score == pytest.approx(decay_score(entry, NOW + dt.timedelta(days)), abs=0.01)
    past = _points(drawing, "past")
    assert past[-1][1] == pytest.approx(decay_score(entry, NOW), abs=0.01)
    assert past[0][0] == max((day - TODAY).days, -PAST) or (again and again < day)
    assert all(-PAST <= days <= FUTURE for days, _ in past)


def test_a_curve_between_two_days_is_within_a_pixel_of_the_score() -> None:
    [entry] = entries("- **Severity**: critical\n- **Date**: 2026-09-01\n")
    [path] = re.findall('class="next" d="(.*?)"', curve(course(entry, NOW)))
    here = [float(number) for number in re.findall(r"-?[\d.]+", path.split("C")[0])]
    for piece in path.split("C")[1:]:
        x1, y1, x2, y2, x3, y3 = (float(number) for number in piece.split())
        for step in range(11):
            t = step / 10
            shares = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
            x = sum(share * value for share, value in zip(shares, (here[0], x1, x2, x3), strict=True))
            y = sum(share * value for share, value in zip(shares, (here[1], y1, y2, y3), strict=True))
            assert FLOOR - y == pytest.approx(
                UNIT * decay_score(entry, NOW + dt.timedelta(x - PAST)), abs=0.5
            )
        here = [x3, y3]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            "- **Severity**: important\n- **Date**: 2026-10-31\n",
            "Score 1.00: it was 2.00 on 2026-10-31 and halves every 30 days, to below 0.10 on 2027-03-10.",
        ),
        (
            "- **Severity**: info\n- **Date**: 2026-01-01\n- **Reinforced**: 2026-11-30\n",
            (
                "Score 1.00: it was 1.00 when reinforced on 2026-11-30 and halves every 30 days, "
                "to below 0.10 on 2027-03-10."
            ),
        ),
        (
            "- **Severity**: info\n- **Date**: 2026-11-30\n- **Confidence**: 0.1\n",
            "Score 0.10: it was 0.10 on 2026-11-30 and halves every 30 days.",
        ),
        ("- **Severity**: info\n", "Score 0.50: without a date it counts as 30 days old for good."),
    ],
)
def test_a_curve_says_what_it_shows(fields: str, said: str) -> None:
    [entry] = entries(fields)
    assert meaning(course(entry, NOW)) == said
    assert f"<title>{said}</title>" in curve(course(entry, NOW))


def test_the_day_named_is_the_first_on_which_it_has_faded() -> None:
    [entry] = entries("- **Severity**: critical\n- **Date**: 2026-10-31\n")
    day = dt.datetime.fromisoformat(meaning(course(entry, NOW))[-11:-1] + "T00:00+00:00")
    assert decay_score(entry, day) < 0.1 <= decay_score(entry, day - dt.timedelta(1))


def test_what_is_resolved_lies_flat() -> None:
    [entry] = parse_learnings("### L001: [RESOLVED] x\n- **Date**: 2026-10-31\n")
    assert meaning(course(entry, NOW)) == "Resolved, so its score is 0."
    assert '<path class="past" d="M0 52H90"/>' in curve(course(entry, NOW))


@pytest.mark.parametrize(
    ("fields", "rings", "dots"),
    [
        ("- **Date**: 2026-11-20\n", 1, 0),
        ("- **Date**: 2026-07-01\n", 0, 0),
        ("- **Date**: 2026-07-01\n- **Reinforced**: 2026-11-20\n", 1, 1),
        ("- **Date**: 2026-11-20\n- **Reinforced**: 2026-11-20\n", 1, 0),
        ("- **Reinforced**: 2026-11-20\n", 1, 1),
        ("", 0, 0),
    ],
)
def test_a_curve_marks_its_half_life_and_what_reinforced_it(fields: str, rings: int, dots: int) -> None:
    [entry] = entries(fields)
    drawing = curve(course(entry, NOW))
    assert (drawing.count('class="half"'), drawing.count('class="again"')) == (rings, dots)
