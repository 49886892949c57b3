"""Tests of the rotation that makes the initial topics of Sparse LSA sparse."""

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from laconic.corpus.chunks import memory_chunks
from laconic.engines.base import Serial
from laconic.models.sparse_lsa import starts
from tests.models.sparse_lsa import reference


def energy(B, alpha):
    return np.sum(np.maximum(np.abs(B) - alpha, 0) ** 2)


def test_rotation_keeps_angles_and_finds_sparse_topics():
    random = np.random.default_rng(0)
    sparse = random.standard_normal((200, 6)) * (random.random((200, 6)) < 0.1)
    turned = sparse @ reference.polar(random.standard_normal((6, 6)))
    Q = starts.sparse_rotation(turned, 0.2)
    np.testing.assert_allclose(Q.T @ Q, np.eye(6), atol=1e-10)
    assert energy(turned, 0.2) < 0.85 * energy(sparse, 0.2)
    assert energy(turned @ Q, 0.2) > 0.97 * energy(sparse, 0.2)


def test_rotation_takes_the_steps_of_the_fit_without_documents(monkeypatch):
    B = np.random.default_rng(1).standard_normal((30, 4))
    monkeypatch.setattr(starts, "ROTATIONS", 3)
    momentum, A, Q = starts.ROTATION_MOMENTUM, None, np.eye(4)
    for _ in range(2):
        before, A = A, reference.l1(0.5).prox((B @ Q).T)
        Q = reference.polar(B.T @ (A if before is None else A + momentum * (A - before)).T)
    np.testing.assert_allclose(starts.sparse_rotation(B, 0.5), Q, atol=1e-8)


def test_rotation_stops_if_a_topic_is_empty():
    B = np.array([[3.0, 0.1], [2.0, -0.1]])
    np.testing.assert_array_equal(starts.sparse_rotation(B, 1.0), np.eye(2))


def test_bits_do_not_depend_on_the_number_of_blas_threads():
    X = sp.random(900, 800, 0.05, "csr", np.float32, random_state=0)
    chunks = memory_chunks(X)
    results = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads), Serial() as engine:
            results.append(starts.pivot(engine, X.shape, 420, np.float32, 0, alpha=0.1)(chunks))
    np.testing.assert_array_equal(*results)
