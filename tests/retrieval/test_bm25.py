"""Tests of the inverted index: BM25 scores as in bm25s, and which words count as equal."""

from __future__ import annotations

import bm25s
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from laconic import Corpus, Vectorizer, read
from laconic.retrieval.word_indexer import TITLE_WEIGHT, index_words
from tests.messages import refused

token = st.sampled_from(["ab", "cd", "ef", "gh", "ij", "kl", "mn", "op"])
documents = st.lists(st.lists(token, max_size=12), min_size=1, max_size=8).filter(
    lambda tokens: any(tokens)
)


def scores(lexical, text):
    words = [word for word in lexical.words.split(text) if not lexical.words.is_stop(word)]
    rows = lexical.rows_of(lexical.words.stems(words))
    return lexical.scores(rows[rows >= 0])


def texts_index(texts, titles=None, language="english", **settings):
    corpus = Corpus(np.ones((len(texts), 1)), ["x"], titles=titles, vectorizer=settings)
    return index_words(corpus, texts, language)


@given(documents, st.lists(token, min_size=1, max_size=5))
def test_scores_are_those_of_bm25s(tokens, query):
    lexical = texts_index([" ".join(words) for words in tokens], language=None)
    theirs = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    theirs.index(tokens, show_progress=False)
    known = [word for word in query if any(word in words for words in tokens)]
    expected = theirs.get_scores(known) if known else np.zeros(len(tokens))
    np.testing.assert_allclose(scores(lexical, " ".join(query)), expected, rtol=1e-5, atol=1e-7)


@given(documents, st.lists(token, min_size=1, max_size=5))
def test_scores_are_those_of_the_formula(tokens, query):
    lexical = texts_index([" ".join(words) for words in tokens], language=None)
    n, mean = len(tokens), np.mean([len(words) for words in tokens])
    expected = np.zeros(n)
    for i, words in enumerate(tokens):
        for word in query:
            tf, df = words.count(word), sum(word in other for other in tokens)
            idf = np.log(1 + (n - df + 0.5) / (df + 0.5))
            expected[i] += idf * tf / (tf + 1.5 * (0.25 + 0.75 * len(words) / mean))
    np.testing.assert_allclose(scores(lexical, " ".join(query)), expected, rtol=1e-5, atol=1e-7)


@given(documents)
def test_counts_and_texts_give_the_same_index(tokens):
    texts = [" ".join(words) for words in tokens]
    counted = Vectorizer().fit_transform(texts)
    from_counts = index_words(counted, None, "english")
    from_texts = texts_index(texts)
    assert from_counts.stems.tolist() == from_texts.stems.tolist()
    assert (from_counts.postings.matrix() != from_texts.postings.matrix()).nnz == 0


def test_a_document_gives_its_words_back():
    lexical = texts_index(["cats cat dog", "", "dog bird"])
    rows, weights = lexical.document(0)
    assert lexical.stems[rows].tolist() == ["cat", "dog"]
    assert weights.tolist() == lexical.postings.matrix()[:, [0]].toarray()[rows, 0].tolist()
    assert len(lexical.document(1)[0]) == 0


def test_forms_capitals_and_accents_are_one_word():
    lexical = texts_index(["The Cafés closed", "a café closes", "CAFE", "tea"])
    for query in ("café", "Cafes", "CAFÉS", "cafe"):
        assert np.flatnonzero(scores(lexical, query)).tolist() == [0, 1, 2]
    assert np.flatnonzero(scores(lexical, "closing")).tolist() == [0, 1]
    assert "the" not in lexical.stems


def test_rare_and_frequent_words_are_found_though_the_corpus_left_them_out():
    texts = ["cat dog", "cat bird", "cat dog"]
    corpus = read(texts, min_df=2, max_df=0.9)
    assert corpus.vocabulary.tolist() == ["dog"]
    lexical = index_words(corpus, corpus.texts)
    assert lexical.stems.tolist() == ["bird", "cat", "dog"]


def test_words_of_the_title_count_three_times():
    assert TITLE_WEIGHT == 3
    lexical = texts_index(["cat dog", "bird"], ["Cat", None], language=None)
    same = texts_index(["cat dog cat cat cat", "bird"], language=None)
    # the text begins with another spelling of the title, so the title is counted in addition
    assert (lexical.postings.matrix() != same.postings.matrix()).nnz == 0
    begun = texts_index(["Cat dog", "bird"], ["Cat", ""], language=None)
    same = texts_index(["cat dog cat cat", "bird"], language=None)
    assert (begun.postings.matrix() != same.postings.matrix()).nnz == 0


def test_titles_of_documents_without_texts():
    corpus = Corpus([[2, 0], [0, 1]], ["cat", "dog"], titles=["Birds", None])
    lexical = index_words(corpus, None)
    assert lexical.stems.tolist() == ["bird", "cat", "dog"]
    assert np.flatnonzero(scores(lexical, "bird")).tolist() == [0]
    silent = Corpus([[2, 0], [0, 1]], ["cat", "dog"], titles=["", "!"])
    assert index_words(silent, None).stems.tolist() == ["cat", "dog"]


def test_runs_of_words_where_the_corpus_counted_them():
    texts = ["new york times", "york new", "times of york"]
    corpus = read(texts, ngram_range=(1, 2), stop_words="english", keep_texts=False)
    lexical = index_words(corpus, None)
    assert "new york" in lexical.stems
    found = scores(lexical, "New York")
    assert found[0] > found[1] > found[2] > 0
    # with texts, only single words are indexed
    assert " " not in "".join(index_words(read(texts, ngram_range=(1, 2)), texts).stems)


def test_the_language():
    german = ["Die Häuser und der Garten", "ein Haus", "und die Katze"] * 120
    corpus = read(german)
    assert index_words(corpus, german).words.language == "german"
    assert index_words(read(german, stop_words="de"), german).words.language == "german"
    lexical = index_words(corpus, german, "german")
    assert np.flatnonzero(scores(lexical, "Hauses")).tolist() == [
        i for i in range(len(german)) if i % 3 < 2
    ]
    assert index_words(read(["a few words"]), ["a few words"]).words.language == "english"
    assert texts_index(["Running dogs"], language=None).stems.tolist() == ["dogs", "running"]
    assert texts_index(["слово слова"], language="ukrainian").stems.tolist() == ["слова", "слово"]
    with refused("language='klingon'", "None", golden=False):
        texts_index(["a word"], language="klingon")


def test_the_language_of_titles_without_texts():
    lexical = texts_index(["", None, " "], titles=["Cats", "Dogs", "A cat"], language="auto")
    assert lexical.words.language == "english"
    assert np.flatnonzero(scores(lexical, "cat")).tolist() == [0, 2]


def test_what_a_word_is_follows_the_corpus():
    lexical = texts_index(["n_samples and n_features"], token_pattern=r"[a-z]{3,}")
    assert lexical.stems.tolist() == ["featur", "sampl"]
    lexical = texts_index(["a|b-c|d"], tokenizer=lambda text: text.split("|"), language=None)
    assert lexical.stems.tolist() == ["a", "b-c", "d"]
    assert scores(lexical, "B-C")[0] > 0
    lexical = texts_index(["Ärger"], strip_accents="unicode", language=None)
    assert lexical.forms.tolist() == ["arger"]


def test_near_words():
    lexical = texts_index(["space space", "space spade", "sparse", "apple", "paces", "be"])
    assert lexical.suggest("spaec") == ["space", "spade"]
    assert lexical.suggest("aplpe") == ["apple"]
    assert lexical.suggest("zzzzzz") == []
    assert lexical.suggest("pace", n=1) == ["paces"]


def test_the_commonest_form_stands_for_a_stem():
    lexical = texts_index(["running runs running", "runs run run run"])
    assert dict(zip(lexical.stems, lexical.forms, strict=True)) == {"run": "run"}


def test_a_very_long_word_takes_no_room_from_others():
    lexical = texts_index(["x" * 100_000, "short words"])
    assert lexical.suggest("shotr") == ["short"]
