"""Kernels of a search index, which sum the scores of documents over rows and find the best.

A row of the index belongs to a word or topic. Rows are stored as CSR (``data``, ``indices``,
``indptr``) or as a dense array of rows x documents.
"""

import numpy as np

from laconic.kernels.compile import kernel


@kernel
def add_postings(data, indices, indptr, rows, weights, sums):
    """Multiply sparse rows by weights, and add the products to `sums` (float32 per document).

    `rows` contains the row numbers (int64).
    """
    for i in range(rows.size):
        weight = weights[i]
        for entry in range(indptr[rows[i]], indptr[rows[i] + 1]):
            sums[indices[entry]] += weight * data[entry]


@kernel
def add_whole_rows(matrix, rows, weights, sums):
    """Multiply dense rows by weights, and add the products to `sums` (float32 per document).

    `rows` contains the row numbers (int64).
    """
    for i in range(rows.size):
        weight = weights[i]
        row = matrix[rows[i]]
        for document in range(sums.size):
            sums[document] += weight * row[document]


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
