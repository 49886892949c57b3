"""Reference solver of principal component pursuit as printed in the paper, by full SVDs.

    min ‖L‖_* + λ ‖S‖_1    subject to  L + S = D

This is algorithm 1 of the paper in float64, with a wrong sign corrected. If the penalty μ grows
without limit, Y stops changing before it is feasible, but L is accurate long before that: with
ρ = 1.2, the objective is within 1e-5 of the minimum after 32 to 39 steps (three problems of 1,000 x
300), which is sooner than with the tested rules that fix or balance μ from the beginning.
Therefore, μ grows until the residual is small; then it is reduced and kept constant, which closes
the duality gap.

Objectives are certified by two bounds. D - L is a feasible S for any L, so ‖L‖_* + λ ‖D - L‖_1 is
an upper bound of the minimum. Y, scaled into the feasible set of the dual problem, gives the lower
bound ⟨D, Y⟩ / max(1, ‖Y‖₂).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import numpy as np
import scipy.linalg
from numpy.linalg import LinAlgError, norm, svd

RHO = 1.2
SMALL = 1e-6  # μ grows until the residual is at most this
BACK = 0.02  # then μ is multiplied by this factor
CHECK_EVERY = 10


@dataclass(frozen=True)
class Pursuit:
    """The solution: background and keywords, with a certified duality gap."""

    low_rank: np.ndarray
    sparse: np.ndarray
    dual: np.ndarray
    objective: float  # objective of L = low_rank and S = D - low_rank
    gap: float  # relative duality gap
    residual: float  # ‖D - L - S‖ / ‖D‖
    n_iter: int


Watch = Callable[[np.ndarray, float], bool]
"""Function that is called after each step with L and its nuclear norm; returns True to stop."""


def pursue(
    D: np.ndarray,
    alpha: float,
    tol: float = 1e-7,
    max_iter: int = 5000,
    watch: Watch | None = None,
) -> Pursuit:
    """Solve the problem until the residual and the relative duality gap are at most `tol`."""
    gap_of = partial(relative_gap, D, alpha)  # slow, because it computes a spectral norm
    size, mu, growing = norm(D), 1.25 / norm(D, 2), True
    S, Y = np.zeros_like(D), np.zeros_like(D)
    for n_iter in range(1, max_iter + 1):
        L, nuclear = threshold_singular_values(D - S + Y / mu, 1 / mu)
        S = soft_threshold(D - L + Y / mu, alpha / mu)
        error = D - L - S
        Y = Y + mu * error
        residual = norm(error) / size
        if watch is not None and watch(L, nuclear):
            break
        if n_iter % CHECK_EVERY == 0 and residual <= tol and gap_of(L, nuclear, Y) <= tol:
            break
        if growing:
            growing = residual > SMALL
            mu *= RHO if growing else BACK
    return Pursuit(
        L,
        S,
        Y,
        objective_of(D, L, nuclear, alpha),
        gap_of(L, nuclear, Y),
        float(residual),
        n_iter,
    )


def threshold_singular_values(X: np.ndarray, threshold: float) -> tuple[np.ndarray, float]:
    """Soft-threshold the singular values; return the new matrix and its nuclear norm."""
    U, values, Vt = full_svd(X)
    kept = np.maximum(values - threshold, 0)
    rank = int(np.count_nonzero(kept))
    return (U[:, :rank] * kept[:rank]) @ Vt[:rank], float(kept.sum())


def full_svd(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    try:
        return svd(X, full_matrices=False)
    except LinAlgError:  # the default LAPACK routine sometimes fails for repeated singular values
        return scipy.linalg.svd(X, full_matrices=False, lapack_driver="gesvd")


def soft_threshold(X: np.ndarray, threshold: float) -> np.ndarray:
    return np.sign(X) * np.maximum(np.abs(X) - threshold, 0)


def objective_of(D: np.ndarray, L: np.ndarray, nuclear: float, alpha: float) -> float:
    return float(nuclear + alpha * np.abs(D - L).sum())


def objective(D: np.ndarray, L: np.ndarray, alpha: float) -> float:
    """Return the objective of a background L and S = D - L."""
    return objective_of(D, L, float(full_svd(L)[1].sum()), alpha)


def relative_gap(
    D: np.ndarray, alpha: float, L: np.ndarray, nuclear: float, Y: np.ndarray
) -> float:
    """Return the relative gap between the upper and lower bound, if no entry of Y exceeds alpha."""
    upper = objective_of(D, L, nuclear, alpha)
    lower = float(np.vdot(D, Y)) / max(1.0, float(norm(Y, 2)))
    return (upper - lower) / upper


# --- pyrpca --------------------------------------------------------------------------------------

NO_PYRPCA = "pyrpca is not installed and is left out; install laconic[bench]."


def has_pyrpca() -> bool:
    return find_spec("pyrpca") is not None


def pyrpca_low_rank(D: np.ndarray, alpha: float, rho: float) -> np.ndarray:
    """Compute L by pyrpca, which multiplies μ by `rho` and checks only the residual to stop."""
    from pyrpca import rpca_pcp_ialm

    return rpca_pcp_ialm(D, alpha, rho=rho, verbose=False)[0]
