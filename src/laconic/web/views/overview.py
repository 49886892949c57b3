"""What a corpus is about, at a glance: all topics, and the model in a few numbers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

import laconic.plots
from laconic.fitted.notes import TopicNote
from laconic.fitted.shares import about_shares
from laconic.models import MODELS
from laconic.web.page_data import PageData
from laconic.web.views.common import rounded
from laconic.wording import plural

ALL_WORDS = 25  # of a topic that has no more
SOME_WORDS, FEW_WORDS = 10, 8
MANY_TOPICS = 200
Figure = tuple[str, str, str]


def overview(material: PageData) -> dict[str, Any]:
    """All topics with their words, and what there is to look at."""
    return {
        "title": material.title,
        "model": name_of(material),
        "class": type(material.estimator).__name__,
        "signed": material.is_signed,
        "distributions": material.are_distributions,
        "n_topics": material.n_topics,
        "n_words": len(material.words),
        "n_documents": material.n_documents,
        "about_share": about_shares(material.estimator),
        "figures": figures(material),
        "has": has(material),
        "charts": [
            {"name": name, "about": laconic.plots.CHARTS[name].about}
            for name in laconic.plots.applicable(material.model)
        ],
        "topics": [_topic(material, topic) for topic in material.order],
    }


def has(material: PageData) -> dict[str, Any]:
    """Which views of a model there are."""
    estimator = material.estimator
    texts = material.texts is not None
    return {
        "documents": material.n_documents > 0,
        "texts": texts,
        "labels": material.documents is not None and material.documents.labels is not None,
        "groups": None if material.groups is None else material.groups.kind,
        "search": material.index is not None,
        "word_codes": hasattr(estimator, "word_codes"),
        "keywords": texts or (hasattr(estimator, "keywords") and material.corpus is not None),
        "graph": getattr(estimator, "topic_precision_", None) is not None,
        "compare": material.other is not None,
        "write": material.write,
    }


def _topic(material: PageData, topic: int) -> dict[str, Any]:
    note = material.notes.get(topic, TopicNote())
    n_words = int(material.n_words_of[topic])
    few = FEW_WORDS if material.n_topics > MANY_TOPICS else SOME_WORDS
    shown = n_words if n_words <= ALL_WORDS and material.n_topics <= MANY_TOPICS else few
    return {
        "topic": topic,
        **asdict(note),
        "share": rounded(material.shares[topic]),
        "n_words": n_words,
        "words": [[word, rounded(weight)] for word, weight in material.top_words(topic, shown)],
    }


# --- figures --------------------------------------------------------------------------------------


def figures(material: PageData) -> list[Figure]:
    """Label, value and meaning of what tells how sparse and how settled a model is."""
    return [
        *_of_topics(material),
        *_of_documents(material),
        *_of_kinds(material),
        _of_fit(material),
    ]


def name_of(material: PageData) -> str:
    """The name of the model on the command line."""
    names = {cls: name for name, cls in MODELS.items()}
    return names.get(type(material.estimator), type(material.estimator).__name__)


def _of_topics(material: PageData) -> list[Figure]:
    n_topics, n_words = material.components.shape
    zeros = 1 - material.components.nnz / max(1, n_topics * n_words)
    return [
        (
            "words of a topic",
            _number(material.n_words_of.mean()),
            "How many words have a weight in a topic, on average.",
        ),
        ("zeros in topics", _percent(zeros), "Weights of words in topics that are exactly zero."),
    ]


def _of_documents(material: PageData) -> list[Figure]:
    documents = material.documents
    if documents is None or not len(documents):
        return []
    per_document = documents.codes.nnz / len(documents)
    zeros = 1 - per_document / material.n_topics
    return [
        (
            "topics of a document",
            _number(per_document),
            "How many topics have a weight in a document, on average.",
        ),
        ("zeros in documents", _percent(zeros), "Weights of topics in documents that are zero."),
    ]


def _of_kinds(material: PageData) -> list[Figure]:
    estimator = material.estimator
    found: list[Figure] = []
    word_topics = getattr(estimator, "word_topics_", None)
    if word_topics is not None:
        used = np.diff(word_topics.indptr)
        mean = used[used > 0].mean() if (used > 0).any() else 0.0
        found.append(
            ("topics of a word", _number(mean), "Over all documents; the senses of the word.")
        )
    kept = getattr(estimator, "keywords_", None)
    if kept is not None and kept.shape[0]:
        found.append(
            (
                "keywords of a document",
                _number(kept.nnz / kept.shape[0]),
                "Words that the background does not explain, on average.",
            )
        )
    classes = getattr(estimator, "classes_", None)
    if classes is not None:
        found.append(("classes", f"{len(classes):,}", "That the model learned to tell apart."))
    return found


def _of_fit(material: PageData) -> Figure:
    passes = getattr(material.estimator, "n_iter_", None)
    settled = bool(getattr(material.estimator, "converged_", True))
    value = "known" if passes is None else plural(int(passes), "pass", "passes")
    about = (
        "Over the documents, until a pass changed little."
        if settled
        else "Over the documents; more would still have changed it."
    )
    return ("fitted in", value, about)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _percent(share: float) -> str:
    """Per cent; what is nearly all or nearly nothing does not look like it.

    Examples
    --------
    >>> _percent(0.512), _percent(0.9972), _percent(0.99999), _percent(1.0), _percent(0.0002)
    ('51.2 %', '99.72 %', 'over 99.99 %', '100.0 %', 'under 0.1 %')
    """
    if 0.9999 < share < 1:
        return "over 99.99 %"
    if 0 < share < 0.001:
        return "under 0.1 %"
    digits = 2 if 0.99 <= share < 1 else 1
    return f"{100 * share:.{digits}f} %"
