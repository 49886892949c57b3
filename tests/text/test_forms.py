"""Tests of merging the forms of a word."""

import json
from collections import Counter

import numpy as np
import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st

import laconic
from laconic import Vectorizer
from laconic.text.forms import merge_forms
from tests.messages import refused

TEXTS = [
    "The models of topics: a topic model models topics.",
    "A study of studies, studied by students.",
    "Models and studies",
]
FORMS = ["model", "models", "modelled", "study", "studies", "studied", "cat", "cats"]
documents = st.lists(st.lists(st.sampled_from(FORMS), max_size=8).map(" ".join), min_size=1)


def lowercase_lemma(word: str) -> str:
    return word.removesuffix("s")


def test_forms_are_named_after_the_most_frequent_form():
    corpus = Vectorizer(stop_words="en", lemmatizer="en").fit_transform(TEXTS)
    assert corpus.vocabulary.tolist() == ["models", "students", "studies", "topics"]
    assert corpus.counts.toarray().tolist() == [[3, 0, 0, 3], [0, 1, 3, 0], [1, 0, 1, 0]]


@given(documents.filter(any))
@settings(deadline=None, max_examples=40)
def test_merged_counts_are_sums_over_stems(texts):
    stem = Stemmer.Stemmer("english").stemWord
    vectorizer = Vectorizer(stop_words=None, min_df=1, max_df=1.0, lemmatizer="english")
    corpus = vectorizer.fit_transform(texts)
    totals = Counter(form for text in texts for form in text.split())
    for row, text in enumerate(texts):
        expected = Counter(stem(form) for form in text.split())
        assert {stem(word): n for word, n in corpus[row].words.items()} == expected
    for word in corpus.vocabulary:
        rivals = [form for form in totals if stem(form) == stem(word)]
        assert totals[word] == max(totals[form] for form in rivals)
    assert (vectorizer.transform(texts).counts != corpus.counts).nnz == 0


def test_new_forms_are_counted():
    vectorizer = Vectorizer(stop_words="en", lemmatizer="en").fit(TEXTS)
    assert vectorizer.transform(["modelling studying unknown"])[0].words == {
        "models": 1,
        "studies": 1,
    }


def test_a_function_of_the_user(tmp_path):
    model = laconic.pipeline("slsa", n_components=2)
    model.set_params(text__lemmatizer=lowercase_lemma).fit(TEXTS)
    assert {"model", "topic"} <= set(model["text"].vocabulary_)
    laconic.save(model, tmp_path / "saved.model")
    described = json.loads((tmp_path / "saved.model" / "model.json").read_text())
    assert "lowercase_lemma" in json.dumps(described)
    loaded = laconic.load(tmp_path / "saved.model", lemmatizer=lowercase_lemma)
    assert (loaded.transform(TEXTS) != model.transform(TEXTS)).nnz == 0
    with refused("lemmatizer", "lowercase_lemma", "laconic.load"):
        laconic.load(tmp_path / "saved.model").transform(TEXTS)


def test_a_lemma_may_have_another_lemma():
    lemmas = {"offerings": "offering", "offering": "offer"}
    vectorizer = Vectorizer(stop_words=None, lemmatizer=lambda word: lemmas.get(word, word))
    corpus = vectorizer.fit_transform(["offerings", "offering", "offer"])
    assert corpus.vocabulary.tolist() == ["offer", "offering"]
    assert (
        vectorizer.transform(["offerings", "offering", "offer"]).counts != corpus.counts
    ).nnz == 0


def test_the_language_is_detected(caplog):
    vectorizer = Vectorizer(lemmatizer="auto").fit(TEXTS * 10)
    assert vectorizer.settings_["lemmatizer"] == "english"
    Vectorizer(lemmatizer="auto").fit(["cat cats"])
    assert "Forms of a word are not merged" in caplog.text


@pytest.mark.parametrize(("value", "part"), [("klingon", "stemmer"), (3, "got 3")])
def test_bad_lemmatizers(value, part):
    with refused("lemmatizer", part, golden=value == 3):
        Vectorizer(lemmatizer=value).fit(TEXTS)


def test_a_lemma_must_be_a_word():
    with refused("lemmatizer must return", "'model'"):
        Vectorizer(stop_words=None, lemmatizer=lambda word: None).fit(["model"])


def test_coherence_counts_all_forms():
    texts = ["cats purr", "cat purrs", "dogs bark", "dog barks"] * 10
    corpus = laconic.read(texts, lemmatizer="english", stop_words=None)
    words = [["cat", "purr"], ["dog", "bark"]]
    named = [[_named(corpus, word) for word in topic] for topic in words]
    assert np.mean(laconic.metrics.coherence(named, corpus, "npmi")) == pytest.approx(1)


def _named(corpus, word):
    return next(name for name in corpus.vocabulary if name.startswith(word))


def test_ties_go_to_the_first_form():
    words, positions = merge_forms(
        np.array(["cat", "cats"], dtype=object), np.array([2, 2]), "english"
    )
    assert (words.tolist(), positions.tolist()) == (["cat"], [0, 0])
