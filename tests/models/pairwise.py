"""A few test cases instead of all combinations, such that every pair of values is covered."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any


def pairwise(*axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return rows with one value of each axis that together contain every pair of values.

    >>> pairwise("ab", [1, 2], "xy")
    [('a', 1, 'x'), ('a', 2, 'y'), ('b', 1, 'y'), ('b', 2, 'x')]
    """
    left = {
        ((i, a), (j, b))
        for i, j in combinations(range(len(axes)), 2)
        for a in range(len(axes[i]))
        for b in range(len(axes[j]))
    }
    rows = []
    while left:
        row = dict(min(left))
        for i in range(len(axes)):
            if i not in row:
                row[i] = max(range(len(axes[i])), key=lambda a, i=i: _new_pairs(left, row, i, a))
        left -= set(combinations(sorted(row.items()), 2))
        rows.append(tuple(axis[row[i]] for i, axis in enumerate(axes)))
    return rows


def _new_pairs(left: set[Any], row: dict[int, int], i: int, a: int) -> int:
    """Return how many uncovered pairs the value `a` of axis `i` would cover in this row."""
    return sum(tuple(sorted([(i, a), other])) in left for other in row.items())
