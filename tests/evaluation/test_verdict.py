"""Tests of the intervals of a comparison, and of the sentences that name the winners."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import laconic
from laconic.evaluation.compare import Comparison, Row
from laconic.evaluation.repeats import combine, difference, error_of_accuracy, interval
from laconic.evaluation.verdict import leads, reason

ABOUT = {"fitted_to": 80, "unseen": 20}


def corrected_t(values, ratio):
    """Return the interval of Nadeau and Bengio, written as in their paper."""
    n = len(values)
    error = math.sqrt((1 / n + ratio) * np.var(values, ddof=1))
    return stats.t.interval(0.95, n - 1, np.mean(values), error)


@pytest.fixture(scope="module")
def corpus():
    planted, _ = laconic.datasets.make_topics(160, 90, 4, words_per_topic=12, random_state=3)
    labels = np.asarray(planted.counts[:, :45].sum(axis=1)).ravel() > 20
    return laconic.Corpus(planted.counts, planted.vocabulary, labels=labels.astype(str))


@pytest.fixture(scope="module")
def repeated(corpus):
    return laconic.compare(corpus, ["plsa", "lda", "lsa"], 4, repeats=3, random_state=7)


def test_a_repeat_is_a_comparison_with_the_next_seed(corpus, repeated):
    once = [
        laconic.compare(corpus, ["plsa", "lda", "lsa"], 4, random_state=seed) for seed in (7, 8, 9)
    ]
    for number, row in enumerate(repeated.rows):
        alone = [each.rows[number] for each in once]
        for name in ("npmi", "c_v", "diversity", "accuracy"):
            assert row.runs[name] == [getattr(each, name) for each in alone]
            assert getattr(row, name) == pytest.approx(np.mean(row.runs[name]))
        assert row.words == alone[0].words
    plsa = repeated.rows[0]
    assert plsa.perplexity == pytest.approx(stats.gmean(plsa.runs["perplexity"]))
    assert repeated.about["repeats"] == 3


def test_intervals_over_repeats(repeated):
    ratio = repeated.about["unseen"] / repeated.about["fitted_to"]
    row, other = repeated.rows[:2]
    expected = corrected_t(row.runs["npmi"], ratio)
    assert interval(row, "npmi", repeated.about) == pytest.approx(expected)
    gaps = np.subtract(row.runs["npmi"], other.runs["npmi"])
    expected = corrected_t(gaps, ratio)
    assert difference(row, other, "npmi", repeated.about) == pytest.approx(expected)
    logs = np.log(row.runs["perplexity"]) - np.log(other.runs["perplexity"])
    expected = np.exp(corrected_t(logs, ratio))
    assert difference(row, other, "perplexity", repeated.about) == pytest.approx(tuple(expected))


def test_intervals_of_a_single_fit_are_over_the_test_documents(corpus):
    found = laconic.compare(corpus, ["plsa", "lda"], 4)
    row, other = found.rows
    assert set(row.errors) == {"accuracy", "perplexity"}
    n = found.about["unseen"]
    share = (row.accuracy * n + 2) / (n + 4)
    error = math.sqrt(share * (1 - share) / (n + 4))
    assert row.errors["accuracy"] == pytest.approx(error)
    low, high = interval(row, "accuracy", found.about)
    assert low == pytest.approx(row.accuracy - 1.959964 * error)
    assert high == pytest.approx(min(row.accuracy + 1.959964 * error, 1))
    relative = math.hypot(*(each.errors["perplexity"] / each.perplexity for each in (row, other)))
    ratio = row.perplexity / other.perplexity
    expected = [ratio * math.exp(sign * 1.959964 * relative) for sign in (-1, 1)]
    assert difference(row, other, "perplexity", found.about) == pytest.approx(tuple(expected))
    assert interval(row, "npmi", found.about) is None


def test_the_error_of_an_accuracy_is_never_zero():
    assert error_of_accuracy(1.0, 50) > 0
    assert error_of_accuracy(0.5, 10_000) == pytest.approx(0.005, rel=1e-3)


def made(name, values, **others):
    """Return the row of a model with these values of NPMI."""
    return Row(name, 20, npmi=float(np.mean(values)), runs={"npmi": list(values)}, **others)


def test_a_winner_beats_every_other_model():
    far, near, best = made("a", [0.1, 0.11, 0.1]), made("b", [0.2, 0.3, 0.25]), None
    best = made("c", [0.31, 0.33, 0.32])
    (lead,) = leads(Comparison([far, best], ABOUT))
    assert lead.winner is best
    (lead,) = leads(Comparison([far, near, best], ABOUT))
    assert lead.winner is None  # the interval of the difference between b and c contains zero
    assert [row.model for row in lead.leaders] == ["c", "b"]
    assert [row.model for row in lead.beaten] == ["a"]
    assert reason(lead) == (
        "c (0.320) and b (0.250) are too close to call; c is clearly better than the other model."
    )


def test_equal_models_do_not_win():
    rows = [made("a", [0.2, 0.2, 0.2]), made("b", [0.2, 0.2, 0.2])]
    (lead,) = leads(Comparison(rows, ABOUT))
    assert lead.winner is None
    sentences = Comparison(rows, ABOUT).verdict()
    (sentence,) = sentences
    assert sentence.startswith("No model is clearly better than all others in NPMI (")
    again = [replace(row, n_components=50) for row in rows]
    (merged,) = Comparison([*rows, *again], ABOUT).verdict()
    assert merged.startswith("With 20 and 50 topics, no model is clearly better")
    assert merged.count("next") == 2


def test_lower_is_better_for_times_which_are_compared_by_their_ratio():
    runs = {"slow": [4.0, 4.4, 4.2], "fast": [0.4, 0.42, 0.41]}
    rows = [
        Row(name, 20, seconds=float(stats.gmean(those)), runs={"seconds": those})
        for name, those in runs.items()
    ]
    (lead,) = leads(Comparison(rows, ABOUT))
    assert lead.winner.model == "fast"
    low, high = lead.gap
    assert 0 < low < high < 1
    assert f"a factor of {1 / high:.3g} to {1 / low:.3g}." in reason(lead)
    (sentence,) = Comparison(rows, ABOUT).verdict()
    assert sentence == "fast has the fastest fit (0.41 s, next slow 4.2 s)."


def test_models_fitted_once_are_judged_only_by_what_has_an_interval():
    rows = [
        Row("a", 20, npmi=0.3, accuracy=0.9, errors={"accuracy": 0.01}),
        Row("b", 20, npmi=0.1, accuracy=0.7, errors={"accuracy": 0.02}),
    ]
    first, second = Comparison(rows, ABOUT).verdict()
    assert first == "a has the highest accuracy (90 %, next b 70 %)."
    assert "differences in NPMI" in second
    assert "--repeats 5" in second
    assert Comparison(rows[:1], ABOUT).verdict() == []


def test_each_number_of_topics_has_its_winners():
    rows = [made("a", [0.1, 0.1, 0.11]), made("b", [0.3, 0.3, 0.31])]
    more = [made("a", [0.5, 0.5, 0.51]), made("b", [0.3, 0.3, 0.31])]
    for row in more:
        row.n_components = 50
    sentences = Comparison([*rows, *more], ABOUT).verdict()
    assert [sentence[:13] for sentence in sentences] == ["20 topics: b ", "50 topics: a "]


def test_infinite_values_are_not_compared():
    rows = [
        Row("a", 20, perplexity=900.0, errors={"perplexity": 5.0}),
        Row("b", 20, perplexity=math.inf),
    ]
    assert leads(Comparison(rows, ABOUT)) == []
    runs = [Row("a", 20, perplexity=math.inf), Row("a", 20, perplexity=10.0)]
    assert combine(runs).runs == {}
    assert combine(runs).perplexity == math.inf


def test_a_model_that_fails_once_has_failed():
    runs = [Row("a", 20, npmi=0.1), Row("a", 20, error="no")]
    assert combine(runs).error == "no"


def test_an_interrupted_comparison_pairs_the_repeats_that_both_models_have():
    rows = [made("a", [0.1, 0.2, 0.3]), made("b", [0.2, 0.31])]
    gap = difference(*rows, "npmi", ABOUT)
    assert gap == pytest.approx(corrected_t([-0.1, -0.11], 0.25))
    assert difference(rows[0], made("c", [0.2]), "npmi", ABOUT) is None
