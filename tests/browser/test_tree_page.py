"""The tree of topics is shown as a nested list, with the levels that the user chooses."""

from __future__ import annotations

from playwright.sync_api import expect

import laconic

from .conftest import settled, shot


def test_the_tree_has_the_levels_that_are_asked_for(visit, explorer):
    served = explorer()
    page = visit(served, "/tree")
    settled(page, "tree")
    topics = page.locator(".topic-tree [data-topic]")
    expect(topics).to_have_count(len(laconic.topics(laconic.load(served.folder))))
    page.get_by_label("Groups at each level").fill("6, 3")
    page.get_by_role("button", name="Group", exact=True).click()
    expect(page.locator(".topic-tree > ul > li")).to_have_count(3)
    shot(page, "tree")
    page.reload()
    settled(page, "tree")
    expect(page.locator(".topic-tree > ul > li")).to_have_count(3)
    for group in page.locator(".topic-tree details").all():
        assert group.locator(":scope > ul > li").count() >= 2

    visit.watches[page].allow("400")
    page.get_by_label("Groups at each level").fill("99")
    page.get_by_role("button", name="Group", exact=True).click()
    expect(page.locator(".problem")).to_contain_text("99")
    page.get_by_role("button", name="Open all").click()
    topics.last.get_by_role("link").click()
    settled(page, "topic")
