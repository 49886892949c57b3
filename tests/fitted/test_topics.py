"""Tests of `laconic.topics`: how topics print, and how they are chosen."""

from __future__ import annotations

import copy
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import laconic
from laconic import LaconicError, SparseLSA
from laconic.fitted.notes import TopicNote, keep_notes
from tests.messages import refused

WORDS = ["<ant>", "bee", "cat", "dog"]


@pytest.fixture
def model():
    model = SparseLSA()
    model.components_ = sp.csr_matrix([[1.0, -3, 0, 2], [0, 0, 0.5, 0], [0, 2, 0, 1.5]])
    model.topic_shares_ = np.array([0.3, 0.1, 0.6])
    model.topic_support_ = np.array([400.0, 1.25, 1200.0])
    model.n_documents_ = 2000
    model.feature_names_in_ = np.array(WORDS, dtype=object)
    return model


@pytest.fixture
def named(model):
    notes = {2: TopicNote("Bees and dogs"), 0: TopicNote("No bees", note="seen")}
    keep_notes(model, {**notes, 1: TopicNote(hidden=True)})
    return model


# ---- printing ----


def test_a_table_with_whole_words(model):
    assert str(laconic.topics(model)).splitlines() == [
        "topic  share  documents  words",
        "   2   60.0%      1,200  bee, dog",
        "   0   30.0%        400  -bee, dog, <ant>",
        "   1*  10.0%        1.2  cat",
        "* shared by few documents, so often the signature of one author",
    ]
    assert repr(laconic.topics(model)) == str(laconic.topics(model))


def test_all_topics_are_printed_in_the_width_of_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    model = SparseLSA()
    model.components_ = np.random.default_rng(0).random((120, 30))
    model.topic_shares_ = np.full(120, 1 / 120)
    model.feature_names_in_ = np.array([f"word{i}" for i in range(30)], dtype=object)
    topics = laconic.topics(model, 15)
    text = str(topics)
    assert max(map(len, text.splitlines())) <= 50
    shown = [word.strip(",") for word in text.split() if word.startswith("word")]
    assert shown[1:] == [word for topic in topics for word in topic.words]


def test_names_and_hidden_topics_are_printed(named):
    lines = str(laconic.topics(named)).splitlines()
    assert lines[0].split() == ["topic", "name", "share", "documents", "words"]
    assert "Bees and dogs" in lines[1]
    assert "(hidden)" in lines[3]


def test_without_words_the_table_says_how_to_get_them(model):
    del model.feature_names_in_
    assert str(laconic.topics(model, 2)).splitlines()[1].endswith("1, 3")
    assert str(laconic.topics(model, 2)).splitlines()[-1] == (
        "The words are column numbers, because the model does not know its words; pass them as "
        "vocabulary=."
    )
    assert "vocabulary=" not in str(laconic.topics(model, vocabulary=WORDS))


def test_a_table_in_a_notebook(named):
    page = laconic.topics(named)._repr_html_()
    assert page.count("<tr>") == 4
    assert "-bee, dog, &lt;ant&gt;" in page
    assert "Bees and dogs" in page
    assert "shared by few documents" in page


def test_no_topics_to_print(model):
    assert str(laconic.topics(model).head(0)) == "no topics"


def test_one_topic_prints_its_weights(named):
    topic = laconic.topics(named)[0]
    assert repr(topic) == "Topic 0 'No bees' (share 30.0%, 400 documents): -bee, dog, <ant>"
    assert str(topic).splitlines() == [
        "Topic 0 'No bees' (share 30.0%, 400 documents)",
        "word   weight",
        "bee        -3",
        "dog         2",
        "<ant>       1",
    ]


# ---- choosing ----


def test_topics_are_chosen_by_number_or_name(named):
    topics = laconic.topics(named)
    assert [topic.number for topic in topics] == [2, 0, 1]
    assert len(topics) == 3
    for number in (0, 1, 2, np.int64(2)):
        assert topics[number].number == number
    topic = topics["No bees"]
    assert (topic.number, topic.name, topic.share, topic.documents) == (0, "No bees", 0.3, 400)
    assert topic.weights == [("bee", -3), ("dog", 2), ("<ant>", 1)]
    assert topic.words == ["-bee", "dog", "<ant>"]
    assert (topic.n_words, topic.weak, topic.hidden, topic.note) == (3, False, False, "seen")
    assert [topic.number for topic in topics.head(2)] == [2, 0]


def test_unknown_topics(named, model):
    topics = laconic.topics(named)
    with refused("no topic 7", "0 to 2", kind=IndexError):
        topics[7]
    with refused("no topic -1", kind=LaconicError):
        topics[-1]
    with refused("'no bee'", "'No bees'", kind=KeyError):
        topics["no bee"]
    with refused("'zebra'", "'Bees and dogs', 'No bees'", kind=LaconicError):
        topics["zebra"]
    with refused("'words'", ".frame['words']", kind=KeyError):
        topics["words"]
    with refused("head(n)", ".frame"):
        topics[:2]
    with refused("number", "name", "float"):
        topics[1.0]
    with refused("0 of 3", "laconic.topics(model)"):
        topics.head(0)[1]
    keep_notes(named, {0: TopicNote("twins"), 1: TopicNote("twins")})
    with refused("2 topics", "'twins'", "0, 1"):
        laconic.topics(named)["twins"]
    keep_notes(model, {})
    with refused("'zebra'", "no names", "number"):
        laconic.topics(model)["zebra"]


def test_methods_of_the_table_are_in_frame(model):
    with pytest.raises(AttributeError, match=r"use \.frame\.filter"):
        _ = laconic.topics(model).filter
    with pytest.raises(AttributeError, match=r"'wrods'$"):
        _ = laconic.topics(model).wrods


# ---- tables ----


def test_frame(named):
    frame = laconic.topics(named, 2).frame
    assert frame.to_dicts()[1] == {
        "topic": 0,
        "name": "No bees",
        "share": 0.3,
        "documents": 400.0,
        "n_words": 3,
        "words": ["-bee", "dog"],
        "weak": False,
        "hidden": False,
        "note": "seen",
    }


def test_columns_are_the_same_if_nothing_is_known(model):
    known = laconic.topics(model).frame
    del model.topic_support_, model.topic_shares_, model.feature_names_in_
    unknown = laconic.topics(model).frame
    assert unknown.schema == known.schema
    for column in ("name", "share", "documents", "weak"):
        assert unknown[column].is_null().all()
    assert laconic.topics(model).head(0).frame.schema == known.schema


def test_to_pandas(named):
    topics = laconic.topics(named)
    frame = topics.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == topics.frame.columns
    assert frame["words"][0] == ["bee", "dog"]
    assert isinstance(topics.frame, pl.DataFrame)


def test_to_pandas_without_pandas(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with refused("pandas", "pip install pandas", ".frame"):
        laconic.topics(model).to_pandas()


def test_topics_can_be_copied_and_pickled(model):
    topics = laconic.topics(model)
    for copied in (copy.deepcopy(topics), pickle.loads(pickle.dumps(topics))):
        assert str(copied) == str(topics)
