"""Build search indexes."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.engines.malloc import release_memory
from laconic.errors import LaconicError
from laconic.files.scratch_folder import ScratchFolder
from laconic.fitted.code_rows import RowsCollector, SparseRows
from laconic.fitted.documents import (
    ColumnsWriter,
    Documents,
    encode_parts,
    scratch_for,
)
from laconic.fitted.names import Names
from laconic.fitted.pipeline_steps import with_last_step
from laconic.fitted.texts import TextsWriter
from laconic.retrieval.blending import (
    agreement_of_best,
    best_of,
    draw_words,
    n_best,
    query_rows,
)
from laconic.retrieval.bm25 import Lexical
from laconic.retrieval.codes import Coder, Codes, rarity_of
from laconic.retrieval.index import IndexParts, SearchIndex
from laconic.retrieval.word_indexer import WordIndexer
from laconic.text.defaults import EVERY_WORD
from laconic.text.vectorizer import Vectorizer
from laconic.wording import plural

ROWS = 1 << 14  # number of documents that are indexed at once
WIDE = 0.3  # threshold for topics in the index, as a share of the threshold of the model


def build(
    model: Any, corpus: Any, texts: Sequence[str | None] | None, language: str | None
) -> SearchIndex:
    """Build the search index of documents; see `laconic.search`."""
    corpus = _as_corpus(model, corpus)
    if not len(corpus):
        raise LaconicError("The corpus is empty; search needs at least one document.")
    _check_texts(corpus, texts)
    if texts is None and not corpus.has("texts") and corpus.vocabulary is None:
        raise LaconicError(
            "This corpus has neither texts nor a vocabulary, so there is nothing to index; read it "
            "with vocabulary=, or pass texts=."
        )
    coder = Coder(model, corpus.vocabulary, corpus.vectorizer)
    scratch = scratch_for(corpus)
    rows, of_search = _encode(coder, corpus, scratch)
    coder.idf = rarity_of(coder, corpus)
    columns = _index_columns(corpus, texts, language, scratch)
    parts = IndexParts(
        lexical=columns.lexical,
        codes=Codes(of_search),
        texts=columns.texts,
        words=coder.words,
        settings=coder.settings,
        whole_ids=columns.whole_ids,
        idf=coder.idf,
        agreement=0.0,
    )
    parts.agreement = _agreement(corpus, parts, coder)
    documents = Documents(rows, topics=coder.topics, index=parts, **columns.names)
    return SearchIndex(model, documents, parts)


def _encode(
    coder: Coder, corpus: Corpus, scratch: ScratchFolder | None
) -> tuple[SparseRows, SparseRows]:
    """Return the codes of a corpus, and its codes for search; documents are coded once.

    If the model drops weak topics, the codes for search have a lower threshold, so more topics.
    Weak topics are of little use to readers, but improve the ranking (mean average precision of
    `sc` on seven collections: 0.453 instead of 0.448).
    """
    threshold = getattr(coder.last, "code_threshold_", 0.0)
    if not threshold:
        rows = RowsCollector(scratch, "codes")
        for part in coder.document_parts(corpus):
            rows.append(part)
        both = rows.finish()
        return both, both
    last = copy.copy(coder.last)
    if hasattr(last, "edits_"):  # Weak topics are dropped before the codes of topics are added.
        last.code_threshold_ = WIDE * threshold
        models = {"codes": coder.model, "wide": with_last_step(coder.model, last)}
        found = {name: RowsCollector(scratch, name) for name in models}
        for name, model in models.items():
            for part in encode_parts(model, corpus):
                found[name].append(part)
        return found["codes"].finish(), found["wide"].finish()
    last.code_threshold_ = 0.0
    strong, wide = RowsCollector(scratch, "codes"), RowsCollector(scratch, "wide")
    for part in encode_parts(with_last_step(coder.model, last), corpus):
        every_topic = part.toarray().astype(np.float64)
        for rows, limit in ((strong, threshold), (wide, WIDE * threshold)):
            codes = every_topic.copy()
            coder.last.drop_weak(codes, limit)
            rows.append(sp.csr_matrix(codes))
    return strong.finish(), wide.finish()


class _Columns(NamedTuple):
    """What is indexed besides the codes: words, texts, and the names of the documents."""

    lexical: Lexical
    texts: Any
    names: dict[str, Names | None]
    whole_ids: bool


def _index_columns(
    corpus: Corpus,
    texts: Sequence[str | None] | None,
    language: str | None,
    scratch: ScratchFolder | None,
) -> _Columns:
    """Read the texts, titles and ids of a corpus once, in parts."""
    in_memory: Any = corpus.texts if scratch is None and texts is None else texts
    stored = TextsWriter(scratch, "texts") if in_memory is None and corpus.has("texts") else None
    sample = in_memory if stored is None else _texts_of(corpus)
    indexer = WordIndexer(corpus.vectorizer or {}, language, sample, scratch)
    names = ColumnsWriter(corpus, scratch)
    whole_ids = corpus.has("ids")
    documents = corpus if stored is not None else corpus.replace(texts=None)
    start = 0
    for part in documents.parts(ROWS):
        stop = start + len(part)
        of_part: Any = part.texts if stored is not None else None
        if in_memory is not None:
            of_part = in_memory[start:stop]
        indexer.append(part, of_part)
        names.append(part)
        if whole_ids and part.ids is not None:
            whole_ids = all(type(id_) is int for id_ in part.ids)
        if stored is not None:
            stored.append(of_part)
        start = stop
        del part, of_part  # before the next part is read
        release_memory()
    kept = in_memory if stored is None else stored.finish()
    return _Columns(indexer.finish(), kept, names.finish(), whole_ids)


def _texts_of(corpus: Corpus) -> Iterator[str | None]:
    """Yield the texts of a corpus, which are read in parts."""
    for part in corpus.parts():
        assert part.texts is not None
        yield from part.texts


def _as_corpus(model: Any, corpus: Any) -> Corpus:
    if isinstance(corpus, Corpus):
        return corpus
    from laconic.io.read import read

    has_words = Coder(model, None, None).words is not None
    return read(corpus, vocabulary=model) if has_words else read(corpus)


def _check_texts(corpus: Corpus, texts: Any) -> None:
    if texts is not None and len(texts) != len(corpus):
        raise LaconicError(
            f"Got {plural(len(texts), 'text')} for {plural(len(corpus), 'document')}; pass one "
            "per document."
        )


def _agreement(corpus: Corpus, parts: IndexParts, coder: Coder) -> float:
    """Return the agreement of words and topics on synthetic queries; see `blending.agreement`."""
    lexical, n = parts.lexical, n_best(len(corpus))
    queries = list(_queries(corpus, parts))
    by_words, codes = [], []
    for row, words in queries:
        rows = lexical.rows_of(lexical.words.stems(words))
        by_words.append(best_of(lexical.scores(rows[rows >= 0]), row, n))
        codes.append(coder.code(" ".join(words)))
    leave_out = [row for row, _ in queries]
    return agreement_of_best(
        len(corpus), by_words, _best_by_topics(parts.codes, codes, leave_out, n)
    )


def _best_by_topics(
    codes: Codes, of_queries: list[np.ndarray], leave_out: list[int], n: int
) -> list[np.ndarray]:
    """Return the documents with the best cosines for each query; documents are read once."""
    best = [np.zeros(0, np.int64) for _ in of_queries]
    scores = [np.zeros(0, np.float32) for _ in of_queries]
    for start, cosines in codes.cosine_blocks(of_queries) if of_queries else ():
        stop = start + len(cosines)
        for query, row in enumerate(leave_out):
            of_query = cosines[:, query]
            rows = best_of(of_query, row - start if start <= row < stop else -1, n)
            found = np.concatenate([best[query], rows + start])
            values = np.concatenate([scores[query], of_query[rows]])
            order = np.lexsort((found, -values))[:n]
            best[query], scores[query] = found[order], values[order]
    return best


def _queries(corpus: Corpus, parts: IndexParts) -> Iterator[tuple[int, list[str]]]:
    """Yield the row and the words of each synthetic query."""
    random = np.random.default_rng(0)
    rows = query_rows(len(corpus), random)
    if corpus.vocabulary is None:
        texts = [parts.texts[row] or "" for row in rows.tolist()]
        try:
            counted = Vectorizer(**EVERY_WORD).fit_transform(texts)
        except LaconicError:  # no text contains a word
            return
    else:
        counted = corpus.replace(ids=None, titles=None, labels=None, texts=None)[rows]
    vocabulary = counted.vocabulary
    assert vocabulary is not None
    for row, columns in draw_words(rows, counted.counts, random):
        yield row, [str(word) for word in vocabulary[columns]]
