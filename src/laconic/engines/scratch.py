"""Large arrays that steps use again.

A fresh array of words x topics costs more to get from the system, page by page, than the sums in
it, and threads that ask at the same time wait for each other. So what a merge has taken in is lent
to the next step.
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
    """Keep arrays for the time of a fit; they are let go when the last one in the process ends."""
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
    """An array with any content."""
    for _ in range(len(_free)):
        try:
            array = _free.popleft()
        except IndexError:  # another thread was faster
            break
        if array.shape == shape and array.dtype == dtype:
            return array
    return np.empty(shape, dtype)


def release(array: np.ndarray) -> None:
    """Lend `array` to the next who asks; the caller must not use it any more."""
    if _fits_open and array.size and array.flags.writeable and array.flags.owndata:
        _free.append(array)
