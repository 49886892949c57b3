"""Topics that few documents share: how they are found and marked."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import laconic
from laconic import Corpus, SparseLSA
from laconic.fitted.model import TopicView
from laconic.metrics import effective_documents
from laconic.web import views
from laconic.web.page_data import PageData
from tests.messages import refused


@pytest.fixture(scope="module")
def signed_posts():
    """Three subjects in 240 documents, and a signature of twelve words in six of them."""
    random = np.random.default_rng(0)
    counts = np.zeros((240, 72), dtype=int)
    for subject in range(3):
        rows = slice(80 * subject, 80 * (subject + 1))
        counts[rows, 20 * subject : 20 * (subject + 1)] = random.random((80, 20)) < 0.3
    counts[::40, 60:] = 4
    words = [f"s{column // 20}w{column % 20:02}" for column in range(60)]
    return Corpus(counts, [*words, *(f"sig{number}" for number in range(12))])


@pytest.fixture(scope="module")
def model(signed_posts):
    return SparseLSA(4, positive=True, codes="sparse").fit(signed_posts)


def signature_of(model):
    return next(t.number for t in laconic.topics(model) if t.words[0].startswith("sig"))


def test_the_signature_is_weak(model, signed_posts):
    table = laconic.topics(model).frame
    weak = table.filter(table["weak"])
    assert weak["topic"].to_list() == [signature_of(model)]
    support = effective_documents(model.transform(signed_posts))
    np.testing.assert_allclose(table.sort("topic")["documents"], support, rtol=1e-5)


def test_weak_topics_can_be_left_out(model):
    strong = laconic.topics(model, weak=False)
    assert signature_of(model) not in [topic.number for topic in strong]
    assert len(strong) == 3
    with refused("topic", str(signature_of(model)), "3 of 4 topics"):
        strong[signature_of(model)]


def test_support_is_not_known_without_documents(signed_posts):
    fitted = laconic.PLSA(4).fit(signed_posts)
    table = laconic.topics(fitted, weak=False).frame
    assert table["weak"].is_null().all()
    assert table["documents"].is_null().all()
    assert len(table) == 4
    assert not TopicView(fitted).weak.any()


def test_saved_documents_tell_the_support_of_any_model(signed_posts, tmp_path):
    fitted = laconic.PLSA(4).fit(signed_posts)
    laconic.save(fitted, tmp_path / "m", corpus=signed_posts)
    loaded = laconic.load(tmp_path / "m")
    support = effective_documents(sp.csr_matrix(fitted.transform(signed_posts)))
    known = [topic.documents for topic in sorted(laconic.topics(loaded), key=lambda t: t.number)]
    np.testing.assert_allclose(known, support, rtol=1e-4)


def test_explorer_and_report_mark_weak_topics(model, signed_posts, tmp_path):
    page_data = PageData.of(model, signed_posts)
    marked = [topic["topic"] for topic in views.overview(page_data)["topics"] if topic["weak"]]
    assert marked == [signature_of(model)]
    assert views.topic(page_data, marked[0])["weak"] is True
    laconic.report(model, signed_posts, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert text.count("shared by few documents") >= 2  # in the table, and above the topic
