"""Build the inverted index of a corpus from its texts, or from its counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.corpus.matrices import ColumnMap
from laconic.errors import LaconicError
from laconic.files.scratch_folder import ScratchFolder
from laconic.retrieval.bm25 import Lexical
from laconic.retrieval.postings import PostingsBuilder
from laconic.text.counting import Lexicon, as_spans, decoded
from laconic.text.defaults import EVERY_WORD, complete_settings
from laconic.text.language import first_texts, guess_from_texts
from laconic.text.settings import check_settings
from laconic.text.stop_words import language_name
from laconic.text.vectorizer import Vectorizer
from laconic.text.words import READING, Words

BLOCK = 1 << 16  # number of words that are decoded at once
TITLE_WEIGHT = 3  # number of times that each word of the title is counted
TITLE_SEARCH = 500  # number of characters at the start of a text that may contain the title


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
