"""The page of keywords, opened from disk: pages of 50 documents, search, links and downloads."""

from __future__ import annotations

import json

import polars as pl
import pytest
from playwright.sync_api import expect

import laconic
from laconic.keyphrases.html import page as keywords_page
from laconic.keyphrases.keywords import keyword_parts

from .conftest import Explorer, shot
from .measuring import paper_and_ink, too_wide, violations

N = 130


def texts() -> list[str]:
    ships = [f"The ship number{i} is in the harbour near town{i % 7}." for i in range(N - 1)]
    return [*ships, "The \u00e9mu runs, and the \u00e9mu runs again.\n" * 200]


@pytest.fixture(scope="package")
def written(tmp_path_factory) -> Explorer:
    """A page of 130 documents, of which the last is about an emu and has a very long text."""
    corpus = laconic.read(texts(), stop_words="english")
    path = tmp_path_factory.mktemp("keywords") / "keywords.html"
    pieces = keywords_page(keyword_parts(corpus), len(corpus))
    path.write_text("".join(pieces), encoding="utf-8")
    return Explorer(path.as_uri(), path)


@pytest.fixture
def read(visit, written):
    """A function that opens the page."""

    def go(**options):
        page = visit.open(written, **options)
        page.goto(written.url)
        return page

    return go


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_shows_fifty_documents_at_a_time(visit, read, scheme):
    page = read(color_scheme=scheme)
    articles = page.locator("article")
    expect(articles).to_have_count(50)
    expect(page.locator("output")).to_have_text("Documents 1 to 50 of 130")
    expect(page.get_by_role("button", name="Previous").first).to_be_disabled()
    page.get_by_role("button", name="Next").first.click()
    expect(page.locator("output")).to_have_text("Documents 51 to 100 of 130")
    page.get_by_role("button", name="Next").last.click()
    expect(articles).to_have_count(30)
    expect(page.get_by_role("button", name="Next").first).to_be_disabled()
    page.go_back()
    expect(page.locator("output")).to_have_text("Documents 51 to 100 of 130")
    paper, _ = paper_and_ink(page)
    assert (paper < 60) == (scheme == "dark")
    assert [answer.url for answer in visit.watches[page].responses] in (
        [],
        [page.url.split("#")[0]],
    )
    assert violations(page) == []
    shot(page, f"keywords-{scheme}")


def test_the_search_box_finds_words_of_all_documents(read):
    page = read()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("EMU  runs")
    expect(page.locator("article")).to_have_count(1)
    expect(page.locator("output")).to_contain_text("1 of 130 documents")
    expect(page.locator("h2")).to_contain_text("129")
    page.reload()
    expect(page.locator("article")).to_have_count(1)
    page.get_by_role("searchbox").fill("zebra")
    expect(page.locator("output")).to_have_text("No document contains these words.")
    page.get_by_role("searchbox").fill("")
    expect(page.locator("article")).to_have_count(50)


def test_a_long_text_is_shortened_until_asked_for(read):
    page = read()
    page.get_by_role("searchbox").fill("emu")
    button = page.get_by_role("button", name="Show the whole text")
    expect(button).to_have_attribute("aria-expanded", "false")
    before = page.locator(".text").bounding_box()["height"]
    button.press("Enter")
    expect(page.get_by_role("button", name="Show less")).to_be_visible()
    assert page.locator(".text").bounding_box()["height"] > 5 * before


def test_without_scripts_the_first_documents_are_the_same(read):
    page, scripted = read(java_script_enabled=False), read()
    expect(page.get_by_role("searchbox")).to_be_hidden()
    expect(page.get_by_text("Switch on scripts to see all 130 documents.")).to_be_visible()
    expect(scripted.locator("article")).to_have_count(50)
    for look in ("h2", "li", ".text", "summary"):
        texts = page.locator(f"article {look}").all_inner_texts()
        assert scripted.locator(f"article {look}").all_inner_texts() == texts
        assert len(texts) >= 50


def test_evidence_is_the_same_with_and_without_scripts(read):
    page, scripted = read(java_script_enabled=False), read()
    for each in (page, scripted):
        each.locator("summary").first.click()
    cells = page.locator("article").first.locator("th, td").all_inner_texts()
    assert scripted.locator("article").first.locator("th, td").all_inner_texts() == cells
    assert len(cells) > 10


def test_every_document_has_a_link(read):
    page = read()
    page.get_by_role("button", name="Next").first.click()
    link = page.locator("article h2 a").nth(20)
    assert link.get_attribute("href") == "#d=71"
    link.click()
    assert page.url.endswith("#d=71")
    page.reload()
    expect(page.locator("#document-71")).to_be_in_viewport()
    expect(page.locator("#document-71")).to_be_focused()
    expect(page.locator("output")).to_have_text("Documents 51 to 100 of 130")


def test_downloads_hold_the_keywords(read, tmp_path):
    page = read()

    def downloaded(name):
        with page.expect_download() as waiting:
            page.get_by_role("link", name=name, exact=True).click()
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        return path

    corpus = laconic.read(texts(), stop_words="english")
    expected = laconic.keywords(corpus)
    table = pl.read_csv(downloaded("CSV"), schema_overrides={"id": pl.String})
    assert table.columns == [
        "id", "title", "keyword", "score", "count", "expected", "position", "residual",
        "documents", "burst",
    ]  # fmt: skip
    words = [(str(row), word) for row, found in enumerate(expected) for word in found]
    assert table["id"].to_list() == [id_ for id_, _ in words]
    assert table["keyword"].to_list() == [word.word for _, word in words]
    for name in ("score", "count", "expected", "position", "documents", "burst"):
        values = [getattr(word, name) for _, word in words]
        assert table[name].to_list() == pytest.approx(values, rel=1e-5)
    page.get_by_role("searchbox").fill("emu")
    expect(page.locator("article")).to_have_count(1)
    (record,) = json.loads(downloaded("JSON").read_text(encoding="utf-8"))
    assert record["id"] == "129"
    assert [word["word"] for word in record["keywords"]] == [word.word for word in expected[129]]


def test_it_fits_a_phone(read):
    page = read(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    expect(page.locator("article")).to_have_count(50)
    assert too_wide(page) == []
