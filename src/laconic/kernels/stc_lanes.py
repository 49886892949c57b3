"""Kernels that multiply a small block (topics x words of one document) by vectors.

A row of the block has one entry for each word of the document and is padded to a multiple of
`LANES`. A block is passed as a one-dimensional array, with the length of its rows as ``width``.
Four rows are processed at a time, because each sum waits for the sum before it.
"""

from laconic.kernels.compile import lane_kernel
from laconic.kernels.stc_vectors import LANES, load, spread, store, total


@lane_kernel
def padded(n_words):
    """Return the length of a row for `n_words` words."""
    return (n_words + LANES - 1) // LANES * LANES


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
