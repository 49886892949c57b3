"""Tests of charts about fits: the passes, the sparsity path, and singular values."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import laconic
from laconic import Corpus
from laconic.plots import convergence, penalty_path, singular_values
from laconic.plots.spectrum import largest_values
from laconic.plots.style import PADDING
from tests.messages import refused

from .looking import data_of, made_by_hand, subtitle_of


def test_the_objective_of_each_pass(models):
    model = models["plsa"]
    rows = data_of(convergence(model), "pass")
    assert [row["pass"] for row in rows] == list(range(1, model[-1].n_iter_ + 1))
    assert [row["objective"] for row in rows] == pytest.approx(model[-1].objective_, rel=1e-5)
    assert f"each of {len(rows)} passes; the fit converged" in subtitle_of(convergence(model))


def test_passes_without_a_number_are_left_out_and_a_single_one_is_no_curve():
    model = made_by_hand(np.eye(2))
    model.objective_, model.converged_ = np.array([3.0, np.nan, np.inf, 1.0]), False
    model.n_iter_ = 4
    chart = convergence(model)
    assert [row["pass"] for row in data_of(chart, "pass")] == [1, 4]
    assert "did not converge" in subtitle_of(chart)
    model.objective_ = np.array([1.0])
    with refused("fewer than two passes"):
        convergence(model)


def test_the_curve_of_passes_fits_a_width(models):
    chart = convergence(models["plsa"], width=300).to_dict()
    assert 200 <= chart["width"] <= 300 - 2 * PADDING - 40  # the axis labels need space too
    assert len(chart["title"]["subtitle"]) > 1
    assert convergence(models["plsa"], width=900).to_dict()["width"] == 520


def test_a_fit_that_began_anew_has_its_last_passes():
    model = made_by_hand(np.eye(2))
    model.n_iter_ = 16
    chart = convergence(model)
    assert [row["pass"] for row in data_of(chart, "pass")] == [15, 16]
    assert "each of the last 2 of 16 passes; the fit converged" in subtitle_of(chart)
    assert chart.to_dict()["layer"][0]["encoding"]["x"]["axis"]["values"] == [15, 16]


def test_the_path_of_slsa_has_the_words_that_were_asked_for(corpus):
    model = laconic.pipeline("slsa", n_components=4, words_per_topic=12).fit(corpus)
    chart = penalty_path(model, corpus, folds=2)
    rows = data_of(chart, "setting", "nonzero", "zeros")
    assert [row["setting"] for row in rows] == ["default", "50", "20", "10", "5"]
    for row in rows[1:]:
        assert row["nonzero"] == pytest.approx(float(row["setting"]), rel=0.05)
    zeros = [row["zeros"] for row in rows]
    assert zeros == sorted(zeros)
    # topics of five words score lower than topics of twenty words
    assert rows[2]["metric"] > rows[-1]["metric"]
    assert all(row["low"] < row["metric"] < row["high"] for row in rows)
    layers = chart.to_dict()["layer"]
    own = [layer for layer in layers if layer.get("mark", {}).get("style") == "chosen"]
    # this marks the value of the model itself
    assert own[0]["data"]["values"] == [{"nonzero": 12.0}]
    assert model[-1].words_per_topic == 12  # the chart fitted clones and did not change the model


def test_the_path_is_that_of_tuning(corpus):
    tuned = laconic.tune(corpus, "plsa", n_components=[5], folds=2, sample=120, refit=False)
    model = laconic.pipeline("plsa", n_components=5).fit(corpus)
    rows = data_of(penalty_path(model, corpus, folds=2, sample=120), "setting", "nonzero")
    assert [row["setting"] for row in rows] == tuned.path["value"].to_list()
    assert [row["zeros"] for row in rows] == pytest.approx(tuned.path["zeros"].to_list(), rel=1e-4)
    metrics = tuned.path["metric"].to_list()
    assert [row["metric"] for row in rows] == pytest.approx(metrics, rel=1e-4)


def test_a_bare_model(corpus):
    bare = laconic.SCTM(3).fit(corpus.counts)
    rows = data_of(penalty_path(bare, corpus.counts, folds=2), "setting", "nonzero")
    assert [row["setting"] for row in rows] == ["default", "2", "1"]
    assert all(0 < row["nonzero"] <= 3 for row in rows)


def test_a_path_of_texts(corpus):
    words = corpus.vocabulary
    texts = [" ".join(np.repeat(words, row)) for row in corpus.counts[:60].toarray()]
    model = laconic.pipeline("slsa", n_components=3).fit(texts)
    rows = data_of(penalty_path(model, texts, folds=2), "setting", "nonzero")
    assert rows[-1]["nonzero"] == pytest.approx(5, rel=0.05)


def test_paths_that_cannot_be(corpus, models):
    exact = laconic.PCP(solver="exact", max_iter=30, tol=0.1).fit(corpus[:30])
    with refused("exact", "solver='factored'"):
        penalty_path(exact, corpus)
    with refused("documents", "got 6"):
        penalty_path(models["plsa"], corpus[:6])
    unlabelled = Corpus(corpus.counts, corpus.vocabulary)
    with refused("class", "label="):
        penalty_path(models["medstc"], unlabelled)


def test_singular_values_are_those_of_the_matrices(models, corpus):
    model = models["pcp"]
    rows = data_of(singular_values(model, corpus), "value")
    before = [row["value"] for row in rows if row["part"] == "documents"]
    after = [row["value"] for row in rows if row["part"] == "background"]
    dense = np.linalg.svd(corpus.counts.toarray().astype(float), compute_uv=False)
    assert before == pytest.approx(dense[: len(before)], rel=1e-4)
    assert len(before) == len(after) + 20
    background = model[-1].split(corpus).background.toarray().astype(float)
    assert after == pytest.approx(
        np.linalg.svd(background, compute_uv=False)[: len(after)], rel=1e-3
    )
    assert after[0] < before[0]


@pytest.mark.parametrize("shape", [(1, 9), (9, 1), (6, 4), (4, 6), (30, 50)])
def test_largest_values_of_any_shape(shape):
    X = sp.csr_matrix(np.random.default_rng(0).poisson(0.7, shape).astype(float))
    dense = np.linalg.svd(X.toarray(), compute_uv=False)
    for n in (1, 3, 40):
        assert largest_values(X, n) == pytest.approx(dense[:n], abs=1e-6)


def test_singular_values_that_cannot_be(models, corpus):
    with refused("PLSA", "no background"):
        singular_values(models["plsa"], corpus)
    with refused("words"):
        singular_values(models["pcp"], sp.csr_matrix(corpus.shape, dtype=np.int32))
    with refused("3 columns", "70"):
        singular_values(models["pcp"], np.ones((4, 3)))
