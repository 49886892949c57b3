"""How much of unseen words topics foretell.

Each occurrence of a word in a document that no topic was fitted to is dealt to one of two halves:
counts dealt this way are (nearly) independent, so whatever one half says about the other is no
noise. With o and h the halves of a document, m the mean of all o, and A the topics,

    foretold = m + (o - m) A' (A A' + λ I)^-1 A,      gain = 1 - |h - foretold|² / |h - m|²

and the *foretold share* is the mean of the gains. A topic that documents have in truth brings more
than it costs; one that only splits others, or that noise has made, costs: the share falls when
there are too many. λ, one number for all documents, is the one that foretells most: without it
documents of few words would be better told by few topics than by the true ones.

Documents are compared on the scale on which their noise is of one size: counts divided by the
square root of the document's length, or weighted by tf-idf where the model is. Each counts the
same: in the sum of squares a few documents that say one word a thousand times would decide alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.corpus import Corpus
from laconic.corpus.sampling import deal
from laconic.errors import LaconicError
from laconic.fitted.model import TopicView
from laconic.fitted.pipeline_steps import last_step, steps_of
from laconic.text.vectorizer import Vectorizer

STRENGTHS = (0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # λ, for topics of unit length


class Foretold(NamedTuple):
    """What share of its other half is foretold, for each document."""

    gains: np.ndarray

    @property
    def share(self) -> float:
        """Of documents on average."""
        return float(self.gains.mean())

    @property
    def standard_error(self) -> float:
        """Of that average, from document to document."""
        return float(self.gains.std(ddof=1) / np.sqrt(len(self.gains)))


class Halves(NamedTuple):
    """Documents in two halves on one scale; those without words in one of them are left out."""

    observed: sp.csr_matrix
    held: sp.csr_matrix
    counts: sp.csr_matrix  # the observed half, as it was counted
    lengths: np.ndarray  # words in it
    kept: np.ndarray  # numbers of the documents


def held_out_score(estimator: Any, X: Any, y: Any = None) -> float:
    """Share of unseen words that the topics of a fitted model foretell: a scorer of scikit-learn.

    Half of the occurrences of words of each document, drawn at random but always the same, say
    how much of each topic it has; how much better the other half is foretold by that than by the
    mean of all documents is the score. It is 0 for topics that say nothing and falls when there
    are more topics than the documents bear; documents should be unseen, as those of a search of
    scikit-learn are.

    Parameters
    ----------
    estimator : estimator or Pipeline
        Fitted, with ``components_``.
    X : Corpus, sparse matrix or array of counts, or texts for a pipeline that counts them
    y : ignored

    Returns
    -------
    float
        Higher is better, at most 1; noise alone keeps it well below.

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
    halves = halve(estimator, counts_for(estimator, X))
    return foretell(topics_of(estimator), halves).share


# --- what a model says about documents -----------------------------------------------------------


def topics_of(estimator: Any) -> Any:
    """Topics x words: probabilities where a model has them beside its sparse topics."""
    model = last_step(estimator)
    check_is_fitted(model, "components_")
    topics = getattr(model, "probabilities_", model.components_)
    return topics if sp.issparse(topics) else np.asarray(topics)


def counts_for(estimator: Any, X: Any) -> sp.csr_matrix:
    """Counts of documents over the words of the model."""
    first = steps_of(estimator)[0]
    if isinstance(first, Vectorizer):
        X = first.transform(X)
    if isinstance(X, Corpus):
        X = TopicView(estimator).align(X).counts
    if isinstance(X, (list, tuple, np.ndarray)) and len(X) and isinstance(X[0], str):
        raise LaconicError("A model takes counts, not texts; laconic.pipeline counts them first.")
    X, n_words = sp.csr_matrix(X), topics_of(estimator).shape[1]
    if X.shape[1] != n_words:
        raise LaconicError(
            f"The documents have {X.shape[1]:,} words, but the model was fitted on {n_words:,}."
        )
    return X


def halve(estimator: Any, counts: sp.csr_matrix, random_state: int = 0) -> Halves:
    """Documents dealt into two halves, on the scale on which a model is judged."""
    observed, held = deal(counts, 0.5, random_state)
    lengths = _totals(observed)
    kept = np.flatnonzero((lengths > 0) & (_totals(held) > 0))
    if not len(kept):
        raise LaconicError("No document has two words, so nothing can be held out.")
    observed, held, lengths = observed[kept], held[kept], lengths[kept]
    return Halves(
        *_on_one_scale(estimator, observed, held, lengths),
        counts=observed,
        lengths=lengths,
        kept=kept,
    )


def _on_one_scale(
    estimator: Any, observed: sp.csr_matrix, held: sp.csr_matrix, lengths: np.ndarray
) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    steps = steps_of(estimator)[:-1]
    weighted = [step for step in steps if getattr(step, "scale_", None) is not None]
    if weighted:
        return tuple(sp.csr_matrix(weighted[-1].transform(part)) for part in (observed, held))
    scale = sp.diags_array(1 / np.sqrt(lengths))
    return sp.csr_matrix(scale @ observed), sp.csr_matrix(scale @ held)


def _totals(X: sp.csr_matrix) -> np.ndarray:
    return np.asarray(X.sum(axis=1), dtype=np.float64).ravel()


# --- the measure ---------------------------------------------------------------------------------


def foretell(topics: Any, halves: Halves) -> Foretold:
    """The held halves from the observed ones, by ridge regression on topics."""
    unit = unit_rows(topics)
    mean = _mean(halves.observed)
    # In the eigenvectors of A A' topics are orthogonal, so each λ costs no more than a division.
    values, vectors = np.linalg.eigh(_inner(unit, unit))
    values = np.maximum(values, 0)
    at_mean = _inner(mean[None], unit)
    seen = (_inner(halves.observed, unit) - at_mean) @ vectors
    unseen = (_inner(halves.held, unit) - at_mean) @ vectors
    squares = _squares(halves.held, mean)
    tries = []
    for strength in STRENGTHS:
        codes = seen / (values + strength)
        tries.append(np.einsum("ij,ij->i", codes, 2 * unseen - codes * values) / squares)
    return Foretold(max(tries, key=np.sum))


def foretell_by_codes(codes: np.ndarray, topics: Any, halves: Halves) -> Foretold:
    """The held halves from codes of the observed ones: m + s (c - mean of c) A.

    s, one number for all documents, is the one that foretells most.
    """
    mean = _mean(halves.observed)
    centred = codes - codes.mean(axis=0)
    squares = _squares(halves.held, mean)
    own = np.einsum("ij,ij->i", centred @ _inner(topics, topics), centred) / squares
    along = _inner(halves.held, topics) - _inner(mean[None], topics)
    shared = np.einsum("ij,ij->i", centred, along) / squares
    scale = max(float(shared.sum()) / max(float(own.sum()), np.finfo(float).tiny), 0.0)
    return Foretold(2 * scale * shared - scale**2 * own)


def unit_rows(topics: Any, dtype: Any = np.float64) -> Any:
    """Topics of length one, sparse or not; `dtype` is that of those that are not."""
    if sp.issparse(topics):
        lengths = np.sqrt(np.asarray(topics.multiply(topics).sum(axis=1), np.float64)).ravel()
        return sp.csr_matrix(sp.diags_array(1 / np.where(lengths > 0, lengths, 1)) @ topics)
    topics = topics.astype(dtype)
    lengths = np.linalg.norm(topics, axis=1, keepdims=True)
    return topics / np.where(lengths > 0, lengths, 1)


def _inner(rows: Any, others: Any) -> np.ndarray:
    """Inner products of rows, dense."""
    product = rows @ others.T
    return np.asarray(product.todense() if sp.issparse(product) else product, dtype=np.float64)


def _mean(rows: sp.csr_matrix) -> np.ndarray:
    return np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()


def _squares(rows: sp.csr_matrix, mean: np.ndarray) -> np.ndarray:
    """|h - m|² of each row, without making any row dense; 1 where a document is as the mean."""
    own = np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    squares = own - 2 * (rows @ mean) + float(mean @ mean)
    return np.where(squares > np.finfo(np.float32).eps * own, squares, 1.0)
