"""Stability of each topic: how well fits to bootstrap samples of the documents find it again."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.errors import LaconicError, check_at_least
from laconic.evaluation.evaluate import MAX_DOCUMENTS, N_WORDS, as_corpus, refit
from laconic.fitted.automatic import AutomaticFacts, facts_of, keep_facts
from laconic.fitted.kept_corpus import kept_corpus
from laconic.fitted.model import TopicView
from laconic.metrics.registry import N_REFITS
from laconic.metrics.stability import match_topics
from laconic.progress import progress_bar


def topic_stability(
    model: Any,
    corpus: Any = None,
    *,
    n_refits: int = N_REFITS,
    n_words: int = N_WORDS,
    random_state: int = 0,
    max_documents: int | None = MAX_DOCUMENTS,
) -> np.ndarray:
    """Measure how sure each topic is: how well refits to resampled documents find it again.

    The model is refitted to bootstrap samples of the documents. The topics of each refit are
    matched with the topics of the model, and the stability of a topic is the mean rank-biased
    overlap of its top words with those of its matches. The result is kept with the model: the table
    of `laconic.topics` then has a column ``stability``, and `laconic.save` saves it.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.
    corpus : Corpus, list of str or sparse matrix, optional
        The documents of the fit. Default: the documents whose texts were saved with the model.
    n_refits : int, default=4
    n_words : int, default=10
        Number of top words per topic to compare.
    random_state : int, default=0
        Seed of the samples and of the refits.
    max_documents : int or None, default=20,000
        Maximum number of documents in a sample; None means as many as there are documents.

    Returns
    -------
    ndarray of length n_topics
        From 0 (no refit has such a topic) to 1 (every refit has the same top words).

    Examples
    --------
    >>> import laconic
    >>> X = np.kron(np.eye(3, dtype=int), np.ones((20, 5), dtype=int))
    >>> corpus = laconic.Corpus(X, [f"w{i}" for i in range(15)])
    >>> model = laconic.SparseLSA(3, alpha=0.1).fit(corpus)
    >>> (topic_stability(model, corpus, n_words=5) > 0.5).tolist()
    [True, True, True]
    """
    check_at_least("n_refits", n_refits)
    check_at_least("n_words", n_words)
    view = TopicView.of(model)
    documents = kept_corpus(view) if corpus is None else corpus
    if documents is None:
        raise LaconicError(
            "No texts of documents were saved with this model; pass the documents as corpus=."
        )
    aligned, words = as_corpus(view, documents), view.strongest_words(n_words)
    overlaps = np.zeros((n_refits, view.n_topics))
    with progress_bar("refitting", n_refits) as update:
        for number in range(n_refits):
            other = refit(view, aligned, True, [random_state, number], max_documents)
            matching = match_topics(words, other.strongest_words(n_words))
            overlaps[number, matching.first] = matching.similarity
            update(completed=number + 1)
    stability: np.ndarray = overlaps.mean(axis=0)
    facts, empty = facts_of(model), AutomaticFacts()
    keep_facts(
        model,
        {
            topic: facts.get(topic, empty).replaced(stability=float(value))
            for topic, value in enumerate(stability)
        },
    )
    return stability
