"""Soft and group thresholding (proximal operators), which turn a dense block into sparse rows."""

import numpy as np

from laconic.kernels.compile import kernel


@kernel
def shrink_rows(block, alpha, positive, data, indices, indptr):
    """Soft-threshold a block (words x topics), with a threshold `alpha` for each topic.

    Writes the non-zero results as CSR to `data`, `indices` and `indptr`. The arrays `data` and
    `indices` must have at least as many entries as the block. Returns the sum of squares of the
    results.
    """
    at = 0
    energy = 0.0
    indptr[0] = 0
    for j in range(block.shape[0]):
        for k in range(block.shape[1]):
            b = block[j, k]
            limit = alpha[k]
            if b > limit:
                b = b - limit
            elif b < -limit and not positive:
                b = b + limit
            else:
                continue
            data[at] = b
            indices[at] = k
            at += 1
            energy += np.float64(b) * np.float64(b)
        indptr[j + 1] = at
    return energy


@kernel
def group_norms(block, groups, positive, squares):
    """Add the squared norm of each group of words in topic k to ``squares[group, k]``.

    `groups` contains the group number of each row (word) of `block`.
    """
    for j in range(block.shape[0]):
        total = squares[groups[j]]
        for k in range(block.shape[1]):
            b = block[j, k]
            if b > 0 or not positive:
                total[k] += b * b


@kernel
def shrink_groups(block, groups, factors, positive, data, indices, indptr):
    """Multiply each entry by ``factors[group, k]``; store the results as `shrink_rows` does."""
    at = 0
    energy = 0.0
    indptr[0] = 0
    for j in range(block.shape[0]):
        for k in range(block.shape[1]):
            b = block[j, k]
            if b < 0 and positive:
                continue
            b = b * factors[groups[j], k]
            if b != 0:
                data[at] = b
                indices[at] = k
                at += 1
                energy += np.float64(b) * np.float64(b)
        indptr[j + 1] = at
    return energy
