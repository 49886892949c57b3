"""What a corpus is about, at a glance."""

from __future__ import annotations

from typing import Any

import laconic.plots
from laconic.fitted.notes import TopicNote
from laconic.fitted.shares import about_shares
from laconic.web.material import Material
from laconic.web.views.common import rounded
from laconic.web.views.figures import figures, name_of

ALL_WORDS = 25  # of a topic that has no more
SOME_WORDS, FEW_WORDS = 10, 8
MANY_TOPICS = 200


def overview(material: Material) -> dict[str, Any]:
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


def has(material: Material) -> dict[str, Any]:
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


def _topic(material: Material, topic: int) -> dict[str, Any]:
    note = material.notes.get(topic, TopicNote())
    n_words = int(material.n_words_of[topic])
    few = FEW_WORDS if material.n_topics > MANY_TOPICS else SOME_WORDS
    shown = n_words if n_words <= ALL_WORDS and material.n_topics <= MANY_TOPICS else few
    return {
        "topic": topic,
        "name": note.name,
        "hidden": note.hidden,
        "note": note.note,
        "share": rounded(material.shares[topic]),
        "n_words": n_words,
        "words": [[word, rounded(weight)] for word, weight in material.top_words(topic, shown)],
    }
