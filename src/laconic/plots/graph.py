"""Graph of correlated topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.fitted.graph import topic_graph as edges_of
from laconic.fitted.similar_topics import topic_likeness
from laconic.fitted.topic_groups import group_topics
from laconic.plots.labels import UNMEASURED
from laconic.plots.layout import Field, radii_of, spread
from laconic.plots.map import (
    circle_layer,
    circles,
    fit_field,
    name_layer,
    position_encodings,
)
from laconic.plots.style import styled, wrap
from laconic.plots.topic_view import ChartView, chart_view, check_letters, check_width, rounded

MAX_EDGES = 200
FIELD = Field(720, 500)
SMALLER = 0.6  # radius relative to the circles of the topic map, to leave room for edges
SIGNS = ("correlated", "anticorrelated")
WIDTHS = [0.8, 5.0]  # minimum and maximum width of an edge, in points


def topic_graph(
    model: Any,
    topics: Sequence[int] | None = None,
    *,
    width: int | None = None,
    letters: int = UNMEASURED,
) -> Any:
    """Draw the graph of partial correlations between topics, given all other topics.

    Topics without an edge are left out.

    Parameters
    ----------
    model : SCTM or Pipeline that ends in one
        A model fitted with ``correlated=True``.
    topics : sequence of int, optional
        Topics to highlight in another colour.
    width : int, optional
        Maximum width of the chart in points, for example to fit the screen of a phone.
    letters : int, default=120
        Width of the letters in percent of their width in Helvetica; see `topic_map`.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 60, 4, words_per_topic=10)
    >>> model = laconic.SCTM(4, correlated=True).fit(corpus)
    >>> topic_graph(model).to_dict()["title"]["text"]
    'Graph of topics'
    """
    edges = edges_of(model)  # raises LaconicError if the model has no graph
    check_width(width)
    check_letters(letters)
    view = chart_view(model)
    chosen = set(() if topics is None else view.chosen(topics, 0).tolist())
    visible = set(view.visible.tolist())
    rows = [
        (edge["topic"], edge["other"], edge["weight"])
        for edge in edges.iter_rows(named=True)
        if {edge["topic"], edge["other"]} <= visible
    ][:MAX_EDGES]
    if not rows:
        raise LaconicError(
            "The graph of the model has no edges between visible topics; refit it with a smaller "
            "graph_alpha."
        )
    linked = {topic for first, second, _ in rows for topic in (first, second)}
    order = np.array([topic for topic in view.visible.tolist() if topic in linked])
    groups = group_topics(topic_likeness(model), view.shares)
    return styled(_chart(view, order, rows, len(edges), groups, chosen, width, letters))


def _chart(
    view: ChartView,
    order: np.ndarray,
    rows: list[tuple[int, int, float]],
    n_edges: int,
    groups: np.ndarray,
    chosen: set[int],
    width: int | None,
    letters: int,
) -> Any:
    alt = require("altair")
    field = fit_field(FIELD, width)
    radii = SMALLER * radii_of(view.shares[order], field)
    centres = spread(_strengths(order, rows), radii, field)
    nodes = circles(view, order, centres, radii, groups, chosen)
    layers = [
        _edge_layer(alt, view, order, centres, rows, field),
        _ground_layer(alt, nodes, field),
        circle_layer(alt, view.nouns, nodes, field),
        name_layer(alt, view, nodes, order, field, letters),
    ]
    edges = f"the {len(rows)} strongest of {n_edges:,}" if len(rows) < n_edges else f"{n_edges}"
    subtitle = (
        f"{len(order)} of {len(view.visible)} topics with {edges} edges: partial correlations, "
        "thicker if stronger"
    )
    return alt.layer(*layers).properties(
        width=field.width,
        height=field.height,
        title=alt.Title("Graph of topics", subtitle=wrap(subtitle, width, letters)),
        description="Graph of topics, with partial correlations as edges",
    )


def _ground_layer(alt: Any, nodes: list[dict[str, Any]], field: Field) -> Any:
    """Draw discs in the background colour, so that edges are not visible through the circles."""
    values = [{name: node[name] for name in ("x", "y", "area")} for node in nodes]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_circle(style="ground", opacity=1)
        .encode(**position_encodings(alt, field), size=alt.Size("area:Q", scale=None, legend=None))
    )


def _strengths(order: np.ndarray, rows: list[tuple[int, int, float]]) -> np.ndarray:
    """Return a matrix of the attraction between topics, from 0 to 1; negative weights give 0."""
    index = {topic: number for number, topic in enumerate(order.tolist())}
    strongest = max(abs(weight) for _, _, weight in rows)
    strengths = np.zeros((len(order), len(order)))
    for first, second, weight in rows:
        strength = max(weight, 0) / strongest
        strengths[index[first], index[second]] = strengths[index[second], index[first]] = strength
    return strengths


def _edge_layer(
    alt: Any,
    view: ChartView,
    order: np.ndarray,
    centres: np.ndarray,
    rows: list[tuple[int, int, float]],
    field: Field,
) -> Any:
    at = {
        topic: centre.round(2).tolist()
        for topic, centre in zip(order.tolist(), centres, strict=True)
    }
    names = view.labels(order)
    values = [
        {
            **{"x": at[first][0], "y": at[first][1], "x2": at[second][0], "y2": at[second][1]},
            "first": names[first],
            "second": names[second],
            "weight": rounded(weight),
            "strength": rounded(abs(weight)),
            "sign": SIGNS[int(weight < 0)],
        }
        for first, second, weight in rows
    ]
    sign = {"title": None, "scale": alt.Scale(domain=list(SIGNS))}
    return (
        alt.Chart(alt.Data(values=values))
        .mark_rule(opacity=0.65)
        .encode(
            **position_encodings(alt, field),
            x2="x2:Q",
            y2="y2:Q",
            color=alt.Color("sign:N", **sign, legend=alt.Legend(orient="top")),
            strokeDash=alt.StrokeDash(
                "sign:N",
                title=None,
                scale=alt.Scale(domain=list(SIGNS), range=[[1, 0], [5, 4]]),
                legend=alt.Legend(orient="top"),
            ),
            strokeWidth=alt.StrokeWidth(
                "strength:Q", legend=None, scale=alt.Scale(zero=True, range=WIDTHS)
            ),
            tooltip=[
                alt.Tooltip("first:N", title="topic"),
                alt.Tooltip("second:N", title="and"),
                alt.Tooltip("weight:Q", format="+.3f"),
            ],
        )
    )
