"""What STC does with little, strange or wrong input."""

from __future__ import annotations

import itertools
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from laconic import STC, Corpus, LaconicError

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
    "mostly empty": np.vstack([COUNTS[:2], np.zeros((18, 20))]),
}
MODELS = [
    {"loss": loss, "dictionary": dictionary, "doc_norm": doc_norm, "word_norm": word_norm}
    for loss, dictionary, doc_norm, word_norm in itertools.product(
        ["poisson", "gaussian"], ["coupled", "paper"], ["l1", "l2"], ["l1", "l2"]
    )
]
EXTREMES = [
    {},
    {"coupling": 1e-4},
    {"coupling": 1e4},
    {"word_penalty": 1e-8, "doc_penalty": 1e-8},
    {"word_penalty": 1e4},
    {"doc_penalty": 1e4},
    {"word_penalty": 0.0, "doc_penalty": 0.0},
]


def check(model, X):
    assert model.components_.shape == (model.n_components, X.shape[1])
    assert (model.components_ >= 0).all()
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-4)
    for values in (model.objective_, model.divergence_, model.topic_shares_):
        assert np.isfinite(values).all()
    codes, words = model.transform(X), model.word_codes(X)
    assert np.isfinite(codes.data).all()
    assert np.isfinite(words.entries.data).all()
    assert not codes.toarray()[~X.any(axis=1)].any()
    if model.dictionary == "paper":
        rise = np.diff(model.objective_, prepend=model.objective_[0])
        assert rise.max() <= 1e-4 * np.abs(model.objective_).max()


@pytest.mark.filterwarnings("ignore:.*topics were asked for")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("X", STRANGE.values(), ids=STRANGE.keys())
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_little_and_strange_counts(X, dtype):
    """Every kind of model, each with other extreme penalties and another number of topics."""
    X = X.astype(dtype)
    extremes = itertools.cycle(EXTREMES)
    for number, params in enumerate(MODELS):
        for n_components in (1, 3, 40):
            extreme = next(extremes)
            model = STC(n_components, engine="serial", max_iter=4, **params, **extreme)
            try:
                check(model.fit(X), X)
            except Exception as error:
                error.add_note(f"model {number}: {model}")
                raise


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("params", [{}, {"dictionary": "paper"}, {"loss": "gaussian"}], ids=str)
def test_many_more_topics_than_documents(params):
    X = random.poisson(0.1, (20, 300)).astype(float)
    check(STC(200, engine="serial", max_iter=3, **params).fit(X), X)


@pytest.mark.filterwarnings("ignore:.*topics were asked for")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("targets", [{"topics_per_word": 1}, {"topics_per_document": 2}], ids=str)
@pytest.mark.parametrize("X", STRANGE.values(), ids=STRANGE.keys())
def test_targets_that_cannot_be_met_do_no_harm(X, targets):
    for loss in ("poisson", "gaussian"):
        check(STC(3, loss=loss, engine="serial", max_iter=2, **targets).fit(X), X)


def test_more_topics_than_words_warn():
    with pytest.warns(UserWarning, match="9 topics were asked for, but there are only 4 words"):
        STC(9, max_iter=200).fit(COUNTS[:, :4])


def test_documents_without_a_vocabulary():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = STC(2).fit(Corpus(sp.csr_matrix((3, 0))))
    assert model.components_.shape == (2, 0)


def test_no_documents_get_a_sentence():
    empty = Corpus(sp.csr_matrix((0, 20)))
    with pytest.raises(LaconicError, match="STC needs at least one document"):
        STC(2).fit(empty)
    with pytest.raises(LaconicError, match="STC needs at least one document"):
        STC(2).partial_fit(empty)
    model = STC(2).fit(COUNTS)
    assert model.transform(empty).shape == (0, 2)
    assert len(model.word_codes(empty)) == 0


def test_fractional_counts_are_welcome_and_negative_ones_are_not():
    check(STC(3).fit(COUNTS / 3), COUNTS / 3)
    for call in (STC(2).fit, STC(2).partial_fit, STC(2).fit(COUNTS).transform):
        with pytest.raises(LaconicError, match=r"^Negative values in data passed to STC; counts"):
            call(COUNTS - 1)
    with pytest.raises(ValueError, match="NaN"):
        STC(2).fit(np.full((3, 3), np.nan))


@pytest.mark.parametrize(
    ("name", "value", "choices"),
    [
        ("loss", "hinge", ["poisson", "gaussian"]),
        ("doc_norm", "l3", ["l1", "l2"]),
        ("word_norm", "huber", ["l1", "l2"]),
        ("dictionary", "svd", ["coupled", "paper"]),
        ("n_components", 0, []),
        ("coupling", 0.0, []),
        ("offset", 0.0, []),
        ("word_penalty", -1.0, []),
        ("doc_penalty", -1.0, []),
        ("topics_per_word", 0, []),
        ("topics_per_document", -2, []),
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
    for call in (STC(**{name: value}).fit, STC(**{name: value}).partial_fit):
        with pytest.raises(ValueError, match=rf"^The '{name}' parameter of STC must be") as caught:
            call(COUNTS)
        message = str(caught.value)
        assert f"Got {value!r}" in message
        assert all(repr(choice) in message for choice in choices)
        assert "\n" not in message


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({"topics_per_word": 2, "word_penalty": 0.1}, "either 'word_penalty' or 'topics_per_word'"),
        (
            {"topics_per_document": 2, "doc_penalty": 0.1},
            "either 'doc_penalty' or 'topics_per_document'",
        ),
        ({"topics_per_word": 2, "word_norm": "l2"}, "needs word_norm='l1'"),
        ({"topics_per_document": 2, "doc_norm": "l2"}, "needs doc_norm='l1'"),
    ],
)
def test_parameters_that_contradict_each_other(params, problem):
    for call in (STC(2, **params).fit, STC(2, **params).partial_fit):
        with pytest.raises(LaconicError, match=re.escape(problem)):
            call(COUNTS)


def test_not_fitted():
    for call in (STC().transform, STC().word_codes):
        with pytest.raises(NotFittedError):
            call(COUNTS)
    with pytest.raises(NotFittedError):
        STC().senses("cat")


def test_other_widths_are_refused():
    model = STC(2).fit(COUNTS)
    for call in (model.transform, model.word_codes, model.partial_fit):
        with pytest.raises(ValueError, match="19 features"):
            call(COUNTS[:, 1:])


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
    assert X.nnz == 2 * rough.nnz  # what was given is not changed


def test_not_converged_says_so():
    with pytest.warns(ConvergenceWarning, match="STC did not converge in 1 passes"):
        STC(3, max_iter=1, tol=0).fit(COUNTS)
