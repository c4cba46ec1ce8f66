from __future__ import annotations

import datetime as dt
import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

import qlearn.relevance as relevance
from qlearn.learning import Learning, parse_learnings
from qlearn.relevance import Match, keyword_overlap, least_score, relevant_learnings, task_terms, weigh

NOW = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)

LESSONS = [
    {
        "title": "Circular imports cause 'module not found' errors",
        "learning": "When module A imports B and B imports A, one of them is still empty. Import inside the"
        " function, or move what both need into a third module such as memory/types.py.",
        "keywords": "import, circular, error",
    },
    {
        "title": "Isolate an import problem before fixing it",
        "learning": "Run python -c 'import app.memory' outside of the test runner: whose path is wrong?",
        "keywords": "import, isolate, debugging",
    },
    {
        "title": "Create indexes concurrently on large tables",
        "learning": "CREATE INDEX holds a lock against writes. Use CONCURRENTLY.",
        "keywords": "postgres, index, lock",
        "trigger": "when adding an index to a table with traffic",
    },
    {
        "title": "A pipe hides the exit status",
        "learning": "`pytest | tail` answers with the status of tail. Set pipefail.",
        "example": "\n```sh\nset -o pipefail\n```",
    },
    {
        "title": "Redis 분산 락은 본인 토큰일 때만 해제한다",
        "learning": "작업이 TTL보다 길어지면 락이 풀린다.",
    },
]

IMPORT_ERROR = """Exit code 1
Traceback (most recent call last):
  File "/app/main.py", line 3, in <module>
    from memory import Store
ImportError: cannot import name 'Store' from partially initialized module 'memory' (a circular import)
"""


def registry(lessons: list[dict[str, str]] = LESSONS) -> str:
    return "\n---\n\n".join(
        f"### L{number:03d}: {lesson['title']}\n- **Type**: gotcha\n- **Severity**: important\n"
        "- **Date**: 2026-11-02\n"
        + "".join(
            f"- **{label.title()}**: {value}\n".replace("\n```", "\n  ```").replace("\nset", "\n  set")
            for label, value in lesson.items()
            if label != "title"
        )
        for number, lesson in enumerate(lessons, 1)
    )


def ids(matches: tuple[Match, ...]) -> list[str]:
    return [match.learning.id for match in matches]


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(relevance).failed == 0


@pytest.mark.parametrize(
    ("task", "learning", "overlap"),
    [
        ({"import", "error"}, {"import", "error", "module"}, 1.0),
        ({"a", "b", "c", "d"}, {"A", "x"}, 0.5),
        (set(), {"a"}, 0.0),
        ({"a"}, set(), 0.0),
        ({"a"}, {"b"}, 0.0),
    ],
)
def test_keyword_overlap_is_the_published_one(task: set[str], learning: set[str], overlap: float) -> None:
    assert keyword_overlap(task, learning) == overlap


def test_an_import_error_shows_circular_imports_and_then_how_to_isolate_it() -> None:
    found = relevant_learnings(registry(), "Fix the import error in the memory module", now=NOW)
    assert ids(found) == ["L001", "L002"]
    assert [f"{match.share:.0%}" for match in found] == ["100%", "56%"]


@pytest.mark.parametrize(
    ("task", "first"),
    [
        ("add an index on orders.customer_email, the table is large", "L003"),
        ("CI is green although `pytest | tail -5` fails", "L004"),
        ("redis 락 해제하는 코드 짜줘", "L005"),
        (IMPORT_ERROR, "L001"),
    ],
)
def test_the_lesson_that_fits_comes_first(task: str, first: str) -> None:
    assert ids(relevant_learnings(registry(), task, now=NOW))[:1] == [first]


@pytest.mark.parametrize(
    "task",
    [
        "",
        "continue",
        "fix the failing tests",
        "왜 그래?",
        "好的,继续",
        "vale, gracias",
        "the of and to",
        "?!",
        "\n\n",
    ],
)
def test_a_task_that_names_nothing_shows_nothing(task: str) -> None:
    assert relevant_learnings(registry(), task, now=NOW) == ()


def test_the_more_there_is_to_choose_from_the_more_it_takes() -> None:
    scores = [least_score(count) for count in (0, 1, 5, 20, 200, 10_000)]
    assert scores == sorted(scores)
    assert scores[0] == scores[1] == 1.3
    assert 2.1 < least_score(195) < scores[-1] < 4.0


def test_an_empty_registry_shows_nothing() -> None:
    assert relevant_learnings("", "import error in the memory module", now=NOW) == ()
    assert weigh((), "import error in the memory module", now=NOW) == ()


def test_a_word_of_very_many_learnings_says_nothing() -> None:
    many = [{"title": f"Zebra crossing {n}", "learning": f"Giraffe, number {n}."} for n in range(100, 121)]
    assert weigh(registry(many), "zebra giraffe", now=NOW) == ()
    found = weigh(registry(many), "zebra giraffe 107", now=NOW)
    assert [(match.learning.title, match.share) for match in found] == [("Zebra crossing 107", 1.0)]
    assert len(weigh(registry(many[:20]), "zebra giraffe", n=99, now=NOW)) == 20


def test_a_resolved_learning_is_never_relevant() -> None:
    text = registry().replace("### L001: ", "### L001: [RESOLVED] ")
    assert "L001" not in ids(weigh(text, "Fix the circular import error in the memory module", now=NOW))


def test_no_more_than_k_are_shown() -> None:
    text = registry([LESSONS[0]] * 6)
    assert len(relevant_learnings(text, "circular import error in a module", k=4, now=NOW)) == 4


def test_equal_ones_keep_the_order_of_the_registry() -> None:
    text = registry([LESSONS[0]] * 3)
    assert ids(relevant_learnings(text, "circular import error", now=NOW)) == ["L001", "L002", "L003"]


def test_severity_breaks_a_tie_and_does_no_more() -> None:
    text = registry([LESSONS[0]] * 2).replace("important", "info", 1)
    assert ids(relevant_learnings(text, "circular import error", now=NOW)) == ["L002", "L001"]
    better = relevant_learnings(text, "circular import error", now=NOW)
    assert max(match.prior for match in better) <= 1.03


def test_what_is_held_back_says_why() -> None:
    found = weigh(registry(), "Fix the import error in the memory module", now=NOW)
    held = {match.learning.id: match.held for match in found}
    assert held["L001"] == held["L002"] == ""
    task = "redis 토큰"
    (only,) = weigh(registry(), task, now=NOW, gate=9.0)
    assert only.held.endswith("less than the 9.00 of the gate")
    assert relevant_learnings(registry(), task, now=NOW, gate=9.0) == ()
    assert relevant_learnings(registry(), task, now=NOW, gate=1.0) == (only._replace(held=""),)


def test_one_word_in_common_is_not_enough() -> None:
    (match,) = weigh(registry(), "redis", now=NOW, gate=0.5)
    assert match.held == "shares fewer than 2 words with the task"
    assert relevant_learnings(registry(), "redis", now=NOW, gate=0.5) == ()


def test_what_is_far_behind_the_best_is_held_back() -> None:
    task = "circular import in app.memory makes one module empty: move what both need into memory/types.py"
    best, *others = weigh(registry(), task, now=NOW, gate=1.0)
    assert best.learning.id == "L001"
    assert others
    assert all(match.held.endswith("less than 40% of the best") for match in others if match.score >= 1.0)


def test_plain_work_needs_more_to_go_by() -> None:
    plain = weigh(registry(), "explain the circular import to a colleague", now=NOW)[0]
    broken = weigh(registry(), "resolve the circular import in the scheduler", now=NOW)[0]
    assert plain.plain < broken.plain == 1.0
    assert (plain.work, broken.work) == (("prose", "a question"), ())


def test_a_lesson_on_documents_fits_work_on_documents() -> None:
    text = registry([{"title": "Changelog entries name the ticket", "learning": "Reviewers look for it."}])
    (match,) = weigh(text, "changelog", now=NOW)
    assert match.plain == 1.0


def test_an_error_that_says_itself_what_is_wrong_needs_more_to_go_by() -> None:
    (match, *_) = weigh(registry(), "SyntaxError: invalid syntax\n  import memory", now=NOW)
    assert match.plain < 1.0


def test_terms_explain_the_score() -> None:
    (match, *_) = weigh(registry(), "Fix the import error in the memory module", now=NOW)
    assert match.score == pytest.approx(match.prior * match.plain * sum(term.score for term in match.terms))
    assert [term.score for term in match.terms] == sorted((term.score for term in match.terms), reverse=True)
    assert {term.word for term in match.terms} == {"import", "error", "memor", "modul"}


def test_another_word_of_the_same_meaning_is_met_and_counts_less() -> None:
    ours = weigh(registry(), "분산 잠금", now=NOW)[0]
    assert [(term.word, term.form) for term in ours.terms if term.word == "잠금"] == [("잠금", "락")]
    same = weigh(registry(), "분산 락", now=NOW)[0]
    assert same.score > ours.score


def test_a_phrase_of_the_same_meaning_is_met_as_it_is_written() -> None:
    text = registry([{"title": "Cron jobs run in the time zone of the server", "learning": "Not in ours."}])
    (match,) = weigh(text, "tz", now=NOW)
    assert [(term.word, term.form) for term in match.terms] == [("tz", "time zone")]


def test_the_overlapping_pairs_of_one_word_are_met_once() -> None:
    text = registry([{"title": "젠킨스 에이전트", "learning": "오래된 폴더를 지운다."}])
    (match,) = weigh(text, "젠킨스 에이전트", now=NOW)
    assert [term.word for term in match.terms] == ["젠킨", "에이", "전트"]


def test_the_line_that_names_the_error_says_more_than_the_frames() -> None:
    task = (
        'Traceback (most recent call last):\n  File "/srv/kiosk/billing.py", line 17, in refund\n'
        "  some context here\nValueError: currency unknown\n"
    )
    said = {term.word: term.line for term in task_terms(task)}
    assert said["currenc"] == 1.0
    assert said["kiosk"] < 0.5
    assert "17" not in said


@pytest.mark.parametrize(
    ("number", "counts"), [("7", False), ("42", False), ("137", True), ("404123", False)]
)
def test_a_status_counts_and_a_line_number_does_not(number: str, counts: bool) -> None:
    assert (number in {term.word for term in task_terms(f"it ends with {number}")}) is counts


def test_a_long_traceback_is_cut_to_the_words_that_count_most() -> None:
    frames = "".join(f'  File "/srv/app/module{n}/part{n}.py", line {n}, in call{n}\n' for n in range(3000))
    said = {term.word for term in task_terms(f"Traceback:\n{frames}ImportError: circular import of memory")}
    assert len(said) <= 40
    assert {"circular", "memor"} <= said


def test_a_task_may_name_a_learning_by_its_id() -> None:
    assert weigh(registry(), "apply L004 here", now=NOW)[0].learning.id == "L004"


def test_metadata_is_not_searched() -> None:
    assert weigh(registry(), "severity important date gotcha 2026 keywords", now=NOW) == ()


def test_of_a_field_that_stands_twice_the_first_is_searched() -> None:
    text = registry(LESSONS[:1]) + "- **Learning**: zebra giraffe\n"
    assert weigh(text, "zebra giraffe", now=NOW) == ()


# What may make the search over the whole text and the reading of single entries disagree.
_WORDS = st.sampled_from(
    """
    cache caches Cache useCache cache_key port import Import report reporter pgbouncer PgBouncer date gotcha
    important learning keywords 락 락이 누락 블락 캐시 캐시를 缓存失效 死锁 time zone time-zone 137 v137 1370
    İstanbul İzmir миграция Миграции ΔΕΛΤΑ δέλτα ﬁx 𝒳 łódź caché facturas
    utf8 naïve **cache** `port` (import) ### L002 --
    """.split()  # noqa: SIM905 - a list of so many quotes is hard to read
)
_TEXTS = st.lists(_WORDS, min_size=1, max_size=6).map(" ".join)
_LESSON = st.fixed_dictionaries(
    {"title": _TEXTS, "learning": _TEXTS}, optional={"keywords": _TEXTS, "trigger": _TEXTS, "context": _TEXTS}
)


def plain_values(learnings: tuple[Learning, ...]) -> tuple[Learning, ...]:
    return tuple(learning._replace(fields=dict(learning.fields)) for learning in learnings)


@given(st.lists(_LESSON, min_size=1, max_size=5), _TEXTS)
def test_the_search_over_the_text_finds_what_reading_each_entry_finds(
    lessons: list[dict[str, str]], task: str
) -> None:
    learnings = parse_learnings(registry(lessons))
    terms = task_terms(task)
    for given_as in (learnings, plain_values(learnings)):
        entries = relevance._Entries(given_as)
        for form in {form for term in terms for form in term.forms}:
            held = [at for at, each in enumerate(given_as) if form in relevance._met(each, terms)]
            assert sorted(entries.holding(form) or ()) == held, form


@given(st.lists(_LESSON, min_size=1, max_size=8), _TEXTS, st.integers(1, 4))
def test_looking_at_the_promising_entries_only_changes_nothing(
    lessons: list[dict[str, str]], task: str, k: int
) -> None:
    learnings = parse_learnings(registry(lessons))
    everything = [m for m in weigh(registry(lessons), task, n=99, now=NOW, gate=0.8) if not m.held]
    assert list(relevant_learnings(learnings, task, k=k, now=NOW, gate=0.8)) == everything[:k]
    values = relevant_learnings(plain_values(learnings), task, k=k, now=NOW, gate=0.8)
    assert [(m.learning.number, m.score) for m in values] == [
        (m.learning.number, m.score) for m in everything[:k]
    ]


@given(st.text(max_size=200), st.text(max_size=100))
def test_any_text_and_any_task_do(text: str, task: str) -> None:
    for match in weigh(text, task, now=NOW):
        assert match.score > 0
        assert 0 < match.share <= 1
