"""Tests of the bars of topic words: lengths, order, and words with negative weights."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import laconic
from laconic.fitted.notes import TopicNote, keep_notes
from laconic.fitted.topics import topics as table_of
from laconic.plots import topic_words
from laconic.plots.style import PADDING
from laconic.plots.words import FOR_WORDS
from tests.messages import refused

from .looking import data_of, made_by_hand, subtitle_of


def test_bars_are_the_weights_of_the_strongest_words(models):
    for name in ("slsa", "plsa"):
        model = models[name]
        bars = data_of(topic_words(model, n_words=6), "weight")
        words = list(model[-1].feature_names_in_)
        weights = model[-1].components_
        weights = weights.toarray() if hasattr(weights, "toarray") else np.asarray(weights)
        for row in table_of(model, n_words=6).frame.iter_rows(named=True):
            mine = [bar for bar in bars if bar["topic"] == row["topic"]]
            mine.sort(key=lambda bar: bar["rank"])
            expected = {word: weights[row["topic"], words.index(word)] for word in row["words"]}
            assert [bar["word"] for bar in mine] == sorted(
                row["words"], key=lambda word: -expected[word]
            )
            for bar in mine:
                assert bar["weight"] == pytest.approx(expected[bar["word"]], rel=1e-5)


def test_words_against_a_topic_come_last_and_point_the_other_way(signed):
    model = made_by_hand([[0.1, -3, 2, -0.5]], names=list("abcd"), distributions=False)
    bars = data_of(topic_words(model), "weight")
    assert [(bar["word"], bar["weight"]) for bar in bars] == [
        ("c", 2), ("a", 0.1), ("d", -0.5), ("b", -3),
    ]  # fmt: skip
    assert [bar["sign"] for bar in bars] == ["positive weight"] * 2 + ["negative weight"] * 2
    spec = topic_words(model).to_dict()["spec"]["encoding"]["color"]
    assert spec["legend"] is not None
    plain = topic_words(made_by_hand([[1.0, 2]])).to_dict()["spec"]["encoding"]["color"]
    assert plain["legend"] is None
    assert any(bar["weight"] < 0 for bar in data_of(topic_words(signed, n_words=70), "weight"))


def test_the_largest_topics_are_drawn_and_it_says_of_how_many():
    shares = np.arange(20) / 190
    model = made_by_hand(np.eye(20), shares)
    chart = topic_words(model)
    assert {bar["topic"] for bar in data_of(chart, "weight")} == set(range(8, 20))
    assert "the 12 largest of 20 topics" in subtitle_of(chart)
    chosen = topic_words(model, [3, 1, 3])
    assert [bar["topic"] for bar in data_of(chosen, "weight")] == [3, 1]
    # if the words are unknown, the column number is shown
    assert data_of(chosen, "weight")[0]["word"] == "3"


def test_notes_name_topics_and_hide_them(corpus):
    model = laconic.PLSA(3).fit(corpus)
    keep_notes(model, {0: TopicNote("<b>music</b>"), 1: TopicNote(hidden=True)})
    chart = topic_words(model)
    panels = {bar["topic"]: bar["panel"] for bar in data_of(chart, "panel")}
    assert set(panels) == {0, 2}
    assert panels[0].endswith(" · <b>music</b>")
    assert {bar["topic"] for bar in data_of(topic_words(model, [1]), "panel")} == {1}
    keep_notes(model, {topic: TopicNote(hidden=True) for topic in range(3)})
    with refused("All topics", "hidden"):
        topic_words(model)


def test_topics_without_words_are_named():
    model = made_by_hand([[1.0, 0], [0, 0]], distributions=False)
    assert "without words: 1" in subtitle_of(topic_words(model))
    with refused("topics", "words"):
        topic_words(model, [1])


@pytest.mark.parametrize(("width", "in_a_row"), [(None, 3), (900, 3), (560, 2), (300, 1)])
def test_as_many_panels_stand_in_a_row_as_there_is_room_for(width, in_a_row):
    model = made_by_hand(np.eye(5), names=["a word of forty letters, at the very most"] * 5)
    chart = topic_words(model, width=width).to_dict()
    assert chart["columns"] == in_a_row
    if width is not None:
        panel = chart["spec"]["width"] + FOR_WORDS
        assert in_a_row * panel + (in_a_row - 1) * chart["spacing"] + 2 * PADDING <= width


@pytest.mark.parametrize("topics", [[5], [-1], ["1"], [1.5]])
def test_topics_that_are_not_there(topics):
    with refused("no topic", "0 to 1"):
        topic_words(made_by_hand(np.eye(2)), topics)


def test_other_requests_that_make_no_sense():
    model = made_by_hand(np.eye(2))
    with refused("n_words", "at least 1", "got 0"):
        topic_words(model, n_words=0)
    with refused("'topics' is empty"):
        topic_words(model, [])
    with refused("weights", "NaN or infinite"):
        topic_words(made_by_hand([[1.0, float("nan")]]))
    with pytest.raises(NotFittedError):
        topic_words(laconic.PLSA(2))
    with refused("fitted model", "got list"):
        topic_words([1, 2])
