"""Steps of a fitted PCP: documents of a chunk as codes of the background and keywords."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.chunks import Chunk
from laconic.models.distributions import as_codes
from laconic.models.pcp.exact import pursue_rows, rows_at_a_time
from laconic.models.pcp.factored import Basis, split_rows


def split_by_basis(X: sp.csr_matrix, basis: Basis) -> tuple[np.ndarray, sp.csr_matrix]:
    """Codes and keywords by the factored model."""
    rows = split_rows(X, basis)
    return rows.unscaled_codes(), rows.keywords(X)


def split_exactly(
    X: sp.csr_matrix, background: tuple[np.ndarray, np.ndarray, float]
) -> tuple[np.ndarray, sp.csr_matrix]:
    """Codes and S by the convex problem, some documents at a time."""
    n_rows = rows_at_a_time(X.shape[1])
    starts = range(0, X.shape[0], n_rows)
    parts = [pursue_rows(X[start : start + n_rows], *background) for start in starts]
    dtype = np.result_type(X.dtype, background[0].dtype)
    codes = np.vstack([part.codes for part in parts]).astype(dtype)
    return codes, sp.vstack([part.sparse for part in parts], format="csr").astype(dtype)


def parts_of(params: tuple[Any, Any], chunk: Chunk, state: None) -> tuple[Any, None]:
    """Step: codes and keywords of a chunk."""
    split, background = params
    return split(chunk.load(), background), None


def keywords_in(params: tuple[Any, Any], chunk: Chunk, state: None) -> tuple[Any, None]:
    """Step: keywords of a chunk."""
    split, background = params
    X = chunk.load()
    keywords = split(X, background)[1]
    return (keywords if split is split_by_basis else occurring(keywords, X)), None


def codes_of(params: tuple[Any, Any, bool], chunk: Chunk, state: None) -> tuple[Any, None]:
    """Step: codes of a chunk."""
    split, background, sparse = params
    return as_codes(split(chunk.load(), background)[0], sparse), None


def occurring(S: sp.csr_matrix, X: sp.csr_matrix) -> sp.csr_matrix:
    """The positive entries of S at words that occur in X."""
    kept = sp.csr_matrix(S.multiply(X != 0))
    kept.data = np.maximum(kept.data, 0)
    kept.eliminate_zeros()
    kept.sort_indices()
    return kept
