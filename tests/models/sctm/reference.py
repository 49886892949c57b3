"""A slow, dense reference implementation of the sparse coding topic model in NumPy.

Topics are rows, documents are rows of frequencies, codes are documents x topics.
"""

from __future__ import annotations

import numpy as np
from sklearn.covariance import graphical_lasso


def frequencies(X):
    X = np.asarray(X, float)
    return X / np.maximum(X.sum(axis=1, keepdims=True), 1e-300)


def lasso_code(gram, pull, sweeps=5000):
    """Minimise 1/2 θ'Gθ - pull'θ over θ ≥ 0 by plain coordinate descent."""
    code = np.zeros(len(pull))
    for _ in range(sweeps):
        before = code.copy()
        for j in np.flatnonzero(np.diag(gram) > 0):
            code[j] = max(0.0, code[j] + (pull[j] - gram[j] @ code) / gram[j, j])
        if np.abs(code - before).max(initial=0) <= 1e-13 * np.abs(code).max(initial=0):
            break
    return code


def violation(gram, pulls, codes):
    """Return the largest violation of the optimality conditions, relative to the largest pull."""
    slopes = pulls - codes @ gram
    wrong = np.where(codes > 0, np.abs(slopes), np.maximum(slopes, 0))
    return float(np.max(wrong.max(axis=1) / np.maximum(pulls.max(axis=1), 1e-300)))


def codes_of(F, topics, alpha):
    gram = topics @ topics.T
    return np.array([lasso_code(gram, topics @ f - alpha) for f in F])


def project(x, total=1.0):
    """Return the nearest point of the simplex, computed by sorting."""
    x = np.asarray(x, float)
    x = x - x.max()
    falling = np.sort(x)[::-1]
    thresholds = (np.cumsum(falling) - total) / np.arange(1, len(x) + 1)
    return np.maximum(x - thresholds[falling > thresholds][-1], 0)


def improved(topics, F, codes, sweeps=2):
    """Return the topics after sweeps that replace each topic in turn by its exact optimum."""
    topics = topics.copy()
    for _ in range(sweeps):
        for j in np.flatnonzero(codes.any(axis=0)):
            without = F - np.delete(codes, j, axis=1) @ np.delete(topics, j, axis=0)
            topics[j] = project(codes[:, j] @ without / (codes[:, j] @ codes[:, j]))
    return topics


def objective(F, topics, codes, alpha):
    return 0.5 * float(np.sum((F - codes @ topics) ** 2)) + alpha * float(codes.sum())


def word_weights(X):
    counts = np.asarray(X, float).sum(axis=0) + 0.1
    return (counts / counts.sum()) ** (-1 / 3)


def document_weights(X):
    lengths = np.asarray(X, float).sum(axis=1)
    return lengths / (lengths + 100)


def noise_objective(X, topics, codes, alpha, weights):
    """The objective with the noise of counts, document by document, on the scale of frequencies."""
    value = 0.0
    sizes = np.linalg.norm(weights * topics, axis=1)
    for x, theta, u in zip(frequencies(X), codes, document_weights(X), strict=True):
        length = np.linalg.norm(weights * x)
        if length:
            error = np.linalg.norm(weights * (x - theta @ topics)) / length
            value += u * (0.5 * error**2 + alpha * (sizes @ theta) / length)
    return value


def unit_rows(A):
    lengths = np.linalg.norm(A, axis=1, keepdims=True)
    return A / np.where(lengths > 0, lengths, 1)


def noise_alternate(X, topics, alpha, passes):
    """Topics (distributions) after some passes with the noise of counts, and the value of each."""
    d, u = word_weights(X), document_weights(X)
    Y, T = unit_rows(np.asarray(X, float) * d), unit_rows(topics * d)
    values = []
    for _ in range(passes):
        codes = codes_of(Y, T, alpha)
        errors = 0.5 * np.sum((Y - codes @ T) ** 2, axis=1) + alpha * codes.sum(axis=1)
        values.append(float(u @ errors))
        T = noise_improved(T, Y, codes, u)
    return frequencies(T / d), values


def noise_improved(T, Y, codes, u, sweeps=2):
    T = T.copy()
    for _ in range(sweeps):
        for j in np.flatnonzero(codes.any(axis=0)):
            without = Y - np.delete(codes, j, axis=1) @ np.delete(T, j, axis=0)
            best = np.maximum((u * codes[:, j]) @ without / ((u * codes[:, j]) @ codes[:, j]), 0)
            if best.any():
                T[j] = best / max(np.linalg.norm(best), 1)
    return unit_rows(T)


def alternate(F, topics, alpha, passes):
    """Return the topics after all passes, and the objective before each change of the topics."""
    values = []
    for _ in range(passes):
        codes = codes_of(F, topics, alpha)
        values.append(objective(F, topics, codes, alpha))
        topics = improved(topics, F, codes)
    return topics, values


def correlated_objective(F, topics, codes, alpha, variance, scales, means, precision, a, d):
    """Return the joint objective of correlated topics, term by term as in its definition.

    Documents without words are left out.
    """
    rows = F.any(axis=1)
    F, codes = F[rows], codes[rows]
    off = np.abs(precision) - np.diag(np.abs(np.diag(precision)))
    value = objective(F, topics, codes, alpha) / variance
    for deviation in codes / scales - means:
        value += 0.5 * deviation @ precision @ deviation
    log_determinant = np.linalg.slogdet(precision)[1]
    return value + len(F) / 2 * (-log_determinant + a * off.sum() + d * np.trace(precision))


def naive_correlated(F, topics, alpha, rho, iterations):
    """Minimise the paper's (5.3), which adds θ'Ωθ - log det Ω + ρ|Ω|₁ for each document.

    Codes and Ω are updated in turn. Returns the largest code and the largest entry of Ω after each
    iteration.
    """
    precision, sizes = np.eye(len(topics)), []
    for _ in range(iterations):
        gram = topics @ topics.T + 2 * precision
        codes = np.array([lasso_code(gram, topics @ f - alpha) for f in F])
        second = codes.T @ codes / len(F)
        scale = np.sqrt(np.diag(second) + 1e-60)  # rescale to units in which nothing underflows
        off = second / np.outer(scale, scale)
        np.fill_diagonal(off, 1.0)
        if rho >= np.abs(second - np.diag(np.diag(second))).max():
            solution = np.eye(len(topics))
        else:
            solution = graphical_lasso(off, rho / scale.max() ** 2)[1]
        precision = solution / np.outer(scale, scale)
        sizes.append((float(codes.max()), float(np.abs(precision).max())))
    return sizes
