"""Numbers of topics ("sizes") to try: first doubled at each step, then refined near the best."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from laconic.errors import LaconicError

SMALLEST, LARGEST = 2, 200  # default range of the number of topics
DOCUMENTS_PER_TOPIC = 5  # minimum number of documents per topic, on average
# In a fine or coarse search, the final step between sizes is size // FINE or size // COARSE, but at
# least 1.
FINE, COARSE = 20, 6


class Sizes(NamedTuple):
    """Numbers of topics to try: either `explicit`, or a search from `smallest` to `largest`."""

    smallest: int
    largest: int
    explicit: tuple[int, ...] = ()


def read_sizes(value: Any, n_documents: int) -> Sizes:
    """Parse sizes from None, numbers, or a string such as "5,10,20" or "5:100".

    Examples
    --------
    >>> read_sizes("10,5", 1000)
    Sizes(smallest=5, largest=10, explicit=(5, 10))
    >>> read_sizes("5:100", 1000)
    Sizes(smallest=5, largest=100, explicit=())
    >>> read_sizes(None, 400)
    Sizes(smallest=2, largest=80, explicit=())
    """
    if value is None:
        largest = min(LARGEST, n_documents // DOCUMENTS_PER_TOPIC)
        return Sizes(SMALLEST, max(largest, SMALLEST))
    if isinstance(value, str):
        value = _parse(value)
    if isinstance(value, Sizes):
        sizes = value
    else:
        numbers = list(value) if isinstance(value, Iterable) else [value]
        if not numbers or not all(_is_size(number) for number in numbers):
            raise _invalid(value)
        explicit = tuple(sorted({int(number) for number in numbers}))
        sizes = Sizes(explicit[0], explicit[-1], explicit)
    if sizes.largest >= n_documents:
        raise LaconicError(
            f"{sizes.largest:,} topics are too many for fits to {n_documents:,} documents; try "
            f"fewer than {n_documents:,} topics."
        )
    return sizes


def _parse(text: str) -> Sizes | list[int]:
    ends = re.fullmatch(r"\s*(\d+)\s*:\s*(\d+)\s*", text)
    if ends:
        smallest, largest = int(ends[1]), int(ends[2])
        if not 1 <= smallest <= largest:
            raise _invalid(text)
        return Sizes(smallest, largest)
    if not re.fullmatch(r"\s*\d+\s*(,\s*\d+\s*)*", text):
        raise _invalid(text)
    return [int(number) for number in text.split(",")]


def _is_size(number: Any) -> bool:
    return (
        isinstance(number, (int, np.integer)) and not isinstance(number, bool) and bool(number >= 1)
    )


def _invalid(value: Any) -> LaconicError:
    return LaconicError(
        f"{value!r} is not a list or range of numbers of topics; pass positive integers, such as "
        "5,10,20, or the two ends of a range, such as 5:100."
    )


def doubled(smallest: int, largest: int) -> Iterable[int]:
    """Yield sizes from `smallest` to `largest`, doubling each time.

    Examples
    --------
    >>> list(doubled(2, 20))
    [2, 4, 8, 20]
    """
    yield smallest
    size = 2 * smallest
    while size < largest / 1.5:
        yield size
        size *= 2
    if largest > smallest:
        yield largest


def between(tried: Sequence[int], chosen: int, fineness: int = FINE) -> list[int]:
    """Return the geometric means of the chosen size and each neighbour that is not too close.

    Examples
    --------
    >>> between([8, 16, 32], 16)
    [11, 23]
    >>> between([19, 20, 22], 20)
    [21]
    >>> between([90, 94, 98], 94)
    []
    """
    order = sorted(tried)
    at = order.index(chosen)
    step = max(1, chosen // fineness)
    sizes = []
    for low, high in zip(order[max(at - 1, 0) : at + 1], order[at : at + 2], strict=False):
        if high - low > step:
            sizes.append(min(max(round(float(np.sqrt(low * high))), low + 1), high - 1))
    return sizes
