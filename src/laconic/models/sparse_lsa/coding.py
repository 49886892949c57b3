"""How a fitted `SparseLSA`, or a stand-in for one, codes documents; needs no scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.corpus.matrices import csr, unit_rows
from laconic.engines.base import Step
from laconic.kernels.projection import project_dense, project_sparse
from laconic.models.sparse_codes import CodingParams, check_sparse, codes_of, ridge_params


def coding_step(model: Any) -> tuple[Step, tuple[Any, ...]]:
    """Return the step that codes a chunk, and its parameters, to which `sparse` is to be added."""
    if codes_are_sparse(model):
        return codes_of, (coding_params(model),)
    return encode, (words_topics(model),)


def codes_are_sparse(model: Any) -> bool:
    """Return whether the codes are sparse codes, and not projections."""
    has_target = model.topics_per_document is not None
    return model.codes == "sparse" or (model.codes == "auto" and has_target)


def words_topics(model: Any) -> sp.csr_matrix:
    """Return the topics as a cached CSR matrix of words x topics.

    A model loaded from a file computes this matrix on first use.
    """
    return model._derived("by_word", lambda: model.components_.T.tocsr())


def coding_params(model: Any) -> CodingParams:
    """Return the parameters of sparse codes; the topics are scaled to unit length."""
    check_sparse(model)
    topics = getattr(model, "coding_components_", model.components_)
    threshold = model.code_threshold_
    return model._derived(
        "coding",
        lambda: ridge_params(unit_rows(topics), model.positive, threshold),
        topics,
        threshold,
    )


def encode(params: tuple[sp.csr_matrix, bool], chunk: Chunk, state: None) -> tuple[Any, None]:
    """Engine step: compute the codes of the documents of a chunk."""
    W, sparse = params
    X = chunk.load()
    dtype = np.result_type(X.dtype, W.dtype)
    n_topics = W.shape[1]
    arrays = X.data.astype(dtype, copy=False), X.indices, X.indptr
    if not sparse:
        out = np.empty((X.shape[0], n_topics), dtype)
        project_dense(*arrays, W.data, W.indices, W.indptr, out)
        return out, None
    data, indices, indptr = project_sparse(*arrays, W.data, W.indices, W.indptr, n_topics)
    return csr(data, indices, indptr.astype(np.int32), (X.shape[0], n_topics)), None
