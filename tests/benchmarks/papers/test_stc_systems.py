"""Quick tests of the systems that STC is compared with, on documents with known topics."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.svm import LinearSVC

from benchmarks import data, newsgroups
from benchmarks.harness import Run
from benchmarks.papers import comparison, literal_stc, stc_figure_5
from benchmarks.papers.entropic_lda import EntropicLDA, digamma

K = 6


@pytest.fixture(scope="module")
def halves() -> newsgroups.Halves:
    return newsgroups.newsgroup_halves(Run("made up", smoke=True))


@pytest.fixture(scope="module")
def few() -> tuple[sp.csr_matrix, np.ndarray]:
    """The counts of twelve documents, one of them empty, and a dictionary with zeros."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.4, (12, 30)).astype(np.float32)
    counts[4] = 0
    beta = rng.gamma(0.3, 1, (K, 30))
    beta[beta < 0.05] = 0
    return sp.csr_matrix(counts), beta / beta.sum(axis=1, keepdims=True)


def svm_score(model, halves: newsgroups.Halves) -> float:
    svm = LinearSVC(C=10).fit(model.transform(halves.train), halves.train_labels)
    return svm.score(model.transform(halves.test), halves.test_labels)


# --- data ----------------------------------------------------------------------------------------


def test_made_up_halves_are_whole(halves: newsgroups.Halves) -> None:
    assert halves.train.dtype == halves.test.dtype == np.float32
    assert halves.train.shape[1] == halves.test.shape[1] == len(halves.vocabulary)
    assert halves.train.getnnz(axis=0).min() > 0
    assert set(halves.train_labels) == set(range(len(halves.classes)))
    assert set(halves.train_labels[halves.is_validation]) == set(halves.train_labels)
    assert halves.is_validation.sum() == pytest.approx(0.2 * len(halves.train_labels), abs=1)


def test_missing_newsgroups_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(data.VARIABLE, str(tmp_path))
    newsgroups.real_halves.cache_clear()
    with pytest.raises(data.MissingDataError, match="20newsgroups-matlab"):
        newsgroups.real_halves()


# --- the paper's STC -----------------------------------------------------------------------------


@pytest.mark.parametrize("doc_norm", ["l1", "l2"])
@pytest.mark.parametrize("word_penalty", [0.0, 0.05])
def test_literal_codes_meet_the_optimality_conditions(few, doc_norm, word_penalty) -> None:
    """Word codes are optimal for fixed θ, and θ for fixed word codes; the problem is convex."""
    X, beta = few
    doc_penalty, gamma = 0.2, 0.7
    coded = literal_stc.code_documents(
        X, beta, doc_penalty, gamma, word_penalty, tol=1e-14, doc_norm=doc_norm, max_sweeps=20_000
    )
    offset = literal_stc.OFFSET
    for d in range(X.shape[0]):
        words, counts = X[d].indices, X[d].data
        theta = coded.theta[d]
        if not len(words):
            assert not theta.any()
            continue
        s = np.array([_word_code(beta[:, n], w, theta, gamma, word_penalty, offset)
                      for n, w in zip(words, counts, strict=True)])  # fmt: skip
        means = (s * beta[:, words].T).sum(axis=1) + offset
        slope = (1 - counts / means)[:, np.newaxis] * beta[:, words].T
        slope += 2 * gamma * (s - theta) + word_penalty
        assert np.abs(np.where(s > 0, slope, np.minimum(slope, 0))).max() < 1e-6
        if doc_norm == "l1":
            best = np.maximum(0, s.mean(axis=0) - doc_penalty / (2 * gamma * len(words)))
            norm = theta.sum()
        else:
            best = gamma * s.sum(axis=0) / (doc_penalty + gamma * len(words))
            norm = theta @ theta
        np.testing.assert_allclose(theta, best, atol=1e-5)
        value = np.sum(means - offset - counts * np.log(means)) + word_penalty * s.sum()
        value += gamma * np.sum((s - theta) ** 2) + doc_penalty * norm
        assert coded.objective[d] == pytest.approx(value, abs=1e-6)


def _word_code(beta, count, theta, gamma, rho, offset) -> np.ndarray:
    """Return the optimal word code, by bisection on the derivative of the loss by the mean."""

    def code(slope: float) -> np.ndarray:
        return np.maximum(0, theta - (rho + beta * slope) / (2 * gamma))

    low, high = -count / offset, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        # The mean falls if the slope rises, and the slope rises with the mean.
        if 1 - count / (code(middle) @ beta + offset) > middle:
            low = middle
        else:
            high = middle
    return code((low + high) / 2)


def test_literal_codes_tighten_with_the_tolerance(few) -> None:
    X, beta = few
    loose, tight = (literal_stc.code_documents(X, beta, 1, 1, 0.01, tol) for tol in (1e-2, 1e-10))
    assert (loose.sweeps <= tight.sweeps).all()
    assert (tight.objective <= loose.objective + 1e-12).all()


def test_rows_are_projected_on_the_simplex() -> None:
    rows = np.random.default_rng(0).normal(size=(5, 40))
    projected = rows.copy()
    literal_stc._project_rows(projected)
    np.testing.assert_allclose(projected.sum(axis=1), 1)
    for row, nearest in zip(rows, projected, strict=True):
        shift = (row - nearest)[nearest > 0]
        np.testing.assert_allclose(shift, shift[0])
        assert (row[nearest == 0] <= shift[0] + 1e-12).all()


def test_dictionary_step_lowers_the_loss(few) -> None:
    X, beta = few
    s = np.random.default_rng(1).random((X.nnz, K))
    words, counts = np.ascontiguousarray(beta.T), X.data.astype(float)
    room = np.empty_like(words)
    before = literal_stc._loss_and_gradient(counts, X.indices, s, words, room)
    learnt, _ = literal_stc.learn_dictionary(X, s, words, None, 20, 1e-6)
    assert literal_stc._loss_and_gradient(counts, X.indices, s, learnt, room) < before
    np.testing.assert_allclose(learnt.sum(axis=0), 1)


def test_literal_medstc_learns_planted_classes(halves) -> None:
    model = literal_stc.fit_medstc(
        halves.train, halves.train_labels, 8, cost=360, max_iter=15, start="random"
    )
    assert model.codes(halves.test).shape == (halves.test.shape[0], 8)
    assert (model.predict(halves.test) == halves.test_labels).mean() > 0.9
    np.testing.assert_allclose(model.beta.sum(axis=1), 1)
    assert len(model.objective) == model.n_iter


# --- regularised LDA ------------------------------------------------------------------


def test_digamma() -> None:
    from scipy.special import psi

    for x in (1e-3, 0.1, 1.0, 5.9, 40.0):
        assert digamma(x) == pytest.approx(psi(x), abs=1e-9)


@pytest.mark.parametrize("regularization", [0.0, 0.5])
def test_entropic_lda_learns_planted_topics(halves, regularization) -> None:
    model = EntropicLDA(K, regularization).fit(halves.train)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1)
    np.testing.assert_allclose(model.transform(halves.test).sum(axis=1), 1)
    assert svm_score(model, halves) > 0.9


def test_entropic_lda_without_regulariser_is_lda(halves) -> None:
    reference = LatentDirichletAllocation(
        K, doc_topic_prior=0.3, max_doc_update_iter=500, mean_change_tol=1e-9, random_state=0
    ).fit(halves.train.astype(np.float64))
    model = EntropicLDA(K, 0.0, alpha=0.3, tol=1e-9, max_sweeps=500)
    log_topics = reference.exp_dirichlet_component_  # scikit-learn uses these for inference
    model._weights = np.ascontiguousarray(log_topics.T / log_topics.max(axis=0)[:, np.newaxis])
    np.testing.assert_allclose(
        model.transform(halves.test),
        reference.transform(halves.test.astype(np.float64)),
        atol=1e-4,
    )


def test_regulariser_empties_word_codes(halves) -> None:
    weak, strong = (EntropicLDA(K, kappa, alpha=0.5, estimate_alpha=False).fit(halves.train)
                    for kappa in (0.0, 0.8))  # fmt: skip
    assert strong.word_code_zeros(halves.test) > weak.word_code_zeros(halves.test) + 0.1


# --- one interface for all systems ---------------------------------------------------------------


# Importing tomotopy emits warnings.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", comparison.SYSTEMS)
def test_every_system_has_codes(halves, name) -> None:
    if name in comparison.NEEDS_TOMOTOPY and importlib.util.find_spec("tomotopy") is None:
        pytest.skip("tomotopy is not installed")
    some = sp.vstack([halves.test[:20], sp.csr_matrix((1, halves.test.shape[1]))]).tocsr()
    system = comparison.SYSTEMS[name](K, 0).fit(halves.train, halves.train_labels)
    codes = system.codes(some)
    assert codes.shape == (21, K)
    assert np.isfinite(codes).all()
    if hasattr(system, "predict"):
        assert (system.predict(some)[:20] == halves.test_labels[:20]).mean() > 0.6


def test_svm_on_codes_is_chosen_on_validation(halves) -> None:
    codes = np.eye(5)[halves.train_labels]
    judged = comparison.svm_accuracy(
        codes,
        halves.train_labels,
        halves.is_validation,
        np.eye(5)[halves.test_labels],
        halves.test_labels,
    )
    assert judged.accuracy == judged.validation == 1
    assert judged.C in comparison.C_GRID


def test_the_result_of_figure_5_has_the_cells_that_a_new_run_makes() -> None:
    cells = {stc_figure_5._name(*cell) for cell in stc_figure_5.cells_of(stc_figure_5.GRID)}
    assert set(stc_figure_5.stored_cells()) == cells
