"""Tokens of a document's text, and the contribution of each topic to each word.

The contribution of a topic to a word is the weight of the topic in the document times the weight of
the word in the topic. In STC and MedSTC, each word of a document has its own topic weights, which
are called the code of the word. In the other models, a topic has one weight for the whole document.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.files.json_values import FUNCTIONS
from laconic.fitted.documents import Documents
from laconic.fitted.model import TopicView
from laconic.fitted.pipeline_steps import coding_topics, steps_of
from laconic.keyphrases.evidence import function_words
from laconic.keyphrases.sampled import KEYWORDS, DocumentKeywords, Strong, by_strength
from laconic.text.counting import Analyzer, as_spans, make_lexicon
from laconic.text.defaults import complete_settings
from laconic.text.passages import Token
from laconic.text.words import Words

LEAST = 0.02  # minimum share of a topic in a word for the topic to be shown
MOST_TOPICS = 6  # maximum number of topics shown for a word


class WordCode(NamedTuple):
    """Topics that contribute to a word of a document, each with its share of the contributions.

    `learned` has the topics and weights of the word's code.
    """

    topics: list[tuple[int, float]]
    learned: list[tuple[int, float]] | None = None  # None if the model has no word codes


class Reader:
    """Tokenise the documents of a model and attribute their words to topics.

    Parameters
    ----------
    view : TopicView
    documents : Documents, optional
        The codes of the documents.
    texts : sequence of str, optional
    corpus : Corpus, optional
        The word counts of the documents, if available.
    """

    def __init__(
        self, view: TopicView, documents: Documents | None, texts: Any, corpus: Corpus | None
    ) -> None:
        self._view, self._documents, self._texts, self._corpus = view, documents, texts, corpus
        self.settings = _settings(view.model, corpus)
        self._lexicon = make_lexicon(view.words, self.settings)
        # finds words with the vectoriser settings of the model and does not stem them
        self.exact_words = Words(None, {**self.settings, "ngram_range": [1, 1]})
        self._max_ngram = 2 if self.settings["phrases"] else int(self.settings["ngram_range"][1])

    def warm(self) -> None:
        """Fill the caches and compile the functions before the first request needs them."""
        counts = self.counts([0])
        if counts is not None:
            self.word_codes(0, counts)
        self.keywords([0], counts)
        self.tokens("a b")

    # --- tokens ----------------------------------------------------------------------------------

    def tokens(self, text: str) -> list[Token]:
        """Return the tokens of a text.

        At each position, the longest n-gram that is in the model's vocabulary becomes one token.
        """
        singles = self._singles(text)
        return singles if self._max_ngram == 1 else self._ngrams(singles)

    def phrases(self, text: str, phrase: str) -> list[Token]:
        """Return the occurrences of a phrase; only stop words may stand between its words."""
        words = phrase.split(" ")
        tokens = [token for token in self._singles(text) if token.word not in self._stop_words]
        return [
            Token(tokens[i].start, tokens[i + len(words) - 1].stop, phrase)
            for i in range(len(tokens) - len(words) + 1)
            if all(tokens[i + offset].word == word for offset, word in enumerate(words))
        ]

    def _singles(self, text: str) -> list[Token]:
        preprocess, spans = self._preprocess, self.exact_words.places(text)
        if text.isascii():  # preprocessing keeps the position of each character of ASCII text
            preprocessed = preprocess(text)
            return [Token(start, stop, preprocessed[start:stop]) for start, stop in spans]
        return [Token(start, stop, preprocess(text[start:stop])) for start, stop in spans]

    def _ngrams(self, singles: list[Token]) -> list[Token]:
        tokens, position = [], 0
        while position < len(singles):
            length = next(
                (
                    n
                    for n in range(min(self._max_ngram, len(singles) - position), 1, -1)
                    if self.column(_joined(singles[position : position + n])) >= 0
                ),
                1,
            )
            ngram = singles[position : position + length]
            tokens.append(Token(ngram[0].start, ngram[-1].stop, _joined(ngram)))
            position += length
        return tokens

    def columns_of(self, words: Iterable[str]) -> np.ndarray:
        """Return the column of each word, or -1 if no form of the word is in the vocabulary."""
        return self._lexicon.match(as_spans(words))

    def column(self, word: str) -> int:
        """Return the column of a word, or -1 if no form of it is in the vocabulary."""
        return int(self.columns_of([word])[0])

    @cached_property
    def _stop_words(self) -> frozenset[str]:
        return function_words(self.settings)

    @cached_property
    def _preprocess(self) -> Any:
        plain = {"tokenizer": None, "stop_words": None, "ngram_range": [1, 1], "phrases": False}
        return Analyzer({**self.settings, **plain}).preprocess

    # --- topics of words -------------------------------------------------------------------------

    def counts(self, rows: list[int]) -> sp.csr_matrix | None:
        """Return the counts of the model's words in documents, or None if not available."""
        if self._corpus is not None:
            return self._aligned[rows].counts
        if self._texts is None or not self._view.is_pipeline:
            return None
        first = steps_of(self._view.model)[0]
        try:
            return first.transform([self._texts[row] or "" for row in rows]).counts
        except (AttributeError, LaconicError):
            # the first step is not a vectoriser, or the tokenizer of the vectoriser was not saved
            return None

    @cached_property
    def _aligned(self) -> Corpus:
        assert self._corpus is not None
        return self._view.align(self._corpus)

    def shares_of_word(self, column: int, counts: sp.csr_matrix) -> np.ndarray:
        """Return an array (documents x topics) of the shares of the topics in a word's code."""
        codes = self._estimator.word_codes(self._view.weigh(counts))
        table = np.array([codes[i][[column]].toarray().ravel() for i in range(counts.shape[0])])
        sums = table.sum(axis=1, keepdims=True)
        return table / np.where(sums > 0, sums, 1)

    def word_codes(self, row: int, counts: sp.csr_matrix) -> dict[int, WordCode]:
        """Map the column of each word of a document to the topics that contribute to the word.

        Shares are relative to the sum of the absolute contributions of all topics to the word.
        """
        topics, shares, codes = self.parts(row, counts)
        learned: list[Any] = [None] * counts.nnz if codes is None else _largest(topics, codes, 0.0)
        word_codes = map(WordCode, _largest(topics, shares, LEAST), learned)
        return dict(zip(counts.indices.tolist(), word_codes, strict=True))

    def parts(
        self, row: int, counts: sp.csr_matrix, columns: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Return the topics of a document, their shares in each word, and the codes of the words.

        The shares are an array (topics x words), and their absolute values sum to one for each
        word. The codes have the same shape, or are None if the model has no word codes. `columns`
        selects the words; by default, all words of the document are used.
        """
        columns = counts.indices if columns is None else columns
        learned = None
        if hasattr(self._estimator, "word_codes"):
            codes = self._estimator.word_codes(self._view.weigh(counts))[0][columns].toarray().T
            topics, learned = np.arange(len(codes)), codes
        else:
            assert self._documents is not None
            document = self._documents.code(row)
            topics = document.indices
            codes = document.data[:, None].astype(np.float64)
        weights = coding_topics(self._estimator)
        if sp.issparse(weights):
            contributions = weights[topics][:, columns].toarray() * codes
        else:
            contributions = np.asarray(weights)[np.ix_(topics, columns)] * codes
        sums = np.abs(contributions).sum(axis=0)
        return topics, contributions / np.where(sums > 0, sums, 1), learned

    @cached_property
    def _estimator(self) -> Any:
        """The estimator with ``engine="serial"``, because threads are slower for one document."""
        estimator = copy.copy(self._view.estimator)
        estimator.engine = "serial"
        return estimator

    @property
    def about_contributions(self) -> str:
        """Sentence for users that explains the topic shares of a word."""
        if hasattr(self._estimator, "word_codes"):
            return (
                "The card of a word shows how much each topic contributes to the word in this "
                "document: the word's code, learned for this document, times the word's weight in "
                "the topic."
            )
        return (
            "The card of a word shows how much each topic contributes to the word in this "
            "document: the topic's weight in the document times the word's weight in the topic."
        )

    # --- keywords --------------------------------------------------------------------------------

    def keywords(
        self, rows: Sequence[int], counts: sp.csr_matrix | None = None
    ) -> list[list[Strong]]:
        """Return the keywords of each document, strongest first.

        `counts` are the word counts of the documents, or None if they are not computed yet.
        """
        if not len(rows):
            return []
        if hasattr(self._estimator, "keywords"):
            counts = self.counts(list(rows)) if counts is None else counts
            if counts is not None:
                return self._pcp_keywords(counts)
        return [[] for _ in rows] if self._text_keywords is None else self._text_keywords.of(rows)

    @cached_property
    def _text_keywords(self) -> DocumentKeywords | None:
        return None if self._texts is None else DocumentKeywords(self._texts, self.settings)

    def _pcp_keywords(self, counts: sp.csr_matrix) -> list[list[Strong]]:
        """Return the keywords of PCP: the words that the background does not explain."""
        excess = self._estimator.keywords(self._view.weigh(counts))
        return [self._strongest(excess[[row]]) for row in range(counts.shape[0])]

    def _strongest(self, excess: sp.csr_matrix) -> list[Strong]:
        order = np.argsort(-excess.data, kind="stable")[:KEYWORDS]
        words = self._view.words[excess.indices[order]].tolist()
        return by_strength(
            [
                (word, weight, f"{word}: {weight:.3g} more than the background explains")
                for word, weight in zip(words, excess.data[order].tolist(), strict=True)
            ]
        )


def _settings(model: Any, corpus: Corpus | None) -> dict[str, Any]:
    """Return the vectoriser settings of the model or corpus, or the defaults of `laconic.read`."""
    fitted: dict[str, Any] = getattr(steps_of(model)[0], "settings_", None) or {}
    if not fitted and corpus is not None:
        fitted = corpus.vectorizer or {}
    settings = complete_settings(fitted)
    for name in FUNCTIONS:
        if ":" in str(settings[name]) and not callable(settings[name]):
            settings[name] = None  # a saved model stores only the name of a function
    return settings


def _largest(topics: np.ndarray, values: np.ndarray, least: float) -> list[list[tuple[int, float]]]:
    """Return, for each column of `values` (topics x words), the largest absolute values.

    Each value is paired with its topic. Values below `least` in absolute value are omitted.
    """
    order = np.argsort(-np.abs(values), axis=0, kind="stable")[:MOST_TOPICS].T
    best = np.take_along_axis(values.T, order, axis=1)
    return [
        [
            (topic, value)
            for topic, value in zip(*pairs, strict=True)
            if value and abs(value) >= least
        ]
        for pairs in zip(topics[order].tolist(), best.tolist(), strict=True)
    ]


def _joined(tokens: list[Token]) -> str:
    return " ".join(token.word for token in tokens)
