"""A slow, dense reference implementation of principal component pursuit in NumPy.

Documents are rows. The code uses only full SVDs and loops over single numbers.
"""

from __future__ import annotations

import numpy as np


def soft(A, threshold):
    return np.sign(A) * np.maximum(np.abs(A) - threshold, 0)


def threshold_singular_values(A, threshold):
    left, values, right = np.linalg.svd(A, full_matrices=False)
    return left * np.maximum(values - threshold, 0) @ right


def objective(D, L, penalty):
    """Return the primal objective at the feasible point (L, S) with S = D - L."""
    return np.linalg.norm(L, "nuc") + penalty * np.abs(D - L).sum()


def dual_value(D, Y, penalty):
    """Return a lower bound on the objective of all feasible points.

    The bound holds for any Y, because Y is scaled to be dual feasible first.
    """
    Y = np.clip(Y, -penalty, penalty)
    return np.sum(D * Y) / max(1.0, np.linalg.norm(Y, 2))


def pursue(D, penalty, gap=1e-7, steps=20_000):
    """Return L and Y that solve the convex problem up to the relative duality gap `gap`.

    This is the paper's alternating method with its printed sign corrected and a step size that
    keeps the two residuals equally large.
    """
    D = np.asarray(D, float)
    scale = max(np.linalg.norm(D, 2), 1e-300)
    mu, S, Y = 3 / scale, np.zeros_like(D), np.zeros_like(D)
    for step in range(steps):
        L = threshold_singular_values(D - S + Y / mu, 1 / mu)
        before, S = S, soft(D - L + Y / mu, penalty / mu)
        Y = Y + mu * (D - L - S)
        value = objective(D, L, penalty)
        if value - dual_value(D, Y, penalty) <= gap * value:
            return L, Y
        primal, dual = np.linalg.norm(D - L - S), np.linalg.norm(S - before)
        if step % 20 == 19 and step < 400:
            mu *= 1.5 if primal > 3 * dual else 1 / 1.5 if dual > 3 * primal else 1
    raise AssertionError("the reference did not converge")


def row_costs(own, B, values):
    """Return M = (η I + B' diag(values) B)^-1, where η = `own`."""
    return np.linalg.inv(own * np.eye(B.shape[1]) + (B.T * values) @ B)


def row_objective(d, low, own, B, values, penalty):
    """Return the objective of a new document d with the background `low`.

    The codes are w = σ/(σ + η) B l for η = `own`, which are the best ones if η is |l - w B|.
    """
    w = values / (values + own) * (B @ low)
    cost = np.sum(w**2 / values) / 2 + np.linalg.norm(low - w @ B)
    return cost + penalty * np.abs(d - low).sum()


def row_bound(d, y, B, values, penalty):
    """Return a lower bound on the objective of a new document, from any y.

    The bound is y'd - 1/2 Σ values (By)² with |y|_∞ <= penalty and |y|_2 <= 1, for a
    scaled y.
    """
    y = y * min(1.0, penalty / max(np.abs(y).max(), 1e-300), 1 / max(np.linalg.norm(y), 1e-300))
    return y @ d - np.sum(values * (B @ y) ** 2) / 2


def split_row(d, B, values, penalty, steps=20_000):
    """Return the background l of a new document, by proximal gradient steps on s = d - l.

    Each step is for the best η of the last one, which is the norm of l - w B.
    """
    s, own = np.zeros_like(d), np.linalg.norm(d)
    smallest = 1e-6 * own
    for _ in range(steps):
        M = row_costs(own, B, values)
        step = 1 / np.linalg.norm(M, 2)
        s = soft(s + step * M @ (d - s), step * penalty)
        own = max(np.linalg.norm(own * M @ (d - s)), smallest)
    return d - s


# ---- the factored form ----


def split_document(d, B, threshold, shrinkage=1.0, sweeps=20_000):
    """Split a document into a code w and excesses s >= 0, with s > 0 only where d > threshold.

    The result minimises

    1/2 |d - w B - s|² + (1/g - 1) w²/2 + threshold Σ s.

    It is found by projected gradient steps on s, where w is always optimal: w = g B (d - s).
    """
    shrinkage = np.broadcast_to(np.asarray(shrinkage, float), len(B))
    s = np.zeros_like(d)
    for _ in range(sweeps):
        w = shrinkage * (B @ (d - s))
        new = np.where(d > threshold, np.maximum(s + (d - w @ B - s - threshold), 0), 0)
        moved = np.abs(new - s).max(initial=0)
        s = new
        if moved <= 1e-14 * np.abs(d).max(initial=0):
            break
    return shrinkage * (B @ (d - s)), s


def document_objective(d, w, s, B, threshold, shrinkage=1.0):
    ridge = 1 / np.broadcast_to(np.asarray(shrinkage, float), len(B)) - 1
    return (
        0.5 * np.sum((d - w @ B - s) ** 2)
        + 0.5 * np.sum(ridge * w**2)
        + threshold * float(np.sum(s))
    )


def scales_of(X, length):
    """Return √(mean length / length) for each document, and 1 for empty documents."""
    lengths = X.sum(axis=1)
    return np.sqrt(length / np.where(lengths > 0, lengths, length))


def split(X, B, threshold, length, shrinkage=1.0):
    """Return the codes and keywords of all documents in units of counts."""
    X = np.asarray(X, float)
    scales = scales_of(X, length)
    parts = [
        split_document(x * scale, B, threshold, shrinkage)
        for x, scale in zip(X, scales, strict=True)
    ]
    codes = np.array([w for w, _ in parts]).reshape(len(X), len(B)) / scales[:, None]
    return codes, np.array([s for _, s in parts]) / scales[:, None]


def total_objective(X, B, threshold, length):
    """Return the sum of the objectives of all documents, each scaled by `scales_of`."""
    codes, keywords = split(X, B, threshold, length)
    scales = scales_of(np.asarray(X, float), length)
    return sum(
        document_objective(x * a, w * a, s * a, B, threshold)
        for x, w, s, a in zip(X, codes, keywords, scales, strict=True)
    )


# ---- synthetic data ----


def low_rank_and_sparse(n_rows, n_columns, rank, share, seed, size=10.0):
    """Draw L with spread-out singular vectors and S with random positions and signs."""
    random = np.random.default_rng(seed)
    L = random.normal(size=(n_rows, rank)) @ random.normal(size=(rank, n_columns))
    S = np.where(random.random(L.shape) < share, random.choice([-size, size], L.shape), 0)
    return L, S


def topics_and_keywords(n_documents, n_words, n_topics, seed, length=200, bursts=2, size=15):
    """Draw counts from sparse topics; return the counts, the added keywords and the topics."""
    random = np.random.default_rng(seed)
    topics = random.dirichlet(np.full(n_words, 0.05), n_topics)
    shares = random.dirichlet(np.full(n_topics, 0.2), n_documents)
    background = random.poisson(length * shares @ topics).astype(float)
    keywords = np.zeros_like(background)
    for row in keywords:
        row[random.choice(n_words, bursts, replace=False)] = size
    return background + keywords, keywords, topics
