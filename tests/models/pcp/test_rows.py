"""Tests of how PCP(solver="exact") splits new documents."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from laconic.models.pcp.rows import Document, RowPursuit
from tests.models.pcp import reference
from tests.models.pcp.fits import distance, draw_counts
from tests.models.pcp.fits import fit as fit_any

numbers = st.integers(0, 10**6)
factors = st.sampled_from([0.3, 1.0, 2.0, 4.0, 10.0])


def fit(X, **params):
    return fit_any(X, solver="exact", **{"max_iter": 1000, **params})


def draw_basis(random, rank, n_words):
    """Draw an orthonormal basis and singular values from tiny to large."""
    basis = np.linalg.qr(random.normal(size=(n_words, rank)))[0].T
    return basis, 10.0 ** random.uniform(-4, 2, rank)


def split_one(d, basis, values, penalty):
    """Split one document; return its background l and its sparse part s, which add up to it."""
    pursuit = RowPursuit.of(basis, values, penalty)
    codes, S = pursuit.split(sp.csr_matrix(d[None]))
    s = S.toarray()[0]
    np.testing.assert_allclose(codes[0], basis @ (d - s), atol=1e-9 * (1 + np.abs(d).max()))
    return d - s, s


def check_optimal(d, basis, values, penalty, gap=1e-6):
    """Check that a lower bound from a dual point proves the result."""
    pursuit = RowPursuit.of(basis, values, penalty)
    document = Document(pursuit, np.arange(len(d)), d)
    document.solve()
    low, basis = np.zeros(len(d)), pursuit.words.T
    low[document.columns] = document.rest
    objective = reference.row_objective(d, low, document.own, basis, values, penalty)
    bound = reference.row_bound(d, document._dual(), basis, values, penalty)
    assert objective - bound <= gap * objective


@given(numbers, st.floats(0.02, 3.0), st.booleans())
@settings(max_examples=40)
def test_documents_are_optimal_for_any_basis(seed, penalty, signed):
    random = np.random.default_rng(seed)
    n_words = int(random.integers(1, 25))
    basis, values = draw_basis(random, int(random.integers(0, n_words + 1)), n_words)
    d = random.poisson(1.0, n_words) * 10.0 ** random.uniform(-2, 3)
    if signed:
        d = d * random.choice([-1, 1], n_words)
    assume(d.any())
    check_optimal(d, basis, values, penalty, gap=1e-5)


@given(numbers, factors)
@settings(max_examples=10)
def test_documents_are_optimal_for_a_fitted_background(seed, c):
    X = draw_counts(seed)
    assume(X.any())
    model = fit(X, c=c)
    new = np.random.default_rng(seed + 1).poisson(X[:3] + 0.2).astype(float)
    for d in np.vstack([new, X[:3]]):
        if d.any():
            check_optimal(d, model.components_, model.singular_values_, model.alpha_)


@pytest.mark.parametrize("penalty", [0.3, 0.6])
@pytest.mark.parametrize("rank", [0, 6, 15])
def test_sparse_part_of_the_reference(rank, penalty):
    random = np.random.default_rng(rank)
    basis, values = draw_basis(random, rank, 15)
    values = 0.5 + values
    d = random.poisson(1.5, 15).astype(float)
    low, _ = split_one(d, basis, values, penalty)
    np.testing.assert_allclose(low, reference.split_row(d, basis, values, penalty), atol=1e-4)


def test_no_background_and_no_document():
    values = np.zeros(0)
    d = np.array([3.0, 0, 4, 0])
    for penalty, share in ((1.0, 1), (0.9, 1), (0.5, 0)):  # s = d if λ √(number of words) < 1
        low, _ = split_one(d, np.zeros((0, 4)), values, penalty)
        np.testing.assert_allclose(low, share * d, atol=1e-5)
    low, s = split_one(np.zeros(4), np.eye(4)[:2], np.ones(2), 0.5)
    assert not low.any()
    assert not s.any()
    stored_zeros = sp.csr_matrix((np.array([0.0, 3]), [0, 1], [0, 2]), shape=(1, 4))
    _, S = RowPursuit.of(np.eye(4)[:2], np.ones(2), 0.1).split(stored_zeros)
    assert S.nnz == 1


def test_words_that_do_not_occur_can_be_in_the_sparse_part():
    basis = np.array([[1.0, 1, 1]]) / np.sqrt(3)
    low, s = split_one(np.array([5.0, 5, 0]), basis, np.array([100.0]), 0.1)
    assert s[2] < -3
    np.testing.assert_allclose(low[2], -s[2])


@pytest.mark.parametrize("c", [1.5, 4.0])
def test_documents_of_the_fit_keep_their_parts(c):
    X, _, _ = reference.topics_and_keywords(30, 40, 3, 1, length=50)
    model = fit(X, c=c, tol=1e-7, max_iter=3000)
    parts = model.split(X)
    assert distance(parts.keywords.toarray(), model.keywords_.toarray()) <= 2e-3
    assert distance(parts.background.toarray(), X - model.keywords_.toarray()) <= 2e-3


@pytest.mark.parametrize("c", [2.0, 3.0])
def test_new_documents_have_the_keywords_of_a_fit_with_them(c):
    X, _, _ = reference.topics_and_keywords(90, 120, 4, 2, length=60)
    model = fit(X[:80], c=c)
    found = model.keywords(X[80:]).toarray()
    S = fit(X, alpha=model.alpha_).keywords_.toarray()[80:]
    expected = np.where(X[80:] > 0, np.maximum(S, 0), 0)
    assert distance(found, expected) <= 0.2
    n_found, n_expected = np.count_nonzero(found > 1e-3), np.count_nonzero(expected > 1e-3)
    assert 0.8 <= n_found / n_expected <= 1.4
    own = model.keywords(X[:80]).toarray()
    per_document = n_found / 10, np.count_nonzero(own > 1e-3) / 80
    assert 0.6 <= per_document[0] / per_document[1] <= 1.6


def test_each_document_is_split_alone():
    X = reference.topics_and_keywords(30, 40, 3, 1, length=50)[0]
    model = fit(X[:20], c=2.0)
    X[20] *= 1e3
    whole = model.split(X)
    for row in (0, 20, 21, 29):
        alone = model.split(X[row : row + 1])
        np.testing.assert_array_equal(alone.background.codes, whole.background.codes[[row]])
        np.testing.assert_array_equal(alone.background.toarray(), whole.background[[row]].toarray())
        np.testing.assert_array_equal(alone.keywords.toarray(), whole.keywords[row].toarray())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parts_add_up(dtype):
    X = reference.topics_and_keywords(30, 40, 3, 1, length=50)[0].astype(dtype)
    model = fit(X[:20], c=2.0)
    background, keywords = model.split(X[20:])
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(background + keywords, X[20:], rtol=4 * eps, atol=10 * eps)
    inside = background.toarray() @ model.components_.T
    np.testing.assert_allclose(background.codes, inside, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(model.transform(X[20:]).toarray(), background.codes, rtol=1e-6)
    outside = background.toarray() - background.codes @ background.components
    assert np.linalg.norm(outside) > 0.1  # new documents have a part of their own


def test_keywords_are_the_positive_part_at_words_that_occur():
    X = draw_counts(13)
    model = fit(X, c=1.5)
    S = model.split(X).keywords.toarray()
    assert (S < 0).any()
    found = model.keywords(X)
    assert sp.issparse(found)
    assert found.has_sorted_indices
    assert (found.data > 0).all()
    np.testing.assert_allclose(found.toarray(), np.where(X > 0, np.maximum(S, 0), 0), atol=1e-9)
    absent = X.copy()
    absent[:, X.sum(axis=0).argmax()] = 0
    assert not model.keywords(absent).toarray()[absent == 0].any()
