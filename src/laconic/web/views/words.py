"""Senses of a word; a sense is a topic of the word, and is shown with example passages."""

from __future__ import annotations

from difflib import get_close_matches
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.corpus.matrices import column_entries
from laconic.errors import LaconicError
from laconic.fitted.senses import topics_of_word
from laconic.retrieval.bm25 import Lexical
from laconic.text.passages import cut_around, cut_snippet, on_one_line
from laconic.web.page_data import PageData
from laconic.web.views.common import NotFoundError, document_stub, passage, rounded, topic_stub
from laconic.web.views.passages import say_same

SENSES = 8
LEAST = 0.01  # minimum share of a topic in a word for the topic to be a sense
EXAMPLES = 3
CANDIDATES = 8  # maximum number of documents that are searched for examples of each sense
COMPLETIONS = 12
LONGEST = 200  # maximum number of characters of a word
MOST_COMPARED = 2_000  # maximum number of documents that are compared, evenly spaced
MOST_READ = 2_000  # maximum number of documents that are tokenised to find a phrase


def word(page_data: PageData, word: str) -> dict[str, Any]:
    """Return the senses of a word; the strongest sense is first."""
    column = _column(page_data, word)
    word = str(page_data.words[column])  # the spelling in the vocabulary
    topics, shares = topics_of_word(page_data, column)
    pairs = [(int(k), float(share)) for k, share in zip(topics, shares, strict=True)]
    senses = [(k, share) for k, share in pairs[:SENSES] if abs(share) >= LEAST] or pairs[:1]
    occurrences = _documents_with_word(page_data, word, column)
    examples = _examples(page_data, word, column, [k for k, _ in senses], occurrences.rows)
    return {
        "word": word,
        "n_documents": occurrences.n,
        "forms": occurrences.forms,
        "own": hasattr(page_data.estimator, "word_topics_"),
        "senses": [
            {**topic_stub(page_data, k), "share": rounded(share), "examples": passages}
            for (k, share), passages in zip(senses, examples, strict=True)
        ],
        "more": len(pairs) - len(senses),
        "near": _similar_spellings(page_data, word),
    }


def words_like(page_data: PageData, prefix: str) -> dict[str, Any]:
    """Return the words that start with a prefix, by decreasing mean weight."""
    if not prefix or len(prefix) > LONGEST:
        raise LaconicError(
            f"The parameter 'like' must be a prefix of 1 to {LONGEST} characters; "
            f"got {len(prefix)}."
        )
    start = prefix.lower()
    columns = [i for i, name in enumerate(page_data.words) if name.lower().startswith(start)]
    order = sorted(columns, key=lambda column: -page_data.overall[column])
    return {"words": [str(page_data.words[column]) for column in order[:COMPLETIONS]]}


def _column(page_data: PageData, word: str) -> int:
    if len(word) <= LONGEST:
        for spelling in (word, word.lower()):
            column = page_data.reader.column(spelling)
            if column >= 0:
                return column
    similar = _similar_spellings(page_data, word)
    hint = f"; similar words: {', '.join(similar)}" if similar else ""
    raise NotFoundError(f"The word {word[:50]!r} is not in the model's vocabulary{hint}.")


def _similar_spellings(page_data: PageData, word: str) -> list[str]:
    """Return words with a similar spelling and the same first two letters."""
    lower = word.lower()
    names = [
        str(name) for name in page_data.words if name[:2] == lower[:2] and name.lower() != lower
    ]
    return get_close_matches(lower[:LONGEST], names, n=5, cutoff=0.7)


class WordDocuments(NamedTuple):
    """Documents that contain a word."""

    rows: np.ndarray | None  # if `n` is None, some of these rows may not contain the word
    n: int | None  # number of documents that contain the word, or None if unknown
    forms: bool = False  # whether other word forms are included


def _documents_with_word(page_data: PageData, word: str, column: int) -> WordDocuments:
    """Return the documents that contain a word, from the corpus or else from the search index."""
    if page_data.corpus is not None:
        rows = _counted(page_data, page_data.corpus, word, column)
        return WordDocuments(rows, len(rows))
    if page_data.index is None:
        return WordDocuments(None, None)
    lexical = page_data.index.parts.lexical
    rows = _with_stems(lexical, lexical.words.stems([word]))
    if len(rows):
        return WordDocuments(rows, len(rows), forms=True)
    rows = _with_stems(lexical, lexical.words.stems(word.split(" ")))
    # the index omits stop words, so the documents must be checked for the phrase
    can_check = 0 < len(rows) <= MOST_READ
    counts = page_data.reader.counts(rows.tolist()) if can_check else None
    if counts is None:
        return WordDocuments(rows, None)
    rows = rows[counts[:, [column]].toarray().ravel() > 0]
    return WordDocuments(rows, len(rows))


def _with_stems(lexical: Lexical, stems: list[str]) -> np.ndarray:
    """Return the documents that contain all `stems`; stems without an entry are ignored."""
    indexed = [row for row in lexical.rows_of(stems).tolist() if row >= 0]
    postings = [lexical.postings.documents_of(row) for row in indexed]
    return reduce(np.intersect1d, postings) if postings else np.zeros(0, dtype=np.int64)


def _counted(page_data: PageData, corpus: Corpus, word: str, column: int) -> np.ndarray:
    """Return the documents of a corpus that contain a word."""
    if page_data.names is not None and corpus.vocabulary is not None:
        column = int(corpus.words.columns([word])[0])  # type: ignore[union-attr]
        if column < 0:
            return np.zeros(0, dtype=np.int64)
    bare = corpus.replace(ids=None, titles=None, labels=None, texts=None)
    found, start = [np.zeros(0, dtype=np.int64)], 0
    for part in bare.parts():
        found.append(start + column_entries(part.counts, column)[0])
        start += len(part)
    return np.concatenate(found)


def _spaced(size: int, n: int) -> np.ndarray:
    """Return `n` evenly spaced positions out of `size`, or all of them if there are fewer."""
    return np.arange(size) if size <= n else np.linspace(0, size - 1, n).astype(np.int64)


def _examples(
    page_data: PageData, word: str, column: int, topics: list[int], rows: np.ndarray | None
) -> list[list[dict[str, Any]]]:
    """Return, for each topic, passages in which the topic is the sense of the word."""
    if rows is None or not len(rows) or not topics or page_data.texts is None:
        return [[] for _ in topics]
    rows = rows[_spaced(len(rows), MOST_COMPARED)]
    table = page_data.shares_in(rows, topics)
    weights = page_data.components_by_word[:, [column]].toarray().ravel()[topics]
    # for a topic in which the word has a negative weight, prefer documents with a negative share
    table = table * np.sign(weights)
    rows, table = _narrow(page_data, column, topics, rows, table)
    used: set[int] = set()
    examples = []
    for k in range(len(topics)):
        order = np.argsort(-table[:, k], kind="stable")
        ranked = [int(rows[i]) for i in order if table[i, k] > 0 and rows[i] not in used]
        passages = _passages(page_data, word, ranked[:CANDIDATES])
        used |= {example["document"] for example in passages}
        examples.append(passages)
    return examples


def _narrow(
    page_data: PageData, column: int, topics: list[int], rows: np.ndarray, table: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """If the model has word codes, select the best documents and score them by the word's codes."""
    if not hasattr(page_data.estimator, "word_codes"):
        return rows, table
    # word codes are expensive, so they are computed for the best documents only
    best = np.unique(np.argsort(-table, axis=0, kind="stable")[:CANDIDATES])
    rows = rows[best]
    counts = page_data.reader.counts(rows.tolist())
    if counts is None:
        return rows, table[best]
    return rows, page_data.reader.shares_of_word(column, counts)[:, topics]


def _passages(page_data: PageData, word: str, rows: list[int]) -> list[dict[str, Any]]:
    """Return passages with a word, of which no two say the same."""
    passages: list[dict[str, Any]] = []
    for row in rows:
        pieces = _passage(page_data, word, row)
        if pieces and not any(say_same(pieces, other["pieces"]) for other in passages):
            passages.append({**document_stub(page_data, row), "pieces": pieces})
        if len(passages) == EXAMPLES:
            break
    return passages


def _passage(page_data: PageData, word: str, row: int) -> list[tuple[str, str]] | None:
    """Return the pieces of a passage with the word, or None if the word is not in the text."""
    text = page_data.texts[row] or ""
    if " " in word:
        text = on_one_line(text)
        snippet = cut_around(text, page_data.reader.phrases(text, word), {word: 1.0})
    else:
        words = page_data.reader.exact_words
        snippet = cut_snippet(text, words, {words.stems([word])[0]: 1.0}, ())
    return passage(snippet.pieces()) if snippet.words else None
