"""Statistics that a step computes from a chunk, and the merging of statistics of several chunks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Protocol, Self

import numpy as np

from laconic.engines.scratch import release

# Metadata of dataclass fields, which is set by `field(metadata=POOLED)`.
POOLED = {"merge": "pooled"}  # For large arrays: after merging, the second array is reused.
LARGEST = {"merge": "largest"}  # Merging keeps the larger value instead of the sum.


Run = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]


class Deferred(ABC):
    """A sum in a field of statistics whose terms are collected, and added by `compute`.

    It supports ``+=``, and is pickled with its terms.
    """

    @abstractmethod
    def compute(self, run: Run = ...) -> Any:
        """Return the sum; `run` runs the tasks, as `Engine.run_tasks` does."""


class Mergeable(Protocol):
    """Statistics that a step returns and an engine merges."""

    def merge(self, other: Any) -> Any:
        """Return the merged statistics of this chunk and the next chunk `other`.

        The result may reuse the memory of both.
        """
        ...

    def copy(self) -> Any:
        """Return a copy of the statistics, so that merging the copy keeps the original."""
        ...


@dataclass
class Stats:
    """Base class of statistics whose fields are summed.

    A field may be None. Arrays are added in place.

    Examples
    --------
    >>> from dataclasses import field
    >>> @dataclass
    ... class Counts(Stats):
    ...     n_documents: int
    ...     longest: int = field(metadata=LARGEST)
    >>> total = Counts(3, 20).merge(Counts(2, 10))
    >>> total.n_documents, total.longest
    (5, 20)
    >>> total.scaled(0.5).n_documents
    2.5
    """

    def merge(self, other: Self) -> Self:
        """Add the statistics `other` of the next chunk; `other` must not be used afterwards."""
        for entry in fields(self):
            mine, theirs = getattr(self, entry.name), getattr(other, entry.name)
            setattr(self, entry.name, _merged(mine, theirs, entry.metadata.get("merge")))
        return self

    def copy(self) -> Self:
        """Return a copy that shares no arrays with the original statistics."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return replace(self, **{k: v.copy() for k, v in values.items() if hasattr(v, "copy")})

    def scaled(self, factor: float) -> Self:
        """Return the statistics multiplied by `factor`; the dtype of arrays does not change."""
        sums = [entry.name for entry in fields(self) if entry.metadata != LARGEST]
        values = {name: getattr(self, name) for name in sums}
        factor = float(factor)  # A NumPy float64 scalar would turn float32 arrays into float64.
        return replace(self, **{k: v * factor for k, v in values.items() if v is not None})


def finished(stats: Any, run: Run) -> Any:
    """Compute the deferred sums among the fields of merged statistics."""
    if is_dataclass(stats):
        for entry in fields(stats):
            value = getattr(stats, entry.name)
            if isinstance(value, Deferred):
                setattr(stats, entry.name, value.compute(run))
    return stats


def _merged(mine: Any, theirs: Any, how: str | None) -> Any:
    """Return the merged value of a field."""
    if mine is None or theirs is None:
        return theirs if mine is None else mine
    if how == "largest":
        return max(mine, theirs)
    if isinstance(theirs, Deferred) and not isinstance(mine, Deferred):
        theirs = theirs.compute()
    mine += theirs
    if how == "pooled" and isinstance(theirs, np.ndarray):
        release(theirs)
    return mine
