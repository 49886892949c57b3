"""Time of edits of a model of 1,000 topics in the explorer, from a click to the page."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.edits import LONGEST, REPEATS, saved_models
from benchmarks.explorer import SETTLED, server
from benchmarks.harness import Run, at_most
from tests.browser.finding import FLAGS, NO_BROWSER, find_browser

WINDOW = {"width": 1280, "height": 800}
UNDO, DROP_WORD = "Undo the last edit", "Drop a word"
# Clicks a button; returns the seconds until the page shows the result, and until it has a map
CLICK = """async (button) => {
    const start = performance.now();
    const frame = () => new Promise(requestAnimationFrame);
    const isApply = button.matches(".edit-preview .primary");
    const page = document.getElementById("main");
    const isThere = () => isApply
        ? !button.isConnected && page.getAttribute("aria-busy") === "false"
        : page.querySelector(".edit-preview");
    const times = [];
    button.click();
    for (const done of [isThere, () => page.querySelector(".topic-map[data-drawn]")]) {
        while (!done() && !page.querySelector(".problem")) await frame();
        await frame();
        await new Promise((resolve) => { setTimeout(resolve); });
        times.push((performance.now() - start) / 1000);
    }
    if (page.querySelector(".problem")) throw Error(page.querySelector(".problem").textContent);
    return times;
}"""


def explorer_edits(run: Run) -> None:
    """Time of each edit in the explorer of a model of 1,000 topics, in Chromium."""
    if find_browser() is None or importlib.util.find_spec("playwright") is None:
        run.note(NO_BROWSER)
        return
    run.note(
        "Preview: from a click until the page shows what would change. Apply: until the page shows "
        "the edited topics, which includes saving the model. The map of topics follows."
    )
    for name, path in saved_models(run):
        for what, (shown, with_map) in _measure(run, path).items():
            goal = at_most(LONGEST, of="value")
            run.row(f"{name}: {what}", shown, "s", goal=goal)
            if "Apply" in what:
                run.row(f"{name}: {what}, with the map", with_map, "s")


def _measure(run: Run, path: Path) -> dict[str, list[float]]:
    """Make each edit as a user does, and undo it; return the best times of each step."""
    from playwright.sync_api import sync_playwright

    best: dict[str, list[float]] = {}
    with server(path, "--write") as url, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser(), args=FLAGS)
        page = browser.new_page(base_url=url, viewport=WINDOW)
        time.sleep(0 if run.smoke else SETTLED)
        for repeat in range(1 if run.smoke else REPEATS):
            first = 10 * repeat  # other topics each time, so that no result is known yet
            for edit, topics in (("Merge", (first + 3, first + 7)), ("Drop", (first + 9,))):
                page.goto("/")
                _choose(page, topics)
                _edit(page, edit, best)
                _edit(page, UNDO, best)
            page.goto(f"/topics/{first + 3}")
            _edit(page, DROP_WORD, best)
            page.goto("/")
            _edit(page, UNDO, best)
        browser.close()
    return best


def _choose(page: Any, topics: Iterable[int]) -> None:
    page.locator(".editing button", has_text="Edit topics").click()
    for topic in topics:
        page.locator(f".topic-row[data-topic='{topic}'] .choose").check()


def _edit(page: Any, edit: str, best: dict[str, list[float]]) -> None:
    """Measure the preview of an edit and the edit itself, and keep the best times."""
    asking = page.locator(".editing button", has_text=edit)
    if edit == DROP_WORD:
        asking = page.locator(".remove-word").first
    page.wait_for_selector(".topic-map[data-drawn]")
    applying = page.locator(".edit-preview .primary")
    for what, button in ((f"{edit}: preview", asking), (f"{edit}: Apply", applying)):
        times = button.element_handle().evaluate(CLICK)
        best[what] = list(map(min, best.get(what, times), times))
