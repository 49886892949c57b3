"""Exact steps of topics in the unit ball: weights of length at most one."""

import numpy as np

from laconic.kernels.compile import kernel, lane_kernel


@lane_kernel
def squared_length(x):
    total = 0.0
    for i in range(len(x)):
        total += np.float64(x[i]) * np.float64(x[i])
    return total


@kernel
def descend_in_ball(topics, slopes, coupling, positive, keeps):
    """Minimise the objective over one topic after the other, each in the unit ball, in place.

    The nearest point of the ball is the point itself, shortened to length one if it is longer. If
    `positive` is true, weights must not be negative, and only the positive part is shortened. If
    `keeps` is true, a topic that would become zero does not change. The other parameters are those
    of `laconic.kernels.simplex.descend_topics`.
    """
    n_topics, n_words = topics.shape
    zero, one = topics.dtype.type(0), topics.dtype.type(1)
    change = np.empty(n_words, topics.dtype)
    for j in range(n_topics):
        topic, slope = topics[j], slopes[j]
        if coupling[j, j] == zero:  # no document uses the topic
            continue
        for w in range(n_words):
            slope[w] += topic[w]
        if positive:
            for w in range(n_words):
                slope[w] = max(slope[w], zero)
        square = squared_length(slope)
        if square == 0.0 and keeps:
            continue
        factor = topics.dtype.type(1.0 / np.sqrt(square)) if square > 1.0 else one
        for w in range(n_words):
            new = slope[w] * factor
            change[w] = new - topic[w]
            topic[w] = new
        for i in range(j + 1, n_topics):
            other, factor = slopes[i], coupling[i, j]
            if factor != zero:
                for w in range(n_words):
                    other[w] -= factor * change[w]
