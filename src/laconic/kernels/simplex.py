"""Projection on the simplex in expected linear time.

Duchi, Shalev-Shwartz, Singer, Chandra: Efficient Projections onto the l1-Ball, ICML 2008; with the
filter of Condat: Fast Projection onto the Simplex and the l1 Ball, 2016, which keeps a lower bound
of the threshold and drops what lies below it.
"""

import numpy as np

from laconic.kernels.compile import kernel


@kernel
def simplex_threshold(x, total, kept):
    """The largest value of x, and the t for which Σ max(x - largest - t, 0) = total.

    Values are taken relative to the largest, or the total would vanish beside large ones. `kept` is
    room for twice as many numbers as x has.
    """
    largest = np.float64(x[0])
    for i in range(1, len(x)):
        largest = max(largest, np.float64(x[i]))
    kept[0] = x[0] - largest
    size = 1
    threshold = kept[0] - total
    waiting = len(kept)  # values that were dropped too early wait at the end
    for i in range(1, len(x)):
        value = x[i] - largest
        if value > threshold:
            threshold += (value - threshold) / (size + 1)
            if threshold > value - total:
                kept[size] = value
                size += 1
            else:
                for a in range(size):
                    waiting -= 1
                    kept[waiting] = kept[a]
                kept[0] = value
                size = 1
                threshold = value - total
    for a in range(len(kept) - 1, waiting - 1, -1):
        value = kept[a]
        if value > threshold:
            kept[size] = value
            size += 1
            threshold += (value - threshold) / size
    while True:
        before = size
        size = 0
        total_kept = 0.0
        for a in range(before):
            if kept[a] > threshold:
                kept[size] = kept[a]
                total_kept += kept[a]
                size += 1
        threshold = (total_kept - total) / size
        if size == before:
            return largest, threshold


@kernel
def project_rows(rows, total):
    """Move each row to the nearest point with no negative entry and the sum `total`, in place."""
    zero = rows.dtype.type(0)
    kept = np.empty(2 * rows.shape[1], np.float64)
    for i in range(rows.shape[0]):
        row = rows[i]
        largest, threshold = simplex_threshold(row, total, kept)
        for j in range(len(row)):
            row[j] = max(rows.dtype.type(row[j] - largest - threshold), zero)


@kernel
def descend_topics(topics, slopes, coupling):
    """Minimise over one topic after the other, each on the simplex, in place.

    topics : (n_topics, n_words)
    slopes : (n_topics, n_words)
        Minus the gradient of each topic divided by its curvature; kept up to date.
    coupling : (n_topics, n_topics)
        What a change of topic j takes off the slope of topic i, ``coupling[i, j]``.
    """
    n_topics, n_words = topics.shape
    total = topics.dtype.type(1)
    zero = topics.dtype.type(0)
    kept = np.empty(2 * n_words, np.float64)
    change = np.empty(n_words, topics.dtype)
    for j in range(n_topics):
        topic, slope = topics[j], slopes[j]
        if coupling[j, j] == zero:  # no document uses it
            continue
        for w in range(n_words):
            slope[w] += topic[w]
        largest, relative = simplex_threshold(slope, total, kept)
        top, threshold = topics.dtype.type(largest), topics.dtype.type(relative)
        for w in range(n_words):
            new = max(slope[w] - top - threshold, zero)
            change[w] = new - topic[w]
            topic[w] = new
        for i in range(j + 1, n_topics):
            other, factor = slopes[i], coupling[i, j]
            if factor != zero:
                for w in range(n_words):
                    other[w] -= factor * change[w]
