"""The columns of a comparison: what they are called, how they are written, which end is good."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from laconic.evaluation.evaluate import written


class Column(NamedTuple):
    """A figure that every model has, or may have.

    `better` is "higher", "lower", or "" where neither is; `ticks` is how an axis writes numbers.
    """

    heading: str
    write: Callable[[float], str]
    better: str
    about: str
    ticks: str = "~g"
    logarithmic: bool = False


def size(n_bytes: float) -> str:
    """Bytes in the unit that people would say.

    Examples
    --------
    >>> size(831), size(12_345_678)
    ('831 B', '12.3 MB')
    """
    unit = 0
    while n_bytes >= 999.5 and unit < 4:
        n_bytes, unit = n_bytes / 1000, unit + 1
    return f"{n_bytes:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[unit]}"


def share(value: float) -> str:
    """A share in percent.

    Examples
    --------
    >>> share(0.9431), share(1.0)
    ('94.3 %', '100 %')
    """
    return f"{100 * value:.3g} %"


COLUMNS: dict[str, Column] = {
    "npmi": Column("NPMI", written, "higher", "top words occur near each other"),
    "c_v": Column("C_v", written, "higher", "top words have the same company"),
    "diversity": Column("diversity", written, "higher", "distinct words among all top words"),
    "accuracy": Column("accuracy", share, "higher", "classes found from the codes, unseen"),
    "perplexity": Column(
        "perplexity", written, "lower", "of the other half of a document", ",.0f", True
    ),
    "topic_zeros": Column("zeros in topics", share, "", "weights of words that are zero"),
    "document_zeros": Column("zeros in codes", share, "", "topics a document is not about"),
    "n_bytes": Column("size", size, "lower", "the saved model, bytes", "~s", True),
    "seconds": Column(
        "seconds to fit", lambda value: f"{value:.3g}", "lower", "wall clock", "~g", True
    ),
    "documents_per_second": Column(
        "documents/s", lambda value: f"{value:,.0f}", "higher", "codes of unseen", "~s", True
    ),
}


def shown(rows: Sequence[Any]) -> list[str]:
    """The columns in which some row has a value."""
    return [name for name in COLUMNS if any(getattr(row, name) is not None for row in rows)]


def best(rows: Sequence[Any], name: str) -> dict[int, float]:
    """The best value of a column for each number of topics, where models differ in it."""
    if not COLUMNS[name].better:
        return {}
    found: dict[int, list[float]] = {}
    for row in rows:
        value = getattr(row, name)
        if value is not None:
            found.setdefault(row.n_components, []).append(value)
    choose = max if COLUMNS[name].better == "higher" else min
    return {size: choose(values) for size, values in found.items() if len(set(values)) > 1}


def cell(row: Any, name: str) -> str:
    """A value as it is shown; nothing where it does not apply."""
    value = getattr(row, name)
    return "" if value is None else COLUMNS[name].write(value)
