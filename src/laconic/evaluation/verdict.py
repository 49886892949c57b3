"""Which model wins a comparison, by which metric, and why.

A model wins a metric if the 95 % interval of the difference to *each* other model with the same
number of topics excludes zero (for times, sizes and perplexity, the ratio excludes one). Models
that are not clearly worse than the best model share the lead.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

from laconic.evaluation.columns import COLUMNS, best, cell, shown
from laconic.evaluation.repeats import Interval, difference

PRIZES = {  # what the winner of a metric has
    "npmi": "the highest NPMI",
    "c_v": "the highest C_v",
    "diversity": "the most distinct topics",
    "weak_topics": "the fewest weak topics",
    "lone_topics": "the fewest lone topics",
    "accuracy": "the highest accuracy",
    "perplexity": "the lowest perplexity",
    "n_bytes": "the smallest saved model",
    "seconds": "the fastest fit",
    "documents_per_second": "the fastest encoding",
}
FITTED_ONCE = "Each model was fitted once"
ONCE = (
    FITTED_ONCE + ", so it is unknown whether differences in {metrics} would persist; "
    "to find out, fit each model several times with --repeats 5 (in Python, repeats=5)."
)
UNITS = {"seconds": " s", "documents_per_second": " documents/s"}
LISTED = 3  # maximum number of metrics that a sentence lists


class Lead(NamedTuple):
    """The models in the lead by one metric.

    Attributes
    ----------
    name : str
        A key of `COLUMNS`.
    size : int
        Number of topics.
    leaders : list of Row
        The best model, followed by models that are not clearly worse.
    beaten : list of Row
        The other models, best first.
    gap : Interval or None
        Interval of the difference (of a logarithmic column: the ratio) between the best model and
        the first of the beaten models.
    """

    name: str
    size: int
    leaders: list[Any]
    beaten: list[Any]
    gap: Interval | None

    @property
    def winner(self) -> Any | None:
        """The row of the only model in the lead."""
        return self.leaders[0] if len(self.leaders) == 1 and self.beaten else None


def leads(comparison: Any) -> list[Lead]:
    """Return who leads, for each number of topics and each metric whose uncertainty is known.

    Examples
    --------
    >>> from laconic.evaluation.compare import Comparison, Row
    >>> rows = [
    ...     Row("slsa", 20, npmi=0.2, runs={"npmi": [0.19, 0.20, 0.21]}),
    ...     Row("nmf", 20, npmi=0.1, runs={"npmi": [0.09, 0.11, 0.10]}),
    ... ]
    >>> (lead,) = leads(Comparison(rows, {"fitted_to": 80, "unseen": 20}))
    >>> lead.winner.model
    'slsa'
    """
    found = []
    fitted = [row for row in comparison.rows if row.error is None]
    for size in dict.fromkeys(row.n_components for row in fitted):
        rows = [row for row in fitted if row.n_components == size]
        for name in shown(rows):
            lead = _lead(name, size, rows, comparison.about)
            if lead is not None:
                found.append(lead)
    return found


def _lead(name: str, size: int, rows: Sequence[Any], about: dict[str, Any]) -> Lead | None:
    if not COLUMNS[name].better:
        return None
    sign = -1 if COLUMNS[name].better == "higher" else 1
    values = {id(row): getattr(row, name) for row in rows}
    rows = [row for row in rows if values[id(row)] is not None and isfinite(values[id(row)])]
    rows.sort(key=lambda row: sign * values[id(row)])
    if len(rows) < 2:
        return None
    best, others = rows[0], rows[1:]
    gaps = [difference(best, other, name, about) for other in others]
    if all(gap is None for gap in gaps):
        return None
    pairs = list(zip(others, gaps, strict=True))
    close = [other for other, gap in pairs if not _is_clear(gap, name)]
    beaten = [(other, gap) for other, gap in pairs if _is_clear(gap, name)]
    return Lead(
        name,
        size,
        [best, *close],
        [other for other, _ in beaten],
        beaten[0][1] if beaten else None,
    )


def _is_clear(gap: Interval | None, name: str) -> bool:
    """Return whether an interval of a difference excludes "no difference"."""
    nothing = 1.0 if COLUMNS[name].logarithmic else 0.0
    return gap is not None and not gap.low <= nothing <= gap.high


# --- sentences -----------------------------------------------------------------------------------


def verdict(comparison: Any) -> list[str]:
    """Return one sentence for each number of topics that says who wins at what.

    Numbers of topics for which no model wins share a sentence with the numbers of the best two.
    If the models were fitted once, another sentence says which metrics cannot be judged.
    """
    found = leads(comparison)
    sizes = list(dict.fromkeys(row.n_components for row in comparison.rows if row.error is None))
    sentences = []
    undecided: dict[tuple[str, ...], list[Lead]] = {}
    for size in sizes:
        judged = [lead for lead in found if lead.size == size]
        if any(lead.winner is not None for lead in judged):
            prefix = f"{size} topics: " if len(sizes) > 1 else ""
            sentences.append(prefix + _winners(judged))
        elif judged:
            undecided.setdefault(tuple(lead.name for lead in judged), []).extend(judged)
    sentences += [_no_winner(judged, len(sizes) > 1) for judged in undecided.values()]
    metrics = _unjudged(comparison, found)
    if metrics:
        few = listed(metrics) if len(metrics) <= LISTED else "the other metrics"
        sentences.append(ONCE.format(metrics=few if found else few.replace("other ", "")))
    return sentences


def _winners(judged: Sequence[Lead]) -> str:
    prizes: dict[str, list[str]] = {}
    for lead in judged:
        if lead.winner is not None:
            value, second = _amount(lead.winner, lead.name), lead.beaten[0]
            numbers = f"{value}, next {second.model} {_amount(second, lead.name)}"
            prize = f"{PRIZES[lead.name]} ({numbers})"
            prizes.setdefault(lead.winner.model, []).append(prize)
    clauses = [f"{model} has {listed(those)}" for model, those in prizes.items()]
    return "; ".join(clauses) + "."


def _no_winner(judged: Sequence[Lead], several_sizes: bool) -> str:
    """Return a sentence on metrics that no model wins, with the same metrics for each size."""
    sizes = list(dict.fromkeys(lead.size for lead in judged))
    names = list(dict.fromkeys(lead.name for lead in judged))
    start = f"With {listed([str(size) for size in sizes])} topics, no" if several_sizes else "No"
    metrics = listed([COLUMNS[name].heading for name in names])
    numbers = ""
    if len(names) == 1:
        numbers = "; ".join(
            (f"{lead.size} topics: " if len(sizes) > 1 else "")
            + ", next ".join(f"{row.model} {_amount(row, lead.name)}" for row in lead.leaders[:2])
            for lead in judged
        )
        numbers = f" ({numbers})"
    return f"{start} model is clearly better than all others in {metrics}{numbers}."


def _unjudged(comparison: Any, found: Sequence[Lead]) -> list[str]:
    """Return the headings of the metrics that cannot be judged because models were fitted once."""
    fitted = [row for row in comparison.rows if row.error is None]
    if len({row.model for row in fitted}) < 2 or any(row.runs for row in fitted):
        return []
    judged = {lead.name for lead in found}
    names = [
        name
        for name in shown(fitted)
        if best(fitted, name) and name not in judged  # `best` has no entry for a single value
    ]
    return [COLUMNS[name].heading for name in names]


def reason(lead: Lead) -> str:
    """Return a sentence with the numbers behind a lead."""
    column = COLUMNS[lead.name]
    best = lead.leaders[0]
    if lead.winner is None:
        names = listed([f"{row.model} ({_amount(row, lead.name)})" for row in lead.leaders])
        sentence = f"{names} are too close to call"
        if lead.beaten:
            them = "the other model" if len(lead.beaten) == 1 else "all other models"
            sentence += f"; {best.model} is clearly better than {them}"
        return sentence + "."
    second = lead.beaten[0]
    values = [f"{row.model} {_amount(row, lead.name)}" for row in (best, second)]
    sentence = ", next ".join(values)
    assert lead.gap is not None
    if column.logarithmic:
        low, high = sorted(max(ratio, 1 / ratio) for ratio in lead.gap)
        return f"{sentence}: a factor of {low:.3g} to {high:.3g}."
    low, high = sorted(map(abs, lead.gap))
    return f"{sentence}: a difference of {column.write(low)} to {column.write(high)}."


def _amount(row: Any, name: str) -> str:
    """Return a value with its unit."""
    return cell(row, name) + UNITS.get(name, "")


def listed(names: Sequence[str]) -> str:
    """Join names with commas and "and".

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
