"""Tests of the implicit update of U, which stays orthonormal for equal or empty topics."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic.corpus.chunks import memory_chunks
from laconic.engines.base import Serial
from laconic.models.penalties import L1, NonNegative
from laconic.models.sparse_lsa import procrustes
from laconic.models.sparse_lsa.completion import CurrentFit, worst_documents
from laconic.models.sparse_lsa.procrustes import Procrustes, inverse_root, sum_products
from tests.models.sparse_lsa import reference


def solver_for(X, start, alpha, bounds=None):
    """Return a solver without momentum that starts at W = prox(start), and its chunks."""
    chunks = memory_chunks(sp.csr_matrix(X), bounds)
    alphas = np.full(start.shape[1], alpha)
    solver = Procrustes(
        start, alphas, L1, square=np.sum(X**2), tol=0, engine=Serial(), chunks=chunks, momentum=0.0
    )
    return solver, chunks


def next_topics(X, solver, bounds=None):
    """Return B = U'X of the next pass, which a solver without penalty finds at the same W."""
    free, chunks = solver_for(X, solver.W.toarray(), 0.0, bounds)
    free.update(Serial().map_reduce(sum_products, free.params, chunks))
    return free.W.toarray().T


def descend(solver, chunks):
    """Return the objective of each pass until only rounding errors remain."""
    values = []
    for _ in range(1500):
        update = solver.update(Serial().map_reduce(sum_products, solver.params, chunks))
        if update.converged:
            return values
        values.append(update.objective)
    return values


def orthonormal_for(X, B):
    """Return the U with U'X = B, which is unique because X has full row rank."""
    return np.linalg.lstsq(X.T, B.T, rcond=None)[0]


def wide_documents(seed, n_documents=9, n_words=30):
    X = np.random.default_rng(seed).standard_normal((n_documents, n_words))
    assert np.linalg.matrix_rank(X) == n_documents
    return X


START = {
    "a topic twice": [0, 1, 2, 0],
    "a topic three times": [0, 0, 0, 1],
    "two topics twice": [0, 1, 0, 1],
}


@pytest.mark.parametrize("alike", START.values(), ids=START.keys())
@pytest.mark.parametrize("bounds", [[0, 9], [0, 2, 3, 7, 9]], ids=["whole", "chunked"])
def test_u_is_orthonormal_where_topics_are_alike(alike, bounds):
    X = wide_documents(1)
    solver, _ = solver_for(X, X[alike].T.copy(), 0.1, bounds)
    before = solver.W.toarray()
    B = next_topics(X, solver, bounds)
    U = orthonormal_for(X, B)
    np.testing.assert_allclose(U.T @ X, B, atol=1e-8)
    np.testing.assert_allclose(U.T @ U, np.eye(4), atol=1e-6)
    # U is also optimal for the topics before the step
    best = np.linalg.norm(X @ before, "nuc")
    assert np.sum(U * (X @ before)) == pytest.approx(best, rel=1e-8)


@pytest.mark.parametrize("dead", [[0], [1, 3], [0, 1, 2, 3]])
def test_dead_topics_are_filled_by_the_worst_explained_documents(dead):
    X = wide_documents(2)
    start = X[:4].T.copy()
    start[:, dead] = 0
    solver, chunks = solver_for(X, start, 0.1)
    update = solver.update(Serial().map_reduce(sum_products, solver.params, chunks))
    assert (np.diff(solver.W.tocsc().indptr) > 0).all()
    penalty = reference.l1(0.1)
    A = solver.W.toarray().T
    assert reference.best_objective(X, A, penalty) <= update.objective + 1e-9


@given(
    seed=st.integers(0, 10**6),
    picked=st.lists(st.integers(0, 8), min_size=1, max_size=6),
    alpha=st.sampled_from([0.0, 0.3, 1.5]),
)
def test_objective_of_each_pass_is_the_explicit_one(seed, picked, alpha):
    """This holds for any start, even with equal topics and topics that the threshold empties."""
    X = wide_documents(seed)
    penalty = reference.l1(alpha)
    solver, chunks = solver_for(X, X[picked].T.copy(), alpha)
    last = np.inf
    for _ in range(4):
        stats = Serial().map_reduce(sum_products, solver.params, chunks)
        U = orthonormal_for(X, next_topics(X, solver))
        np.testing.assert_allclose(U.T @ U, np.eye(len(picked)), atol=1e-5)
        update = solver.update(stats)
        if update.converged:
            break
        explicit = reference.objective(X, U, solver.W.toarray().T, penalty)
        assert update.objective == pytest.approx(explicit, rel=1e-7)
        assert update.objective <= last * (1 + 1e-12)
        last = update.objective


def test_copies_of_documents_leave_no_hole_in_u():
    """The first documents are equal, so that the paper's start has equal topics."""
    X = np.abs(wide_documents(3))
    X[1] = X[2] = X[0]
    solver, chunks = solver_for(X, X[:4].T.copy(), 0.2)
    values = descend(solver, chunks)
    assert np.all(np.diff(values) <= 0)
    explicit = reference.best_objective(X, solver.W.toarray().T, reference.l1(0.2))
    assert explicit == pytest.approx(values[-1], rel=1e-6)


def test_more_missing_than_documents_can_fill():
    """With six topics for four different documents, some stay empty and the objective falls."""
    random = np.random.default_rng(0)
    X = np.repeat(random.random((4, 20)), 3, axis=0)
    solver, chunks = solver_for(X, X[:6].T.copy(), 0.1)
    values = descend(solver, chunks)
    assert np.all(np.diff(values) <= 1e-12 * values[0])
    explicit = reference.best_objective(X, solver.W.toarray().T, reference.l1(0.1))
    assert explicit == pytest.approx(values[-1], rel=1e-5)


def test_inverse_root_and_null_space():
    random = np.random.default_rng(0)
    V = random.standard_normal((20, 3)) @ random.standard_normal((3, 5))
    root, null, _ = inverse_root(V.T @ V)
    assert null.shape == (5, 2)
    np.testing.assert_allclose(V @ null, 0, atol=1e-9)
    np.testing.assert_allclose(null.T @ null, np.eye(2), atol=1e-12)
    U = V @ root
    np.testing.assert_allclose(U.T @ U, np.eye(5) - null @ null.T, atol=1e-8)
    root, null, _ = inverse_root(np.diag([1.0, 1e-8]))  # a small eigenvalue is not treated as zero
    assert null.shape == (2, 0)
    np.testing.assert_allclose(root, np.diag([1.0, 1e4]), rtol=1e-9)


def test_inverse_root_of_nothing():
    root, null, _ = inverse_root(np.zeros((3, 3)))
    assert not root.any()
    assert null.shape == (3, 3)


def test_worst_documents_are_those_with_the_largest_residuals():
    X = wide_documents(4)
    W = X[:3].T.copy()
    solver, chunks = solver_for(X, W, 0.0, [0, 4, 9])
    stats = Serial().map_reduce(sum_products, solver.params, chunks)
    root, _, _ = inverse_root(stats.gram)
    U = X @ W @ root
    residuals = np.sum((X - U @ W.T) ** 2, axis=1)
    about = CurrentFit(sp.csr_matrix(W), root, W.T @ W)
    worst = Serial().map_reduce(worst_documents, (about, 4), chunks)
    order = np.argsort(-residuals)[:4]
    np.testing.assert_allclose(worst.residuals, residuals[order], rtol=1e-4)  # rounding errors
    np.testing.assert_allclose(worst.X.toarray(), X[order])
    np.testing.assert_allclose(worst.V, (X @ W)[order])


@pytest.mark.parametrize("penalty", [L1, NonNegative])
def test_screened_passes_end_at_a_fixed_point_of_complete_passes(monkeypatch, penalty):
    monkeypatch.setattr(procrustes, "SCREENED_SHARE", 1.0)
    X = np.maximum(reference.documents(3, 60, 40, density=0.3), 0)
    chunks = memory_chunks(sp.csr_matrix(X), [0, 25, 60])
    solver = Procrustes(
        X[:5].T.copy(), np.full(5, 0.4), penalty,
        square=np.sum(X**2), tol=0, engine=Serial(), chunks=chunks,
    )  # fmt: skip
    screened = []
    original = Procrustes._screened
    monkeypatch.setattr(
        Procrustes, "_screened", lambda *a: screened.append(original(*a)) or screened[-1]
    )
    objectives = [value for value in descend(solver, chunks) if value is not None]
    assert sum(result is not None for result in screened) > len(screened) / 2
    assert np.all(np.diff(objectives) <= 0)
    A = solver.W.toarray().T
    U = reference.polar(X @ A.T)
    B = U.T @ X if penalty is L1 else np.maximum(U.T @ X, 0)
    np.testing.assert_allclose(A, reference.l1(0.4).prox(B), atol=1e-5)
    exact = 0.5 * np.sum((X - U @ A) ** 2) + 0.4 * np.abs(A).sum()
    np.testing.assert_allclose(objectives[-1], exact)
