"""What a search found, as tables and as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

MARK = "←"


@dataclass(frozen=True)
class Tuning:
    """What `laconic.tune` found; ``print(tuning)`` shows it.

    Attributes
    ----------
    name : str
        Of the model.
    n_components : int
        The number of topics that was chosen.
    curve : polars.DataFrame
        One row for each number of topics that was tried: ``n_components``, ``foretold`` (share of
        held-out words that topics foretell) with its ``standard_error``, ``stability`` (how far
        topics come again), ``score`` (their product), for a classifier ``accuracy`` with its
        ``accuracy_error``, ``zeros`` and ``seconds``.
    path : polars.DataFrame or None
        One row for each setting on the path from dense to sparse: the parameter's ``value`` (as
        text), ``zeros``, ``measure``, ``standard_error``, ``stability``, ``seconds``.
    best_params : dict
        For ``set_params`` of ``laconic.pipeline(name)``.
    why : list of str
        The reasons, in sentences.
    model : Pipeline or None
        Fitted to all documents with `best_params`.
    parameter : str or None
        What makes the model sparse on the path.
    zeros_of : str or None
        What the zeros of the path are in.
    interrupted : bool
        Whether Ctrl-C ended the search early.
    """

    name: str
    n_components: int
    curve: pl.DataFrame
    path: pl.DataFrame | None
    best_params: dict[str, Any]
    why: list[str]
    model: Any = field(default=None, repr=False)
    parameter: str | None = None
    zeros_of: str | None = None
    interrupted: bool = False

    def __str__(self) -> str:
        parts = [f"{self.name}: {self._settings()}", "", *self._curve_lines()]
        if self.path is not None:
            parts += ["", *self._path_lines()]
        return "\n".join([*parts, "", *(f"- {sentence}" for sentence in self.why)])

    def chart(self) -> Any:
        """An Altair chart of the curve and the path."""
        from laconic.plots.tuning import tuning_chart

        return tuning_chart(self)

    def plot(self, path: str | Path, *, force: bool = False) -> Path:
        """Draw the curve and the path to a file that ends in .html, .svg or .png."""
        from laconic.plots.files import write_chart

        return write_chart(self.chart(), path, title=f"laconic tune: {self.name}", force=force)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the model, as JSON can hold it."""
        return {
            "model": self.name,
            "n_components": self.n_components,
            "best_params": self.best_params,
            "why": self.why,
            "curve": self.curve.to_dicts(),
            "path": None if self.path is None else self.path.to_dicts(),
            "interrupted": self.interrupted,
        }

    def _settings(self) -> str:
        shown = {key.removeprefix("model__"): value for key, value in self.best_params.items()}
        size = shown.pop("n_components")
        return ", ".join([f"{size} topics", *(f"{key}={value}" for key, value in shown.items())])

    def _curve_lines(self) -> list[str]:
        is_classifier = "accuracy" in self.curve.columns
        head = ["topics", *(["accuracy", "±"] if is_classifier else [])]
        head += ["foretold", "±", "stability", "score", ""]
        rows = []
        for row in self.curve.iter_rows(named=True):
            cells = [str(row["n_components"])]
            if is_classifier:
                cells += [_percent(row["accuracy"]), _percent(row["accuracy_error"])]
            cells += [_percent(row["foretold"]), _percent(row["standard_error"])]
            cells += [f"{row['stability']:.2f}", f"{100 * row['score']:.2f}"]
            rows.append([*cells, MARK if row["n_components"] == self.n_components else ""])
        return table(head, rows)

    def _path_lines(self) -> list[str]:
        assert self.path is not None
        chosen = self.best_params.get(f"model__{self.parameter}")
        measure = "accuracy" if "accuracy" in self.curve.columns else "foretold"
        head = [str(self.parameter), "zeros", measure, "±", "stability", ""]
        rows = [
            [
                row["value"],
                _percent(row["zeros"]),
                _percent(row["measure"]),
                _percent(row["standard_error"]),
                f"{row['stability']:.2f}",
                MARK if row["value"] == shown(chosen) else "",
            ]
            for row in self.path.iter_rows(named=True)
        ]
        return [*table(head, rows), f"(zeros are those in the {self.zeros_of})"]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells in columns, numbers to the right.

    Examples
    --------
    >>> table(["topics", "share"], [["5", "1 %"], ["10", "20 %"]])
    ['topics  share', '     5    1 %', '    10   20 %']
    """
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [head, *rows]
    ]


def shown(value: Any) -> str:
    """A setting as text; None is the model's own."""
    return "default" if value is None else f"{value:g}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
