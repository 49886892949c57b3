"""Tests of STC: the paper's codes, a falling objective, planted topics and sparsity."""

from __future__ import annotations

import itertools
import threading
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

import laconic
from laconic import STC, Corpus
from laconic.corpus import chunks
from laconic.datasets import make_topics
from laconic.engines import ENGINES
from laconic.kernels.stc_pass import EXPLAINED
from laconic.kernels.stc_words import encode_words
from laconic.kernels.stc_workspace import Penalties
from laconic.models.stc import solver
from laconic.models.stc.solver import code
from tests.engines.interrupted import Interrupted
from tests.messages import refused, warned
from tests.models.plsa import reference as reference_plsa
from tests.models.stc import reference

NORMS = list(itertools.product(["l1", "l2"], ["l1", "l2"]))
LOSSES = ["poisson", "gaussian"]


def fit(X, n_components, **params):
    """Fit STC in this thread, without warnings about convergence or missing topics."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", ".*topics were requested")
        return STC(n_components, **{"engine": "serial", **params}).fit(X)


def fixed(words, **params):
    """Return a model with the topics `words`, an array with a row for each word."""
    model = STC(words.shape[1], engine="serial", **params)
    model.components_ = np.ascontiguousarray(words.T)
    model.n_features_in_, model.fitted_on_corpus_ = words.shape[0], False
    model.doc_penalty_, model.word_penalty_ = params["doc_penalty"], params["word_penalty"]
    return model


def weights_of(model):
    """Return the penalties of a fitted model in the form that the reference expects."""
    word, document = model.word_penalty_, model.doc_penalty_
    doc_norm = model.doc_norm or "l2"
    return reference.Weights(
        model.coupling,
        word if model.word_norm == "l1" else 0,
        word if model.word_norm == "l2" else 0,
        document if doc_norm == "l1" else 0,
        document if doc_norm == "l2" else 0,
        model.offset,
        model.loss == "poisson",
    )


def draw_document(random):
    n_words, n_topics = random.integers(1, 9), random.integers(1, 6)
    words = random.gamma(0.5, size=(n_words, n_topics)) * (random.random((n_words, n_topics)) < 0.7)
    words[np.arange(n_words), random.integers(n_topics, size=n_words)] += 0.2
    words /= words.sum(axis=0) + 0.01
    return random.integers(1, 6, n_words) * random.choice([0.2, 1.0, 20.0]), words


# ---- the same codes as in the paper ----


@given(
    seed=st.integers(0, 10**6),
    coupling=st.sampled_from([0.1, 1.0]),
    word=st.sampled_from([0.03, 0.3, 1.0]),
    document=st.sampled_from([0.1, 1.0, 5.0]),
    norms=st.sampled_from(NORMS),
    poisson=st.booleans(),
)
def test_codes_are_those_of_coordinate_descent(seed, coupling, word, document, norms, poisson):
    w, beta = draw_document(np.random.default_rng(seed))
    weights = reference.Weights(
        coupling,
        word if norms[0] == "l1" else 0.0,
        word if norms[0] == "l2" else 0.0,
        document if norms[1] == "l1" else 0.0,
        document if norms[1] == "l2" else 0.0,
        1e-3,
        poisson,
    )
    theirs, s, value, still = reference.code_document(w, beta, weights, max_sweeps=400)
    X = sp.csr_matrix(w[None, :].astype(float))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "CODE_STEPS", 20_000)  # enough steps for every document
        theta, ours, _ = code(X, beta, Penalties(*weights), None, EXPLAINED, beta * 0, tol=1e-10)
    parts = encode_words(X.data, X.indices, X.indptr, beta, theta, Penalties(*weights))
    words = sp.csr_matrix(parts, shape=beta.shape).toarray()
    assert ours <= value + 1e-8 * (1 + abs(value))
    if still:
        scale = max(1, theirs.max(), s.max())
        np.testing.assert_allclose(theta[0], theirs, atol=1e-6 * scale)
        np.testing.assert_allclose(words, s, atol=1e-6 * scale)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("word_norm", "doc_norm"), NORMS)
def test_transform_and_word_codes_of_given_topics(loss, word_norm, doc_norm):
    random = np.random.default_rng(1)
    words = random.dirichlet(np.full(8, 0.4), 3).T
    X = random.poisson(2.0, (5, 8)).astype(float) + np.eye(5, 8)
    model = fixed(
        words, loss=loss, word_norm=word_norm, doc_norm=doc_norm, doc_penalty=0.3, word_penalty=0.05
    )
    weights = weights_of(model)
    assert weights.poisson == (loss == "poisson")
    assert (weights.word_l1, weights.word_l2) == ((0.05, 0) if word_norm == "l1" else (0, 0.05))
    assert (weights.doc_l1, weights.doc_l2) == ((0.3, 0) if doc_norm == "l1" else (0, 0.3))
    codes, of_words = model.transform(X).toarray(), model.word_codes(X)
    for d, row in enumerate(X):
        known = row > 0
        theta, s, _, _ = reference.code_document(row[known], words[known], weights, 1e-8)
        np.testing.assert_allclose(codes[d], theta, atol=1e-2 * theta.max())
        np.testing.assert_allclose(of_words[d].toarray()[known], s, atol=1e-2 * s.max())
        assert not of_words[d].toarray()[~known].any()


def test_gaussian_codes_become_scikit_learns_lasso():
    """Strong coupling makes s = θ, so that codes are those of a lasso.

    Over the words of the document, the lasso minimises Σ (w - θ'β)² / 2 + (ρ n + λ) |θ|₁.
    """
    random = np.random.default_rng(2)
    for _ in range(5):
        # a copy, because of matrices stored by columns the kernel is compiled separately
        words = random.dirichlet(np.full(12, 0.5), 4).T.copy()
        w = random.poisson(4.0, 12) + 1.0
        rho, lam = 0.02, 0.1
        lasso = Lasso(
            alpha=(12 * rho + lam) / 12, positive=True, fit_intercept=False, tol=1e-12,
            max_iter=100_000,
        ).fit(words, w)  # fmt: skip
        theta, _, _ = code(
            sp.csr_matrix(w[None]),
            words,
            Penalties(1e3, rho, 0.0, lam, 0.0, 1e-3, False),
            tol=1e-10,
        )
        np.testing.assert_allclose(theta[0], lasso.coef_, atol=1e-4 * lasso.coef_.max())


# ---- the objective ----


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("word_norm", "doc_norm"), NORMS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_papers_objective_never_rises(planted, loss, word_norm, doc_norm, dtype):
    X = planted[0].counts[:100].astype(dtype)
    model = fit(
        X, 6, loss=loss, word_norm=word_norm, doc_norm=doc_norm, dictionary="paper", tol=0,
        max_iter=12,
    )  # fmt: skip
    assert len(model.objective_) == 12
    scale = np.abs(model.objective_[0])
    assert np.all(np.diff(model.objective_) <= (1e-5 if dtype == "f4" else 1e-7) * scale)
    assert model.objective_[-1] < model.objective_[0]
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-4)


def test_objective_is_the_explicit_one(planted):
    X = planted[0].counts[:40].astype(np.float64)
    model = fit(X, 4, dictionary="paper", max_iter=30, tol=1e-9)
    weights = weights_of(model)
    total = 0.0
    codes, words = model.transform(X).toarray(), model.word_codes(X)
    for d in range(40):
        row = X[d]
        total += reference.objective(
            row.data, model.components_.T[row.indices], words[d].toarray()[row.indices], codes[d],
            weights,
        )  # fmt: skip
    assert total == pytest.approx(model.objective_[-1], rel=1e-2)


def test_coupled_records_both_losses(planted):
    model = fit(planted[0], 6, tol=0, max_iter=10)
    assert len(model.divergence_) == len(model.objective_) == 10 == model.n_iter_
    assert model.divergence_[-1] < model.divergence_[0] * (1 + 1e-3)
    assert len(fit(planted[0], 3, dictionary="paper", max_iter=2).divergence_) == 0


# ---- topics and codes ----


@pytest.mark.parametrize(
    "params",
    [{}, {"dictionary": "paper"}, {"loss": "gaussian"}, {"doc_norm": "l1"}, {"word_norm": "l2"}],
    ids=str,
)
def test_planted_topics_are_found_again(planted, params):
    corpus, truth = planted
    model = fit(corpus, 6, **params)  # five planted topics and one topic for the background
    assert reference_plsa.likeness(model.components_, truth.topics).min() > 0.9
    codes = model.transform(corpus)
    assert isinstance(codes, sp.csr_matrix)
    assert (codes.data > 0).all()
    strongest = model.components_[codes.toarray().argmax(axis=1)]
    own = truth.topics[corpus.labels]
    assert np.mean((strongest * own).sum(axis=1) > 0.3 * (own**2).sum(axis=1)) > 0.95


def test_shapes_and_shares(planted):
    corpus, _ = planted
    model = fit(corpus, 5)
    assert isinstance(model.components_, np.ndarray)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-4)
    assert model.topic_shares_.sum() == pytest.approx(1)
    assert np.all(np.diff(model.topic_shares_) <= 0)
    words = model.word_codes(corpus)
    assert len(words) == 300
    assert words.entries.shape == (corpus.counts.nnz, 5)
    assert words[-1].shape == (160, 5)
    assert (words[299] != words[-1]).nnz == 0
    assert [part.shape for part in words[3:5]] == [(160, 5)] * 2
    assert words.zeros == pytest.approx(1 - words.entries.nnz / words.entries.shape[0] / 5)
    with refused("document 300", "there are 300", kind=IndexError):
        words[300]


def test_word_topics_are_what_topics_explain(planted):
    """`word_topics_` is Σ_d w s_k β_k / (m + ε) over the documents, without shares below 1 %."""
    corpus, _ = planted
    model = fit(corpus, 5)
    X, beta = corpus.counts.tocsr(), model.components_.T
    words = model.word_codes(corpus)
    columns = np.concatenate([X[d].indices for d in range(300)])
    parts = words.entries.toarray() * beta[columns]
    parts *= (X.data / (parts.sum(axis=1) + 1e-3))[:, None]
    explained = np.zeros(beta.shape)
    np.add.at(explained, columns, parts)
    found = model.word_topics_.toarray()
    np.testing.assert_allclose(found, explained, atol=0.02 * explained.max())
    assert (
        found[found > 0] >= 0.0099 * np.repeat(found.sum(axis=1), (found > 0).sum(axis=1))
    ).all()


def test_dense_output(planted):
    corpus, _ = planted
    model = fit(corpus, 4)
    dense = model.set_params(sparse_output=False).transform(corpus)
    assert isinstance(dense, np.ndarray)
    assert np.array_equal(dense, model.set_params(sparse_output=True).transform(corpus).toarray())


@pytest.mark.parametrize("loss", LOSSES)
def test_larger_penalties_make_sparser_codes(planted, loss):
    corpus, _ = planted
    weak, strong = (0.01, 0.3) if loss == "poisson" else (1e-5, 1e-2)
    one, other = (
        fit(corpus, 6, loss=loss, word_penalty=p, doc_norm="l1").word_codes(corpus).zeros
        for p in (weak, strong)
    )
    assert other > one + 0.1


def test_single_precision(planted):
    X = planted[0].counts[:150]
    rough, exact = (fit(X.astype(t), 5, max_iter=8, tol=0) for t in ("f4", "f8"))
    assert rough.components_.dtype == np.float32
    assert exact.components_.dtype == np.float64
    np.testing.assert_allclose(rough.objective_, exact.objective_, rtol=1e-3)
    np.testing.assert_allclose(rough.components_, exact.components_, atol=2e-3)
    codes = exact.transform(X.astype("f8")).toarray()
    assert rough.transform(X.astype("f4")).dtype == np.float32
    np.testing.assert_allclose(rough.transform(X).toarray(), codes, atol=0.03 * codes.max())


def test_empty_documents_and_unseen_words_have_zeros(planted):
    corpus, _ = planted
    dense = np.hstack([corpus.counts.toarray(), np.zeros((300, 1))])
    dense[7] = 0
    X = sp.csr_matrix(dense)
    for params in ({}, {"loss": "gaussian"}, {"dictionary": "paper"}):
        model = fit(X, 5, max_iter=5, **params)
        unseen = sp.csr_matrix(([4.0], ([0], [160])), shape=(1, 161))
        both = X[:1] + unseen
        new = sp.vstack([X[6:8], unseen, X[:1], both], format="csr")
        codes = model.transform(new).toarray()
        assert codes[0].any()
        assert not codes[1:3].any()
        np.testing.assert_allclose(codes[3], codes[4], rtol=1e-6)
        words = model.word_codes(new)
        assert words[0].nnz
        assert words[1].nnz == words[2].nnz == 0
        assert not words[4].toarray()[160].any()
        assert not model.components_[:, 160].any()
    other = Corpus(np.array([[1, 2, 0]]), ["emu", "gnu", corpus.vocabulary[0]])
    fitted = fit(corpus, 3, max_iter=2)
    assert fitted.transform(other).nnz == 0
    assert fitted.word_codes(other).entries.nnz == 0


def test_seeds(planted):
    corpus, _ = planted
    one, same, other = (fit(corpus, 4, random_state=s, max_iter=2) for s in (1, 1, 2))
    assert np.array_equal(one.components_, same.components_)
    assert not np.array_equal(one.components_, other.components_)


# ---- engines ----


@pytest.mark.parametrize(
    "params",
    [{}, {"dictionary": "paper", "loss": "gaussian"}, {"topics_per_word": 1.5, "max_iter": 3}],
    ids=str,
)
def test_engines_and_disk_give_the_same_bits(planted, params, small_chunks, tmp_path):
    corpus = planted[0][:60]
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    models = [
        fit(data, 4, engine=engine, n_jobs=2, **{"max_iter": 4, **params})
        for engine, data in (("serial", corpus), ("threads", corpus), ("serial", stored))
    ]
    for model in models[1:]:
        for name in ("components_", "objective_", "topic_shares_", "divergence_"):
            assert np.array_equal(getattr(model, name), getattr(models[0], name))
        assert (model.word_topics_ != models[0].word_topics_).nnz == 0
    codes = models[0].transform(corpus)
    assert (models[1].transform(stored) != codes).nnz == 0
    one, other = (m.word_codes(corpus) for m in models[:2])
    assert (one.entries != other.entries).nnz == 0
    assert np.array_equal(one.indptr, other.indptr)


@pytest.mark.parametrize("dictionary", ["coupled", "paper"])
def test_many_chunks_are_one(planted, dictionary, monkeypatch):
    X = planted[0].counts[:120].astype(float)
    whole = fit(X, 4, dictionary=dictionary, max_iter=6, tol=0)
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 50)
    parts = fit(X, 4, dictionary=dictionary, max_iter=6, tol=0)
    np.testing.assert_allclose(parts.objective_, whole.objective_, rtol=1e-4)
    np.testing.assert_allclose(parts.components_, whole.components_, atol=1e-3)


@pytest.mark.parametrize("where", ["start", "fit"])
def test_interrupted_fits_end(planted, where, monkeypatch):
    """Ctrl-C during the passes keeps the model; before them, it raises KeyboardInterrupt."""
    corpus, _ = planted
    step = "mix_chunk" if where == "start" else "code_chunk"
    monkeypatch.setitem(ENGINES, "interrupted", lambda n_jobs: Interrupted(step, 1))
    model = STC(4, tol=0, engine="interrupted")
    if where == "start":
        with pytest.raises(KeyboardInterrupt):
            model.fit(corpus)
    else:
        with warned("STC", "1 pass;", kind=ConvergenceWarning):
            model.fit(corpus)
        assert model.transform(corpus).nnz
    assert not [t for t in threading.enumerate() if t.name.startswith("laconic")]


# ---- penalties from a wanted sparsity ----


@pytest.fixture(scope="module")
def skewed():
    """Return documents of very different lengths from topics of very different sizes."""
    random = np.random.default_rng(5)
    corpus, _ = make_topics(300, 400, 12, topics_per_document=3, overlap=0.3, random_state=1)
    X = corpus.counts.astype(np.float64)
    X = sp.diags(np.ceil(random.pareto(1.2, 300))) @ X
    return sp.csr_matrix(X[:, random.permutation(400)])


@pytest.mark.parametrize("kind", ["planted", "skewed"])
@pytest.mark.parametrize(
    "targets",
    [
        {"topics_per_word": 1.5},
        {"topics_per_document": 3.0},
        {"topics_per_word": 2.0, "topics_per_document": 4.0},
        {"topics_per_word": 1.5, "loss": "gaussian"},
    ],
    ids=str,
)
def test_targets_are_met(kind, targets, planted, skewed):
    X = planted[0].counts if kind == "planted" else skewed
    model = fit(X, 10, **targets)
    if "topics_per_word" in targets:
        found = model.word_codes(X).entries.nnz / X.nnz
        assert found == pytest.approx(targets["topics_per_word"], rel=0.15)
    if "topics_per_document" in targets:
        found = model.transform(X).nnz / X.shape[0]
        assert found == pytest.approx(targets["topics_per_document"], rel=0.15)
    assert model.word_penalty_ > 0
    assert model.doc_penalty_ > 0


# ---- saved and loaded ----


@pytest.mark.parametrize(
    "params", [{}, {"dictionary": "paper"}, {"topics_per_document": 2, "loss": "gaussian"}], ids=str
)
def test_saved_and_loaded(planted, params, tmp_path):
    corpus, _ = planted
    model = fit(corpus, 4, max_iter=4, **params).partial_fit(corpus[:50])
    laconic.save(model, tmp_path / "model")
    again = laconic.load(tmp_path / "model")
    assert (again.transform(corpus) != model.transform(corpus)).nnz == 0
    assert (again.word_codes(corpus).entries != model.word_codes(corpus).entries).nnz == 0
    word = corpus.vocabulary[50]
    assert again.senses(word, corpus).equals(model.senses(word, corpus))
    one, other = (m.partial_fit(corpus[50:99]).components_ for m in (model, again))
    assert np.array_equal(one, other)


@pytest.mark.parametrize("name", ["stc", "plsa"])
def test_pipelines_take_texts_and_corpora(name, tmp_path):
    texts = ["cats purr and meow", "dogs bark and growl", "cats meow", "dogs growl"] * 5
    made = laconic.pipeline(name, n_components=2, engine="serial").fit(texts)
    codes = made.transform(texts).toarray()
    assert (codes[::2].argmax(axis=1) == codes[0].argmax()).all()
    assert (codes[1::2].argmax(axis=1) != codes[0].argmax()).all()
    corpus = laconic.read(texts)
    np.testing.assert_allclose(made.transform(corpus).toarray(), codes, rtol=1e-6)
    laconic.save(made, tmp_path / "model")
    np.testing.assert_array_equal(
        laconic.load(tmp_path / "model").transform(texts).toarray(), codes
    )
