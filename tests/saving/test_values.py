"""Tests of saving every type of value that a fitted model may have."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import Pipeline

from laconic.saving.describe import describe
from laconic.saving.models import load, save
from tests.messages import check, refused
from tests.saving.examples import Keeper, assert_same

pytestmark = pytest.mark.usefixtures("keeper_is_known")
VALUES = [
    None,
    True,
    -3,
    2**80,
    0.1,
    float("inf"),
    "é\n",
    [1, [2.5, None]],
    (1, ("a", 2)),
    {"b": 1, "a": (2, 3), 4: None},
    {"x", "y"},
    np.float32(0.1),
    np.int64(7),
    np.bool_(True),
    np.arange(6, dtype=np.int8).reshape(2, 3),
    np.asfortranarray(np.random.default_rng(0).random((3, 4))),
    np.array(2.5),
    np.zeros((0, 3), dtype=np.float32),
    np.array([True, False]),
    np.array(["a", "long word"]),
    np.array(["cat", "dog"], dtype=object),
    np.array([1, "dog", None], dtype=object),
    sparse.csr_matrix(np.eye(3, dtype=np.float32)),
    sparse.csr_array(np.eye(3)),
    sparse.csr_matrix((0, 5)),
    {"arrays": [np.arange(3), np.arange(4)]},
]


def _steady(value: Any) -> Any:
    """Sort sets, whose order differs between processes and would change the names of tests."""
    return sorted(value) if isinstance(value, set) else value


@pytest.mark.parametrize(
    "value", VALUES, ids=lambda value: f"{type(value).__name__} {_steady(value)!r}"[:30]
)
@pytest.mark.parametrize("place", ["learned", "parameter"])
def test_every_type_of_value_returns_as_it_was(value: Any, place: str, tmp_path: Path) -> None:
    model = Keeper().fit(value) if place == "learned" else Keeper(option=value).fit(0)
    save(model, tmp_path / "a.model")
    loaded = load(tmp_path / "a.model")
    after = loaded.value_ if place == "learned" else loaded.option
    if isinstance(value, dict) and "arrays" in value:
        for one, other in zip(value["arrays"], after["arrays"], strict=True):
            assert_same(one, other)
    else:
        assert_same(value, after)
    json.dumps(describe(tmp_path / "a.model"), allow_nan=False)


def test_nan_returns(tmp_path: Path) -> None:
    save(Keeper().fit(float("nan")), tmp_path / "a.model")
    assert np.isnan(load(tmp_path / "a.model").value_)


def test_a_random_generator_is_forgotten_with_a_log_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="laconic.files.json_values"):
        save(Keeper(random_state=np.random.RandomState(0)).fit(1), tmp_path / "a.model")
    (said,) = caplog.messages
    check(said, "random_state", "None")
    assert load(tmp_path / "a.model").random_state is None


@pytest.mark.parametrize(
    "value", [object(), len, sparse.csc_matrix(np.eye(2)), np.array([1j]), b"bytes"]
)
def test_what_cannot_be_saved_is_named(value: Any, tmp_path: Path) -> None:
    with refused("model.value_", "saved"):
        save(Keeper().fit(value), tmp_path / "a.model")
    assert os.listdir(tmp_path) == []


def test_strange_step_names_make_safe_file_names(tmp_path: Path) -> None:
    keepers = [Keeper().fit(np.arange(i)) for i in range(3)]
    names = ["../../a", "a b", "a_b"]
    save(Pipeline(list(zip(names, keepers, strict=True))), tmp_path / "a.model")
    loaded = load(tmp_path / "a.model")
    assert [name for name, _ in loaded.steps] == names
    assert [len(step.value_) for _, step in loaded.steps] == [0, 1, 2]
