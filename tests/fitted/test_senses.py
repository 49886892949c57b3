"""Tests of the senses of a word: its topics, their weights, and example documents."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import laconic
from laconic import PLSA, STC, Corpus
from tests.messages import refused

TEXTS = [
    "the bank lends money and takes interest",
    "money in the bank earns interest",
    "the river bank is green and wet",
    "fish swim near the river bank",
    "loan money interest loan",
    "river fish water green",
] * 4


@pytest.fixture(scope="module")
def corpus():
    read = laconic.read(TEXTS, stop_words=["the", "and", "in", "is", "near"])
    names = [f"text {i}" for i in range(len(TEXTS))]
    return Corpus(read.counts, read.vocabulary, ids=names, vectorizer=read.vectorizer)


@pytest.fixture(scope="module")
def model(corpus):
    return STC(2, engine="serial", max_iter=100).fit(corpus)


def test_weights_sum_to_one_and_fall(model, corpus):
    for word in corpus.vocabulary:
        table = model.senses(word)
        assert isinstance(table, pl.DataFrame)
        assert table.columns[:3] == ["topic", "weight", "words"]
        assert table["weight"].sum() == pytest.approx(1)
        assert table["weight"].is_sorted(descending=True)
        assert table["topic"].is_unique().all()
        assert (table["weight"] > 0).all()
        assert set(table["words"].explode()) <= set(corpus.vocabulary)


def test_a_word_of_two_topics_and_words_of_one(model):
    assert model.senses("bank").height == 2
    money, fish = model.senses("money"), model.senses("fish")
    assert money["weight"][0] > 0.9
    assert fish["weight"][0] > 0.9
    assert money["topic"][0] != fish["topic"][0]


def test_examples_are_documents_that_hold_the_word_in_that_sense(model, corpus):
    table = model.senses("bank", corpus, n_examples=2)
    for row in table.iter_rows(named=True):
        assert 1 <= len(row["examples"]) <= 2
        for example in row["examples"]:
            text = TEXTS[int(example.removeprefix("text "))]
            assert "bank" in text
            other = {"money", "river"} & set(text.split())
            assert not other or other <= set(row["words"])
    assert model.senses("bank", corpus, n_examples=0)["examples"].list.len().sum() == 0


def test_examples_come_from_the_corpus_that_is_given(model, corpus):
    other = Corpus(
        np.array([[1, 2, 0], [0, 1, 1]]), ["bank", "river", "emu"], titles=["Rivers", "Birds"]
    )
    found = model.senses("bank", other)["examples"].explode().drop_nulls().to_list()
    assert set(found) == {"Rivers"}
    without = Corpus(np.array([[2, 1]]), ["river", "fish"])
    assert model.senses("bank", without)["examples"].list.len().sum() == 0


def test_a_pipeline_takes_the_corpus_as_it_was_read(corpus):
    made = laconic.pipeline("stc", n_components=2, engine="serial", max_iter=100).fit(corpus)
    from laconic.fitted.senses import senses

    table = senses(made, "bank", corpus)
    assert table["weight"].sum() == pytest.approx(1)
    assert table["examples"].list.len().min() >= 1


def test_columns_stand_for_words_where_there_are_none(corpus):
    model = STC(2, engine="serial", max_iter=100).fit(corpus.counts)
    column = list(corpus.vocabulary).index("bank")
    table = model.senses(column)
    assert table.equals(model.senses(str(column)))
    assert table.height == 2
    for wrong in (-1, len(corpus.vocabulary), "bank", "²"):
        with refused("column", f"0 to {len(corpus.vocabulary) - 1}", repr(wrong)):
            model.senses(wrong)


def test_a_word_that_does_not_occur_has_no_senses(corpus):
    wider = corpus.align([*corpus.vocabulary, "zebra"])
    model = STC(2, engine="serial", max_iter=100).fit(wider)
    table = model.senses("zebra", wider)
    assert table.height == 0
    assert "examples" in table.columns


def test_unknown_words_get_near_ones(model):
    with refused("'banks'", "bank,"):
        model.senses("banks")
    with refused("'Money'", "money"):
        model.senses("Money")
    with refused("'xyzzyx'") as caught:
        model.senses("xyzzyx")
    assert not any(word in str(caught.value) for word in ("bank", "money", "fish"))


def test_topics_as_distributions_are_probabilities_given_the_word(corpus):
    model = PLSA(2, engine="serial").fit(corpus)
    column = list(corpus.vocabulary).index("bank")
    joint = np.asarray(model.components_)[:, column] * model.topic_shares_
    table = laconic.senses(model, "bank")
    assert table["weight"].to_list() == pytest.approx(sorted(joint / joint.sum(), reverse=True))


@pytest.mark.parametrize("name", ["sc", "slsa", "plsa", "sctm", "stc", "medstc", "pcp"])
def test_every_model_has_senses_and_examples(corpus, name):
    labels = np.array(["money" if "money" in text else "river" for text in TEXTS])
    labelled = Corpus(
        corpus.counts,
        corpus.vocabulary,
        labels=labels,
        ids=corpus.ids,
        vectorizer=corpus.vectorizer,
    )
    model = laconic.pipeline(name, n_components=2).fit(labelled)
    table = laconic.senses(model, "bank", labelled, n_examples=2)
    assert table["weight"].abs().sum() == pytest.approx(1)
    assert table["weight"].abs().is_sorted(descending=True)
    examples = table["examples"].explode().drop_nulls().to_list()
    assert examples
    assert all("bank" in TEXTS[int(name.removeprefix("text "))] for name in examples)


def test_other_corpora_get_a_sentence(model, corpus):
    with refused("Corpus", "csr_matrix", "laconic.read"):
        model.senses("bank", corpus.counts)
