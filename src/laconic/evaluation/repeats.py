"""Uncertainty of the metrics of a comparison.

If models are fitted repeatedly, each time to other training documents and with another seed, the
values of the repeats show how much a metric varies. The training documents of two repeats overlap,
so the usual variance of a mean, s²/n, is too small. Nadeau and Bengio (2003, "Inference for the
generalization error", Machine Learning 52) replace it by

    s² (1/n + n_test / n_train)

Two models are fitted to the same documents in each repeat, so their difference is computed for each
repeat, and the interval is that of the mean difference.

If models are fitted once, only accuracy and perplexity have an interval: the standard error over
the test documents. Both models are tested on the same documents, so that errors of the two models
are usually positively correlated; they are treated as independent, which makes the interval of the
difference longer. Columns that are drawn on a logarithmic scale are compared by their ratio.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from laconic.evaluation.columns import COLUMNS

LEVEL = 0.95
"""Confidence level of all intervals."""


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def combine(runs: Sequence[Any]) -> Any:
    """Combine the rows of the repeats of one model into one row with the means.

    The mean of a logarithmic column is the geometric mean. The words are those of the first repeat.
    """
    failed = next((run for run in runs if run.error is not None), None)
    if failed is not None or len(runs) == 1:
        return failed or runs[0]
    values = {
        name: [getattr(run, name) for run in runs]
        for name in (*COLUMNS, "redundancy")
        if all(getattr(run, name) is not None for run in runs)
    }
    means = {name: _mean(name, those) for name, those in values.items()}
    if "n_bytes" in means:
        means["n_bytes"] = round(means["n_bytes"])
    finite = {name: those for name, those in values.items() if np.isfinite(those).all()}
    return replace(runs[0], **means, runs=finite, errors={})


def _mean(name: str, values: Sequence[float]) -> float:
    if name in COLUMNS and COLUMNS[name].logarithmic and min(values) > 0:
        return float(np.exp(np.mean(np.log(values))))
    return float(np.mean(values))


def interval(row: Any, name: str, about: Mapping[str, Any]) -> Interval | None:
    """Return the interval of a metric, or None if its uncertainty is not known.

    Parameters
    ----------
    row : Row
    name : str
        A key of `COLUMNS`.
    about : mapping
        The attribute `about` of the comparison.
    """
    scale, back = _scale(name)
    values = _runs(row, name, scale)
    if values is not None:
        low, high = _around(values, about)
    elif name in row.errors and _is_usable(row, name, scale):
        value = getattr(row, name)
        half = float(ndtri((1 + LEVEL) / 2)) * _error(row, name)
        low, high = scale(value) - half, scale(value) + half
    else:
        return None
    least, most = COLUMNS[name].bounds
    return Interval(max(back(low), least), min(back(high), most))


def difference(row: Any, other: Any, name: str, about: Mapping[str, Any]) -> Interval | None:
    """Return the interval of the difference of a metric between two models with equal documents.

    For a logarithmic column, the result is the interval of the ratio of both values.
    """
    scale, back = _scale(name)
    mine, theirs = _runs(row, name, scale), _runs(other, name, scale)
    if mine is not None and theirs is not None:
        n = min(len(mine), len(theirs))  # an interrupted comparison has fewer runs of some models
        if n < 2:
            return None
        low, high = _around(mine[:n] - theirs[:n], about)
    elif all(name in each.errors and _is_usable(each, name, scale) for each in (row, other)):
        half = float(ndtri((1 + LEVEL) / 2)) * math.hypot(_error(row, name), _error(other, name))
        centre = scale(getattr(row, name)) - scale(getattr(other, name))
        low, high = centre - half, centre + half
    else:
        return None
    return Interval(back(low), back(high))


def error_of_accuracy(accuracy: float, n_documents: int) -> float:
    """Return the standard error of an accuracy over test documents.

    Two right and two wrong answers are added, as Agresti and Coull (1998) recommend, because the
    plain standard error of an accuracy of 0 or 1 would be 0.

    Examples
    --------
    >>> round(error_of_accuracy(0.5, 96), 3), round(error_of_accuracy(1.0, 96), 3)
    (0.05, 0.014)
    """
    n = n_documents + 4
    share = (accuracy * n_documents + 2) / n
    return math.sqrt(share * (1 - share) / n)


def _scale(name: str) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Return the function to the scale on which a column is compared, and its inverse."""
    return (math.log, math.exp) if COLUMNS[name].logarithmic else (float, float)


def _is_usable(row: Any, name: str, scale: Callable[[float], float]) -> bool:
    value = getattr(row, name)
    return value is not None and math.isfinite(value) and (scale is float or value > 0)


def _runs(row: Any, name: str, scale: Callable[[float], float]) -> np.ndarray | None:
    """Return the values of the repeats on the scale of the column, or None without repeats."""
    values = row.runs.get(name, [])
    if len(values) < 2 or (scale is not float and min(values) <= 0):
        return None
    return np.array([scale(value) for value in values])


def _error(row: Any, name: str) -> float:
    """Return the standard error on the scale of the column."""
    error: float = row.errors[name]
    return error / getattr(row, name) if COLUMNS[name].logarithmic else error


def _around(values: np.ndarray, about: Mapping[str, Any]) -> Interval:
    """Return the corrected t interval of the mean of the repeats."""
    n = len(values)
    factor = 1 / n + about["unseen"] / about["fitted_to"]
    half = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * values.std(ddof=1) * math.sqrt(factor)
    return Interval(float(values.mean() - half), float(values.mean() + half))
