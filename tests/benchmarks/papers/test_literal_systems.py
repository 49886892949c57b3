"""Tests of the literal systems of the STC paper: zeros of LDA, NMF, word codes, cells."""

from __future__ import annotations

import copy
import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from click.testing import CliRunner
from scipy.special import gammaln, psi
from sklearn.svm import LinearSVC

from benchmarks import newsgroups
from benchmarks.harness import Run
from benchmarks.papers import literal_medlda, literal_stc, stc_figure_5, stc_words
from benchmarks.papers.entropic_lda import EntropicLDA
from benchmarks.papers.literal_lda import LiteralLDA, infer_document
from benchmarks.papers.literal_lda import digamma as lda_c_digamma
from benchmarks.papers.literal_medlda import LiteralMedLDA
from benchmarks.papers.literal_nmf import MultiplicativeNMF
from benchmarks.papers.topicmodels_lda import Stops, TopicmodelsLDA


@pytest.fixture(scope="module")
def halves() -> newsgroups.Halves:
    return newsgroups.newsgroup_halves(Run("made up", smoke=True))


# --- LDA -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kappa", [0.0, 0.5])
def test_word_codes_of_lda_are_distributions(halves, kappa) -> None:
    lda = EntropicLDA(4, kappa, max_iter=4).fit(halves.train)
    phi = lda.word_codes(halves.test)
    np.testing.assert_allclose(phi.sum(axis=1), 1)
    assert np.mean(phi < 1e-4) == pytest.approx(lda.word_code_zeros(halves.test), abs=1e-3)


def test_zeros_of_lda_are_underflows(halves) -> None:
    """ψ(α) is about -1/α, and exp underflows below -745, so zeros need α below about 1.35e-3."""
    few, many = (
        EntropicLDA(4, 0.0, alpha=alpha, max_iter=6).fit(halves.train) for alpha in (2e-3, 1e-3)
    )
    assert not np.any(few.word_codes(halves.test) == 0)
    assert np.mean(many.word_codes(halves.test) == 0) > 0.1


def test_lda_c_infers_the_fixed_point(halves) -> None:
    """φ ∝ β exp ψ(γ) and γ = α + Σ w φ, with the topics of a fit by LDA-C."""
    model = LiteralLDA(4, max_iter=5).fit(halves.train)
    np.testing.assert_allclose(np.exp(model.log_beta).sum(axis=0), 1, atol=1e-9)
    words, counts = halves.test[0].indices, halves.test[0].data.astype(float)
    gamma, phi = np.empty(4), np.empty((len(words), 4))
    infer_document(counts, words, model.log_beta, model.alpha, gamma, phi, 500, 0.0)
    expected = np.exp(model.log_beta[words] + psi(gamma))
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(phi, expected, atol=1e-6)
    np.testing.assert_allclose(gamma, model.alpha + counts @ phi, rtol=1e-6)


def test_lda_c_raises_its_bound_and_learns_topics(halves) -> None:
    model = LiteralLDA(6, alpha=0.3).fit(halves.train)
    assert np.diff(model.bound).min() > -1e-6 * abs(model.bound[-1])
    assert len(model.bound) < model.max_iter
    codes = model.codes(halves.test)
    np.testing.assert_allclose(codes.sum(axis=1), 1)
    strongest = codes.argmax(axis=1)
    pure = [np.bincount(halves.test_labels[strongest == k]).max(initial=0) for k in range(6)]
    assert sum(pure) > 0.6 * len(strongest)


@pytest.mark.parametrize("x", [1e-3, 0.1, 1.0, 40.0])
def test_digamma_of_lda_c(x) -> None:
    assert lda_c_digamma(x) == pytest.approx(psi(x), rel=1e-6)


# --- MedLDA --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def medlda(halves) -> LiteralMedLDA:
    return LiteralMedLDA(8, cost=4).fit(halves.train, halves.train_labels)


def test_medlda_infers_the_printed_fixed_point(halves, medlda) -> None:
    """φ ∝ β exp(ψ(γ) + p), γ = α + Σ c φ, and the bound with the pull, written out."""
    words, counts = halves.test[0].indices, halves.test[0].data.astype(float)
    pull = np.linspace(-0.5, 1.5, 8)
    medlda_at_rest = copy.copy(medlda)
    medlda_at_rest.max_sweeps, medlda_at_rest.document_tol = 2000, 0.0
    statistics = np.zeros_like(medlda.topics)
    found = medlda_at_rest._infer(halves.test[:1], pull[np.newaxis], statistics)
    alpha, gamma = medlda.alpha, np.full(8, medlda.alpha + counts.sum() / 8)
    for _ in range(2000):
        phi = medlda.topics[words] * np.exp(psi(gamma) + pull)
        phi /= phi.sum(axis=1, keepdims=True)
        gamma = alpha + counts @ phi
    np.testing.assert_allclose(found.gammas[0], gamma, rtol=1e-6)
    np.testing.assert_allclose(found.counts[0], counts @ phi, atol=1e-6)
    np.testing.assert_allclose(statistics[words], counts[:, np.newaxis] * phi, atol=1e-6)
    expected = psi(gamma) - psi(gamma.sum())
    bound = gammaln(8 * alpha) - 8 * gammaln(alpha) + (alpha - gamma) @ expected
    bound += gammaln(gamma).sum() - gammaln(gamma.sum())
    bound += np.sum(counts @ (phi * (expected + pull + np.log(medlda.topics[words]) - np.log(phi))))
    assert found.bounds[0] == pytest.approx(bound, rel=1e-9)


def test_medlda_without_pulls_is_lda(halves) -> None:
    free = LiteralMedLDA(6, C=0.0, max_iter=8).fit(halves.train, halves.train_labels)
    unlabelled = LiteralMedLDA(6, max_iter=8).fit(halves.train)
    np.testing.assert_array_equal(free.topics, unlabelled.topics)
    assert free.eta is not None
    assert not free.eta.any()
    lda = TopicmodelsLDA(6, free.alpha, 0, Stops(sweep_tol=1e-12, max_sweeps=2000))
    free.document_tol, free.max_sweeps = 1e-12, 2000
    lda.word_topics = free.topics
    bounds = free._infer(halves.test).bounds
    np.testing.assert_allclose(bounds, lda._infer(halves.test).bounds, rtol=1e-9)


def test_bound_of_medlda_rises_while_pulls_are_fixed(halves) -> None:
    """Sweeps raise bound + pull of a document, and topics and sweeps that of the corpus."""
    model = LiteralMedLDA(6, alpha=0.2, max_iter=3).fit(halves.train, halves.train_labels)
    pulls = np.random.default_rng(0).normal(size=(halves.train.shape[0], 6))
    model.document_tol, bounds = 0.0, []
    for model.max_sweeps in (1, 2, 4, 8, 16):
        bounds.append(model._infer(halves.train, pulls).bounds)
    assert (np.diff(bounds, axis=0) >= -1e-8).all()
    model.max_sweeps, totals = 500, []
    for _ in range(5):
        statistics = np.zeros_like(model.topics)
        totals.append(model._infer(halves.train, pulls, statistics).bounds.sum())
        model._take(statistics)
    assert np.diff(totals).min() > 0


def test_lda_without_labels_lowers_its_objective(halves) -> None:
    model = LiteralMedLDA(6, alpha=0.2, max_sweeps=500, document_tol=1e-9).fit(halves.train)
    assert np.diff(model.objective).max() < 1e-6 * abs(model.objective[-1])
    assert model.change <= model.tol
    assert model.n_iter < model.max_iter


def test_svm_of_medlda_has_no_duality_gap(halves) -> None:
    rng = np.random.default_rng(0)
    shares, labels = rng.dirichlet(np.ones(6), 80), rng.integers(4, size=80)
    shares[3] = 0  # a document without words
    C, cost = 2.0, 5.0
    weights = C * np.eye(4)[labels]
    solved = literal_medlda.solve_svm(shares, labels, weights, C, cost, tol=1e-9, max_sweeps=20_000)
    assert 0 <= solved.gap <= 1e-9 * solved.objective + 1e-9
    assert weights.min() >= 0
    np.testing.assert_allclose(weights.sum(axis=1), C)
    liblinear = literal_stc.train_svm(shares, labels, 4, C, cost)
    losses = literal_stc.augmented_scores(shares, labels, liblinear, cost).max(axis=1)
    value = 0.5 * np.sum(liblinear**2) + C * losses.sum()
    assert solved.objective <= value * (1 + 1e-6)
    assert solved.objective == pytest.approx(value, rel=1e-2)


def test_medlda_learns_planted_classes(halves, medlda) -> None:
    assert (medlda.predict(halves.test) == halves.test_labels).mean() > 0.9
    np.testing.assert_allclose(medlda.topics.sum(axis=0), 1, atol=1e-9)
    phi = medlda.word_codes(halves.test)
    np.testing.assert_allclose(phi.sum(axis=1), 1)
    owner = sp.csr_matrix((halves.test.data, np.arange(halves.test.nnz), halves.test.indptr))
    lengths = np.asarray(halves.test.sum(axis=1))
    # φ follows γ of the last sweep, and z̄ the sweep before
    np.testing.assert_allclose(owner @ phi / lengths, medlda.codes(halves.test), atol=0.05)
    with pytest.raises(ValueError, match="without labels"):
        LiteralMedLDA(4, max_iter=1).fit(halves.train).predict(halves.test)


# --- NMF -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("observed", [True, False])
def test_nmf_step_is_the_printed_update(observed) -> None:
    X = sp.csr_matrix(np.array([[2.0, 0, 1], [0, 3, 0], [0, 0, 0]]))
    rng = np.random.default_rng(0)
    model = MultiplicativeNMF(2, max_iter=1, observed=observed)
    model.beta = rng.random((3, 2))
    counted = X.toarray() > 0 if observed else np.ones((3, 3))
    theta = np.array([[1.0, 1], [1, 1], [0, 0]])
    ratio = np.divide(
        X.toarray(), theta @ model.beta.T, where=X.toarray() > 0, out=np.zeros((3, 3))
    )
    expected = theta * (ratio @ model.beta) / np.maximum(counted @ model.beta, 1e-9)
    np.testing.assert_allclose(model.codes(X), expected)


@pytest.mark.parametrize("observed", [True, False])
def test_nmf_lowers_the_divergence(halves, observed) -> None:
    model = MultiplicativeNMF(4, max_iter=20, observed=observed).fit(halves.train)
    assert (np.diff(model.divergence) <= 1e-9).all()


def test_nmf_of_observed_words_has_no_zeros(halves) -> None:
    model = MultiplicativeNMF(4, max_iter=20).fit(halves.train)
    assert (model.codes(halves.test) > 0).all()


def test_nmf_of_all_words_learns_topics_and_of_observed_words_does_not(halves) -> None:
    """Counts of words that occur are all about equal; which words occur makes the topics."""
    scores = [
        LinearSVC(C=10)
        .fit(model.codes(halves.train), halves.train_labels)
        .score(model.codes(halves.test), halves.test_labels)
        for observed in (True, False)
        for model in [MultiplicativeNMF(6, max_iter=60, observed=observed).fit(halves.train)]
    ]
    assert scores[1] > 0.9 > 0.6 > scores[0]


# --- word codes of the paper's STC ---------------------------------------------------------------


def test_literal_word_codes_agree_with_the_document_codes(halves) -> None:
    model = literal_stc.fit_stc(halves.train, 4, max_iter=3)
    s, X = model.word_codes(halves.test), halves.test
    owner = sp.csr_matrix((np.ones(X.nnz), np.arange(X.nnz), X.indptr))
    theta = owner @ s / (1 + np.diff(X.indptr)[:, np.newaxis])  # λ = γ
    np.testing.assert_allclose(theta, model.codes(X), atol=1e-9)
    assert model.theta is not None
    assert model.theta.shape == (halves.train.shape[0], 4)


# --- figure 3 ------------------------------------------------------------------------------------


def test_topics_of_a_word_are_counted_in_its_average_code() -> None:
    X = sp.csr_matrix(np.array([[1.0, 2], [0, 1], [3, 0]]))
    codes = np.array([[1.0, 0, 0], [0, 0, 0], [0.9, 0, 0.1], [3, 0, 1e-9]])
    average = stc_words.average_code(X, codes, 0)
    np.testing.assert_allclose(average, [2, 0, 5e-10])
    assert stc_words.count_topics(average) == (2, 1, 1)
    assert stc_words.count_topics(stc_words.average_code(X, codes, 1)) == (2, 2, 2)
    np.testing.assert_array_equal(stc_words.rows_with(X, [0]), [0, 2])


# --- cells of figure 5 ---------------------------------------------------------------------------


@pytest.mark.parametrize("system", ["PLSA", "STC, paper's dictionary", "gaussSTC"])
def test_cells_measure_what_a_system_has(halves, system) -> None:
    found = stc_figure_5.cell(stc_figure_5.Task(halves, 5, 0, True), system)
    assert found["accuracy"] > 60
    assert ("zeros" in found) == (system != "PLSA")
    assert found["test_cpu"] >= 0
    assert json.loads(json.dumps(found)) == found


# Importing tomotopy emits warnings.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("system", ["MedLDA", "sLDA"])
def test_cells_of_models_with_labels(halves, system) -> None:
    if system in stc_figure_5.NEEDS_TOMOTOPY and importlib.util.find_spec("tomotopy") is None:
        pytest.skip("tomotopy is not installed")
    found = stc_figure_5.cell(stc_figure_5.Task(halves, 5, 0, True), system)
    assert found["accuracy"] > 40
    assert 0 <= found["zeros"] <= found["small"] < 1
    assert found["test_cpu"] >= 0


def test_cells_are_merged_and_not_run_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(stc_figure_5, "RESULTS", tmp_path)
    monkeypatch.setattr(stc_figure_5, "commit", lambda: "abc")
    ran: list[tuple[Any, ...]] = []

    def in_process(*key: Any) -> dict[str, object]:
        ran.append(key)
        return {"accuracy": 60.0 + 20 * key[2], "cpu": 1.0, "setting": "", "commit": "abc"}

    monkeypatch.setattr(stc_figure_5, "_in_process", in_process)
    chosen = ["run", "--system", "STC", "--system", "STC as printed", "--topics", "60"]
    for _ in range(2):
        for seed in ("0", "1"):
            CliRunner().invoke(stc_figure_5.main, [*chosen, "--seed", seed], catch_exceptions=False)
    # The printed algorithm starts uniformly, so that a second seed would be the same run.
    assert sorted(ran) == [("STC", 60, 0), ("STC", 60, 1), ("STC as printed", 60, 0)]
    result = json.loads((tmp_path / "stc-figure-5.json").read_text(encoding="utf-8"))
    rows = {row["what"]: row for row in result["rows"]}
    assert rows["accuracy, STC, K=60"]["value"] == 70
    assert rows["accuracy, STC as printed, K=60"]["peer_value"] == 58.3
    monkeypatch.setattr(stc_figure_5, "commit", lambda: "abc-dirty")
    assert CliRunner().invoke(stc_figure_5.main, chosen).exit_code == 2
