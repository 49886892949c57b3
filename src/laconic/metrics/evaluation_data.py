"""What a measure looks at: a fitted model and documents, with everything derived from them once.

A `Subject` knows no model of its own: whoever makes one says how documents are coded, so that
models of other libraries are measured by the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.corpus.sampling import deal
from laconic.errors import LaconicError


class NotApplicableError(LaconicError):
    """A measure that this model or these documents do not have; the sentence says why."""


@dataclass
class Subject:
    """A fitted model and documents.

    Parameters
    ----------
    corpus : Corpus
        The documents, over the words of the model.
    words : list of list of str
        The strongest words of each topic, strongest first.
    components : sparse matrix or ndarray of shape (n_topics, n_words)
        Weights of words in topics.
    encode : callable
        Corpus -> codes, documents x topics.
    weigh : callable, optional
        Corpus -> the numbers that the model is to describe, CSR.
    probabilities : ndarray of shape (n_topics, n_words), optional
        Topics as distributions over words, where the model has them.
    mix : callable, optional
        (probabilities, counts) -> shares of the topics in each document.
    encode_words : callable, optional
        Corpus -> the codes of all words of all documents, CSR.
    refits : callable, optional
        (number, bootstrap) -> for each of so many more fits, with other seeds and if so wanted to
        documents drawn anew, the words of its topics.
    reference : sparse matrix or ndarray, optional
        Topics to be compared with, over the same words.
    random_state : int, default=0
        For what is drawn: the words that are held out, folds, samples.
    """

    corpus: Corpus
    words: Sequence[Sequence[str]]
    components: Any
    encode: Callable[[Corpus], Any]
    weigh: Callable[[Corpus], sp.csr_matrix] | None = None
    probabilities: np.ndarray | None = None
    mix: Callable[[np.ndarray, sp.csr_matrix], np.ndarray] | None = None
    encode_words: Callable[[Corpus], sp.csr_matrix] | None = None
    refits: Callable[[int, bool], Sequence[Sequence[Sequence[str]]]] | None = None
    reference: Any = None
    random_state: int = 0

    @cached_property
    def codes(self) -> sp.csr_matrix:
        """Codes of the documents."""
        return sp.csr_matrix(self.encode(self.corpus))

    @cached_property
    def word_codes(self) -> sp.csr_matrix:
        """Codes of the words of the documents."""
        if self.encode_words is None:
            raise NotApplicableError("the model has no codes for words")
        return sp.csr_matrix(self.encode_words(self.corpus))

    @cached_property
    def weights(self) -> sp.csr_matrix:
        """The documents as the model sees them."""
        if self.weigh is None:
            raise NotApplicableError("it is not known which numbers the model describes")
        return sp.csr_matrix(self.weigh(self.corpus))

    @cached_property
    def labelled(self) -> tuple[sp.csr_matrix, np.ndarray]:
        """Codes and classes of the documents that have a class and words."""
        labels = self.corpus.labels
        if labels is None:
            raise NotApplicableError("the documents have no classes")
        known = np.array([not (label is None or label == "" or label != label) for label in labels])
        known &= np.diff(self.corpus.counts.indptr) > 0
        classes = np.asarray(labels)[known].astype(str)
        if len(np.unique(classes)) < 2:
            raise NotApplicableError("the documents are not of two classes or more")
        return self.codes[np.flatnonzero(known)], classes

    @cached_property
    def completion(self) -> tuple[np.ndarray, sp.csr_matrix]:
        """Shares of topics found from half of the words of each document, and the other half."""
        if self.probabilities is None or self.mix is None:
            raise NotApplicableError("topics of this model are no distributions over words")
        counts = self.corpus.counts
        if not np.array_equal(counts.data, np.round(counts.data)):
            raise NotApplicableError("the documents are no counts of words")
        observed, held = deal(counts, random_state=self.random_state)
        return self.mix(self.probabilities, observed), held
