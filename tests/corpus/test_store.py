"""Tests of corpora on disk: exact round trips, and refusal of damaged stores."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp

import laconic
from laconic import Corpus, SparseLSA, Weighting
from laconic.errors import ModelFileError
from tests.corpus.examples import COUNTS, WORDS, assert_equal, full, make
from tests.messages import refused
from tests.saving.examples import without_manifest

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
    # slices are in memory and can be changed
    part = opened[:2]
    assert part.path is None
    assert not mapped(part.counts.data)


def test_metadata_is_read_when_asked_for(tmp_path):
    path = full().save(tmp_path / "corpus")
    opened = Corpus.open(path)
    (path / "documents.parquet").unlink()
    assert opened.counts.sum() == COUNTS.sum()
    # not golden, because polars writes a part of the message
    with refused("documents.parquet", "titles", kind=ModelFileError, golden=False):
        _ = opened.titles


def test_save_of_aligned_and_weighted_and_stored(tmp_path):
    stored = Corpus.open(full().save(tmp_path / "first"))
    aligned = stored.align(["emu", "cat"])
    assert_equal(Corpus.open(aligned.save(tmp_path / "aligned")), full().align(["emu", "cat"]))
    weighted = Weighting("tfidf").fit_transform(stored)
    # the counts are saved without weights
    assert_equal(Corpus.open(weighted.save(tmp_path / "weighted")), full())
    assert_equal(Corpus.open(stored.save(tmp_path / "first", force=True)), full())  # replace itself


def test_a_tokenizer_is_kept_by_name(tmp_path):
    corpus = make(vectorizer={"tokenizer": str.split, "lowercase": False})
    opened = Corpus.open(corpus.save(tmp_path / "corpus"))
    assert opened.vectorizer == {"tokenizer": "builtins:str.split", "lowercase": False}


def test_replaced_only_by_force(tmp_path):
    path = full().save(tmp_path / "corpus")
    with refused("corpus: already exists", "force=True", kind=ModelFileError):
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
    return without_manifest(full().save(tmp_path / "corpus"))


def rewrite(store, **changes):
    about = json.loads((store / "corpus.json").read_text())
    (store / "corpus.json").write_text(json.dumps({**about, **changes}))


def use(store):
    """Open a store and read everything in it."""
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
    with refused("corpus.json", "newer version of laconic", "format 99", kind=ModelFileError):
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
    store = without_manifest(Corpus(COUNTS / 2, WORDS).save(tmp_path / "corpus"))
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
    with refused("folder: contains no corpus.json", kind=ModelFileError):
        Corpus.open(tmp_path / "folder")


def test_counts_of_an_aligned_store_are_mapped_once(tmp_path):
    aligned = Corpus.open(full().save(tmp_path / "corpus")).align(["emu", "cat"])
    assert aligned.counts is aligned.counts
    again = aligned.align(["cat", "emu"])
    assert np.array_equal(again.counts.toarray(), aligned.counts.toarray()[:, ::-1])
    assert np.array_equal(aligned[1:].counts.toarray(), aligned.counts.toarray()[1:])
