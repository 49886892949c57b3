"""Topics to start from: small groups of documents that are unlike each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import kmeans_plusplus
from sklearn.preprocessing import normalize

from laconic.corpus.chunks import Chunk
from laconic.engines import Engine
from laconic.models.sctm.dictionary import normalized
from laconic.models.sparse_lsa.starts import draw_documents
from laconic.models.stc.solver import sample_rows

CANDIDATES, MOST = 10, 2000  # documents for each topic, and in all, among which seeds are chosen
NEIGHBOURS = 3
TRIALS = 5  # with k-means++'s own number, 3 for few topics, one of 5 was missed now and then


def seed_topics(
    engine: Engine, chunks: list[Chunk], n_topics: int, seed: int, dtype: Any
) -> np.ndarray:
    """Topics (by topic), each the mean frequencies of a document and its nearest neighbours.

    The documents are drawn one after the other, far from those before (k-means++). Documents drawn
    at random leave planted topics without a seed, which the fit then does not find. Where there
    are fewer documents than topics the other topics are averages of some of them.
    """
    first = chunks[0].start
    wanted = min(CANDIDATES * n_topics, max(MOST, 2 * n_topics))
    drawn = draw_documents(seed, chunks[-1].stop - first, wanted)
    documents = sample_rows(engine, chunks, drawn + first).astype(np.float64)
    documents = documents[np.asarray(documents.sum(axis=1)).ravel() > 0]
    n_words = documents.shape[1]
    if not documents.shape[0] or not n_words:
        return np.full((n_topics, n_words), 1 / max(n_words, 1), dtype)
    documents = normalize(documents, "l1")
    topics = _means(documents, min(n_topics, documents.shape[0]), seed)
    random = np.random.default_rng([seed, 3])
    averages = random.dirichlet(np.full(len(topics), 0.5), n_topics - len(topics)) @ topics
    return normalized(np.vstack([topics, averages])).astype(dtype)


def _means(documents: sp.csr_matrix, n_topics: int, seed: int) -> np.ndarray:
    unit = normalize(documents)
    trials = max(TRIALS, 2 + int(np.log(n_topics)))
    _, chosen = kmeans_plusplus(unit, n_topics, random_state=seed % 2**32, n_local_trials=trials)
    likeness = np.asarray((unit[chosen] @ unit.T).todense())
    nearest = np.argsort(-likeness, axis=1, kind="stable")[:, :NEIGHBOURS]
    return np.array([np.asarray(documents[rows].mean(axis=0)).ravel() for rows in nearest])
