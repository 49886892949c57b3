"""What SCTM does with little, strange or wrong input."""

from __future__ import annotations

import itertools
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from laconic import SCTM, Corpus, LaconicError

random = np.random.default_rng(0)
COUNTS = random.poisson(0.7, (30, 20)).astype(float)

STRANGE = {
    "one document": COUNTS[:1],
    "one word": COUNTS[:, :1] + 1,
    "one number": np.array([[3.0]]),
    "nothing": np.zeros((5, 4)),
    "huge": COUNTS * 1e6,
    "tiny": COUNTS * 1e-6,
    "of all sizes": COUNTS * 10.0 ** random.integers(-6, 7, COUNTS.shape),
    "copies": np.tile(COUNTS[:1], (20, 1)),
    "two kinds": np.tile(COUNTS[:2], (10, 1)),
    "mostly empty": np.vstack([COUNTS[:2], np.zeros((18, 20))]),
    "empty first": np.vstack([np.zeros((18, 20)), COUNTS[:6]]),
    "one word each": np.eye(9),
}
KINDS = [
    {},
    {"correlated": True},
    {"correlated": True, "graph_alpha": 0.0},
    {"smoothing": 0.1},
    {"smoothing": None, "alpha": 0.0},
    {"topics_per_document": 1},
    {"topics_per_document": 1, "correlated": True},
    {"batch_size": 3},
    {"batch_size": 3, "forgetting": 0.0, "correlated": True},
    {"alpha": 0.01, "forgetting": 5.0},
]


def check(model, X):
    assert model.components_.shape == (model.n_components, X.shape[1])
    assert model.components_.dtype == X.dtype
    assert (model.components_ >= 0).all()
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-4)
    for values in (model.objective_, model.topic_shares_):
        assert np.isfinite(values).all()
    codes = model.transform(X)
    assert codes.shape == (len(X), model.n_components)
    assert np.isfinite(codes.data).all()
    assert (codes.data > 0).all()
    assert not codes.toarray()[~X.any(axis=1)].any()
    if model.smoothing is not None:
        assert np.isfinite(model.score(X))
    if model.smoothing == "kl":
        assert (model.probabilities_ > 0).all()
        np.testing.assert_allclose(model.probabilities_.sum(axis=1), 1, rtol=1e-4)
    if model.correlated:
        assert np.isfinite(model.topic_precision_).all()
        assert np.linalg.eigvalsh(model.topic_precision_).min() > 0
    if model.batch_size is None and not hasattr(model, "statistics_"):  # no stream
        rise = np.diff(model.objective_, prepend=model.objective_[:1])
        assert rise.max(initial=0) <= 1e-5 * np.abs(model.objective_).max(initial=1e-3)


@pytest.mark.filterwarnings("ignore:.*topics were asked for")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("X", STRANGE.values(), ids=STRANGE.keys())
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_little_and_strange_counts(X, dtype):
    X = X.astype(dtype)
    for params, n_components in itertools.product(KINDS, (1, 3, 40)):
        model = SCTM(n_components, engine="serial", max_iter=3, **params)
        try:
            check(model.fit(X), X)
            model = SCTM(n_components, engine="serial", **params).partial_fit(X)
            check(model.partial_fit(X[::-1]), X)
        except Exception as error:
            error.add_note(str(model))
            raise


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_many_more_topics_than_documents():
    X = random.poisson(0.1, (20, 300)).astype(float)
    with pytest.warns(
        UserWarning, match="200 topics were asked for, but there are only 20 documents; topics"
    ):
        model = SCTM(200, engine="serial", max_iter=3).fit(X)
    check(model, X)


def test_more_topics_than_there_can_be_warn_where_fit_was_called():
    for X, kind in ((COUNTS[:, :4], "4 words"), (COUNTS[:5], "5 documents")):
        for call in ("fit", "partial_fit"):
            with pytest.warns(UserWarning, match=f"9 topics were asked for, but .* {kind}") as seen:
                getattr(SCTM(9, max_iter=500), call)(X)
            assert seen[0].filename == __file__


def test_documents_without_a_vocabulary():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SCTM(2).fit(Corpus(sp.csr_matrix((3, 0))))
    assert model.components_.shape == (2, 0)


def test_no_documents_get_a_sentence():
    empty = Corpus(sp.csr_matrix((0, 20)))
    with pytest.raises(LaconicError, match="SCTM needs at least one document"):
        SCTM(2).fit(empty)
    with pytest.raises(LaconicError, match="SCTM needs at least one document"):
        SCTM(2).partial_fit(empty)
    model = SCTM(2).fit(COUNTS)
    assert model.transform(empty).shape == (0, 2)
    assert model.score(empty) == 0
    assert np.isnan(model.perplexity(empty))


# ---- penalties that leave nothing ----


def named_alpha(message):
    number = re.search(r"the largest that leaves one is about ([0-9.e-]+)\.$", message)
    assert number, message
    return float(number[1])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_penalty_that_leaves_nothing_names_one_that_does_not(seed, dtype):
    X = np.random.default_rng(seed).poisson(0.7, (30, 20)).astype(dtype)
    for call in ("fit", "partial_fit"):
        model = SCTM(3, alpha=5.0, random_state=seed)
        with pytest.raises(LaconicError, match=r"^alpha=5 is so large that every code") as caught:
            getattr(model, call)(X)
        message = str(caught.value)
        assert "\n" not in message
        named = named_alpha(message)
        with pytest.raises(LaconicError, match="so large that every code"):
            getattr(SCTM(3, alpha=named * 1.02, random_state=seed), call)(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            getattr(model.set_params(alpha=named), call)(X)
        assert model.transform(X).nnz
        assert model.alpha_ == named


def test_a_first_batch_that_leaves_nothing_is_not_the_end():
    """The penalty leaves nothing of the first documents, but much of the others."""
    X = np.zeros((45, 50))
    X[np.arange(45), np.arange(45) % 8] = 9
    X[::9] = 1  # every ninth document is in the first of nine batches
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
        ("n_components", 0, []),
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
        ("max_iter", 0, []),
        ("tol", -1.0, []),
        ("random_state", "seed", []),
        ("n_jobs", 1.5, []),
        ("sparse_output", "csr", []),
        ("verbose", -1, []),
    ],
)
def test_wrong_parameters_are_named(name, value, choices):
    for call in (SCTM(**{name: value}).fit, SCTM(**{name: value}).partial_fit):
        with pytest.raises(ValueError, match=rf"^The '{name}' parameter of SCTM must be") as caught:
            call(COUNTS)
        message = str(caught.value)
        assert f"Got {value!r}" in message
        assert all(repr(choice) in message for choice in choices)
        assert "\n" not in message


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        (
            {"alpha": 0.1, "topics_per_document": 2},
            "Give either 'alpha' or 'topics_per_document' to SCTM, not both.",
        ),
        (
            {"topics_per_document": 3},
            "topics_per_document=3 of SCTM is more than its 2 topics; raise n_components.",
        ),
    ],
)
def test_parameters_that_contradict_each_other(params, problem):
    for call in (SCTM(2, **params).fit, SCTM(2, **params).partial_fit):
        with pytest.raises(LaconicError, match=f"^{re.escape(problem)}"):
            call(COUNTS)


def test_negative_counts_and_missing_ones():
    for call in (SCTM(2).fit, SCTM(2).partial_fit, SCTM(2).fit(COUNTS).transform):
        with pytest.raises(LaconicError, match=r"^Negative values in data passed to SCTM; counts"):
            call(COUNTS - 1)
    with pytest.raises(ValueError, match="NaN"):
        SCTM(2).fit(np.full((3, 3), np.nan))
    with pytest.raises(ValueError, match="infinity"):
        SCTM(2).fit(np.full((3, 3), np.inf))


def test_not_fitted():
    for call in (SCTM().transform, SCTM().score, SCTM().perplexity):
        with pytest.raises(NotFittedError):
            call(COUNTS)


def test_smoothing_may_be_changed_after_the_fit():
    model = SCTM(3).fit(COUNTS)
    assert np.isfinite(model.set_params(smoothing=0.2).score(COUNTS))
    model = SCTM(3, smoothing=0.2).fit(COUNTS)
    with pytest.raises(LaconicError, match="smoothing") as caught:
        model.set_params(smoothing="kl").score(COUNTS)
    assert "fit" in str(caught.value)


def test_other_widths_are_refused():
    model = SCTM(2).fit(COUNTS)
    for call in (model.transform, model.score, model.perplexity, model.partial_fit):
        with pytest.raises(ValueError, match="19 features"):
            call(COUNTS[:, 1:])


def test_words_that_the_model_does_not_know_are_left_out():
    words = [f"w{i}" for i in range(20)]
    corpus = Corpus(sp.csr_matrix(COUNTS), words)
    model = SCTM(3).fit(corpus)
    other = Corpus(
        sp.csr_matrix(np.hstack([COUNTS[:, ::-1], COUNTS[:, :3]])), [*words[::-1], "x", "y", "z"]
    )
    expected, found = model.transform(corpus).toarray(), model.transform(other).toarray()
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert model.score(other) == pytest.approx(model.score(corpus), rel=1e-6)
