"""Tests of held-out perplexity and of reconstruction, compared with dense arithmetic."""

from __future__ import annotations

import math
from dataclasses import astuple
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic import PLSA
from laconic.corpus import chunks
from laconic.corpus.sampling import deal
from laconic.metrics import likelihood
from laconic.metrics.likelihood import (
    Likelihood,
    Squares,
    as_mixtures,
    code_products,
    completion_likelihood,
    completion_perplexity,
    reconstruction_error,
    reconstruction_squares,
    unexplained,
)
from tests.messages import refused

seeds = st.integers(0, 10_000)


def draw(seed, n_documents=7, n_words=6, n_topics=3):
    """Draw counts with an empty document, mixtures and topics."""
    random = np.random.default_rng(seed)
    counts = random.poisson(1.0, (n_documents, n_words))
    counts[0] = 0
    mixtures = random.dirichlet(np.ones(n_topics), n_documents)
    return sp.csr_matrix(counts), mixtures, random.dirichlet(np.ones(n_words), n_topics)


@pytest.fixture
def tiny_blocks(monkeypatch):
    monkeypatch.setattr(likelihood, "BLOCK_ENTRIES", 12)


# --- division into observed and held-out occurrences ---------------------------------------------


@given(seeds, st.floats(0, 1))
def test_parts_add_to_the_whole(seed, share):
    X = draw(seed)[0]
    observed, held = deal(X, share, seed)
    assert abs(observed + held - X).nnz == 0
    assert observed.dtype == held.dtype == X.dtype
    for part in (observed, held):
        assert part.has_sorted_indices
        assert (part.data > 0).all()


@given(seeds, st.integers(1, 6))
def test_the_deal_does_not_depend_on_chunks(seed, cut):
    X = draw(seed)[0]
    whole = deal(X, random_state=seed)
    parts = [deal(X[:cut], random_state=seed), deal(X[cut:], random_state=seed, first_row=cut)]
    for name in ("observed", "held"):
        together = sp.vstack([getattr(part, name) for part in parts])
        assert abs(getattr(whole, name) - together).nnz == 0


def test_the_deal_does_not_depend_on_blocks(monkeypatch):
    X = sp.csr_matrix(np.random.default_rng(0).poisson(2.0, (50, 20)))
    whole = deal(X)
    monkeypatch.setattr(chunks, "CHUNK_NONZEROS", 400)  # a chunk has about ten documents
    assert abs(deal(X).observed - whole.observed).nnz == 0


def test_seeds_rows_columns_and_occurrences_are_drawn_apart():
    X = sp.csr_matrix(np.full((200, 100), 5))
    first, second = (deal(X, random_state=seed).observed.toarray() for seed in (0, 1))
    assert np.array_equal(first, deal(X).observed.toarray())
    for one, other in ((first, second), (first[1:], first[:-1]), (first[:, 1:], first[:, :-1])):
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 0.03
    # a binomial distribution with n = 5 and p = 1/2 has the mean 2.5 and the variance 1.25
    assert first.mean() == pytest.approx(2.5, abs=0.03)
    assert first.var() == pytest.approx(1.25, abs=0.04)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.8, 1.0])
def test_share_is_what_is_observed(share):
    X = sp.csr_matrix(np.full((100, 100), 3))
    assert deal(X, share).observed.sum() / X.sum() == pytest.approx(share, abs=0.01)


def test_counts_that_cannot_be_dealt():
    with refused("counts", "integers", "non-negative"):
        deal([[0.5, 1]])
    with refused("counts", "integers", "non-negative"):
        deal([[-1, 1]])
    with refused("share", "between 0 and 1", "got 1.5"):
        deal([[1]], 1.5)


# --- perplexity ----------------------------------------------------------------------------------


def slow_perplexity(topics, mixtures, held):
    held = held.toarray()
    return math.exp(-(held * np.log(mixtures @ topics)).sum() / held.sum())


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_perplexity_equals_dense_arithmetic(kind, tiny_blocks):
    for seed in range(20):
        held, mixtures, topics = draw(seed)
        found = completion_perplexity(kind(topics), kind(mixtures), kind(held.toarray()))
        assert found == pytest.approx(slow_perplexity(topics, mixtures, held))


@pytest.mark.parametrize("n_words", [1, 2, 100])
def test_uniform_topics_leave_every_word_open(n_words):
    topics = np.full((3, n_words), 1 / n_words)
    held = np.ones((2, n_words))
    assert completion_perplexity(topics, [[1, 0, 0], [0, 0.5, 0.5]], held) == pytest.approx(n_words)


def test_perplexity_on_paper():
    # the words have probabilities 1/2, 1/2 and 1/8, so the perplexity is (2 * 2 * 8) ** (1/3)
    topics = [[0.5, 0.5, 0], [0, 0.75, 0.25]]
    held = [[1, 1, 0], [0, 0, 1]]
    mixtures = [[1, 0], [0.5, 0.5]]
    assert completion_perplexity(topics, mixtures, held) == pytest.approx(32 ** (1 / 3))


def test_an_impossible_word_is_infinitely_surprising():
    assert completion_perplexity([[1, 0]], [[1]], [[5, 1]]) == math.inf
    assert completion_perplexity([[1, 0]], [[0]], [[5, 0]]) == math.inf  # the mixture is zero
    assert completion_perplexity([[1, 0]], [[1]], sp.csr_matrix([[5, 0]])) == 1


def test_likelihoods_of_chunks_add():
    held, mixtures, topics = draw(5)
    whole = completion_likelihood(topics, mixtures, held)
    total = Likelihood(0.0, 0.0)
    for start, stop in pairwise([0, 1, 4, 7]):
        total = total.merge(completion_likelihood(topics, mixtures[start:stop], held[start:stop]))
    assert astuple(total) == pytest.approx(astuple(whole))
    assert total.n_tokens == held.sum()


def test_nothing_held_out_has_no_perplexity():
    with refused("no word", "held out"):
        completion_perplexity([[1.0]], [[1.0]], [[0]])


def test_what_is_no_distribution_is_refused():
    with refused("topics", "distributions"):
        completion_perplexity([[2, 1]], [[1]], [[1, 1]])
    with refused("mixtures", "distributions"):
        completion_perplexity([[0.5, 0.5]], [[-1]], [[1, 1]])
    with refused("2 x 2", "codes 1 x 1", "topics 1 x 2"):
        completion_perplexity([[0.5, 0.5]], [[1]], [[1, 1], [1, 1]])


def test_mixtures():
    assert as_mixtures(sp.csr_matrix([[2, 2], [0, 5]])).tolist() == [[0.5, 0.5], [0, 1]]
    assert as_mixtures([[0, 0]], [3, 1]).tolist() == [[0.75, 0.25]]
    with refused("Codes", "negative"):
        as_mixtures([[-1, 2]])


def test_shuffled_words_are_foreseen_worse(planted):
    corpus, _ = planted
    observed, held = deal(corpus.counts)
    model = PLSA(5, random_state=0).fit(observed)
    topics, mixtures = model.components_, model.transform(observed)
    good = completion_perplexity(topics, mixtures, held)
    words = np.random.default_rng(0).permutation(topics.shape[1])
    topics_lost = completion_perplexity(topics[:, words], mixtures, held)
    mixtures_lost = completion_perplexity(topics, mixtures[np.roll(np.arange(300), 7)], held)
    assert good * 1.5 < min(topics_lost, mixtures_lost)
    assert good < corpus.shape[1]


# --- reconstruction ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_error_equals_dense_arithmetic(kind, tiny_blocks):
    for seed in range(20):
        X, codes, components = draw(seed)
        left = X.toarray() - codes @ components
        expected = (left**2).sum() / (X.toarray() ** 2).sum()
        assert reconstruction_error(X, kind(codes), kind(components)) == pytest.approx(expected)


def test_error_on_paper():
    X = [[3.0, 0], [0, 4]]
    assert reconstruction_error(X, [[3, 0], [0, 4]], np.eye(2)) == 0
    assert reconstruction_error(X, [[3, 0], [0, 2]], np.eye(2)) == pytest.approx(4 / 25)
    assert reconstruction_error(X, np.zeros((2, 2)), np.eye(2)) == 1
    # the codes are twice too large
    assert reconstruction_error(X, [[6, 0], [0, 8]], np.eye(2)) == 1


def test_error_of_nothing():
    assert reconstruction_error(np.zeros((2, 2)), np.zeros((2, 1)), np.zeros((1, 2))) == 0
    assert reconstruction_error(np.zeros((2, 2)), np.ones((2, 1)), np.ones((1, 2))) == math.inf
    assert Squares(0.0, -1e-18).share == 0


@given(seeds, st.integers(1, 6))
def test_squares_of_chunks_add(seed, cut):
    X, codes, components = draw(seed)
    whole = reconstruction_squares(X, codes, components)
    parts = [
        reconstruction_squares(X[rows], codes[rows], components)
        for rows in (slice(None, cut), slice(cut, None))
    ]
    assert astuple(parts[0].merge(parts[1])) == pytest.approx(astuple(whole))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_unexplained_is_the_residual_of_least_squares(kind, tiny_blocks):
    for seed in range(20):
        X, codes, _ = draw(seed)
        # this topic is a linear combination of the other topics
        codes[:, 2] = codes[:, 0] - 2 * codes[:, 1]
        dense = X.toarray().astype(float)
        left = dense - codes @ np.linalg.lstsq(codes, dense, rcond=None)[0]
        expected = (left**2).sum() / (dense**2).sum()
        assert unexplained(X, kind(codes)) == pytest.approx(expected, abs=1e-9)


def test_unexplained_has_bounds():
    X, codes, _ = draw(1)
    assert unexplained(X, np.zeros((7, 3))) == 1
    assert unexplained(X, np.eye(7)) == pytest.approx(0, abs=1e-12)
    assert unexplained(np.zeros((7, 2)), codes) == 0
    whole, parts = (
        code_products(X, codes),
        [code_products(X[:3], codes[:3]), code_products(X[3:], codes[3:])],
    )
    assert parts[0].merge(parts[1]).unexplained == pytest.approx(whole.unexplained)
    assert unexplained(X, codes) <= reconstruction_error(X, codes, np.ones((3, 6)))


def test_shapes_that_do_not_fit():
    with refused("documents are 2 x 3", "codes 2 x 1", "topics 1 x 4"):
        reconstruction_error(np.ones((2, 3)), np.ones((2, 1)), np.ones((1, 4)))
    with refused("codes 5 x 1", "2 x 3"):
        unexplained(np.ones((2, 3)), np.ones((5, 1)))


def test_documents_are_never_dense():
    """A matrix of a million documents x a million words needs only a few megabytes."""
    n = 1_000_000
    at = np.random.default_rng(0).integers(n, size=(2, 1000))
    X = sp.csr_matrix((np.ones(1000), at), shape=(n, n))
    assert reconstruction_error(X, sp.csr_matrix((n, 1)), sp.csr_matrix((1, n))) == 1
    assert unexplained(X, sp.csr_matrix((n, 1))) == 1
    observed, held = deal(X)
    assert observed.sum() + held.sum() == X.sum()


def test_the_size_of_codes_says_nothing_of_what_they_give_back():
    draw = np.random.default_rng(0)
    codes, X = draw.random((30, 3)), draw.random((30, 8))
    for scale in (1e-9, 1e-120):
        small = codes * [scale, 1, 1]
        assert unexplained(X, small) == pytest.approx(unexplained(X, codes), rel=1e-9)


def test_a_seed_too_large_is_refused():
    with refused("random_state", "1180591620717411303424"):
        deal([[1]], random_state=2**70)
