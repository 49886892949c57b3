"""Tests of the report's HTML: tags are balanced, links are valid, nothing external is loaded."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import laconic
from laconic.fitted.notes import TopicNote, keep_notes
from laconic.web.page_data import PageData
from laconic.web.report.page import report_page

VOID = {"meta", "br", "input", "link"}
EVIL = ["<script>alert(1)</script>", "</style>", "]]>", "&amp;", "'\"><img src=x onerror=alert(1)>"]


class Reader(HTMLParser):
    """The elements, ids, links and text of a page; fails if tags are not balanced."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.scripts = [], [], [], []
        self.attributes, self.tags, self.text, self.style = [], [], "", ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, key, value) for key, value in attrs]
        known = dict(attrs)
        if "id" in known:
            self.ids.append(known["id"])
        if tag == "a":
            self.links.append(known.get("href"))
        if tag == "script":
            self.scripts.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        inside = self.open[-1] if self.open else ""
        if inside == "script":
            self.scripts[-1] += data
        elif inside == "style":
            self.style += data
        else:
            self.text += data


def evil_corpus(n=24):
    """Return a corpus whose texts, titles, ids and labels would be markup if not escaped."""
    texts = [
        f"{EVIL[i % 5]} cat{i % 3} purr{i % 3} nap{i % 2} {EVIL[(i + 1) % 5]}" for i in range(n)
    ]
    counted = laconic.read(texts)
    words = [EVIL[i] if i < 5 else str(word) for i, word in enumerate(counted.vocabulary)]
    return laconic.Corpus(
        counted.counts,
        words,
        texts=texts,
        ids=[f"{i}{EVIL[i % 5]}" for i in range(n)],
        titles=[f"{EVIL[i % 5]} title" for i in range(n)],
        labels=[EVIL[i % 3] for i in range(n)],
    )


@pytest.fixture(scope="module")
def evil():
    corpus = evil_corpus()
    fitted = laconic.SCTM(4, correlated=True, random_state=0, max_iter=30, tol=0.1).fit(corpus)
    keep_notes(fitted, {0: TopicNote(EVIL[0], False, EVIL[1]), 1: TopicNote(EVIL[4])})
    return report_page(PageData.of(fitted, corpus), title=f"{EVIL[1]}{EVIL[0]}")


@pytest.fixture(scope="module")
def tame():
    corpus, _ = laconic.datasets.make_topics(200, 300, 6, words_per_topic=12)
    return report_page(PageData.of(laconic.PLSA(6).fit(corpus), corpus))


@pytest.fixture(params=["tame", "evil"])
def page(request):
    return request.getfixturevalue(request.param)


def test_the_reader_sees_what_is_wrong():
    with pytest.raises(AssertionError):
        Reader("<p><b>text</p></b>")
    with pytest.raises(AssertionError):
        Reader("<p>text")


def test_tags_balance_and_ids_are_unique(page):
    read = Reader(page)
    assert len(read.ids) == len(set(read.ids))
    assert read.tags.count("html") == read.tags.count("main") == read.tags.count("h1") == 1


def test_every_link_leads_to_a_place_in_the_page(page):
    read = Reader(page)
    assert len(read.links) > 20
    assert {link for link in read.links if not link.startswith("#")} == set()
    assert {link[1:] for link in read.links} <= set(read.ids)
    assert {value for _, key, value in read.attributes if key == "data-to"} <= set(read.ids)


def test_marks_of_a_chart_lead_to_their_topics(tame):
    figure = tame[tame.index('id="picture-map"') :]
    drawing = re.search(r"<svg .*?</svg>", figure, re.DOTALL)[0]
    found = {value for _, key, value in Reader(drawing).attributes if key == "data-to"}
    assert found == {f"topic-{topic}" for topic in range(6)}


def test_nothing_is_asked_of_a_network(page):
    read = Reader(page)
    loading = [
        (tag, key, value)
        for tag, key, value in read.attributes
        if key in ("src", "srcset", "data", "poster", "xlink:href", "action")
        or (tag == "link" and key == "href")
    ]
    assert loading == []
    assert "http:" not in read.style
    assert "https:" not in read.style
    assert "@import" not in read.style
    assert "url(" not in read.style


def test_one_script_and_only_that_may_run(page):
    read = Reader(page)
    assert len(read.scripts) == 1
    digest = base64.b64encode(hashlib.sha256(read.scripts[0].encode()).digest()).decode()
    policy = next(
        value for tag, key, value in read.attributes if key == "content" and "default-src" in value
    )
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digest}';" in policy
    assert [key for _, key, _ in read.attributes if key.startswith("on")] == []


def test_everything_else_is_readable_without_the_script(page):
    hidden = re.findall(r"<(\w+)[^>]* hidden", page)
    assert hidden == ["div"]  # the controls that need the script


def test_markup_in_texts_names_and_labels_shows_as_text(evil):
    read = Reader(evil)
    assert "img" not in read.tags
    assert read.style.count("</style") == 0
    for text in EVIL:
        assert text in read.text
    heading = re.search(r"<h1>(.*?)</h1>", evil)[1]
    assert heading == "&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt;"
    note = re.search(r'<p class="note">(.*?)</p>', evil)[1]
    assert note == "&lt;/style&gt;"


def test_markup_in_charts_shows_as_text(evil):
    drawings = re.findall(r"<svg .*?</svg>", evil, re.DOTALL)
    assert len(drawings) >= 3
    read = Reader("".join(drawings))
    assert set(read.tags) <= {
        *("svg", "g", "path", "rect", "line", "circle", "text", "tspan", "title"),
        *("defs", "clippath", "lineargradient", "radialgradient", "stop"),
    }
    assert "<script>alert(1)</script>" in read.text


def test_control_characters_and_halves_of_pairs_do_not_spoil_the_page():
    counts = np.eye(4, dtype=int) + 1
    corpus = laconic.Corpus(
        counts, ["a\x00b", "c\x0bd", "e", "f"], titles=["x\ud800y", "z\x1b", "q", "r"]
    )
    page = report_page(PageData.of(laconic.PLSA(2).fit(corpus), corpus), title="t\x07itle")
    assert re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", page) is None
    page.encode()
    assert "t\ufffditle" in page
