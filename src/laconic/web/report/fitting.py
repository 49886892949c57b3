"""How the model was fitted: its class, its parameters, and whether it converged."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from laconic import __version__
from laconic.web.report.html import Html, h
from laconic.wording import plural

SILENT = {"verbose", "n_jobs", "engine", "sparse_output", "callbacks"}  # change no topic
LONGEST = 80  # characters of a value


def fitting(model: Any) -> Html:
    """A sentence and a table of parameters; those that differ from the default are marked."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    return h(
        "div",
        h("p", _summary(steps[-1])),
        [_parameters(step) for step in reversed(steps)],
        h("p", f"Written by laconic {__version__}.", class_="quiet"),
        class_="fitting",
    )


def _summary(estimator: Any) -> str:
    """How the fit ended."""
    name = type(estimator).__name__
    n_iter = getattr(estimator, "n_iter_", None)
    if n_iter is None:
        return f"{name}."
    ended = "converged after" if getattr(estimator, "converged_", False) else "was ended after"
    last = np.atleast_1d(getattr(estimator, "objective_", np.array([])))
    value = f", with the objective at {last[-1]:.6g}" if last.size else ""
    return f"{name} {ended} {plural(int(n_iter), 'pass', 'passes')}{value}."


def _parameters(estimator: Any) -> Html | None:
    defaults = inspect.signature(type(estimator).__init__).parameters
    rows = []
    for key, value in sorted(settings_of(estimator).items()):
        if key in SILENT:
            continue
        default = defaults[key].default if key in defaults else inspect.Parameter.empty
        kind = None if _same(value, default) else "set"
        rows.append(h("tr", h("th", key, scope="row"), h("td", said(value)), class_=kind))
    if not rows:
        return None
    return h("table", h("caption", type(estimator).__name__), h("tbody", rows))


def settings_of(estimator: Any) -> dict[str, Any]:
    """Parameters; of a vectoriser those that counted the words, which it may have from a corpus."""
    parameters: dict[str, Any] = estimator.get_params(deep=False)
    used = getattr(estimator, "settings_", None) or {}
    return {key: used.get(key, value) for key, value in parameters.items()}


def said(value: Any) -> str:
    """A value in few characters.

    Examples
    --------
    >>> said(None), said(0.1), said(["a"] * 300), said((1, 2))
    ('none', '0.1', 'list of 300', '1, 2')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    if isinstance(value, (list, tuple, set, frozenset, dict, np.ndarray)) and len(text) > LONGEST:
        return f"{type(value).__name__} of {len(value):,}"
    if callable(value):
        text = getattr(value, "__qualname__", type(value).__name__)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _same(value: Any, default: Any) -> bool:
    """Whether a parameter is as it would be if it were not given."""
    if isinstance(value, (list, tuple)) and isinstance(default, (list, tuple)):
        return list(value) == list(default)  # JSON has made lists of tuples
    try:
        return bool(value is default or value == default)
    except ValueError:  # arrays
        return False
