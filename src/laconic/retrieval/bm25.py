"""Inverted index of word stems, weighted by BM25.

The weight of a word in a document is::

    ln(1 + (N - df + 1/2) / (df + 1/2)) · tf / (tf + k1 (1 - b + b · length / mean length))

This is the variant that ``bm25s`` calls "lucene"; a test compares the weights with ``bm25s``. The
weights of all documents are computed at once from counts; the score of a document is the sum of the
weights of the query's words.

Texts are tokenised with the settings of the corpus, but rare and frequent words are kept; only stop
words are left out. Words are stemmed (Snowball), lower-cased and stripped of accents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.corpus.matrices import ColumnMap, column_entries
from laconic.corpus.vocabulary import Vocabulary, as_strings
from laconic.errors import LaconicError
from laconic.kernels.spelling import edit_distances
from laconic.text.defaults import EVERY_WORD
from laconic.text.language import first_texts, guess_from_texts
from laconic.text.settings import check_settings
from laconic.text.stop_words import language_name
from laconic.text.vectorizer import Vectorizer, complete_settings
from laconic.text.words import READING, Words

K1, B = 1.5, 0.75
TITLE_WEIGHT = 3  # number of times that each word of the title is counted
TITLE_SEARCH = 500  # number of characters at the start of a text that may contain the title


class Lexical:
    """Inverted index of a corpus.

    Parameters
    ----------
    postings : csr_matrix of shape (n_stems, n_documents)
        Weight of each stem in each document.
    stems : ndarray of str
        Stem of each row.
    forms : ndarray of str
        The most frequent word with each stem.
    words : Words
        Tokeniser and stemmer of texts and queries.

    Examples
    --------
    >>> corpus = Corpus([[2, 0, 1], [0, 1, 0]], ["dogs", "cat", "dog"])
    >>> lexical = index_words(corpus, None, "english")
    >>> lexical.stems.tolist(), lexical.forms.tolist()
    (['cat', 'dog'], ['cat', 'dogs'])
    >>> rows = lexical.rows_of(["dog"])
    >>> (lexical.scores(rows) > 0).tolist()
    [True, False]
    """

    def __init__(
        self, postings: sp.csr_matrix, stems: np.ndarray, forms: np.ndarray, words: Words
    ) -> None:
        self.postings = postings
        self.stems = stems
        self.forms = forms
        self.words = words

    def rows_of(self, stems: Iterable[str]) -> np.ndarray:
        """Return the row of each stem, or -1 if no document contains the stem."""
        return self._columns.columns(stems)

    def look_up(self, text: str) -> tuple[list[str], np.ndarray]:
        """Return the words of a text without stop words, and the rows of their stems (or -1)."""
        words = [word for word in self.words.split(text) if not self.words.is_stop(word)]
        return words, self.rows_of(self.words.stems(words))

    def scores(self, rows: np.ndarray) -> np.ndarray:
        """Return the BM25 score of each document (float32); repeated rows count repeatedly."""
        data, indices, indptr = self.postings.data, self.postings.indices, self.postings.indptr
        scores = np.zeros(self.postings.shape[1], np.float32)
        for start, stop in zip(indptr[rows], indptr[rows + 1], strict=True):
            scores[indices[start:stop]] += data[start:stop]
        return scores

    def document(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the stems of a document, as rows of `postings`, and their weights."""
        return column_entries(self.postings, row)

    def rarity(self, rows: np.ndarray) -> np.ndarray:
        """Return the inverse document frequency (idf) of stems."""
        frequency = self.postings.indptr[rows + 1] - self.postings.indptr[rows]
        return _idf(frequency.astype(np.float64), self.postings.shape[1])

    def suggest(self, word: str, n: int = 3) -> list[str]:
        """Return up to `n` similarly spelt words, ordered by distance and then by frequency."""
        max_distance = 1 if len(word) < 5 else 2
        letters, ends = self._letters
        distances = edit_distances(_code_points([word]), letters, ends, max_distance)
        rows = np.flatnonzero(distances <= max_distance)
        frequency = np.diff(self.postings.indptr)[rows]
        other_start = np.array([not form.startswith(word[:1]) for form in self.forms[rows]], bool)
        order = np.lexsort((rows, -frequency, other_start, distances[rows]))
        return [str(self.forms[row]) for row in rows[order[:n]]]

    @cached_property
    def _columns(self) -> Vocabulary:
        return Vocabulary(self.stems)

    @cached_property
    def _letters(self) -> tuple[np.ndarray, np.ndarray]:
        ends = np.cumsum([len(form) for form in self.forms], dtype=np.int64)
        return _code_points(self.forms), ends


# ---- building an index ----


def index_words(
    corpus: Corpus, texts: Sequence[str | None] | None, language: str | None = "auto"
) -> Lexical:
    """Index titles and texts or, if there are no texts, the counts of the corpus."""
    counted_with = corpus.vectorizer or {}
    settings = {name: counted_with[name] for name in READING if name in counted_with}
    language = _language(language, counted_with.get("stop_words"), texts, settings)
    if texts is None:
        words = Words(
            language, {**settings, "ngram_range": counted_with.get("ngram_range", [1, 1])}
        )
        return _weigh(*_counts_of(corpus, words), words)
    words = Words(language, settings)
    return _weigh(*_count(texts, corpus.titles, words), words)


def _language(
    language: str | None, stop: Any, texts: Sequence[str | None] | None, settings: dict[str, Any]
) -> str | None:
    """Return `language` or, for "auto", the language of the stop words or of the texts."""
    if language is None:
        return None
    if language != "auto":
        return _checked_language(language)
    if isinstance(stop, str) and stop != "auto":
        return stop
    if texts is None:
        return "english"
    sample = first_texts(text or "" for text in texts)
    guess = guess_from_texts(sample, check_settings(complete_settings(settings)))
    return guess.language or "english"


def _checked_language(language: str) -> str:
    try:
        return language_name(language)
    except LaconicError as error:
        raise LaconicError(
            str(error).replace("stop_words=", "language=").replace("a list of words", "None")
        ) from error


def _count(
    texts: Sequence[str | None], titles: np.ndarray | None, words: Words
) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return the word counts of titles and texts, and the vocabulary."""
    reading = {name: words.settings[name] for name in READING}
    vectorizer = Vectorizer(**{**EVERY_WORD, **reading, "stop_words": words.language})
    if titles is None:
        counted = vectorizer.fit_transform(text or "" for text in texts)
        return counted.counts, counted.vocabulary
    counted = vectorizer.fit_transform(map(_headed, titles, texts))
    headings = vectorizer.transform(str(title or "") for title in titles)
    return counted.counts + (TITLE_WEIGHT - 1) * headings.counts, counted.vocabulary


def _headed(title: Any, text: str | None) -> str:
    """Put the title before the text, unless the start of the text already contains it."""
    title, text = str(title or ""), text or ""
    start = text[:TITLE_SEARCH] if len(title) < TITLE_SEARCH else text
    return text if title in start else f"{title}\n{text}"


def _counts_of(corpus: Corpus, words: Words) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return the word counts of a corpus without texts plus its titles, and the vocabulary."""
    counts, vocabulary, titles = corpus.counts, corpus.vocabulary, corpus.titles
    assert vocabulary is not None
    if titles is None:
        return counts, vocabulary
    reading = {name: words.settings[name] for name in (*READING, "ngram_range")}
    vectorizer = Vectorizer(**{**EVERY_WORD, **reading, "stop_words": words.language})
    try:
        headings = vectorizer.fit_transform([str(title or "") for title in titles])
    except LaconicError:  # no title contains a word
        return counts, vocabulary
    both = sp.hstack([counts, TITLE_WEIGHT * headings.counts], format="csr")
    return both, np.concatenate([vocabulary, headings.vocabulary])


def _weigh(counts: sp.csr_matrix, vocabulary: np.ndarray, words: Words) -> Lexical:
    """Compute the BM25 weights of stems from counts of words."""
    indexed = np.array([not words.is_stop(word) for word in vocabulary], dtype=bool)
    stem_of_word = words.stems(vocabulary[indexed])
    stems = as_strings(sorted(set(stem_of_word)))
    columns = Vocabulary(stems).columns(stem_of_word)
    target = np.full(len(vocabulary), -1, dtype=np.int32)
    target[indexed] = columns
    forms = _commonest(vocabulary[indexed], columns, counts.sum(axis=0).A1[indexed], len(stems))
    rows = ColumnMap(target, len(stems)).move(counts).tocsc().T  # sorts the rows in linear time
    rows.sum_duplicates()
    lengths = np.bincount(rows.indices, rows.data, minlength=rows.shape[1])
    frequency = np.diff(rows.indptr).astype(np.float64)
    tf = rows.data.astype(np.float32)
    norms = K1 * (1 - B + B * lengths / max(lengths.mean(), 1e-300))
    data = tf / (tf + norms.astype(np.float32)[rows.indices])
    data *= np.repeat(_idf(frequency, rows.shape[1]).astype(np.float32), np.diff(rows.indptr))
    postings = sp.csr_matrix((data, rows.indices, rows.indptr), rows.shape)
    postings.has_canonical_format = True
    return Lexical(postings, stems, forms, words)


def _commonest(
    words: np.ndarray, columns: np.ndarray, totals: np.ndarray, n_stems: int
) -> np.ndarray:
    """Return the most frequent word with each stem; in a tie, the first word."""
    forms = np.empty(n_stems, dtype=object)
    # The last assignment to a stem wins, so the preferred word is last.
    order = np.lexsort((-np.arange(len(words)), totals))
    forms[columns[order]] = words[order]
    return forms


def _idf(frequency: np.ndarray, n_documents: int) -> np.ndarray:
    return np.log1p((n_documents - frequency + 0.5) / (frequency + 0.5))


def _code_points(words: Iterable[str]) -> np.ndarray:
    return np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), dtype=np.int32)
