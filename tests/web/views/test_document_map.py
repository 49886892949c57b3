"""Tests of the map of documents, and of the tables that are saved as CSV."""

from __future__ import annotations

import csv
import importlib
import io

import numpy as np
import pytest

from laconic.web import views
from laconic.web.views.document_map import BETWEEN, FIELD, MOST, chosen_rows
from laconic.web.views.tables import documents_table, points_table, to_csv, topics_table
from tests.web.conftest import KINDS, THEMES, N


@pytest.mark.parametrize("kind", KINDS)
def test_documents_lie_near_their_topics(kind, material_of):
    material = material_of(kind)
    shown = views.document_map(material)
    codes = np.abs(material.documents.codes.toarray().astype(np.float64))
    has_topic = np.flatnonzero(codes.sum(axis=1) > 0)
    assert shown["rows"] == has_topic.tolist()
    assert shown["topics"] == codes[has_topic].argmax(axis=1).tolist()
    discs = {topic: (x, y, radius) for topic, x, y, radius in shown["discs"]}
    points = np.column_stack([shown["x"], shown["y"]]) / 10
    assert (points >= 0).all()
    assert (points <= [FIELD.width, FIELD.height]).all()
    for row, topic, point in zip(shown["rows"], shown["topics"], points, strict=True):
        own, second = np.sort(codes[row] / codes[row].sum())[::-1][:2]
        x, y, radius = discs[topic]
        if second / (own + second) < BETWEEN:
            assert np.hypot(*(point - (x, y))) <= radius + 2
    assert [shown["names"][number] for number in shown["classes"]] == [
        list(THEMES)[row % 4] for row in shown["rows"]
    ]
    assert shown == views.document_map(material)


def test_the_clearest_document_is_in_the_centre(material_of):
    material = material_of("plsa")
    shown = views.document_map(material)
    topic, x, y, _ = max(shown["discs"], key=lambda disc: disc[3])
    inside = [n for n, each in enumerate(shown["topics"]) if each == topic]
    away = [np.hypot(shown["x"][n] / 10 - x, shown["y"][n] / 10 - y) for n in inside]
    shares = [material.main_topics.shares[shown["rows"][n]] for n in inside]
    assert int(np.argmin(away)) == int(np.argmax(shares))


def test_a_large_corpus_is_shown_by_evenly_spaced_documents(material_of, monkeypatch):
    rows = chosen_rows(1_000_000)
    assert (len(rows), len(np.unique(rows))) == (MOST, MOST)
    assert np.ptp(np.diff(rows)) <= 1
    module = importlib.import_module("laconic.web.views.document_map")
    monkeypatch.setattr(module, "MOST", 30)
    shown = views.document_map(material_of("plsa"))
    assert shown["n_documents"] == N
    assert set(shown["rows"]) <= set(range(0, N, 4))


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_tables_have_the_numbers_of_their_views(material_of):
    material = material_of("slsa")
    overview = views.overview(material)
    rows = read(to_csv(topics_table(overview)))
    assert [int(row["topic"]) for row in rows] == [each["topic"] for each in overview["topics"]]
    assert [float(row["share"]) for row in rows] == [each["share"] for each in overview["topics"]]
    points = read(to_csv(points_table(views.document_map(material))))
    assert len(points) == len(material.documents)
    listed = read(to_csv(documents_table(material, label="pets", sort="clear")))
    assert [int(row["document"]) for row in listed] == [
        each["document"]
        for each in views.documents(material, 0, 100, label="pets", sort="clear")["documents"]
    ]
