"""What a word means where: its topics, each with sentences."""

from __future__ import annotations

from difflib import get_close_matches
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.corpus.matrices import column_entries
from laconic.errors import LaconicError
from laconic.retrieval.bm25 import Lexical
from laconic.text.passages import cut_around, cut_snippet, on_one_line
from laconic.web.page_data import PageData
from laconic.web.views.common import Missing, document_stub, passage, rounded, topic_stub

SENSES = 8
LEAST = 0.01  # share of a word that makes a sense
EXAMPLES = 3
CANDIDATES = 8  # documents that are looked at for each sense
COMPLETIONS = 12
LONGEST = 200  # characters of a word
MOST_READ = 2_000  # documents that are read again to see which of them have a phrase


def word(material: PageData, word: str) -> dict[str, Any]:
    """The senses of a word, the strongest first."""
    column = _column(material, word)
    word = str(material.words[column])  # as the model spells it
    topics, shares = _shares(material, column)
    shown = [(int(k), float(share)) for k, share in zip(topics, shares, strict=True)]
    senses = [(k, share) for k, share in shown[:SENSES] if abs(share) >= LEAST] or shown[:1]
    having = _having(material, word, column)
    examples = _examples(material, word, column, [k for k, _ in senses], having.rows)
    return {
        "word": word,
        "n_documents": having.n,
        "forms": having.forms,
        "own": hasattr(material.estimator, "word_topics_"),
        "senses": [
            {**topic_stub(material, k), "share": rounded(share), "examples": found}
            for (k, share), found in zip(senses, examples, strict=True)
        ],
        "more": len(shown) - len(senses),
        "near": _near(material, word),
    }


def words_like(material: PageData, prefix: str) -> dict[str, Any]:
    """Words of the model that begin as given, the weightiest first."""
    if not prefix or len(prefix) > LONGEST:
        raise LaconicError(f"like takes the beginning of a word, 1 to {LONGEST} characters.")
    wanted = prefix.lower()
    columns = [i for i, name in enumerate(material.words) if name.lower().startswith(wanted)]
    order = sorted(columns, key=lambda column: -material.overall[column])
    return {"words": [str(material.words[column]) for column in order[:COMPLETIONS]]}


def _column(material: PageData, word: str) -> int:
    if len(word) <= LONGEST:
        for spelling in (word, word.lower()):
            column = material.reader.column(spelling)
            if column >= 0:
                return column
    near = _near(material, word)
    hint = f"; near it: {', '.join(near)}" if near else ""
    raise Missing(f"The model does not know the word {word[:50]!r}{hint}.")


def _near(material: PageData, word: str) -> list[str]:
    """Other words that look like it."""
    start, own = word.lower()[:2], word.lower()
    names = [str(name) for name in material.words if name[:2] == start and name.lower() != own]
    return get_close_matches(word.lower()[:LONGEST], names, n=5, cutoff=0.7)


def _shares(material: PageData, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Topics of a word and their parts of it, the largest first."""
    learned = getattr(material.estimator, "word_topics_", None)
    if learned is not None:
        row = sp.csr_matrix(learned[[column]])
        topics, weights = row.indices, row.data.astype(np.float64)
    else:
        part = material.components_by_word[:, [column]]
        topics, weights = part.indices, part.data
        if material.are_distributions:
            weights = weights * material.shares[topics]
    shares = weights / (np.abs(weights).sum() or 1.0)
    order = np.argsort(-np.abs(shares), kind="stable")
    return topics[order], shares[order]


class Having(NamedTuple):
    """Documents that have a word."""

    rows: np.ndarray | None  # those, or for a phrase some more
    n: int | None
    forms: bool = False  # whether other forms of the word count too


def _having(material: PageData, word: str, column: int) -> Having:
    """Documents with the word, as exactly as is known."""
    if material.corpus is not None:
        rows = _counted(material, material.corpus, word, column)
        return Having(rows, len(rows))
    if material.index is None:
        return Having(None, None)
    lexical = material.index.parts.lexical
    rows = _with_stems(lexical, lexical.words.stems([word]))
    if len(rows):
        return Having(rows, len(rows), forms=True)
    rows = _with_stems(lexical, lexical.words.stems(word.split(" ")))
    is_known = 0 < len(rows) <= MOST_READ  # an index has no stop words
    counts = material.reader.counts(rows.tolist()) if is_known else None
    if counts is None:
        return Having(rows, None)
    rows = rows[counts[:, [column]].toarray().ravel() > 0]
    return Having(rows, len(rows))


def _with_stems(lexical: Lexical, stems: list[str]) -> np.ndarray:
    """Documents that have all of these stems, but for those that none has."""
    indices, ends = lexical.postings.indices, lexical.postings.indptr
    known = [row for row in lexical.rows_of(stems).tolist() if row >= 0]
    found = [np.asarray(indices[ends[row] : ends[row + 1]]) for row in known]
    return reduce(np.intersect1d, found) if found else np.zeros(0, dtype=np.int64)


def _counted(material: PageData, corpus: Corpus, word: str, column: int) -> np.ndarray:
    """Documents of a corpus with the word."""
    if material.names is not None and corpus.vocabulary is not None:
        column = int(corpus.words.columns([word])[0])  # type: ignore[union-attr]
        if column < 0:
            return np.zeros(0, dtype=np.int64)
    return column_entries(corpus.counts, column)[0]


def _examples(
    material: PageData, word: str, column: int, topics: list[int], rows: np.ndarray | None
) -> list[list[dict[str, Any]]]:
    """For each topic passages from documents in which the word stands for it."""
    if rows is None or not len(rows) or not topics or material.texts is None:
        return [[] for _ in topics]
    table = np.asarray(material.document_shares[rows][:, topics].todense())
    weights = material.components_by_word[:, [column]].toarray().ravel()[topics]
    table = table * np.sign(weights)  # a word may stand for the other end of a topic
    rows, table = _narrow(material, column, topics, rows, table)
    taken: set[int] = set()
    found = []
    for place in range(len(topics)):
        order = np.argsort(-table[:, place], kind="stable")
        ranked = [int(rows[i]) for i in order if table[i, place] > 0 and rows[i] not in taken]
        examples = _passages(material, word, ranked[:CANDIDATES])
        taken |= {example["document"] for example in examples}
        found.append(examples)
    return found


def _narrow(
    material: PageData, column: int, topics: list[int], rows: np.ndarray, table: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where the model codes words: the likeliest documents, by the codes of the word itself."""
    if not hasattr(material.estimator, "word_codes"):
        return rows, table
    # the codes of words cost more than those of documents: only the likeliest are looked at
    best = np.unique(np.argsort(-table, axis=0, kind="stable")[:CANDIDATES])
    rows = rows[best]
    counts = material.reader.counts(rows.tolist())
    if counts is None:
        return rows, table[best]
    return rows, material.reader.shares_of_word(column, counts)[:, topics]


def _passages(material: PageData, word: str, rows: list[int]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for row in rows:
        pieces = _passage(material, word, row)
        if pieces:
            found.append({**document_stub(material, row), "pieces": pieces})
        if len(found) == EXAMPLES:
            break
    return found


def _passage(material: PageData, word: str, row: int) -> list[tuple[str, str]] | None:
    """Where the word stands in a text; None if it does not."""
    text = material.texts[row] or ""
    if " " in word:
        text = on_one_line(text)
        found = cut_around(text, material.reader.phrases(text, word), {word: 1.0})
    else:
        words = material.reader.exact_words
        found = cut_snippet(text, words, {words.stems([word])[0]: 1.0}, ())
    return passage(found.pieces()) if found.words else None
