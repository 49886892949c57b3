"""Take the screenshots of the explorer in the README (``make pictures``).

The built-in corpus is fitted as in ``laconic demo``, the real server serves the model, and Chromium
takes the screenshots.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

import laconic
from laconic.web.page_data import PageData
from laconic.web.server.serving import Server
from tests.browser.finding import FLAGS, NO_BROWSER, find_browser

PICTURES = Path(__file__).parent / "pictures"
WINDOW = {"width": 1280, "height": 880}
SCALE = 1.25  # gives a width of 1,600 pixels
LARGEST = 500_000  # maximum size of a screenshot in bytes
READ = ("scipy.stats._stats_py.zscore", "numpy.sort")  # the first that is installed is shown
HOVERED = ("mean", "array")


def main() -> None:
    """Take the screenshots of the overview and of a document."""
    with tempfile.TemporaryDirectory() as folder, window(fitted(Path(folder))) as page:
        take_overview(page)
        take_document(page)


def fitted(folder: Path) -> Path:
    """Fit and save a model of the built-in corpus."""
    corpus = laconic.datasets.load_pydocs()
    model = laconic.pipeline("sc", n_components=40).fit(corpus)
    return laconic.save(model, folder / "pydocs.model", index=laconic.search(model, corpus))


@contextmanager
def window(folder: Path) -> Iterator[Page]:
    """Open a browser window with the explorer of a saved model."""
    path = find_browser()
    if path is None:
        raise SystemExit(NO_BROWSER)
    server = Server(PageData.open(folder), port=0)
    url = server.start()
    try:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=path, args=FLAGS)
            yield browser.new_page(base_url=url, viewport=WINDOW, device_scale_factor=SCALE)
            browser.close()
    finally:
        server.stop()


def take_overview(page: Page) -> None:
    """Take a screenshot of the map and the list of topics, in which one topic is highlighted."""
    page.goto("/")
    settle(page)
    expect(page.locator(".topic-map svg")).to_be_visible()
    page.locator(".topic-row").nth(1).hover()
    expect(page.locator(".topic-map circle.lit")).to_be_visible()
    keep(page, "explorer-overview.png")


def take_document(page: Page) -> None:
    """Take a screenshot of a document with the card of one of its words."""
    page.goto(f"/search?q={READ[0]}")
    settle(page)
    links = [page.get_by_role("link", name=title, exact=True) for title in READ]
    page.goto(next(link for link in links if link.count()).first.get_attribute("href"))
    settle(page)
    words = [page.locator(f".text [data-word='{word}']") for word in HOVERED]
    next(word for word in words if word.count()).first.hover()
    expect(page.locator("[data-card]")).to_be_visible()
    keep(page, "explorer-document.png")


def settle(page: Page) -> None:
    """Wait until all parts of a view are loaded, and remove the space for the scroll bar."""
    page.evaluate("document.documentElement.style.scrollbarGutter = 'auto'")
    expect(page.locator("main > [data-view]")).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


def keep(page: Page, name: str) -> None:
    """Write a screenshot, if it is small enough for the repository."""
    picture = page.screenshot()
    if len(picture) > LARGEST:
        raise SystemExit(f"{name} has {len(picture):,} bytes, more than {LARGEST:,}.")
    (PICTURES / name).write_bytes(picture)
    sys.stdout.write(f"docs/pictures/{name}: {len(picture):,} bytes\n")


if __name__ == "__main__":
    main()
