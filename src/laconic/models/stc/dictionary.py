"""The dictionary of sparse topical coding: sums of a pass over documents, and its next value.

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

from typing import Any, NamedTuple

import numpy as np

from laconic.corpus.chunks import Chunk
from laconic.engines.scratch import borrow, give_back
from laconic.kernels.stc_coding import Penalties
from laconic.kernels.stc_pass import Collect, code_documents
from laconic.models.plsa.mixture import maximize

CODE_TOL = 3e-3  # the next step would change no entry by more than this share of the largest
CODE_STEPS = 100
DUST = 1e-30


class CodingStats(NamedTuple):
    """Sums of a pass."""

    numerator: np.ndarray  # a; with a factor β still to come, except for the Gaussian loss
    denominator: np.ndarray  # b, of no rows where it is not asked for
    objective: float
    likelihood: float
    mass: np.ndarray  # of the codes of documents, by topic

    def merge(self, other: CodingStats) -> CodingStats:
        for mine, theirs in zip(self[:2], other[:2], strict=True):
            if len(mine):
                mine.__iadd__(theirs)
                give_back(theirs)
        return CodingStats(
            self.numerator,
            self.denominator,
            self.objective + other.objective,
            self.likelihood + other.likelihood,
            self.mass + other.mass,
        )

    def copy(self) -> CodingStats:
        return self._replace(numerator=self.numerator.copy(), denominator=self.denominator.copy())


def code(
    X: Any,
    words: np.ndarray,
    penalties: Penalties,
    theta: np.ndarray | None = None,
    collect: Collect = Collect.NOTHING,
    numerator: np.ndarray | None = None,
    denominator: np.ndarray | None = None,
    tol: float = CODE_TOL,
) -> tuple[np.ndarray, float, float]:
    """Codes of documents, their objective and the log-likelihood of their mixtures."""
    dtype = words.dtype
    nothing = np.zeros((0, words.shape[1]), dtype)
    warm = theta is not None
    if theta is None:
        theta = np.zeros((X.shape[0], words.shape[1]), dtype)
    objective, likelihood = code_documents(
        X.data.astype(dtype, copy=False),
        X.indices,
        X.indptr,
        words,
        theta,
        penalties,
        tol,
        CODE_STEPS,
        warm,
        int(collect),
        nothing if numerator is None else numerator,
        nothing if denominator is None else denominator,
    )
    return theta, float(objective), float(likelihood)


def code_chunk(
    params: tuple[np.ndarray, Penalties, Collect, float], chunk: Chunk, state: np.ndarray | None
) -> tuple[CodingStats, np.ndarray]:
    """Step: codes of the documents of a chunk, and what they say about the dictionary."""
    words, penalties, collect, tol = params
    numerator = _zeros(words)
    is_paper = collect == Collect.PAPER
    denominator = _zeros(words) if is_paper else np.zeros((0, words.shape[1]), words.dtype)
    theta, objective, likelihood = code(
        chunk.load(),
        words,
        penalties,
        None if state is None else state.copy(),
        collect,
        numerator,
        denominator,
        tol,
    )
    mass = theta.sum(axis=0, dtype=np.float64)
    return CodingStats(numerator, denominator, objective, likelihood, mass), theta


def _zeros(words: np.ndarray) -> np.ndarray:
    array = borrow(words.shape, words.dtype)
    array[:] = 0
    return array


def coupled_step(counts: np.ndarray, smoothing: float) -> np.ndarray:
    """The topics that explain the counts best, given the codes of documents; in place."""
    return maximize(counts, smoothing)


def paper_step(a: np.ndarray, b: np.ndarray, words: np.ndarray, poisson: bool) -> np.ndarray:
    """The topics that explain the counts best, given the codes of words."""
    return (_poisson_step if poisson else _gaussian_step)(a, b, words).astype(words.dtype)


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
