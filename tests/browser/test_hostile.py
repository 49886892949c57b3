"""Markup in documents, words and names is shown as text and never executed."""

from __future__ import annotations

import json
import shutil
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from . import corpora
from .conftest import drawn, follow, settled, shot

NAME = "<img src=x onerror=alert(5)><b>bold</b>"


@pytest.fixture(scope="package")
def named(serve, saved, tmp_path_factory):
    """A writable server for the hostile corpus, to which tests add names and notes with markup."""
    folder = tmp_path_factory.mktemp("named") / "<b>hostile<b>.model"
    shutil.copytree(saved("hostile, coded"), folder)
    served = serve(folder, write=True)
    return served


def show(page, view, address):
    """Follow a link to a view, and check that no text of the data became an element."""
    drawn(settled(follow(page, address), view))
    made = page.locator("main :is(script, img, textarea, b), main svg[onload], [onerror]")
    expect(made).to_have_count(0)


@pytest.mark.parametrize("model", ["hostile", "hostile, coded"])
def test_texts_titles_classes_and_words_are_text(visit, explorer, model):
    page = visit(explorer(model), "/topics/0")
    script = quote(corpora.SCRIPT, safe="")
    show(page, "overview", "/")
    shot(page, f"{model}-overview")
    show(page, "documents", "/documents")
    expect(page.get_by_role("main")).to_contain_text(corpora.SCRIPT)
    expect(page.get_by_role("main")).to_contain_text(corpora.LABEL)
    show(page, "document", "/documents/0")
    expect(page.get_by_role("heading", level=1)).to_have_text(corpora.SCRIPT)
    expect(page.locator(".text")).to_contain_text(corpora.SCRIPT)
    page.locator(".text [data-word]").first.hover()
    expect(page.locator("[data-card]")).to_be_visible()
    shot(page, f"{model}-document")
    show(page, "topic", "/topics/0")
    page.goto(f"/words/{script}")  # as if the user opened a link
    show(page, "word", f"/words/{script}")
    expect(page.get_by_role("heading", level=1)).to_contain_text(corpora.SCRIPT)
    shot(page, f"{model}-word")
    show(page, "search", f"/search?q={script}")
    show(page, "pictures", "/pictures")
    shot(page, f"{model}-pictures")


def test_every_word_has_an_address(visit, explorer):
    page = visit(explorer("hostile, coded"))
    for word in ("and/or", "50%", "c#", "what?", "a&b=c", "naïve", "<!--"):
        settled(follow(page, f"/search?q={quote(word, safe='')}"), "search")
        links = page.locator(f"main a[href^='/words/{quote(word, safe=chr(39))}']")
        if links.count():
            links.first.click()
        else:
            page.goto(f"/words/{quote(word, safe='')}")
        settled(page, "word")
        expect(page.get_by_role("heading", level=1)).to_contain_text(word)


def test_names_and_notes_of_topics_are_text(visit, named):
    page = visit(named, "/topics/0")
    sent = page.evaluate(
        """async (body) => (await fetch("/api/topics/0/notes", {method: "PUT", body,
            headers: {"Content-Type": "application/json"}})).status""",
        json.dumps({"name": NAME, "note": corpora.SCRIPT}),
    )
    assert sent == 200
    page.goto("/topics/0")  # reload, because the page caches responses
    show(page, "topic", "/topics/0")
    expect(page.get_by_role("heading", level=1)).to_contain_text(NAME)
    shot(page, "hostile-name-topic")
    show(page, "overview", "/")
    expect(page.get_by_role("main")).to_contain_text(NAME)
    shot(page, "hostile-name-overview")
    show(page, "pictures", "/pictures")
