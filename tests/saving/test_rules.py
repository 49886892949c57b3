"""Tests of the rules that fitted attributes must meet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.reliability.folders import FITS, make_corpus
from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.models import MODELS
from laconic.saving.models import save
from laconic.saving.rules import REQUIRED, RULES, Array, Number, Strings
from laconic.text.vectorizer import Vectorizer
from laconic.weighting import Weighting
from tests.messages import refused


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return make_corpus()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FITS)
def test_every_fitted_attribute_has_a_rule(name: str, corpus: Corpus) -> None:
    names = {cls: name for name, cls in MODELS.items()}
    names |= {Vectorizer: "vectorizer", Weighting: "weighting"}
    model = FITS[name](corpus)
    for step in [step for _, step in model.steps] if hasattr(model, "steps") else [model]:
        rules, required = RULES[names[type(step)]], REQUIRED[names[type(step)]]
        fitted = {key for key in vars(step) if key.endswith("_")}
        assert fitted <= set(rules), "add the attribute to laconic/saving/rules.py"
        assert set(required) <= fitted


ARRAYS: dict[str, tuple[Array, Any]] = {
    "list": (Array(("n",)), [1.0, 2.0]),
    "shape": (Array(("n",)), np.zeros(3)),
    "axes": (Array(("n",)), np.zeros((2, 1))),
    "integers": (Array(("n",)), np.zeros(2, int)),
    "half floats": (Array(("n",)), np.zeros(2, np.float16)),
    "NaN": (Array(("n",)), np.array([0.0, np.nan])),
    "infinity": (Array(("n",)), np.array([0.0, -np.inf])),
    "zero": (Array(("n",), positive=True), np.array([0.0, 1.0])),
    "negative": (Array(("n",), least=0), np.array([-1.0, 1.0])),
    "too large": (Array(("n",)), np.array([0, 1e20], np.float32)),
    "dense": (Array(("n", "n"), sparse=True), np.zeros((2, 2))),
    "sparse": (Array(("n", "n")), sp.csr_matrix((2, 2))),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_arrays_that_break_a_rule(case: str) -> None:
    rule, value = ARRAYS[case]
    assert rule(value, {"n": 2})


def test_arrays_that_meet_a_rule() -> None:
    assert Array(("n", None))(np.ones((2, 5), np.float32), {"n": 2}) is None
    assert Array(("n", "n"), sparse=None)(sp.csr_matrix(np.eye(2)), {"n": 2}) is None
    assert Array((None,), finite=False)(np.array([np.nan]), {}) is None


@pytest.mark.parametrize("value", [True, "1", None, np.nan, np.inf, -1, 1e200, 1e-200, 2.0])
def test_numbers_that_break_a_rule(value: Any) -> None:
    assert Number(most=1.0)(value, {})


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.5), np.int64(1)])
def test_numbers_that_meet_a_rule(value: Any) -> None:
    assert Number(most=1.0)(value, {}) is None


def test_strings() -> None:
    words = np.array(["a", "b", "b"], dtype=object)
    assert Strings("n")(words, {"n": 3}) is None
    assert Strings("n", unique=True)(words, {"n": 3})
    assert Strings("n")(words, {"n": 2})
    assert Strings("n")(np.array(["a", 1], dtype=object), {"n": 2})


def test_a_model_that_could_not_be_loaded_is_not_saved(corpus: Corpus, tmp_path: Path) -> None:
    model = MODELS["plsa"](n_components=3, max_iter=3, tol=1.0).fit(corpus)
    model.components_ = np.full_like(model.components_, np.nan)
    with refused("cannot be saved", "components_ of PLSA", "NaN", kind=LaconicError):
        save(model, tmp_path / "a.model")
    assert not (tmp_path / "a.model").exists()
