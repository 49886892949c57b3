"""How a user explores a model: topics, documents, words, search."""

from __future__ import annotations

import re
import threading

import pytest
from playwright.sync_api import expect

from laconic.fitted.document_sums import sum_documents
from laconic.web import page_data

from .conftest import drawn, settled, shot


@pytest.fixture
def home(visit, explorer):
    return visit(explorer("slsa"))


def test_the_first_page_lists_all_topics_with_their_words(home):
    rows = home.locator("main .topic-row")
    expect(rows).to_have_count(12)
    for row in rows.all():
        assert len(row.inner_text().split()) > 5
    expect(drawn(home).locator(".topic-map svg")).to_be_visible()
    assert "slsa" in home.title()
    shot(home, "overview")


def test_a_topic_opens_from_the_list(home):
    row = home.locator("main .topic-row").nth(2)
    number = row.get_attribute("data-topic")
    row.get_by_role("link").first.click()
    settled(home, "topic")
    expect(home).to_have_url(re.compile(rf"/topics/{number}$"))
    shot(home, "topic")


def test_a_topic_opens_from_the_map(home):
    circle = drawn(home).locator(".topic-map circle").first
    topic = circle.get_attribute("data-topic")
    circle.click(force=True)  # the name of the topic may cover the circle
    expect(circle).to_have_attribute("aria-pressed", "true")
    expect(home.locator(".word-panel .word-columns")).to_be_visible()
    shot(home, "overview-pinned", whole=False)
    circle.click(force=True)
    settled(home, "topic")
    expect(home).to_have_url(re.compile(rf"/topics/{topic}$"))


def test_a_document_of_a_topic_shows_its_text_and_topics(home):
    home.locator("main .topic-row").first.get_by_role("link").first.click()
    settled(home, "topic")
    document = home.locator("main a[href^='/documents/']").first
    name = document.inner_text()
    document.click()
    settled(home, "document")
    expect(home.get_by_role("heading", level=1)).to_have_text(name)
    assert home.locator(".text [data-word]").count() > 5
    expect(home.locator("aside a[href^='/topics/']").first).to_be_visible()
    expect(home.locator(".similar a[href^='/documents/']").first).to_be_visible()
    shot(home, "document")


@pytest.fixture
def reading(visit, explorer):
    """The page of a document whose words have codes."""
    return visit(explorer("stc"), "/documents/3")


def test_the_mouse_over_a_word_shows_its_code(reading):
    word = reading.locator(".text [data-word][data-colour]").first
    word.hover()
    card = reading.locator("[data-card]")
    expect(card).to_be_visible()
    expect(card).to_contain_text(word.get_attribute("data-word"))
    expect(card).to_contain_text(re.compile(r"\d %"))
    shot(reading, "document-word-card", whole=False)
    reading.mouse.move(2, 2)
    expect(card).to_be_hidden()


def test_the_keyboard_reaches_the_code_of_a_word(reading):
    first = reading.locator(".text [data-word]").first
    first.focus()
    card = reading.locator("[data-card]")
    expect(card).to_be_visible()
    reading.keyboard.press("ArrowRight")
    second = reading.locator(".text [data-word]").nth(1)
    word = second.get_attribute("data-word")
    expect(second).to_be_focused()
    expect(card).to_contain_text(word)
    reading.keyboard.press("Enter")
    reading.keyboard.press("Enter")
    settled(reading, "word")
    expect(reading.get_by_role("heading", level=1)).to_have_text(word)


def test_escape_closes_the_card_and_leaves_the_word_in_focus(reading):
    word = reading.locator(".text [data-word]").first
    word.focus()
    reading.keyboard.press("Enter")
    reading.keyboard.press("Escape")
    expect(reading.locator("[data-card]")).to_be_hidden()
    expect(word).to_be_focused()


def test_a_word_shows_its_senses_with_examples(visit, explorer):
    page = visit(explorer("stc"), "/words/sparse")
    expect(page.get_by_role("heading", level=1)).to_contain_text("sparse")
    expect(page.locator("main a[href^='/topics/']").first).to_be_visible()
    expect(page.locator("main a[href^='/documents/']").first).to_be_visible()
    expect(page.locator("main mark, main strong, main b").first).to_contain_text(
        re.compile("sparse", re.I)
    )
    shot(page, "word")


def test_search_finds_documents_and_marks_the_words(home):
    home.get_by_role("combobox", name="Search documents").fill("event loop callback")
    home.keyboard.press("Enter")
    settled(home, "search")
    expect(home).to_have_url(re.compile(r"/search\?q=event(\+|%20)loop(\+|%20)callback$"))
    hits = home.locator("main a[href^='/documents/']")
    assert hits.count() > 3
    expect(home.locator("main .hits mark:not(.related)").first).to_contain_text(
        re.compile("event|loop|callback", re.I)
    )
    shot(home, "search")
    hits.first.click()
    settled(home, "document")


def test_the_search_box_completes_words_by_keyboard(home):
    box = home.get_by_role("combobox", name="Search documents")
    box.fill("spars")  # all letters at once, so that there is only one list
    option = home.get_by_role("option").first
    expect(option).to_contain_text("spars")
    chosen = option.inner_text()
    box.press("ArrowDown")
    box.press("Enter")
    settled(home, "search")
    expect(box).to_have_value(chosen)


def test_a_query_of_unknown_words_says_so(visit, explorer):
    page = visit(explorer("slsa"), "/search?q=zzyzx")
    expect(page.get_by_role("main")).to_contain_text("zzyzx")
    expect(page.locator("main a[href^='/documents/']")).to_have_count(0)
    shot(page, "search-nothing")


def test_documents_come_in_pages(visit, explorer):
    page = visit(explorer("slsa"), "/documents")
    first = page.locator("main a[href^='/documents/']").all_inner_texts()
    assert 10 <= len(first) <= 100
    page.get_by_role("navigation", name="Pages of documents").get_by_role(
        "link", name="Next"
    ).first.click()
    expect(page).to_have_url(re.compile(r"/documents\?page=\d+$"))
    settled(page)
    second = page.locator("main a[href^='/documents/']").all_inner_texts()
    assert not set(first) & set(second)
    shot(page, "documents-second-page")
    page.go_back()
    settled(page)
    expect(page.locator("main a[href^='/documents/']").first).to_have_text(first[0])


def test_documents_of_one_class(visit, explorer):
    page = visit(explorer("slsa"), "/documents?label=asyncio")
    titles = page.locator("main a[href^='/documents/'].title").all_inner_texts()
    assert titles
    assert all(title.startswith("asyncio") for title in titles)
    shot(page, "documents-of-a-class")


def test_relevance_orders_the_words_and_stays_in_the_address(visit, explorer):
    page = visit(explorer("plsa"), "/topics/0")
    words = page.locator("main a[href^='/words/']")
    before = words.all_inner_texts()
    slider = page.get_by_role("slider")
    slider.focus()
    for _ in range(8):
        page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"/topics/0\?relevance=[\d.]+$"))
    after = words.all_inner_texts()
    assert after != before
    shot(page, "topic-relevance")
    page.reload()
    settled(page, "topic")
    assert words.all_inner_texts() == after


def test_every_chart_of_the_model_is_drawn(visit, explorer):
    page = drawn(visit(explorer("correlated"), "/pictures"))
    assert page.locator("figure svg").count() >= 4
    shot(page, "pictures")


def test_figures_of_many_documents_come_when_they_are_ready(visit, serve, saved, monkeypatch):
    ready = threading.Event()

    def wait(documents):
        assert ready.wait(60)
        return sum_documents(documents)

    monkeypatch.setattr(page_data, "AT_ONCE", 10)
    monkeypatch.setattr(page_data, "sum_documents", wait)
    home = visit(serve(saved("slsa")))
    home.get_by_text("About this model").click()
    figures = home.locator(".figures dt")
    expect(figures.first).to_be_visible()
    expect(home.locator(".topic-row .spark")).to_have_count(0)
    expect(figures.get_by_text("topics per document")).to_have_count(0)
    ready.set()
    expect(figures.get_by_text("topics per document")).to_be_visible()
    expect(home.locator(".topic-row .spark")).to_have_count(12)
