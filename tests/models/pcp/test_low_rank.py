"""Tests of the low-rank background, which is stored as factors, and of split documents."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from laconic.models.pcp.low_rank import LowRank
from tests.messages import refused
from tests.models.pcp.fits import fit


def test_low_rank():
    random = np.random.default_rng(0)
    codes, components = random.normal(size=(5, 2)), random.normal(size=(2, 4))
    L, dense = LowRank(codes, components), codes @ components
    assert L.shape == (5, 4)
    assert len(L) == 5
    assert L.dtype == np.float64
    assert repr(L) == "LowRank(5 x 4, rank 2)"
    np.testing.assert_array_equal(L.toarray(), dense)
    np.testing.assert_array_equal(np.asarray(L), dense)
    assert np.asarray(L, dtype=np.float32).dtype == np.float32
    for rows in (slice(1, 3), [4, 0], np.array([True, False, True, False, False])):
        part = L[rows]
        np.testing.assert_array_equal(part.toarray(), dense[rows])
        assert part.shape == dense[rows].shape
    S = sp.random(5, 4, 0.5, format="csr", random_state=0)
    for total in (L + S, S + L, L + S.toarray(), S.toarray() + L):
        assert isinstance(total, np.ndarray)
        np.testing.assert_allclose(total, dense + S.toarray())


def test_low_rank_is_indexed_by_documents_only():
    L = LowRank(np.ones((3, 2)), np.ones((2, 4)))
    for place in (1, (slice(None), 1)):
        with refused("documents", kind=IndexError):
            L[place]


def test_a_split_is_a_pair(counts):
    parts = fit(counts, 3).split(counts)
    background, keywords = parts
    assert background is parts.background
    assert keywords is parts.keywords
    assert isinstance(background, LowRank)
    assert sp.issparse(keywords)
