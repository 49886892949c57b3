"""Limit the number of words per topic (``words_per_topic``) instead of using a penalty λ.

With the same λ for all topics, some topics have three words and others hundreds. A separate λ for
each topic, chosen once and then fixed, is not stable, because a topic with a small λ takes over
words of other topics: topics that began with 20 words each ended up with 2 to 200 words. A
constraint on the number of words is stable:

    minimise  1/2 |X - U A|^2   subject to   U'U = I  and at most k words in each row of A

Because U'U = I, the best A can be computed exactly, as with a penalty: each row of A keeps the k
strongest words of the same row of U'X. The objective is 1/2 (|X|^2 - |A|^2) and never rises. To
find better topics, the fit begins with a larger k, which decreases to the target during the first
passes.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from laconic.corpus.matrices import csr
from laconic.models.penalties import L1, Blocks, NonNegative

INITIAL_FACTOR = 16.0  # initial value of k, as a multiple of the target
SHORTENING_PASSES = 8  # number of passes during which k decreases to the target


class WordTarget:
    """Update of A that keeps only the strongest words of each topic, up to a maximum number."""

    def __init__(self, words: int, positive: bool) -> None:
        self.words = words
        self.positive = positive
        self.passes = 0

    def reach(self) -> None:
        """Set k to the target immediately, because `partial_fit` makes only one pass per batch."""
        self.passes = SHORTENING_PASSES + 1

    @property
    def shortening(self) -> bool:
        """Whether k is still decreasing, so that objectives cannot be compared."""
        return self.passes <= SHORTENING_PASSES

    def shrink(self, blocks: Blocks) -> tuple[sp.csr_matrix, float, np.ndarray]:
        """Return A' as CSR, the sum of squares of A, and the threshold of each topic."""
        exponent = max(0.0, 1 - self.passes / SHORTENING_PASSES)
        self.passes += 1
        strength = blocks.all()
        limits = self._limits(strength, round(self.words * INITIAL_FACTOR**exponent))
        W, _ = (NonNegative if self.positive else L1)(limits).shrink(
            Blocks.of(strength, blocks.run)
        )
        # The weights of kept words must not be shrunk, so the threshold is added back.
        W.data += np.sign(W.data) * limits.astype(W.dtype)[W.indices]
        return W, float(np.sum(W.data.astype(np.float64) ** 2)), limits

    def _limits(self, strength: np.ndarray, n_kept: int) -> np.ndarray:
        """Return the threshold of each topic.

        The threshold is halfway between the strengths of the n_kept-th strongest word and the next
        word.
        """
        n_words, n_topics = strength.shape
        if n_kept >= n_words:
            return np.zeros(n_topics)
        size = strength.T if self.positive else np.abs(strength.T)
        top = np.partition(size, (n_words - n_kept - 1, n_words - n_kept), axis=1)
        pair = top[:, n_words - n_kept - 1 : n_words - n_kept + 1].astype(np.float64)
        return np.maximum(pair.mean(axis=1), 0)


def shorten(topics: sp.csr_matrix, words: int) -> sp.csr_matrix:
    """Return the topics with only the `words` strongest words of each topic.

    Examples
    --------
    >>> shorten(sp.csr_matrix([[0.1, -3, 2, 0], [0, 0, 0, 1]]), 2).toarray().tolist()
    [[0.0, -3.0, 2.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """
    kept = []
    for start, stop in zip(topics.indptr[:-1], topics.indptr[1:], strict=True):
        strongest = np.argsort(-np.abs(topics.data[start:stop]), kind="stable")[:words]
        kept.append(start + np.sort(strongest))
    positions = np.concatenate(kept) if kept else np.zeros(0, np.intp)
    lengths = [len(row) for row in kept]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(topics.indptr.dtype)
    return csr(topics.data[positions], topics.indices[positions], indptr, topics.shape)
