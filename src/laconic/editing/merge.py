"""``laconic.merge``: replace several topics by one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from laconic.editing.applying import apply_edit, number_map
from laconic.editing.classifier import with_classifier
from laconic.editing.topics import TopicName, as_list, editable_step, find_topics
from laconic.errors import LaconicError
from laconic.fitted.notes import TopicNote, names_of, notes_of
from laconic.fitted.pipeline_steps import last_step
from laconic.models.edits.records import Record, edits_of
from laconic.wording import some


def merge(
    model: Any, topics: Iterable[TopicName] | Iterable[Iterable[TopicName]], corpus: Any = None
) -> Any:
    """Return a new model in which several topics are one topic.

    The code of the merged topic is the sum of the codes of its topics, for all documents. Its words
    are the words of all topics, weighted by the shares of the topics. No other topic, and no other
    code of a document, changes by a single bit, because documents are still coded with the topics
    of the fit.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model, which is not changed.
    topics : list of int or str, or list of such lists
        At least two topics, by number or name, or several groups of topics, such as
        ``laconic.topic_tree(model).cut(5).members``, which are merged one after the other; groups
        of one topic stay as they are. The merged topic takes the place of the first, with
        its name, note and number; the other topics are closed up, so later topics get lower
        numbers, see `laconic.edits`.
    corpus : Corpus, optional
        Only for MedSTC: labelled documents on which the classifier is trained again. By default,
        the merged topic has the weighted mean of the coefficients of its topics.

    Returns
    -------
    estimator or Pipeline
        A model of the same class, which can be saved, used and edited like any other.
        `laconic.undo` takes the edit back.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(60, 100, 4, words_per_topic=10)
    >>> model = laconic.PLSA(n_components=4).fit(corpus)
    >>> merged = laconic.merge(model, [1, 3])
    >>> merged.components_.shape, model.components_.shape
    ((3, 100), (4, 100))
    >>> before, after = model.transform(corpus), merged.transform(corpus)
    >>> bool(abs(after[:, [1]] - before[:, [1]] - before[:, [3]]).max() < 1e-6)
    True
    """
    given = as_list(topics)
    if given and not any(isinstance(topic, (int, np.integer, str)) for topic in given):
        return _merge_groups(model, given, corpus)
    estimator = editable_step(model)
    numbers = find_topics(model, given)
    if len(numbers) < 2:
        raise LaconicError(
            f"merge needs at least two topics; got only topic {numbers[0]}. Give another topic."
        )
    first, others = numbers[0], set(numbers[1:])
    sources = np.array([k for k in range(estimator.components_.shape[0]) if k not in others])
    target = int(np.flatnonzero(sources == first)[0])
    sources[target] = -1
    record: Record = {"operation": "merge", "topics": numbers, "sources": sources}
    record = with_classifier(estimator, model, record, corpus)
    text = f"merged topics {some(numbers, 20)} into topic {target}"
    return apply_edit(model, record, text, note=merged_note(model, numbers))


def _merge_groups(model: Any, groups: list[Any], corpus: Any) -> Any:
    """Merge the topics of each group, one group after the other."""
    editable_step(model)
    numbers = [find_topics(model, group) for group in groups]
    find_topics(model, [topic for group in numbers for topic in group])  # each topic only once
    for position, group in enumerate(numbers):
        if len(group) > 1:
            model = merge(model, group, corpus)
            new = number_map(edits_of(last_step(model))[-1])
            rest = numbers[position + 1 :]
            numbers[position + 1 :] = [[new[topic] for topic in other] for other in rest]
    return model


def merged_note(model: Any, topics: list[int]) -> TopicNote | None:
    """Return the name and the notes of merged topics: the first name, and all notes."""
    notes, names = notes_of(model), names_of(model)
    found = [notes[topic] for topic in topics if topic in notes]
    name = next((names[topic] for topic in topics if topic in names), None)
    if not found and name is None:
        return None
    texts = [note.note for note in found if note.note]
    hidden = all(notes.get(topic, TopicNote()).hidden for topic in topics)
    return TopicNote().changed(
        {"name": name, "hidden": hidden, "note": "\n\n".join(dict.fromkeys(texts))[:10_000]}
    )
