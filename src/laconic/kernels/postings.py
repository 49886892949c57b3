"""Kernels of a search index, which compute the scores of documents and find the best."""

import numpy as np

from laconic.kernels.compile import kernel


@kernel
def sparse_cosines(data, indices, indptr, weights, cosines):
    """Compute the cosines of sparse rows (float32) and several codes of unit length.

    `weights` has shape (columns, codes) and `cosines` has shape (rows, codes); both are float32.
    The cosine of a row of zeros is 0.
    """
    for row in range(cosines.shape[0]):
        cosines[row] = 0
        squares = 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            squares += data[entry] * data[entry]
        length = np.float32(np.sqrt(squares))
        for entry in range(indptr[row], indptr[row + 1]):
            value = data[entry] / length
            of_column = weights[indices[entry]]
            for code in range(of_column.size):
                cosines[row, code] += of_column[code] * value


@kernel
def dense_cosines(values, weights, cosines):
    """Compute the same as `sparse_cosines`, for dense rows (float32)."""
    for row in range(cosines.shape[0]):
        cosines[row] = 0
        squares = 0.0
        for column in range(values.shape[1]):
            squares += values[row, column] * values[row, column]
        length = np.float32(np.sqrt(squares))
        for column in range(values.shape[1]):
            if values[row, column] != 0:
                value = values[row, column] / length
                of_column = weights[column]
                for code in range(of_column.size):
                    cosines[row, code] += of_column[code] * value


@kernel
def _is_worse(scores, row, other):
    if scores[row] != scores[other]:
        return scores[row] < scores[other]
    return row > other


@kernel
def _sink(scores, heap, position):
    """Move a row down the heap until both rows directly below it are better."""
    row = heap[position]
    child = 2 * position + 1
    while child < heap.size:
        if child + 1 < heap.size and _is_worse(scores, heap[child + 1], heap[child]):
            child += 1
        if not _is_worse(scores, heap[child], row):
            break
        heap[position] = heap[child]
        position, child = child, 2 * child + 1
    heap[position] = row


@kernel
def best_rows(scores, k):
    """Return up to k row numbers (int64) with the largest positive scores, the best row first.

    Of rows with equal scores, the row with the lower number is better.
    """
    best = np.empty(min(k, scores.size), np.int64)
    n_best, row = 0, 0
    while row < scores.size and n_best < best.size:
        if scores[row] > 0:
            best[n_best] = row
            n_best += 1
        row += 1
    heap = best[:n_best]  # The worst row is at the top of the heap.
    for position in range(n_best // 2 - 1, -1, -1):
        _sink(scores, heap, position)
    for later in range(row, scores.size):
        if n_best and scores[later] > scores[heap[0]]:
            heap[0] = later
            _sink(scores, heap, np.int64(0))
    for last in range(n_best - 1, 0, -1):
        heap[0], heap[last] = heap[last], heap[0]
        _sink(scores, heap[:last], np.int64(0))
    return heap
