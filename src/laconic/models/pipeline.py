"""Build scikit-learn pipelines that turn raw texts into topics."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from laconic.errors import LaconicError
from laconic.models import MODELS
from laconic.text.vectorizer import Vectorizer
from laconic.weighting import Weighting


def pipeline(name: str, *, weighting: str | None = None, **params: Any) -> Pipeline:
    """Build a scikit-learn pipeline with the steps ``text``, ``weighting`` and ``model``.

    If the pipeline is fitted to texts, its first step counts the words. If it is fitted to a
    `Corpus`, it adopts the settings of the vectoriser that created the corpus. In both cases, the
    fitted pipeline accepts raw texts.

    Parameters
    ----------
    name : str
        Name of the model in ``laconic.models.MODELS``, such as ``"slsa"``.
    weighting : str, optional
        Scheme of the `Weighting`: "counts", "log-counts", "frequencies", "tfidf" or
        "tfidf-balanced". The default is the class attribute ``WEIGHTING`` of the model.
    **params
        Parameters of the model. The class attribute ``PIPELINE_DEFAULTS`` of the model lists
        parameters whose default in a pipeline differs from the default of the model.

    Examples
    --------
    >>> texts = ["cats purr", "cats meow", "dogs bark", "dogs growl"]
    >>> codes = pipeline("slsa", n_components=2).fit_transform(texts)
    >>> codes.shape
    (4, 2)
    """
    if name not in MODELS:
        raise LaconicError(f"Unknown model {name!r}; the known models are {', '.join(MODELS)}.")
    model = MODELS[name]
    names = model._get_param_names()
    for param in params:
        if param not in names:
            raise LaconicError(
                f"{model.__name__} has no parameter {param!r}; its parameters are "
                f"{', '.join(names)}."
            )
    shared = {key: params[key] for key in ("engine", "n_jobs") if key in params}
    return Pipeline(
        [
            ("text", Vectorizer(n_jobs=params.get("n_jobs"))),
            ("weighting", Weighting(weighting or model.WEIGHTING, **shared)),
            ("model", model(**{**model.PIPELINE_DEFAULTS, **params})),
        ]
    )
