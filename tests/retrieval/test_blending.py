"""Tests of how scores of words and scores of the background are combined."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from laconic.datasets import make_topics
from laconic.retrieval.blending import (
    FEEDBACK,
    agreement,
    background_weight,
    blend,
    deviation,
    feedback,
    synthetic_queries,
)

SIZES = st.integers(1, 40)


class Whole(NamedTuple):
    """Scores of all documents; 0 for those that are not among the best."""

    score: np.ndarray
    lexical: np.ndarray
    background: np.ndarray


def whole(lexical, background, weight) -> Whole:
    """Blend the scores of all documents."""
    lexical, background = np.asarray(lexical, np.float32), np.asarray(background, np.float32)
    best = blend(lexical, background, weight, max(len(lexical), 1))
    parts = np.zeros((2, len(lexical)), np.float32)
    parts[:, best.rows] = best.lexical, best.background
    return Whole(parts.sum(axis=0), *parts)


VALUES = st.floats(0, 100, width=32, allow_subnormal=False)


@st.composite
def two_scores(draw):
    n = draw(SIZES)
    both = arrays(np.float32, (2, n), elements=VALUES)
    return draw(both)


@given(two_scores(), st.floats(0, 5))
def test_parts_add_up_and_each_keeps_its_order(scores, weight):
    lexical, background = scores
    found = whole(lexical, background, weight)
    assert np.array_equal(found.score, found.lexical + found.background)
    assert found.score.dtype == np.float32
    assert np.isfinite(found.score).all()
    for part, given_part in ((found.lexical, lexical), (found.background, background)):
        assert (np.diff(part[np.argsort(given_part, kind="stable")]) >= 0).all()


@given(two_scores(), st.floats(2**-8, 2**8))
def test_units_do_not_matter(scores, factor):
    lexical, background = scores
    once, again = (whole(lexical, times * background, 0.7) for times in (1, np.float32(factor)))
    np.testing.assert_allclose(once.score, again.score, rtol=1e-3, atol=1e-4)


def test_without_weight_it_is_the_words_alone():
    lexical, background = np.array([3.0, 1.0, 2.0]), np.array([0.1, 0.9, 0.3])
    assert whole(lexical, background, 0).score.argsort().tolist() == [1, 2, 0]
    assert whole(lexical, background, 100).score.argsort().tolist() == [0, 2, 1]


@pytest.mark.parametrize("n", [1, 4])
def test_equal_scores_still_count(n):
    assert whole(np.full(n, 0.3), np.zeros(n), 0.5).lexical.tolist() == [1.0] * n
    found = whole(np.full(n, 7.0), np.zeros(n), 0.5)
    assert (found.score > 0).all()
    assert not found.background.any()


def test_rounding_is_no_deviation():
    nearly = np.array([1, 1 + 1e-7, 1], dtype=np.float32)
    assert deviation(nearly) == pytest.approx(1, rel=1e-6)


def test_no_documents():
    assert whole(np.zeros(0), np.zeros(0), 1.0).score.shape == (0,)


def test_queries_are_words_of_their_document():
    corpus, _ = make_topics(50, 80, 3, document_length=30, random_state=1)
    counts = corpus.counts
    queries = synthetic_queries(counts, n=20, n_words=6)
    assert len(queries) == len({row for row, _ in queries}) == 20
    for row, columns in queries:
        assert len(columns) == 6
        drawn = np.bincount(columns, minlength=counts.shape[1])
        assert (drawn <= counts[[row]].toarray().ravel()).all()


def test_queries_depend_on_the_seed_alone():
    corpus, _ = make_topics(50, 80, 3, document_length=30, random_state=1)
    first, again, other = (synthetic_queries(corpus.counts, n=5, seed=seed) for seed in (0, 0, 1))
    assert [row for row, _ in first] == [row for row, _ in again]
    assert all(np.array_equal(a, b) for (_, a), (_, b) in zip(first, again, strict=True))
    assert [row for row, _ in first] != [row for row, _ in other]


def test_documents_of_few_words_ask_nothing():
    assert synthetic_queries(sp.csr_matrix([[1, 1, 0], [0, 0, 0]])) == []
    assert synthetic_queries(sp.csr_matrix((0, 3))) == []


def draws(noise, n_documents=500, n=60):
    """Yield queries whose background scores agree less with word scores if `noise` is larger."""
    random = np.random.default_rng(0)
    for row in range(n):
        lexical = random.random(n_documents)
        yield row, lexical, lexical + noise * random.random(n_documents)


def test_agreement_falls_with_what_the_background_has_lost():
    found = [agreement(draws(noise)) for noise in (0, 0.1, 1, 1000)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.85
    assert found[-1] < 0.1


def test_agreement_is_without_the_document_itself():
    scores = np.zeros(2000)
    scores[:3] = [9, 2, 1]
    others = np.zeros(2000)
    others[[0, 7, 8]] = [9, 2, 1]
    assert agreement([(0, scores, others)] * 90) < 0.05


@pytest.mark.parametrize("n_documents", [1, 2])
def test_too_few_documents_to_compare(n_documents):
    scores = np.ones(n_documents)
    assert agreement([(0, scores, scores)] * 5) == 0.25


def test_words_that_find_nothing_say_nothing():
    nothing, something = np.zeros(300), np.arange(300.0)
    assert agreement([(0, nothing, something)] * 9) == 0.25
    assert agreement([(0, something, nothing)] * 9) < 0.25


def test_scores_are_left_as_they_are():
    scores = np.arange(5.0)
    scores.flags.writeable = False  # writing to the scores would raise an error
    agreement([(4, scores, scores)])
    assert scores.tolist() == [0, 1, 2, 3, 4]


def test_the_weight_follows_the_agreement():
    assert background_weight(0) == 0
    assert background_weight(0.4) == pytest.approx(4 * background_weight(0.2))


def test_feedback_moves_towards_the_documents():
    random = np.random.default_rng(2)
    code, best = random.random(8), random.random((FEEDBACK, 8))

    def cosine(a, b):
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    moved = feedback(code, best)
    assert cosine(moved, best[0]) > cosine(code, best[0])
    assert cosine(moved, code) > cosine(best[0], code)
    np.testing.assert_allclose(feedback(5 * code, 3 * best), moved)


def test_the_first_document_counts_most():
    first, second = np.eye(2)
    moved = feedback(np.zeros(2), np.array([first, second]))
    assert moved[0] == pytest.approx(2 * moved[1])


def test_no_documents_leave_the_code():
    assert feedback(np.array([0.0, 2.0]), np.zeros((0, 2))).tolist() == [0.0, 1.0]
