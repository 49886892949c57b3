"""Prediction of held-out words by topics.

The documents must not have been used in the fit. Each occurrence of a word in a document is
assigned at random to one of two halves, the observed half or the held-out half. The halves are
(nearly) independent, so noise in one half cannot predict the other half. Let o be the observed half
of a document, h its held-out half, m the mean of o over all documents, and A the topics. Then

    prediction = m + (o - m) A' (A A' + λ I)^-1 A,      gain = 1 - |h - prediction|² / |h - m|²

and the *explained share* is the mean of the gains over documents. True topics raise the explained
share. Topics that only split other topics or fit noise lower it, so it falls when there are too
many topics. λ is the same for all documents, and is chosen to give the highest explained share;
without λ, too few topics would be chosen for short documents.

Documents are scaled so that all of them have about the same noise. If the model uses tf-idf, its
tf-idf is used; otherwise, counts are divided by the square root of the length of the document. All
documents have equal weight, because a plain sum of squares would be dominated by a few documents
that repeat one word a thousand times.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.corpus import Corpus
from laconic.corpus.matrices import unit_rows
from laconic.corpus.sampling import deal
from laconic.errors import LaconicError
from laconic.fitted.model import TopicView
from laconic.fitted.pipeline_steps import coding_topics, last_step, steps_of
from laconic.text.vectorizer import Vectorizer

# values of λ to choose from, for topics of unit length
STRENGTHS = (0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


class Prediction(NamedTuple):
    """Gain of each document: the share of its held-out half that the topics explain."""

    gains: np.ndarray

    @property
    def explained(self) -> float:
        """Mean gain over documents."""
        return float(self.gains.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean gain."""
        return float(self.gains.std(ddof=1) / np.sqrt(len(self.gains)))


class SplitWords(NamedTuple):
    """Documents split into two halves of words; documents with an empty half are left out."""

    observed: sp.csr_matrix  # scaled observed halves
    held_out: sp.csr_matrix  # scaled held-out halves
    counts: sp.csr_matrix  # unscaled counts of the observed halves
    lengths: np.ndarray  # number of words in each observed half
    rows: np.ndarray  # row numbers of the documents


def held_out_score(estimator: Any, X: Any, y: Any = None) -> float:
    """Scikit-learn scorer: share of the variance of held-out words that a fitted model explains.

    Half of the word occurrences of each document, drawn at random with a fixed seed, determine the
    topic weights of the document, which predict the other half. The score is the share by which
    this prediction reduces the squared error, compared with predicting the mean of all documents.
    The score is 0 for topics that predict nothing, and falls when there are too many topics. Pass
    documents that the model was not fitted to, as scikit-learn's searches do.

    Parameters
    ----------
    estimator : estimator or Pipeline
        A fitted model that has ``components_``.
    X : Corpus, sparse matrix or array of counts, or texts for a pipeline that counts them
    y : ignored

    Returns
    -------
    float
        At most 1; higher is better. Because of noise, even true topics score well below 1.

    Examples
    --------
    >>> import laconic
    >>> from sklearn.model_selection import GridSearchCV
    >>> corpus, _ = laconic.datasets.make_topics(200, 300, 4, random_state=1)
    >>> sizes = {"model__n_components": [2, 4, 8]}
    >>> search = GridSearchCV(laconic.pipeline("plsa"), sizes, scoring=held_out_score, cv=3)
    >>> search.fit(corpus).best_params_
    {'model__n_components': 4}
    """
    split = split_words(estimator, counts_for(estimator, X))
    return predict_held_out(topics_of(estimator), split).explained


# --- topics and documents ------------------------------------------------------------------------


def topics_of(estimator: Any) -> Any:
    """Return `probabilities_` (topics x words) if the model has it, else the coding topics."""
    model = last_step(estimator)
    check_is_fitted(model, "components_")
    topics = getattr(model, "probabilities_", coding_topics(model))
    return topics if sp.issparse(topics) else np.asarray(topics)


def counts_for(estimator: Any, X: Any) -> sp.csr_matrix:
    """Return the word counts of documents, with the words of the model as columns."""
    first = steps_of(estimator)[0]
    if isinstance(first, Vectorizer):
        X = first.transform(X)
    if isinstance(X, Corpus):
        X = TopicView(estimator).align(X).counts
    if isinstance(X, (list, tuple, np.ndarray)) and len(X) and isinstance(X[0], str):
        raise LaconicError(
            "An estimator without a pipeline needs counts, not texts; pass a Corpus, or fit a "
            "laconic.pipeline that counts words first."
        )
    X, n_words = sp.csr_matrix(X), topics_of(estimator).shape[1]
    if X.shape[1] != n_words:
        raise LaconicError(
            f"The documents have {X.shape[1]:,} words (columns), but the model was fitted on "
            f"{n_words:,}; pass documents with the model's vocabulary."
        )
    return X


def split_words(estimator: Any, counts: sp.csr_matrix, random_state: int = 0) -> SplitWords:
    """Split the words of each document into two halves, and scale the halves as the model does."""
    observed, held_out = deal(counts, 0.5, random_state)
    lengths = _totals(observed)
    rows = np.flatnonzero((lengths > 0) & (_totals(held_out) > 0))
    if not len(rows):
        raise LaconicError("Every document has fewer than two words, so no words can be held out.")
    observed, held_out, lengths = observed[rows], held_out[rows], lengths[rows]
    return SplitWords(
        *_on_one_scale(estimator, observed, held_out, lengths),
        counts=observed,
        lengths=lengths,
        rows=rows,
    )


def _on_one_scale(
    estimator: Any, observed: sp.csr_matrix, held_out: sp.csr_matrix, lengths: np.ndarray
) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    steps = steps_of(estimator)[:-1]
    weighted = [step for step in steps if getattr(step, "scale_", None) is not None]
    if weighted:
        return tuple(sp.csr_matrix(weighted[-1].transform(half)) for half in (observed, held_out))
    scale = sp.diags_array(1 / np.sqrt(lengths))
    return sp.csr_matrix(scale @ observed), sp.csr_matrix(scale @ held_out)


def _totals(X: sp.csr_matrix) -> np.ndarray:
    return np.asarray(X.sum(axis=1), dtype=np.float64).ravel()


# --- prediction ----------------------------------------------------------------------------------


def predict_held_out(topics: Any, split: SplitWords) -> Prediction:
    """Predict the held-out halves from the observed halves by ridge regression on the topics."""
    unit = unit_rows(topics, np.float64)
    mean = _mean(split.observed)
    # In the eigenvector basis of A A', the inverse is diagonal, so each λ costs only a division.
    values, vectors = np.linalg.eigh(_inner(unit, unit))
    values = np.maximum(values, 0)
    at_mean = _inner(mean[None], unit)
    observed = (_inner(split.observed, unit) - at_mean) @ vectors
    held_out = (_inner(split.held_out, unit) - at_mean) @ vectors
    squares = _squares(split.held_out, mean)
    tries = []
    for strength in STRENGTHS:
        codes = observed / (values + strength)
        tries.append(np.einsum("ij,ij->i", codes, 2 * held_out - codes * values) / squares)
    return Prediction(max(tries, key=np.sum))


def predict_from_codes(codes: np.ndarray, topics: Any, split: SplitWords) -> Prediction:
    """Predict the held-out halves from the codes c of the observed halves: m + s (c - mean c) A.

    The factor s is the same for all documents, and is chosen for the highest explained share.
    """
    mean = _mean(split.observed)
    centred = codes - codes.mean(axis=0)
    squares = _squares(split.held_out, mean)
    norms = np.einsum("ij,ij->i", centred @ _inner(topics, topics), centred) / squares
    along = _inner(split.held_out, topics) - _inner(mean[None], topics)
    products = np.einsum("ij,ij->i", centred, along) / squares
    scale = max(float(products.sum()) / max(float(norms.sum()), np.finfo(float).tiny), 0.0)
    return Prediction(2 * scale * products - scale**2 * norms)


def _inner(rows: Any, others: Any) -> np.ndarray:
    """Return the inner products of the rows of two matrices as a dense array."""
    product = rows @ others.T
    return np.asarray(product.todense() if sp.issparse(product) else product, dtype=np.float64)


def _mean(rows: sp.csr_matrix) -> np.ndarray:
    return np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()


def _squares(rows: sp.csr_matrix, mean: np.ndarray) -> np.ndarray:
    """Return |h - m|² of each row h, or 1 if h equals the mean m; the rows stay sparse."""
    norms = np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    squares = norms - 2 * (rows @ mean) + float(mean @ mean)
    return np.where(squares > np.finfo(np.float32).eps * norms, squares, 1.0)
