"""Tests of the stability of single topics."""

from __future__ import annotations

import numpy as np
import pytest

import laconic
from laconic.fitted.automatic import facts_of
from tests.messages import refused


@pytest.fixture(scope="module")
def corpus():
    return laconic.datasets.make_topics(150, 80, 4, words_per_topic=12, random_state=0)[0]


@pytest.fixture
def model(corpus):
    return laconic.PLSA(4, random_state=0).fit(corpus)


def test_planted_topics_are_stable_and_a_topic_of_noise_is_not(corpus, model):
    assert laconic.topic_stability(model, corpus, n_refits=2).min() > 0.6
    more = laconic.PLSA(9, random_state=0).fit(corpus)
    assert laconic.topic_stability(more, corpus, n_refits=2).min() < 0.4


def test_the_mean_is_that_of_matched_topics(corpus, model):
    found = laconic.topic_stability(model, corpus, n_refits=1, random_state=3)
    again = laconic.topic_stability(model, corpus, n_refits=1, random_state=3)
    np.testing.assert_array_equal(found, again)
    both = laconic.topic_stability(model, corpus, n_refits=2, random_state=3)
    assert np.all(np.abs(2 * both - found) <= 1)  # the first of two refits is the same refit


def test_the_result_is_shown_and_saved_beside_names(corpus, model, tmp_path):
    assert "stability" not in laconic.topics(model).frame.columns
    names = laconic.name_topics(model, corpus)
    stability = laconic.topic_stability(model, corpus, n_refits=1)
    frame = laconic.topics(laconic.load(laconic.save(model, tmp_path / "m"))).frame.sort("topic")
    np.testing.assert_allclose(frame["stability"], stability)
    assert frame["name"].to_list() == list(names.values())
    assert "stability" in str(laconic.topics(model))
    laconic.name_topics(model, corpus)
    assert facts_of(model)[0].stability == pytest.approx(stability[0])  # naming keeps it


def test_wrong_arguments_are_refused(model):
    with refused("n_refits", "0"):
        laconic.topic_stability(model, n_refits=0)
    with refused("corpus="):
        laconic.topic_stability(model)
