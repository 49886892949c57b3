"""Tests of every model in MODELS on small, unusual or wrong input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError

from laconic import Corpus
from laconic.models import MODELS
from tests import messages
from tests.messages import refused
from tests.models.pairwise import pairwise

random = np.random.default_rng(0)
COUNTS = random.poisson(0.7, (30, 20)).astype(float)
EMPTY = Corpus(sp.csr_matrix((0, 20)))

STRANGE = {
    "one document": COUNTS[:1],
    "three documents": COUNTS[:3],
    "one word": COUNTS[:, :1] + 1,
    "one number": np.array([[3.0]]),
    "nothing": np.zeros((5, 4)),
    "huge": COUNTS * 1e6,
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
TOO_STRANGE = {"slsa": ["beyond whole numbers"]}  # the squares of these counts overflow float32
SIZES = {"pcp": [None, 1, 3, 40]}  # numbers of topics to test, if not 1, 3 and 40
# Parameters to test, grouped into axes. A model that is not listed is tested with its defaults.
KINDS = {
    "slsa": [
        [{}, {"alpha": 0.0}, {"words_per_topic": 3}],
        [{}, {"positive": True}],
        [{}, {"init": "identity"}, {"init": "random"}],
    ],
    "plsa": [
        [{}, {"smoothing": 0.0}, {"smoothing": -0.5}],
        [{}, {"doc_smoothing": 0.0}, {"doc_smoothing": -0.5}],
    ],
    "sctm": [
        [{}, {"alpha": 0.0}, {"alpha": 0.01}, {"topics_per_document": 1}],
        [{}, {"smoothing": 0.1}, {"smoothing": None}],
        [{}, {"correlated": True}, {"correlated": True, "graph_alpha": 0.0}],
        [{}, {"batch_size": 3}],
        [{}, {"forgetting": 0.0}, {"forgetting": 5.0}],
    ],
    "stc": [
        [{}, {"loss": "gaussian"}],
        [{}, {"dictionary": "paper"}],
        [{"doc_norm": "l1"}, {"doc_norm": "l2"}],
        [{}, {"word_norm": "l2"}],
        [
            {},
            {"coupling": 1e-4},
            {"coupling": 1e4},
            {"word_penalty": 1e-8, "doc_penalty": 1e-8},
            {"word_penalty": 1e4},
            {"doc_penalty": 1e4},
            {"word_penalty": 0.0, "doc_penalty": 0.0},
        ],
    ],
    "medstc": [
        [{}, {"loss": "gaussian"}],
        [{"doc_norm": "l1"}, {"doc_norm": "l2"}],
        [{}, {"word_norm": "l2"}],
        [{}, {"C": 1e-3}, {"C": 1e3}],
    ],
    "pcp": [[{}, {"keywords_per_document": 1}, {"alpha": 0.1}]],
}

every_model = pytest.mark.parametrize("name", MODELS)
any_warning = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:.*topics (were requested|have no words|have no documents)",
    "ignore:A background of rank",
    "ignore:.*keywords_per_document",
)


def make(name, **params):
    return MODELS[name](**{"n_components": 2, "engine": "serial", **params})


def labels_of(X):
    """Assign the documents to two classes, for the models that need classes."""
    return np.arange(X.shape[0]) % 2


def fit(model, X):
    return model.fit(X, labels_of(X))


def calls(name, *others):
    """Return the methods of a fitted model that take documents, and fits of new models."""
    fitted = fit(make(name), COUNTS)
    found = [lambda X: fit(make(name), X), fitted.transform]
    if hasattr(fitted, "partial_fit"):
        found.append(make(name).partial_fit)
    return found + [getattr(fitted, other) for other in others if hasattr(fitted, other)]


def dense(A):
    return A.toarray() if sp.issparse(A) else A


# ---- small and unusual ----


def check(name, model, X):
    topics, codes = dense(model.components_), model.transform(X)
    assert topics.shape[1] == X.shape[1]
    assert topics.dtype == codes.dtype
    # PCP squares these values, so it computes in float64
    assert topics.dtype == X.dtype or X.max() > 1e12
    for values in (topics, codes.data, model.objective_, model.topic_shares_):
        assert np.isfinite(values).all()
    assert codes.shape == (len(X), len(topics))
    assert not codes.toarray()[~X.any(axis=1)].any()
    if getattr(model, "TOPICS_ARE_DISTRIBUTIONS", False):
        assert len(topics) == model.n_components
        assert (topics >= 0).all()
        np.testing.assert_allclose(topics.sum(axis=1), 1, rtol=1e-4)
        assert (codes.data >= 0).all()
    if name in CHECKS:
        CHECKS[name](model, X, codes)


def check_plsa(model, X, codes):
    np.testing.assert_allclose(codes.sum(axis=1).A1, X.any(axis=1), rtol=1e-4)


def check_sctm(model, X, codes):
    assert (codes.data > 0).all()
    if model.smoothing is not None:
        assert np.isfinite(model.score(X))
    if model.smoothing == "kl":
        assert (model.probabilities_ > 0).all()
        np.testing.assert_allclose(model.probabilities_.sum(axis=1), 1, rtol=1e-4)
    if model.correlated:
        assert np.isfinite(model.topic_precision_).all()
        assert np.linalg.eigvalsh(model.topic_precision_).min() > 0


def check_stc(model, X, codes):
    assert np.isfinite(model.divergence_).all()
    assert np.isfinite(model.word_codes(X).entries.data).all()


def check_medstc(model, X, codes):
    assert np.isfinite(model.word_codes(X).entries.data).all()
    assert np.isfinite(model.coef_).all()
    assert set(model.predict(X)) <= {0, 1}


def check_pcp(model, X, codes):
    rank = len(model.components_)
    assert model.rank_ == rank <= max(X.shape)
    near = 1e-3 if X.dtype == np.float32 else 1e-6
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(rank), atol=near)
    for values in (model.shrinkage_, model.alpha_):
        assert np.isfinite(values).all()
    found, parts = model.keywords(X), model.split(X)
    assert found.dtype == model.components_.dtype
    assert np.isfinite(found.data).all()
    assert (found.data > 0).all()
    assert not found.toarray()[X == 0].any()
    assert parts.background.shape == X.shape


CHECKS = {
    "plsa": check_plsa,
    "sctm": check_sctm,
    "stc": check_stc,
    "medstc": check_medstc,
    "pcp": check_pcp,
}


def check_descent(name, model):
    """Check that the objective never rises, for models whose passes minimise it."""
    batches = getattr(model, "batch_size", None)
    if name in ("slsa", "sctm") or getattr(model, "dictionary", None) == "paper":
        rise = np.diff(model.objective_, prepend=model.objective_[:1]).max(initial=0)
        slack = 1e-5 if name == "sctm" else 1e-4
        assert batches or rise <= slack * np.abs(model.objective_).max(initial=1e-3)


def rows_of(name):
    """Cover all pairs of documents, precision, number of topics and parameters."""
    documents = [kind for kind in STRANGE if kind not in TOO_STRANGE.get(name, ())]
    return pairwise(documents, ["f4", "f8"], SIZES.get(name, [1, 3, 40]), *KINDS.get(name, []))


@any_warning
@every_model
@pytest.mark.parametrize("documents", STRANGE)
def test_little_and_strange_counts(name, documents):
    for kind, dtype, n_components, *parts in rows_of(name):
        if kind != documents:
            continue
        params = {key: value for part in parts for key, value in part.items()}
        model = make(name, n_components=n_components, max_iter=5, **params)
        try:
            check_fits(name, model, kind, STRANGE[kind].astype(dtype))
        except Exception as error:
            error.add_note(f"{dtype}, {model}")
            raise


def check_fits(name, model, documents, X):
    """Check a fit, a batch after the fit, and a first batch."""
    if is_classifier(model) and len(X) < 4:
        with refused("class", golden=False):
            fit(model, X)
        return
    if name == "slsa" and documents == "tiny" and model.alpha is model.words_per_topic is None:
        # the default `alpha` makes all topics of tiny documents empty
        with refused("alpha", golden=False):
            fit(model, X)
        return
    check(name, fit(model, X), X)
    check_descent(name, model)
    if hasattr(model, "partial_fit"):
        check(name, model.partial_fit(X[::-1]), X)
        check(name, make(name, **model.get_params()).partial_fit(X), X)


@every_model
def test_documents_without_a_vocabulary(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit(make(name), Corpus(sp.csr_matrix((4, 0))))
    assert model.components_.shape[1] == 0
    assert model.transform(Corpus(sp.csr_matrix((3, 0)))).shape[0] == 3


@every_model
def test_no_documents_get_a_sentence(name):
    for call in ("fit", "partial_fit"):
        if hasattr(make(name), call):
            with refused(MODELS[name].__name__, "at least one document"):
                getattr(make(name), call)(EMPTY)
    model = fit(make(name), COUNTS)
    assert model.transform(EMPTY).shape == (0, 2)
    for method in ("keywords", "word_codes"):
        if hasattr(model, method):
            assert np.shape(getattr(model, method)(EMPTY))[0] == 0


@every_model
def test_more_topics_than_words_warn_where_fit_was_called(name):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        fit_here = make(name, n_components=9, max_iter=500).fit
        fit_here(COUNTS[:, :4], labels_of(COUNTS))
    assert [one.filename for one in seen] == [__file__]
    messages.check(str(seen[0].message), "9", "4", "n_components")


# ---- wrong input ----


@every_model
@pytest.mark.parametrize(("value", "problem"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_numbers_that_cannot_be(name, value, problem):
    X = COUNTS.copy()
    X[1, 1] = value
    for call in calls(name, "perplexity", "keywords", "split", "word_codes"):
        for data in (X, sp.csr_matrix(X)):
            with refused(problem, kind=ValueError, golden=False):
                call(data)


@pytest.mark.parametrize(
    "name",
    [name for name in MODELS if MODELS[name]().__sklearn_tags__().input_tags.positive_only],
)
def test_negative_counts(name):
    for call in calls(name, "perplexity", "keywords", "split", "word_codes"):
        for data in (COUNTS - 1, sp.csr_matrix(COUNTS - 1)):
            with refused("Negative values", MODELS[name].__name__):
                call(data)


@every_model
def test_other_widths_are_refused(name):
    model = fit(make(name), COUNTS)
    for method in ("transform", "perplexity", "keywords", "split", "word_codes"):
        if hasattr(model, method):
            with refused("19 features", "20 features", kind=ValueError, golden=False):
                getattr(model, method)(COUNTS[:, 1:])
    if hasattr(model, "partial_fit"):
        with refused("19 features", "20 features", kind=ValueError, golden=False):
            model.partial_fit(COUNTS[:, 1:])


@every_model
def test_not_fitted(name):
    methods = ("transform", "perplexity", "predict", "decision_function")
    for method in (*methods, "keywords", "split", "word_codes", "senses"):
        if hasattr(MODELS[name], method):
            with pytest.raises(NotFittedError):
                getattr(make(name), method)(COUNTS)
    if hasattr(MODELS[name], "score"):
        with pytest.raises(NotFittedError):
            make(name).score(COUNTS, labels_of(COUNTS))


@every_model
@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_components", 0),
        ("n_components", 2.5),
        ("max_iter", 0),
        ("tol", -1.0),
        ("random_state", "seed"),
        ("engine", None),
        ("n_jobs", 1.5),
        ("sparse_output", "csr"),
        ("verbose", -1),
    ],
)
def test_wrong_parameters_are_named(name, parameter, value):
    for call in ("fit", "partial_fit"):
        model = MODELS[name](**{parameter: value})
        if hasattr(model, call):
            parts = f"'{parameter}'", MODELS[name].__name__, f"Got {value!r}"
            with refused(*parts, kind=ValueError, golden=False) as caught:
                getattr(model, call)(COUNTS, labels_of(COUNTS))
            assert "\n" not in str(caught.value)


@every_model
def test_unknown_engine_lists_the_known_ones(name):
    with refused("'engine'", "'serial'", "'threads'", "'dask'", "address", "'spark'"):
        fit(make(name, engine="spark"), COUNTS)


@every_model
def test_words_that_the_model_does_not_know_are_left_out(name):
    words = [f"w{i}" for i in range(20)]
    corpus = Corpus(sp.csr_matrix(COUNTS), words)
    model = fit(make(name, n_components=3), corpus)
    wide = np.hstack([COUNTS[:, ::-1], COUNTS[:, :3]])
    other = Corpus(sp.csr_matrix(wide), [*words[::-1], "x", "y", "z"])
    for method in ("transform", "keywords"):
        if hasattr(model, method):
            found, expected = (getattr(model, method)(data).toarray() for data in (other, corpus))
            np.testing.assert_allclose(found, expected, atol=1e-6)
    if hasattr(model, "perplexity"):
        assert model.perplexity(other) == pytest.approx(model.perplexity(corpus), rel=1e-6)
