"""Kernels that multiply a small block (topics x words of one document) by vectors.

A row of the block (lane) has one entry for each word of the document, so that inner loops run over
words. Rows are padded to fill whole vector registers. Four rows are processed at a time, so that
the vector of sums is read and written less often.
"""

from laconic.kernels.compile import lane_kernel

LANES = 16


@lane_kernel
def combine_rows(block, n_rows, weights, out):
    """Compute ``out = weights @ block[:n_rows]``."""
    zero = block.dtype.type(0)
    n = block.shape[1]
    for i in range(n):
        out[i] = zero
    k = 0
    while k + 3 < n_rows:
        w0, w1, w2, w3 = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        b0, b1, b2, b3 = block[k], block[k + 1], block[k + 2], block[k + 3]
        for i in range(n):
            out[i] += (w0 * b0[i] + w1 * b1[i]) + (w2 * b2[i] + w3 * b3[i])
        k += 4
    while k < n_rows:
        w0, b0 = weights[k], block[k]
        for i in range(n):
            out[i] += w0 * b0[i]
        k += 1


@lane_kernel
def multiply_rows(block, n_rows, vector, out):
    """Compute ``out[:n_rows] = block[:n_rows] @ vector``."""
    zero = block.dtype.type(0)
    n = block.shape[1]
    k = 0
    while k + 3 < n_rows:
        b0, b1, b2, b3 = block[k], block[k + 1], block[k + 2], block[k + 3]
        s0, s1, s2, s3 = zero, zero, zero, zero
        for i in range(n):
            x = vector[i]
            s0 += b0[i] * x
            s1 += b1[i] * x
            s2 += b2[i] * x
            s3 += b3[i] * x
        out[k], out[k + 1], out[k + 2], out[k + 3] = s0, s1, s2, s3
        k += 4
    while k < n_rows:
        b0 = block[k]
        s0 = zero
        for i in range(n):
            s0 += b0[i] * vector[i]
        out[k] = s0
        k += 1
