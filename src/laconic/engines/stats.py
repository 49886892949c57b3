"""Statistics of a step: what it learns from a chunk, and how that of all chunks adds up."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, Self

from laconic.engines.scratch import release

# Metadata of fields: `field(metadata=POOLED)`
POOLED = {"merge": "pooled"}  # a large array: a merge lends the second one to the next step
LARGEST = {"merge": "largest"}  # a merge keeps the larger value instead of adding


class Mergeable(Protocol):
    """What a step gives and an engine adds up."""

    def merge(self, other: Any) -> Any:
        """The sum with the next chunk's statistics; it may reuse the memory of both."""
        ...

    def copy(self) -> Any:
        """The same statistics, to be merged without changing these."""
        ...


@dataclass
class Stats:
    """Base of statistics whose fields add. A field may be None; arrays are added in place.

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
        """Add the statistics of the next chunk, which must not be used any more."""
        for one in fields(self):
            mine, theirs = getattr(self, one.name), getattr(other, one.name)
            setattr(self, one.name, _merged(mine, theirs, one.metadata.get("merge")))
        return self

    def copy(self) -> Self:
        """The same statistics in arrays of their own."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return replace(self, **{k: v.copy() for k, v in values.items() if hasattr(v, "copy")})

    def scaled(self, factor: float) -> Self:
        """The same statistics, counting `factor` times as much; arrays keep their type."""
        sums = [one.name for one in fields(self) if one.metadata != LARGEST]
        values = {name: getattr(self, name) for name in sums}
        factor = float(factor)  # a NumPy scalar would widen arrays of float32
        return replace(self, **{k: v * factor for k, v in values.items() if v is not None})


def _merged(mine: Any, theirs: Any, how: str | None) -> Any:
    """The value of a field after a merge."""
    if mine is None or theirs is None:
        return theirs if mine is None else mine
    if how == "largest":
        return max(mine, theirs)
    mine += theirs
    if how == "pooled":
        release(theirs)
    return mine
