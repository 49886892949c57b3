"""Small models of every kind; each is fitted and saved once per test run."""

from __future__ import annotations

import shutil
import time
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
    """The corpus that a model is fitted to, the name of the model and its options."""

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
        corpora.thousand_topics, "slsa", {"n_components": 1000, "max_iter": 1, "init": "identity"}
    )
    return found


PATIENCE = 300  # maximum number of seconds to wait for a model that another worker fits
docstrings = cache(corpora.docstrings)
RECIPES = _recipes()


def fit(recipe: Recipe, folder: Path) -> Path:
    """Fit a model and save it with its documents."""
    corpus = recipe.corpus()
    model = laconic.pipeline(recipe.name, **recipe.options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(corpus)
    return laconic.save(model, folder, index=laconic.search(model, corpus))


def fit_once(recipe: Recipe, folder: Path) -> Path:
    """Return the folder of a model; the first worker that needs the model fits it."""
    claim, unfinished = folder.with_name("claim"), folder.with_name("unfinished")
    folder.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + PATIENCE
    while not folder.exists() and time.monotonic() < deadline:
        try:
            claim.mkdir()
        except FileExistsError:
            time.sleep(0.1)
            continue
        try:
            if not folder.exists():  # another worker may have just finished it
                unfinished.mkdir()
                fit(recipe, unfinished / folder.name).rename(folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
            claim.rmdir()
    assert folder.exists(), f"{folder} was not fitted in time"
    return folder
