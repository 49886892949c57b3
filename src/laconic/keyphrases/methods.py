"""Keyword scores: each method computes a score from evidence; non-keywords have the score 0.

``best`` is a product of powers, so the exponents show the effect of each factor. The constants were
chosen on Reuters stories that are not used in any reported result, and on titles of CISI,
Cranfield, LISA and 20 Newsgroups; see docs/features/keywords.md.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import xlogy

from laconic.keyphrases.evidence import Evidence

RARITY, BURST, COMMON = 0.6, 1.25, 2.5
EARLY, POSITION = 20.0, 1.6
FIGURES, LINKING = 2.5, 0.6


def counts(evidence: Evidence) -> np.ndarray:
    """count · rarity^0.6 · burst^1.25 / common^2.5, which needs no texts."""
    return (
        evidence.count * evidence.rarity**RARITY * evidence.burst**BURST / evidence.common**COMMON
    )


def best(evidence: Evidence) -> np.ndarray:
    """`counts` · (1 + position / 20)^-1.6 · exp(-2.5 figures - 0.6 linking).

    Without texts, the score is `counts`.
    """
    score = counts(evidence)
    if evidence.occurrences is None:
        return score
    earliness = (1 + evidence.position / EARLY) ** -POSITION
    return score * earliness * np.exp(-FIGURES * evidence.figures - LINKING * evidence.linking)


def tfidf(evidence: Evidence) -> np.ndarray:
    """count · rarity."""
    return evidence.count * evidence.rarity


def position(evidence: Evidence) -> np.ndarray:
    """count · rarity / √(1 + position)."""
    return tfidf(evidence) / np.sqrt(1 + evidence.position)


def llr(evidence: Evidence) -> np.ndarray:
    """Log-likelihood ratio of the frequencies in this and in the other documents (Dunning 1993)."""
    here, elsewhere = evidence.count, evidence.total
    length = evidence.length
    others = np.maximum(evidence.background.n_tokens - evidence.includes_self * length, 0)
    share = (here + elsewhere) / (length + others)
    ratio = (
        xlogy(here, here / (length * share))
        + xlogy(elsewhere, elsewhere / np.maximum(others * share, 1e-300))
        + _log_ratio(length - here, length * (1 - share))
        + _log_ratio(others - elsewhere, others * (1 - share))
    )
    return np.where(here > length * share, 2 * ratio, 0.0)


def _log_ratio(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    observed = np.maximum(observed, 0)
    return xlogy(observed, observed / np.where(expected > 0, expected, 1))


def pcp(evidence: Evidence) -> np.ndarray:
    """Part of the count that the background of a PCP does not explain."""
    assert evidence.residual is not None
    return np.nan_to_num(evidence.residual)


METHODS: dict[str, Callable[[Evidence], np.ndarray]] = {
    "best": best,
    "counts": counts,
    "tfidf": tfidf,
    "position": position,
    "llr": llr,
    "pcp": pcp,
}
NEED_TEXTS = ("position",)
