"""The map and the list of topics highlight the same topics, at any width."""

from __future__ import annotations

import json
import re
import time
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from .conftest import PATIENCE, drawn, settled, shot
from .corpora import fourteen_words
from .models import Recipe, fit

CIRCLES = """() => Object.fromEntries(
    [...document.querySelectorAll(".topic-map circle")]
    .map((circle) => [circle.dataset.topic, {
        faded: circle.classList.contains("faded"),
        lit: circle.classList.contains("lit"),
        pinned: circle.classList.contains("pinned"),
    }]))"""


def asked(explorer, path):
    with urlopen(explorer.url.rstrip("/") + path) as answer:
        return json.load(answer)


def expect_circles(page, wanted, topics):
    """Wait until exactly the circles of `topics` satisfy the JavaScript condition `wanted`."""
    found = f"Object.entries(({CIRCLES})()).filter(([, c]) => {wanted}).map(([k]) => Number(k))"
    deadline = time.monotonic() + PATIENCE / 1000
    # Polled from Python, because the page's content security policy forbids `wait_for_function`.
    while set(page.evaluate(found)) != set(topics) and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert set(page.evaluate(found)) == set(topics)


def rows(page):
    return {int(row.get_attribute("data-topic")) for row in page.locator(".topic-row").all()}


def page_status(page):
    return page.locator("main section p[role=status]").first


def further_word(explorer):
    """Return a strong word of a topic that the overview does not show."""
    shown = {
        word for topic in asked(explorer, "/api/overview")["topics"] for word, _ in topic["words"]
    }
    words = [word for word, *_ in asked(explorer, "/api/topics/0")["words"]]
    return next(w for w in words if w.isalpha() and not any(w in other for other in shown))


def test_the_filter_finds_what_is_not_shown_and_the_map_shows_where(visit, explorer):
    plsa = explorer("plsa")
    word = further_word(plsa)
    page = drawn(visit(plsa))
    page.get_by_label("Filter").fill(word)
    row = page.locator(".topic-row[data-topic='0']")
    expect(row.locator(".further")).to_contain_text(word)
    having = {topic for topic, _ in asked(plsa, f"/api/topics?having={word}")["topics"]}
    assert rows(page) == having
    expect(page.get_by_role("status").filter(has_text="of 12 topics")).to_be_visible()
    expect_circles(page, "c.faded", set(range(12)) - having)
    shot(page, "filter-map", whole=False)
    page.reload()
    expect(settled(page).locator(".topic-row .further").first).to_be_visible()
    page.get_by_label("Filter").fill("")
    expect(page.locator(".further")).to_have_count(0)
    assert rows(page) == set(range(12))
    expect_circles(drawn(page), "!c.faded", set(range(12)))


@pytest.mark.parametrize("model", ["plsa", "slsa"])
def test_the_list_says_what_a_share_is(visit, explorer, model):
    about = asked(explorer(model), "/api/overview")["about_share"]
    told = page_status(visit(explorer(model)))
    expect(told).to_contain_text(f"Share: {about[0].lower()}{about[1:]}")


def test_words_asked_for_are_marked_in_their_rows(visit, explorer):
    slsa = explorer("slsa")
    word = asked(slsa, "/api/overview")["topics"][0]["words"][4][0]
    page = visit(slsa)
    page.get_by_label("Filter").fill(word)
    texts = page.locator(".chip.asked").all_text_contents()
    assert word in texts
    assert all(word in text for text in texts)
    page.get_by_label("Filter").fill("")
    expect(page.locator(".chip.asked")).to_have_count(0)


def test_what_no_topic_has_can_be_looked_for_elsewhere(visit, explorer):
    page = visit(explorer("slsa"))
    visit.watches[page].allow("404")  # the word is unknown
    page.get_by_label("Filter").fill("qqq & co")
    page.get_by_role("link", name="search the documents").click()
    expect(page).to_have_url(re.compile(r"/search\?q=qqq\+%26\+co$"))
    settled(page, "search")
    page.go_back()
    expect(settled(page, "overview").get_by_label("Filter")).to_have_value("qqq & co")
    page.get_by_role("link", name="Look up the word").click()
    expect(settled(page, "word").locator("h1")).to_have_text("qqq & co")


def test_a_row_is_pointed_out_on_the_map(visit, explorer):
    page = drawn(visit(explorer("slsa")))
    row = page.locator(".topic-row").nth(1)
    topic = int(row.get_attribute("data-topic"))
    row.hover()
    expect_circles(page, "c.lit", {topic})
    page.mouse.move(2, 2)
    expect_circles(page, "c.lit", [])
    page.locator(".topic-row .name").nth(2).focus()
    other = int(page.locator(".topic-row").nth(2).get_attribute("data-topic"))
    expect_circles(page, "c.lit", {other})


def test_a_topic_and_its_relatives_stand_out_on_its_map(visit, explorer):
    slsa = explorer("slsa")
    related = {each["topic"] for each in asked(slsa, "/api/topics/4")["related"]}
    page = drawn(visit(slsa, "/topics/4"))
    expect_circles(page, "c.pinned", {4})
    expect_circles(page, "!c.faded", {4} | related)
    other = next(topic for topic in range(12) if topic != 4)
    circle = page.locator(f".topic-map circle[data-topic='{other}']")
    circle.click(force=True)  # a name may cover the circle
    expect_circles(page, "c.pinned", {other})
    circle.click(force=True)
    expect(page).to_have_url(re.compile(rf"/topics/{other}$"))
    expect(settled(page, "topic").locator("h1")).to_be_visible()


def test_a_circle_lights_its_row_and_shows_its_words(visit, explorer):
    slsa = explorer("slsa")
    page = drawn(visit(slsa))
    circle = page.locator(".topic-map circle").nth(3)
    topic = int(circle.get_attribute("data-topic"))
    circle.hover(force=True)
    expect(page.locator(".topic-row.lit")).to_have_attribute("data-topic", str(topic))
    words = [word for word, *_ in asked(slsa, f"/api/topics/{topic}/words")["words"]]
    expect(page.locator(".word-columns bdi")).to_have_text(words)
    circle.focus()
    page.keyboard.press(" ")
    page.mouse.move(2, 2)
    page.locator("h1").click()
    expect(page.locator(".topic-row.pinned")).to_have_attribute("data-topic", str(topic))
    expect(page.locator(".word-columns bdi")).to_have_text(words)


def test_a_single_topic_has_no_map(visit, serve, tmp_path):
    recipe = Recipe(fourteen_words, "plsa", {"n_components": 1})
    alone = serve(fit(recipe, tmp_path / "alone.model"))
    page = visit(alone)
    expect(page.locator(".topic-row")).to_have_count(1)
    expect(page.locator(".topic-map")).to_have_count(0)
    shot(page, "a-single-topic")
    page.locator(".topic-row .name").click()
    expect(settled(page, "topic").locator(".topic-map")).to_have_count(0)
