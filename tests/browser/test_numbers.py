"""The numbers that a reader sees on the pages are those of the model."""

from __future__ import annotations

import numpy as np
import pytest

import laconic
from laconic.fitted.documents import kept_documents

from .conftest import follow, settled


def number(text):
    """Return the first number of a text such as "12 %" or "1,234 documents"."""
    return float(text.replace(",", "").removeprefix("< ").split()[0])


def shown_as(share):
    """Match a percentage, which is rounded to one decimal or, above 10 %, to an integer."""
    return pytest.approx(100 * share, abs=0.051 if share < 0.0995 else 0.51)


@pytest.fixture
def page(visit, explorer):
    return visit(explorer("plsa"))


@pytest.fixture
def model(explorer):
    return laconic.load(explorer("plsa").folder)


def test_rows_of_the_overview(page, model):
    codes = kept_documents(model).codes[:].toarray()
    for topic in laconic.topics(model).frame.iter_rows(named=True):
        row = page.locator(f".topic-row[data-topic='{topic['topic']}']")
        share, documents = row.locator(".amount .number").all_text_contents()
        assert number(share) == shown_as(topic["share"])
        assert number(documents) == (codes[:, topic["topic"]] > 0).sum()


def test_words_and_classes_of_a_topic(page, model):
    documents, names = kept_documents(model), list(model[:-1].get_feature_names_out())
    labels = np.array(list(documents.labels))
    means = documents.codes[:].toarray()[:, 3]
    settled(follow(page, "/topics/3"), "topic")
    weights = page.locator(".word-bars > li").all()
    assert len(weights) >= 10
    for row in weights:
        column = names.index(row.get_attribute("data-word"))
        assert number(row.locator(".number").text_content()) == pytest.approx(
            model[-1].components_[3, column], rel=0.05
        )
    classes = page.locator(".spread-section .bars > li").all()
    assert len(classes) >= 3
    for row in classes:
        own = labels == row.locator("a").text_content()
        assert int(row.locator(".class-name .number").text_content()) == own.sum()
        assert number(row.locator(":scope > .number").text_content()) == shown_as(means[own].mean())


def test_topics_of_a_document(page, model):
    code = kept_documents(model).codes[5:6].toarray().ravel()
    settled(follow(page, "/documents/5"), "document")
    bars = page.locator(".topic-bar")
    shares = sorted(code[code > 0], reverse=True)[: bars.count()]
    assert bars.count() >= 1
    for bar, share in zip(bars.all(), shares, strict=True):
        assert number(bar.locator(".number").text_content()) == shown_as(share)


def test_scores_of_a_search(page, model):
    settled(follow(page, "/search?q=sparse+matrix"), "search")
    hits = laconic.search(model).query("sparse matrix", 10)
    scores = page.locator(".hits .score .number").all_text_contents()
    assert [number(score) for score in scores] == pytest.approx(
        [hit.score for hit in hits], rel=0.01
    )
