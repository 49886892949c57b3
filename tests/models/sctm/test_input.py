"""Tests of SCTM on unusual or wrong input; tests/models/test_input.py tests all models."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

from laconic import SCTM
from tests import messages
from tests.messages import refused, warned
from tests.models.test_input import COUNTS, EMPTY, check

random = np.random.default_rng(0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_many_more_topics_than_documents():
    X = random.poisson(0.1, (20, 300)).astype(float)
    with warned("200 topics", "20 documents"):
        model = SCTM(200, engine="serial", max_iter=3).fit(X)
    check("sctm", model, X)


def test_more_topics_than_there_can_be_warn_where_fit_was_called():
    for X, kind in ((COUNTS[:, :4], "4 words"), (COUNTS[:5], "5 documents")):
        for call in ("fit", "partial_fit"):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                getattr(SCTM(9, max_iter=500), call)(X)
            assert seen[0].filename == __file__
            messages.check(str(seen[0].message), "9 topics", kind, "n_components")


def test_no_documents_have_a_score_but_no_perplexity():
    model = SCTM(2).fit(COUNTS)
    assert model.score(EMPTY) == 0
    assert np.isnan(model.perplexity(EMPTY))


# ---- penalties that make all codes zero ----


def named_alpha(message):
    """Return the last number in the message, which is the suggested `alpha`."""
    return float(re.findall(r"[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?", message)[-1])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_penalty_that_leaves_nothing_names_one_that_does_not(seed, dtype):
    X = np.random.default_rng(seed).poisson(0.7, (30, 20)).astype(dtype)
    for call in ("fit", "partial_fit"):
        model = SCTM(3, alpha=5.0, random_state=seed)
        # not golden, because the message ends with a measured number
        with refused("alpha=5", golden=False) as caught:
            getattr(model, call)(X)
        message = str(caught.value)
        assert "\n" not in message
        named = named_alpha(message)
        with refused(f"alpha={named * 1.02:g}", golden=False):
            getattr(SCTM(3, alpha=named * 1.02, random_state=seed), call)(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            getattr(model.set_params(alpha=named), call)(X)
        assert model.transform(X).nnz
        assert model.alpha_ == named


def test_a_first_batch_that_leaves_nothing_is_not_the_end():
    """The penalty makes the codes of the first batch zero, but not those of the other batches."""
    X = np.zeros((45, 50))
    X[np.arange(45), np.arange(45) % 8] = 9
    X[::9] = 1  # with nine batches, the first batch consists of every ninth document
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole, batches = (
            SCTM(4, alpha=0.2, batch_size=size, engine="serial").fit(X) for size in (None, 5)
        )
    assert whole.transform(X).nnz
    assert batches.transform(X).nnz


# ---- wrong parameters ----


@pytest.mark.parametrize(
    ("name", "value", "choices"),
    [
        ("alpha", -1.0, []),
        ("topics_per_document", 0, []),
        ("smoothing", "laplace", ["kl"]),
        ("smoothing", 1.0, []),
        ("smoothing", 0.0, []),
        ("smoothing", -0.1, []),
        ("correlated", "yes", []),
        ("graph_alpha", -0.1, []),
        ("forgetting", -1.0, []),
        ("batch_size", 0, []),
    ],
)
def test_wrong_parameters_are_named(name, value, choices):
    parts = f"'{name}'", "SCTM", f"Got {value!r}", *map(repr, choices)
    for call in (SCTM(**{name: value}).fit, SCTM(**{name: value}).partial_fit):
        with refused(*parts, kind=ValueError, golden=False) as caught:
            call(COUNTS)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("params", "parts"),
    [
        ({"alpha": 0.1, "topics_per_document": 2}, ["'alpha'", "'topics_per_document'", "SCTM"]),
        ({"topics_per_document": 3}, ["topics_per_document=3", "(2)", "n_components"]),
    ],
)
def test_parameters_that_contradict_each_other(params, parts):
    for call in (SCTM(2, **params).fit, SCTM(2, **params).partial_fit):
        with refused(*parts):
            call(COUNTS)


def test_smoothing_may_be_changed_after_the_fit():
    model = SCTM(3).fit(COUNTS)
    assert np.isfinite(model.set_params(smoothing=0.2).score(COUNTS))
    model = SCTM(3, smoothing=0.2).fit(COUNTS)
    with refused("smoothing='kl'", "fit"):
        model.set_params(smoothing="kl").score(COUNTS)
