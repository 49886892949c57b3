"""A thousand topics: the first page renders them all, and documents are never all sent."""

from __future__ import annotations

from playwright.sync_api import expect

from .conftest import settled, shot

REQUESTS = 40
BYTES = 2_500_000  # of which Vega, the drawing program, is most


def test_a_thousand_topics_are_listed(visit, explorer):
    page = visit(explorer("a thousand topics"))
    expect(page.locator("main [data-topic]")).to_have_count(1000)
    shot(page, "thousand-overview")
    word = page.locator("main [data-topic]").nth(700).locator(".chip").first.text_content().strip()
    page.get_by_role("searchbox", name="Filter").fill(word)
    expect(page.get_by_role("status").filter(has_text="of 1,000 topics")).to_be_visible()
    assert 1 <= page.locator("main [data-topic]").count() < 50


def test_the_first_page_asks_for_little(visit, explorer):
    page = visit(explorer("a thousand topics"))
    responses = visit.watches[page].responses
    assert len(responses) <= REQUESTS
    assert sum(len(response.body()) for response in responses) <= BYTES
    asked = [response.url for response in responses]
    assert not [url for url in asked if "/api/documents" in url]


def test_pages_of_documents_hold_no_more_than_they_show(visit, explorer):
    page = visit(explorer("a thousand topics"), "/documents")
    settled(page, "documents")
    responses = visit.watches[page].responses
    (answer,) = [each for each in responses if "/api/documents" in each.url]
    assert len(answer.json()["documents"]) <= 100
    assert answer.json()["total"] == 1200
