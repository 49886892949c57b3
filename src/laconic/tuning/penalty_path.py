"""A fitted model made sparser step by step."""

from __future__ import annotations

from typing import Any, NamedTuple

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from laconic.corpus.corpus import Corpus
from laconic.fitted.model import TopicView
from laconic.tuning.sizes import read_sizes
from laconic.tuning.sparsity import PATHS, Sparsity, Step, follow, values_for
from laconic.tuning.trials import divide, labelled, sparse_entries
from laconic.tuning.tune import as_corpus
from laconic.weighting import Weighting


class PenaltyPath(NamedTuple):
    """Clones of a model from dense to sparse, judged by documents that were left out."""

    sparsity: Sparsity  # the parameter that makes the model sparse
    steps: list[Step]
    n_topics: int
    is_classifier: bool
    full: float  # what would be left of each topic or document if nothing were zero
    own: float  # what is left in the model as it was fitted


def refit_path(
    model: Any, name: str, corpus: Any, *, sample: int, folds: int, random_state: int
) -> PenaltyPath:
    """Fit clones of a model over the range of the parameter that makes it sparse.

    `name` is that of the model in `MODELS`; the rest is as of `laconic.plots.penalty_path`.
    """
    view = TopicView.of(model)
    sparsity, n_topics = PATHS[name], len(view.estimator.topic_shares_)
    is_classifier = hasattr(view.estimator, "predict")
    known = _counted(view, corpus)
    documents = divide(
        labelled(known) if is_classifier else known,
        folds=folds,
        sample=sample,
        by_class=is_classifier,
        random_state=random_state,
    )
    read_sizes([n_topics], min(len(part.fitted) for part in documents.parts))  # or a sentence
    values = values_for(sparsity, n_topics, documents.corpus.shape[1])
    plain = _without_sparsity(view, sparsity, n_topics)
    steps = follow(sparsity, values, lambda **given: _make(plain, given), documents, random_state)
    return PenaltyPath(
        sparsity,
        list(steps),
        n_topics,
        is_classifier,
        _full(sparsity, documents.corpus, n_topics),
        _own(model, sparsity, known[:sample], n_topics),
    )


def _counted(view: TopicView, corpus: Any) -> Corpus:
    """Documents over the words of the model."""
    if view.is_pipeline and isinstance(corpus, (list, tuple)):
        corpus = view.model[0].transform(corpus)
    return view.align(as_corpus(corpus))


def _without_sparsity(view: TopicView, sparsity: Sparsity, n_topics: int) -> Pipeline:
    """An unfitted pipeline like the model, without what says how sparse it is."""
    steps = [("weighting", Weighting("counts")), ("model", view.estimator)]
    plain = clone(view.model if view.is_pipeline else Pipeline(steps))
    estimator = plain[-1]
    defaults = type(estimator)().get_params()
    for name in (sparsity.parameter, *sparsity.instead, "group_weights", "init"):
        if name in defaults:
            estimator.set_params(**{name: defaults[name]})
    estimator.set_params(n_components=n_topics, verbose=0)  # pcp may have found its number itself
    return plain


def _make(plain: Pipeline, given: dict[str, Any]) -> Pipeline:
    made = clone(plain)
    made[-1].set_params(**given)
    return made


def _full(sparsity: Sparsity, corpus: Corpus, n_topics: int) -> float:
    return {
        "weights of topics": float(corpus.shape[1]),
        "codes of documents": float(n_topics),
        "keywords of documents": corpus.counts.nnz / max(len(corpus), 1),
    }[sparsity.of]


def _own(model: Any, sparsity: Sparsity, documents: Corpus, n_topics: int) -> float:
    each = n_topics if sparsity.of == "weights of topics" else len(documents)
    return sparse_entries(model, documents).nonzero / max(each, 1)
