"""Which numbers of topics are tried: doubled until they are too many, then ever finer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from laconic.errors import LaconicError

LEAST, MOST = 2, 200  # topics, unless something else is asked for
DOCUMENTS_EACH = 5  # that a topic has at least, on average
FINE, COARSE = 20, 6  # sizes are tried down to such a part of the chosen one, and to 1


class Sizes(NamedTuple):
    """Numbers to try: exactly those that were given, or a search from `least` to `most`."""

    least: int
    most: int
    given: tuple[int, ...] = ()


def read_sizes(value: Any, n_documents: int) -> Sizes:
    """Sizes from None, numbers, or a string such as "5,10,20" or "5:100".

    Examples
    --------
    >>> read_sizes("10,5", 1000)
    Sizes(least=5, most=10, given=(5, 10))
    >>> read_sizes("5:100", 1000)
    Sizes(least=5, most=100, given=())
    >>> read_sizes(None, 400)
    Sizes(least=2, most=80, given=())
    """
    if value is None:
        most = min(MOST, n_documents // DOCUMENTS_EACH)
        return Sizes(LEAST, max(most, LEAST))
    if isinstance(value, str):
        value = _parse(value)
    if isinstance(value, Sizes):
        sizes = value
    else:
        numbers = list(value) if isinstance(value, Iterable) else [value]
        if not numbers or not all(_is_size(number) for number in numbers):
            raise _wrong(value)
        given = tuple(sorted({int(number) for number in numbers}))
        sizes = Sizes(given[0], given[-1], given)
    if sizes.most >= n_documents:
        raise LaconicError(
            f"{sizes.most:,} topics cannot be judged by {n_documents:,} documents; ask for fewer "
            "than there are documents to fit."
        )
    return sizes


def _parse(text: str) -> Sizes | list[int]:
    ends = re.fullmatch(r"\s*(\d+)\s*:\s*(\d+)\s*", text)
    if ends:
        least, most = int(ends[1]), int(ends[2])
        if not 1 <= least <= most:
            raise _wrong(text)
        return Sizes(least, most)
    if not re.fullmatch(r"\s*\d+\s*(,\s*\d+\s*)*", text):
        raise _wrong(text)
    return [int(number) for number in text.split(",")]


def _is_size(number: Any) -> bool:
    return (
        isinstance(number, (int, np.integer)) and not isinstance(number, bool) and bool(number >= 1)
    )


def _wrong(value: Any) -> LaconicError:
    return LaconicError(
        f"{value!r} names no numbers of topics; give whole numbers above zero such as 5,10,20, or "
        "the ends of a range such as 5:100."
    )


def doubled(least: int, most: int) -> Iterable[int]:
    """From `least`, about twice as many each time, to `most`.

    Examples
    --------
    >>> list(doubled(2, 20))
    [2, 4, 8, 20]
    """
    yield least
    size = 2 * least
    while size < most / 1.5:
        yield size
        size *= 2
    if most > least:
        yield most


def between(tried: Sequence[int], chosen: int, fineness: int = FINE) -> list[int]:
    """The numbers halfway, in proportion, to the neighbours of the chosen one.

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
    near = max(1, chosen // fineness)
    found = []
    for low, high in zip(order[max(at - 1, 0) : at + 1], order[at : at + 2], strict=False):
        if high - low > near:
            found.append(min(max(round(float(np.sqrt(low * high))), low + 1), high - 1))
    return found
