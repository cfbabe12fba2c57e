"""A server and a browser for the tests of the page; without Debian's chromium they are skipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from tests.page.serving import TOKEN, Server
from tests.project.modules import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
KEPT = os.environ.get("PAGE_SCREENSHOTS", "")
"""Where set, screenshots go into docs/images."""
PATIENCE = 60_000
"""Milliseconds: a driver on a busy machine takes its time."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if not CHROMIUM:
        pytest.skip("there is no chromium: the page is not tested")
    data = tmp_path_factory.mktemp("page") / "data"
    data.mkdir()
    found = Server(data)
    found.start()
    yield found
    found.end()


@pytest.fixture(scope="module")
def browser(server: Server) -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


class Look:
    """A page of the browser that remembers what went wrong in it, and whom it asked."""

    def __init__(self, browser: Browser, server: Server, **options: Any) -> None:
        viewport = {"width": 1360, "height": 860}
        self.context = browser.new_context(**{"viewport": viewport, "color_scheme": "light", **options})
        self.page: Page = self.context.new_page()
        self.server = server
        self.wrong: list[str] = []
        self.asked: list[str] = []
        self.page.set_default_timeout(PATIENCE)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda said: self._hear(said))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def _hear(self, said: Any) -> None:
        if said.type in ("error", "warning"):
            self.wrong.append(said.text)

    def enter(self) -> Page:
        """Opens the page as somebody who has the token."""
        self.page.goto(f"{self.server.address}/#token={TOKEN}")
        self.page.wait_for_selector("nav a")
        return self.page

    def go(self, place: str) -> None:
        self.page.goto(f"{self.server.address}/#/{place}")

    def keep(self, name: str) -> None:
        """Takes a screenshot for the documentation, where that is wanted."""
        if KEPT:
            self.page.wait_for_timeout(400)
            self.page.screenshot(path=ROOT / "docs" / "images" / f"page-{name}.png")

    def __enter__(self) -> Look:
        return self

    def __exit__(self, *failure: object) -> None:
        """Closes it; what went wrong in the page is wrong, too."""
        self.context.close()
        if failure[0] is None:
            strangers = [url for url in self.asked if not url.startswith(self.server.address)]
            assert strangers == [], "the page asks nobody but its server"
            assert self.wrong == []


@pytest.fixture
def look(browser: Browser, server: Server) -> Iterator[Look]:
    with Look(browser, server) as found:
        yield found
