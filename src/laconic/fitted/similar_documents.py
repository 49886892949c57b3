"""Similar documents and top documents of a topic, by the codes of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from laconic.corpus.matrices import csr
from laconic.errors import LaconicError, check_at_least
from laconic.fitted.document_sums import code_blocks, top_of_topic
from laconic.fitted.documents import Documents, documents_for, encode
from laconic.fitted.pipeline_steps import encoding_step
from laconic.kernels.postings import best_rows

LONGEST_TITLE = 1_000  # number of characters of a title that are printed


class DocumentTable(pl.DataFrame):
    """Polars DataFrame that prints all rows, with whole titles."""

    def __str__(self) -> str:
        with pl.Config(fmt_str_lengths=LONGEST_TITLE, tbl_rows=-1):
            return super().__str__()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self, **options: Any) -> str:
        with pl.Config(fmt_str_lengths=LONGEST_TITLE, tbl_rows=-1):
            return super()._repr_html_(**options)


def similar(model: Any, document: Any, corpus: Any = None, n: int = 10) -> pl.DataFrame:
    """Return the documents whose topics are most similar to the topics of one document.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.
    document : int, str, Corpus or list with one text
        Row, id or title of one of the documents in `corpus`. Pass a new document as a Corpus of
        one row or, for a pipeline that counts words, as a list with one text.
    corpus : Corpus, matrix or list of texts, optional
        The documents to compare with; by default, the documents saved with the model (see
        `laconic.save`).
    n : int, default=10
        Maximum number of documents.

    Returns
    -------
    polars.DataFrame
        Columns ``document`` (row), ``id`` (the row if the document has no id), ``title`` and
        ``distance``, nearest first; equal distances are ordered by row. The document itself and
        documents that share no topic with it are left out.

    Notes
    -----
    The distance is the Hellinger distance √(1 - Σ √(p q)), where p and q are the codes of the two
    documents, scaled to sum to one. The distance is between 0 and 1. If codes may be negative, as
    in ``SparseLSA(positive=False)``, the distance is √(1 - cosine).

    Examples
    --------
    >>> from laconic import PLSA, Corpus
    >>> counts = [[4, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 1, 2, 3]]
    >>> corpus = Corpus(counts, ["cat", "purr", "dog", "bark"], ids=["a", "b", "c", "d"])
    >>> model = PLSA(2).fit(corpus)
    >>> similar(model, "a", corpus, n=1)["id"].to_list()
    ['b']
    """
    check_at_least("n", n)
    documents = documents_for(model, corpus)
    row = None
    if isinstance(document, (str, int, np.integer)) and not isinstance(document, bool):
        row = documents.find(document)
        query = documents.code(row)
    else:
        query = encode(model, document)
        if query.shape[0] != 1:
            raise LaconicError(f"similar accepts one document; got {query.shape[0]:,}.")
    if not query.nnz:
        name = "The document" if row is None else f"The document {documents.id(row)!r}"
        raise LaconicError(f"{name} has no topic in this model, so no documents are similar to it.")
    signed = not getattr(encoding_step(model), "positive", True) or _has_negatives(query)
    try:
        rows, distances = _nearest(documents, query, row, n, signed)
    except _NegativeCodesError:
        rows, distances = _nearest(documents, query, row, n, signed=True)
    return _table(documents, rows, "distance", distances)


def top_documents(model: Any, topic: int, corpus: Any = None, n: int = 10) -> pl.DataFrame:
    """Return the top documents of a topic.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.
    topic : int
        Row of ``components_``, as in the column ``topic`` of `laconic.topics`.
    corpus : Corpus, matrix or list of texts, optional
        The documents; by default, the documents saved with the model (see `laconic.save`).
    n : int, default=10
        Maximum number of documents.

    Returns
    -------
    polars.DataFrame
        Columns ``document`` (row), ``id`` (the row if the document has no id), ``title`` and
        ``share`` (the topic's fraction of the document's weights), ordered by share times weight,
        largest first. If documents were ordered by share alone, very short documents with a single
        topic would come first. Documents without the topic are left out.

    Examples
    --------
    >>> from laconic import PLSA, Corpus
    >>> corpus = Corpus([[4, 2, 0], [1, 1, 4], [0, 0, 5]], ["cat", "purr", "dog"])
    >>> model = PLSA(2).fit(corpus)
    >>> dogs = model.transform(corpus[2:]).toarray().argmax()
    >>> top_documents(model, dogs, corpus, n=1)["document"].to_list()
    [2]
    """
    check_at_least("n", n)
    n_topics = encoding_step(model).components_.shape[0]
    if not isinstance(topic, (int, np.integer)) or not 0 <= topic < n_topics:
        raise LaconicError(f"There is no topic {topic!r}; topics go from 0 to {n_topics - 1}.")
    documents = documents_for(model, corpus)
    top = top_of_topic(documents, topic, n)
    return _table(documents, top.rows, "share", top.shares)


# --- nearest documents ---------------------------------------------------------------------------


class _NegativeCodesError(Exception):
    """A code is negative, so it has no square root."""


def _nearest(
    documents: Documents, query: sp.csr_matrix, row: int | None, n: int, signed: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and distances of the `n` documents that are nearest to a query.

    The document in the given row is left out. One pass over the codes finds the documents; only
    their codes are kept, from which the exact distances are computed.
    """
    query = _unit_rows(query, signed)
    vector = query.toarray().ravel()
    rows, similarities = np.zeros(0, dtype=np.int64), np.zeros(0)
    codes = documents.block(0, 0)
    for start, block in code_blocks(documents):
        found = _similarities(block, vector, signed)
        if row is not None and start <= row < start + len(found):
            found[row - start] = 0
        if len(rows) == n:  # of equally similar documents, earlier ones are nearer
            found[found <= similarities[-1]] = 0
        best = best_rows(found, n)
        if len(best):
            rows = np.concatenate([rows, start + best])
            similarities = np.concatenate([similarities, found[best]])
            order = np.lexsort((rows, -similarities))[:n]
            codes = sp.vstack([codes, block[best]], format="csr")[order]
            rows, similarities = rows[order], similarities[order]
    distances = _distances(codes, query, signed)
    order = np.lexsort((rows, distances))
    return rows[order], distances[order]


def _has_negatives(codes: sp.csr_matrix) -> bool:
    return bool(codes.nnz) and bool(codes.data.min() < 0)


def _unit_rows(codes: sp.csr_matrix, signed: bool) -> sp.csr_matrix:
    """Scale codes (if `signed`) or the square roots of codes (otherwise) to unit length.

    The inner product of two rows is then their cosine or their Bhattacharyya coefficient.
    """
    data = codes.data.astype(np.float64)
    data = data if signed else np.sqrt(data)
    rows = sp.csr_matrix((data, codes.indices, codes.indptr), codes.shape)
    rows.data /= np.repeat(_row_lengths(rows), np.diff(codes.indptr))
    return rows


def _row_lengths(rows: sp.csr_matrix) -> np.ndarray:
    squares = sp.csr_matrix((rows.data * rows.data, rows.indices, rows.indptr), rows.shape)
    return np.sqrt(squares @ np.ones(rows.shape[1]))


def _similarities(block: sp.csr_matrix, query: np.ndarray, signed: bool) -> np.ndarray:
    """Return the inner product of the query with each document; 0 for documents without topics."""
    data = block.data.astype(np.float64)
    if signed:
        rows = csr(data, block.indices, block.indptr, block.shape)
        lengths = _row_lengths(rows)
    else:
        if _has_negatives(block):
            raise _NegativeCodesError
        rows = csr(data, block.indices, block.indptr, block.shape)
        lengths = np.sqrt(rows @ np.ones(block.shape[1]))
        np.sqrt(data, out=data)
    return np.asarray(rows @ query / np.where(lengths > 0, lengths, 1))


def _distances(codes: sp.csr_matrix, query: sp.csr_matrix, signed: bool) -> np.ndarray:
    """Return √(1 - inner product) for each document and the query, both scaled by `_unit_rows`.

    The distances are computed from the differences of the scaled codes, so they are exact even for
    nearly equal documents.
    """
    repeated = sp.csr_matrix(np.ones((codes.shape[0], 1))) @ query
    difference = _unit_rows(codes, signed) - repeated
    squares = difference.multiply(difference).sum(axis=1)
    return np.sqrt(np.asarray(squares).ravel() / 2)


def _table(documents: Documents, rows: np.ndarray, name: str, values: np.ndarray) -> pl.DataFrame:
    numbers = rows.tolist()
    return DocumentTable(
        {
            "document": pl.Series(numbers, dtype=pl.Int64),
            "id": pl.Series([documents.id(row) for row in numbers], dtype=pl.String),
            "title": pl.Series([documents.title(row) for row in numbers], dtype=pl.String),
            name: pl.Series(values, dtype=pl.Float64),
        }
    )
