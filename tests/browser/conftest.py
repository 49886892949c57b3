"""Fixtures: a browser, saved models, servers for them, and monitored pages."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Error, Page, expect, sync_playwright

from .finding import FLAGS, NO_BROWSER, NO_DRIVER, driver_runs, find_browser
from .models import RECIPES, fit_once
from .watching import Watch

SCREENSHOTS = Path(__file__).parent / "screenshots"
ALL_SHOTS = bool(os.environ.get("SHOTS"))  # SHOTS=1 saves screenshots of passed tests too
DESK = {"width": 1280, "height": 800}
# Maximum number of pixels in a screenshot; of a larger page, only the visible part is saved.
LARGEST = 8_000_000


PATIENCE = 90_000  # timeout in milliseconds; long, because a busy machine may be slow
expect.set_options(timeout=PATIENCE)


class Explorer(NamedTuple):
    """The URL of a running server, and the folder of the model that it serves."""

    url: str
    folder: Path


# The scope is not "session", because while Playwright is running, other tests in the same process
# cannot start an event loop.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The browser, which all tests of this process share."""
    path = find_browser()
    if path is None:
        pytest.skip(NO_BROWSER)
    if not driver_runs():
        pytest.skip(NO_DRIVER)
    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that maps a name in RECIPES to a saved model, which all workers share."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def give(name: str) -> Path:
        slug = re.sub(r"\W+", "-", name)
        return fit_once(RECIPES[name], shared / "models" / slug / f"{slug}.model")

    return give


@pytest.fixture(scope="package")
def serve(browser: Browser) -> Iterator[Callable[..., Explorer]]:
    """A function that starts the real server for a saved model."""
    from laconic.web.page_data import PageData
    from laconic.web.server.serving import Server

    running = []

    def start(folder: Path, **options: Any) -> Explorer:
        server = Server(PageData.open(folder, **options), port=0)
        running.append(server)
        return Explorer(server.start(), folder)

    yield start
    for server in running:
        server.stop()


@pytest.fixture(scope="package")
def explorer(
    serve: Callable[..., Explorer], saved: Callable[[str], Path]
) -> Callable[[str], Explorer]:
    """A function that maps a name in RECIPES to a server; each server is started once."""
    started: dict[str, Explorer] = {}

    def give(name: str = "slsa") -> Explorer:
        if name not in started:
            started[name] = serve(saved(name))
        return started[name]

    return give


@pytest.fixture(scope="package")
def compared(serve: Callable[..., Explorer], saved: Callable[[str], Path]) -> Explorer:
    """A server that compares two models."""
    return serve(saved("slsa"), other=saved("plsa"))


@pytest.fixture
def writable(
    serve: Callable[..., Explorer], saved: Callable[[str], Path], tmp_path: Path
) -> Explorer:
    """A server that can write notes, for a copy of a model that only this test uses."""
    folder = tmp_path / "slsa.model"
    shutil.copytree(saved("slsa"), folder)
    return serve(folder, write=True)


class Visits:
    """Opens each URL in a new browser window and monitors the page."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.watches: dict[Page, Watch] = {}

    def __call__(self, explorer: Explorer, address: str = "/", **options: Any) -> Page:
        page = self.open(explorer, **options)
        page.goto(address)
        return settled(page)

    def open(self, explorer: Explorer, **options: Any) -> Page:
        """Open a window without loading a page."""
        settings = {"viewport": DESK, "base_url": explorer.url, "reduced_motion": "reduce"}
        page = self.browser.new_context(**{**settings, **options}).new_page()
        page.set_default_timeout(PATIENCE)
        self.watches[page] = Watch(page, explorer.url)
        return page

    def close(self, failed: str | None) -> None:
        """Close all windows; if the test `failed`, save a screenshot of each window first."""
        for number, page in enumerate(self.watches):
            if failed:
                with suppress(Error):
                    keep_shot(page, f"failed-{failed}-{number}")
            page.context.close()


@pytest.fixture
def visit(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Visits]:
    """A function that opens a URL; the test fails if anything goes wrong on the page."""
    visits = Visits(browser)
    yield visits
    failed = getattr(request.node, "failed", False)
    visits.close(request.node.name if failed else None)
    if not failed:
        for watch in visits.watches.values():
            watch.check()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Tell fixtures whether the test failed; show all skipped tests in one line of the summary."""
    report = yield
    if call.when == "call":
        item.failed = report.failed  # type: ignore[attr-defined]
    for reason in (NO_BROWSER, NO_DRIVER):
        if report.skipped and reason in str(report.longrepr):
            report.longrepr = (__file__, 0, f"Skipped: {reason}")
    return report


def follow(page: Page, address: str) -> Page:
    """Follow a link to `address`, which is much faster than opening the URL in a new window."""
    page.evaluate(
        """(address) => {
            const link = document.createElement("a");
            link.href = address;
            document.body.append(link);
            link.click();
            link.remove();
        }""",
        address,
    )
    return page


def settled(page: Page, view: str = "") -> Page:
    """Wait until a view and all its parts are loaded."""
    wanted = f"[data-view={view}]" if view else "[data-view]"
    expect(page.locator(f"main > {wanted}")).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    return page


def drawn(page: Page) -> Page:
    """Scroll to each chart of a view, because charts are drawn when visible, and wait for it."""
    charts = "figure[data-chart]:visible, .topic-map:visible, .document-map:visible"
    for figure in page.locator(charts).all():
        figure.scroll_into_view_if_needed()
        expect(figure).to_have_attribute("data-drawn", "true")
    page.evaluate("scrollTo(0, 0)")
    return page


def darkened(page: Page) -> Page:
    """Switch to the dark theme, and wait until every chart is redrawn."""
    page.evaluate("document.querySelectorAll('figure svg').forEach((each) => each.dataset.day = 1)")
    page.emulate_media(color_scheme="dark")
    expect(page.locator("figure svg[data-day]")).to_have_count(0)
    return drawn(settled(page))


def shot(page: Page, name: str, whole: bool = True) -> None:
    """Save a screenshot of a page in a test that passes, if SHOTS is set."""
    if ALL_SHOTS:
        keep_shot(page, name, whole)


def keep_shot(page: Page, name: str, whole: bool = True) -> None:
    """Save a screenshot of the whole page, or only of the part that the window shows."""
    SCREENSHOTS.mkdir(exist_ok=True)
    slug = re.sub(r"[^\w.-]+", "-", name).strip("-")
    size = page.evaluate("document.documentElement.scrollHeight * innerWidth")
    page.screenshot(path=SCREENSHOTS / f"{slug}.png", full_page=whole and size <= LARGEST)
