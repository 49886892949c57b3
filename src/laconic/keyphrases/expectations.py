"""What a topic model expects of the words of documents, and what a PCP has left over."""

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

ROWS = 1_024  # documents whose entries are worked on at a time


def from_model(model: Any, corpus: Corpus) -> tuple[np.ndarray, np.ndarray | None]:
    """Expected count and residual of each entry of the counts, NaN for a word it does not know.

    Only a `PCP` has residuals, 0 where the background explains the count.
    """
    view = TopicView(model)
    estimator = view.estimator
    if not hasattr(estimator, "transform"):
        raise LaconicError(
            f"model must be a fitted PCP or topic model; got {type(estimator).__name__}."
        )
    check_is_fitted(estimator, "components_")
    known, columns = _aligned(view, corpus)
    if hasattr(estimator, "split"):
        parts = estimator.split(known)
        expected = _products(corpus, columns, parts.background.codes, parts.background.components)
        return np.maximum(expected, 0), _values_at(parts.keywords, corpus, columns)
    codes = sp.csr_matrix(model.transform(corpus if view.is_pipeline else known))
    components = dense(estimator.components_)
    if (codes.nnz and codes.data.min() < 0) or components.min() < 0:
        raise LaconicError(
            f"The topics of this {type(estimator).__name__} have negative weights, which are no "
            "expected counts; fit it with positive=True, or give a PCP."
        )
    # A share of each topic, times what a topic says of words: scaled to the length of the document.
    mass = codes @ components.sum(axis=1)
    lengths = np.asarray(corpus.counts.sum(axis=1)).ravel() / np.where(mass > 0, mass, 1)
    return _products(corpus, columns, codes, components) * np.repeat(lengths, _sizes(corpus)), None


def _aligned(view: TopicView, corpus: Corpus) -> tuple[Corpus, np.ndarray]:
    """The corpus over the words of a model, and the model's column of each column of the corpus."""
    if view.names is not None and corpus.vocabulary is not None:
        return view.align(corpus), Vocabulary(view.names).columns(corpus.vocabulary)
    n_words = view.estimator.n_features_in_
    if corpus.shape[1] != n_words:
        raise LaconicError(
            f"The model knows {n_words:,} words and the corpus has "
            f"{corpus.shape[1]:,}; give both the same vocabulary."
        )
    return corpus, np.arange(corpus.shape[1])


def _sizes(corpus: Corpus) -> np.ndarray:
    return np.diff(corpus.counts.indptr)


def _products(
    corpus: Corpus, columns: np.ndarray, codes: Any, components: np.ndarray
) -> np.ndarray:
    """(codes @ components) at the entries of the counts."""
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
    """Values of a matrix at the entries of the counts."""
    counts = corpus.counts
    rows = np.repeat(np.arange(counts.shape[0]), _sizes(corpus))
    at = columns[counts.indices]
    wanted = rows.astype(np.int64) * keywords.shape[1] + at
    keywords = sp.csr_matrix(keywords)
    keywords.sort_indices()
    owners = np.repeat(np.arange(keywords.shape[0]), np.diff(keywords.indptr))
    keys = owners.astype(np.int64) * keywords.shape[1] + keywords.indices
    places = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    if not len(keys):
        return np.where(at >= 0, 0.0, np.nan)
    values = np.where(keys[places] == wanted, keywords.data[places], 0)
    return np.where(at >= 0, np.maximum(values, 0), np.nan).astype(np.float64)
