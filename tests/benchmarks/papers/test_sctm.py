"""Tests of the SCTM benchmarks: parts of documents, perplexities, ranks and graphs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import data, likelihood, nips, topic_graphs, topic_likelihood
from benchmarks.harness import Run
from benchmarks.papers import sctm

SMOKE = Run("made up", smoke=True)


def test_every_paper_is_in_one_part() -> None:
    papers = nips.nips(SMOKE)
    parts = np.array([papers.is_train, papers.is_validation, papers.is_test])
    assert (parts.sum(axis=0) == 1).all()
    assert parts.any(axis=1).all()
    other_seed = nips.nips(Run("made up", smoke=True, seed=1))
    np.testing.assert_array_equal(papers.is_validation, other_seed.is_validation)


def test_held_out_papers_have_only_words_of_training_papers() -> None:
    papers = nips.nips(SMOKE)
    known = papers.part(papers.is_train).getnnz(axis=0) > 0
    for part in (papers.is_validation, papers.is_test):
        assert not papers.part(part)[:, ~known].nnz
        assert papers.part(part)[:, known].nnz == papers.counts[part][:, known].nnz


def test_unknown_words_are_left_out() -> None:
    X = sp.csr_matrix(np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0]]))
    kept = nips.without_words(X, np.array([True, False, True]))
    assert kept.toarray().tolist() == [[1, 0, 0], [0, 0, 4]]
    assert kept.nnz == 2


def test_folds_hold_every_document_out_once() -> None:
    held_out = np.array(nips.folds(23, 5, seed=3))
    assert (held_out.sum(axis=0) == 1).all()
    assert sorted(held_out.sum(axis=1)) == [4, 4, 5, 5, 5]


def test_missing_papers_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(data.VARIABLE, str(tmp_path))
    nips._titled.cache_clear()
    with pytest.raises(data.MissingDataError, match="knowceans"):
        nips.titled_nips(Run("real"))


def test_perplexity_of_a_document_by_hand() -> None:
    topics = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    X = sp.csr_matrix(np.array([[2.0, 2.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
    mixtures = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    found = sctm.document_perplexities(topics, mixtures, X)
    assert found.tolist() == [2.0, np.inf, 1.0]


def test_codes_become_shares() -> None:
    found = likelihood.shares(np.array([[1.0, 3.0], [0.0, 0.0]]), np.array([0.4, 0.6]))
    assert found.tolist() == [[0.25, 0.75], [0.4, 0.6]]


def test_topic_of_words_is_where_they_stand_highest() -> None:
    components = np.array([[0.7, 0.1, 0.2, 0.0], [0.05, 0.5, 0.4, 0.05]])
    vocabulary = np.array(["a", "b", "c", "d"])
    assert sctm.topic_of(components, vocabulary, ("a",)) == 0
    assert sctm.topic_of(components, vocabulary, ("b", "c")) == 1
    assert sctm.top_words(components, vocabulary)[1][:2] == ["b", "c"]


def test_choice_is_made_on_validation_documents() -> None:
    """The fit that is better on validation documents is scored, even if it is worse on the test."""
    papers = nips.nips(SMOKE)
    train, some = papers.part(papers.is_train), papers.part(papers.is_validation)
    validation = likelihood.deal(some, 0)
    upside_down = likelihood.Dealt(validation.seen, validation.hidden[:, ::-1].tocsr())
    fits = [
        ("topics", lambda: likelihood.OurPLSA(4, 0)),
        ("one topic", lambda: likelihood.OurPLSA(1, 0)),
    ]
    (chosen,) = topic_likelihood.judge(fits, train, validation, upside_down)
    assert chosen.way.fit == "topics"
    (other,) = topic_likelihood.judge(fits[1:], train, validation, upside_down)
    assert other.way.perplexity > chosen.way.perplexity
    assert other.test < chosen.test


def test_overlap_of_graphs() -> None:
    first, second = np.eye(4), np.eye(4)
    first[0, 1] = first[0, 2] = -1
    second[0, 1], second[0, 2] = -2, 1  # the signs of the second edge differ
    found = topic_graphs.overlap(first, second)
    assert found.common == 1
    assert found.expected == pytest.approx(2 * 2 / 6)
    assert found.common < found.unlikely  # one common edge of two may be chance
