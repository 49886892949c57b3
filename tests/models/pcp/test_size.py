"""Tests of the rank, threshold and shrinkage that PCP chooses with held-out occurrences."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.corpus.chunks import MemoryChunk
from laconic.engines.blocks import run_here
from laconic.models.pcp import size as background_size
from laconic.models.pcp.factored import (
    Basis,
    random_basis,
    split_rows,
    sum_background,
)
from tests.models.pcp import reference
from tests.models.pcp.fits import draw_counts, fit, reference_split

numbers = st.integers(0, 10**6)


# ---- values that are chosen automatically ----


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
    """Most planted keywords are above the threshold, and few other words are."""
    X, truth, _ = bursts
    model = fit(X)
    assert model.keywords_.nnz <= 8 * len(X)  # two keywords per document were planted
    assert np.mean(model.keywords_.toarray()[truth > 0] > 0) >= 0.9


def test_without_keywords_the_rank_is_that_of_the_topics():
    X, _, _ = reference.topics_and_keywords(300, 400, 5, 0, bursts=0)
    assert fit(X).rank_ == 5


@pytest.mark.parametrize(("target", "rank"), [(1.0, 5), (3.0, 5), (6.0, 30)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_keywords_per_document(bursts, target, rank, dtype):
    X = bursts[0].astype(dtype)
    X[-30:] = 0  # empty documents have no keywords and are not counted in the mean
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
    # 5 keywords per document is the default
    assert model.keywords_.nnz / len(X) == pytest.approx(5, rel=0.2)
    np.testing.assert_array_equal(model.shrinkage_, 1)
    told = fit(X, 3, alpha=0.2)
    assert told.rank_ == 3
    codes, keywords = reference_split(told, X)
    np.testing.assert_allclose(told.transform(X).toarray(), codes, atol=1e-3)
    np.testing.assert_allclose(told.keywords(X).toarray(), keywords, atol=1e-3)


# ---- how rank, threshold and shrinkage are chosen ----


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
    assert (X.data > 0).all()  # the input is not changed


def test_four_fifths_are_learned_from():
    learned, _ = background_size.thin(sp.csr_matrix(np.full((50, 50), 40.0)), 0)
    assert learned.sum() / 100_000 == pytest.approx(0.8, abs=0.01)
    assert np.std(learned.toarray()) == pytest.approx(np.sqrt(40 * 0.8 * 0.2), rel=0.1)


def tried(learned, held_out, rank, threshold):
    start = random_basis(learned.shape[1], rank, learned.dtype, 0)
    sample = background_size.Sample(learned, run_here)
    return background_size.run_trial(sample, held_out, start, threshold)


def test_the_sums_of_a_sample_are_those_of_a_pass(counts, monkeypatch):
    monkeypatch.setattr(background_size, "BLOCK_ROWS", 7)
    X = sp.csr_matrix(counts)
    basis = Basis.of(random_basis(X.shape[1], 5, X.dtype, 0), 1.5, background_size.mean_length(X))
    found = background_size.Sample(X, run_here).sums(basis)
    expected, _ = sum_background(basis, MemoryChunk(X, 0, X.shape[0]), None)
    for name in ("products", "gram", "square", "excess"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=1e-6, atol=1e-8, err_msg=name
        )


@pytest.mark.parametrize("threshold", [1.0, 4.0])
def test_errors_are_computed_directly(counts, threshold):
    """The error is the squared difference of held-out counts and a quarter of the learned part."""
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
    # the factor of a quarter of each code that best fits the held-out counts
    best = np.sum(rows.codes / 4 * ((held - S / 4) @ B.T), axis=0) / np.sum(
        (rows.codes / 4) ** 2, axis=0
    )
    np.testing.assert_allclose(trial.signal, best, rtol=1e-6)


def test_the_rank_and_then_the_threshold_of_the_lowest_error(counts):
    X = sp.csr_matrix(counts)
    parts = background_size.thin(X, 0)
    of_all_ranks = tried(*parts, 30, 2.0)  # ranks up to half of the number of documents
    size = background_size.choose_size(X, None, 2.0, 0)
    assert size.threshold == 2.0
    assert size.words.shape[1] == len(size.shrinkage) == np.argmin(of_all_ranks.errors)
    thresholds = background_size.THRESHOLDS
    errors = [tried(*parts, 3, each).errors[-1] for each in thresholds]
    assert background_size.choose_size(X, 3, None, 0).threshold == thresholds[np.argmin(errors)]


def test_words_that_do_not_occur_change_nothing(counts):
    X = sp.csr_matrix(counts)
    wide = sp.csr_matrix((X.data, 3 * X.indices + 1, X.indptr), (X.shape[0], 3 * X.shape[1]))
    for rank in (None, 3):
        narrow = background_size.choose_size(X, rank, None, 0)
        chosen = background_size.choose_size(wide, rank, None, 0)
        assert chosen.threshold == narrow.threshold
        np.testing.assert_array_equal(chosen.shrinkage, narrow.shrinkage)
        np.testing.assert_array_equal(chosen.words[1::3], narrow.words)
        assert not chosen.words[0::3].any()
        assert not chosen.words[2::3].any()


def test_shrinkage_falls_between_one_and_zero(bursts):
    for n_components in (5, 30):
        model = fit(bursts[0], n_components)
        assert ((model.shrinkage_ > 0) & (model.shrinkage_ < 1)).all()
        assert np.all(np.diff(model.shrinkage_) <= 0)
    assert model.shrinkage_[:5].min() > 0.8  # the first five directions are the planted topics
    assert model.shrinkage_[8:].max() < 0.6  # the remaining directions are noise and a few bursts


def test_noise_is_not_believed():
    X = np.random.default_rng(0).poisson(0.5, (200, 100)).astype(float)
    model = fit(X, 20, alpha=50.0)
    # all words are equally frequent, so only one direction is real
    assert model.shrinkage_[0] > 0.8
    assert model.shrinkage_[1:].max() < 0.5


def test_a_few_documents_are_not_shrunk_by(counts):
    np.testing.assert_array_equal(fit(counts[:49], 3).shrinkage_, 1)
    assert (fit(counts[:50], 3).shrinkage_ < 1).all()


@given(st.lists(st.floats(-1, 2), min_size=1, max_size=12))
@settings(max_examples=20)
def test_shares_fall_whatever_came_again(signal):
    shares = background_size.full_data_shrinkage(np.array(signal))
    assert ((shares > 0) & (shares < 1)).all()
    assert np.all(np.diff(shares) <= 1e-12)


def test_shares_of_all_occurrences():
    """With all occurrences instead of 80 % of them, the odds of signal are a quarter higher."""
    shares = background_size.full_data_shrinkage(np.array([0.9, 0.5, 0.1]))
    np.testing.assert_allclose(shares / (1 - shares), np.array([9, 1, 1 / 9]) / 0.8)


def test_the_mean_length_is_that_of_documents_with_words():
    assert background_size.mean_length(sp.csr_matrix([[1.0, 2], [0, 0], [3, 0]])) == 3
    assert background_size.mean_length(sp.csr_matrix((3, 2))) == 1
