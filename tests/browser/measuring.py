"""Measure a page with scripts: widths, touch targets, colours, and accessibility (axe)."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page


def too_wide(page: Page) -> list[str]:
    """Return the elements that make the page scroll horizontally."""
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
    """Return the heights of all buttons, inputs and similar controls, without links in texts."""
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
    """Return the brightness of the background and of the text of a page, from 0 to 255."""
    paper, ink = page.evaluate(
        """() => [getComputedStyle(document.body).backgroundColor,
                  getComputedStyle(document.body).color]"""
    )
    return brightness(paper), brightness(ink)


def brightness(colour: str) -> float:
    """Return the mean of red, green and blue in a colour such as "rgb(1, 2, 3)"."""
    parts = [float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    return sum(parts) / 3


def violations(page: Page) -> list[str]:
    """Return all problems that axe, the accessibility checker, finds on the page."""
    found = Axe().run(page, options={"resultTypes": ["violations"]})  # not the passed checks
    rules: list[dict[str, Any]] = found.response["violations"]
    return [
        f"{each['id']}: {node['target']} {node['html'][:150]} {node.get('failureSummary', '')}"
        for each in rules
        for node in each["nodes"]
    ]


def outside(place: Locator) -> list[str]:
    """Return the texts of a chart that extend beyond its left or right edge."""
    found: list[str] = place.evaluate(
        """(place) => [...place.querySelectorAll("svg text")]
            .filter((text) => text.textContent.trim())
            .map((text) => [text.textContent, text.getBoundingClientRect()])
            .filter(([, box]) => {
                const picture = place.querySelector("svg").getBoundingClientRect();
                return box.left < picture.left - 1 || box.right > picture.right + 1;
            })
            .map(([text, box]) => `${text}: ${box.left} to ${box.right}`)"""
    )
    return found


def covering(place: Locator) -> list[str]:
    """Return the pairs of texts of a chart that overlap."""
    found: list[str] = place.evaluate(
        """(place) => {
            const texts = [...place.querySelectorAll("svg .mark-text text")]; // each has a halo
            const boxes = new Map(
                texts.map((text) => [text.textContent, text.getBoundingClientRect()]));
            const names = [...boxes.keys()].filter((name) => name.trim());
            const meet = (one, other) => one.left < other.right - 1 && other.left < one.right - 1
                && one.top < other.bottom - 1 && other.top < one.bottom - 1;
            return names.flatMap((name, n) => names.slice(n + 1)
                .filter((other) => meet(boxes.get(name), boxes.get(other)))
                .map((other) => `${name} and ${other}`));
        }"""
    )
    return found


def clipped(page: Page) -> list[str]:
    """Return the elements whose text is cut off without a mark, such as an ellipsis."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("main *, header *")]
            .filter((each) => each.checkVisibility() && !each.matches(".unseen, svg *, canvas"))
            .filter((each) => !each.closest(".unseen, details:not([open]), .scroll, .chart"))
            .filter((each) => {
                const style = getComputedStyle(each);
                if (!["hidden", "clip"].includes(style.overflowX)) return false;
                const { textOverflow, webkitLineClamp } = style;
                if (textOverflow === "ellipsis" || webkitLineClamp !== "none") return false;
                const hasText = [...each.childNodes].some(
                    (node) => node.nodeType === 3 && node.data.trim());
                return hasText && each.scrollWidth > each.clientWidth + 1;
            })
            .map((each) => `${each.tagName}.${each.className}: ${each.textContent.slice(0, 60)}`)"""
    )
    return found


def covering_names(page: Page) -> list[str]:
    """Return names on the map of topics that overlap, leave the map, or lie over another circle."""
    found: list[str] = page.evaluate(
        """() => {
            const map = document.querySelector(".topic-map svg").getBoundingClientRect();
            const names = [...document.querySelectorAll(".topic-map > svg > .map-name")]
                .map((name) => [name.textContent, name.getBoundingClientRect()]);
            const outside = names.filter(
                ([, box]) => box.left < map.left - 1 || box.right > map.right + 1);
            const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
                && a.top < b.bottom - 3 && b.top < a.bottom - 3;
            const pairs = names.flatMap(([name, box], n) => names.slice(n + 1)
                .filter(([, other]) => meet(box, other)).map(([other]) => `${name} and ${other}`));
            const over = [...document.querySelectorAll(".topic-map > svg > .map-name")].filter(
                (name) => [...document.querySelectorAll(".topic-map circle")].some((circle) => {
                    if (circle.dataset.topic === name.dataset.topic) return false;
                    const [box, disc] = [name, circle].map((each) => each.getBoundingClientRect());
                    const [x, y] = [disc.left + disc.width / 2, disc.top + disc.height / 2];
                    const across = Math.max(box.left - x, x - box.right, 0);
                    const along = Math.max(box.top + 2 - y, y - box.bottom + 2, 0);
                    return Math.hypot(across, along) < disc.width / 2 - 2;
                })).map((name) => `${name.textContent} over another circle`);
            return [...outside.map(([name]) => name), ...pairs, ...over];
        }"""
    )
    return found
