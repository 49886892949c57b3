"""What PCP does with little, strange or wrong input."""

from __future__ import annotations

import itertools
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from laconic import PCP, Corpus, LaconicError

random = np.random.default_rng(0)
COUNTS = random.poisson(0.7, (30, 20)).astype(float)

STRANGE = {
    "one document": COUNTS[:1],
    "three documents": COUNTS[:3],
    "one word": COUNTS[:, :1] + 1,
    "one number": np.array([[3.0]]),
    "nothing": np.zeros((5, 4)),
    "huge": COUNTS[:12] * 1e6,
    "beyond whole numbers": COUNTS[:12] * 1e17,
    "tiny": COUNTS * 1e-6,
    "of all sizes": COUNTS * 10.0 ** random.integers(-6, 7, COUNTS.shape),
    "copies": np.tile(COUNTS[:1], (20, 1)),
    "two kinds": np.tile(COUNTS[:2], (10, 1)),
    "mostly empty": np.vstack([COUNTS[:2], np.zeros((18, 20))]),
    "empty first": np.vstack([np.zeros((18, 20)), COUNTS[:6]]),
    "one word each": np.eye(9),
    "shares": COUNTS / 7,
}
KINDS = [
    {},
    {"keywords_per_document": 1},
    {"n_components": 3, "alpha": 0.1},
    {"n_components": 40},
]


def check(model, X):
    rank, n_words = model.components_.shape
    assert model.rank_ == rank <= max(X.shape)
    assert n_words == X.shape[1]
    near = 1e-3 if X.dtype == np.float32 else 1e-6
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(rank), atol=near)
    for values in (model.objective_, model.topic_shares_, model.shrinkage_, model.alpha_):
        assert np.isfinite(values).all()
    codes, found, parts = model.transform(X), model.keywords(X), model.split(X)
    assert codes.shape == (len(X), rank)
    assert codes.dtype == found.dtype == model.components_.dtype
    assert np.isfinite(codes.data).all()
    assert np.isfinite(found.data).all()
    assert (found.data > 0).all()
    assert not found.toarray()[X == 0].any()
    empty = ~X.any(axis=1)
    assert not codes.toarray()[empty].any()
    assert parts.background.shape == X.shape


@pytest.mark.filterwarnings("ignore:A background of rank")
@pytest.mark.filterwarnings("ignore:.*keywords_per_document")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("X", STRANGE.values(), ids=STRANGE.keys())
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_little_and_strange_counts(X, dtype):
    X = X.astype(dtype)
    for params, call in itertools.product(KINDS, ("fit", "partial_fit")):
        model = PCP(engine="serial", max_iter=6, **params)
        try:
            check(getattr(model, call)(X), X)
            check(model.partial_fit(X[::-1]), X)
        except Exception as error:
            error.add_note(f"{call} of {model}")
            raise


def test_documents_without_a_vocabulary():
    for solver in ("factored", "exact"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = PCP(solver=solver).fit(Corpus(sp.csr_matrix((3, 0))))
        assert model.components_.shape[1] == 0


def test_no_documents_get_a_sentence():
    empty = Corpus(sp.csr_matrix((0, 20)))
    for solver in ("factored", "exact"):
        with pytest.raises(LaconicError, match="PCP needs at least one document"):
            PCP(solver=solver).fit(empty)
        model = PCP(solver=solver).fit(COUNTS)
        assert model.transform(empty).shape == (0, model.rank_)
        assert model.keywords(empty).shape == (0, 20)
        parts = model.split(empty)
        assert parts.background.shape == parts.keywords.shape == (0, 20)
    with pytest.raises(LaconicError, match="PCP needs at least one document"):
        PCP().partial_fit(empty)


def test_a_rank_beyond_the_data_warns_where_fit_was_called():
    for call in ("fit", "partial_fit"):
        with pytest.warns(
            UserWarning,
            match=r"rank 50 was asked for, but 30 documents of 20 words have at most 20",
        ) as seen:
            model = getattr(PCP(50), call)(COUNTS)
        assert [w.filename for w in seen] == [__file__]
        assert model.rank_ <= 20
        check(model, COUNTS)


# ---- wrong parameters ----


@pytest.mark.parametrize(
    ("name", "value", "choices"),
    [
        ("n_components", 0, []),
        ("n_components", 2.5, []),
        ("solver", "svd", ["exact", "factored"]),
        ("alpha", 0.0, []),
        ("alpha", -1.0, []),
        ("c", 0, []),
        ("keywords_per_document", 0, []),
        ("max_iter", 0, []),
        ("tol", -1.0, []),
        ("random_state", "seed", []),
        ("n_jobs", 1.5, []),
        ("sparse_output", "csr", []),
        ("verbose", -1, []),
    ],
)
def test_wrong_parameters_are_named(name, value, choices):
    for call in (PCP(**{name: value}).fit, PCP(**{name: value}).partial_fit):
        with pytest.raises(ValueError, match=rf"^The '{name}' parameter of PCP must be") as caught:
            call(COUNTS)
        message = str(caught.value)
        assert f"Got {value!r}" in message
        assert all(repr(choice) in message for choice in choices)
        assert "\n" not in message


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        (
            {"alpha": 0.1, "keywords_per_document": 2},
            "Give only one of 'alpha' and 'keywords_per_document' to PCP.",
        ),
        ({"solver": "exact", "alpha": 0.1, "c": 2}, "Give only one of 'alpha' and 'c' to PCP."),
        (
            {"solver": "exact", "c": 2, "keywords_per_document": 2},
            "Give only one of 'c' and 'keywords_per_document' to PCP.",
        ),
        ({"solver": "exact", "n_components": 3}, "n_components of PCP does not go with solver="),
        ({"c": 8}, "c of PCP belongs to solver='exact'; for solver='factored' give 'alpha'"),
    ],
)
def test_parameters_that_contradict_each_other(params, problem):
    for call in (PCP(**params).fit, PCP(**params).partial_fit):
        with pytest.raises(LaconicError, match=f"^{re.escape(problem)}") as caught:
            call(COUNTS)
        assert "\n" not in str(caught.value)


def test_the_exact_problem_has_no_batches():
    with pytest.raises(LaconicError, match=r"^partial_fit of PCP needs solver='factored'"):
        PCP(solver="exact").partial_fit(COUNTS)
    model = PCP(solver="exact").fit(COUNTS)
    with pytest.raises(LaconicError, match=r"^partial_fit of PCP needs solver='factored'"):
        model.partial_fit(COUNTS)
    assert model.rank_ == model.fit(COUNTS).rank_


def test_another_solver_after_the_fit():
    """A model stays what it was fitted as, until it is fitted again."""
    exact, factored = PCP(solver="exact").fit(COUNTS), PCP(2, alpha=1.0).fit(COUNTS)
    for model, other in ((exact, "factored"), (factored, "exact")):
        expected = model.split(COUNTS)
        model.set_params(solver=other)
        found = model.split(COUNTS)
        np.testing.assert_array_equal(found.keywords.toarray(), expected.keywords.toarray())
        np.testing.assert_array_equal(found.background.toarray(), expected.background.toarray())
    with pytest.raises(LaconicError, match="exact"):
        exact.partial_fit(COUNTS)


# ---- wrong values ----


@pytest.mark.parametrize("solver", ["factored", "exact"])
def test_negative_counts_and_missing_ones(solver):
    model = PCP(solver=solver).fit(COUNTS)
    calls = [PCP(solver=solver).fit, model.transform, model.keywords, model.split]
    for call in calls + ([PCP().partial_fit] if solver == "factored" else []):
        with pytest.raises(LaconicError, match=r"^Negative values in data passed to PCP; counts"):
            call(COUNTS - 1)
        with pytest.raises(LaconicError, match=r"^Negative values in data passed to PCP"):
            call(sp.csr_matrix(COUNTS - 1))
        with pytest.raises(ValueError, match="NaN"):
            call(np.full((3, 20), np.nan))
        with pytest.raises(ValueError, match="infinity"):
            call(np.full((3, 20), np.inf))


def test_not_fitted():
    for call in (PCP().transform, PCP().keywords, PCP().split):
        with pytest.raises(NotFittedError):
            call(COUNTS)


def test_other_widths_are_refused():
    model = PCP(2).fit(COUNTS)
    for call in (model.transform, model.keywords, model.split, model.partial_fit):
        with pytest.raises(ValueError, match="19 features"):
            call(COUNTS[:, 1:])


@pytest.mark.parametrize("params", [{"n_components": 3}, {"solver": "exact", "c": 2}], ids=str)
def test_words_that_the_model_does_not_know_are_left_out(params):
    words = [f"w{i}" for i in range(20)]
    corpus = Corpus(sp.csr_matrix(COUNTS), words)
    model = PCP(**params).fit(corpus)
    other = Corpus(
        sp.csr_matrix(np.hstack([COUNTS[:, ::-1], COUNTS[:, :3]])), [*words[::-1], "x", "y", "z"]
    )
    for call in (model.transform, model.keywords):
        np.testing.assert_allclose(call(other).toarray(), call(corpus).toarray(), atol=1e-6)
