"""Tests of corpora on disk: exact round trips, and refusal of damaged stores."""

from __future__ import annotations

import json
import os
import tracemalloc

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

import laconic
from laconic import Corpus, SparseLSA, Weighting
from laconic.corpus.matrices import csr
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


# ---- parts of stores ----

N = 40


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A store with several groups of rows, and the same corpus in memory."""
    monkeypatch.setattr("laconic.corpus.stored_columns.ROW_GROUP", 8)
    monkeypatch.setattr("laconic.corpus.store.MAX_GAP", 3)
    monkeypatch.setattr("laconic.corpus.store.BLOCK", 16)
    counts = sp.random(N, 6, 0.4, "csr", random_state=0, data_rvs=lambda n: np.arange(1, n + 1))
    corpus = Corpus(
        counts,
        list("abcdef"),
        titles=[f"title {row}" for row in range(N)],
        labels=[f"class {row % 3}" for row in range(N)],
        texts=[f"text {row} " + "z" * row for row in range(N)],
    )
    return corpus, Corpus.open(corpus.save(tmp_path / "large"))


KEYS = {
    "first": slice(0, 1),
    "few": slice(5, 9),
    "over a border": slice(6, 18),
    "steps": slice(1, None, 7),
    "backwards": slice(None, None, -1),
    "nothing": slice(3, 3),
    "all": slice(None),
    "sorted": [0, 1, 9, 10, 39],
    "not sorted": [30, 2, 2, 17, -1, 0],
    "no rows": [],
    "mask": np.arange(N) % 5 == 0,
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS.keys())
def test_slices_of_a_store_are_slices_in_memory(large, key):
    in_memory, on_disk = large
    assert_equal(in_memory[key], on_disk[key])
    assert_equal(in_memory.align(list("fax"))[key], on_disk.align(list("fax"))[key])
    assert_equal(in_memory.replace(titles=None)[key], on_disk.replace(titles=None)[key])


def test_documents_of_a_store_are_documents_in_memory(large):
    in_memory, on_disk = large
    assert on_disk[17] == in_memory[17]
    assert on_disk[-1] == in_memory[-1]
    assert list(on_disk) == list(in_memory)
    assert [len(part) for part in on_disk.parts(16)] == [16, 16, 8]


def test_rows_outside_a_slice_are_not_read(large):
    in_memory, on_disk = large
    indices = np.load(on_disk.path / "counts.indices.npy")
    indices[: in_memory.counts.indptr[20]] = -1  # an error if these entries are read
    np.save(on_disk.path / "counts.indices.npy", indices)
    on_disk = Corpus.open(without_manifest(on_disk.path))
    assert_equal(in_memory[20:], on_disk[20:])
    assert_equal(in_memory[[39, 21, 25]], on_disk[[39, 21, 25]])
    assert on_disk[20] == in_memory[20]


def test_the_texts_of_other_rows_are_not_in_memory(tmp_path):
    texts = [f"{row} ".ljust(2000, "x") for row in range(10_000)]
    path = make_rows(10_000).replace(texts=texts).save(tmp_path / "corpus")
    on_disk = Corpus.open(path)
    tracemalloc.start()
    assert on_disk[7777].text == texts[7777]
    assert on_disk[5000:5010].texts.tolist() == texts[5000:5010]
    assert on_disk[[9999, 3, 3]].texts.tolist() == [texts[9999], texts[3], texts[3]]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500_000  # of 20 million characters
    assert len(pl.scan_parquet(path / "documents.parquet").collect()) == 10_000


def make_rows(n_rows):
    return Corpus(sp.csr_matrix(np.ones((n_rows, 1), int)), ["a"])


# ---- more than 2^31 entries ----


def test_column_numbers_are_saved_as_int32(tmp_path):
    corpus = full()
    counts = corpus.counts
    corpus._counts = csr(
        counts.data, counts.indices.astype(np.int64), counts.indptr.astype(np.int64), counts.shape
    )
    path = corpus.save(tmp_path / "corpus")
    assert np.load(path / "counts.indices.npy").dtype == np.int32
    assert np.load(path / "counts.indptr.npy").dtype == np.int64
    assert_equal(full(), Corpus.open(path))


def test_a_store_with_more_than_2_to_the_31_entries(tmp_path):
    # The files have holes, so they take no space on the disk.
    n_entries = 2**31 + 5
    path = without_manifest(Corpus([[1], [1], [1]], ["a"]).save(tmp_path / "corpus"))
    np.save(path / "counts.indptr.npy", np.array([0, 2, n_entries - 3, n_entries]))
    for part, last in (("data", [7, 8, 9]), ("indices", [1, 5, 2**27])):
        with (path / f"counts.{part}.npy").open("wb") as file:
            about = {"descr": "<i4", "fortran_order": False, "shape": (n_entries,)}
            np.lib.format.write_array_header_1_0(file, about)
            file.seek(4 * (n_entries - 3), 1)
            file.write(np.array(last, np.int32).tobytes())
        if os.stat(path / f"counts.{part}.npy").st_blocks > 1 << 20:
            pytest.skip("the file system writes holes as zeros")
    rewrite(path, shape=[3, 2**27], nonzeros=n_entries, words=False)
    with refused("words that do not exist", kind=ModelFileError, golden=False):
        _ = Corpus.open(path)[2]
    with (path / "counts.indices.npy").open("r+b") as file:
        file.seek(-4, 2)
        file.write(np.int32(2**27 - 1).tobytes())
    corpus = Corpus.open(path)
    assert corpus.n_nonzeros == n_entries
    assert corpus[2].words == {"1": 7, "5": 8, str(2**27 - 1): 9}
    assert corpus[[2, 2]].shape == (2, 2**27)
    assert corpus.bounds()[-1] == 3
    # Neither array is copied or converted.
    assert corpus._counts.indices.dtype == np.int32
    assert corpus._counts.indptr.dtype == np.int64
    assert not any(getattr(corpus._counts, part).flags.owndata for part in ("data", "indices"))
