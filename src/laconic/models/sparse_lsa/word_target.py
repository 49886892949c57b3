"""Sparsity as a user says it: so many words for each topic, not a λ.

One λ for all topics leaves some with three words and others with hundreds. A λ for each topic,
found once and then held, is not stable either: a topic with a small λ takes over the words of the
others (from 20 words each to between 2 and 200 was seen). What is stable is the constraint itself,

    minimise  1/2 |X - U A|^2   subject to   U'U = I  and at most k words in each row of A

because, U'U being I, its A-step is as exact as the penalty's: keep the k strongest words of each
row of U'X. The objective is 1/2 (|X|^2 - |A|^2) and never rises. To come to good topics, k falls
from many words to the target on the first passes.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from laconic.models.penalties import L1, Blocks, NonNegative

FIRST = 16.0  # times the target: where k begins
FALLING = 8  # passes on which k falls


class WordTarget:
    """The A-step that keeps a number of words for each topic."""

    def __init__(self, words: int, positive: bool) -> None:
        self.words = words
        self.positive = positive
        self.passes = 0

    def reach(self) -> None:
        """Go to the target at once, for a fit that has one pass for each batch."""
        self.passes = FALLING + 1

    @property
    def falling(self) -> bool:
        """Whether k is still on its way, so that objectives cannot be compared."""
        return self.passes <= FALLING

    def shrink(self, blocks: Blocks) -> tuple[sp.csr_matrix, float, np.ndarray]:
        """A' as CSR, the sum of its squares, and the strength below which words were left out."""
        left = max(0.0, 1 - self.passes / FALLING)
        self.passes += 1
        strength = np.concatenate(list(blocks()))
        limits = self._limits(strength, round(self.words * FIRST**left))
        W, _ = (NonNegative if self.positive else L1)(limits).shrink(lambda: iter([strength]))
        W.data += np.sign(W.data) * limits.astype(W.dtype)[W.indices]  # kept words stay whole
        return W, float(np.sum(W.data.astype(np.float64) ** 2)), limits

    def _limits(self, strength: np.ndarray, wanted: int) -> np.ndarray:
        """For each topic a value between its wanted-th strongest word and the next."""
        n_words, n_topics = strength.shape
        if wanted >= n_words:
            return np.zeros(n_topics)
        size = strength.T if self.positive else np.abs(strength.T)
        top = np.partition(size, (n_words - wanted - 1, n_words - wanted), axis=1)
        pair = top[:, n_words - wanted - 1 : n_words - wanted + 1].astype(np.float64)
        return np.maximum(pair.mean(axis=1), 0)
