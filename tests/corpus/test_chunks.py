"""Tests of chunks, the small handles to parts of a corpus, in memory and on disk."""

from __future__ import annotations

import pickle
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from laconic import Corpus
from laconic.corpus import sampling
from laconic.corpus.chunks import (
    CHUNK_NONZEROS,
    CHUNK_ROWS,
    MAX_ROWS,
    MappedChunk,
    MemoryChunk,
    chunk_divisor,
    cut_rows,
    memory_chunks,
    row_bounds,
)
from laconic.corpus.matrices import ColumnMap, share_rows
from laconic.corpus.sampling import batches_of
from laconic.corpus.store import DiskChunk


def draw(seed, n, m, density=0.4):
    random = np.random.default_rng(seed)
    return sp.csr_matrix(random.integers(1, 9, (n, m)) * (random.random((n, m)) < density))


@given(
    lengths=st.lists(st.integers(0, 9), max_size=30),
    nonzeros=st.integers(1, 20),
    rows=st.integers(1, 6),
)
def test_borders(lengths, nonzeros, rows):
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    bounds = row_bounds(indptr, nonzeros, rows)
    assert bounds[0] == 0
    assert bounds[-1] == len(lengths)
    for start, stop in pairwise(bounds):
        assert 1 <= stop - start <= rows
        # a chunk is not larger than requested unless it is a single row
        assert indptr[stop] - indptr[start] <= nonzeros or stop == start + 1
        # a chunk is not smaller than necessary
        assert (
            stop - start == rows
            or stop == len(lengths)
            or indptr[stop + 1] > (indptr[start] + nonzeros)
        )


def test_borders_depend_on_the_row_pointer_only():
    X = draw(0, 50, 20)
    wide = X.indptr.astype(np.int64)
    assert row_bounds(X.indptr, 30) == row_bounds(wide, 30)
    assert row_bounds(np.zeros(1, int)) == [0]


@pytest.mark.parametrize(("n_documents", "n_chunks"), [(390, 1), (780, 2), (1000, 4), (2100, 8)])
def test_a_few_chunks_are_shared_evenly(n_documents, n_chunks):
    indptr = np.arange(n_documents + 1) * 1000
    sizes = np.diff(row_bounds(indptr))
    assert len(sizes) == n_chunks
    assert sizes.max() <= 1.1 * sizes.mean() or n_chunks <= 2


@pytest.mark.parametrize("bounds", [None, [0, 20], [0, 1, 2, 15, 20]])
def test_memory_chunks_are_the_matrix(bounds):
    X = draw(1, 20, 8)
    chunks = memory_chunks(X, bounds)
    assert [chunk.start for chunk in chunks] == (bounds or [0, 20])[:-1]
    whole = sp.vstack([chunk.load() for chunk in chunks])
    assert (whole != X).nnz == 0
    assert all(np.shares_memory(chunk.load().data, X.data) for chunk in chunks)
    assert all(chunk.load().indptr[0] == 0 for chunk in chunks)


def test_share_rows_of_nothing():
    X = draw(1, 20, 8)
    assert share_rows(X, 5, 5).shape == (0, 8)


def test_handles_pickle(tmp_path):
    corpus = Corpus(draw(2, 20, 8))
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    columns = ColumnMap(np.arange(8)[::-1].copy(), 8)
    for chunk in (
        *memory_chunks(corpus.counts, [0, 9, 20]),
        *stored.chunks(),
        MappedChunk(stored.chunks()[0], (columns, columns)),
    ):
        again = pickle.loads(pickle.dumps(chunk))
        assert (again.start, again.stop) == (chunk.start, chunk.stop)
        assert (again.load() != chunk.load()).nnz == 0
    disk = stored.chunks()[0]
    assert isinstance(disk, DiskChunk)
    assert len(pickle.dumps(disk)) < 1000  # a chunk holds a path and a range, not the rows


def test_disk_chunks_are_memory_chunks(tmp_path, small_chunks):
    corpus = Corpus(draw(3, 200, 30))
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    here, there = corpus.chunks(), stored.chunks()
    assert len(here) == len(there) > 3
    for one, other in zip(here, there, strict=True):
        assert isinstance(one, MemoryChunk)
        assert (one.start, one.stop) == (other.start, other.stop)
        for part in ("data", "indices", "indptr"):
            assert np.array_equal(getattr(one.load(), part), getattr(other.load(), part))


@given(seed=st.integers(0, 999), n_words=st.integers(1, 12))
def test_column_map_moves_and_drops(seed, n_words):
    random = np.random.default_rng(seed)
    X = draw(seed, 6, 9)
    target = np.full(9, -1)
    moved = random.permutation(9)[: min(9, n_words)]
    target[moved] = random.permutation(n_words)[: len(moved)]
    expected = np.zeros((6, n_words), int)
    for column, place in enumerate(target):
        if place >= 0:
            expected[:, place] = X.toarray()[:, column]
    columns = ColumnMap(target, n_words)
    Y = columns(X)
    assert np.array_equal(Y.toarray(), expected)
    assert Y.has_canonical_format
    twice = np.where(random.random(n_words) < 0.5, -1, np.arange(n_words))
    other = ColumnMap(twice, n_words)
    assert (columns.then(other)(X) != other(Y)).nnz == 0


# ---- parts of chunks ----


def test_finer_chunks_for_small_vocabularies_only():
    divisor = partial(chunk_divisor, n_topics=20, much_work=True)
    assert divisor(0) == divisor(10) == divisor(25_000) == 8
    assert divisor(50_000) == 4
    assert divisor(600_000) == 1
    sizes = [divisor(n_words) for n_words in range(1, 800_000, 1000)]
    assert np.all(np.diff(sizes) <= 0)


def test_larger_chunks_for_large_statistics():
    assert chunk_divisor(100_000, 100) == 1
    assert chunk_divisor(1_000_000, 100) == 0.128
    indptr = np.arange(0, 10_000_001, 10)
    assert row_bounds(indptr)[1] == CHUNK_ROWS
    assert row_bounds(indptr, split=0.5)[1] == 2 * CHUNK_ROWS
    assert row_bounds(indptr, split=0.01)[1] == MAX_ROWS
    assert row_bounds(np.array([0, 5 * CHUNK_NONZEROS, 6 * CHUNK_NONZEROS]), split=0.1) == [0, 2]


@given(lengths=st.lists(st.integers(0, 9), min_size=1, max_size=30), split=st.integers(1, 40))
def test_split_chunks_are_smaller(lengths, split):
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    bounds = row_bounds(indptr, 20, split=split)
    assert bounds == row_bounds(indptr, max(20 // split, 1))


def handles(tmp_path, X):
    """Return chunks of the same rows in memory, on disk, and with mapped columns."""
    stored = Corpus.open(Corpus(X).save(tmp_path / "corpus"))
    columns = ColumnMap(np.arange(X.shape[1])[::-1].copy(), X.shape[1])
    disk = stored.chunks()
    mapped = [MappedChunk(chunk, (columns, columns)) for chunk in disk]
    return {"memory": memory_chunks(X), "disk": disk, "mapped": mapped}


def test_cut_rows(tmp_path, small_chunks):
    X = draw(4, 200, 30)
    for chunks in handles(tmp_path, X).values():
        chunk = chunks[1]
        part = cut_rows(chunk, chunk.start + 2, chunk.stop - 1)
        assert type(part) is type(chunk)
        assert (part.start, part.stop) == (chunk.start + 2, chunk.stop - 1)
        assert (part.load() != X[part.start : part.stop]).nnz == 0
        assert cut_rows(chunk, chunk.start, chunk.start).load().shape == (0, 30)


@pytest.mark.parametrize("size", [1, 7, 64, 199])
def test_batches_hold_every_document_once(tmp_path, small_chunks, size):
    X = draw(5, 200, 30)
    number = sp.csr_matrix(np.arange(1, 201)[:, None])  # the first column numbers the documents
    X = sp.hstack([number, X], format="csr")
    expected = None
    for chunks in handles(tmp_path, X).values():
        pieces, batches = batches_of(chunks, size)
        assert len(batches) == -(-200 // size)
        assert sorted(i for batch in batches for i in batch) == list(range(len(pieces)))
        rows = [sp.vstack([pieces[i].load() for i in batch]).toarray() for batch in batches]
        assert max(len(part) for part in rows) <= size
        found = np.vstack(rows)
        assert np.array_equal(found[np.argsort(found[:, 0])], X.toarray())
        expected = found if expected is None else expected
        assert np.array_equal(found, expected)  # in memory and on disk
        starts = [(piece.start, piece.stop) for piece in pieces]
        assert starts[0][0] == 0
        assert starts[-1][1] == 200
        assert all(one[1] == other[0] for one, other in pairwise(starts))


@pytest.mark.parametrize("strips", [2, 256])
def test_batches_mix_a_sorted_corpus(monkeypatch, strips):
    monkeypatch.setattr(sampling, "STRIPS", strips)
    X = sp.csr_matrix(np.repeat([1, 2], 50)[:, None])
    pieces, batches = batches_of(memory_chunks(X), 10)
    assert len(batches) == 10
    for batch in batches:
        values = np.concatenate([pieces[i].load().toarray().ravel() for i in batch])
        assert np.count_nonzero(values == 1) == np.count_nonzero(values == 2) == 5
