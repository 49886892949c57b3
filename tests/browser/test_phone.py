"""Tests of the explorer on the screen of a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .conftest import drawn, follow, settled, shot
from .measuring import pressed, too_wide
from .views import addresses

SCREENS = {"narrow": {"width": 360, "height": 640}, "phone": {"width": 390, "height": 844}}
FINGER = 39.5  # minimum height of a touch target in pixels: 40, minus rounding


def on(screen: str) -> dict:
    """Return the options of a browser window with the size of a phone."""
    return {"viewport": SCREENS[screen], "has_touch": True, "is_mobile": True}


def test_every_view_fits_a_phone(visit, explorer):
    page = visit(explorer("stc"), **on("narrow"))
    for view, address in addresses().items():
        page.set_viewport_size(SCREENS["narrow"])
        drawn(settled(follow(page, address), view))
        assert too_wide(page) == [], view
        shot(page, f"narrow-{view}")
        page.set_viewport_size(SCREENS["phone"])
        assert too_wide(drawn(page)) == [], view
        heights = pressed(page)
        assert len(heights) >= 4
        assert {name: height for name, height in heights.items() if height < FINGER} == {}, view


def test_the_map_unfolds_on_a_phone(visit, explorer):
    page = visit(explorer("stc"), **on("narrow"))
    page.get_by_text("Map of topics").first.click()
    expect(drawn(page).locator(".topic-map svg")).to_be_visible()
    assert too_wide(page) == []
    shot(page, "narrow-map")


def test_two_models_side_by_side_fit_a_phone(visit, compared):
    page = visit(compared, "/compare", **on("narrow"))
    shot(page, "narrow-compare")
    assert too_wide(page) == []
    for link in page.get_by_role("navigation", name="Views").get_by_role("link").all():
        assert link.bounding_box()["height"] < 60  # the name fits in one line


@pytest.mark.parametrize("model", ["hostile, coded", "few words", "signed"])
def test_odd_models_fit_a_phone(visit, explorer, model):
    page = visit(explorer(model), "/topics/0", **on("narrow"))
    assert too_wide(page) == []
    page.goto("/documents/0")
    settled(page, "document")
    assert too_wide(page) == []
    shot(page, f"narrow-{model}-document")


def test_a_tap_on_a_word_shows_its_code(visit, explorer):
    page = visit(explorer("stc"), "/documents/3", **on("narrow"))
    page.locator(".text [data-word]").nth(3).tap()
    card = page.locator("[data-card]")
    expect(card).to_be_visible()
    expect(card).to_be_in_viewport(ratio=0.99)
    assert too_wide(page) == []
    shot(page, "narrow-word-card", whole=False)
