"""Tests of pipelines from texts to topics, and of the table of topics."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline

import laconic
from laconic import Corpus, SparseLSA, Vectorizer, Weighting
from laconic.models import MODELS
from tests.messages import refused

TEXTS = [
    "cats purr and meow",
    "cats meow, cats purr",
    "dogs bark and growl",
    "dogs growl; dogs bark",
    "purr meow cats",
    "bark growl dogs",
]
# classes of the texts, for the models that need them
KINDS = ["cat", "cat", "dog", "dog", "cat", "dog"]


@pytest.fixture(params=list(MODELS))
def name(request):
    return request.param


def test_steps(name):
    made = laconic.pipeline(name, n_components=2, engine="serial", n_jobs=1)
    assert isinstance(made, Pipeline)
    assert list(made.named_steps) == ["text", "weighting", "model"]
    assert isinstance(made["text"], Vectorizer)
    assert isinstance(made["weighting"], Weighting)
    assert isinstance(made["model"], MODELS[name])
    assert made["weighting"].scheme == MODELS[name].WEIGHTING
    assert made["weighting"].engine == made["model"].engine == "serial"
    assert made["weighting"].n_jobs == made["model"].n_jobs == made["text"].n_jobs == 1
    assert laconic.pipeline(name, weighting="counts")["weighting"].scheme == "counts"


def test_defaults_of_a_pipeline_can_be_overruled():
    assert laconic.pipeline("slsa")["model"].positive is True
    assert laconic.pipeline("slsa", positive=False)["model"].positive is False


def test_fitted_on_texts_it_takes_texts(name):
    made = laconic.pipeline(name, n_components=2).fit(TEXTS, KINDS)
    codes = made.transform(TEXTS)
    assert sp.issparse(codes)
    assert codes.shape == (6, 2)
    assert made["model"].feature_names_in_.tolist() == made["text"].vocabulary_.tolist()
    cats, dogs = codes.toarray()[[4, 5]]
    assert np.argmax(np.abs(cats)) != np.argmax(np.abs(dogs))
    np.testing.assert_array_equal(made.transform(TEXTS[4:5]).toarray()[0], cats)
    assert not made.transform(["emu"]).toarray().any()  # this text has only unknown words


def test_fitted_on_a_corpus_it_takes_texts_too(name):
    settings = {"stop_words": ["and"], "token_pattern": r"[a-z]+"}
    corpus = laconic.read(TEXTS, **settings)
    on_corpus = laconic.pipeline(name, n_components=2).fit(corpus, KINDS)
    assert on_corpus["text"].vocabulary_.tolist() == corpus.vocabulary.tolist()
    np.testing.assert_array_equal(
        on_corpus.transform(TEXTS).toarray(), on_corpus.transform(corpus).toarray()
    )


def test_corpus_read_apart_shuffled_and_extended_equals_its_texts(name):
    made = laconic.pipeline(name, n_components=2).fit(TEXTS, KINDS)
    new = ["emus purr and bark", "dogs meow at cats", "nothing known here at all", ""]
    apart = laconic.read(new)
    assert set(apart.vocabulary) - set(made["text"].vocabulary_)
    order = np.random.default_rng(1).permutation(apart.shape[1])
    shuffled = Corpus(apart.counts[:, order], apart.vocabulary[order], vectorizer=apart.vectorizer)
    expected = made.transform(new).toarray()
    assert expected.any()
    np.testing.assert_array_equal(made.transform(apart).toarray(), expected)
    np.testing.assert_array_equal(made.transform(shuffled).toarray(), expected)


def test_stored_corpus_equals_the_one_in_memory(name, planted, tmp_path):
    corpus = planted[0]
    stored = Corpus.open(corpus.save(tmp_path / "corpus"))
    here, there = (laconic.pipeline(name, n_components=3).fit(data) for data in (corpus, stored))
    topics, same = (sp.csr_matrix(made["model"].components_).toarray() for made in (here, there))
    assert np.array_equal(topics, same)
    assert np.array_equal(here.transform(stored).toarray(), there.transform(corpus).toarray())


def test_matrix_in_and_texts_refused(name, planted):
    X = planted[0].counts
    made = laconic.pipeline(name, n_components=3).fit(X, planted[0].labels)
    assert made.transform(X).shape == (300, 3)
    with refused("fit", "texts"):
        made.transform(["some text"])


def test_parameters_of_the_model_and_of_the_vectorizer():
    model = laconic.pipeline("slsa", 3, stop_words="german", phrases=True, n_jobs=1)
    assert model["model"].n_components == 3
    assert model["text"].get_params()["stop_words"] == "german"
    assert model["text"].phrases
    assert model["text"].n_jobs == model["model"].n_jobs == 1


def test_wrong_names_list_the_right_ones():
    with refused("'lda'", *MODELS):
        laconic.pipeline("lda")
    with refused("SparseLSA", "'lambda_'", "alpha", "words_per_topic"):
        laconic.pipeline("slsa", lambda_=0.1)
    with refused("n_topics", "did you mean 'n_components'?"):
        laconic.pipeline("slsa", n_topics=5)
    with refused("did you mean 'plsa'?"):
        laconic.pipeline("plas")
    with refused("'scheme'", "Weighting", "counts", "tfidf", "'bm25'"):
        laconic.pipeline("slsa", weighting="bm25").fit(TEXTS)


# ---- the table of topics ----


def table_of(components, shares, names=None):
    model = SparseLSA()
    model.components_ = sp.csr_matrix(np.array(components, dtype=float))
    model.topic_shares_ = np.array(shares)
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    return laconic.topics(model, n_words=2).frame


def test_strongest_words_first_with_their_signs():
    table = table_of([[1, -3, 0, 2], [0, 0, 0.5, 0]], [0.75, 0.25], ["ant", "bee", "cat", "dog"])
    known = ["topic", "name", "share", "documents", "n_words", "words", "weak", "hidden", "note"]
    assert table.columns == known
    assert table["words"].to_list() == [["-bee", "dog"], ["cat"]]
    assert table["n_words"].to_list() == [3, 1]
    assert table["share"].to_list() == [0.75, 0.25]
    assert isinstance(table, pl.DataFrame)


def test_columns_without_names_are_numbered():
    assert table_of([[1, -3, 0, 2]], [1.0])["words"].to_list() == [["-1", "3"]]


def test_topic_without_words():
    assert table_of([[0, 0]], [0.0], ["ant", "bee"])["words"].to_list() == [[]]


def test_topics_of_a_pipeline_come_by_falling_share(name):
    made = laconic.pipeline(name, n_components=2).fit(TEXTS, KINDS)
    table = laconic.topics(made, n_words=3).frame
    assert table.height == 2
    assert table["share"].is_sorted(descending=True)
    assert set(table["words"].explode()) <= set(made["text"].vocabulary_)
    assert max(table["words"].list.len()) <= 3


def test_topics_of_nothing_get_a_sentence():
    with pytest.raises(NotFittedError):
        laconic.topics(SparseLSA())
    with refused("n_words", "at least 1", "got 0"):
        laconic.topics(laconic.pipeline("slsa", n_components=2).fit(TEXTS, KINDS), n_words=0)


def test_frames_are_dense_without_being_told(name):
    made = laconic.pipeline(name, n_components=2).set_output(transform="polars")
    table = made.fit_transform(TEXTS, KINDS)
    assert isinstance(table, pl.DataFrame)
    codes = made.set_output(transform="default").transform(TEXTS)
    # The codes of the last pass and of `transform` differ by the tolerance of a code.
    np.testing.assert_allclose(table.to_numpy(), codes.toarray(), rtol=5e-3)


def test_texts_given_to_a_bare_model_get_a_sentence(name):
    for texts in (TEXTS, np.array(TEXTS), np.array(TEXTS, dtype=object)):
        with refused(MODELS[name].__name__, "counts", "texts", "laconic.pipeline"):
            MODELS[name](2).fit(texts)


def test_topics_of_a_stream_are_shown_by_falling_share():
    random = np.random.default_rng(0)
    model = SparseLSA(3, alpha=0.1)
    for _ in range(3):
        model.partial_fit(random.poisson([3.0, 1, 0.5, 0.2, 2], size=(30, 5)))
    table = laconic.topics(model).frame
    assert table["share"].is_sorted(descending=True)
    assert table["share"].to_list() == model.topic_shares_[table["topic"].to_list()].tolist()


def test_batches_update_the_model_in_place(planted):
    corpus, _ = planted
    model = laconic.pipeline("slsa", 4, engine="serial").partial_fit(corpus[:150])
    first = model[-1].components_
    weights = model["weighting"].scale_
    assert model.partial_fit(corpus[150:]) is model
    assert model[-1].n_iter_ == 2
    assert (model[-1].components_ != first).nnz > 0
    assert model["weighting"].scale_ is weights  # weights are those of the first batch
    expected = SparseLSA(4, engine="serial", **SparseLSA.PIPELINE_DEFAULTS)
    for part in (corpus[:150], corpus[150:]):
        expected.partial_fit(model["weighting"].transform(part))
    assert (expected.components_ != model[-1].components_).nnz == 0


def test_the_first_batch_determines_the_words():
    model = laconic.pipeline("plsa", 2, stop_words=None, min_df=1, max_df=1.0)
    model.partial_fit(TEXTS).partial_fit([*TEXTS, "cats sleep", "dogs sleep"])
    assert "sleep" not in model["text"].vocabulary_
    fixed = laconic.pipeline("plsa", 2, vocabulary=["cats", "dogs", "sleep"])
    fixed.partial_fit(TEXTS).partial_fit(["cats sleep", "dogs sleep", "dogs"])
    assert model.transform(["cats"]).shape == fixed.transform(["sleep"]).shape == (1, 2)
    assert fixed[-1].components_[:, 2].any()


def test_a_loaded_pipeline_learns_from_further_batches(planted, tmp_path):
    corpus, _ = planted
    model = laconic.pipeline("plsa", 3, engine="serial").partial_fit(corpus[:150])
    loaded = laconic.load(laconic.save(model, tmp_path / "m"))
    for one in (model, loaded):
        one.partial_fit(corpus[150:])
    np.testing.assert_array_equal(model[-1].components_, loaded[-1].components_)


def test_a_fit_after_batches_starts_anew(planted):
    corpus, _ = planted
    model = laconic.pipeline("slsa", 3, engine="serial").partial_fit(corpus[:100]).fit(corpus)
    expected = laconic.pipeline("slsa", 3, engine="serial").fit(corpus)
    assert (model[-1].components_ != expected[-1].components_).nnz == 0


def test_models_that_need_all_documents_refuse_batches():
    model = laconic.pipeline("medstc", 2)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as caught:
        model.partial_fit(TEXTS, KINDS)
    assert "MedSTC cannot learn from batches" in str(caught.value.__cause__)
