"""Tests of the checks of matrices that are passed to estimators."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import laconic
from laconic.corpus.inputs import check_matrix
from tests.messages import refused


@pytest.mark.parametrize("wrap", [np.asarray, pd.DataFrame])
def test_missing_values_are_to_be_filled_in(wrap: type) -> None:
    X = np.array([[1.0, 2.0], [3.0, np.nan]])
    with refused("NaN", "SimpleImputer"):
        laconic.SparseLSA(1).fit(wrap(X))
    model = laconic.PLSA(1).fit(laconic.Corpus([[1, 2], [3, 1]], ["cat", "dog"]))
    with refused("NaN", "SimpleImputer"):
        model.transform(X)


def test_infinite_values_are_not_missing() -> None:
    with refused("infinity", kind=ValueError, golden=False) as caught:
        laconic.SparseLSA(1).fit(np.array([[1.0, np.inf]]))
    assert "SimpleImputer" not in str(caught.value)


def test_indices_of_64_bits_become_32_bits() -> None:
    counts = sp.csr_matrix(np.eye(3))
    wide = counts.copy()
    wide.indices, wide.indptr = counts.indices.astype(np.int64), counts.indptr.astype(np.int64)
    checked = check_matrix(laconic.PLSA(2), wide, reset=True)
    assert checked.indices.dtype == checked.indptr.dtype == np.int32
    assert wide.indices.dtype == np.int64  # the matrix of the caller is not changed
    assert (checked != counts).nnz == 0
