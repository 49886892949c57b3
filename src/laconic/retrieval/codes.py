"""Codes of documents and queries for search.

``Codes`` stores codes of unit length with one row per topic, as a sparse matrix or a dense array,
whichever is smaller. If the code of a query is also scaled to unit length, its inner product with
the code of a document is the cosine of the two codes. Only the rows of the query's topics are read.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.corpus import Corpus
from laconic.corpus.matrices import column_entries, csr, dense, unit_rows
from laconic.corpus.vocabulary import as_strings
from laconic.errors import LaconicError
from laconic.fitted.documents import encode
from laconic.fitted.pipeline_steps import as_input, last_step, steps_of, takes_texts
from laconic.kernels.postings import add_postings, add_whole_rows
from laconic.text.counting import Analyzer, Lexicon, count, make_lexicon
from laconic.text.forms import FormLexicon
from laconic.text.selection import without_phrase_parts
from laconic.text.vectorizer import Vectorizer, complete_settings
from laconic.weighting import Weighting

COUNTING = (
    "lowercase", "strip_accents", "token_pattern", "tokenizer", "stop_words", "lemmatizer",
    "phrases", "ngram_range"
)  # fmt: skip
LEAST_IDF = 0.01  # minimum idf of a word in a query
RELATED_OF_TOPIC = 20  # number of top words of a topic that may be related to a query


class Codes:
    """Codes of documents, scaled to unit length and stored as topics x documents.

    Examples
    --------
    >>> codes = Codes.of(np.array([[3.0, 4.0], [0.0, 2.0], [0.0, 0.0]]))
    >>> [round(float(cosine), 2) for cosine in codes.cosines(np.array([0.0, 5.0]))]
    [0.8, 1.0, 0.0]
    """

    def __init__(self, topics: Any) -> None:
        self.topics = topics  # CSR matrix or array of float32

    @classmethod
    def of(cls, codes: Any) -> Codes:
        """Build from the codes that a model returns (documents x topics)."""
        if not sp.issparse(codes):
            return cls._of_array(np.asarray(codes))
        n_documents, n_topics = codes.shape
        if 2 * codes.nnz > n_documents * n_topics:  # a sparse entry needs a value and an index
            return cls._of_array(codes.toarray())
        codes = sp.csr_matrix(codes, dtype=np.float32)
        squares = sp.csr_matrix((codes.data**2, codes.indices, codes.indptr), codes.shape)
        lengths = np.sqrt(squares @ np.ones(n_topics))
        units = codes.data / np.repeat(lengths, np.diff(codes.indptr)).astype(np.float32)
        rows = sp.csr_matrix((units, codes.indices, codes.indptr), codes.shape)
        return cls(rows.tocsc().T)

    @classmethod
    def _of_array(cls, codes: np.ndarray) -> Codes:
        return cls(np.ascontiguousarray(unit_rows(codes).T, dtype=np.float32))

    @property
    def shape(self) -> tuple[int, int]:
        return self.topics.shape

    def cosines(self, code: np.ndarray) -> np.ndarray:
        """Return the cosine (float32) of a query code and each document; 0 if a code is zero."""
        sums = np.zeros(self.shape[1], dtype=np.float32)
        length = np.linalg.norm(code)
        if length == 0:
            return sums
        rows = np.flatnonzero(code)
        weights = (code[rows] / length).astype(np.float32)
        if sp.issparse(self.topics):
            part = self.topics
            add_postings(part.data, part.indices, part.indptr, rows, weights, sums)
        else:
            add_whole_rows(self.topics, rows, weights, sums)
        return sums

    def document(self, row: int) -> np.ndarray:
        """Return the code of the document in the given row, scaled to unit length."""
        if not sp.issparse(self.topics):
            return np.array(self.topics[:, row])
        code = np.zeros(self.shape[0], dtype=np.float32)
        topics, weights = column_entries(self.topics, row)
        code[topics] = weights
        return code

    def documents(self, rows: np.ndarray) -> np.ndarray:
        """Return the codes of the documents in the given rows, scaled to unit length."""
        if not sp.issparse(self.topics):
            return self.topics[:, rows].T
        return self._by_document[rows].toarray()

    @cached_property
    def _by_document(self) -> sp.csr_matrix:
        """The codes as documents x topics; computed when the first query is ranked."""
        return sp.csr_matrix(self.topics.T)


class Coder:
    """Encoder of texts and documents with a model.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted model of laconic or scikit-learn that has ``transform``.
    words : ndarray of str, optional
        Words of the documents, used if the model was fitted without column names.
    settings : dict, optional
        `Vectorizer` settings of the documents, used if the model has no settings.
    idf : ndarray, optional
        Inverse document frequency of each word of the model; see `rarity_of`.
    """

    def __init__(
        self,
        model: Any,
        words: np.ndarray | None = None,
        settings: dict[str, Any] | None = None,
        idf: np.ndarray | None = None,
    ) -> None:
        self.model = model
        self.idf = idf
        first, last = steps_of(model)[0], last_step(model)
        if not hasattr(last, "transform"):
            raise LaconicError(
                f"{type(last).__name__} has no transform method, so search cannot encode documents."
            )
        check_is_fitted(last)
        self.last = last
        self.takes_texts = takes_texts(model)
        vocabulary = getattr(first, "vocabulary_", None) if isinstance(first, Vectorizer) else None
        if vocabulary is None:
            vocabulary = getattr(first, "feature_names_in_", None)
        if vocabulary is None and not self.takes_texts:
            vocabulary = words
        self.words = None if vocabulary is None else as_strings(vocabulary)
        self.settings = _settings(first, settings)

    @property
    def topics(self) -> Any:
        """The ``components_`` of the model; when a refit replaces them, codes are out of date."""
        return getattr(self.last, "components_", None)

    def documents(self, corpus: Corpus) -> Any:
        """Encode a corpus as CSR; models of other libraries return the format of ``transform``."""
        if hasattr(self.last, "sparse_output") and hasattr(self.last, "components_"):
            return encode(self.model, corpus)
        if self.takes_texts:
            return self.model.transform(as_input(self.model, corpus))
        aligned = corpus if self.words is None else corpus.align(self.words)
        return self.model.transform(aligned.counts)

    def count(self, text: str) -> sp.csr_matrix:
        """Count the words of a text that the model knows; return a matrix with one row."""
        assert self.words is not None
        tally = count(iter([text]), self._analyzer, self._lexicon, 1)
        return without_phrase_parts(tally.csr(len(self.words)), self.words, self.settings)

    def knows(self, text: str) -> bool:
        """Return whether any word of the text is in the vocabulary of the model."""
        if self.takes_texts:
            return self.model[0].transform([text]).nnz > 0
        return self.words is not None and self.count(text).nnz > 0

    def code(self, text: str) -> np.ndarray:
        """Encode a text; the code is empty or zero if the model knows no word of the text."""
        if self.takes_texts:
            codes = self.model.transform([text])
        else:
            counts = None if self.words is None else self.count(text)
            if counts is None or not counts.nnz:
                return np.zeros(0)
            codes = self._transform(counts)
        return dense(codes).astype(np.float64).ravel()

    def _transform(self, counts: sp.csr_matrix) -> Any:
        """Transform counts without the checks of the pipeline, which take most of the time."""
        for step in steps_of(self.model)[:-1]:
            if isinstance(step, Weighting):
                counts = step.weights()(counts)
            elif not isinstance(step, Vectorizer) and step not in (None, "passthrough"):
                counts = step.transform(counts)
        return self.last.transform(self._by_rarity(counts))

    def _by_rarity(self, row: sp.csr_matrix) -> sp.csr_matrix:
        """Weight the words of a query by idf, in addition to the weighting of the model.

        A query has few words, so a common word would distort its code.
        """
        if self.idf is None or not sp.issparse(row) or row.shape[1] != len(self.idf):
            return row
        data = row.data * self.idf[row.indices]
        return csr(data.astype(np.float32), row.indices, row.indptr, row.shape)

    def related(self, code: np.ndarray) -> dict[str, float]:
        """Return the top words of the topics of a code, with their weights."""
        words = self._names
        if self.topics is None or words is None or self.topics.shape[1] != len(words):
            return {}
        weights: dict[int, float] = {}
        for topic in np.flatnonzero(code).tolist():
            for word, weight in self._topic_words(topic):
                weights[word] = weights.get(word, 0.0) + float(code[topic]) * weight
        return {str(words[word]): weight for word, weight in weights.items() if weight > 0}

    @cached_property
    def _names(self) -> np.ndarray | None:
        if self.takes_texts:
            return self.model[0].get_feature_names_out()
        return self.words

    @cached_property
    def _topic_words(self) -> Any:
        components = self.topics

        @lru_cache(maxsize=1024)
        def strongest(topic: int) -> list[tuple[int, float]]:
            row = dense(components[[topic]]).astype(np.float64).ravel()
            n = min(RELATED_OF_TOPIC, len(row))
            top = np.argpartition(-np.abs(row), n - 1)[:n]
            return [(word, row[word]) for word in sorted(top.tolist()) if row[word]]

        return strongest

    @cached_property
    def _analyzer(self) -> Analyzer:
        return Analyzer(self.settings)

    @cached_property
    def _lexicon(self) -> Lexicon | FormLexicon:
        assert self.words is not None
        return make_lexicon(self.words, self.settings)


def rarity_of(coder: Coder, corpus: Corpus) -> np.ndarray | None:
    """Return the idf ln(N / df) of each word of the model, but at least `LEAST_IDF`.

    A weight of zero would remove the word from the query.
    """
    if coder.words is None or corpus.vocabulary is None:
        return None
    indices = corpus.align(coder.words).counts.indices
    frequency = np.maximum(np.bincount(indices, minlength=len(coder.words)), 1)
    return np.maximum(np.log(len(corpus) / frequency), LEAST_IDF).astype(np.float32)


def _settings(first: Any, others: dict[str, Any] | None) -> dict[str, Any]:
    """Return the counting settings of the model's vectoriser, or `others` without a vectoriser."""
    fitted = first.settings_ if isinstance(first, Vectorizer) else None
    settings = complete_settings(fitted or others)
    return {name: settings[name] for name in COUNTING}
