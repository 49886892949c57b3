"""Tests of the passages of a topic: marked words, and documents that say the same."""

from __future__ import annotations

import pytest

import laconic
from laconic.web import views
from laconic.web.page_data import PageData
from laconic.web.views.passages import fold_same
from tests.web.conftest import KINDS, N


@pytest.mark.parametrize("kind", KINDS)
def test_marked_words_are_words_of_the_topic(kind, material_of):
    material = material_of(kind)
    for topic in range(material.n_topics):
        weights = dict(material.top_words(topic, 100))
        for document in views.topic_documents(material, topic, 0, 20)["documents"]:
            text = "".join(text for text, _ in document["pieces"])
            assert text.strip("…") in " ".join(material.texts[document["document"]].split())
            marked = [text for text, kind in document["pieces"] if kind == "word"]
            assert marked
            assert all(weights[word.lower()] > 0 for word in marked)


def test_the_passage_is_where_the_words_of_the_topic_are():
    filler = "Nothing to see in this long sentence about other things. " * 30
    texts = [filler + "A cat and a kitten purr.", "cat kitten purr", "dog bark leash", "dog leash"]
    corpus = laconic.read(texts, stop_words=None, min_df=1)
    material = PageData.of(laconic.pipeline("slsa", n_components=2).fit(corpus), corpus)
    topic = next(k for k in range(2) if "kitten" in dict(material.top_words(k, 8)))
    first = views.topic_documents(material, topic, 0, 5)["documents"]
    pieces = next(each["pieces"] for each in first if each["document"] == 0)
    assert ("kitten", "word") in pieces
    assert pieces[0][0].startswith("…")


def test_copies_are_folded_into_the_first():
    story = "The ministry said on {} that exports of coffee rose to a new record last year"
    texts = [story.format("Monday"), story.format("Tuesday"), "Gold fell in London", story]
    entries = [{"document": n, "pieces": [(text, "")]} for n, text in enumerate(texts)]
    folded = fold_same([*entries, {"document": 4, "pieces": None}])
    assert [each["document"] for each in folded] == [0, 2, 4]
    assert [each["document"] for each in folded[0]["same"]] == [1, 3]
    assert "pieces" not in folded[0]["same"][0]


def test_folded_documents_stay_on_their_page(material_of):
    material = material_of("slsa")
    topic = material.order[0]
    total = views.topic_documents(material, topic, 0, 20)["total"]
    rows = []
    for page in range(-(-total // 20)):
        for each in views.topic_documents(material, topic, page, 20)["documents"]:
            rows += [each["document"], *(same["document"] for same in each["same"])]
    expected = laconic.top_documents(material.model, topic, n=N)["document"].to_list()
    assert sorted(rows) == sorted(expected)


def test_a_word_has_no_two_examples_that_say_the_same():
    story = "The bank lent money to the mill at the old price on {} as it had before"
    texts = [story.format(day) for day in ("Monday", "Friday")] + ["A bank of the river is wet"]
    corpus = laconic.read(texts * 2, stop_words=None, min_df=1)
    model = laconic.pipeline("plsa", n_components=1).fit(corpus)
    (sense,) = views.word(PageData.of(model, corpus), "bank")["senses"]
    shown = ["".join(text for text, _ in example["pieces"]) for example in sense["examples"]]
    assert len(shown) == 2
    assert {"river" in text for text in shown} == {True, False}
