"""Tests of topics by class and over time, compared with mean shares computed in a loop."""

from __future__ import annotations

import numpy as np
import pytest

import laconic
from laconic import Corpus
from laconic.plots import topics_over_groups
from tests.messages import refused

from .looking import data_of, subtitle_of


def means(model, corpus, labels):
    """Compute the mean share of each topic for each label, document by document."""
    codes = np.abs(model.transform(corpus).toarray())
    found = {}
    for label in set(labels):
        rows = [row for row in range(len(labels)) if labels[row] == label]
        total = np.zeros(codes.shape[1])
        for row in rows:
            total += codes[row] / (codes[row].sum() or 1)
        found[label] = total / len(rows)
    return found


def relabelled(corpus, labels):
    return Corpus(corpus.counts, corpus.vocabulary, labels=labels)


@pytest.mark.parametrize("name", ["slsa", "stc", "pcp"])
def test_shares_are_means_over_the_documents_of_a_class(models, corpus, name):
    expected = means(models[name], corpus, list(corpus.labels))
    for given in (None, corpus):
        cells = data_of(topics_over_groups(models[name], given), "share")
        assert len(cells) == 3 * models[name][-1].components_.shape[0]
        for cell in cells:
            value = expected[cell["group"]][cell["topic"]]
            assert cell["share"] == pytest.approx(value, rel=1e-4, abs=1e-6)
        assert {cell["group"] for cell in cells} == {"one", "two", "three"}
        sizes = {cell["group"]: cell["documents"] for cell in cells}
        assert sizes == {label: list(corpus.labels).count(label) for label in sizes}


def test_one_topic_is_bars_the_class_with_most_first(models, corpus):
    chart = topics_over_groups(models["slsa"], topic=2)
    assert {bar["topic"] for bar in data_of(chart, "share")} == {2}
    expected = means(models["slsa"], corpus, list(corpus.labels))
    order = sorted(expected, key=lambda label: -expected[label][2])
    assert chart.to_dict()["encoding"]["y"]["sort"] == order
    assert chart.to_dict()["mark"]["type"] == "bar"
    with refused("no topic 9", "0 to 4"):
        topics_over_groups(models["slsa"], topic=9)


def test_only_the_largest_classes_are_drawn_and_it_says_so(models, corpus):
    labels = [f"class {min(row, 40)}" for row in range(len(corpus))]
    chart = topics_over_groups(models["plsa"], relabelled(corpus, labels))
    groups = {cell["group"] for cell in data_of(chart, "share")}
    assert len(groups) == 30
    assert "class 40" in groups
    assert "the 30 largest of 41 classes" in subtitle_of(chart)


def test_years_are_times_at_their_distance(models, corpus):
    years = [(1990, 1991, 2005)[row % 3] for row in range(len(corpus))]
    chart = topics_over_groups(models["plsa"], relabelled(corpus, years))
    points = data_of(chart, "share")
    expected = means(models["plsa"], corpus, [str(year) for year in years])
    for point in points:
        value = expected[point["group"]][point["topic"]]
        assert point["share"] == pytest.approx(value, rel=1e-4, abs=1e-6)
    layer = chart.to_dict()["spec"]["layer"][0]["encoding"]["x"]
    assert layer["type"] == "temporal"
    assert layer["axis"]["format"] == "%Y"
    assert "over time" in chart.to_dict()["title"]["text"]


@pytest.mark.parametrize(
    ("date", "format"), [("2001-{:02}", "%Y-%m"), ("2001-{:02}-15", "%Y-%m-%d")]
)
def test_months_and_days(models, corpus, date, format):
    labels = [date.format(row % 4 + 1) for row in range(len(corpus))]
    spec = topics_over_groups(models["plsa"], relabelled(corpus, labels), topic=1).to_dict()
    assert spec["layer"][0]["encoding"]["x"]["axis"]["format"] == format
    assert spec["layer"][0]["encoding"]["x"]["scale"]["type"] == "utc"


def test_a_heat_map_has_topics_below_the_class_they_are_strongest_in(models, corpus):
    spec = topics_over_groups(models["slsa"]).to_dict()["encoding"]
    classes, names = spec["y"]["sort"], spec["x"]["sort"]
    expected = means(models["slsa"], corpus, list(corpus.labels))
    cells = data_of(topics_over_groups(models["slsa"]), "share")
    number = {cell["name"]: cell["topic"] for cell in cells}
    table = np.array([[expected[label][number[name]] for name in names] for label in classes])
    assert np.all(np.diff(table.argmax(axis=0)) >= 0)


def test_what_is_missing_is_said(models, corpus):
    fresh = laconic.PLSA(3).fit(corpus)
    with refused("No documents", "corpus="):
        topics_over_groups(fresh)
    bare = Corpus(corpus.counts, corpus.vocabulary)
    with refused("no labels", "label="):
        topics_over_groups(fresh, bare)
    nothing = Corpus(corpus.counts, corpus.vocabulary, labels=[None] * len(corpus))
    with refused("no labels", "label="):
        topics_over_groups(fresh, nothing)


def test_labels_that_are_missing_make_no_class(models, corpus):
    labels = [None if row % 2 else "even" for row in range(len(corpus))]
    labels[0] = "odd"
    cells = data_of(topics_over_groups(models["plsa"], relabelled(corpus, labels)), "share")
    assert {cell["group"] for cell in cells} == {"even", "odd"}
    assert {cell["documents"] for cell in cells} == {59, 1}
