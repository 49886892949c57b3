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
    for i in range(len(indptr) - 1):
        row = out[i]
        row[:] = 0
        for p in range(indptr[i], indptr[i + 1]):
            x = data[p]
            j = indices[p]
            for q in range(w_indptr[j], w_indptr[j + 1]):
                row[w_indices[q]] += x * w_data[q]


@kernel
def count_projected(indices, indptr, w_indices, w_indptr, n_topics, out_indptr):
    """Row pointer of the CSR product X @ W, entries that cancel included."""
    seen = np.full(n_topics, -1, np.int64)
    total = 0
    out_indptr[0] = 0
    for i in range(len(indptr) - 1):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            for q in range(w_indptr[j], w_indptr[j + 1]):
                k = w_indices[q]
                if seen[k] != i:
                    seen[k] = i
                    total += 1
        out_indptr[i + 1] = total


@kernel
def project_sparse(
    data, indices, indptr, w_data, w_indices, w_indptr, n_topics, out_data, out_indices, out_indptr
):
    """Entries of the CSR product X @ W, topics in order, into the rows `count_projected` made."""
    row = np.zeros(n_topics, out_data.dtype)
    marked = np.zeros(n_topics, np.bool_)
    for i in range(len(indptr) - 1):
        for p in range(indptr[i], indptr[i + 1]):
            x = data[p]
            j = indices[p]
            for q in range(w_indptr[j], w_indptr[j + 1]):
                k = w_indices[q]
                row[k] += x * w_data[q]
                marked[k] = True
        at = out_indptr[i]
        for k in range(n_topics):
            if marked[k]:
                out_indices[at] = k
                out_data[at] = row[k]
                at += 1
                row[k] = 0
                marked[k] = False
