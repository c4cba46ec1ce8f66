"""Pages of learnings in a real browser; skipped where Chromium or what drives it is not installed."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Literal

import pytest

from qlearn.interchange import Frame
from qlearn.interchange.html import write
from qlearn.learning import parse_learnings
from tests.cli.conftest import NOW, entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Dialog, Page, Request

NAMES = ("chromium", "chromium-browser", "google-chrome")
PROGRAM = os.environ.get("QLEARN_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Seen:
    """A page that is open, and what it did beside being looked at."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.trouble: list[str] = []
        page.on("console", lambda message: self.trouble.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        page.on("dialog", self._asked)
        page.on("request", self._requested)

    def _asked(self, dialog: Dialog) -> None:
        self.trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _requested(self, request: Request) -> None:
        if not request.url.startswith(("file:", "data:")):
            self.trouble.append(f"request: {request.url}")

    def shown(self) -> list[str]:
        """The ids of the entries that can be seen, from top to bottom."""
        return [
            each.get_attribute("id") or "" for each in self.page.query_selector_all("article:not([hidden])")
        ]

    def opened(self) -> list[str]:
        return [each.get_attribute("id") or "" for each in self.page.query_selector_all("article.open")]

    def until(self, expression: str) -> None:
        """Wait until a condition holds; the page's policy lets no script of others wait in it."""
        for _ in range(100):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(50)
        raise TimeoutError(expression)

    def count(self) -> str:
        return str(self.page.inner_text(".count"))

    def choose(self, facet: str, value: str) -> None:
        """Press the choice of a filter."""
        self.page.click(f"input[name={facet}][value='{value}']")


Scheme = Literal["light", "dark"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser. It ends with the module, since it keeps an event loop in this thread."""
    playwright = pytest.importorskip("playwright.sync_api")
    if PROGRAM is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=PROGRAM, headless=True, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def look(chromium: Browser, tmp_path: Path) -> Iterator[Callable[..., Seen]]:
    """Open the page of a registry from disk. What went wrong in it fails the test at its end."""
    seen: list[Seen] = []

    def look(
        registry: str = REGISTRY,
        address: str = "",
        *,
        width: int = 1280,
        height: int = 900,
        scheme: Scheme = "light",
        scripts: bool = True,
        change: Callable[[str], str] = lambda markup: markup,
    ) -> Seen:
        files = write(parse_learnings(registry), Frame("demo", NOW, 5))
        file = tmp_path / f"{len(seen)}.html"
        file.write_text(change(files["learnings.html"]), encoding="utf-8")
        page = chromium.new_page(
            viewport={"width": width, "height": height}, color_scheme=scheme, java_script_enabled=scripts
        )
        seen.append(Seen(page))
        page.goto(file.as_uri() + address)
        return seen[-1]

    yield look
    for each in seen:
        each.page.close()
    assert [trouble for each in seen for trouble in each.trouble] == []


REGISTRY = "".join(
    (
        entry(1, "Pin the lockfile", type="mistake", severity="critical", more="- **Category**: tools\n"),
        entry(2, "Café closes early", date="2026-10-20", more="- **Context**: src/café.py\n"),
        entry(3, "Quote every path", type="convention", severity="info", date="2026-01-05"),
        entry(4, "[RESOLVED] Deploy on Monday", type="decision", date="2026-11-20"),
        entry(
            5,
            "Run the generator after a change",
            date="2026-11-10",
            more="- **Category**: workflows\n- **Example**:\n  ```sh\n  make gen\n  ```\n",
        ),
    )
)
