"""Bar charts of the top words of topics, one panel per topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.plots.labels import UNMEASURED
from laconic.plots.style import PADDING, styled, wrap
from laconic.plots.topic_view import (
    ChartView,
    chart_view,
    check_integer,
    check_letters,
    check_width,
    count_label,
    percent,
    rounded,
)
from laconic.wording import Nouns

MAX_TOPICS = 12
PANELS_IN_A_ROW, MAX_IN_A_ROW = 3, 4  # by default, and at most if the width is given
SIGNS = ("positive weight", "negative weight")
INVISIBLE = 2e-3  # bars shorter than this fraction of the longest bar are not drawn
BAR = 17  # height of a bar in points
# Widths in points: of the bars if there is only one panel, of the bars of each panel if there are
# several panels, of the words beside the bars, and of the gap between panels
ONE_WIDE, PANEL_WIDE, FOR_WORDS, BETWEEN = 420, 135, 95, 24
BESIDE = 10  # space in points for the last number of the axis if there is one panel per row


def topic_words(
    model: Any,
    topics: Sequence[int] | None = None,
    n_words: int = 10,
    *,
    width: int | None = None,
    letters: int = UNMEASURED,
    terms: str | None = None,
) -> Any:
    """Draw the top words of topics as bars, one panel per topic.

    Bars of words with negative weights point to the left and have another colour.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model.
    topics : sequence of int, optional
        Topics to draw (rows of ``components_``). Default: the twelve topics with the largest
        shares.
    n_words : int, default=10
        Maximum number of words per topic.
    width : int, optional
        Maximum width of the chart in points, for example to fit the screen of a phone.
    letters : int, default=120
        Width of the letters in percent of their width in Helvetica; see `topic_map`.
    terms : str, optional
        Plural noun to use instead of "words", such as "genes"; see `laconic.with_nouns`.

    Returns
    -------
    altair.FacetChart

    Examples
    --------
    >>> from laconic import Corpus, SparseLSA
    >>> corpus = Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> chart = topic_words(SparseLSA(2, alpha=0.1).fit(corpus))
    >>> [bar["word"] for bar in chart.to_dict()["data"]["values"]]
    ['cat', 'purr', 'dog']
    """
    check_integer("n_words", n_words)
    check_width(width)
    check_letters(letters)
    view = chart_view(model, terms)
    chosen = [int(topic) for topic in view.chosen(topics, MAX_TOPICS)]
    names = _short_names(view, chosen)
    headings = {topic: _heading(view, topic, names[topic]) for topic in chosen}
    bars = [bar for topic in chosen for bar in _bars(view, topic, n_words, headings[topic])]
    if not bars:
        raise LaconicError(
            f"None of these topics has any {view.nouns.terms}, so there is nothing to draw."
        )
    drawn = [heading for heading in headings.values() if any(b["panel"] == heading for b in bars)]
    subtitle = wrap(_subtitle(view, headings, drawn, topics is None), width, letters)
    return styled(_panels(view.nouns, bars, drawn, subtitle, width))


def _bars(view: ChartView, topic: int, n_words: int, heading: str) -> list[dict[str, Any]]:
    """Return a row of chart data for each top word of a topic, in order of decreasing weight."""
    weights = view.row(topic)
    columns = view.columns(topic, n_words)
    sizes = np.abs(weights[columns])
    columns = columns[sizes > INVISIBLE * sizes.max(initial=0)]
    ordered = columns[np.argsort(-weights[columns], kind="stable")]
    return [
        {
            "topic": topic,
            "panel": heading,
            "word": view.word(column),
            "weight": rounded(weights[column]),
            "sign": SIGNS[int(weights[column] < 0)],
            "rank": rank,
        }
        for rank, column in enumerate(ordered.tolist())
    ]


def _short_names(view: ChartView, topics: list[int]) -> dict[int, str]:
    """Return the given name or the first two words of each topic, or more words if names repeat."""
    names = {
        topic: view.given_names.get(topic) or ", ".join(view.naming_words(topic)[:2])
        for topic in topics
    }
    is_clear = all(names.values()) and len(set(names.values())) == len(names)
    return names if is_clear else view.labels(topics)


def _heading(view: ChartView, topic: int, name: str) -> str:
    return f"{percent(view.shares[topic])} · {name}"


def _subtitle(view: ChartView, headings: dict[int, str], drawn: list[str], by_share: bool) -> str:
    count = count_label(len(headings), len(view.visible), "topics") if by_share else ""
    empty = [str(topic) for topic, heading in headings.items() if heading not in drawn]
    without = f"without {view.nouns.terms}: {', '.join(empty)}" if empty else ""
    share = "percentages are topic shares"
    return "; ".join(part for part in (count, without, share) if part)


def _panels(
    nouns: Nouns,
    bars: list[dict[str, Any]],
    headings: list[str],
    subtitle: str | list[str],
    width: int | None,
) -> Any:
    alt = require("altair")
    in_a_row, bar_wide = _arranged(len(headings), width)
    alone = len(headings) == 1
    signed = any(bar["weight"] < 0 for bar in bars)
    axes = (
        alt.Axis(format="~g", tickCount=2 if not alone else 5, grid=True, domain=False),
        # all panels reserve the same width for words, so that the panels align in columns
        alt.Axis(ticks=False, domain=False, labelLimit=FOR_WORDS, minExtent=FOR_WORDS),
    )
    legend = alt.Legend(orient="top") if signed else None
    chart = (
        alt.Chart(alt.Data(values=bars))
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            x=alt.X("weight:Q", title=None, axis=axes[0]),
            y=alt.Y("word:N", title=None, sort=alt.SortField("rank"), axis=axes[1]),
            color=alt.Color(
                "sign:N", title=None, legend=legend, scale=alt.Scale(domain=list(SIGNS))
            ),
            tooltip=[
                alt.Tooltip("word:N", title=nouns.term),
                alt.Tooltip("weight:Q"),
                alt.Tooltip("panel:N"),
                alt.Tooltip("topic:N"),
            ],
        )
        .properties(width=bar_wide, height=alt.Step(BAR))
    )
    # a heading may extend over the gap beside its panel, but not beyond the chart
    limit = bar_wide if in_a_row == 1 else bar_wide + BESIDE
    header = alt.Header(labelAnchor="start", labelFontWeight="bold", labelLimit=limit)
    return (
        chart.facet(
            facet=alt.Facet("panel:N", title=None, sort=headings, header=header),
            columns=in_a_row,
            spacing=BETWEEN,
        )
        .resolve_scale(x="independent", y="independent")
        .properties(
            title=alt.Title(nouns.fill("{Terms} of topics"), subtitle=subtitle),
            description=nouns.fill("Top {terms} of topics as bars, one panel per topic"),
        )
    )


def _arranged(n_panels: int, width: int | None) -> tuple[int, int]:
    """Return the number of panels per row, and the width of the bars in points.

    Examples
    --------
    >>> _arranged(12, None), _arranged(12, 600), _arranged(12, 300)
    ((3, 135), (2, 176), (1, 171))
    """
    if width is None:
        return min(PANELS_IN_A_ROW, n_panels), ONE_WIDE if n_panels == 1 else PANEL_WIDE
    room = width - 2 * PADDING
    fitting = max((room + BETWEEN) // (FOR_WORDS + PANEL_WIDE + BETWEEN), 1)
    in_a_row = min(MAX_IN_A_ROW, n_panels, fitting)
    if in_a_row > 1:
        return in_a_row, (room - BESIDE + BETWEEN) // in_a_row - FOR_WORDS - BETWEEN
    return 1, max(min(ONE_WIDE, room - FOR_WORDS - BESIDE), 40)
