"""Topics are named and hidden in place, and read on the map of documents, also by keyboard."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from .conftest import drawn, settled, shot


def notes_of(explorer) -> dict:
    return json.loads((explorer.folder / "notes.json").read_text())["topics"]


def test_topics_are_named_and_hidden_by_keyboard(visit, writable):
    page = visit(writable)
    expect(page.locator(".progress")).to_contain_text("0 of 12 named")
    page.keyboard.press("j")
    page.keyboard.press("j")
    row = page.locator(".topic-row").nth(1)
    expect(row.locator(".name")).to_be_focused()
    topic = row.get_attribute("data-topic")
    page.keyboard.press("n")
    shot(page, "naming-in-a-row", whole=False)
    page.keyboard.type("Sparse things")
    page.keyboard.press("Enter")
    expect(page.locator(".progress")).to_contain_text("1 of 12 named")
    expect(page.locator(f".topic-row[data-topic='{topic}'] .name")).to_be_focused()
    assert notes_of(writable)[topic]["name"] == "Sparse things"
    page.keyboard.press("h")
    expect(page.locator(".hidden-topics")).to_contain_text("1 hidden topic")
    assert notes_of(writable)[topic]["hidden"] is True


def test_the_title_of_a_topic_is_edited_in_place(visit, writable):
    page = visit(writable, "/topics/4")
    page.get_by_role("heading", level=1).get_by_role("button").click()
    field = page.get_by_role("textbox", name="Name of the topic")
    expect(field).to_be_focused()
    field.fill("A name")
    field.press("Escape")
    expect(field).to_have_count(0)
    page.keyboard.press("n")
    page.get_by_role("textbox", name="Name of the topic").fill("A better name")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("A better name")
    assert notes_of(writable)["4"]["name"] == "A better name"


def test_a_region_of_the_map_is_read_as_a_list(visit, explorer):
    page = drawn(visit(explorer("slsa"), "/map"))
    box = page.locator(".document-map canvas").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 5, box["y"] + box["height"] - 5, steps=4)
    page.mouse.up()
    section = page.locator(".selection")
    expect(section.get_by_role("link").first).to_be_visible()
    everything = int(section.get_attribute("data-size"))
    shot(page, "document-map")
    page.get_by_label("Select a topic").select_option(index=1)
    expect(section.locator("h2")).to_contain_text("selected document")
    assert 0 < int(section.get_attribute("data-size")) < everything
    section.get_by_role("link").first.click()
    settled(page, "document")


def test_facets_narrow_the_list_and_stay_in_the_address(visit, explorer):
    page = visit(explorer("slsa"), "/documents")
    choice = page.locator(".choices a").first
    size = choice.locator(".number").inner_text()
    choice.click()
    expect(page.locator(".lede")).to_contain_text(f"{size} documents of")
    settled(page, "documents")
    page.reload()
    expect(settled(page, "documents").locator(".lede")).to_contain_text(f"{size} documents of")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    lines = download.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert len(lines) >= int(size.replace(",", "")) + 1
    page.locator(".pill.chosen").click()
    settled(page, "documents")
    expect(page.locator(".pill.chosen")).to_have_count(0)
