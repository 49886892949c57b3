"""Small fitted models of every kind, each saved once in a run of the tests."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.exceptions import ConvergenceWarning

import laconic
from laconic.models import MODELS

from . import corpora


class Recipe(NamedTuple):
    """What a model is fitted to, and how."""

    corpus: Callable[[], laconic.Corpus]
    name: str
    options: dict[str, Any]


def _recipes() -> dict[str, Recipe]:
    sizes: dict[str, dict[str, Any]] = {name: {"n_components": 12} for name in MODELS}
    sizes["pcp"] = {}
    found = {name: Recipe(docstrings, name, options) for name, options in sizes.items()}
    found["slsa"] = Recipe(docstrings, "slsa", {"n_components": 12, "words_per_topic": 20})
    found["signed"] = Recipe(docstrings, "slsa", {"n_components": 12, "positive": False})
    found["correlated"] = Recipe(docstrings, "sctm", {"n_components": 12, "correlated": True})
    found["few words"] = Recipe(corpora.fourteen_words, "slsa", {"n_components": 3})
    found["few words, coded"] = Recipe(corpora.fourteen_words, "stc", {"n_components": 3})
    found["hostile"] = Recipe(corpora.hostile, "slsa", {"n_components": 3})
    found["hostile, coded"] = Recipe(corpora.hostile, "stc", {"n_components": 3})
    found["a thousand topics"] = Recipe(
        corpora.thousand_topics, "slsa", {"n_components": 1000, "max_iter": 1}
    )
    return found


docstrings = cache(corpora.docstrings)
RECIPES = _recipes()


def fit(recipe: Recipe, folder: Path) -> Path:
    """Fit a model, and save it with its documents."""
    corpus = recipe.corpus()
    model = laconic.pipeline(recipe.name, **recipe.options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(corpus)
    return laconic.save(model, folder, index=laconic.search(model, corpus))
