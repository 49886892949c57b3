"""Topics against the sources of documents: lone topics, and coherence counted over sources."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp

import laconic
from laconic import Corpus
from laconic.evaluation.evaluate import subject_of
from laconic.fitted.model import TopicView
from laconic.metrics import METRICS, NotApplicableError, coherence, lone_topics, merge_sources
from laconic.metrics.sources import source_numbers
from tests.messages import refused


def plain_lone(codes, source, n=20):
    """By the definition, one topic after the other."""
    found = []
    for column in abs(codes).T:
        leading = [row for row in np.argsort(-column, kind="stable")[:n] if column[row] > 0]
        names = [source[row] for row in leading]
        most = max((names.count(name) for name in names), default=0)
        found.append(not leading or most >= len(leading) / 2)
    return found


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csc_matrix])
@pytest.mark.parametrize("n_authors", [2, 4, 30])
def test_lone_topics_by_the_definition(kind, n_authors):
    draw = np.random.default_rng(n_authors)
    codes = draw.integers(-3, 4, (90, 12)) * (draw.random((90, 12)) < np.linspace(0, 1, 12))
    source = [f"author {number}" for number in draw.integers(n_authors, size=90)]
    codes[:, 3] = 0
    codes[:, 5] *= np.array(source) == source[0]
    for n in (1, 5, 20):
        found = lone_topics(kind(codes), source, n)
        assert found.tolist() == plain_lone(codes, source, n)
        assert found[3]  # no documents at all
        assert found[5]


def test_half_of_the_leading_documents_is_enough_and_less_is_not():
    codes = np.ones((40, 1))
    codes[:20] += 1
    others = list(range(30))
    assert lone_topics(codes, [*["ann"] * 10, *others]).tolist() == [True]
    assert lone_topics(codes, [*["ann"] * 9, *others, 30]).tolist() == [False]
    later = [*others, *["ann"] * 10]  # not among the leading documents
    assert lone_topics(codes, later).tolist() == [False]


def test_documents_without_a_source_are_sources_of_their_own():
    missing = [None, "", " ", math.nan, np.float64("nan"), "ann", "ann"]
    assert source_numbers(missing, 7).tolist() == [0, 1, 2, 3, 4, 5, 5]
    assert lone_topics(np.ones((7, 1)), missing).tolist() == [False]
    assert source_numbers(np.array([3, 1, 3]), 3).tolist() == [0, 1, 0]
    assert source_numbers((name for name in ("a", "b")), 2).tolist() == [0, 1]


def test_merged_counts_are_sums():
    draw = np.random.default_rng(0)
    counts = draw.integers(0, 3, (20, 5))
    source = draw.integers(6, size=20)
    merged = merge_sources(Corpus(counts, list("abcde")), source)
    expected = [counts[source == name].sum(axis=0) for name in dict.fromkeys(source.tolist())]
    assert np.array_equal(merged.counts.toarray(), expected)
    assert merged.vocabulary.tolist() == list("abcde")


def test_npmi_over_sources_by_hand():
    # Cat and purr are in one document only, but ann uses both, bob too, and cem only dog.
    words = ["cat", "purr", "dog"]
    corpus = Corpus([[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 0], [0, 0, 1]], words)
    merged = merge_sources(corpus, ["ann", "ann", "bob", "bob", "cem"])
    found = coherence([["cat", "purr"], ["cat", "dog"]], merged)
    pair = math.log((1 / 3) / (2 / 3) ** 2) / -math.log(1 / 3)
    assert found == pytest.approx([1, pair])
    assert coherence([["cat", "purr"]], corpus)[0] < -0.9


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        (["ann"], ["1 sources", "2 documents"]),
        ("author", ["source", "one entry per document", "'author'"]),
        (3, ["source", "one entry per document", "3"]),
        (["", None], ["No document has a source"]),
        ([["ann"], ["bob"]], ["string or a number"]),
    ],
)
def test_mistakes_get_a_sentence(source, parts):
    with refused(*parts):
        lone_topics(np.ones((2, 1)), source)


def test_number_of_leading_documents():
    with refused("n_documents", "0"):
        lone_topics(np.ones((2, 1)), ["a", "b"], 0)


# --- in laconic.evaluate -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    corpus, _ = laconic.datasets.make_topics(120, 80, 3)
    model = laconic.pipeline("plsa", n_components=3, random_state=0).fit(corpus)
    return model, corpus, np.arange(120) % 40


def test_a_source_adds_two_metrics(fitted):
    model, corpus, source = fitted
    without, found = laconic.evaluate(model, corpus), laconic.evaluate(model, corpus, source=source)
    assert set(found) - set(without) == {"lone_topics", "npmi_sources"}
    assert {name: found[name] for name in without} == dict(without)
    assert found["lone_topics"] == lone_topics(model.transform(corpus), source).mean() == 0
    words = TopicView(model).strongest_words(10)
    assert found["npmi_sources"] == pytest.approx(
        coherence(words, merge_sources(corpus, source)).mean()
    )


def test_npmi_over_sources_of_one_document_each_is_npmi_over_documents(fitted):
    model, corpus, _ = fitted
    found = laconic.evaluate(model, corpus, ["npmi", "npmi_sources"], source=range(120))
    assert found["npmi_sources"] == pytest.approx(found["npmi"])


@pytest.mark.parametrize("name", ["lone_topics", "npmi_sources"])
def test_without_sources_or_with_only_one(fitted, name):
    model, corpus, _ = fitted
    with refused(name, "source="):
        laconic.evaluate(model, corpus, [name])
    with refused(name, "same source"):
        laconic.evaluate(model, corpus, [name], source=["ann"] * 120)
    assert "same source" in laconic.evaluate(model, corpus, source=["ann"] * 120).left_out[name]


def test_a_source_is_checked_before_anything_is_computed(fitted):
    model, corpus, _ = fitted
    with refused("3 sources", "120 documents"):
        laconic.evaluate(model, corpus, ["diversity"], source=["a", "b", "c"])


def test_topics_without_words_have_no_coherence_over_sources(fitted):
    model, corpus, source = fitted
    subject = subject_of(model, corpus, source=source)
    subject.words = [["t00w00"], []]
    with refused("two or more words", kind=NotApplicableError):
        METRICS["npmi_sources"].measure(subject)


def test_words_that_the_documents_do_not_have_are_never_used(fitted):
    model, corpus, source = fitted
    subject = subject_of(model, corpus, source=source)
    subject.words = [["t00w00", "zebra"]]
    assert METRICS["npmi_sources"].measure(subject) == -1


# --- documents that were not fitted --------------------------------------------------------------


def test_coherence_on_other_documents_in_which_top_words_never_occur(fitted):
    model, corpus, _ = fitted
    first = next(iter(laconic.topics(model, n_words=1))).words[0]
    column = int(np.flatnonzero(corpus.vocabulary == first)[0])
    others, _ = laconic.datasets.make_topics(50, 80, 3, random_state=1)
    counts = others.counts.toarray()
    counts[:, column] = 0
    held_out = Corpus(counts, others.vocabulary)
    found = laconic.evaluate(
        model, held_out, ["npmi", "c_v", "npmi_sources"], source=np.arange(50) % 25
    )
    full = laconic.evaluate(model, others, ["npmi"])
    assert all(math.isfinite(value) for value in found.values())
    # Of the 45 pairs of ten words, the 9 with the missing word have the worst value, -1.
    assert full["npmi"] - 2 * 9 / 45 / 3 <= found["npmi"] < full["npmi"]
    fewer = Corpus(np.delete(counts, column, axis=1), np.delete(others.vocabulary, column))
    again = laconic.evaluate(model, fewer, ["npmi"])  # a vocabulary without the word
    assert again["npmi"] == pytest.approx(found["npmi"])
