"""From words to topics in one estimator."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from laconic.errors import LaconicError
from laconic.models import MODELS
from laconic.text.vectorizer import Vectorizer
from laconic.weighting import Weighting


def pipeline(name: str, *, weighting: str | None = None, **params: Any) -> Pipeline:
    """A scikit-learn pipeline with the steps ``text``, ``weighting`` and ``model``.

    Fitted on texts it counts their words itself; fitted on a `Corpus` it adopts the settings of
    the vectoriser that made it. Either way it takes raw texts afterwards.

    Parameters
    ----------
    name : str
        Name of the model in ``laconic.models.MODELS``, such as ``"slsa"``.
    weighting : str, optional
        Scheme of the `Weighting`: "counts", "log-counts", "frequencies", "tfidf" or
        "tfidf-balanced"; by default what suits the model.
    **params
        Parameters of the model. Those that pipelines have by default in place of the model's own
        are in ``PIPELINE_DEFAULTS`` of its class.

    Examples
    --------
    >>> texts = ["cats purr", "cats meow", "dogs bark", "dogs growl"]
    >>> codes = pipeline("slsa", n_components=2).fit_transform(texts)
    >>> codes.shape
    (4, 2)
    """
    if name not in MODELS:
        raise LaconicError(f"There is no model {name!r}; the models are {', '.join(MODELS)}.")
    model = MODELS[name]
    known = model._get_param_names()
    for given in params:
        if given not in known:
            raise LaconicError(
                f"{model.__name__} has no parameter {given!r}; it has {', '.join(known)}."
            )
    shared = {key: params[key] for key in ("engine", "n_jobs") if key in params}
    return Pipeline(
        [
            ("text", Vectorizer(n_jobs=params.get("n_jobs"))),
            ("weighting", Weighting(weighting or model.WEIGHTING, **shared)),
            ("model", model(**{**model.PIPELINE_DEFAULTS, **params})),
        ]
    )
