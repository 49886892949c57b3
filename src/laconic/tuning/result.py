"""Result of `laconic.tune`, which prints as tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from laconic.files.atomic_file import check_file, write_bytes

MARK = "←"  # mark of the chosen row in a table
RULES = {  # why a number of topics was chosen, in a few words; see `laconic.tuning.choice`
    "peak": "highest score",
    "knee": "knee of the explained share",
    "accuracy": "fewest topics with about the best accuracy",
}


@dataclass(frozen=True)
class Tuning:
    """Result of `laconic.tune`; ``print(tuning)`` shows the tables and the reasons.

    Attributes
    ----------
    name : str
        Name of the model.
    n_components : int
        The chosen number of topics.
    curve : polars.DataFrame
        One row per number of topics tried, with the columns ``n_components``, ``explained`` (share
        of the variance of held-out words that the topics explain) and its ``standard_error``,
        ``recurrence`` (mean cosine of matched topics across fits), ``score`` (explained x
        recurrence), ``zeros`` and ``seconds``; for a classifier also ``accuracy`` and its standard
        error, ``accuracy_error``.
    path : polars.DataFrame or None
        One row per setting of `parameter`, from dense to sparse, with the columns ``value`` (as
        text), ``zeros``, ``metric`` (the accuracy of a classifier, else the explained share) and
        its ``standard_error``, ``recurrence`` and ``seconds``.
    best_params : dict
        The chosen parameters, for ``laconic.pipeline(name).set_params(**best_params)``.
    why : list of str
        Sentences that explain the choice.
    model : Pipeline or None
        The model with `best_params`, fitted to all documents, or None if it was not fitted.
    parameter : str or None
        The parameter that makes the model sparse, and that varies along the path.
    zeros_of : str or None
        Which entries the column ``zeros`` of the path refers to, such as "weights of topics".
    interrupted : bool
        Whether Ctrl-C ended the search early.
    rule : {"peak", "knee", "accuracy"}
        The rule that chose the number of topics: the highest score; the knee of the explained
        share, if the score has no clear peak; or the fewest topics with about the best accuracy, if
        the model is a classifier.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 100, 4, random_state=1)
    >>> tuning = laconic.tune(corpus, "slsa", n_components=[2, 4], sparsity=False)
    >>> tuning.n_components, tuning.curve["n_components"].to_list()
    (4, [2, 4])
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
    rule: str = "peak"

    def __str__(self) -> str:
        parts = [f"{self.name}: {self.settings()}", "", *self._curve_lines()]
        if self.path is not None:
            parts += ["", *self._path_lines()]
        return "\n".join([*parts, "", *(f"- {sentence}" for sentence in self.why)])

    def chart(self) -> Any:
        """Return an Altair chart of the curve and the path."""
        from laconic.plots.tuning import tuning_chart

        return tuning_chart(self)

    def plot(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the chart of the curve and the path to an .html, .svg, .png or .pdf file.

        An .html file also contains the reasons for the choice and the tables.
        """
        from laconic.plots.files import ending_of, write_chart
        from laconic.plots.tuning_page import tuning_page

        if ending_of(path) != ".html":
            return write_chart(self.chart(), path, force=force)
        check_file(path, force)
        return write_bytes(tuning_page(self).encode(errors="replace"), path)

    def to_dict(self) -> dict[str, Any]:
        """Return everything except the model as a dict that can be written as JSON."""
        return {
            "model": self.name,
            "n_components": self.n_components,
            "rule": self.rule,
            "best_params": self.best_params,
            "why": self.why,
            "curve": self.curve.to_dicts(),
            "path": None if self.path is None else self.path.to_dicts(),
            "interrupted": self.interrupted,
        }

    def mark(self, n_components: int) -> str:
        """Return the mark of a row of the curve: the choice, and the highest score if it differs.

        Without the second mark, a knee would look like a mistake beside a row with a higher score.
        """
        if n_components == self.n_components:
            return f"{MARK} {RULES[self.rule]}"
        best = self.curve["n_components"][self.curve["score"].arg_max()]  # type: ignore[index]
        return "highest score" if self.rule == "knee" and n_components == best else ""

    def settings(self) -> str:
        """Return the chosen settings as text, such as "20 topics, alpha=0.1"."""
        params = {key.removeprefix("model__"): value for key, value in self.best_params.items()}
        size = params.pop("n_components")
        return ", ".join([f"{size} topics", *(f"{key}={value}" for key, value in params.items())])

    def _curve_lines(self) -> list[str]:
        is_classifier = "accuracy" in self.curve.columns
        head = ["topics", *(["accuracy", "±"] if is_classifier else [])]
        head += ["explained", "±", "recurrence", "score", ""]
        rows = []
        for row in self.curve.iter_rows(named=True):
            cells = [str(row["n_components"])]
            if is_classifier:
                cells += [_percent(row["accuracy"]), _percent(row["accuracy_error"])]
            cells += [_percent(row["explained"]), _percent(row["standard_error"])]
            cells += [f"{row['recurrence']:.2f}", f"{100 * row['score']:.2f}"]
            rows.append(cells)
        marks = [self.mark(size) for size in self.curve["n_components"]]
        lines = table(head[:-1], rows)
        return [f"{line}  {mark}".rstrip() for line, mark in zip(lines, ["", *marks], strict=True)]

    def _path_lines(self) -> list[str]:
        assert self.path is not None
        chosen = self.best_params.get(f"model__{self.parameter}")
        metric = "accuracy" if "accuracy" in self.curve.columns else "explained"
        head = [str(self.parameter), "zeros", metric, "±", "recurrence", ""]
        rows = [
            [
                row["value"],
                _percent(row["zeros"]),
                _percent(row["metric"]),
                _percent(row["standard_error"]),
                f"{row['recurrence']:.2f}",
                MARK if row["value"] == format_setting(chosen) else "",
            ]
            for row in self.path.iter_rows(named=True)
        ]
        return [*table(head, rows), f"(zeros: share of zeros in the {self.zeros_of})"]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table with right-aligned columns.

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


def format_setting(value: Any) -> str:
    """Format the value of a setting as text; None means the default of the model."""
    return "default" if value is None else f"{value:g}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
