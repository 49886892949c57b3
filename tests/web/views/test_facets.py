"""Tests of facets: filters, counts and orders of lists of documents, computed again from codes."""

from __future__ import annotations

import numpy as np
import pytest

from laconic.errors import LaconicError
from laconic.web import views
from laconic.web.page_data import PageData
from tests.web.conftest import KINDS, THEMES, N, fit, make_corpus


def main_of(material) -> tuple[np.ndarray, np.ndarray]:
    """Return the main topic of each document and its share; -1 if there is none."""
    codes = np.abs(material.documents.codes.toarray().astype(np.float64))
    totals = codes.sum(axis=1)
    main = np.where(totals > 0, codes.argmax(axis=1), -1)
    return main, codes.max(axis=1) / np.where(totals > 0, totals, 1)


def rows_of(material, **conditions) -> list[int]:
    pages = range(-(-N // 50))
    found = []
    for page in pages:
        part = views.documents(material, 0 if page * 50 >= N else page, 50, **conditions)
        found += [each["document"] for each in part["documents"]]
        if part["total"] <= (page + 1) * 50:
            break
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_main_topic_of_a_document(kind, material_of):
    material = material_of(kind)
    main, shares = main_of(material)
    assert material.main_topics.topics.tolist() == main.tolist()
    np.testing.assert_allclose(material.main_topics.shares, shares, rtol=1e-5)


@pytest.mark.parametrize("kind", ["slsa", "plsa", "signed"])
def test_conditions_are_combined(kind, material_of):
    material = material_of(kind)
    main, _ = main_of(material)
    labels = np.array([list(THEMES)[row % 4] for row in range(N)])
    for topic in range(material.n_topics):
        expected = np.flatnonzero((main == topic) & (labels == "pets")).tolist()
        assert rows_of(material, topic=topic, label="pets") == expected


def test_counts_of_a_facet_ignore_its_own_condition(material_of):
    material = material_of("slsa")
    main, _ = main_of(material)
    labels = np.array([list(THEMES)[row % 4] for row in range(N)])
    found = views.documents(material, 0, 20, label="money", topic=1)["facets"]
    of_label = np.bincount(main[labels == "money"], minlength=5)
    assert dict(found["topics"]) == {
        topic: size for topic, size in enumerate(of_label.tolist()) if size
    }
    of_topic = {name: int(np.sum(labels[main == 1] == name)) for name in THEMES}
    assert dict(found["labels"]) == {name: size for name, size in of_topic.items() if size}


def test_documents_are_sorted_by_how_clear_they_are(material_of):
    material = material_of("plsa")
    _, shares = main_of(material)
    clear = rows_of(material, sort="clear")
    assert sorted(clear) == list(range(N))
    assert (np.diff(shares[clear]) <= 1e-7).all()
    assert (np.diff(shares[rows_of(material, sort="mixed")]) >= -1e-7).all()


@pytest.fixture(scope="module")
def dated():
    days = [f"2024-03-{1 + row % 20:02d}" for row in range(N)]
    return PageData.of(fit("slsa"), make_corpus().replace(labels=days)), days


def test_times_are_filtered_and_sorted(dated):
    material, days = dated
    expected = [row for row in range(N) if "2024-03-05" <= days[row] <= "2024-03-07"]
    assert rows_of(material, since="2024-03-05", until="2024-03-07") == expected
    newest = rows_of(material, sort="newest")
    assert [days[row] for row in newest] == sorted(days, reverse=True)
    found = views.documents(material, 0, 20, since="2024-03-19")
    assert found["total"] == 12
    assert found["facets"]["times"] == [[f"2024-03-{day:02d}", 6] for day in range(1, 21)]
    assert "labels" not in found["facets"]


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ({"label": "fish"}, "fish"),
        ({"topic": 99}, "99"),
        ({"since": "2024"}, "no dates"),
        ({"sort": "newest"}, "no dates"),
        ({"sort": "size"}, "size"),
    ],
)
def test_impossible_conditions(material_of, conditions, message):
    with pytest.raises(LaconicError, match=message):
        views.documents(material_of("slsa"), 0, 20, **conditions)


def test_facets_of_a_search_count_what_it_has_found(material_of):
    material = material_of("slsa")
    main, _ = main_of(material)
    everything = views.search_results(material, "cat bank", 100)
    rows = [hit["document"] for hit in everything["hits"]]
    assert everything["total"] == everything["candidates"] >= len(rows)
    labels = [list(THEMES)[row % 4] for row in rows]
    if everything["total"] == len(rows):
        counts = {name: labels.count(name) for name in set(labels)}
        assert dict(everything["facets"]["labels"]) == counts
    topic = int(main[rows[0]])
    narrowed = views.search_results(material, "cat bank", 100, label=labels[0], topic=topic)
    expected = [row for row in rows if row % 4 == rows[0] % 4 and main[row] == topic]
    assert [hit["document"] for hit in narrowed["hits"]][: len(expected)] == expected
    for hit in narrowed["hits"]:
        assert hit["topics"][0][0] == topic
