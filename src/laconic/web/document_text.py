"""How the text of a document is read: where its words stand, what each of them is about.

What a word is about in its document is told by the part that each topic has in what the model makes
of it: the weight of the topic there times that of the word in the topic. The weight of the topic is
that of the whole document; STC and MedSTC have learned one for each word, its code.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.corpus.vocabulary import Vocabulary
from laconic.errors import LaconicError
from laconic.fitted.documents import Documents
from laconic.fitted.model import TopicView
from laconic.fitted.pipeline_steps import steps_of
from laconic.keyphrases.evidence import function_words
from laconic.keyphrases.sampled import KEYWORDS, DocumentKeywords, Strong, by_strength
from laconic.text.counting import Analyzer
from laconic.text.passages import Token
from laconic.text.vectorizer import complete_settings
from laconic.text.words import Words

LEAST = 0.02  # share of a word's code that is shown
MOST_TOPICS = 6  # of a word


class WordCode(NamedTuple):
    """What a word of a document is about: topics with their parts, and what the model learned."""

    topics: list[tuple[int, float]]
    learned: list[tuple[int, float]] | None = None  # where the model codes words


class Reader:
    """Reads the documents of a model.

    Parameters
    ----------
    view : TopicView
    documents : Documents, optional
        Their codes.
    texts : sequence of str, optional
    corpus : Corpus, optional
        Their counts, where they are at hand.
    """

    def __init__(
        self, view: TopicView, documents: Documents | None, texts: Any, corpus: Corpus | None
    ) -> None:
        self._view, self._documents, self._texts, self._corpus = view, documents, texts, corpus
        self.columns = Vocabulary(view.words)
        self.settings = _settings(view.model, corpus)
        # words as the model counts them, each form for itself
        self.exact_words = Words(None, {**self.settings, "ngram_range": [1, 1]})
        self._most = int(self.settings["ngram_range"][1])

    def warm(self) -> None:
        """Make what the first document needs, and compile what reads it."""
        counts = self.counts([0])
        if counts is not None:
            self.word_codes(0, counts)
        self.keywords([0], counts)
        self.tokens("a b")

    # --- where words stand -----------------------------------------------------------------------

    def tokens(self, text: str) -> list[Token]:
        """The words of a text; runs of words where the model counts them, the longest first."""
        singles = self._singles(text)
        return singles if self._most == 1 else self._runs(singles)

    def phrases(self, text: str, phrase: str) -> list[Token]:
        """Where a run of words stands, with nothing but stop words in between."""
        words = phrase.split(" ")
        kept = [token for token in self._singles(text) if token.word not in self._stop_words]
        return [
            Token(kept[i].start, kept[i + len(words) - 1].stop, phrase)
            for i in range(len(kept) - len(words) + 1)
            if all(kept[i + place].word == word for place, word in enumerate(words))
        ]

    def _singles(self, text: str) -> list[Token]:
        preprocess, places = self._preprocess, self.exact_words.places(text)
        if text.isascii():  # then nothing moves
            whole = preprocess(text)
            return [Token(start, stop, whole[start:stop]) for start, stop in places]
        return [Token(start, stop, preprocess(text[start:stop])) for start, stop in places]

    def _runs(self, singles: list[Token]) -> list[Token]:
        found, place = [], 0
        while place < len(singles):
            length = next(
                (
                    n
                    for n in range(min(self._most, len(singles) - place), 1, -1)
                    if self.column(_joined(singles[place : place + n])) >= 0
                ),
                1,
            )
            run = singles[place : place + length]
            found.append(Token(run[0].start, run[-1].stop, _joined(run)))
            place += length
        return found

    def column(self, word: str) -> int:
        """The column of a word, -1 if the model does not know it."""
        return int(self.columns.columns([word])[0])

    @cached_property
    def _stop_words(self) -> frozenset[str]:
        return function_words(self.settings)

    @cached_property
    def _preprocess(self) -> Any:
        tokenizer = {"tokenizer": None, "stop_words": None}
        return Analyzer({**self.settings, **tokenizer, "ngram_range": [1, 1]}).preprocess

    # --- what they are about ---------------------------------------------------------------------

    def counts(self, rows: list[int]) -> sp.csr_matrix | None:
        """Counts of documents in the words of the model; None where they are not known."""
        if self._corpus is not None:
            return self._aligned[rows].counts
        if self._texts is None or not self._view.is_pipeline:
            return None
        first = steps_of(self._view.model)[0]
        try:
            return first.transform([self._texts[row] or "" for row in rows]).counts
        except (AttributeError, LaconicError):  # it counts no words, or not without a tokenizer
            return None

    @cached_property
    def _aligned(self) -> Corpus:
        assert self._corpus is not None
        return self._view.align(self._corpus)

    def shares_of_word(self, column: int, counts: sp.csr_matrix) -> np.ndarray:
        """What the model learned of a word in some documents: documents x topics."""
        codes = self._estimator.word_codes(self._view.weigh(counts))
        table = np.array([codes[i][[column]].toarray().ravel() for i in range(counts.shape[0])])
        sums = table.sum(axis=1, keepdims=True)
        return table / np.where(sums > 0, sums, 1)

    def word_codes(self, row: int, counts: sp.csr_matrix) -> dict[int, WordCode]:
        """By column of each word of a document, what it is about; parts sum to one by size."""
        topics, shares, codes = self.parts(row, counts)
        learned: list[Any] = [None] * counts.nnz if codes is None else _largest(topics, codes, 0.0)
        about = map(WordCode, _largest(topics, shares, LEAST), learned)
        return dict(zip(counts.indices.tolist(), about, strict=True))

    def parts(
        self, row: int, counts: sp.csr_matrix, columns: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Topics of a document, their part in each of its words, and what the model learned.

        Parts are topics x words and sum to one by size; codes are as large, where words have them.
        The words are those of `columns`, by default all of the document.
        """
        columns = counts.indices if columns is None else columns
        learned = None
        if hasattr(self._estimator, "word_codes"):
            codes = self._estimator.word_codes(self._view.weigh(counts))[0][columns].toarray().T
            topics, learned = np.arange(len(codes)), codes
        else:
            assert self._documents is not None
            document = self._documents.codes
            own = slice(document.indptr[row], document.indptr[row + 1])
            topics, codes = document.indices[own], document.data[own, None].astype(np.float64)
        weights = self._estimator.components_
        if sp.issparse(weights):
            part = weights[topics][:, columns].toarray() * codes
        else:
            part = np.asarray(weights)[np.ix_(topics, columns)] * codes
        sums = np.abs(part).sum(axis=0)
        return topics, part / np.where(sums > 0, sums, 1), learned

    @cached_property
    def _estimator(self) -> Any:
        """The model without threads: for one document they cost more than they bring."""
        estimator = copy.copy(self._view.estimator)
        estimator.engine = "serial"
        return estimator

    @property
    def about_codes(self) -> str:
        """What the topics of a word are in this model, in a sentence."""
        if hasattr(self._estimator, "word_codes"):
            return (
                "A word's topics have their parts in it: its code, which the model learned for it "
                "here, times the weight of the word in each topic."
            )
        return (
            "A word's topics have their parts in it: the weight of the topic in the document times "
            "that of the word in the topic."
        )

    # --- what sets the document apart ------------------------------------------------------------

    def keywords(
        self, rows: Sequence[int], counts: sp.csr_matrix | None = None
    ) -> list[list[Strong]]:
        """Keywords of each document, the best first; `counts` are theirs, where they are known."""
        if not len(rows):
            return []
        if hasattr(self._estimator, "keywords"):
            counts = self.counts(list(rows)) if counts is None else counts
            if counts is not None:
                return self._left_over(counts)
        return [[] for _ in rows] if self._by_texts is None else self._by_texts.of(rows)

    @cached_property
    def _by_texts(self) -> DocumentKeywords | None:
        return None if self._texts is None else DocumentKeywords(self._texts, self.settings)

    def _left_over(self, counts: sp.csr_matrix) -> list[list[Strong]]:
        """What the background of a PCP leaves over."""
        left = self._estimator.keywords(self._view.weigh(counts))
        return [self._strongest(left[[row]]) for row in range(counts.shape[0])]

    def _strongest(self, found: sp.csr_matrix) -> list[Strong]:
        order = np.argsort(-found.data, kind="stable")[:KEYWORDS]
        words = self._view.words[found.indices[order]].tolist()
        return by_strength(
            [
                (word, weight, f"{word}: {weight:.3g} more than the background explains")
                for word, weight in zip(words, found.data[order].tolist(), strict=True)
            ]
        )


def _settings(model: Any, corpus: Corpus | None) -> dict[str, Any]:
    """How words are counted: as for the fit, or else as `laconic.read` does."""
    known: dict[str, Any] = getattr(steps_of(model)[0], "settings_", None) or {}
    if not known and corpus is not None:
        known = corpus.vectorizer or {}
    settings = complete_settings(known)
    if isinstance(settings["tokenizer"], str):  # only its name was stored
        settings["tokenizer"] = None
    return settings


def _largest(topics: np.ndarray, values: np.ndarray, least: float) -> list[list[tuple[int, float]]]:
    """Of each column of topics x words the few topics with the largest values."""
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
