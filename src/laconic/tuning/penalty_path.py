"""Refit a model along its sparsity path."""

from __future__ import annotations

from typing import Any, NamedTuple

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from laconic.corpus.corpus import Corpus
from laconic.fitted.model import TopicView
from laconic.tuning.sizes import read_sizes
from laconic.tuning.sparsity import PATHS, Sparsity, Step, run_path, values_for
from laconic.tuning.trials import divide, labelled, sparse_entries
from laconic.tuning.tune import as_corpus
from laconic.weighting import Weighting


class PenaltyPath(NamedTuple):
    """Clones of a model from dense to sparse, judged on held-out documents."""

    sparsity: Sparsity  # the parameter that makes the model sparse
    steps: list[Step]
    n_topics: int
    is_classifier: bool
    n_dense: float  # number of entries per topic or document, including zeros
    n_nonzero: float  # number of nonzero entries per topic or document in the fit


def refit_path(
    model: Any, name: str, corpus: Any, *, sample: int, folds: int, random_state: int
) -> PenaltyPath:
    """Fit a clone of a model for each value of the parameter that makes the model sparse.

    `name` is the name of the model in `MODELS`; see `laconic.plots.penalty_path` for the other
    parameters.
    """
    view = TopicView.of(model)
    sparsity, n_topics = PATHS[name], len(view.estimator.topic_shares_)
    is_classifier = hasattr(view.estimator, "predict")
    counted = _counted(view, corpus)
    documents = divide(
        labelled(counted) if is_classifier else counted,
        folds=folds,
        sample=sample,
        by_class=is_classifier,
        random_state=random_state,
    )
    # raises an error if there are too few documents
    read_sizes([n_topics], min(len(fold.train) for fold in documents.folds))
    values = values_for(sparsity, n_topics, documents.corpus.shape[1])
    plain = _without_sparsity(view, sparsity, n_topics)
    steps = run_path(
        sparsity, values, lambda **params: _make(plain, params), documents, random_state
    )
    return PenaltyPath(
        sparsity,
        list(steps),
        n_topics,
        is_classifier,
        _dense_entries(sparsity, documents.corpus, n_topics),
        _nonzero_entries(model, sparsity, counted[:sample], n_topics),
    )


def _counted(view: TopicView, corpus: Any) -> Corpus:
    """Return the documents as a Corpus with the words of the model."""
    if view.is_pipeline and isinstance(corpus, (list, tuple)):
        corpus = view.model[0].transform(corpus)
    return view.align(as_corpus(corpus))


def _without_sparsity(view: TopicView, sparsity: Sparsity, n_topics: int) -> Pipeline:
    """Return an unfitted copy of the pipeline whose sparsity parameters have their defaults."""
    steps = [("weighting", Weighting("counts")), ("model", view.estimator)]
    plain = clone(view.model if view.is_pipeline else Pipeline(steps))
    estimator = plain[-1]
    defaults = type(estimator)().get_params()
    for name in (sparsity.parameter, *sparsity.alternatives, "group_weights", "init"):
        if name in defaults:
            estimator.set_params(**{name: defaults[name]})
    # n_components is set because a PCP with n_components=None chooses the number of topics itself
    estimator.set_params(n_components=n_topics, verbose=0)
    return plain


def _make(plain: Pipeline, params: dict[str, Any]) -> Pipeline:
    model = clone(plain)
    model[-1].set_params(**params)
    return model


def _dense_entries(sparsity: Sparsity, corpus: Corpus, n_topics: int) -> float:
    return {
        "weights of topics": float(corpus.shape[1]),
        "codes of documents": float(n_topics),
        "keywords of documents": corpus.counts.nnz / max(len(corpus), 1),
    }[sparsity.zeros_in]


def _nonzero_entries(model: Any, sparsity: Sparsity, documents: Corpus, n_topics: int) -> float:
    each = n_topics if sparsity.zeros_in == "weights of topics" else len(documents)
    return sparse_entries(model, documents).nonzero / max(each, 1)
