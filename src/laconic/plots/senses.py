"""Bar chart of the senses of a word; each topic that contains the word is a sense."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.fitted.pipeline_steps import coding_topics
from laconic.plots.style import styled
from laconic.plots.topic_view import ChartView, chart_view, count_label, rounded, shorten
from laconic.plots.words import SIGNS

MAX_TOPICS = 15
BAR = 22  # height of a bar in points


def word_senses(model: Any, word: str | int, *, terms: str | None = None) -> Any:
    """Draw the topics of a word as bars.

    For models with word codes (STC, MedSTC), a bar is the share of a topic in the codes of the
    word, over all documents of the fit. For other models whose topics are distributions over words,
    a bar is the probability of a topic given the word. For the remaining models, a bar is the
    weight of the word in a topic.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.
    word : str
        The word, or its column number if the model was fitted without a vocabulary.
    terms : str, optional
        Plural noun to use instead of "words", such as "genes"; see `laconic.with_nouns`.

    Returns
    -------
    altair.Chart

    Examples
    --------
    >>> from laconic import Corpus, SparseLSA
    >>> corpus = Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> chart = word_senses(SparseLSA(2, alpha=0.1).fit(corpus), "dog")
    >>> [bar["topic"] for bar in chart.to_dict()["data"]["values"]]
    [1]
    """
    view = chart_view(model, terms)
    column = view.column_of(word)
    weights, description = weights_of(view, column)
    visible = np.zeros(view.n_topics, dtype=bool)
    visible[view.visible] = True
    topics = np.flatnonzero((weights != 0) & visible)
    if not len(topics):
        raise LaconicError(
            f"No topic contains the {view.nouns.term} {shorten(str(word), column)!r}, so there is "
            "nothing to draw."
        )
    topics = topics[np.argsort(-np.abs(weights[topics]), kind="stable")]
    return styled(_bars(view, shorten(str(word), column), weights, topics, description))


def weights_of(view: ChartView, column: int) -> tuple[np.ndarray, str]:
    """Return the lengths of the bars (one per topic) for a word, and what they mean."""
    estimator = view.estimator
    if hasattr(estimator, "word_topics_"):
        codes = np.asarray(estimator.word_topics_[[column]].todense(), dtype=np.float64).ravel()
        return codes / (codes.sum() or 1.0), view.nouns.fill(
            "share of the codes of the {term}, over all {items}"
        )
    weights = np.asarray(view.weights[:, [column]].todense(), dtype=np.float64).ravel()
    if not weights.any():  # not among the words that a short topic shows
        topics = sp.csc_matrix(coding_topics(estimator))
        weights = np.asarray(topics[:, [column]].todense(), dtype=np.float64).ravel()
    if view.are_distributions:
        joint = weights * view.shares
        return joint / (joint.sum() or 1.0), view.nouns.fill(
            "probability of the topic given the {term}"
        )
    return weights, _weight_of(view)


def _weight_of(view: ChartView) -> str:
    return view.nouns.fill("weight of the {term} in the topic")


def _bars(
    view: ChartView, word: str, weights: np.ndarray, topics: np.ndarray, description: str
) -> Any:
    alt = require("altair")
    drawn = topics[:MAX_TOPICS].tolist()
    names = view.labels(drawn)
    values = [
        {
            "topic": topic,
            "name": names[topic],
            "weight": rounded(weights[topic]),
            "sign": SIGNS[int(weights[topic] < 0)],
        }
        for topic in drawn
    ]
    are_shares = description != _weight_of(view)
    number = ".1%" if are_shares else ".4g"
    axis = alt.Axis(format="~%" if are_shares else "~g", tickCount=5, domain=False)
    legend = alt.Legend(orient="top") if any(weights[topic] < 0 for topic in drawn) else None
    return (
        alt.Chart(alt.Data(values=values))
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            x=alt.X("weight:Q", title=None, axis=axis),
            y=alt.Y(
                "name:N",
                title=None,
                sort=list(names.values()),
                axis=alt.Axis(ticks=False, domain=False, labelLimit=240),
            ),
            color=alt.Color(
                "sign:N", title=None, legend=legend, scale=alt.Scale(domain=list(SIGNS))
            ),
            tooltip=[
                alt.Tooltip("name:N", title="topic"),
                alt.Tooltip("weight:Q", title="weight", format=number),
            ],
        )
        .properties(
            width=420,
            height=alt.Step(BAR),
            title=alt.Title(
                f"Topics of “{word}”",
                subtitle=f"{count_label(len(drawn), len(topics), 'topics')}; {description}",
            ),
            description=view.nouns.fill("Topics of a {term} as bars"),
        )
    )
