"""The dictionary of sparse topical coding: how topics follow from the sums of a pass.

Two steps, both monotone in their own objective, none with a step size. Topics are held by word.

*coupled*: β from the divergence of the counts from π'β, as in PLSA: β_kn ∝ Σ_d w π_k β_kn / π'β_n,
with π the mixture next to θ: θ scaled to sum to one, after three steps towards the mixture that
explains the document best. With π = θ itself topics drift: on 20 Newsgroups eight steps cost one
point of accuracy, with squared norms two and a half; with three steps they bring a little.
*paper*: β from the coding objective with the word codes fixed, by a majorising function that
separates. Poisson: with a_kn = Σ_d w s_k β_kn / (m + ε) and b_kn = Σ_d s_k, minimise
Σ (b β - a ln β) on the simplex: β = a / (b + ν_k). Gaussian: with a = Σ w s_k and b = Σ m s_k,
minimise Σ (b β² / 2 β° - a β): β = β° max(0, a - ν_k) / b. One root ν_k for each topic.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from laconic.kernels.stc_pass import COUPLED, PAPER
from laconic.models.plsa.mixture import maximize

SMOOTHING = 0.02  # of the coupled dictionary, as in PLSA
DUST = 1e-30


class DictionaryStep(Protocol):
    """How topics follow from the sums of a pass.

    collect : int
        What the pass sums up.
    lacks_beta : bool
        Whether the sums are a without its factor β.
    closeness : float
        How many times more closely than usual codes are solved for.
    """

    collect: int
    lacks_beta: bool
    closeness: float

    def __call__(self, a: np.ndarray, b: np.ndarray, words: np.ndarray) -> np.ndarray: ...


class Coupled:
    """The topics that explain the counts best, given the codes of documents."""

    collect = COUPLED
    lacks_beta = True
    closeness = 1.0

    def __init__(self, smoothing: float = SMOOTHING) -> None:
        self.smoothing = smoothing

    def __call__(self, a: np.ndarray, b: np.ndarray, words: np.ndarray) -> np.ndarray:
        return maximize(a.copy(), self.smoothing)


class Paper:
    """The topics that explain the counts best, given the codes of words."""

    collect = PAPER
    closeness = 100.0  # the step is promised to be monotone

    def __init__(self, poisson: bool) -> None:
        self.lacks_beta = poisson
        self.minimise = _poisson_step if poisson else _gaussian_step

    def __call__(self, a: np.ndarray, b: np.ndarray, words: np.ndarray) -> np.ndarray:
        return self.minimise(a, b, words).astype(words.dtype)


def make_step(dictionary: str, poisson: bool) -> DictionaryStep:
    return Coupled() if dictionary == "coupled" else Paper(poisson)


def _poisson_step(a: np.ndarray, b: np.ndarray, words: np.ndarray) -> np.ndarray:
    a, b, words = _without_dust(a, b, words)
    used = a > 0
    unused = np.logical_not(used.any(axis=0))
    # Each term a / (b + ν) is at most 1, and all terms together at least Σa / (max b + ν).
    low = np.where(used, a - b, -np.inf).max(axis=0)
    high = a.sum(axis=0) - np.where(used, b, np.inf).min(axis=0)
    low, high = np.where(unused, 0, low), np.where(unused, 0, np.maximum(low, high))
    root = low.copy()
    for _ in range(100):
        total, slope = _terms(a, b, used, root)
        low, high = np.where(total >= 1, root, low), np.where(total <= 1, root, high)
        # Newton on 1 / total = 1, which is nearly straight; by halves where that leads outside
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            new = root + total * (total - 1) / slope
        new = np.where((new > low) & (new < high), new, (low + high) / 2)
        change = np.abs(new - root)
        root = np.where(unused, 0, new)
        if np.all(unused | (change <= 1e-13 * np.abs(root)) | (high <= low)):
            break
    # A word without counts costs b + ν: where that is negative, mass is best left there.
    idle = (a == 0) & (words > 0)
    least = np.where(idle, b, np.inf).min(axis=0, initial=np.inf)
    root = np.maximum(root, -least)
    with np.errstate(divide="ignore", invalid="ignore"):
        new = np.where(used, a / (b + root), 0)
    return _finish(new, idle & (b == least), unused, words)


def _without_dust(
    a: np.ndarray, b: np.ndarray, words: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """In double precision, and without weights too small to count, of which quotients overflow."""
    a, b, words = (part.astype(np.float64) for part in (a, b, words))
    dust = (words < DUST) | (a < DUST * a.max(axis=0, initial=0))
    return np.where(dust, 0, a), b, np.where(words < DUST, 0, words)


def _terms(
    a: np.ndarray, b: np.ndarray, used: np.ndarray, root: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Σ a / (b + ν) and Σ a / (b + ν)²; infinite where a denominator is not positive."""
    below = b + root
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        terms = np.where(used, np.where(below > 0, a / below, np.inf), 0)
        return terms.sum(axis=0), np.where(used, terms / below, 0).sum(axis=0)


def _gaussian_step(a: np.ndarray, b: np.ndarray, words: np.ndarray) -> np.ndarray:
    a, b, words = _without_dust(a, b, words)
    used = (b > 0) & (words > 0)
    idle = (b == 0) & (words > 0)
    unused = np.logical_not(used.any(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.where(used, words / b, 0)  # β = rate max(0, a - ν)
    new = np.zeros_like(a)
    order = np.argsort(np.where(used, -a, np.inf), axis=0)
    for k in np.flatnonzero(~unused):
        sorted_a, sorted_rate = a[order[:, k], k], rate[order[:, k], k]
        weight = np.cumsum(sorted_rate)
        roots = (np.cumsum(sorted_rate * sorted_a) - 1) / np.where(weight > 0, weight, 1)
        inside = np.flatnonzero((sorted_a > roots) & (sorted_rate > 0))
        root = roots[inside[-1] if len(inside) else 0]
        if idle[:, k].any():  # words that cost nothing take what is left
            root = max(root, 0.0)
        new[:, k] = rate[:, k] * np.maximum(0, a[:, k] - root)
    return _finish(new, idle, unused, words)


def _finish(new: np.ndarray, idle: np.ndarray, unused: Any, words: np.ndarray) -> np.ndarray:
    """Spread what is left over words that are best left alone; a topic without words stays."""
    rest = np.maximum(1 - new.sum(axis=0), 0)
    kept = np.where(idle, words, 0).astype(np.float64)
    total = kept.sum(axis=0)
    new += kept * np.where(total > 0, rest / np.where(total > 0, total, 1), 0)
    new[:, unused] = words[:, unused]
    total = new.sum(axis=0)
    return new / np.where(total > 0, total, 1)
