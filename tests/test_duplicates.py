from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.duplicates import WAYS, measure, read_pairs
from qlearn.duplicates import ALIKE, Lesson, compare, lesson_of, meet_again, same_keywords, similar
from qlearn.learning import Learning, parse_learnings

NOW = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)


def lesson(text: str, title: str = "") -> Lesson:
    return Lesson(title, text)


def entry(number: int, text: str, **fields: str) -> Learning:
    return Learning(number, "Known", False, {"learning": text, **fields}, 0, 0, 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Pin the lockfile before a release.", "before a release, pin the LOCKFILE!"),
        ("Always flush stdout before calling os.exec.", "Don't forget to flush stdout before os.exec."),
        ("Quote paths with spaces in the Makefile.", "quote pathes with spaces in the makefile"),
        ("The cache of the CDN has to be cleared.", "The CDN caché has to be cleared."),
        ("Health checks start after 30 seconds.", "Health checks start after thirty seconds."),
        ("消费者要做幂等处理,按编号去重。", "消费者要做幂等处理,根据编号去重"),
        ("커밋 전에 린트를 실행한다.", "커밋 전에는 린트를 실행해야 한다."),
        ("Pin the configuration of the linter.", "pin the linter config"),
        (
            "Close the valve first. An open valve floods the hall when the pump is tested.",
            "The hall is flooded when a pump is tested with its valve open.",
        ),
        ("Los pagos se confirman desde el servidor.", "Confirmar los pagos desde el servidor."),
    ],
)
def test_the_same_advice_in_other_words_is_the_same(one: str, other: str) -> None:
    assert compare(lesson(one), lesson(other)).same
    assert compare(lesson(other), lesson(one)).same


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ("The database listens on port 5432.", "The database listens on port 5433.", "numbers: 5432 / 5433"),
        ("Install the packages with npm.", "Install the packages with pnpm.", "npm / pnpm"),
        ("Run migrations before deploying pods.", "Run migrations after deploying pods.", "befor / after"),
        ("Mutable keys go into the map.", "Immutable keys go into the map.", "mutabl / immutabl"),
        ("Keep the inbound rule open.", "Keep the outbound rule open.", "inbound / outbound"),
        ("Retry at least five times.", "Retry at most five times.", "least / most"),
        ("알림은 밤에 보내면 안 된다.", "알림은 밤에 보내면 된다.", "a negation"),
        ("Mails go to Mailhog on staging.", "Mails go to Mailhog on production.", "stag / product"),
        ("账单按时间升序排列。", "账单按时间降序排列。", "升序 / 降序"),
        ("배포 전에 스냅샷을 만든다.", "배포 후에 스냅샷을 만든다.", "전에 / 후에"),
        ("Throttle the search requests.", "Debounce the search requests.", "throttl / debounc"),
        ("Rebase the feature branch daily.", "Squash the feature branch daily.", "rebas / squash"),
        (
            "Upgrade the server before the client.",
            "Upgrade the client before the server.",
            "the order: before",
        ),
        ("Upgrade the server after the client.", "Upgrade the server before the client.", "after / befor"),
    ],
)
def test_one_decisive_difference_makes_it_another(one: str, other: str, differs: str) -> None:
    comparison = compare(lesson(one), lesson(other))
    assert comparison.similarity >= ALIKE
    assert comparison.differs == differs
    assert not comparison.same


@pytest.mark.parametrize("title", ["", "Node 20 breaks the login test", "Node 20 breaks the…", "node 20"])
def test_a_title_made_of_the_first_words_hides_no_word_that_was_put_in_place_of_another(title: str) -> None:
    one = Lesson(title, "Node 20 breaks the login test.")
    other = Lesson("", "Node 20 breaks the mail test on port 8080.")
    assert compare(one, other).differs == "login / mail"
    assert compare(other, one).differs == "mail / login"
    assert compare(one, Lesson("", one.learning)).same


def test_a_negation_in_title_and_lesson_makes_it_another_in_whatever_order_of_words() -> None:
    one = Lesson(
        "Commit the lockfile", "Commit the lockfile, so that each install resolves the same packages"
    )
    other = Lesson(
        "The lockfile stays out: never commit it",
        "Each install resolves the packages anew, so the lockfile is not committed",
    )
    assert compare(one, other).differs == "a negation"


def test_a_negation_in_title_and_lesson_makes_it_another() -> None:
    one = Lesson("Squash feature branches", "Feature branches are squashed when they are merged.")
    other = Lesson("Never squash feature branches", "Feature branches are not squashed when they are merged.")
    assert compare(one, other).differs == "a negation"


def test_more_on_one_side_is_no_difference() -> None:
    short = "Strip debug symbols from the release binary, it halves the download."
    assert compare(lesson(short), lesson(f"{short} From 38 to 17 MB, see Cargo.toml on linux.")).same


def test_a_detail_that_comes_early_in_one_order_only_is_no_turn() -> None:
    one = "Before closing a task the page is tried in Safari."
    assert compare(lesson(one), lesson("The page is tried in Safari before closing a task.")).same


@pytest.mark.parametrize("text", ["", "x", "the of and", "One lesson.", "?!"])
def test_too_few_words_make_nothing_the_same(text: str) -> None:
    assert not compare(lesson(text), lesson("Another lesson.")).same
    assert not compare(lesson(text), lesson("")).same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("a", "b", "c"), ("A", "B", "x"), True),
        (("a", "b", "c"), ("a", "x", "y"), False),
        (("a", "b", "c", "d", "e"), ("a", "b", "c", "x", "y"), False),
        (("a",), ("a", "b"), False),
        ((), ("a", "b"), False),
    ],
)
def test_keywords_are_the_same_above_the_published_share(
    one: tuple[str, ...], other: tuple[str, ...], same: bool
) -> None:
    assert same_keywords(one, other) is same


def test_the_same_ones_come_first_and_near_misses_say_what_differs() -> None:
    entries = (
        entry(1, "The database of the shop listens on port 5433."),
        entry(2, "Something else entirely, about fonts and licences."),
        entry(3, "On port 5432 the shop's database listens."),
    )
    found = similar(lesson("The shop's database listens on port 5432."), entries)
    assert [(each.learning.id, each.same) for each in found] == [("L003", True), ("L001", False)]
    assert str(found[1]) == "similar to L001, but numbers: 5432 / 5433: Known"
    assert str(found[0]) == "similar to L003: Known"
    assert len(similar(lesson("The shop's database listens on port 5432."), entries, n=1)) == 1


def test_the_same_keywords_make_it_the_same_unless_something_decisive_differs() -> None:
    words = "redis, session, expiry"
    known = entry(1, "Old sessions vanish after 60 minutes.", keywords=words)
    given = Lesson("", "Users are asked to sign in again now and then.", tuple(words.split(", ")))
    assert [each.same for each in similar(given, [known])] == [True]
    (near,) = similar(given._replace(learning="Users sign in again after 30 minutes."), [known])
    assert (near.same, near.differs) == (False, "numbers: 30 / 60")


def test_an_entry_is_the_same_as_itself() -> None:
    (known,) = parse_learnings("### L001: Pin it\n- **Learning**: Pin the lockfile before each release.\n")
    assert similar(lesson_of(known), [known])[0].same


def test_meeting_a_lesson_again_reinforces_it_and_makes_it_surer() -> None:
    text = (
        "### L001: [RESOLVED] Pin\n- **Date**: 2026-11-01\n- **Learning**: Pin it.\n- **Confidence**: 0.8\n"
    )
    (again,) = parse_learnings(meet_again(text, "L001", now=NOW))
    assert (again.resolved, str(again.reinforced), again.confidence) == (False, "2026-12-01", 0.85)
    sure = meet_again(text.replace("0.8", "0.98"), "L001", now=NOW)
    assert parse_learnings(sure)[0].confidence == 1.0
    plain = meet_again(text.replace("- **Confidence**: 0.8\n", ""), "L001", now=NOW)
    assert "Confidence" not in plain


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_compare_alike_from_both_sides(one: str, other: str) -> None:
    there, back = compare(lesson(one), lesson(other)), compare(lesson(other), lesson(one))
    assert 0 <= there.similarity <= 1
    assert there.similarity == pytest.approx(back.similarity, abs=0.35)


# Floors a little under what the benchmark prints for the test part.

PAIRS = [pair for pair in read_pairs() if pair.part == "test"]


def test_most_that_is_told_to_be_the_same_is_and_most_of_the_same_is_told() -> None:
    figures = measure(WAYS["qlearn"], PAIRS)
    assert figures.precision >= 0.89
    assert figures.recall >= 0.83


def test_no_other_way_comes_near() -> None:
    others = [measure(way, PAIRS) for name, way in WAYS.items() if name != "qlearn"]
    assert all(figures.precision < 0.5 or figures.recall < 0.05 for figures in others)


@pytest.mark.parametrize("kind", ["number", "tool", "negation", "environment"])
def test_what_decides_is_seen(kind: str) -> None:
    pairs = [pair for pair in PAIRS if pair.kind == kind]
    assert pairs
    assert not any(compare(pair.first, pair.second).same for pair in pairs)


def test_the_same_lesson_is_found_in_a_large_registry() -> None:
    crowd = "".join(
        f"### L{n:03d}: Rule {n}\n- **Learning**: Rotate the logs of service {n}.\n\n" for n in range(2, 900)
    )
    text = f"### L001: Pin the lockfile\n- **Learning**: Always pin the lockfile before a release.\n\n{crowd}"
    entries = parse_learnings(text)
    found = similar(Lesson("", "Pin the lockfile always, before each release."), entries)
    assert [(each.learning.id, each.same) for each in found] == [("L001", True)]
    plain = [entry._replace(fields=dict(entry.fields)) for entry in entries]
    assert [
        each.learning.id
        for each in similar(Lesson("", "Pin the lockfile always, before each release."), plain)
    ] == ["L001"]
    assert similar(Lesson("", "Quokkas are marsupials of Rottnest."), entries) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always commit the lockfile", "Never commit the lockfile"),
        ("Always commit the lockfile", "Never commit the lockfile: the monorepo has its own"),
        ("Do run migrations first", "Do not run migrations first"),
        ("The worker must wait for the lock", "The worker must not wait for the lock"),
        ("Do mock the clock in tests", "Don't mock the clock in tests"),
        ("Prefer pnpm over npm for installs", "Prefer npm over pnpm for installs"),
        ("Use rebase, not merge for updates", "Use merge, not rebase for updates"),
        ("The cache is safe to share", "The cache is unsafe to share"),
        ("The timer returns seconds here", "The timer returns milliseconds here"),
    ],
)
def test_opposites_without_a_title_are_told_apart(one: str, other: str) -> None:
    assert compare(Lesson("", one), Lesson("", other)).differs
    assert compare(Lesson("", one), Lesson("The rule", other)).differs
