"""Expected word counts according to a topic model, and residuals of a PCP."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.corpus import Corpus
from laconic.corpus.matrices import dense
from laconic.corpus.vocabulary import Vocabulary
from laconic.errors import LaconicError
from laconic.fitted.model import TopicView
from laconic.fitted.pipeline_steps import coding_topics
from laconic.keyphrases.evidence import NO_METADATA

ROWS = 1_024  # number of documents per block


class Expectations:
    """Expected counts and residuals of a corpus according to a model, computed part by part.

    Parameters
    ----------
    model : PCP or topic model, or Pipeline
    corpus : Corpus
    """

    def __init__(self, model: Any, corpus: Corpus) -> None:
        self._model, self._view = model, TopicView(model)
        estimator = self._view.estimator
        if not hasattr(estimator, "transform"):
            raise LaconicError(
                f"model must be a fitted PCP or topic model; got {type(estimator).__name__}."
            )
        check_is_fitted(estimator, "components_")
        # aligning the whole corpus logs the number of unknown words only once
        bare = corpus.replace(**NO_METADATA)
        self._aligned, self._columns = _aligned(self._view, bare)
        self.has_residuals = hasattr(estimator, "split")

    def of(self, corpus: Corpus, start: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the expected count and residual of each entry (NaN if the model lacks the word).

        `corpus` is the part of the whole corpus that begins with the row `start`. Only a `PCP` has
        residuals; a residual is 0 if the background explains the count.
        """
        estimator, columns = self._view.estimator, self._columns
        aligned = self._aligned[start : start + len(corpus)]
        if self.has_residuals:
            parts = estimator.split(aligned)
            background = parts.background
            expected = _products(corpus, columns, background.codes, background.components)
            return np.maximum(expected, 0), _values_at(parts.keywords, corpus, columns)
        codes = sp.csr_matrix(self._model.transform(aligned))
        components = dense(coding_topics(estimator))
        if (codes.nnz and codes.data.min() < 0) or components.min() < 0:
            raise LaconicError(
                f"The topics of this {type(estimator).__name__} have negative weights, so it has "
                "no expected counts; fit the model with positive=True, or use a PCP."
            )
        # The expected counts are codes times topics, scaled to the length of the document.
        mass = codes @ components.sum(axis=1)
        lengths = np.asarray(corpus.counts.sum(axis=1)).ravel() / np.where(mass > 0, mass, 1)
        products = _products(corpus, columns, codes, components)
        return products * np.repeat(lengths, _sizes(corpus)), None


def _aligned(view: TopicView, corpus: Corpus) -> tuple[Corpus, np.ndarray]:
    """Align a corpus to a model; also return the model column of each corpus column."""
    if view.names is not None and corpus.vocabulary is not None:
        return view.align(corpus), Vocabulary(view.names).columns(corpus.vocabulary)
    n_words = view.estimator.n_features_in_
    if corpus.shape[1] != n_words:
        raise LaconicError(
            f"The model has {n_words:,} words, but the corpus has {corpus.shape[1]:,}; use the "
            "same vocabulary for both."
        )
    return corpus, np.arange(corpus.shape[1])


def _sizes(corpus: Corpus) -> np.ndarray:
    return np.diff(corpus.counts.indptr)


def _products(
    corpus: Corpus, columns: np.ndarray, codes: Any, components: np.ndarray
) -> np.ndarray:
    """Return the values of ``codes @ components`` at the non-zero entries of the counts."""
    counts, words = corpus.counts, np.ascontiguousarray(components.T)
    values = np.full(counts.nnz, np.nan)
    for start in range(0, counts.shape[0], ROWS):
        stop = min(start + ROWS, counts.shape[0])
        low, high = counts.indptr[start], counts.indptr[stop]
        block = dense(codes[start:stop])
        rows = np.repeat(np.arange(stop - start), np.diff(counts.indptr[start : stop + 1]))
        at = columns[counts.indices[low:high]]
        product = np.einsum("ij,ij->i", block[rows], words[at], dtype=np.float64)
        values[low:high] = np.where(at >= 0, product, np.nan)
    return values


def _values_at(keywords: sp.csr_matrix, corpus: Corpus, columns: np.ndarray) -> np.ndarray:
    """Return the values of a matrix at the non-zero entries of the counts."""
    counts = corpus.counts
    rows = np.repeat(np.arange(counts.shape[0]), _sizes(corpus))
    at = columns[counts.indices]
    wanted = rows.astype(np.int64) * keywords.shape[1] + at
    keywords = sp.csr_matrix(keywords)
    keywords.sort_indices()
    owners = np.repeat(np.arange(keywords.shape[0]), np.diff(keywords.indptr))
    keys = owners.astype(np.int64) * keywords.shape[1] + keywords.indices
    matches = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    if not len(keys):
        return np.where(at >= 0, 0.0, np.nan)
    values = np.where(keys[matches] == wanted, keywords.data[matches], 0)
    return np.where(at >= 0, np.maximum(values, 0), np.nan).astype(np.float64)
