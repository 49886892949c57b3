"""Tests of SCTM: exact updates, the same passes as the reference, and optimal codes."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import laconic
from laconic import SCTM, Corpus
from laconic.corpus import chunks
from laconic.corpus.chunks import memory_chunks
from laconic.engines import ENGINES
from laconic.models.sctm.codes import ALPHA
from laconic.models.sctm.dictionary import improve_topics
from laconic.models.sctm.solver import Prior, code
from tests.engines.interrupted import Interrupted
from tests.messages import check, warned
from tests.models.plsa import reference as reference_plsa
from tests.models.sctm import reference
from tests.models.sctm.fits import fit, start_of

numbers = st.integers(0, 10**6)


def sorted_rows(A):
    return A[np.lexsort(A.T)]


def draw_counts(seed):
    random = np.random.default_rng(seed)
    return random.poisson(0.8, random.integers(2, 16, 2)) * random.choice([1.0, 0.01, 1000.0])


# ---- the fit ----


@pytest.mark.parametrize("alpha", [0.0, 1e-4, 0.01])
def test_first_passes_are_those_of_the_reference(counts, alpha):
    """Only two passes are compared, because momentum starts with the third pass."""
    model = fit(counts, 4, alpha=alpha, max_iter=2, tol=0)
    F = reference.frequencies(counts)
    topics, values = reference.alternate(F, start_of(counts, 4), alpha, 2)
    np.testing.assert_allclose(model.objective_, values, rtol=1e-7)
    np.testing.assert_allclose(sorted_rows(model.components_), sorted_rows(topics), atol=1e-6)


def test_all_passes_without_momentum_are_those_of_the_reference(counts, monkeypatch):
    monkeypatch.setattr("laconic.models.sctm.solver.MOMENTUM", 0.0)
    model = fit(counts, 4, alpha=1e-3, max_iter=8, tol=0)
    F = reference.frequencies(counts)
    topics, values = reference.alternate(F, start_of(counts, 4), 1e-3, 8)
    np.testing.assert_allclose(model.objective_, values, rtol=1e-7)
    np.testing.assert_allclose(sorted_rows(model.components_), sorted_rows(topics), atol=1e-5)


def test_momentum_saves_passes_and_ends_no_higher(planted):
    corpus, _ = planted
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("laconic.models.sctm.solver.MOMENTUM", 0.0)
        plain = fit(corpus, 6, max_iter=30, tol=0)
    quick = fit(corpus, 6, max_iter=30, tol=0)
    assert quick.objective_[-1] <= plain.objective_[-1] * (1 + 1e-3)
    assert quick.objective_[12] < plain.objective_[12]


@given(numbers, st.integers(1, 6), st.sampled_from([0.0, 1e-4, 0.02]))
def test_objective_never_rises(seed, n_components, alpha):
    X = draw_counts(seed)
    model = fit(X, n_components, alpha=alpha, smoothing=None, max_iter=25, tol=0)
    assert np.all(np.diff(model.objective_) <= 1e-10 * len(X))


@given(numbers, st.integers(1, 6), st.sampled_from([0.0, 1e-4, 0.02]))
def test_neither_codes_nor_topics_raise_the_objective(seed, n_components, alpha):
    X = sp.csr_matrix(draw_counts(seed))
    F = reference.frequencies(X.toarray())
    topics = start_of(X.toarray(), n_components)
    codes = np.random.default_rng(seed).gamma(1.0, size=(len(F), n_components))
    codes[~F.any(axis=1)] = 0
    last = reference.objective(F, topics, codes, alpha)
    for _ in range(6):
        codes = code(X, Prior(alpha).params(np.ascontiguousarray(topics.T)), codes.copy())[0]
        value = reference.objective(F, topics, codes, alpha)
        assert value <= last + 1e-10 * len(F)
        topics = improve_topics(topics, codes.T @ codes, codes.T @ F)
        last = reference.objective(F, topics, codes, alpha)
        assert last <= value + 1e-10 * len(F)


def test_objective_is_that_of_the_topics_and_codes(planted):
    corpus, _ = planted
    X = corpus.counts.toarray().astype(float)
    model = fit(X, 5, alpha=1e-3)
    codes = model.transform(X).toarray()
    explicit = reference.objective(reference.frequencies(X), model.components_, codes, 1e-3)
    assert model.converged_
    assert explicit == pytest.approx(model.objective_[-1], rel=2 * model.tol)


def test_topics_are_sparse_distributions_by_falling_share(planted):
    corpus, _ = planted
    model = fit(corpus, 6)
    assert isinstance(model.components_, np.ndarray)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-4)
    assert (model.components_ >= 0).all()
    assert np.mean(model.components_ == 0) > 0.15
    assert model.topic_shares_.sum() == pytest.approx(1)
    assert np.all(np.diff(model.topic_shares_) <= 0)
    mass = model.transform(corpus).sum(axis=0).A1
    np.testing.assert_allclose(model.topic_shares_, mass / mass.sum(), rtol=1e-3)
    np.testing.assert_allclose(model.topic_mass_, mass, rtol=1e-3)
    assert model.n_documents_ == 300
    np.testing.assert_array_equal(model.word_counts_, corpus.counts.sum(axis=0).A1)
    assert fit(corpus, 6, alpha=1e-3).alpha_ == 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_planted_topics_are_found_again(planted, seed):
    corpus, truth = planted
    model = fit(corpus, 5, random_state=seed)
    assert reference_plsa.likeness(model.components_, truth.topics).min() > 0.95
    assert reference_plsa.likeness(model.probabilities_, truth.topics).min() > 0.95


def test_seeds(planted):
    corpus, _ = planted
    one, same, other = (fit(corpus, 4, random_state=s, max_iter=3) for s in (1, 1, 2))
    assert np.array_equal(one.components_, same.components_)
    assert np.array_equal(one.probabilities_, same.probabilities_)
    assert not np.array_equal(one.components_, other.components_)
    fit(corpus, 4, random_state=np.random.RandomState(0), max_iter=3)


def test_the_best_topics_of_documents_that_are_topics():
    """With as many topics as documents, the error can become zero."""
    X = np.random.default_rng(2).poisson(2.0, (5, 30)) + 0.0
    model = fit(X, 5, alpha=0.0, max_iter=500, tol=0)
    assert model.objective_[-1] <= 1e-6
    np.testing.assert_allclose(
        model.transform(X).toarray() @ model.components_, reference.frequencies(X), atol=2e-3
    )


def test_the_default_penalty_is_a_share_of_what_documents_weigh(planted):
    corpus, _ = planted
    X = corpus.counts.toarray().astype(float)
    energy = np.sum(reference.frequencies(X) ** 2, axis=1).mean()
    for data in (X, 1000 * X, np.vstack([X, np.zeros((50, 160))])):
        assert fit(data, 5, max_iter=2).alpha_ == pytest.approx(ALPHA * energy, rel=1e-5)


# ---- codes ----


@pytest.mark.parametrize("alpha", [0.0, 1e-4, 0.01])
def test_codes_are_optimal(planted, alpha):
    corpus, _ = planted
    X = corpus.counts.toarray().astype(float)
    model = fit(X, 8, alpha=alpha, smoothing=None)
    codes = model.transform(X).toarray()
    B = model.components_
    pulls = reference.frequencies(X) @ B.T - alpha
    assert reference.violation(B @ B.T, pulls, codes) <= 1e-6
    np.testing.assert_allclose(
        codes[:5], reference.codes_of(reference.frequencies(X[:5]), B, alpha), atol=1e-6
    )


def test_larger_penalties_leave_fewer_topics(planted):
    corpus, _ = planted
    sizes = [fit(corpus, 8, alpha=a).transform(corpus).nnz for a in (1e-4, 1e-2, 4e-2)]
    assert sizes[0] > sizes[1] > sizes[2] > 0


@pytest.mark.parametrize("target", [1.2, 2, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_topics_per_document(planted, target, dtype):
    X = planted[0].counts.astype(dtype)
    model = fit(X, 10, topics_per_document=target)
    assert model.transform(X).nnz / 300 == pytest.approx(target, rel=0.1)
    assert model.alpha_ > 0
    assert np.all(np.diff(model.objective_) <= 1e-6 * model.objective_[0])
    # for a lower target, `alpha_` is so high that a new fit would start without any codes
    if target >= 2:
        same = fit(X, 10, alpha=model.alpha_)
        assert same.transform(X).nnz / 300 == pytest.approx(target, rel=0.4)


def test_counts_are_made_frequencies(counts):
    plain = fit(counts, 4, smoothing=None)
    rows = np.random.default_rng(0).uniform(0.1, 9, (40, 1))
    for X in (reference.frequencies(counts), counts * 1e6, counts * 1e-6, counts * rows):
        scaled = fit(X, 4, smoothing=None)
        np.testing.assert_allclose(scaled.components_, plain.components_, atol=1e-5)
        np.testing.assert_allclose(
            scaled.transform(X).toarray(), plain.transform(counts).toarray(), atol=1e-5
        )


def test_empty_documents_have_zeros(counts):
    counts[5] = 0
    counts[31:33] = 0
    for params in ({}, {"correlated": True}, {"topics_per_document": 2}, {"batch_size": 4}):
        model = fit(counts, 3, **params)
        codes = model.transform(counts).toarray()
        assert np.array_equal(codes.any(axis=1), counts.any(axis=1))
        assert model.n_documents_ == 40
        assert np.isfinite(model.objective_).all()


def test_documents_of_words_that_no_topic_has(blocks):
    model = fit(blocks, 2, alpha=0.01)
    assert not model.components_[:, 16:].any()
    assert not model.transform(np.eye(18)[16:]).nnz


def test_empty_documents_do_not_matter(counts):
    """Empty documents may be drawn as initial topics, but they are never used."""
    padded = np.vstack([counts, np.zeros((400, 25))])
    model = fit(padded, 4, max_iter=40)
    assert set(np.flatnonzero(model.transform(padded).getnnz(axis=1))) == set(range(40))
    assert model.objective_[-1] <= fit(counts, 4).objective_[-1] * 1.2


def test_single_precision(counts):
    exact, rough = (fit(counts.astype(t), 4, max_iter=15, tol=0) for t in ("f8", "f4"))
    assert exact.components_.dtype == exact.probabilities_.dtype == np.float64
    assert rough.components_.dtype == rough.probabilities_.dtype == np.float32
    np.testing.assert_allclose(rough.objective_[:5], exact.objective_[:5], rtol=1e-4)
    np.testing.assert_allclose(rough.components_, exact.components_, atol=1e-2)
    assert rough.transform(counts.astype("f4")).dtype == np.float32
    assert rough.score(counts) == pytest.approx(exact.score(counts), rel=1e-3)


def test_output(planted):
    corpus, _ = planted
    model = fit(corpus, 4)
    codes = model.transform(corpus)
    assert sp.issparse(codes)
    assert codes.format == "csr"
    assert (codes.data > 0).all()
    dense = model.set_params(sparse_output=False).transform(corpus)
    assert isinstance(dense, np.ndarray)
    assert np.array_equal(dense, codes.toarray())
    np.testing.assert_array_equal(model.fit_transform(corpus), dense)


# ---- engines and types of input ----


@pytest.mark.parametrize("rows", [15, 6])
@pytest.mark.parametrize("params", [{}, {"correlated": True}, {"topics_per_document": 2}], ids=str)
def test_many_chunks_are_one(counts, rows, params, monkeypatch):
    whole = fit(counts, 4, max_iter=10, tol=0, **params)
    monkeypatch.setattr(chunks, "CHUNK_ROWS", rows)
    assert len(memory_chunks(sp.csr_matrix(counts))) > 2
    parts = fit(counts, 4, max_iter=10, tol=0, **params)
    n = min(len(parts.objective_), len(whole.objective_))
    np.testing.assert_allclose(parts.objective_[:n], whole.objective_[:n], rtol=1e-6)
    np.testing.assert_allclose(parts.components_, whole.components_, atol=1e-4)
    np.testing.assert_allclose(parts.probabilities_, whole.probabilities_, atol=1e-3)
    np.testing.assert_allclose(
        parts.transform(counts).toarray(), whole.transform(counts).toarray(), atol=1e-3
    )
    assert parts.score(counts) == pytest.approx(whole.score(counts), rel=1e-5)


@pytest.mark.parametrize("params", [{}, {"correlated": True}, {"topics_per_document": 2}], ids=str)
def test_engines_and_disk_give_the_same_bits(planted, small_chunks, tmp_path, params):
    corpus = planted[0][:60]
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    models = [
        fit(data, 4, engine=engine, n_jobs=2, max_iter=8, **params)
        for engine in ("serial", "threads")
        for data in (corpus, stored)
    ]
    for model in models[1:]:
        assert np.array_equal(model.components_, models[0].components_)
        np.testing.assert_allclose(model.objective_, models[0].objective_, rtol=1e-14)
        assert np.array_equal(model.probabilities_, models[0].probabilities_)
    codes = models[0].transform(corpus).toarray()
    assert np.array_equal(models[3].transform(stored).toarray(), codes)
    assert models[3].score(stored) == models[0].score(corpus)


def test_all_forms_of_counts_give_the_same(counts):
    expected = fit(counts, 3)
    rough = sp.csr_matrix(counts)
    halves = sp.csr_matrix(
        (np.repeat(rough.data / 2, 2), np.repeat(rough.indices, 2), 2 * rough.indptr),
        shape=rough.shape,
    )
    with_zeros = rough.copy()
    with_zeros.data[with_zeros.data == 3] = 0  # explicit zeros
    for X in (rough, sp.csc_matrix(counts), counts.astype(int), halves):
        model = fit(X, 3)
        np.testing.assert_allclose(model.components_, expected.components_, atol=1e-6)
        np.testing.assert_allclose(
            model.transform(X).toarray(), expected.transform(counts).toarray(), atol=1e-6
        )
        assert model.score(X) == pytest.approx(expected.score(counts), rel=1e-6)
    assert X.nnz == 2 * rough.nnz  # the input is not changed
    for smoothing in ("kl", 0.1, None):
        zeros, dense = (fit(X, 3, smoothing=smoothing) for X in (with_zeros, with_zeros.toarray()))
        np.testing.assert_allclose(zeros.components_, dense.components_, atol=1e-6)
        assert zeros.score(with_zeros) == pytest.approx(dense.score(with_zeros.toarray()))


# ---- saved and fitted again ----

KINDS = [{}, {"correlated": True}, {"smoothing": 0.2}, {"smoothing": None, "alpha": 1e-3}]


@pytest.mark.parametrize("params", KINDS, ids=str)
def test_saved_pickled_and_loaded(planted, tmp_path, params):
    corpus, _ = planted
    model = fit(corpus, 4, **params)
    laconic.save(model, tmp_path / "model")
    for again in (laconic.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        again.engine = model.engine  # `engine` is never read from a file
        assert again.get_params() == model.get_params()
        assert np.array_equal(again.transform(corpus).toarray(), model.transform(corpus).toarray())
        assert again.score(corpus) == model.score(corpus)
        one, other = (pickle.loads(pickle.dumps(m)) for m in (model, again))
        for batch in (corpus[50:99], corpus[:30]):
            one.partial_fit(batch)
            other.partial_fit(batch)
        assert np.array_equal(one.components_, other.components_)
        assert one.score(corpus) == other.score(corpus)
    model.partial_fit(corpus[:50])
    laconic.save(model, tmp_path / "stream")
    again = laconic.load(tmp_path / "stream")
    assert np.array_equal(again.transform(corpus).toarray(), model.transform(corpus).toarray())
    one, other = (m.partial_fit(corpus[50:99]).components_ for m in (model, again))
    assert np.array_equal(one, other)


def learned(model):
    return {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}


@pytest.mark.parametrize("params", KINDS, ids=str)
def test_a_second_fit_forgets_the_first(planted, params):
    corpus, _ = planted
    fresh = fit(corpus, 4, **params)
    used = fit(corpus[:90], 7, correlated=True).partial_fit(corpus[:30])
    used.transform(corpus)
    used.set_params(**fresh.get_params()).fit(corpus)
    assert learned(used) == learned(fresh)
    assert np.array_equal(used.components_, fresh.components_)
    assert np.array_equal(used.transform(corpus).toarray(), fresh.transform(corpus).toarray())
    assert used.score(corpus) == fresh.score(corpus)
    assert used.n_documents_ == 300
    assert not hasattr(clone(used), "components_")


# ---- the end of a fit ----


def interrupt(monkeypatch, passes):
    """Register an engine that raises KeyboardInterrupt after the given number of passes."""
    monkeypatch.setitem(ENGINES, "interrupted", lambda n_jobs: Interrupted("code_sums", passes))


@pytest.mark.parametrize("passes", [0, 3])
@pytest.mark.parametrize("params", [{}, {"topics_per_document": 2}], ids=str)
def test_interrupted_in_a_pass(planted, passes, params, monkeypatch):
    interrupt(monkeypatch, passes)
    model = SCTM(5, engine="interrupted", **params)
    with warned("SCTM", f"{passes} passes", kind=ConvergenceWarning):
        model.fit(planted[0])
    assert model.converged_ is False
    assert model.n_iter_ == passes
    assert model.transform(planted[0]).nnz
    assert np.isfinite(model.score(planted[0]))


def test_interrupted_before_the_graph(planted, monkeypatch):
    """A single Ctrl-C ends the whole fit, so that the estimation of the graph does not begin."""
    interrupt(monkeypatch, 2)
    model = SCTM(5, correlated=True, engine="interrupted")
    with pytest.warns(ConvergenceWarning) as seen:
        model.fit(planted[0])
    assert len(seen) == 1
    check(str(seen[0].message), "SCTM", "2 passes")
    assert not model.converged_
    assert model.n_iter_ <= 3
    assert model.transform(planted[0]).nnz


def test_interrupted_with_a_graph(planted, monkeypatch):
    passes = fit(planted[0], 5).n_iter_
    interrupt(monkeypatch, passes + 1)
    with warned("SCTM", "passes", kind=ConvergenceWarning, golden=False):
        model = SCTM(5, correlated=True, engine="interrupted").fit(planted[0])
    assert not model.converged_
    assert model.topic_precision_.shape == (5, 5)
    assert model.transform(planted[0]).nnz


def test_not_converged_says_so_once(planted):
    for params in ({}, {"correlated": True}, {"batch_size": 100}):
        with pytest.warns(ConvergenceWarning) as seen:
            model = SCTM(3, max_iter=1, tol=0, **params).fit(planted[0])
        check(str(seen[0].message), "SCTM", "1 pass;", "max_iter", "tol")
        assert [str(w.filename).endswith("test_estimator.py") for w in seen] == [True]
        assert model.converged_ is False
        assert model.n_iter_ == 1


def test_converged_says_nothing(planted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for params in ({}, {"correlated": True}, {"topics_per_document": 2}):
            model = SCTM(5, **params).fit(planted[0])
            assert model.converged_ is True
            assert model.n_iter_ <= model.max_iter
