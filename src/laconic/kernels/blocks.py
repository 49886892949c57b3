"""Kernels that fill a small block (topics x words of one document) and multiply it by vectors.

A row of the block has one entry for each word of the document and is padded to a multiple of
`LANES`. A block is passed as a one-dimensional array, with the length of its rows as ``width``.
Four rows are processed at a time, because each sum waits for the sum before it.
"""

from laconic.kernels.compile import lane_kernel
from laconic.kernels.vectors import LANES, load, prefetch, spread, store, total, transpose


@lane_kernel
def padded(n_words):
    """Return the length of a row for `n_words` words."""
    return (n_words + LANES - 1) // LANES * LANES


@lane_kernel
def longest_row(indptr):
    longest = 1
    for d in range(len(indptr) - 1):
        longest = max(longest, indptr[d + 1] - indptr[d])
    return longest


@lane_kernel
def combine_rows(block, n_rows, width, weights, out):
    """Compute ``out = weights @ block[:n_rows]``."""
    zero = spread(block.dtype.type(0))
    for i in range(0, width, LANES):
        s0, s1, s2, s3 = zero, zero, zero, zero
        k = 0
        at = i
        while k + 3 < n_rows:
            s0 = s0 + spread(weights[k]) * load(block, at)
            s1 = s1 + spread(weights[k + 1]) * load(block, at + width)
            s2 = s2 + spread(weights[k + 2]) * load(block, at + 2 * width)
            s3 = s3 + spread(weights[k + 3]) * load(block, at + 3 * width)
            at += 4 * width
            k += 4
        while k < n_rows:
            s0 = s0 + spread(weights[k]) * load(block, at)
            at += width
            k += 1
        store(out, i, (s0 + s1) + (s2 + s3))


@lane_kernel
def multiply_rows(block, n_rows, width, vector, out):
    """Compute ``out[:n_rows] = block[:n_rows] @ vector``."""
    zero = spread(block.dtype.type(0))
    k = 0
    at = 0
    while k + 3 < n_rows:
        s0, s1, s2, s3 = zero, zero, zero, zero
        for i in range(0, width, LANES):
            x = load(vector, i)
            s0 = s0 + load(block, at + i) * x
            s1 = s1 + load(block, at + width + i) * x
            s2 = s2 + load(block, at + 2 * width + i) * x
            s3 = s3 + load(block, at + 3 * width + i) * x
        out[k], out[k + 1], out[k + 2], out[k + 3] = total(s0), total(s1), total(s2), total(s3)
        at += 4 * width
        k += 4
    while k < n_rows:
        s0 = zero
        for i in range(0, width, LANES):
            s0 = s0 + load(block, at + i) * load(vector, i)
        out[k] = total(s0)
        at += width
        k += 1


@lane_kernel
def announce_words(columns, words):
    """Start to read the weights of words that are needed soon.

    The weights are scattered over an array that is larger than the fast caches. While one document
    is processed, those of the next are read.
    """
    for j in columns:
        for k in range(0, words.shape[1], LANES):
            prefetch(words[j], k)


@lane_kernel
def copy_weights(columns, words, block, starts):
    """Copy the weights of a document's words into a block, whose rows are padded with zeros.

    The array `starts` is used for `LANES` positions in `words`.
    """
    n_topics = words.shape[1]
    n_words = len(columns)
    width = padded(n_words)
    flat = words.reshape(words.size)
    for i in range(0, width, LANES):
        for j in range(LANES):
            starts[j] = columns[min(i + j, n_words - 1)] * n_topics
        k = 0
        while k < n_topics and n_topics >= LANES:
            k = min(k, n_topics - LANES)  # The last square overlaps the one before.
            transpose(flat, starts, block, k * width + i, width)
            for j in range(LANES):
                starts[j] += min(LANES, n_topics - LANES - k)
            k += LANES
        for k in range(n_topics if n_topics < LANES else 0):
            for j in range(LANES):
                block[k * width + i + j] = flat[starts[j] + k]
    for k in range(n_topics):
        for i in range(n_words, width):
            block[k * width + i] = 0
