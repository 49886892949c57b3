"""Edit the codes of the documents that are saved with a model.

An edit changes only the columns of the edited topics. The codes of the removed topics are kept, so
that the edit can be undone exactly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.files.scratch_folder import ScratchFolder
from laconic.fitted.code_rows import DenseRows, Rows, RowsCollector, SparseRows, blocks
from laconic.fitted.documents import Documents
from laconic.models.edits.assembly import inverse
from laconic.models.edits.records import Record, new_topics, removed_topics

Parts = np.ndarray | None  # shares of the parts of a split topic in each document


def edited_documents(documents: Documents, record: Record, parts: Parts) -> Documents:
    """Return the documents of a model after an edit; `parts` is needed if a topic was split."""
    if record["operation"] == "drop_words":
        return _with_codes(documents, documents.rows, None, [*documents.removed, (None, None)])
    rows, removed = _edit(documents.rows, record, parts)
    search, removed_search = None, None
    if documents.has_index and documents.index.codes.rows is not documents.rows:
        search, removed_search = _edit(documents.index.codes.rows, record, parts)
    return _with_codes(documents, rows, search, [*documents.removed, (removed, removed_search)])


def undone_documents(documents: Documents, record: Record) -> Documents | None:
    """Return the documents of a model before an edit, or None if they were coded after it."""
    if not documents.removed:
        return None
    *before, (removed, removed_search) = documents.removed
    if removed is None:
        return _with_codes(documents, documents.rows, None, before)
    rows, search = _undo(documents.rows, record, removed), None
    if removed_search is not None:
        search = _undo(documents.index.codes.rows, record, removed_search)
    return _with_codes(documents, rows, search, before)


def _with_codes(
    documents: Documents, rows: Rows, search: Rows | None, removed: list[Any]
) -> Documents:
    result = Documents(rows, documents.ids, documents.titles, labels=documents.labels)
    result.removed = removed
    if rows is documents.rows:  # The index may not be read yet.
        result.index = documents._index
    elif documents.has_index:
        parts = documents.index
        codes = type(parts.codes)(rows if search is None else search)
        result.index = replace(parts, codes=codes)
    return result


def _edit(rows: Rows, record: Record, parts: Parts) -> tuple[Rows, Any]:
    """Return the codes after an edit, and the codes of the removed topics."""
    sources, removed = np.asarray(record["sources"]), removed_topics(record)
    added = new_topics(record)
    if isinstance(rows, DenseRows):
        old = rows.values[:]
        result = np.zeros((rows.shape[0], len(sources)), old.dtype)
        result[:, sources >= 0] = old[:, sources[sources >= 0]]
        if record["operation"] == "merge":
            result[:, added[0]] = old[:, removed].sum(axis=1, dtype=np.float32)
        elif parts is not None:
            result[:, added] = old[:, removed].astype(np.float32) * parts
        return DenseRows(result, _loaded(rows.scales)), np.ascontiguousarray(old[:, removed])
    kept = np.flatnonzero(sources >= 0)
    before, after = sources[kept], kept
    if record["operation"] == "merge":
        before = np.concatenate([before, removed])
        after = np.concatenate([after, np.repeat(added, len(removed))])
    to_new = _placing(before, after, (rows.shape[1], len(sources)))
    collector, lost = _collector(rows, len(sources)), []
    for start, stop in blocks(rows):
        block = rows.block(start, stop)
        lost.append(block[:, removed])
        block_after = block @ to_new
        if parts is not None:
            place = _placing(np.arange(len(added)), added, (len(added), len(sources)))
            shares = sp.csr_matrix(lost[-1].toarray() * parts[start:stop], dtype=np.float32)
            block_after = block_after + shares @ place
        collector.append(_canonical(block_after))
    empty = sp.csr_matrix((0, len(removed)), dtype=np.float32)
    return collector.finish(), sp.vstack([empty, *lost], format="csr", dtype=np.float32)


def _undo(rows: Rows, record: Record, lost: Any) -> Rows:
    """Return the codes before an edit."""
    sources = inverse(np.asarray(record["sources"]), record["n_before"])
    removed, kept = np.flatnonzero(sources < 0), np.flatnonzero(sources >= 0)
    if isinstance(rows, DenseRows):
        values = rows.values[:]
        result = np.zeros((rows.shape[0], len(sources)), values.dtype)
        scales = _loaded(rows.scales)
        if sp.issparse(lost):  # The codes were sparse when the edit was made.
            lost = lost.toarray() if scales is None else lost.toarray() / scales[:, None]
        result[:, kept], result[:, removed] = values[:, sources[kept]], lost
        return DenseRows(result, scales)
    to_old = _placing(sources[kept], kept, (rows.shape[1], len(sources)))
    place = _placing(np.arange(len(removed)), removed, (len(removed), len(sources)))
    collector = _collector(rows, len(sources))
    for start, stop in blocks(rows):
        block = rows.block(start, stop) @ to_old + lost[start:stop] @ place
        collector.append(_canonical(block))
    return collector.finish()


def _placing(before: np.ndarray, after: np.ndarray, shape: tuple[int, int]) -> sp.csr_matrix:
    return sp.csr_matrix((np.ones(len(before), np.float32), (before, after)), shape)


def _collector(rows: SparseRows, n_topics: int) -> RowsCollector:
    in_memory = isinstance(rows.data, np.ndarray)
    return RowsCollector(None if in_memory else ScratchFolder(), "codes", n_topics)


def _canonical(codes: Any) -> sp.csr_matrix:
    codes = sp.csr_matrix(codes, dtype=np.float32)
    codes.eliminate_zeros()
    codes.sort_indices()
    return codes


def _loaded(array: Any) -> Any:
    return None if array is None else array[:]
