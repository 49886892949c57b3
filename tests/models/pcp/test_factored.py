"""Tests of the factored solver: optimal documents, a falling objective, an orthonormal basis."""

from __future__ import annotations

import warnings
from dataclasses import astuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.corpus.chunks import MemoryChunk
from laconic.models.pcp.factored import (
    TARGET_PASSES,
    Basis,
    orthonormal,
    principal,
    random_basis,
    split_rows,
    sum_background,
)
from tests.models.pcp import reference
from tests.models.pcp.fits import distance, draw_counts, fit, principal_of, reference_split

numbers = st.integers(0, 10**6)


# ---- single documents ----


@pytest.mark.parametrize("params", [{"alpha": 1.0}, {"alpha": 3.0}, {}], ids=str)
def test_documents_are_those_of_the_reference(counts, params):
    model = fit(counts, 3, **params)
    assert (model.shrinkage_ < 1).all()  # 60 documents are enough to estimate the shrinkage
    new = np.random.default_rng(1).poisson(counts[:20] + 0.1).astype(float)
    new[0] *= 100  # a document of a very different length
    codes, keywords = reference_split(model, new)
    near = 1e-3 * model.alpha_ * np.sqrt(new.sum(axis=1).max() / model.document_length_)
    np.testing.assert_allclose(model.transform(new).toarray(), codes, atol=near)
    np.testing.assert_allclose(model.keywords(new).toarray(), keywords, atol=near)
    parts = model.split(new)
    np.testing.assert_allclose(parts.background.toarray(), codes @ model.components_, atol=near)


def test_documents_are_optimal(counts):
    """Codes and excesses are optimal, and words below the threshold have no excess."""
    model = fit(counts, 3)
    P = principal_of(model)
    scales = reference.scales_of(counts, model.document_length_)[:, None]
    codes = model.transform(counts).toarray() @ model.rotation_ * scales
    S = model.keywords(counts).toarray() * scales
    D = counts * scales
    np.testing.assert_allclose(codes, model.shrinkage_ * ((D - S) @ P.T), atol=1e-6 * D.max())
    slopes = D - codes @ P - S - model.alpha_
    near = 1e-3 * model.alpha_
    assert np.abs(slopes[S > 0]).max() <= near
    assert slopes[(S == 0) & (model.alpha_ < D)].max() <= near
    assert not S[model.alpha_ >= D].any()


def test_documents_by_hand():
    """The background has one direction; nine extra occurrences of another word are a keyword."""
    X = sp.csr_matrix([[2.0, 2, 0], [4, 4, 0], [3, 3, 9], [1, 1, 0], [6, 6, 0]])
    rows = split_rows(X, Basis.of(np.array([[0.5**0.5], [0.5**0.5], [0]]), 1.0, 8.2))
    S = rows.keywords(X).toarray()
    # the threshold κ grows with the square root of the document's length
    assert S[2, 2] == pytest.approx(9 - np.sqrt(15 / 8.2))
    assert np.count_nonzero(S) == 1
    np.testing.assert_allclose(
        rows.unscaled_codes().ravel(), np.sqrt(2) * X[:, 0].toarray().ravel()
    )


def test_keywords_are_positive_at_words_that_occur(bursts):
    X = bursts[0]
    model = fit(X, 5, alpha=2.0)
    for found in (model.keywords(X), model.keywords(sp.csr_matrix(X)), model.split(X).keywords):
        assert found.format == "csr"
        assert found.has_sorted_indices
        assert found.shape == X.shape
        assert (found.data > 0).all()
        assert not found.toarray()[X == 0].any()
        assert (found != model.keywords_).nnz == 0


def test_split_is_close_to_the_documents(bursts):
    X = bursts[0]
    model = fit(X, 5)
    background, found = model.split(X)
    assert distance(background + found, X) < 0.3
    assert distance(background.toarray(), X) > 0.5
    np.testing.assert_allclose(background.codes, model.transform(X).toarray(), rtol=1e-12)
    assert background.components is model.components_


def test_codes_are_shrunk_along_principal_directions(counts):
    model = fit(counts, 3, alpha=100.0)  # the threshold is so high that no word is a keyword
    codes = model.transform(counts).toarray() @ model.rotation_
    expected = model.shrinkage_ * (counts @ principal_of(model).T)
    np.testing.assert_allclose(codes, expected, atol=1e-9)
    assert model.shrinkage_.max() < 1


# ---- the fit ----


@given(numbers, st.integers(1, 5), st.sampled_from([0.3, 1.0, 4.0]))
def test_objective_never_rises(seed, n_components, alpha):
    X = draw_counts(seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "A background of rank")
        model = fit(X, n_components, alpha=alpha, max_iter=25, tol=0, random_state=seed)
    assert np.all(np.diff(model.objective_) <= 1e-8 * (X**2).sum())
    assert (model.objective_ >= -1e-12 * (X**2).sum()).all()


def test_objective_never_rises_with_a_target(counts):
    for target in (0.5, 2.0, 6.0):
        model = fit(counts, 3, keywords_per_document=target, max_iter=30, tol=0)
        # the objective is recorded only after the passes that adjust κ
        assert len(model.objective_) == model.n_iter_ - TARGET_PASSES
        assert np.all(np.diff(model.objective_) <= 1e-8 * model.objective_[0])


@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_objective_is_computed_directly(counts, alpha):
    model = fit(counts, 3, alpha=alpha)
    direct = reference.total_objective(
        counts, principal_of(model), model.alpha_, model.document_length_
    )
    assert model.objective_[-1] == pytest.approx(direct, rel=1e-6)


def test_every_pass_is_one_of_the_reference(counts):
    """A pass computes codes and excesses of each document, then the best basis for them."""
    seed, alpha = 0, 1.5
    length = counts.sum() / len(counts)
    B = random_basis(40, 3, np.float64, seed).T
    chunk = MemoryChunk(sp.csr_matrix(counts), 0, len(counts))
    scales = reference.scales_of(counts, length)[:, None]
    for _ in range(4):
        basis = Basis.of(np.ascontiguousarray(B.T), alpha, length)
        sums, _ = sum_background(basis, chunk, None)
        codes, S = reference.split(counts, B, alpha, length)
        codes, rest = codes * scales, (counts - S) * scales
        near = 1e-4 * rest.max() * len(counts)
        np.testing.assert_allclose(sums.gram, codes.T @ codes, atol=near)
        np.testing.assert_allclose(sums.products, rest.T @ codes, atol=near)
        assert sums.excess == pytest.approx(np.sum(S * scales), rel=1e-3)
        assert sums.square == pytest.approx(np.sum(rest**2), rel=1e-3)
        assert sums.objective(alpha) == pytest.approx(
            reference.total_objective(counts, B, alpha, length), rel=1e-6
        )
        B = np.linalg.qr(rest.T @ codes)[0].T
        found = orthonormal(sums.products, basis.words)
        np.testing.assert_allclose(found @ found.T, B.T @ B, atol=1e-3)


def test_sums_of_parts_are_those_of_the_whole(counts):
    basis = Basis.of(random_basis(40, 3, np.float64, 0), 1.0, 80.0)
    X = sp.csr_matrix(counts)
    whole, one, other = (
        sum_background(basis, MemoryChunk(X[rows], 0, 60), None)[0]
        for rows in (slice(None), slice(25), slice(25, None))
    )
    for mine, theirs in zip(astuple(one.copy().merge(other)), astuple(whole), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)


def test_the_basis(bursts):
    X = bursts[0]
    model = fit(X, 7)
    B = model.components_
    assert B.shape == (7, 400)
    assert model.rank_ == 7
    np.testing.assert_allclose(B @ B.T, np.eye(7), atol=1e-6)
    np.testing.assert_allclose(model.rotation_ @ model.rotation_.T, np.eye(7), atol=1e-8)
    assert (B[np.arange(7), np.abs(B).argmax(axis=1)] > 0).all()
    assert np.all(np.diff(model.topic_shares_) <= 1e-12)
    assert model.topic_shares_.sum() == pytest.approx(1)
    assert np.all(np.diff(model.singular_values_) <= 0)
    scales = reference.scales_of(X, model.document_length_)[:, None]
    codes, _ = reference.split(X, principal_of(model), model.alpha_, model.document_length_)
    codes *= scales
    gram = codes.T @ codes
    np.testing.assert_allclose(np.sqrt(np.diag(gram)), model.singular_values_, rtol=1e-3)
    off = gram - np.diag(np.diag(gram))
    assert np.abs(off).max() <= 1e-3 * gram.max()
    turned = np.sqrt(np.diag(model.rotation_ @ gram @ model.rotation_.T))
    np.testing.assert_allclose(model.topic_shares_, turned / turned.sum(), rtol=1e-3)


@given(numbers)
def test_orthonormal_columns(seed):
    random = np.random.default_rng(seed)
    A = random.normal(size=(12, 4)) @ random.normal(size=(4, 6))
    before = np.eye(12)[:, :2]
    Q = orthonormal(A, before)
    assert Q.shape == (12, 4)
    np.testing.assert_allclose(Q.T @ Q, np.eye(4), atol=1e-10)
    np.testing.assert_allclose(Q @ (Q.T @ A), A, atol=1e-8)
    assert orthonormal(np.zeros((12, 3)), before) is before
    assert orthonormal(A.astype(np.float32), before).dtype == np.float32


@given(numbers)
def test_principal_directions(seed):
    random = np.random.default_rng(seed)
    words = np.linalg.qr(random.normal(size=(9, 3)))[0]
    codes = random.normal(size=(20, 3)) * [5, 1, 0.2]
    turned, values = principal(words, codes.T @ codes)
    expected = np.linalg.svd(codes @ words.T)[1][:3]
    np.testing.assert_allclose(values, expected, atol=1e-8)
    np.testing.assert_allclose(turned.T @ turned, np.eye(3), atol=1e-10)
    strengths = np.linalg.norm(codes @ words.T @ turned, axis=0)
    np.testing.assert_allclose(strengths, values, atol=1e-8)
    assert (turned[np.abs(turned).argmax(axis=0), range(3)] > 0).all()


def test_single_precision(counts):
    exact, rough = (fit(counts.astype(t), 3, alpha=2.0) for t in ("f8", "f4"))
    for model, dtype in ((exact, "f8"), (rough, "f4")):
        parts = model.split(counts.astype(dtype))
        assert model.components_.dtype == model.keywords_.dtype == dtype
        assert parts.background.dtype == parts.keywords.dtype == dtype
    np.testing.assert_allclose(rough.objective_[-1], exact.objective_[-1], rtol=1e-3)
    assert distance(rough.keywords_.toarray(), exact.keywords_.toarray()) <= 0.02


def test_large_counts_in_single_precision(counts):
    """Documents a hundred thousand times longer cause neither cancellation nor divergence."""
    X = counts * 1e5
    exact, rough = (fit(X.astype(t), 3, alpha=300.0, max_iter=30) for t in ("f8", "f4"))
    assert rough.objective_[-1] == pytest.approx(exact.objective_[-1], rel=1e-2)
    assert np.diff(rough.objective_).max() <= 1e-3 * rough.objective_[-1]
    assert distance(rough.keywords_.toarray(), exact.keywords_.toarray()) <= 0.02
