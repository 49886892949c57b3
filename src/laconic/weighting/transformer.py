"""Weighting of word counts; the formulas of the schemes are in `laconic.weighting.weights`.

A fit learns only values per column that can be merged across chunks, such as sums. The first pass
computes document frequencies. For ``tfidf-balanced`` and ``tfidf-distinct``, a second pass computes
column norms. For ``tfidf-distinct``, a third pass finds words that occur in the same documents. For
z-scores, a single pass computes the mean and the standard deviation of each column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.chunks import Chunk, memory_chunks
from laconic.corpus.corpus import Corpus
from laconic.corpus.inputs import check_corpus, check_matrix, check_not_negative
from laconic.corpus.matrices import column_totals
from laconic.corpus.outputs import as_output, check_output
from laconic.engines import Engine, make_engine
from laconic.engines.callbacks import CallbackSupportMixin, with_callbacks
from laconic.engines.stats import Stats
from laconic.errors import LaconicError
from laconic.weighting.coinciding_words import count_coinciding
from laconic.weighting.weights import SCHEMES, Z_SCORES, Weights, logs, weights_of

STRENGTH = 2  # with 1, on newsgroups, half as many topics again are signatures
ROUNDING = 1e-13  # a variance below this share of the mean square is a rounding error


@dataclass
class ColumnSums(Stats):
    """The number of documents and one sum per word, of one chunk or of several chunks."""

    n_documents: int
    sums: np.ndarray


def document_frequencies(params: None, chunk: Chunk, state: None) -> tuple[ColumnSums, None]:
    """Count the documents of a chunk that contain each word (a step of an engine)."""
    X = chunk.load()
    return ColumnSums(X.shape[0], np.bincount(X.indices, minlength=X.shape[1])), None


def squared_norms(weights: Weights, chunk: Chunk, state: None) -> tuple[ColumnSums, None]:
    """Compute the squared norm of each weighted column of a chunk (a step of an engine)."""
    X = weights(chunk.load())
    squares = X.data.astype(np.float64) ** 2
    return ColumnSums(X.shape[0], column_totals(X, squares)), None


def learn_scale(engine: Engine, chunks: list[Chunk], scheme: str, dtype: str) -> np.ndarray:
    """Return the weight of each word in a tf-idf scheme."""
    frequencies = engine.map_reduce(document_frequencies, None, chunks)
    scale = np.log((1 + frequencies.n_documents) / (1 + frequencies.sums)) + 1
    if scheme == "tfidf":
        return scale
    norms = np.sqrt(engine.map_reduce(squared_norms, Weights("tfidf", scale, dtype), chunks).sums)
    scale = scale / np.sqrt(np.where(norms > 0, norms, 1))
    if scheme == "tfidf-distinct":
        scale = scale / count_coinciding(engine, chunks, frequencies.sums) ** STRENGTH
    return scale


@dataclass
class ColumnMoments(Stats):
    """The number of documents, and the sums and sums of squares of all columns."""

    n_documents: int
    sums: np.ndarray
    squares: np.ndarray


def column_moments(scheme: str, chunk: Chunk, state: None) -> tuple[ColumnMoments, None]:
    """Compute the sums and sums of squares of the columns of a chunk (a step of an engine)."""
    X = logs(chunk.load(), scheme)
    sums = [column_totals(X, X.data**power) for power in (1, 2)]
    return ColumnMoments(X.shape[0], sums[0], sums[1]), None


def learn_z_scores(
    engine: Engine, chunks: list[Chunk], scheme: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the inverse standard deviation of each column (0 if it is constant), and the mean."""
    moments: ColumnMoments = engine.map_reduce(column_moments, scheme, chunks)
    mean = moments.sums / moments.n_documents
    mean_square = moments.squares / moments.n_documents
    variance = mean_square - mean**2
    varies = variance > ROUNDING * mean_square
    return np.where(varies, 1 / np.sqrt(np.where(varies, variance, 1)), 0.0), mean


class Weighting(
    OneToOneFeatureMixin,
    TransformerMixin,
    CallbackSupportMixin,
    BaseEstimator,
    auto_wrap_output_keys=None,  # type: ignore[call-arg]
):
    """Weight word counts, for example by tf-idf.

    Parameters
    ----------
    scheme : str, default="tfidf-balanced"
        "counts", "log-counts", "frequencies", "tfidf", "tfidf-balanced", "tfidf-distinct",
        "z-scores" or "log-z-scores"; the formulas are in `laconic.weighting.weights`.
    dtype : {"float32", "float64"}, default="float32"
        Type of the weighted values.
    engine : str, default="threads"
        Where to run the computation: "serial", "threads", "dask" or the address of a Dask
        scheduler.
    output : {"corpus", "csr"}, default="corpus"
        Type of the result if a `Corpus` is transformed: "corpus" returns another `Corpus`, whose
        counts are weighted when they are loaded; "csr" returns a CSR matrix, which any scikit-learn
        estimator accepts.
    n_jobs : int or None, default=None
        Number of workers. None means all cores, unlike in scikit-learn, where it means 1.

    Attributes
    ----------
    scale_ : ndarray of shape (n_words,) or None
        Weight of each word in the tf-idf schemes, inverse standard deviation for z-scores, or None
        for the other schemes.
    center_ : ndarray of shape (n_words,)
        Only for z-scores: the mean of each column.

    Examples
    --------
    >>> Weighting("frequencies").fit_transform([[1, 3], [0, 0]]).toarray().tolist()
    [[0.25, 0.75], [0.0, 0.0]]
    """

    scale_: np.ndarray | None

    def __init__(
        self,
        scheme: str = "tfidf-balanced",
        *,
        dtype: str = "float32",
        engine: str = "threads",
        output: str = "corpus",
        n_jobs: int | None = None,
    ) -> None:
        self.scheme = scheme
        self.dtype = dtype
        self.engine = engine
        self.output = output
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the weights of the words from `X`, a Corpus or a matrix of counts."""
        task = self._init_callback_context()
        task.call_on_fit_task_begin(estimator=self, X=X, y=y)
        if self.scheme not in SCHEMES:
            raise LaconicError(
                f"The 'scheme' parameter of Weighting must be one of {', '.join(SCHEMES)}. "
                f"Got {self.scheme!r} instead."
            )
        if self.dtype not in ("float32", "float64"):
            raise LaconicError(
                f"The 'dtype' parameter of Weighting must be 'float32' or 'float64'. "
                f"Got {self.dtype!r} instead."
            )
        check_output(self)
        if isinstance(X, Corpus):
            chunks = check_corpus(self, X, reset=True).chunks()
        else:
            chunks = memory_chunks(self._check_counts(X, reset=True))
        self._learn(chunks)
        task.call_on_fit_task_end(estimator=self, X=X, y=y)
        return self

    def _learn(self, chunks: list[Chunk]) -> None:
        """Learn the attributes that the scheme needs; other schemes need no engine."""
        self.scale_ = None
        self.__dict__.pop("center_", None)
        if self.scheme in Z_SCORES:
            with make_engine(self.engine, self.n_jobs) as engine:
                self.scale_, self.center_ = learn_z_scores(engine, chunks, self.scheme)
        elif self.scheme.startswith("tfidf"):
            with make_engine(self.engine, self.n_jobs) as engine:
                self.scale_ = learn_scale(engine, chunks, self.scheme, self.dtype)

    def transform(self, X: Any) -> Any:
        """Return the weighted documents as CSR or, if `X` is a Corpus, in the type `output`."""
        check_is_fitted(self, "n_features_in_")
        weights = self.weights()
        if isinstance(X, Corpus):
            return as_output(self, check_corpus(self, X, reset=False).weighted(weights))
        return weights(self._check_counts(X, reset=False))

    def weights(self) -> Weights:
        """Return the function that weights the rows of a matrix."""
        return weights_of(self)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Do nothing, because the next step of a pipeline needs sparse rows, not a data frame."""
        return self

    def _check_counts(self, X: Any, *, reset: bool) -> sp.csr_matrix:
        X = check_matrix(self, X, reset=reset)
        if self.scheme != "z-scores":
            check_not_negative(self, X)
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = []
        return tags
