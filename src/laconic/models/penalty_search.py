"""Search for the penalty that meets a target, such as a number of topics per document."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

SAMPLE = 400  # number of documents used to search for a penalty


def find_penalty(
    measure: Callable[[float], float], target: float, start: float, steps: int = 14
) -> float:
    """Find the penalty at which `measure` equals `target`, by bisection on a log scale.

    `measure` must decrease as the penalty grows. The search begins near `start`.
    """
    low, high = start / 8, start * 8
    for _ in range(8):
        if measure(low) >= target:
            break
        low /= 16
    for _ in range(8):
        if measure(high) <= target:
            break
        high *= 16
    for _ in range(steps):
        middle = float(np.sqrt(low * high))
        if measure(middle) > target:
            low = middle
        else:
            high = middle
    return float(np.sqrt(low * high))
