"""Codes of documents and queries for search.

The background score of a document is the cosine of its code and the code of the query. It is
computed in blocks of documents, so that codes in files are never in memory as a whole.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.corpus.matrices import csr, dense, unit_rows
from laconic.corpus.vocabulary import as_strings
from laconic.errors import LaconicError
from laconic.fitted.code_rows import DenseRows, Rows, SparseRows, blocks
from laconic.fitted.documents import encode_parts
from laconic.fitted.pipeline_steps import as_input, last_step, steps_of, takes_texts
from laconic.kernels.postings import (
    add_moments,
    cosines_of_rows,
    dense_cosines,
    sparse_cosines,
    topic_cosines,
    unit_codes,
)
from laconic.models.coding import CodingStep, code_rows, coding_step_of, is_a
from laconic.retrieval.blending import spread
from laconic.text.counting import Analyzer, Lexicon, count, make_lexicon
from laconic.text.defaults import complete_settings
from laconic.text.forms import FormLexicon
from laconic.text.selection import without_phrase_parts
from laconic.weighting.weights import Z_SCORES, weights_of

COUNTING = (
    "lowercase", "strip_accents", "token_pattern", "tokenizer", "stop_words", "lemmatizer",
    "phrases", "ngram_range"
)  # fmt: skip
SCORES = 1 << 20  # maximum number of cosines that are computed at once
MANY = 100  # maximum number of topics per document for which `Codes.moments` are computed
SHORT = 2000  # maximum number of characters of a text whose words are counted in Python
LEAST_IDF = 0.01  # minimum idf of a word in a query
RELATED_OF_TOPIC = 20  # number of top words of a topic that may be related to a query


class Codes:
    """Codes of documents, whose cosines with the code of a query are the background scores.

    Examples
    --------
    >>> codes = Codes.of(np.array([[3.0, 4.0], [0.0, 2.0], [0.0, 0.0]]))
    >>> [round(float(cosine), 2) for cosine in codes.cosines(np.array([0.0, 5.0]))]
    [0.8, 1.0, 0.0]
    """

    def __init__(self, rows: Rows, moments: np.ndarray | None = None) -> None:
        self.rows = rows
        self._saved_moments = moments

    @classmethod
    def of(cls, codes: Any) -> Codes:
        """Build from the codes that a model returns (documents x topics)."""
        if sp.issparse(codes):
            return cls(SparseRows.of(sp.csr_matrix(codes, dtype=np.float32)))
        return cls(DenseRows(np.asarray(codes, np.float32)))

    @property
    def n_topics(self) -> int:
        return self.rows.shape[1]

    def cosines(self, code: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Return the cosine (float32) of a query code and each document; 0 if a code is zero.

        The cosines are written to `out`, if it is passed.
        """
        cosines = np.empty(self.rows.shape[0], dtype=np.float32) if out is None else out
        cosines.fill(0)
        length = np.linalg.norm(code)
        if length > 0 and self._by_topic is not None:
            topic_cosines(*self._by_topic, (code / length).astype(np.float32), cosines)
        elif length > 0:
            for start, part in self.cosine_blocks([code]):
                cosines[start : start + len(part)] = part[:, 0]
        return cosines

    @cached_property
    def _by_topic(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Codes of unit length by topic; None if they are dense, or in files.

        A query has few topics, so it reads only a part of these arrays. They take as much memory as
        the codes. The sums are those of `sparse_cosines`, bit for bit.
        """
        rows = self.rows
        if not isinstance(rows, SparseRows) or not isinstance(rows.data, np.ndarray):
            return None
        numbers = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        squares = np.bincount(numbers, rows.data * rows.data, rows.shape[0])
        unit = rows.data / np.sqrt(squares).astype(np.float32)[numbers]
        by_topic = csr(unit, rows.indices, rows.indptr, rows.shape).tocsc()
        return by_topic.data, by_topic.indices, by_topic.indptr

    def __getstate__(self) -> dict[str, Any]:
        return {"rows": self.rows, "_saved_moments": self._saved_moments}

    @cached_property
    def moments(self) -> np.ndarray | None:
        """Mean of the codes of unit length, and below it the mean of their outer products.

        The deviation of the cosines of a query follows from these averages (float64); see
        `deviation`. They are None if they take long to compute or more space than the codes, or if
        an older version saved the codes without them.
        """
        rows = self.rows
        if self._saved_moments is not None or rows.path is not None:
            return self._saved_moments
        if rows.nnz > MANY * rows.shape[0] or rows.nnz < self.n_topics * self.n_topics:
            return None
        sums = np.zeros((self.n_topics + 1, self.n_topics))
        for start, stop in blocks(rows):
            part = rows.block(start, stop)
            add_moments(part.data, part.indices, part.indptr, sums)
        return sums / rows.shape[0]

    def deviation(self, code: np.ndarray, leave_out: int | None = None) -> float | None:
        """Return the standard deviation of the cosines of a code and all documents.

        The cosine of the document in the row `leave_out` counts as 0. The result is None if the
        cosines themselves are needed, because they hardly differ or `moments` is None.
        """
        length = np.linalg.norm(code)
        if not length > 0 or self.moments is None:
            return None
        direction, n_documents = code / length, self.rows.shape[0]
        mean, *products = (self.moments @ direction).tolist()
        mean_square = float(direction @ products)
        if leave_out is not None:
            cosine = float(self.cosines_of(np.array([leave_out]), code)[0])
            mean -= cosine / n_documents
            mean_square -= cosine * cosine / n_documents
        return spread(mean, mean_square, n_documents)

    def cosines_of(self, rows: np.ndarray, code: np.ndarray) -> np.ndarray:
        """Return the cosine (float32) of a code other than zero and the documents in some rows."""
        known = self.rows
        weights = (code / np.linalg.norm(code)).astype(np.float32)
        cosines = np.empty(len(rows), dtype=np.float32)
        if isinstance(known, SparseRows) and isinstance(known.data, np.ndarray):
            cosines_of_rows(known.data, known.indices, known.indptr, rows, weights, cosines)
        else:
            part, numbers = known.take(rows), np.arange(len(rows))
            cosines_of_rows(part.data, part.indices, part.indptr, numbers, weights, cosines)
        return cosines

    def cosine_blocks(self, codes: Sequence[np.ndarray]) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the cosines of several codes and all documents, in blocks of documents.

        A block has the row of its first document, and an array of documents x codes.
        """
        weights = np.zeros((self.n_topics, len(codes)), dtype=np.float32)
        for column, code in enumerate(codes):
            length = np.linalg.norm(code)
            if length > 0:  # A text without known words has an empty code.
                weights[:, column] = code / length
        for start, stop in blocks(self.rows, SCORES // max(len(codes), 1)):
            cosines = np.empty((stop - start, len(codes)), dtype=np.float32)
            if isinstance(self.rows, DenseRows):
                dense_cosines(self.rows.array(start, stop), weights, cosines)
            else:
                part = self.rows.block(start, stop)
                sparse_cosines(part.data, part.indices, part.indptr, weights, cosines)
            yield start, cosines

    def document(self, row: int) -> np.ndarray:
        """Return the code of the document in the given row, scaled to unit length."""
        return self.documents(np.array([row]))[0]

    def documents(self, rows: np.ndarray) -> np.ndarray:
        """Return the codes of the documents in the given rows, scaled to unit length."""
        known = self.rows
        if isinstance(known, SparseRows) and isinstance(known.data, np.ndarray):
            codes = np.zeros((len(rows), self.n_topics), dtype=np.float32)
            unit_codes(known.data, known.indices, known.indptr, rows, codes)
            return codes
        return unit_rows(known.take(rows).toarray())


class Coder:
    """Encoder of texts and documents with a model.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted model of laconic or scikit-learn that has ``transform``, or stand-ins for the steps
        of a saved model that `coding_step_of` knows.
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
        self._coding_step = _trusted_step(model)
        if self._coding_step is None and not hasattr(last, "transform"):
            raise LaconicError(
                f"{type(last).__name__} has no transform method, so search cannot encode documents."
            )
        if not hasattr(last, "components_"):
            from sklearn.utils.validation import check_is_fitted

            check_is_fitted(last)
        self.last = last
        self.takes_texts = takes_texts(model)
        vocabulary = getattr(first, "vocabulary_", None) if is_a(first, "Vectorizer") else None
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

    def document_parts(self, corpus: Corpus) -> Iterator[sp.csr_matrix]:
        """Yield the codes of consecutive blocks of a corpus as float32 CSR."""
        if hasattr(self.last, "sparse_output") and hasattr(self.last, "components_"):
            yield from encode_parts(self.model, corpus)
            return
        for part in corpus.parts():
            if self.takes_texts:
                codes = self.model.transform(as_input(self.model, part))
            else:
                aligned = part if self.words is None else part.align(self.words)
                codes = self.model.transform(aligned.counts)
            yield sp.csr_matrix(codes, dtype=np.float32)

    def count(self, text: str) -> sp.csr_matrix:
        """Count the words of a text that the model knows; return a matrix with one row."""
        assert self.words is not None
        if len(text) <= SHORT and self._columns is not None:
            words = self._analyzer.words(text)
            if words is not None:
                return self._row(words, self._columns)
        tally = count(iter([text]), self._analyzer, self._lexicon, 1)
        return without_phrase_parts(tally.csr(len(self.words)), self.words, self.settings)

    def _row(self, words: list[str], columns: dict[str, int]) -> sp.csr_matrix:
        found = Counter(columns[word] for word in words if word in columns)
        indices = np.array(sorted(found), dtype=np.int32)
        counts = np.array([found[column] for column in indices.tolist()], dtype=np.int32)
        row = copy.copy(self._empty_row)  # A new matrix takes five times as long.
        row.data, row.indices = counts, indices
        row.indptr = np.array([0, len(indices)], dtype=np.int32)
        return row

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
        if self._coding_step is not None:
            return code_rows(self._coding_step, self.last, self._weighted(counts))
        for step in steps_of(self.model)[:-1]:
            if is_a(step, "Weighting"):
                counts = weights_of(step)(counts)
            elif not is_a(step, "Vectorizer") and step not in (None, "passthrough"):
                counts = step.transform(counts)
        if sp.issparse(counts):
            counts.data = self._by_rarity(counts.data, counts.indices, counts.shape[1])
        return self.last.transform(counts)

    def _weighted(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        """Weight the words of a query, like the loop in `_transform`; `counts` is changed."""
        data, indices = counts.data, counts.indices
        for step in steps_of(self.model)[:-1]:
            if is_a(step, "Weighting"):
                data = weights_of(step).weigh(data, indices, counts.indptr)
        data = self._by_rarity(data, indices, counts.shape[1])
        # A new matrix would take as long as the weights; `transform` also converts to float64.
        counts.data = data if data.dtype.kind == "f" else data.astype(np.float64)
        return counts

    def _by_rarity(self, data: np.ndarray, indices: np.ndarray, n_words: int) -> np.ndarray:
        """Weight the words of a query by idf, in addition to the weighting of the model.

        A query has few words, so a common word would distort its code.
        """
        if self.idf is None or n_words != len(self.idf):
            return data
        return (data * self.idf[indices]).astype(np.float32)

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
    def _columns(self) -> dict[str, int] | None:
        """Column of each word; None if other forms of a word are counted too."""
        if self.words is None or self.settings["lemmatizer"] is not None:
            return None
        return {word: column for column, word in enumerate(self.words.tolist())}

    @cached_property
    def _empty_row(self) -> sp.csr_matrix:
        assert self.words is not None
        return sp.csr_matrix((1, len(self.words)), dtype=np.int32)

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
    frequency = np.zeros(len(coder.words), dtype=np.int64)
    for chunk in corpus.align(coder.words).chunks():
        frequency += np.bincount(chunk.load().indices, minlength=len(coder.words))
    frequency = np.maximum(frequency, 1)
    return np.maximum(np.log(len(corpus) / frequency), LEAST_IDF).astype(np.float32)


def _trusted_step(model: Any) -> CodingStep | None:
    """Return the function by which texts are coded without the checks of `transform`, or None.

    The checks cannot fail if the earlier steps count words and weight them by positive numbers.
    """
    for step in steps_of(model)[:-1]:
        counts = is_a(step, "Vectorizer") or step in (None, "passthrough")
        if not counts and not (is_a(step, "Weighting") and step.scheme not in Z_SCORES):
            return None
    return coding_step_of(last_step(model))


def _settings(first: Any, others: dict[str, Any] | None) -> dict[str, Any]:
    """Return the counting settings of the model's vectoriser, or `others` without a vectoriser."""
    fitted = first.settings_ if is_a(first, "Vectorizer") else None
    settings = complete_settings(fitted or others)
    return {name: settings[name] for name in COUNTING}
