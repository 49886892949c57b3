"""Metrics that need only the topics: diversity, redundancy, sparsity and size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.corpus.matrices import unit_rows
from laconic.engines.stats import Stats
from laconic.errors import LaconicError


def diversity(topics: Iterable[Sequence[str]]) -> float:
    """Share of distinct words among the top words of all topics.

    The diversity is 1 if no word is repeated, 1 / n_topics if all topics have the same words, and 0
    if there are no words.

    Parameters
    ----------
    topics : iterable of sequence of str

    Returns
    -------
    float

    Examples
    --------
    >>> diversity([["cat", "dog"], ["cat", "emu"]])
    0.75
    """
    words = list(chain.from_iterable(topics))
    return len(set(words)) / len(words) if words else 0.0


def redundancy(components: Any) -> float:
    """Largest cosine of each topic with another topic, averaged over topics.

    The redundancy is 0 if no two topics share a word, and 1 if each topic has a duplicate. The
    absolute cosine is used, since the sign of a topic is arbitrary. A topic without words has
    cosine 0 with all others; a single topic has redundancy 0.

    Parameters
    ----------
    components : sparse matrix or array of shape (n_topics, n_words)

    Returns
    -------
    float

    Examples
    --------
    >>> redundancy([[1, 0, 0], [2, 0, 0], [0, 1, 1]])
    0.6666666666666666
    """
    rows = finite_unit_rows(components)
    if rows.shape[0] < 2:
        return 0.0
    cosines = abs(rows @ rows.T).toarray()
    np.fill_diagonal(cosines, 0)
    return float(np.minimum(cosines.max(axis=1), 1).mean())


def finite_unit_rows(matrix: Any) -> sp.csr_matrix:
    """Check codes or topics, and return them as CSR with rows of unit length, in float64."""
    rows = sp.csr_matrix(matrix, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    if not np.isfinite(rows.data).all():
        raise LaconicError("Codes and topics must be finite; they contain NaN or infinity.")
    return unit_rows(rows)


# --- zeros ---------------------------------------------------------------------------------------


@dataclass
class Entries(Stats):
    """Number of nonzero entries and number of all entries; `merge` adds two pairs of numbers.

    Examples
    --------
    >>> Entries(1, 4).merge(Entries(2, 4)).zeros
    0.625
    """

    nonzero: int
    size: int

    @property
    def zeros(self) -> float:
        """Share of zeros; 1 if there are no entries."""
        return 1 - self.nonzero / self.size if self.size else 1.0


def zeros(matrix: Any) -> float:
    """Share of zeros in a matrix, in several matrices, or in codes of words.

    Parameters
    ----------
    matrix : sparse matrix, array, sequence of these, or codes of words
        If an object has an attribute ``entries``, as codes of words do, zeros are counted in that
        matrix. The rows of that matrix are the words that occur in the documents, not the whole
        vocabulary.

    Returns
    -------
    float
        1 for a matrix without entries.

    Examples
    --------
    >>> zeros([[0, 1], [0, 0]])
    0.75
    """
    return count_entries(matrix).zeros


def effective_dimension(components: Any) -> float:
    """Number of topics in which a word has a weight, mean over all words of the vocabulary.

    A dense model with as many parameters has this number of topics, so models of different sparsity
    can be compared at equal size.

    Parameters
    ----------
    components : sparse matrix or array of shape (n_topics, n_words)

    Returns
    -------
    float

    Examples
    --------
    >>> effective_dimension([[0, 1, 2, 0], [3, 0, 0, 0]])
    0.75
    """
    entries = count_entries(components)
    n_words = np.shape(components)[1]
    return entries.nonzero / n_words if n_words else 0.0


def count_entries(matrix: Any) -> Entries:
    """Count the nonzero entries and all entries."""
    if hasattr(matrix, "entries"):
        matrix = matrix.entries
    if sp.issparse(matrix):
        return Entries(int(matrix.count_nonzero()), int(np.prod(matrix.shape, dtype=np.int64)))
    if not isinstance(matrix, np.ndarray) and any(map(_is_matrix, matrix)):
        total = Entries(0, 0)
        for part in matrix:
            total = total.merge(count_entries(part))
        return total
    array = np.asarray(matrix)
    if array.dtype.kind not in "biuf":
        raise LaconicError(
            f"The matrix must be numeric to count its zeros; got dtype {array.dtype}."
        )
    return Entries(int(np.count_nonzero(array)), array.size)


def _is_matrix(value: Any) -> bool:
    return sp.issparse(value) or hasattr(value, "entries") or isinstance(value, np.ndarray)


def bytes_of(matrix: Any) -> int:
    """Return the size in bytes of one or more matrices, including the indices of sparse matrices.

    Examples
    --------
    >>> bytes_of(np.zeros((2, 3), dtype="float32"))
    24
    >>> bytes_of(sp.csr_matrix(np.eye(2, dtype="float32")))  # 2 values, 2 columns, 3 pointers
    28
    """
    if sp.issparse(matrix):
        names = ("data", "indices", "indptr", "row", "col", "offsets")
        arrays = [getattr(matrix, name, None) for name in names]
        return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))
    if isinstance(matrix, np.ndarray):
        return matrix.nbytes
    return sum(map(bytes_of, matrix))
