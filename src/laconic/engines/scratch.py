"""Pool of large scratch arrays that the steps of a fit share.

Allocating a new array of words x topics, page by page, takes longer than computing the sums in it,
and threads that allocate arrays at the same time block each other. Therefore, when an array has
been added to the total, the next step reuses it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np

_free: deque[np.ndarray] = deque()
_fits_open = 0
_counting = Lock()


@contextmanager
def scratch_arrays() -> Iterator[None]:
    """Context manager that keeps released arrays in the pool during a fit.

    The arrays are freed when no fit is running in this process any more.
    """
    global _fits_open
    with _counting:
        _fits_open += 1
    try:
        yield
    finally:
        with _counting:
            _fits_open -= 1
            if not _fits_open:
                _free.clear()


def take(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Return an uninitialised array; if the pool contains a suitable array, return that array."""
    for _ in range(len(_free)):
        try:
            array = _free.popleft()
        except IndexError:  # Another thread has taken the last array.
            break
        if array.shape == shape and array.dtype == dtype:
            return array
    return np.empty(shape, dtype)


def release(array: np.ndarray) -> None:
    """Return `array` to the pool; the caller must not use it any more."""
    if _fits_open and array.size and array.flags.writeable and array.flags.owndata:
        _free.append(array)
