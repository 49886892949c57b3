"""Tests of Corpus: contents, slices, alignment with a vocabulary, and changes."""

from __future__ import annotations

import logging
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline

from laconic import Corpus, Document, SparseLSA, Vocabulary, Weighting
from tests.corpus.examples import COUNTS, WORDS, assert_equal, full, make
from tests.messages import check, refused

# ---- contents ----


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (np.array([[1, 0]], dtype=np.uint8), np.int32),
        (np.array([[1, 0]], dtype=np.int64), np.int32),
        (np.array([[True, False]]), np.int32),
        (np.array([[1.0, 2.0]]), np.int32),
        (np.array([[1.5, 2.0]]), np.float32),
        (np.array([[2.0**40, 1.0]]), np.float32),
        (np.array([[2**31 - 1, 1]]), np.int32),
    ],
)
def test_type_of_counts(values, dtype):
    counts = Corpus(values).counts
    assert counts.dtype == dtype
    np.testing.assert_allclose(counts.toarray(), values.astype(float))


@pytest.mark.parametrize(
    "kind", [np.asarray, list, sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array]
)
def test_any_form_of_counts(kind):
    corpus = Corpus(kind(COUNTS), WORDS)
    assert isinstance(corpus.counts, sp.csr_matrix)
    assert np.array_equal(corpus.counts.toarray(), COUNTS)


def test_counts_become_canonical_and_the_given_ones_stay():
    rough = sp.csr_matrix((2, 3))
    rough.data = np.array([1.0, 2.0, 0.0, 3.0])
    rough.indices = np.array([2, 0, 1, 2], dtype=np.int32)
    rough.indptr = np.array([0, 3, 4], dtype=np.int32)
    before = rough.copy()
    counts = Corpus(rough).counts
    assert counts.has_canonical_format
    assert counts.nnz == 3
    assert counts.toarray().tolist() == [[2, 0, 1], [0, 0, 3]]
    assert np.array_equal(rough.indices, before.indices)
    assert np.array_equal(rough.data, before.data)


def test_shape_length_and_empty_documents():
    corpus = make()
    assert (corpus.shape, len(corpus), corpus.ndim, corpus.n_empty) == ((4, 3), 4, 2, 1)
    assert corpus.vocabulary.tolist() == WORDS
    assert corpus.ids is corpus.titles is corpus.labels is corpus.texts is None
    assert Corpus(COUNTS).vocabulary is None


def test_metadata():
    corpus = full()
    assert corpus.titles.tolist() == ["A", None, "C", "D"]
    assert corpus.titles.dtype == corpus.ids.dtype == corpus.texts.dtype == object
    assert corpus.labels.tolist() == [1, 0, 1, 0]
    assert corpus.labels.dtype.kind == "i"
    assert corpus.vectorizer == {"lowercase": True, "ngram_range": [1, 1]}


def test_repr():
    assert repr(make()) == "Corpus of 4 documents x 3 words (6 non-zero; 1 empty document)"
    assert repr(full()) == (
        "Corpus of 4 documents x 3 words (6 non-zero; 1 empty document; ids; titles; labels; texts)"
    )
    assert "2 empty documents" in repr(Corpus(np.zeros((2, 3))))


def test_is_not_an_array(monkeypatch):
    corpus = Corpus(sp.random(5000, 50, 0.1))
    looked_at = []
    take = Corpus.__getitem__
    monkeypatch.setattr(
        Corpus, "__getitem__", lambda self, row: looked_at.append(row) or take(self, row)
    )
    for convert in (np.asarray, np.array, lambda corpus: np.asarray(corpus, dtype=float)):
        with refused("not an array", "corpus.counts", kind=TypeError):
            convert(corpus)
    assert looked_at == []  # NumPy must not read the corpus document by document


def test_pickles():
    again = pickle.loads(pickle.dumps(full()))
    assert (again.counts != full().counts).nnz == 0
    assert again.titles.tolist() == full().titles.tolist()


@pytest.mark.parametrize(
    ("build", "parts"),
    [
        (lambda: Corpus([[1, np.nan]]), ["Document 0", "NaN or infinite"]),
        (lambda: Corpus([[1, 0], [0, np.inf]]), ["Document 1", "NaN or infinite"]),
        (lambda: Corpus(sp.csr_matrix([[0.0, 0.0], [1, -2]])), ["Document 1", "negative"]),
        (lambda: Corpus([[1, 2]], ["cat"]), ["vocabulary", "1 word,", "2 columns"]),
        (lambda: Corpus([[1, 2]], ["cat", "cat"]), ["'cat'", "twice"]),
        (lambda: make(ids=["a"]), ["1 id ", "4 documents"]),
        (lambda: make(labels=[1, 2, 3, 4, 5]), ["5 labels", "4 documents"]),
        (lambda: make(titles=[]), ["0 titles", "4 documents"]),
        (lambda: Corpus([1, 2, 3]), ["documents x words", "1 dimension."]),
        (lambda: Corpus([["a", "b"]]), ["Counts must be real numbers", "<U1"]),
        (lambda: Corpus(np.array([[1 + 2j]])), ["Counts must be real numbers", "complex128"]),
    ],
)
def test_wrong_input_gets_a_sentence(build, parts):
    with refused(*parts):
        build()


def test_vocabulary():
    words = Vocabulary(WORDS)
    assert len(words) == 3
    assert list(words) == WORDS
    assert words[1] == "dog"
    assert "emu" in words
    assert "fox" not in words
    assert words.columns(["fox", "emu", "cat"]).tolist() == [-1, 2, 0]
    with refused("'dog'", "twice"):
        Vocabulary(["cat", "dog", "dog"])


# ---- documents and slices ----


def test_one_integer_is_a_document():
    assert full()[0] == Document("a", "A", 1, "cat cat emu", {"cat": 2, "emu": 1})
    assert full()[-1].words == {"cat": 1, "dog": 1, "emu": 1}
    assert full()[np.int64(1)] == Document("b", None, 0, "", {})
    assert make()[2] == Document(2, None, None, None, {"dog": 3})
    assert make()[-2].id == 2
    assert Corpus(COUNTS)[0].words == {"0": 2, "2": 1}
    assert isinstance(make()[0].words["cat"], int)
    assert [document.id for document in full()] == ["a", "b", "c", "d"]


ROWS = {
    "slice": slice(1, 3),
    "step": slice(None, None, -2),
    "array": np.array([3, 0, 0]),
    "list": [2, 1],
    "negative": [-1, -4],
    "mask": np.array([True, False, False, True]),
    "list of bool": [False, True, True, False],
    "nothing": [],
    "empty slice": slice(4, 9),
    "unsigned": np.array([1, 2], dtype=np.uint8),
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS.keys())
@pytest.mark.parametrize("where", ["memory", "disk"])
def test_rows(rows, where, tmp_path):
    corpus = full() if where == "memory" else Corpus.open(full().save(tmp_path / "corpus"))
    part = corpus[rows]
    picked = np.arange(4)[
        np.asarray(rows, dtype=int) if isinstance(rows, list) and not rows else rows
    ]
    assert isinstance(part, Corpus)
    assert np.array_equal(part.counts.toarray(), COUNTS[picked])
    assert part.vocabulary.tolist() == WORDS
    assert part.vectorizer == corpus.vectorizer
    for name in ("ids", "titles", "labels", "texts"):
        values = getattr(full(), name)
        assert getattr(part, name).tolist() == values[picked].tolist()
    assert part.labels.dtype == full().labels.dtype


def test_parts_know_where_they_came_from():
    part = make()[[3, 1]]
    assert part.ids.tolist() == [3, 1]
    assert part[1:].ids.tolist() == [1]
    assert part[0].id == 3


@pytest.mark.parametrize(
    "key",
    [4, -5, [4], [0, -5], np.array([9]), [True, False], [0.5], "cat", (0, 1), [[0, 1]], None, True],
)
def test_out_of_range_or_strange_is_an_index_error(key):
    with pytest.raises(IndexError):
        make()[key]


# ---- row selection by scikit-learn ----


def test_train_test_split(planted):
    corpus, _ = planted
    train, test = train_test_split(corpus, test_size=0.25, random_state=0)
    assert (len(train), len(test)) == (225, 75)
    assert sorted([*train.ids, *test.ids]) == list(range(300))
    assert np.array_equal(test.labels, corpus.labels[test.ids.astype(int)])


def test_cross_validation_and_grid_search(planted):
    corpus, _ = planted
    model = make_pipeline(
        Weighting(engine="serial"), SparseLSA(5, engine="serial"), LogisticRegression()
    )
    scores = cross_val_score(model, corpus, corpus.labels, cv=KFold(3), error_score="raise")
    assert scores.min() > 0.9
    search = GridSearchCV(model, {"weighting__scheme": ["tfidf", "counts"]}, cv=2)
    search.fit(corpus, corpus.labels)
    assert search.best_score_ > 0.9
    guess = cross_val_score(DummyClassifier(), corpus, corpus.labels, cv=3).mean()
    assert guess < 0.5


# ---- another vocabulary ----


@pytest.mark.parametrize("where", ["memory", "disk"])
def test_align(where, tmp_path, caplog):
    corpus = full() if where == "memory" else Corpus.open(full().save(tmp_path / "corpus"))
    with caplog.at_level(logging.INFO, logger="laconic"):
        aligned = corpus.align(["fox", "emu", "cat"])
    assert aligned.counts.toarray().tolist() == [[0, 1, 2], [0, 0, 0], [0, 0, 0], [0, 1, 1]]
    (said,) = caplog.messages
    check(said, "1 of 3 words", "unknown")
    assert aligned.shape == (4, 3)
    assert aligned.vocabulary.tolist() == ["fox", "emu", "cat"]
    assert aligned.titles.tolist() == full().titles.tolist()
    assert aligned[0].words == {"emu": 1, "cat": 2}
    assert aligned[[3]].counts.toarray().tolist() == [[0, 1, 1]]
    assert corpus.counts.toarray().tolist() == COUNTS.tolist()
    again = aligned.align(["cat", "gnu"])
    assert again.counts.toarray().tolist() == [[2, 0], [0, 0], [0, 0], [1, 0]]
    chunks = sp.vstack([chunk.load() for chunk in again.chunks()])
    assert chunks.toarray().tolist() == again.counts.toarray().tolist()
    assert (again.path is None) == (where == "memory")


@given(seed=st.integers(0, 10**6))
def test_align_by_word_is_by_word(seed):
    random = np.random.default_rng(seed)
    pool = np.array(list("abcdefghij"), dtype=object)
    mine, theirs = (random.permutation(pool)[: random.integers(1, 10)] for _ in range(2))
    X = random.integers(0, 3, (5, len(mine)))
    corpus = Corpus(X, mine)
    if not set(mine) & set(theirs):
        with refused("no words in common", golden=False):
            corpus.align(theirs)
        return
    by_word = dict(zip(mine, X.T, strict=True))
    expected = np.array([by_word.get(word, np.zeros(5, int)) for word in theirs]).T
    aligned = corpus.align(theirs)
    assert np.array_equal(aligned.counts.toarray(), expected)
    assert aligned.counts.has_canonical_format


def test_align_to_the_same_words_is_no_work():
    corpus = make()
    assert corpus.align(WORDS) is corpus
    assert corpus.align(Vocabulary(WORDS)) is corpus


def test_align_refuses():
    with refused("3 words", "1 word)", "no words in common"):
        make().align(["fox"])
    with refused("no vocabulary"):
        Corpus(COUNTS).align(WORDS)
    with refused("weighted", "align it before"):
        Weighting("tfidf").fit_transform(make()).align(["cat"])


# ---- replace ----


@pytest.mark.parametrize("where", ["memory", "disk"])
def test_replace_shares_the_counts_and_changes_only_what_is_named(where, tmp_path):
    corpus = full() if where == "memory" else Corpus.open(full().save(tmp_path / "corpus"))
    other = corpus.replace(ids=["a", "b", "c", "d"], titles=None, vectorizer=None)
    assert other.counts is corpus.counts
    assert other.words is corpus.words
    assert other.path == corpus.path
    assert other.ids.tolist() == ["a", "b", "c", "d"]
    assert other.titles is None
    assert other.vectorizer is None
    assert "titles" not in repr(other)
    assert other.texts.tolist() == full().texts.tolist()
    assert_equal(corpus, full())  # the original is unchanged
    assert_equal(Corpus.open(other.save(tmp_path / "other")), other)


def test_replace_gives_columns_other_words():
    corpus = make().replace(vocabulary=["x", "y", "z"])
    assert corpus.vocabulary.tolist() == ["x", "y", "z"]
    assert corpus.words.columns(["y"]).tolist() == [1]
    assert corpus.replace(vocabulary=None).vocabulary is None


def test_replace_refuses_as_the_constructor_does():
    with refused("3 ids for 4 documents", golden=False):
        make().replace(ids=["a", "b", "c"])
    with refused("2 words", "3 columns", golden=False):
        make().replace(vocabulary=["x", "y"])
    with refused("twice", golden=False):
        make().replace(vocabulary=["x", "x", "y"])
    with refused("no 'prices'", kind=TypeError, golden=False):
        make().replace(prices=[1, 2, 3, 4])
