"""The report, opened from disk, loads nothing and runs no scripts of documents."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

import laconic

from . import corpora
from .conftest import Explorer, shot
from .measuring import paper_and_ink, too_wide, violations


@pytest.fixture(scope="package")
def reports(saved, tmp_path_factory):
    """A function that writes the report of a model and returns its URL."""
    folder = tmp_path_factory.mktemp("reports")
    written = {}

    def give(name):
        if name not in written:
            path = folder / f"report-{len(written)}.html"
            laconic.report(laconic.load(saved(name)), path=path, n_documents=2)
            written[name] = Explorer(path.as_uri(), path)
        return written[name]

    return give


@pytest.fixture
def read(visit, reports):
    """A function that opens the report of a model."""

    def go(name, **options):
        page = visit.open(reports(name), **options)
        page.goto(reports(name).url)
        return page

    return go


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_from_disk_with_all_topics(visit, read, scheme):
    page = read("slsa", color_scheme=scheme)
    assert page.url.startswith("file://")
    expect(page.locator("article.topic")).to_have_count(12)
    expect(page.locator("figure svg").first).to_be_visible()
    paper, _ = paper_and_ink(page)
    assert (paper < 60) == (scheme == "dark")
    assert [answer.url for answer in visit.watches[page].responses] in ([], [page.url])
    shot(page, f"report-{scheme}")
    assert violations(page) == []


def test_it_fits_a_phone(read):
    page = read("slsa", viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    assert too_wide(page) == []
    shot(page, "report-narrow")


def test_its_tools_filter_and_sort(read):
    page = read("slsa")
    topics = page.locator("article.topic:visible")
    heading = topics.last.get_by_role("heading").inner_text()
    word = re.findall("[a-z]{3,}", heading)[0]  # words depend on the installed Python
    page.locator("#filter").fill(word)
    expect(topics).not_to_have_count(12)
    assert topics.count() > 0
    assert all(word in text for text in topics.all_inner_texts())
    page.locator("#filter").fill("")
    expect(topics).to_have_count(12)
    first = topics.first.get_by_role("heading").inner_text()
    page.locator("#sort").select_option("name")
    assert topics.first.get_by_role("heading").inner_text() != first


def test_it_prints_without_its_tools_on_white(read, tmp_path):
    page = read("slsa", color_scheme="dark")
    page.emulate_media(media="print")
    expect(page.locator("#filter")).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") in (
        "rgba(0, 0, 0, 0)",
        "rgb(255, 255, 255)",
    )
    assert paper_and_ink(page)[1] < 60
    page.set_viewport_size({"width": 680, "height": 960})  # A4 without margins
    assert too_wide(page) == []
    page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    shot(page, "report-print")


@pytest.mark.parametrize("model", ["hostile", "hostile, coded"])
def test_hostile_texts_are_text(read, model):
    page = read(model)
    expect(page.get_by_role("main")).to_contain_text(corpora.SCRIPT)
    made = page.locator("main :is(script, img, textarea), main svg[onload], [onerror]")
    expect(made).to_have_count(0)
    shot(page, f"report-{model}")


@pytest.mark.parametrize("model", ["signed", "correlated", "medstc", "few words, coded"])
def test_every_kind_of_model_has_a_report(read, model):
    page = read(model)
    assert page.locator("article.topic").count() >= 1
    assert too_wide(page) == []
    shot(page, f"report-{model}")
