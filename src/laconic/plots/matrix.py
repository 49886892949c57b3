"""Matrix of topics and words with a circle for each nonzero weight, which shows the sparsity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.fitted.similar_topics import topic_likeness
from laconic.plots.style import styled
from laconic.plots.topic_view import (
    ChartView,
    chart_view,
    check_integer,
    count_label,
    percent,
    rounded,
)
from laconic.plots.words import SIGNS

MAX_TOPICS, MAX_WORDS = 40, 60
STEP = 17  # space per topic and per word, in points
FEW = 8  # up to this number of topics, topics are twice as far apart
# Weights up to this fraction of the largest weight are not drawn, because they would be invisible
INVISIBLE = 3e-3


def topic_word_matrix(
    model: Any,
    topics: Sequence[int] | None = None,
    n_words: int = MAX_WORDS,
    *,
    terms: str | None = None,
) -> Any:
    """Draw a table of topics and words; the area of each circle is a weight.

    Topics that share words are next to each other, and words are grouped by their strongest topic.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.
    topics : sequence of int, optional
        Topics to draw (rows of ``components_``). Default: the 40 topics with the largest shares.
    n_words : int, default=60
        Maximum number of words. The strongest word of each topic is drawn, then the second
        strongest word of each topic, and so on.
    terms : str, optional
        Plural noun to use instead of "words", such as "genes"; see `laconic.with_nouns`.

    Returns
    -------
    altair.Chart

    Examples
    --------
    >>> from laconic import Corpus, SparseLSA
    >>> corpus = Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> chart = topic_word_matrix(SparseLSA(2, alpha=0.1).fit(corpus))
    >>> [(cell["topic"], cell["word"]) for cell in chart.to_dict()["data"]["values"]]
    [(0, 'cat'), (0, 'purr'), (1, 'dog')]
    """
    check_integer("n_words", n_words)
    view = chart_view(model, terms)
    chosen = view.chosen(topics, MAX_TOPICS)
    columns = strongest_words(view, chosen, n_words)
    if not len(columns):
        raise LaconicError(
            f"None of these topics has any {view.nouns.terms}, so there is nothing to draw."
        )
    chosen = similarity_order(topic_likeness(model), chosen)
    weights = np.array([view.row(topic)[columns] for topic in chosen])
    order = column_order(weights)
    return styled(_chart(view, chosen, columns[order], weights[:, order]))


def strongest_words(view: ChartView, topics: np.ndarray, n_words: int) -> np.ndarray:
    """Return the columns of words: first the strongest word of each topic, then the second, …"""
    ranked = [view.columns(topic, n_words).tolist() for topic in topics]
    columns: dict[int, None] = {}
    for rank in range(n_words):
        for words in ranked:
            if rank < len(words) and len(columns) < n_words:
                columns[words[rank]] = None
    return np.array(list(columns), dtype=np.int64)


def similarity_order(likeness: np.ndarray, topics: np.ndarray) -> np.ndarray:
    """Order topics by hierarchical clustering, so that neighbours are similar."""
    if len(topics) < 3:
        return topics
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    distances = 1 - np.nan_to_num(likeness[np.ix_(topics, topics)])
    distances = np.maximum((distances + distances.T) / 2, 0)
    tree = linkage(squareform(distances, checks=False), "average", optimal_ordering=True)
    leaves = leaves_list(tree)
    if leaves[0] > leaves[-1]:  # start with the end that has the larger topic
        leaves = leaves[::-1]
    return np.asarray(topics[leaves])


def column_order(weights: np.ndarray) -> np.ndarray:
    """Order columns by the row of their largest weight and then by decreasing largest weight."""
    sizes = np.abs(weights)
    return np.lexsort((-sizes.max(axis=0), sizes.argmax(axis=0)))


def _chart(view: ChartView, topics: np.ndarray, columns: np.ndarray, weights: np.ndarray) -> Any:
    alt = require("altair")
    names = view.labels(topics)
    words = [view.word(column) for column in columns]
    values = [
        {
            "topic": int(topics[row]),
            "name": names[int(topics[row])],
            "word": words[column],
            "weight": rounded(weights[row, column]),
        }
        for row, column in zip(*np.nonzero(_is_visible(weights)), strict=True)
    ]
    signed, nouns, subtitle = np.any(weights < 0), view.nouns, _subtitle(view, topics, weights)
    axis = alt.Axis(grid=True, ticks=False, domain=False, labelLimit=150)
    return (
        alt.Chart(alt.Data(values=values))
        .mark_circle(opacity=0.8)
        .transform_calculate(
            size="abs(datum.weight)", sign=f"datum.weight > 0 ? '{SIGNS[0]}' : '{SIGNS[1]}'"
        )
        .encode(
            x=alt.X(
                "name:N",
                title=None,
                scale=alt.Scale(domain=[names[int(topic)] for topic in topics]),
                axis=alt.Axis(
                    orient="top", labelAngle=-55, grid=True, ticks=False, domain=False,
                    labelLimit=170, labelPadding=9,
                ),
            ),
            y=alt.Y("word:N", title=None, scale=alt.Scale(domain=words), axis=axis),
            size=alt.Size(
                "size:Q", legend=None, scale=alt.Scale(zero=True, rangeMin=0, rangeMax=STEP**2)
            ),
            color=alt.Color(
                "sign:N",
                title=None,
                legend=alt.Legend(orient="right") if signed else None,
                scale=alt.Scale(domain=list(SIGNS)),
            ),
            tooltip=[
                alt.Tooltip("word:N", title=nouns.term),
                alt.Tooltip("name:N", title="topic"),
                "weight:Q",
            ],
        )
        .properties(
            width=alt.Step(STEP if len(topics) > FEW else 2 * STEP),
            height=alt.Step(STEP),
            title=alt.Title(nouns.fill("Topics by {terms}"), subtitle=subtitle),
            description=nouns.fill("Table of topics and {terms} with a circle for each weight"),
        )
    )  # fmt: skip


def _subtitle(view: ChartView, topics: np.ndarray, weights: np.ndarray) -> list[str]:
    n_all = view.weights.shape[0] * view.weights.shape[1]
    zeros = 1 - view.weights.nnz / max(n_all, 1)
    here = 1 - np.count_nonzero(weights) / weights.size
    faint = np.count_nonzero((weights != 0) & ~_is_visible(weights)) / weights.size
    words = f"{weights.shape[1]:,} of {view.nouns.n_terms(view.weights.shape[1])}"
    small = f"; {percent(faint)} are too small to be visible" if faint else ""
    return [
        f"Areas are weights; {count_label(len(topics), len(view.visible), 'topics')}, {words}",
        f"{percent(zeros)} of all weights of the model are zero, {percent(here)} of those shown"
        + small,
    ]


def _is_visible(weights: np.ndarray) -> np.ndarray:
    """Return a mask of the weights that are large enough for a visible circle."""
    return np.asarray(np.abs(weights) > INVISIBLE * np.abs(weights).max())
