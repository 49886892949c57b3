"""Linear support vector machines of all classes, which are fitted together.

For documents x_d with a constant last entry and signs Y_dy, the weights of each class y minimise

    1/2 |w_y|² + C Σ_d max(0, 1 - Y_dy w_y'x_d)²

by Newton's method. The Hessian of class y is I + 2C Σ x_d x_d' over the documents inside the
margin, and the steps of all classes are found together by conjugate gradients, which need only
products with the documents. The Hessian with the same share of *all* documents is close to it and
has the same eigenvectors for all classes, so it serves as preconditioner. LIBLINEAR, which fits one
class after the other, takes several times as long.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Preconditioner = Callable[[np.ndarray, np.ndarray], np.ndarray]

GROUP = 32  # number of classes that are fitted together, which limits the memory
TOL = 1e-3  # as in LIBLINEAR: relative to the gradient at zero and the share of the rarer sign
NEWTON_STEPS = 100
CG_STEPS = 50
CG_GAIN = 0.1  # factor by which conjugate gradients reduce the residual
HALVINGS = 20


def fit_machines(X: np.ndarray, signs: np.ndarray, C: float, tol: float = TOL) -> np.ndarray:
    """Return the weights of each class as rows.

    Parameters
    ----------
    X : ndarray of shape (n_documents, n_features)
    signs : ndarray of shape (n_documents, n_classes)
        1 for documents of the class, otherwise -1.
    C : float
    tol : float
    """
    values, vectors = np.linalg.eigh(X.T @ X)
    values = np.maximum(values, 0)[:, None]

    def precondition(gradient: np.ndarray, share: np.ndarray) -> np.ndarray:
        return vectors @ ((vectors.T @ gradient) / (1 + 2 * C * values * share))

    groups = [signs[:, first : first + GROUP] for first in range(0, signs.shape[1], GROUP)]
    return np.hstack([_fit_group(X, group, C, tol, precondition) for group in groups]).T


def _fit_group(
    X: np.ndarray, signs: np.ndarray, C: float, tol: float, precondition: Preconditioner
) -> np.ndarray:
    """Return the weights of some classes as columns."""
    pull = 2 * C * (X.T @ signs)  # the negative gradient at zero, where all documents count
    rarer = np.minimum((signs > 0).sum(axis=0), (signs < 0).sum(axis=0))
    goal = tol * np.maximum(rarer, 1) / len(X) * np.linalg.norm(pull, axis=0)
    weights = precondition(pull, np.ones(signs.shape[1]))  # the Newton step from zero
    margins = signs * (X @ weights)
    for _ in range(NEWTON_STEPS):
        slack = np.maximum(0, 1 - margins)
        gradient = weights - 2 * C * (X.T @ (signs * slack))
        if (np.linalg.norm(gradient, axis=0) <= goal).all():
            break
        step = _newton_step(X, slack > 0, C, gradient, precondition)
        moved = signs * (X @ step)
        length = _lengths(weights, step, margins, moved, C)
        weights = weights + length * step
        margins = margins + length * moved
    return weights


def _newton_step(
    X: np.ndarray, inside: np.ndarray, C: float, gradient: np.ndarray, precondition: Preconditioner
) -> np.ndarray:
    """Solve for the step of each class by conjugate gradients.

    `inside` is a mask of the documents inside the margin of each class.
    """
    share = inside.mean(axis=0)
    step, residual = np.zeros_like(gradient), -gradient
    direction = precondition(residual, share)
    product = (residual * direction).sum(axis=0)
    goal = CG_GAIN**2 * product
    for _ in range(CG_STEPS):
        image = direction + 2 * C * (X.T @ (inside * (X @ direction)))
        curvature = (direction * image).sum(axis=0)
        going = (product > goal) & (curvature > 0)  # Steps that have converged do not change.
        length = np.where(going, product / np.where(going, curvature, 1), 0)
        step += length * direction
        residual -= length * image
        solved = precondition(residual, share)
        new = (residual * solved).sum(axis=0)
        direction = solved + np.where(going, new / np.where(going, product, 1), 0) * direction
        product = np.where(going, new, 0)
        if (product <= goal).all():
            break
    return step


def _lengths(
    weights: np.ndarray, step: np.ndarray, margins: np.ndarray, moved: np.ndarray, C: float
) -> np.ndarray:
    """Return the length of the step of each class: 1, or halved until the objective falls."""
    length = np.ones(weights.shape[1])
    before = _objective(weights, margins, C)
    for _ in range(HALVINGS):
        rises = _objective(weights + length * step, margins + length * moved, C) > before
        if not rises.any():
            break
        length = np.where(rises, length / 2, length)
    return length


def _objective(weights: np.ndarray, margins: np.ndarray, C: float) -> np.ndarray:
    loss: np.ndarray = (np.maximum(0, 1 - margins) ** 2).sum(axis=0)
    return 0.5 * (weights**2).sum(axis=0) + C * loss
