"""Tests of the layout of charts of very small models."""

from __future__ import annotations

import numpy as np
import pytest

from laconic import PLSA, Corpus
from laconic.plots import topic_map, topic_word_matrix, topic_words, topics_over_groups
from laconic.plots.groups import LARGE_STEP
from laconic.plots.groups import STEP as CLASS_STEP
from laconic.plots.matrix import STEP

from .looking import data_of, made_by_hand, subtitle_of


def labelled(n_classes: int) -> Corpus:
    counts = np.tile([[4, 2, 0], [4, 3, 0], [0, 0, 2]], (n_classes, 1))
    labels = [f"class {number}" for number in range(n_classes)] * 3
    return Corpus(counts, ["cat", "purr", "dog"], labels=labels)


def test_one_topic_has_no_neighbours_and_needs_little_room():
    one, three = (topic_map(made_by_hand(np.eye(n))) for n in (1, 3))
    assert subtitle_of(one) == "1 topic"
    assert one.to_dict()["height"] < three.to_dict()["height"] / 1.5
    assert "nearby topics" in subtitle_of(three)


def test_one_topic_over_classes_is_bars():
    corpus = labelled(3)
    chart = topics_over_groups(PLSA(1).fit(corpus), corpus).to_dict()
    assert chart["mark"]["type"] == "bar"
    assert chart["title"]["text"].endswith(" over classes")


@pytest.mark.parametrize(("n_classes", "step"), [(2, LARGE_STEP), (20, CLASS_STEP)])
def test_few_classes_have_large_cells_and_a_legend_as_high(n_classes, step):
    corpus = labelled(n_classes)
    chart = topics_over_groups(PLSA(2).fit(corpus), corpus).to_dict()
    assert chart["width"] == chart["height"] == {"step": step}
    assert chart["encoding"]["color"]["legend"]["gradientLength"] == min(step * n_classes, 120)


@pytest.mark.parametrize(("n_topics", "step"), [(2, 2 * STEP), (20, STEP)])
def test_the_names_of_few_topics_stand_apart(n_topics, step):
    assert topic_word_matrix(made_by_hand(np.eye(n_topics))).to_dict()["width"] == {"step": step}


def test_words_whose_bar_would_not_be_seen_are_left_out():
    model = made_by_hand([[0.6, 0.3, 0.1, 1e-6], [1e-9, 0, 0, 1.0]], names=["a", "b", "c", "d"])
    bars = data_of(topic_words(model), "word")
    assert [(bar["topic"], bar["word"]) for bar in bars] == [(0, "a"), (0, "b"), (0, "c"), (1, "d")]
