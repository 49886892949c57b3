"""Proximal operators (soft and group thresholding) that turn a dense block into sparse rows."""

import numpy as np

from laconic.kernels.compile import kernel


@kernel
def shrink_rows(block, alpha, positive, data, indices, indptr):
    """Soft-threshold a block (words x topics) by the alpha of each topic.

    Writes the non-zero results to `data` and `indices`, which must be long enough for the whole
    block, and the row pointer to `indptr`; returns the sum of squares of the results.
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
    """Add the squared norm of each group to ``squares[group, k]``.

    `groups` is the group of each row of `block`.
    """
    for j in range(block.shape[0]):
        total = squares[groups[j]]
        for k in range(block.shape[1]):
            b = block[j, k]
            if b > 0 or not positive:
                total[k] += b * b


@kernel
def shrink_groups(block, groups, factors, positive, data, indices, indptr):
    """Scale each entry by ``factors[group, k]``; write and return the same as `shrink_rows`."""
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
