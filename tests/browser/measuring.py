"""What a script in the page can tell about its look: widths, targets, colours, what axe says."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

GRAVE = ("serious", "critical")


def too_wide(page: Page) -> list[str]:
    """Elements that make the page scroll sideways."""
    found: list[str] = page.evaluate(
        """() => {
            const room = document.documentElement.clientWidth;
            if (document.documentElement.scrollWidth <= room) return [];
            return [...document.body.querySelectorAll("*")]
                .filter((each) => each.getBoundingClientRect().right > room + 1)
                .map((each) => `${each.tagName}.${each.getAttribute("class")}`);
        }"""
    )
    return found


def pressed(page: Page) -> dict[str, float]:
    """Height of all that can be pressed, links within text aside."""
    found: dict[str, float] = page.evaluate(
        """() => Object.fromEntries(
            [...document.querySelectorAll("button, select, input, a.button, summary, nav a")]
            .filter((each) => each.checkVisibility())
            .map((each, n) => {
                const box = (each.closest("label") ?? each).getBoundingClientRect();
                return [`${n} ${each.tagName} ${each.textContent || each.name}`, box.height];
            }))"""
    )
    return found


def paper_and_ink(page: Page) -> tuple[float, float]:
    """Brightness of the background and of the letters of a page, from 0 to 255."""
    paper, ink = page.evaluate(
        """() => [getComputedStyle(document.body).backgroundColor,
                  getComputedStyle(document.body).color]"""
    )
    return brightness(paper), brightness(ink)


def brightness(colour: str) -> float:
    """Mean of red, green and blue of "rgb(1, 2, 3)"."""
    parts = [float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    return sum(parts) / 3


def grave(page: Page) -> list[str]:
    """What axe, the accessibility checker, finds that keeps someone from using the page."""
    found = Axe().run(page, options={"resultTypes": ["violations"]})  # not all that is well
    violations: list[dict[str, Any]] = found.response["violations"]
    return [
        f"{each['id']}: {node['target']} {node['html'][:150]} {node.get('failureSummary', '')}"
        for each in violations
        if each["impact"] in GRAVE
        for node in each["nodes"]
    ]
