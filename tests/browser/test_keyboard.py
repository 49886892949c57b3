"""The explorer can be used with the keyboard alone, and the focus is always visible."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from .conftest import follow, settled, shot
from .views import addresses

FOCUS = """() => {
    const here = document.activeElement;
    const style = getComputedStyle(here);
    const box = here.getBoundingClientRect();
    const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    const name = `${here.tagName}.${here.getAttribute("class")} ${here.getAttribute("href") ?? ""}`;
    return {name, body: here === document.body, main: here.id === "main",
        seen: (ring || style.boxShadow !== "none") && box.width > 0 && box.height > 0};
}"""


def tab_to(page: Page, selector: str, most: int = 60) -> None:
    """Press Tab until an element that matches `selector` has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            return
    raise AssertionError(f"Tab does not reach {selector}")


def test_from_the_first_page_to_a_word_without_a_mouse(visit, explorer):
    page = visit(explorer("stc"))
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    shot(page, "keyboard-skip-link")
    page.keyboard.press("Enter")
    tab_to(page, "main .topic-row a")
    page.keyboard.press("Enter")
    settled(page, "topic")
    tab_to(page, "main a[href^='/documents/']", most=120)
    shot(page, "keyboard-topic")
    page.keyboard.press("Enter")
    settled(page, "document")
    tab_to(page, ".text [data-word]")
    page.keyboard.press("End")
    expect(page.locator(".text [data-word]").last).to_be_focused()
    shot(page, "keyboard-word")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    settled(page, "word")


def test_the_focus_is_always_seen(visit, explorer):
    page = visit(explorer("stc"))
    unseen = []
    for number, (view, address) in enumerate(addresses().items()):
        if number:  # after a link, the focus starts at the view
            settled(follow(page, address), view)
        for _ in range(30):
            page.keyboard.press("Tab")
            focus = page.evaluate(FOCUS)
            if focus["body"]:
                break
            if not (focus["seen"] or focus["main"]):
                unseen.append((view, focus["name"]))
    assert unseen == []


def test_a_followed_link_leaves_the_focus_in_the_new_view(visit, explorer):
    page = visit(explorer("slsa"))
    page.locator("main .topic-row a").first.focus()
    page.keyboard.press("Enter")
    settled(page, "topic")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")
    said = page.locator("#announcement")
    expect(said).to_have_text(page.get_by_role("heading", level=1).inner_text())
