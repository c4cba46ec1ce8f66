"""Learnings as one page for people: it works from disk, fetches nothing, and is read without scripts.

What a filter or an order needs stands at each entry as data, so the script only shows and hides what is
there. The page forbids itself all but its own style and script, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from qlearn.decay import Ranked, decay_score
from qlearn.interchange.curve import FADED, Course, course, curve, meaning
from qlearn.interchange.prose import inline, rendered
from qlearn.learning import CATEGORIES, SEVERITIES, TYPES
from qlearn.summary import AGES, age_name
from qlearn.text import neutralise

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from qlearn.interchange import Frame
    from qlearn.learning import Learning

STATES = ("active", "faded", "resolved")
"""Faded is what scores so little that `prune` would move it."""

_IN_HEAD = ("type", "severity", "learning", "date", "reinforced")
_FEWEST, _MOST = 12, 40  # the periods of a timeline


class Period(NamedTuple):
    """A stretch of time from its first day on, and how many learnings of each severity were added in it."""

    first: date
    name: str
    added: Mapping[str, int]


def write(entries: Iterable[Learning], frame: Frame) -> Mapping[str, str]:
    """Write the page: the best entries first, under the name of their project."""
    name, now, _ = frame
    ranked = sorted((Ranked(each, decay_score(each, now)) for each in entries), key=lambda each: -each.score)
    today = now.astimezone(UTC).date()
    periods = timeline([learning for learning, _ in ranked], today)
    facets = [_facets(each, now) for each in ranked]
    anchors = _anchors([learning for learning, _ in ranked])
    articles = "".join(
        _article(each, anchor, facet, periods, now)
        for each, anchor, facet in zip(ranked, anchors, facets, strict=True)
    )
    body = f"""{_head(ranked, periods, today, name)}
<div class="columns">
{_panel(facets)}
<main>
{_BAR}
<div class="entries">
{articles}</div>
{_empty(ranked)}
</main>
</div>
{_foot(today)}"""
    return {"learnings.html": _page(name, body)}


def timeline(entries: Sequence[Learning], today: date) -> tuple[Period, ...]:
    """Count what was added in each week up to *today*; in each month or year where weeks are too many.

    At most 40 periods, of which the first one also holds what is older, the last one what lies in the future.
    """
    days = [min(entry.date, today) for entry in entries if entry.date]
    since = min(days, default=today)
    for starts in (_weeks, _months, _years):
        firsts = starts(since, today)
        if len(firsts) <= _MOST:
            break
    counted: list[Counter[str]] = [Counter() for _ in firsts[-_MOST:]]
    named = zip(firsts[-_MOST:], counted, strict=True)
    found = [Period(first, label, count) for (first, label), count in named]
    for entry in entries:
        if entry.date:
            counted[_period_of(entry.date, found)][entry.severity] += 1
    return tuple(found)


def _weeks(since: date, today: date) -> list[tuple[date, str]]:
    last = today - timedelta(today.weekday())
    count = max((last - since).days // 7 + 2, _FEWEST)
    mondays = (last - timedelta(weeks=back) for back in range(min(count, _MOST + 1) - 1, -1, -1))
    return [(monday, f"week of {monday}") for monday in mondays]


def _months(since: date, today: date) -> list[tuple[date, str]]:
    first, last = since.year * 12 + since.month - 1, today.year * 12 + today.month - 1
    months = range(max(min(first, last - _FEWEST + 1), last - _MOST), last + 1)
    return [(day := date(month // 12, month % 12 + 1, 1), f"{day:%B %Y}") for month in months]


def _years(since: date, today: date) -> list[tuple[date, str]]:
    first = max(since.year, today.year - _MOST + 1)
    return [(date(year, 1, 1), f"{year}") for year in range(first, today.year + 1)]


def _period_of(day: date, periods: Sequence[Period]) -> int:
    return next((at for at in range(len(periods) - 1, 0, -1) if periods[at].first <= day), 0)


_BAR = """<div class="bar" data-scripted hidden>
<p class="count" role="status"></p>
<button type="button" class="clear" hidden>Clear</button>
<label>Sort by <select class="order">
<option value="score">score</option><option value="day">newest</option><option value="number">number</option>
</select></label>
</div>"""


class _Facets(NamedTuple):
    """What an entry is filtered by."""

    type: str
    severity: str
    category: str
    age: str
    state: str


def _facets(each: Ranked, now: datetime) -> _Facets:
    learning, score = each
    state = "resolved" if learning.resolved else "faded" if score < FADED else "active"
    return _Facets(
        learning.type, learning.severity, learning.category or "none", age_name(learning, now), state
    )


def _anchors(entries: Iterable[Learning]) -> list[str]:
    """The id of each entry, with a letter behind it from the second entry of that id on."""
    met: Counter[str] = Counter()
    anchors = []
    for entry in entries:
        met[entry.id] += 1
        anchors.append(entry.id if met[entry.id] == 1 else f"{entry.id}-{met[entry.id]}")
    return anchors


def _page(name: str, body: str) -> str:
    style, script = (_asset(file) for file in ("page.css", "page.js"))
    policy = "; ".join(
        (
            "default-src 'none'",
            f"style-src {_hash(style)}",
            f"script-src {_hash(script)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        )
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="qlearn">
<title>{_plain(name)}: learnings</title>
<link rel="icon" href="{_ICON}">
<style>{style}</style>
</head>
<body>
{body}
<script>{script}</script>
</body>
</html>
"""


_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='none' "
    "d='M2 2c1 8 4 11 12 12' stroke='%23b4531a' stroke-width='2.5' stroke-linecap='round'/%3E%3C/svg%3E"
)


def _asset(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _head(ranked: Sequence[Ranked], periods: Sequence[Period], today: date, name: str) -> str:
    active = [learning for learning, score in ranked if score > 0]
    severities = Counter(learning.severity for learning in active)
    graded = ", ".join(f"{severities[each]} {each}" for each in SEVERITIES if severities[each])
    resolved = len(ranked) - len(active)
    summary = _counted(len(active), "learning") + (f": {graded}" if graded else "")
    summary += f"; {resolved} resolved" if resolved else ""
    return f"""<header class="top">
<div>
<p class="kicker">What we learned</p>
<h1>{_plain(name)}</h1>
<p class="summary">{summary}. Ranked as of <time>{today}</time>.</p>
</div>
{_timeline(periods, sum(learning.date is None for learning, _ in ranked)) if ranked else ""}
</header>"""


def _timeline(periods: Sequence[Period], undated: int) -> str:
    most = max(sum(period.added.values()) for period in periods) or 1
    bars = "\n".join(_bar(at, period, most) for at, period in enumerate(periods))
    without = f", {undated} without a date" if undated else ""
    return f"""<figure class="timeline">
<figcaption>Added over time{without}</figcaption>
<div class="bars" role="group" aria-label="Added over time">
{bars}
</div>
<p class="ends" aria-hidden="true"><span>{periods[0].name}</span><span>{periods[-1].name}</span></p>
</figure>"""


def _bar(at: int, period: Period, most: int) -> str:
    parts, floor = [], 100.0
    for severity in reversed(SEVERITIES):
        if count := period.added.get(severity, 0):
            height = 100 * count / most
            floor -= height
            parts.append(f'<rect class="{severity}" y="{floor:.1f}" width="10" height="{height:.1f}"/>')
    total = sum(period.added.values())
    said = f"{period.name}: {total} added"
    attributes = f'data-period="{at}" title="{said}" aria-label="{said}" aria-pressed="false"'
    attributes += "" if total else " disabled"
    drawing = "".join(parts)
    return (
        f'<button type="button" {attributes}>'
        f'<svg viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">{drawing}</svg></button>'
    )


def _panel(facets: Sequence[_Facets]) -> str:
    values = (TYPES, SEVERITIES, (*CATEGORIES, "none"), AGES, STATES)
    groups = "\n".join(
        _group(facet, options, Counter(getattr(each, facet) for each in facets))
        for facet, options in zip(_Facets._fields, values, strict=True)
    )
    return f"""<search class="panel" data-scripted hidden>
<div class="field">
<input type="search" class="query" aria-label="Search the learnings" placeholder="Search" spellcheck="false">
<kbd aria-hidden="true">/</kbd>
</div>
<details class="filters"><summary>Filters</summary>
{groups}
</details>
</search>"""


def _group(facet: str, options: Iterable[str], counts: Counter[str]) -> str:
    """The choices of one filter; none where every entry has the same value."""
    if len(counts) < 2:
        return ""
    labels = "\n".join(
        f'<label class="of-{facet} {value}"><input type="checkbox" name="{facet}" value="{value}">'
        f'<span>{value}</span> <span class="n">{counts[value]}</span></label>'
        for value in options
        if counts[value]
    )
    return f"<fieldset><legend>{facet.capitalize()}</legend>\n{labels}\n</fieldset>"


def _article(each: Ranked, anchor: str, facets: _Facets, periods: Sequence[Period], now: datetime) -> str:
    learning, score = each
    day, decay = learning.date, course(learning, now)
    data = {**facets._asdict(), "score": f"{score:.4f}", "number": learning.number, "day": day or ""}
    if day:
        data["period"] = _period_of(day, periods)
    attributes = " ".join(f'data-{key}="{value}"' for key, value in data.items())
    title = inline(learning.title or learning.learning) or learning.id
    lesson = "" if learning.learning == learning.title else rendered(learning.learning)
    marks = {"id": learning.id, "severity": learning.severity, "type": learning.type}
    if learning.resolved:
        marks["state"] = "resolved"
    spans = " ".join(f'<span class="{kind}">{mark}</span>' for kind, mark in marks.items())
    return f"""<article id="{anchor}" {attributes} aria-labelledby="{anchor}-title">
<p class="marks">{spans}</p>
<div class="text">
<h2 id="{anchor}-title"><a href="#{anchor}">{title}</a></h2>
<div class="lesson">{lesson}</div>
<div class="more">{_more(learning, decay)}</div>
</div>
<p class="score">{curve(decay)}<span>{score:.2f}</span></p>
</article>
"""


def _more(learning: Learning, decay: Course) -> str:
    """All other fields, in the order of the file, and when it was recorded and reinforced."""
    rows = [
        f"<dt>{_plain(label).capitalize()}</dt><dd>{_value(label, value)}</dd>"
        for label, value in learning.fields.items()
        if label not in _IN_HEAD and value
    ]
    days = [f"recorded {learning.date}" if learning.date else "recorded on no known day"]
    days += [f"reinforced {learning.reinforced}"] if learning.reinforced else []
    fields = f"<dl>{''.join(rows)}</dl>" if rows else ""
    history = ", ".join(days).capitalize()
    return f'{fields}<p class="history">{history}. {escape(meaning(decay))}</p>'


def _value(label: str, value: str) -> str:
    if label in ("supersedes", "was"):
        return _plain(value)
    return rendered(value) if "\n" in value else inline(value)


def _empty(ranked: Sequence[Ranked]) -> str:
    if ranked:
        return """<div class="empty" hidden><p class="big">Nothing fits</p>
<p>No learning has all of these words and filters.</p>
<p><button type="button" class="clear">Clear them</button></p></div>"""
    return """<div class="empty"><p class="big">Nothing learned yet</p>
<p>The first lesson is one command away:</p>
<pre><code>qlearn add "Pin the lockfile before a release"</code></pre></div>"""


def _foot(today: date) -> str:
    keys = (("/", "search"), ("j", "next"), ("k", "previous"), ("enter", "open"), ("esc", "close, clear"))
    legend = "".join(f"<li><kbd>{key}</kbd> {does}</li>" for key, does in keys)
    return f"""<footer>
<ul class="keys" data-scripted hidden>{legend}</ul>
<p>Written by qlearn on {today}. A score halves every 30 days, and reinforcing starts it anew.</p>
</footer>"""


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _plain(text: str) -> str:
    return escape(neutralise(text))
