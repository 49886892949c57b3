"""Save and load the documents of a saved model, as JSON and arrays.

The arrays are memory-mapped when loaded. The codes are a CSR matrix. The ids, the titles and the
labels are each stored as one UTF-8 buffer and the positions where the strings end. The entry in
``model.json`` is::

    "documents": {"count": 2, "codes": {"csr": …}, "ids": {"text": {"array": …}, "ends": …},
                  "titles": null, "labels": null}
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.files.json_values import Decoder, Encoder
from laconic.fitted.documents import COLUMNS, Documents, Names


def encode_documents(encoder: Encoder, documents: Documents) -> dict[str, Any]:
    """Encode documents as JSON, with their arrays in files."""
    return {
        "count": len(documents),
        "codes": encoder.encode(documents.codes, "documents.codes"),
        **{
            name: encode_names(encoder, getattr(documents, name), f"documents.{name}")
            for name in COLUMNS
        },
    }


def encode_names(encoder: Encoder, names: Names | None, name: str) -> dict[str, Any] | None:
    """Encode one string per document as JSON, with the strings in two files."""
    if names is None:
        return None
    return {
        part: encoder.encode(getattr(names, part), f"{name}.{part}") for part in ("text", "ends")
    }


def decode_documents(decoder: Decoder, tree: dict[str, Any], n_topics: int) -> Documents:
    """Decode the saved documents; raise if they are inconsistent."""
    count, codes = tree["count"], decoder.decode(tree["codes"])
    if not sp.issparse(codes) or codes.dtype != np.float32 or codes.shape != (count, n_topics):
        raise decoder.damaged(
            f"the codes of its {count!r} documents do not match its {n_topics} topics"
        )
    if not np.isfinite(codes.data).all():
        raise decoder.damaged("the codes of the documents are not all finite numbers")
    columns = {name: tree.get(name) for name in COLUMNS}  # older models have no labels
    return Documents(
        codes, **{name: decode_names(decoder, tree, count) for name, tree in columns.items()}
    )


def decode_names(decoder: Decoder, tree: dict[str, Any] | None, count: int) -> Names | None:
    """Decode the saved strings; raise if they are inconsistent."""
    if tree is None:
        return None
    text, ends = decoder.decode(tree["text"]), decoder.decode(tree["ends"])
    fits = text.dtype == np.uint8 and ends.dtype == np.int64 and ends.shape == (count,)
    bounds = np.concatenate([[0], ends, [text.size]]) if fits else np.array([1, 0])
    if np.any(np.diff(bounds) < 0) or bounds[-2] != bounds[-1]:
        raise decoder.damaged(f"the strings of its {count!r} documents are inconsistent")
    return Names(text, ends, decoder.folder)
