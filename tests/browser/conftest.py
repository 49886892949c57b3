"""A browser, saved models, servers on them, and pages under watch."""

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
ALL_SHOTS = bool(os.environ.get("SHOTS"))  # SHOTS=1: pictures of what went well too
DESK = {"width": 1280, "height": 800}
LARGEST = 8_000_000  # dots of a picture; of a larger page it shows what a window does


PATIENCE = 90_000  # milliseconds: a busy machine, or one that compiles first, is slow, not wrong
expect.set_options(timeout=PATIENCE)


class Explorer(NamedTuple):
    """A running server and the folder that it shows."""

    url: str
    folder: Path


# Not for the whole session: while Playwright runs, other tests of the process could start no
# event loop of their own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The one browser of this process."""
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
    """The saved folder of a model, by its name in RECIPES; all workers share it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def give(name: str) -> Path:
        slug = re.sub(r"\W+", "-", name)
        return fit_once(RECIPES[name], shared / "models" / slug / f"{slug}.model")

    return give


@pytest.fixture(scope="package")
def serve(browser: Browser) -> Iterator[Callable[..., Explorer]]:
    """Start the real server on a saved folder."""
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
    """The server on a model, by its name in RECIPES; each is started once."""
    started: dict[str, Explorer] = {}

    def give(name: str = "slsa") -> Explorer:
        if name not in started:
            started[name] = serve(saved(name))
        return started[name]

    return give


@pytest.fixture(scope="package")
def compared(serve: Callable[..., Explorer], saved: Callable[[str], Path]) -> Explorer:
    """A server on two models side by side."""
    return serve(saved("slsa"), other=saved("plsa"))


@pytest.fixture
def writable(
    serve: Callable[..., Explorer], saved: Callable[[str], Path], tmp_path: Path
) -> Explorer:
    """A server that may write notes, on a model of this test alone."""
    folder = tmp_path / "slsa.model"
    shutil.copytree(saved("slsa"), folder)
    return serve(folder, write=True)


class Visits:
    """Opens addresses, each in a window of its own that is watched."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.watches: dict[Page, Watch] = {}

    def __call__(self, explorer: Explorer, address: str = "/", **options: Any) -> Page:
        page = self.open(explorer, **options)
        page.goto(address)
        return settled(page)

    def open(self, explorer: Explorer, **options: Any) -> Page:
        """A window that has yet to go somewhere."""
        settings = {"viewport": DESK, "base_url": explorer.url, "reduced_motion": "reduce"}
        page = self.browser.new_context(**{**settings, **options}).new_page()
        page.set_default_timeout(PATIENCE)
        self.watches[page] = Watch(page, explorer.url)
        return page

    def close(self, failed: str | None) -> None:
        """Close all windows; those of a test that failed leave a picture."""
        for number, page in enumerate(self.watches):
            if failed:
                with suppress(Error):
                    keep_shot(page, f"failed-{failed}-{number}")
            page.context.close()


@pytest.fixture
def visit(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Visits]:
    """Open an address; whatever goes wrong there fails the test."""
    visits = Visits(browser)
    yield visits
    failed = getattr(request.node, "failed", False)
    visits.close(request.node.name if failed else None)
    if not failed:
        for watch in visits.watches.values():
            watch.check()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Let fixtures know what failed; all tests without a browser are one line of the summary."""
    report = yield
    if call.when == "call":
        item.failed = report.failed  # type: ignore[attr-defined]
    for reason in (NO_BROWSER, NO_DRIVER):
        if report.skipped and reason in str(report.longrepr):
            report.longrepr = (__file__, 0, f"Skipped: {reason}")
    return report


def follow(page: Page, address: str) -> Page:
    """Go on from a page as a link of it leads; much less work than to open the address anew."""
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
    """Wait until a view, and all that it fills in by and by, is there."""
    wanted = f"[data-view={view}]" if view else "[data-view]"
    expect(page.locator(f"main > {wanted}")).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    return page


def drawn(page: Page) -> Page:
    """Wait for all charts of a view; each is drawn when it comes into sight."""
    for figure in page.locator("figure[data-chart]:visible").all():
        figure.scroll_into_view_if_needed()
        expect(figure).to_have_attribute("data-drawn", "true")
    page.evaluate("scrollTo(0, 0)")
    return page


def darkened(page: Page) -> Page:
    """Turn the system dark, and wait until every chart has been drawn anew."""
    page.evaluate("document.querySelectorAll('figure svg').forEach((each) => each.dataset.day = 1)")
    page.emulate_media(color_scheme="dark")
    expect(page.locator("figure svg[data-day]")).to_have_count(0)
    return drawn(settled(page))


def shot(page: Page, name: str, whole: bool = True) -> None:
    """Keep a picture of a page that is as it should be, where pictures are asked for."""
    if ALL_SHOTS:
        keep_shot(page, name, whole)


def keep_shot(page: Page, name: str, whole: bool = True) -> None:
    """Keep a picture of a page, or of what a window shows of it."""
    SCREENSHOTS.mkdir(exist_ok=True)
    slug = re.sub(r"[^\w.-]+", "-", name).strip("-")
    size = page.evaluate("document.documentElement.scrollHeight * innerWidth")
    page.screenshot(path=SCREENSHOTS / f"{slug}.png", full_page=whole and size <= LARGEST)
