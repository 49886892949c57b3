"""Models of other libraries, as estimators that accept a Corpus.

Each estimator has ``fit``, ``transform`` and ``components_`` like the models of this library, and
is fitted to its usual input, which is counts for LDA and tf-idf for matrix factorisations. The
tf-idf is the balanced variant that Sparse LSA uses, because with plain tf-idf all factorisations
are less coherent and less accurate.
"""

from __future__ import annotations

import os
import pickle
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import NMF, LatentDirichletAllocation, TruncatedSVD
from sklearn.pipeline import Pipeline

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.weighting import Weighting

LDA_PASSES = 10
GENSIM_PASSES = 5
TOMOTOPY_ITERATIONS = 300
TOMOTOPY_INFERENCE = 50


class Peer(NamedTuple):
    """A model of another library.

    Attributes
    ----------
    make : callable
        (n_components, random_state, n_jobs) -> an estimator that accepts a Corpus.
    package : str
        Name of the package to install.
    distributions : bool
        Whether the topics are distributions over words.
    about : str
    """

    make: Callable[[int, int, int | None], Any]
    package: str
    distributions: bool
    about: str

    @property
    def installed(self) -> bool:
        return find_spec({"scikit-learn": "sklearn"}.get(self.package, self.package)) is not None


def _on(scheme: str, model: Any) -> Pipeline:
    """Build a pipeline of a weighting and a scikit-learn model."""
    return Pipeline([("weighting", Weighting(scheme, output="csr")), ("model", model)])


def sklearn_lda(n_components: int, seed: int, n_jobs: int | None) -> Pipeline:
    model = LatentDirichletAllocation(
        n_components,
        learning_method="batch",
        max_iter=LDA_PASSES,
        random_state=seed,
        n_jobs=n_jobs or os.cpu_count(),
    )
    return _on("counts", model)


def sklearn_nmf(n_components: int, seed: int, n_jobs: int | None) -> Pipeline:
    return _on("tfidf-balanced", NMF(n_components, init="nndsvd", random_state=seed))


def sklearn_lsa(n_components: int, seed: int, n_jobs: int | None) -> Pipeline:
    return _on("tfidf-balanced", TruncatedSVD(n_components, random_state=seed))


class GensimLDA(TransformerMixin, BaseEstimator):
    """gensim's LdaModel, which trains on one core; LdaMulticore is not used because it forks."""

    def __init__(self, n_components: int = 10, random_state: int = 0) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: Corpus, y: Any = None) -> Self:
        from gensim.models import LdaModel

        self.model_ = LdaModel(
            bags_of(X),
            num_topics=self.n_components,
            id2word={i: str(i) for i in range(X.shape[1])},
            passes=GENSIM_PASSES,
            random_state=self.random_state,
        )
        self.components_ = self.model_.get_topics()
        return self

    def transform(self, X: Corpus) -> np.ndarray:
        gamma = self.model_.inference(bags_of(X))[0]
        return gamma / gamma.sum(axis=1, keepdims=True)


def bags_of(corpus: Corpus) -> list[list[tuple[int, float]]]:
    """Return the (column, count) pairs of each document."""
    counts = corpus.counts
    cuts = counts.indptr[1:-1]
    return [
        list(zip(words.tolist(), times.tolist(), strict=True))
        for words, times in zip(
            np.split(counts.indices, cuts), np.split(counts.data, cuts), strict=True
        )
    ]


class TomotopyLDA(TransformerMixin, BaseEstimator):
    """tomotopy's LDA by Gibbs sampling; documents without words are skipped.

    With more than one thread, the results differ from run to run; tomotopy's warning about this is
    silenced.
    """

    def __init__(self, n_components: int = 10, random_state: int = 0, n_jobs: int | None = None):
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Corpus, y: Any = None) -> Self:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # tomotopy warns when imported or multi-threaded
            return self._fit(X)

    def _fit(self, X: Corpus) -> Self:
        from tomotopy import LDAModel

        self.model_ = LDAModel(k=self.n_components, seed=self.random_state)
        for words in tokens_of(X):
            if words:
                self.model_.add_doc(words)
        self.model_.train(TOMOTOPY_ITERATIONS, workers=self.n_jobs or 0)
        columns = np.array([int(word) for word in self.model_.used_vocabs])
        self.components_ = np.zeros((self.n_components, X.shape[1]))
        for topic in range(self.n_components):
            self.components_[topic, columns] = self.model_.get_topic_word_dist(topic)
        return self

    def transform(self, X: Corpus) -> np.ndarray:
        vocabulary = set(self.model_.used_vocabs)
        tokens = [[word for word in words if word in vocabulary] for words in tokens_of(X)]
        filled = [row for row, words in enumerate(tokens) if words]
        documents = [self.model_.make_doc(tokens[row]) for row in filled]
        codes = np.zeros((len(tokens), self.n_components))
        if documents:
            shares, _ = self.model_.infer(
                documents, iterations=TOMOTOPY_INFERENCE, workers=self.n_jobs or 0
            )
            codes[filled] = shares
        return codes


def tokens_of(corpus: Corpus) -> list[list[str]]:
    """Return the tokens of each document; a token is the column number of a word, as a string."""
    counts = corpus.counts
    times = counts.data.astype(np.int64)
    if not np.array_equal(times, counts.data):
        raise LaconicError("lda-tomotopy needs integer counts, but some counts are not integers.")
    words = np.repeat(counts.indices, times).astype(str)
    ends = np.append(0, np.cumsum(times))[counts.indptr[1:-1]]
    return [part.tolist() for part in np.split(words, ends)]


def saved_bytes(estimator: Any) -> int:
    """Return the size on disk of a fitted peer, saved in the usual format of its library."""
    model = getattr(estimator, "model_", None)
    if not isinstance(estimator, TomotopyLDA) or model is None:
        return len(pickle.dumps(estimator))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.bin"
        model.save(str(path), full=False)
        return path.stat().st_size


PEERS: dict[str, Peer] = {
    "lda": Peer(sklearn_lda, "scikit-learn", True, "scikit-learn's LDA, batch, 10 passes"),
    "nmf": Peer(sklearn_nmf, "scikit-learn", False, "scikit-learn's NMF on balanced tf-idf"),
    "lsa": Peer(sklearn_lsa, "scikit-learn", False, "TruncatedSVD on balanced tf-idf"),
    "lda-gensim": Peer(
        lambda k, seed, n_jobs: GensimLDA(k, seed), "gensim", True, "gensim's LDA, 5 passes"
    ),
    "lda-tomotopy": Peer(
        lambda k, seed, n_jobs: TomotopyLDA(k, seed, n_jobs),
        "tomotopy",
        True,
        "tomotopy's LDA, 300 iterations of Gibbs sampling",
    ),
}
