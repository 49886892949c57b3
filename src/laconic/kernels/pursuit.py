"""Kernels of PCP, for the steps of the exact solver and for splitting single documents.

For the exact solver, matrices are dense and C-contiguous. To split documents, they are passed as
data, indices, indptr of CSR, and the basis of the background is passed as an array of words x rank
with orthonormal columns.
"""

import numpy as np

from laconic.kernels.compile import kernel, lane_kernel

MAX_SWEEPS = 200
MIN_CURVATURE = 0.05  # smallest factor of a column in the metric of a proximal step


@lane_kernel
def shrink(D, L, previous_L, Z, penalties, mu, F):
    """Compute S = soft(D - 2L + Z), and the change F = D - S - L of Z.

    S is not stored, because it equals D - 2L + Z - Y / mu, where Y = clip(mu (D - 2L + Z),
    ±penalty). `penalties` contains the penalty of each row. Returns the sum of penalty |D - L|, the
    inner product of D and Y, |F|^2, |Y|^2 and |L - previous_L|^2.
    """
    l1_error = 0.0
    inner = 0.0
    square = 0.0
    dual = 0.0
    change = 0.0
    for i in range(D.shape[0]):
        d, low, old, z, f = D[i], L[i], previous_L[i], Z[i], F[i]
        penalty = penalties[i]
        error = 0.0
        for j in range(len(d)):
            slack = mu * (d[j] - 2.0 * low[j] + z[j])
            y = min(max(slack, -penalty), penalty)
            move = low[j] - z[j] + y / mu
            step = low[j] - old[j]
            error += abs(d[j] - low[j])
            inner += d[j] * y
            square += move * move
            dual += y * y
            change += step * step
            f[j] = move
        l1_error += penalty * error
    return l1_error, inner, square, dual, change


@kernel
def sparse_part(D, L, Z, penalties, mu):
    """Return the rows, columns and values of the non-zero entries of S = soft(D - 2L + Z)."""
    n = 0
    for i in range(D.shape[0]):
        for j in range(D.shape[1]):
            n += abs(mu * (D[i, j] - 2.0 * L[i, j] + Z[i, j])) > penalties[i]
    rows = np.empty(n, np.int64)
    columns = np.empty(n, np.int64)
    values = np.empty(n, D.dtype)
    at = 0
    for i in range(D.shape[0]):
        penalty = penalties[i]
        for j in range(D.shape[1]):
            slack = mu * (D[i, j] - 2.0 * L[i, j] + Z[i, j])
            if abs(slack) > penalty:
                rows[at] = i
                columns[at] = j
                values[at] = (slack - penalty if slack > 0 else slack + penalty) / mu
                at += 1
    return rows, columns, values


@kernel
def descend(data, indices, indptr, Y, root, penalties):
    """Take the proximal gradient step ``soft(S + Y / H, penalties / H)`` of a sparse S.

    S and the result are passed by column (data, indices, indptr), and Y is transposed. H is
    ``root[i] * (1 - |Y_j|^2 / 2)`` for row i and column j.
    """
    n_columns, n_rows = Y.shape
    values = np.empty(2 * len(data) + n_rows)
    rows = np.empty(len(values), indices.dtype)
    starts = np.zeros(n_columns + 1, indptr.dtype)
    s = np.zeros(n_rows)
    at = 0
    for j in range(n_columns):
        if len(values) < at + n_rows:
            values = np.concatenate((values[:at], np.empty(at + n_rows)))
            rows = np.concatenate((rows[:at], np.empty(at + n_rows, rows.dtype)))
        y = Y[j]
        for p in range(indptr[j], indptr[j + 1]):
            s[indices[p]] = data[p]
        square = 0.0
        for i in range(n_rows):
            square += y[i] * y[i]
        weight = max(1.0 - 0.5 * square, MIN_CURVATURE)
        for i in range(n_rows):
            h = root[i] * weight
            slack = h * s[i] + y[i]
            if abs(slack) > penalties[i]:
                rows[at] = i
                values[at] = (slack - penalties[i] if slack > 0 else slack + penalties[i]) / h
                at += 1
        for p in range(indptr[j], indptr[j + 1]):
            s[indices[p]] = 0.0
        starts[j + 1] = at
    return values[:at], rows[:at], starts


@lane_kernel
def split_documents(
    data,
    indices,
    indptr,
    scales,
    words,
    encoder,
    residual_norm,
    threshold,
    tol,
    rounding,
    codes,
    excess,
):
    """Compute the codes w and the excess counts s of scaled documents d, which

        minimise  1/2 |d - B w - s|^2 + threshold sum(s),  s >= 0,  s only where d > threshold

    The codes are w = A'(d - s), where A is B or a shrunk copy of B. A shrunk copy gives the best w
    under a quadratic penalty. With this w, s is found by coordinate descent, where `residual_norm`
    is the curvature 1 - a'b of each word. The descent ends when no entry of s changes by more than
    the larger of `tol` and `rounding` times the largest scaled count. B is passed as `words` and A
    as `encoder`, both as arrays of words x rank.
    """
    rank = words.shape[1]
    longest = 0
    for i in range(len(indptr) - 1):
        longest = max(longest, indptr[i + 1] - indptr[i])
    candidates = np.empty(longest, np.int64)  # numbers of entries that may have an excess
    zero = threshold - threshold  # zero with the same type as `threshold`
    for i in range(len(indptr) - 1):
        w = codes[i]
        scale = scales[i]
        top = zero
        for k in range(rank):
            w[k] = 0
        n = 0
        p = indptr[i]
        # Four entries are added at a time, so that w is read and written less often.
        while p + 3 < indptr[i + 1]:
            d0, d1 = data[p] * scale, data[p + 1] * scale
            d2, d3 = data[p + 2] * scale, data[p + 3] * scale
            a0, a1 = encoder[indices[p]], encoder[indices[p + 1]]
            a2, a3 = encoder[indices[p + 2]], encoder[indices[p + 3]]
            for k in range(rank):
                w[k] += (d0 * a0[k] + d1 * a1[k]) + (d2 * a2[k] + d3 * a3[k])
            p += 4
        while p < indptr[i + 1]:
            d0 = data[p] * scale
            a0 = encoder[indices[p]]
            for k in range(rank):
                w[k] += d0 * a0[k]
            p += 1
        for p in range(indptr[i], indptr[i + 1]):
            excess[p] = 0
            d = data[p] * scale
            top = max(top, d)
            if d > threshold:
                candidates[n] = p
                n += 1
        max_move = max(tol, rounding * top)
        for _ in range(MAX_SWEEPS):
            largest = 0.0
            for q in range(n):
                p = candidates[q]
                b = words[indices[p]]
                slope = data[p] * scale - excess[p] - threshold
                for k in range(rank):
                    slope -= w[k] * b[k]
                before = excess[p]
                s = max(before + slope / residual_norm[indices[p]], zero)
                move = s - before
                if move != 0:
                    excess[p] = s
                    a = encoder[indices[p]]
                    for k in range(rank):
                        w[k] -= move * a[k]
                    largest = max(largest, abs(move))
            if largest <= max_move:
                break


@kernel
def subtract_products(excess, indices, indptr, codes, products):
    """Subtract ``S' codes`` from `products`, using only the few non-zero entries of S."""
    rank = codes.shape[1]
    for i in range(len(indptr) - 1):
        w = codes[i]
        for p in range(indptr[i], indptr[i + 1]):
            s = excess[p]
            if s > 0:
                row = products[indices[p]]
                for k in range(rank):
                    row[k] -= s * w[k]
