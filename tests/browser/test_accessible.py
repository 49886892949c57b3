"""Every view passes the accessibility checker axe in the light and in the dark theme."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from .conftest import darkened, drawn, follow, settled, shot
from .measuring import paper_and_ink, violations
from .views import addresses


def violations_by_day_and_night(page: Page) -> list[str]:
    """Return the problems in the light and in the dark theme; the page stays dark."""
    return violations(page) + violations(darkened(page))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_is_for_everyone(visit, explorer, scheme):
    page = visit(explorer("stc"), color_scheme=scheme)
    for view, address in addresses().items():
        drawn(settled(follow(page, address), view))
        assert violations(page) == [], view
        paper, ink = paper_and_ink(page)
        assert (paper < 60, ink > 180) == (scheme == "dark",) * 2
        if scheme == "dark":
            shot(page, f"dark-{view}")


def test_the_form_of_a_topic_is_for_everyone(visit, writable):
    page = visit(writable, "/topics/1")
    page.get_by_role("button", name="Edit topic").click()
    assert violations_by_day_and_night(page) == []


def test_two_models_side_by_side_are_for_everyone(visit, compared):
    page = visit(compared, "/compare")
    assert violations_by_day_and_night(page) == []
    shot(page, "dark-compare")


def test_the_card_of_a_word_is_for_everyone(visit, explorer):
    page = visit(explorer("stc"), "/documents/3")
    page.locator(".text [data-word]").first.focus()
    assert violations_by_day_and_night(page) == []
    expect(page.locator("[data-card]")).to_be_visible()
    shot(page, "dark-word-card", whole=False)


def test_completions_are_for_everyone(visit, explorer):
    page = visit(explorer("stc"))
    page.get_by_role("combobox", name="Search documents").fill("spar")
    expect(page.get_by_role("option").first).to_be_visible()
    shot(page, "completions", whole=False)
    assert violations_by_day_and_night(page) == []


def test_charts_follow_the_system_into_the_dark(visit, explorer):
    page = drawn(visit(explorer("slsa"), "/pictures"))
    text = page.locator("figure svg text").first
    before = text.evaluate("each => getComputedStyle(each).fill")
    expect(darkened(page).locator("figure svg text").first).not_to_have_css("fill", before)
