"""Soft and group thresholding (proximal operators), and other ways from a block to sparse rows."""

import numpy as np

from laconic.kernels.compile import kernel, lane_kernel


@lane_kernel
def put_shrunk(b, limit, positive, topic, at, data, indices):
    """Write the soft-thresholded value b and its topic at position `at`; return the next position.

    The next value overwrites a zero. Without a branch, the time does not depend on how many values
    are zero.
    """
    size = (b if positive else abs(b)) - limit
    data[at] = np.copysign(size, b)
    indices[at] = topic
    return at + np.uint64(size > 0)


@lane_kernel
def sum_squares(data, n_entries):
    total = 0.0
    for p in range(n_entries):
        total += np.float64(data[p]) * np.float64(data[p])
    return total


@lane_kernel
def keep_nonzeros(block, data, indices, indptr):
    """Write the non-zero entries of a block as CSR, to arrays with room for one more entry."""
    at = np.uint64(0)
    indptr[0] = 0
    for i in range(block.shape[0]):
        row = block[i]
        for k in range(len(row)):
            data[at], indices[at] = row[k], k
            at += np.uint64(row[k] != 0)
        indptr[i + 1] = at


@lane_kernel
def shrink_rows(block, alpha, positive, data, indices, indptr):
    """Soft-threshold a block (words x topics), with a threshold `alpha` for each topic.

    Writes the non-zero results as CSR to `data`, `indices` and `indptr`. The arrays `data` and
    `indices` must have at least as many entries as the block. Returns the sum of squares of the
    results.
    """
    at = np.uint64(0)
    indptr[0] = 0
    for j in range(block.shape[0]):
        row = block[j]
        for k in range(len(row)):
            at = put_shrunk(row[k], alpha[k], positive, k, at, data, indices)
        indptr[j + 1] = at
    return sum_squares(data, at)


@lane_kernel
def shrink_pairs(rows, root, pairs, starts, alpha, positive, data, indices, indptr):
    """Soft-threshold the entries of ``rows @ root`` in given pairs of word and topic.

    The topics of word j are ``pairs[starts[j]:starts[j + 1]]``. `root` must be symmetric, so that
    its rows can be used instead of its columns. The results are stored as by `shrink_rows`; `data`
    and `indices` must have at least as many entries as `pairs`.
    """
    at = np.uint64(0)
    indptr[0] = 0
    for j in range(len(starts) - 1):
        row = rows[j]
        for p in range(starts[j], starts[j + 1]):
            k = pairs[p]
            column = root[k]
            b = row[0] * column[0]
            for t in range(1, len(row)):
                b += row[t] * column[t]
            at = put_shrunk(b, alpha[k], positive, k, at, data, indices)
        indptr[j + 1] = at
    return sum_squares(data, at)


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


@kernel
def shrink_overlapping(B, words, starts, limits, positive, tol, max_sweeps, copies):
    """Find the copies of words whose sums solve the latent group lasso for each topic.

    Group g has the copies ``starts[g]`` to ``starts[g + 1]``, and copy c belongs to the word
    ``words[c]``. Each row of `B` (topics x words) is approximated by the sums of the copies of each
    word, where ``limits[g, k]`` is the penalty on the norm of group g in topic k. The result is
    written to `copies` (topics x copies), which must contain zeros. One group is updated at a time,
    until no copy changes by more than `tol` times the largest entry of the topic. Returns the
    largest number of sweeps that a topic needed.
    """
    n_groups = len(starts) - 1
    most = 0
    for k in range(B.shape[0]):
        rest = B[k].copy()  # B minus the sums of the copies
        copy = copies[k]
        active = np.zeros(n_groups, np.bool_)
        scale = np.max(np.abs(rest)) if len(rest) else 0.0
        candidates = np.empty(n_groups, np.int64)
        n_candidates = 0
        for g in range(n_groups):
            # Copies have the sign of the remainder, so a group within its limit stays empty.
            if _norm(rest, copy, words, starts[g], starts[g + 1], positive) > limits[g, k]:
                candidates[n_candidates] = g
                n_candidates += 1
        for sweep in range(max_sweeps):
            change = 0.0
            for candidate in range(n_candidates):
                g = candidates[candidate]
                start, stop, limit = starts[g], starts[g + 1], limits[g, k]
                norm = _norm(rest, copy, words, start, stop, positive)
                factor = 1 - limit / norm if norm > limit else 0.0
                if factor == 0.0 and not active[g]:
                    continue
                active[g] = factor > 0.0
                for c in range(start, stop):
                    value = rest[words[c]] + copy[c]
                    new = 0.0 if value < 0 and positive else value * factor
                    change = max(change, abs(new - copy[c]))
                    rest[words[c]] = value - new
                    copy[c] = new
            most = max(most, sweep + 1)
            if change <= tol * scale:
                break
    return most


@kernel
def _norm(rest, copy, words, start, stop, positive):
    """Return the norm of the part of B that the other groups leave to one group."""
    total = 0.0
    for c in range(start, stop):
        value = rest[words[c]] + copy[c]
        if value > 0 or not positive:
            total += value * value
    return np.sqrt(total)
