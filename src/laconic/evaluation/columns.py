"""Columns of a comparison: headings, number formats and whether higher or lower is better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, NamedTuple

from laconic.evaluation.evaluate import format_value


class Column(NamedTuple):
    """A column of a comparison.

    `better` is "higher", "lower", or "" if neither is better; `bounds` are the lowest and the
    highest possible value.
    """

    heading: str
    write: Callable[[float], str]
    better: str
    about: str
    logarithmic: bool = False
    bounds: tuple[float, float] = (-inf, inf)


def format_bytes(n_bytes: float) -> str:
    """Format a number of bytes with a readable unit.

    Examples
    --------
    >>> format_bytes(831), format_bytes(12_345_678)
    ('831 B', '12.3 MB')
    """
    unit = 0
    while n_bytes >= 999.5 and unit < 4:
        n_bytes, unit = n_bytes / 1000, unit + 1
    return f"{n_bytes:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[unit]}"


def format_share(value: float) -> str:
    """Format a share as a percentage.

    Examples
    --------
    >>> format_share(0.9431), format_share(1.0)
    ('94.3 %', '100 %')
    """
    return f"{100 * value:.3g} %"


SHARE = (0.0, 1.0)
COLUMNS: dict[str, Column] = {
    "npmi": Column(
        "NPMI",
        format_value,
        "higher",
        "top words co-occur",
        bounds=(-1, 1),
    ),
    "c_v": Column(
        "C_v", format_value, "higher", "top words co-occur with the same words", bounds=(-1, 1)
    ),
    "diversity": Column(
        "diversity",
        format_value,
        "higher",
        "share of distinct top words",
        bounds=SHARE,
    ),
    "weak_topics": Column(
        "weak topics",
        format_share,
        "lower",
        "topics that few documents share",
        bounds=SHARE,
    ),
    "lone_topics": Column(
        "lone topics",
        format_share,
        "lower",
        "topics whose leading documents have one source",
        bounds=SHARE,
    ),
    "accuracy": Column(
        "accuracy",
        format_share,
        "higher",
        "accuracy of an SVM on held-out documents",
        bounds=SHARE,
    ),
    "perplexity": Column(
        "perplexity",
        format_value,
        "lower",
        "perplexity of the held-out half of a document",
        True,
    ),
    "topic_zeros": Column(
        "zeros in topics",
        format_share,
        "",
        "share of zero weights in topics",
        bounds=SHARE,
    ),
    "document_zeros": Column(
        "zeros in codes",
        format_share,
        "",
        "share of zeros in the codes",
        bounds=SHARE,
    ),
    "topics_per_document": Column(
        "topics/document",
        lambda value: f"{value:.3g}",
        "",
        "mean number of topics of a document",
        bounds=(0, inf),
    ),
    "n_bytes": Column("size", format_bytes, "lower", "size of the saved model in bytes", True),
    "seconds": Column(
        "seconds to fit", lambda value: f"{value:.3g}", "lower", "wall-clock time", True
    ),
    "documents_per_second": Column(
        "documents/s",
        lambda value: f"{value:,.0f}",
        "higher",
        "documents encoded per second",
        True,
    ),
}


def shown(rows: Sequence[Any]) -> list[str]:
    """Return the columns that have a value in at least one row."""
    return [name for name in COLUMNS if any(getattr(row, name) is not None for row in rows)]


def best(rows: Sequence[Any], name: str) -> dict[int, float]:
    """Return the best value of the column `name` for each number of topics.

    Numbers of topics for which all values are equal are left out.
    """
    if not COLUMNS[name].better:
        return {}
    by_size: dict[int, list[float]] = {}
    for row in rows:
        value = getattr(row, name)
        if value is not None:
            by_size.setdefault(row.n_components, []).append(value)
    choose = max if COLUMNS[name].better == "higher" else min
    return {size: choose(values) for size, values in by_size.items() if len(set(values)) > 1}


def cell(row: Any, name: str) -> str:
    """Format the value of a cell; the text is empty if the metric does not apply."""
    value = getattr(row, name)
    return "" if value is None else COLUMNS[name].write(value)
