"""How all charts look: one type, few lines, colours that a colour-blind person tells apart."""

from __future__ import annotations

from typing import Any

# Okabe and Ito's eight colours, the yellow last: it is hard to see on white
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
INK, QUIET, GRID = "#1b1f24", "#5c6672", "#e7e4de"
FONT = "Helvetica, Arial, sans-serif"


def styled(chart: Any) -> Any:
    """The chart in the look of the house; the outermost chart only."""
    return (
        chart.configure(font=FONT, background="#ffffff", padding=12)
        .configure_view(stroke=None)
        .configure_axis(
            gridColor=GRID,
            domainColor=QUIET,
            tickColor=QUIET,
            labelColor=INK,
            titleColor=QUIET,
            titleFontWeight="normal",
            labelFontSize=11,
            titleFontSize=12,
        )
        .configure_legend(labelColor=INK, titleColor=QUIET, titleFontWeight="normal")
        .configure_title(color=INK, fontSize=14, anchor="start", subtitleColor=QUIET)
        .configure_header(labelColor=INK, titleColor=QUIET, labelFontSize=12)
        .configure_range(category=list(COLOURS))
    )
