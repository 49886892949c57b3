"""Tests of n-grams in the vocabulary: their positions in texts and their documents."""

from __future__ import annotations

from pathlib import Path

import pytest

import laconic
from laconic.web import views
from laconic.web.page_data import PageData
from laconic.web.views import words as words_module

TEXTS = [
    "The white house burned. A white   house\nagain.",
    "A house that is white.",
    "The white and big house",  # "and" is a stop word, "big" is not
    "The white of the house",
    "The white house and the black cat",
    "A black cat, a black dog.",
    "Black cat and white dog",
    "A dog",
]
HAVING = [0, 3, 4]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = {"ngram_range": (1, 2), "min_df": 1, "stop_words": "english"}
    counted = laconic.read(TEXTS, **settings)
    corpus = laconic.Corpus(
        counted.counts, counted.vocabulary, texts=TEXTS, vectorizer=counted.vectorizer
    )
    model = laconic.pipeline("plsa", n_components=2).fit(corpus)
    column = list(corpus.vocabulary).index("white house")
    assert corpus.counts[:, column].toarray().ravel().nonzero()[0].tolist() == HAVING
    index = laconic.search(model, corpus)
    return laconic.save(model, tmp_path_factory.mktemp("phrases") / "a.model", index=index)


def test_documents_with_a_phrase_are_counted_and_quoted(folder: Path):
    shown = views.word(PageData.open(folder), "white house")
    assert (shown["n_documents"], shown["forms"]) == (3, False)
    examples = {
        example["document"]: [piece for piece, kind in example["pieces"] if kind == "word"]
        for sense in shown["senses"]
        for example in sense["examples"]
    }
    assert examples == {
        0: ["white house", "white house"],
        3: ["white of the house"],
        4: ["white house"],
    }


def test_of_too_many_documents_it_is_not_said_how_many_have_a_phrase(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(words_module, "MOST_READ", 3)
    shown = views.word(PageData.open(folder), "white house")
    assert shown["n_documents"] is None
    assert any(sense["examples"] for sense in shown["senses"])


def test_a_single_word_counts_with_its_forms(folder: Path):
    shown = views.word(PageData.open(folder), "white")
    assert (shown["n_documents"], shown["forms"]) == (6, True)


def test_of_words_that_no_index_has_it_is_not_said_how_many_documents_have_them(tmp_path: Path):
    counted = laconic.read(TEXTS, ngram_range=(1, 2), min_df=1, stop_words=None)
    corpus = laconic.Corpus(
        counted.counts, counted.vocabulary, texts=TEXTS, vectorizer=counted.vectorizer
    )
    model = laconic.pipeline("plsa", n_components=2).fit(corpus)
    index = laconic.search(model, corpus, language="english")
    material = PageData.open(laconic.save(model, tmp_path / "b.model", index=index))
    for word in ("the", "of the"):
        assert views.word(material, word)["n_documents"] is None
    assert views.word(material, "the white")["n_documents"] == 4
