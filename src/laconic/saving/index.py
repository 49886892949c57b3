"""Save and load the search index of a saved model as JSON and arrays.

The files of the index are opened when a model is loaded, and decoded when the index is first used.
Postings, texts and codes stay in files and are checked when they are read.
The entry in ``model.json`` is::

    "index": {"language": "english", "reading": {"dict": …},
              "postings": {"documents": {"array": …}, "counts": …, "ends": …, "norms": …},
              "stems": {"words": …}, "forms": {"words": …}, "codes": {"csr": …},
              "texts": {"packed": {"array": …}, "ends": …, "blocks": …}, "words": {"words": …},
              "counting": {"dict": …}, "idf": {"array": …}, "moments": {"array": …},
              "whole_ids": false, "agreement": 0.25}

"codes" is null if the codes of the documents are also used for search. "moments" are those of the
codes; they are null, or missing in models of older versions, if queries compute all cosines.

In format 1, "postings" was a CSR matrix of weights, "codes" was a matrix of topics x documents, and
"texts" were not compressed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from stop_words import AVAILABLE_LANGUAGES

from laconic.errors import ModelFileError
from laconic.files.json_values import Decoder, Encoder
from laconic.fitted.code_rows import DenseRows, Rows, SparseRows
from laconic.fitted.code_rows import blocks as blocks_of_rows
from laconic.fitted.documents import Documents
from laconic.fitted.names import Names
from laconic.fitted.texts import Texts
from laconic.retrieval.bm25 import Lexical
from laconic.retrieval.codes import Codes
from laconic.retrieval.index import IndexParts
from laconic.retrieval.postings import Postings
from laconic.saving.checks import check_text_settings
from laconic.saving.documents import decode_codes, decode_names, encode_codes
from laconic.saving.rules import Array, Number, Rule, Strings, either, nothing
from laconic.text.words import Words

RULES: dict[str, Rule] = {
    "stems": Strings("stems"),
    "norms": either(Array(("documents",), least=0), nothing),
    "words": either(nothing, Strings("words")),
    "idf": either(nothing, Array(("words",), positive=True, most=1e3)),
}
NAMES = {  # for messages
    "stems": "stems",
    "norms": "lengths of documents",
    "words": "words of the model",
    "idf": "idf weights",
}
COUNTS = ("uint8", "uint16", "float32")  # types of the counts in postings
AGREEMENT = Number(most=1.0)
ROUNDING = 1e-6  # maximum rounding error of the moments of codes of unit length


def encode_index(encoder: Encoder, documents: Documents) -> dict[str, Any]:
    """Encode the index of documents as JSON, and write its arrays to files."""
    parts: IndexParts = documents.index
    lexical, texts, codes = parts.lexical, parts.texts, parts.codes.rows
    if texts is not None and not isinstance(texts, Texts):
        texts = Texts.of(texts)
    values = {
        "reading": lexical.words.settings,
        "stems": lexical.stems,
        "forms": lexical.forms,
        "words": parts.words,
        "counting": parts.settings,
        "idf": parts.idf,
        "moments": parts.codes.moments,
    }
    return {
        "language": lexical.words.language,
        **{name: encoder.encode(value, f"index.{name}") for name, value in values.items()},
        "postings": _encode_postings(encoder, lexical.postings),
        "codes": None if codes is documents.rows else encode_codes(encoder, codes, "index.codes"),
        "texts": None
        if texts is None
        else {
            name: encoder.copy(getattr(texts, name), f"index.texts.{name}")
            for name in ("packed", "ends", "blocks")
        },
        "whole_ids": parts.whole_ids,
        "agreement": parts.agreement,
    }


def _encode_postings(encoder: Encoder, postings: Postings) -> dict[str, Any]:
    arrays = {
        "documents": postings.documents,
        "counts": postings.counts,
        "ends": postings.ends,
        "norms": postings.norms,
    }
    return {
        name: None if array is None else encoder.copy(array, f"index.postings.{name}")
        for name, array in arrays.items()
    }


def decode_index(decoder: Decoder, tree: dict[str, Any], rows: Rows) -> IndexParts:
    """Decode the index of the documents with the codes `rows`; raise if its parts do not match."""
    stems: Any
    words: Any
    stems, words = (
        None if tree[name] is None else decoder.words_reader(tree[name]).load()
        for name in ("stems", "words")
    )
    idf = None if tree["idf"] is None else decoder.reader(tree["idf"])[:]
    n_documents, n_topics = rows.shape
    postings = _decode_postings(decoder, tree["postings"], n_documents)
    sizes = {
        "stems": _count(decoder, stems, "stems"),
        "words": 0 if words is None else _count(decoder, words, "words"),
        "documents": n_documents,
        "topics": n_topics,
    }
    values = {"stems": stems, "norms": postings.norms, "words": words, "idf": idf}
    for name, value in values.items():
        problem = RULES[name](value, sizes)
        if problem is not None:
            raise _damaged(decoder, f"is not valid: the {NAMES[name]} must {problem}")
    if not np.all(stems[1:] > stems[:-1]):
        raise _damaged(decoder, "is not valid: its stems are not sorted or occur twice")
    if postings.shape[0] != len(stems):
        raise _damaged(decoder, "is not valid: its postings do not match its stems")
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
    if tree["forms"]["count"] != len(stems):
        raise _damaged(
            decoder, f"is not valid: the words of the stems must contain {len(stems):,} strings"
        )
    # Queries need only the stems.
    forms = decoder.words_reader(tree["forms"]).load
    lexical = Lexical(postings, stems, forms, Words(language, reading))
    codes = Codes(_decode_codes(decoder, tree, rows), _decode_moments(decoder, tree, n_topics))
    texts = _decode_texts(decoder, tree["texts"], n_documents)
    return IndexParts(lexical, codes, texts, words, counting, whole_ids, idf, agreement)


def _decode_postings(decoder: Decoder, tree: dict[str, Any], n_documents: int) -> Postings:
    if "csr" in tree:  # format 1
        arrays, norms = decoder.csr_readers(tree), None
        documents, counts, ends = arrays["indices"], arrays["data"], arrays["indptr"][1:]
    else:
        documents, counts = decoder.reader(tree["documents"]), decoder.reader(tree["counts"])
        ends = decoder.reader(tree["ends"])[:]
        norms = None if tree["norms"] is None else decoder.reader(tree["norms"])[:]
    fits = (
        counts.dtype in (COUNTS if norms is not None else COUNTS[-1:])
        and documents.dtype in (np.int32, np.int64)
        and documents.shape == counts.shape == (len(documents),)
        and ends.ndim == 1
        and ends.dtype.kind == "i"
        and not np.any(ends[1:] < ends[:-1])
        and (len(ends) == 0 or ends[0] >= 0)
        and (ends[-1] if len(ends) else 0) == len(documents)
    )
    if not fits:
        raise _damaged(decoder, "is not valid: the arrays of its postings are inconsistent")
    return Postings(documents, counts, ends.astype(np.int64), norms, n_documents, decoder.folder)


def _decode_codes(decoder: Decoder, tree: dict[str, Any], documents: Rows) -> Rows:
    if tree["codes"] is None:
        return documents
    if "csr" in tree["postings"]:
        rows = _decode_topics(decoder, tree["codes"])
    else:
        rows = decode_codes(decoder, tree["codes"])
    if rows.shape != documents.shape:
        raise _damaged(decoder, "is not valid: its codes do not match the documents")
    return rows


def _decode_moments(decoder: Decoder, tree: dict[str, Any], n_topics: int) -> np.ndarray | None:
    if tree.get("moments") is None:
        return None
    moments = decoder.reader(tree["moments"])[:]
    fits = moments.shape == (n_topics + 1, n_topics) and moments.dtype == np.float64
    if not fits or not np.all(np.abs(moments) <= 1 + ROUNDING):  # also false if a value is NaN
        raise _damaged(decoder, "is not valid: the moments of its codes are not those of cosines")
    return moments


def _decode_topics(decoder: Decoder, tree: dict[str, Any]) -> Rows:
    """Read codes of format 1, a matrix of topics x documents."""
    if "csr" not in tree:
        values = decoder.reader(tree)[:]
        return DenseRows(np.ascontiguousarray(values.T, np.float32), None, decoder.folder)
    n_topics, n_documents = tree["shape"]
    by_topic = SparseRows(**decoder.csr_readers(tree), n_topics=n_documents, path=decoder.folder)
    return SparseRows.of(by_topic.block(0, n_topics).T.tocsr())


def _decode_texts(decoder: Decoder, tree: dict[str, Any] | None, n_documents: int) -> Any:
    if tree is None or "text" in tree:  # format 1
        return decode_names(decoder, tree, n_documents)
    packed, ends, blocks = (decoder.reader(tree[name]) for name in ("packed", "ends", "blocks"))
    fits = (
        packed.dtype == np.uint8
        and packed.ndim == 1
        and ends.dtype == blocks.dtype == np.int64
        and ends.shape == (n_documents,)
        and blocks.ndim == 2
        and blocks.shape[1] == 2
    )
    if not fits:
        raise decoder.damaged(
            f"the arrays that store one text for each of its {n_documents} documents are "
            "inconsistent"
        )
    return Texts(packed, ends, blocks, decoder.folder)


def check_index(parts: IndexParts) -> None:
    """Read all of an index, and raise an error if a file is damaged."""
    parts.lexical.postings.check()
    len(parts.lexical.forms)  # reads the words
    for start, stop in blocks_of_rows(parts.codes.rows):
        parts.codes.rows.block(start, stop)
    if isinstance(parts.texts, (Names, Texts)):
        parts.texts.check()


def _count(decoder: Decoder, strings: Any, name: str) -> int:
    if not isinstance(strings, np.ndarray):
        raise _damaged(decoder, f"has no list of {name}")
    return len(strings)


def _damaged(decoder: Decoder, problem: str) -> ModelFileError:
    return decoder.damaged(f"its search index {problem}")
