"""Tests that an index of a corpus on disk is built in parts, and equals the index in memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import laconic
from laconic import Corpus
from laconic.files.array_reader import ArrayReader
from laconic.files.scratch_folder import ScratchFolder
from laconic.fitted.code_rows import DenseRows, SparseRows
from laconic.fitted.documents import Documents, documents_of, encode, kept_documents
from laconic.fitted.kept_corpus import kept_corpus
from laconic.fitted.model import TopicView
from laconic.fitted.texts import Texts
from laconic.retrieval.codes import Codes
from laconic.retrieval.postings import PostingsBuilder
from laconic.saving import documents as saving_documents
from laconic.saving.index import check_index

WORDS = ["cat", "cats", "dog", "ship", "storm", "wind", "purring", "purrs", "mast", "the"]


def make_texts(n: int) -> list[str | None]:
    draw = np.random.default_rng(0)
    texts = [" ".join(draw.choice(WORDS, draw.integers(3, 9)).tolist()) for _ in range(n)]
    return [None if row % 11 == 5 else text for row, text in enumerate(texts)]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    texts = make_texts(60)
    counted = laconic.read([text or "" for text in texts], stop_words="english", min_df=1)
    return Corpus(
        counted.counts,
        counted.vocabulary,
        ids=[f"d{row}" for row in range(60)],
        titles=[f"Wind {row}" if row % 3 else None for row in range(60)],
        labels=["a", "b"] * 30,
        texts=texts,
        vectorizer=counted.vectorizer,
    )


@pytest.fixture(scope="module")
def stored(corpus, tmp_path_factory) -> Corpus:
    return Corpus.open(corpus.save(tmp_path_factory.mktemp("stored") / "small.corpus"))


@pytest.fixture(params=["slsa", "sc", "plsa"])
def model(request, corpus):
    return laconic.pipeline(request.param, n_components=3).fit(corpus)


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr("laconic.retrieval.building.ROWS", 7)
    monkeypatch.setattr("laconic.retrieval.postings.ENTRIES", 5)
    monkeypatch.setattr("laconic.fitted.code_rows.ENTRIES", 9)
    monkeypatch.setattr("laconic.fitted.names.ROWS", 4)
    monkeypatch.setattr("laconic.fitted.texts.BLOCK", 50)


def told(index, query: str) -> list:
    return [
        (hit.id, hit.score, hit.background, hit.title, str(hit.snippet), hit.keywords)
        for hit in index.query(query)
    ]


def test_an_index_built_in_parts_is_the_same(model, corpus, stored, small_parts, tmp_path):
    one, other = laconic.search(model, corpus), laconic.search(model, stored)
    lexical, parts = one.parts.lexical, other.parts
    assert isinstance(parts.lexical.postings.documents, ArrayReader)
    assert isinstance(parts.texts, Texts)
    assert lexical.stems.tolist() == parts.lexical.stems.tolist()
    assert lexical.forms.tolist() == parts.lexical.forms.tolist()
    assert (lexical.postings.matrix() != parts.lexical.postings.matrix()).nnz == 0
    assert list(parts.texts) == [text or "" for text in corpus.texts]
    assert one.parts.agreement == parts.agreement
    np.testing.assert_array_equal(one.parts.idf, parts.idf)
    loaded = laconic.search(laconic.load(laconic.save(model, tmp_path / "m", index=other)))
    check_index(loaded.parts)
    for query in ("cats in a storm", "purr", "wind 7", "mast"):
        assert told(one, query) == told(other, query) == told(loaded, query)
    assert [hit.id for hit in one.like("d3")] == [hit.id for hit in loaded.like("d3")]


def test_few_codes_are_read_from_files(model, corpus, stored, small_parts, tmp_path, monkeypatch):
    """With one document per group, cosines of a few documents suffice even here."""
    one, other = laconic.search(model, corpus), laconic.search(model, stored)
    loaded = laconic.search(laconic.load(laconic.save(model, tmp_path / "m", index=other)))
    np.testing.assert_array_equal(one.parts.codes.moments, loaded.parts.codes.moments)
    monkeypatch.setattr("laconic.retrieval.ranking.BLOCK", 1)
    monkeypatch.setattr("laconic.retrieval.index.RERANKED", 3)
    for index in (one, other, loaded):
        index._weight = 0.01
        monkeypatch.setattr(index.parts.codes, "cosines", None)
    for query in ("cats in a storm", "wind cats"):
        found = [
            [(hit.row, hit.score) for hit in i.query(query, k=2)] for i in (one, other, loaded)
        ]
        assert len(found[0]) == 2
        assert found[0] == found[1] == found[2]


def test_documents_of_a_corpus_on_disk(model, corpus, stored, small_parts, tmp_path):
    documents = documents_of(model, stored)
    assert isinstance(documents.rows.data, ArrayReader)
    laconic.save(model, tmp_path / "m", corpus=stored)
    loaded = kept_documents(laconic.load(tmp_path / "m"))
    for found in (documents, loaded):
        assert (found.codes != encode(model, corpus)).nnz == 0
        assert list(found.ids) == corpus.ids.tolist()
        assert found.labels.distinct()[0] == ["a", "b"]
        assert found.find("d31") == found.find("Wind 31") == 31
        assert found.titles.suggest("wind 1")[0] == "Wind 1"
        found.check()


def test_postings_of_parts_are_merged(small_parts):
    draw = np.random.default_rng(1)
    counts = sp.random(
        9, 40, 0.3, "csr", random_state=draw, data_rvs=lambda n: draw.integers(1, 9, n)
    )
    counts = counts.astype(np.int32)
    order = draw.permutation(9)
    whole, parts, files = (PostingsBuilder(folder) for folder in (None, None, ScratchFolder()))
    whole.append(counts)
    for start in range(0, 40, 6):
        for builder in (parts, files):
            # the last stems are found after the first part
            builder.append(counts[: 9 if start else 5, start : start + 6].tocsr())
    first = sp.vstack([counts[:5, :6], sp.csr_matrix((4, 6), dtype=np.int32)])
    whole = PostingsBuilder(None)
    whole.append(sp.hstack([first, counts[:, 6:]]).tocsr())
    expected = whole.finish(order)
    for builder in (parts, files):
        found = builder.finish(order)
        assert (found.matrix() != expected.matrix()).nnz == 0
        assert found.counts.dtype == np.uint8
        for row in range(40):
            stems, weights = found.document(row)
            column = expected.matrix()[:, [row]].toarray().ravel()
            assert stems.tolist() == np.flatnonzero(column).tolist()
            np.testing.assert_array_equal(weights, column[stems])


@pytest.mark.parametrize(
    ("largest", "dtype"), [(300, np.uint16), (70_000, np.float32), (0.5, np.float32)]
)
def test_counts_have_the_smallest_type(largest, dtype):
    builder = PostingsBuilder(None)
    builder.append(sp.csr_matrix([[1, 0], [largest, 2]]))
    assert builder.finish(np.arange(2)).counts.dtype == dtype


def test_large_dense_codes_are_rounded(monkeypatch, tmp_path, corpus):
    monkeypatch.setattr(saving_documents, "LARGE", 100)
    model = laconic.SparseLSA(4).fit(corpus)
    draw = np.random.default_rng(0)
    codes = (draw.normal(size=(60, 4)) * 10.0 ** draw.integers(-6, 9, (60, 1))).astype(np.float32)
    codes[7] = 0
    documents = Documents(sp.csr_matrix(codes), topics=model.components_)
    model._documents = documents
    loaded = kept_documents(laconic.load(laconic.save(model, tmp_path / "m")))
    assert isinstance(loaded.rows, DenseRows)
    assert loaded.rows.values.dtype == np.float16
    largest = np.abs(codes).max(axis=1, keepdims=True)
    assert np.all(np.abs(loaded.codes.toarray() - codes) <= 5e-4 * largest)
    cosines = [Codes(rows).cosines(codes[3]) for rows in (documents.rows, loaded.rows)]
    np.testing.assert_allclose(*cosines, atol=1e-3)
    model._documents = loaded
    loaded.topics = model.components_
    again = kept_documents(laconic.load(laconic.save(model, tmp_path / "again")))
    assert (again.codes != loaded.codes).nnz == 0


def test_codes_of_many_documents_are_read_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("laconic.fitted.code_rows.ENTRIES", 1 << 12)
    folder = Path(tmp_path)
    values = np.ones((40_000, 10), dtype=np.float32)
    np.save(folder / "values.npy", values)
    codes = Codes(DenseRows(ArrayReader(folder / "values.npy")))
    codes.cosines(np.ones(10))  # compiles the kernel
    tracemalloc.start()
    cosines = codes.cosines(np.ones(10))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_allclose(cosines, 1, rtol=1e-6)
    assert peak < cosines.nbytes + 200_000 < values.nbytes / 4


def test_sparse_rows_of_a_few_documents():
    rows = SparseRows.of(sp.csr_matrix(np.eye(4, dtype=np.float32)))
    assert rows.take(np.array([2, 0])).toarray().tolist() == [[0, 0, 1, 0], [1, 0, 0, 0]]
    assert rows.take(np.zeros(0, int)).shape == (0, 4)


def test_many_kept_documents_become_a_corpus_on_disk(corpus, tmp_path, monkeypatch):
    model = laconic.pipeline("slsa", n_components=3).fit(corpus)
    laconic.save(model, tmp_path / "m", index=laconic.search(model, corpus))
    view = TopicView(laconic.load(tmp_path / "m"))
    few = kept_corpus(view)
    monkeypatch.setattr("laconic.fitted.kept_corpus.IN_MEMORY", 10)
    monkeypatch.setattr("laconic.fitted.kept_corpus.ROWS", 7)
    many = kept_corpus(view)
    assert few.path is None
    assert many.path is not None
    assert (few.counts != many.counts).nnz == 0
    for name in ("ids", "titles", "labels", "texts"):
        assert getattr(few, name).tolist() == getattr(many, name).tolist(), name
    assert few.vectorizer == many.vectorizer
