"""Inverted index of word stems, weighted by BM25.

The weight of a word in a document is::

    ln(1 + (N - df + 1/2) / (df + 1/2)) · tf / (tf + k1 (1 - b + b · length / mean length))

This is the variant that ``bm25s`` calls "lucene"; a test compares the weights with ``bm25s``. The
postings of each word contain counts, from which the weights are computed (``postings.py``). The
score of a document is the sum of the weights of the query's words.

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
from laconic.corpus.matrices import ColumnMap
from laconic.corpus.vocabulary import as_objects
from laconic.errors import LaconicError
from laconic.files.scratch_folder import ScratchFolder
from laconic.kernels.spelling import edit_distances
from laconic.retrieval.postings import Postings, PostingsBuilder
from laconic.text.counting import Lexicon, as_spans, decoded
from laconic.text.defaults import EVERY_WORD
from laconic.text.language import first_texts, guess_from_texts
from laconic.text.settings import check_settings
from laconic.text.stop_words import language_name
from laconic.text.vectorizer import Vectorizer, complete_settings
from laconic.text.words import READING, Words

BLOCK = 1 << 16  # number of words that are decoded at once
TITLE_WEIGHT = 3  # number of times that each word of the title is counted
TITLE_SEARCH = 500  # number of characters at the start of a text that may contain the title


class Lexical:
    """Inverted index of a corpus.

    Parameters
    ----------
    postings : Postings
        Documents of each stem.
    stems : ndarray of str
        Stem of each row, in ascending order.
    forms : ndarray of str, or callable
        The most frequent word with each stem, or a function that reads these words on first use.
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

    def __init__(self, postings: Postings, stems: np.ndarray, forms: Any, words: Words) -> None:
        self.postings = postings
        self.stems = stems
        self._forms = forms
        self.words = words

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_forms": self.forms}  # A function cannot be pickled.

    @property
    def forms(self) -> np.ndarray:
        """The most frequent word with each stem."""
        if callable(self._forms):
            self._forms = self._forms()
        return self._forms

    def rows_of(self, stems: Iterable[str]) -> np.ndarray:
        """Return the row of each stem, or -1 if no document contains the stem."""
        wanted = as_objects(list(stems))
        if not len(self.stems):
            return np.full(len(wanted), -1, dtype=np.int64)
        # The stems are sorted. A dictionary of them would take long to build for a single query.
        rows = np.minimum(np.searchsorted(self.stems, wanted), len(self.stems) - 1)
        return np.where(self.stems[rows] == wanted, rows, -1)

    def look_up(self, text: str) -> tuple[list[str], np.ndarray]:
        """Return the words of a text without stop words, and the rows of their stems (or -1)."""
        words = [word for word in self.words.split(text) if not self.words.is_stop(word)]
        return words, self.rows_of(self.words.stems(words))

    def scores(self, rows: np.ndarray) -> np.ndarray:
        """Return the BM25 score of each document (float32); repeated rows count repeatedly."""
        scores = np.zeros(self.postings.shape[1], np.float32)
        for row in rows.tolist():
            self.postings.add(row, scores)
        return scores

    def document(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the stems of a document, as rows of `postings`, and their weights."""
        return self.postings.document(row)

    def rarity(self, rows: np.ndarray) -> np.ndarray:
        """Return the inverse document frequency (idf) of stems."""
        return self.postings.idf(rows)

    def suggest(self, word: str, n: int = 3) -> list[str]:
        """Return up to `n` similarly spelt words, ordered by distance and then by frequency."""
        max_distance = 1 if len(word) < 5 else 2
        letters, ends = self._letters
        distances = edit_distances(_code_points([word]), letters, ends, max_distance)
        rows = np.flatnonzero(distances <= max_distance)
        frequency = self.postings.frequency(rows)
        other_start = np.array([not form.startswith(word[:1]) for form in self.forms[rows]], bool)
        order = np.lexsort((rows, -frequency, other_start, distances[rows]))
        return [str(self.forms[row]) for row in rows[order[:n]]]

    @cached_property
    def _letters(self) -> tuple[np.ndarray, np.ndarray]:
        ends = np.cumsum([len(form) for form in self.forms], dtype=np.int64)
        return _code_points(self.forms), ends


# ---- building an index ----


def index_words(
    corpus: Corpus, texts: Sequence[str | None] | None, language: str | None = "auto"
) -> Lexical:
    """Index titles and texts or, if there are no texts, the counts of the corpus."""
    indexer = WordIndexer(corpus.vectorizer or {}, language, texts)
    indexer.append(corpus, texts)
    return indexer.finish()


class WordIndexer:
    """Builds the inverted index of a corpus from its parts.

    Parameters
    ----------
    counted_with : dict
        Settings of the `Vectorizer` that counted the corpus.
    language : str or None
        Language of the texts, "auto" to detect it, or None for no stemming.
    texts : iterable of str or None
        The first texts, from which the language is detected; None if there are no texts.
    scratch : ScratchFolder, optional
        Folder for the postings; by default, they are in memory.
    """

    def __init__(
        self,
        counted_with: dict[str, Any],
        language: str | None,
        texts: Iterable[str | None] | None,
        scratch: ScratchFolder | None = None,
    ) -> None:
        self._has_texts = texts is not None
        self._reading = {name: counted_with[name] for name in READING if name in counted_with}
        language = _language(language, counted_with.get("stop_words"), texts, self._reading)
        settings = dict(self._reading)
        if texts is None:
            settings["ngram_range"] = counted_with.get("ngram_range", [1, 1])
        self.words = Words(language, settings)
        self._tokenizer: dict[str, Any] = {}  # the tokenizer that was chosen for the first part
        self._words, self._stems = Lexicon(), Lexicon()  # they grow from part to part
        self._stem_of = np.zeros(0, dtype=np.int32)  # stem of each word, -1 for stop words
        self._totals = np.zeros(0)  # how often each word occurs
        self._builder = PostingsBuilder(scratch)
        self._problem: LaconicError | None = None

    def append(self, part: Corpus, texts: Sequence[str | None] | None) -> None:
        """Add the next documents of the corpus; without texts, their counts are used."""
        if texts is None:
            counts, vocabulary = _counts_of(part, self.words)
        else:
            try:
                counts, vocabulary, reading = _count(
                    texts, part.titles, self.words, self._tokenizer
                )
                self._tokenizer = {"tokenizer": reading["tokenizer"]}
            except LaconicError as error:  # no text contains a word
                self._problem = self._problem or error
                counts = sp.csr_matrix((len(part), 0), dtype=np.int32)
                vocabulary = np.zeros(0, dtype=object)
        numbers = self._number(vocabulary)
        np.add.at(self._totals, numbers, counts.sum(axis=0).A1)
        moved = ColumnMap(self._stem_of[numbers], self._stems.size).move(counts)
        self._builder.append(moved.tocsc().T)  # sorts the rows in linear time

    def _number(self, vocabulary: np.ndarray) -> np.ndarray:
        """Return the number of each word; new words are added, with their stems."""
        if not len(vocabulary):
            return np.zeros(0, dtype=np.int64)
        n_known = self._words.size
        numbers = self._words.match(as_spans(vocabulary.tolist())).astype(np.int64)
        distinct, positions = np.unique(numbers, return_index=True)
        new = vocabulary[positions[distinct >= n_known]]  # in the order of their numbers
        stem_of = np.full(len(new), -1, dtype=np.int32)
        indexed = np.array([not self.words.is_stop(word) for word in new], dtype=bool)
        if indexed.any():
            stem_of[indexed] = self._stems.match(as_spans(self.words.stems(new[indexed].tolist())))
        self._stem_of = np.append(self._stem_of, stem_of)
        self._totals = np.append(self._totals, np.zeros(len(new)))
        return numbers

    def finish(self) -> Lexical:
        if self._problem is not None and not self._stems.size:
            raise self._problem
        order = self._stems.sort(np.arange(self._stems.size))
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        words = self._words.sort(np.flatnonzero(self._stem_of >= 0))
        commonest = _commonest(words, ranks[self._stem_of[words]], self._totals[words], len(order))
        postings = self._builder.finish(order)
        stems = np.empty(len(order), dtype=object)
        forms = np.empty(len(order), dtype=object)
        for start in range(0, len(order), BLOCK):
            part = slice(start, start + BLOCK)
            stems[part] = decoded(self._stems.encoded(order[part]))
            words = decoded(self._words.encoded(commonest[part]))
            is_stem = words == stems[part]
            forms[part] = np.where(is_stem, stems[part], words)  # equal strings are stored once
        return Lexical(postings, stems, forms, self.words)


def _language(
    language: str | None, stop: Any, texts: Iterable[str | None] | None, settings: dict[str, Any]
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
    texts: Sequence[str | None],
    titles: np.ndarray | None,
    words: Words,
    tokenizer: dict[str, Any],
) -> tuple[sp.csr_matrix, np.ndarray, dict[str, Any]]:
    """Return the word counts of titles and texts, the vocabulary, and the settings."""
    reading = {name: words.settings[name] for name in READING} | tokenizer
    vectorizer = Vectorizer(**{**EVERY_WORD, **reading, "stop_words": words.language})
    if titles is None:
        counted = vectorizer.fit_transform(text or "" for text in texts)
        return counted.counts, counted.vocabulary, vectorizer.settings_
    counted = vectorizer.fit_transform(map(_headed, titles, texts))
    headings = vectorizer.transform(str(title or "") for title in titles)
    counts = counted.counts + (TITLE_WEIGHT - 1) * headings.counts
    return counts, counted.vocabulary, vectorizer.settings_


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


def _commonest(
    words: np.ndarray, columns: np.ndarray, totals: np.ndarray, n_stems: int
) -> np.ndarray:
    """Return the number of the most frequent word with each stem; in a tie, the first word."""
    commonest = np.empty(n_stems, dtype=np.int64)
    # The last assignment to a stem wins, so the preferred word is last.
    order = np.lexsort((-np.arange(len(words)), totals))
    commonest[columns[order]] = words[order]
    return commonest


def _code_points(words: Iterable[str]) -> np.ndarray:
    return np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), dtype=np.int32)
