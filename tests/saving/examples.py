"""An estimator that can be saved, and a strict comparison of values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

import laconic
from laconic.models import MODELS

WORDS = ["cat", "Straße", "two\nlines", "back\\slash", "\r", "", "\u2028", "🙂"]


class Keeper(BaseEstimator):
    """An estimator that stores the value that it is fitted with."""

    def __init__(self, option: Any = None, random_state: Any = None) -> None:
        self.option = option
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Keeper:
        self.value_ = X
        return self

    @property
    def computed_(self) -> int:
        return 1


def assert_same(before: Any, after: Any) -> None:
    """Check that two values have the same type and equal contents, bit for bit."""
    assert type(before) is type(after)
    if sparse.issparse(before):
        for part in ("data", "indices", "indptr"):
            assert_same(getattr(before, part), getattr(after, part))
    elif isinstance(before, np.ndarray):
        assert before.dtype == after.dtype
        np.testing.assert_array_equal(before, after)
    else:
        assert before == after


def without_manifest(folder: Path) -> Path:
    """Delete the manifest, whose checksums would detect every change before any other check."""
    (folder / "manifest.json").unlink(missing_ok=True)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files except the manifest, which contains the time."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.stem != "manifest"}


def fitted(name: str, in_pipeline: bool, data: Any, labels: Any) -> Any:
    parameters = {"n_components": 4, "max_iter": 5, "tol": 10.0, "random_state": 0}
    model = laconic.pipeline(name, **parameters) if in_pipeline else MODELS[name](**parameters)
    return model.fit(data, labels)
