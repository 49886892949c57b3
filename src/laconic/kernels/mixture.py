"""Expectation maximisation for PLSA, where documents are mixtures of topics.

The words of a document, with counts w, are drawn from the distribution m = θ'β, where θ is the
document's mixture. The array ``words`` contains β as words x topics. One step sets
θ_k ← θ_k Σ_n w_n β_kn / m_n + smoothing, and then scales θ to sum to one.
"""

import numpy as np

from laconic.kernels.compile import lane_kernel

TINY = 1e-30  # probability of a word that has zero probability in all topics of its document


@lane_kernel
def mix_documents(data, indices, indptr, words, theta, smoothing, max_steps, tol, counts):
    """Fit the mixture of each document, and add its contribution to the sums for the topics.

    theta : (n_documents, n_topics)
        Initial mixtures, which are overwritten by the result. An initial mixture of zeros is
        replaced by equal shares. If no word of a document is in any topic, the result is zero.
    smoothing : float
        Value added to the expected count of each topic in each document. A negative result is set
        to zero.
    max_steps, tol : int, float
        Maximum number of steps. The steps end earlier if no share changes by more than `tol`.
    counts : (n_words, n_topics), or no rows to skip the sums
        Σ_d w θ_k / m is added to this array. Multiplied by β, these sums are the expected counts of
        the M-step.

    Returns the log-likelihood of all words under the final mixtures.
    """
    n_topics = words.shape[1]
    real = words.dtype.type
    share = np.zeros(n_topics, words.dtype)
    total = 0.0
    for d in range(len(indptr) - 1):
        first, last = indptr[d], indptr[d + 1]
        mix = theta[d]
        if not knows_any(indices[first:last], words):
            mix[:] = real(0)
            for p in range(first, last):
                total += data[p] * np.log(TINY)
            continue
        mix_sum = real(0)
        for k in range(n_topics):
            mix_sum += mix[k]
        if mix_sum <= real(0):
            mix[:] = real(1) / real(n_topics)
        for _ in range(max_steps):
            share[:] = real(0)
            for p in range(first, last):
                word = words[indices[p]]
                m = real(0)
                for k in range(n_topics):
                    m += mix[k] * word[k]
                if m > real(TINY):
                    ratio = data[p] / m
                    for k in range(n_topics):
                        share[k] += ratio * word[k]
            if update_mixture(mix, share, smoothing) <= tol:
                break
        for p in range(first, last):
            word = words[indices[p]]
            m = real(0)
            for k in range(n_topics):
                m += mix[k] * word[k]
            if m > real(TINY):
                total += data[p] * np.log(m)
                if len(counts):
                    ratio = data[p] / m
                    count = counts[indices[p]]
                    for k in range(n_topics):
                        count[k] += ratio * mix[k]
            else:
                total += data[p] * np.log(TINY)
    return total


@lane_kernel
def knows_any(columns, words):
    """Return whether any word of a document is in a topic."""
    for j in columns:
        for k in range(words.shape[1]):
            if words[j, k] > 0:
                return True
    return False


@lane_kernel
def update_mixture(mix, share, smoothing):
    """Set ``mix`` to a multiple of max(mix share + smoothing, 0) that sums to one.

    Returns the largest change of an entry.
    """
    real = mix.dtype.type
    total = real(0)
    best = 0
    for k in range(len(mix)):
        share[k] = mix[k] * share[k]
        if share[k] > share[best]:
            best = k
    for k in range(len(mix)):
        value = share[k] + real(smoothing)
        share[k] = value if value > real(0) else real(0)
        total += share[k]
    if total <= real(0):  # If negative smoothing removes all topics, keep the strongest topic.
        share[best] = real(1)
        total = real(1)
    change = real(0)
    for k in range(len(mix)):
        value = share[k] / total
        change = max(change, abs(value - mix[k]))
        mix[k] = value
    return change


@lane_kernel
def mix_held_out(data, indices, indptr, words, mass, theta, smoothing, steps, floor, counts):
    """Fit mixtures as `mix_documents` does, but with topics that leave out the document itself.

    The expected counts β_kn mass_k include the contribution of the document, which is computed from
    its mixture. This contribution is subtracted before the mixture is updated, so that topics
    cannot overfit single documents. The result of the subtraction is at least `floor`.

    theta : (n_documents, n_topics)
        Mixtures that contributed to the topics; they are overwritten by the result.
    mass : (n_topics,)
        Sum of the expected counts of each topic.
    counts : (n_words, n_topics)
        The expected counts are added to this array.

    Returns the log-likelihood of all words under topics that leave out the word's document.
    """
    n_topics = words.shape[1]
    real = words.dtype.type
    least = real(floor)
    longest = 0
    for d in range(len(indptr) - 1):
        longest = max(longest, indptr[d + 1] - indptr[d])
    others = np.empty((longest, n_topics), words.dtype)
    own = np.empty(n_topics, words.dtype)
    share = np.empty(n_topics, words.dtype)
    total = 0.0
    for d in range(len(indptr) - 1):
        first, last = indptr[d], indptr[d + 1]
        mix = theta[d]
        mix_sum = real(0)
        for k in range(n_topics):
            mix_sum += mix[k]
            own[k] = real(0)
        if mix_sum <= real(0):
            continue
        for p in range(first, last):
            word, other = words[indices[p]], others[p - first]
            m = real(TINY)
            for k in range(n_topics):
                m += mix[k] * word[k]
            ratio = data[p] / m
            for k in range(n_topics):
                mine = ratio * mix[k] * word[k]
                own[k] += mine
                other[k] = max(word[k] * mass[k] - mine, least)
        for k in range(n_topics):
            own[k] = real(1) / max(mass[k] - own[k], least)
        for p in range(last - first):
            other = others[p]
            for k in range(n_topics):
                other[k] *= own[k]
        for _ in range(steps):
            for k in range(n_topics):
                share[k] = real(0)
            for p in range(last - first):
                other = others[p]
                m = real(TINY)
                for k in range(n_topics):
                    m += mix[k] * other[k]
                ratio = data[first + p] / m
                for k in range(n_topics):
                    share[k] += ratio * other[k]
            update_mixture(mix, share, smoothing)
        for p in range(first, last):
            other, count = others[p - first], counts[indices[p]]
            m = real(TINY)
            for k in range(n_topics):
                m += mix[k] * other[k]
            total += data[p] * np.log(m)
            ratio = data[p] / m
            for k in range(n_topics):
                count[k] += ratio * mix[k] * other[k]
    return total
