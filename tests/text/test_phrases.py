"""Tests of phrases as words of the vocabulary."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import laconic
from laconic import Vectorizer
from tests.messages import refused

TEXTS = [
    "He lives in New York.",
    "New York is a city.",
    "A new car in New York",
    "The house has seven green doors and a garden with roses",
    "Dogs, horses: a farm; many animals",
    "York. New cars",
] * 5
EVERY = {"stop_words": "en", "min_df": 1, "max_df": 1.0}


def test_a_phrase_replaces_its_words():
    corpus = Vectorizer(**EVERY, phrases=True).fit_transform(TEXTS)
    phrases = [word for word in corpus.vocabulary if " " in word]
    assert "new york" in phrases
    assert "new car" not in phrases  # the two words are adjacent, but not more than by chance
    assert corpus[0].words == {"lives": 1, "new york": 1}
    assert corpus[2].words == {"new": 1, "car": 1, "new york": 1}
    assert corpus[5].words == {"york": 1, "new": 1, "cars": 1}


def test_words_of_a_phrase_are_separated_by_spaces_only():
    texts = ["mail me at jo@example.com", "jo@example.com wrote", "see jo@example.com"] * 5
    corpus = Vectorizer(**EVERY, phrases=True).fit_transform([*texts, *TEXTS])
    assert not any("example" in word and " " in word for word in corpus.vocabulary)


@given(st.lists(st.lists(st.sampled_from(["new", "york", "city", "the", "of", "cat"])), min_size=4))
@settings(deadline=None, max_examples=40)
def test_counts_agree_with_a_plain_reference(lists):
    texts = [*TEXTS, *(" ".join(words) for words in lists)]
    vectorizer = Vectorizer(**EVERY, phrases=True)
    corpus = vectorizer.fit_transform(texts)
    phrases = [word for word in corpus.vocabulary if " " in word]
    single = Vectorizer(**EVERY).fit_transform(texts)
    for row, text in enumerate(texts):
        n_phrases = {
            phrase: len(re.findall(rf"\b(?={phrase.replace(' ', '[ -]')}\b)", text.lower()))
            for phrase in phrases
        }
        expected = {
            word: n - sum(times * phrase.split().count(word) for phrase, times in n_phrases.items())
            for word, n in single[row].words.items()
        }
        expected = {word: n for word, n in {**expected, **n_phrases}.items() if n > 0}
        assert corpus[row].words == expected
    assert (vectorizer.transform(texts).counts != corpus.counts).nnz == 0


def test_phrases_of_merged_forms():
    texts = ["topic models work", "the topic model works", "a topic model", "cats work"] * 6
    corpus = Vectorizer(**EVERY, phrases=True, lemmatizer="en").fit_transform(texts)
    assert "topic model" in corpus.vocabulary
    assert corpus[0].words == corpus[1].words


def test_a_model_with_phrases_is_saved_and_found_by_search(tmp_path):
    corpus = laconic.read(TEXTS, **EVERY, phrases=True)
    model = laconic.pipeline("slsa", n_components=3).fit(corpus)
    laconic.save(model, tmp_path / "saved.model", corpus=corpus)
    loaded = laconic.load(tmp_path / "saved.model")
    assert (loaded.transform(TEXTS) != model.transform(corpus)).nnz == 0
    hits = laconic.search(model, corpus).query("new york", k=3)
    assert all("york" in TEXTS[hit.id].lower() for hit in hits)


def test_n_grams_and_phrases_exclude_each_other():
    with refused("phrases=True", "ngram_range=(1, 2)"):
        Vectorizer(phrases=True, ngram_range=(1, 2)).fit(TEXTS)


@pytest.mark.parametrize("limit", [3, 6])
def test_the_most_frequent_words_and_phrases(limit):
    vectorizer = Vectorizer(**EVERY, phrases=True, max_features=limit)
    corpus = vectorizer.fit_transform(TEXTS)
    assert corpus.shape[1] == limit
    assert (vectorizer.transform(TEXTS).counts != corpus.counts).nnz == 0
