"""Tests of PCP on unusual or wrong input; tests/models/test_input.py tests all models."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from laconic import PCP, Corpus
from tests import messages
from tests.messages import refused
from tests.models.test_input import COUNTS, EMPTY, check


def test_documents_without_a_vocabulary():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PCP(solver="exact").fit(Corpus(sp.csr_matrix((3, 0))))
    assert model.components_.shape[1] == 0


@pytest.mark.parametrize("solver", ["factored", "exact"])
def test_no_documents_have_no_parts(solver):
    with refused("PCP", "at least one document"):
        PCP(solver=solver).fit(EMPTY)
    model = PCP(solver=solver).fit(COUNTS)
    assert model.transform(EMPTY).shape == (0, model.rank_)
    assert model.keywords(EMPTY).shape == (0, 20)
    parts = model.split(EMPTY)
    assert parts.background.shape == parts.keywords.shape == (0, 20)


def test_a_rank_beyond_the_data_warns_where_fit_was_called():
    for call in ("fit", "partial_fit"):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            model = getattr(PCP(50), call)(COUNTS)
        messages.check(str(seen[0].message), "rank 50", "30 documents", "20 words", "at most 20")
        assert [w.filename for w in seen] == [__file__]
        assert model.rank_ <= 20
        check("pcp", model, COUNTS)


# ---- wrong parameters ----


@pytest.mark.parametrize(
    ("name", "value", "choices"),
    [
        ("solver", "svd", ["exact", "factored"]),
        ("alpha", 0.0, []),
        ("alpha", -1.0, []),
        ("c", 0, []),
        ("keywords_per_document", 0, []),
    ],
)
def test_wrong_parameters_are_named(name, value, choices):
    parts = f"'{name}'", "PCP", f"Got {value!r}", *map(repr, choices)
    for call in (PCP(**{name: value}).fit, PCP(**{name: value}).partial_fit):
        with refused(*parts, kind=ValueError, golden=False) as caught:
            call(COUNTS)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("params", "parts"),
    [
        ({"alpha": 0.1, "keywords_per_document": 2}, ["'alpha'", "'keywords_per_document'"]),
        ({"solver": "exact", "alpha": 0.1, "c": 2}, ["'alpha'", "'c'"]),
        (
            {"solver": "exact", "c": 2, "keywords_per_document": 2},
            ["'c'", "'keywords_per_document'"],
        ),
        (
            {"solver": "exact", "n_components": 3},
            ["n_components", "solver='exact'", "solver='factored'"],
        ),
        (
            {"c": 8},
            ["c of PCP", "solver='exact'", "solver='factored'", "'alpha'", "keywords_per_document"],
        ),
    ],
)
def test_parameters_that_contradict_each_other(params, parts):
    for call in (PCP(**params).fit, PCP(**params).partial_fit):
        with refused("PCP", *parts) as caught:
            call(COUNTS)
        assert "\n" not in str(caught.value)


def test_the_exact_problem_has_no_batches():
    parts = "partial_fit", "PCP", "solver='factored'"
    with refused(*parts):
        PCP(solver="exact").partial_fit(COUNTS)
    model = PCP(solver="exact").fit(COUNTS)
    with refused(*parts):
        model.partial_fit(COUNTS)
    assert model.rank_ == model.fit(COUNTS).rank_


def test_another_solver_after_the_fit():
    """Changing `solver` after the fit has no effect until the model is fitted again."""
    exact, factored = PCP(solver="exact").fit(COUNTS), PCP(2, alpha=1.0).fit(COUNTS)
    for model, other in ((exact, "factored"), (factored, "exact")):
        expected = model.split(COUNTS)
        model.set_params(solver=other)
        found = model.split(COUNTS)
        np.testing.assert_array_equal(found.keywords.toarray(), expected.keywords.toarray())
        np.testing.assert_array_equal(found.background.toarray(), expected.background.toarray())
    with refused("PCP", "solver='exact'", "partial_fit"):
        exact.partial_fit(COUNTS)


# ---- wrong values ----


def test_wrong_counts_for_the_exact_problem():
    model = PCP(solver="exact").fit(COUNTS)
    for call in (PCP(solver="exact").fit, model.transform, model.keywords, model.split):
        for data in (COUNTS - 1, sp.csr_matrix(COUNTS - 1)):
            with refused("Negative values", "PCP"):
                call(data)
        for value, problem in ((np.nan, "NaN"), (np.inf, "infinity")):
            with refused(problem, kind=ValueError, golden=False):
                call(np.full((3, 20), value))


def test_words_that_the_exact_problem_does_not_know_are_left_out():
    words = [f"w{i}" for i in range(20)]
    corpus = Corpus(sp.csr_matrix(COUNTS), words)
    model = PCP(solver="exact", c=2).fit(corpus)
    wide = np.hstack([COUNTS[:, ::-1], COUNTS[:, :3]])
    other = Corpus(sp.csr_matrix(wide), [*words[::-1], "x", "y", "z"])
    for call in (model.transform, model.keywords):
        np.testing.assert_allclose(call(other).toarray(), call(corpus).toarray(), atol=1e-6)
