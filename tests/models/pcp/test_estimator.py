"""PCP, the factored form: optimal documents, a falling objective, sizes that are found."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import astuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import laconic
from laconic import PCP, Corpus
from laconic.corpus import chunks
from laconic.corpus.chunks import MemoryChunk, memory_chunks
from laconic.engines import ENGINES
from laconic.models.pcp import size as background_size
from laconic.models.pcp.factored import (
    TARGET_PASSES,
    Basis,
    orthonormal,
    principal,
    random_basis,
    split_rows,
    sum_background,
)
from laconic.models.pcp.parts import LowRank
from tests.engines.interrupted import Interrupted
from tests.messages import check, refused, warned
from tests.models.pcp import reference

numbers = st.integers(0, 10**6)


def fit(X, n_components=None, **params):
    """A fit in this thread, whether or not it converges."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return PCP(n_components, **{"engine": "serial", **params}).fit(X)


def draw_counts(seed):
    random = np.random.default_rng(seed)
    n_documents, n_words = random.integers(4, 25, 2)
    rates = random.gamma(1.0, 1.0, n_words) * random.gamma(2.0, 1.0, (n_documents, 1))
    return random.poisson(rates).astype(float)


def principal_of(model):
    """Principal directions, in which codes are shrunk one by one."""
    return model.rotation_.T @ model.components_


def reference_split(model, X):
    codes, keywords = reference.split(
        X, principal_of(model), model.alpha_, model.document_length_, model.shrinkage_
    )
    return codes @ model.rotation_.T, keywords


def distance(A, B):
    return np.linalg.norm(A - B) / max(np.linalg.norm(B), 1e-300)


@pytest.fixture(scope="module")
def bursts():
    """300 documents of five topics, each with two words fifteen times more than expected."""
    return reference.topics_and_keywords(300, 400, 5, 0)


@pytest.fixture(scope="module")
def counts():
    X, _, _ = reference.topics_and_keywords(60, 40, 3, 0, length=80, bursts=1)
    return X


# ---- documents ----


@pytest.mark.parametrize("params", [{"alpha": 1.0}, {"alpha": 3.0}, {}], ids=str)
def test_documents_are_those_of_the_reference(counts, params):
    model = fit(counts, 3, **params)
    assert (model.shrinkage_ < 1).all()  # 60 documents are enough to believe in
    new = np.random.default_rng(1).poisson(counts[:20] + 0.1).astype(float)
    new[0] *= 100  # of another length
    codes, keywords = reference_split(model, new)
    near = 1e-3 * model.alpha_ * np.sqrt(new.sum(axis=1).max() / model.document_length_)
    np.testing.assert_allclose(model.transform(new).toarray(), codes, atol=near)
    np.testing.assert_allclose(model.keywords(new).toarray(), keywords, atol=near)
    parts = model.split(new)
    np.testing.assert_allclose(parts.background.toarray(), codes @ model.components_, atol=near)


def test_documents_are_optimal(counts):
    """No code and no excess can be moved to advantage; a word below the threshold has none."""
    model = fit(counts, 3)
    P = principal_of(model)
    scales = reference.scales_of(counts, model.document_length_)[:, None]
    codes = model.transform(counts).toarray() @ model.rotation_ * scales
    S = model.keywords(counts).toarray() * scales
    D = counts * scales
    np.testing.assert_allclose(codes, model.shrinkage_ * ((D - S) @ P.T), atol=1e-6 * D.max())
    slopes = D - codes @ P - S - model.alpha_
    near = 1e-3 * model.alpha_
    assert np.abs(slopes[S > 0]).max() <= near
    assert slopes[(S == 0) & (model.alpha_ < D)].max() <= near
    assert not S[model.alpha_ >= D].any()


def test_documents_by_hand():
    """In a background of one direction nine occurrences too many are a keyword."""
    X = sp.csr_matrix([[2.0, 2, 0], [4, 4, 0], [3, 3, 9], [1, 1, 0], [6, 6, 0]])
    rows = split_rows(X, Basis.of(np.array([[0.5**0.5], [0.5**0.5], [0]]), 1.0, 8.2))
    S = rows.keywords(X).toarray()
    assert S[2, 2] == pytest.approx(9 - np.sqrt(15 / 8.2))  # κ grows with the root of the length
    assert np.count_nonzero(S) == 1
    np.testing.assert_allclose(
        rows.unscaled_codes().ravel(), np.sqrt(2) * X[:, 0].toarray().ravel()
    )


def test_keywords_are_positive_at_words_that_occur(bursts):
    X = bursts[0]
    model = fit(X, 5, alpha=2.0)
    for found in (model.keywords(X), model.keywords(sp.csr_matrix(X)), model.split(X).keywords):
        assert found.format == "csr"
        assert found.has_sorted_indices
        assert found.shape == X.shape
        assert (found.data > 0).all()
        assert not found.toarray()[X == 0].any()
        assert (found != model.keywords_).nnz == 0


def test_split_is_close_to_the_documents(bursts):
    X = bursts[0]
    model = fit(X, 5)
    background, found = model.split(X)
    assert distance(background + found, X) < 0.3
    assert distance(background.toarray(), X) > 0.5
    np.testing.assert_allclose(background.codes, model.transform(X).toarray(), rtol=1e-12)
    assert background.components is model.components_


def test_codes_are_shrunk_along_principal_directions(counts):
    model = fit(counts, 3, alpha=100.0)  # nothing is a keyword
    codes = model.transform(counts).toarray() @ model.rotation_
    expected = model.shrinkage_ * (counts @ principal_of(model).T)
    np.testing.assert_allclose(codes, expected, atol=1e-9)
    assert model.shrinkage_.max() < 1


# ---- the fit ----


@given(numbers, st.integers(1, 5), st.sampled_from([0.3, 1.0, 4.0]))
def test_objective_never_rises(seed, n_components, alpha):
    X = draw_counts(seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "A background of rank")
        model = fit(X, n_components, alpha=alpha, max_iter=25, tol=0, random_state=seed)
    assert np.all(np.diff(model.objective_) <= 1e-8 * (X**2).sum())
    assert (model.objective_ >= -1e-12 * (X**2).sum()).all()


def test_objective_never_rises_with_a_target(counts):
    for target in (0.5, 2.0, 6.0):
        model = fit(counts, 3, keywords_per_document=target, max_iter=30, tol=0)
        assert len(model.objective_) == model.n_iter_ - TARGET_PASSES  # κ moves before
        assert np.all(np.diff(model.objective_) <= 1e-8 * model.objective_[0])


@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_objective_is_computed_directly(counts, alpha):
    model = fit(counts, 3, alpha=alpha)
    direct = reference.total_objective(
        counts, principal_of(model), model.alpha_, model.document_length_
    )
    assert model.objective_[-1] == pytest.approx(direct, rel=1e-6)


def test_every_pass_is_one_of_the_reference(counts):
    """Codes and excesses of each document, then the best basis for them."""
    seed, alpha = 0, 1.5
    length = counts.sum() / len(counts)
    B = random_basis(40, 3, np.float64, seed).T
    chunk = MemoryChunk(sp.csr_matrix(counts), 0, len(counts))
    scales = reference.scales_of(counts, length)[:, None]
    for _ in range(4):
        basis = Basis.of(np.ascontiguousarray(B.T), alpha, length)
        sums, _ = sum_background(basis, chunk, None)
        codes, S = reference.split(counts, B, alpha, length)
        codes, rest = codes * scales, (counts - S) * scales
        near = 1e-4 * rest.max() * len(counts)
        np.testing.assert_allclose(sums.gram, codes.T @ codes, atol=near)
        np.testing.assert_allclose(sums.products, rest.T @ codes, atol=near)
        assert sums.excess == pytest.approx(np.sum(S * scales), rel=1e-3)
        assert sums.square == pytest.approx(np.sum(rest**2), rel=1e-3)
        assert sums.objective(alpha) == pytest.approx(
            reference.total_objective(counts, B, alpha, length), rel=1e-6
        )
        B = np.linalg.qr(rest.T @ codes)[0].T
        found = orthonormal(sums.products, basis.words)
        np.testing.assert_allclose(found @ found.T, B.T @ B, atol=1e-3)


def test_sums_of_parts_are_those_of_the_whole(counts):
    basis = Basis.of(random_basis(40, 3, np.float64, 0), 1.0, 80.0)
    X = sp.csr_matrix(counts)
    whole, one, other = (
        sum_background(basis, MemoryChunk(X[rows], 0, 60), None)[0]
        for rows in (slice(None), slice(25), slice(25, None))
    )
    for mine, theirs in zip(astuple(one.copy().merge(other)), astuple(whole), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)


def test_the_basis(bursts):
    X = bursts[0]
    model = fit(X, 7)
    B = model.components_
    assert B.shape == (7, 400)
    assert model.rank_ == 7
    np.testing.assert_allclose(B @ B.T, np.eye(7), atol=1e-6)
    np.testing.assert_allclose(model.rotation_ @ model.rotation_.T, np.eye(7), atol=1e-8)
    assert (B[np.arange(7), np.abs(B).argmax(axis=1)] > 0).all()
    assert np.all(np.diff(model.topic_shares_) <= 1e-12)
    assert model.topic_shares_.sum() == pytest.approx(1)
    assert np.all(np.diff(model.singular_values_) <= 0)
    scales = reference.scales_of(X, model.document_length_)[:, None]
    codes, _ = reference.split(X, principal_of(model), model.alpha_, model.document_length_)
    codes *= scales
    gram = codes.T @ codes
    np.testing.assert_allclose(np.sqrt(np.diag(gram)), model.singular_values_, rtol=1e-3)
    off = gram - np.diag(np.diag(gram))
    assert np.abs(off).max() <= 1e-3 * gram.max()
    turned = np.sqrt(np.diag(model.rotation_ @ gram @ model.rotation_.T))
    np.testing.assert_allclose(model.topic_shares_, turned / turned.sum(), rtol=1e-3)


@given(numbers)
def test_orthonormal_columns(seed):
    random = np.random.default_rng(seed)
    A = random.normal(size=(12, 4)) @ random.normal(size=(4, 6))
    before = np.eye(12)[:, :2]
    Q = orthonormal(A, before)
    assert Q.shape == (12, 4)
    np.testing.assert_allclose(Q.T @ Q, np.eye(4), atol=1e-10)
    np.testing.assert_allclose(Q @ (Q.T @ A), A, atol=1e-8)
    assert orthonormal(np.zeros((12, 3)), before) is before
    assert orthonormal(A.astype(np.float32), before).dtype == np.float32


@given(numbers)
def test_principal_directions(seed):
    random = np.random.default_rng(seed)
    words = np.linalg.qr(random.normal(size=(9, 3)))[0]
    codes = random.normal(size=(20, 3)) * [5, 1, 0.2]
    turned, values = principal(words, codes.T @ codes)
    expected = np.linalg.svd(codes @ words.T)[1][:3]
    np.testing.assert_allclose(values, expected, atol=1e-8)
    np.testing.assert_allclose(turned.T @ turned, np.eye(3), atol=1e-10)
    strengths = np.linalg.norm(codes @ words.T @ turned, axis=0)
    np.testing.assert_allclose(strengths, values, atol=1e-8)
    assert (turned[np.abs(turned).argmax(axis=0), range(3)] > 0).all()


def test_seeds(counts):
    one, same, other = (fit(counts, 3, random_state=s, max_iter=3) for s in (1, 1, 2))
    assert np.array_equal(one.components_, same.components_)
    assert (one.keywords_ != same.keywords_).nnz == 0
    assert not np.array_equal(one.components_, other.components_)
    fit(counts, 3, random_state=np.random.RandomState(0), max_iter=3)


def test_single_precision(counts):
    exact, rough = (fit(counts.astype(t), 3, alpha=2.0) for t in ("f8", "f4"))
    for model, dtype in ((exact, "f8"), (rough, "f4")):
        parts = model.split(counts.astype(dtype))
        assert model.components_.dtype == model.keywords_.dtype == dtype
        assert parts.background.dtype == parts.keywords.dtype == dtype
    np.testing.assert_allclose(rough.objective_[-1], exact.objective_[-1], rtol=1e-3)
    assert distance(rough.keywords_.toarray(), exact.keywords_.toarray()) <= 0.02


def test_large_counts_in_single_precision(counts):
    """Documents a hundred thousand times as long: nothing cancels, nothing runs away."""
    X = counts * 1e5
    exact, rough = (fit(X.astype(t), 3, alpha=300.0, max_iter=30) for t in ("f8", "f4"))
    assert rough.objective_[-1] == pytest.approx(exact.objective_[-1], rel=1e-2)
    assert np.diff(rough.objective_).max() <= 1e-3 * rough.objective_[-1]
    assert distance(rough.keywords_.toarray(), exact.keywords_.toarray()) <= 0.02


# ---- what is found without being told ----


def best_words(found, n):
    found = found.toarray()
    kept = np.zeros(found.shape, bool)
    np.put_along_axis(kept, np.argsort(-found, axis=1)[:, :n], True, axis=1)
    return kept & (found > 0)


@pytest.mark.parametrize("seed", range(2))
def test_rank_threshold_and_keywords_are_found(seed):
    X, truth, topics = reference.topics_and_keywords(300, 400, 5, seed)
    model = fit(X, random_state=seed)
    assert model.rank_ == 5
    inside = np.linalg.svd(np.linalg.qr(topics.T)[0].T @ model.components_.T, compute_uv=False)
    assert inside.min() > 0.95
    found = best_words(model.keywords(X), 2)
    assert np.mean(truth[found] > 0) >= 0.95
    assert np.mean(found[truth > 0]) >= 0.95
    size = model.keywords(X).toarray()[truth > 0]
    assert np.median(size) == pytest.approx(15, rel=0.35)


def test_threshold_leaves_noise_out(bursts):
    """Most of what is beyond the threshold was planted."""
    X, truth, _ = bursts
    model = fit(X)
    assert model.keywords_.nnz <= 8 * len(X)  # two were planted
    assert np.mean(model.keywords_.toarray()[truth > 0] > 0) >= 0.9


def test_without_keywords_the_rank_is_that_of_the_topics():
    X, _, _ = reference.topics_and_keywords(300, 400, 5, 0, bursts=0)
    assert fit(X).rank_ == 5


@pytest.mark.parametrize(("target", "rank"), [(1.0, 5), (3.0, 5), (6.0, 30)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_keywords_per_document(bursts, target, rank, dtype):
    X = bursts[0].astype(dtype)
    X[-30:] = 0  # documents without words have no keywords, and do not count
    model = fit(X, rank, keywords_per_document=target)
    assert model.keywords(X).nnz / 270 == pytest.approx(target, rel=0.05)
    assert model.alpha_ > 0
    same = fit(X, rank, alpha=model.alpha_)
    assert same.keywords_.nnz / 270 == pytest.approx(target, rel=0.2)


def test_what_is_given_stays(counts):
    model = fit(counts, 4, alpha=1.7)
    assert (model.rank_, model.alpha_) == (4, 1.7)
    assert fit(counts, alpha=1.7).alpha_ == 1.7
    assert fit(counts, 2).rank_ == 2
    sizes = [fit(counts, 3, alpha=a).keywords_.nnz for a in (0.5, 2.0, 8.0)]
    assert sizes[0] > sizes[1] > sizes[2]


def test_values_that_are_no_counts(counts):
    weights = np.log((1 + len(counts)) / (1 + (counts > 0).sum(axis=0)))
    X = np.log1p(counts) * weights
    model = fit(X)
    assert model.keywords_.nnz / len(X) == pytest.approx(5, rel=0.2)  # the default target
    np.testing.assert_array_equal(model.shrinkage_, 1)
    told = fit(X, 3, alpha=0.2)
    assert told.rank_ == 3
    codes, keywords = reference_split(told, X)
    np.testing.assert_allclose(told.transform(X).toarray(), codes, atol=1e-3)
    np.testing.assert_allclose(told.keywords(X).toarray(), keywords, atol=1e-3)


# ---- how size and shrinkage are found ----


@given(numbers, st.sampled_from([np.float32, np.float64]))
def test_occurrences_are_divided(seed, dtype):
    X = sp.csr_matrix(draw_counts(seed).astype(dtype))
    learned, held_out = background_size.thin(X, seed)
    assert ((learned + held_out) != X).nnz == 0
    for part in (learned, held_out):
        assert part.dtype == dtype
        assert (part.data > 0).all()
        assert background_size.are_counts(part)
    again = background_size.thin(X, seed)[0]
    assert (again != learned).nnz == 0
    assert (X.data > 0).all()  # what was given is as it was


def test_four_fifths_are_learned_from():
    learned, _ = background_size.thin(sp.csr_matrix(np.full((50, 50), 40.0)), 0)
    assert learned.sum() / 100_000 == pytest.approx(0.8, abs=0.01)
    assert np.std(learned.toarray()) == pytest.approx(np.sqrt(40 * 0.8 * 0.2), rel=0.1)


def tried(learned, held_out, rank, threshold):
    start = random_basis(learned.shape[1], rank, learned.dtype, 0)
    return background_size.try_size(learned, held_out, start, threshold)


@pytest.mark.parametrize("threshold", [1.0, 4.0])
def test_errors_are_computed_directly(counts, threshold):
    """For some ranks: held-out occurrences less a quarter of what was learned, squared."""
    learned, held_out = background_size.thin(sp.csr_matrix(counts), 0)
    trial = tried(learned, held_out, 6, threshold)
    B = trial.words.T
    assert trial.threshold == threshold
    assert trial.errors.shape == (len(B) + 1,)
    np.testing.assert_allclose(B @ B.T, np.eye(len(B)), atol=1e-8)
    length = background_size.mean_length(learned)
    rows = split_rows(learned, Basis.of(trial.words, 0.8 * threshold, length))
    scales = rows.scales[:, None]
    S = rows.keywords(learned).toarray() * scales
    held = held_out.toarray() * scales
    for rank in (0, 1, 3, len(B)):
        direct = np.sum((held - (rows.codes[:, :rank] @ B[:rank] + S) / 4) ** 2)
        assert trial.errors[rank] == pytest.approx(direct, rel=1e-6)
    # the share of a quarter of each code that is best for what was held out
    best = np.sum(rows.codes / 4 * ((held - S / 4) @ B.T), axis=0) / np.sum(
        (rows.codes / 4) ** 2, axis=0
    )
    np.testing.assert_allclose(trial.signal, best, rtol=1e-6)


def test_the_rank_and_then_the_threshold_of_the_lowest_error(counts):
    X = sp.csr_matrix(counts)
    parts = background_size.thin(X, 0)
    of_all_ranks = tried(*parts, 30, 2.0)  # half of the documents
    size = background_size.choose_size(X, None, 2.0, 0)
    assert size.threshold == 2.0
    assert size.words.shape[1] == len(size.shrinkage) == np.argmin(of_all_ranks.errors)
    thresholds = background_size.THRESHOLDS
    errors = [tried(*parts, 3, each).errors[-1] for each in thresholds]
    assert background_size.choose_size(X, 3, None, 0).threshold == thresholds[np.argmin(errors)]


def test_shrinkage_falls_between_one_and_zero(bursts):
    for n_components in (5, 30):
        model = fit(bursts[0], n_components)
        assert ((model.shrinkage_ > 0) & (model.shrinkage_ < 1)).all()
        assert np.all(np.diff(model.shrinkage_) <= 0)
    assert model.shrinkage_[:5].min() > 0.8  # topics are signal
    assert model.shrinkage_[8:].max() < 0.6  # the rest is noise and a few bursts


def test_noise_is_not_believed():
    X = np.random.default_rng(0).poisson(0.5, (200, 100)).astype(float)
    model = fit(X, 20, alpha=50.0)
    assert model.shrinkage_[0] > 0.8  # all words are equally frequent: one true direction
    assert model.shrinkage_[1:].max() < 0.5


def test_a_few_documents_are_not_shrunk_by(counts):
    np.testing.assert_array_equal(fit(counts[:49], 3).shrinkage_, 1)
    assert (fit(counts[:50], 3).shrinkage_ < 1).all()


@given(st.lists(st.floats(-1, 2), min_size=1, max_size=12))
@settings(max_examples=20)
def test_shares_fall_whatever_came_again(signal):
    shares = background_size.of_all_occurrences(np.array(signal))
    assert ((shares > 0) & (shares < 1)).all()
    assert np.all(np.diff(shares) <= 1e-12)


def test_shares_of_all_occurrences():
    """With a quarter more occurrences there is a quarter more signal for the same noise."""
    shares = background_size.of_all_occurrences(np.array([0.9, 0.5, 0.1]))
    np.testing.assert_allclose(shares / (1 - shares), np.array([9, 1, 1 / 9]) / 0.8)


def test_the_mean_length_is_that_of_documents_with_words():
    assert background_size.mean_length(sp.csr_matrix([[1.0, 2], [0, 0], [3, 0]])) == 3
    assert background_size.mean_length(sp.csr_matrix((3, 2))) == 1


# ---- where it runs and what it reads ----


@pytest.mark.parametrize("rows", [25, 7])
@pytest.mark.parametrize("params", [{}, {"alpha": 1.0}, {"keywords_per_document": 2}], ids=str)
def test_many_chunks_are_one(counts, rows, params, monkeypatch):
    whole = fit(counts, 3, **params)
    monkeypatch.setattr(chunks, "CHUNK_ROWS", rows)
    assert len(memory_chunks(sp.csr_matrix(counts))) > 2
    parts = fit(counts, 3, **params)
    np.testing.assert_allclose(parts.objective_, whole.objective_, rtol=1e-9)
    np.testing.assert_allclose(parts.components_, whole.components_, atol=1e-8)
    for call in ("transform", "keywords"):
        one, other = (getattr(m, call)(counts).toarray() for m in (whole, parts))
        np.testing.assert_allclose(other, one, atol=1e-7)
    np.testing.assert_allclose(parts.keywords_.toarray(), whole.keywords_.toarray(), atol=1e-7)
    np.testing.assert_allclose(
        parts.split(counts).background.toarray(),
        whole.split(counts).background.toarray(),
        atol=1e-7,
    )


@pytest.mark.parametrize("params", [{}, {"keywords_per_document": 2}], ids=str)
def test_engines_and_disk_give_the_same(planted, small_chunks, tmp_path, params):
    corpus = planted[0][:60]
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    models = [
        fit(data, 4, engine=engine, n_jobs=2, max_iter=6, **params)
        for engine in ("serial", "threads")
        for data in (corpus, stored)
    ]
    first = models[0]
    for model in models[1:]:
        np.testing.assert_allclose(model.objective_, first.objective_, rtol=1e-6)
        np.testing.assert_allclose(model.components_, first.components_, atol=1e-5)
        np.testing.assert_allclose(model.keywords_.toarray(), first.keywords_.toarray(), atol=1e-4)
    for data in (corpus, stored):
        parts = models[3].split(data)
        np.testing.assert_allclose(parts.keywords.toarray(), first.keywords_.toarray(), atol=1e-4)
        assert parts.background.shape == (60, 160)


def test_all_forms_of_counts_give_the_same(counts):
    expected = fit(counts, 3)
    rough = sp.csr_matrix(counts)
    halves = sp.csr_matrix(
        (np.repeat(rough.data / 2, 2), np.repeat(rough.indices, 2), 2 * rough.indptr),
        shape=rough.shape,
    )
    zeros = sp.csr_matrix(rough + sp.csr_matrix(counts == 0, dtype=float))
    zeros.data[np.asarray(counts[zeros.nonzero()] == 0).ravel()] = 0  # explicit zeros
    assert zeros.nnz > rough.nnz
    for X in (rough, sp.csc_matrix(counts), counts.astype(int), halves, zeros):
        model = fit(X, 3)
        np.testing.assert_allclose(model.components_, expected.components_, atol=1e-4)
        np.testing.assert_allclose(
            model.keywords(X).toarray(), expected.keywords_.toarray(), atol=1e-3
        )
        assert not model.keywords(X).toarray()[counts == 0].any()


def test_output(counts):
    model = fit(counts, 3)
    codes = model.transform(counts)
    assert sp.issparse(codes)
    dense = model.set_params(sparse_output=False).transform(counts)
    assert isinstance(dense, np.ndarray)
    np.testing.assert_array_equal(dense, codes.toarray())
    np.testing.assert_array_equal(fit(counts, 3, sparse_output=False).fit_transform(counts), dense)
    assert list(model.get_feature_names_out()) == ["pcp0", "pcp1", "pcp2"]


def test_a_few_documents_at_a_time(counts):
    model = fit(counts, 3)
    whole = model.keywords(counts).toarray()
    for rows in ([4], [7, 2, 2], range(10, 30)):
        np.testing.assert_allclose(model.keywords(counts[rows]).toarray(), whole[rows], atol=1e-9)


def test_documents_do_not_depend_on_their_neighbours(counts):
    """In float32, beside a document of a million words and one of a single word."""
    model = fit(counts.astype(np.float32), 3, alpha=1.0)
    X = counts[:12].astype(np.float32)
    short, huge = np.zeros((2, 1, 40), np.float32)
    short[0, 3], huge[0, 5:9] = 1, 1e6
    beside = model.keywords(np.vstack([short, X, huge])).toarray()[1:-1]
    np.testing.assert_allclose(beside, model.keywords(X).toarray(), atol=1e-3)
    alone = np.vstack([model.keywords(x[None]).toarray() for x in X])
    np.testing.assert_allclose(beside, alone, atol=1e-3)


# ---- kept and fitted again ----

KINDS = [{}, {"alpha": 1.0}, {"keywords_per_document": 2}, {"solver": "exact", "c": 3}]


@pytest.mark.parametrize("params", KINDS, ids=str)
def test_saved_pickled_and_loaded(counts, tmp_path, params):
    counts = counts[:20] if "solver" in params else counts
    model = fit(counts, **params)
    laconic.save(model, tmp_path / "model")
    parts = model.split(counts)
    for again in (laconic.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        again.engine = model.engine  # which is never taken from a file
        assert again.get_params() == model.get_params()
        assert np.array_equal(again.transform(counts).toarray(), model.transform(counts).toarray())
        assert (again.keywords(counts) != model.keywords(counts)).nnz == 0
        assert (again.keywords_ != model.keywords_).nnz == 0
        same = again.split(counts)
        assert np.array_equal(same.background.toarray(), parts.background.toarray())
        assert (same.keywords != parts.keywords).nnz == 0


def learned(model):
    return {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}


@pytest.mark.parametrize("params", KINDS, ids=str)
@pytest.mark.parametrize("before", [{"n_components": 7}, {"solver": "exact"}], ids=str)
def test_a_second_fit_forgets_the_first(counts, params, before):
    counts = counts[:20] if "solver" in params else counts
    fresh = fit(counts, **params)
    used = fit(counts[:15], **before)
    used.transform(counts)
    used.set_params(**fresh.get_params()).fit(counts)
    assert learned(used) == learned(fresh)
    assert np.array_equal(used.components_, fresh.components_)
    assert np.array_equal(used.transform(counts).toarray(), fresh.transform(counts).toarray())
    assert (used.keywords(counts) != fresh.keywords(counts)).nnz == 0
    assert not hasattr(clone(used), "components_")


def test_in_a_pipeline():
    texts = ["cats purr and purr"] * 4 + ["dogs bark at cats"] * 4 + ["cats purr zebra zebra zebra"]
    made = laconic.pipeline("pcp", n_components=2, alpha=0.5).fit(texts)
    assert made["weighting"].scheme == "counts"
    assert made.transform(texts).shape == (9, 2)
    corpus = made[:-1].transform(texts)
    model = made["model"]
    found = model.keywords(corpus)
    words = list(model.feature_names_in_)
    assert found[8].indices[found[8].data.argmax()] == words.index("zebra")
    table = laconic.topics(made)
    assert table.height == 2
    assert table["share"].sum() == pytest.approx(1)


@pytest.mark.parametrize("params", [{}, {"solver": "exact"}], ids=str)
def test_topics_for_people(planted, params):
    model = fit(planted[0], **params)
    table = laconic.topics(model, 4)
    assert table.height == model.rank_
    assert all(len(words) == 4 for words in table["words"])
    assert table["share"].is_sorted(descending=True)


# ---- the end of a fit ----


def interrupt(monkeypatch, passes):
    """Make an engine known that meets Ctrl-C after so many passes."""
    monkeypatch.setitem(
        ENGINES, "interrupted", lambda n_jobs: Interrupted("sum_background", passes)
    )


@pytest.mark.parametrize("passes", [0, 2])
@pytest.mark.parametrize("params", [{}, {"keywords_per_document": 2}], ids=str)
def test_interrupted_in_a_pass(counts, passes, params, monkeypatch):
    interrupt(monkeypatch, passes)
    model = PCP(3, engine="interrupted", **params)
    with warned("PCP", f"{passes} passes", kind=ConvergenceWarning):
        model.fit(counts)
    assert model.converged_ is False
    assert model.n_iter_ == passes
    assert model.keywords(counts).nnz
    assert np.isfinite(model.transform(counts).data).all()


def test_not_converged_says_so_once(counts):
    with pytest.warns(ConvergenceWarning) as seen:
        model = PCP(3, max_iter=2, tol=0).fit(counts)
    check(str(seen[0].message), "PCP", "2 passes", "max_iter", "tol")
    assert [w.filename for w in seen] == [__file__]
    assert model.converged_ is False
    assert model.n_iter_ == len(model.objective_) == 2


def test_converged_says_nothing(counts):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for params in ({}, {"keywords_per_document": 2}, {"alpha": 1.0}):
            model = PCP(3, **params).fit(counts)
            assert model.converged_ is True


# ---- parts ----


def test_low_rank():
    random = np.random.default_rng(0)
    codes, components = random.normal(size=(5, 2)), random.normal(size=(2, 4))
    L, dense = LowRank(codes, components), codes @ components
    assert L.shape == (5, 4)
    assert len(L) == 5
    assert L.dtype == np.float64
    assert repr(L) == "LowRank(5 x 4, rank 2)"
    np.testing.assert_array_equal(L.toarray(), dense)
    np.testing.assert_array_equal(np.asarray(L), dense)
    assert np.asarray(L, dtype=np.float32).dtype == np.float32
    for rows in (slice(1, 3), [4, 0], np.array([True, False, True, False, False])):
        part = L[rows]
        np.testing.assert_array_equal(part.toarray(), dense[rows])
        assert part.shape == dense[rows].shape
    S = sp.random(5, 4, 0.5, format="csr", random_state=0)
    for total in (L + S, S + L, L + S.toarray(), S.toarray() + L):
        assert isinstance(total, np.ndarray)
        np.testing.assert_allclose(total, dense + S.toarray())


def test_low_rank_is_indexed_by_documents_only():
    L = LowRank(np.ones((3, 2)), np.ones((2, 4)))
    for place in (1, (slice(None), 1)):
        with refused("documents", kind=IndexError):
            L[place]


def test_a_split_is_a_pair(counts):
    parts = fit(counts, 3).split(counts)
    background, keywords = parts
    assert background is parts.background
    assert keywords is parts.keywords
    assert isinstance(background, LowRank)
    assert sp.issparse(keywords)
