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
        self.alpha: np.ndarray | None = None
        self.fixed = False
        self.final = False  # the penalties that are set next end the fit

    def solve(self, blocks: Blocks) -> np.ndarray:
        """The alphas for this pass, from B' in blocks of words x topics."""
        left = max(0.0, 1 - self.passes / FALLING)
        wanted = round(self.words * FIRST**left)
        self.passes += 1
        self.fixed = self.passes > FALLING + HELD
        strength = np.concatenate(list(blocks()))
        if not self.positive:
            np.abs(strength, out=strength)
        n_words, n_topics = strength.shape
        if wanted >= n_words:
            alpha = np.zeros(n_topics)
        else:
            # the wanted-th largest and the one after it
            top = np.partition(strength.T, (n_words - wanted - 1, n_words - wanted), axis=1)
            pair = top[:, n_words - wanted - 1 : n_words - wanted + 1].astype(np.float64)
            alpha = pair.mean(axis=1)
        self.alpha = self._never_free(alpha)
        return self.alpha

    def _never_free(self, alpha: np.ndarray) -> np.ndarray:
        """Alphas above zero: a topic without a penalty would take over the others' words."""
        known = alpha[alpha > 0]
        usual = np.full(len(alpha), np.median(known) if len(known) else 0.0)
        before = usual if self.alpha is None else self.alpha
        return np.where(alpha > 0, alpha, np.where(before > 0, before, usual))

    def reopen(self, counts: np.ndarray) -> bool:
        """Whether topics have drifted so far that the penalties should be set once more."""
        low, high = self.words * (1 - TOLERANCE), self.words * (1 + TOLERANCE)
        if self.final or not np.any((counts < low) | (counts > high)):
            return False
        self.final = self.corrections == CORRECTIONS
        self.corrections += 1
        self.passes -= 1 if self.final else 2  # the last time, what is set is not left to drift
        self.fixed = False
        return True
