"""Tests of the words of a model: from scikit-learn's steps, data frames and ``vocabulary=``."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import NMF, LatentDirichletAllocation, TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer

import laconic
from laconic import PLSA, Corpus, SparseCoding, SparseLSA, Vectorizer, Weighting
from laconic.fitted.column_words import words_of
from laconic.fitted.similar_topics import likeness_between
from tests.messages import refused

TEXTS = ["cats purr and sleep", "cats sleep", "cats sleep", "dogs bark", "dogs bark and run"] * 4
KINDS = ["cat", "cat", "cat", "dog", "dog"] * 4
WORDS = ["and", "bark", "cats", "dogs", "purr", "run", "sleep"]


def split(model, **options):
    """Return the set of the two strongest words of each topic."""
    return {frozenset(topic.words) for topic in laconic.topics(model, 2, **options)}


PETS = {frozenset({"dogs", "bark"}), frozenset({"cats", "sleep"})}


@pytest.mark.parametrize(
    "pipe",
    [
        make_pipeline(TfidfVectorizer(), SparseLSA(2, positive=True)),
        make_pipeline(CountVectorizer(), SparseCoding(2)),
        make_pipeline(CountVectorizer(), TfidfTransformer(), PLSA(2)),
        make_pipeline(CountVectorizer(), FunctionTransformer(np.log1p), Normalizer(), PLSA(2)),
        make_pipeline(CountVectorizer(), SelectKBest(chi2, k=5), PLSA(2)),
        Pipeline([("words", CountVectorizer()), ("none", "passthrough"), ("model", PLSA(2))]),
        make_pipeline(Vectorizer(), Weighting(output="csr"), NMF(2, max_iter=2000)),
        make_pipeline(CountVectorizer(), LatentDirichletAllocation(2, random_state=0)),
        make_pipeline(make_pipeline(CountVectorizer(), TfidfTransformer()), PLSA(2)),
    ],
    ids=lambda pipe: "-".join(type(step).__name__ for _, step in pipe.steps),
)
def test_words_of_a_pipeline(pipe):
    pipe.fit(TEXTS, KINDS)
    found = laconic.topics(pipe, 2)
    assert {word for topic in found for word in topic.words} <= set(WORDS)
    assert any({"dogs", "bark"} == set(topic.words) for topic in found)
    assert "vocabulary=" not in str(found)


def test_words_of_several_vectorizers():
    columns = {"title": CountVectorizer(), "body": TfidfVectorizer()}
    frame = pd.DataFrame({"title": KINDS, "body": TEXTS})
    named = [(name, vectorizer, name) for name, vectorizer in columns.items()]
    pipe = make_pipeline(ColumnTransformer(named), SparseLSA(2)).fit(frame)
    assert words_of(pipe).tolist() == ["title__cat", "title__dog", *(f"body__{w}" for w in WORDS)]
    both = make_pipeline(FeatureUnion(list(columns.items())), SparseLSA(2)).fit(TEXTS)
    assert words_of(both).tolist() == [f"{name}__{word}" for name in columns for word in WORDS]


def test_genes_of_a_data_frame():
    genes = pd.DataFrame(np.random.default_rng(0).poisson(2, (30, 3)), columns=["TP53", "MYC", "A"])
    for model in (PLSA(2), NMF(2, max_iter=2000), make_pipeline(Normalizer(), PLSA(2))):
        assert words_of(model.fit(genes)).tolist() == ["TP53", "MYC", "A"]


def test_models_of_scikit_learn_have_no_shares():
    pipe = make_pipeline(TfidfVectorizer(), TruncatedSVD(2, random_state=0)).fit(TEXTS)
    found = laconic.topics(pipe)
    assert [topic.number for topic in found] == [0, 1]
    assert found.frame["share"].is_null().all()
    assert str(found).splitlines()[0].split() == ["topic", "words"]


# ---- vocabulary= ----


@pytest.fixture(scope="module")
def vectorizer():
    return CountVectorizer().fit(TEXTS)


@pytest.fixture(scope="module")
def plain(vectorizer):
    return PLSA(2).fit(vectorizer.transform(TEXTS))


def test_words_are_given_in_any_form(plain, vectorizer):
    counts = vectorizer.transform(TEXTS)
    for vocabulary in (
        WORDS,
        tuple(WORDS),
        np.array(WORDS),
        pd.Index(WORDS),
        vectorizer,
        make_pipeline(vectorizer, TfidfTransformer().fit(counts)),
        vectorizer.vocabulary_,
        dict(enumerate(WORDS)),
        laconic.Vocabulary(WORDS),
        Corpus(counts, WORDS),
        laconic.read(TEXTS),
        PLSA(2).fit(laconic.read(TEXTS)),
    ):
        assert words_of(plain, vocabulary).tolist() == WORDS
    assert split(plain, vocabulary=vectorizer) == PETS


def test_a_dictionary_of_gensim():
    gensim = pytest.importorskip("gensim")
    tokens = [text.split() for text in TEXTS]
    dictionary = gensim.corpora.Dictionary(tokens)
    bags = gensim.matutils.corpus2csc([dictionary.doc2bow(text) for text in tokens]).T.tocsr()
    assert split(PLSA(2).fit(bags), vocabulary=dictionary) == PETS


def test_given_words_go_through_the_steps_of_the_pipeline(vectorizer):
    pipe = make_pipeline(SelectKBest(chi2, k=2), PLSA(1)).fit(vectorizer.transform(TEXTS), KINDS)
    assert words_of(pipe) is None
    assert words_of(pipe, vectorizer).tolist() == ["bark", "dogs"]
    assert words_of(pipe, ["x", "y"]).tolist() == ["x", "y"]


def test_given_words_replace_those_of_the_model():
    model = PLSA(2).fit(laconic.read(TEXTS))
    shouted = [word.upper() for word in WORDS]
    assert words_of(model, shouted).tolist() == shouted


@pytest.mark.parametrize(
    ("vocabulary", "parts"),
    [
        (["cats"], ["1 word", "7 columns"]),
        ("words", ["list of words", "str"]),
        (7, ["list of words", "int"]),
        ({"cats": 1, "dogs": 3}, ["dict", "0 to 1"]),
        ({"cats": 0, "dogs": 0}, ["dict", "0 to 1"]),
        ({"cats": "x"}, ["dict", "column"]),
        (Corpus([[1, 2]]), ["Corpus", "no words"]),
        (PLSA(1).fit(np.ones((2, 7))), ["model", "no words"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_vocabulary_is_refused(plain, vocabulary, parts):
    with refused("vocabulary=", *parts):
        laconic.topics(plain, vocabulary=vocabulary)


def test_a_vectorizer_must_be_fitted(plain):
    with pytest.raises(NotFittedError):
        laconic.topics(plain, vocabulary=CountVectorizer())


def test_what_has_no_topics_is_refused(vectorizer):
    with refused("CountVectorizer", "no topics"):
        laconic.topics(vectorizer)
    with pytest.raises(NotFittedError):
        laconic.topics(NMF(2))


# ---- other users of the words ----


def test_models_of_pipelines_are_compared_by_word():
    pipe = make_pipeline(CountVectorizer(), PLSA(2)).fit(TEXTS)
    other = PLSA(2).fit(laconic.read(TEXTS, stop_words=["and"]))
    assert np.sort(likeness_between(pipe, other).max(axis=0)).min() > 0.9


def test_reports_show_the_words(plain, tmp_path):
    pipe = make_pipeline(CountVectorizer(), PLSA(2)).fit(TEXTS)
    corpus = laconic.read(TEXTS)
    for number, (model, documents, vocabulary) in enumerate(
        [(pipe, None, None), (plain, None, WORDS), (plain, corpus, None)]
    ):
        path = laconic.report(model, documents, tmp_path / f"{number}.html", vocabulary=vocabulary)
        assert "bark" in path.read_text()


def test_documents_of_a_pipeline_that_takes_texts(tmp_path):
    corpus = laconic.read(TEXTS)
    for last in (PLSA(2), NMF(2, max_iter=2000)):
        pipe = make_pipeline(CountVectorizer(), last).fit(TEXTS)
        nearest = laconic.similar(pipe, 3, corpus, n=3)["document"].to_list()
        assert {KINDS[row] for row in nearest} == {"dog"}
        assert laconic.similar(pipe, 3, TEXTS, n=3)["document"].to_list() == nearest
        assert laconic.search(pipe, corpus).query("barking", k=1)[0].row == 3
    counted = make_pipeline(CountVectorizer(), PLSA(2)).fit(TEXTS)
    page = laconic.report(counted, corpus, tmp_path / "report.html").read_text()
    assert "dogs bark and run" in re.sub("<[^>]*>", "", page)
    with refused("CountVectorizer", "texts", "keep_texts=True"):
        laconic.similar(pipe, 3, Corpus(corpus.counts, corpus.vocabulary))
    with refused("CountVectorizer", "only texts", "laconic.Vectorizer"):
        laconic.evaluate(pipe, TEXTS)
    with refused("NMF", "not a model of laconic", "laconic.topics"):
        laconic.report(pipe, corpus, tmp_path / "nmf.html")
