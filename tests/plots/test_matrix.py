"""Tests of the matrix of topics and words: circles show weights, similar topics are adjacent."""

from __future__ import annotations

import numpy as np
import pytest

from laconic.plots import topic_word_matrix
from laconic.plots.matrix import column_order, similarity_order, strongest_words
from laconic.plots.topic_view import chart_view
from tests.messages import refused

from .looking import data_of, made_by_hand, subtitle_of


def test_each_circle_is_a_weight_and_zeros_have_none(models):
    model = models["slsa"]
    chart = topic_word_matrix(model)
    cells = data_of(chart, "word")
    weights = model[-1].components_.toarray()
    column = {str(word): place for place, word in enumerate(model[-1].feature_names_in_)}
    for cell in cells:
        assert cell["weight"] == pytest.approx(
            weights[cell["topic"], column[cell["word"]]], rel=1e-5
        )
    words = chart.to_dict()["encoding"]["y"]["scale"]["domain"]
    shown = weights[:, [column[word] for word in words]]
    large = np.abs(shown) > 1e-3 * np.abs(shown).max()
    assert len(cells) >= np.count_nonzero(large)
    assert len(cells) <= np.count_nonzero(shown)
    zeros, here = (f"{100 * np.mean(part == 0):.1f}\xa0%" for part in (weights, shown))
    assert f"{zeros} of all weights of the model are zero, {here} of those shown" in subtitle_of(
        chart
    )


def test_all_but_circles_below_a_pixel_are_drawn():
    weights = np.array([[1.0, 0.04, 4e-3, 1e-3]])
    model = made_by_hand(weights)
    chart = topic_word_matrix(model)
    assert len(data_of(chart, "word")) == 3
    assert subtitle_of(chart).endswith(
        "0.0\xa0% of those shown; 25.0\xa0% are too small to be visible"
    )
    assert "too small" not in subtitle_of(topic_word_matrix(made_by_hand(np.eye(3))))


def test_the_area_is_the_weight():
    size = topic_word_matrix(made_by_hand(np.eye(3))).to_dict()["encoding"]["size"]
    assert size["scale"]["zero"] is True
    assert size["scale"]["rangeMin"] == 0
    assert size["scale"].get("type", "linear") == "linear"


def test_words_are_taken_from_all_topics_in_turn():
    weights = np.zeros((3, 9))
    weights[0, :5] = [5, 4, 3, 2, 1]
    weights[1, [0, 5, 6]] = [9, 8, 7]
    weights[2, 7] = 1
    shown = chart_view(made_by_hand(weights, distributions=False))
    assert strongest_words(shown, np.arange(3), 5).tolist() == [0, 7, 1, 5, 2]
    assert len(strongest_words(shown, np.arange(3), 60)) == 8


def test_blocks_stand_together():
    random = np.random.default_rng(0)
    families = random.permutation(np.repeat(np.arange(4), 5))
    weights = np.zeros((20, 40))
    for topic, family in enumerate(families):
        weights[topic, 10 * family : 10 * family + 10] = random.random(10) + 0.2
    model = made_by_hand(weights)
    likeness = np.corrcoef(weights)
    order = families[similarity_order(likeness, np.arange(20))]
    assert np.count_nonzero(np.diff(order)) == 3  # the topics of each family are adjacent
    spec = topic_word_matrix(model, n_words=40).to_dict()["encoding"]
    blocks = [int(word) // 10 for word in spec["y"]["scale"]["domain"]]
    assert np.count_nonzero(np.diff(blocks)) == 3


def test_words_stand_below_the_topics_that_have_them():
    weights = np.array([[0, 3, 0, 1.0], [2, 1, 0, 4], [0, 0, -5, 0]])
    assert column_order(weights).tolist() == [1, 3, 0, 2]


def test_no_more_than_can_be_read():
    chart = topic_word_matrix(made_by_hand(np.eye(1000)))
    cells = data_of(chart, "word")
    assert len({cell["topic"] for cell in cells}) == 40
    assert len({cell["word"] for cell in cells}) == 40
    assert "the 40 largest of 1,000 topics, 40 of 1,000 words" in subtitle_of(chart)


def test_one_topic_one_word():
    cells = data_of(topic_word_matrix(made_by_hand([[1.0]])), "word")
    assert [(cell["topic"], cell["word"], cell["weight"]) for cell in cells] == [(0, "0", 1.0)]


def test_nothing_to_draw():
    with refused("topics", "words"):
        topic_word_matrix(made_by_hand([[0.0, 0]]))
    with refused("n_words", "at least 1", "got 0"):
        topic_word_matrix(made_by_hand([[1.0]]), n_words=0)
