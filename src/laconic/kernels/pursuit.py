"""Low rank plus sparse: one pass over memory for the convex problem, and documents one by one.

Matrices come in dense (C-contiguous) for the convex problem; documents as data, indices, indptr of
CSR and the basis of the background by word (words x rank, orthonormal columns).
"""

import numpy as np

from laconic.kernels.compile import kernel, lane_kernel

MOST_SWEEPS = 200


@lane_kernel
def shrink(D, L, before, Z, penalty, mu, F):
    """The sparse half of a step: S = soft(D - 2L + Z), and F = D - S - L, which Z moves by.

    The sparse part is not stored: with Y = clip(mu (D - 2L + Z), ±penalty) it is what Y leaves.
    Returns sum |D - L|, the inner product of D and Y, |F|^2, |Y|^2 and |L - before|^2.
    """
    rest = 0.0
    inner = 0.0
    square = 0.0
    dual = 0.0
    moved = 0.0
    for i in range(D.shape[0]):
        d, low, old, z, f = D[i], L[i], before[i], Z[i], F[i]
        for j in range(len(d)):
            slack = mu * (d[j] - 2.0 * low[j] + z[j])
            y = min(max(slack, -penalty), penalty)
            move = low[j] - z[j] + y / mu
            step = low[j] - old[j]
            rest += abs(d[j] - low[j])
            inner += d[j] * y
            square += move * move
            dual += y * y
            moved += step * step
            f[j] = move
    return rest, inner, square, dual, moved


@kernel
def sparse_part(D, L, Z, penalty, mu):
    """S of the same step, as rows, columns and values."""
    n = 0
    for i in range(D.shape[0]):
        for j in range(D.shape[1]):
            n += abs(mu * (D[i, j] - 2.0 * L[i, j] + Z[i, j])) > penalty
    rows = np.empty(n, np.int64)
    columns = np.empty(n, np.int64)
    values = np.empty(n, D.dtype)
    at = 0
    for i in range(D.shape[0]):
        for j in range(D.shape[1]):
            slack = mu * (D[i, j] - 2.0 * L[i, j] + Z[i, j])
            if abs(slack) > penalty:
                rows[at] = i
                columns[at] = j
                values[at] = (slack - penalty if slack > 0 else slack + penalty) / mu
                at += 1
    return rows, columns, values


@lane_kernel
def split_documents(
    data, indices, indptr, scales, words, readers, spare, threshold, tol, rounding, codes, excess
):
    """Codes w of the background and the excess s of each word, for each document d times its scale:

        minimise  1/2 |d - B w - s|^2 + threshold sum(s),  s >= 0,  s only where d > threshold

    w = A'(d - s) reads the background off a document: A = B, or B shrunk, which is the best w under
    a quadratic penalty. With it put in, coordinate descent over s; `spare` is 1 - a'b of each word,
    the curvature. Ends when no s moves by more than `tol`, or by rounding. `words` are the rows of
    B, `readers` those of A.
    """
    rank = words.shape[1]
    longest = 0
    for i in range(len(indptr) - 1):
        longest = max(longest, indptr[i + 1] - indptr[i])
    places = np.empty(longest, np.int64)
    zero = threshold - threshold  # of the same type
    for i in range(len(indptr) - 1):
        w = codes[i]
        scale = scales[i]
        top = zero
        for k in range(rank):
            w[k] = 0
        n = 0
        p = indptr[i]
        while p + 3 < indptr[i + 1]:  # four at a time: w is read and written less often
            d0, d1 = data[p] * scale, data[p + 1] * scale
            d2, d3 = data[p + 2] * scale, data[p + 3] * scale
            a0, a1 = readers[indices[p]], readers[indices[p + 1]]
            a2, a3 = readers[indices[p + 2]], readers[indices[p + 3]]
            for k in range(rank):
                w[k] += (d0 * a0[k] + d1 * a1[k]) + (d2 * a2[k] + d3 * a3[k])
            p += 4
        while p < indptr[i + 1]:
            d0 = data[p] * scale
            a0 = readers[indices[p]]
            for k in range(rank):
                w[k] += d0 * a0[k]
            p += 1
        for p in range(indptr[i], indptr[i + 1]):
            excess[p] = 0
            d = data[p] * scale
            top = max(top, d)
            if d > threshold:
                places[n] = p
                n += 1
        close = max(tol, rounding * top)
        for _ in range(MOST_SWEEPS):
            largest = 0.0
            for q in range(n):
                p = places[q]
                b = words[indices[p]]
                slope = data[p] * scale - excess[p] - threshold
                for k in range(rank):
                    slope -= w[k] * b[k]
                before = excess[p]
                s = max(before + slope / spare[indices[p]], zero)
                move = s - before
                if move != 0:
                    excess[p] = s
                    a = readers[indices[p]]
                    for k in range(rank):
                        w[k] -= move * a[k]
                    largest = max(largest, abs(move))
            if largest <= close:
                break


@kernel
def subtract_products(excess, indices, indptr, codes, products):
    """``products -= S' codes`` for the few entries of S that are not zero."""
    rank = codes.shape[1]
    for i in range(len(indptr) - 1):
        w = codes[i]
        for p in range(indptr[i], indptr[i + 1]):
            s = excess[p]
            if s > 0:
                row = products[indices[p]]
                for k in range(rank):
                    row[k] -= s * w[k]
