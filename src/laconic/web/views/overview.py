"""Overview of a model: all topics and a few figures."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

import laconic.plots
from laconic.fitted.shares import about_shares
from laconic.models import MODELS
from laconic.models.edits.records import edits_of
from laconic.web.page_data import PageData
from laconic.web.views.common import automatic_name, rounded, stability
from laconic.web.views.spread import Spread, classes, similar_topics, spread_of, topic_groups

ALL_WORDS = 25  # if a topic has at most this many words, all of them are sent
# If a topic has more than ALL_WORDS words, only the first words are sent: SOME_WORDS words in a
# model with at most MANY_TOPICS topics, and FEW_WORDS words in a model with more topics.
SOME_WORDS, FEW_WORDS = 12, 8
MANY_TOPICS = 200
Figure = tuple[str, str, str]


def overview(page_data: PageData) -> dict[str, Any]:
    """Return all topics with their words, the figures, and the available views and charts."""
    alike, spread = similar_topics(page_data), spread_of(page_data)
    return {
        "title": page_data.title,
        "model": name_of(page_data),
        "class": type(page_data.estimator).__name__,
        "signed": page_data.is_signed,
        "distributions": page_data.are_distributions,
        "n_topics": page_data.n_topics,
        "n_words": len(page_data.words),
        "n_documents": page_data.n_documents,
        "waiting": page_data.is_waiting,
        "terms": page_data.nouns.terms,
        "about_share": about_shares(page_data.estimator, page_data.nouns),
        "figures": figures(page_data),
        "has": has(page_data),
        "charts": [
            {"name": name, "about": laconic.plots.CHARTS[name].about}
            for name in laconic.plots.applicable(page_data.model)
        ],
        "groups": topic_groups(page_data),
        "spread": None if spread is None else {"kind": spread.kind, "names": spread.names},
        "classes": classes(page_data),
        "topics": [_topic(page_data, topic, alike, spread) for topic in page_data.order],
    }


def has(page_data: PageData) -> dict[str, Any]:
    """Return which features are available for a model."""
    estimator = page_data.estimator
    texts = page_data.texts is not None
    return {
        "documents": page_data.n_documents > 0,
        "texts": texts,
        "labels": page_data.documents is not None and page_data.documents.labels is not None,
        "groups": None if page_data.is_waiting or not page_data.groups else page_data.groups.kind,
        "search": page_data.index is not None,
        "word_codes": hasattr(estimator, "word_codes"),
        "keywords": texts or (hasattr(estimator, "keywords") and page_data.corpus is not None),
        "graph": getattr(estimator, "topic_precision_", None) is not None,
        "compare": page_data.other is not None,
        "write": page_data.write,
        "edit": page_data.can_edit,
        "edits": len(edits_of(estimator)),
    }


def _topic(
    page_data: PageData, topic: int, alike: dict[int, int], spread: Spread | None
) -> dict[str, Any]:
    note = page_data.note_of(topic)
    n_words = int(page_data.n_words_of[topic])
    few = FEW_WORDS if page_data.n_topics > MANY_TOPICS else SOME_WORDS
    n_sent = n_words if n_words <= ALL_WORDS and page_data.n_topics <= MANY_TOPICS else few
    known = page_data.n_documents and not page_data.is_waiting
    return {
        "topic": topic,
        **asdict(note),
        "automatic": automatic_name(page_data, topic),
        "share": rounded(page_data.shares[topic]),
        "n_words": n_words,
        "n_documents": int(page_data.sums.n_documents[topic]) if known else None,
        "weak": not page_data.is_waiting and bool(page_data.weak[topic]),
        "stability": stability(page_data, topic),
        "like": alike.get(topic),
        "group": int(page_data.topic_groups[topic]),
        "words": [[word, rounded(weight)] for word, weight in page_data.top_words(topic, n_sent)],
        "spread": None if spread is None else spread.levels[topic].tolist(),
        "most": None if spread is None else spread.most(topic),
    }


# --- figures --------------------------------------------------------------------------------------


def figures(page_data: PageData) -> list[Figure]:
    """Return label, value and explanation of figures on the model's sparsity and convergence."""
    return [
        *_of_topics(page_data),
        *_of_documents(page_data),
        *_of_kinds(page_data),
        _of_fit(page_data),
    ]


def name_of(page_data: PageData) -> str:
    """Return the name that the command line uses for the type of the model, such as "stc"."""
    names = {cls: name for name, cls in MODELS.items()}
    return names.get(type(page_data.estimator), type(page_data.estimator).__name__)


def _of_topics(page_data: PageData) -> list[Figure]:
    nouns, (n_topics, n_words) = page_data.nouns, page_data.weights.shape
    zeros = 1 - page_data.weights.nnz / max(1, n_topics * n_words)
    return [
        (
            nouns.fill("{terms} per topic"),
            _number(page_data.n_words_of.mean()),
            nouns.fill("Mean number of {terms} with a nonzero weight in a topic."),
        ),
        (
            "zeros in topics",
            _percent(zeros),
            nouns.fill("Share of {term} weights that are exactly zero."),
        ),
    ]


def _of_documents(page_data: PageData) -> list[Figure]:
    documents = page_data.documents
    if documents is None or not len(documents):
        return []
    if page_data.is_waiting:
        return []
    nouns, per_document = page_data.nouns, page_data.sums.n_weights / len(documents)
    zeros = 1 - per_document / page_data.n_topics
    return [
        (
            nouns.fill("topics per {item}"),
            _number(per_document),
            nouns.fill("Mean number of topics with a nonzero weight in a {item}."),
        ),
        (nouns.fill("zeros in {items}"), _percent(zeros), "Share of topic weights that are zero."),
    ]


def _of_kinds(page_data: PageData) -> list[Figure]:
    estimator = page_data.estimator
    rows: list[Figure] = []
    word_topics = getattr(estimator, "word_topics_", None)
    if word_topics is not None:
        used = np.diff(word_topics.indptr)
        mean = used[used > 0].mean() if (used > 0).any() else 0.0
        rows.append(
            ("topics per word", _number(mean), "Mean number of senses of a word in all documents.")
        )
    keywords = getattr(estimator, "keywords_", None)
    if keywords is not None and keywords.shape[0]:
        rows.append(
            (
                "keywords per document",
                _number(keywords.nnz / keywords.shape[0]),
                "Mean number of words that the background does not explain.",
            )
        )
    classes = getattr(estimator, "classes_", None)
    if classes is not None:
        rows.append(("classes", f"{len(classes):,}", "Classes that the model predicts."))
    return rows


def _of_fit(page_data: PageData) -> Figure:
    passes = getattr(page_data.estimator, "n_iter_", None)
    converged = bool(getattr(page_data.estimator, "converged_", True))
    value = "unknown" if passes is None else f"{int(passes):,}"
    about = (
        "Passes over the {items} until convergence."
        if converged
        else "Passes over the {items}; the fit has not converged."
    )
    return ("passes", value, page_data.nouns.fill(about))


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _percent(share: float) -> str:
    """Format a share so that only the shares 0 and 1 are shown as 0 % and 100 %.

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
