"""The word-intrusion test is taken in the explorer, and its score is kept in the notes."""

from __future__ import annotations

from playwright.sync_api import expect

import laconic
from laconic.fitted.notes import notes_of

from .conftest import settled, shot


def test_a_test_is_taken(visit, writable):
    page = visit(writable)
    settled(page, "overview")
    page.get_by_role("link", name="Take the word-intrusion test").click()
    settled(page, "intrusion")
    for number in range(10):
        expect(page.get_by_role("heading", level=2)).to_contain_text(f"Question {number + 1} of 10")
        page.get_by_role("group", name="Words").get_by_role("button").first.click()
        expect(page.locator(".verdict")).to_contain_text("is a word of")
        if number == 0:
            shot(page, "intrusion")
        page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("button", name="More questions")).to_be_visible()
    notes = notes_of(laconic.load(writable.folder)).values()
    assert sum(note.asked for note in notes) == 10
    found = sum(note.found for note in notes)
    expect(page.locator(".lede")).to_contain_text(f"{found} of 10 intruders found so far")


def test_without_leave_to_write_there_is_no_test(visit, explorer):
    page = visit(explorer())
    settled(page, "overview")
    expect(page.get_by_role("link", name="Take the word-intrusion test")).to_have_count(0)
