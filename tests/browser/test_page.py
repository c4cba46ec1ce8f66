"""The page of learnings as people meet it."""

from __future__ import annotations

import re
import socket
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.conftest import Scheme, Seen

    Look = Callable[..., Seen]

ALL = ["L001", "L005", "L002", "L003", "L004"]


# Finding ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("lockfile", ["L001"]),
        ("LOCKFILE pin", ["L001"]),
        ("cafe", ["L002"]),
        ("make gen", ["L005"]),
        ("L003", ["L003"]),
        ("src/", ["L002"]),
        ("pin cafe", []),
        ("  ", ALL),
    ],
)
def test_search_finds_as_one_types(look: Look, words: str, found: list[str]) -> None:
    seen = look()
    seen.page.keyboard.press("/")
    seen.page.keyboard.type(words)
    assert seen.shown() == found
    assert seen.count() == (f"{len(found)} of 5" if words.strip() else "5 in all")
    assert seen.page.is_visible("text=Nothing fits") == (not found)


def test_found_words_are_marked_without_changing_the_page(look: Look) -> None:
    seen = look()
    seen.page.fill(".query", "path")
    seen.until("CSS.highlights.get('found')?.size === 2")
    assert seen.page.query_selector_all("mark") == []
    seen.page.fill(".query", "")
    seen.until("!CSS.highlights.has('found')")


@pytest.mark.parametrize(
    ("choices", "found"),
    [
        ([("type", "gotcha")], ["L005", "L002"]),
        ([("type", "gotcha"), ("type", "mistake")], ["L001", "L005", "L002"]),
        ([("severity", "info")], ["L003"]),
        ([("category", "workflows")], ["L005"]),
        ([("category", "none")], ["L002", "L003", "L004"]),
        ([("age", "under a month")], ["L005", "L004"]),
        ([("state", "faded")], ["L003"]),
        ([("state", "resolved")], ["L004"]),
        ([("type", "gotcha"), ("category", "none")], ["L002"]),
    ],
)
def test_filters_of_one_kind_add_up_and_of_different_kinds_narrow(
    look: Look, choices: list[tuple[str, str]], found: list[str]
) -> None:
    seen = look()
    for facet, value in choices:
        seen.choose(facet, value)
    assert seen.shown() == found
    seen.page.click(".bar .clear")
    assert seen.shown() == ALL


def test_a_filter_tells_what_each_choice_would_show(look: Look) -> None:
    seen = look()
    seen.choose("type", "gotcha")
    counts = seen.page.eval_on_selector_all(
        "fieldset label",
        "all => Object.fromEntries(all.map(one => [one.innerText.split('\\n')[0].trim(), one.innerText]))",
    )
    numbers = {name: int(re.findall(r"\d+$", text)[0]) for name, text in counts.items()}
    assert (numbers["mistake"], numbers["gotcha"], numbers["critical"], numbers["important"]) == (1, 2, 0, 2)


def test_the_timeline_is_a_filter(look: Look) -> None:
    seen = look()
    seen.page.click(".bars button:nth-last-child(1)")
    assert (seen.shown(), seen.count()) == (["L001", "L005", "L004"], "3 of 5, November 2026")
    seen.page.click(".bars button:nth-last-child(1)")
    assert seen.shown() == ALL


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ("day", ["L001", "L004", "L005", "L002", "L003"]),
        ("number", ["L001", "L002", "L003", "L004", "L005"]),
        ("score", ALL),
    ],
)
def test_entries_are_sorted(look: Look, order: str, found: list[str]) -> None:
    seen = look()
    seen.page.select_option(".order", order)
    assert seen.shown() == found


# Addresses -------------------------------------------------------------------------------------------


def test_a_link_to_an_entry_opens_it(look: Look) -> None:
    seen = look(address="#L003")
    assert seen.opened() == ["L003"]
    assert seen.page.is_visible("#L003 .history")
    assert not seen.page.is_visible("#L001 .history")


def test_a_link_shows_what_a_filter_hides(look: Look) -> None:
    seen = look()
    seen.page.fill(".query", "lockfile")
    seen.page.evaluate("location.hash = '#L003'")
    seen.page.wait_for_selector("#L003.open")
    assert seen.shown() == ALL


def test_a_view_has_an_address_of_its_own(look: Look) -> None:
    seen = look()
    seen.page.fill(".query", "café")
    seen.choose("type", "gotcha")
    address = seen.page.evaluate("location.hash")
    again = look(address=address)
    assert (again.shown(), again.page.input_value(".query")) == (["L002"], "café")
    again.page.click(".bar .clear")
    assert again.page.evaluate("location.hash") == ""


@pytest.mark.parametrize("address", ["#L999", "#", "#%", "#q", "#period=77&type=x", "#__proto__"])
def test_an_address_that_leads_nowhere_shows_all(look: Look, address: str) -> None:
    assert look(address=address).shown() == ALL


# Hands -----------------------------------------------------------------------------------------------


def test_the_keyboard_does_everything(look: Look) -> None:
    seen = look()
    press = seen.page.keyboard.press
    focused = "document.activeElement.closest('article')?.id ?? document.activeElement.className"
    for key, place in (("j", "L001"), ("j", "L005"), ("k", "L001"), ("k", "L001"), ("j", "L005")):
        press(key)
        assert seen.page.evaluate(focused) == place
    press("Enter")
    assert (seen.opened(), seen.page.evaluate("location.hash")) == (["L005"], "#L005")
    press("Escape")
    assert seen.opened() == []
    press("/")
    assert seen.page.evaluate(focused) == "query"
    seen.page.keyboard.type("quote j/k")
    assert (seen.page.input_value(".query"), seen.shown()) == ("quote j/k", [])
    press("Escape")
    assert (seen.page.input_value(".query"), seen.shown()) == ("", ALL)
    seen.page.keyboard.type("quote")
    press("Enter")
    assert seen.page.evaluate(focused) == "L003"
    press("Escape")
    assert seen.shown() == ALL


def test_shortcuts_of_the_browser_are_left_alone(look: Look) -> None:
    seen = look()
    seen.page.keyboard.press("Control+j")
    assert seen.page.evaluate("document.activeElement === document.body")


def test_a_click_opens_and_one_on_the_title_closes(look: Look) -> None:
    seen = look()
    seen.page.click("#L002 .marks")
    assert seen.opened() == ["L002"]
    assert seen.page.get_attribute("#L002 h2 a", "aria-expanded") == "true"
    seen.page.click("#L002 .marks")
    assert seen.opened() == ["L002"]
    seen.page.click("#L002 h2 a")
    assert seen.opened() == []


def test_a_link_in_a_lesson_that_is_cut_off_is_shown_when_it_is_reached(look: Look) -> None:
    long = "\n  \n  ".join(["A paragraph."] * 9 + ["[docs](https://example.org)"])
    seen = look(f"### L001: One\n- **Learning**: {long}\n")
    assert seen.page.eval_on_selector(".lesson", "one => one.scrollHeight > one.clientHeight")
    seen.page.keyboard.press("j")
    seen.page.keyboard.press("Tab")
    assert seen.opened() == ["L001"]


# Every reader ----------------------------------------------------------------------------------------


def test_without_scripts_everything_is_there_to_read(look: Look) -> None:
    seen = look(scripts=False)
    for part in ("Pin the lockfile.", "make gen", "src/café.py", "Recorded 2026-01-05"):
        assert seen.page.is_visible(f"text={part}")
    for part in (".panel", ".bar", ".keys", ".empty"):
        assert not seen.page.is_visible(part)


def test_on_paper_everything_is_there_to_read(look: Look) -> None:
    seen = look()
    seen.page.emulate_media(media="print")
    for part in ("Pin the lockfile.", "make gen", "src/café.py", "Recorded 2026-01-05"):
        assert seen.page.is_visible(f"text={part}")
    for part in (".panel", ".bar", ".keys"):
        assert not seen.page.is_visible(part)
    background = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(255, 255, 255)"


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 1920])
def test_no_width_needs_scrolling_sideways(look: Look, width: int) -> None:
    wide = "- **Example**:\n  ```\n  " + "x" * 300 + "\n  ```\n- **Context**: " + "y" * 300 + "\n"
    seen = look(entry(1, "z" * 200, more=wide), "#L001", width=width)
    assert seen.page.evaluate("document.documentElement.scrollWidth") == width


def test_on_a_phone_the_filters_are_folded_away(look: Look) -> None:
    seen = look(width=390, height=844)
    assert not seen.page.is_visible("input[value=gotcha]")
    seen.page.click(".filters summary")
    seen.choose("type", "gotcha")
    assert seen.shown() == ["L005", "L002"]


def test_colours_follow_the_system(look: Look) -> None:
    colours = [
        look(scheme=scheme).page.evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    ]
    assert colours == ["rgb(252, 251, 248)", "rgb(23, 22, 20)"]


def _open_some(seen: Seen) -> None:
    for each in ("L001", "L002", "L005"):
        seen.page.click(f"#{each} .marks")


STATES: dict[str, Callable[[Seen], None]] = {
    "at first": lambda seen: seen.page.mouse.move(0, 0),
    "opened": _open_some,
    "searched": lambda seen: seen.page.fill(".query", "path"),
    "nothing found": lambda seen: seen.page.fill(".query", "nowhere"),
    "filtered": lambda seen: seen.page.click(".bars button:nth-last-child(1)"),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
)
def test_nobody_is_shut_out(look: Look, state: str, width: int, scheme: Scheme) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    seen = look(width=width, scheme=scheme)
    if width == 390:
        seen.page.click(".filters summary")
    STATES[state](seen)
    results = axe.run(seen.page)
    assert results.response["violations"] == [], results.generate_report()


def test_nobody_is_shut_out_of_a_page_of_nothing(look: Look) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    results = axe.run(look("").page)
    assert results.response["violations"] == [], results.generate_report()


# Strangers -------------------------------------------------------------------------------------------

HOSTILE = (
    "<script>window.hit = 1</script>",
    "</script><script>window.hit = 1</script>",
    "<img src=x onerror='window.hit = 1'>",
    "<svg onload='window.hit = 1'><animate onbegin='window.hit = 1' attributeName=x></svg>",
    "[click](javascript:window.hit=1) [data](data:text/html,<script>window.hit=1</script>)",
    "![x](http://127.0.0.1:9/x.png) <http://127.0.0.1:9/y>",
    "<style>@import 'http://127.0.0.1:9/z.css'; body { display: none }</style>",
    "<iframe srcdoc='<script>parent.hit = 1</script>'></iframe> <base href='http://127.0.0.1:9/'>",
    "`</code><script>window.hit = 1</script>`",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<form action=http://127.0.0.1:9/><button autofocus onfocus='window.hit = 1'>x</button></form>",
    "</article></main><h1>taken over</h1> <!-- and hidden",
    "&lt;img src=x onerror=window.hit=1&gt; &#x3c;script&#x3e;window.hit=1&#x3c;/script&#x3e;",
    "\"><script>window.hit = 1</script> '><script>window.hit = 1</script>",
    "{{constructor.constructor('window.hit = 1')()}} ${window.hit = 1}",
)


def test_hostile_entries_are_text(look: Look) -> None:
    hostile = "".join(
        f"### L{at:03d}: {text}\n- **Learning**: {text}\n- **Context**: {text}\n- **{text}**: {text}\n"
        f"- **Example**:\n  ```{text.replace('`', '')}\n  {text}\n  ```\n\n---\n\n"
        for at, text in enumerate(HOSTILE, 1)
    )
    seen = look(hostile)
    for element in seen.page.query_selector_all("article .marks"):
        element.click()
    seen.page.fill(".query", "window.hit")
    seen.page.fill(".query", "")
    assert len(seen.shown()) == len(HOSTILE)
    assert seen.page.evaluate("window.hit") is None
    assert (
        seen.page.evaluate("document.querySelectorAll('script, style, img, iframe, form, base').length") == 2
    )
    assert "<img src=x onerror='window.hit = 1'>" in (seen.page.text_content("#L003 h2") or "")
    assert "taken over" in (seen.page.text_content("#L012 dd") or "")
    assert seen.page.title() == "demo: learnings"


def test_what_got_through_all_the_same_would_do_nothing(look: Look) -> None:
    """The page's own policy is the second wall: here the first one has been taken away."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/x"
        through = (
            f"<script>window.hit = 1</script><img src={address} onerror='window.hit = 1'>"
            f"<style>@import '{address}'; body {{ display: none }}</style>"
        )
        seen = look(change=lambda markup: markup.replace("</main>", f"{through}</main>"))
        assert seen.page.evaluate("window.hit") is None
        assert seen.page.evaluate("getComputedStyle(document.body).display") == "block"
        refused = [each for each in seen.trouble if "Content Security Policy" in each]
        assert len(refused) >= 3
        server.settimeout(0.5)
        with pytest.raises(TimeoutError):
            server.accept()
    seen.trouble.clear()


# Many ------------------------------------------------------------------------------------------------


def test_five_thousand_entries_answer_within_a_second_of_typing(look: Look) -> None:
    words = ("lockfile", "cache", "schema", "session", "webhook", "parser", "unicode")
    many = "".join(
        entry(
            at,
            f"Check the {words[at % 7]} before {words[at % 5]} {at}",
            severity=("info", "important", "critical")[at % 3],
            date=f"2026-{at % 11 + 1:02d}-{at % 28 + 1:02d}",
            more=f"- **Context**: src/{words[at % 4]}.py\n- **Keywords**: {words[at % 3]}, {words[at % 6]}\n",
        )
        for at in range(1, 5001)
    )
    seen = look(many)
    devtools = seen.page.context.new_cdp_session(seen.page)
    devtools.send("Performance.enable")

    def worked() -> float:
        """The processor time that the page has taken, in seconds: a neighbour on the machine adds none."""
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        return next(float(each["value"]) for each in metrics if each["name"] == "ThreadTime")

    seen.page.focus(".query")
    for key in "webhook 4":
        before = worked()
        seen.page.keyboard.type(key)
        seen.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        assert worked() - before < 1
    assert 0 < len(seen.shown()) < 5000
    before = worked()
    seen.page.keyboard.press("Escape")
    seen.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    assert worked() - before < 1
    assert seen.count() == "5000 in all"
