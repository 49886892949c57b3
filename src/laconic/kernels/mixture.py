"""Expectation maximisation for PLSA, where documents are mixtures of topics.

The words of a document, with counts w, are drawn from the distribution m = θ'β, where θ is the
document's mixture. The array ``words`` contains β as words x topics. One step sets
θ_k ← θ_k Σ_n w_n β_kn / m_n + smoothing, and then scales θ to sum to one.
"""

import numpy as np

from laconic.kernels.blocks import (
    announce_words,
    combine_rows,
    copy_weights,
    longest_row,
    multiply_rows,
    padded,
)
from laconic.kernels.compile import lane_kernel
from laconic.kernels.maximum import larger
from laconic.kernels.vectors import LANES, choose, load, spread, store

TINY = 1e-30  # probability of a word that has zero probability in all topics of its document


@lane_kernel
def mix_documents(data, indices, indptr, words, theta, smoothing, max_steps, tol, ratios):
    """Fit the mixture of each document, and compute the ratios of its words.

    theta : (n_documents, n_topics)
        Initial mixtures, which are overwritten by the result. An initial mixture of zeros is
        replaced by equal shares. If no word of a document is in any topic, the result is zero.
    smoothing : float
        Value added to the expected count of each topic in each document. A negative result is set
        to zero.
    max_steps, tol : int, float
        Maximum number of steps. The steps end earlier if no share changes by more than `tol`.
    ratios : (n_entries,), or empty if they are not needed
        The result is w / m for each entry of the documents. The sums Σ_d w θ_k / m, multiplied by
        β, are the expected counts of the M-step.

    Returns the log-likelihood of all words under the final mixtures.
    """
    n_topics = words.shape[1]
    real = words.dtype.type
    longest = longest_row(indptr)
    block = np.empty(n_topics * padded(longest), words.dtype)
    weights, fit = np.empty(padded(longest), words.dtype), np.empty(padded(longest), words.dtype)
    share = np.empty(n_topics, words.dtype)
    starts = np.empty(LANES, np.int64)
    total = 0.0
    for d in range(len(indptr) - 1):
        if d + 2 < len(indptr):
            announce_words(indices[indptr[d + 1] : indptr[d + 2]], words)
        columns = indices[indptr[d] : indptr[d + 1]]
        n_words = len(columns)
        mix = theta[d]
        if not knows_any(columns, words):
            mix[:] = real(0)
            for p in range(indptr[d], indptr[d + 1]):
                total += data[p] * np.log(TINY)
                if len(ratios):
                    ratios[p] = real(0)
            continue
        mix_sum = real(0)
        for k in range(n_topics):
            mix_sum += mix[k]
        if mix_sum <= real(0):
            mix[:] = real(1) / real(n_topics)
        width = padded(n_words)
        for i in range(width):
            weights[i] = data[indptr[d] + i] if i < n_words else real(0)
        copy_weights(columns, words, block, starts)
        for _ in range(max_steps):
            if step_mixture(block, width, weights, mix, share, fit, smoothing) <= tol:
                break
        total += explain_words(block, width, n_words, weights, mix, fit)
        if len(ratios):
            for i in range(n_words):
                ratios[indptr[d] + i] = fit[i]
    return total


@lane_kernel
def step_mixture(block, width, weights, mix, share, fit, smoothing):
    """Take one step for a document whose weights β are in a block; return the largest change.

    See `laconic.kernels.blocks` for blocks. `share` and `fit` are scratch arrays.
    """
    divide_words(block, width, weights, mix, fit)
    multiply_rows(block, len(mix), width, fit, share)
    return update_mixture(mix, share, smoothing)


@lane_kernel
def divide_words(block, width, weights, mix, fit):
    """Set ``fit`` to w / m for each word, or to zero if m is negligible."""
    real = block.dtype.type
    tiny, zero = spread(real(TINY)), spread(real(0))
    combine_rows(block, len(mix), width, mix, fit)
    for i in range(0, width, LANES):
        m = load(fit, i)
        usable = m - tiny
        store(fit, i, choose(usable, load(weights, i) / choose(usable, m, tiny), zero))


@lane_kernel
def explain_words(block, width, n_words, weights, mix, fit):
    """Set ``fit`` to w / m as `divide_words` does; return the log-likelihood of the words."""
    divide_words(block, width, weights, mix, fit)
    total = 0.0
    for i in range(n_words):
        m = weights[i] / fit[i] if fit[i] > 0 else TINY
        total += weights[i] * np.log(m)
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
    added, zero = real(smoothing), real(0)
    total = zero
    for k in range(len(mix)):
        share[k] = mix[k] * share[k]
        total += larger(share[k] + added, zero)
    if total <= zero:  # If negative smoothing removes all topics, keep the strongest topic.
        best = np.argmax(share)
        share[:] = zero
        share[best] = total = real(1)
        added = zero
    change = zero
    for k in range(len(mix)):
        value = larger(share[k] + added, zero) / total
        change = larger(change, abs(value - mix[k]))
        mix[k] = value
    return change


@lane_kernel
def keep_shares(theta, limits, counts, topics, shares):
    """Copy the shares of each document above its limit, and its largest share if it is positive.

    Writes the number of shares of each document to `counts`, and their topics and values one after
    the other to arrays with as many entries as `theta`. Returns the number of all these shares.
    """
    at = np.uint64(0)
    for i in range(len(theta)):
        mix, first = theta[i], at
        most = mix[0]
        for k in range(len(mix)):
            most = larger(most, mix[k])
        for k in range(len(mix)):  # The next share overwrites a share that is not kept.
            share = mix[k]
            topics[at], shares[at] = k, share
            at += np.uint64((share > limits[i]) | ((share == most) & (share > 0)))
        counts[i] = at - first
    return at


@lane_kernel
def restore_shares(counts, topics, shares, theta):
    """Write the shares that `keep_shares` has copied to `theta`."""
    p = 0
    for i in range(len(counts)):
        for _ in range(counts[i]):
            theta[i, topics[p]] = shares[p]
            p += 1


@lane_kernel
def smooth_counts(counts, smoothing, totals):
    """Add `smoothing` to the counts of words that occur; add the sum of each topic to `totals`."""
    real = counts.dtype.type
    for j in range(len(counts)):
        row = counts[j]
        occurrences = real(0)
        for k in range(len(row)):
            occurrences += row[k]
        added = real(smoothing) if occurrences > real(0) else real(0)
        for k in range(len(row)):
            row[k] += added
            totals[k] += row[k]


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
    longest = longest_row(indptr)
    block = np.empty(n_topics * padded(longest), words.dtype)
    weights, fit = np.empty(padded(longest), words.dtype), np.empty(padded(longest), words.dtype)
    own_ratio = np.empty(padded(longest), words.dtype)
    own_mix, scale = np.empty(n_topics, words.dtype), np.empty(n_topics, words.dtype)
    share = np.empty(n_topics, words.dtype)
    starts = np.empty(LANES, np.int64)
    total = 0.0
    for d in range(len(indptr) - 1):
        if d + 2 < len(indptr):
            announce_words(indices[indptr[d + 1] : indptr[d + 2]], words)
        columns = indices[indptr[d] : indptr[d + 1]]
        n_words = len(columns)
        mix = theta[d]
        mix_sum = real(0)
        for k in range(n_topics):
            mix_sum += mix[k]
            own_mix[k] = mix[k]
        if mix_sum <= real(0) or n_words == 0:
            continue
        announce_words(columns, counts)
        width = padded(n_words)
        for i in range(width):
            weights[i] = data[indptr[d] + i] if i < n_words else real(0)
        copy_weights(columns, words, block, starts)
        leave_out(block, width, weights, mass, mix, real(floor), own_ratio, scale)
        for _ in range(steps):
            step_mixture(block, width, weights, mix, share, fit, smoothing)
        total += explain_words(block, width, n_words, weights, mix, fit)
        for k in range(n_topics):
            scale[k] *= mix[k]
        for i in range(n_words):
            word, count = words[columns[i]], counts[columns[i]]
            ratio, own = fit[i], own_ratio[i]
            for k in range(n_topics):  # The weights in the block, in the order of the words
                other = max(word[k] * (mass[k] - own * own_mix[k]), real(floor))
                count[k] += ratio * scale[k] * other
    return total


@lane_kernel
def leave_out(block, width, weights, mass, mix, floor, ratio, scale):
    """Subtract the counts of a document from the topics in a block, as `mix_held_out` describes.

    The weights β in the block become max(β_kn (mass_k - ratio_n mix_k), floor) scale_k. This
    function computes `ratio`, which is w / m for each word, and `scale`, one value per topic.
    """
    n_topics = len(mix)
    divide_words(block, width, weights, mix, ratio)
    multiply_rows(block, n_topics, width, ratio, scale)
    least = spread(floor)
    for k in range(n_topics):
        scale[k] = block.dtype.type(1) / max(mass[k] - mix[k] * scale[k], floor)
        all_counts, own, factor = spread(mass[k]), spread(mix[k]), spread(scale[k])
        for i in range(k * width, (k + 1) * width, LANES):
            other = load(block, i) * (all_counts - own * load(ratio, i - k * width))
            store(block, i, choose(other - least, other, least) * factor)
