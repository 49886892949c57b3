"""Which topics go together: a Gaussian prior on codes with a sparse precision matrix.

The paper adds θ'Ωθ - log det Ω + ρ|Ω|₁ to the objective and reports that it does not converge: it
falls for ever, because smaller codes allow a larger Ω (three iterations take codes to 1e-11). Here

    F = Σ_i { 1/(2σ²) |x_i - Bθ_i|² + ω/σ² Σ_j θ_ij + 1/2 (z_i - μ)'Ω(z_i - μ) }
        + n/2 { -log det Ω + a Σ_{j≠k} |Ω_jk| + d tr Ω },       z = θ / v

with the scales v and the residual variance σ² of the fit without a graph held fixed. The deviation
from a mean leaves large codes alone, and d bounds Ω: -log det Ω + d tr Ω ≥ n_topics (1 + ln d), so
F is bounded below. Each block (codes, topics, μ, Ω) is minimised with the others fixed, so F falls,
and the fit ends by its tolerance. For the codes this is the same non-negative lasso with
G + σ² V⁻¹ΩV⁻¹ in place of G; for Ω it is the graphical lasso.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.covariance import graphical_lasso
from sklearn.exceptions import ConvergenceWarning

from laconic.engines.base import single_blas_thread
from laconic.models.sctm.solver import CodeParams, CodeSums, Prior, gram_of

RIDGE = 0.05  # d
LEAST_SCALE = 1e-3  # of the largest codes: topics that hardly vary are not blown up


class GraphPrior(Prior):
    """Penalty on the sum of a code, and a Gaussian with a sparse precision.

    Parameters
    ----------
    alpha : float
        ω.
    graph_alpha : float
        a.
    variance : float
        σ².
    scales, means : ndarray of shape (n_topics,)
        v and μ.
    precision : ndarray of shape (n_topics, n_topics)
        Ω.
    """

    def __init__(
        self,
        alpha: float,
        graph_alpha: float,
        variance: float,
        scales: np.ndarray,
        means: np.ndarray,
        precision: np.ndarray,
    ) -> None:
        super().__init__(alpha)
        self.graph_alpha = graph_alpha
        self.variance = variance
        self.scales = scales
        self.means = means
        self.precision = precision

    @classmethod
    def after(
        cls, plain: Prior, params: CodeParams, sums: CodeSums, graph_alpha: float
    ) -> GraphPrior:
        """The prior for codes that were found without one: their scales, and no edges."""
        n_documents = max(sums.n_documents, 1)
        residual = 2 * (plain.objective(params.gram, sums) - plain.alpha * float(sums.mass.sum()))
        variance = max(residual / (n_documents * len(params.words)), np.finfo(float).tiny)
        deviations = np.sqrt(
            np.maximum(np.diag(sums.moments) / n_documents - (sums.mass / n_documents) ** 2, 0)
        )
        sizes = np.sqrt(np.diag(sums.moments) / n_documents)
        scales = np.maximum(deviations, LEAST_SCALE * (sizes.max() or 1.0))
        means = sums.mass / n_documents / scales
        prior = cls(plain.alpha, graph_alpha, variance, scales, means, np.eye(len(scales)))
        prior.precision = np.diag(1 / (np.diag(prior.covariance(sums)) + RIDGE))
        return prior

    def params(self, words: np.ndarray) -> CodeParams:
        gram = gram_of(words)
        added, penalty = self.added()
        return CodeParams(words, gram, gram + added, penalty)

    def added(self) -> tuple[np.ndarray, np.ndarray]:
        """What the prior adds to the Gram matrix, and the penalty of each topic."""
        scaled = self.precision / self.scales[:, None]
        penalty = self.alpha - self.variance * scaled @ self.means
        return self.variance * scaled / self.scales, penalty

    def objective(self, gram: np.ndarray, sums: CodeSums) -> float:
        """σ² F: the same units as without a graph."""
        graph = graph_objective(self.precision, self.covariance(sums), self.graph_alpha)
        return super().objective(gram, sums) + 0.5 * sums.n_documents * self.variance * graph

    def improve(self, sums: CodeSums) -> float:
        self.means = sums.mass / max(sums.n_documents, 1) / self.scales
        before = self.precision
        self.precision = sparse_precision(self.covariance(sums), self.graph_alpha, before)
        return float(np.linalg.norm(self.precision - before) / np.linalg.norm(before))

    def covariance(self, sums: CodeSums) -> np.ndarray:
        """Of scaled codes, around the means of the prior."""
        n_documents = max(sums.n_documents, 1)
        second = sums.moments / n_documents / np.outer(self.scales, self.scales)
        cross = np.outer(sums.mass / n_documents / self.scales, self.means)
        return second - cross - cross.T + np.outer(self.means, self.means)

    def store(self, model: Any, order: np.ndarray) -> None:
        model.topic_precision_ = self.precision[np.ix_(order, order)]
        model.topic_means_ = self.means[order]
        model.topic_scales_ = self.scales[order]
        model.residual_variance_ = float(self.variance)


def graph_objective(precision: np.ndarray, covariance: np.ndarray, alpha: float) -> float:
    """tr(ΩS) - log det Ω + a Σ_{j≠k} |Ω_jk| + d tr Ω; infinite where Ω is not positive definite."""
    sign, log_determinant = np.linalg.slogdet(precision)
    if sign <= 0:
        return np.inf
    off = np.abs(precision).sum() - np.abs(np.diag(precision)).sum()
    trace = float(np.sum(precision * covariance)) + RIDGE * float(np.trace(precision))
    return trace - float(log_determinant) + alpha * float(off)


def sparse_precision(
    covariance: np.ndarray, alpha: float, before: np.ndarray, lasso: Any = graphical_lasso
) -> np.ndarray:
    """The graphical lasso; `before` where that is no better.

    Topics that no chain of covariances above alpha connects are not connected in the result
    either, so each component is solved alone (Witten, Friedman, Simon: New insights and faster
    computations for the graphical lasso, 2011).
    """
    ridged = covariance + RIDGE * np.eye(len(covariance))
    _, members = connected_components(np.abs(ridged) > alpha, directed=False)
    precision = np.zeros_like(ridged)
    for component in range(members.max() + 1):
        rows = np.flatnonzero(members == component)
        block = np.ix_(rows, rows)
        precision[block] = _solve(ridged[block], alpha, lasso)
    precision = (precision + precision.T) / 2
    if graph_objective(precision, covariance, alpha) <= graph_objective(before, covariance, alpha):
        return precision
    return before


def _solve(covariance: np.ndarray, alpha: float, lasso: Any) -> np.ndarray:
    if len(covariance) == 1:
        return 1 / covariance
    try:
        with warnings.catch_warnings(), single_blas_thread():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return lasso(covariance, alpha, max_iter=200)[1]
    except FloatingPointError:  # too ill-conditioned; the caller keeps what it had
        return np.diag(1 / np.diag(covariance))
