"""Every view has its own URL: links, reloading and the back button work."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from .conftest import drawn, follow, settled, shot
from .views import addresses


def heading(page):
    return page.get_by_role("heading", level=1).inner_text()


def test_back_and_forward_lead_through_all_views(visit, explorer):
    page = visit(explorer("slsa"))
    seen = []
    steps = [
        ("topic", "main .topic-row a[href^='/topics/']"),
        ("document", "main a[href^='/documents/']"),
        ("document", ".similar a[href^='/documents/']"),
        ("topic", "aside a[href^='/topics/']"),
        ("word", "main a[href^='/words/']"),
        ("documents", "#views a[href='/documents']"),
        ("pictures", "#views a[href='/pictures']"),
    ]
    for view, way in steps:
        seen.append((page.url, heading(page), page.title()))
        page.locator(way).first.click()
        expect(page).not_to_have_url(seen[-1][0])
        settled(page, view)
    last = (page.url, heading(page), page.title())
    for url, name, title in reversed(seen):
        page.go_back()
        expect(page).to_have_url(url)
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        expect(page).to_have_title(title)
    for url, name, title in [*seen[1:], last]:
        page.go_forward()
        expect(page).to_have_url(url)
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        expect(page).to_have_title(title)


def test_reloading_shows_the_same(visit, explorer):
    page = visit(explorer("slsa"))
    for view, address in addresses().items():
        before = drawn(settled(follow(page, address), view)).get_by_role("main").inner_text()
        assert before.strip()
        page.reload()
        assert drawn(settled(page, view)).get_by_role("main").inner_text() == before, view


def test_back_returns_to_the_place_in_a_long_list(visit, explorer):
    page = visit(explorer("slsa"), "/documents", viewport={"width": 1000, "height": 500})
    link = page.locator("main a[href^='/documents/']").nth(12)
    link.scroll_into_view_if_needed()
    place = link.bounding_box()["y"]
    link.click()
    settled(page, "document")
    assert page.evaluate("scrollY") == 0
    page.go_back()
    settled(page, "documents")
    expect(link).to_be_in_viewport()
    link.evaluate("() => new Promise(requestAnimationFrame)")  # wait for the final layout
    assert abs(link.bounding_box()["y"] - place) < 60


def answer_late(route):
    time.sleep(0.5)
    route.continue_()


def test_scrolling_just_before_going_back_does_not_move_the_page_gone_back_to(visit, explorer):
    page = visit(explorer("slsa"), "/documents", viewport={"width": 1000, "height": 500})
    link = page.locator("main a[href^='/documents/']").nth(12)
    link.click()
    settled(page, "document")
    page.reload()  # clears cached responses, so that going back needs a request
    settled(page, "document")
    page.route("**/api/**", answer_late)
    page.evaluate("scrollTo(0, 20)")
    page.go_back()
    settled(page, "documents")
    expect(link).to_be_in_viewport()


@pytest.mark.parametrize(
    ("address", "status"),
    [("/topics/99", 404), ("/topics/x", 400), ("/documents/99999", 404), ("/nowhere", 404)],
)
def test_what_does_not_exist_gets_a_sentence_and_a_way_back(visit, explorer, address, status):
    page = visit.open(explorer("slsa"))
    visit.watches[page].allow(r"4\d\d")
    page.goto(address)
    settled(page, "error")
    sentence = page.get_by_role("alert").inner_text()
    assert sentence.endswith(".")
    assert len(sentence.split()) > 3
    shot(page, f"error-{address}")
    page.get_by_role("link", name="All topics").click()
    settled(page, "overview")


def test_an_unknown_word_offers_near_ones(visit, explorer):
    page = visit.open(explorer("slsa"))
    visit.watches[page].allow("404")
    page.goto("/words/sparze")
    settled(page)
    expect(page.get_by_role("main")).to_contain_text("sparze")
    shot(page, "word-unknown")


def test_a_link_opens_in_a_new_window(visit, explorer):
    page = visit(explorer("slsa"))
    with page.context.expect_page() as opened:
        page.locator("main .topic-row a").first.click(modifiers=["ControlOrMeta"])
    settled(opened.value, "topic")
    expect(page).to_have_url(explorer("slsa").url)


def test_keywords_of_a_hit_lead_somewhere(explorer, visit):
    page = visit(explorer("slsa"), "/search?q=sparse+matrix")
    links = page.locator(".hit .words a")
    expect(links.first).to_be_visible()
    addresses = links.evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert any(address.startswith("/words/") for address in addresses)
    for address in sorted(set(addresses))[:12]:
        asked = address.replace("/words/", "/api/words/").replace("/search?", "/api/search?")
        assert page.request.get(f"{explorer('slsa').url.rstrip('/')}{asked}").status == 200
