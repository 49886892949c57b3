"""The order in which the statistics of chunks are merged, which is the same for all engines.

Consecutive chunks form groups. In a group, statistics are merged from left to right: ((0 + 1) + 2)
+ 3. The groups are merged as a binary tree, whose shape depends only on their number::

    groups    0   1   2   3   4
               \\ /     \\ /    |
              0-1     2-3    |
                 \\    /      |
                   0-3       |
                      \\     /
                        0-4

A worker can therefore sum a whole subtree by itself, and the sums of the workers are merged as the
tree requires. The rounding is the same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TypeVar

from laconic.engines.stats import Mergeable

S = TypeVar("S", bound=Mergeable)

GROUP = 8  # number of chunks per group, if the size of the statistics is not known
MIN_GROUP, MAX_GROUP = 2, 64
MAX_GROUPS = 512  # The sums of up to 1 + log2(MAX_GROUPS) groups are in memory at the same time.


def group_size(n_statistics: int, n_nonzeros: int, n_chunks: int) -> int:
    """Return the number of chunks per group, given the size of the statistics of a chunk.

    A group has at least half as many counts as its statistics have numbers. The sums that workers
    exchange are then smaller than the counts that they read.

    Examples
    --------
    >>> group_size(100_000 * 100, n_nonzeros=80_000_000, n_chunks=200)
    13
    """
    per_chunk = max(n_nonzeros // max(n_chunks, 1), 1)
    return min(max(-(-n_statistics // (2 * per_chunk)), MIN_GROUP), MAX_GROUP)


def chunks_per_group(group: int, n_chunks: int) -> int:
    """Return the number of chunks per group, which is about `group`.

    The number of groups is a power of two, so that workers can share them equally, and at most
    `MAX_GROUPS`.

    Examples
    --------
    >>> chunks_per_group(13, 205), chunks_per_group(13, 21)
    (13, 11)
    """
    n_groups = 1
    while n_groups * group < n_chunks and n_groups < MAX_GROUPS:
        n_groups *= 2
    return max(-(-n_chunks // n_groups), 1)


def merge_chunks(values: Iterator[S], group: int) -> S:
    """Merge the statistics of consecutive chunks; `group` is the number of chunks per group."""
    return merge_groups(_sums_of_groups(values, group))


def merge_groups(sums: Iterator[S]) -> S:
    """Merge the sums of consecutive groups as a binary tree."""
    waiting: list[S] = []  # sums of subtrees, each smaller than the one before
    for number, total in enumerate(sums, start=1):
        merged, n_merged = total, 1
        del total
        while number % (2 * n_merged) == 0:
            merged, n_merged = waiting.pop().merge(merged), 2 * n_merged
        waiting.append(merged)
        del merged
    total = waiting.pop()
    while waiting:
        total = waiting.pop().merge(total)
    return total


def subtrees(n_groups: int, n_tasks: int) -> list[range]:
    """Divide the groups into at least `n_tasks` subtrees of equal size, as far as possible.

    The number of groups in a subtree is a power of two. Only the last may be smaller.

    Examples
    --------
    >>> subtrees(9, 3)
    [range(0, 4), range(4, 8), range(8, 9)]
    """
    size = 1
    while size < n_groups and -(-n_groups // (2 * size)) >= n_tasks:
        size *= 2
    return [range(i, min(i + size, n_groups)) for i in range(0, n_groups, size)]


def _sums_of_groups(values: Iterator[S], group: int) -> Iterator[S]:
    while (total := next(values, None)) is not None:
        for value in islice(values, group - 1):
            total = total.merge(value)
            del value  # Free the memory before the next value is computed.
        yield total
        del total
