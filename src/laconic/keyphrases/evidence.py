"""Evidence that a word is a keyword of a document.

===========  ======================================================================================
count        number of occurrences in the document
documents    number of *other* documents with the word; ``rarity`` is the
             logarithm of (number of all other documents + 2) / (documents + 1)
burst        mean count in the other documents with the word, (total + 2) / (documents + 2); high
             for a word that is repeated wherever it occurs; such a word usually names a thing
common       share of documents that contain the word, divided by 40 %; at least 1
position     index of the first token of the word in the text, counted from 0
figures      share of occurrences beside a number, over all documents; high for units, dates etc.
linking      share of occurrences right before a function word ("said the", "describes a")
expected     expected count if the document were like the other documents, or like its topics
residual     part of the count that the background of a `PCP` does not explain
===========  ======================================================================================

``figures`` and ``linking`` are means over documents, shrunk towards a typical share that counts as
two documents. A document is never compared with itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.corpus.vocabulary import Vocabulary
from laconic.errors import LaconicError
from laconic.kernels import positions
from laconic.kernels import tokens as kernels
from laconic.text.counting import (
    BATCH_CHARACTERS,
    Analyzer,
    Lexicon,
    batches,
    encode,
    make_table,
    run_classes,
)
from laconic.text.language import guess_from_totals
from laconic.text.stop_words import stop_words

WORD = r"\w+"
NO_TEXT = (
    ", so the positions of its words are unknown; add its text, or use method='counts', which "
    "needs no texts."
)
NO_METADATA: dict[str, None] = dict.fromkeys(("ids", "titles", "labels", "texts"))
FREQUENT = 0.4  # a word is common if more than this share of the documents contain the word
TYPICAL = {"figures": 0.08, "linking": 0.35}  # shares `figures` and `linking` of a typical word
PRIOR = 2.0  # number of documents that a share in TYPICAL counts as
# A word may be part of a phrase only if the share of documents that contain the word, and the
# shares `figures` and `linking` of the word, are at most these values.
IN_PHRASES = {"documents": 0.2, "figures": 0.25, "linking": 0.6}
FEW = 5  # a word in at most this number of documents is never too common for phrases


class Tokens(NamedTuple):
    """Tokens of all texts, one text after the other."""

    columns: np.ndarray  # int32; column of each token, -1 if its word has no column
    ends: np.ndarray  # int64; index of the token where each text ends
    flags: np.ndarray  # uint8; flags of each token, see `laconic.kernels.positions`


class Occurrences(NamedTuple):
    """Positions of words in texts; the arrays have one item per entry of a matrix of counts."""

    first: np.ndarray  # int32; index of the first token, -1 if the word is not in the text
    figures: np.ndarray  # float32; share of the tokens of the word that are beside a number
    linking: np.ndarray


# --- texts ---------------------------------------------------------------------------------------


def settings_of(corpus: Corpus, totals: np.ndarray) -> dict[str, Any]:
    """Return the settings with which a corpus was counted; by default, those of a Vectorizer.

    If stop words were counted, `stop_words` is set to the language of the corpus, which is detected
    from the total count of each word.
    """
    from laconic.text.defaults import complete_settings

    settings = complete_settings(corpus.vectorizer)
    del settings["vocabulary"], settings["n_jobs"]
    if settings["stop_words"] in (None, "auto"):
        words = corpus.vocabulary
        settings["stop_words"] = None if words is None else guess_from_totals(words, totals)
    return settings


class Tokenizer:
    """Tokenise texts; tokens in `words` get the column of the word, other tokens get -1."""

    def __init__(self, words: Iterable[str], settings: dict[str, Any]) -> None:
        self._preprocess = plain_analyzer(settings).preprocess
        runs = run_classes(WORD)
        assert runs is not None
        self._runs = runs
        self._lexicon = Lexicon(words)
        self._functions = make_table(sorted(function_words(settings)))

    def __call__(self, texts: Iterable[str]) -> Tokens:
        parts = [
            _scan(list(map(self._preprocess, batch)), self._runs, self._lexicon, self._functions)
            for batch in batches(iter(texts), BATCH_CHARACTERS)
        ]
        if not parts:
            return Tokens(np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.uint8))
        columns, counts, flags = map(np.concatenate, zip(*parts, strict=True))
        return Tokens(columns, np.cumsum(counts), flags)


def _scan(
    texts: list[str], runs: tuple[np.ndarray, int], lexicon: Lexicon, functions: kernels.Table
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the columns of the tokens, the number of tokens per text, and the flags of tokens."""
    text, text_ends = encode(texts)
    spans, ends = kernels.find_tokens(text, text_ends, *runs)
    identifiers, distinct = kernels.intern(spans)
    n_functions = len(functions.hashes)
    is_function = kernels.match(distinct, functions, n_functions, False)[0] >= 0
    flags = positions.find_neighbours(
        text, spans.starts, spans.lengths, ends, is_function[identifiers]
    )
    return lexicon.match(distinct)[identifiers], np.diff(ends, prepend=0), flags


def plain_analyzer(settings: dict[str, Any]) -> Analyzer:
    """Return an analyzer that preprocesses texts with `settings` but keeps every word."""
    return Analyzer({**settings, "tokenizer": None, "token_pattern": WORD, "stop_words": None})


def function_words(settings: dict[str, Any]) -> frozenset[str]:
    """Return the stop words in the settings, which may be a language or a list of words."""
    stop = settings["stop_words"]
    if isinstance(stop, str):
        return stop_words(stop, plain_analyzer(settings).preprocess)
    return frozenset(stop or ())


def find_occurrences(counts: sp.csr_matrix, tokens: Tokens) -> Occurrences:
    """Return the positions in the text of the words of each document."""
    first, n_occurrences, figures, linking = positions.locate(
        counts.indptr, counts.indices, tokens.columns, tokens.ends, tokens.flags, counts.shape[1]
    )
    n_occurrences = np.maximum(n_occurrences, 1).astype(np.float32)
    return Occurrences(first, figures / n_occurrences, linking / n_occurrences)


# --- other documents -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Background:
    """Word statistics of a corpus, with which documents are compared.

    Examples
    --------
    >>> corpus = Corpus([[2, 1], [1, 0]], ["cat", "dog"])
    >>> Background.from_counts(corpus).documents.tolist()
    [2, 1]
    """

    words: Vocabulary | None
    settings: dict[str, Any]
    n_documents: int
    n_tokens: float
    documents: np.ndarray
    totals: np.ndarray
    figures: np.ndarray | None = None  # sum over documents of the share of each word
    linking: np.ndarray | None = None
    # sorted keys of phrases of two words; a key is first column * n_words + second column
    pairs: np.ndarray | None = None

    @classmethod
    def from_counts(cls, corpus: Corpus) -> Background:
        """Compute the statistics from counts alone, in one pass."""
        n_words = corpus.shape[1]
        totals, documents = np.zeros(n_words), np.zeros(n_words, dtype=np.int64)
        for part in corpus.replace(**NO_METADATA).parts():
            counts = part.counts
            totals += np.bincount(counts.indices, weights=counts.data, minlength=n_words)
            documents += np.bincount(counts.indices, minlength=n_words)
        settings = settings_of(corpus, totals)
        return cls(corpus.words, settings, len(corpus), float(totals.sum()), documents, totals)

    def in_phrases(self) -> np.ndarray:
        """Return whether each word may be part of a phrase; "said" or "vs" may not."""
        allowed = self.documents <= max(IN_PHRASES["documents"] * self.n_documents, FEW)
        for name in ("figures", "linking"):
            sums = getattr(self, name)
            if sums is not None:
                shares = (sums + PRIOR * TYPICAL[name]) / (self.documents + PRIOR)
                allowed &= shares <= IN_PHRASES[name]
        return allowed

    def over(self, words: Sequence[str] | np.ndarray) -> Background:
        """Return a copy with other words as columns; unknown words have zero counts."""
        if self.words is None:
            raise LaconicError(
                "The background corpus has no vocabulary; set vocabulary= when reading it."
            )
        columns = self.words.columns(words)

        def take(values: np.ndarray | None) -> Any:
            return None if values is None else np.where(columns >= 0, values[columns], 0)

        return replace(
            self,
            words=Vocabulary(words),
            documents=take(self.documents),
            totals=take(self.totals),
            figures=take(self.figures),
            linking=take(self.linking),
            pairs=self._pairs_over(columns),
        )

    def _pairs_over(self, columns: np.ndarray) -> np.ndarray | None:
        if self.pairs is None or self.words is None:
            return None
        new_columns = np.full(len(self.words), -1, dtype=np.int64)
        new_columns[columns[columns >= 0]] = np.flatnonzero(columns >= 0)
        first, second = np.divmod(self.pairs, len(self.words))
        both = (new_columns[first] >= 0) & (new_columns[second] >= 0)
        return np.sort(new_columns[first[both]] * len(columns) + new_columns[second[both]])


# --- evidence for each document ------------------------------------------------------------------


@dataclass
class Evidence:
    """Evidence for some rows of counts; arrays have one item per non-zero entry."""

    counts: sp.csr_matrix
    background: Background
    includes_self: bool  # whether the background includes the documents of `counts`
    occurrences: Occurrences | None
    n_tokens: np.ndarray | None  # number of tokens in each text
    # expected counts and residuals of a model; NaN for words unknown to the model
    model: tuple[np.ndarray, np.ndarray | None] | None = None

    @cached_property
    def rows(self) -> np.ndarray:
        return np.repeat(np.arange(self.counts.shape[0]), np.diff(self.counts.indptr))

    @cached_property
    def count(self) -> np.ndarray:
        return self.counts.data.astype(np.float64)

    @cached_property
    def length(self) -> np.ndarray:
        """Number of counted words in the document of each entry."""
        return np.bincount(self.rows, self.count, minlength=self.counts.shape[0])[self.rows]

    @property
    def n_documents(self) -> int:
        return self.background.n_documents - self.includes_self

    @cached_property
    def documents(self) -> np.ndarray:
        return self.background.documents[self.counts.indices] - self.includes_self

    @cached_property
    def total(self) -> np.ndarray:
        return self.background.totals[self.counts.indices] - self.includes_self * self.count

    @cached_property
    def rarity(self) -> np.ndarray:
        return np.log((self.n_documents + 2) / (self.documents + 1))

    @cached_property
    def burst(self) -> np.ndarray:
        return (self.total + 2) / (self.documents + 2)

    @cached_property
    def common(self) -> np.ndarray:
        share = (self.documents + 1) / (self.n_documents + 1)
        return np.maximum(1, share / FREQUENT)

    @cached_property
    def position(self) -> np.ndarray:
        """Index of the first token of a word, or the length of a text without the word."""
        occurrences, lengths = self._texts()
        return np.where(occurrences.first < 0, lengths[self.rows], occurrences.first).astype(
            np.float64
        )

    @cached_property
    def figures(self) -> np.ndarray:
        return self._share("figures")

    @cached_property
    def linking(self) -> np.ndarray:
        return self._share("linking")

    @cached_property
    def from_corpus(self) -> np.ndarray:
        """Expected count if the document were like the other documents."""
        others = self.background.n_tokens - self.includes_self * self.length
        return self.length * self.total / np.where(others > 0, others, 1)

    @cached_property
    def expected(self) -> np.ndarray:
        if self.model is None:
            return self.from_corpus
        return np.where(np.isnan(self.model[0]), self.from_corpus, self.model[0])

    @cached_property
    def residual(self) -> np.ndarray | None:
        return None if self.model is None else self.model[1]

    def _share(self, name: str) -> np.ndarray:
        here = getattr(self._texts()[0], name)
        sums = getattr(self.background, name)
        others = 0.0 if sums is None else sums[self.counts.indices] - self.includes_self * here
        return (others + here + PRIOR * TYPICAL[name]) / (self.documents + 1 + PRIOR)

    def _texts(self) -> tuple[Occurrences, np.ndarray]:
        assert self.occurrences is not None
        assert self.n_tokens is not None
        return self.occurrences, self.n_tokens
