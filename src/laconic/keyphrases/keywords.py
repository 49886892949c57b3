"""Keyword extraction: ``laconic.keywords``.

`laconic.keyphrases.evidence` computes the evidence and `laconic.keyphrases.methods` the scores;
this module selects the best words, joins them into phrases and returns them with their evidence.

Documents are processed in parts. The first passes over the parts collect the statistics of the
words; the last pass extracts the keywords. Only one part is in memory, in addition to the
statistics.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
import Stemmer

from laconic.corpus.corpus import Corpus
from laconic.corpus.store import StoreWriter
from laconic.errors import LaconicError
from laconic.files.scratch_folder import ScratchFolder
from laconic.kernels import positions
from laconic.keyphrases.evidence import (
    NO_METADATA,
    NO_TEXT,
    Background,
    Evidence,
    Occurrences,
    Tokenizer,
    Tokens,
    find_occurrences,
    function_words,
)
from laconic.keyphrases.expectations import Expectations
from laconic.keyphrases.keyword import Keyword, Keywords
from laconic.keyphrases.methods import METHODS, NEED_TEXTS
from laconic.keyphrases.pairs import PairCounter
from laconic.text.positions import texts_of

# settings with which every word is counted as it is, except for stop words
ALL_WORDS: dict[str, Any] = {
    "min_df": 1,
    "max_df": 1.0,
    "max_features": None,
    "lemmatizer": None,
    "phrases": False,
}

ROWS = 16_384  # number of documents per part
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
    parts = keyword_parts(corpus, n, method, model=model, background=background, phrases=phrases)
    lists = [words for part in parts for words in part.keywords]
    return Keywords(lists, ids=corpus.ids, titles=corpus.titles)


class KeywordPart(NamedTuple):
    """Consecutive documents of a corpus, and their keywords."""

    documents: Corpus
    keywords: list[list[Keyword]]


def keyword_parts(
    corpus: Any,
    n: int = 5,
    method: str = "best",
    *,
    model: Any = None,
    background: Any = None,
    phrases: bool = True,
) -> Iterator[KeywordPart]:
    """Yield the keywords of consecutive parts of a corpus; see `keywords` for the parameters.

    The memory does not grow with the number of documents if the corpus is on disk.

    Examples
    --------
    >>> parts = keyword_parts(["The cat sleeps", "The dog barks at a cat"], n=1)
    >>> [[words[0].word for words in part.keywords] for part in parts]
    [['sleeps', 'dog']]
    """
    _check(n, method)
    statistics = _as_background(background)
    corpus = _as_corpus(corpus, statistics)
    analysis = analyse(corpus, method, model=model, background=statistics, phrases=phrases)
    for documents, part in zip(corpus.parts(ROWS), analysis.parts(), strict=True):
        yield KeywordPart(documents, analysis.finder.best(part, n, method))


class Analysis:
    """Documents and the statistics that are needed to extract their keywords.

    Attributes
    ----------
    finder : Finder
    """

    def __init__(
        self, counted: Corpus, finder: Finder, tokens: TokenParts | None, expectations: Any
    ) -> None:
        self.finder = finder
        self._counted, self._tokens, self._expectations = counted, tokens, expectations

    def parts(self) -> Iterator[Part]:
        """Yield the evidence of consecutive parts of at most `ROWS` documents."""
        parts = self._counted.replace(**NO_METADATA).parts(ROWS)
        for number, part in enumerate(parts):
            tokens = occurrences = None
            if self._tokens is not None:
                tokens = self._tokens[number]
                occurrences = find_occurrences(part.counts, tokens)
            expectations = None
            if self._expectations is not None:
                expectations = self._expectations.of(part, number * ROWS)
            yield Part(part.counts, tokens, occurrences, expectations)


def analyse(
    corpus: Any,
    method: str = "best",
    *,
    model: Any = None,
    background: Any = None,
    phrases: bool = True,
) -> Analysis:
    """Collect the statistics of the documents; see `keywords` for the parameters."""
    statistics = _as_background(background)
    corpus = _as_corpus(corpus, statistics)
    if len(corpus) == 0:
        raise LaconicError("There are no documents to extract keywords from; pass at least one.")
    counted = with_rare_words(corpus)
    use_texts = _use_texts(counted, corpus, method)
    includes_self = statistics is None
    if statistics is None:
        statistics = Background.from_counts(counted)
    elif counted.vocabulary is not None:
        statistics = statistics.over(counted.vocabulary)
    tokens = None
    if use_texts:
        tokens = TokenParts.of(corpus, Tokenizer(counted.words or (), statistics.settings))
        if includes_self:
            statistics = _with_texts(statistics, counted, tokens)
    if model is None and method == "pcp":
        from laconic.models.pcp.estimator import PCP

        model = PCP().fit(counted)
    expectations = None if model is None else Expectations(model, counted)
    if method == "pcp" and (expectations is None or not expectations.has_residuals):
        raise LaconicError(
            "method='pcp' needs a PCP as model=, because other models have no residuals."
        )
    finder = Finder(counted, statistics, includes_self, phrases=phrases and tokens is not None)
    return Analysis(counted, finder, tokens, expectations)


def _with_texts(statistics: Background, counted: Corpus, tokens: TokenParts) -> Background:
    """Return a copy of word statistics that includes statistics of the texts."""
    n_words = counted.shape[1]
    figures, linking = np.zeros(n_words), np.zeros(n_words)
    pairs = PairCounter(n_words, statistics.n_tokens)
    for number, part in enumerate(counted.replace(**NO_METADATA).parts(ROWS)):
        occurrences = find_occurrences(part.counts, tokens[number])
        # unlike sums of sums of parts, the results do not depend on the size of the parts
        np.add.at(figures, part.counts.indices, occurrences.figures.astype(np.float64))
        np.add.at(linking, part.counts.indices, occurrences.linking.astype(np.float64))
        pairs.add(tokens[number])
    for number in range(len(tokens)):
        pairs.count(tokens[number], statistics.totals)
    phrases = pairs.phrases(statistics.totals)
    return replace(statistics, figures=figures, linking=linking, pairs=phrases)


class TokenParts:
    """Tokens of consecutive parts of a corpus; if there are several parts, they are on disk."""

    def __init__(self, parts: list[Tokens | Path], scratch: ScratchFolder | None) -> None:
        self._parts = parts
        self._scratch = scratch  # its files are deleted with this object

    @classmethod
    def of(cls, corpus: Corpus, tokenizer: Tokenizer) -> TokenParts:
        """Tokenise the texts of a corpus."""
        scratch = ScratchFolder() if len(corpus) > ROWS else None
        parts: list[Tokens | Path] = []
        for part in corpus.replace(titles=None, labels=None).parts(ROWS):
            tokens = tokenizer(texts_of(part, NO_TEXT))
            if scratch is None:
                parts.append(tokens)
                continue
            path = scratch.path / f"{len(parts)}.npz"
            np.savez(path, **tokens._asdict())
            parts.append(path)
        return cls(parts, scratch)

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, number: int) -> Tokens:
        part = self._parts[number]
        if not isinstance(part, Path):
            return part
        with np.load(part) as arrays:
            return Tokens(**arrays)


class Part(NamedTuple):
    """Counts, texts and expectations of consecutive documents."""

    counts: sp.csr_matrix
    tokens: Tokens | None = None
    occurrences: Occurrences | None = None
    expectations: tuple[np.ndarray, np.ndarray | None] | None = None

    def pick(self, rows: Sequence[int]) -> Part:
        """Return some of the documents."""
        chosen = np.asarray(rows, dtype=np.int64)
        indptr = self.counts.indptr
        entries = _ranges(indptr[chosen], indptr[chosen + 1])
        occurrences, tokens, expectations = self.occurrences, self.tokens, self.expectations
        if occurrences is not None:
            occurrences = Occurrences(*(column[entries] for column in occurrences))
        if tokens is not None:
            starts = np.where(chosen > 0, tokens.ends[chosen - 1], 0)
            stops = tokens.ends[chosen]
            picked = _ranges(starts, stops)
            tokens = Tokens(tokens.columns[picked], np.cumsum(stops - starts), tokens.flags[picked])
        if expectations is not None:
            expected, residual = expectations
            expectations = expected[entries], None if residual is None else residual[entries]
        return Part(self.counts[chosen], tokens, occurrences, expectations)


class Finder:
    """Keyword extractor for parts of a corpus; built by `analyse`.

    Examples
    --------
    >>> analysis = analyse(["The cat sleeps", "The dog barks at a cat"])
    >>> [part] = analysis.parts()
    >>> [[keyword.word for keyword in document] for document in analysis.finder.best(part, n=1)]
    [['sleeps'], ['dog']]
    """

    def __init__(
        self, counted: Corpus, background: Background, includes_self: bool, *, phrases: bool
    ) -> None:
        self.background, self.includes_self = background, includes_self
        self.phrases = phrases
        width = counted.shape[1]
        vocabulary = counted.vocabulary
        self.words = list(map(str, range(width))) if vocabulary is None else vocabulary.tolist()
        self.is_word = np.ones(width, bool)
        self.ranks = self.groups = np.arange(width)
        if vocabulary is not None:
            functions = function_words(background.settings)
            self.is_word = np.array([_is_word(word, functions) for word in self.words], bool)
            self.ranks = _ranks(self.words)
            self.groups = _stems(self.words, background.settings["stop_words"])
        self.in_phrases = self.is_word & background.in_phrases()

    def best(self, part: Part, n: int, method: str = "best") -> list[list[Keyword]]:
        """Return the keywords of the documents of a part."""
        evidence = self._evidence(part)
        counts = part.counts
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
            chosen, spelt, times, starts = self._join(part, chosen, n)
            entries = chosen[chosen >= 0]
        listed = self._list(evidence, scores, entries, spelt, times, starts)
        ends = np.cumsum(np.count_nonzero(chosen >= 0, axis=1)).tolist()
        return [listed[low:high] for low, high in pairwise([0, *ends])]

    def _evidence(self, part: Part) -> Evidence:
        lengths = None if part.tokens is None else np.diff(part.tokens.ends, prepend=0)
        return Evidence(
            part.counts,
            self.background,
            self.includes_self,
            part.occurrences,
            lengths,
            part.expectations,
        )

    def _join(
        self, part: Part, chosen: np.ndarray, n: int
    ) -> tuple[np.ndarray, list[str], np.ndarray, np.ndarray]:
        """Join words into phrases; return their entries, spellings, counts and positions."""
        counts, tokens, occurrences = part.counts, part.tokens, part.occurrences
        assert tokens is not None
        assert occurrences is not None
        pairs = self.background.pairs
        heads, words, times, first = positions.join_words(
            chosen,
            counts.indices,
            counts.data,
            occurrences.first,
            np.where(self.in_phrases[tokens.columns], tokens.columns, -1).astype(np.int32),
            tokens.ends,
            tokens.flags,
            np.zeros(0, np.int64) if pairs is None else pairs,
            counts.shape[1],
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
    return background_of(_as_corpus(background, None))


def background_of(corpus: Corpus) -> Background:
    """Return the word statistics of a corpus, including those of its texts if available."""
    counted = with_rare_words(corpus)
    statistics = Background.from_counts(counted)
    if not corpus.has("texts") or counted.words is None:
        return statistics
    tokens = TokenParts.of(corpus, Tokenizer(counted.words, statistics.settings))
    return _with_texts(statistics, counted, tokens)


def _as_corpus(documents: Any, background: Background | None) -> Corpus:
    """Convert documents to a Corpus; count texts with the settings of the background."""
    from laconic.io.read import read

    if isinstance(documents, Corpus):
        return documents
    if not _are_texts(documents):
        return read(documents)
    if background is not None:
        return read(documents, **(background.settings | ALL_WORDS))
    return read(documents, **ALL_WORDS)


def with_rare_words(corpus: Corpus) -> Corpus:
    """Count the texts of a corpus again if words were left out: rare words are good keywords.

    The new corpus has no metadata. If the corpus is on disk, so is the new one, in a temporary
    folder.
    """
    settings = corpus.vectorizer or {}
    is_pruned = any(settings.get(name, value) != value for name, value in ALL_WORDS.items())
    if not is_pruned or not corpus.has("texts") or corpus.vocabulary is None:
        return corpus
    from laconic.text.defaults import complete_settings
    from laconic.text.vectorizer import Vectorizer

    vectorizer = Vectorizer(**{**complete_settings(settings), **ALL_WORDS})
    parts = corpus.replace(titles=None, labels=None).parts(ROWS)
    texts = (text for part in parts for text in texts_of(part, NO_TEXT))
    if corpus.path is None:
        counted: Corpus = vectorizer.fit_transform(texts)
        return counted
    return _count_on_disk(vectorizer, texts)


def _count_on_disk(vectorizer: Any, texts: Iterator[str]) -> Corpus:
    import polars as pl

    scratch = ScratchFolder()
    temporary, store = scratch.path / "words", scratch.path / "corpus"
    for folder in (temporary, store):
        folder.mkdir()
    with StoreWriter(store) as writer:
        for counts in vectorizer.fit_in_parts(texts, temporary):
            writer.append(counts)
        words = vectorizer.get_feature_names_out()
        writer.finish(len(words), words, pl.LazyFrame(), vectorizer.settings_)
    counted = Corpus.open(store)
    counted.scratch = scratch
    return counted


def _are_texts(documents: Any) -> bool:
    from pathlib import Path

    if isinstance(documents, (str, bytes, Path, Corpus)) or hasattr(documents, "columns"):
        return False
    return getattr(documents, "ndim", 1) == 1 and hasattr(documents, "__iter__")


def _use_texts(counted: Corpus, corpus: Corpus, method: str) -> bool:
    """Return whether the method uses texts and the corpus has them."""
    if method == "counts":
        return False
    has_texts = counted.vocabulary is not None and corpus.has("texts")
    if not has_texts and method in NEED_TEXTS:
        raise LaconicError(
            f"method={method!r} needs the positions of words, but the documents of this corpus "
            "have no texts; add texts (Corpus.texts), or use method='counts'."
        )
    return has_texts


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


def _ranges(starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """Return the concatenation of the ranges from ``starts[i]`` to ``stops[i]``."""
    parts = [np.arange(start, stop) for start, stop in zip(starts, stops, strict=True)]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _nan_to_none(values: np.ndarray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]
