"""Linear support vector machines of all classes, which are fitted together.

For documents x_d with a constant last entry and signs Y_dy, the weights of each class y minimise

    1/2 |w_y|² + C Σ_d max(0, 1 - Y_dy w_y'x_d)²

by Newton's method. The Hessian of class y is I + 2C Σ x_d x_d' over the documents inside the
margin, and the steps of all classes are found together by conjugate gradients, which need only
products with the documents. The Hessian with the same share of *all* documents is close to it and
has the same eigenvectors for all classes, so it serves as preconditioner. LIBLINEAR, which fits one
class after the other, takes several times as long.

Products with the documents are computed in fixed blocks of documents, which the workers of an
engine share.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from laconic.engines.blocks import RunTasks, gram, run_here

Preconditioner = Callable[[np.ndarray, np.ndarray], np.ndarray]

GROUP = 32  # number of classes that are fitted together, which limits the memory
BLOCK_DOCUMENTS = 3072
TOL = 1e-3  # as in LIBLINEAR: relative to the gradient at zero and the share of the rarer sign
NEWTON_STEPS = 100
CG_STEPS = 50
CG_GAIN = 0.1  # factor by which conjugate gradients reduce the residual
HALVINGS = 20


def fit_machines(
    X: np.ndarray, signs: np.ndarray, C: float, tol: float = TOL, run: RunTasks = run_here
) -> np.ndarray:
    """Return the weights of each class as rows.

    Parameters
    ----------
    X : ndarray of shape (n_documents, n_features)
    signs : ndarray of shape (n_documents, n_classes)
        1 for documents of the class, otherwise -1.
    C : float
    tol : float
    run : callable, optional
        Function that runs the tasks, usually `Engine.run_tasks`.
    """
    values, vectors = np.linalg.eigh(gram(X, run))
    values = np.maximum(values, 0)[:, None]

    def precondition(gradient: np.ndarray, share: np.ndarray) -> np.ndarray:
        return vectors @ ((vectors.T @ gradient) / (1 + 2 * C * values * share))

    groups = [signs[:, first : first + GROUP] for first in range(0, signs.shape[1], GROUP)]
    fitted = [_Machines(X, group, C, run).fit(tol, precondition) for group in groups]
    return np.hstack(fitted).T


class _Machines:
    """The machines of some classes; weights are stored as columns."""

    def __init__(self, X: np.ndarray, signs: np.ndarray, C: float, run: RunTasks) -> None:
        self.X, self.signs, self.C, self.run = X, signs, C, run
        starts = range(0, max(len(X), 1), BLOCK_DOCUMENTS)
        self.blocks = [slice(i, min(i + BLOCK_DOCUMENTS, len(X))) for i in starts]
        self.margins = np.empty(signs.shape)
        self.inside = np.empty(signs.shape)  # 1 for documents inside the margin of a class, else 0

    def fit(self, tol: float, precondition: Preconditioner) -> np.ndarray:
        X, signs, C = self.X, self.signs, self.C
        # the negative gradient at zero, where all documents count
        pull = 2 * C * self._sum(lambda rows: X[rows].T @ signs[rows])
        rarer = np.minimum((signs > 0).sum(axis=0), (signs < 0).sum(axis=0))
        goal = tol * np.maximum(rarer, 1) / len(X) * np.linalg.norm(pull, axis=0)
        weights = precondition(pull, np.ones(signs.shape[1]))  # the Newton step from zero
        self.margins = self._margins(weights)
        objective = self._objective(weights, np.zeros(signs.shape[1]), self.margins)
        for _ in range(NEWTON_STEPS):
            gradient = weights - 2 * C * self._sum(self._pull)
            if (np.linalg.norm(gradient, axis=0) <= goal).all():
                break
            step = self._newton_step(gradient, precondition)
            moved = self._margins(step)
            length, objective = self._lengths(weights, step, moved, objective)
            weights = weights + length * step
            self.margins += length * moved
        return weights

    def _sum(self, function: Callable[[slice], Any]) -> Any:
        """Return the sum of a function of the blocks, added in order."""
        return reduce(add, self.run(function, self.blocks))

    def _margins(self, weights: np.ndarray) -> np.ndarray:
        """Return the value of each class for each document, times the sign."""
        margins = np.empty(self.signs.shape)

        def compute(rows: slice) -> None:
            np.multiply(self.signs[rows], self.X[rows] @ weights, out=margins[rows])

        self.run(compute, self.blocks)
        return margins

    def _pull(self, rows: slice) -> np.ndarray:
        """Return the part of some documents in Σ Y max(0, 1 - margin) x; also set `inside`."""
        slack = np.maximum(0, 1 - self.margins[rows])
        self.inside[rows] = slack > 0
        return self.X[rows].T @ (self.signs[rows] * slack)

    def _newton_step(self, gradient: np.ndarray, precondition: Preconditioner) -> np.ndarray:
        """Solve for the step of each class by conjugate gradients."""
        share = self.inside.mean(axis=0)
        step, residual = np.zeros_like(gradient), -gradient
        direction = precondition(residual, share)
        product = (residual * direction).sum(axis=0)
        goal = CG_GAIN**2 * product

        def curve(rows: slice) -> np.ndarray:
            return self.X[rows].T @ (self.inside[rows] * (self.X[rows] @ direction))

        for _ in range(CG_STEPS):
            image = direction + 2 * self.C * self._sum(curve)
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
        self, weights: np.ndarray, step: np.ndarray, moved: np.ndarray, before: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the length of the step of each class, and the objective after it.

        The length is 1, or it is halved until the objective falls.
        """
        length = np.ones(weights.shape[1])
        for _ in range(HALVINGS):
            objective = self._objective(weights + length * step, length, moved)
            rises = objective > before
            if not rises.any():
                return length, objective
            length = np.where(rises, length / 2, length)
        return length, self._objective(weights + length * step, length, moved)

    def _objective(self, weights: np.ndarray, length: np.ndarray, moved: np.ndarray) -> Any:
        def loss(rows: slice) -> np.ndarray:
            slack = np.maximum(0, 1 - (self.margins[rows] + length * moved[rows]))
            return np.einsum("ij,ij->j", slack, slack)

        return 0.5 * (weights**2).sum(axis=0) + self.C * self._sum(loss)
