"""Build scikit-learn pipelines that turn raw texts into topics."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, Self

from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from laconic.errors import LaconicError
from laconic.text.vectorizer import Vectorizer
from laconic.weighting import Weighting

TEXT_PARAMETERS = [
    name for name in Vectorizer._get_param_names() if name not in ("n_jobs", "output")
]
OTHER_NAMES = {
    "k": "n_components",
    "n_topics": "n_components",
    "num_topics": "n_components",
    "nr_topics": "n_components",
    "topics": "n_components",
    "seed": "random_state",
    "ngrams": "ngram_range",
    "n_iter": "max_iter",
}
"""Names of parameters in other libraries and on the command line, and their names here."""


def _learns_from_batches(pipeline: Pipeline) -> bool:
    model = pipeline.steps[-1][1]
    if not hasattr(model, "partial_fit"):
        raise AttributeError(
            f"{type(model).__name__} cannot learn from batches; use fit, or another model."
        )
    return True


class TopicPipeline(Pipeline):
    """A scikit-learn pipeline that can also learn from batches of documents."""

    @available_if(_learns_from_batches)
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Update the model with another batch of documents.

        The first batch determines the words and their weights, because the topics of earlier
        batches would otherwise refer to other words or other weights. Words that occur only in
        later batches are ignored. To fix the words beforehand, pass a Corpus, or set the
        parameter ``vocabulary`` of the `Vectorizer`. The first batch should therefore contain
        many documents, which are spread over the collection. A call of `fit` starts anew.

        Parameters
        ----------
        X : iterable of str or of lists of tokens, Corpus, or matrix (n_documents, n_words)
        y : ignored

        Examples
        --------
        >>> model = pipeline("slsa", 2)
        >>> model.partial_fit(["cats purr", "cats meow", "dogs bark", "dogs growl"])[-1].n_iter_
        1
        >>> model.partial_fit(["cats sleep and purr", "dogs bark"]).transform(["dogs"]).shape
        (1, 2)
        """
        for _, step in self.steps[:-1]:
            try:
                check_is_fitted(step)
            except NotFittedError:
                X = step.fit_transform(X)
            else:
                X = step.transform(X)
        self.steps[-1][1].partial_fit(X, y)
        return self


def pipeline(
    name: str, n_components: int | None = None, *, weighting: str | None = None, **params: Any
) -> TopicPipeline:
    """Build a scikit-learn pipeline with the steps ``text``, ``weighting`` and ``model``.

    If the pipeline is fitted to texts, its first step counts the words. If it is fitted to a
    `Corpus`, it adopts the settings of the vectoriser that created the corpus. In both cases, the
    fitted pipeline accepts raw texts. If the model has a method ``partial_fit``, so does the
    pipeline, see `TopicPipeline.partial_fit`.

    Parameters
    ----------
    name : str
        Name of the model in ``laconic.models.MODELS``, such as ``"slsa"``.
    n_components : int, optional
        Number of topics; the default depends on the model.
    weighting : str, optional
        Scheme of the `Weighting`: "counts", "log-counts", "frequencies", "tfidf" or
        "tfidf-balanced". The default is the class attribute ``WEIGHTING`` of the model.
    **params
        Parameters of the model, and of the `Vectorizer`, such as ``stop_words="german"``. The class
        attribute ``PIPELINE_DEFAULTS`` of the model lists parameters whose default in a pipeline
        differs from the default of the model.

    Examples
    --------
    >>> texts = ["cats purr", "cats meow", "dogs bark", "dogs growl"]
    >>> codes = pipeline("slsa", 2).fit_transform(texts)
    >>> codes.shape
    (4, 2)
    """
    from laconic.models import MODELS

    if name not in MODELS:
        raise LaconicError(
            f"Unknown model {name!r}; {_hint(name, list(MODELS), 'the known models are')}"
        )
    model = MODELS[name]
    if n_components is not None:
        params["n_components"] = n_components
    of_model = {key: value for key, value in params.items() if key in model._get_param_names()}
    of_text = {key: value for key, value in params.items() if key in TEXT_PARAMETERS}
    for param in (key for key in params if key not in of_model and key not in of_text):
        names = [*model._get_param_names(), *TEXT_PARAMETERS]
        hint = _hint(OTHER_NAMES.get(param, param), names, "the parameters are")
        raise LaconicError(f"{model.__name__} and Vectorizer have no parameter {param!r}; {hint}")
    shared = {key: params[key] for key in ("engine", "n_jobs") if key in params}
    return TopicPipeline(
        [
            ("text", Vectorizer(n_jobs=params.get("n_jobs"), **of_text)),
            ("weighting", Weighting(weighting or model.WEIGHTING, **shared)),
            ("model", model(**{**model.PIPELINE_DEFAULTS, **of_model})),
        ]
    )


def _hint(name: str, known: Sequence[str], otherwise: str) -> str:
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"{otherwise} {', '.join(known)}."
