"""Input of the metrics: a fitted model and documents, with cached quantities derived from them.

A `Subject` does not depend on laconic's models, because the documents are encoded by functions that
are passed to it. Therefore, the same metrics can evaluate models of other libraries.

Metrics that are sums over documents read the documents part by part. Other metrics need codes of
all documents at once; they can be limited to a random sample of the documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.corpus.sampling import deal, draw_rows
from laconic.errors import LaconicError
from laconic.metrics.coherence import coherences
from laconic.metrics.likelihood import Products, code_products, no_products
from laconic.metrics.sources import Leading, leading_documents
from laconic.metrics.support import CodeTotals, code_totals
from laconic.metrics.topics import Entries, count_entries

PART_ROWS = 1 << 15
"""Number of documents of a part; a corpus that is not larger is processed at once."""
WORD_CODE_ROWS = 1 << 12  # the same for codes of words, of which a document has about a hundred
COHERENCE = ("npmi", "c_v")  # measures that are computed together


class NotApplicableError(LaconicError):
    """Raised if a metric does not apply to the model or documents; the message says why.

    Examples
    --------
    >>> import laconic
    >>> corpus = laconic.Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> model = laconic.SparseLSA(1, alpha=0.1).fit(corpus)
    >>> subject = Subject(corpus, [["cat", "purr"]], model.components_, model.transform)
    >>> try:
    ...     laconic.metrics.METRICS["redundancy"].measure(subject)
    ... except NotApplicableError as reason:
    ...     print(reason)
    the model has fewer than two topics
    """


@dataclass
class CodeSums:
    """Sums over the codes of documents; `merge` adds the sums of the next part."""

    n_documents: int
    entries: Entries  # of all documents
    filled: Entries  # of the documents that have words
    totals: CodeTotals
    leading: Leading | None  # only if sources of the documents are known

    def merge(self, other: CodeSums) -> CodeSums:
        leading = self.leading
        if leading is not None and other.leading is not None:
            leading = leading.merge(other.leading)
        return CodeSums(
            self.n_documents + other.n_documents,
            self.entries.merge(other.entries),
            self.filled.merge(other.filled),
            self.totals.merge(other.totals),
            leading,
        )


@dataclass
class Subject:
    """A fitted model and documents to evaluate it on.

    Parameters
    ----------
    corpus : Corpus
        The documents, with the vocabulary of the model.
    words : list of list of str
        The top words of each topic, strongest first.
    components : sparse matrix or ndarray of shape (n_topics, n_words)
        Weights of words in topics.
    encode : callable
        Corpus -> codes of shape (n_documents, n_topics).
    weigh : callable, optional
        Corpus -> the weighted documents that the model approximates, as a CSR matrix.
    probabilities : ndarray of shape (n_topics, n_words), optional
        Topics as distributions over words, if the model has them.
    mix : callable, optional
        (probabilities, counts) -> the topic shares of each document.
    encode_words : callable, optional
        Corpus -> the codes of all words of all documents, as a CSR matrix.
    refits : callable, optional
        (n_refits, bootstrap) -> the top words of the topics of each refit. Each refit uses a
        different seed and, if `bootstrap` is true, a bootstrap sample of the documents.
    reference : sparse matrix or ndarray, optional
        Topics of another model, with the same vocabulary.
    random_state : int, default=0
        Seed of the held-out words, folds and samples.
    source : sequence of length n_documents, optional
        The source of each document, such as its author; see `laconic.metrics.lone_topics`.
    max_documents : int, optional
        Maximum number of documents for metrics that are not sums over documents. By default, they
        use all documents.

    Examples
    --------
    >>> import laconic
    >>> corpus = laconic.Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> model = laconic.SparseLSA(2, alpha=0.1).fit(corpus)
    >>> words = [["cat", "purr"], ["dog"]]
    >>> subject = Subject(corpus, words, model.components_, model.transform)
    >>> laconic.metrics.METRICS["diversity"].measure(subject)
    1.0
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
    source: Any = None
    max_documents: int | None = None

    # --- all documents ---------------------------------------------------------------------------

    @cached_property
    def codes(self) -> sp.csr_matrix:
        """Codes of the documents."""
        return sp.csr_matrix(self.encode(self.corpus))

    @cached_property
    def word_codes(self) -> sp.csr_matrix:
        """Codes of the words of the documents."""
        return sp.csr_matrix(self._encode_words(self.corpus))

    @cached_property
    def weights(self) -> sp.csr_matrix:
        """The documents with the weighting of the model."""
        return self._weigh(self.corpus)

    # --- sums over documents ---------------------------------------------------------------------

    @cached_property
    def coherence(self) -> dict[str, np.ndarray]:
        """Coherence of each topic, for each measure."""
        return coherences(self.words, self.corpus, COHERENCE)

    @cached_property
    def sums(self) -> CodeSums:
        """Sums over the codes of all documents."""
        return self._sum_codes(with_products=False)[0]

    @cached_property
    def products(self) -> Products:
        """Products of the codes and the weighted documents, summed over all documents."""
        sums, products = self._sum_codes(with_products=True)
        self.__dict__.setdefault("sums", sums)  # so that documents are encoded once
        return products

    @cached_property
    def word_entries(self) -> Entries:
        """Number of nonzero entries and number of all entries of the codes of words."""
        total = Entries(0, 0)
        for _, part in self._parts(min(WORD_CODE_ROWS, PART_ROWS)):
            total = total.merge(count_entries(sp.csr_matrix(self._encode_words(part))))
        return total

    def _sum_codes(self, *, with_products: bool) -> tuple[CodeSums, Any]:
        total: CodeSums | None = None
        products: Products | None = None
        for start, part in self._parts(PART_ROWS):
            codes = self._codes_of(start, part)
            filled = codes[np.flatnonzero(np.diff(part.counts.indptr))]
            sums = CodeSums(
                codes.shape[0],
                count_entries(codes),
                count_entries(filled),
                code_totals(codes),
                None if self.source is None else leading_documents(codes, first_row=start),
            )
            total = sums if total is None else total.merge(sums)
            if with_products and part is self.corpus:
                products = code_products(self.weights, codes)
            elif with_products:
                products = products or no_products(codes.shape[1], part.shape[1])
                products = code_products(self._weigh(part), codes, products)
        assert total is not None  # a corpus to evaluate on is not empty
        return total, products

    def _codes_of(self, start: int, part: Corpus) -> sp.csr_matrix:
        """Return the codes of a part that starts at row `start`."""
        if part is self.corpus or "codes" in self.__dict__:
            return self.codes[start : start + len(part)]
        return sp.csr_matrix(self.encode(part))

    def _parts(self, n_rows: int) -> Iterator[tuple[int, Corpus]]:
        """Yield the number of the first row and the documents of each part, without metadata.

        If there are few documents, yield `corpus` itself.
        """
        if len(self.corpus) <= n_rows:
            yield 0, self.corpus
            return
        plain = self.corpus.replace(ids=None, titles=None, labels=None, texts=None)
        for number, part in enumerate(plain.parts(n_rows)):
            yield number * n_rows, part

    # --- samples of documents --------------------------------------------------------------------

    @cached_property
    def labelled(self) -> tuple[sp.csr_matrix, np.ndarray]:
        """Codes and classes of the documents that have a label and words, or of a sample."""
        if not self.corpus.has("labels"):
            raise NotApplicableError("the documents have no labels")
        rows = self._usable_rows
        if self._sample(len(self.corpus)) is None:
            labels = self.corpus.labels
            codes, classes = self.codes[rows], np.asarray(labels)[rows].astype(str)
        else:
            drawn = self._sample(len(rows))
            documents = self._documents(rows if drawn is None else rows[drawn])
            codes = sp.csr_matrix(self.encode(documents))
            classes = np.asarray(documents.labels).astype(str)
        if len(np.unique(classes)) < 2:
            raise NotApplicableError("the documents have fewer than two classes")
        return codes, classes

    @property
    def n_labelled(self) -> int:
        """Number of documents that have a label and words."""
        return len(self._usable_rows) if self.corpus.has("labels") else 0

    @cached_property
    def _usable_rows(self) -> np.ndarray:
        """Return the rows of the documents that have a label and words."""
        labels = self.corpus.replace(ids=None, titles=None, texts=None)
        parts = [labels] if self.corpus.path is None else labels.parts(PART_ROWS)
        usable = []
        for part in parts:
            assert part.labels is not None
            has_label = [not (name is None or name == "" or name != name) for name in part.labels]
            usable.append(np.array(has_label, dtype=bool) & (np.diff(part.counts.indptr) > 0))
        return np.flatnonzero(np.concatenate(usable))

    @cached_property
    def completion(self) -> tuple[np.ndarray, sp.csr_matrix]:
        """Topic shares inferred from half of the words of each document, and the held-out half.

        If there are more than `max_documents` documents, the result is of a sample of them.
        """
        if self.probabilities is None or self.mix is None:
            raise NotApplicableError("the topics of this model are not distributions over words")
        rows = self._sample(len(self.corpus))
        counts = self.corpus.counts if rows is None else self._documents(rows).counts
        if not np.array_equal(counts.data, np.round(counts.data)):
            raise NotApplicableError("the documents are not counts of words")
        observed, held_out = deal(counts, random_state=self.random_state)
        return self.mix(self.probabilities, observed), held_out

    def _sample(self, n_documents: int) -> np.ndarray | None:
        """Draw `max_documents` of a number of documents; return None if all of them are used."""
        if self.max_documents is None or n_documents <= self.max_documents:
            return None
        return draw_rows(self.random_state, n_documents, self.max_documents)

    def _documents(self, rows: np.ndarray) -> Corpus:
        """Return some documents in memory, with their labels only."""
        return self.corpus.replace(ids=None, titles=None, texts=None)[rows]

    # --- functions of the model ------------------------------------------------------------------

    def _encode_words(self, corpus: Corpus) -> sp.csr_matrix:
        if self.encode_words is None:
            raise NotApplicableError("the model does not compute codes of words")
        return self.encode_words(corpus)

    def _weigh(self, corpus: Corpus) -> sp.csr_matrix:
        if self.weigh is None:
            raise NotApplicableError("the weighting of the model's documents is unknown")
        return sp.csr_matrix(self.weigh(corpus))
