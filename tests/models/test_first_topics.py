"""Tests of `first_topics`, the initial topics of PLSA and STC."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.corpus.chunks import memory_chunks
from laconic.engines import make_engine
from laconic.engines.base import Serial
from laconic.models.first_topics import admit_words, first_topics, total_counts
from tests.models.plsa import reference as reference_plsa


def start(X, n_topics, seed=0, bounds=None, engine=None):
    engine = engine or Serial()
    chunks = memory_chunks(sp.csr_matrix(X), bounds)
    totals = engine.map_reduce(total_counts, None, chunks)
    return first_topics(engine, chunks, totals, n_topics, seed)


@given(
    seed=st.integers(0, 10**6),
    n_topics=st.integers(1, 12),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_columns_are_distributions_over_the_words_that_occur(seed, n_topics, dtype):
    random = np.random.default_rng(seed)
    X = random.poisson(0.5, random.integers(1, 12, 2)).astype(dtype)
    words = start(X, n_topics)
    assert words.shape == (X.shape[1], n_topics)
    assert words.dtype == dtype
    assert words.flags.c_contiguous
    np.testing.assert_allclose(words.sum(axis=0), 1, rtol=1e-5)
    if X.any():
        assert np.array_equal(words > 0, np.tile(X.any(axis=0)[:, None], n_topics))


def test_topics_differ(planted):
    words = start(planted[0].counts.astype(np.float64), 8)
    distances = np.abs(words[:, :, None] - words[:, None, :]).sum(axis=0)
    assert distances[~np.eye(8, dtype=bool)].min() > 0.1


def test_planted_topics_are_near(planted):
    corpus, truth = planted
    words = start(corpus.counts.astype(np.float64), 6)
    assert reference_plsa.likeness(words.T, truth.topics).min() > 0.7


def test_chunks_and_engines_make_no_difference(planted):
    X = planted[0].counts.astype(np.float64)
    whole = start(X, 5)
    parts = start(X, 5, bounds=[0, 10, 150, 300])
    np.testing.assert_allclose(parts, whole, atol=1e-4)
    with make_engine("threads", 2) as engine:
        assert np.array_equal(start(X, 5, bounds=[0, 10, 150, 300], engine=engine), parts)


def test_seeds(planted):
    X = planted[0].counts.astype(np.float64)
    assert np.array_equal(start(X, 5, 1), start(X, 5, 1))
    assert not np.array_equal(start(X, 5, 1), start(X, 5, 2))


def test_nothing_at_all():
    np.testing.assert_allclose(start(np.zeros((3, 4)), 2), 0.25)


def test_totals_merge():
    X = sp.csr_matrix(np.array([[1.0, 0, 2], [0, 3, 0], [4, 0, 0]]))
    totals = Serial().map_reduce(total_counts, None, memory_chunks(X, [0, 1, 3]))
    assert totals.words.tolist() == [5, 3, 2]
    assert totals.n_documents == 3
    assert totals.itemsize == 8


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_new_words_are_admitted(dtype):
    words = np.array([[0.5, 0.1], [0.5, 0.9], [0.0, 0.0], [0.0, 0.0]], dtype)
    same = admit_words(words, np.array([1.0, 0, 0, 0]))
    assert np.array_equal(same, words)
    admitted = admit_words(words, np.array([1.0, 0, 0, 3]))
    assert admitted.dtype == dtype
    np.testing.assert_allclose(admitted.sum(axis=0), 1, rtol=1e-5)
    assert (admitted[3] > 0).all()
    assert not admitted[2].any()
    assert words[3].tolist() == [0, 0]  # the input is not changed
