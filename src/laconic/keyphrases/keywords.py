"""Keyword extraction: ``laconic.keywords``.

`laconic.keyphrases.evidence` computes the evidence and `laconic.keyphrases.methods` the scores;
this module selects the best words, joins them into phrases and returns them with their evidence.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

import numpy as np
import Stemmer

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.kernels import positions
from laconic.keyphrases.evidence import (
    NO_TEXT,
    Background,
    Evidence,
    Occurrences,
    Tokens,
    find_occurrences,
    find_tokens,
    function_words,
)
from laconic.keyphrases.expectations import from_model
from laconic.keyphrases.keyword import Keyword, Keywords
from laconic.keyphrases.methods import METHODS, NEED_TEXTS
from laconic.text.positions import texts_of

# settings with which every word is counted as it is, except for stop words
ALL_WORDS: dict[str, Any] = {
    "min_df": 1,
    "max_df": 1.0,
    "max_features": None,
    "lemmatizer": None,
    "phrases": False,
}

ROWS = 16_384  # number of documents per block
# number of candidate words per keyword; more than one, because a phrase uses up several candidates
CANDIDATES = 3


def keywords(
    corpus: Any,
    n: int = 5,
    method: str = "best",
    *,
    model: Any = None,
    background: Any = None,
    phrases: bool = True,
) -> Keywords:
    """Extract the keywords and key phrases that distinguish each document from the others.

    Parameters
    ----------
    corpus : Corpus, list of str, or anything `laconic.read` accepts
        Strings are counted without the stop words of their language.
    n : int, default=5
        Maximum number of keywords per document.
    method : str, default="best"
        Ranking of the words. "best" agrees best with titles written by people; it uses counts, and
        texts if available. "counts" is the same method without texts. "tfidf" is tf-idf, "position"
        is tf-idf with a preference for early words, "llr" is the log-likelihood ratio, and "pcp" is
        the part of the count that the background of `model` does not explain.
    model : PCP or topic model, optional
        Fitted model, or a pipeline whose last step is a fitted model. The model provides expected
        counts; a `PCP` also provides residuals. Without a model, "pcp" fits a `PCP` to the corpus.
    background : Corpus or list of str, optional
        Other documents to compare with; by default, each document is compared with all other
        documents of `corpus`. The background is analysed on every call, so pass many documents in
        one call.
    phrases : bool, default=True
        Whether phrases replace words that occur mostly in these phrases; needs texts.

    Returns
    -------
    Keywords
        A list with the list of keywords of each document, best first, which prints as a table;
        ``.frame`` is a polars DataFrame. The list is empty for a document without words. Ties
        are broken by position in the text, then alphabetically. Words without a letter are
        excluded. If several words have the same stem ("bank", "banks"), only the best word is kept.

    Examples
    --------
    >>> texts = [
    ...     "The cocoa prices rose. It is said that cocoa prices will rise again.",
    ...     "The harbour is closed by ice, and the ships are in the harbour.",
    ... ]
    >>> lists = keywords(texts, n=2)
    >>> [[keyword.word for keyword in document] for document in lists]
    [['cocoa prices', 'rose'], ['harbour', 'ice']]
    >>> lists[1][0].count, lists[1][0].position
    (2, 1)
    """
    _check(n, method)
    background = _as_background(background)
    corpus = _as_corpus(corpus, background)
    finder = make_finder(corpus, method, model=model, background=background, phrases=phrases)
    lists: list[list[Keyword]] = []
    for start in range(0, len(finder), ROWS):
        lists += finder.best(start, min(start + ROWS, len(finder)), n, method)
    return Keywords(lists, ids=corpus.ids, titles=corpus.titles)


def make_finder(
    corpus: Any,
    method: str = "best",
    *,
    model: Any = None,
    background: Any = None,
    phrases: bool = True,
) -> Finder:
    """Analyse the documents and return a Finder; see `keywords` for the parameters."""
    statistics = _as_background(background)
    corpus = _as_corpus(corpus, statistics)
    if len(corpus) == 0:
        raise LaconicError("There are no documents to extract keywords from; pass at least one.")
    texts = _texts(corpus, method)
    counts = corpus.counts
    includes_self = statistics is None
    if statistics is None:
        statistics = Background.from_counts(corpus)
    elif corpus.vocabulary is not None:
        statistics = statistics.over(corpus.vocabulary)
    tokens = occurrences = None
    if texts is not None and corpus.vocabulary is not None:
        tokens = find_tokens(texts, corpus.vocabulary, statistics.settings)
        occurrences = find_occurrences(counts, tokens)
        statistics = (
            statistics.with_occurrences(counts, occurrences, tokens)
            if includes_self
            else statistics
        )
    if model is None and method == "pcp":
        from laconic.models.pcp.estimator import PCP

        model = PCP().fit(corpus)
    expectations = None if model is None else from_model(model, corpus)
    if method == "pcp" and (expectations is None or expectations[1] is None):
        raise LaconicError(
            "method='pcp' needs a PCP as model=, because other models have no residuals."
        )
    return Finder(corpus, statistics, includes_self, tokens, occurrences, expectations, phrases)


class Finder:
    """Keyword extractor for blocks of documents; built by `make_finder`.

    Examples
    --------
    >>> finder = make_finder(["The cat sleeps", "The dog barks at a cat"])
    >>> [[keyword.word for keyword in document] for document in finder.best(1, 2, n=1)]
    [['dog']]
    """

    def __init__(
        self,
        corpus: Corpus,
        background: Background,
        includes_self: bool,
        tokens: Tokens | None,
        occurrences: Occurrences | None,
        expectations: tuple[np.ndarray, np.ndarray | None] | None,
        phrases: bool,
    ) -> None:
        self.counts = corpus.counts
        self.background, self.includes_self = background, includes_self
        self.tokens, self.occurrences = tokens, occurrences
        self.expectations = expectations
        self.phrases = phrases and tokens is not None
        width = self.counts.shape[1]
        vocabulary = corpus.vocabulary
        self.words = list(map(str, range(width))) if vocabulary is None else vocabulary.tolist()
        self.is_word = np.ones(width, bool)
        self.ranks = self.groups = np.arange(width)
        if vocabulary is not None:
            functions = function_words(background.settings)
            self.is_word = np.array([_is_word(word, functions) for word in self.words], bool)
            self.ranks = _ranks(self.words)
            self.groups = _stems(self.words, background.settings["stop_words"])
        self.in_phrases = self.is_word & background.in_phrases()

    def __len__(self) -> int:
        return int(self.counts.shape[0])

    def pick(self, rows: Sequence[int]) -> Finder:
        """Return a finder for some of the documents, with the same background."""
        picked = copy.copy(self)
        chosen = np.asarray(rows, dtype=np.int64)
        indptr = self.counts.indptr
        entries = _ranges(indptr[chosen], indptr[chosen + 1])
        picked.counts = self.counts[chosen]
        if self.occurrences is not None:
            picked.occurrences = Occurrences(*(column[entries] for column in self.occurrences))
        if self.tokens is not None:
            ends = self.tokens.ends
            starts, stops = np.where(chosen > 0, ends[chosen - 1], 0), ends[chosen]
            tokens = _ranges(starts, stops)
            picked.tokens = Tokens(
                self.tokens.columns[tokens], np.cumsum(stops - starts), self.tokens.flags[tokens]
            )
        if self.expectations is not None:
            expected, residual = self.expectations
            picked_residual = None if residual is None else residual[entries]
            picked.expectations = expected[entries], picked_residual
        return picked

    def best(self, start: int, stop: int, n: int, method: str = "best") -> list[list[Keyword]]:
        """Return the keywords of the rows from `start` to `stop`."""
        evidence = self._evidence(start, stop)
        counts = evidence.counts
        scores = np.where(self.is_word[counts.indices], METHODS[method](evidence), 0)
        missing = np.full(counts.nnz, -1, np.int32)
        first = missing if evidence.occurrences is None else evidence.occurrences.first
        wanted = n * CANDIDATES if self.phrases else n
        indptr = counts.indptr.astype(np.int64)
        chosen = positions.choose_best(
            indptr, counts.indices, scores, first, self.ranks, self.groups, wanted
        )
        if not self.phrases:
            entries = chosen[chosen >= 0]
            spelt = [self.words[column] for column in counts.indices[entries].tolist()]
            times, starts = counts.data[entries], first[entries]
        else:
            chosen, spelt, times, starts = self._join(evidence, chosen, start, stop, n)
            entries = chosen[chosen >= 0]
        listed = self._list(evidence, scores, entries, spelt, times, starts)
        ends = np.cumsum(np.count_nonzero(chosen >= 0, axis=1)).tolist()
        return [listed[low:high] for low, high in pairwise([0, *ends])]

    def _evidence(self, start: int, stop: int) -> Evidence:
        low, high = self.counts.indptr[start], self.counts.indptr[stop]
        occurrences = self.occurrences and Occurrences(
            *(column[low:high] for column in self.occurrences)
        )
        lengths = None
        if self.tokens is not None:
            before = self.tokens.ends[start - 1] if start else 0
            lengths = np.diff(self.tokens.ends[start:stop], prepend=before)
        model = None
        if self.expectations is not None:
            expected, residual = self.expectations
            model = expected[low:high], None if residual is None else residual[low:high]
        counts = self.counts[start:stop]
        return Evidence(counts, self.background, self.includes_self, occurrences, lengths, model)

    def _join(
        self, evidence: Evidence, chosen: np.ndarray, start: int, stop: int, n: int
    ) -> tuple[np.ndarray, list[str], np.ndarray, np.ndarray]:
        """Join words into phrases; return their entries, spellings, counts and positions."""
        assert self.tokens is not None
        assert evidence.occurrences is not None
        pairs = self.background.pairs
        tokens = _rows(self.tokens, start, stop)
        heads, words, times, first = positions.join_words(
            chosen,
            evidence.counts.indices,
            evidence.counts.data,
            evidence.occurrences.first,
            np.where(self.in_phrases[tokens.columns], tokens.columns, -1).astype(np.int32),
            tokens.ends,
            tokens.flags,
            np.zeros(0, np.int64) if pairs is None else pairs,
            self.counts.shape[1],
            n,
        )
        words = words[heads >= 0]
        spelt = [self.words[column] for column in words[:, 0].tolist()]
        for phrase in np.flatnonzero(words[:, 1] >= 0).tolist():
            columns = words[phrase][words[phrase] >= 0]
            spelt[phrase] = " ".join(self.words[column] for column in columns.tolist())
        return heads, spelt, times[heads >= 0], first[heads >= 0]

    def _list(
        self,
        evidence: Evidence,
        scores: np.ndarray,
        entries: np.ndarray,
        spelt: list[str],
        times: np.ndarray,
        starts: np.ndarray,
    ) -> list[Keyword]:
        nones = [None] * len(entries)
        residual, texts = evidence.residual, evidence.occurrences is not None
        heads = [self.words[column] for column in evidence.counts.indices[entries].tolist()]
        columns = (
            spelt,
            scores[entries].tolist(),
            times.tolist(),
            evidence.expected[entries].tolist(),
            [start if start >= 0 else None for start in starts.tolist()],
            nones if residual is None else _nan_to_none(residual[entries]),
            evidence.documents[entries].tolist(),
            evidence.burst[entries].tolist(),
            evidence.figures[entries].tolist() if texts else nones,
            evidence.linking[entries].tolist() if texts else nones,
            [None if word == head else head for word, head in zip(spelt, heads, strict=True)],
        )
        return list(map(Keyword, *columns))


# --- checks and preparation of the input ---------------------------------------------------------


def _check(n: int, method: str) -> None:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise LaconicError(f"n must be an integer of at least 1; got {n!r}.")
    if method not in METHODS:
        similar = get_close_matches(str(method), METHODS, n=1)
        hint = f"did you mean {similar[0]!r}?" if similar else f"use one of {', '.join(METHODS)}."
        raise LaconicError(f"method={method!r} is not a keyword method; {hint}")


def _as_background(background: Any) -> Background | None:
    if background is None or isinstance(background, Background):
        return background
    return Background.of(_as_corpus(background, None))


def _as_corpus(documents: Any, background: Background | None) -> Corpus:
    """Convert documents to a Corpus; count texts with the settings of the background."""
    from laconic.io.read import read

    if isinstance(documents, Corpus):
        return _with_rare_words(documents)
    if not _are_texts(documents):
        return read(documents)
    if background is not None:
        return read(documents, **(background.settings | ALL_WORDS))
    return read(documents, **ALL_WORDS)


def _with_rare_words(corpus: Corpus) -> Corpus:
    """Count the texts of a corpus again if words were left out: rare words are good keywords."""
    settings = corpus.vectorizer or {}
    is_pruned = any(settings.get(name, value) != value for name, value in ALL_WORDS.items())
    if not is_pruned or corpus.texts is None or corpus.vocabulary is None:
        return corpus
    from laconic.text.vectorizer import Vectorizer, complete_settings

    texts = texts_of(corpus, NO_TEXT)
    vectorizer = Vectorizer(**{**complete_settings(settings), **ALL_WORDS})
    counted: Corpus = vectorizer.fit_transform(texts)
    return counted.replace(
        ids=corpus.ids, titles=corpus.titles, labels=corpus.labels, texts=corpus.texts
    )


def _are_texts(documents: Any) -> bool:
    from pathlib import Path

    if isinstance(documents, (str, bytes, Path, Corpus)) or hasattr(documents, "columns"):
        return False
    return getattr(documents, "ndim", 1) == 1 and hasattr(documents, "__iter__")


def _texts(corpus: Corpus, method: str) -> np.ndarray | None:
    """Return the texts of the corpus if the method uses texts, otherwise None."""
    if method == "counts":
        return None
    if corpus.vocabulary is None or corpus.texts is None:
        if method in NEED_TEXTS:
            raise LaconicError(
                f"method={method!r} needs the positions of words, but the documents of this corpus "
                "have no texts; add texts (Corpus.texts), or use method='counts'."
            )
        return None
    return texts_of(corpus, NO_TEXT)


def _is_word(word: str, functions: frozenset[str]) -> bool:
    """Return whether a word has a letter and is not a function word."""
    return word not in functions and (word.isalpha() or any(map(str.isalpha, word)))


def _ranks(words: list[str]) -> np.ndarray:
    """Return the alphabetical rank of each word."""
    if all(one <= other for one, other in pairwise(words)):
        return np.arange(len(words))
    ranks = np.empty(len(words), dtype=np.int64)
    ranks[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
    return ranks


def _stems(words: list[str], language: Any) -> np.ndarray:
    """Return a number for each word; words with the same stem have the same number."""
    if not isinstance(language, str) or language not in Stemmer.algorithms():
        return np.arange(len(words))
    numbers: dict[str, int] = {}
    stems = Stemmer.Stemmer(language).stemWords(words)
    return np.array([numbers.setdefault(stem, len(numbers)) for stem in stems], dtype=np.int64)


def _rows(tokens: Tokens, start: int, stop: int) -> Tokens:
    low = int(tokens.ends[start - 1]) if start else 0
    high = int(tokens.ends[stop - 1]) if stop else 0
    return Tokens(tokens.columns[low:high], tokens.ends[start:stop] - low, tokens.flags[low:high])


def _ranges(starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """Return the concatenation of the ranges from ``starts[i]`` to ``stops[i]``."""
    parts = [np.arange(start, stop) for start, stop in zip(starts, stops, strict=True)]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _nan_to_none(values: np.ndarray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]
