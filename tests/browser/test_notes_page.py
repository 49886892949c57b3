"""Names, notes and hidden topics are saved with the model, and only with ``--write``."""

from __future__ import annotations

import json

from playwright.sync_api import Page, expect

from .conftest import Explorer, settled, shot

NAME = "Asynchronous <code>"


def notes_of(explorer: Explorer) -> dict:
    return json.loads((explorer.folder / "notes.json").read_text())["topics"]


def begin(page: Page) -> None:
    page.get_by_role("button", name="Edit topic").click()


def save(page: Page) -> None:
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("button", name="Edit topic")).to_be_visible()
    settled(page, "topic")


def test_a_name_and_a_note_outlive_the_page(visit, writable):
    page = visit(writable, "/topics/4")
    begin(page)
    expect(page.get_by_role("textbox", name="Name")).to_be_focused()
    shot(page, "topic-form")
    page.get_by_role("textbox", name="Name").fill(NAME)
    page.get_by_role("textbox", name="Note").fill("Seen on Monday.")
    save(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text(NAME)
    shot(page, "topic-with-a-name")
    kept = notes_of(writable)["4"]
    assert (kept["name"], kept["note"]) == (NAME, "Seen on Monday.")

    page.reload()
    settled(page, "topic")
    expect(page.get_by_role("heading", level=1)).to_contain_text(NAME)
    expect(page.get_by_role("main")).to_contain_text("Seen on Monday.")

    page.goto("/")
    settled(page, "overview")
    row = page.locator("main .topic-row[data-topic='4']")
    expect(row).to_contain_text(NAME)
    expect(row).to_contain_text("Seen on Monday.")
    shot(page, "overview-with-a-name")


def test_an_older_form_leaves_alone_what_others_wrote_meanwhile(visit, writable):
    early, late = visit(writable, "/topics/4"), visit(writable, "/topics/4")
    begin(early)
    begin(late)
    late.get_by_role("textbox", name="Note").fill("Seen on Monday.")
    save(late)
    early.get_by_role("textbox", name="Name").fill(NAME)
    save(early)
    kept = notes_of(writable)["4"]
    assert (kept["name"], kept["note"]) == (NAME, "Seen on Monday.")


def test_a_name_can_be_taken_back(visit, writable):
    page = visit(writable, "/topics/4")
    before = page.get_by_role("heading", level=1).inner_text()
    for name in (NAME, ""):
        begin(page)
        page.get_by_role("textbox", name="Name").fill(name)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text(name or before)


def test_a_hidden_topic_is_folded_away_and_comes_back(visit, writable):
    page = visit(writable, "/topics/4")
    begin(page)
    page.get_by_role("checkbox", name="Hide").check()
    save(page)
    assert notes_of(writable)["4"]["hidden"] is True
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Topics").click()
    settled(page, "overview")
    expect(page.locator("main .topic-row:visible")).to_have_count(11)
    expect(page.locator("main .topic-row[data-topic='4']:visible")).to_have_count(0)
    page.get_by_text("1 hidden topic").click()
    row = page.locator("main .topic-row[data-topic='4']")
    expect(row).to_be_visible()
    shot(page, "overview-with-a-hidden-topic")
    row.get_by_role("link").first.click()
    settled(page, "topic")
    begin(page)
    page.get_by_role("checkbox", name="Hide").uncheck()
    save(page)
    page.goto("/")
    settled(page, "overview")
    expect(page.locator("main .topic-row[data-topic='4']")).to_be_visible()


def test_a_name_that_is_refused_stays_in_the_form_with_the_reason(visit, writable):
    page = visit(writable, "/topics/4")
    visit.watches[page].allow("400|413")
    begin(page)
    page.get_by_role("textbox", name="Name").fill("x" * 5000)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text(".")
    expect(page.get_by_role("textbox", name="Name")).to_have_value("x" * 5000)
    shot(page, "topic-form-refused")


def test_without_leave_to_write_there_is_no_form(visit, explorer):
    page = visit(explorer("slsa"), "/topics/4")
    expect(page.locator("main :is(textarea, input[type=text], form)")).to_have_count(0)
    expect(page.get_by_role("button", name="Edit topic")).to_have_count(0)
    refused = page.evaluate(
        """async () => {
            const answer = await fetch("/api/topics/4/notes", {method: "PUT", body: '{"name": "x"}',
                headers: {"Content-Type": "application/json"}});
            return [answer.status, (await answer.json()).error];
        }"""
    )
    assert refused[0] == 403
    assert "--write" in refused[1]
    assert not (explorer("slsa").folder / "notes.json").exists()
    visit.watches[page].allow("403")
