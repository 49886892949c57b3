"""The main topic of each document: the topic with its largest absolute weight."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from laconic.fitted.document_sums import block_totals, code_blocks
from laconic.fitted.documents import Documents


class MainTopics(NamedTuple):
    """Main topics of documents.

    Attributes
    ----------
    topics : ndarray of int32
        The main topic of each document; -1 for a document without a topic.
    shares : ndarray of float32
        The share of the main topic in the absolute weights of the document.
    """

    topics: np.ndarray
    shares: np.ndarray


def main_topics(documents: Documents) -> MainTopics:
    """Return the main topic of each document, in one pass over the codes.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> found = main_topics(Documents(sp.csr_matrix([[1.0, 0], [1, 3], [0, 0]])))
    >>> found.topics.tolist(), found.shares.tolist()
    ([0, 1, -1], [1.0, 0.75, 0.0])
    """
    topics = np.full(len(documents), -1, dtype=np.int32)
    shares = np.zeros(len(documents), dtype=np.float32)
    for start, block in code_blocks(documents):
        sizes, starts = np.abs(block.data), block.indptr[:-1]
        used = np.flatnonzero(np.diff(block.indptr))
        if not len(used):
            continue
        most = np.maximum.reduceat(sizes, starts[used])
        # the first entry of each document that has the largest weight
        is_most = sizes == np.repeat(most, np.diff(block.indptr)[used])
        entries = np.flatnonzero(is_most)
        owners = np.searchsorted(block.indptr, entries, side="right") - 1
        rows, first = np.unique(owners, return_index=True)
        totals = block_totals(block)[rows]
        nonzero = totals > 0
        rows, entries, totals = rows[nonzero], entries[first][nonzero], totals[nonzero]
        topics[start + rows] = block.indices[entries]
        shares[start + rows] = sizes[entries] / totals
    return MainTopics(topics, shares)
