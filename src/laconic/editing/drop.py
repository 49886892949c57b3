"""``laconic.drop`` and ``laconic.keep``: remove topics from a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from laconic.editing.applying import apply_edit
from laconic.editing.classifier import with_classifier
from laconic.editing.topics import TopicName, editable_step, find_topics
from laconic.errors import LaconicError
from laconic.models.edits.records import Record
from laconic.wording import plural, some


def drop(model: Any, topics: TopicName | Iterable[TopicName], corpus: Any = None) -> Any:
    """Return a new model without some topics.

    Documents are still coded with the topics of the fit, and the codes of dropped topics are then
    left out. A dropped topic therefore still takes up its words, which would otherwise be forced
    into other topics, and no other code of a document changes by a single bit. The shares of the
    other topics do not change either, so they sum to less than one.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model, which is not changed.
    topics : int, str or list of int or str
        The topics to drop, by number or name. Later topics get lower numbers, see `laconic.edits`.
    corpus : Corpus, optional
        Only for MedSTC: labelled documents on which the classifier is trained again. By default,
        the coefficients of the other topics do not change.

    Returns
    -------
    estimator or Pipeline
        A model of the same class. `laconic.undo` takes the edit back.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(60, 100, 4, words_per_topic=10)
    >>> model = laconic.PLSA(n_components=4).fit(corpus)
    >>> laconic.drop(model, 2).transform(corpus).shape
    (60, 3)
    """
    estimator = editable_step(model)
    numbers = find_topics(model, topics)
    n_topics = estimator.components_.shape[0]
    if len(numbers) == n_topics:
        raise LaconicError(
            f"drop would remove {'the only topic' if n_topics == 1 else f'all {n_topics} topics'} "
            "of the model; leave at least one."
        )
    text = f"dropped topic{'' if len(numbers) == 1 else 's'} {some(numbers, 20)}"
    return _without(model, numbers, "drop", text, corpus)


def keep(model: Any, topics: TopicName | Iterable[TopicName], corpus: Any = None) -> Any:
    """Return a new model with only some topics; see `laconic.drop`.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model, which is not changed.
    topics : int, str or list of int or str
        The topics to keep, by number or name. They stay in the order of the model.
    corpus : Corpus, optional
        Only for MedSTC: labelled documents on which the classifier is trained again.

    Returns
    -------
    estimator or Pipeline
        A model of the same class. `laconic.undo` takes the edit back.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(60, 100, 4, words_per_topic=10)
    >>> model = laconic.PLSA(n_components=4).fit(corpus)
    >>> laconic.keep(model, [0, 2]).transform(corpus).shape
    (60, 2)
    """
    estimator = editable_step(model)
    kept = set(find_topics(model, topics))
    others = [topic for topic in range(estimator.components_.shape[0]) if topic not in kept]
    if not others:
        raise LaconicError("keep was given all topics of the model, so there is nothing to remove.")
    text = f"kept {plural(len(kept), 'topic')}: {some(sorted(kept), 20)}"
    return _without(model, others, "keep", text, corpus)


def _without(model: Any, topics: list[int], operation: str, text: str, corpus: Any) -> Any:
    estimator = editable_step(model)
    dropped = set(topics)
    sources = np.array([k for k in range(estimator.components_.shape[0]) if k not in dropped])
    record: Record = {"operation": operation, "topics": sorted(dropped), "sources": sources}
    return apply_edit(model, with_classifier(estimator, model, record, corpus), text)
