"""Helpers that read the data of a chart, and models with given topics."""

from __future__ import annotations

import numpy as np

import laconic


def data_of(chart, *needed):
    """Return all data rows of a chart that have these fields."""
    return data_in(chart.to_dict(), *needed)


def data_in(spec, *needed):
    """Return all data rows in the JSON of a chart that have these fields."""
    found = []

    def walk(part):
        if isinstance(part, dict):
            rows = part.get("data", {}).get("values", [])
            found.extend(row for row in rows if all(name in row for name in needed))
            for name, value in part.items():
                if name != "data":
                    walk(value)
        elif isinstance(part, list):
            for value in part:
                walk(value)

    walk(spec)
    return list({repr(row): row for row in found}.values())


def subtitle_of(chart):
    written = chart.to_dict()["title"]["subtitle"]
    return " ".join(written) if isinstance(written, list) else written


def made_by_hand(components, shares=None, names=None, distributions=True):
    """Return a model with exactly these topics."""
    components = np.asarray(components, dtype=float)
    kind = laconic.PLSA if distributions else laconic.SparseLSA
    model = kind(len(components))
    model.components_ = components
    model.n_features_in_ = components.shape[1]
    equal = np.full(len(components), 1 / max(len(components), 1))
    model.topic_shares_ = equal if shares is None else np.asarray(shares, dtype=float)
    model.objective_, model.n_iter_, model.converged_ = np.array([2.0, 1.0]), 2, True
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    return model
