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
from laconic.saving.checks import check_text_settings
from laconic.saving.documents import decode_names, encode_names
from laconic.saving.rules import Array, Number, Rule, Strings, either, nothing
from laconic.text.words import Words

RULES: dict[str, Rule] = {
    "postings": Array(("stems", "documents"), least=0, sparse=True),
    "stems": Strings("stems", unique=True),
    "forms": Strings("stems"),
    "codes": Array(("topics", "documents"), least=-1.001, most=1.001, sparse=None),
    "words": either(nothing, Strings("words")),
    "idf": either(nothing, Array(("words",), positive=True, most=1e3)),
}
NAMES = {  # for messages
    "postings": "weights of words",
    "stems": "stems",
    "forms": "words of the stems",
    "codes": "weights of topics",
    "words": "words of the model",
    "idf": "idf weights",
}
AGREEMENT = Number(most=1.0)


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
    postings, stems, forms, codes, words, idf = (
        decoder.decode(tree[name])
        for name in ("postings", "stems", "forms", "codes", "words", "idf")
    )
    sizes = {
        "stems": _count(decoder, stems, "stems"),
        "words": 0 if words is None else _count(decoder, words, "words"),
        "documents": n_documents,
        "topics": n_topics,
    }
    values = {"postings": postings, "stems": stems, "forms": forms, "codes": codes}
    values |= {"words": words, "idf": idf}
    for name, value in values.items():
        problem = RULES[name](value, sizes)
        if problem is None and sp.issparse(value) and value.dtype != np.float32:
            problem = "contain float32"
        if problem is not None:
            raise _damaged(decoder, f"is not valid: the {NAMES[name]} must {problem}")
    reading, counting = (dict(decoder.decode(tree[name])) for name in ("reading", "counting"))
    for settings in (reading, counting):
        check_text_settings(settings)
    language, agreement, whole_ids = tree["language"], tree["agreement"], tree["whole_ids"]
    if language is not None and language not in AVAILABLE_LANGUAGES:
        raise _damaged(decoder, f"has the unknown language {language!r:.50}")
    if AGREEMENT(agreement, {}) is not None or not isinstance(whole_ids, bool):
        raise _damaged(
            decoder, f"has an agreement of {agreement!r:.50}, which is not between 0 and 1"
        )
    texts = decode_names(decoder, tree["texts"], n_documents)
    lexical = Lexical(postings, stems, forms, Words(language, reading))
    return IndexParts(lexical, Codes(codes), texts, words, counting, whole_ids, idf, agreement)


def _count(decoder: Decoder, strings: Any, name: str) -> int:
    if not isinstance(strings, np.ndarray):
        raise _damaged(decoder, f"has no list of {name}")
    return len(strings)


def _damaged(decoder: Decoder, problem: str) -> ModelFileError:
    return decoder.damaged(f"its search index {problem}")
