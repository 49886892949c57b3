"""Bar chart of the groups of words that topics have selected, such as pathways of genes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.fitted.word_groups import has_groups, selected_groups
from laconic.plots.style import styled
from laconic.plots.topic_view import (
    ChartView,
    chart_view,
    check_integer,
    count_label,
    percent,
    rounded,
    shorten,
)
from laconic.wording import plural

MAX_TOPICS = 6
SHOWN_WORDS = 8  # number of words of a group in the tooltip
BAR, WIDTH, FOR_LABELS = 17, 260, 320  # sizes in points


def topic_groups(
    model: Any,
    topics: Sequence[int] | None = None,
    n_groups: int = 8,
    *,
    terms: str | None = None,
) -> Any:
    """Draw the strongest groups of words of each topic as bars, one panel per topic.

    Each label says how many words of the group are in the data.

    Parameters
    ----------
    model : estimator or Pipeline
        A model that was fitted with groups of words.
    topics : sequence of int, optional
        Topics to draw (rows of ``components_``). Default: the six topics with the largest shares.
    n_groups : int, default=8
        Maximum number of groups per topic.
    terms : str, optional
        Plural noun to use instead of "words", such as "genes"; see `laconic.with_nouns`.

    Returns
    -------
    altair.FacetChart

    Examples
    --------
    >>> from laconic import Corpus, SparseLSA
    >>> corpus = Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["MYC", "EGFR", "TP53"])
    >>> sets = {"growth": ["MYC", "EGFR", "KRAS"], "repair": ["TP53"]}
    >>> chart = topic_groups(SparseLSA(2, alpha=0.1, groups=sets).fit(corpus), terms="genes")
    >>> [bar["group"] for bar in chart.to_dict()["data"]["values"]]
    ['growth (2 of 3 genes measured)', 'repair (1 gene measured)']
    """
    check_integer("n_groups", n_groups)
    view = chart_view(model, terms)
    if not has_groups(model):
        raise LaconicError("The model was fitted without groups of words; set groups= to draw it.")
    chosen = view.chosen(topics, MAX_TOPICS).tolist()
    bars = [bar for topic in chosen for bar in _bars(view, topic, n_groups)]
    if not bars:
        raise LaconicError("None of these topics has any groups, so there is nothing to draw.")
    return styled(_panels(view, bars, len(chosen)))


def _bars(view: ChartView, topic: int, n_groups: int) -> list[dict[str, Any]]:
    groups = selected_groups(view, topic)
    name = view.given_names.get(topic)
    number = f"topic {topic}" if name is None else f"{name} ({topic})"
    heading = f"{number} · {percent(view.shares[topic])} · {plural(len(groups), 'group')}"
    return [
        {
            "topic": topic,
            "panel": heading,
            "group": _label(group.name, group.label(view.nouns), rank),
            "strength": rounded(group.strength),
            "words": ", ".join(map(view.word, group.columns[:SHOWN_WORDS])),
            "rank": rank,
        }
        for rank, group in enumerate(groups[:n_groups])
    ]


def _label(name: str, label: str, rank: int) -> str:
    """Return the label of a group; a long name is shortened, but the numbers after it are kept."""
    return shorten(name, rank) + label.removeprefix(name)


def _panels(view: ChartView, bars: list[dict[str, Any]], n_topics: int) -> Any:
    alt = require("altair")
    nouns = view.nouns
    headings = list(dict.fromkeys(bar["panel"] for bar in bars))
    count = count_label(n_topics, len(view.visible), "topics")
    chart = (
        alt.Chart(alt.Data(values=bars))
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            x=alt.X("strength:Q", title=None, axis=alt.Axis(format="~g", tickCount=5)),
            y=alt.Y(
                "group:N",
                title=None,
                sort=alt.SortField("rank"),
                axis=alt.Axis(
                    ticks=False, domain=False, labelLimit=FOR_LABELS, minExtent=FOR_LABELS
                ),
            ),
            tooltip=[
                alt.Tooltip("group:N"),
                alt.Tooltip("strength:Q"),
                alt.Tooltip("words:N", title=nouns.terms),
            ],
        )
        .properties(width=WIDTH, height=alt.Step(BAR))
    )
    header = alt.Header(labelAnchor="start", labelFontWeight="bold", labelLimit=FOR_LABELS)
    subtitle = f"{count}; bars are the norms of the weights of each group"
    return (
        chart.facet(facet=alt.Facet("panel:N", title=None, sort=headings, header=header), columns=1)
        .resolve_scale(y="independent")
        .properties(
            title=alt.Title(nouns.fill("Groups of {terms} in topics"), subtitle=subtitle),
            description=nouns.fill("Groups of {terms} in topics as bars, one panel per topic"),
        )
    )
