"""Save and load the search index of a saved model as JSON and arrays.

The arrays of the index are memory-mapped when they are loaded, and checked before they are used.
The entry in ``model.json`` is::

    "index": {"language": "english", "reading": {"dict": …}, "postings": {"csr": …},
              "stems": {"words": …}, "forms": {"words": …}, "codes": {"csr": …},
              "texts": {"text": {"array": …}, "ends": {"array": …}}, "words": {"words": …},
              "counting": {"dict": …}, "idf": {"array": …}, "whole_ids": false, "agreement": 0.25}
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from stop_words import AVAILABLE_LANGUAGES

from laconic.errors import ModelFileError
from laconic.files.json_values import Decoder, Encoder
from laconic.fitted.documents import Names
from laconic.retrieval.bm25 import Lexical
from laconic.retrieval.codes import Codes
from laconic.retrieval.index import IndexParts
from laconic.saving.documents import decode_names, encode_names
from laconic.text.words import Words


def encode_index(encoder: Encoder, parts: IndexParts) -> dict[str, Any]:
    """Encode an index as JSON, and write its arrays to files."""
    lexical, texts = parts.lexical, parts.texts
    if texts is not None and not isinstance(texts, Names):
        texts = Names.of(texts)
    arrays = {
        "reading": lexical.words.settings,
        "postings": lexical.postings,
        "stems": lexical.stems,
        "forms": lexical.forms,
        "codes": parts.codes.topics,
        "words": parts.words,
        "counting": parts.settings,
        "idf": parts.idf,
    }
    return {
        "language": lexical.words.language,
        **{name: encoder.encode(value, f"index.{name}") for name, value in arrays.items()},
        "texts": encode_names(encoder, texts, "index.texts"),
        "whole_ids": parts.whole_ids,
        "agreement": parts.agreement,
    }


def decode_index(
    decoder: Decoder, tree: dict[str, Any], n_documents: int, n_topics: int
) -> IndexParts:
    """Decode the index of a saved model; raise if its parts do not match."""
    postings, stems, forms, codes, words = (
        decoder.decode(tree[name]) for name in ("postings", "stems", "forms", "codes", "words")
    )
    _check(decoder, sp.issparse(postings), postings, (len(stems), n_documents), "words")
    if postings.nnz and postings.data.min() < 0:
        raise _damaged(decoder, "has negative word weights")
    _check(decoder, True, codes, (n_topics, n_documents), "topics")
    if len(forms) != len(stems):
        raise _damaged(
            decoder,
            f"has {len(forms):,} words and {len(stems):,} stems, but the two numbers must be equal",
        )
    reading, counting = (dict(decoder.decode(tree[name])) for name in ("reading", "counting"))
    language = tree["language"]
    if language is not None and language not in AVAILABLE_LANGUAGES:
        raise _damaged(decoder, f"has the unknown language {language!r}")
    lexical = Lexical(postings, stems, forms, Words(language, reading))
    texts = decode_names(decoder, tree["texts"], n_documents)
    idf = decoder.decode(tree["idf"])
    if idf is not None and (
        idf.dtype != np.float32 or idf.shape != (len(words),) or not np.isfinite(idf).all()
    ):
        raise _damaged(
            decoder, f"does not have a valid idf weight for each of its {len(words):,} words"
        )
    agreement, whole_ids = float(tree["agreement"]), bool(tree["whole_ids"])
    if not 0 <= agreement <= 1:
        raise _damaged(decoder, f"has an agreement of {agreement}, which is not between 0 and 1")
    return IndexParts(lexical, Codes(codes), texts, words, counting, whole_ids, idf, agreement)


def _check(
    decoder: Decoder, right_type: bool, array: Any, shape: tuple[int, int], rows: str
) -> None:
    """Raise if `array` has another shape or is not finite; `rows` says what its rows are."""
    if not right_type or array.dtype != np.float32 or array.shape != shape:
        raise _damaged(decoder, f"does not have valid weights for its {shape[0]:,} {rows}")
    values = array.data if sp.issparse(array) else array
    if not np.isfinite(values).all():
        raise _damaged(decoder, f"has weights of {rows} that are NaN or infinite")


def _damaged(decoder: Decoder, problem: str) -> ModelFileError:
    return decoder.damaged(f"its search index {problem}")
