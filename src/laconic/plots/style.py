"""Light and dark theme of all charts, with colours that colour-blind people can distinguish.

A chart does not specify colours. All colours come from the theme, so that the same chart works on a
light and a dark background. Marks have the first colour of the theme, categories have the colours
of the theme in order, groups of similar topics have the same colours as on all pages (the range
`ordinal`), and heat maps have its colour ramp. Highlighted or subdued marks have a named
`style`:

=======  =====================================================
chosen   a highlighted mark among many marks
quiet    secondary marks such as limits, edges and annotations
ground   marks in the background colour that hide other marks
halo     outline of a text on top of other marks
=======  =====================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple

from laconic.fitted.topic_groups import GROUPS
from laconic.identity import group_hues, ungrouped_hue
from laconic.plots.labels import SIZE, UNMEASURED, width_of

# The eight colours of Okabe and Ito; yellow is last, because yellow is hard to see on white
COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#E69F00",
    "#000000",
    "#F0E442",
)
# Lighter colours with the same hues, for a dark background
ON_DARK = (
    "#4AA3DF",
    "#F0803C",
    "#2FC79B",
    "#E29CC3",
    "#8FD0F7",
    "#F0B429",
    "#E8E5DE",
    "#F0E442",
)
FONT = "Helvetica, Arial, sans-serif"  # the module `labels` has the letter widths of Helvetica
PADDING = 12  # space on each side of a chart, in points
SUBTITLE = 12  # font size of the subtitle
NUMBERS = {
    "decimal": ".",
    "thousands": ",",
    "grouping": [3],
    "currency": ["", ""],
    "percent": "\u00a0%",
}


class Ground(NamedTuple):
    """Colours of a theme, except the colours of categories."""

    paper: str
    ink: str
    quiet: str
    grid: str
    ramp: tuple[str, ...]  # colours from low to high values


LIGHT = Ground(
    "#ffffff", "#1b1f24", "#59636f", "#e7e4de", ("#f1f5f8", "#a6cfe8", "#2b86bd", "#013a5e")
)
DARK = Ground(
    "#1b1f23", "#e8e5de", "#a2abb5", "#31373e", ("#252b31", "#1f5c83", "#4aa3df", "#d3ecfa")
)


def theme(dark: bool = False) -> dict[str, Any]:
    """Return the light or dark theme as a Vega-Lite ``config``.

    Examples
    --------
    >>> theme()["background"], theme(dark=True)["background"]
    ('#ffffff', '#1b1f23')
    """
    ground, colours = (DARK, ON_DARK) if dark else (LIGHT, COLOURS)
    words = {"labelColor": ground.ink, "titleColor": ground.quiet, "titleFontWeight": "normal"}
    return {
        "font": FONT,
        "locale": {"number": NUMBERS},
        "background": ground.paper,
        "padding": PADDING,
        "view": {"stroke": None, "continuousWidth": 300, "continuousHeight": 300},
        "axis": {
            **words,
            "gridColor": ground.grid,
            "domainColor": ground.quiet,
            "tickColor": ground.quiet,
            "labelFontSize": 11,
            "titleFontSize": 12,
            "labelFlush": False,
        },
        "legend": words,
        "header": {**words, "labelFontSize": 12},
        "title": {
            "color": ground.ink,
            "fontSize": 14,
            "anchor": "start",
            "offset": 12,
            "subtitleFontSize": SUBTITLE,
            "subtitleColor": ground.quiet,
        },
        "mark": {"color": colours[0]},
        "text": {"color": ground.ink, "fontSize": 11},
        "rule": {"color": ground.quiet},
        "style": {
            "chosen": {"color": colours[1]},
            "quiet": {"color": ground.quiet},
            "ground": {"color": ground.paper},
            "halo": {"stroke": ground.paper, "strokeWidth": 3, "strokeOpacity": 0.8},
        },
        "range": {
            "category": list(colours),
            "ordinal": [*group_hues(dark)[:GROUPS], ungrouped_hue(dark)],
            "symbol": ["circle", "square", "diamond"],
            "heatmap": list(ground.ramp),
            "ramp": list(ground.ramp),
        },
    }


def styled(chart: Any, dark: bool = False) -> Any:
    """Apply the theme to a chart, which must be the outermost chart."""
    return chart.configure(**theme(dark))


def wrap(text: str, width: int | None, letters: int = UNMEASURED) -> str | list[str]:
    """Wrap a subtitle so that it is not wider than the chart.

    Examples
    --------
    >>> wrap("near each other where they share words", 190)
    ['near each other where', 'they share words']
    """
    if width is None:
        return text
    room = (width - 2 * PADDING) * SIZE / SUBTITLE
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, letters) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
