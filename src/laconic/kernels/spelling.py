"""Edit distance between words, counting deletions, insertions, substitutions, adjacent swaps."""

import numpy as np

from laconic.kernels.compile import kernel


@kernel
def edit_distances(word, letters, ends, most):
    """Return the edit distance (int64) between a word and each of many other words.

    Distances larger than `most` are returned as most + 1. `word` contains code points. `letters`
    contains the concatenated code points of the other words, and `ends` contains the end of each
    word in `letters`.
    """
    n = word.size
    distances = np.empty(ends.size, np.int64)
    # the two previous rows and the current row of the matrix of distances
    rows = np.empty((3, n + 1), np.int64)
    start = 0
    for i in range(ends.size):
        length = ends[i] - start
        distances[i] = most + 1
        if abs(length - n) <= most:
            distances[i] = min(_distance(word, letters[start : ends[i]], rows, most), most + 1)
        start = ends[i]
    return distances


@kernel
def _distance(word, other, rows, most):
    for j in range(word.size + 1):
        rows[1, j] = j
        rows[0, j] = most + 1
    for i in range(other.size):
        rows[2, 0] = i + 1
        smallest = i + 1
        for j in range(word.size):
            cost = rows[1, j] + (word[j] != other[i])
            cost = min(cost, rows[1, j + 1] + 1, rows[2, j] + 1)
            if i > 0 and j > 0 and word[j] == other[i - 1] and word[j - 1] == other[i]:
                cost = min(cost, rows[0, j - 1] + 1)
            rows[2, j + 1] = cost
            smallest = min(smallest, cost)
        if smallest > most:
            return smallest
        for j in range(word.size + 1):
            rows[0, j] = rows[1, j]
            rows[1, j] = rows[2, j]
    return rows[1, word.size]
