"""Postings of a search index: what each row (a word, a topic) adds to the documents it has.

The rows stand in CSR (``data``, ``indices``, ``indptr``), or in one array of rows x documents.
"""

import numpy as np

from laconic.kernels.compile import kernel


@kernel
def add_postings(data, indices, indptr, rows, weights, sums):
    """Add rows (int64) times their weights to sums (float32 per document)."""
    for i in range(rows.size):
        weight = weights[i]
        for entry in range(indptr[rows[i]], indptr[rows[i] + 1]):
            sums[indices[entry]] += weight * data[entry]


@kernel
def add_whole_rows(matrix, rows, weights, sums):
    """The same for rows that have a number for every document."""
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
def _sink(scores, heap, place):
    """Move a row down until the rows below it are better."""
    row = heap[place]
    child = 2 * place + 1
    while child < heap.size:
        if child + 1 < heap.size and _is_worse(scores, heap[child + 1], heap[child]):
            child += 1
        if not _is_worse(scores, heap[child], row):
            break
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    heap[place] = row


@kernel
def best_rows(scores, k):
    """Up to k rows (int64) with the largest scores above 0, best first, then the lower row."""
    found = np.empty(min(k, scores.size), np.int64)
    n_found, row = 0, 0
    while row < scores.size and n_found < found.size:
        if scores[row] > 0:
            found[n_found] = row
            n_found += 1
        row += 1
    heap = found[:n_found]  # the worst of them on top
    for place in range(n_found // 2 - 1, -1, -1):
        _sink(scores, heap, place)
    for later in range(row, scores.size):
        if n_found and scores[later] > scores[heap[0]]:
            heap[0] = later
            _sink(scores, heap, np.int64(0))
    for last in range(n_found - 1, 0, -1):
        heap[0], heap[last] = heap[last], heap[0]
        _sink(scores, heap[:last], np.int64(0))
    return heap
