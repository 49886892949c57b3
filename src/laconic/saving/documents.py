"""Save and load the documents of a saved model as JSON and arrays.

The arrays are memory-mapped when they are loaded. The codes are a CSR matrix. The ids are stored as
one UTF-8 buffer and an array of the positions where each string ends; the titles and the labels are
stored in the same way. The entry in ``model.json`` is::

    "documents": {"count": 2, "codes": {"csr": …}, "ids": {"text": {"array": …}, "ends": …},
                  "titles": null, "labels": null}
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.files.json_values import Decoder, Encoder
from laconic.fitted.documents import COLUMNS, Documents, Names
from laconic.saving.rules import Array

CODES = Array((None, None), sparse=True)


def encode_documents(encoder: Encoder, documents: Documents) -> dict[str, Any]:
    """Encode documents as JSON, and write their arrays to files."""
    return {
        "count": len(documents),
        "codes": encoder.encode(documents.codes, "documents.codes"),
        **{
            name: encode_names(encoder, getattr(documents, name), f"documents.{name}")
            for name in COLUMNS
        },
    }


def encode_names(encoder: Encoder, names: Names | None, name: str) -> dict[str, Any] | None:
    """Encode one string per document as JSON, and write the strings to two files."""
    if names is None:
        return None
    return {
        part: encoder.encode(getattr(names, part), f"{name}.{part}") for part in ("text", "ends")
    }


def decode_documents(decoder: Decoder, tree: dict[str, Any], n_topics: int) -> Documents:
    """Decode the documents of a saved model; raise if their arrays do not match."""
    count, codes = tree["count"], decoder.decode(tree["codes"])
    if not sp.issparse(codes) or codes.dtype != np.float32 or codes.shape != (count, n_topics):
        raise decoder.damaged(
            f"its codes must be a float32 matrix with a row for each of its {count!r} documents "
            f"and a column for each of its {n_topics} topics"
        )
    problem = CODES(codes, {})
    if problem is not None:
        raise decoder.damaged(f"the codes of the documents must {problem}")
    if np.count_nonzero(codes.data) < codes.nnz:  # Their length would be zero, and a divisor.
        raise decoder.damaged("the codes of the documents contain stored zeros")
    columns = {name: tree.get(name) for name in COLUMNS}  # models of older versions have no labels
    return Documents(
        codes, **{name: decode_names(decoder, tree, count) for name, tree in columns.items()}
    )


def decode_names(decoder: Decoder, tree: dict[str, Any] | None, count: int) -> Names | None:
    """Decode one string per document; raise if the saved arrays do not match."""
    if tree is None:
        return None
    text, ends = decoder.decode(tree["text"]), decoder.decode(tree["ends"])
    fits = (
        text.dtype == np.uint8
        and text.ndim == 1
        and ends.dtype == np.int64
        and ends.shape == (count,)
        and not np.any(ends[1:] < ends[:-1])
        and (len(ends) == 0 or ends[0] >= 0)
        and (ends[-1] if len(ends) else 0) == len(text)
    )
    if not fits:
        raise decoder.damaged(
            f"the arrays that store one string for each of its {count!r} documents are inconsistent"
        )
    return Names(text, ends, decoder.folder)
