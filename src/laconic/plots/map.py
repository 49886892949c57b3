"""Topic map: nearby circles are topics that share words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic.extras import require
from laconic.fitted.similar_topics import topic_likeness
from laconic.fitted.topic_groups import GROUPS, LEFT_OUT, group_topics
from laconic.plots.labels import HELVETICA, UNMEASURED, fit_labels, width_of
from laconic.plots.layout import Field, place, radii_of
from laconic.plots.style import PADDING, styled, wrap
from laconic.plots.topic_view import (
    ChartView,
    chart_view,
    check_integer,
    check_letters,
    check_width,
    count_label,
    rounded,
)
from laconic.wording import Nouns

MAX_TOPICS = 5_000
MEASURED_TOPICS = 100  # maximum number of topics whose names are used to measure a font
SENTENCE = "nearby topics share {terms}; areas are topic shares"
TOOLTIP_WORDS = 8
FIELDS = {
    2: Field(460, 150),
    6: Field(460, 300),
    150: Field(720, 500),
}  # maps a maximum number of topics to the field for up to that number of topics
LARGE = Field(780, 660)
UPRIGHT, TALL = 1.35, 430  # maximum height of a narrow map, relative to its width and in points
LINE = 13  # line height in points


def topic_map(
    model: Any,
    topics: Sequence[int] | None = None,
    *,
    random_state: int = 0,
    width: int | None = None,
    letters: int = UNMEASURED,
    terms: str | None = None,
) -> Any:
    """Draw topics as circles on a plane, where nearby topics share words.

    The area of a circle is the share of the topic, and its colour is its group of similar topics;
    topics that are similar to few others are grey. Names are drawn where they fit, and tooltips
    show the words of each topic.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.
    topics : sequence of int, optional
        Topics to highlight: they have one colour, and all other topics have another.
    random_state : int, default=0
        Seed of the layout. The same seed gives exactly the same map with any number of threads.
    width : int, optional
        Maximum width of the chart in points, for example to fit the screen of a phone. The default
        depends on the number of topics.
    letters : int, default=120
        Width of the letters of the font in percent of their width in Helvetica, for example 100
        for Arial. With the default value, the names fit in almost any font.
    terms : str, optional
        Plural noun to use instead of "words", such as "genes"; see `laconic.with_nouns`.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 60, 4, words_per_topic=10)
    >>> chart = topic_map(laconic.PLSA(4).fit(corpus))
    >>> len(chart.to_dict()["layer"][0]["data"]["values"])
    4
    """
    check_integer("random_state", random_state, least=0)
    check_width(width)
    check_letters(letters)
    view = chart_view(model, terms)
    chosen = set(() if topics is None else view.chosen(topics, 0).tolist())
    order = view.visible[:MAX_TOPICS]
    default = next((field for most, field in FIELDS.items() if len(order) <= most), LARGE)
    field = fit_field(default, width)
    radii = radii_of(view.shares[order], field)
    likeness = topic_likeness(model)
    centres = place(likeness[np.ix_(order, order)], radii, field, random_state)
    groups = group_topics(likeness, view.shares)
    nodes = circles(view, order, centres, radii, groups, chosen)
    return styled(_chart(view, order, nodes, field, width, letters))


def fit_field(default: Field, width: int | None) -> Field:
    """Fit the field to the maximum width of a chart; narrow fields are higher than wide.

    Examples
    --------
    >>> fit_field(Field(720, 500), 344)
    Field(width=320, height=430)
    """
    if width is None:
        return default
    across = min(default.width, max(width - 2 * PADDING, 1))
    height = max(
        default.height * across / default.width, min(UPRIGHT * across, TALL, default.height)
    )
    return Field(across, round(height))


def _chart(
    view: ChartView,
    order: np.ndarray,
    nodes: list[dict[str, Any]],
    field: Field,
    width: int | None,
    letters: int,
) -> Any:
    alt = require("altair")
    subtitle = count_label(len(order), len(view.visible), "topics")
    if len(order) > 1:
        subtitle += f"; {view.nouns.fill(SENTENCE)}"
    layers = [
        circle_layer(alt, view.nouns, nodes, field),
        name_layer(alt, view, nodes, order, field, letters),
    ]
    return alt.layer(*layers).properties(
        width=field.width,
        height=field.height,
        title=alt.Title("Map of topics", subtitle=wrap(subtitle, width, letters)),
        description=view.nouns.fill("Map of topics on which nearby topics share {terms}"),
    )


def circles(
    view: ChartView,
    order: np.ndarray,
    centres: np.ndarray,
    radii: np.ndarray,
    groups: np.ndarray,
    chosen: set[int],
) -> list[dict[str, Any]]:
    """Return a row of chart data for each topic."""
    names = view.labels(order)
    return [
        {
            "topic": topic,
            "name": names[topic],
            "share": rounded(view.shares[topic]),
            "words": ", ".join(map(view.word, view.columns(topic, TOOLTIP_WORDS))),
            "x": round(float(x), 2),
            "y": round(float(y), 2),
            "area": round(float(np.pi * radius**2), 2),
            "group": int(groups[topic]),
            "chosen": topic in chosen,
        }
        for topic, (x, y), radius in zip(order.tolist(), centres, radii, strict=True)
    ]


def position_encodings(alt: Any, field: Field) -> dict[str, Any]:
    """Return encodings that place each mark at the position (x, y) of its data, in points."""
    return {
        name: channel(
            f"{name}:Q", axis=None, title=None, scale=alt.Scale(domain=[0, end], nice=False)
        )
        for name, channel, end in (("x", alt.X, field.width), ("y", alt.Y, field.height))
    }


def circle_layer(alt: Any, nouns: Nouns, values: list[dict[str, Any]], field: Field) -> Any:
    """Draw topics as circles, coloured by group or, if topics are chosen, by choice."""
    if any(value["chosen"] for value in values):
        colour, scale = "chosen:N", alt.Scale(domain=[False, True])
    else:
        colour, scale = "group:O", alt.Scale(domain=[*range(GROUPS), LEFT_OUT])
    return (
        alt.Chart(alt.Data(values=values))
        .mark_circle(fillOpacity=0.3, strokeOpacity=0.9, strokeWidth=1.2, opacity=1)
        .encode(
            **position_encodings(alt, field),
            size=alt.Size("area:Q", scale=None, legend=None),
            fill=alt.Fill(colour, legend=None, scale=scale),
            stroke=alt.Stroke(colour, legend=None, scale=scale),
            tooltip=_tooltip(alt, nouns),
        )
    )


def name_layer(
    alt: Any,
    view: ChartView,
    nodes: list[dict[str, Any]],
    order: np.ndarray,
    field: Field,
    letters: int,
) -> Any:
    """Draw the names that fit, with the same tooltips as their circles."""
    words = [naming(view, topic) for topic in order.tolist()]
    centres = np.array([[node["x"], node["y"]] for node in nodes])
    radii = np.sqrt(np.array([node["area"] for node in nodes]) / np.pi)
    values = [
        {
            **{name: nodes[label.circle][name] for name in ("topic", "name", "share", "words")},
            "lines": label.lines,
            "align": label.align,
            "inside": label.inside,
            "x": round(label.x, 1),
            "y": round(label.y + LINE * (len(label.lines) - 1) / 2, 1),
        }
        for label in fit_labels(centres, radii, words, field, letters=letters)
    ]
    base = alt.Chart(alt.Data(values=values)).encode(
        **position_encodings(alt, field), text="lines:N", tooltip=_tooltip(alt, view.nouns)
    )
    look = {"baseline": "middle", "lineHeight": LINE, "align": alt.ExprRef("datum.align")}
    halo = base.transform_filter("!datum.inside").mark_text(style="halo", **look)
    return alt.layer(halo, base.mark_text(**look))


def _tooltip(alt: Any, nouns: Nouns) -> list[Any]:
    return [
        alt.Tooltip("topic:N"),
        alt.Tooltip("name:N"),
        alt.Tooltip("share:Q", format=".1%"),
        alt.Tooltip("words:N", title=nouns.terms),
    ]


def naming(view: ChartView, topic: int) -> list[str]:
    """Return the words of a topic's label; a name given by a user counts as one word."""
    name = view.given_names.get(topic)
    return [name] if name else view.naming_words(topic) or [f"topic {topic}"]


def written(model: Any) -> dict[str, float]:
    """Return texts of the topic charts and their widths in Helvetica, in points.

    A caller that knows the actual font can measure the same texts in that font. The largest ratio
    of actual width to Helvetica width, in percent, is the value of `letters` for which names fit.
    """
    view = chart_view(model)
    words = [word for topic in view.visible[:MEASURED_TOPICS] for word in naming(view, topic)]
    return {text: width_of(text, HELVETICA) for text in (view.nouns.fill(SENTENCE), *words)}
