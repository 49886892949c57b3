"""A Corpus: what it keeps, how it is cut and matched, and how it lives on disk."""

from __future__ import annotations

import json
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

import laconic
from laconic import Corpus, Document, SparseLSA, Vocabulary, Weighting
from laconic.errors import ModelFileError
from tests.messages import check, refused

COUNTS = np.array([[2, 0, 1], [0, 0, 0], [0, 3, 0], [1, 1, 1]])
WORDS = ["cat", "dog", "emu"]


def make(**extra):
    return Corpus(COUNTS, WORDS, **extra)


def full():
    return make(
        ids=["a", "b", "c", "d"],
        titles=["A", None, "C", "D"],
        labels=[1, 0, 1, 0],
        texts=["cat cat emu", "", "dog dog dog", "cat dog emu"],
        vectorizer={"lowercase": True, "ngram_range": [1, 1]},
    )


# ---- what it holds ----


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
    assert looked_at == []  # NumPy would take it document by document


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
        (lambda: Corpus([[1, 2]], ["cat"]), ["vocabulary", "1 words", "2 columns"]),
        (lambda: Corpus([[1, 2]], ["cat", "cat"]), ["'cat'", "twice"]),
        (lambda: make(ids=["a"]), ["1 ids", "4 documents"]),
        (lambda: make(labels=[1, 2, 3, 4, 5]), ["5 labels", "4 documents"]),
        (lambda: make(titles=[]), ["0 titles", "4 documents"]),
        (lambda: Corpus([1, 2, 3]), ["documents x words", "got 1 dimensions"]),
        (lambda: Corpus([["a", "b"]]), ["Counts are numbers"]),
        (lambda: Corpus(np.array([[1 + 2j]])), ["Counts are numbers"]),
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


# ---- documents and parts ----


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


# ---- scikit-learn's way with rows ----


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
        with refused("None of the", golden=False):
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
    with refused("None of the 3 words", "1 words"):
        make().align(["fox"])
    with refused("no vocabulary"):
        Corpus(COUNTS).align(WORDS)
    with refused("before it is weighted"):
        Weighting("tfidf").fit_transform(make()).align(["cat"])


# ---- on disk ----


def assert_equal(one, other):
    assert one.shape == other.shape
    assert one.counts.dtype == other.counts.dtype
    assert np.array_equal(one.counts.toarray(), other.counts.toarray())
    assert (one.vocabulary is None) == (other.vocabulary is None)
    if one.vocabulary is not None:
        assert one.vocabulary.tolist() == other.vocabulary.tolist()
    for name in ("ids", "titles", "labels", "texts"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert (mine is None) == (theirs is None)
        if mine is not None:
            assert mine.tolist() == theirs.tolist()
            assert mine.dtype.kind == theirs.dtype.kind
    assert one.vectorizer == other.vectorizer


CORPORA = {
    "full": full(),
    "bare": Corpus(COUNTS),
    "floats": Corpus(COUNTS / 2, WORDS),
    "int labels": make(labels=np.array([3, 1, 2, 1])),
    "str labels": make(labels=["x", "y", "x", "ż"]),
    "bool labels": make(labels=[True, False, True, True]),
    "float labels": make(labels=[0.5, 1.5, 2.5, 3.5]),
    "some labels": make(labels=[1, None, 2, None]),
    "some str labels": make(labels=["x", None, "x", "y"]),
    "no titles": make(titles=[None] * 4),
    "number ids": make(ids=[10, 20, 30, 40]),
    "part": make()[[3, 1]],
    "no documents": Corpus(sp.csr_matrix((0, 3)), WORDS),
    "no words": Corpus(sp.csr_matrix((3, 0)), []),
    "only empty": Corpus(sp.csr_matrix((3, 2)), ["a", "b"]),
    "strange words": Corpus([[1, 2, 3, 4]], ["a\nb", "c\\d", "中文", "😀 "]),
    "strange texts": make(texts=["a\r\nb", "\x00", "中文", "\t"]),
}


@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA.keys())
def test_round_trip(corpus, tmp_path):
    path = corpus.save(tmp_path / "corpus")
    for opened in (Corpus.open(path), Corpus.open(str(path)), laconic.read(path)):
        assert_equal(corpus, opened)
        assert opened.path == path
        assert "on disk" in repr(opened)


def test_ids_of_several_types_are_refused_and_nothing_is_written(tmp_path):
    with refused("ids", "several types"):
        make(ids=[10, "b", "c", 4]).save(tmp_path / "corpus")
    assert list(tmp_path.iterdir()) == []


def test_counts_are_memory_mapped(tmp_path):
    opened = Corpus.open(full().save(tmp_path / "corpus"))

    def mapped(array):
        while array is not None and not isinstance(array, np.memmap):
            array = array.base
        return array is not None

    assert mapped(opened.counts.data)
    assert mapped(opened.counts.indices)
    with refused("read-only", kind=ValueError, golden=False):
        opened.counts.data[0] = 9
    # parts live in memory, and can be changed
    part = opened[:2]
    assert part.path is None
    assert not mapped(part.counts.data)


def test_metadata_is_read_when_asked_for(tmp_path):
    path = full().save(tmp_path / "corpus")
    opened = Corpus.open(path)
    (path / "documents.parquet").unlink()
    assert opened.counts.sum() == COUNTS.sum()
    with refused("documents.parquet", "titles", kind=ModelFileError, golden=False):  # by polars
        _ = opened.titles


def test_save_of_aligned_and_weighted_and_stored(tmp_path):
    stored = Corpus.open(full().save(tmp_path / "first"))
    aligned = stored.align(["emu", "cat"])
    assert_equal(Corpus.open(aligned.save(tmp_path / "aligned")), full().align(["emu", "cat"]))
    weighted = Weighting("tfidf").fit_transform(stored)
    assert_equal(Corpus.open(weighted.save(tmp_path / "weighted")), full())  # counts are kept
    assert_equal(Corpus.open(stored.save(tmp_path / "first", force=True)), full())  # over itself


def test_a_tokenizer_is_kept_by_name(tmp_path):
    corpus = make(vectorizer={"tokenizer": str.split, "lowercase": False})
    opened = Corpus.open(corpus.save(tmp_path / "corpus"))
    assert opened.vectorizer == {"tokenizer": "builtins:str.split", "lowercase": False}


def test_replaced_only_by_force(tmp_path):
    path = full().save(tmp_path / "corpus")
    with refused("corpus: exists", "force=True", kind=ModelFileError):
        make().save(path)
    assert_equal(Corpus.open(path), full())
    make().save(path, force=True)
    assert_equal(Corpus.open(path), make())
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("years of work")
    with refused("other", "thesis.tex", kind=ModelFileError):
        make().save(tmp_path / "other", force=True)
    assert (tmp_path / "other" / "thesis.tex").exists()
    with refused("nowhere", "does not exist", kind=ModelFileError):
        make().save(tmp_path / "nowhere" / "corpus")


# ---- damaged and hostile stores ----


@pytest.fixture
def store(tmp_path):
    return full().save(tmp_path / "corpus")


def rewrite(store, **changes):
    about = json.loads((store / "corpus.json").read_text())
    (store / "corpus.json").write_text(json.dumps({**about, **changes}))


def use(store):
    """Open a store and look at everything in it."""
    corpus = Corpus.open(store)
    _ = [corpus.ids, corpus.titles, corpus.labels, corpus.texts]
    for chunk in corpus.chunks():
        chunk.load()
    return corpus


@pytest.mark.parametrize(
    "name",
    [
        "counts.data.npy",
        "counts.indices.npy",
        "counts.indptr.npy",
        "vocabulary.txt",
        "documents.parquet",
        "corpus.json",
    ],
)
@pytest.mark.parametrize("damage", ["missing", "truncated", "empty", "noise", "link"])
def test_damaged_files_are_refused(store, name, damage, tmp_path):
    path = store / name
    whole = path.read_bytes()
    if damage == "missing":
        path.unlink()
    elif damage == "truncated":
        path.write_bytes(whole[: len(whole) * 2 // 3])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "noise":
        path.write_bytes(bytes(np.random.default_rng(0).integers(0, 256, 200, dtype=np.uint8)))
    else:
        (tmp_path / "elsewhere").write_bytes(whole)
        path.unlink()
        path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ModelFileError) as caught:
        use(store)
    assert str(store) in str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": [4]},
        {"shape": [5, 3]},
        {"shape": [4, 2]},
        {"shape": [4, 4]},
        {"shape": [-4, 3]},
        {"shape": [4, -3]},
        {"shape": "four"},
        {"shape": None},
        {"nonzeros": 7},
        {"nonzeros": -1},
        {"dtype": "float64"},
        {"dtype": "object"},
        {"dtype": "U5"},
        {"dtype": 7},
        {"documents": 7},
        {"documents": ["prices"]},
        {"vectorizer": 7},
        {"format": 99},
        {"format": "one"},
        {"format": None},
    ],
    ids=lambda changes: " ".join(f"{k}={v}" for k, v in changes.items()),
)
def test_lies_are_refused(store, changes):
    rewrite(store, **changes)
    with pytest.raises(ModelFileError):
        use(store)


def test_a_width_that_lies_without_a_vocabulary(tmp_path):
    store = Corpus(COUNTS).save(tmp_path / "corpus")
    for width in (2, -3):
        rewrite(store, shape=[4, width])
        with pytest.raises(ModelFileError):
            use(store)


def test_newer_format_says_so(store):
    rewrite(store, format=99)
    with refused("corpus.json", "newer laconic", "format 99", kind=ModelFileError):
        Corpus.open(store)


@pytest.mark.parametrize("index", [3, 500, -1, 2**31 - 1])
@pytest.mark.parametrize(
    "look",
    [
        lambda corpus: corpus.chunks()[0].load(),
        lambda corpus: corpus[:4],
        lambda corpus: corpus[[0, 3]],
        lambda corpus: corpus[3],
        lambda corpus: corpus.align(["emu", "cat"]).counts,
        lambda corpus: corpus.counts,
        lambda corpus: SparseLSA(1).fit(corpus),
        lambda corpus: SparseLSA(1).fit(corpus[:4]),
    ],
    ids=["load", "slice", "rows", "document", "align", "counts", "fit", "fit part"],
)
def test_words_that_do_not_exist_reach_no_kernel(store, look, index):
    indices = np.load(store / "counts.indices.npy")
    indices[-1] = index
    np.save(store / "counts.indices.npy", indices)
    with refused("words that do not exist", kind=ModelFileError):
        look(Corpus.open(store))


@pytest.mark.parametrize(
    "indptr", [[0, 2, 2, 3, 9], [0, 5, 2, 3, 6], [1, 2, 2, 3, 6], [0, 2, 2, 3, 5], [0, -1, 2, 3, 6]]
)
def test_row_pointer_that_lies_is_refused(store, indptr):
    np.save(store / "counts.indptr.npy", np.array(indptr, dtype=np.int64))
    with refused("corpus", "row pointer", kind=ModelFileError):
        Corpus.open(store)


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_counts_that_cannot_be_are_refused(tmp_path, value):
    store = Corpus(COUNTS / 2, WORDS).save(tmp_path / "corpus")
    data = np.load(store / "counts.data.npy")
    data[2] = value
    np.save(store / "counts.data.npy", data)
    with pytest.raises(ModelFileError):
        use(store)


def test_pickles_are_never_read(store):
    np.save(store / "counts.data.npy", np.array([object()] * 6, dtype=object), allow_pickle=True)
    with refused(
        "counts.data.npy", "damaged", "not a plain array", kind=ModelFileError, golden=False
    ):
        Corpus.open(store)


def test_what_is_no_store(tmp_path):
    with refused("nothing", "no such folder", kind=ModelFileError):
        Corpus.open(tmp_path / "nothing")
    (tmp_path / "file").write_text("text")
    with refused("file: is a file", kind=ModelFileError):
        Corpus.open(tmp_path / "file")
    (tmp_path / "folder").mkdir()
    with refused("folder: has no corpus.json", kind=ModelFileError):
        Corpus.open(tmp_path / "folder")


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
    assert_equal(corpus, full())  # stays as it was
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


def test_counts_of_an_aligned_store_are_mapped_once(tmp_path):
    aligned = Corpus.open(full().save(tmp_path / "corpus")).align(["emu", "cat"])
    assert aligned.counts is aligned.counts
    again = aligned.align(["cat", "emu"])
    assert np.array_equal(again.counts.toarray(), aligned.counts.toarray()[:, ::-1])
    assert np.array_equal(aligned[1:].counts.toarray(), aligned.counts.toarray()[1:])
