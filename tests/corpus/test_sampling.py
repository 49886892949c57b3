"""Tests that sampled and selected rows do not depend on the chunks."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from laconic.corpus.chunks import memory_chunks
from laconic.corpus.sampling import draw_rows, sample_documents, take_rows
from laconic.engines.base import Serial


@pytest.fixture
def counts():
    return sp.random(50, 20, 0.3, "csr", random_state=0)


def test_rows_are_drawn_once_and_in_order():
    rows = draw_rows(0, 1000, 100)
    assert len(np.unique(rows)) == 100
    assert (np.diff(rows) > 0).all()
    assert np.array_equal(rows, draw_rows(0, 1000, 100))
    assert not np.array_equal(rows, draw_rows(1, 1000, 100))
    assert draw_rows(0, 5, 7).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("bounds", [[0, 50], [0, 1, 20, 50], list(range(51))])
def test_rows_are_taken_from_any_chunks(counts, bounds):
    rows = np.array([0, 3, 19, 20, 49])
    taken = take_rows(Serial(), memory_chunks(counts, bounds), rows)
    assert np.array_equal(taken.toarray(), counts[rows].toarray())
    drawn = sample_documents(Serial(), memory_chunks(counts, bounds), 10, seed=4)
    assert np.array_equal(drawn.toarray(), counts[draw_rows(4, 50, 10)].toarray())


def test_rows_count_from_the_first_chunk(counts):
    later = memory_chunks(counts, [0, 30, 40, 50])[1:]
    taken = take_rows(Serial(), later, np.array([0, 15]))
    assert np.array_equal(taken.toarray(), counts[[30, 45]].toarray())
