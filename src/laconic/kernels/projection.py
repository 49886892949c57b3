"""Kernels that multiply sparse documents by topics.

CSR matrices are passed as three arrays: data, indices, indptr. Arrays named `dense` are
C-contiguous, with one row per word (or document) and one column per topic, so that the innermost
loop runs over topics and is vectorised.
"""

import numpy as np

from laconic.kernels.compile import inlined_kernel, kernel


@inlined_kernel
def gather_row(data, indices, p, end, dense, row):
    """Set `row` to the sum of the rows of `dense`, weighted by the entries `p` to `end` of X."""
    n_topics = dense.shape[1]
    row[:] = 0
    # Add eight source rows at a time, so that the target row is read and written less often.
    while p + 7 < end:
        x0, x1, x2, x3 = data[p], data[p + 1], data[p + 2], data[p + 3]
        x4, x5, x6, x7 = data[p + 4], data[p + 5], data[p + 6], data[p + 7]
        s0 = dense[np.uint64(indices[p])]
        s1 = dense[np.uint64(indices[p + 1])]
        s2 = dense[np.uint64(indices[p + 2])]
        s3 = dense[np.uint64(indices[p + 3])]
        s4 = dense[np.uint64(indices[p + 4])]
        s5 = dense[np.uint64(indices[p + 5])]
        s6 = dense[np.uint64(indices[p + 6])]
        s7 = dense[np.uint64(indices[p + 7])]
        for k in range(n_topics):
            first = (x0 * s0[k] + x1 * s1[k]) + (x2 * s2[k] + x3 * s3[k])
            second = (x4 * s4[k] + x5 * s5[k]) + (x6 * s6[k] + x7 * s7[k])
            row[k] += first + second
        p += 8
    while p < end:
        x = data[p]
        source = dense[np.uint64(indices[p])]
        for k in range(n_topics):
            row[k] += x * source[k]
        p += 1


@kernel
def gather_rows(data, indices, indptr, dense, out):
    """Compute ``out = X @ dense`` for X (n x m, CSR) and dense (m x k).

    If the arrays of a CSC matrix are passed instead, the result is ``X.T @ dense``.
    """
    for i in range(len(indptr) - 1):
        gather_row(data, indices, indptr[i], indptr[i + 1], dense, out[i])


@kernel
def order_by_column(values, indices, starts, out):
    """Copy one value for each entry of a CSR matrix to `out`, in the order of CSC.

    `indices` are those of the CSR matrix; `starts` is the indptr of the same matrix as CSC.
    """
    at = starts[:-1].copy()
    for p in range(len(values)):
        j = np.uint64(indices[p])
        out[np.uint64(at[j])] = values[p]
        at[j] += 1


@kernel
def add_gathered(data, indices, indptr, dense, out, scratch):
    """Compute ``out += X @ dense``, as `gather_rows` and an addition would, to the last bit.

    `scratch` is an array of one row. Rows of X without entries are skipped.
    """
    for i in range(len(indptr) - 1):
        if indptr[i] == indptr[i + 1]:
            continue
        gather_row(data, indices, indptr[i], indptr[i + 1], dense, scratch)
        row = out[i]
        for k in range(len(scratch)):
            row[k] += scratch[k]


@kernel
def add_outer(w_data, w_indices, w_indptr, dense, out):
    """Compute ``out += W.T @ dense`` for W (m x k, CSR) and dense (m x l)."""
    for j in range(len(w_indptr) - 1):
        source = dense[j]
        for q in range(np.uint64(w_indptr[j]), np.uint64(w_indptr[j + 1])):
            x = w_data[q]
            row = out[np.uint64(w_indices[q])]
            for k in range(len(source)):
                row[k] += x * source[k]


@kernel
def add_scaled(data, indices, indptr, factor, out):
    """Compute ``out += factor * X`` for X (n x k, CSR)."""
    for i in range(len(indptr) - 1):
        row = out[i]
        for p in range(indptr[i], indptr[i + 1]):
            row[np.uint64(indices[p])] += factor * data[p]


@kernel
def add_sizes(dense, totals):
    """Add the absolute values of each column of `dense` to `totals`, without a copy of `dense`."""
    for i in range(dense.shape[0]):
        row = dense[i]
        for k in range(dense.shape[1]):
            totals[k] += abs(row[k])


@kernel
def project_columns(data, indices, indptr, w_data, w_indices, w_indptr, out):
    """Compute ``out = X @ W`` for X (n x m, CSC) and W (m x k, CSR, words x topics).

    Looping over columns (words) is four times faster than looping over rows. One reason is that the
    inner loop has the same length for all documents that contain a word, which helps branch
    prediction; another is that words without topics are skipped. Indices are unsigned, so that
    numba does not check whether they are negative.
    """
    out[:] = 0
    for j in range(len(indptr) - 1):
        first = np.uint64(w_indptr[j])
        last = np.uint64(w_indptr[j + 1])
        if first == last:
            continue
        for p in range(np.uint64(indptr[j]), np.uint64(indptr[j + 1])):
            x = data[p]
            i = np.uint64(indices[p])
            for q in range(first, last):
                out[i, np.uint64(w_indices[q])] += x * w_data[q]


@kernel
def project_dense(data, indices, indptr, w_data, w_indices, w_indptr, out):
    """Compute ``out = X @ W`` for X (n x m, CSR) and W (m x k, CSR, words x topics)."""
    out[:] = 0
    for i in range(len(indptr) - 1):
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            x = data[p]
            j = np.uint64(indices[p])
            for q in range(np.uint64(w_indptr[j]), np.uint64(w_indptr[j + np.uint64(1)])):
                out[i, np.uint64(w_indices[q])] += x * w_data[q]


@kernel
def project_sparse(data, indices, indptr, w_data, w_indices, w_indptr, n_topics):
    """Return ``X @ W`` as data, indices and indptr of CSR, sorted and without stored zeros.

    The kernel itself allocates the arrays, so that one call is enough, because the overhead of a
    call takes longer than the computation for a single document.
    """
    n_rows = len(indptr) - 1
    most = 0  # upper bound on the number of entries
    for i in range(n_rows):
        n_products = 0
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint64(indices[p])
            n_products += w_indptr[j + np.uint64(1)] - w_indptr[j]
        most += min(n_products, n_topics)
    row = np.zeros(n_topics, data.dtype)
    out_data = np.empty(most + 1, data.dtype)
    out_indices = np.empty(most + 1, np.int32)
    out_indptr = np.zeros(n_rows + 1, np.int64)
    at = 0
    for i in range(n_rows):
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            x = data[p]
            j = np.uint64(indices[p])
            for q in range(np.uint64(w_indptr[j]), np.uint64(w_indptr[j + np.uint64(1)])):
                row[np.uint64(w_indices[q])] += x * w_data[q]
        # Zeros are written too, and then overwritten: about half of the entries are zero, and a
        # branch that cannot be predicted takes longer than writing.
        for k in range(n_topics):
            value = row[k]
            out_indices[np.uint64(at)] = k
            out_data[np.uint64(at)] = value
            at += value != 0
            row[k] = 0
        out_indptr[i + 1] = at
    if 2 * at < most:  # A view would keep the memory of the whole array.
        return out_data[:at].copy(), out_indices[:at].copy(), out_indptr
    return out_data[:at], out_indices[:at], out_indptr
