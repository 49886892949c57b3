"""Save and load the documents of a saved model as JSON and arrays.

The arrays are written part by part. When a model is loaded, the files are only opened; they are
read in blocks, and checked, when they are used. The ids are stored as one UTF-8 buffer and an array
of the positions where each string ends; the titles and the labels are stored in the same way. The
entry in ``model.json`` is::

    "documents": {"count": 2, "codes": {"csr": …}, "ids": {"text": {"array": …}, "ends": …},
                  "titles": null, "labels": null}

The codes are a CSR matrix or, if more than half of the weights are not zero, a dense array::

    "codes": {"dense": {"array": …, "dtype": "<f4", …}, "scales": null}
    "codes": {"dense": {"array": …, "dtype": "<f2", …}, "scales": {"array": …}}

Large dense codes are rounded to float16, and multiplied by the scale of their document when they
are read. Format 1 had only CSR matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.files.array_writer import ArrayWriter
from laconic.files.json_values import Decoder, Encoder
from laconic.fitted.code_rows import INT32, DenseRows, Rows, SparseRows, blocks
from laconic.fitted.documents import COLUMNS, Documents
from laconic.fitted.names import Names
from laconic.models.edits.records import Record, removed_topics

# Dense codes of more bytes are rounded to float16. Cosines change by less than 3e-4, and 99.9 % of
# the ten most similar documents stay the same (13,000 and 10,000 documents, 50 topics).
LARGE = 1 << 26


def encode_documents(encoder: Encoder, documents: Documents) -> dict[str, Any]:
    """Encode documents as JSON, and write their arrays to files."""
    return {
        "count": len(documents),
        "codes": encode_codes(encoder, documents.rows, "documents.codes"),
        **{
            name: encode_names(encoder, getattr(documents, name), f"documents.{name}")
            for name in COLUMNS
        },
        **_encode_removed(encoder, documents.removed),
    }


def _encode_removed(encoder: Encoder, removed: list[tuple[Any, Any]]) -> dict[str, Any]:
    """Encode the codes that undo edits of the model."""
    if not removed:
        return {}
    return {
        "removed": [
            [
                None if codes is None else encoder.encode(codes, f"documents.removed.{edit}.{name}")
                for name, codes in zip(("codes", "search"), of_edit, strict=True)
            ]
            for edit, of_edit in enumerate(removed)
        ]
    }


def encode_codes(encoder: Encoder, rows: Rows, name: str) -> dict[str, Any]:
    """Encode codes as JSON, and write them to files, block by block."""
    n_documents, n_topics = rows.shape
    if isinstance(rows, DenseRows) or 2 * rows.nnz > n_documents * n_topics:
        return _encode_dense(encoder, rows, name)
    index = np.int32 if rows.nnz <= INT32 else np.int64
    file = encoder.file_name(name)
    with (
        ArrayWriter(encoder.folder / f"{file}.data.npy", np.float32) as data,
        ArrayWriter(encoder.folder / f"{file}.indices.npy", np.int32) as indices,
        ArrayWriter(encoder.folder / f"{file}.indptr.npy", index) as indptr,
    ):
        indptr.append([0])
        for start, stop in blocks(rows):
            block = rows.block(start, stop)
            indptr.append(block.indptr[1:].astype(np.int64) + data.length)
            data.append(block.data)
            indices.append(block.indices)
    return {"csr": file, "dtype": data.dtype.str, "shape": [n_documents, n_topics], "matrix": True}


def _encode_dense(encoder: Encoder, rows: Rows, name: str) -> dict[str, Any]:
    n_documents, n_topics = rows.shape
    if isinstance(rows, DenseRows) and rows.scales is not None:  # They are already rounded.
        return {
            "dense": encoder.copy(rows.values, name),
            "scales": encoder.copy(rows.scales, f"{name}.scales"),
        }
    if 4 * n_documents * n_topics <= LARGE:
        return {"dense": encoder.write(_dense(rows), name, np.float32, n_topics), "scales": None}
    with (
        encoder.writer(name, np.float16, n_topics) as values,
        encoder.writer(f"{name}.scales", np.float32) as scales,
    ):
        for block in _dense(rows):
            largest = np.abs(block).max(axis=1, initial=0)
            largest[largest == 0] = 1
            values.append(block / largest[:, None])
            scales.append(largest)
    return {"dense": values.tree(), "scales": scales.tree()}


def _dense(rows: Rows) -> Iterator[np.ndarray]:
    for start, stop in blocks(rows):
        if isinstance(rows, DenseRows):
            yield rows.array(start, stop)
        else:
            yield rows.block(start, stop).toarray()


def encode_names(encoder: Encoder, names: Names | None, name: str) -> dict[str, Any] | None:
    """Encode one string per document as JSON, and write the strings to two files."""
    if names is None:
        return None
    return {part: encoder.copy(getattr(names, part), f"{name}.{part}") for part in ("text", "ends")}


def decode_documents(
    decoder: Decoder, tree: dict[str, Any], n_topics: int, edits: list[Record]
) -> Documents:
    """Open the documents of a saved model; raise if their arrays do not match."""
    count = tree["count"]
    codes = decode_codes(decoder, tree["codes"]) if isinstance(tree["codes"], dict) else None
    if codes is None or codes.shape != (count, n_topics):
        raise decoder.damaged(
            f"its codes must be a float32 matrix with a row for each of its {count!r} documents "
            f"and a column for each of its {n_topics} topics"
        )
    columns = {name: tree.get(name) for name in COLUMNS}  # models of older versions have no labels
    documents = Documents(
        codes, **{name: decode_names(decoder, tree, count) for name, tree in columns.items()}
    )
    documents.removed = _decode_removed(decoder, tree.get("removed", []), count, edits)
    return documents


def _decode_removed(
    decoder: Decoder, trees: Any, count: int, edits: list[Record]
) -> list[tuple[Any, Any]]:
    """Return the codes that undo edits of the model; raise if they do not match the edits."""
    removed = [(decoder.decode(codes), decoder.decode(search)) for codes, search in trees]
    if len(removed) > len(edits):
        raise decoder.damaged("it has codes of removed topics for edits that were not made")
    of_edits = edits[len(edits) - len(removed) :]
    for record, parts in zip(of_edits, removed, strict=True):
        shape = count, len(removed_topics(record))
        for codes in parts:
            values = codes.data if sp.issparse(codes) else codes
            fits = codes is None or (
                codes.shape == shape
                and codes.dtype in (np.float32, np.float16)
                and np.all(np.isfinite(values))
            )
            if not fits:
                raise decoder.damaged("the codes of removed topics do not match its edits")
    return removed


def decode_codes(decoder: Decoder, tree: dict[str, Any]) -> Rows:
    """Open the codes of documents."""
    if "dense" not in tree:
        readers = decoder.csr_readers(tree)
        if readers["data"].dtype != np.float32:
            raise decoder.damaged("the codes of the documents must contain float32")
        return SparseRows(**readers, n_topics=tree["shape"][1], path=decoder.folder)
    values, scales = decoder.reader(tree["dense"]), tree["scales"]
    half = values.dtype == np.float16
    if (
        values.ndim != 2
        or (values.dtype != np.float32 and not half)
        or half != (scales is not None)
    ):
        raise decoder.damaged("the codes of the documents must contain float32 or float16")
    if scales is None:
        return DenseRows(values, None, decoder.folder)
    opened = decoder.reader(scales)
    if opened.dtype != np.float32 or opened.shape != values.shape[:1]:
        raise decoder.damaged("the codes of the documents need one scale for each document")
    return DenseRows(values, opened, decoder.folder)


def decode_names(decoder: Decoder, tree: dict[str, Any] | None, count: int) -> Names | None:
    """Open one string per document; raise if the saved arrays do not match."""
    if tree is None:
        return None
    text, ends = decoder.reader(tree["text"]), decoder.reader(tree["ends"])
    fits = (
        text.dtype == np.uint8
        and text.ndim == 1
        and ends.dtype == np.int64
        and ends.shape == (count,)
        and (int(ends[-1]) if len(ends) else 0) == len(text)
    )
    if not fits:
        raise decoder.damaged(
            f"the arrays that store one string for each of its {count!r} documents are inconsistent"
        )
    return Names(text, ends, decoder.folder)
