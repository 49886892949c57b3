"""Tests of the checks of matrices that are passed to estimators."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import laconic
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
