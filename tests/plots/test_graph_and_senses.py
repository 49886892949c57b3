"""Tests of the graph, which shows the edges of a model, and of the senses of a word."""

from __future__ import annotations

import numpy as np
import pytest

import laconic
from laconic.fitted.notes import TopicNote, keep_notes
from laconic.plots import topic_graph, word_senses
from laconic.plots.graph import _strengths
from laconic.plots.layout import Field, spread
from tests.messages import refused

from .looking import data_of, made_by_hand, subtitle_of


@pytest.fixture
def related():
    """Return six topics: a chain of four, one anticorrelated with its first topic, one alone."""
    model = made_by_hand(np.eye(6), names=list("abcdef"))
    precision = np.eye(6)
    for first, second, weight in [(0, 1, 0.4), (1, 2, 0.2), (2, 3, 0.3), (0, 4, -0.25)]:
        precision[first, second] = precision[second, first] = -weight
    model.topic_precision_ = precision
    return model


def test_edges_are_partial_correlations(related):
    edges = data_of(topic_graph(related), "first")
    found = {(edge["first"], edge["second"]): edge["weight"] for edge in edges}
    assert found == {("a", "b"): 0.4, ("b", "c"): 0.2, ("c", "d"): 0.3, ("a", "e"): -0.25}
    signs = {edge["weight"] < 0: edge["sign"] for edge in edges}
    assert signs == {False: "correlated", True: "anticorrelated"}
    nodes = {node["topic"]: node for node in data_of(topic_graph(related), "area", "topic")}
    assert set(nodes) == {0, 1, 2, 3, 4}  # the sixth topic has no edge
    for edge in edges:
        first = next(node for node in nodes.values() if node["name"] == edge["first"])
        assert (edge["x"], edge["y"]) == (first["x"], first["y"])
    assert subtitle_of(topic_graph(related)).startswith("5 of 6 topics with 4 edges")


def test_signs_differ_by_dash_and_by_colour(related):
    encoding = topic_graph(related).to_dict()["layer"][0]["encoding"]
    assert encoding["color"]["field"] == encoding["strokeDash"]["field"] == "sign"
    dashes = encoding["strokeDash"]["scale"]["range"]
    assert dashes[0] != dashes[1]


def test_the_edges_of_a_fitted_model(models):
    edges = data_of(topic_graph(models["sctm"]), "first")
    table = laconic.topic_graph(models["sctm"])
    assert sorted(edge["weight"] for edge in edges) == pytest.approx(
        sorted(table["weight"]), rel=1e-5
    )


def test_nodes_that_are_joined_lie_nearer_than_others():
    edges = np.zeros((12, 12))
    for first in range(12):
        for second in range(12):
            if first != second and first // 4 == second // 4:
                edges[first, second] = 0.8
    centres = spread(edges, np.full(12, 8.0), Field(720, 500))
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    assert apart[edges > 0].mean() < 0.5 * apart[(edges == 0) & ~np.eye(12, dtype=bool)].mean()
    again = spread(edges, np.full(12, 8.0), Field(720, 500))
    assert centres.tobytes() == again.tobytes()


def test_only_topics_that_go_together_draw_each_other_near():
    found = _strengths(np.array([4, 7, 9]), [(4, 7, 0.5), (7, 9, -1.0)])
    assert found.tolist() == [[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]]


def test_hidden_topics_have_no_edges(related):
    keep_notes(related, {0: TopicNote(hidden=True)})
    chart = topic_graph(related)
    assert {node["topic"] for node in data_of(chart, "area", "topic")} == {1, 2, 3}
    keep_notes(related, {topic: TopicNote(hidden=True) for topic in (0, 1, 2, 3)})
    with refused("no edges", "graph_alpha"):
        topic_graph(related)


def test_a_graph_fits_the_width_it_is_made_for(related):
    chart = topic_graph(related, width=344)
    nodes = data_of(chart, "area", "topic")
    edges = data_of(chart, "first")
    assert chart.to_dict()["width"] == 320
    assert max(node["x"] for node in nodes) < 320
    assert max(edge["x2"] for edge in edges) < 320
    for layer in chart.to_dict()["layer"][:3]:
        assert layer["encoding"]["x"]["scale"]["domain"] == [0, 320]


def test_a_model_without_a_graph_says_what_it_takes(models):
    with refused("SCTM", "correlated=True"):
        topic_graph(models["plsa"])


def test_senses_are_the_shares_of_word_codes(models):
    model = models["stc"]
    word = str(model[-1].feature_names_in_[40])
    table = laconic.senses(model, word)
    bars = data_of(word_senses(model, word), "weight")
    assert [bar["topic"] for bar in bars] == table["topic"].to_list()
    assert [bar["weight"] for bar in bars] == pytest.approx(table["weight"].to_list(), rel=1e-4)
    assert "share of the codes" in subtitle_of(word_senses(model, word))


def test_of_other_models_the_topics_of_a_word_are_shown(models):
    word = str(models["plsa"][-1].feature_names_in_[40])
    plsa = models["plsa"][-1]
    together = np.asarray(plsa.components_)[:, 40] * plsa.topic_shares_
    bars = data_of(word_senses(models["plsa"], word), "weight")
    for bar in bars:
        expected = together[bar["topic"]] / together.sum()
        assert bar["weight"] == pytest.approx(expected, rel=1e-4)
    slsa = models["slsa"][-1]
    column = int(slsa.components_.indices[0])
    bars = data_of(word_senses(models["slsa"], str(slsa.feature_names_in_[column])), "weight")
    weights = np.asarray(slsa.coding_components_.todense())[:, column]
    assert {bar["topic"] for bar in bars} == set(np.flatnonzero(weights).tolist())
    for bar in bars:
        expected = weights[bar["topic"]] / np.abs(weights).sum()
        assert bar["weight"] == pytest.approx(expected, rel=1e-3)


def test_weights_against_a_topic_are_negative():
    model = made_by_hand([[1.0, 2], [-3, 1], [0, 5]], names=["cat", "dog"], distributions=False)
    bars = data_of(word_senses(model, "cat"), "weight")
    assert [(bar["topic"], bar["weight"], bar["sign"]) for bar in bars] == [
        (1, -0.75, "negative weight"), (0, 0.25, "positive weight"),
    ]  # fmt: skip


def test_words_that_have_no_topics():
    model = made_by_hand([[1.0, 0], [2, 0]], names=["cat", "dog"], distributions=False)
    with refused("No topic", "'dog'"):
        word_senses(model, "dog")
    with refused("'cta'", "cat"):
        word_senses(model, "cta")
    bare = made_by_hand([[1.0, 0], [2, 0]], distributions=False)
    assert len(data_of(word_senses(bare, 0), "weight")) == 2
    with refused("column", "0 to 1"):
        word_senses(bare, "cat")
