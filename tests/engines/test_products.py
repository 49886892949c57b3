"""Tests of sums of X'V that are computed when all chunks are finished."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from laconic.corpus.chunks import MemoryChunk, by_column_too, memory_chunks
from laconic.engines import make_engine
from laconic.engines.products import Products, multiply_columns
from laconic.engines.stats import POOLED, Stats


@dataclass
class Sums(Stats):
    products: Any = field(metadata=POOLED)


def products_step(V: np.ndarray, chunk: MemoryChunk, state: None) -> tuple[Sums, None]:
    X = chunk.load()
    columns = X.tocsc() if chunk.columns is None else chunk.columns
    return Sums(multiply_columns(chunk, X, columns, V[chunk.start : chunk.stop])), None


@pytest.fixture(scope="module")
def documents() -> tuple[sp.csr_matrix, np.ndarray]:
    random = np.random.default_rng(0)
    dense = random.standard_normal((300, 70)) * (random.random((300, 70)) < 0.3)
    dense[:, 5] = 0  # a word that never occurs
    X = sp.csr_matrix(dense.astype(np.float32))
    return X, random.standard_normal((300, 6)).astype(np.float32)


@pytest.mark.parametrize("n_chunks", [1, 2, 7, 30])
@pytest.mark.parametrize(("engine", "workers"), [("serial", 1), ("threads", 1), ("threads", 3)])
def test_deferred_sums_are_merged_arrays_to_the_bit(documents, n_chunks, engine, workers):
    X, V = documents
    bounds = np.linspace(0, X.shape[0], n_chunks + 1).astype(int).tolist()
    chunks = memory_chunks(X, bounds)
    with make_engine("serial", 1, 3) as serial:  # groups of three chunks, merged as a tree
        merged = serial.map_reduce(products_step, V, chunks).products
    with make_engine(engine, workers, 3) as workers_engine:
        deferred = list(map(by_column_too, chunks))
        found = workers_engine.map_reduce(products_step, V, deferred).products
    assert isinstance(found, np.ndarray)
    assert found.tobytes() == merged.tobytes()
    np.testing.assert_allclose(found, X.T @ V, atol=1e-4)


def test_only_chunks_in_memory_with_few_factors_are_deferred(documents):
    X, V = documents
    chunk = by_column_too(memory_chunks(X)[0])
    assert isinstance(multiply_columns(chunk, X, chunk.columns, V), Products)
    assert isinstance(multiply_columns(memory_chunks(X)[0], X, X.tocsc(), V), np.ndarray)
    many = np.ones((300, 100), np.float32)
    assert isinstance(multiply_columns(chunk, X, chunk.columns, many), np.ndarray)


def test_values_replace_the_data(documents):
    X, V = documents
    values = np.random.default_rng(3).standard_normal(X.nnz).astype(np.float32)
    expected = sp.csr_matrix((values, X.indices, X.indptr), X.shape).T @ V
    for chunk in (memory_chunks(X)[0], by_column_too(memory_chunks(X)[0])):
        found = multiply_columns(chunk, X, X.tocsc(), V, values)
        assert isinstance(found, np.ndarray)
        np.testing.assert_allclose(found, expected, atol=1e-4)
    deferred = multiply_columns(chunk, X, chunk.columns, V, values)
    assert deferred.compute().tobytes() == found.tobytes()


def test_deferred_sums_and_arrays_can_be_added(documents):
    X, V = documents
    first, second = (by_column_too(chunk) for chunk in memory_chunks(X, [0, 100, 300]))
    arrays = [
        part.X.T.toarray().astype(np.float64) @ V[part.start : part.stop]
        for part in (first, second)
    ]
    expected = arrays[0] + arrays[1]
    deferred = [products_step(V, part, None)[0] for part in (first, second)]
    array = Sums(deferred[1].products.compute())
    np.testing.assert_allclose(deferred[0].copy().merge(array).products, expected, atol=1e-4)
    array = Sums(deferred[0].products.compute())
    np.testing.assert_allclose(array.merge(deferred[1]).products, expected, atol=1e-4)
