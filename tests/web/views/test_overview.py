"""Tests of the overview: every number is computed again from the model."""

from __future__ import annotations

import json

import numpy as np
import pytest

import laconic
from laconic.web import views
from laconic.web.page_data import PageData
from laconic.web.views.spread import ALIKE, COLUMNS, LEVELS
from tests.web.conftest import KINDS, THEMES, fit, make_corpus


def plain(value):
    """Return a value as the browser gets it."""
    return json.loads(json.dumps(value))


def class_means(material) -> np.ndarray:
    """Return the mean share of each topic in each theme."""
    codes = np.abs(material.documents.codes.toarray().astype(np.float64))
    totals = codes.sum(axis=1, keepdims=True)
    shares = codes / np.where(totals > 0, totals, 1)
    labels = np.array([material.documents.label(row) for row in range(len(codes))])
    return np.array([shares[labels == name].mean(axis=0) for name in THEMES])


@pytest.mark.parametrize("kind", KINDS)
def test_topics_have_the_numbers_of_the_model(kind, material_of):
    material = material_of(kind)
    overview = plain(views.overview(material))
    codes = material.documents.codes.toarray()
    shares = laconic.topics(material.model, 5).frame
    shares = dict(zip(shares["topic"], shares["share"], strict=True))
    for topic in overview["topics"]:
        k = topic["topic"]
        assert topic["share"] == pytest.approx(shares[k], rel=1e-3)
        assert topic["n_documents"] == np.count_nonzero(codes[:, k] > 0)
        assert topic["n_words"] == np.count_nonzero(material.weights[[k]].toarray())
    order = [topic["share"] for topic in overview["topics"]]
    assert order == sorted(order, reverse=True)


@pytest.mark.parametrize("kind", ["slsa", "plsa", "signed"])
def test_small_charts_are_mean_shares_by_class(kind, material_of):
    material = material_of(kind)
    overview, means = plain(views.overview(material)), class_means(material)
    assert overview["spread"]["kind"] == "class"
    assert overview["classes"]["n"] == len(THEMES)
    assert dict(overview["classes"]["rows"]) == dict.fromkeys(THEMES, 30)
    order = [list(THEMES).index(name) for name in overview["spread"]["names"]]
    for topic in overview["topics"]:
        column = means[order, topic["topic"]]
        expected = np.ceil(LEVELS * column / column.max() - 1e-9)
        np.testing.assert_allclose(topic["spread"], expected, atol=1)
        best = list(THEMES)[int(means[:, topic["topic"]].argmax())]
        name, share = topic["most"][0]
        assert (name, share) == (best, pytest.approx(column.max(), rel=1e-3))


def test_small_charts_over_time_are_means_of_several_days():
    corpus = make_corpus()
    days = [f"2024-{1 + row // 28:02d}-{1 + row % 28:02d}" for row in range(len(corpus))]
    days = [days[row // 3] for row in range(len(corpus))]  # 40 days with three documents each
    material = PageData.of(fit("slsa"), corpus.replace(labels=days))
    overview = plain(views.overview(material))
    assert overview["spread"]["kind"] == "time"
    assert overview["classes"]["rows"] == [[days[0], 3], [days[-1], 3]]
    assert len(overview["spread"]["names"]) == COLUMNS
    codes = material.documents.codes.toarray()
    shares = codes / np.maximum(codes.sum(axis=1, keepdims=True), 1e-12)
    parts = np.array_split(np.arange(40), COLUMNS)
    means = np.array([shares[part[0] * 3 : part[-1] * 3 + 3].mean(axis=0) for part in parts])
    for topic in overview["topics"]:
        column = means[:, topic["topic"]]
        np.testing.assert_allclose(topic["spread"], np.ceil(LEVELS * column / column.max()), atol=1)


@pytest.mark.parametrize("kind", KINDS)
def test_groups_have_the_words_and_shares_of_their_topics(kind, material_of):
    material = material_of(kind)
    overview = plain(views.overview(material))
    for group in overview["groups"]:
        topics = [t for t in overview["topics"] if t["group"] == group["group"]]
        assert len(topics) == group["n_topics"] > 1
        assert group["share"] == pytest.approx(sum(t["share"] for t in topics), rel=1e-3)
        weights = sum(
            t["share"] * np.abs(material.weights[[t["topic"]]].toarray()[0]) for t in topics
        )
        assert set(group["words"]) == {
            str(material.words[column]) for column in np.argsort(-weights)[:3]
        }


@pytest.mark.parametrize("kind", KINDS)
def test_much_like_names_the_most_similar_larger_topic(kind, material_of):
    material = material_of(kind)
    overview = plain(views.overview(material))
    topics = [topic["topic"] for topic in overview["topics"]]
    for rank, topic in enumerate(overview["topics"]):
        likeness = [material.likeness[topic["topic"], other] for other in topics[:rank]]
        expected = topics[int(np.argmax(likeness))] if max(likeness, default=0) >= ALIKE else None
        assert topic["like"] == expected


@pytest.mark.parametrize("width", [240, 300, 400])
def test_circles_are_shares_on_a_map_without_overlaps(material_of, width):
    material = material_of("plsa")
    shown = plain(views.topic_map(material, width))
    topics, circles = [c[0] for c in shown["circles"]], np.array(shown["circles"])[:, 1:]
    assert topics == list(material.order)
    x, y, radii = circles.T
    for centre, end in ((x, shown["width"]), (y, shown["height"])):
        assert (centre - radii >= -0.1).all()
        assert (centre + radii <= end + 0.1).all()
    areas = radii**2 / material.shares[topics]
    free = (radii > 3.6) & (radii < 61)
    np.testing.assert_allclose(areas[free], np.median(areas[free]), rtol=0.05)
    assert shown == plain(views.topic_map(material, width))


@pytest.mark.parametrize("kind", KINDS)
def test_words_of_a_topic_against_all_topics(kind, material_of):
    material = material_of(kind)
    shares = material.shares / material.shares.sum()
    weights = material.weights.toarray()
    overall = shares @ np.abs(weights)
    for topic in range(material.n_topics):
        shown = plain(views.topic_words(material, topic))
        assert [word for word, *_ in shown["words"]] == [
            word for word, _ in material.top(topic, len(shown["words"]))
        ]
        for word, inside, total in shown["words"]:
            column = material.column_of(word)
            assert inside == pytest.approx(shares[topic] * weights[topic, column], rel=1e-3)
            assert total == pytest.approx(overall[column], rel=1e-3)
            assert abs(inside) <= total * (1 + 1e-4)
