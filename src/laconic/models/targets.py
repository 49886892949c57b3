"""Sparsity as a user says it: so many words for each topic, not a λ.

One λ for all topics leaves some with three words and others with hundreds, so each topic gets its
own. It is found on the way: while the fit goes on, the penalty of a topic is put between its k-th
and its next strongest word, with k falling from many words to the target; then it stays, so that
the objective means something. Where topics have drifted away by then, it is set once more.
"""

from __future__ import annotations

import numpy as np

from laconic.penalties import Blocks

FIRST = 16.0  # times the target: where k begins
FALLING = 8  # passes on which k falls
HELD = 6  # passes with k at the target before the penalties stay
CORRECTIONS = 5  # times that drifted penalties are set again
TOLERANCE = 0.2  # drift that is left alone, as a share of the target


class WordTarget:
    """Finds the alpha of each topic that keeps about `words` words."""

    def __init__(self, words: int, positive: bool) -> None:
        self.words = words
        self.positive = positive
        self.passes = 0
        self.corrections = 0
        self.fixed = False

    def solve(self, blocks: Blocks) -> np.ndarray:
        """The alphas for this pass, from B' in blocks of words x topics."""
        left = max(0.0, 1 - self.passes / FALLING)
        wanted = round(self.words * FIRST**left)
        self.passes += 1
        self.fixed = self.passes > FALLING + HELD
        strength = np.concatenate(list(blocks()))
        if not self.positive:
            np.abs(strength, out=strength)
        n_words = len(strength)
        if wanted >= n_words:
            return np.zeros(strength.shape[1])
        # the wanted-th largest and the one after it
        top = np.partition(strength.T, (n_words - wanted - 1, n_words - wanted), axis=1)
        pair = top[:, n_words - wanted - 1 : n_words - wanted + 1].astype(np.float64)
        return np.maximum(pair.mean(axis=1), 0)

    def reopen(self, counts: np.ndarray) -> bool:
        """Whether topics have drifted so far that the penalties should be set once more."""
        low, high = self.words * (1 - TOLERANCE), self.words * (1 + TOLERANCE)
        drifted = bool(np.any((counts < low) | (counts > high)))
        if not drifted or self.corrections >= CORRECTIONS:
            return False
        self.corrections += 1
        self.passes -= 2  # one pass that sets them, one that may settle
        self.fixed = False
        return True
