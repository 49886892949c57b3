"""Compute the codes of documents for fixed topics T of unit length.

*Lasso codes* minimise the objective of sparse coding on the Gram matrix of the topics:

    minimise over θ:  1/2 |x - θ T|² + ω |θ|_1

*Sparse codes* are computed in two steps. The first step is a ridge regression (κ = 1):

    minimise over θ:  1/2 |x - θ T|² + κ/2 |θ|²

The second step drops the topics whose share in the code of a document is below a threshold, see
`laconic.models.few_topics`.

With the same number of topics per document, sparse codes classify documents better than lasso
codes, because an l1 penalty also shrinks the codes that it does not set to zero. On newsgroup
posts, with 50 topics and 5.5 topics per document, the accuracy is 0.77 with sparse codes and 0.75
with lasso codes.

Lasso codes and sparse codes are non-negative unless signed codes are requested.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import as_codes, unit_rows
from laconic.engines import Engine
from laconic.engines.blocks import RunTasks, gram, run_here, transpose
from laconic.engines.stats import Stats
from laconic.errors import LaconicError
from laconic.kernels.lasso import nonnegative_lasso
from laconic.kernels.projection import gather_rows
from laconic.models.few_topics import AUTO, choose_threshold, drop_weak
from laconic.models.penalty_search import find_penalty

CODE_TOL = 1e-9  # tolerance of the lasso, relative to the largest correlation of a document
DENSE = 8  # topics with more words than one in so many are multiplied as dense arrays
RIDGE = 1.0  # κ in the ridge regression, relative to the squared length of a topic


class CodingParams(NamedTuple):
    """Parameters for coding documents."""

    word_topics: np.ndarray  # words x topics
    gram: np.ndarray  # Gram matrix of the topics, float64; for sparse codes, κ is added
    alpha: float  # penalty ω; 0 for sparse codes
    positive: bool
    threshold: float = 0.0  # minimum share of a topic in the code of a document


@dataclass
class CodeTotals(Stats):
    """Sums over the codes of documents, with one entry per topic."""

    mass: np.ndarray  # Σ|θ|
    squares: np.ndarray  # Σθ²


def lasso_params(
    topics: Any, alpha: float, positive: bool, run: RunTasks = run_here
) -> CodingParams:
    """Return the parameters of lasso codes; `topics` (topics x words) may be sparse."""
    if sp.issparse(topics):
        word_topics = topics.T.toarray(order="C")
    else:
        word_topics = transpose(np.asarray(topics), run)
    return CodingParams(word_topics, gram_matrix(topics, word_topics, run), alpha, positive)


def gram_matrix(topics: Any, word_topics: np.ndarray, run: RunTasks = run_here) -> np.ndarray:
    """Return the Gram matrix of topics in float64; `word_topics` has the same as a dense array.

    If the topics have few words, only their words are multiplied.
    """
    if sp.issparse(topics) and DENSE * topics.nnz < word_topics.size:
        exact = topics.astype(np.float64)
        return (exact @ exact.T).toarray()
    return gram(word_topics, run)


def ridge_params(
    topics: Any, positive: bool, threshold: float = 0.0, run: RunTasks = run_here
) -> CodingParams:
    """Return the parameters of sparse codes for topics of unit length (topics x words)."""
    params = lasso_params(topics, 0.0, positive, run)
    ridged = params.gram + RIDGE * np.eye(len(params.gram))
    return params._replace(gram=ridged, threshold=threshold)


def code(X: sp.csr_matrix, params: CodingParams) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes (float64), and the correlations of the documents with the topics."""
    correlations = correlate(X, params.word_topics)
    n_topics = correlations.shape[1]
    penalty = np.full(n_topics, float(params.alpha))
    if params.positive:
        codes = np.zeros(correlations.shape)
        nonnegative_lasso(params.gram, correlations, penalty, codes, CODE_TOL)
    elif params.alpha == 0:
        codes = np.linalg.lstsq(params.gram, correlations.T.astype(np.float64))[0].T
    else:
        # θ = a - b, where a, b >= 0 solve a non-negative lasso on the topics and their negatives.
        signed_gram = np.block([[params.gram, -params.gram], [-params.gram, params.gram]])
        signed = np.hstack([correlations, -correlations])
        parts = np.zeros(signed.shape)
        nonnegative_lasso(signed_gram, signed, np.tile(penalty, 2), parts, CODE_TOL)
        codes = parts[:, :n_topics] - parts[:, n_topics:]
    drop_weak(codes, params.threshold)
    return codes, correlations


def correlate(X: sp.csr_matrix, word_topics: np.ndarray) -> np.ndarray:
    """Return the inner products of documents and topics, with the dtype of the topics."""
    products = np.empty((X.shape[0], word_topics.shape[1]), word_topics.dtype)
    data = X.data.astype(products.dtype, copy=False)
    gather_rows(data, X.indices, X.indptr, word_topics, products)
    return products


def codes_of(params: tuple[CodingParams, bool], chunk: Chunk, state: None) -> tuple[Any, None]:
    """Step: return the codes of the documents of a chunk, as CSR or as a dense array."""
    coding, sparse = params
    X = chunk.load()
    codes, _ = code(X, coding)
    return as_codes(codes.astype(np.result_type(X.dtype, coding.word_topics.dtype)), sparse), None


def correlations_of(params: tuple[np.ndarray, bool], chunk: Chunk, state: None) -> tuple[Any, None]:
    """Step: return the inner products of the documents of a chunk with the topics."""
    word_topics, sparse = params
    return as_codes(correlate(chunk.load(), word_topics), sparse), None


def total_codes(params: CodingParams, chunk: Chunk, state: None) -> tuple[CodeTotals, np.ndarray]:
    """Step: sum the codes of a chunk, and also return the codes for `fit_transform`."""
    X = chunk.load()
    codes, _ = code(X, params)
    totals = CodeTotals(np.abs(codes).sum(axis=0), np.einsum("ij,ij->j", codes, codes))
    return totals, codes.astype(np.result_type(X.dtype, params.word_topics.dtype))


def check_sparse(model: Any) -> None:
    """Raise an error if a model that should return sparse codes was not fitted for them."""
    if not hasattr(model, "code_threshold_"):
        raise LaconicError(
            f"This {type(model).__name__} was not fitted for sparse codes; fit it again with "
            "codes='sparse'."
        )


def sparse_threshold(
    engine: Engine,
    chunks: list[Chunk],
    seed: int,
    topics: Any,
    positive: bool,
    target: float | str | None,
) -> float:
    """Return the threshold at which sparse codes have `target` topics per document on average."""
    params = ridge_params(unit_rows(topics), positive), False
    wanted = AUTO if target is None or target == "auto" else float(target)
    return choose_threshold(engine, chunks, seed, codes_of, params, wanted)


def lasso_penalty(sample: sp.csr_matrix, target: float, positive: bool, topics: Any) -> float:
    """Return the penalty ω at which lasso codes have `target` topics per document on average."""
    n_documents = max(int(np.count_nonzero(np.diff(sample.indptr))), 1)
    params = lasso_params(topics, 0.0, positive)

    def topics_per_document(alpha: float) -> float:
        codes, _ = code(sample, params._replace(alpha=alpha))
        return int(np.count_nonzero(codes)) / n_documents

    return find_penalty(topics_per_document, target, 1e-2)
