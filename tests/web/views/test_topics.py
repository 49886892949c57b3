"""Tests of the views of the overview and of topics: the numbers agree with the library."""

from __future__ import annotations

import dataclasses
import importlib
import json

import numpy as np
import pytest
import scipy.sparse as sp

import laconic
from laconic.fitted.notes import TopicNote
from laconic.web import views
from laconic.web.page_data import PageData
from laconic.web.views.topics import BEST
from tests.messages import refused
from tests.web.conftest import KINDS, N, fit


def plain(value):
    """Convert to JSON and back, as in a response; raise an error for NaN."""
    return json.loads(json.dumps(value, allow_nan=False))


@pytest.mark.parametrize("kind", KINDS)
def test_the_overview_is_the_table_of_topics(kind, material_of):
    material = material_of(kind)
    shown = plain(views.overview(material))
    table = laconic.topics(material.model, 10).frame
    assert [topic["topic"] for topic in shown["topics"]] == table["topic"].to_list()
    np.testing.assert_allclose(
        [topic["share"] for topic in shown["topics"]], table["share"], rtol=1e-4
    )
    assert [topic["n_words"] for topic in shown["topics"]] == table["n_words"].to_list()
    for topic, words in zip(shown["topics"], table["words"].to_list(), strict=True):
        signs = [("-" if weight < 0 else "") + word for word, weight in topic["words"]]
        assert signs[:10] == words
        weights = material.estimator.components_[[topic["topic"]]]
        column = list(material.words).index(topic["words"][0][0])
        assert topic["words"][0][1] == pytest.approx(weights[0, column], rel=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_the_overview_says_what_there_is(kind, material_of):
    shown = plain(views.overview(material_of(kind)))
    assert (shown["n_documents"], shown["n_topics"]) == (N, len(shown["topics"]))
    has = shown["has"]
    assert has["documents"]
    assert has["texts"]
    assert has["search"]
    assert has["groups"] == "class"
    assert has["word_codes"] == (kind in ("stc", "medstc"))
    assert has["graph"] == (kind == "correlated")
    assert (has["write"], has["compare"]) == (False, False)
    assert shown["signed"] == (kind in ("signed", "pcp"))
    names = [label for label, _, _ in shown["figures"]]
    assert len(names) == len(set(names)) >= 5


def test_figures_are_counted(material_of):
    material = material_of("slsa")
    figures = {label: value for label, value, _ in views.overview(material)["figures"]}
    components, codes = material.estimator.components_, material.documents.codes
    assert figures["zeros in topics"] == f"{100 * (1 - components.nnz / 5 / 47):.1f} %"
    assert figures["zeros in documents"] == f"{100 * (1 - codes.nnz / N / 5):.1f} %"
    assert float(figures["topics per document"]) == pytest.approx(codes.nnz / N, rel=5e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_every_place_of_the_slider_has_its_words(kind, material_of):
    """The words that are sent include the best words at each position of the slider."""
    material = material_of(kind)
    dense = np.abs(material.weights.toarray())
    overall = material.shares @ dense / material.shares.sum()
    for topic in range(material.n_topics):
        sent = plain(views.topic(material, topic))["words"]
        for relevance in np.linspace(0, 1, 11):
            with np.errstate(divide="ignore", invalid="ignore"):
                worth = np.nan_to_num(dense[topic] / overall ** (1 - relevance), posinf=0)
            best = np.sort(worth[worth > 0])[::-1][:BEST]
            ours = sorted((abs(w) / mean ** (1 - relevance) for _, w, mean in sent), reverse=True)
            np.testing.assert_allclose(ours[: len(best)], best, rtol=2e-3)


def test_the_slider_begins_where_the_table_of_topics_is(material_of):
    material = material_of("plsa")
    for topic in laconic.topics(material.model, 8).frame.iter_rows(named=True):
        shown = views.topic(material, topic["topic"])
        place = shown["relevance"]
        ordered = sorted(shown["words"], key=lambda word: -word[1] / word[2] ** (1 - place))
        assert [word for word, *_ in ordered[:8]] == topic["words"]
        assert shown["called"] == topic["words"][:5]


@pytest.mark.parametrize("kind", KINDS)
def test_pages_of_documents_are_the_top_documents(kind, material_of):
    material = material_of(kind)
    topic = material.order[0]
    expected = laconic.top_documents(material.model, topic, n=N)
    pages = []
    for page in range(-(-len(expected) // 7)):
        part = plain(views.topic_documents(material, topic, page, 7))
        assert part["total"] == len(expected) == views.topic(material, topic)["n_documents"]
        pages += part["documents"]
    assert [one["document"] for one in pages] == expected["document"].to_list()
    np.testing.assert_allclose([one["share"] for one in pages], expected["share"], rtol=1e-4)
    strengths = [one["strength"] for one in pages]
    assert strengths[0] == 1
    assert strengths == sorted(strengths, reverse=True)


def test_related_topics(material_of):
    material = material_of("correlated")
    shares = material.documents.codes.toarray()
    shares /= shares.sum(axis=1, keepdims=True)
    expected = np.corrcoef(shares.T)
    edges = laconic.topic_graph(material.model)
    for topic in range(5):
        for other in plain(views.topic(material, topic))["related"]:
            k = other["topic"]
            assert k != topic
            assert other["together"] == pytest.approx(expected[topic, k], abs=1e-3)
            pair = edges.filter(
                ((edges["topic"] == topic) & (edges["other"] == k))
                | ((edges["topic"] == k) & (edges["other"] == topic))
            )
            assert other["edge"] == (
                None if not len(pair) else pytest.approx(pair["weight"][0], rel=1e-3)
            )


def test_classes_of_a_topic_are_means(material_of, corpus):
    material = material_of("plsa")
    codes = material.documents.codes.toarray()
    shares = codes / codes.sum(axis=1, keepdims=True)
    shown = plain(views.topic(material, 2))["groups"]
    assert shown["kind"] == "class"
    for label, share, size in shown["rows"]:
        own = corpus.labels == label
        assert size == own.sum()
        assert share == pytest.approx(shares[own, 2].mean(), rel=1e-3)
    means = [share for _, share, _ in shown["rows"]]
    assert means == sorted(means, reverse=True)


def test_classes_of_few_documents_come_last(material_of, monkeypatch):
    material = material_of("plsa")
    rows = views.topic(material, 2)["groups"]["rows"]
    sizes = np.full_like(material.groups.sizes, 9)
    sizes[material.groups.names.index(rows[0][0])] = 4
    few = dataclasses.replace(material.groups, sizes=sizes)
    monkeypatch.setitem(vars(material), "groups", few)
    names = [name for name, _, _ in views.topic(material, 2)["groups"]["rows"]]
    assert names == [name for name, _, _ in [*rows[1:], rows[0]]]


def test_classes_beyond_the_shown_ones_are_counted(material_of, monkeypatch):
    module = importlib.import_module("laconic.web.views.topics")
    material = material_of("plsa")
    assert views.topic(material, 2)["groups"]["more"] == 0
    monkeypatch.setattr(module, "GROUPS", 3)
    shown = views.topic(material, 2)["groups"]
    assert (len(shown["rows"]), shown["more"]) == (3, 1)


def test_topics_of_signed_models_go_by_words_that_count_for_them():
    words = ["down", "up", "low", "high", "deep", "tall"]
    model = laconic.SparseLSA(1).fit(laconic.Corpus(np.eye(6, dtype=int), words))
    model.components_ = sp.csr_matrix([[-9.0, 8.0, -7.0, 6.0, -5.0, 4.0]])
    shown = views.topic(PageData.of(model), 0)
    assert shown["called"] == ["up", "high", "tall", "down", "low"]
    assert shown["words"][0][:2] == ["down", -9.0]


def test_two_models_are_compared_one_to_one(folder_of, material_of):
    same = PageData.open(folder_of("plsa"), other=folder_of("plsa"))
    shown = plain(views.comparison(same))
    assert shown["mean_likeness"] == pytest.approx(1)
    assert all(pair["left"]["topic"] == pair["right"]["topic"] for pair in shown["pairs"])
    assert all(not pair["left_only"] and not pair["right_only"] for pair in shown["pairs"])
    other = PageData.open(folder_of("plsa"), other=folder_of("signed"))
    pairs = plain(views.comparison(other))["pairs"]
    assert [pair["left"]["topic"] for pair in pairs if pair["left"]] != []
    assert sorted(pair["left"]["topic"] for pair in pairs if pair["left"]) == list(range(5))
    assert sorted(pair["right"]["topic"] for pair in pairs if pair["right"]) == list(range(4))
    likeness = [pair["likeness"] for pair in pairs if pair["likeness"] is not None]
    assert likeness == sorted(likeness, reverse=True)
    disjoint = laconic.Corpus(np.eye(6, dtype=int) + 1, [f"w{i}" for i in range(6)])
    stranger = laconic.pipeline("plsa", n_components=2).fit(disjoint)
    apart = plain(views.comparison(PageData.of(fit("plsa"), other=stranger)))
    assert len(apart["pairs"]) == 7
    assert all(pair["left"] is None or pair["right"] is None for pair in apart["pairs"])
    assert apart["mean_likeness"] == 0
    with refused("--compare", kind=views.NotFoundError):
        views.comparison(material_of("plsa"))


@pytest.mark.parametrize("kind", KINDS)
def test_all_charts_come_without_their_looks(kind, material_of):
    material = material_of(kind)
    names = [chart["name"] for chart in views.overview(material)["charts"]]
    assert {"map", "words", "matrix", "groups"} <= set(names)
    assert ("graph" in names) == (kind == "correlated")
    for name in names:
        spec = plain(views.chart(material, name, topic=1))
        assert "config" not in spec
        assert spec["$schema"].endswith(".json")
    assert plain(views.chart(material, "senses", word="bank"))
    themes = plain(views.themes())
    assert themes["light"]["background"] != themes["dark"]["background"]
    with refused("'speed'", "words", "map", kind=views.NotFoundError):
        views.chart(material, "speed")


def test_what_is_not_there_is_missing(material_of):
    material = material_of("slsa")
    for topic in (-1, 5):
        with refused(f"no topic {topic}", "0 to 4", kind=views.NotFoundError):
            views.topic(material, topic)
        with refused(f"no topic {topic}", "0 to 4", kind=views.NotFoundError):
            views.topic_documents(material, topic, 0, 5)
        with refused(f"no topic {topic}", "0 to 4", kind=views.NotFoundError):
            views.chart(material, "groups", topic=topic)
    with refused("no page 99", "0 to", kind=views.NotFoundError):
        views.topic_documents(material, 0, 99, 5)
    assert len(views.documents(material, 5, 20)["documents"]) == 20  # the last page
    with refused("no page 6", "0 to 5", kind=views.NotFoundError):
        views.documents(material, 6, 20)
    with refused("size must", "1 to 100", "got 101"):
        views.topic_documents(material, 0, 0, 101)


def test_notes_are_kept_beside_the_model(folder_of, tmp_path):
    import shutil

    folder = shutil.copytree(folder_of("plsa"), tmp_path / "mine.model")
    material = PageData.open(folder, write=True)
    given = views.set_note(material, 3, {"name": "<b>money</b>", "note": "seen"})
    assert (given["name"], given["hidden"], given["note"]) == ("<b>money</b>", False, "seen")
    views.set_note(material, 3, {"hidden": True})
    again = PageData.open(folder)
    assert again.notes == material.notes == {3: TopicNote("<b>money</b>", True, "seen")}
    named = {topic["topic"]: topic for topic in views.overview(again)["topics"]}
    assert (named[3]["name"], named[3]["hidden"]) == ("<b>money</b>", True)
    assert views.all_notes(again)["topics"]["3"]["note"] == "seen"
    with refused("read-only", "--write"):
        views.set_note(again, 3, {"name": "x"})
    views.set_note(material, 3, {"name": None, "hidden": False, "note": ""})
    assert PageData.open(folder).notes == {}


def test_notes_of_a_model_in_memory_go_with_it(corpus, tmp_path):
    model = laconic.pipeline("plsa", n_components=3).fit(corpus)
    material = PageData.of(model, corpus, write=True)
    views.set_note(material, 1, {"name": "pets"})
    laconic.save(model, tmp_path / "a.model")
    assert laconic.topics(laconic.load(tmp_path / "a.model"))["pets"].number == 1


def test_a_model_alone_has_topics_and_nothing_else():
    material = PageData.of(fit("slsa"))
    shown = plain(views.overview(material))
    assert shown["n_documents"] == 0
    assert not any(shown["has"][name] for name in ("documents", "texts", "labels", "search"))
    topic = plain(views.topic(material, 0))
    assert (topic["n_documents"], topic["groups"]) == (0, None)
    assert all(other["together"] is None for other in topic["related"])
    assert plain(views.topic_documents(material, 0, 0, 5))["documents"] == []
    for view in (views.document, views.similar_documents):
        with refused("No documents were saved", "--corpus", kind=views.NotFoundError):
            view(material, 0)
    with refused("No documents were saved", "--corpus", kind=views.NotFoundError):
        views.documents(material, 0, 5)
    with refused("No search index", kind=views.NotFoundError):
        views.search_results(material, "bank")
    assert plain(views.word(material, "bank"))["senses"]


# --- topics that contain a word ---


@pytest.mark.parametrize("kind", KINDS)
def test_every_topic_with_the_letters_is_found(kind, material_of):
    material = material_of(kind)
    table = laconic.topics(material.model, n_words=100).frame
    found = plain(views.topics_with_word(material, "BAN"))
    expected = {}
    for topic, words in zip(table["topic"].to_list(), table["words"].to_list(), strict=True):
        with_letters = [word.lstrip("-") for word in words if "ban" in word]
        if with_letters:
            expected[topic] = with_letters[0]
    assert found["having"] == "BAN"
    assert {topic: word for topic, (word, _) in found["topics"]} == expected
    columns = {str(word): column for column, word in enumerate(material.words)}
    for topic, (word, weight) in found["topics"]:
        assert weight == pytest.approx(material.weights[topic, columns[word]], rel=1e-4)


def test_the_topic_in_which_the_word_stands_highest_comes_first(material_of):
    material = material_of("plsa")
    found = views.topics_with_word(material, "bank")["topics"]
    places = [
        [word for word, _ in material.top_words(topic, 100)].index(word)
        for topic, (word, _) in found
    ]
    assert len(places) > 1
    assert places == np.sort(places).tolist()


def test_letters_that_no_word_has_find_nothing(material_of):
    assert views.topics_with_word(material_of("slsa"), "zzz")["topics"] == []


def test_nothing_to_look_for_is_refused(material_of):
    with refused("having", "empty"):
        views.topics_with_word(material_of("slsa"), "  ")


def test_pages_beyond_the_kept_documents_are_the_same(material_of, folder_of, monkeypatch):
    topic = material_of("slsa").order[0]
    whole = views.topic_documents(material_of("slsa"), topic, 1, 7)
    monkeypatch.setattr("laconic.fitted.document_sums.TOP", 5)
    few = PageData.open(folder_of("slsa"))
    assert views.topic_documents(few, topic, 1, 7) == whole
    assert [len(top.rows) <= 5 for top in few.sums.top] == [True] * few.n_topics
