"""With a thousand topics, the overview shows all topics, and documents are sent in pages."""

from __future__ import annotations

from playwright.sync_api import expect

from .conftest import drawn, settled, shot

REQUESTS = 40  # maximum number of requests
BYTES = 1_500_000  # maximum size of all responses


def test_a_thousand_topics_are_listed_at_little_cost(visit, explorer):
    page = drawn(visit(explorer("a thousand topics")))
    expect(page.locator("main .topic-row")).to_have_count(1000)
    responses = list(visit.watches[page].responses)
    assert len(responses) <= REQUESTS
    assert sum(len(response.body()) for response in responses) <= BYTES
    assert not [response.url for response in responses if "/api/documents" in response.url]
    shot(page, "thousand-overview")
    name = page.locator("main .topic-row").nth(700).locator(".name").text_content()
    word = name.split(",")[0]
    page.get_by_role("searchbox", name="Filter").fill(word)
    expect(page.get_by_role("status").filter(has_text="of 1,000 topics")).to_be_visible()
    assert 1 <= page.locator("main .topic-row").count() < 50


def test_pages_of_documents_hold_no_more_than_they_show(visit, explorer):
    page = visit(explorer("a thousand topics"), "/documents")
    settled(page, "documents")
    responses = visit.watches[page].responses
    (answer,) = [each for each in responses if "/api/documents" in each.url]
    assert len(answer.json()["documents"]) <= 100
    assert answer.json()["total"] == 1200
