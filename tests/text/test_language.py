"""Tests of language detection by stop words."""

import pytest

from laconic import Corpus, Vectorizer
from laconic.text.language import guess_from_corpus, guess_language
from tests.text.languages import LANGUAGES, make_texts


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("n", [2, 8, 100])
def test_a_few_sentences_are_enough(language, n):
    texts = make_texts(language, n)
    assert Vectorizer().fit(texts).settings_["stop_words"] == language


def test_too_few_words_are_said(caplog):
    vectorizer = Vectorizer().fit(["the cat and the dog"])
    assert vectorizer.settings_["stop_words"] is None
    assert "too few to detect the language" in caplog.text
    assert "stop_words=" in caplog.text


def test_texts_without_stop_words_are_said(caplog):
    Vectorizer().fit(["gene BRCA1 TP53 MDM2"] * 300)
    assert "few stop words of any known language" in caplog.text


def test_toy_texts_without_stop_words_are_not_commented(caplog):
    assert Vectorizer().fit(["cats purr", "dogs bark"]).settings_["stop_words"] is None
    assert caplog.text == ""


def test_an_explicit_choice_is_not_commented(caplog):
    Vectorizer(stop_words="german").fit(["die Katze und der Hund"])
    Vectorizer(stop_words=None).fit(["die Katze und der Hund"])
    assert caplog.text == ""


def test_headlines_have_few_stop_words():
    counts = {"oil": 500, "price": 380, "the": 50, "from": 40, "with": 30}
    assert guess_language(counts).language == "english"
    # the same share of stop words in a short text may be a coincidence
    assert guess_language({word: count // 5 for word, count in counts.items()}).language is None


def test_one_word_is_not_a_language():
    assert guess_language({"cat": 1_000}).language is None  # a stop word in Romanian


def test_language_of_a_small_corpus():
    corpus = Corpus([[3, 2, 1, 1]], ["the", "and", "of", "cat"])
    assert guess_from_corpus(corpus) == "english"
    assert guess_from_corpus(Corpus([[1, 1]])) is None
