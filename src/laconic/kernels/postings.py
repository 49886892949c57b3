"""Kernels of a search index, which compute the scores of documents and find the best."""

import numpy as np

from laconic.kernels.compile import exact_kernel, kernel, lane_kernel
from laconic.kernels.maximum import larger

BLOCK = 64  # number of scores that are compared with a limit at once


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
    that of `sparse_cosines`, but only the topics of the code are read. Indices are unsigned, since
    numba would check whether they are negative, which takes as long as the rest.
    """
    for topic in range(weights.size):
        weight = weights[topic]
        if weight != 0:
            of_topic = slice(indptr[topic], indptr[topic + 1])
            values, rows = data[of_topic], documents[of_topic]
            for entry in range(values.size):
                cosines[np.uint64(rows[entry])] += weight * values[entry]


@exact_kernel
def add_weights(documents, counts, norms, starts, stops, idf, scores):
    """Add the BM25 weights of several stems to the scores of their documents (all float32).

    The postings of stem s are those from ``starts[s]`` to ``stops[s]``.
    """
    for stem in range(starts.size):
        for entry in range(starts[stem], stops[stem]):
            document, count = np.uint64(documents[entry]), np.float32(counts[entry])
            scores[document] += count / (count + norms[document]) * idf[stem]


@exact_kernel
def cosines_of_rows(data, indices, indptr, rows, weights, cosines):
    """Compute the cosines of some sparse rows and one code, like `sparse_cosines`, bit for bit."""
    for i in range(rows.size):
        row = np.uint64(rows[i])
        start, stop = np.uint64(indptr[row]), np.uint64(indptr[row + np.uint64(1)])
        squares, cosine = 0.0, np.float32(0)
        for entry in range(start, stop):
            squares += data[entry] * data[entry]
        length = np.float32(np.sqrt(squares))
        for entry in range(start, stop):
            cosine += weights[np.uint64(indices[entry])] * (data[entry] / length)
        cosines[i] = cosine


@exact_kernel
def add_moments(data, indices, indptr, moments):
    """Add the sums of sparse rows of unit length (float32) and of their outer products.

    The sums are added to ``moments[0]`` and the products to ``moments[1:]`` (float64). The rows are
    added one after the other, so the result does not depend on their division into blocks.
    """
    for row in range(len(indptr) - 1):
        start, stop = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
        squares = 0.0
        for entry in range(start, stop):
            squares += data[entry] * data[entry]
        length = np.float32(np.sqrt(squares))
        for entry in range(start, stop):
            value = np.float64(data[entry] / length)
            topic = np.uint64(indices[entry])
            moments[0, topic] += value
            products = moments[topic + np.uint64(1)]
            for other in range(start, stop):
                products[np.uint64(indices[other])] += value * np.float64(data[other] / length)


@lane_kernel
def group_maxima(scores, maxima):
    """Compute the largest score of each group of about BLOCK scores (float32); scores are finite.

    A group has every ``maxima.size``-th score, so that the inner loop runs in vector registers.
    """
    maxima[:] = scores[: maxima.size]
    for start in range(maxima.size, scores.size, maxima.size):
        part = scores[start : start + maxima.size]
        for group in range(part.size):
            maxima[group] = larger(maxima[group], part[group])


@exact_kernel
def rows_from(scores, limit, most):
    """Return the rows (int64) whose scores are at least `limit`, in ascending order.

    If there are more than `most` rows, the result has ``most + 1`` rows.
    """
    rows = np.empty(most + 1, np.int64)
    n_rows = 0
    for start in range(0, scores.size, BLOCK):
        block = scores[start : start + BLOCK]
        n_found = np.int32(0)
        for i in range(block.size):
            n_found += np.int32(block[i] >= limit)
        if not n_found:
            continue
        for i in range(block.size):
            if block[i] >= limit:
                rows[n_rows] = start + i
                n_rows += 1
                if n_rows > most:
                    return rows
    return rows[:n_rows]


@lane_kernel
def moments(scores):
    """Return the mean and the mean square of at least one score."""
    total, squares = 0.0, 0.0
    for row in range(scores.size):
        value = np.float64(scores[row])
        total += value
        squares += value * value
    return total / scores.size, squares / scores.size


@exact_kernel
def _sink_pair(rows, sums, position, size):
    """Move a row down the heap until both rows directly below it are better."""
    row, total = rows[position], sums[position]
    child = 2 * position + 1
    while child < size:
        other = child + 1
        if other < size and (
            sums[other] < sums[child] or (sums[other] == sums[child] and rows[other] > rows[child])
        ):
            child = other
        if not (sums[child] < total or (sums[child] == total and rows[child] > row)):
            break
        rows[position], sums[position] = rows[child], sums[child]
        position, child = child, 2 * child + 1
    rows[position], sums[position] = row, total


@exact_kernel
def best_blended(lexical, background, scale, weight, unit, k):
    """Return up to k rows (int64) with the largest positive sums of two scores, the best row first.

    The sum (float32) is ``lexical / scale + weight * (background / unit)``. Of rows with equal
    sums, the row with the lower number is better. The sums are computed in blocks; a block in which
    none is larger than the k-th best so far is skipped.
    """
    block = np.empty(BLOCK, np.float32)
    n_wanted = min(k, lexical.size)
    rows, sums = np.empty(n_wanted, np.int64), np.empty(n_wanted, np.float32)
    n_best, least = 0, np.float32(0)
    for start in range(0, lexical.size, BLOCK):
        words, topics = lexical[start : start + BLOCK], background[start : start + BLOCK]
        n_rows, n_better = words.size, np.int32(0)
        for i in range(n_rows):
            block[i] = words[i] / scale + weight * (topics[i] / unit)
        for i in range(n_rows):
            n_better += np.int32(block[i] > least)
        if not n_better:
            continue
        for i in range(n_rows):
            if block[i] <= least:
                continue
            if n_best < rows.size:
                rows[n_best], sums[n_best] = start + i, block[i]
                n_best += 1
                if n_best == rows.size:
                    for position in range(n_best // 2 - 1, -1, -1):
                        _sink_pair(rows, sums, position, n_best)
                    least = sums[0]
            else:
                rows[0], sums[0] = start + i, block[i]
                _sink_pair(rows, sums, np.int64(0), n_best)
                least = sums[0]
    if n_best < rows.size:
        for position in range(n_best // 2 - 1, -1, -1):
            _sink_pair(rows, sums, position, n_best)
    for last in range(n_best - 1, 0, -1):
        rows[0], rows[last] = rows[last], rows[0]
        sums[0], sums[last] = sums[last], sums[0]
        _sink_pair(rows, sums, np.int64(0), last)
    return rows[:n_best]


@exact_kernel
def unit_codes(data, indices, indptr, rows, codes):
    """Write some sparse rows, scaled to unit length, to the zeros in `codes` (all float32)."""
    for i in range(rows.size):
        squares = 0.0
        for entry in range(indptr[rows[i]], indptr[rows[i] + 1]):
            squares += np.float64(data[entry]) * data[entry]
        length = np.float32(np.sqrt(squares)) if squares > 0 else np.float32(1)
        for entry in range(indptr[rows[i]], indptr[rows[i] + 1]):
            codes[i, indices[entry]] = data[entry] / length


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
