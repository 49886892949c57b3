"""Bar chart of the senses of a word; each topic that contains the word is a sense."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.fitted.senses import topics_of_word
from laconic.plots.style import styled
from laconic.plots.topic_view import ChartView, chart_view, count_label, rounded, shorten
from laconic.plots.words import SIGNS

MAX_TOPICS = 15
BAR = 22  # height of a bar in points


def word_senses(model: Any, word: str | int, *, terms: str | None = None) -> Any:
    """Draw the topics of a word as bars.

    For models with word codes (STC, MedSTC), a bar is the share of a topic in the codes of the
    word, over all documents of the fit. For other models whose topics are distributions over words,
    a bar is the probability of a topic given the word. For the remaining models, a bar is the share
    of a topic in all weights of the word. `laconic.senses` returns the same numbers.

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
    topics, shares = topics_of_word(view, column)
    visible = np.isin(topics, view.visible)
    topics, shares = topics[visible], shares[visible]
    if not len(topics):
        raise LaconicError(
            f"No topic contains the {view.nouns.term} {shorten(str(word), column)!r}, so there is "
            "nothing to draw."
        )
    return styled(_bars(view, shorten(str(word), column), topics, shares))


def _description(view: ChartView) -> str:
    """Return what the length of a bar means."""
    if hasattr(view.estimator, "word_topics_"):
        return view.nouns.fill("share of the codes of the {term}, over all {items}")
    if view.are_distributions:
        return view.nouns.fill("probability of the topic given the {term}")
    return view.nouns.fill("share of the weights of the {term} in all topics")


def _bars(view: ChartView, word: str, topics: np.ndarray, shares: np.ndarray) -> Any:
    alt = require("altair")
    drawn = topics[:MAX_TOPICS].tolist()
    drawn_shares = shares[:MAX_TOPICS].tolist()
    names = view.labels(drawn)
    values = [
        {
            "topic": topic,
            "name": names[topic],
            "weight": rounded(share),
            "sign": SIGNS[int(share < 0)],
        }
        for topic, share in zip(drawn, drawn_shares, strict=True)
    ]
    axis = alt.Axis(format="~%", tickCount=5, domain=False)
    legend = alt.Legend(orient="top") if min(drawn_shares) < 0 else None
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
                alt.Tooltip("weight:Q", title="weight", format=".1%"),
            ],
        )
        .properties(
            width=420,
            height=alt.Step(BAR),
            title=alt.Title(
                f"Topics of “{word}”",
                subtitle=f"{count_label(len(drawn), len(topics), 'topics')}; {_description(view)}",
            ),
            description=view.nouns.fill("Topics of a {term} as bars"),
        )
    )
