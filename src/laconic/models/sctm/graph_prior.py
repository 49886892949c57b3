"""Prior of SCTM for correlated topics: a Gaussian prior on codes with a sparse precision matrix.

The paper adds θ'Ωθ - log det Ω + ρ|Ω|₁ to the objective and reports that the fit does not converge.
The reason is that this objective is unbounded below, because smaller codes allow a larger Ω; after
three iterations, codes are about 1e-11. The objective used here is

    F = Σ_i { 1/(2σ²) |x_i - Bθ_i|² + ω/σ² Σ_j θ_ij + 1/2 (z_i - μ)'Ω(z_i - μ) }
        + n/2 { -log det Ω + a Σ_{j≠k} |Ω_jk| + d tr Ω },       z = θ / v

where the scales v and the residual variance σ² are taken from a fit without a graph. The prior
penalises only deviations from the mean μ, so it does not shrink large codes. The term with d makes
F bounded below, because -log det Ω + d tr Ω ≥ n_topics (1 + ln d). Codes, topics, μ and Ω are
minimised in turn, each with the others fixed, so F decreases and the fit converges. Minimising over
the codes is the same non-negative lasso as without a graph, with G + σ² V⁻¹ΩV⁻¹ in place of the
Gram matrix G. Minimising over Ω is the graphical lasso.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.covariance import graphical_lasso
from sklearn.exceptions import ConvergenceWarning

from laconic.engines.blocks import RunTasks, run_here
from laconic.engines.blocks import gram as gram_of
from laconic.models.sctm.solver import CodeParams, CodeSums, Prior

RIDGE = 0.05  # the factor d in the objective F
# minimum scale of a topic whose codes hardly vary, as a share of the largest root mean square code
LEAST_SCALE = 1e-3


class GraphPrior(Prior):
    """l1 penalty on codes, and a Gaussian prior on codes with a sparse precision matrix.

    Parameters
    ----------
    alpha : float
        ω in the objective F.
    graph_alpha : float
        a in the objective F.
    variance : float
        σ² in the objective F.
    scales, means : ndarray of shape (n_topics,)
        v and μ in the objective F.
    precision : ndarray of shape (n_topics, n_topics)
        Ω in the objective F.
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
        """Return an initial prior without edges, computed from codes fitted without a graph."""
        n_documents = max(sums.n_documents, 1)
        residual = 2 * (plain.objective(params.gram, sums) - plain.alpha * float(sums.mass.sum()))
        variance = max(residual / (n_documents * len(params.word_topics)), np.finfo(float).tiny)
        deviations = np.sqrt(
            np.maximum(np.diag(sums.moments) / n_documents - (sums.mass / n_documents) ** 2, 0)
        )
        sizes = np.sqrt(np.diag(sums.moments) / n_documents)
        scales = np.maximum(deviations, LEAST_SCALE * (sizes.max() or 1.0))
        means = sums.mass / n_documents / scales
        prior = cls(plain.alpha, graph_alpha, variance, scales, means, np.eye(len(scales)))
        prior.precision = np.diag(1 / (np.diag(prior.covariance(sums)) + RIDGE))
        return prior

    def params(self, word_topics: np.ndarray, run: RunTasks = run_here) -> CodeParams:
        gram = gram_of(word_topics, run)
        added, penalty = self.added()
        return CodeParams(word_topics, gram, gram + added, penalty)

    def added(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the term that the prior adds to the Gram matrix, and the penalty of each topic."""
        scaled = self.precision / self.scales[:, None]
        penalty = self.alpha - self.variance * scaled @ self.means
        return self.variance * scaled / self.scales, penalty

    def objective(self, gram: np.ndarray, sums: CodeSums) -> float:
        """Return σ² F, which has the same units as the objective without a graph."""
        graph = graph_objective(self.precision, self.covariance(sums), self.graph_alpha)
        return super().objective(gram, sums) + 0.5 * sums.n_documents * self.variance * graph

    def improve(self, sums: CodeSums) -> float:
        self.means = sums.mass / max(sums.n_documents, 1) / self.scales
        before = self.precision
        self.precision = sparse_precision(self.covariance(sums), self.graph_alpha, before)
        return float(np.linalg.norm(self.precision - before) / np.linalg.norm(before))

    def covariance(self, sums: CodeSums) -> np.ndarray:
        """Return the covariance of the scaled codes, with deviations from the prior's means."""
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
    """Return tr(ΩS) - log det Ω + a Σ_{j≠k} |Ω_jk| + d tr Ω, where S is the covariance.

    The result is infinite if the determinant of Ω is not positive.
    """
    sign, log_determinant = np.linalg.slogdet(precision)
    if sign <= 0:
        return np.inf
    off = np.abs(precision).sum() - np.abs(np.diag(precision)).sum()
    trace = float(np.sum(precision * covariance)) + RIDGE * float(np.trace(precision))
    return trace - float(log_determinant) + alpha * float(off)


def sparse_precision(
    covariance: np.ndarray, alpha: float, before: np.ndarray, lasso: Any = graphical_lasso
) -> np.ndarray:
    """Return the precision matrix that the graphical lasso finds for `covariance`.

    If the earlier matrix `before` has a lower objective, it is returned instead. Topics that are
    not connected by covariances above alpha are not connected in the result either, so each
    connected component is solved separately (Witten, Friedman, Simon: New insights and faster
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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return lasso(covariance, alpha, max_iter=200)[1]
    except FloatingPointError:
        # The covariance is ill-conditioned. If the previous matrix is better, the caller keeps it.
        return np.diag(1 / np.diag(covariance))
