"""Charts of topic shares by class or over time."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.fitted.documents import Documents, documents_for
from laconic.fitted.groups import Groups, group_documents
from laconic.plots.matrix import column_order
from laconic.plots.style import styled
from laconic.plots.topic_view import ChartView, chart_view, count_label, group_key, rounded

logger = logging.getLogger(__name__)

MAX_CLASSES, MAX_TOPICS, MAX_CURVES = 30, 30, 12
# Space per class or topic, in points; LARGE_STEP is used for at most FEW classes or topics
STEP, LARGE_STEP, FEW = 19, 34, 8
CURVES_IN_A_ROW = 3
DATES = {4: "%Y", 7: "%Y-%m", 10: "%Y-%m-%d"}  # maps the length of a date to its format


@dataclass(frozen=True)
class Table:
    """Mean shares of topics in groups of documents."""

    view: ChartView
    groups: Groups
    shares: np.ndarray  # array of shape (n_groups, n_topics)
    topics: np.ndarray  # numbers of the topics to draw

    def rows(self, n_groups: int | None = None) -> list[dict[str, Any]]:
        """Return a row of chart data for each group and topic."""
        names = self.view.labels(self.topics)
        return [
            {
                "topic": topic,
                "name": names[topic],
                "group": group,
                "share": rounded(self.shares[number, topic]),
                "documents": int(self.groups.sizes[number]),
            }
            for topic in self.topics.tolist()
            for number, group in enumerate(self.groups.names[:n_groups])
        ]


def topics_over_groups(
    model: Any,
    corpus: Any = None,
    topic: int | None = None,
    *,
    documents: Documents | None = None,
    items: str | None = None,
) -> Any:
    """Draw the mean share of topics in the documents of each class, year, month or day.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.
    corpus : Corpus, optional
        A corpus with labels. If all labels are years or dates, they are treated as times, otherwise
        as classes. Default: the documents that were saved with the model.
    topic : int, optional
        Draw only this topic, as bars for classes or as a curve over time. By default, classes are
        drawn as a heat map of the 30 largest classes and topics, and times as a curve for each of
        the twelve largest topics.
    documents : Documents, optional
        Documents whose codes are already computed; they are used instead of `corpus`.
    items : str, optional
        Plural noun to use instead of "documents", such as "samples"; see `laconic.with_nouns`.

    Returns
    -------
    altair.Chart

    Examples
    --------
    >>> from laconic import PLSA, Corpus
    >>> counts = [[4, 2, 0], [4, 3, 0], [0, 0, 2]]
    >>> corpus = Corpus(counts, ["cat", "purr", "dog"], labels=["a", "a", "b"])
    >>> chart = topics_over_groups(PLSA(2).fit(corpus), corpus)
    >>> sorted({cell["group"] for cell in chart.to_dict()["data"]["values"]})
    ['a', 'b']
    """
    view = chart_view(model, items=items)
    requested = None if topic is None else [topic]
    is_direct = documents is None  # the explorer draws often, and passes documents
    documents = documents if documents is not None else documents_for(model, corpus)
    groups = group_documents(documents)
    if groups is None:
        raise LaconicError(
            "The documents have no labels, so they cannot be grouped by class or by time; set "
            "label= when reading the corpus."
        )
    n_missing = int((groups.members < 0).sum())
    if n_missing and is_direct:
        logger.info(
            "%s of %s documents have no label and are left out",
            f"{n_missing:,}",
            f"{len(documents):,}",
        )
    groups = replace(
        groups, names=[group_key(name, number) for number, name in enumerate(groups.names)]
    )
    n_topics = MAX_TOPICS if groups.kind == "class" else MAX_CURVES
    table = Table(view, groups, groups.shares(documents), view.chosen(requested, n_topics))
    if groups.kind == "time":
        return styled(_curves(table))
    return styled(_heat_map(table) if len(table.topics) > 1 else _bars(table))


def _title(table: Table, grouping: str, more: Sequence[str] = ()) -> Any:
    alt = require("altair")
    names = table.view.labels(table.topics)
    head = (
        f"Topics over {grouping}"
        if len(names) > 1
        else f"{next(iter(names.values()))} over {grouping}"
    )
    share = table.view.nouns.fill("Mean share in the {items}")
    return alt.Title(head, subtitle="; ".join([share, *more]))


def _count(table: Table) -> str:
    return count_label(len(table.topics), len(table.view.visible), "topics")


def _heat_map(table: Table) -> Any:
    alt = require("altair")
    order = column_order(table.shares[:MAX_CLASSES, table.topics])
    names = table.view.labels(table.topics[order])
    groups = table.groups.names[:MAX_CLASSES]
    subtitle = [count_label(len(groups), len(table.groups.names), "classes"), _count(table)]
    step = LARGE_STEP if max(len(groups), len(order)) <= FEW else STEP
    return (
        alt.Chart(alt.Data(values=table.rows(MAX_CLASSES)))
        .mark_rect()
        .encode(
            x=alt.X(
                "name:N",
                title=None,
                sort=list(names.values()),
                scale=alt.Scale(padding=0.06),
                axis=alt.Axis(
                    orient="top", labelAngle=-55, ticks=False, domain=False, labelLimit=170
                ),
            ),
            y=alt.Y(
                "group:N",
                title=None,
                sort=groups,
                scale=alt.Scale(padding=0.06),
                axis=alt.Axis(ticks=False, domain=False, labelLimit=200),
            ),
            color=alt.Color(
                "share:Q",
                title="share",
                scale=alt.Scale(domainMin=0),
                legend=alt.Legend(
                    format=".0%", gradientLength=min(max(step * len(groups), 60), 120)
                ),
            ),
            tooltip=_tooltip(alt, "class", table),
        )
        .properties(
            width=alt.Step(step),
            height=alt.Step(step),
            title=_title(table, "classes", subtitle),
            description=table.view.nouns.fill(
                "Mean share of each topic in the {items} of each class"
            ),
        )
    )


def _tooltip(alt: Any, group: str, table: Table) -> list[Any]:
    return [
        alt.Tooltip("group:N", title=group),
        alt.Tooltip("name:N", title="topic"),
        alt.Tooltip("share:Q", format=".1%"),
        alt.Tooltip("documents:Q", format=",", title=table.view.nouns.items),
    ]


def _bars(table: Table) -> Any:
    """Draw the shares of one topic in each class; the class with the largest share is first."""
    alt = require("altair")
    rows = table.rows(MAX_CLASSES)
    subtitle = [count_label(len(rows), len(table.groups.names), "classes")]
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y(
            "group:N",
            title=None,
            sort=[row["group"] for row in sorted(rows, key=lambda row: -row["share"])],
            axis=alt.Axis(ticks=False, domain=False, labelLimit=200),
        ),
        tooltip=_tooltip(alt, "class", table),
    )
    bars = base.mark_bar(cornerRadiusEnd=2).encode(
        x=alt.X("share:Q", title=None, axis=alt.Axis(format="~%", tickCount=5, domain=False))
    )
    return bars.properties(
        width=460,
        height=alt.Step(STEP),
        title=_title(table, "classes", subtitle),
        description=table.view.nouns.fill("Mean share of a topic in the {items} of each class"),
    )


def _curves(table: Table) -> Any:
    """Draw the shares over time in one panel per topic; all panels have the same scale."""
    alt = require("altair")
    names, alone = table.view.labels(table.topics), len(table.topics) == 1
    base = alt.Chart(alt.Data(values=table.rows())).encode(
        x=_time_axis(alt, table.groups.names, 7 if alone else 4),
        y=alt.Y("share:Q", title=None, axis=alt.Axis(format="~%", tickCount=4, domain=False)),
        tooltip=_tooltip(alt, "time", table),
    )
    layers = alt.layer(
        base.mark_area(opacity=0.2),
        base.mark_line(),
        base.mark_point(filled=True, size=22, opacity=1),
    )
    title = _title(table, "time", [] if alone else [_count(table)])
    if alone:
        return layers.properties(
            width=560, height=220, title=title, description="Mean share of a topic over time"
        )
    header = alt.Header(labelAnchor="start", labelFontWeight="bold", labelLimit=240, title=None)
    return (
        layers.properties(width=230, height=100)
        .facet(
            facet=alt.Facet("name:N", sort=list(names.values()), header=header),
            columns=CURVES_IN_A_ROW,
        )
        .properties(title=title, description="Mean share of topics over time, one panel each")
    )


def _time_axis(alt: Any, times: list[str], ticks: int) -> Any:
    """Return a time axis, in UTC because the dates have no time zone."""
    ending = DATES.get(max(map(len, times)), "%Y-%m-%d")
    return alt.X(
        "group:T",
        title=None,
        scale=alt.Scale(type="utc", nice=False),
        axis=alt.Axis(format=ending, tickCount=min(ticks, len(times)), grid=False),
    )
