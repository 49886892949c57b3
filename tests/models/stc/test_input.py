"""Tests of STC on unusual or wrong input; tests/models/test_input.py tests all models."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from laconic import STC
from tests.messages import refused, warned
from tests.models.test_input import COUNTS, STRANGE, check

random = np.random.default_rng(0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("params", [{}, {"dictionary": "paper"}, {"loss": "gaussian"}], ids=str)
def test_many_more_topics_than_documents(params):
    X = random.poisson(0.1, (20, 300)).astype(float)
    check("stc", STC(200, engine="serial", max_iter=3, **params).fit(X), X)


@pytest.mark.filterwarnings("ignore:.*topics were requested")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("targets", [{"topics_per_word": 1}, {"topics_per_document": 2}], ids=str)
@pytest.mark.parametrize("X", STRANGE.values(), ids=STRANGE.keys())
def test_targets_that_cannot_be_met_do_no_harm(X, targets):
    for loss in ("poisson", "gaussian"):
        check("stc", STC(3, loss=loss, engine="serial", max_iter=2, **targets).fit(X), X)


def test_fractional_counts_are_welcome():
    check("stc", STC(3).fit(COUNTS / 3), COUNTS / 3)


@pytest.mark.parametrize(
    ("name", "value", "choices"),
    [
        ("loss", "hinge", ["poisson", "gaussian"]),
        ("doc_norm", "l3", ["l1", "l2"]),
        ("word_norm", "huber", ["l1", "l2"]),
        ("dictionary", "svd", ["coupled", "paper"]),
        ("coupling", 0.0, []),
        ("offset", 0.0, []),
        ("word_penalty", -1.0, []),
        ("doc_penalty", -1.0, []),
        ("topics_per_word", 0, []),
        ("topics_per_document", -2, []),
        ("batch_size", 0, []),
    ],
)
def test_wrong_parameters_are_named(name, value, choices):
    parts = f"'{name}'", "STC", f"Got {value!r}", *map(repr, choices)
    for call in (STC(**{name: value}).fit, STC(**{name: value}).partial_fit):
        with refused(*parts, kind=ValueError, golden=False) as caught:
            call(COUNTS)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("params", "parts"),
    [
        ({"topics_per_word": 2, "word_penalty": 0.1}, ["'word_penalty'", "'topics_per_word'"]),
        (
            {"topics_per_document": 2, "doc_penalty": 0.1},
            ["'doc_penalty'", "'topics_per_document'"],
        ),
        ({"topics_per_word": 2, "word_norm": "l2"}, ["'topics_per_word'", "word_norm='l1'"]),
        ({"topics_per_document": 2, "doc_norm": "l2"}, ["'topics_per_document'", "doc_norm='l1'"]),
    ],
)
def test_parameters_that_contradict_each_other(params, parts):
    for call in (STC(2, **params).fit, STC(2, **params).partial_fit):
        with refused("STC", *parts):
            call(COUNTS)


def test_all_forms_of_counts_give_the_same():
    expected = STC(3, engine="serial").fit(COUNTS)
    rough = sp.csr_matrix(COUNTS)
    halves = sp.csr_matrix(
        (np.repeat(rough.data / 2, 2), np.repeat(rough.indices, 2), 2 * rough.indptr),
        shape=rough.shape,
    )
    for X in (sp.csr_matrix(COUNTS), sp.csc_matrix(COUNTS), COUNTS.astype(int), halves):
        model = STC(3, engine="serial").fit(X)
        np.testing.assert_array_equal(model.components_, expected.components_)
        assert (model.transform(X) != expected.transform(COUNTS)).nnz == 0
        for one, other in zip(model.word_codes(X), expected.word_codes(COUNTS), strict=True):
            assert (one != other).nnz == 0
    assert X is halves
    assert X.nnz == 2 * rough.nnz  # the input is not changed


def test_not_converged_says_so():
    with warned("STC", "1 pass;", "max_iter", "tol", kind=ConvergenceWarning):
        STC(3, max_iter=1, tol=0).fit(COUNTS)
