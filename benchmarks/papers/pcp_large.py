"""Section 2.4 of the PCP paper: a matrix of 10,000 x 50,000 is split, there on a cluster.

This is the inexact ALM of `literal_pcp` for matrices whose dense copies nearly fill the memory: in
float32, by blocks of rows, with L as a product, and with partial SVDs. As in the program of the
paper's reference [20], each SVD has a few more singular values than the last threshold kept; it is
computed by subspace iteration from the singular vectors of the step before.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.harness import Run, n_cores, peak_memory, threads
from benchmarks.papers.literal_pcp import RHO, START
from benchmarks.papers.pcp_reference import soft_threshold

SHAPE, RANK = (10_000, 50_000), 100
WRONG_SHARE, LARGEST_ERROR = 0.05, 50.0
TOL = 1e-5  # ‖D-L-S‖ / ‖D‖, near the precision of float32
MORE = 10  # singular values beyond those that the last threshold kept
ITERATIONS = 2  # of the subspace for each SVD
ROWS = 500  # rows of a block


class Product(NamedTuple):
    """A matrix of low rank."""

    left: np.ndarray
    right: np.ndarray

    def rows(self, block: slice) -> np.ndarray:
        return self.left[block] @ self.right


class LargeSplit(NamedTuple):
    """Result of `split`; S is D - L up to the residual."""

    low_rank: Product
    n_svds: int
    residual: float


def pcp_large(run: Run) -> None:
    """Section 2.4: time and memory to split a matrix of 10,000 x 50,000, and the error of L."""
    shape, rank = ((60, 90), 3) if run.smoke else (SHAPE, RANK)
    run.note(
        f"Inexact ALM (ρ = {RHO:g}) until ‖D-L-S‖ ≤ {TOL:g} ‖D‖, λ = 1/√{max(shape):,}, with "
        f"partial SVDs in float32 on {n_cores()} cores. L0 is the product of Gaussian matrices of "
        f"rank {rank}, {100 * WRONG_SHARE:g} % of the entries of S0 are uniform in "
        f"±{LARGEST_ERROR:g}. The error is ‖L-L0‖ / ‖L0‖. The paper splits a matrix of this size "
        "on a cluster and prints no time."
    )
    D, L0 = corrupted(shape, rank, run.seed)
    with threads(n_cores()):
        began, used = time.perf_counter(), time.process_time()
        found = split(D, 1 / np.sqrt(max(shape)), run.seed)
        seconds, core_seconds = time.perf_counter() - began, time.process_time() - used
    apart = squares = 0.0
    for block in blocks(shape[0]):
        truth = L0.rows(block)
        apart += float(np.sum(np.square(found.low_rank.rows(block) - truth), dtype=np.float64))
        squares += float(np.sum(np.square(truth), dtype=np.float64))
    what = f"{shape[0]:,} x {shape[1]:,}"
    run.row(f"time to split {what}", seconds, "s")
    run.row(f"CPU time to split {what}", core_seconds, "core-seconds")
    run.row("peak memory of the process", peak_memory() / 1e9, "GB")
    run.row("SVDs", found.n_svds, "", tolerance=0.1)
    run.row("rank of L", len(found.low_rank.right), "", peer="L0", peer_value=rank)
    run.row("error of L", np.sqrt(apart / squares), "", tolerance=None)


def corrupted(shape: tuple[int, int], rank: int, seed: int) -> tuple[np.ndarray, Product]:
    """Return a matrix of low rank with gross errors in float32, and the matrix of low rank."""
    random = np.random.default_rng(seed)
    L0 = Product(
        random.standard_normal((shape[0], rank), np.float32),
        random.standard_normal((rank, shape[1]), np.float32),
    )
    D = np.empty(shape, np.float32)
    for block in blocks(shape[0]):
        D[block] = L0.rows(block)
        is_wrong = random.random(D[block].shape, np.float32) < WRONG_SHARE
        D[block][is_wrong] += random.uniform(-LARGEST_ERROR, LARGEST_ERROR, is_wrong.sum())
    return D, L0


def split(D: np.ndarray, alpha: float, seed: int, max_iter: int = 100) -> LargeSplit:
    """Minimise ‖L‖_* + alpha ‖S‖_1 with L + S = D; see `literal_pcp.inexact_alm`."""
    m, n = D.shape
    random = np.random.default_rng(seed)
    P, _, Q = svd(D, random.standard_normal((n, MORE), np.float32))
    largest = float(np.linalg.norm(D @ Q[0]))
    size = norm(D)
    mu = START / largest
    Y = D / np.float32(max(largest, max(np.abs(D[block]).max() for block in blocks(m)) / alpha))
    L = Product(np.zeros((m, 0), np.float32), np.zeros((0, n), np.float32))
    X = np.empty_like(D)  # D - S + Y / mu, whose singular values are thresholded
    residual, n_svds = np.inf, 0
    while n_svds < max_iter and residual > TOL:
        scale = np.float32(1 / mu)
        for block in blocks(m):
            moved = D[block] + scale * Y[block]
            X[block] = moved - soft_threshold(moved - L.rows(block), np.float32(alpha / mu))
        while True:
            P, values, Q = svd(X, Q.T)
            kept = int((values > 1 / mu).sum())
            enough = min(kept + MORE, m, n)
            if len(values) >= enough:
                break
            more = random.standard_normal((enough - len(Q), n), np.float32)
            Q = np.vstack([Q, more / np.sqrt(n, dtype=np.float32)])
        L = Product(P[:, :kept] * (values[:kept] - scale), Q[:kept])
        Q = Q[:enough]
        squares = 0.0
        for block in blocks(m):
            # D - L - S, where S is D + Y / mu - X
            error = X[block] - L.rows(block) - scale * Y[block]
            Y[block] += np.float32(mu) * error
            squares += float(np.sum(np.square(error), dtype=np.float64))
        residual, n_svds, mu = np.sqrt(squares) / size, n_svds + 1, mu * RHO
    return LargeSplit(L, n_svds, float(residual))


def svd(X: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the leading singular triples, as many as `start` has columns (rows of X's columns)."""
    Q = start
    for _ in range(ITERATIONS):
        P, _ = np.linalg.qr(X @ Q)
        Q, R = np.linalg.qr(X.T @ P)
    inner, values, outer = np.linalg.svd(R.T)  # X is about P R' Q'
    return P @ inner, values, outer @ Q.T


def norm(X: np.ndarray) -> float:
    return float(np.sqrt(sum(np.sum(np.square(X[b]), dtype=np.float64) for b in blocks(len(X)))))


def blocks(n_rows: int) -> Iterator[slice]:
    for start in range(0, n_rows, ROWS):
        yield slice(start, min(start + ROWS, n_rows))
