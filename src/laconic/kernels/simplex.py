"""Projection onto the simplex in linear time.

The point of the simplex that is nearest to x is max(x - t, 0), where t is chosen such that the
entries sum to the total (Duchi, Shalev-Shwartz, Singer, Chandra: Efficient Projections onto the
l1-Ball, ICML 2008). Newton steps approach t from below: each step sets t = (sum - total) / n, where
the sum is over the n values above the previous t. Values below t are dropped permanently (Michelot
1986). A topic that is updated starts from the entries that are positive already.
"""

import numpy as np

from laconic.kernels.compile import kernel, lane_kernel
from laconic.kernels.maximum import larger

BLOCK = 64  # number of values that are skipped at once if none of them is above the threshold


@lane_kernel
def largest_value(x):
    largest = x[0]
    for i in range(len(x)):
        largest = larger(largest, x[i])
    return largest


@lane_kernel
def least_threshold(x, largest, total):
    """Return a lower bound of t (minus the largest value): all entries of x - t sum to `total`."""
    differences = 0.0
    for i in range(len(x)):
        differences += np.float64(x[i] - largest)
    return (differences - total) / len(x)


@lane_kernel
def least_threshold_of_some(x, largest, total, chosen):
    """Return a lower bound of t as `least_threshold` does, from the entries where `chosen` > 0.

    Any subset gives a lower bound, because the sum of max(x - t, 0) over all entries is at least
    the sum of x - t over some of them. If these are the entries that stay positive, the bound is t.
    """
    differences = 0.0
    n_chosen = 0.0
    for i in range(len(x)):
        if chosen[i] > 0:
            differences += np.float64(x[i] - largest)
            n_chosen += 1.0
    return (differences - total) / max(n_chosen, 1.0) if n_chosen else -np.inf


@lane_kernel
def simplex_threshold(x, largest, threshold, total, kept):
    """Return the t for which Σ max(x - largest - t, 0) = total, given a lower bound of t.

    The largest value is subtracted, because the total would be lost to rounding if values were
    large. `kept` is a scratch array with the length of x.
    """
    # Loops that drop values write all of them, without a branch that cannot be predicted.
    size = np.uint64(0)
    for start in range(0, len(x), BLOCK):
        block = x[start : start + BLOCK]
        if np.float64(largest_value(block) - largest) <= threshold:
            continue
        for i in range(len(block)):
            value = np.float64(block[i] - largest)
            kept[size] = value
            size += np.uint64(value > threshold)
    while True:
        before = size
        total_kept = 0.0
        for a in range(before):
            total_kept += kept[a]
        threshold = (total_kept - total) / before
        size = np.uint64(0)
        for a in range(before):
            value = kept[a]
            kept[size] = value
            size += np.uint64(value > threshold)
        if size == before:
            return threshold


@kernel
def project_rows(rows, total):
    """Project each row, in place, onto the simplex of non-negative points that sum to `total`."""
    zero = rows.dtype.type(0)
    kept = np.empty(rows.shape[1], np.float64)
    for i in range(rows.shape[0]):
        row = rows[i]
        largest = largest_value(row)
        threshold = least_threshold(row, largest, total)
        threshold = simplex_threshold(row, largest, threshold, total, kept)
        for j in range(len(row)):
            row[j] = max(rows.dtype.type(row[j] - largest - threshold), zero)


@kernel
def descend_topics(topics, slopes, coupling):
    """Minimise the objective over one topic after another, in place, with topics on the simplex.

    topics : (n_topics, n_words)
    slopes : (n_topics, n_words)
        Negative gradient of each topic, divided by the topic's curvature; updated in place.
    coupling : (n_topics, n_topics)
        ``coupling[i, j]`` times a change of topic j is subtracted from the slope of topic i.
    """
    n_topics, n_words = topics.shape
    total = topics.dtype.type(1)
    zero = topics.dtype.type(0)
    kept = np.empty(n_words, np.float64)
    change = np.empty(n_words, topics.dtype)
    for j in range(n_topics):
        topic, slope = topics[j], slopes[j]
        if coupling[j, j] == zero:  # No document uses the topic.
            continue
        for w in range(n_words):
            slope[w] += topic[w]
        largest = largest_value(slope)
        bound = least_threshold_of_some(slope, largest, total, topic)
        bound = max(bound, least_threshold(slope, largest, total))
        threshold = topics.dtype.type(simplex_threshold(slope, largest, bound, total, kept))
        for w in range(n_words):
            new = max(slope[w] - largest - threshold, zero)
            change[w] = new - topic[w]
            topic[w] = new
        for i in range(j + 1, n_topics):
            other, factor = slopes[i], coupling[i, j]
            if factor != zero:
                for w in range(n_words):
                    other[w] -= factor * change[w]
