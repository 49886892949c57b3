"""Kernels of a search index, which compute the scores of documents and find the best."""

import numpy as np

from laconic.kernels.compile import kernel, lane_kernel


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
def topic_cosines(data, documents, indptr, weights, cosines):
    """Add the products of a code and of codes of unit length, which are stored by topic.

    The documents of topic t are ``documents[indptr[t] : indptr[t + 1]]``. The result is the same as
    that of `sparse_cosines`, but only the topics of the code are read.
    """
    for topic in range(weights.size):
        weight = weights[topic]
        if weight != 0:
            for entry in range(indptr[topic], indptr[topic + 1]):
                cosines[documents[entry]] += weight * data[entry]


@kernel
def add_weights(documents, counts, norms, idf, scores):
    """Add the BM25 weights of one stem to the scores of its documents (all float32)."""
    for entry in range(documents.size):
        document, count = documents[entry], counts[entry]
        scores[document] += count / (count + norms[document]) * idf


@lane_kernel
def variance(scores):
    """Return the variance of at least one score."""
    total, squares = 0.0, 0.0
    for row in range(scores.size):
        total += scores[row]
    mean = total / scores.size
    for row in range(scores.size):
        squares += (scores[row] - mean) * (scores[row] - mean)
    return squares / scores.size


@kernel
def blended(lexical, background, scale, weight, unit):
    """Return the sums of two scores, and their parts (all float32).

    The parts are ``lexical / scale`` and ``weight * (background / unit)``.
    """
    words, topics = np.empty_like(lexical), np.empty_like(lexical)
    score = np.empty_like(lexical)
    for row in range(lexical.size):
        words[row] = lexical[row] / scale
        topics[row] = weight * (background[row] / unit)
        score[row] = words[row] + topics[row]
    return score, words, topics


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
    least = scores[heap[0]] if n_best else np.inf
    for later in range(row, scores.size):
        if scores[later] > least:
            heap[0] = later
            _sink(scores, heap, np.int64(0))
            least = scores[heap[0]]
    for last in range(n_best - 1, 0, -1):
        heap[0], heap[last] = heap[last], heap[0]
        _sink(scores, heap[:last], np.int64(0))
    return heap
