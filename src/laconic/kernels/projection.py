"""Products of sparse documents with topics.

CSR comes in as data, indices, indptr. `dense` arrays are C-contiguous with one row per word (or
document) and one column per topic, so the innermost loop runs over topics and vectorises.
"""

import numpy as np

from laconic.kernels.compile import kernel


@kernel
def gather_rows(data, indices, indptr, dense, out):
    """``out = X @ dense`` for X (n x m, CSR) and dense (m x k); also X' V with X given as CSC."""
    n_topics = dense.shape[1]
    for i in range(len(indptr) - 1):
        row = out[i]
        row[:] = 0
        p = indptr[i]
        end = indptr[i + 1]
        # Four source rows for each visit of the target row: it is read and written less often.
        while p + 3 < end:
            x0, x1, x2, x3 = data[p], data[p + 1], data[p + 2], data[p + 3]
            s0 = dense[indices[p]]
            s1 = dense[indices[p + 1]]
            s2 = dense[indices[p + 2]]
            s3 = dense[indices[p + 3]]
            for k in range(n_topics):
                row[k] += (x0 * s0[k] + x1 * s1[k]) + (x2 * s2[k] + x3 * s3[k])
            p += 4
        while p < end:
            x = data[p]
            source = dense[indices[p]]
            for k in range(n_topics):
                row[k] += x * source[k]
            p += 1


@kernel
def project_columns(data, indices, indptr, w_data, w_indices, w_indptr, out):
    """``out = X @ W`` for X (n x m, CSC) and W (m x k, CSR, words x topics).

    By column the inner loop has the same length for all documents of a word, which the processor
    predicts, and words in no topic are passed over: four times faster than by row. Unsigned
    indices spare numba the test for negative ones.
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
    """``out = X @ W`` for X (n x m, CSR) and W (m x k, CSR, words x topics)."""
    out[:] = 0
    for i in range(len(indptr) - 1):
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            x = data[p]
            j = np.uint64(indices[p])
            for q in range(np.uint64(w_indptr[j]), np.uint64(w_indptr[j + np.uint64(1)])):
                out[i, np.uint64(w_indices[q])] += x * w_data[q]


@kernel
def project_sparse(data, indices, indptr, w_data, w_indices, w_indptr, n_topics):
    """``X @ W`` as the data, indices and indptr of CSR, topics in order, no stored zeros.

    One call that makes its own arrays: for a single document calls cost more than the work.
    """
    n_rows = len(indptr) - 1
    row = np.zeros(n_topics, data.dtype)
    out_data = np.empty(n_topics, data.dtype)
    out_indices = np.empty(n_topics, np.int32)
    out_indptr = np.zeros(n_rows + 1, np.int64)
    at = 0
    for i in range(n_rows):
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            x = data[p]
            j = np.uint64(indices[p])
            for q in range(np.uint64(w_indptr[j]), np.uint64(w_indptr[j + np.uint64(1)])):
                row[np.uint64(w_indices[q])] += x * w_data[q]
        if at + n_topics > len(out_data):
            size = 2 * len(out_data) + n_topics
            longer = np.empty(size, data.dtype)
            longer[:at] = out_data[:at]
            out_data = longer
            further = np.empty(size, np.int32)
            further[:at] = out_indices[:at]
            out_indices = further
        for k in range(n_topics):
            if row[k] != 0:
                out_indices[at] = k
                out_data[at] = row[k]
                at += 1
                row[k] = 0
        out_indptr[i + 1] = at
    return out_data[:at].copy(), out_indices[:at].copy(), out_indptr
